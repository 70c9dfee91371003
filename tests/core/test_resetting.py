"""Reset and dispose: a scene is over, and nothing of it is left."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest

from poolkit import Budget, PooledSprite, PoolError, PoolingSystem, PoolSettings, Prefab
from recorder import Orc, Recorder, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_pool_that_a_reset_forgot_is_known_again_and_numbers_anew(
    system: PoolingSystem,
) -> None:
    pool = system.pool(Prefab(PooledSprite, name="orc"))
    pool.increase_capacity(3)
    system.reset()
    assert system.all_pools() == ()
    pool.increase_capacity(1)
    assert system.all_pools() == (pool,)
    assert repr(system.spawn("orc")) == "<PooledSprite orc #0001 active>"
    assert_counts(system)


def test_a_pool_that_a_reset_forgot_follows_what_the_system_has_been_told_since(
    system: PoolingSystem,
) -> None:
    heard: list[object] = []
    orc = Prefab(Orc)
    system.spawn(orc)
    system.reset()
    system.on_spawn(heard.append)
    system.on_despawn(heard.append)
    system.configure(reuse="next_update")
    first = system.spawn(orc)
    system.despawn(first)
    second = system.spawn(orc)
    assert heard == [first, first, second]
    assert second is not first


@pytest.mark.parametrize("hook", ["despawned", "destroyed"])
def test_after_eight_rounds_an_error_names_the_prefab(system: PoolingSystem, hook: str) -> None:
    growing = True

    class Weed(Recorder):
        def note(self, hook_now: str) -> None:
            if growing and hook_now == hook:
                another = system.spawn(weed)
                if hook == "destroyed":
                    system.despawn(another)

    weed = Prefab(Weed, name="weed")
    system.spawn(weed)
    with pytest.raises(PoolError, match="after 8 rounds hooks still spawn weed"):
        system.reset()
    assert_counts(system)
    with pytest.raises(PoolError, match="weed"):
        system.pool(weed).clear()
    growing = False
    system.reset()
    assert_counts(system)


def test_on_reset_hooks_may_begin_the_new_scene_but_not_reset_again(system: PoolingSystem) -> None:
    begun: list[Orc] = []
    system.on_reset(lambda: begun.append(system.spawn(Orc)))
    system.reset()
    assert system.is_spawned(begun[0])
    assert system.pool(Orc).stats.spawned == 1
    system.on_reset(system.reset)
    with pytest.raises(PoolError, match=r"reset\(\) was called inside a reset"):
        system.reset()
    assert len(begun) == 2
    assert system.is_spawned(begun[1])


def test_what_hooks_raise_is_raised_once_the_reset_is_complete(
    system: PoolingSystem,
) -> None:
    for one in system.spawn_many(Recorder, [(0, 0)] * 2):
        one.acts["despawned"] = raising(RuntimeError("hook"))
    with pytest.raises(ExceptionGroup, match=r"reset\(\) is complete, but hooks raised"):
        system.reset()
    assert system.pool(Recorder).capacity == 0


def test_a_later_spawn_is_refused_and_a_later_despawn_ignored(system: PoolingSystem) -> None:
    orc = system.spawn(Orc, persistent=True)
    stranger = Orc()
    pool = system.pool(Orc)
    assert system.dispose()["Orc"].stats.active == 1
    assert system.all_pools() == ()
    calls: list[Callable[[], object]] = [
        lambda: system.spawn(Orc),
        lambda: system.try_spawn(Orc),
        lambda: system.spawn_many(Orc, [(0, 0)]),
        lambda: system.prespawn(Orc, 1),
        pool.spawn,
        lambda: pool.increase_capacity(1),
        lambda: list(system.prewarm({Orc: 1})),
        lambda: system.adopt(Orc, stranger),
        lambda: system.spawn(Recorder),
    ]
    for call in calls:
        with pytest.raises(PoolError, match="disposed of"):
            call()
    assert system.despawn(orc) is False
    assert system.despawn(stranger) is False
    assert pool.despawn(orc) is False
    assert not system.is_spawned(orc)
    assert system.all_pools() == ()  # nobody is known for having been refused
    assert system.despawn_all() == 0
    system.update(1)
    system.dispose()
    system.reset()
    assert_counts(system)


def test_a_reset_before_the_first_update_raises_no_alarm(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    system.despawn_after(system.spawn(Orc), 1)
    system.reset()
    assert caplog.text == ""
    system.despawn_after(system.spawn(Orc), 1)
    system.report()  # nothing is to come any more
    assert "update(dt) was never called" in caplog.text


@pytest.mark.parametrize("settings", [PoolSettings(), PoolSettings(limit=2, budget=Budget(3))])
def test_a_prefab_that_nothing_holds_is_freed_with_its_scene_without_the_collector(
    system: PoolingSystem, settings: PoolSettings
) -> None:
    size = 3  # closed over
    made = Prefab(lambda: Orc() if size else None, name="orc", settings=settings)
    system.spawn(made)
    freed = weakref.ref(made), weakref.ref(system.pool(made)), weakref.ref(made.factory)
    gc.disable()
    try:
        del made
        system.reset()
        assert [reference() for reference in freed] == [None] * 3
    finally:
        gc.enable()
