"""A hundred physics sprites a frame come and go, in a heap as large as a game's.

A frame here is 100 despawns, the oldest first, and 100 spawns, with 900 sprites alive: what pools
are for. The step and moving the sprites to their bodies come after it and are not timed: they are
the same work for all. All ways share one heap, whose size the objects of all make up together.
"""

from __future__ import annotations

import gc
import itertools
import random
import statistics
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame
import pymunk

from benchmarks.by_hand import BodyPool, BodySprite, HandTimers
from benchmarks.lives import Bodied
from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, contest, worst
from benchmarks.report import Verdict, bracketed, table
from poolkit import PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = {"turns": 1, "frames": 20, "objects": 3_000}

ACTIVE, A_FRAME, STEP = 900, 100, 1 / 60  # seconds a frame
TIMER = 1.5  # seconds; the lives end before
PLACES = [(30.0 * x, 30.0 * y) for y in range(40) for x in range(40)]  # far apart

BUILT, FROZEN, OFF = "built each time", "built, heap frozen", "poolkit, pooling off"
TIMED, TIMED_BY_HAND = "poolkit, a timer each", "by hand, a timer each"


class Way(NamedTuple):
    """How a life begins and ends, what a frame does besides, and the physics."""

    spawn: Callable[[Any], Any]
    despawn: Callable[[Any], object]
    update: Callable[[float], object]
    step: Callable[[float], object]


def _stepping(space: pymunk.Space, group: Any) -> Callable[[float], object]:
    def step(dt: float) -> None:
        space.step(dt)
        for sprite in group:
            sprite.rect.center = sprite.body.position

    return step


def _built() -> Way:
    space, group = pymunk.Space(), pygame.sprite.Group[Any]()

    def spawn(position: Any) -> BodySprite:
        sprite = BodySprite()
        sprite.rect.center = sprite.body.position = position
        space.add(sprite.body, sprite.shape)
        group.add(sprite)
        return sprite

    def despawn(sprite: BodySprite) -> None:
        sprite.kill()
        space.remove(sprite.shape, sprite.body)

    return Way(spawn, despawn, float, _stepping(space, group))


def _by_hand(*, timed: bool) -> Way:
    space, timers = pymunk.Space(), HandTimers()
    pool = BodyPool(BodySprite, ACTIVE + A_FRAME, space)
    despawn = pool.despawn

    def spawn(position: Any) -> Any:
        sprite = pool.spawn(position)
        timers.after(TIMER, sprite, despawn)
        return sprite

    step = _stepping(space, pool.group)
    return Way(spawn if timed else pool.spawn, despawn, timers.update, step)


def _poolkit(*, timed: bool = False, pooling: bool = True) -> Way:
    world, system = PhysicsWorld(), PoolingSystem()
    system.configure(pooling=pooling)

    class Timed(Bodied):
        def spawned(self) -> None:
            self.scope.after(TIMER, self.kill)

    settings = PoolSettings(prespawn=ACTIVE + 2 * A_FRAME)
    kind = partial(Timed if timed else Bodied, world)
    prefab = Prefab(kind, groups=[pygame.sprite.Group()], settings=settings)
    system.register(prefab)
    return Way(partial(system.spawn, prefab), Bodied.kill, system.update, world.step)


WAYS: dict[str, Callable[[], Way]] = {
    POOLKIT: _poolkit,
    TIMED: partial(_poolkit, timed=True),
    BY_HAND: partial(_by_hand, timed=False),
    TIMED_BY_HAND: partial(_by_hand, timed=True),
    BUILT: _built,
    FROZEN: _built,
    OFF: partial(_poolkit, pooling=False),
}


def _frame(way: Way) -> Callable[[int], None]:
    """Return what plays a frame."""
    spawn, despawn, update, _ = way
    places = itertools.cycle(PLACES)
    alive = deque(spawn(next(places)) for _ in range(ACTIVE))

    def frame(_pieces: int = 1) -> None:
        for _ in range(A_FRAME):
            despawn(alive.popleft())
        for _ in range(A_FRAME):
            alive.append(spawn(next(places)))
        update(STEP)

    return frame


class _Thing:
    """Something of a game's world: an object, two lists and a dict, with a name and numbers."""

    def __init__(self, number: int, dice: random.Random) -> None:
        self.name = f"thing {number}"
        self.at = [dice.random(), dice.random()]
        self.near: list[_Thing] = []
        self.stock: dict[str, object] = {"wood": dice.random(), "near": self.near}


def build_heap(objects: int) -> list[_Thing]:
    """Build that many objects which the garbage collector watches, and return their roots.

    All of them are replaced once, in random order, as things come and go while a game is played:
    so the collector goes through them in another order than that of memory, and takes three times
    as long as for a heap that was just loaded.
    """
    dice = random.Random(1)  # noqa: S311 - the same heap every time
    things = [_Thing(number, dice) for number in range(objects // 4)]
    for place in dice.sample(range(len(things)), len(things)):
        things[place] = _Thing(place, dice)
    for place, thing in enumerate(things):
        thing.near += [things[(place + offset) % len(things)] for offset in (-1, 1, 300)]
    return things


def run(*, turns: int = 5, frames: int = 300, objects: int = 300_000) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    ways = {name: prepare() for name, prepare in WAYS.items()}
    frame_of = {name: _frame(way) for name, way in ways.items()}
    heap = build_heap(max(0, objects - len(gc.get_objects())))
    between = {name: partial(way.step, STEP) for name, way in ways.items()}
    outcome = contest(frame_of, turns=turns, samples=frames, frozen={FROZEN}, between=between)
    del heap  # it was there all the time
    return {
        "sizes": {"turns": turns, "frames": frames, "objects": objects},
        "ways": outcome.figures(),
        "mean, to poolkit": {
            name: outcome.ratio_of(statistics.fmean, name, to=POOLKIT) for name in ways
        },
        "worst 1 %, to poolkit": {name: outcome.ratio_of(worst, name, to=POOLKIT) for name in ways},
        "frames, microseconds": {"": {name: outcome.samples(name) for name in ways}},
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    means, worsts = results["mean, to poolkit"], results["worst 1 %, to poolkit"]
    what = "worst 1 % of frames with a timer a life, to those without"
    return [
        Verdict(
            what="worst 1 % of frames, built each time to poolkit",
            figure=worsts[BUILT][1],
            at_least=60,
            aim=120,
        ),
        Verdict(
            what="mean frame, built each time to poolkit",
            figure=means[BUILT][1],
            at_least=2.5,
            aim=3.5,
        ),
        Verdict(what=what, figure=worsts[TIMED][1], at_most=1.2, aim=1.0),
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    sizes = results["sizes"]
    rows = [["", "mean ms", "median", "worst 1 %", "collections", "mean, to poolkit", "worst 1 %"]]
    for name, figures in results["ways"].items():
        times = [f"{figures[part] / 1000:.2f}" for part in ("mean", "median", "worst 1 %")]
        ratios = [bracketed(results[f"{part}, to poolkit"][name]) for part in ("mean", "worst 1 %")]
        rows.append([name, *times, str(figures["collections"]), *ratios])
    return (
        f"{A_FRAME} of {ACTIVE} physics sprites end in a frame and {A_FRAME} begin, "
        f"{sizes['objects']:,} objects in the heap;\n"
        f"{CLOCK_NAME}, {sizes['turns']} x {sizes['frames']} frames of each way in turns\n\n"
        f"{table(rows)}"
    )
