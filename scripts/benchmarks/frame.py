"""Five thousand moving bodies onto the screen: the usual loop and `Group.draw`, and poolkit.

What is judged is what a frame takes above the bare `space.step`: of both, the step of a third
space with equal bodies is taken off, frame by frame. All show the same: small images of bodies
that pass through each other, each in its own direction.
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
from benchmarks.measure import POOLKIT, in_frames

if TYPE_CHECKING:
    from benchmarks.measure import Work
    from benchmarks.report import Report

WIDTH, HEIGHT, MARGIN = 1280, 720, 80  # pixels
STEP, SPEED = 1 / 60, 30.0  # seconds, pixels a second
USUAL, BARE = "the usual loop", "the bare step"
A_FRAME = 10  # lives that begin and end


def _playing(bodies: int, lives: int, way: hand.Bodies, *, drawn: bool = True) -> Work:
    columns = math.ceil(math.sqrt(bodies * WIDTH / HEIGHT))
    across, down = (WIDTH - 2 * MARGIN) / columns, (HEIGHT - 2 * MARGIN) * columns / bodies
    numbers = itertools.count()

    def begin() -> Any:
        number = next(numbers)
        row, column = divmod(number % bodies, columns)
        sprite = way.spawn((MARGIN + across * column, MARGIN + down * row))
        angle = 2.399963 * number  # radians: no two neighbours go the same way
        sprite.body.velocity = SPEED * math.cos(angle), SPEED * math.sin(angle)
        return sprite

    alive = deque(begin() for _ in range(bodies))

    def turn_over() -> None:
        for _ in range(lives):
            way.despawn(alive.popleft())
            alive.append(begin())

    draw = [partial(way.group.draw, pygame.Surface((WIDTH, HEIGHT)))] if drawn else []
    return in_frames(turn_over, partial(way.update, STEP), partial(way.step, STEP), *draw)


def run(report: Report) -> None:
    """Measure whole frames, and judge them less the bare step, frame by frame."""
    bodies = report.size(5_000)
    for lives in (0, A_FRAME):
        theirs, bare = (hand.bodies(bodies + lives) for _ in range(2))
        bare = bare._replace(step=bare.world.step)
        ways = {
            POOLKIT: _playing(bodies, lives, by_poolkit.pooled_bodies(bodies + 2 * lives)),
            USUAL: _playing(bodies, lives, theirs),
            BARE: _playing(bodies, 0, bare, drawn=False),
        }
        name = f"{bodies:,} moving bodies onto the screen, {lives} lives begin and end"
        frames = map(report.contest(name, ways, 5, samples=40).samples, (USUAL, POOLKIT, BARE))
        fast = [(one - bare) / (other - bare) for one, other, bare in zip(*frames, strict=True)]
        what = f"{name}, less the bare step: {USUAL} to {POOLKIT}"
        report.hold(what, statistics.median(fast), (3.0, 5.0), at_least=True)
