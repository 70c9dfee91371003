"""Contacts between classes of sprites, and whose a shape is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import pymunk
import pytest

from physics_kit import STEP, Ball
from poolkit import PooledSprite, Prefab
from poolkit.physics import PhysicsWorld, chipmunk
from recorder import raising

if TYPE_CHECKING:
    from poolkit import PoolingSystem


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
