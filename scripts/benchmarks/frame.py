"""Five thousand moving bodies onto the screen: the usual loop and `Group.draw`, and poolkit.

What is told is what a frame takes above the bare `space.step`: of both, the step of a third space
with equal bodies is taken off, frame by frame. All show the same: small images of bodies that
pass through each other, each in its own direction.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from benchmarks import by_hand as hand
from benchmarks import by_poolkit
from benchmarks.measure import CLOCK_NAME, POOLKIT, Contest, contest
from benchmarks.report import Report, Verdict, bracketed, table

if TYPE_CHECKING:
    from benchmarks.measure import Work

QUICK = {"bodies": 100, "turns": 1, "frames": 4}

WIDTH, HEIGHT, MARGIN = 1280, 720, 80  # pixels
STEP, SPEED, TURN = 1 / 60, 30.0, 2.0  # seconds, pixels and radians a second
USUAL, BARE = "the usual loop", "the bare step"
LIVES = 10  # a frame


def ways(bodies: int, lives: int, spin: float) -> dict[str, Work]:
    """Return the ways of frames in which so many lives begin and end."""
    ours = by_poolkit.pooled_bodies(bodies + 2 * lives)
    theirs, bare = (hand.pooled_bodies(bodies + lives) for _ in range(2))
    if spin:
        theirs = theirs._replace(step=partial(_turning, theirs))
    bare = bare._replace(step=bare.world.step, group=None)
    found = {POOLKIT: (ours, lives), USUAL: (theirs, lives), BARE: (bare, 0)}
    return {name: _playing(bodies, spin, *way) for name, way in found.items()}


def _turning(way: hand.Bodies, dt: float) -> None:
    way.world.step(dt)
    for sprite in way.group:
        body = sprite.body
        sprite.image = pygame.transform.rotate(hand.IMAGE, -math.degrees(body.angle))
        sprite.rect = sprite.image.get_frect(center=body.position)


def _playing(bodies: int, spin: float, way: hand.Bodies, lives: int) -> Work:
    spawn, despawn, update, step, group, _ = way
    numbers, screen = itertools.count(), pygame.Surface((WIDTH, HEIGHT))

    def begin() -> Any:
        number = next(numbers)
        sprite = spawn(_place(number, bodies))
        body, way = sprite.body, 2.399963 * number  # radians: no two neighbours go the same way
        body.velocity = SPEED * math.cos(way), SPEED * math.sin(way)
        if spin:
            body.angular_velocity = spin * math.sin(way)
        return sprite

    alive = deque(begin() for _ in range(bodies))

    def play(frames: int) -> None:
        for _ in range(frames):
            for _ in range(lives):
                despawn(alive.popleft())
                alive.append(begin())
            update(STEP)
            step(STEP)
            if group is not None:
                group.draw(screen)

    return play


def _place(number: int, bodies: int) -> tuple[float, float]:
    columns = math.ceil(math.sqrt(bodies * WIDTH / HEIGHT))
    row, column = divmod(number % bodies, columns)
    across, down = (WIDTH - 2 * MARGIN) / columns, (HEIGHT - 2 * MARGIN) * columns / bodies
    return MARGIN + across * column, MARGIN + down * row


def run(*, bodies: int = 5_000, turns: int = 5, frames: int = 40) -> Report:
    """Measure whole frames, and take the bare step off."""
    kinds = {
        "moving": (0, 0.0),
        f"moving, {LIVES} lives begin and end": (LIVES, 0.0),
        "moving and turning": (0, TURN),
    }
    found, verdicts, what = {}, [], f"{bodies:,} bodies onto the screen"
    rows = [["milliseconds a frame", POOLKIT, USUAL, BARE, "poolkit is so many times as fast"]]
    for name, (lives, spin) in kinds.items():
        outcome = contest(ways(bodies, lives, spin), turns=turns, samples=frames)
        step = outcome.samples(BARE)
        above = {
            way: [whole - bare for whole, bare in zip(outcome.samples(way), step, strict=True)]
            for way in (POOLKIT, USUAL)
        }
        fast = Contest({way: [times] for way, times in above.items()}, {}).ratio(USUAL, to=POOLKIT)
        medians = {way: statistics.median(times) for way, times in {**above, BARE: step}.items()}
        found[name] = {**medians, "times as fast": fast}
        rows.append([name, *(f"{each / 1000:.2f}" for each in medians.values()), bracketed(fast)])
        if not spin:
            told = f"{what}, {name}: {USUAL} to {POOLKIT}"
            verdicts.append(Verdict(told, fast[1], at_least=3.0, aim=5))
    text = (
        f"{what}, less the bare step: {CLOCK_NAME}, medians\n"
        f"of {turns} x {frames} frames of each way in turns\n\n{table(rows)}"
    )
    figures = {"bodies": bodies, "turns": turns, "frames": frames, "sprites": found}
    return Report(figures, text, verdicts)
