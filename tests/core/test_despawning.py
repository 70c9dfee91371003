"""Lives end: one, delayed, by predicate, all; and what was never alive."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from poolkit import (
    IPoolableComponent,
    NotManagedError,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    Progress,
)
from recorder import Recorder, assert_counts, stats_of


class Orc:
    pass


def test_u04_despawn_answers_whether_it_ended_a_life(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    assert system.despawn(orc) is True
    assert system.despawn(orc) is False
    recorder = system.spawn(Recorder)
    assert system.despawn(recorder) is True
    assert system.despawn(recorder) is False
    assert recorder.log == ["awake", "spawned", "despawned"]


@pytest.mark.parametrize("kind", [Orc, Recorder, PooledSprite])
def test_f11_an_instance_destroyed_meanwhile_does_no_harm(
    system: PoolingSystem, kind: type[Any]
) -> None:
    prefab = Prefab(kind, pooling=False)
    instance = system.spawn(prefab)
    handle = system.handle(instance)
    assert system.despawn(instance) is True
    assert system.despawn(instance) is False
    assert system.pool(prefab).despawn(instance) is False
    assert not system.is_spawned(instance)
    assert handle.despawn() is False
    for call in (system.handle, system.scope, system.detach):
        with pytest.raises(NotManagedError):
            call(instance)
    assert system.pool(prefab).capacity == 0
    assert_counts(system)


def test_f11_a_destroyed_instance_is_freed_by_reference_count(system: PoolingSystem) -> None:
    gone: list[int] = []

    class Mortal(Recorder):
        def __del__(self) -> None:
            gone.append(1)

    mortal = system.spawn(Mortal)
    mortal.acts.clear()
    gc.disable()
    try:
        system.despawn(mortal)
        del mortal
        assert gone == []
        system.pool(Mortal).clear()
        assert gone == [1]
    finally:
        gc.enable()


def test_g06_without_pooling_the_capacity_calls_count_so_that_the_same_program_runs(
    system: PoolingSystem,
) -> None:
    fake = Prefab(Recorder, pooling=False, settings=PoolSettings(limit=9))
    pool = system.pool(fake)
    assert system.prespawn(fake, 3) == 3
    assert pool.increase_capacity(3) == 3
    one = system.spawn(fake)
    assert (pool.capacity, pool.active_count, pool.inactive_count) == (6, 1, 5)
    system.despawn(one)
    assert pool.decrease_capacity(2) == 2
    assert pool.increase_capacity(10) == 5
    assert pool.trim(4) == 5
    assert (pool.capacity, one.log[-1]) == (4, "destroyed")
    assert list(system.prewarm({fake: 6}, budget_ms=1000)) == [Progress(2, 2)]
    assert_counts(system)


def test_f03_pooling_can_be_switched_off_and_on_for_a_whole_system(system: PoolingSystem) -> None:
    orc = system.spawn(Recorder)
    system.prespawn(Recorder, 3)
    system.configure(pooling=False)
    assert system.pool(Recorder).inactive_count == 0
    system.despawn(orc)
    assert orc.log[-1] == "destroyed"
    assert system.spawn(Recorder) is not orc
    system.configure(pooling=True)
    system.despawn_all()
    assert system.pool(Recorder).inactive_count == 1
    assert_counts(system)


def test_p04_a_delayed_despawn_never_ends_a_later_life(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    system.despawn_after(orc, 1.0)
    system.despawn(orc)
    assert system.spawn(Orc) is orc
    for _ in range(30):
        system.update(0.1)
    assert system.is_spawned(orc)


def test_p04_a_delayed_despawn_can_be_called_off(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    call_off = system.despawn_after(orc, 1.0)
    call_off()
    call_off()
    system.update(2.0)
    assert system.is_spawned(orc)


def test_f06_a_later_life_begun_by_the_predicate_or_a_hook_is_never_touched(
    system: PoolingSystem,
) -> None:
    first, second = system.spawn_many(Recorder, [(0, 0)] * 2)

    def respawn_second() -> None:
        system.despawn(second)
        assert system.spawn(Recorder) is second

    first.acts["despawned"] = respawn_second
    system.despawn_where(lambda _: True)
    assert [system.is_spawned(one) for one in (first, second)] == [False, True]

    def meddling(one: Recorder) -> bool:
        first.acts.clear()
        system.despawn(one)
        assert system.spawn(Recorder) in {first, second}
        return True

    assert system.despawn_where(meddling) == 0
    assert system.pool(Recorder).active_count == 1
    assert_counts(system)


def test_g12_capacity_is_decreased_by_those_at_rest_first(system: PoolingSystem) -> None:
    pool = system.pool(Recorder)
    lives = [system.spawn(Recorder) for _ in range(3)]
    assert pool.increase_capacity(2) == 2
    assert pool.decrease_capacity(4) == 2
    assert pool.capacity == 3
    assert pool.decrease_capacity(2, include_active=True) == 2
    assert [one.log[-1] for one in lives] == ["destroyed", "destroyed", "spawned"]
    assert lives[0].log == ["awake", "spawned", "despawned", "destroyed"]
    assert_counts(system)


def update_for(system: PoolingSystem, seconds: int) -> None:
    for _ in range(seconds * 10):
        system.update(0.1)


def test_p05_what_was_not_needed_for_a_while_is_destroyed_a_few_at_a_time(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=3, trim_after=10))
    pool = system.pool(orc)
    system.spawn_many(orc, [(0, 0)] * 30)
    system.despawn_all(orc)
    update_for(system, 9)
    assert pool.capacity == 30
    update_for(system, 2)
    assert 3 < pool.capacity < 30
    update_for(system, 5)
    assert pool.capacity == 3
    assert_counts(system)


def test_p05_what_was_needed_within_the_time_is_kept(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(trim_after=5))
    pool = system.pool(orc)
    pool.increase_capacity(20)
    for _ in range(12):
        system.spawn_many(orc, [(0, 0)] * 8)
        system.despawn_all(orc)
        update_for(system, 1)
        assert pool.stats.late == 0  # reading figures must not put off the trimming
    assert pool.capacity == 8
    assert pool.stats.late == 0


def test_p05_what_waits_for_the_next_update_is_not_taken_for_unneeded(
    system: PoolingSystem,
) -> None:
    system.configure(reuse="next_update")
    orc = Prefab(Orc, settings=PoolSettings(trim_after=2))
    for _ in range(200):
        system.despawn(system.spawn(orc))
        system.despawn(system.spawn(orc))
        system.update(0.1)
    assert stats_of(system, orc).created == 2


def test_reuse_next_update_keeps_an_instance_until_then(system: PoolingSystem) -> None:
    system.configure(reuse="next_update")
    first = system.spawn(Orc)
    system.despawn(first)
    assert system.pool(Orc).inactive_count == 1
    second = system.spawn(Orc)
    assert second is not first
    system.update(0)
    assert system.spawn(Orc) is first
    system.configure(reuse="at_once")
    system.despawn(second)
    assert system.spawn(Orc) is second
    assert_counts(system)
    with pytest.raises(ValueError, match="at_once"):
        system.configure(reuse="later")  # type: ignore[arg-type]


def test_f07_clear_destroys_active_and_inactive_alike(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    lives = [
        system.spawn(Recorder),
        system.spawn(Recorder, parent=parent),
        system.spawn(Recorder),
    ]
    system.despawn(lives[2])
    pool = system.pool(Recorder)
    assert pool.clear() == 3
    assert pool.capacity == 0
    assert [one.log[-2:] for one in lives] == [["despawned", "destroyed"]] * 3
    assert system.is_spawned(parent)
    assert system.spawn(Recorder) not in lives
    assert_counts(system)


class Ghost(IPoolableComponent):
    """Neither sprite nor body."""

    def spawned(self) -> None: ...


def test_k07_is_spawned_asks_the_instance_not_a_list(system: PoolingSystem) -> None:
    many = system.spawn_many(Ghost, [(0, 0)] * 50)
    assert all(system.is_spawned(each) for each in many)
    system.despawn(many[7])
    assert not system.is_spawned(many[7])
    assert not system.is_spawned(Ghost())
    # Any object may be asked about, hashable or not.
    assert not system.is_spawned([])
    assert not system.is_spawned(None)
