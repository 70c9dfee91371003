"""Lives begin and end: where, with what data, made beforehand, taken in, let go, until when."""

from __future__ import annotations

import gc
import inspect
import time
import weakref
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pygame
import pytest

from poolkit import (
    Budget,
    IPoolableComponent,
    NotManagedError,
    PooledSprite,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
    Progress,
    RecycleOldest,
    Refuse,
)
from recorder import Orc, Recorder, assert_counts, raising


class Placed(IPoolableComponent):
    def __init__(self) -> None:
        self.pose: tuple[Any, Any] | None = None

    def spawned(self, position: tuple[float, float], rotation: float) -> None:
        self.pose = position, rotation


# -- with what -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "pose"),
    [
        ((), ((0, 0), 0)),
        (((3, 4),), ((3, 4), 0)),
        (((3.5, -4), 90), ((3.5, -4), 90)),
        (([1, 2], -450.0), ((1, 2), -450.0)),
        (((1e308, 1e308), 1e308), ((1e308, 1e308), 1e308)),
        (((Decimal("1.5"), Decimal(2)),), ((1.5, 2), 0)),
    ],
)
def test_spawn_with_position_and_rotation_position_alone_or_nothing(
    system: PoolingSystem, given: tuple[Any, ...], pose: object
) -> None:
    for _ in range(2):  # a new instance, then the same once more
        placed = system.spawn(Placed, *given)
        assert placed.pose == pose
        system.despawn(placed)
    assert system.pool(Placed).spawn(*given) is placed
    assert placed.pose == pose


@pytest.mark.parametrize("pose", [((1,), 0), (3, 0), ((1, "x"), 0), ((float("nan"), 1), 0)])
def test_bad_input_what_is_no_place_or_not_finite_begins_no_life(
    system: PoolingSystem, pose: tuple[Any, Any]
) -> None:
    with pytest.raises((TypeError, ValueError), match=r"a position .* (two numbers|finite)"):
        system.spawn(Placed, *pose)
    assert system.pool(Placed).active_count == 0


def test_spawn_many_begins_a_life_at_each_position_in_order(system: PoolingSystem) -> None:
    placed = Prefab(Placed, settings=PoolSettings(prespawn=2))
    made = system.spawn_many(placed, iter([(1, 1), (2, 2), (3, 3)]), 90)
    assert [one.pose for one in made] == [((1, 1), 90), ((2, 2), 90), ((3, 3), 90)]
    assert list(system.pool(placed).active) == made


def noted(hook: Any) -> Any:
    """Wrap a hook, as decorators do, and show its signature."""

    def call(self: Any, **data: Any) -> None:
        hook(self, **data)

    call.__signature__ = inspect.signature(hook)  # type: ignore[attr-defined]
    return call


def test_hooks_get_a_place_as_it_was_given_in_each_life(system: PoolingSystem) -> None:
    class Tile(IPoolableComponent):
        def spawned(self, position: tuple[int, int]) -> None:
            self.seen = position

    tiles = [system.spawn(Tile, (3, 4)), *system.spawn_many(Tile, [(5, 6)])]
    assert {type(number) for tile in tiles for number in tile.seen} == {int}


def test_each_component_is_given_what_it_names_alone(system: PoolingSystem) -> None:
    class Fuel(IPoolableComponent):
        def spawned(self, fuel: float = 1.0) -> None:
            self.seen = fuel

    class Crew(IPoolableComponent):
        @noted
        def spawned(self, crew: int, position: tuple[float, float]) -> None:
            self.seen = crew, position

    class Everything(IPoolableComponent):
        def spawned(self, position: tuple[float, float], **data: Any) -> None:
            self.seen = position, data

        def despawned(self, **data: Any) -> None:
            self.end = data

    class Ship(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.parts: list[Any] = [*map(self.add_component, (Fuel(), Crew(), Everything()))]

        def spawned(self, rotation: float, parent: object) -> None:
            self.seen = rotation, parent

    for fuel, given in ((1.0, {"crew": 3}), (2.0, {"crew": 3, "fuel": 2.0})):
        data: dict[str, Any] = dict(given)
        ship = system.spawn(Ship, (1, 2), 45, **data)
        assert [part.seen for part in ship.parts] == [fuel, (3, (1, 2)), ((1, 2), given)]
        assert ship.seen == (45, None)
        ship.kill()
        assert ship.parts[2].end == {}


def test_bad_input_an_instance_refused_for_its_data_is_woken_and_destroyed(
    system: PoolingSystem,
) -> None:
    one = Recorder()
    one.acts["destroyed"] = raising(RuntimeError("worse"))
    with pytest.raises(ExceptionGroup) as caught:
        system.spawn(Prefab(lambda: one), color="green")
    assert one.log == ["awake", "destroyed"]
    refused, worse = caught.value.exceptions
    assert "color" in str(refused)
    assert str(worse) == "worse"
    assert not system.is_spawned(one)
    assert_counts(system)


def test_try_spawn_does_not_swallow_another_pools_refusal(system: PoolingSystem) -> None:
    full = Prefab(Orc, name="full", settings=PoolSettings(limit=1))
    system.spawn(full)

    leader = Recorder()
    leader.acts["spawned"] = lambda: system.spawn(full)
    prefab = Prefab(lambda: leader)
    with pytest.raises(PoolExhaustedError, match="full is at its limit"):
        system.try_spawn(prefab)
    assert system.pool(prefab).stats.destroyed == 1
    assert_counts(system)


# -- until when ------------------------------------------------------------------------------------


def test_without_pooling_each_life_is_built_and_destroyed_and_the_capacity_calls_make_nothing(
    system: PoolingSystem,
) -> None:
    fake = Prefab(Recorder, pooling=False, settings=PoolSettings(prespawn=2))
    pool = system.pool(fake)
    made = [system.prespawn(fake, 3), pool.increase_capacity(3), pool.trim(0), pool.clear()]
    assert made == [0] * 4
    assert list(system.prewarm({fake: 6}, budget_ms=1000)) == [Progress(0, 0)]
    one = system.spawn(fake)
    system.despawn(one)
    assert one.log == ["awake", "spawned", "despawned", "destroyed"]
    assert (pool.capacity, pool.stats.created) == (0, 1)


def test_a_delayed_despawn_can_be_called_off_and_is_by_the_end_of_the_life(
    system: PoolingSystem,
) -> None:
    orc = system.spawn(Orc)
    call_off = system.despawn_after(orc, 1.0)
    call_off()
    call_off()
    system.update(2.0)
    assert system.is_spawned(orc)
    system.despawn_after(orc, 1.0)
    system.despawn(orc)
    assert system.spawn(Orc) is orc
    system.update(2.0)
    assert system.is_spawned(orc)


# -- what was not needed ---------------------------------------------------------------------------


def update_for(system: PoolingSystem, seconds: int) -> None:
    for _ in range(seconds * 10):
        system.update(0.1)


def test_what_was_not_needed_for_a_while_is_destroyed_a_few_at_a_time(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, settings=PoolSettings(prespawn=3, trim_after=10))
    pool = system.pool(orc)
    system.spawn_many(orc, [(0, 0)] * 30)
    system.despawn_all(orc)
    update_for(system, 19)  # it needed 30 in the first ten seconds
    assert pool.capacity == 30
    update_for(system, 2)
    assert 3 < pool.capacity < 30
    update_for(system, 5)
    assert pool.capacity == 3
    assert_counts(system)


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_what_was_needed_within_the_time_is_kept(system: PoolingSystem, reuse: Any) -> None:
    system.configure(reuse=reuse)
    orc = Prefab(Orc, settings=PoolSettings(trim_after=5))
    pool = system.pool(orc)
    pool.increase_capacity(20)
    for _ in range(12):
        for _ in range(2):
            system.spawn_many(orc, [(0, 0)] * 4)
            system.despawn_all(orc)
        update_for(system, 1)
        assert pool.stats.late == 0  # reading figures must not put off the trimming
    assert pool.capacity == (4 if reuse == "at_once" else 8)
    assert pool.stats.late == 0


# -- prespawn -----------------------------------------------------------------------------------


def test_a_prefab_is_prespawned_when_registered_first_used_or_given_settings(
    system: PoolingSystem,
) -> None:
    settings = PoolSettings(prespawn=3)
    registered, spawned, asked = (Prefab(Orc, settings=settings) for _ in range(3))
    system.register(registered)
    system.spawn(spawned)
    assert system.prespawn(asked) == 3
    counts = [(pool.active_count, pool.inactive_count) for pool in system.all_pools()]
    assert counts == [(0, 3), (1, 2), (0, 3)]
    assert system.pool(spawned).stats.late == 0
    system.prespawn(registered, 5)
    assert system.pool(registered).inactive_count == 5
    system.pool(spawned).settings = PoolSettings(prespawn=7)
    system.spawn(spawned)  # the next use
    assert (system.pool(spawned).active_count, system.pool(spawned).inactive_count) == (2, 6)


def test_what_is_made_beforehand_is_made_with_the_collector_off(system: PoolingSystem) -> None:
    was_enabled: list[bool] = []

    class Orc:
        def __init__(self) -> None:
            was_enabled.append(gc.isenabled())
            if len(was_enabled) == 6:
                raise ValueError

    def prewarm() -> None:
        for _ in system.prewarm({Orc: 4}, budget_ms=0):
            assert gc.isenabled()

    system.prespawn(Orc, 2)
    prewarm()
    with pytest.raises(ValueError):  # noqa: PT011 - the factory's own
        system.pool(Orc).increase_capacity(9)
    assert gc.isenabled()
    assert not any(was_enabled)
    assert len(was_enabled) == 6


def test_prespawning_waits_before_it_starts_and_makes_a_few_an_update(
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


@pytest.mark.parametrize(
    ("rate", "made"),
    [(0.5, [0, 1, 1, 2, 2, 3, 3]), (0.1, [0] * 9 + [1] * 10 + [2]), (1.5, [1, 3, 3])],
)
def test_a_fraction_is_prespawned_every_few_updates(
    system: PoolingSystem, rate: float, made: list[int]
) -> None:
    pool = system.pool(Prefab(Orc, settings=PoolSettings(prespawn=3, prespawn_per_update=rate)))
    for turn in range(2):
        counts = []
        for _ in made:
            system.update(0.1)
            counts.append(pool.inactive_count)
        assert counts == made, turn
        system.reset()  # from the next use on, the same again
        system.register(pool.prefab)


@pytest.mark.parametrize("changed", ["imp", "orc"])
def test_settings_that_a_factory_assigns_hold_for_what_is_prespawned_next(
    system: PoolingSystem, changed: str
) -> None:
    def change() -> Orc:
        if assigned:
            system.pool(changed).settings = assigned.pop()
            system.register(prefabs[changed])  # its next use
        return Orc()

    slow = PoolSettings(prespawn=9, prespawn_per_update=1)
    assigned: list[PoolSettings] = []
    prefabs = {name: Prefab(change, name=name, settings=slow) for name in ("imp", "orc")}
    for prefab in prefabs.values():
        system.register(prefab)
    system.update(0.1)
    assigned.append(PoolSettings(prespawn=9, prespawn_per_update=3))
    system.update(0.1)  # the imps' factory assigns them
    before = system.pool(changed).inactive_count
    system.update(0.1)
    assert system.pool(changed).inactive_count == before + 3


@pytest.mark.parametrize("per_update", [None, 1])
def test_a_factory_that_fails_stops_no_other_and_is_asked_again(
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


def test_prewarm_spends_its_budget_in_each_frame_until_it_is_closed(
    system: PoolingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]  # in milliseconds
    monkeypatch.setattr(time, "perf_counter", lambda: now[0] / 1000)

    def build() -> Orc:
        now[0] += 1.5
        return Orc()

    orc, few = Prefab(build), Prefab(build, settings=PoolSettings(max_idle=2))
    # At least one in a frame, and none beyond what may rest.
    steps = list(system.prewarm({few: 8, Orc: 1}, budget_ms=0))
    assert steps == [Progress(1, 3), Progress(2, 3), Progress(3, 3)]
    warm = system.prewarm({orc: 20}, budget_ms=4)
    assert system.pool(orc).capacity == 0
    for done in (3, 6, 9):
        assert next(warm) == Progress(done, 20)
        now[0] += 16
    assert next(warm).fraction == 0.6
    warm.close()
    assert list(warm) == []
    assert system.pool(orc).inactive_count == 12
    assert system.pool(orc).stats.late == 0


# -- adopt and detach ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Orc, Recorder, PooledSprite])
def test_what_is_detached_is_alive_and_the_games_and_may_be_adopted_again(
    system: PoolingSystem, kind: type[Any]
) -> None:
    instance = system.spawn(kind)
    handle = system.handle(instance)
    undone: list[int] = []
    system.scope(instance).callback(lambda: undone.append(1))
    system.scope(instance).callback(raising(RuntimeError("undo")))
    with pytest.raises(RuntimeError, match="undo"):
        system.detach(instance)
    assert undone == [1]
    assert not handle
    assert not system.is_spawned(instance)
    for call in (system.despawn, system.handle, system.scope, system.detach):
        with pytest.raises(NotManagedError):
            call(instance)
    stats = system.pool(kind).stats
    assert (stats.created, stats.destroyed, stats.despawned) == (1, 1, 0)
    system.adopt(kind, instance)
    assert system.handle(instance).get() is instance
    stats = system.pool(kind).stats
    assert (stats.created, stats.active, stats.spawned, stats.late, stats.reused) == (2, 1, 2, 1, 0)
    assert system.despawn(instance)
    assert system.spawn(kind) is instance
    assert_counts(system)


class Bishop(PooledSprite):
    """A sprite with a part."""

    def __init__(self) -> None:
        super().__init__()
        self.hat = self.add_child(PooledSprite(), (0, -5))


def test_a_policy_decides_about_what_is_adopted_as_about_a_spawn(system: PoolingSystem) -> None:
    group = pygame.sprite.Group[Any]()
    settings = PoolSettings(limit=1, max_idle=0)
    refusing, recycling = (
        Prefab(PooledSprite, settings=replace(settings, overflow=policy))
        for policy in (Refuse(), RecycleOldest())
    )
    for prefab in (refusing, recycling):
        first, sprite = system.spawn(prefab), PooledSprite(None, group)
        with pytest.raises(PrefabError, match="already"):
            system.adopt(prefab, first)  # which ends no other life
        assert first.active
        with pytest.raises(PoolExhaustedError) if prefab is refusing else nullcontext():
            system.adopt(prefab, sprite)
        assert (first.active, sprite.prefab) == (
            (True, None) if prefab is refusing else (False, prefab)
        )
        assert sprite in group
        pool = system.pool(prefab)
        assert (pool.capacity, pool.active_count, pool.inactive_count) == (1, 1, 0)


# -- where -----------------------------------------------------------------------------------------


class Told(PooledSprite):
    """Notes where it begins."""

    def spawned(self, position: tuple[float, float]) -> None:
        self.told = position


class ToldObject(IPoolableComponent):
    """The same, and is nowhere."""

    def spawned(self, position: tuple[float, float]) -> None:
        self.told = position


class Rock(pygame.sprite.Sprite):
    """A sprite of pygame's own."""

    def __init__(self) -> None:
        super().__init__()
        self.rect = pygame.Rect(0, 0, 4, 4)


@pytest.mark.parametrize("child", [Told, ToldObject])
@pytest.mark.parametrize("is_at_rest", [False, True])
@pytest.mark.parametrize("more", [{}, {"groups": ()}, {"reclaimable": False}])
def test_what_is_spawned_under_a_parent_and_at_no_position_is_where_the_parent_is(
    system: PoolingSystem, child: Any, more: dict[str, Any], *, is_at_rest: bool
) -> None:
    bishop, rock, nowhere = system.spawn(Bishop, (7, 8)), system.spawn(Rock, (5, 6)), Orc()
    system.adopt(Orc, nowhere)
    bishop.position = (30.5, 40)
    bishop.hat.position = (31, 35)
    parents: list[tuple[Any, tuple[float, float]]] = [
        *((bishop, (30.5, 40)), (bishop.hat, (31, 35)), (rock, (5, 6)), (nowhere, (0, 0))),
        (None, (0, 0)),
    ]
    system.prespawn(child, 2 * len(parents) * is_at_rest)
    for parent, place in parents:
        one = system.spawn(child, parent=parent, **more)
        assert one.told == place
        assert child is ToldObject or one.position == place
        assert system.pool(child).spawn(parent=parent, **more).told == place
        assert system.spawn(child, (0.0, 0.0), parent=parent, **more).told == (0, 0)
        assert system.spawn_many(child, [(1, 2)], parent=parent, **more)[0].told == (1, 2)


def test_what_was_detached_keeps_no_groups_of_the_scene_it_came_from(
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


def test_an_awake_hook_may_give_the_pool_a_budget_while_its_first_life_begins() -> None:
    system, budget = PoolingSystem(), Budget(2)
    shared = PoolSettings(budget=budget, overflow=RecycleOldest())

    class Sleeper(PooledSprite):
        def awake(self) -> None:
            system.pool(sleepers).settings = shared

    sleepers = Prefab(Sleeper, awake_on_first_spawn=True)
    others = Prefab(PooledSprite, settings=shared)
    oldest = system.spawn(others)
    system.prespawn(sleepers, 1)
    first = system.spawn(sleepers)
    second = system.spawn(others)
    assert second is oldest  # recycled
    assert first.active
    system.spawn(others)
    assert not first.active


def test_a_parent_that_dies_as_the_groups_are_found_is_refused_before_the_life_begins() -> None:
    system = PoolingSystem()
    parent = system.spawn(PooledSprite)

    is_fatal = False

    def groups() -> tuple[()]:
        if is_fatal:
            parent.kill()
        return ()

    child = Prefab(PooledSprite, groups=groups)
    at_rest = system.spawn(child)
    at_rest.kill()
    is_fatal = True
    with pytest.raises(PoolError, match="whose life is over"):
        system.spawn(child, parent=parent)
    assert [record.instance for record in system.pool(child).inactive] == [at_rest]
