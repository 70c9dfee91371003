"""Bodies that are put elsewhere as their sprite is: as they lie to each other, at any moment."""

from __future__ import annotations

import math
from typing import Any

import pymunk
import pytest

from physics_kit import STEP, Ball, balls, motion
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, RigidBody


class Train(Ball):
    """Two bodies in one component, and one in another."""

    def __init__(self, world: PhysicsWorld) -> None:
        PooledSprite.__init__(self)
        self.body, self.wheel, self.flag = (pymunk.Body(1, 1) for _ in range(3))
        self.wheel.position = (10, 0)
        parts = (self.wheel, pymunk.Circle(self.body, 3), pymunk.Circle(self.wheel, 3))
        self.rigid = self.add_component(RigidBody(world, self.body, *parts))
        self.add_component(RigidBody(world, self.flag, pymunk.Circle(self.flag, 1)))


def test_x03_all_bodies_move_as_they_lie_to_each_other_and_keep_their_velocities(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    train = system.spawn(lambda_of(Train, world), (100, 100))
    train.flag.position = (100, 90)
    train.body.velocity, train.wheel.angular_velocity = (5, 6), 7
    train.rigid._move_to(0, 0, -90)  # clockwise on screen: its right is now below
    assert train.body.position == (0, 0)
    assert train.wheel.position == pytest.approx((0, 10))
    assert train.flag.position == pytest.approx((10, 0))
    assert train.wheel.angle == pytest.approx(math.radians(90))
    assert (train.body.velocity, train.wheel.angular_velocity) == ((5, 6), 7)


def lambda_of(kind: type[Any], world: PhysicsWorld) -> Prefab[Any]:
    return Prefab(lambda: kind(world))


def test_x03_what_is_none_stays_to_the_last_bit(system: PoolingSystem, world: PhysicsWorld) -> None:
    ball = system.spawn(balls(world), (0.1, 0.2), rotation=33)
    angle = ball.body.angle
    ball.rigid._move_to(5, None, None)
    assert (ball.body.position, ball.body.angle) == ((5, 0.2), angle)
    ball.rigid._move_to(None, None, 10)
    assert (ball.body.position, ball.body.angle) == ((5, 0.2), -math.radians(10))


def test_x03_queries_find_them_there_at_once_static_ones_too(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    def wall() -> PooledSprite:
        sprite = PooledSprite()
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        sprite.add_component(RigidBody(world, body, pymunk.Circle(body, 5)))
        return sprite

    sprite = system.spawn(wall, (0, 0))
    sprite.get_component(RigidBody)._move_to(300, 0, 0)
    found = world.space.point_query((300, 0), 1, pymunk.ShapeFilter())
    assert [each.shape for each in found] == list(sprite.get_component(RigidBody).shapes)


@pytest.mark.parametrize("how", ["world.step", "space.step"])
def test_x03_inside_a_step_it_is_done_when_that_is_over(
    system: PoolingSystem, world: PhysicsWorld, how: str
) -> None:
    one = system.spawn(balls(world), (0, 0))
    two = system.spawn(Prefab(balls(world, kind=2)), (12, 0))
    newcomers: list[Ball] = []

    def begin(*_: object) -> None:
        one.rigid._move_to(500, 0, 0)
        assert one.body.position == (0, 0)
        newcomers.append(system.spawn(Prefab(balls(world)), (900, 0)))
        newcomers[0].rigid._move_to(700, 0, 0)  # it is in no space yet
        assert newcomers[0].body.position == (700, 0)
        two.rigid._move_to(600, 0, 0)
        two.kill()

    world.on_collision(1, 2, begin=begin)
    world.step(STEP) if how == "world.step" else world.space.step(STEP)
    assert one.body.position == (500, 0)
    assert newcomers[0].body.position == (700, 0)
    world.sync()
    assert one.position == (500, 0)
    assert motion(two.body)[2:] == ((0, 0), 0, (0, 0), 0)
    assert system.spawn(two.prefab or "", (3, 3)) is two
    assert two.body.position == (3, 3)
