"""Collision callbacks that know of lives, contacts between classes, and storms that repeat."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, assert_type

import pymunk
import pytest

from collision_storm import Storm
from physics_kit import STEP, Ball, balls
from physics_storm import Tempest
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, Separation, chipmunk
from recorder import raising

if TYPE_CHECKING:
    from poolkit import PoolingSystem


@pytest.fixture(autouse=True)
def _nothing_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> None:
        pytest.fail(f"an error was swallowed: {args}")

    monkeypatch.setattr(sys, "unraisablehook", fail)


class Phone(Ball):
    """Rings."""


class Smartphone(Phone):
    """Rings, too."""


class Rabbit(Ball):
    """Hears it."""


def pair(
    system: PoolingSystem, world: PhysicsWorld, one: type[Ball] = Phone, two: type[Ball] = Rabbit
) -> tuple[Any, Any]:
    """Return two sprites that touch."""
    first = system.spawn(Prefab(lambda: one(world, kind=1)), (0, 0))
    return first, system.spawn(Prefab(lambda: two(world, kind=2)), (12, 0))


CALLBACKS = ["begin", "pre_solve", "post_solve", "separate"]


def test_callbacks_are_given_what_pymunk_gives_them(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls: list[tuple[str, Any, Any, Any]] = []

    def noting(name: str) -> Any:
        def note(arbiter: Any, space: pymunk.Space, data: Any) -> None:
            calls.append((name, arbiter, space, data))

        return note

    world.on_collision(1, 2, **{name: noting(name) for name in CALLBACKS}, data="mine")
    one, two = pair(system, world)
    world.step(STEP)
    assert [name for name, *_ in calls] == ["begin", "pre_solve", "post_solve"]
    one.body.velocity = (-6000, 0)
    world.step(STEP)
    world.step(STEP)
    name, separation, space, data = calls[-1]
    assert (name, space, data) == ("separate", world.space, "mine")
    assert isinstance(separation, Separation)
    assert separation.shapes == (one.shape, two.shape)
    assert separation.bodies == (one.body, two.body)
    assert (separation.is_removal, separation.is_first_contact) == (False, False)
    assert repr(separation) == "<Separation(Circle, Circle)>"


@pytest.mark.parametrize("kinds", [(1, 2), (1, None), (2, None)])
@pytest.mark.parametrize("dies", [0, 1])
def test_a_separation_by_removal_names_its_shapes_as_begin_did(
    system: PoolingSystem, world: PhysicsWorld, kinds: tuple[int | None, int | None], dies: int
) -> None:
    begun: list[Any] = []
    parted: list[Separation] = []
    world.on_collision(
        *kinds,
        begin=lambda arbiter, *_: begun.append(arbiter.shapes),
        separate=lambda arbiter, *_: parted.append(arbiter),
    )
    sprites = pair(system, world)
    world.step(STEP)
    sprites[dies].kill()
    [separation] = parted  # delivered as soon as the removal is done
    assert [separation.shapes] == begun
    assert separation.is_removal


def test_callbacks_other_than_separate_are_skipped_once_either_life_is_over(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls = []
    prefab, target = Prefab(balls(world)), Prefab(balls(world, kind=2))
    crowd = system.spawn_many(prefab, [(0, 0), (24, 0), (12, 16)])
    hit = system.spawn(target, (12, 3))

    def begin(*_: object) -> None:
        calls.append("begin")
        hit.kill()

    world.on_collision(
        1,
        2,
        begin=begin,
        pre_solve=lambda *_: calls.append("pre_solve"),
        post_solve=lambda *_: calls.append("post_solve"),
        separate=lambda *_: calls.append("separate"),
    )
    world.step(STEP)
    assert calls == ["begin", "separate", "separate", "separate"]
    assert all(ball.active for ball in crowd)


def test_separations_are_delivered_after_the_step_before_anything_is_reused(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, hit = pair(system, world)
    target = hit.prefab or ""
    log: list[object] = []

    def separate(separation: Separation, space: pymunk.Space, _: object) -> None:
        space.add(mark := pymunk.Body(1, 1))
        log.append(mark in space.bodies)
        log.append(world.sprite_of(separation.shapes[1]) is hit)
        log.append(not hit.active and system.spawn(target, (200, 0)) is not hit)

    world.on_collision(1, 2, begin=lambda *_: hit.kill(), separate=separate)
    world.step(STEP)
    assert log == [True, True, True]
    assert one.active
    assert system.spawn(target, (300, 0)) is hit


def test_an_exception_in_a_separation_outside_of_a_step_waits_for_the_next(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, _ = pair(system, world)
    world.on_collision(1, 2, separate=raising(ZeroDivisionError()))
    world.step(STEP)
    assert system.despawn(one)
    assert system.pool(one.prefab or "").inactive_count == 1
    with pytest.raises(ZeroDivisionError):
        world.step(STEP)
    assert world.step(STEP) == 2  # the one that was put off as well


def test_callbacks_may_be_left_out_reset_and_replaced(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls = []
    world.on_collision(1, 2, begin=lambda *_: calls.append("old"))
    world.on_collision(
        1, 2, begin=pymunk.empty_callback, separate=pymunk.empty_callback, pre_solve=None
    )
    _, two = pair(system, world)
    world.step(STEP)
    two.kill()
    assert calls == []


def test_a_despawn_in_pymunks_own_separate_callback_is_safe(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, two = pair(system, world)
    target = two.prefab or ""
    news: list[Ball] = []

    def separate(*_: object) -> None:
        two.kill()
        news.append(system.spawn(target, (200, 0)))

    world.space.on_collision(1, 2, separate=separate)
    world.step(STEP)
    one.kill()  # outside of a step: pymunk calls back in the middle of the removal
    assert news[0] is not two
    assert [body.position.x for body in world.space.bodies] == [200]
    assert system.spawn(target) is two
    assert world.step(STEP) == 1


def test_n04_storms_of_one_seed_repeat_in_one_process_and_those_of_others_differ() -> None:
    one = Storm(1)
    first = one.run(40)
    kept = [object() for _ in range(1000)]  # other addresses
    assert Storm(1).run(40) == first != Storm(2).run(40)
    assert len(kept) == 1000
    assert {"born", "meet", "part"} <= {each[0] for each in one.trace if isinstance(each, tuple)}


def test_n04_a_storm_holds_what_it_claims_to_hold() -> None:
    tempest = Tempest(3, own_step=True, sleepy=True)
    tempest.run(130)
    words = {entry[0] for entry in tempest.trace if isinstance(entry, tuple)}
    assert {"born", "dead", "meet", "part", "refused"} <= words
    assert tempest.slept > 0
    assert tempest.recycled > 0


class Boss(Ball):
    """Has two parts that touch, each with a body."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.arms = [Ball(world, kind=2), Ball(world, kind=2)]
        for place, arm in enumerate(self.arms):
            self.add_child(arm, (200 + 5 * place, 0))


@pytest.mark.parametrize("whose", ["world", "space"])
@pytest.mark.parametrize("which", ["boss", "arm"])
def test_12_1_a_boss_killed_by_the_separation_of_its_parts_has_one_next_life(
    system: PoolingSystem, world: PhysicsWorld, whose: str, which: str
) -> None:
    prefab = Prefab(lambda: Boss(world), name="boss")

    def separate(arbiter: Any, *_: object) -> None:
        for shape in arbiter.shapes:
            arm = world.sprite_of(shape)
            if arm is not None:
                (boss if which == "boss" else arm).kill()

    where: Any = world if whose == "world" else world.space
    where.on_collision(2, 2, separate=separate)
    boss = system.spawn(prefab, (0, 0))
    world.step(STEP)
    boss.kill()
    assert system.pool(prefab).inactive_count == 1
    one, two = system.spawn(prefab, (0, 0)), system.spawn(prefab, (0, 900))
    assert one is not two
    assert len(world.space.bodies) == 6


@pytest.mark.parametrize("how", ["world.step", "space.step"])
@pytest.mark.parametrize("when", ["in the step", "by a removal"])
def test_12_9_a_separation_may_ask_for_a_post_step_callback(
    system: PoolingSystem, world: PhysicsWorld, how: str, when: str
) -> None:
    called: list[str] = []
    one, two = pair(system, world)

    def separate(*_: object) -> None:
        called.append("separate")
        world.space.add_post_step_callback(lambda *_: called.append("after"), "key")

    world.on_collision(1, 2, separate=separate)
    world.step(STEP)
    if when == "by a removal":
        two.kill()
    else:
        one.body.velocity = (-6000, 0)
    for _ in range(4):
        world.step(STEP) if how == "world.step" else world.space.step(STEP)
    assert called == ["separate", "after"]


def test_what_the_game_removes_while_it_is_told_of_a_removal_is_removed(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one = system.spawn(balls(world), (0, 0))
    block = pymunk.Circle(world.space.static_body, 5)
    block.collision_type = 9
    world.space.add(block)
    world.space.on_collision(1, 9, separate=lambda *_: world.space.remove(block))
    world.step(STEP)
    one.kill()
    assert block not in world.space.shapes


# -- contacts between classes of sprites ---------------------------------------------------------


def test_n10_sprite_of_answers_with_the_class_that_was_asked_for(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    phone: Any
    phone, rabbit = pair(system, world, Smartphone)
    found = assert_type(world.sprite_of(phone.shape, Phone), Phone | None)
    anyone = assert_type(world.sprite_of(phone.body), PooledSprite | None)
    assert (found, anyone) == (phone, phone)
    assert world.sprite_of(rabbit.shape, Phone) is None
    assert world.sprite_of(world.space.static_body, Phone) is None
    assert PhysicsWorld().sprite_of(phone.shape, Phone) is None


@pytest.mark.parametrize("is_known", [True, False], ids=["as pymunk is", "as pymunk may become"])
@pytest.mark.parametrize("order", [(Phone, Rabbit), (Rabbit, Phone)])
def test_n10_a_contact_is_told_once_in_the_order_named_whatever_pymunks(
    system: PoolingSystem,
    world: PhysicsWorld,
    monkeypatch: pytest.MonkeyPatch,
    order: tuple[type[Ball], type[Ball]],
    *,
    is_known: bool,
) -> None:
    monkeypatch.setattr(chipmunk, "contacts_are_told", lambda: is_known)
    told: list[tuple[Any, Any]] = []
    world.on_contact(*order, lambda *given: told.append(given[:2]))
    sprites = {type(each): each for each in pair(system, world)}
    for _ in range(3):
        world.step(STEP)
    assert told == [(sprites[order[0]], sprites[order[1]])]


def test_n10_subclasses_are_meant_too_and_others_are_not(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    told: list[str] = []
    world.on_contact(Phone, Rabbit, lambda *_: told.append("phone"))
    world.on_contact(Ball, PooledSprite, lambda *_: told.append("any"))
    world.on_contact(Rabbit, Rabbit, lambda *_: told.append("rabbits"))
    pair(system, world, Smartphone)
    world.step(STEP)
    assert told == ["phone", "any"]


def test_n10_false_lets_them_pass_through_each_other_until_they_part(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    answers: list[object] = [False, None]
    remove = world.on_contact(Phone, Rabbit, lambda *_: answers.pop(0))
    phone, rabbit = pair(system, world)
    for _ in range(5):
        world.step(STEP)
    assert (phone.body.position, rabbit.body.position) == ((0, 0), (12, 0))
    rabbit.body.position = (300, 0)
    world.step(STEP)
    rabbit.body.position = (12, 0)
    for _ in range(5):
        world.step(STEP)
    assert answers == []
    assert phone.body.position.x < 0
    remove()


def test_n10_a_life_that_is_over_is_in_no_contact_and_one_detached_lives_on(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    told: list[str] = []

    def first(_: Phone, rabbit: Rabbit, __: pymunk.Arbiter) -> None:
        told.append("first")
        rabbit.kill()

    world.on_contact(Phone, Rabbit, first)
    world.on_contact(Phone, Rabbit, lambda *_: told.append("second"))
    phone, _ = pair(system, world)
    system.detach(phone)
    world.step(STEP)
    world.step(STEP)
    assert told == ["first"]
    assert list(world.space.bodies) == [phone.body]


def test_n10_taken_off_it_is_not_called_any_more_at_once_too(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    told: list[str] = []
    world.on_contact(Phone, Rabbit, lambda *_: remove())
    remove = world.on_contact(Phone, Rabbit, lambda *_: told.append("taken off"))
    world.on_contact(Phone, Rabbit, lambda *_: told.append("stays"))
    pair(system, world)
    world.step(STEP)
    remove()
    assert told == ["stays"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kinds", [(None, None), (1, 2), (1, None)])
@pytest.mark.parametrize("whose", ["world", "space"])
def test_n10_contacts_and_the_games_own_callbacks_leave_each_other_alone(
    system: PoolingSystem, world: PhysicsWorld, when: str, kinds: Any, whose: str
) -> None:
    told: list[str] = []

    def collide() -> None:
        where: Any = world if whose == "world" else world.space
        where.on_collision(
            *kinds,
            begin=lambda *_: told.append("begin"),
            pre_solve=lambda *_: told.append("pre_solve"),
            data="mine",
        )

    if when == "before":
        collide()
    world.on_contact(Phone, Rabbit, lambda *_: told.append("contact"))
    if when == "after":
        collide()
    pair(system, world)
    world.step(STEP)
    assert told == ["begin", "contact", "pre_solve"]
    off: Any = {"begin": pymunk.empty_callback}
    world.space.on_collision(*kinds, **off)
    pair(system, world)[0].body.position = (0, 100)
    world.step(STEP)


def test_n10_what_they_raise_comes_out_of_step_and_all_others_are_called(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    told: list[str] = []
    world.on_contact(Phone, Rabbit, raising(ZeroDivisionError()))
    world.on_contact(Phone, Rabbit, lambda *_: told.append("called"))
    pair(system, world)
    with pytest.raises(ZeroDivisionError):
        world.step(STEP)
    assert told == ["called"]
    assert world.step(STEP) == 1
