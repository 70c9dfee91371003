"""Made beforehand, taken in, and let go: prespawn, prewarm, adopt, detach."""

from __future__ import annotations

import gc
import time
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import NotManagedError, PooledSprite, PoolingSystem, PoolSettings, Prefab, Progress
from recorder import Orc, Recorder, assert_counts, raising, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable

# -- prespawn -----------------------------------------------------------------------------------


def test_u09_f02_t01_a_prefab_is_prespawned_when_it_is_registered_or_first_used(
    system: PoolingSystem,
) -> None:
    settings = PoolSettings(prespawn=3)
    registered, spawned, asked = (Prefab(Orc, settings=settings) for _ in range(3))
    system.register(registered)
    system.spawn(spawned)
    assert system.prespawn(asked) == 3
    counts = [(pool.active_count, pool.inactive_count) for pool in system.all_pools()]
    assert counts == [(0, 3), (1, 2), (0, 3)]
    assert stats_of(system, spawned).late == 0
    system.prespawn(registered, 5)
    assert system.pool(registered).inactive_count == 5


def test_k01_prespawning_waits_before_it_starts_and_makes_a_few_an_update(
    system: PoolingSystem,
) -> None:
    settings = PoolSettings(prespawn=5, prespawn_delay=0.3, prespawn_per_update=2)
    pool = system.pool(Prefab(Orc, settings=settings))
    made = []
    for _ in range(7):
        made.append(pool.inactive_count)
        system.update(0.1)
    assert made == [0, 0, 0, 2, 4, 5, 5]
    assert system.reset().pools[0].prespawned == 5


@pytest.mark.parametrize("per_update", [None, 1])
def test_k01_a_factory_that_fails_stops_no_other_and_is_asked_again(
    system: PoolingSystem, per_update: int | None
) -> None:
    failures = [OSError("busy")]

    def moody() -> Orc:
        if failures:
            raise failures.pop()
        return Orc()

    settings = PoolSettings(prespawn=2, prespawn_per_update=per_update)
    prefabs = [Prefab(moody, settings=settings), Prefab(Orc, settings=settings)]

    def begin() -> None:
        for prefab in prefabs:
            system.register(prefab)
        system.update(0.1)

    with pytest.raises(OSError, match="busy"):
        begin()
    begin()
    system.update(0.1)
    assert [system.pool(prefab).capacity for prefab in prefabs] == [0 if per_update else 2, 2]
    assert system.prespawn(prefabs[0], 2) == (2 if per_update else 0)


# -- prewarm ------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless a test moves it, in milliseconds."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0] / 1000)
    return now


def slow_orc(clock: list[float], milliseconds: float, limit: int | None = None) -> Prefab[Orc]:
    def build() -> Orc:
        clock[0] += milliseconds
        return Orc()

    return Prefab(build, settings=PoolSettings(limit=limit))


def test_p02_prewarm_spends_its_budget_in_each_frame_until_it_is_closed(
    system: PoolingSystem, clock: list[float]
) -> None:
    orc = slow_orc(clock, 1.5)
    warm = system.prewarm({orc: 20}, budget_ms=4)
    assert system.pool(orc).capacity == 0
    for done in (3, 6, 9):
        assert next(warm) == Progress(done, 20)
        clock[0] += 16
    assert next(warm).fraction == 0.6
    warm.close()
    assert list(warm) == []
    assert system.pool(orc).inactive_count == 12
    assert stats_of(system, orc).late == 0


def test_p02_prewarm_makes_at_least_one_in_a_frame_and_none_beyond_a_limit(
    system: PoolingSystem, clock: list[float]
) -> None:
    orc, other = slow_orc(clock, 50, limit=2), slow_orc(clock, 50)
    steps = list(system.prewarm({orc: 8, other: 1}, budget_ms=0))
    assert steps == [Progress(1, 3), Progress(2, 3), Progress(3, 3)]


# -- adopt and detach ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Orc, Recorder, PooledSprite])
def test_u15_p08_what_is_detached_is_alive_and_the_games_and_may_be_adopted_again(
    system: PoolingSystem, kind: type[Any]
) -> None:
    instance = system.spawn(kind)
    handle = system.handle(instance)
    undone: list[int] = []
    system.scope(instance).callback(lambda: undone.append(1))
    system.detach(instance)
    assert undone == [1]
    assert not handle
    assert not system.is_spawned(instance)
    for call in (system.despawn, system.handle, system.scope, system.detach):
        with pytest.raises(NotManagedError):
            call(instance)
    stats = stats_of(system, kind)
    assert (stats.created, stats.destroyed, stats.despawned) == (1, 1, 0)
    system.adopt(kind, instance)
    assert system.handle(instance).get() is instance
    stats = stats_of(system, kind)
    assert (stats.created, stats.active, stats.spawned, stats.late, stats.reused) == (2, 1, 2, 1, 0)
    assert system.despawn(instance)
    assert system.spawn(kind) is instance
    assert_counts(system)


def test_p08_what_undoing_its_scope_raises_is_raised_when_it_is_detached(
    system: PoolingSystem,
) -> None:
    orc = system.spawn(Orc)
    system.scope(orc).callback(raising(RuntimeError("undo")))
    with pytest.raises(RuntimeError, match="undo"):
        system.detach(orc)
    with pytest.raises(NotManagedError):
        system.despawn(orc)
    assert_counts(system)


def test_p08_what_was_detached_keeps_no_groups_of_the_scene_it_came_from(
    system: PoolingSystem,
) -> None:
    group = pygame.sprite.Group[Any]()
    gone = weakref.ref(group)
    sprite = system.spawn(Prefab(PooledSprite, groups=[group]))
    system.detach(sprite)
    sprite.kill()
    system.reset()
    del group
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "add",
    [
        lambda orc: orc.add_component(Recorder()),
        lambda orc: orc.add_child(PooledSprite(), (1, 1)),
    ],
)
def test_u15_a_sprite_that_is_adopted_stays_in_its_groups_whatever_awake_adds(
    system: PoolingSystem, add: Callable[[PooledSprite], object]
) -> None:
    class Grown(PooledSprite):
        def awake(self) -> None:
            add(self)

    group = pygame.sprite.Group[Any]()
    grown = Grown()
    group.add(grown)
    system.adopt(Grown, grown)
    assert grown in group
    grown.kill()
    assert not group
    assert system.spawn(Grown) is grown
    assert grown in group
