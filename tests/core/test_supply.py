"""Made beforehand, taken in, and let go: prespawn, prewarm, adopt, detach."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, cast

import pytest

from poolkit import (
    IPoolableComponent,
    NotManagedError,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    Progress,
)
from recorder import Recorder, assert_counts, raising, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Orc:
    pass


class Troll:
    pass


# -- prespawn -----------------------------------------------------------------------------------


def test_u09_prespawn_makes_the_pool_hold_at_least_that_many(system: PoolingSystem) -> None:
    assert system.prespawn(Recorder, 3) == 3
    pool = system.pool(Recorder)
    first = system.spawn(Recorder)
    assert first.log == ["awake", "spawned"]
    assert system.prespawn(Recorder, 3) == 1
    assert system.prespawn(Recorder, 2) == 0
    assert (pool.active_count, pool.inactive_count) == (1, 3)
    assert system.prespawn(Recorder) == 0


def test_u09_prespawn_runs_awake_alone(system: PoolingSystem) -> None:
    made: list[Recorder] = []

    def build() -> Recorder:
        made.append(Recorder())
        return made[-1]

    system.prespawn(build, 2)
    assert [one.log for one in made] == [["awake"], ["awake"]]
    assert not any(map(system.is_spawned, made))


def test_f02_a_prefab_is_prespawned_when_it_is_registered_or_first_used(
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


def test_u09_prespawn_stops_at_the_limit(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(limit=3))
    assert system.prespawn(orc, 10) == 3
    assert system.prespawn(orc, 10) == 0


def test_u09_a_failing_factory_leaves_what_was_made(system: PoolingSystem) -> None:
    numbers = itertools.count()

    def build() -> Orc:
        if next(numbers) == 2:
            message = "third"
            raise RuntimeError(message)
        return Orc()

    with pytest.raises(RuntimeError, match="third"):
        system.prespawn(build, 5)
    assert system.pool(build).inactive_count == 2
    assert system.prespawn(build, 5) == 3
    assert_counts(system)


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


def test_an_awake_hook_that_spawns_its_own_kind_stays_within_the_limit(
    system: PoolingSystem,
) -> None:
    class Pair(IPoolableComponent):
        count = 0

        def awake(self) -> None:
            Pair.count += 1
            if Pair.count == 1:
                system.spawn(pair)
                assert system.try_spawn(pair) is None

    pair = Prefab(Pair, settings=PoolSettings(limit=2))
    system.spawn(pair)
    assert system.pool(pair).active_count == 2
    assert_counts(system)


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


def test_p02_prewarm_stops_at_limits_and_counts_what_is_there(system: PoolingSystem) -> None:
    small = Prefab(Orc, name="small", settings=PoolSettings(limit=2))
    system.prespawn(Troll, 3)
    steps = list(system.prewarm({small: 5, Troll: 4, "small": 1}, budget_ms=1000))
    assert steps == [Progress(3, 3)]
    assert [pool.inactive_count for pool in system.all_pools()] == [4, 2]
    assert list(system.prewarm({})) == [Progress(0, 0)]
    assert Progress(0, 0).fraction == 1


def test_bad_input_prewarm_checks_before_it_begins(system: PoolingSystem) -> None:
    calls: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: system.prewarm({Orc: -1}), ValueError),
        (lambda: system.prewarm({"orc": 1}), PrefabError),
        (lambda: system.prewarm({Orc: 1}, budget_ms=-1), ValueError),
        (lambda: system.prewarm({Orc: 1}, budget_ms=float("nan")), ValueError),
    ]
    for call, error in calls:
        with pytest.raises(error):
            call()


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


def test_u15_awake_and_spawned_run_at_adoption(system: PoolingSystem) -> None:
    orc = Recorder()
    system.adopt(Prefab(Recorder, awake_on_first_spawn=True), orc)
    assert orc.log == ["awake", "spawned"]


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


def test_u15_beyond_the_limit_an_adopted_instance_goes_at_its_despawn(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Recorder, settings=PoolSettings(limit=1))
    first, second = system.spawn(orc), Recorder()
    system.adopt(orc, second)
    assert system.pool(orc).capacity == 2
    system.despawn(second)
    assert second.log[-1] == "destroyed"
    system.despawn(first)
    assert system.spawn(orc) is first
    assert_counts(system)


def test_bad_input_what_is_managed_already_can_not_be_adopted(system: PoolingSystem) -> None:
    orc, sprite = system.spawn(Orc), PoolingSystem().spawn(PooledSprite)
    with pytest.raises(PrefabError, match="is Orc #0001 already"):
        system.adopt(Orc, orc)
    with pytest.raises(PrefabError, match="already"):
        system.adopt(PooledSprite, sprite)
    with pytest.raises(PrefabError, match="None can't be adopted"):
        system.adopt(Orc, cast("Any", None))
    gone = system.spawn(Recorder)
    system.pool(Recorder).clear()
    with pytest.raises(PrefabError, match="destroyed by now"):
        system.adopt(Recorder, gone)
    assert_counts(system)


@pytest.mark.parametrize("hook", ["awake", "spawned"])
def test_order4_a_hook_that_raises_at_adoption(system: PoolingSystem, hook: str) -> None:
    orc = Recorder()
    orc.acts[hook] = raising(RuntimeError(hook))
    with pytest.raises(RuntimeError, match=hook):
        system.adopt(Recorder, orc)
    assert not system.is_spawned(orc)
    assert system.pool(Recorder).capacity == 0
    assert ("destroyed" in orc.log) == (hook == "spawned")
    assert_counts(system)
    if hook == "awake":  # it was never managed: it may be tried again
        orc.acts.clear()
        system.adopt(Recorder, orc)
        assert system.is_spawned(orc)


def test_bad_input_an_instance_that_needs_data_can_not_be_adopted(system: PoolingSystem) -> None:
    class Arrow(Recorder):
        def spawned(self, velocity: object) -> None:  # type: ignore[override]
            self.velocity = velocity

    arrow = Arrow()
    with pytest.raises(TypeError, match="needs velocity="):
        system.adopt(Arrow, arrow)
    assert arrow.log == []
    assert not system.is_spawned(arrow)
    with pytest.raises(NotManagedError):
        system.despawn(arrow)
    assert_counts(system)


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


def test_p08_no_hook_runs_and_what_was_spawned_under_it_lives_on(system: PoolingSystem) -> None:
    orc = system.spawn(Recorder)
    child = system.spawn(Orc, parent=orc)
    system.detach(orc)
    assert orc.log == ["awake", "spawned"]
    assert system.is_spawned(child)
    assert system.despawn(child)
    assert_counts(system)


def test_p08_a_detached_child_does_not_end_with_its_parent(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    child = system.spawn(Recorder, parent=parent)
    system.detach(child)
    system.despawn(parent)
    assert child.log == ["awake", "spawned"]
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


def test_bad_input_only_what_is_active_can_be_detached(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    system.despawn(orc)
    with pytest.raises(PoolError, match="not active"):
        system.detach(orc)
