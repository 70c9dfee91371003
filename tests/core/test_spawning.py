"""Lives begin: where, with what instance, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
)
from recorder import Reasoned, Recorder, assert_counts, notes_of, raising, stats_of


class Orc:
    pass


class Placed(IPoolableComponent):
    def __init__(self) -> None:
        self.pose: tuple[Any, Any] | None = None

    def spawned(self, position: tuple[float, float], rotation: float) -> None:
        self.pose = position, rotation


def test_u02_the_first_available_instance_is_spawned_else_a_new_one(system: PoolingSystem) -> None:
    first, second = system.spawn(Orc), system.spawn(Orc)
    assert first is not second
    system.despawn(second)
    system.despawn(first)
    assert system.spawn(Orc) is second
    assert system.spawn(Orc) is first
    third = system.spawn(Orc)
    assert third not in {first, second}
    assert stats_of(system, Orc).created == 3


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
def test_f04_spawn_with_position_and_rotation_position_alone_or_nothing(
    system: PoolingSystem, given: tuple[Any, ...], pose: object
) -> None:
    for _ in range(2):  # a new instance, then the same once more
        placed = system.spawn(Placed, *given)
        assert placed.pose == pose
        system.despawn(placed)
    assert system.pool(Placed).spawn(*given) is placed
    assert placed.pose == pose


def test_u19_each_component_is_given_what_it_names_alone(system: PoolingSystem) -> None:
    class Fuel(IPoolableComponent):
        def spawned(self, fuel: float = 1.0) -> None:
            self.fuel = fuel

    class Crew(IPoolableComponent):
        def spawned(self, crew: int, position: tuple[float, float]) -> None:
            self.crew, self.position = crew, position

    class Everything(IPoolableComponent):
        def spawned(self, **data: Any) -> None:
            self.data = data

    class Ship(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.fuel = self.add_component(Fuel())
            self.crew = self.add_component(Crew())

        def spawned(self, rotation: float, parent: object) -> None:
            self.seen = rotation, parent

    ship = system.spawn(Ship, (1, 2), 45, crew=3)
    assert (ship.fuel.fuel, ship.crew.crew) == (1.0, 3)
    assert ship.crew.position == (1, 2)
    assert ship.seen == (45, None)
    everything = system.spawn(Everything, (1, 2), fuel=2, crew=4)
    assert everything.data == {"fuel": 2, "crew": 4}
    system.despawn(everything)
    system.spawn(Everything)
    assert everything.data == {}


def test_u19_a_hook_that_takes_any_data_may_name_built_in_data_beside_it(
    system: PoolingSystem,
) -> None:
    class Curious(IPoolableComponent):
        def spawned(self, position: tuple[float, float], **data: Any) -> None:
            self.seen = position, data

        def despawned(self, **data: Any) -> None:
            self.end = data

    curious = system.spawn(Curious, (1, 2), mood="good")
    assert curious.seen == ((1, 2), {"mood": "good"})
    system.despawn(curious)
    assert curious.end == {}


def test_spawn_many_begins_a_life_at_each_position_in_order(system: PoolingSystem) -> None:
    placed = Prefab(Placed, settings=PoolSettings(prespawn=2))
    made = system.spawn_many(placed, iter([(1, 1), (2, 2), (3, 3)]), 90)
    assert [one.pose for one in made] == [((1, 1), 90), ((2, 2), 90), ((3, 3), 90)]
    assert system.spawn_many(placed, []) == []
    assert list(system.pool(placed).active) == made
    assert_counts(system)


def test_k04_try_spawn_does_not_swallow_another_pools_refusal(system: PoolingSystem) -> None:
    full = Prefab(Orc, name="full", settings=PoolSettings(limit=1))
    system.spawn(full)

    class Leader(IPoolableComponent):
        def spawned(self) -> None:
            system.spawn(full)

    with pytest.raises(PoolExhaustedError, match="full is at its limit"):
        system.try_spawn(Leader)
    assert stats_of(system, Leader).destroyed == 1
    assert_counts(system)


def test_k09_a_new_prespawn_is_acted_on_at_the_next_use(system: PoolingSystem) -> None:
    system.prespawn(Orc, 1)
    pool = system.pool(Orc)
    pool.settings = PoolSettings(prespawn=3)
    system.spawn(Orc)
    assert (pool.active_count, pool.inactive_count) == (1, 2)


def test_g03_a_pool_grows_by_larger_steps_on_request_and_never_beyond_its_limit(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, settings=PoolSettings(grow_by=4, limit=6))
    system.spawn(orc)
    pool = system.pool(orc)
    assert (pool.active_count, pool.inactive_count) == (1, 3)
    assert pool.stats.late == 4
    for _ in range(4):
        system.spawn(orc)
    assert pool.capacity == 6
    assert pool.stats.late == 6
    assert pool.stats.reused == 3 + 0


def test_k06_a_life_spawned_under_a_parent_ends_with_it(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    child = system.spawn(Reasoned, parent=parent)
    grandchild = system.spawn(Reasoned, parent=child)
    bystander = system.spawn(Reasoned)
    assert system.despawn(parent)
    assert [system.is_spawned(one) for one in (child, grandchild, bystander)] == [
        False,
        False,
        True,
    ]
    assert [reason.name for reason in child.reasons + grandchild.reasons] == ["PARENT", "PARENT"]
    again = system.spawn(Reasoned)
    assert again in {child, grandchild}
    system.despawn(system.spawn(Orc))
    assert system.is_spawned(again)
    assert_counts(system)


def test_groups_named_as_a_function_are_asked_for_at_each_spawn(system: PoolingSystem) -> None:
    asked: list[int] = []
    fail = False

    def groups() -> list[Any]:
        asked.append(1)
        if fail:
            message = "no groups now"
            raise RuntimeError(message)
        return []

    orc = Prefab(Orc, groups=groups)
    system.prespawn(orc, 1)
    assert asked == []
    first = system.spawn(orc)
    system.despawn(first)
    assert system.spawn(orc) is first
    assert asked == [1, 1]
    system.despawn(first)
    fail = True
    with pytest.raises(RuntimeError, match="no groups now"):
        system.spawn(orc)
    fail = False
    assert system.spawn(orc) is first
    assert stats_of(system, orc).spawned == 3
    assert_counts(system)


def test_bad_input_an_instance_refused_for_its_data_is_woken_and_destroyed(
    system: PoolingSystem,
) -> None:
    made: list[Recorder] = []

    def build() -> Recorder:
        made.append(Recorder())
        made[-1].acts["destroyed"] = raising(RuntimeError("worse"))
        return made[-1]

    with pytest.raises(TypeError) as caught:
        system.spawn(build, color="green")
    assert made[0].log == ["awake", "destroyed"]
    assert "worse" in notes_of(caught.value)
    assert not system.is_spawned(made[0])
    assert_counts(system)
