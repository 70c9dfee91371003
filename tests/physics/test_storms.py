"""Storms of births and deaths inside every callback lose nothing, raise nothing, and repeat."""

from __future__ import annotations

import sys

import pymunk
import pytest

from collision_storm import Storm
from physics_kit import STEP, Ball, balls, motion
from physics_storm import Tempest
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody


@pytest.fixture
def world() -> PhysicsWorld:
    return PhysicsWorld()


@pytest.fixture(autouse=True)
def _nothing_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> None:
        pytest.fail(f"an error was swallowed: {args}")

    monkeypatch.setattr(sys, "unraisablehook", fail)


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


# -- joints between two pooled instances -----------------------------------------------------------


class Tied(PooledSprite):
    """A ball whose prefab ties it to another instance, which lives and dies on its own."""

    def __init__(self, world: PhysicsWorld, other: Ball) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 10)
        self.rope = pymunk.PinJoint(self.body, other.body, (0, 0), (0, 0))
        self.rope.distance = 5
        self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 3), self.rope))
        self.add_component(ResetPooledBodyComponent())


def test_n04_a_joint_is_in_the_space_only_while_both_its_instances_are(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(balls(world))
    other = system.spawn(prefab, (0, 0))
    tied = Prefab(lambda: Tied(world, other))
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
    class Pair(Ball):
        def __init__(self) -> None:
            PooledSprite.__init__(self)
            part = Ball(world)
            self.body = pymunk.Body(1, 10)
            self.rope = pymunk.PinJoint(self.body, part.body)
            self.add_component(RigidBody(world, self.body, self.rope))
            self.add_child(part, (30, 0))
            self.part = part

    pair = system.spawn(Pair)
    for _ in range(3):
        assert pair.rope in world.space.constraints
        pair.part.kill()
        assert pair.rope not in world.space.constraints
        pair.kill()
        assert not world.space.bodies
        assert system.spawn(Pair) is pair
