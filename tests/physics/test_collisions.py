"""Collision callbacks of living sprites, contacts between classes, and storms that repeat."""

from __future__ import annotations

import copy
import sys
from typing import TYPE_CHECKING, Any, assert_type

import pymunk
import pytest

from physics_kit import MEETINGS, STEP, Ball
from physics_storm import Tempest
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.core.states import State
from poolkit.physics import PhysicsWorld, Separation
from recorder import raising
from reference_model import traced_states

if TYPE_CHECKING:
    from collections.abc import Callable


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


class Meeting:
    """A world in which two sprites meet, and what its callbacks have noted."""

    def __init__(self, system: PoolingSystem, world: PhysicsWorld) -> None:
        self.system, self.world = system, world
        self.told: list[Any] = []

    def noting(self, what: str) -> Callable[..., Any]:
        """Return a callback that notes that it was called."""
        return lambda *_: self.told.append(what)

    def meet(self, one: type[Ball] = Phone, two: type[Ball] = Rabbit) -> tuple[Any, Any]:
        """Return two sprites that touch, of collision types 1 and 2."""
        first = self.system.spawn(Prefab(lambda: one(self.world, kind=1)), (0, 0))
        return first, self.system.spawn(Prefab(lambda: two(self.world, kind=2)), (12, 0))

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.world.step(STEP)


@pytest.fixture
def meeting(system: PoolingSystem, world: PhysicsWorld) -> Meeting:
    return Meeting(system, world)


@pytest.fixture(params=["world", "space"])
def owner(world: PhysicsWorld, request: pytest.FixtureRequest) -> Any:
    """Return the object whose `on_collision` is called: the world, or its space."""
    return world if request.param == "world" else world.space


# -- collisions ----------------------------------------------------------------------------------


def test_callbacks_are_given_what_pymunk_gives_them(meeting: Meeting) -> None:
    def noting(name: str) -> Any:
        return lambda arbiter, space, data: meeting.told.append((name, arbiter, space, data))

    names = ["begin", "pre_solve", "post_solve", "separate"]
    meeting.world.on_collision(1, 2, **{name: noting(name) for name in names}, data="mine")
    one, two = meeting.meet()
    meeting.step()
    assert [name for name, *_ in meeting.told] == names[:3]
    one.body.velocity = (-6000, 0)
    meeting.step(2)
    name, separation, space, data = meeting.told[-1]
    assert (name, space, data) == ("separate", meeting.world.space, "mine")
    assert isinstance(separation, Separation)
    assert separation.shapes == (one.shape, two.shape)
    assert separation.bodies == (one.body, two.body)
    assert (separation.is_removal, separation.is_first_contact) == (False, False)
    assert repr(separation) == "<Separation(Circle, Circle)>"


@pytest.mark.parametrize("kinds", [(1, 2), (1, None), (2, None)])
@pytest.mark.parametrize("dies", [0, 1])
def test_a_separation_by_removal_names_its_shapes_as_begin_did(
    meeting: Meeting, kinds: tuple[int | None, int | None], dies: int
) -> None:
    def note(arbiter: Any, *_: object) -> None:
        meeting.told.append((arbiter.shapes, getattr(arbiter, "is_removal", False)))

    meeting.world.on_collision(*kinds, begin=note, separate=note)
    sprites = meeting.meet()
    meeting.step()
    sprites[dies].kill()
    [(begun, _), (parted, is_removal)] = meeting.told  # as soon as the removal is done
    assert parted == begun
    assert is_removal


def test_callbacks_but_separate_are_skipped_once_either_life_is_over(meeting: Meeting) -> None:
    def begin(*_: object) -> None:
        meeting.told.append("begin")
        hit.kill()

    one, hit = meeting.meet()
    others = meeting.system.spawn_many(one.prefab, [(24, 0), (12, 16)])
    noting = {name: meeting.noting(name) for name in ("pre_solve", "post_solve", "separate")}
    meeting.world.on_collision(1, 2, begin=begin, **noting)
    meeting.step()
    assert meeting.told == ["begin", "separate", "separate", "separate"]
    assert all(ball.active for ball in (one, *others))


@pytest.mark.parametrize("kinds", [(1, 2), (None, None)])
def test_callbacks_that_are_taken_off_call_no_more_and_later_ones_stay(
    meeting: Meeting, kinds: tuple[Any, Any]
) -> None:
    world = meeting.world
    callbacks: Any = {name: meeting.noting(name) for name in MEETINGS}
    take_off = world.on_collision(*kinds, **callbacks)
    world.on_contact(Phone, Rabbit, meeting.noting("contact"))
    world.on_collision(*kinds, pre_solve=meeting.noting("later"))
    world.space.on_collision(*kinds, post_solve=meeting.noting("pymunk's"))
    for _ in range(2):
        take_off()
    meeting.meet()
    meeting.step()
    meeting.system.despawn_all()
    assert sorted(meeting.told) == ["contact", "later", "pymunk's"]


def test_separations_are_delivered_after_the_step_before_any_reuse(meeting: Meeting) -> None:
    one, hit = meeting.meet()
    spawn, world = meeting.system.spawn, meeting.world

    def separate(separation: Separation, space: pymunk.Space, _: object) -> None:
        space.add(mark := pymunk.Body(1, 1))
        is_delivered = mark in space.bodies and world.sprite_of(separation.shapes[1]) is hit
        meeting.told.append(is_delivered)
        meeting.told.append(not hit.active and spawn(hit.prefab, (200, 0)) is not hit)

    world.on_collision(1, 2, begin=lambda *_: hit.kill(), separate=separate)
    meeting.step()
    assert meeting.told == [True, True]
    assert one.active
    assert spawn(hit.prefab, (300, 0)) is hit


def test_a_despawn_in_pymunks_own_separate_callback_is_safe(meeting: Meeting) -> None:
    one, two = meeting.meet()

    def separate(*_: object) -> None:
        two.kill()
        meeting.told.append(meeting.system.spawn(two.prefab, (200, 0)))

    meeting.world.space.on_collision(1, 2, separate=separate)
    meeting.step()
    one.kill()  # outside of a step: pymunk calls back in the middle of the removal
    assert meeting.told[0] is not two
    assert [body.position.x for body in meeting.world.space.bodies] == [200]
    assert meeting.system.spawn(two.prefab) is two
    assert meeting.world.step(STEP) == 1


class Boss(Ball):
    """Has two parts that touch, each with a body."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        for place in (200, 205):
            self.add_child(Ball(world, kind=2), (place, 0))


@pytest.mark.parametrize("which", ["boss", "arm"])
def test_a_boss_killed_by_the_separation_of_its_parts_has_one_next_life(
    system: PoolingSystem, world: PhysicsWorld, owner: Any, which: str
) -> None:
    prefab = Prefab(lambda: Boss(world), name="boss")

    def separate(arbiter: Any, *_: object) -> None:
        for shape in arbiter.shapes:
            arm = world.sprite_of(shape)
            if arm is not None:
                (boss if which == "boss" else arm).kill()

    owner.on_collision(2, 2, separate=separate)
    boss = system.spawn(prefab, (0, 0))
    world.step(STEP)
    boss.kill()
    assert system.pool(prefab).inactive_count == 1
    one, two = system.spawn(prefab, (0, 0)), system.spawn(prefab, (0, 900))
    assert one is not two
    assert len(world.space.bodies) == 6


@pytest.mark.parametrize("how", ["world.step", "space.step"])
@pytest.mark.parametrize("when", ["in the step", "by a removal"])
def test_separations_may_add_post_step_calls(meeting: Meeting, how: str, when: str) -> None:
    one, two = meeting.meet()
    space = meeting.world.space

    def separate(*_: object) -> None:
        meeting.told.append("separate")
        space.add_post_step_callback(meeting.noting("after"), "key")

    meeting.world.on_collision(1, 2, separate=separate)
    meeting.step()
    if when == "by a removal":
        two.kill()
    else:
        one.body.velocity = (-6000, 0)
    for _ in range(4):
        meeting.step() if how == "world.step" else space.step(STEP)
    assert meeting.told == ["separate", "after"]


def test_what_the_game_removes_is_separated_after_the_next_step(meeting: Meeting) -> None:
    one, two = meeting.meet()
    space = meeting.world.space

    def separate(parting: Separation, *_: object) -> None:
        meeting.told.append((parting.is_removal, parting.bodies))

    meeting.world.on_collision(1, 2, separate=separate)
    space.step(STEP)
    space.remove(one.shape)
    assert meeting.told == []
    space.step(STEP)
    assert meeting.told == [(True, (one.body, two.body))]


def test_what_the_game_removes_in_a_callback_of_a_removal_is_removed(meeting: Meeting) -> None:
    one, _ = meeting.meet()
    space = meeting.world.space
    block = pymunk.Circle(space.static_body, 5)
    block.collision_type = 9
    space.add(block)
    space.on_collision(1, 9, separate=lambda *_: space.remove(block))
    meeting.step()
    one.kill()
    assert block not in space.shapes


@pytest.mark.parametrize("own_step", [False, True])
def test_a_storm_holds_what_it_claims_to_hold_and_keeps_to_the_table_of_states(
    *, own_step: bool
) -> None:
    tempest = Tempest(11, own_step=own_step, sleepy=True)
    with traced_states() as seen:
        tempest.run(60)
    assert (State.LEAVING, State.INACTIVE) in seen
    words = {entry[0] for entry in tempest.trace if isinstance(entry, tuple)}
    assert {"born", "dead", "meet", "part", "refused"} <= words
    assert tempest.slept > 0
    assert tempest.recycled > 0


# -- contacts between classes of sprites ---------------------------------------------------------


def test_sprite_of_answers_with_the_class_that_was_asked_for(meeting: Meeting) -> None:
    phone: Any
    phone, rabbit = meeting.meet(Smartphone)
    world = meeting.world
    found = assert_type(world.sprite_of(phone.shape, Phone), Phone | None)
    anyone = assert_type(world.sprite_of(phone.body), PooledSprite | None)
    assert (found, anyone) == (phone, phone)
    assert world.sprite_of(rabbit.shape, Phone) is None
    assert world.sprite_of(world.space.static_body, Phone) is None
    assert PhysicsWorld().sprite_of(phone.shape, Phone) is None


@pytest.mark.parametrize("order", [(Phone, Rabbit), (Rabbit, Phone)])
def test_a_contact_calls_once_in_the_order_of_the_classes_whatever_pymunks(
    meeting: Meeting, order: tuple[type[Ball], type[Ball]]
) -> None:
    meeting.world.on_contact(*order, lambda *given: meeting.told.append(given[:2]))
    sprites = {type(sprite): sprite for sprite in meeting.meet()}
    meeting.step(3)
    assert meeting.told == [(sprites[order[0]], sprites[order[1]])]


def test_false_lets_them_pass_through_each_other_until_they_part(meeting: Meeting) -> None:
    answers: list[object] = [False, None]
    meeting.world.on_contact(Phone, Rabbit, lambda *_: answers.pop(0))
    phone, rabbit = meeting.meet()
    meeting.step(5)
    assert (phone.body.position, rabbit.body.position) == ((0, 0), (12, 0))
    rabbit.body.position = (300, 0)
    meeting.step()
    rabbit.body.position = (12, 0)
    meeting.step(5)
    assert answers == []
    assert phone.body.position.x < 0


def test_a_life_that_is_over_meets_nobody_and_one_detached_does(meeting: Meeting) -> None:
    def first(_: Phone, rabbit: Rabbit, __: pymunk.Arbiter) -> None:
        meeting.told.append("first")
        rabbit.kill()

    meeting.world.on_contact(Phone, Rabbit, first)
    meeting.world.on_contact(Phone, Rabbit, meeting.noting("second"))
    phone, _ = meeting.meet()
    meeting.system.detach(phone)
    meeting.step(2)
    assert meeting.told == ["first"]
    assert list(meeting.world.space.bodies) == [phone.body]


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("kinds", [(None, None), (1, 2), (1, None)])
def test_contacts_and_the_games_own_callbacks_leave_each_other_alone(
    meeting: Meeting, owner: Any, kinds: Any, *, is_first: bool
) -> None:
    own = {name: meeting.noting(name) for name in ("begin", "pre_solve")}
    if is_first:
        owner.on_collision(*kinds, **own, data="mine")
    meeting.world.on_contact(Phone, Rabbit, meeting.noting("contact"))
    if not is_first:
        owner.on_collision(*kinds, **own, data="mine")
    meeting.meet()
    meeting.step()
    assert meeting.told == ["begin", "contact", "pre_solve"]
    off: Any = {"begin": pymunk.empty_callback}
    meeting.world.space.on_collision(*kinds, **off)
    meeting.meet()[0].body.position = (0, 100)
    meeting.step()


def test_what_a_space_called_before_it_had_a_world_it_calls_still_and_copies_call_no_contacts(
    system: PoolingSystem,
) -> None:
    told: list[Any] = []
    space = pymunk.Space()
    space.on_collision(begin=lambda *given: told.append(given[1:]), data="mine")
    world = PhysicsWorld(space)
    world.on_contact(Phone, Rabbit, lambda *_: told.append("contact"))
    meeting = Meeting(system, world)
    meeting.meet()
    twin = copy.deepcopy(space)
    meeting.step()
    assert told == [(space, "mine"), "contact"]
    twin.step(STEP)
    assert type(twin) is pymunk.Space
    assert len(told) == 3


def test_all_of_these_classes_and_of_subclasses_are_called_though_one_raises_or_is_taken_off(
    meeting: Meeting,
) -> None:
    on_contact = meeting.world.on_contact
    on_contact(Phone, Rabbit, raising(ZeroDivisionError()))
    on_contact(Phone, Rabbit, meeting.noting("phone"))
    on_contact(Ball, PooledSprite, meeting.noting("any"))
    on_contact(Rabbit, Rabbit, meeting.noting("rabbits"))
    on_contact(Phone, Rabbit, lambda *_: remove())
    remove = on_contact(Phone, Rabbit, meeting.noting("taken off"))
    on_contact(Phone, Rabbit, meeting.noting("stays"))
    meeting.meet(Smartphone)
    with pytest.raises(ZeroDivisionError):
        meeting.step()
    remove()
    assert meeting.told == ["phone", "any", "stays"]
    assert meeting.world.step(STEP) == 1
