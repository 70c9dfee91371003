"""The one way of timing: ways of doing the same work take turns in one process.

Ratios are of samples with the same number: the machine was as busy for one as for the other, or
nearly. Before each turn the garbage collector looks through everything, so that no way pays for
what another left, and each begins with the same counts.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

WAYS = POOLKIT, BY_HAND, BAREST, ANEW = "poolkit", "by hand", "barest", "built each time"

# Processor time stands still while other programs run, so that these lengthen nothing; on an idle
# machine it is the time on the wall. Some systems count it in steps of many milliseconds.
_IS_FINE = time.get_clock_info("thread_time").resolution <= 1e-6  # noqa: PLR2004 - a microsecond
_CLOCK = time.thread_time if _IS_FINE else time.perf_counter
CLOCK_NAME = "processor time" if _IS_FINE else "time on the wall"

Work = Callable[[int], object]
"""Does a number of pieces of work: lives, or frames."""
Size = Callable[[int], int]
"""Gives the part of a size that is measured: all of it, but where one just tries it."""


def repeated(names: Mapping[str, Any], *lines: str, at_once: int = 1) -> Work:
    """Return what runs lines that do so many pieces, as `timeit` does: no call comes on top."""
    head = f"def work(pieces):\n    for _ in range(0, pieces, {at_once}):"
    exec("\n        ".join([head, *lines]), known := dict(names))  # noqa: S102 - our own lines
    return known["work"]  # type: ignore[no-any-return]  # just defined


@dataclass
class Contest:
    """Several ways of doing the same work, timed in turns by `run`.

    It leaves in `taken` the microseconds a piece of each way, a list a turn, a figure a sample; and
    in `collections` how often the garbage collector ran during all turns of each way.
    """

    name: str
    ways: Mapping[str, Work]
    turns: int  # of each way, after one to warm up
    samples: int = 1  # timed in a turn, one right after the other
    pieces: int = 1  # of work in a sample
    most: float | None = None  # of what another way takes, poolkit may take
    to: str = BY_HAND  # that other way
    frozen: str = ""  # the way whose heap is set aside by `gc.freeze` before each turn
    between: Callable[[str], object] = str  # called with a way's name after its samples, untimed

    def run(self, size: Size = int) -> None:
        """Let each way do its work, in turns: so many of these, and of samples."""
        self.taken: dict[str, list[list[float]]] = {name: [] for name in self.ways}
        self.collections = dict.fromkeys(self.ways, 0)
        for turn in range(-1, size(self.turns)):
            for name in self.ways if turn % 2 else reversed(list(self.ways)):
                gc.unfreeze()
                gc.collect()
                if name == self.frozen:
                    gc.freeze()
                work, before, times = self.ways[name], _collections(), list[float]()
                for _ in range(size(self.samples)):
                    began = _CLOCK()
                    work(self.pieces)
                    times.append((_CLOCK() - began) / self.pieces * 1e6)
                    self.between(name)
                if turn >= 0:
                    self.taken[name].append(times)
                    self.collections[name] += _collections() - before
        gc.unfreeze()

    def times(self, way: str) -> list[float]:
        """Return the microseconds of all samples, in order."""
        return list(chain.from_iterable(self.taken[way]))

    def ratio(
        self, way: str, to: str, of: Callable[[list[float]], float] | None = None
    ) -> list[float]:
        """Return the lower quartile, median and upper quartile of the ratios of all samples.

        Or of what `of` makes of each turn, as `worst` or `statistics.fmean`.
        """
        ours, theirs = (map(of, self.taken[name]) if of else self.times(name) for name in (way, to))
        ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
        ratios *= 1 if len(ratios) > 1 else 2  # a single one has quartiles, too
        return statistics.quantiles(ratios, n=4, method="inclusive")


def worst(times: list[float]) -> float:
    """Return the mean of the longest hundredth."""
    return statistics.fmean(sorted(times)[-max(1, len(times) // 100) :])


def left_behind(work: Work, pieces: int) -> tuple[int, int]:
    """Return how many memory blocks so many pieces leave, and how often the collector ran."""
    found = []
    for _ in range(3):  # what is really left, is left every time
        gc.collect()
        # A collection empties Python's lists of free objects, up to 2,000 tuples of each size:
        # they fill up again first, for no work leaves these behind; and all timers come round.
        work(6_000)
        collections, blocks = _collections(), sys.getallocatedblocks()
        work(pieces)
        found.append((sys.getallocatedblocks() - blocks, _collections() - collections))
    blocks, collections = min(found)
    return max(0, blocks - 1), collections  # one is the count itself


def _collections() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())
