"""Bodies, shapes and joints of pooled sprites are freed without the collector."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pymunk
import pytest

from physics_kit import STEP, Ball, balls
from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody, chipmunk

pytestmark = pytest.mark.usefixtures("no_collector")


@pytest.fixture
def world() -> PhysicsWorld:
    return PhysicsWorld(gravity=(0, 100))


class Crane(PooledSprite):
    """Two bodies, joints, shapes, and a part with a body of its own; all call its methods."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__()
        self.body, self.arm = pymunk.Body(5, 100), pymunk.Body(2, 30)
        self.body.velocity_func = self.fall
        self.arm.position_func = self.move
        self.box, self.ball = pymunk.Poly.create_box(self.body), pymunk.Circle(self.arm, 3)
        self.rope = pymunk.DampedSpring(self.body, self.arm, (0, 0), (3, 0), 3, 20, 1)
        self.rope.force_func = self.pull
        self.axle = pymunk.DampedRotarySpring(self.body, self.arm, 0, 20, 1)
        self.axle.torque_func = self.pull
        self.axle.pre_solve = self.axle.post_solve = self.note
        parts = (self.body, self.arm, self.box, self.ball, self.rope, self.axle)
        self.add_component(RigidBody(world, *parts))
        self.add_component(ResetPooledBodyComponent())
        self.hook = Ball(world)
        self.add_child(self.hook, (20, 0))
        self.calls: set[str] = set()
        self.ends: list[Any] = [weakref.ref(part) for part in (self, *parts)]
        self.ends += [weakref.ref(part) for part in (self.hook, self.hook.body, self.hook.shape)]

    def fall(self, body: pymunk.Body, *motion: Any) -> None:
        self.calls.add("fall")
        pymunk.Body.update_velocity(body, *motion)

    def move(self, body: pymunk.Body, dt: float) -> None:
        self.calls.add("move")
        pymunk.Body.update_position(body, dt)

    def pull(self, spring: pymunk.Constraint, _: float) -> float:
        self.calls.add(type(spring).__name__)
        return 1.0

    def note(self, *_: object) -> None:
        self.calls.add("note")


def used(system: PoolingSystem, world: PhysicsWorld, prefab: Prefab[Crane]) -> list[Any]:
    """Let cranes live, touch and die; return weak references to all that they are made of."""
    world.on_collision(separate=lambda *_: None)
    ends: list[Any] = []
    for lives in range(3):
        for crane in system.spawn_many(prefab, [(5.0 * n, 0) for n in range(6)]):
            ends += crane.ends if not lives else []
            world.space.add(pymunk.PinJoint(crane.body, crane.hook.body))
            pymunk.Circle(crane.body, 3 + lives)
        for _ in range(5):
            world.step(STEP)
        for crane in system.pool(prefab).active:
            assert crane.calls == {"fall", "move", "DampedSpring", "DampedRotarySpring", "note"}
            crane.calls.clear()
        del crane
        if lives < 2:
            system.despawn_all(prefab)
    return ends


def alive(ends: list[Any]) -> list[Any]:
    return [end() for end in ends if end() is not None]


@pytest.mark.parametrize("how", ["reset", "dispose", "clear", "trim", "in a step"])
def test_what_is_destroyed_is_freed_without_the_collector_although_its_parts_call_it(
    system: PoolingSystem, world: PhysicsWorld, how: str
) -> None:
    group = PooledGroup()
    prefab = Prefab(lambda: Crane(world), groups=[group])
    ends = used(system, world, prefab)
    assert len(alive(ends)) == len(ends) == 6 * 10
    if how in {"reset", "dispose"}:
        getattr(system, how)()
    elif how == "clear":
        system.pool(prefab).clear()
    elif how == "trim":
        system.despawn_all()
        assert system.pool(prefab).trim(0) == 6
    else:

        def clear(*_: object) -> None:
            system.pool(prefab).clear()

        world.space.add_post_step_callback(clear, 1)
        world.step(STEP)
    assert alive(ends) == []
    world.step(STEP)


def test_surplus_and_what_is_built_without_pooling_is_freed_at_its_despawn(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    settings = PoolSettings(max_idle=1)
    for prefab in (
        Prefab(lambda: Crane(world), name="surplus", settings=settings),
        Prefab(lambda: Crane(world), name="anew", pooling=False),
    ):
        one, two = system.spawn_many(prefab, [(0, 0), (50, 0)])
        world.step(STEP)
        ends = [*one.ends, *two.ends]
        one.kill()
        two.kill()
        del one, two
        left = 10 if prefab.name == "surplus" else 0  # one may rest
        assert len(alive(ends)) == left


def test_trying_out_what_pymunk_does_leaves_no_garbage_either() -> None:
    gc.collect()
    assert chipmunk.internals_match.__wrapped__()
    assert gc.collect() == 0


def test_what_a_destroyed_sprite_had_still_works_where_the_game_kept_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(balls(world))
    system.reset()
    other = system.spawn(Prefab(balls(world)), (5, 0))
    moved: list[object] = []
    ball.body.velocity_func = lambda body, *_: moved.append(body.position)
    tie = pymunk.PinJoint(ball.body, other.body)
    tie.pre_solve = lambda joint, _: moved.append(joint.a == ball.body)
    met: list[Any] = []
    world.on_collision(begin=lambda arbiter, *_: met.append(arbiter.shapes))
    world.space.add(ball.body, ball.shape, tie)
    world.step(STEP)
    assert moved == [True, (0, 0)]
    assert len(met) == 1
    assert ball.shape in met[0]
    assert world.space.point_query_nearest((0, 0), 0, pymunk.ShapeFilter()) is not None
    world.space.remove(ball.body, ball.shape, tie)


def test_a_sprite_that_the_game_keeps_keeps_what_it_refers_to_and_no_more(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(balls(world))
    body, shape = ball.body, weakref.ref(ball.shape)
    del ball.rigid
    world.step(STEP)
    system.reset()
    assert ball.components == ()
    assert ball.body is body
    assert shape() is ball.shape
    end = weakref.ref(ball)
    del ball
    assert end() is None
    assert shape() is not None  # by the body that carries it
    del body
    assert shape() is None
