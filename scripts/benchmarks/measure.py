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
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

POOLKIT, BY_HAND, BAREST, ANEW = "poolkit", "by hand", "barest", "built anew"

# Processor time stands still while other programs run, so that these lengthen nothing; on an idle
# machine it is the time on the wall. Some systems count it in steps of many milliseconds.
_IS_FINE = time.get_clock_info("thread_time").resolution <= 1e-6  # noqa: PLR2004 - a microsecond
_CLOCK = time.thread_time if _IS_FINE else time.perf_counter
CLOCK_NAME = "processor time" if _IS_FINE else "time on the wall"

_FILLING = 3_000  # pieces of work after which Python keeps as many free objects as it ever will

Work = Callable[[int], object]
"""Does a number of pieces of work: lives, or frames."""

_NOTHING: Mapping[str, Callable[[], object]] = {}


@dataclass(frozen=True)
class Contest:
    """Several ways of doing the same work, timed in turns.

    Attributes:
        turns: Microseconds a piece of each way: a list a turn, a figure a sample.
        collections: How often the garbage collector ran during all turns of each way.
    """

    turns: Mapping[str, list[list[float]]]
    collections: Mapping[str, int]

    def samples(self, name: str) -> list[float]:
        """Return the microseconds of all samples, in order."""
        return list(chain.from_iterable(self.turns[name]))

    def ratio(self, name: str, to: str) -> list[float]:
        """Return the lower quartile, median and upper quartile of the samples' ratios."""
        return _quartiles(zip(self.samples(name), self.samples(to), strict=True))

    def ratio_of(self, part: Callable[[list[float]], float], name: str, to: str) -> list[float]:
        """Return the same of a figure that each turn has, as `worst` or `statistics.fmean`."""
        return _quartiles(
            (part(one), part(other))
            for one, other in zip(self.turns[name], self.turns[to], strict=True)
        )

    def figures(self, ours: str = POOLKIT) -> dict[str, dict[str, Any]]:
        """Return each way's figures, and what `ours` takes of each of the others."""
        return {
            name: {
                "median": round(statistics.median(self.samples(name)), 3),
                "mean": round(statistics.fmean(self.samples(name)), 3),
                "worst 1 %": round(statistics.median(map(worst, turns)), 3),
                "collections": self.collections[name],
                **({} if name == ours else {"ours takes": self.ratio(ours, to=name)}),
            }
            for name, turns in self.turns.items()
        }


def _quartiles(pairs: Any) -> list[float]:
    ratios = [one / other for one, other in pairs]
    if len(ratios) == 1:
        ratios *= 2
    return [round(value, 3) for value in statistics.quantiles(ratios, n=4, method="inclusive")]


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
    between: Mapping[str, Callable[[], object]] = _NOTHING,
) -> Contest:
    """Let each way do its work, in turns.

    Args:
        ways: The ways by name.
        turns: How many each of them has, after one to warm up.
        samples: What is timed in a turn, one right after the other.
        pieces: The pieces of work of a sample.
        frozen: The ways whose heap is set aside by `gc.freeze` before each turn.
        between: What a way does after each sample, untimed.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in ways}
    collections = dict.fromkeys(ways, 0)
    for turn in range(-1, turns):
        order = list(ways)
        for name in order if turn % 2 else reversed(order):
            gc.unfreeze()
            gc.collect()
            if name in frozen:
                gc.freeze()
            before = _collections()
            times = _turn(ways[name], samples, pieces, between.get(name))
            if turn >= 0:
                taken[name].append(times)
                collections[name] += _collections() - before
    gc.unfreeze()
    return Contest(taken, collections)


def _turn(
    work: Work, samples: int, pieces: int, between: Callable[[], object] | None
) -> list[float]:
    times = []
    for _ in range(samples):
        began = _CLOCK()
        work(pieces)
        times.append((_CLOCK() - began) / pieces * 1e6)
        if between is not None:
            between()
    return times


def left_behind(work: Work, pieces: int) -> dict[str, int]:
    """Count what so many pieces of work leave behind, once they have settled.

    Returns:
        ``net blocks``: memory blocks that are allocated more after them than before, less what
        measuring itself leaves. ``collections``: runs of the garbage collector meanwhile.
    """
    idle = min(_left_by(_rest, pieces)[0] for _ in range(3))
    # What is really left, is left every time.
    blocks, collections = min(_left_by(work, pieces) for _ in range(3))
    return {"net blocks": max(0, blocks - idle), "collections": collections}


def _left_by(work: Work, pieces: int) -> tuple[int, int]:
    gc.collect()
    # A collection empties Python's lists of free objects, up to 2,000 tuples of each size: without
    # filling them again first, 986 blocks are told that no work leaves behind.
    work(_FILLING)
    before = _collections()
    blocks = sys.getallocatedblocks()
    work(pieces)
    blocks = sys.getallocatedblocks() - blocks
    return blocks, _collections() - before


def _rest(pieces: int) -> None:
    """Do no work: what is left all the same is left by measuring."""


def _collections() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())
