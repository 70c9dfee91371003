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

from benchmarks.by_hand import IMAGE, BodyPool, BodySprite
from benchmarks.lives import Bodied
from benchmarks.measure import CLOCK_NAME, POOLKIT, Contest, contest
from benchmarks.report import Verdict, bracketed, table
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.measure import Work

QUICK = {"bodies": 100, "turns": 1, "frames": 4}

WIDTH, HEIGHT, MARGIN = 1280, 720, 80  # pixels
STEP, SPEED, TURN = 1 / 60, 30.0, 2.0  # seconds, pixels and radians a second
USUAL, BARE = "the usual loop", "the bare step"
MOVING, COMING, TURNING = "moving", "moving, {} lives begin and end", "moving and turning"
LIVES = 10  # a frame


def _place(number: int, bodies: int) -> tuple[float, float]:
    columns = math.ceil(math.sqrt(bodies * WIDTH / HEIGHT))
    row, column = divmod(number % bodies, columns)
    across, down = (WIDTH - 2 * MARGIN) / columns, (HEIGHT - 2 * MARGIN) * columns / bodies
    return MARGIN + across * column, MARGIN + down * row


def _playing(  # noqa: PLR0913, PLR0917 - what a frame is made of
    bodies: int,
    lives: int,
    spin: float,
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

    def frame(_pieces: int = 1) -> None:
        for _ in range(lives):
            despawn(alive.popleft())
            alive.append(begin())
        show()

    return frame


def _usual(
    play: Callable[..., Work], bodies: int, screen: pygame.Surface, *, turning: bool
) -> Work:
    space = pymunk.Space()
    pool = BodyPool(BodySprite, bodies + LIVES, space)
    group = pool.group

    def show() -> None:
        space.step(STEP)
        for sprite in group:
            sprite.rect.center = sprite.body.position
        group.draw(screen)

    def show_turned() -> None:
        space.step(STEP)
        for sprite in group:
            body = sprite.body
            sprite.image = pygame.transform.rotate(IMAGE, -math.degrees(body.angle))
            sprite.rect = sprite.image.get_frect(center=body.position)
        group.draw(screen)

    return play(pool.spawn, pool.despawn, show_turned if turning else show)


def _ours(play: Callable[..., Work], bodies: int, screen: pygame.Surface) -> Work:
    world, group, system = PhysicsWorld(), PooledGroup(), PoolingSystem()
    settings = PoolSettings(prespawn=bodies + 2 * LIVES)
    prefab = Prefab(partial(Bodied, world), groups=[group], settings=settings)

    def show() -> None:
        system.update(STEP)
        world.step(STEP)
        group.draw(screen)

    return play(partial(system.spawn, prefab), Bodied.kill, show)


def _bare(play: Callable[..., Work], bodies: int) -> Work:
    space = pymunk.Space()
    pool = BodyPool(BodySprite, bodies, space)
    return play(pool.spawn, pool.despawn, partial(space.step, STEP))


def run(*, bodies: int = 5_000, turns: int = 5, frames: int = 40) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    screen = pygame.Surface((WIDTH, HEIGHT))
    found = {}
    for name, lives, spin in (
        (MOVING, 0, 0.0),
        (COMING.format(LIVES), LIVES, 0.0),
        (TURNING, 0, TURN),
    ):
        play = partial(_playing, bodies, lives, spin)
        ways = {
            POOLKIT: _ours(play, bodies, screen),
            USUAL: _usual(play, bodies, screen, turning=bool(spin)),
            BARE: _bare(partial(_playing, bodies, 0, spin), bodies),
        }
        found[name] = _above_the_step(contest(ways, turns=turns, samples=frames))
    return {"bodies": bodies, "turns": turns, "frames": frames, "sprites": found}


def _above_the_step(outcome: Contest) -> dict[str, Any]:
    step = outcome.samples(BARE)
    above = {
        name: [whole - bare for whole, bare in zip(outcome.samples(name), step, strict=True)]
        for name in (POOLKIT, USUAL)
    }
    return {
        **{name: statistics.median(times) for name, times in above.items()},
        BARE: statistics.median(step),
        "times as fast": Contest({name: [times] for name, times in above.items()}, {}).ratio(
            USUAL, to=POOLKIT
        ),
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    return [
        Verdict(
            what=f"{results['bodies']:,} bodies onto the screen, {name}: {USUAL} to {POOLKIT}",
            figure=results["sprites"][name]["times as fast"][1],
            at_least=3.0,
            aim=5,
        )
        for name in (MOVING, COMING.format(LIVES))
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    rows = [["milliseconds a frame", POOLKIT, USUAL, BARE, "poolkit is so many times as fast"]]
    for name, figures in results["sprites"].items():
        times = [f"{figures[way] / 1000:.2f}" for way in (POOLKIT, USUAL, BARE)]
        rows.append([name, *times, bracketed(figures["times as fast"])])
    return (
        f"{results['bodies']:,} bodies onto the screen, less the bare step: {CLOCK_NAME}, medians\n"
        f"of {results['turns']} x {results['frames']} frames of each way in turns\n\n{table(rows)}"
    )
