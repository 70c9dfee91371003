"""Lives begin: where, with what instance, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from poolkit import (
    IPoolableComponent,
    NotManagedError,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
)
from recorder import Reasoned, Recorder, assert_counts, notes_of, raising, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable


class Orc:
    pass


class Placed(IPoolableComponent):
    def __init__(self) -> None:
        self.pose: tuple[Any, Any] | None = None

    def spawned(self, position: tuple[float, float], rotation: float) -> None:
        self.pose = position, rotation


class Arrow(IPoolableComponent):
    def __init__(self) -> None:
        self.velocity = (0, 0)
        self.log: list[object] = []

    def spawned(self, velocity: tuple[int, int], target: object = None) -> None:
        self.velocity = velocity
        self.log.append(target)


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


def test_g02_last_in_first_out_on_request(system: PoolingSystem) -> None:
    orc = Prefab(Orc, settings=PoolSettings(order="lifo"))
    first, second = system.spawn(orc), system.spawn(orc)
    system.despawn(second)
    system.despawn(first)
    assert system.spawn(orc) is first


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


def test_u02_spawn_without_a_position_places_a_sprite_at_the_origin(system: PoolingSystem) -> None:
    sprite = system.spawn(PooledSprite, (5, 6), 30)
    sprite.kill()
    assert system.spawn(PooledSprite) is sprite
    assert sprite.position == (0, 0)
    assert sprite.rotation == 0


def test_u19_custom_data_reaches_the_hooks_that_name_it(system: PoolingSystem) -> None:
    arrow = system.spawn(Arrow, (1, 2), velocity=(3, 4), target="orc")
    assert arrow.velocity == (3, 4)
    assert arrow.log == ["orc"]
    system.despawn(arrow)
    assert system.spawn(Arrow, velocity=(5, 6)) is arrow
    assert arrow.velocity == (5, 6)
    assert arrow.log == ["orc", None]


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


def test_spawn_many_hands_its_data_to_each(system: PoolingSystem) -> None:
    arrows = system.spawn_many(Arrow, [(0, 0)] * 3, velocity=(1, 0))
    assert [arrow.velocity for arrow in arrows] == [(1, 0)] * 3
    assert len(set(map(id, arrows))) == 3


def test_p06_spawn_many_is_all_or_none_where_the_policy_refuses(system: PoolingSystem) -> None:
    orc = Prefab(Recorder, settings=PoolSettings(limit=3))
    first = system.spawn(orc)
    with pytest.raises(PoolExhaustedError):
        system.spawn_many(orc, [(0, 0)] * 3)
    assert list(system.pool(orc).active) == [first]
    assert stats_of(system, orc).spawned == 1
    assert stats_of(system, orc).refused == 1
    assert_counts(system)
    rest = system.spawn_many(orc, [(0, 0)] * 2)
    assert len(rest) == 2
    assert [one.log for one in rest] == [["awake", "spawned"]] * 2
    assert_counts(system)


def test_p06_a_refused_spawn_many_blocks_nothing_where_nothing_is_pooled(
    system: PoolingSystem,
) -> None:
    orc = Prefab(Orc, pooling=False, settings=PoolSettings(limit=2))
    with pytest.raises(PoolExhaustedError):
        system.spawn_many(orc, [(0, 0)] * 3)
    assert system.pool(orc).capacity == 0
    assert len(system.spawn_many(orc, [(0, 0)] * 2)) == 2
    assert_counts(system)


def test_p10_what_a_hook_makes_late_while_the_pool_grows_is_counted_too(
    system: PoolingSystem,
) -> None:
    class Family(IPoolableComponent):
        count = 0

        def awake(self) -> None:
            Family.count += 1
            if Family.count == 2:
                system.spawn(family)

    family = Prefab(Family, settings=PoolSettings(grow_by=2))
    system.spawn(family)
    assert Family.count == stats_of(system, family).late == 4
    assert_counts(system)


@pytest.mark.parametrize("order", ["fifo", "lifo"])
def test_p06_a_refused_spawn_many_leaves_the_queue_in_order(
    system: PoolingSystem, order: Any
) -> None:
    orc = Prefab(Orc, settings=PoolSettings(limit=3, order=order))
    made = system.spawn_many(orc, [(0, 0)] * 3)
    system.despawn_all(orc)
    with pytest.raises(PoolExhaustedError):
        system.spawn_many(orc, [(0, 0)] * 4)
    expected = made if order == "fifo" else made[::-1]
    assert [system.spawn(orc) for _ in range(3)] == expected
    assert_counts(system)


def test_order4_a_hook_that_raises_in_spawn_many_despawns_those_already_made(
    system: PoolingSystem,
) -> None:
    class Third(Reasoned):
        count = 0

        def spawned(self) -> None:
            Third.count += 1
            if Third.count == 3:
                message = "third"
                raise RuntimeError(message)

    third = Prefab(Third, settings=PoolSettings(prespawn=4))
    with pytest.raises(RuntimeError, match="third"):
        system.spawn_many(third, [(0, 0)] * 4)
    stats = stats_of(system, third)
    assert (stats.active, stats.inactive, stats.destroyed) == (0, 3, 1)
    assert (stats.spawned, stats.despawned) == (3, 3)
    assert_counts(system)


def test_order4_spawn_many_never_ends_a_later_life_of_those_it_made(system: PoolingSystem) -> None:
    class Restless(IPoolableComponent):
        made: list[Any] = []  # noqa: RUF012 - the scene of this test

        def spawned(self) -> None:
            self.made.append(self)
            if len(self.made) == 2:
                system.despawn(self.made[0])
                assert system.spawn(Restless) is self.made[0]
                message = "second"
                raise RuntimeError(message)

    system.pool(Restless)
    with pytest.raises(RuntimeError, match="second"):
        system.spawn_many(Restless, [(0, 0), (1, 1)])
    assert system.is_spawned(Restless.made[0])
    assert_counts(system)


def test_order4_what_despawning_raises_then_is_noted(system: PoolingSystem) -> None:
    class Sour(IPoolableComponent):
        count = 0

        def spawned(self) -> None:
            Sour.count += 1
            if Sour.count == 2:
                message = "no second"
                raise RuntimeError(message)

        def despawned(self) -> None:
            message = "nor an end"
            raise ValueError(message)

    with pytest.raises(ExceptionGroup) as caught:
        system.spawn_many(Sour, [(0, 0), (1, 1)])
    assert caught.group_contains(RuntimeError, match="no second")
    assert caught.group_contains(ValueError, match="nor an end", depth=1)
    assert stats_of(system, Sour).destroyed == 2
    assert_counts(system)


def test_k04_a_limit_refuses_or_answers_none(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc", settings=PoolSettings(limit=1))
    only = system.spawn(orc)
    with pytest.raises(PoolExhaustedError, match="orc is at its limit of 1") as caught:
        system.spawn(orc)
    assert "try_spawn" in str(caught.value)
    assert system.try_spawn(orc) is None
    assert stats_of(system, orc).refused == 2
    system.despawn(only)
    assert system.try_spawn(orc) is only
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


def test_k09_new_settings_are_in_force_from_then_on(system: PoolingSystem) -> None:
    pool = system.pool(Orc)
    first = system.spawn(Orc)
    pool.settings = PoolSettings(limit=1)
    assert system.try_spawn(Orc) is None
    pool.settings = PoolSettings(prespawn=3, grow_by=2)
    assert system.spawn(Orc) is not first
    assert pool.capacity == 4
    with pytest.raises(TypeError, match="PoolSettings"):
        pool.settings = None  # type: ignore[assignment]


def test_k09_a_new_prespawn_is_acted_on_at_the_next_use(system: PoolingSystem) -> None:
    system.prespawn(Orc, 1)
    pool = system.pool(Orc)
    pool.settings = PoolSettings(prespawn=3)
    system.spawn(Orc)
    assert (pool.active_count, pool.inactive_count) == (1, 2)


def test_k09_a_lower_limit_destroys_what_is_at_rest_and_then_what_comes_to_rest(
    system: PoolingSystem,
) -> None:
    orcs = system.spawn_many(Orc, [(0, 0)] * 5)
    pool = system.pool(Orc)
    for orc in orcs[:2]:
        system.despawn(orc)
    pool.settings = PoolSettings(limit=2)
    assert (pool.active_count, pool.inactive_count) == (3, 0)
    system.despawn(orcs[2])
    assert (pool.active_count, pool.inactive_count) == (2, 0)
    system.despawn(orcs[3])
    assert (pool.active_count, pool.inactive_count) == (1, 1)
    assert_counts(system)


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


def test_g03_a_factory_that_fails_while_the_pool_grows_loses_no_instance(
    system: PoolingSystem,
) -> None:
    made: list[Orc] = []

    def factory() -> Orc:
        if len(made) == 2:
            message = "out of orcs"
            raise RuntimeError(message)
        made.append(Orc())
        return made[-1]

    orc = Prefab(factory, settings=PoolSettings(grow_by=3))
    with pytest.raises(RuntimeError, match="out of orcs"):
        system.spawn(orc)
    assert_counts(system)
    assert {system.spawn(orc), system.spawn(orc)} == set(made)
    assert_counts(system)


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


def test_k06_a_child_that_ended_before_is_not_ended_again(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    child = system.spawn(Reasoned, parent=parent)
    assert system.despawn(child)
    assert system.spawn(Reasoned) is child
    system.despawn(parent)
    assert system.is_spawned(child)


def test_order6_a_child_that_a_siblings_hook_ended_keeps_its_later_life(
    system: PoolingSystem,
) -> None:
    parent = system.spawn(Orc)
    first = system.spawn(Recorder, parent=parent)
    second = system.spawn(Recorder, parent=parent)

    def respawn_first() -> None:
        system.despawn(first)
        assert system.spawn(Recorder) is first

    second.acts["despawned"] = respawn_first
    system.despawn(parent)
    assert not system.is_spawned(second)
    assert system.is_spawned(first)
    assert_counts(system)


def test_order6_hooks_may_name_the_parent(system: PoolingSystem) -> None:
    class Passenger(IPoolableComponent):
        def spawned(self, parent: object) -> None:
            self.seen = parent

    ship = system.spawn(Orc)
    assert system.spawn(Passenger, parent=ship).seen is ship
    assert system.spawn(Passenger).seen is None


def test_order6_spawning_under_a_parent_whose_life_is_over_is_refused(
    system: PoolingSystem,
) -> None:
    parent = system.spawn(Orc)
    system.despawn(parent)
    for call in (system.spawn, system.try_spawn):
        with pytest.raises(PoolError, match="whose life is over"):
            call(Recorder, parent=parent)
    assert stats_of(system, Recorder).created == 0
    with pytest.raises(NotManagedError):
        system.spawn(Recorder, parent=object())
    other = PoolingSystem()
    with pytest.raises(NotManagedError):
        system.spawn(Recorder, parent=other.spawn(PooledSprite))
    assert_counts(system)


def test_order6_spawning_under_a_despawning_parent_is_refused(system: PoolingSystem) -> None:
    parent = system.spawn(Recorder)
    parent.acts["despawned"] = lambda: system.spawn(Orc, parent=parent)
    with pytest.raises(PoolError, match="whose life is over"):
        system.despawn(parent)
    assert not system.is_spawned(parent)
    assert stats_of(system, Recorder).destroyed == 1
    assert_counts(system)


def test_order6_a_parent_that_dies_half_way_through_spawn_many_takes_all_along(
    system: PoolingSystem,
) -> None:
    parent = system.spawn(Orc)

    class Patricide(IPoolableComponent):
        def spawned(self) -> None:
            system.despawn(parent)

    with pytest.raises(PoolError, match="whose life is over"):
        system.spawn_many(Patricide, [(0, 0)] * 3, parent=parent)
    stats = stats_of(system, Patricide)
    assert (stats.active, stats.inactive) == (0, 3)
    assert_counts(system)


def test_order6_a_parent_that_dies_while_the_child_is_made_is_noticed(
    system: PoolingSystem,
) -> None:
    parent = system.spawn(Orc)

    def build() -> Orc:
        system.despawn(parent)
        return Orc()

    with pytest.raises(PoolError, match="whose life is over"):
        system.spawn(build, parent=parent)
    stats = stats_of(system, build)
    assert (stats.spawned, stats.inactive, stats.reused) == (0, 1, 0)
    assert_counts(system)


def test_p07_pooled_children_go_back_to_their_own_pools(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    child = system.spawn(Recorder, parent=parent)
    system.despawn(parent)
    assert system.spawn(Recorder) is child


def test_p07_a_child_whose_hook_fails_is_destroyed_and_its_parent_is_not(
    system: PoolingSystem,
) -> None:
    parent = system.spawn(Orc)
    child = system.spawn(Recorder, parent=parent)
    child.acts["despawned"] = raising(RuntimeError("child"))
    with pytest.raises(RuntimeError, match="child"):
        system.despawn(parent)
    assert stats_of(system, Recorder).destroyed == 1
    assert stats_of(system, Orc).destroyed == 0
    assert system.spawn(Orc) is parent
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


BAD_POSITIONS = [
    ((float("nan"), 0), ValueError, "finite"),
    ((0, float("inf")), ValueError, "finite"),
    ((1, 2, 3), ValueError, "two numbers"),
    ((1,), ValueError, "two numbers"),
    ((), ValueError, "two numbers"),
    (5, TypeError, "two numbers"),
    (None, TypeError, "two numbers"),
    (("a", "b"), TypeError, "two numbers"),
    ("abc", ValueError, "two numbers"),
    ((None, 0), TypeError, "two numbers"),
    ((10**400, 0), TypeError, "two numbers"),
]


@pytest.mark.parametrize(("position", "error", "says"), BAD_POSITIONS, ids=repr)
@pytest.mark.parametrize("prepared", [0, 2])
def test_bad_input_a_position_that_is_none_leaves_the_pool_untouched(
    system: PoolingSystem, position: Any, error: type[Exception], says: str, prepared: int
) -> None:
    system.prespawn(Recorder, prepared)
    before = stats_of(system, Recorder)
    for call in (system.spawn, system.try_spawn, system.pool(Recorder).spawn):
        arguments = (position,) if call == system.pool(Recorder).spawn else (Recorder, position)
        with pytest.raises(error, match=says):
            call(*arguments)
    with pytest.raises(error, match=says):
        system.spawn_many(Recorder, [(0, 0), position])
    assert stats_of(system, Recorder) == before


@pytest.mark.parametrize(
    ("rotation", "error"),
    [(float("nan"), ValueError), (float("-inf"), ValueError), ("90", TypeError), (None, TypeError)],
)
@pytest.mark.parametrize("prepared", [0, 2])
def test_bad_input_a_rotation_that_is_none_leaves_the_pool_untouched(
    system: PoolingSystem, rotation: Any, error: type[Exception], prepared: int
) -> None:
    system.prespawn(Recorder, prepared)
    before = stats_of(system, Recorder)
    with pytest.raises(error):
        system.spawn(Recorder, (0, 0), rotation)
    assert stats_of(system, Recorder) == before


@pytest.mark.parametrize("prepared", [0, 2])
def test_bad_input_data_that_no_hook_names_leaves_the_pool_untouched(
    system: PoolingSystem, prepared: int
) -> None:
    arrow = Prefab(Arrow, name="arrow")
    system.prespawn(arrow, prepared)
    before = stats_of(system, arrow)
    with pytest.raises(TypeError, match="did you mean 'velocity'") as caught:
        system.spawn(arrow, velocty=(1, 2))
    assert "arrow" in str(caught.value)
    assert "target, velocity" in str(caught.value)
    with pytest.raises(TypeError, match="did you mean 'target'"):
        system.spawn_many(arrow, [(0, 0)] * 2, velocity=(0, 0), tagret=None)
    with pytest.raises(TypeError):
        system.try_spawn(arrow, nonsense=1)
    assert stats_of(system, arrow) == before
    assert system.spawn(arrow, velocity=(1, 2)).log == [None]


@pytest.mark.parametrize("prepared", [0, 2])
def test_bad_input_data_where_no_hook_names_any(system: PoolingSystem, prepared: int) -> None:
    system.prespawn(Orc, prepared)
    before = stats_of(system, Orc)
    with pytest.raises(TypeError, match="they name none"):
        system.spawn(Orc, color="green")
    assert stats_of(system, Orc) == before


@pytest.mark.parametrize("prepared", [0, 2])
def test_bad_input_missing_data_leaves_the_pool_untouched(
    system: PoolingSystem, prepared: int
) -> None:
    system.prespawn(Arrow, prepared)
    before = stats_of(system, Arrow)
    with pytest.raises(TypeError, match=r"needs velocity=.*Arrow.spawned requires it"):
        system.spawn(Arrow)
    with pytest.raises(TypeError, match="needs velocity="):
        system.spawn(Arrow, target=None)
    assert stats_of(system, Arrow) == before


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


@pytest.mark.parametrize("call", ["prespawn", "increase", "decrease", "trim", "prewarm"])
@pytest.mark.parametrize(("count", "error"), [(-1, ValueError), (1.5, TypeError), ("3", TypeError)])
def test_bad_input_a_count_that_is_none(
    system: PoolingSystem, call: str, count: Any, error: type[Exception]
) -> None:
    pool = system.pool(Orc)
    calls: dict[str, Callable[[], object]] = {
        "prespawn": lambda: system.prespawn(Orc, count),
        "increase": lambda: pool.increase_capacity(count),
        "decrease": lambda: pool.decrease_capacity(count),
        "trim": lambda: pool.trim(count),
        "prewarm": lambda: system.prewarm({Orc: count}),
    }
    with pytest.raises(error):
        calls[call]()
    assert pool.capacity == 0


@pytest.mark.parametrize(
    "spawned",
    [
        lambda self, position, /: None,  # noqa: ARG005
        lambda self, speed, /: None,  # noqa: ARG005
    ],
)
def test_bad_input_hooks_take_data_by_name_only(system: PoolingSystem, spawned: Any) -> None:
    kind: Any = type("Stiff", (IPoolableComponent,), {"spawned": spawned})
    with pytest.raises(PoolError, match="by position only"):
        system.spawn(kind)
    assert system.pool(kind).capacity == 0


def test_bad_input_a_despawned_hook_can_only_be_given_a_reason(system: PoolingSystem) -> None:
    class Demanding(IPoolableComponent):
        def despawned(self, killer: object) -> None:
            pass

    with pytest.raises(PoolError, match="despawned hooks are given reason alone"):
        system.spawn(Demanding)
    assert system.pool(Demanding).capacity == 0


class Choosy(PooledSprite):
    """A sprite with a way of its own to join groups, which does what `act` says."""

    act: Callable[[], object] | None = None

    def add_internal(self, group: Any) -> None:
        if Choosy.act is not None:
            Choosy.act()
        super().add_internal(group)


@pytest.mark.parametrize("quick", [False, True])
def test_order4_a_sprite_that_can_not_join_its_groups_is_destroyed(
    system: PoolingSystem, *, quick: bool
) -> None:
    Choosy.act = None
    choosy = Prefab(Choosy, groups=[PooledGroup()], settings=PoolSettings(prespawn=int(quick)))
    system.register(choosy)
    Choosy.act = raising(RuntimeError("not that one"))
    with pytest.raises(RuntimeError, match="not that one") as caught:
        system.spawn(choosy)
    assert "while Choosy #0001 was put into play" in notes_of(caught.value)
    assert system.pool(choosy).capacity == 0
    assert_counts(system)


def test_order6_a_parent_that_a_group_ends_takes_no_child(system: PoolingSystem) -> None:
    parent = system.spawn(Orc)
    Choosy.act = None
    choosy = Prefab(Choosy, groups=[PooledGroup()])
    Choosy.act = lambda: system.despawn(parent)
    with pytest.raises(PoolError, match="whose life is over"):
        system.spawn(choosy, parent=parent)
    assert stats_of(system, choosy).destroyed == 1
    Choosy.act = None
    again = system.spawn(choosy)
    assert system.spawn(Orc) is parent
    system.despawn(parent)
    assert again.active
    assert_counts(system)


def test_order1_a_life_that_a_group_ends_at_once_runs_no_spawned_hook(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    class Watched(Choosy):
        def spawned(self, position: object) -> None:
            log.append(f"spawned at {position}")

        def despawned(self) -> None:
            log.append("despawned")

    watched = Prefab(Watched, groups=[PooledGroup()])
    Choosy.act = lambda: system.despawn_all(watched)
    assert not system.spawn(watched).active
    assert log == []
    Choosy.act = None
    system.spawn(watched)
    assert log == ["spawned at (0.0, 0.0)"]
    assert_counts(system)


def test_k04_a_games_own_policy_is_asked_once_the_limit_is_reached(
    system: PoolingSystem,
) -> None:
    asked: list[object] = []

    class Never:
        def choose_victim(self, pool: object) -> None:
            asked.append(pool)

    orc = Prefab(Orc, settings=PoolSettings(limit=1, overflow=Never()))
    system.spawn(orc)
    assert asked == []
    assert system.try_spawn(orc) is None
    assert asked == [system.pool(orc)]
