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
from typing import TYPE_CHECKING, Any

from benchmarks import by_hand as hand
from benchmarks import by_poolkit
from benchmarks.measure import BY_HAND, POOLKIT, in_frames, worst

if TYPE_CHECKING:
    from benchmarks.measure import Work
    from benchmarks.report import Report

ACTIVE, A_FRAME, STEP = 900, 100, 1 / 60  # seconds a frame
TIMER = 1.5  # seconds; the lives end before
PLACES = [(30.0 * x, 30.0 * y) for y in range(40) for x in range(40)]  # far apart

BUILT, FROZEN, OFF = "built each time", "built, heap frozen", "poolkit, pooling off"
TIMED, TIMED_BY_HAND = "poolkit, a timer each", "by hand, a timer each"


class _Timed(by_poolkit.Bodied):
    def spawned(self) -> None:
        self.scope.after(TIMER, self.kill)


def _ways() -> dict[str, hand.Bodies]:
    timers, timed = hand.HandTimers(), hand.bodies(ACTIVE + A_FRAME)
    despawn = timed.despawn

    def spawn(position: Any) -> Any:
        sprite = timed.spawn(position)
        timers.after(TIMER, sprite, despawn)
        return sprite

    count = ACTIVE + 2 * A_FRAME
    return {
        POOLKIT: by_poolkit.pooled_bodies(count),
        TIMED: by_poolkit.pooled_bodies(count, _Timed),
        BY_HAND: hand.bodies(ACTIVE + A_FRAME),
        TIMED_BY_HAND: timed._replace(spawn=spawn, update=timers.update),
        BUILT: hand.bodies(0),
        FROZEN: hand.bodies(0),
        OFF: by_poolkit.pooled_bodies(count, pooling=False),
    }


def _frames(way: hand.Bodies) -> Work:
    spawn, despawn, update, *_ = way
    places = itertools.cycle(PLACES)
    alive = deque(spawn(next(places)) for _ in range(ACTIVE))

    def turn_over() -> None:
        for _ in range(A_FRAME):
            despawn(alive.popleft())
        for _ in range(A_FRAME):
            alive.append(spawn(next(places)))

    return in_frames(turn_over, partial(update, STEP))


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


def run(report: Report) -> None:
    """Measure frames of all ways, beside one heap."""
    ways, objects = _ways(), report.size(300_000)
    play = {name: _frames(way) for name, way in ways.items()}
    heap = build_heap(max(0, objects - len(gc.get_objects())))
    outcome = report.contest(
        f"{A_FRAME} of {ACTIVE} bodies end and {A_FRAME} begin, {objects:,} objects in the heap",
        play,
        5,
        samples=300,
        frozen={FROZEN},
        between=lambda name: ways[name].step(STEP),
    )
    del heap  # it was there all the time
    longest = partial(outcome.ratio, to=POOLKIT, of=worst)
    what = f"{BUILT} to {POOLKIT}"
    report.hold(f"worst 1 % of frames, {what}", longest(BUILT)[1], (60, 120), at_least=True)
    mean = outcome.ratio(BUILT, POOLKIT, statistics.fmean)[1]
    report.hold(f"mean frame, {what}", mean, (2.5, 3.5), at_least=True)
    timed = "worst 1 % of frames with a timer a life, to those without"
    report.hold(timed, longest(TIMED)[1], (1.2, 1.0))
