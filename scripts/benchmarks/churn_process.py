"""Churns physics sprites in one way, in a process of its own, and prints what it took as JSON."""

from __future__ import annotations

import gc
import itertools
import json
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from benchmarks.churn_ways import prepare
from benchmarks.game_heap import build_heap
from benchmarks.measure import CLOCK
from poolkit.devtools import CollectorProbe

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["churn"]

WARM_UP = 60  # frames
COLUMNS, ROWS, SPACING = 40, 40, 30.0  # so far apart that hardly any collide: pools are measured


def churn(
    name: str,
    *,
    frames: int,
    active: int,
    a_frame: int,
    objects: int,
) -> dict[str, Any]:
    """Replace `a_frame` of `active` sprites in each of some frames, the oldest first.

    Args:
        name: The way of doing it.
        frames: How many frames are measured.
        active: How many sprites are alive between frames.
        a_frame: How many are despawned, and then spawned, in each frame.
        objects: How many other objects the heap holds.

    Returns:
        ``churn``, ``step``: milliseconds a frame. ``heap``: milliseconds that a full collection of
        the heap takes, with the pools built and nothing to free. ``pauses``: those of the garbage
        collector, as ``[generation, milliseconds on the wall]``. ``wall``: how many of these all
        frames took.
    """
    heap = build_heap(objects)
    way = prepare(name, active + a_frame)
    spawn, despawn, step = way.spawn, way.despawn, way.step
    positions = _positions()
    alive = deque(spawn(next(positions)) for _ in range(active))
    gc.collect()
    began = CLOCK()
    gc.collect()
    full = CLOCK() - began
    way.settle()

    churning: list[float] = []
    stepping: list[float] = []
    pauses: list[list[float]] = []
    started = 0.0
    with CollectorProbe() as probe:
        for frame in range(WARM_UP + frames):
            if frame == WARM_UP:
                churning, stepping = [], []
                probe.take()
                started = time.perf_counter()
            began = CLOCK()
            for _ in range(a_frame):
                despawn(alive.popleft())
            for _ in range(a_frame):
                alive.append(spawn(next(positions)))
            churned = CLOCK()
            step()
            stepped = CLOCK()
            churning.append(churned - began)
            stepping.append(stepped - churned)
        playing = time.perf_counter() - started
        pauses += [[pause.generation, _milliseconds(pause.seconds)] for pause in probe.take()]
    del heap  # it was there all the time
    return {
        "churn": list(map(_milliseconds, churning)),
        "step": list(map(_milliseconds, stepping)),
        "pauses": pauses,
        "heap": _milliseconds(full),
        "wall": _milliseconds(playing),
    }


def _positions() -> Iterator[tuple[float, float]]:
    places = [(SPACING * x, SPACING * y) for y in range(ROWS) for x in range(COLUMNS)]
    return itertools.cycle(places)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 4)


if __name__ == "__main__":
    print(json.dumps(churn(sys.argv[1], **json.loads(sys.argv[2]))))
