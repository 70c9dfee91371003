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
from typing import TYPE_CHECKING, Any

from benchmarks import by_hand as hand
from benchmarks import by_poolkit
from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, contest, worst
from benchmarks.report import Report, Verdict, bracketed, table

if TYPE_CHECKING:
    from collections.abc import Callable

QUICK = {"turns": 1, "frames": 5, "objects": 3_000}

ACTIVE, A_FRAME, STEP = 900, 100, 1 / 60  # seconds a frame
TIMER = 1.5  # seconds; the lives end before
PLACES = [(30.0 * x, 30.0 * y) for y in range(40) for x in range(40)]  # far apart

BUILT, FROZEN, OFF = "built each time", "built, heap frozen", "poolkit, pooling off"
TIMED, TIMED_BY_HAND = "poolkit, a timer each", "by hand, a timer each"


class _Timed(by_poolkit.Bodied):
    def spawned(self) -> None:
        self.scope.after(TIMER, self.kill)


def _ways() -> dict[str, hand.Bodies]:
    timers, timed = hand.HandTimers(), hand.pooled_bodies(ACTIVE + A_FRAME)
    despawn = timed.despawn

    def spawn(position: Any) -> Any:
        sprite = timed.spawn(position)
        timers.after(TIMER, sprite, despawn)
        return sprite

    count = ACTIVE + 2 * A_FRAME
    return {
        POOLKIT: by_poolkit.pooled_bodies(count),
        TIMED: by_poolkit.pooled_bodies(count, _Timed),
        BY_HAND: hand.pooled_bodies(ACTIVE + A_FRAME),
        TIMED_BY_HAND: timed._replace(spawn=spawn, update=timers.update),
        BUILT: hand.built_bodies(),
        FROZEN: hand.built_bodies(),
        OFF: by_poolkit.pooled_bodies(count, pooling=False),
    }


def _frame(way: hand.Bodies) -> Callable[[int], None]:
    spawn, despawn, update, *_ = way
    places = itertools.cycle(PLACES)
    alive = deque(spawn(next(places)) for _ in range(ACTIVE))

    def frame(_frames: int = 1) -> None:
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


def run(*, turns: int = 5, frames: int = 300, objects: int = 300_000) -> Report:
    """Measure frames of all ways, beside one heap."""
    ways = _ways()
    play = {name: _frame(way) for name, way in ways.items()}
    heap = build_heap(max(0, objects - len(gc.get_objects())))
    outcome = contest(
        play,
        turns=turns,
        samples=frames,
        frozen={FROZEN},
        between=lambda name: ways[name].step(STEP),
    )
    del heap  # it was there all the time
    found = outcome.figures()
    parts: dict[str, Callable[[list[float]], float]] = {
        "mean": statistics.fmean,
        "worst 1 %": worst,
    }
    to = {
        part: {name: outcome.ratio(name, POOLKIT, of) for name in ways}
        for part, of in parts.items()
    }
    rows = [["", "mean ms", "median", "worst 1 %", "collections", "mean, to poolkit", "worst 1 %"]]
    for name, figures in found.items():
        times = [f"{figures[part] / 1000:.2f}" for part in ("mean", "median", "worst 1 %")]
        ratios = [bracketed(to[part][name]) for part in parts]
        rows.append([name, *times, str(figures["collections"]), *ratios])
    text = (
        f"{A_FRAME} of {ACTIVE} physics sprites end in a frame and {A_FRAME} begin, "
        f"{objects:,} objects in the heap;\n"
        f"{CLOCK_NAME}, {turns} x {frames} frames of each way in turns\n\n{table(rows)}"
    )
    timed = "worst 1 % of frames with a timer a life, to those without"
    longest, longer = to["worst 1 %"], to["mean"][BUILT][1]
    verdicts = [
        Verdict(
            f"worst 1 % of frames, {BUILT} to poolkit", longest[BUILT][1], at_least=60, aim=120
        ),
        Verdict(f"mean frame, {BUILT} to poolkit", longer, at_least=2.5, aim=3.5),
        Verdict(timed, longest[TIMED][1], 1.2, 1.0),
    ]
    everything = {
        "sizes": {"turns": turns, "frames": frames, "objects": objects},
        "ways": found,
        **{f"{part}, to poolkit": ratios for part, ratios in to.items()},
        "frames, microseconds": {"": {name: outcome.samples(name) for name in ways}},
    }
    return Report(everything, text, verdicts)
