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
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

POOLKIT, BY_HAND, BAREST, ANEW = "poolkit", "by hand", "barest", "built anew"

# Processor time stands still while other programs run, so that these lengthen nothing; on an idle
# machine it is the time on the wall. Some systems count it in steps of many milliseconds.
_IS_FINE = time.get_clock_info("thread_time").resolution <= 1e-6  # noqa: PLR2004 - a microsecond
_CLOCK = time.thread_time if _IS_FINE else time.perf_counter
CLOCK_NAME = "processor time" if _IS_FINE else "time on the wall"

Work = Callable[[int], object]
"""Does a number of pieces of work: lives, or frames."""


def repeated(names: dict[str, Any], *lines: str, at_once: int = 1) -> Work:
    """Return what runs lines that do so many pieces, as `timeit` does: no call comes on top."""
    head = f"def work(pieces):\n    for _ in range(0, pieces, {at_once}):"
    exec("\n        ".join([head, *lines]), names := dict(names))  # noqa: S102 - our own lines
    return names["work"]  # type: ignore[no-any-return]  # just defined


def in_frames(*parts: Callable[[], object]) -> Work:
    """Return what plays frames of these parts."""

    def play(frames: int) -> None:
        for _ in range(frames):
            for part in parts:
                part()

    return play


@dataclass(frozen=True)
class Contest:
    """Several ways of doing the same work, timed in turns.

    Attributes:
        turns: Microseconds a piece of each way: a list a turn, a figure a sample.
        collections: How often the garbage collector ran during all turns of each way.
    """

    turns: Mapping[str, list[list[float]]]
    collections: Mapping[str, int]

    def samples(self, way: str) -> list[float]:
        """Return the microseconds of all samples, in order."""
        return list(chain.from_iterable(self.turns[way]))

    def ratio(
        self, way: str, to: str, of: Callable[[list[float]], float] | None = None
    ) -> list[float]:
        """Return the lower quartile, median and upper quartile of the ratios of all samples.

        Or of what `of` makes of each turn, as `worst` or `statistics.fmean`.
        """
        one, other = (
            self.samples(each) if of is None else list(map(of, self.turns[each]))
            for each in (way, to)
        )
        ratios = [mine / its for mine, its in zip(one, other, strict=True)]
        ratios *= 1 if len(ratios) > 1 else 2  # a single one has quartiles, too
        return statistics.quantiles(ratios, n=4, method="inclusive")


def worst(times: list[float]) -> float:
    """Return the mean of the longest hundredth."""
    return statistics.fmean(sorted(times)[-max(1, len(times) // 100) :])


def contest(  # noqa: PLR0913 - each but the first may be left out
    ways: Mapping[str, Work],
    *,
    turns: int,
    samples: int = 1,
    pieces: int = 1,
    frozen: Collection[str] = (),
    between: Callable[[str], object] = str,
) -> Contest:
    """Let each way do its work, in turns.

    Args:
        ways: The ways by name.
        turns: How many each of them has, after one to warm up.
        samples: What is timed in a turn, one right after the other.
        pieces: The pieces of work of a sample.
        frozen: The ways whose heap is set aside by `gc.freeze` before each turn.
        between: Called with a way's name after each of its samples, untimed.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in ways}
    collections = dict.fromkeys(ways, 0)
    for turn in range(-1, turns):
        for name in ways if turn % 2 else reversed(list(ways)):
            gc.unfreeze()
            gc.collect()
            if name in frozen:
                gc.freeze()
            work, before, times = ways[name], _collections(), list[float]()
            for _ in range(samples):
                began = _CLOCK()
                work(pieces)
                times.append((_CLOCK() - began) / pieces * 1e6)
                between(name)
            if turn >= 0:
                taken[name].append(times)
                collections[name] += _collections() - before
    gc.unfreeze()
    return Contest(taken, collections)


def left_behind(work: Work, pieces: int) -> tuple[int, int]:
    """Return how many memory blocks so many pieces leave, and how often the collector ran."""
    found = []
    for _ in range(3):  # what is really left, is left every time
        gc.collect()
        # A collection empties Python's lists of free objects, up to 2,000 tuples of each size:
        # they fill up again first, for no work leaves these behind.
        work(3_000)
        before = _collections(), sys.getallocatedblocks()
        work(pieces)
        blocks = sys.getallocatedblocks() - before[1]
        found.append((blocks, _collections() - before[0]))
    blocks, collections = min(found)
    return max(0, blocks - 1), collections  # one is the count itself


def _collections() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())
