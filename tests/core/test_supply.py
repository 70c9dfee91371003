"""Made beforehand, taken in, and let go: prespawn, prewarm, adopt, detach."""

from __future__ import annotations

import time
from typing import Any

import pytest

from poolkit import (
    NotManagedError,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    Progress,
)
from recorder import Recorder, assert_counts, raising, stats_of


class Orc:
    pass


# -- prespawn -----------------------------------------------------------------------------------


def test_u09_f02_a_prefab_is_prespawned_when_it_is_registered_or_first_used(
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


def test_t01_a_client_loads_a_quantity_spawns_and_despawns(system: PoolingSystem) -> None:
    assert system.prespawn(Orc, 5) == 5
    orcs = [system.spawn(Orc) for _ in range(5)]
    for orc in orcs:
        assert system.despawn(orc)
    assert system.pool(Orc).inactive_count == 5
    assert stats_of(system, Orc).late == 0


def test_t02_what_is_pooled_is_out_of_the_way_of_the_scene(system: PoolingSystem) -> None:
    system.prespawn(Orc, 5)
    orc = system.spawn(Orc)
    assert list(system.pool(Orc).active) == [orc]
    system.despawn(orc)
    assert list(system.pool(Orc).active) == []


# -- prewarm ------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still unless a test moves it, in milliseconds."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0] / 1000)
    return now


def slow_orc(clock: list[float], milliseconds: float) -> Prefab[Orc]:
    def build() -> Orc:
        clock[0] += milliseconds
        return Orc()

    return Prefab(build)


def test_p02_prewarm_spends_its_budget_in_each_frame(
    system: PoolingSystem, clock: list[float]
) -> None:
    orc = slow_orc(clock, 1.5)
    warm = system.prewarm({orc: 7}, budget_ms=4)
    assert system.pool(orc).capacity == 0
    frames = []
    for progress in warm:
        frames.append((progress.done, progress.total))
        clock[0] += 16
    assert frames == [(3, 7), (6, 7), (7, 7)]
    assert system.pool(orc).inactive_count == 7
    assert progress.fraction == 1
    assert stats_of(system, orc).late == 0


def test_p02_prewarm_makes_at_least_one_in_a_frame(
    system: PoolingSystem, clock: list[float]
) -> None:
    orc, other = slow_orc(clock, 50), slow_orc(clock, 50)
    steps = list(system.prewarm({orc: 2, other: 1}, budget_ms=0))
    assert steps == [Progress(1, 3), Progress(2, 3), Progress(3, 3)]
    assert [step.fraction for step in steps] == [1 / 3, 2 / 3, 1]


def test_p02_closing_prewarm_cancels_it(system: PoolingSystem, clock: list[float]) -> None:
    orc = slow_orc(clock, 5)
    warm = system.prewarm({orc: 10})
    assert next(warm).done == 1
    warm.close()
    assert list(warm) == []
    assert system.pool(orc).inactive_count == 1


# -- adopt --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Orc, Recorder, PooledSprite])
def test_u15_an_instance_that_the_game_built_is_managed_from_now_on(
    system: PoolingSystem, kind: type[Any]
) -> None:
    instance = kind()
    system.adopt(kind, instance)
    assert system.is_spawned(instance)
    assert system.handle(instance).get() is instance
    stats = stats_of(system, kind)
    assert (stats.created, stats.active, stats.spawned, stats.late, stats.reused) == (1, 1, 1, 0, 0)
    assert system.despawn(instance)
    assert system.spawn(kind) is instance
    assert_counts(system)


def test_u15_hooks_of_an_adopted_sprite_are_told_where_it_is(system: PoolingSystem) -> None:
    class Placed(PooledSprite):
        def spawned(self, position: object, rotation: object, parent: object) -> None:
            self.seen = position, rotation, parent

    placed = Placed()
    placed.position = (3, 4)
    placed.rotation = 90
    system.adopt(Placed, placed)
    assert placed.seen == ((3, 4), 90, None)
    assert placed.position == (3, 4)


# -- detach -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Orc, Recorder, PooledSprite])
def test_p08_detach_takes_an_instance_out_of_pooling_alive(
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
    assert system.spawn(kind) is not instance
    assert_counts(system)


def test_p08_a_detached_instance_can_be_adopted_again(system: PoolingSystem) -> None:
    orc = system.spawn(Recorder)
    system.detach(orc)
    system.adopt(Recorder, orc)
    assert orc.log == ["awake", "spawned", "awake", "spawned"]
    assert system.is_spawned(orc)
    assert stats_of(system, Recorder).created == 2
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


def test_k01_a_prefab_whose_factory_fails_does_not_stop_the_others(system: PoolingSystem) -> None:
    def broken() -> Orc:
        raise OSError("disk")  # noqa: EM101 - the shortest error there is

    settings = PoolSettings(prespawn=2, prespawn_per_update=1)
    system.register(Prefab(broken, settings=settings))
    whole = system.register(Prefab(Orc, settings=settings))
    with pytest.raises(OSError, match="disk"):
        system.update(0.1)
    system.update(0.1)
    assert system.pool(whole).inactive_count == 2


def test_k01_a_prespawn_that_failed_is_made_up_for(system: PoolingSystem) -> None:
    failures = [True]

    def moody() -> Orc:
        if failures:
            failures.clear()
            raise OSError("busy")  # noqa: EM101 - the shortest error there is
        return Orc()

    orc = Prefab(moody, settings=PoolSettings(prespawn=10))
    with pytest.raises(OSError, match="busy"):
        system.register(orc)
    system.register(orc)
    assert system.pool(orc).capacity == 10


def test_p02_a_limit_is_part_of_the_total_from_the_start(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(limit=5))
    assert {step.total for step in system.prewarm({orc: 8}, budget_ms=0)} == {5}
