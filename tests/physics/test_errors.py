"""What callbacks raise comes out of `PhysicsWorld.step` once, when the world is consistent."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import PLACES, STEP, Encounter, balls
from poolkit import PoolingSystem, Prefab
from recorder import raising

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.physics import PhysicsWorld


class OopsError(Exception):
    """Raised by the callbacks of these tests."""


@pytest.fixture(autouse=True)
def reported() -> Iterator[list[Any]]:
    """Nothing may reach the hook for errors that nobody can catch, but for what a test names."""
    seen: list[Any] = []
    before = sys.unraisablehook
    sys.unraisablehook = hook = lambda args: seen.append(args.exc_value)
    yield seen
    left, sys.unraisablehook = sys.unraisablehook, before
    assert left is hook
    assert seen == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [OopsError("here"), KeyboardInterrupt()])
def test_n04_an_exception_in_any_callback_comes_out_of_step_once_and_consistent(
    system: PoolingSystem, world: PhysicsWorld, place: str, error: BaseException
) -> None:
    met = Encounter(system, world, place)
    far, victim = system.spawn_many(met.prefab, [(500, 0), (900, 0)])
    far.body.velocity = (60, 0)

    def fail() -> None:
        victim.kill()
        raise error

    met.act = fail
    with pytest.raises(type(error)) as caught:
        world.step(STEP)
    assert caught.value is error
    assert not world.is_stepping
    assert not victim.active
    assert victim.body.space is None
    assert far.position == pytest.approx((501, 0), abs=1e-3)  # sprites are moved
    assert world.step(STEP) == 1
    assert system.pool(met.prefab).inactive_count == 1


def test_n04_several_exceptions_of_one_step_come_as_a_group_in_their_order(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, two = system.spawn_many(balls(world), [(0, 0), (100, 0)])
    errors = [OopsError("first"), KeyboardInterrupt(), OopsError("last")]

    one.body.position_func = raising(errors[0])
    two.body.velocity_func = raising(errors[1])
    world.space.add_post_step_callback(raising(errors[2]), 1)
    with pytest.raises(BaseExceptionGroup) as caught:
        world.step(10 * STEP)
    assert list(caught.value.exceptions) == errors
    one.kill()
    two.kill()
    assert world.step(0) == 9  # what was left of the ten


def test_every_post_step_callback_is_called_once_although_one_of_them_raises(
    world: PhysicsWorld,
) -> None:
    called: list[object] = []

    def note(space: pymunk.Space, key: object) -> None:
        called.append((space, key))
        if key == 2:
            raise OopsError

    for key in (1, 2, 3):
        world.space.add_post_step_callback(note, key)
    with pytest.raises(OopsError):
        world.step(STEP)
    world.step(STEP)
    assert called == [(world.space, key) for key in (1, 2, 3)]


def test_what_pymunk_itself_refuses_leaves_the_world_consistent(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(balls(world))
    called: list[object] = []
    world.space.add_post_step_callback(lambda *_: called.append("after a step"), 1)
    light = pymunk.Body()
    world.space.add(light)
    with pytest.raises(AssertionError, match="mass"):
        world.step(STEP)
    assert called == []
    light.mass = light.moment = 1
    ball.kill()
    assert ball.body.space is None
    world.step(STEP)
    assert called == ["after a step"]


def test_errors_that_are_no_callbacks_of_this_step_go_where_they_went_before(
    system: PoolingSystem, world: PhysicsWorld, reported: list[Any]
) -> None:
    class Sore:
        def __del__(self) -> None:
            raise OopsError

    elsewhere = pymunk.Space()
    loose = pymunk.Body(1, 1)
    elsewhere.add(loose)
    theirs = OopsError("theirs")
    loose.velocity_func = raising(theirs)

    def cause_trouble(body: pymunk.Body, gravity: Any, damping: float, dt: float) -> None:
        Sore()
        other = threading.Thread(target=elsewhere.step, args=(STEP,))
        other.start()
        other.join()
        pymunk.Body.update_velocity(body, gravity, damping, dt)

    ball = system.spawn(balls(world))
    ball.body.velocity_func = cause_trouble
    assert world.step(STEP) == 1
    assert [type(error) for error in reported] == [OopsError, OopsError]
    assert reported[1] is theirs
    reported.clear()


def test_bad_input_a_body_at_no_number_hides_no_error_of_a_callback(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    lost = system.spawn(Prefab(balls(world)))
    lost.body.angle = float("nan")
    world.space.add_post_step_callback(raising(OopsError()), 1)
    with pytest.raises(ExceptionGroup) as caught:
        world.step(STEP)
    assert list(map(type, caught.value.exceptions)) == [OopsError, ValueError]
    with pytest.raises(ValueError, match="ball #0001 active> must be finite, not nan"):
        world.step(STEP)
    lost.kill()
    assert world.step(STEP) == 1
