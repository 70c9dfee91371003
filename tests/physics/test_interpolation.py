"""Sprites shown between the last two steps, on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import Ball, balls
from poolkit import Prefab
from poolkit.physics import PhysicsWorld
from recorder import raising

if TYPE_CHECKING:
    from poolkit import PoolingSystem

TENTH = 0.1


@pytest.fixture(params=[0, 40], ids=["few bodies", "many bodies"])
def world(request: pytest.FixtureRequest, system: PoolingSystem) -> PhysicsWorld:
    """Ten steps a second, alone or in a crowd: bodies are read in two ways."""
    world = PhysicsWorld(timestep=TENTH, interpolate=True)
    crowd = Prefab(balls(world), name="crowd")
    system.spawn_many(crowd, [(100 * number, 5000) for number in range(request.param)])
    return world


def rolling(system: PoolingSystem, world: PhysicsWorld) -> Ball:
    ball = system.spawn(balls(world), (0, 0))
    ball.body.velocity = (100, 0)
    return ball


def test_sprites_are_shown_between_the_last_two_steps_by_what_is_left_over(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = rolling(system, world)
    ball.body.angular_velocity = -1
    shown = []
    for _ in range(8):
        world.step(TENTH / 4)
        shown.append(ball.position[0])
    # A step lies 10 pixels further; it is shown a step later, evenly.
    assert shown == pytest.approx([0, 0, 0, 0, 2.5, 5, 7.5, 10], abs=1e-3)
    assert ball.body.position == (20, 0)
    world.step(TENTH / 2)
    assert ball.position[0] == pytest.approx(15, abs=1e-3)
    assert ball.rotation == pytest.approx(57.29578 * 0.15, abs=1e-3)


def test_a_body_put_elsewhere_is_not_smeared(system: PoolingSystem, world: PhysicsWorld) -> None:
    ball = rolling(system, world)
    world.step(0.15)
    ball.body.position = (700, 0)
    world.step(TENTH / 4)  # no step
    assert ball.position == (700, 0)
    world.step(TENTH / 2)  # a step, from there
    assert 700 <= ball.position[0] <= 710
    ball.body.position = (-700, 0)
    world.sync()
    assert ball.position == (-700, 0)


JUMP, TURN, PATH = (400, 0), (0, 3), (5, 0)


@pytest.mark.parametrize(
    ("moved", "shown"), [(JUMP, (410, 0)), (TURN, (10, -171.887)), (PATH, (7.5, 0))]
)
def test_only_a_body_that_jumps_inside_the_step_is_not_smeared(
    system: PoolingSystem, world: PhysicsWorld, moved: Any, shown: Any
) -> None:
    ball = rolling(system, world)

    def move(body: pymunk.Body, dt: float) -> None:
        pymunk.Body.update_position(body, dt)
        body.position += (moved[0], 0)
        body.angle += moved[1]

    ball.body.position_func = move
    world.step(0.15)
    assert (ball.position.x, ball.rotation) == pytest.approx(shown, abs=1e-3)


def test_fast_bodies_are_no_jumps(system: PoolingSystem, world: PhysicsWorld) -> None:
    bullet = rolling(system, world)
    bullet.body.velocity = (4000, 0)
    world.step(0.15)
    assert bullet.position == pytest.approx((200, 0), abs=1e-3)


def test_a_body_that_comes_to_rest_is_shown_where_it_rests_and_then_passed_over(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = rolling(system, world)
    world.step(0.15)
    assert ball.position == pytest.approx((5, 0), abs=1e-3)
    ball.body.body_type = pymunk.Body.STATIC
    for _ in range(3):
        world.step(TENTH)
        assert ball.position == (10, 0)
    ball.body.position = (50, 50)
    world.step(TENTH / 4)
    assert ball.position == (50, 50)


def test_after_an_error_in_a_step_sprites_are_where_their_bodies_are(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = rolling(system, world)
    world.step(0.15)
    world.space.add_post_step_callback(raising(ZeroDivisionError()), 1)
    with pytest.raises(ZeroDivisionError):
        world.step(0.2)
    assert tuple(ball.position) == tuple(ball.body.position) == (20, 0)
