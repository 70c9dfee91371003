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

from benchmarks.by_hand import (
    IMAGE,
    BodyPool,
    BodySprite,
    DataPool,
    HandSprite,
    HandTimers,
    new_body,
)
from benchmarks.measure import ANEW, BY_HAND, CLOCK_NAME, POOLKIT, contest
from benchmarks.report import Verdict, bracketed, table
from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from benchmarks.measure import Work

QUICK = {"turns": 1, "frames": 3, "part": 0.02}

DT = 1 / 60  # seconds a frame
WIDTH, HEIGHT, NIGHT = 1280, 720, "midnightblue"
MUZZLE = (640.0, 700.0)
ARRAYS = "numpy arrays"
BY_POSITION = "poolkit, moved by position"

BULLETS, TIMED = "{:,} bullets with data", "{:,} bullets with data and a timer each"
BODIES, SPARKS = "{:,} bodies with collision kills", "{:,} sparks"


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
    """Return what plays a frame of a game in which so many are alive, each for so long."""
    screen, velocities, owed = pygame.Surface((WIDTH, HEIGHT)), _velocities(), 0.0
    a_frame, flying = alive * DT / seconds, deque[Any]()

    def frame(_pieces: int = 1) -> None:
        nonlocal owed
        owed += a_frame
        while owed >= 1.0:
            owed -= 1.0
            shot = spawn(MUZZLE, velocity=next(velocities))
            if not timed:
                flying.append(shot)
        while len(flying) > alive:
            despawn(flying.popleft())
        update(DT)
        group.update(DT)
        screen.fill(NIGHT)
        group.draw(screen)

    for _ in range(round(seconds / DT) + 5):
        frame()
    return frame


def _ours(kind: Any, group: Any, capacity: int) -> tuple[PoolingSystem, Callable[..., Any]]:
    system, settings = PoolingSystem(), PoolSettings(prespawn=capacity)
    prefab = Prefab(kind, groups=[group], settings=settings)
    system.register(prefab)
    return system, partial(system.spawn, prefab)


def shots(  # noqa: C901 - three programs side by side, each with a timer and without
    alive: int, seconds: float, *, timed: bool
) -> dict[str, Work]:
    """Return the ways of a game of things that fly: bullets, sparks.

    With a timer each, this is the README's first program; without, the game ends the oldest.
    """
    new: pygame.sprite.Group[Any] = pygame.sprite.Group()

    class New(pygame.sprite.Sprite):
        rect: pygame.FRect

        def __init__(self, position: Any, velocity: Any) -> None:
            super().__init__(new)
            self.image = IMAGE
            self.rect = IMAGE.get_frect(center=position)
            self.velocity = pygame.Vector2(velocity)

        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.rect.move_ip(self.velocity * dt)

    class NewTimed(New):
        left = seconds

        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.rect.move_ip(self.velocity * dt)
            self.left -= dt
            if self.left <= 0:
                self.kill()

    class Hand(HandSprite):
        def __init__(self) -> None:
            super().__init__()
            self.velocity = pygame.Vector2()

        def spawned(self, _position: Any, velocity: Any) -> None:
            self.velocity.update(velocity)

        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.rect.move_ip(self.velocity * dt)

    class HandTimed(Hand):
        def spawned(self, _position: Any, velocity: Any) -> None:
            self.velocity.update(velocity)
            timers.after(seconds, self, despawn)

    class Ours(PooledSprite):
        def __init__(self) -> None:
            super().__init__(IMAGE)

        def spawned(self, velocity: Any) -> None:
            self.velocity: Any = pygame.Vector2(velocity)

        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.rect.move_ip(self.velocity * dt)

    class OursTimed(Ours):
        def spawned(self, velocity: Any) -> None:
            self.velocity = pygame.Vector2(velocity)
            self.scope.after(seconds, self.kill)

    class Placed(OursTimed if timed else Ours):  # type: ignore[misc]  # one of two classes
        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.position += self.velocity * dt

    capacity = alive + 2 * round(alive * DT / seconds) + 2
    timers, pool, group = (
        HandTimers(),
        DataPool(HandTimed if timed else Hand, capacity),
        PooledGroup(),
    )
    despawn = pool.despawn
    system, spawn = _ours(OursTimed if timed else Ours, group, capacity)
    placed = PooledGroup()
    another, spawn_placed = _ours(Placed, placed, capacity)
    play = partial(_shooting, alive=alive, seconds=seconds, timed=timed)
    return {
        POOLKIT: play(spawn, PooledSprite.kill, group, system.update),
        BY_POSITION: play(spawn_placed, PooledSprite.kill, placed, another.update),
        BY_HAND: play(pool.spawn, despawn, pool.group, timers.update),
        ANEW: play(NewTimed if timed else New, New.kill, new),
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

    emitter = PoolingSystem().spawn(Prefab(Emitter), MUZZLE)
    screen, velocities = pygame.Surface((WIDTH, HEIGHT)), _velocities()
    a_frame = round(alive * DT / seconds)

    def frame(_pieces: int = 1) -> None:
        emitter.emit(MUZZLE, list(itertools.islice(velocities, a_frame)))
        emitter.update(DT)
        screen.fill(NIGHT)
        emitter.draw(screen)

    for _ in range(round(seconds / DT)):
        frame()
    return {ARRAYS: frame}


# -- bodies: a contact of two balls ends one of them ---------------------------------------------

BALL, WALLS = 1, ((0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT))


def _colliding(
    spawn: Callable[..., object],
    group: Any,
    space: pymunk.Space,
    pass_time: Callable[[], object],
    game: tuple[int, list[int]],
) -> Work:
    """Return what plays a frame of a game that begins as many balls as the last one ended."""
    for start, end in itertools.pairwise((*WALLS, WALLS[0])):
        wall = pymunk.Segment(space.static_body, start, end, 20)
        wall.elasticity = 1.0
        space.add(wall)
    screen, dice = pygame.Surface((WIDTH, HEIGHT)), random.Random(1)  # noqa: S311 - the same
    alive, begun = game

    def frame(_pieces: int = 1) -> None:
        missing = alive - len(group)
        begun.append(missing)
        for _ in range(missing):
            place = (dice.uniform(30, WIDTH - 30), dice.uniform(30, HEIGHT - 30))
            spawn(place, velocity=(dice.uniform(-68, 68), dice.uniform(-68, 68)))
        pass_time()
        screen.fill(NIGHT)
        group.draw(screen)

    for _ in range(30):
        frame()
    begun.clear()
    return frame


def _sprites_of(arbiter: pymunk.Arbiter) -> tuple[Any, Any]:
    one, other = arbiter.shapes
    return one.sprite, other.sprite


def _bodies_anew(game: tuple[int, list[int]]) -> Work:
    space, group = pymunk.Space(), pygame.sprite.Group[Any]()

    def build(position: Any, velocity: Any) -> None:
        sprite = BodySprite(BALL)
        sprite.rect.center = sprite.body.position = position
        sprite.body.velocity = velocity
        space.add(sprite.body, sprite.shape)
        group.add(sprite)

    def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        one, other = _sprites_of(arbiter)
        if one.alive() and other.alive():
            one.kill()
            space.remove(one.body, one.shape)

    def pass_time() -> None:
        space.step(DT)
        for sprite in group:
            sprite.rect.center = sprite.body.position

    space.on_collision(BALL, BALL, begin=struck)
    return _colliding(build, group, space, pass_time, game)


def _bodies_by_hand(game: tuple[int, list[int]]) -> Work:
    space = pymunk.Space()
    pool = BodyPool(partial(BodySprite, BALL), game[0] * 6 // 5, space)
    active = pool.active

    def spawn(position: Any, velocity: Any) -> None:
        pool.spawn(position).body.velocity = velocity

    def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        one, other = _sprites_of(arbiter)
        if one in active and other in active:
            pool.despawn(one)

    def pass_time() -> None:
        space.step(DT)
        for sprite in active:
            sprite.rect.center = sprite.body.position

    space.on_collision(BALL, BALL, begin=struck)
    return _colliding(spawn, pool.group, space, pass_time, game)


def _our_bodies(game: tuple[int, list[int]]) -> Work:
    world, group = PhysicsWorld(), PooledGroup()

    class Ball(PooledSprite):
        def __init__(self) -> None:
            super().__init__(IMAGE)
            self.body, shape = new_body(BALL)
            self.add_component(RigidBody(world, self.body, shape))
            self.add_component(ResetPooledBodyComponent())

        def spawned(self, velocity: Any) -> None:
            self.body.velocity = velocity

    def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        sprite = world.sprite_of(arbiter.shapes[0])
        if sprite is not None:
            sprite.kill()

    system, spawn = _ours(Ball, group, game[0] * 6 // 5)

    def pass_time() -> None:
        system.update(DT)
        world.step(DT)

    world.on_collision(BALL, BALL, begin=struck)
    return _colliding(spawn, group, world.space, pass_time, game)


def bodies(alive: int, begun: Mapping[str, list[int]]) -> dict[str, Work]:
    """Return the ways of a game with physics, in which collisions end lives."""
    prepare = {POOLKIT: _our_bodies, BY_HAND: _bodies_by_hand, ANEW: _bodies_anew}
    return {way: game((alive, begun[way])) for way, game in prepare.items()}


# -- the benchmark -------------------------------------------------------------------------------


def run(*, turns: int = 5, frames: int = 100, part: float = 1.0) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    few, some, many = (round(part * count) for count in (2_000, 3_000, 20_000))
    begun: dict[str, list[int]] = {POOLKIT: [], BY_HAND: [], ANEW: []}
    prepared: dict[str, Callable[[], dict[str, Work]]] = {
        BULLETS.format(some): lambda: shots(some, 1 / 3, timed=False),
        TIMED.format(some): lambda: shots(some, 1 / 3, timed=True),
        BODIES.format(few): lambda: bodies(few, begun),
        SPARKS.format(many): lambda: {**shots(many, 0.5, timed=True), **arrays(many, 0.5)},
    }
    found, shown = {}, {}
    for name, ways in prepared.items():
        outcome = contest(ways(), turns=turns, samples=frames)
        found[name] = outcome.figures()
        shown[name] = {way: outcome.samples(way) for way in outcome.turns}
    return {
        "sizes": {"turns": turns, "frames": frames},
        "games": found,
        "kills a frame": {name: round(sum(each) / len(each), 1) for name, each in begun.items()},
        "frames, microseconds": shown,
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    games = zip(results["games"].items(), ((1.1, 0.9), (1.1, 0.9), (0.9, 0.8)), strict=False)
    return [
        Verdict(
            what=f"{name}: poolkit to by hand",
            figure=ways[BY_HAND]["ours takes"][1],
            at_most=bar,
            aim=aim,
        )
        for (name, ways), (bar, aim) in games
    ]


def frames_as_text(games: Mapping[str, Any]) -> str:
    """Return a table of the frames of some games."""
    rows = [
        ["a frame of", "way", "median ms", "worst 1 % ms", "collections", "poolkit takes of it"]
    ]
    for name, ways in games.items():
        for way, figures in ways.items():
            times = [f"{figures[part] / 1000:.2f}" for part in ("median", "worst 1 %")]
            takes = bracketed(figures["ours takes"]) if "ours takes" in figures else ""
            shown = name if way == POOLKIT else ""
            rows.append([shown, way, *times, str(figures["collections"]), takes])
    return table(rows)


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    sizes = results["sizes"]
    lines = [
        f"{CLOCK_NAME} a frame, {sizes['turns']} x {sizes['frames']} frames of each way in turns",
        "",
        frames_as_text(results["games"]),
        "",
        "kills a frame: "
        + ", ".join(f"{way} {count}" for way, count in results["kills a frame"].items()),
    ]
    if not any(ARRAYS in ways for ways in results["games"].values()):
        lines.append("not measured: sparks as arrays, for numpy is not installed")
    return "\n".join(lines)
