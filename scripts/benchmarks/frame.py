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
import pymunk

from benchmarks.by_hand import IMAGE, BodyPool, BodySprite, stepping
from benchmarks.by_poolkit import Bodied, pooled
from benchmarks.measure import CLOCK_NAME, POOLKIT, Contest, contest
from benchmarks.report import Report, Verdict, bracketed, table
from poolkit import PooledGroup
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measure import Work

QUICK = {"bodies": 100, "turns": 1, "frames": 4}

WIDTH, HEIGHT, MARGIN = 1280, 720, 80  # pixels
STEP, SPEED, TURN = 1 / 60, 30.0, 2.0  # seconds, pixels and radians a second
USUAL, BARE = "the usual loop", "the bare step"
LIVES = 10  # a frame


def ways(bodies: int, lives: int, spin: float) -> dict[str, Work]:
    """Return the ways of frames in which so many lives begin and end."""
    screen, world, group = pygame.Surface((WIDTH, HEIGHT)), PhysicsWorld(), PooledGroup()
    system, spawn = pooled(partial(Bodied, world), bodies + 2 * lives, group)
    pool, bare = (BodyPool(BodySprite, bodies + lives, space=pymunk.Space()) for _ in range(2))
    follow = stepping(pool.space, pool.group)

    def ours() -> None:
        system.update(STEP)
        world.step(STEP)
        group.draw(screen)

    def usual() -> None:
        if spin:
            pool.space.step(STEP)
            for sprite in pool.group:
                body = sprite.body
                sprite.image = pygame.transform.rotate(IMAGE, -math.degrees(body.angle))
                sprite.rect = sprite.image.get_frect(center=body.position)
        else:
            follow(STEP)
        pool.group.draw(screen)

    play = partial(_playing, bodies, spin)
    return {
        POOLKIT: play(lives, spawn, Bodied.kill, ours),
        USUAL: play(lives, pool.spawn, pool.despawn, usual),
        BARE: play(0, bare.spawn, bare.despawn, partial(bare.space.step, STEP)),
    }


def _playing(  # noqa: PLR0913, PLR0917 - what a frame is made of
    bodies: int,
    spin: float,
    lives: int,
    spawn: Callable[[Any], Any],
    despawn: Callable[[Any], object],
    show: Callable[[], object],
) -> Work:
    numbers = itertools.count()

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
            show()

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
