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
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks import by_hand as hand
from benchmarks.by_hand import IMAGE
from benchmarks.by_poolkit import Bare, Bodied, pooled, pooled_bodies
from benchmarks.measure import ANEW, BY_HAND, CLOCK_NAME, POOLKIT, contest
from benchmarks.report import Report, Verdict, bracketed, table
from poolkit import PooledGroup, PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from benchmarks.measure import Work

QUICK = {"turns": 1, "frames": 3, "part": 0.02}

DT = 1 / 60  # seconds a frame
WIDTH, HEIGHT, NIGHT = 1280, 720, "midnightblue"
MUZZLE = (640.0, 700.0)
ARRAYS = "numpy arrays"
BY_POSITION = "poolkit, moved by position"

BULLETS, TIMED = "{:,} bullets with data", "{:,} bullets with data and a timer each"
BODIES, SPARKS = "{:,} bodies with collision kills", "{:,} sparks"


def _played(
    begin: Callable[[], object], passing: Iterable[Callable[[float], object]], group: Any, warm: int
) -> Work:
    """Return what plays a frame of a game, after some that warm it up."""
    screen = pygame.Surface((WIDTH, HEIGHT))

    def frame(_frames: int = 1) -> None:
        begin()
        for pass_time in passing:
            pass_time(DT)
        screen.fill(NIGHT)
        group.draw(screen)

    for _ in range(warm):
        frame()
    return frame


# -- things that fly: bullets, sparks ------------------------------------------------------------


def _velocities() -> Iterator[tuple[float, float]]:
    dice = random.Random(1)  # noqa: S311 - the same for all
    return itertools.cycle([(dice.uniform(-150, 150), -350.0) for _ in range(997)])


def _shooting(  # noqa: PLR0913 - what a game is made of
    spawn: Callable[..., Any],
    despawn: Callable[[Any], object],
    group: Any,
    update: Callable[[float], object] = float,
    *,
    alive: int,
    seconds: float,
    timed: bool,
) -> Work:
    """Return a game in which so many are alive, each for so long."""
    velocities, owed = _velocities(), 0.0
    a_frame, flying = alive * DT / seconds, deque[Any]()

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

    return _played(begin, (update, group.update), group, round(seconds / DT) + 5)


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


def shots(alive: int, seconds: float, *, timed: bool) -> dict[str, Work]:
    """Return the ways of a game of things that fly.

    With a timer each, this is the README's first program; without, the game ends the oldest.
    """
    new: pygame.sprite.Group[Any] = pygame.sprite.Group()
    timers, capacity = hand.HandTimers(), alive + 2 * round(alive * DT / seconds) + 2

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

    play = partial(_shooting, alive=alive, seconds=seconds, timed=timed)

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


def arrays(alive: int, seconds: float) -> dict[str, Work]:
    """Return sparks without a sprite each: one pooled emitter, whose particles are arrays."""
    if find_spec("numpy") is None:
        return {}
    import numpy as np  # noqa: PLC0415 - a game's to install

    class Emitter(PooledSprite):
        def spawned(self, position: Any) -> None:
            self.places = np.tile(np.array([position]).T, alive)
            self.velocities = np.zeros((2, alive))
            self.oldest = 0

        def emit(self, position: Any, velocities: Any) -> None:
            which = (self.oldest + np.arange(len(velocities))) % alive
            self.places[:, which] = np.array([position]).T
            self.velocities[:, which] = np.array(velocities).T
            self.oldest = (self.oldest + len(velocities)) % alive

        def update(self, dt: float) -> None:
            self.velocities[1] += 400 * dt
            self.places += self.velocities * dt

        def draw(self, surface: pygame.Surface) -> None:
            xs, ys = self.places.tolist()  # two lists; a pair a particle would wake the collector
            surface.fblits(zip(itertools.repeat(IMAGE), zip(xs, ys, strict=True), strict=False))

    _, spawn = pooled(Emitter, 1)
    emitter, velocities, a_frame = spawn(MUZZLE), _velocities(), round(alive * DT / seconds)

    def begin() -> None:
        emitter.emit(MUZZLE, list(itertools.islice(velocities, a_frame)))

    return {ARRAYS: _played(begin, [emitter.update], emitter, round(seconds / DT))}


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


def bodies(alive: int, begun: Mapping[str, list[int]]) -> dict[str, Work]:
    """Return the ways of a game with physics, in which collisions end lives.

    A frame begins as many balls as the last one ended, and notes in `begun` how many.
    """
    capacity = alive * 6 // 5
    ways = {
        POOLKIT: _ours(capacity),
        BY_HAND: _theirs(hand.pooled_bodies(capacity, BALL)),
        ANEW: _theirs(hand.built_bodies(BALL)),
    }
    found = {}
    for way, (spawn, _, *passing, group, world) in ways.items():
        space: pymunk.Space = getattr(world, "space", world)
        for start, end in itertools.pairwise(WALLS):
            wall = pymunk.Segment(space.static_body, start, end, 20)
            wall.elasticity = 1.0
            space.add(wall)
        dice = random.Random(1)  # noqa: S311 - the same for all
        begin = partial(_begin_balls, spawn, group, alive, begun[way], dice)
        found[way] = _played(begin, passing, group, 30)
        begun[way].clear()
    return found


def _begin_balls(
    spawn: Callable[..., object], group: Any, alive: int, begun: list[int], dice: random.Random
) -> None:
    missing = alive - len(group)
    begun.append(missing)
    for _ in range(missing):
        place = (dice.uniform(30, WIDTH - 30), dice.uniform(30, HEIGHT - 30))
        spawn(place, velocity=(dice.uniform(-68, 68), dice.uniform(-68, 68)))


# -- the benchmark -------------------------------------------------------------------------------


def run(*, turns: int = 5, frames: int = 100, part: float = 1.0) -> Report:
    """Measure whole frames of each game."""
    few, some, many = (round(part * count) for count in (2_000, 3_000, 20_000))
    begun: dict[str, list[int]] = {POOLKIT: [], BY_HAND: [], ANEW: []}
    games: dict[str, tuple[Callable[[], dict[str, Work]], tuple[float, float] | None]] = {
        BULLETS.format(some): (lambda: shots(some, 1 / 3, timed=False), (1.1, 0.9)),
        TIMED.format(some): (lambda: shots(some, 1 / 3, timed=True), (1.1, 0.9)),
        BODIES.format(few): (lambda: bodies(few, begun), (0.9, 0.8)),
        SPARKS.format(many): (lambda: shots(many, 0.5, timed=True) | arrays(many, 0.5), None),
    }
    found, shown, verdicts = {}, {}, []
    for name, (ways, bar) in games.items():
        outcome = contest(ways(), turns=turns, samples=frames)
        found[name] = outcome.figures()
        shown[name] = {way: outcome.samples(way) for way in outcome.turns}
        if bar:
            takes = found[name][BY_HAND]["ours takes"][1]
            verdicts.append(Verdict(f"{name}: poolkit to by hand", takes, *bar))
    kills = {way: round(sum(each) / len(each), 1) for way, each in begun.items()}
    text = [
        f"{CLOCK_NAME} a frame, {turns} x {frames} frames of each way in turns",
        f"\n{frames_as_text(found)}\n",
        "kills a frame: " + ", ".join(f"{way} {count}" for way, count in kills.items()),
    ]
    if find_spec("numpy") is None:
        text.append("not measured: sparks as arrays, for numpy is not installed")
    figures = {
        "sizes": {"turns": turns, "frames": frames},
        "games": found,
        "kills a frame": kills,
        "frames, microseconds": shown,
    }
    return Report(figures, "\n".join(text), verdicts)


def frames_as_text(games: Mapping[str, Any]) -> str:
    """Return a table of the frames of some games."""
    parts = ("median", "worst 1 %")
    rows = [["a frame of", "way", *(f"{part} ms" for part in parts), "collections"]]
    rows[0].append("poolkit takes of it")
    for name, ways in games.items():
        for way, figures in ways.items():
            times = [f"{figures[part] / 1000:.2f}" for part in parts]
            takes = bracketed(figures["ours takes"]) if "ours takes" in figures else ""
            shown = name if way == POOLKIT else ""
            rows.append([shown, way, *times, str(figures["collections"]), takes])
    return table(rows)
