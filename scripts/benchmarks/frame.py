"""Five thousand moving bodies onto the screen: the usual loop and `Group.draw`, and poolkit.

The physics step is left out: it is the same for both, and takes place between the measurements.
Both show the same: small images of bodies that pass through each other, each in its own direction.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks.measure import CLOCK, CLOCK_NAME, Contest
from benchmarks.verdict import Verdict
from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["QUICK", "as_text", "run", "verdicts"]

QUICK = {"bodies": 100, "rounds": 4}

WIDTH, HEIGHT, MARGIN = 1280, 720, 80  # pixels
SIDE = 8  # pixels of an image
STEP = 1 / 60  # seconds
SPEED, TURN = 60.0, 2.0  # pixels and radians a second
GOLDEN = 2.399963  # radians between the directions of two neighbours: no two go the same way

POOLKIT, USUAL = "poolkit", "the usual loop"
MOVE, DRAW, BOTH = "move", "draw", "move and draw"
STRAIGHT, TURNING = "moving", "moving and turning"


class Mover(pygame.sprite.Sprite):
    """A sprite as most games have it."""

    def __init__(self, space: pymunk.Space, image: pygame.Surface) -> None:
        """Build it, and put it into the space."""
        super().__init__()
        self.upright = self.image = image
        self.rect: pygame.Rect = image.get_rect()
        self.body, shape = _new_body()
        space.add(self.body, shape)


class PooledMover(PooledSprite):
    """The same for poolkit."""

    def __init__(self, world: PhysicsWorld, image: pygame.Surface) -> None:
        """Build it."""
        super().__init__(image)
        self.body, shape = _new_body()
        self.add_component(RigidBody(world, self.body, shape))


def _new_body() -> tuple[pymunk.Body, pymunk.Circle]:
    body = pymunk.Body(1.0, 1.0)
    shape = pymunk.Circle(body, SIDE / 2)
    shape.filter = pymunk.ShapeFilter(group=1)
    return body, shape


def run(*, bodies: int = 5_000, rounds: int = 60) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    return {
        "bodies": bodies,
        "rounds": rounds,
        "sprites": {
            name: _figures(_contest(bodies, rounds, turning=name == TURNING))
            for name in (STRAIGHT, TURNING)
        },
    }


def _contest(bodies: int, rounds: int, *, turning: bool) -> Contest:
    """Show a round's frame in both ways, in turns; the world moves on in between."""
    screen = pygame.Surface((WIDTH, HEIGHT))
    image = pygame.Surface((SIDE, SIDE))
    space, world = pymunk.Space(), PhysicsWorld()
    usual, ours = _usual_frame(space, image, bodies, turning), _our_frame(world, image, bodies)
    for each in (space, world.space):
        _set_going(each, turning=turning)
    times: dict[str, list[float]] = {f"{who}: {part}": [] for who, part in _parts()}
    for number in range(-1, rounds):  # one more, to warm up
        space.step(STEP)
        world.space.step(STEP)
        turns = [(USUAL, usual), (POOLKIT, ours)]
        for who, (move, draw) in turns if number % 2 else reversed(turns):
            began = CLOCK()
            move()
            moved = CLOCK()
            draw(screen)
            drawn = CLOCK()
            if number >= 0:
                times[f"{who}: {MOVE}"].append(moved - began)
                times[f"{who}: {DRAW}"].append(drawn - moved)
                times[f"{who}: {BOTH}"].append(drawn - began)
    return Contest(times)


def _parts() -> list[tuple[str, str]]:
    return [(who, part) for who in (USUAL, POOLKIT) for part in (MOVE, DRAW, BOTH)]


Frame = tuple["Callable[[], object]", "Callable[[pygame.Surface], object]"]


def _usual_frame(space: pymunk.Space, image: pygame.Surface, bodies: int, turning: bool) -> Frame:  # noqa: FBT001 - private
    group: pygame.sprite.Group[Mover] = pygame.sprite.Group()
    for number in range(bodies):
        mover = Mover(space, image)
        mover.body.position = _place(number, bodies)
        group.add(mover)

    def move() -> None:
        for sprite in group:
            sprite.rect.center = sprite.body.position

    def move_and_turn() -> None:
        for sprite in group:
            body = sprite.body
            sprite.image = pygame.transform.rotate(sprite.upright, -math.degrees(body.angle))
            sprite.rect = sprite.image.get_rect(center=body.position)

    return (move_and_turn if turning else move), group.draw


def _our_frame(world: PhysicsWorld, image: pygame.Surface, bodies: int) -> Frame:
    group = PooledGroup()
    prefab = Prefab(
        partial(PooledMover, world, image),
        groups=[group],
        settings=PoolSettings(prespawn=bodies),
    )
    PoolingSystem().spawn_many(prefab, [_place(number, bodies) for number in range(bodies)])
    return world.sync, group.draw


def _place(number: int, bodies: int) -> tuple[float, float]:
    columns = math.ceil(math.sqrt(bodies * WIDTH / HEIGHT))
    rows = math.ceil(bodies / columns)
    row, column = divmod(number, columns)
    across, down = (WIDTH - 2 * MARGIN) / columns, (HEIGHT - 2 * MARGIN) / rows
    return MARGIN + across * column, MARGIN + down * row


def _set_going(space: pymunk.Space, *, turning: bool) -> None:
    for number, body in enumerate(space.bodies):
        body.velocity = pymunk.Vec2d.from_polar(SPEED, GOLDEN * number)
        if turning:
            body.angular_velocity = TURN * math.sin(GOLDEN * number)


def _figures(outcome: Contest) -> dict[str, Any]:
    ratios = {
        part: outcome.ratio(f"{USUAL}: {part}", to=f"{POOLKIT}: {part}")
        for part in (MOVE, DRAW, BOTH)
    }
    return {
        "milliseconds": {
            name: round(outcome.nanoseconds(name) / 1e6, 3) for name in outcome.rounds
        },
        "p99, milliseconds": {name: round(outcome.p99(name) / 1e6, 3) for name in outcome.rounds},
        f"to {POOLKIT}": {
            part: [round(value, 3) for value in ratio] for part, ratio in ratios.items()
        },
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    return [
        Verdict(
            what=f"{results['bodies']:,} bodies onto the screen, the usual loop to poolkit",
            figure=results["sprites"][STRAIGHT][f"to {POOLKIT}"][BOTH][1],
            at_least=3.0,
            aim=5,
        )
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    heading = (
        f"{results['bodies']:,} bodies of {SIDE} x {SIDE} pixels onto the screen, the step left "
        f"out; milliseconds of {CLOCK_NAME},\n"
        f"medians and p99 of {results['rounds']} rounds (quartiles in brackets)"
    )
    lines = [heading]
    for name, figures in results["sprites"].items():
        lines += ["", f"{name:<20}{USUAL:>16}{'p99':>8}{POOLKIT:>10}{'p99':>8}   times as fast"]
        for part, (low, middle, high) in figures[f"to {POOLKIT}"].items():
            times = [
                figures[what][f"{who}: {part}"]
                for who in (USUAL, POOLKIT)
                for what in ("milliseconds", "p99, milliseconds")
            ]
            cells = "{:>16.2f}{:>8.2f}{:>10.2f}{:>8.2f}".format(*times)
            lines.append(f"  {part:<18}{cells}   {middle:.2f}  [{low:.2f} - {high:.2f}]")
    return "\n".join(lines)
