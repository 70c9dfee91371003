"""Whole frames, which are what a player sees: games, each written three ways, and many bodies.

- *Built each time*: plain sprites, dropped when they are over; timers count down in `update`.
- *By hand*: a pool as a careful user writes it (`kinds`).
- *poolkit*: as its README teaches it, with spawn data, timers of a life and `position`.

A frame begins and ends lives, lets time pass, moves everything and draws it; the flip is left out.
All ways share one image and hold it in float rects.
"""

from __future__ import annotations

import gc
import itertools
import random
import statistics
from collections import deque
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks import kinds
from benchmarks.kinds import IMAGE, Bare, Bodied, Way, pooled, pooled_bodies
from benchmarks.measure import ANEW, BY_HAND, POOLKIT, Contest, Size, Work, repeated, worst
from benchmarks.report import hold
from poolkit import PoolingSystem, Prefab
from poolkit.devtools import Inspector, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEP = 1 / 60  # seconds a frame
WIDTH, HEIGHT = 1280, 720
BUILT, FROZEN, TIMED = "built each time", "built, heap frozen", "poolkit, a timer each"
USUAL, BARE_STEP = "the usual loop", "the bare step"


def _scattered(left: float, right: float, top: float, bottom: float) -> Iterator[Any]:
    """Return random points in there, the same ones for all, over and over."""
    dice = random.Random(left)  # noqa: S311 - no secret
    points = [(dice.uniform(left, right), dice.uniform(top, bottom)) for _ in range(9_973)]
    return itertools.cycle(points)


def turnover(
    way: Way, begin: Callable[[], Any], alive: int, a_frame: float, *, by_itself: bool = False
) -> Callable[[], None]:
    """Return what begins so many lives in a frame and ends the oldest, which may end by itself."""
    living = deque(() if by_itself else (begin() for _ in range(alive)), 0 if by_itself else None)
    end, owed = way.despawn, 0.0

    def turn_over() -> None:
        nonlocal owed
        owed += a_frame
        due = int(owed)
        owed -= due
        for _ in range(due if living else 0):
            end(living.popleft())
        for _ in range(due):
            living.append(begin())

    return turn_over


def in_frames(
    way: Way, turn_over: Callable[[], object], clear: str = "screen.fill('midnightblue')"
) -> Work:
    """Return what plays frames of a game."""
    names = {"turn_over": turn_over, "update": way.update, "step": way.step, "S": STEP}
    names |= {"screen": pygame.Surface((WIDTH, HEIGHT)), "draw": way.group.draw}
    return repeated(names, f"turn_over(); update(S); step(S); {clear}; draw(screen)")


# -- games: bullets, bodies, sparks ---------------------------------------------------------------


class _Falling(pygame.sprite.Sprite):
    def update(self: Any, dt: float) -> None:
        self.velocity.y += 400 * dt
        self.rect.move_ip(self.velocity * dt)


class _Ageing(_Falling):
    def update(self: Any, dt: float) -> None:
        self.velocity.y += 400 * dt
        self.rect.move_ip(self.velocity * dt)
        self.left -= dt
        if self.left <= 0:
            self.kill()


def shots(
    count: int, seconds: float, *, timed: bool = True, system: Any = None, timers: Any = None
) -> tuple[Way, ...]:
    """Return the ways of having what flies and, if timed, ends after so long.

    That is poolkit's, poolkit's where they are moved by `position`, by hand and built each time.
    Several kinds of shots may share a system and, by hand, timers.
    """
    timers, new = timers or kinds.HandTimers(), pygame.sprite.Group[Any]()

    class Ours(_Falling, Bare):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            if timed:
                self.scope.after(seconds, self.kill)

    class Placed(Ours):
        def update(self, dt: float) -> None:
            self.velocity.y += 400 * dt
            self.position += self.velocity * dt

    class Hand(_Falling, kinds.HandSprite):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            if timed:
                timers.after(seconds, self, despawn)

    class New(_Ageing if timed else _Falling):  # type: ignore[misc]  # one of two classes
        def __init__(self, position: Any, velocity: Any) -> None:
            super().__init__(new)
            self.image = IMAGE
            self.rect = IMAGE.get_frect(center=position)
            self.velocity = velocity
            self.left = seconds

    theirs = kinds.DataPool(Hand, count, update=timers.update)
    despawn = theirs.despawn
    anew = SimpleNamespace(spawn=New, despawn=New.kill, group=new, update=float, step=new.update)
    ours, placed = (pooled(kind, count, system) for kind in (Ours, Placed))
    return ours, placed, theirs, anew


def flights(alive: int, seconds: float, *, timed: bool) -> dict[str, Work]:
    """Return the ways of a game in which so many fly, each for so long.

    With a timer each, this is the README's first program; without, the game ends the oldest.
    """
    a_frame = alive * STEP / seconds

    def played(way: Way) -> Work:
        velocities = _scattered(-150.0, 150.0, -350.0, -350.0)

        def begin() -> Any:
            return way.spawn((640.0, 700.0), velocity=pygame.Vector2(next(velocities)))

        return in_frames(way, turnover(way, begin, alive, a_frame, by_itself=timed))

    ways = shots(alive + 2 * round(a_frame) + 2, seconds, timed=timed)
    names = POOLKIT, "poolkit, by position", BY_HAND, ANEW
    return {name: played(way) for name, way in zip(names, ways, strict=True)}


class _Thrown(Bodied):
    def spawned(self, velocity: Any) -> None:
        self.body.velocity = velocity


def _bodies(alive: int) -> dict[str, Work]:
    """Return the ways of a game with physics, in which a contact of two balls ends one of them."""

    def played(way: Way) -> Work:
        space = getattr(way.world, "space", way.world)
        places = _scattered(30.0, WIDTH - 30.0, 30.0, HEIGHT - 30.0)
        velocities = _scattered(-68.0, 68.0, -68.0, 68.0)
        corners = (0, 0), (WIDTH, 0), (WIDTH, HEIGHT), (0, HEIGHT), (0, 0)
        for start, end in itertools.pairwise(corners):
            wall = pymunk.Segment(space.static_body, start, end, 20)
            wall.elasticity = 1.0
            space.add(wall)

        def struck(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
            sprite = way.world.sprite_of(arbiter.shapes[0])
            if sprite is not None:
                sprite.kill()

        def struck_by_hand(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
            one, other = arbiter.shapes
            if one.sprite.alive() and other.sprite.alive():
                way.despawn(one.sprite)

        def begin() -> None:
            for _ in range(alive - len(way.group)):
                way.spawn(next(places), velocity=next(velocities))

        way.world.on_collision(1, 1, begin=struck_by_hand if space is way.world else struck)
        return in_frames(way, begin)

    count = alive * 6 // 5
    ball = partial(kinds.BodySprite, 1)
    return {
        POOLKIT: played(pooled_bodies(count, partial(_Thrown, collision_type=1))),
        BY_HAND: played(kinds.bodies(kinds.BodyPool, count, ball)),
        ANEW: played(kinds.bodies(kinds.NoBodyPool, 0, ball)),
    }


def games(size: Size) -> Iterator[Contest]:
    """Measure frames of three small games; the sparks are the README's first program."""
    few, some, many = map(size, (2_000, 3_000, 20_000))
    bullets = f"{some:,} bullets with data"
    yield Contest(bullets, flights(some, 1 / 3, timed=False), 5, 100, most=1.1)
    bullets += " and a timer each"
    yield Contest(bullets, flights(some, 1 / 3, timed=True), 5, 100, most=1.1)
    yield Contest(f"{few:,} bodies with collision kills", _bodies(few), 5, 100, most=0.9)
    yield Contest(f"{many:,} sparks", flights(many, 0.5, timed=True), 5, 100)


# -- churn: a hundred physics sprites a frame come and go, in a heap as large as a game's ---------


class _Timed(Bodied):
    def spawned(self) -> None:
        self.scope.after(1.5, self.kill)  # seconds; it ends before


def _heap(objects: int) -> list[Any]:
    """Build that many objects which the garbage collector watches, lists and dicts.

    All of them are replaced once, in random order, as things come and go while a game is played:
    so the collector goes through them in another order than that of memory, and takes three times
    as long as for a heap that was just loaded.
    """
    dice = random.Random(1)  # noqa: S311 - the same heap every time
    things: list[Any] = [None] * (objects // 4)
    for place in itertools.chain(range(len(things)), dice.sample(range(len(things)), len(things))):
        things[place] = [[dice.random(), dice.random()], {"near": []}]
    for place, (_, known) in enumerate(things):
        known["near"] += [things[(place + offset) % len(things)] for offset in (-1, 1, 300)]
    return things


def churn(size: Size) -> Iterator[Contest]:
    """Measure 100 despawns and 100 spawns a frame, beside one heap; what steps do is not timed."""
    alive, a_frame, objects = 900, 100, size(300_000)
    count, timers, off = alive + 2 * a_frame, kinds.HandTimers(), PoolingSystem()
    off.configure(pooling=False)
    timed = kinds.bodies(kinds.BodyPool, count)
    timed.update = timers.update
    ways = {
        POOLKIT: pooled_bodies(count),
        TIMED: pooled_bodies(count, _Timed),
        BY_HAND: kinds.bodies(kinds.BodyPool, count),
        "by hand, a timer each": timed,
        BUILT: kinds.bodies(kinds.NoBodyPool, 0),
        FROZEN: kinds.bodies(kinds.NoBodyPool, 0),
        "poolkit, pooling off": pooled_bodies(count, system=off),
    }

    def played(way: Way) -> Work:
        places, end = _scattered(0.0, WIDTH, 0.0, HEIGHT), way.despawn

        def begin() -> Any:
            sprite = way.spawn(next(places))
            if way is timed:
                timers.after(1.5, sprite, end)
            return sprite

        turn_over = turnover(way, begin, alive, a_frame)
        names = {"turn_over": turn_over, "update": way.update, "S": STEP}
        return repeated(names, "turn_over(); update(S)")

    play = {name: played(way) for name, way in ways.items()}
    heap = _heap(max(0, objects - len(gc.get_objects())))
    name = f"{a_frame} of {alive} bodies end and {a_frame} begin, {objects:,} objects in the heap"
    contest = Contest(name, play, 5, 300, frozen=FROZEN, between=lambda way: ways[way].step(STEP))
    yield contest
    del heap  # it was there all the time
    longest, mean = (contest.ratio(BUILT, POOLKIT, of)[1] for of in (worst, statistics.fmean))
    hold(f"worst 1 % of frames, {BUILT} to {POOLKIT}", longest, 60, at_least=True)
    hold(f"mean frame, {BUILT} to {POOLKIT}", mean, 2.5, at_least=True)
    longest = contest.ratio(TIMED, POOLKIT, worst)[1]
    hold("worst 1 % of frames with a timer a life, to those without", longest, 1.2)


# -- frame: thousands of moving bodies onto the screen --------------------------------------------


def frame(size: Size) -> Iterator[Contest]:
    """Measure whole frames; what is judged is what they take above the bare `space.step`.

    Of both, a frame that steps a third space with equal bodies and draws none of them is taken off.
    """
    bodies = size(5_000)

    def played(way: Way, lives: int) -> Work:
        places = itertools.cycle(
            [(80 + 11 * x, 80 + 11 * y) for y in range(50) for x in range(100)]
        )
        velocities = _scattered(-30.0, 30.0, -30.0, 30.0)

        def begin() -> Any:
            return way.spawn(next(places), velocity=next(velocities))

        return in_frames(way, turnover(way, begin, bodies, lives), clear="pass")

    for lives in (0, 10):
        ours = pooled_bodies(bodies + 2 * lives, _Thrown)
        theirs, third = (kinds.bodies(kinds.BodyPool, bodies + 2 * lives) for _ in range(2))
        bare = SimpleNamespace(spawn=third.spawn, despawn=None, group=pygame.sprite.Group())
        bare.update, bare.step = float, third.world.step
        ways = {
            POOLKIT: played(ours, lives),
            USUAL: played(theirs, lives),
            BARE_STEP: played(bare, 0),
        }
        name = f"{bodies:,} moving bodies onto the screen, {lives} lives begin and end"
        yield (contest := Contest(name, ways, 5, 40))
        frames = zip(*map(contest.times, ways), strict=True)
        fast = statistics.median((usual - step) / (our - step) for our, usual, step in frames)
        hold(f"less {BARE_STEP}: {USUAL} to {POOLKIT}", fast, 3, at_least=True)


# -- inspector: what an overlay costs that is shown all the time -----------------------------------


def inspector(size: Size) -> Iterator[Contest]:
    """Measure the inspector's share of a frame, beside a blit of as many pixels."""
    system, dice = PoolingSystem(), random.Random(1)  # noqa: S311 - no secret
    prefabs = [Prefab(Bare, name=f"kind {number}") for number in range(20)]
    alive = deque(system.spawn(dice.choice(prefabs)) for _ in range(size(1_000)))

    def live(way: str) -> None:
        for _ in range(4 if way == POOLKIT else 0):
            system.despawn(alive.popleft())
            alive.append(system.spawn(dice.choice(prefabs)))
        system.update(STEP)

    for screen in (pygame.Surface((960, 540)), pygame.Surface((WIDTH, HEIGHT))):
        shown = Inspector(system, shown=True)
        shown.draw(screen)
        panel = pygame.Surface((screen.width // 3, screen.height - 16))
        names = {"draw": shown.draw, "screen": screen, "panel": panel}
        ways = {
            POOLKIT: repeated(names, "draw(screen)"),
            "one blit": repeated(names, "screen.blit(panel, (0, 0))"),
        }
        name = f"the inspector of 20 pools, lives coming and going, on {screen.width} pixels"
        yield (contest := Contest(name, ways, 5, 300, between=live))
        shown.shown = False
        times = [time / 1000 for time in contest.times(POOLKIT)]
        hold("milliseconds of a frame that the inspector takes, mean", statistics.fmean(times), 0.4)
        most = statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
        hold("milliseconds that it takes in 19 frames of 20, at most", most, 0.4)


# -- recording: what a tape adds to every frame --------------------------------------------------


def recording(size: Size) -> Iterator[Contest]:
    """Measure what a recording of 1,000 moving lives adds to a frame.

    Attributes are written in a few frames alone, so the median is of a frame without them.
    """
    system = PoolingSystem()
    alive = [system.spawn(Bare) for _ in range(size(1_000))]

    def move(_: str) -> None:
        for sprite in alive:
            sprite.rect.x += 1

    with TemporaryDirectory() as folder, record(Path(folder, "it.rec"), system=system) as tape:
        names = {"frame": tape.frame, "S": STEP}
        ways = {POOLKIT: repeated(names, "frame((), S)")}
        yield (contest := Contest("a recording of 1,000 lives", ways, 5, 600, between=move))
    times = [time / 1000 for time in contest.times(POOLKIT)]
    median, mean = statistics.median(times), statistics.fmean(times)
    hold("milliseconds of a frame that a recording takes, median", median, 0.5)
    hold("milliseconds that it takes with all attributes, mean", mean, 0.5)
