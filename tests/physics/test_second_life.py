"""A second life equals the first, to the last bit, whatever the first one did."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from physics_kit import STEP, Ball, balls, motion
from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable


class Car(PooledSprite):
    """Two bodies with a shape of each kind, and a joint between them."""

    def __init__(self, world: PhysicsWorld, *, mass_by_shapes: bool = False) -> None:
        super().__init__()
        if mass_by_shapes:
            self.body, self.wheel = pymunk.Body(), pymunk.Body()
        else:
            self.body, self.wheel = pymunk.Body(5, 100), pymunk.Body(2, 30)
        self.wheel.position = (14, 0)
        self.box = pymunk.Poly.create_box(self.body, (12, 8), radius=1)
        self.edge = pymunk.Segment(self.body, (-6, -6), (6, -6), 2)
        self.tyre = pymunk.Circle(self.wheel, 5, (1, 0))
        self.shapes = (self.box, self.edge, self.tyre)
        for shape in self.shapes:
            shape.collision_type = 1
            shape.elasticity, shape.friction = 0.4, 0.7
            if mass_by_shapes:
                shape.density = 0.1
        self.axle = pymunk.PivotJoint(self.body, self.wheel, (5, 0), (-9, 0))
        self.spring = pymunk.DampedRotarySpring(self.body, self.wheel, 0.1, 300, 5)
        parts = (self.body, self.wheel, *self.shapes, self.axle, self.spring)
        self.rigid = self.add_component(RigidBody(world, *parts))
        self.add_component(ResetPooledBodyComponent())

    @property
    def parts(self) -> tuple[Any, ...]:
        return (*self.rigid.bodies, *self.rigid.shapes, *self.rigid.joints)


def settings_of(part: Any) -> dict[str, object]:
    """Return all properties of a body, a shape or a joint, except where it is."""
    passing = {"_hashid", "bb", "space", "body", "shapes", "constraints", "a", "b", "id"}
    found: dict[str, object] = {}
    for name in dir(type(part)):
        if name in passing and not (name in {"a", "b"} and isinstance(part, pymunk.Segment)):
            continue
        if isinstance(getattr(type(part), name), property) and not name.startswith("__"):
            found[name] = getattr(part, name)
    if isinstance(part, pymunk.Poly):
        found["vertices"] = part.get_vertices()
    if isinstance(part, pymunk.Body):
        found["shapes"] = set(part.shapes)
    if isinstance(part, pymunk.Shape):
        found["body"] = part.body
    return found


def _is_dynamic(car: Car) -> bool:
    return car.body.body_type == pymunk.Body.DYNAMIC  # Chipmunk aborts at the mass of another


def no_gravity(body: pymunk.Body, gravity: Any, damping: float, dt: float) -> None:
    del gravity
    pymunk.Body.update_velocity(body, (0, 0), damping, dt)


def slowly(body: pymunk.Body, dt: float) -> None:
    pymunk.Body.update_position(body, dt / 2)


def _each(name: str, value: Callable[[float], object]) -> Callable[[Car, float], object]:
    def act(car: Car, amount: float) -> None:
        for shape in car.shapes:
            setattr(shape, name, value(amount))

    return act


def _of(part: str, name: str, value: Callable[[float], object]) -> Callable[[Car, float], object]:
    return lambda car, amount: setattr(getattr(car, part), name, value(amount))


def _shield(car: Car, amount: float) -> None:
    shield = pymunk.Circle(car.body, 15 + amount)
    shield.density = 0.2
    space = car.body.space
    assert space is not None
    space.add(shield)


def _take_off(car: Car, part: pymunk.Shape | pymunk.Constraint) -> None:
    space = car.rigid.world.space
    if part in space.shapes or part in space.constraints:
        space.remove(part)


def _lose(car: Car, amount: float) -> None:
    if car.tyre.space is None or car.tyre.mass:  # its body needs that mass
        return
    car.tyre.space.remove(car.tyre)
    car.tyre.body = None if amount < 0 else car.body
    if amount >= 0:
        car.rigid.world.space.add(car.tyre)


def _freeze(car: Car, amount: float) -> None:
    space = car.body.space
    assert space is not None
    if not _is_dynamic(car):
        return  # pymunk refuses a second time, for the sake of its joints
    if car.axle in space.constraints:
        space.remove(car.axle, car.spring)
    car.body.body_type = pymunk.Body.STATIC if amount > 0 else pymunk.Body.KINEMATIC


ACTS: dict[str, Callable[[Car, float], object]] = {
    "velocity": _of("body", "velocity", lambda a: (a * 90, a * 70)),
    "spin": _of("wheel", "angular_velocity", lambda a: a * 9),
    "force": _of("body", "force", lambda a: (a * 900, a)),
    "torque": _of("wheel", "torque", lambda a: a * 900),
    "impulse": lambda car, a: car.body.apply_impulse_at_local_point((a * 99, a), (0, 4)),
    "put elsewhere": _of("wheel", "position", lambda a: (a * 99, 3)),
    "turned": _of("body", "angle", lambda a: a),
    "mass": lambda car, a: _is_dynamic(car) and _of("body", "mass", lambda _: 9 + a)(car, a),
    "moment": _of("wheel", "moment", lambda _: float("inf")),
    "centre of gravity": _of("body", "center_of_gravity", lambda a: (a, 1)),
    "velocity function": _of("body", "velocity_func", lambda _: no_gravity),
    "position function": _of("wheel", "position_func", lambda _: slowly),
    "type": _freeze,
    "sensor": _each("sensor", lambda _: True),
    "collision type": _each("collision_type", lambda a: int(abs(a)) + 7),
    "filter": _each("filter", lambda a: pymunk.ShapeFilter(int(abs(a)), 6, 9)),
    "elasticity": _each("elasticity", lambda a: 0.9 + a / 99),
    "friction": _each("friction", lambda a: 2 + a / 9),
    "conveyor belt": _each("surface_velocity", lambda a: (a, 3)),
    "density": _each("density", lambda a: 4 + a),
    "radius": lambda car, a: [s.unsafe_set_radius(4 + abs(a)) for s in car.shapes],
    "radius of a poly": lambda car, a: car.box.unsafe_set_radius(4 + abs(a)),
    "upside down": lambda car, _: car.box.unsafe_set_vertices([(-6, 4), (6, 4), (-6, -4)]),
    "offset": lambda car, a: car.tyre.unsafe_set_offset((a, a)),
    "vertices": lambda car, a: car.box.unsafe_set_vertices([(0, 0), (9, 0), (5, 9 + a)]),
    "joint's force": _of("axle", "max_force", lambda a: 50 + a),
    "joint's bias": _of("axle", "error_bias", lambda _: 0.1),
    "joint's end": _of("axle", "anchor_a", lambda a: (a, a)),
    "collide": _of("axle", "collide_bodies", lambda _: False),
    "joint's callback": _of("axle", "pre_solve", lambda _: lambda *_: None),
    "stiffness": _of("spring", "stiffness", lambda a: 90 + a),
    "spring's function": _of("spring", "torque_func", lambda _: lambda *_: 5.0),
    "shield": _shield,
    "lost wheel": _lose,
    "joint taken off": lambda car, _: _take_off(car, car.axle),
    "shape taken off": lambda car, _: _take_off(car, car.edge),
}


def second_life(
    car: Car, prefab: Prefab[Car], world: PhysicsWorld, system: PoolingSystem
) -> list[object]:
    """Return how a life goes from a fixed start: falling, turning, and onto the ground."""
    assert system.spawn(prefab, (20, 10), rotation=30) is car
    car.body.velocity = (30, -10)
    ground = pymunk.Segment(world.space.static_body, (-300, 60), (300, 60), 3)
    ground.friction = ground.elasticity = 0.5
    world.space.add(ground)
    trace: list[object] = []
    for _ in range(40):
        world.step(STEP)
        trace.append((motion(car.body), motion(car.wheel), car.axle.impulse, car.spring.impulse))
    return trace


def fresh_trace(*, mass_by_shapes: bool) -> list[object]:
    system, world = PoolingSystem(), PhysicsWorld(gravity=(0, 300))
    world.space.sleep_time_threshold = 0.4
    made: list[Car] = []

    def build() -> Car:
        made.append(Car(world, mass_by_shapes=mass_by_shapes))
        return made[-1]

    prefab = Prefab(build)
    system.prespawn(prefab, 1)
    return second_life(made[0], prefab, world, system)


FRESH = {by_shapes: fresh_trace(mass_by_shapes=by_shapes) for by_shapes in (False, True)}


def live(
    first_life: list[tuple[str, float]], *, mass_by_shapes: bool
) -> tuple[list[object], dict[str, tuple[object, object]]]:
    """Let a car live through `first_life`; return its next one, and settings that differ."""
    system, world = PoolingSystem(), PhysicsWorld(gravity=(0, 300))
    world.space.sleep_time_threshold = 0.4
    prefab = Prefab(lambda: Car(world, mass_by_shapes=mass_by_shapes))
    car = system.spawn(prefab, (7, 7), rotation=50)
    car.kill()
    before = [settings_of(part) for part in car.parts]
    system.spawn(prefab, (7, 7), rotation=50)
    block = pymunk.Body(50, 900)
    block.position = (9, 9)
    other = pymunk.Circle(block, 9)
    other.density = 1
    world.space.add(block, other)
    for act, amount in first_life:
        ACTS[act](car, amount)
        # A box turned inside out has a negative mass: from there on, everything is NaN.
        if not (car.body.mass > 0 and car.body.moment > 0):
            reject()
        world.step(STEP)
    car.kill()
    world.space.remove(block, other)
    assert not world.space.bodies
    after = [settings_of(part) for part in car.parts]
    differ = {
        f"{type(part).__name__}.{name}": (was[name], now[name])
        for part, was, now in zip(car.parts, before, after, strict=True)
        for name in was
        if was[name] != now[name] and name not in {"position", "angle", "rotation_vector"}
    }
    return second_life(car, prefab, world, system), differ


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("amount", [2.0, -2.0])
def test_whatever_one_life_changes_is_as_built_in_the_next(act: str, amount: float) -> None:
    for by_shapes in (False, True):
        trace, differ = live([(act, amount)], mass_by_shapes=by_shapes)
        assert differ == {}
        assert trace == FRESH[by_shapes]


def test_whatever_a_life_changes_is_as_built_where_nothing_is_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(snapshot, "_watched_classes", dict)
    assert live([("shield", 2.0)], mass_by_shapes=False) == (FRESH[False], {})


def test_each_of_many_bodies_is_as_it_was_built(system: PoolingSystem, world: PhysicsWorld) -> None:
    crowd = [system.spawn(Prefab(balls(world, radius=radius))) for radius in (4, 4, 5)]
    before = [settings_of(part) for ball in crowd for part in (ball.body, ball.shape)]
    for number, ball in enumerate(crowd):
        ball.body.mass, ball.shape.friction = 7 + number, number
        ball.shape.unsafe_set_radius(9)
    system.despawn_all()
    assert [settings_of(part) for ball in crowd for part in (ball.body, ball.shape)] == before


@settings(max_examples=100)
@given(
    first_life=st.lists(
        st.tuples(st.sampled_from(sorted(ACTS)), st.floats(-3, 3).map(lambda a: round(a, 3))),
        max_size=12,
    ),
    mass_by_shapes=st.booleans(),
)
def test_a_second_life_equals_the_first_whatever_the_first_did(
    first_life: list[tuple[str, float]], *, mass_by_shapes: bool
) -> None:
    trace, differ = live(first_life, mass_by_shapes=mass_by_shapes)
    assert differ == {}
    assert trace == FRESH[mass_by_shapes]


@pytest.mark.parametrize("late", [False, True])
def test_what_awake_sets_is_how_it_was_built(
    system: PoolingSystem, world: PhysicsWorld, *, late: bool
) -> None:
    class Tuned(Car):
        def awake(self) -> None:
            self.body.mass = 77
            self.body.velocity_func = no_gravity

    prefab = Prefab(lambda: Tuned(world), awake_on_first_spawn=late)
    for mass, other in ((8, pymunk.Body.update_velocity), (77, lambda *_: None), (77, no_gravity)):
        car = system.spawn(prefab)
        assert (car.body.mass, car.body.velocity_func) == (77, no_gravity)
        car.body.mass, car.body.velocity_func = mass, other
        car.kill()


@pytest.mark.parametrize("in_a_step", [False, True])
def test_a_part_that_was_hidden_is_as_built_in_the_next_life(
    system: PoolingSystem, world: PhysicsWorld, *, in_a_step: bool
) -> None:
    class Wagon(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.car = Car(world)
            self.add_child(self.car, (30, 0))

    wagon = system.spawn(Wagon)
    car = wagon.car
    before = [settings_of(part) for part in car.parts]

    def crash(*_: object) -> None:
        car.kill()
        car.body.mass, car.body.velocity = 9, (8, 7)
        car.tyre.friction = 0.1
        if not in_a_step:
            world.step(STEP)
            car.body.mass = 10
        wagon.kill()

    if in_a_step:
        world.space.add_post_step_callback(crash, 1)
        world.step(STEP)
    else:
        crash()
    assert system.spawn(Wagon) is wagon
    assert car.body.space is world.space
    assert [settings_of(part) for part in car.parts] == before


def test_a_life_may_end_with_joined_bodies_that_it_has_made_static(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(lambda: Car(world))
    car = system.spawn(prefab)
    for body in car.rigid.bodies:
        body.body_type = pymunk.Body.STATIC
    car.kill()
    assert system.spawn(prefab) is car
    assert car.body.body_type == pymunk.Body.DYNAMIC


def test_the_mass_of_a_shape_that_is_not_named_lasts_for_one_life(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    sprite = system.spawn(PooledSprite)
    body = pymunk.Body(1, 1)
    shapes = [pymunk.Circle(body, 3), pymunk.Circle(body, 5)]
    sprite.add_component(RigidBody(world, body, shapes[0]))
    shapes[1].mass = 7
    sprite.kill()
    assert body.mass == 1


def test_joints_that_are_taken_off_inside_a_step_keep_their_settings(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    car = system.spawn(Prefab(lambda: Car(world)))
    before = settings_of(car.axle)
    world.space.add_post_step_callback(lambda *_: car.remove_component(car.rigid), 1)
    world.step(STEP)
    assert car.axle not in world.space.constraints
    assert settings_of(car.axle) == before


def test_a_rigid_body_that_was_taken_off_and_put_on_again_is_restored_as_before(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    car = system.spawn(Prefab(lambda: Car(world)))
    car.add_component(car.remove_component(car.rigid) or car.rigid)
    assert world.sprite_of(car.body) is car
    before = settings_of(car.box)
    car.box.friction, car.box.elasticity = 9, 9
    car.kill()
    assert settings_of(car.box) == before


@pytest.mark.parametrize("while_built", [False, True])
def test_what_changes_while_a_rigid_body_is_taken_off_lasts_for_one_life(
    system: PoolingSystem, world: PhysicsWorld, *, while_built: bool
) -> None:
    def wear_more(ball: Ball) -> Ball:
        ball.remove_component(ball.rigid)
        pymunk.Circle(ball.body, 3)
        ball.add_component(ball.rigid)
        return ball

    build = balls(world)
    ball = system.spawn(Prefab(lambda: wear_more(build()) if while_built else build()))
    built = len(ball.body.shapes)
    if not while_built:
        wear_more(ball)
    world.space.add(*(shape for shape in ball.body.shapes if shape.space is None))
    ball.kill()
    assert len(ball.body.shapes) == built
    assert not world.space.shapes


@pytest.mark.parametrize("in_a_step", [False, True])
def test_a_joint_that_stays_nan_has_no_second_life(
    system: PoolingSystem, world: PhysicsWorld, *, in_a_step: bool
) -> None:
    prefab = Prefab(lambda: Car(world))
    first = system.spawn(prefab)
    first.wheel.position = (math.nan, 0)
    if in_a_step:
        first.axle.post_solve = lambda *_: first.kill()
        world.step(STEP)
    else:
        world.space.step(STEP)
        first.kill()
    assert (system.pool(prefab).stats.destroyed, list(world.space.bodies)) == (1, [])
    second = system.spawn(prefab)
    world.step(STEP)
    assert math.isfinite(second.axle.impulse)


def test_a_turned_body_begins_upright_and_leaves_with_its_detached_sprite(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(balls(world), groups=[PooledGroup()])
    system.spawn(prefab, rotation=90).kill()
    ball = system.spawn(prefab)
    assert (ball.rotation, ball.body.angle) == (0, 0)
    system.detach(ball)
    ball.kill()
    assert not world.space.bodies


def test_motion_outlasts_a_life_without_a_reset_component(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    class Ball(PooledSprite):
        def __init__(self) -> None:
            super().__init__(pygame.Surface((4, 4)))
            self.body = pymunk.Body(1, 1)
            self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 2)))

    ball = system.spawn(Ball)
    ball.body.velocity = (30, 4)
    ball.body.mass = 9  # which is restored, and must not take motion with it
    ball.kill()
    assert system.spawn(Ball) is ball
    assert (ball.body.velocity, ball.body.mass) == ((30, 4), 1)
