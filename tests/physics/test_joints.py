"""Joints are in the space while both their sprites are, and in no life they do not belong to."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pymunk
import pytest

from physics_kit import STEP, Ball, balls, motion
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from poolkit import PoolingSystem


class Tied(PooledSprite):
    """One whose prefab ties it to another body, which comes and goes on its own."""

    def __init__(self, world: PhysicsWorld, other: pymunk.Body) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 10)
        self.rope = pymunk.PinJoint(self.body, other, (0, 0), (0, 0))
        self.rope.distance = 5
        self.rope.max_force = 1000
        self.rope.pre_solve = lambda *_: self.pulls.append("pull")
        self.pulls: list[str] = []
        self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 3), self.rope))
        self.add_component(ResetPooledBodyComponent())


def test_clearing_a_joint_calls_none_of_its_callbacks_and_moves_no_partner(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(1, 1)
    world.space.add(post)
    prefab = Prefab(lambda: Tied(world, post))
    tied = system.spawn(prefab, (10, 0))
    world.step(STEP)
    post.velocity, post.angular_velocity = (4, 5), 6
    tied.kill()
    assert (post.velocity, post.angular_velocity) == ((4, 5), 6)
    assert (tied.rope.max_force, tied.pulls) == (1000, ["pull"])
    system.spawn(prefab, (10, 0))
    world.step(STEP)
    assert tied.pulls == ["pull", "pull"]


def test_n04_a_joint_is_in_the_space_only_while_both_its_instances_are(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(balls(world))
    other = system.spawn(prefab, (0, 0))
    tied = Prefab(lambda: Tied(world, other.body))
    sprite = system.spawn(tied, (50, 0))
    joints = world.space.constraints
    assert sprite.rope in joints
    other.kill()
    assert sprite.rope not in joints
    sprite.kill()
    assert system.spawn(tied, (50, 0)) is sprite
    assert sprite.rope not in joints  # its partner is at no place
    for _ in range(5):
        world.step(STEP)
    assert motion(sprite.body)[2:] == motion(other.body)[2:] == ((0, 0), 0, (0, 0), 0)
    assert system.spawn(prefab, (0, 0)) is other
    assert sprite.rope in joints
    sprite.kill()
    other.kill()
    assert not joints
    system.spawn(prefab, (0, 0))
    assert not joints


def test_order6_a_joint_between_a_sprite_and_its_part_holds_from_either_side(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    class Pair(Tied):
        def __init__(self) -> None:
            self.part = Ball(world)
            super().__init__(world, self.part.body)
            self.add_child(self.part, (30, 0))

    pair = system.spawn(Pair)
    for _ in range(3):
        assert pair.rope in world.space.constraints
        pair.part.kill()
        assert pair.rope not in world.space.constraints
        pair.kill()
        assert not world.space.bodies
        assert system.spawn(Pair) is pair


def test_12_2_a_joint_to_a_sprite_that_was_destroyed_is_in_no_further_life(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    world.space.sleep_time_threshold = 0.1
    prefab = Prefab(balls(world))
    other = system.spawn(prefab, (0, 0))
    tied = system.spawn(Prefab(lambda: Tied(world, other.body)), (50, 0))
    assert tied.rope in world.space.constraints
    tied.kill()
    other.kill()
    system.pool(prefab).trim(0)
    for _ in range(2):
        assert system.spawn(tied.prefab or "", (0, 0)) is tied
        assert tied.rope not in world.space.constraints
        for _ in range(30):
            world.step(STEP)
        tied.kill()


def test_a_joint_to_a_body_of_the_games_own_that_is_in_no_space_is_left_to_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(body_type=pymunk.Body.STATIC)
    tied = system.spawn(Prefab(lambda: Tied(world, post)))
    assert tied.rope in world.space.constraints


@pytest.mark.parametrize("is_held", [False, True])
def test_a_joint_that_a_life_added_is_no_part_of_the_next(
    system: PoolingSystem, world: PhysicsWorld, *, is_held: bool
) -> None:
    prefab = Prefab(balls(world))
    one, two = system.spawn_many(prefab, [(0, 0), (50, 0)])
    rope = pymunk.PinJoint(one.body, two.body)
    called: list[str] = []
    rope.pre_solve = lambda *_: called.append("called")
    world.space.add(rope)
    held = [rope] if is_held else []
    del rope
    gc.disable()
    try:
        one.kill()
        assert len(world.space.constraints) == 0
        assert len(one.body.constraints) == len(two.body.constraints) == len(held)
        assert system.spawn(prefab, (0, 0)) is one
    finally:
        gc.enable()
    world.space.add(*held)  # what the game holds on to, it may use again
    world.step(STEP)
    assert called == ["called"] * len(held)
    one.kill()
    assert len(world.space.constraints) == 0
