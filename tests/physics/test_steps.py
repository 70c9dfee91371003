"""Lives that begin and end inside a step, and errors there, in poolkit's steps and the game's."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import PLACES, STEP, Ball, Encounter, Tank, balls
from poolkit import PoolError, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent
from poolkit.physics.chipmunk import insertion_id
from poolkit.scenes import Scene, SceneManager
from recorder import Interrupt, assert_counts, raising

if TYPE_CHECKING:
    from collections.abc import Iterator


class OopsError(Exception):
    """Raised by the callbacks of these tests."""


@pytest.fixture(autouse=True)
def reported() -> Iterator[list[Any]]:
    """Nothing may reach `sys.unraisablehook`, except what a test names."""
    seen: list[Any] = []
    before = sys.unraisablehook
    sys.unraisablehook = hook = lambda args: seen.append(args.exc_value)
    yield seen
    left, sys.unraisablehook = sys.unraisablehook, before
    assert left is hook
    assert seen == []


OWN, GAMES = "world.step", "space.step"
both = pytest.mark.parametrize("how", [OWN, GAMES])


def step(world: PhysicsWorld, how: str) -> None:
    """Step as the game does, or as `how` says."""
    if how == OWN:
        world.step(STEP)
    else:
        world.space.step(STEP)


# -- time ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 59.94, 30, 144, 75, 1000 / 17])
def test_steps_keep_pace_with_time_whatever_the_frame_rate(rate: float) -> None:
    world, coarse = PhysicsWorld(), PhysicsWorld(timestep=0.1)
    steps = [world.step(1 / rate) for _ in range(round(rate * 10))]
    assert abs(sum(steps) - round(round(rate * 10) / rate * 60)) <= 1
    if rate == 60:  # whatever its rounding
        assert steps == [1] * 600
    assert [coarse.step(0.05 + 0.05) for _ in range(10)] == [1] * 10


def test_a_long_frame_is_capped_and_the_rest_is_forgotten() -> None:
    world = PhysicsWorld()
    assert world.step(100) == 15
    assert world.step(STEP) == 1
    slow = PhysicsWorld(timestep=2.0)
    assert slow.step(1.9) == 0
    assert slow.step(50) == 1


def test_a_world_takes_a_space_and_gravity() -> None:
    space = pymunk.Space()
    space.gravity = (0, 5)
    world = PhysicsWorld(space)
    assert world.space is space
    assert space.gravity == (0, 5)
    assert PhysicsWorld(gravity=(0, 900)).space.gravity == (0, 900)
    assert PhysicsWorld(pymunk.Space(), gravity=(1, 2)).space.gravity == (1, 2)


# -- the next level ------------------------------------------------------------------------------


def test_after_a_reset_that_leaves_no_life_with_a_body_a_world_begins_as_a_fresh_one(
    system: PoolingSystem,
) -> None:
    world, other = PhysicsWorld(interpolate=True), PoolingSystem()
    wall, stays = (pymunk.Circle(world.space.static_body, 1, (900, 0)) for _ in range(2))
    world.space.add(stays, wall)
    prefab = Prefab(balls(world))

    def level() -> tuple[int, int, tuple[float, float]]:
        """Return the number of a new shape, and what a third of a step comes to."""
        ball = system.spawn(prefab, (0, 0))
        number = insertion_id(ball.shape)
        ball.body.velocity = (60, 0)
        steps = [world.step(STEP * 2 / 3) for _ in range(2)]
        return number, steps[0], (ball.position.x, ball.position.y)

    first = level()
    lasting = other.spawn(prefab, (0, 500), persistent=True)
    for end in (system.reset, other.reset):
        end()
        assert level() != first
    lasting.kill()
    system.reset()
    assert level() == first
    system.reset()
    world.remove(wall)  # the number of what is left is lower now
    world.space.add(crate := pymunk.Circle(world.space.static_body, 1))
    assert insertion_id(crate) == insertion_id(stays) + 1


# -- lives inside a step ---------------------------------------------------------------------------


def check_space(met: Encounter) -> None:
    """The space holds everything of the living, and nothing of the dead."""
    space = met.world.space
    pools = [met.system.pool(met.prefab), met.system.pool(met.other_prefab)]
    alive = [ball for pool in pools for ball in pool.active]
    assert {id(body) for body in space.bodies} == {id(ball.body) for ball in alive}
    assert {id(shape) for shape in space.shapes} == {id(ball.shape) for ball in alive}


@both
@pytest.mark.parametrize("place", PLACES)
def test_a_despawn_inside_a_step_is_seen_at_once_and_done_at_its_end(
    system: PoolingSystem, world: PhysicsWorld, place: str, how: str
) -> None:
    met = Encounter(system, world, place)
    one, spawned = met.one, list[Ball]()
    # pymunk calls back after a step when its space isn't locked any more.
    is_over = place == "post-step" and how == GAMES

    def act() -> None:
        one.kill()
        assert not one.active
        assert (one.body.space is None) == is_over
        assert system.pool(met.prefab).inactive_count == 1
        spawned.append(system.spawn(met.prefab, (900, 900)))
        spawned.append(system.spawn(met.prefab, (900, 950)))
        spawned[1].kill()
        if not is_over:
            assert spawned[0] is not one
            assert spawned[0].body.space is None
        assert spawned[0].active

    met.act = act
    for _ in range(6):
        step(world, how)
    assert len(spawned) == 2
    check_space(met)
    assert spawned[0].body.position == (900, 900)
    assert spawned[0].position == (900, 900)
    assert_counts(system)
    assert system.pool(met.prefab).active_count == 1
    assert one in (spawned[0], system.spawn(met.prefab), system.spawn(met.prefab))
    check_space(met)


@both
@pytest.mark.parametrize(
    ("what", "bodies"), [("whole", (3, 6)), ("part", (5, 6)), ("component", (5, 5))]
)
def test_what_leaves_inside_a_step_is_out_after_it_and_only_then_reusable(
    system: PoolingSystem, world: PhysicsWorld, how: str, what: str, bodies: tuple[int, int]
) -> None:
    prefab = Prefab(lambda: Tank(world))
    tank = system.spawn(prefab)
    leave = {"whole": tank.kill, "part": tank.turret.kill}
    taken: list[Tank] = []

    def act() -> None:
        leave.get(what, partial(tank.remove_component, tank.rigid))()
        taken.append(system.spawn(prefab, (500, 500)))

    tank.body.velocity_func = lambda *_: act()
    step(world, how)
    assert tank.active is (what != "whole")
    assert (tank.turret if what == "part" else tank).body.space is None
    assert taken[0] is not tank
    assert len(world.space.bodies) == bodies[0]
    tank.kill()
    assert system.spawn(prefab) is tank
    assert len(world.space.bodies) == bodies[1]


def test_what_ends_in_a_step_that_updates_the_pools_as_well_is_reusable_at_the_next_update(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    system.update(STEP)
    prefab = Prefab(balls(world))
    ball, _ = system.spawn_many(prefab, [(0, 0), (5, 0)])

    def meet(*_: Any) -> None:
        ball.kill()
        system.update(STEP)

    world.on_collision(1, 1, begin=meet)
    world.step(STEP)
    system.update(STEP)
    assert system.spawn(prefab) is ball


@both
@pytest.mark.parametrize("place", ["begin", "separate", "velocity", "raw begin"])
def test_reset_dispose_load_and_step_inside_a_step_are_refused(
    system: PoolingSystem, world: PhysicsWorld, place: str, how: str
) -> None:
    met = Encounter(system, world, place)
    refused: list[str] = []
    exits: list[str] = []
    manager, scene = SceneManager(system), Scene()
    scene.exit = lambda: exits.append("exit")  # type: ignore[method-assign]
    manager.push(scene)
    loads = partial(manager.load, Scene())

    def act() -> None:
        for call in (system.reset, system.dispose, loads, partial(world.step, STEP)):
            with pytest.raises(PoolError, match="physics step") as caught:
                call()
            refused.append(str(caught.value))

    met.act = act
    step(world, how)
    assert (len(refused), exits) == (4, [])
    assert met.one.active
    system.reset()
    assert len(world.space.bodies) == 0


@both
@pytest.mark.parametrize("place", ["begin", "velocity", "separate", ""])
def test_what_a_game_removes_leaves_when_it_can_and_what_is_out_is_left_alone(
    system: PoolingSystem, world: PhysicsWorld, place: str, how: str
) -> None:
    met = Encounter(system, world, place or "begin")
    space, elsewhere = world.space, PhysicsWorld()
    crate, wall = pymunk.Body(1, 1), pymunk.Circle(space.static_body, 1, (900, 0))
    parts: list[Any] = [crate, pymunk.Circle(crate, 1), pymunk.PinJoint(crate, met.two.body), wall]
    crate.position = (0, 300)
    space.add(*parts)
    elsewhere.space.add(body := pymunk.Body(1, 1))
    locked: list[bool] = []

    def act() -> None:
        for _ in range(2):
            world.remove(*parts, body, pymunk.Body(), parts[2])
        locked.append(parts[2] in space.constraints and crate in space.bodies)

    met.act = act
    if not place:  # outside a step
        act()
    else:
        step(world, how)
    assert locked == [bool(place)]
    assert set(space.bodies) == {met.one.body, met.two.body}
    assert (len(space.shapes), len(space.constraints)) == (2, 0)
    assert body.space is elsewhere.space


# -- the game's own callbacks after a step ---------------------------------------------------------


def test_an_error_after_the_games_own_step_comes_out_of_it_once(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    called: list[str] = []

    class Sore(ResetPooledBodyComponent):
        reset = raising(ZeroDivisionError())

    class Faulty(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.add_component(Sore())

    def begin(*_: object) -> None:
        world.space.add_post_step_callback(lambda *_: called.append("game"), "game")
        system.despawn_all()

    world.on_collision(1, 1, begin=begin)
    system.spawn_many(Faulty, [(0, 0), (5, 0)])
    with pytest.raises(ExceptionGroup) as caught:
        world.space.step(STEP)
    assert list(map(type, caught.value.exceptions)) == [ZeroDivisionError] * 2
    assert not world.space.bodies
    world.space.step(STEP)
    world.step(STEP)
    assert called == ["game"]


def test_ctrl_c_at_any_moment_of_a_step_shuts_no_world(
    system: PoolingSystem, world: PhysicsWorld, reported: list[Any]
) -> None:
    hook, moment = sys.unraisablehook, 0
    world.on_collision(1, 1, begin=lambda *_: None, separate=lambda *_: None)
    prefab = Prefab(balls(world))
    is_hit = True
    while is_hit:
        moment += 1
        system.spawn_many(prefab, [(12.0 * n, 0) for n in range(5)])
        interrupt = Interrupt(moment)
        is_hit = interrupt.during(partial(world.step, STEP))
        assert not world.is_stepping, interrupt.place
        assert sys.unraisablehook is hook
        system.reset()
        assert not world.space.bodies
    assert moment > 40
    reported.clear()


# -- what callbacks raise ------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [OopsError("here"), KeyboardInterrupt()])
def test_an_exception_in_any_callback_comes_out_of_step_once_and_consistent(
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


def test_several_exceptions_of_one_step_come_as_a_group_in_their_order(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one, two = system.spawn_many(balls(world), [(0, 0), (100, 0)])
    errors = [OopsError("first"), KeyboardInterrupt(), OopsError("last")]

    called: list[object] = []
    one.body.position_func = raising(errors[0])
    two.body.velocity_func = raising(errors[1])
    for key, call in ((1, called.append), (2, raising(errors[2])), (3, called.append)):
        world.space.add_post_step_callback(lambda *given, call=call: call(given), key)
    with pytest.raises(BaseExceptionGroup) as caught:
        world.step(10 * STEP)
    assert list(caught.value.exceptions) == errors
    one.kill()
    two.kill()
    assert world.step(0) == 9  # what was left of the ten
    assert called == [(world.space, 1), (world.space, 3)]


def test_a_world_survives_what_pymunk_refuses(system: PoolingSystem, world: PhysicsWorld) -> None:
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


def test_errors_that_are_no_callbacks_go_where_they_went_before(
    system: PoolingSystem, world: PhysicsWorld, reported: list[Any]
) -> None:
    class Sore:
        def __del__(self) -> None:
            raise OopsError

    def cause_trouble(body: pymunk.Body, gravity: Any, damping: float, dt: float) -> None:
        Sore()
        pymunk.Body.update_velocity(body, gravity, damping, dt)

    ball = system.spawn(balls(world))
    ball.body.velocity_func = cause_trouble
    assert world.step(STEP) == 1
    assert [type(error) for error in reported] == [OopsError]
    reported.clear()


def test_bad_input_nan_hides_no_callbacks_error(system: PoolingSystem, world: PhysicsWorld) -> None:
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
