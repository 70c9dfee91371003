"""What callbacks raise comes out of `PhysicsWorld.step` once, when the world is consistent."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import STEP, Ball, balls
from poolkit import PoolingSystem, Prefab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


class Place:
    """Two balls that touch, a joint, and a failing callback at one place of a step."""

    def __init__(self, system: PoolingSystem, world: PhysicsWorld, place: str) -> None:
        self.world, self.place = world, place
        self.fails: BaseException | None = OopsError(place)
        prefab = Prefab(balls(world, kind=1))
        self.one: Ball = system.spawn(prefab, (0, 0))
        self.two: Ball = system.spawn(balls(world, kind=2), (12, 0))
        self.far: Ball = system.spawn(prefab, (500, 0))
        self.far.body.velocity = (60, 0)
        self.victim: Ball = system.spawn(prefab, (900, 0))
        self.spring = pymunk.DampedSpring(self.one.body, self.two.body, (0, 0), (0, 0), 5, 5, 5)
        world.space.add(self.spring)
        self._arm()

    def _arm(self) -> None:
        place, world, body = self.place, self.world, self.one.body
        if place in {"begin", "pre_solve", "post_solve", "separate"}:
            callbacks: Any = {place: self.fail}
            world.on_collision(1, 2, **callbacks)
            if place == "separate":
                world.space.step(STEP)
                body.velocity = (-3000, 0)
        elif place == "raw begin":
            world.space.on_collision(1, 2, begin=self.fail)
        elif place == "velocity_func":
            body.velocity_func = self.fail
        elif place == "position_func":
            body.position_func = self.fail
        elif place == "post-step":
            world.space.add_post_step_callback(self.fail, "the game's")
        elif place == "joint":
            self.spring.pre_solve = self.fail
        else:
            self.spring.force_func = self.fail

    def fail(self, *_: Any) -> Any:
        """Raise once, when another life has been ended."""
        error, self.fails = self.fails, None
        if error is not None:
            self.victim.kill()
            raise error
        return 0.0


PLACES = [
    "begin",
    "pre_solve",
    "post_solve",
    "separate",
    "raw begin",
    "velocity_func",
    "position_func",
    "post-step",
    "joint",
    "spring",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [OopsError("here"), KeyboardInterrupt()])
def test_n04_an_exception_in_any_callback_comes_out_of_step_once_and_consistent(
    system: PoolingSystem, world: PhysicsWorld, place: str, error: BaseException
) -> None:
    scene = Place(system, world, place)
    scene.fails = error
    start = scene.far.body.position.x
    with pytest.raises(type(error)) as caught:
        world.step(STEP)
    assert caught.value is error
    assert not world.is_stepping
    assert not scene.victim.active
    assert scene.victim.body.space is None
    assert scene.far.position == pytest.approx((start + 1, 0), abs=1e-3)  # sprites are moved
    assert world.step(STEP) == 1
    [pool] = [pool for pool in system.all_pools() if pool.prefab is scene.victim.prefab]
    assert pool.inactive_count == 1


def test_n04_several_exceptions_of_one_step_come_as_a_group_in_their_order(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, two = system.spawn_many(balls(world), [(0, 0), (100, 0)])
    errors = [OopsError("first"), KeyboardInterrupt(), OopsError("last")]

    def fail_with(error: BaseException) -> Callable[..., None]:
        def fail(*_: object) -> None:
            raise error

        return fail

    one.body.position_func = fail_with(errors[0])
    two.body.velocity_func = fail_with(errors[1])
    world.space.add_post_step_callback(fail_with(errors[2]), 1)
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
        assert space is world.space
        called.append(key)
        if key == 2:
            raise OopsError

    for key in (1, 2, 3):
        world.space.add_post_step_callback(note, key)
    with pytest.raises(OopsError):
        world.step(STEP)
    assert called == [1, 2, 3]
    world.step(STEP)
    assert called == [1, 2, 3]


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

    def fail(*_: object) -> None:
        raise theirs

    loose.velocity_func = fail

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

    def fail(*_: object) -> None:
        raise OopsError

    world.space.add_post_step_callback(fail, 1)
    with pytest.raises(ExceptionGroup) as caught:
        world.step(STEP)
    assert list(map(type, caught.value.exceptions)) == [OopsError, ValueError]
    with pytest.raises(ValueError, match="ball #0001 active> must be finite, not nan"):
        world.step(STEP)
    lost.kill()
    assert world.step(STEP) == 1
