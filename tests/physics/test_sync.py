"""All sprites are moved to their bodies, however these are read; those at rest are skipped."""

from __future__ import annotations

import math
from math import degrees
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_kit import STEP, Ball, balls
from poolkit import PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, chipmunk
from recorder import raising

if TYPE_CHECKING:
    from collections.abc import Callable


MANY = 24  # more than are read one by one


HARM: dict[str, Callable[[Any], object]] = {
    "must be finite": lambda sprite: setattr(sprite.body, "angle", math.nan),
    "rect": lambda sprite: delattr(sprite, "rect"),
}


@pytest.mark.parametrize("count", [3, MANY])
@pytest.mark.parametrize("interpolate", [False, True])
@pytest.mark.parametrize("harm", HARM)
def test_an_angle_that_is_nan_or_a_lost_rect_stops_no_sprite_but_its_own(
    system: PoolingSystem, harm: str, count: int, *, interpolate: bool
) -> None:
    world = PhysicsWorld(interpolate=interpolate)
    sprites = system.spawn_many(balls(world), [(40 * number, 0) for number in range(count)])
    HARM[harm](sprites[0])
    for sprite in sprites[1:]:
        sprite.body.velocity = (0, 60)
    for move in (lambda: world.step(STEP), world.sync, lambda: world.step(STEP)):
        with pytest.raises((ValueError, AttributeError), match=harm):
            move()
    assert [sprite.body.position.y for sprite in sprites[1:]] == [2] * (count - 1)
    assert all(1 <= sprite.position[1] <= 2 for sprite in sprites[1:])


@pytest.mark.parametrize("count", [2, MANY])
def test_what_a_body_is_turned_by_rounding_alone_turns_no_sprite(
    system: PoolingSystem, world: PhysicsWorld, count: int
) -> None:
    ours = system.spawn_many(Prefab(balls(world)), [(40 * n, 0) for n in range(count)])
    for ball in ours:
        ball.body.angle = 1e-9
    ours[1].body.angle = 1.0
    images = [ball.image for ball in ours]
    world.sync()
    turned = [ball.image is not image for ball, image in zip(ours, images, strict=True)]
    assert turned == [number == 1 for number in range(count)]
    assert (ours[0].rotation, ours[1].rotation) == (0, -degrees(1))


def test_a_turned_sprite_whose_body_never_was_is_turned_back(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(Prefab(balls(world)), (0, 0), 45)
    ball.body.angle = 0
    world.sync()
    assert ball.rotation == 0


# -- whatever comes and goes ---------------------------------------------------------------------


class Feet(Ball):
    """Is where its feet are."""

    anchor = "midbottom"


class Crate(Ball):
    """A ball that lies still."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.body.body_type = pymunk.Body.STATIC


class Post(Crate, Feet):
    """One that stands still on its feet."""


def _other_rect(sprite: Any, _: int) -> None:
    if sprite.body.body_type == pymunk.Body.DYNAMIC:
        sprite.rect = pygame.FRect(0, 0, 6, 6)
        sprite.body.activate()  # what rests is looked at when it moves


def _push(sprite: Any, choice: int) -> None:
    if sprite.body.body_type == pymunk.Body.DYNAMIC:
        sprite.body.velocity = (choice, 4)


COME_AND_GO = ["spawn", "spawn", "kill", "kill", "crate", "feet", "post", "stranger", "gone"]
CHANGES: dict[str, Callable[[Any, int], object]] = {
    "turn": lambda sprite, choice: setattr(sprite.body, "angle", choice),
    "move": lambda sprite, choice: setattr(sprite.body, "position", (choice, -9000 - choice)),
    "sleep": lambda sprite, _: setattr(sprite.body, "velocity", (0, 0)),
    "push": _push,
    "turned by hand": lambda sprite, choice: setattr(sprite, "rotation", choice),
    "no rect": lambda sprite, _: setattr(sprite, "rect", None),
    "other rect": _other_rect,
}


class Herd:
    """Sprites whose bodies come and go, fall asleep and turn, with strangers among them."""

    def __init__(self, count: int, *, interpolate: bool = False) -> None:
        self.system = PoolingSystem()
        self.world = PhysicsWorld(interpolate=interpolate)
        self.world.space.sleep_time_threshold = 0.03
        self.kinds = {
            "spawn": Prefab(balls(self.world), name="ball"),
            "crate": Prefab(lambda: Crate(self.world), name="crate"),
            "feet": Prefab(lambda: Feet(self.world), name="feet"),
            "post": Prefab(lambda: Post(self.world), name="post"),
        }
        places = [(number, 90.0 * number) for number in range(count)]
        self.sprites: list[Any] = list(self.system.spawn_many(self.kinds["spawn"], places))
        self.strangers: list[pymunk.Body] = []

    def act(self, deed: str, choice: int, number: int) -> None:
        """Do something to one of them."""
        sprites, strangers, space = self.sprites, self.strangers, self.world.space
        sprite = sprites[choice % len(sprites)]
        if deed in self.kinds:
            sprites.append(self.system.spawn(self.kinds[deed], (choice, -90.0 * number)))
            _push(sprites[-1], choice)
        elif deed == "kill" and len(sprites) > 1:
            sprites.remove(sprite)
            sprite.kill()
        elif deed == "stranger":
            strangers.append(pymunk.Body(1, 1, choice % 3))
            space.add(strangers[-1])
        elif deed == "gone" and strangers:
            space.remove(strangers.pop(choice % len(strangers)))
        elif deed in CHANGES:
            CHANGES[deed](sprite, choice)

    @property
    def shown(self) -> list[object]:
        """Where each sprite is."""
        sprites = [sprite for sprite in self.sprites if sprite.rect is not None]
        return [(*sprite.position, sprite.rotation) for sprite in sprites]

    def check(self) -> None:
        """Check that each is where its body is."""
        for sprite in self.sprites:
            if sprite.rect is not None:
                assert sprite.position == pytest.approx(sprite.body.position, abs=1e-3)
                assert sprite.rotation == pytest.approx(-degrees(sprite.body.angle), abs=1e-4)


deeds_of_a_herd = st.lists(
    st.tuples(st.sampled_from([*COME_AND_GO, *CHANGES]), st.integers(0, 999)),
    min_size=1,
    max_size=40,
)


@settings(max_examples=150)
@given(deeds=deeds_of_a_herd, count=st.sampled_from([3, MANY]), pause=st.integers(1, 6))
def test_sprites_are_where_their_bodies_are_whatever_comes_and_goes(
    deeds: list[tuple[str, int]], count: int, pause: int
) -> None:
    herd = Herd(count)
    for number, (deed, choice) in enumerate(deeds):
        herd.act(deed, choice, number)
        if number % pause == 0:
            herd.world.step(STEP)
            herd.check()


@settings(max_examples=60)
@given(deeds=deeds_of_a_herd, interpolate=st.booleans())
def test_reading_all_bodies_at_once_shows_what_reading_each_shows(
    deeds: list[tuple[str, int]], *, interpolate: bool
) -> None:
    shown: list[list[object]] = []
    for is_known in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chipmunk, "internals_match", lambda is_known=is_known: is_known)
            herd = Herd(18, interpolate=interpolate)
            shown.append([])
            for number, (deed, choice) in enumerate(deeds):
                herd.act(deed, choice, number)
                herd.world.step(0.013)
                shown[-1] += herd.shown
    assert shown[0] == shown[1]


# -- what it costs -------------------------------------------------------------------------------


class Stone(Feet):
    """Counts how often it is moved: a centred sprite may be moved without this being called."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.moves = 0

    def _move_to(self, x: float, y: float, rotation: float) -> None:
        self.moves += 1
        super()._move_to(x, y, rotation)


def test_static_and_sleeping_bodies_cost_nothing_until_they_move(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    world.space.sleep_time_threshold = 0.5
    stone = Prefab(lambda: Stone(world))
    walls, sleepers, awake = (
        system.spawn_many(stone, [(column, 50.0 * row) for row in range(20)])
        for column in (0, 100, 200)
    )
    for wall, sleeper in zip(walls, sleepers, strict=True):
        wall.body.body_type = pymunk.Body.STATIC
        sleeper.body.sleep()

    def moves_in(num_steps: int, crowd: list[Stone]) -> set[int]:
        """Return how often each of a crowd is moved while others come, move and go."""
        for member in crowd:
            member.moves = 0
        for number in range(num_steps):
            newcomer = system.spawn(stone, (900, 0))
            for one in awake:
                one.body.velocity = (60, 0)
            world.step(STEP)
            if number % 2:
                newcomer.kill()
        return {member.moves for member in crowd}

    moves_in(4, awake)
    assert moves_in(5, walls) == moves_in(5, sleepers) == {0}
    assert moves_in(5, awake) == {5}
    walls[3].body.position = (7, 8)
    sleepers[4].body.activate()
    sleepers[4].body.velocity = (60, 0)
    for _ in range(3):
        world.step(STEP)
    assert walls[3].position == (7, 8)
    assert sleepers[4].position[0] > 100
    assert moves_in(1, walls) == {0}
    world.sync()
    assert [wall.moves for wall in walls] == [1] * 20


# -- shown between the last two steps ------------------------------------------------------------


TENTH = 0.1


@pytest.fixture(params=[0, 40], ids=["few bodies", "many bodies"])
def smooth(request: pytest.FixtureRequest, system: PoolingSystem) -> PhysicsWorld:
    """Ten steps a second, alone or in a crowd: bodies are read in two ways."""
    world = PhysicsWorld(timestep=TENTH, interpolate=True)
    crowd = Prefab(balls(world), name="crowd")
    system.spawn_many(crowd, [(100 * number, 5000) for number in range(request.param)])
    return world


def rolling(system: PoolingSystem, smooth: PhysicsWorld) -> Ball:
    ball = system.spawn(balls(smooth), (0, 0))
    ball.body.velocity = (100, 0)
    return ball


def test_sprites_are_shown_between_the_last_two_steps_by_what_is_left_over(
    system: PoolingSystem, smooth: PhysicsWorld
) -> None:
    ball = rolling(system, smooth)
    ball.body.angular_velocity = -1
    shown = []
    for _ in range(8):
        smooth.step(TENTH / 4)
        shown.append(ball.position[0])
    # A step lies 10 pixels further; it is shown a step later, evenly.
    assert shown == pytest.approx([0, 0, 0, 0, 2.5, 5, 7.5, 10], abs=1e-3)
    assert ball.body.position == (20, 0)
    smooth.step(TENTH / 2)
    assert ball.position[0] == pytest.approx(15, abs=1e-3)
    assert ball.rotation == pytest.approx(57.29578 * 0.15, abs=1e-3)


def test_a_body_put_elsewhere_is_not_smeared(system: PoolingSystem, smooth: PhysicsWorld) -> None:
    ball = rolling(system, smooth)
    smooth.step(0.15)
    ball.body.position = (700, 0)
    smooth.step(TENTH / 4)  # no step
    assert ball.position == (700, 0)
    smooth.step(TENTH / 2)  # a step, from there
    assert 700 <= ball.position[0] <= 710
    ball.body.position = (-700, 0)
    smooth.sync()
    assert ball.position == (-700, 0)


@pytest.mark.parametrize(
    ("speed", "moved", "shown"),
    [
        (100, 400, 410),
        (100, 5, 7.5),
        (4000, 0, 200),
    ],
    ids=["a jump", "a path", "a fast body"],
)
def test_only_a_body_that_jumps_inside_the_step_is_not_smeared(
    system: PoolingSystem, smooth: PhysicsWorld, speed: float, moved: float, shown: float
) -> None:
    ball = rolling(system, smooth)
    ball.body.velocity = (speed, 0)

    def move(body: pymunk.Body, dt: float) -> None:
        pymunk.Body.update_position(body, dt)
        body.position += (moved, 0)

    ball.body.position_func = move
    smooth.step(0.15)
    assert ball.position.x == pytest.approx(shown, abs=1e-3)


def test_a_body_that_comes_to_rest_is_shown_where_it_rests_from_the_next_step_on(
    system: PoolingSystem, smooth: PhysicsWorld
) -> None:
    ball, other = rolling(system, smooth), rolling(system, smooth)
    other.body.position = (0, 900)
    smooth.step(0.15)
    assert ball.position == pytest.approx((5, 0), abs=1e-3)
    ball.body.body_type = pymunk.Body.STATIC
    for _ in range(3):
        smooth.step(TENTH)
        assert ball.position == (10, 0)
    ball.body.position = (50, 50)
    other.body.body_type = pymunk.Body.STATIC
    smooth.step(TENTH / 4)  # no step
    assert ball.position == (50, 50)
    assert other.position.x < other.body.position.x == 40
    smooth.step(TENTH)
    assert other.position == (40, 900)


def test_after_errors_nothing_is_interpolated(system: PoolingSystem, smooth: PhysicsWorld) -> None:
    ball = rolling(system, smooth)
    smooth.step(0.15)
    smooth.space.add_post_step_callback(raising(ZeroDivisionError()), 1)
    with pytest.raises(ZeroDivisionError):
        smooth.step(0.2)
    assert tuple(ball.position) == tuple(ball.body.position) == (20, 0)
