"""Three small games, each written three ways: what a player sees is whole frames.

- *Built anew*: plain sprites, dropped when they are over; timers count down in `update`.
- *By hand*: a pool as a careful user writes it (`by_hand`).
- *poolkit*: as its README teaches it, with spawn data, timers of a life and `position`.

A frame begins lives, lets time pass, moves everything and draws it; the flip is left out. All ways
share one image and hold it in float rects. The sparks are the README's first program.
"""

from __future__ import annotations

import itertools
import random
from collections import deque
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks import by_hand as hand
from benchmarks.by_hand import IMAGE
from benchmarks.by_poolkit import Bare, Bodied, pooled, pooled_bodies
from benchmarks.measure import ANEW, BY_HAND, POOLKIT, in_frames
from poolkit import PooledGroup, PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.measure import Work
    from benchmarks.report import Report

ROOT = Path(__file__).parents[2]
DT = 1 / 60  # seconds a frame
WIDTH, HEIGHT, NIGHT = 1280, 720, "midnightblue"
MUZZLE = (640.0, 700.0)
ARRAYS = "numpy arrays"
BY_POSITION = "poolkit, by position"


def _played(
    warm: int, begin: Callable[[], object], *passing: Callable[[float], object], group: Any
) -> Work:
    """Return what plays frames of a game, after some that warm it up."""
    screen = pygame.Surface((WIDTH, HEIGHT))
    passed = [partial(pass_time, DT) for pass_time in passing]
    play = in_frames(begin, *passed, partial(screen.fill, NIGHT), partial(group.draw, screen))
    play(warm)
    return play


# -- things that fly: bullets, sparks ------------------------------------------------------------


def _velocities() -> Iterator[tuple[float, float]]:
    dice = random.Random(1)  # noqa: S311 - the same for all
    return itertools.cycle([(dice.uniform(-150, 150), -350.0) for _ in range(997)])


class _Flying(pygame.sprite.Sprite):
    rect: Any
    velocity: Any

    def update(self, dt: float) -> None:
        self.velocity.y += 400 * dt
        self.rect.move_ip(self.velocity * dt)


class _Ageing(_Flying):
    left: float

    def update(self, dt: float) -> None:
        self.velocity.y += 400 * dt
        self.rect.move_ip(self.velocity * dt)
        self.left -= dt
        if self.left <= 0:
            self.kill()


def shots(  # noqa: C901 - a game, in all its ways
    alive: int, seconds: float, *, timed: bool
) -> dict[str, Work]:
    """Return the ways of a game in which so many fly, each for so long.

    With a timer each, this is the README's first program; without, the game ends the oldest.
    """
    new: pygame.sprite.Group[Any] = pygame.sprite.Group()
    timers, a_frame = hand.HandTimers(), alive * DT / seconds
    capacity = alive + 2 * round(a_frame) + 2

    class New(_Ageing if timed else _Flying):  # type: ignore[misc]  # one of two classes
        left = seconds

        def __init__(self, position: Any, velocity: Any) -> None:
            super().__init__(new)
            self.image = IMAGE
            self.rect = IMAGE.get_frect(center=position)
            self.velocity = pygame.Vector2(velocity)

    class Hand(_Flying, hand.HandSprite):
        def __init__(self) -> None:
            super().__init__()
            self.velocity = pygame.Vector2()

        def spawned(self, velocity: Any) -> None:
            self.velocity.update(velocity)
            if timed:
                timers.after(seconds, self, despawn)

    class Ours(_Flying, Bare):
        def spawned(self, velocity: Any) -> None:
            self.velocity = pygame.Vector2(velocity)
            if timed:
                self.scope.after(seconds, self.kill)

    class Placed(Ours):
        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.position += self.velocity * dt

    def play(
        spawn: Callable[..., Any],
        despawn: Callable[[Any], object],
        group: Any,
        update: Callable[[float], object] = float,
    ) -> Work:
        velocities, owed, flying = _velocities(), 0.0, deque[Any]()

        def begin() -> None:
            nonlocal owed
            owed += a_frame
            while owed >= 1.0:
                owed -= 1.0
                shot = spawn(MUZZLE, velocity=next(velocities))
                if not timed:
                    flying.append(shot)
            while len(flying) > alive:
                despawn(flying.popleft())

        return _played(round(seconds / DT) + 5, begin, update, group.update, group=group)

    def ours(kind: Any) -> Work:
        group = PooledGroup()
        system, spawn = pooled(kind, capacity, group)
        return play(spawn, PooledSprite.kill, group, system.update)

    pool = hand.DataPool(Hand, capacity)
    despawn = pool.despawn
    return {
        POOLKIT: ours(Ours),
        BY_POSITION: ours(Placed),
        BY_HAND: play(pool.spawn, despawn, pool.group, timers.update),
        ANEW: play(New, New.kill, new),
    }


def arrays(seconds: float) -> dict[str, Work]:
    """Return sparks as the page on particles has them: one pooled sprite with arrays of numpy's."""
    if find_spec("numpy") is None:
        return {}
    page = (ROOT / "docs/howto/particles.md").read_text("utf-8")
    program, names = page.split("```python\n")[1].split("```")[0], dict[str, Any]()
    exec(program, names)  # noqa: S102 - our own
    burst, frames = names["burst"], itertools.count()
    burst.dot, begun = IMAGE, (burst.places.copy(), burst.velocities.copy())

    def begin() -> None:
        if next(frames) % round(seconds / DT) == 0:
            burst.places[:], burst.velocities[:] = begun

    return {ARRAYS: _played(30, begin, burst.update, group=burst)}


# -- bodies: a contact of two balls ends one of them ---------------------------------------------

BALL, WALLS = 1, ((0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT), (0, 0))


class _Ball(Bodied):
    def spawned(self, velocity: Any) -> None:
        self.body.velocity = velocity


def _ours(capacity: int) -> hand.Bodies:
    balls = pooled_bodies(capacity, _Ball, BALL)

    def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        sprite = balls.world.sprite_of(arbiter.shapes[0])
        if sprite is not None:
            sprite.kill()

    balls.world.on_collision(BALL, BALL, begin=struck)
    return balls


def _theirs(balls: hand.Bodies) -> hand.Bodies:
    def spawn(position: Any, velocity: Any) -> None:
        balls.spawn(position).body.velocity = velocity

    def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        one, other = arbiter.shapes
        if one.sprite.alive() and other.sprite.alive():
            balls.despawn(one.sprite)

    balls.world.on_collision(BALL, BALL, begin=struck)
    return balls._replace(spawn=spawn)


def bodies(alive: int, begun: dict[str, list[int]]) -> dict[str, Work]:
    """Return the ways of a game with physics, in which collisions end lives.

    A frame begins as many balls as the last one ended, and notes in `begun` how many.
    """
    capacity = alive * 6 // 5

    def played(balls: hand.Bodies, counts: list[int]) -> Work:
        space: pymunk.Space = getattr(balls.world, "space", balls.world)
        for start, end in itertools.pairwise(WALLS):
            wall = pymunk.Segment(space.static_body, start, end, 20)
            wall.elasticity = 1.0
            space.add(wall)
        dice = random.Random(1)  # noqa: S311 - the same for all

        def begin() -> None:
            missing = alive - len(balls.group)
            counts.append(missing)
            for _ in range(missing):
                place = (dice.uniform(30, WIDTH - 30), dice.uniform(30, HEIGHT - 30))
                balls.spawn(place, velocity=(dice.uniform(-68, 68), dice.uniform(-68, 68)))

        play = _played(30, begin, balls.update, balls.step, group=balls.group)
        counts.clear()
        return play

    begun |= {POOLKIT: [], BY_HAND: [], ANEW: []}
    games = _ours(capacity), _theirs(hand.bodies(capacity, BALL)), _theirs(hand.bodies(0, BALL))
    return {way: played(game, begun[way]) for way, game in zip(begun, games, strict=True)}


def run(report: Report) -> None:
    """Measure whole frames of each game."""
    few, some, many = map(report.size, (2_000, 3_000, 20_000))
    begun: dict[str, list[int]] = {}
    flying = f"{some:,} bullets with data"
    report.contest(flying, shots(some, 1 / 3, timed=False), 5, samples=100, bar=(1.1, 0.9))
    timed = f"{flying} and a timer each"
    report.contest(timed, shots(some, 1 / 3, timed=True), 5, samples=100, bar=(1.1, 0.9))
    kills = f"{few:,} bodies with collision kills"
    report.contest(kills, bodies(few, begun), 5, samples=100, bar=(0.9, 0.8))
    counts = ", ".join(f"{way} {sum(each) / len(each):.1f}" for way, each in begun.items())
    print(f"  kills a frame: {counts}")
    sparks = shots(many, 0.5, timed=True) | arrays(0.5)
    report.contest(f"{many:,} sparks", sparks, 5, samples=100)
