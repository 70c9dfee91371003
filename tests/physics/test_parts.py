"""Bodies, shapes and joints of a sprite, and the space of a world, keep the classes of the game."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import TYPE_CHECKING, Any, ClassVar

import pymunk
import pytest

from physics_kit import STEP
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable


class Crate(pymunk.Body):
    """Counts those that are whole, as games do, and knows its kinds."""

    whole = 0
    kinds: ClassVar[list[str]] = []

    def __init_subclass__(cls, *, name: str) -> None:
        super().__init_subclass__()
        cls.kinds.append(name)

    def smash(self) -> None:
        self.__class__.whole -= 1


class Balloon(pymunk.Circle):
    """Has a slot, properties of its own, and a way of its own to be copied."""

    __slots__ = ("_string",)

    def __init__(self, body: pymunk.Body, radius: float) -> None:
        super().__init__(body, radius)

    def __reduce__(self) -> Any:
        return type(self), (self.body, self.radius)

    def inflate(self) -> None:
        super().unsafe_set_radius(self.radius + 1)

    def unsafe_set_radius(self, r: float) -> None:
        super().unsafe_set_radius(2 * r)

    @property
    def string(self) -> object:
        return self._string

    @string.setter
    def string(self, string: object) -> None:
        self._string = string

    @string.deleter
    def string(self) -> None:
        del self._string


def of_parts(
    world: PhysicsWorld, body: Callable[[], pymunk.Body], shape: Callable[[pymunk.Body], Any]
) -> Prefab[Any]:
    class Thing(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.body = body()
            self.shape = shape(self.body)
            other = pymunk.Body(1, 1)
            self.joint = pymunk.SimpleMotor(self.body, other, 1)
            parts = (self.body, other, self.shape, self.joint)
            self.rigid = self.add_component(RigidBody(world, *parts))
            self.add_component(ResetPooledBodyComponent())

    return Prefab(Thing)


def plain(world: PhysicsWorld) -> Prefab[Any]:
    return of_parts(world, lambda: pymunk.Body(1, 1), lambda body: pymunk.Circle(body, 3))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_parts_and_the_space_are_pickled_as_what_they_are(
    system: PoolingSystem, world: PhysicsWorld, protocol: int
) -> None:
    thing = system.spawn(plain(world))
    for part in (thing.body, thing.shape, thing.joint, world.space):
        kind = part.__class__
        pickled = pickle.loads(pickle.dumps(part, protocol))  # noqa: S301
        assert {type(twin) for twin in (pickled, part.copy())} == {kind}
    assert world.space.__class__ is pymunk.Space
    twin = world.space.copy()
    twin.step(STEP)
    assert [type(body) for body in twin.bodies] == [pymunk.Body] * 2


def test_a_class_of_the_games_is_copied_in_its_own_way(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = of_parts(world, lambda: pymunk.Body(1, 1), lambda body: Balloon(body, 7))
    balloon = system.spawn(prefab).shape
    for twin in (pickle.loads(pickle.dumps(balloon)), copy.deepcopy(balloon)):  # noqa: S301
        assert (type(twin), twin.radius) == (Balloon, 7)


def test_the_games_class_sees_no_subclass_and_counts_its_own(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = of_parts(world, lambda: Crate(1, 1), lambda body: pymunk.Circle(body, 3))
    crate, before = system.spawn(prefab).body, Crate.whole
    crate.smash()
    assert (crate.__class__, Crate.kinds, Crate.whole) == (Crate, [], before - 1)


def test_a_part_becomes_another_class_and_is_still_watched(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    thing = system.spawn(plain(world))
    thing.body.__class__ = Crate
    thing.body.smash()
    thing.body.mass = 9
    thing.kill()
    assert (thing.body.__class__, thing.body.mass) == (Crate, 1)


def test_what_the_games_class_adds_is_the_games(system: PoolingSystem, world: PhysicsWorld) -> None:
    prefab = of_parts(world, lambda: pymunk.Body(1, 1), lambda body: Balloon(body, 7))
    thing = system.spawn(prefab)
    balloon = thing.shape
    balloon.friction = 2  # though there is no string to be read yet
    balloon.string = "red"
    thing.kill()
    assert (balloon.friction, balloon.string) == (0, "red")
    del balloon.string
    assert not hasattr(balloon, "string")


@pytest.mark.parametrize("change", [Balloon.inflate, lambda it: it.unsafe_set_radius(7)])
def test_a_form_is_as_built_though_the_games_class_sets_it_in_its_own_way(
    system: PoolingSystem, world: PhysicsWorld, change: Callable[[Balloon], None]
) -> None:
    prefab = of_parts(world, lambda: pymunk.Body(1, 1), lambda body: Balloon(body, 7))
    thing = system.spawn(prefab)
    for _ in range(2):
        change(thing.shape)
        assert thing.shape.radius != 7
        thing.kill()
        assert system.spawn(prefab).shape.radius == 7


@pytest.mark.parametrize("kind", [pymunk.Body.STATIC, pymunk.Body.KINEMATIC])
def test_a_centre_of_gravity_is_as_built_where_a_mass_cant_be_set(
    system: PoolingSystem, world: PhysicsWorld, kind: int
) -> None:
    prefab = of_parts(
        world, lambda: pymunk.Body(body_type=kind), lambda body: pymunk.Circle(body, 3)
    )
    thing = system.spawn(prefab)
    thing.body.center_of_gravity = (5, 6)
    thing.kill()
    assert thing.body.center_of_gravity == (0, 0)


def test_parts_have_their_own_class_again_when_they_are_no_sprites_any_more(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    thing = system.spawn(plain(world))
    thing.remove_component(thing.rigid)
    kinds = [type(part) for part in (thing.body, thing.shape, thing.joint)]
    assert kinds == [pymunk.Body, pymunk.Circle, pymunk.SimpleMotor]


def test_a_space_of_the_games_own_class_is_still_asked(system: PoolingSystem) -> None:
    told: list[object] = []

    class Room(pymunk.Space):
        def step(self, dt: float) -> None:
            for _ in range(2):
                super().step(dt / 2)

    world = PhysicsWorld(Room())
    thing = system.spawn(plain(world))
    world.space.add_post_step_callback(lambda *_: told.append(thing.kill()), 1)
    world.step(STEP)
    assert (told, thing.body.space) == ([None], None)


def test_classes_of_a_scene_are_freed_with_it() -> None:
    def scene() -> list[weakref.ref[type]]:
        class Box(pymunk.Body):
            pass

        class Edge(pymunk.Segment):
            pass

        class Room(pymunk.Space):
            pass

        system = PoolingSystem()
        prefab = of_parts(
            PhysicsWorld(Room()), lambda: Box(1, 1), lambda body: Edge(body, (0, 0), (9, 0), 1)
        )
        system.spawn(prefab).shape.friction = 2
        system.reset()
        return [weakref.ref(kind) for kind in (Box, Edge, Room)]

    classes = scene()
    gc.collect()
    gc.collect()
    assert [kind() for kind in classes] == [None, None, None]
