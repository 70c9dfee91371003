"""Rows of the feature list that pools keep: limits, budgets, discards, listeners, names, loans."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any, cast

import pygame
import pytest

from poolkit import (
    Budget,
    Exceed,
    IPoolableComponent,
    NotManagedError,
    ObjectPool,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    RecycleOldest,
)
from poolkit.scenes import Scene, SceneManager
from recorder import Recorder, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Callable


class Orc(Recorder):
    """A plain instance."""


def prefab_of(**settings: Any) -> Prefab[Orc]:
    return Prefab(Orc, settings=PoolSettings(**settings))


@pytest.fixture
def frames() -> PoolingSystem:
    """Return a system that is updated, so that what dies waits for the next frame."""
    system = PoolingSystem()
    system.update(0.1)
    return system


# -- P14, P15, P18: how many -----------------------------------------------------------------------


def test_p14_max_idle_is_no_limit_of_lives_and_holds_between_frames(frames: PoolingSystem) -> None:
    prefab = prefab_of(max_idle=2, limit=4)
    frames.spawn_many(prefab, [(0, 0)] * 4)
    assert frames.try_spawn(prefab) is None
    frames.despawn_all(prefab)
    assert frames.pool(prefab).inactive_count == 2
    frames.update(0.1)
    assert frames.pool(prefab).inactive_count == 2
    frames.pool(prefab).settings = PoolSettings(max_idle=0)
    assert frames.pool(prefab).capacity == 0


def test_p15_a_budget_limits_the_lives_of_all_prefabs_that_share_it(system: PoolingSystem) -> None:
    budget = Budget(3)
    spark, smoke = prefab_of(budget=budget), prefab_of(budget=budget)
    sparks = system.spawn_many(spark, [(0, 0)] * 2)
    system.spawn(smoke)
    assert repr(budget) == "<Budget(3 of 3)>"
    with pytest.raises(PoolExhaustedError):
        system.spawn(smoke)
    assert system.try_spawn(spark) is None
    system.despawn(sparks[0])
    assert system.try_spawn(smoke) is not None
    system.reset()
    assert repr(budget) == "<Budget(0 of 3)>"


def test_p15_a_full_budget_chooses_among_the_lives_of_all(frames: PoolingSystem) -> None:
    budget = Budget(2)
    spark = prefab_of(budget=budget, overflow=RecycleOldest())
    smoke = prefab_of(budget=budget, overflow=RecycleOldest())
    oldest, second = frames.spawn(spark), frames.spawn(smoke)
    third = frames.spawn(smoke)
    assert not frames.is_spawned(oldest)
    assert frames.is_spawned(second)
    assert frames.is_spawned(third)
    assert frames.pool(spark).stats.recycled + frames.pool(smoke).stats.recycled == 1
    frames.spawn(spark, reclaimable=False)
    frames.spawn(spark)
    assert (frames.pool(spark).active_count, frames.pool(smoke).active_count) == (2, 0)
    assert_counts(frames)


def test_p15_bad_input_a_budget_below_zero_or_shared_between_systems(
    system: PoolingSystem,
) -> None:
    for wrong in (-1, 2.5, None):
        with pytest.raises((TypeError, ValueError), match="Budget"):
            Budget(cast("Any", wrong))
    prefab = prefab_of(budget=Budget(2))
    system.spawn(prefab)
    with pytest.raises(PoolError, match="another pooling system's"):
        PoolingSystem().spawn(prefab)


def test_p18_a_limit_of_0_switches_an_effect_off(system: PoolingSystem) -> None:
    prefab = prefab_of(limit=0)
    assert system.try_spawn(prefab) is None
    with pytest.raises(PoolExhaustedError):
        system.spawn(prefab)
    assert (system.prespawn(prefab, 5), system.pool(prefab).capacity) == (0, 0)
    system.pool(prefab).settings = PoolSettings(limit=1)
    assert system.try_spawn(prefab)
    nothing = prefab_of(limit=0, overflow=RecycleOldest())
    assert system.try_spawn(nothing) is None


# -- P16: discard ----------------------------------------------------------------------------------


def test_p16_discard_ends_a_life_and_destroys_the_instance(system: PoolingSystem) -> None:
    orc = system.spawn(Orc)
    assert system.discard(orc)
    assert orc.log == ["awake", "spawned", "despawned", "destroyed"]
    assert not system.discard(orc)
    assert system.pool(Orc).capacity == 0
    assert system.spawn(Orc) is not orc
    with pytest.raises(NotManagedError):
        system.discard(Orc())


@pytest.mark.parametrize("hook", ["spawned", "despawned"])
@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_p16_discard_from_inside_its_own_hooks(hook: str, reuse: Any) -> None:
    system = PoolingSystem()
    system.configure(reuse=reuse)
    prefab = Prefab(Orc)
    orc = system.spawn(prefab)
    answers: list[bool] = []
    system.despawn(orc)
    system.update(0.1)
    orc.acts[hook] = lambda: answers.append(system.discard(orc))
    assert system.spawn(prefab) is orc
    system.despawn(orc)
    assert answers == [hook == "spawned"]
    assert orc.log[-2:] == ["despawned", "destroyed"]
    assert system.pool(prefab).capacity == 0
    assert_counts(system)


# -- P17: listeners --------------------------------------------------------------------------------


def test_p17_listeners_hear_of_each_life_after_spawned_and_before_despawned(
    system: PoolingSystem,
) -> None:
    prefab = Prefab(Orc)
    pool, heard = system.pool(prefab), cast("list[object]", [])
    is_fast = pool._ends_fast
    remove = [
        pool.on_spawn(lambda orc: heard.append(("spawn", orc.log[-1]))),
        pool.on_despawn(lambda orc: heard.append(("despawn", orc.log[-1]))),
    ]
    system.despawn(system.spawn(prefab))
    assert heard == [("spawn", "spawned"), ("despawn", "spawned")]
    for each in remove * 2:
        each()
    system.despawn(system.spawn(prefab))
    assert len(heard) == 2
    assert pool._ends_fast is is_fast  # free while unused


# -- P19, X05: names and scenes --------------------------------------------------------------------


def test_p19_another_prefab_takes_over_a_name_once_the_pool_is_empty(system: PoolingSystem) -> None:
    first, second = Prefab(Orc, name="orc"), Prefab(Orc, name="orc")
    orc = system.spawn(first)
    with pytest.raises(PrefabError, match="'orc'"):
        system.spawn(second)
    system.discard(orc)
    system.spawn(second)
    assert system.pool("orc").prefab is second
    with pytest.raises(PrefabError, match="'orc'"):
        system.spawn(first)
    system.reset()
    system.spawn(first)
    assert system.pool("orc") is system.pool(first)


class Level(Scene):
    """Makes its prefabs when it begins, of functions that know the scene."""

    def __init__(self, system: PoolingSystem, made: list[weakref.ref[Any]]) -> None:
        self.system = system
        self.made = made

    def enter(self) -> None:
        def build() -> Orc:
            orc = Orc()
            orc.acts["despawned"] = self.note
            return orc

        self.deaths = 0
        self.orc = Prefab(build, name="orc", settings=PoolSettings(prespawn=2))
        self.made += map(weakref.ref, (self.orc, build, self))
        orcs = [self.system.spawn(self.orc), self.system.spawn("orc")]
        self.system.scope(orcs[0]).after(9, self.note)
        self.system.despawn(orcs[1])

    def note(self) -> None:
        self.deaths += 1


@pytest.mark.parametrize("is_updated", [False, True])
def test_x05_a_scene_that_makes_its_own_prefabs_loads_many_times_and_leaves_nothing(
    *, is_updated: bool
) -> None:
    system = PoolingSystem()
    manager, made = SceneManager(system), cast("list[weakref.ref[Any]]", [])
    manager.load(Level(system, made))
    gc.disable()
    try:
        for _ in range(5):
            if is_updated:
                system.update(0.1)
            manager.load(Level(system, made))
            assert [ref() is None for ref in made] == [True] * (len(made) - 3) + [False] * 3
    finally:
        gc.enable()
    assert [pool.name for pool in system.all_pools()] == ["orc"]
    system.dispose()
    assert system.all_pools() == ()


def test_13_4_persistent_prefabs_keep_what_rests_and_a_pool_that_is_held_stays_valid(
    system: PoolingSystem,
) -> None:
    hero, orc = Prefab(Orc, name="hero", persistent=True), Prefab(Orc, name="orc")
    pool = system.pool(orc)
    pool.settings = PoolSettings(limit=3)
    system.prespawn(hero, 2)
    system.despawn(system.spawn(orc))
    system.reset()
    system.reset()
    assert system.pool(hero).inactive_count == 2
    assert pool.capacity == 0
    assert pool.spawn().log == ["awake", "spawned"]
    assert system.pool(orc) is pool
    assert pool.settings.limit == 3


# -- P20: object pools -----------------------------------------------------------------------------


def test_p20_a_closed_object_pool_lends_nothing_and_destroys_what_comes_back() -> None:
    ended: list[object] = []
    pool = ObjectPool(lambda: [0], destroy=ended.append)
    out, other = pool.get(), pool.get()
    pool.release(other)
    pool.close()
    assert ended == [other]
    assert not pool.has_available
    for call in (pool.get, pool.try_get):
        with pytest.raises(PoolError, match="closed"):
            call()
    pool.release(out)
    assert ended == [other, out]
    pool.close()
    assert pool.capacity == 0


# -- P21: not in the frame of its death ------------------------------------------------------------


class Rock(IPoolableComponent):
    """Splits in two, like every asteroid: it dies first, then spawns its halves."""

    system: PoolingSystem

    def spawned(self, size: int = 8) -> None:
        self.size = size

    def split(self, prefab: Prefab[Rock]) -> list[Rock]:
        self.system.despawn(self)
        return [self.system.spawn(prefab, size=self.size // 2) for _ in range(2)]


def test_p21_a_rock_that_splits_never_gets_itself_back(frames: PoolingSystem) -> None:
    Rock.system = frames
    prefab = Prefab(Rock)
    rock = frames.spawn(prefab)
    halves = rock.split(prefab)
    assert rock not in halves
    assert [half.size for half in halves] == [4, 4]
    frames.update(0.1)
    assert frames.spawn(prefab) is rock


def test_p21_a_pool_at_its_limit_builds_nothing_in_the_steady_state(frames: PoolingSystem) -> None:
    prefab = prefab_of(limit=6, prespawn=6, overflow=RecycleOldest())
    pool = frames.pool(prefab)
    for frame in range(50):
        for number in range(9):
            orc = frames.spawn(prefab)
            if number % 3 == 0:
                frames.despawn(orc)
        frames.update(0.1)
        if frame == 3:
            created = pool.stats.created
    assert pool.stats.created == created
    assert pool.stats.destroyed == 0
    assert pool.active_count <= 6
    assert pool.capacity <= 6 + 9


# -- mended on the way (issue 10, 5) and by hostile testing (issue 12) -----------------------------


@pytest.mark.parametrize("is_fast", [True, False])
def test_10_a_reset_inside_remove_internal_of_a_group_is_refused(*, is_fast: bool) -> None:
    system, answers = PoolingSystem(), cast("list[str]", [])

    class Group(pygame.sprite.Group[Any]):
        def remove_internal(self, sprite: Any) -> None:
            super().remove_internal(sprite)
            with pytest.raises(PoolError, match="inside a hook") as caught:
                system.reset()
            answers.append(str(caught.value))

    prefab = Prefab(pygame.sprite.Sprite, groups=[Group()])
    pool = system.pool(prefab)
    if not is_fast:
        pool.on_despawn(lambda _: None)
    sprite = system.spawn(prefab)
    answers.clear()
    system.despawn(sprite)
    assert len(answers) == 1
    assert pool.inactive_count == 1


class Stop(BaseException):
    """As `KeyboardInterrupt` is: no `Exception`."""


@pytest.mark.parametrize("pooling", [True, False])
def test_12_6_what_destroyed_raises_loses_nothing_of_a_batch_that_is_rolled_back(
    system: PoolingSystem, *, pooling: bool
) -> None:
    built: list[Orc] = []

    def build() -> Orc:
        orc = Orc()
        orc.acts["destroyed"] = raising(Stop("destroyed"))
        if len(built) == 2:
            orc.acts["spawned"] = raising(ValueError("spawned"))
        built.append(orc)
        return orc

    prefab = Prefab(build, pooling=pooling)
    with pytest.raises(BaseExceptionGroup):
        system.spawn_many(prefab, [(0, 0)] * 5)
    pool = system.pool(prefab)
    assert pool.active_count == 0
    assert pool.inactive_count == len(pool.inactive) == (4 if pooling else 0)  # none is lost
    assert_counts(system)
    if pooling:
        with pytest.raises(BaseExceptionGroup, match="dispose"):
            system.dispose()
    assert not system._records
    assert [orc.log.count("destroyed") for orc in built] == [1] * 5


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_12_8_a_reset_keeps_nothing_that_destroyed_hooks_spawned_and_killed(reuse: Any) -> None:
    system = PoolingSystem()
    system.configure(reuse=reuse)
    other, prefab = Prefab(Orc, name="other"), Prefab(Orc, name="orc")
    orc = system.spawn(prefab)
    orc.acts["destroyed"] = lambda: system.despawn(system.spawn(other))
    system.reset()
    assert not system._records
    assert system.all_pools() == ()


@pytest.mark.parametrize("seconds", [1e-300, 5e-324, 1e-12])
def test_12_15_every_next_to_no_time_does_not_hang_an_update(
    system: PoolingSystem, seconds: float
) -> None:
    calls: list[int] = []
    every: Callable[..., object] = system.scope(system.spawn(Orc)).every
    try:
        every(seconds, lambda: calls.append(1))
    except ValueError as error:
        assert "every" in str(error)  # noqa: PT017 - refused, or bounded: both end
    else:
        system.update(1 / 60)
        assert 1 <= len(calls) < 100_000


def test_10_a_loan_that_ends_inside_its_own_activate_is_deactivated_once() -> None:
    calls: list[str] = []

    def activate(bat: Any) -> None:
        calls.append("activate")
        pool.release(bat)

    pool = ObjectPool(
        lambda: ["bat"], activate=activate, deactivate=lambda _: calls.append("deactivate")
    )
    pool.prespawn(1)
    assert calls == ["deactivate"]  # it never rests active
    pool.get()
    assert calls == ["deactivate", "activate", "deactivate"]
    assert (pool.active_count, len(pool.inactive)) == (0, 1)


def test_13_14_a_soft_limit_that_is_exceeded_for_long_builds_nothing(system: PoolingSystem) -> None:
    prefab = prefab_of(limit=100, overflow=Exceed())
    system.spawn_many(prefab, [(0, 0)] * 150)
    pool = system.pool(prefab)
    for _ in range(1000):
        system.despawn(next(iter(pool.active)))
        system.spawn(prefab)
    assert pool.stats.created == 150
