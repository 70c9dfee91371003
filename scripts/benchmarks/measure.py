"""Timing ways of doing the same work against each other, in one run."""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CLOCK", "CLOCK_NAME", "Contest", "SteadyState", "contest", "steady_state"]

# Processor time stands still while other programs run, so that these lengthen nothing; on an idle
# machine it is the time on the wall. Some systems count it in steps of many milliseconds.
_IS_FINE = time.get_clock_info("thread_time").resolution <= 1e-6  # noqa: PLR2004 - a microsecond
CLOCK = time.thread_time if _IS_FINE else time.perf_counter
CLOCK_NAME = "processor time" if _IS_FINE else "time on the wall"

Work = Callable[[int], None]
"""Does a number of pieces of work."""


@dataclass(frozen=True)
class Contest:
    """Several ways of doing the same work, timed in turns.

    Attributes:
        rounds: Seconds a piece of work of each way, a figure a round.
    """

    rounds: Mapping[str, list[float]]

    def nanoseconds(self, name: str) -> float:
        """Return the median time of one piece of work."""
        return statistics.median(self.rounds[name]) * 1e9

    def p99(self, name: str) -> float:
        """Return the time, in nanoseconds, that 99 % of the rounds stayed below."""
        times = sorted(self.rounds[name])
        return times[min(len(times) - 1, len(times) * 99 // 100)] * 1e9

    def ratio(self, name: str, to: str) -> tuple[float, float, float]:
        """Return the lower quartile, median and upper quartile of the rounds' ratios.

        Each ratio is of two times taken one right after the other, so that a machine which is
        busy for a while disturbs both.
        """
        pairs = zip(self.rounds[name], self.rounds[to], strict=True)
        low, middle, high = statistics.quantiles([one / other for one, other in pairs], n=4)
        return low, middle, high


@dataclass(frozen=True)
class SteadyState:
    """What is left of many cycles.

    Attributes:
        cycles: How many there were.
        blocks: Memory blocks that are allocated more after them than before, less what measuring
            itself leaves.
        collections: Runs of the garbage collector meanwhile.
    """

    cycles: int
    blocks: int
    collections: int


def contest(ways: Mapping[str, Work], *, pieces: int, rounds: int) -> Contest:
    """Let each way do `pieces` pieces of work, in turns, `rounds` times."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for work in ways.values():
        work(pieces)
    for _ in range(rounds):
        for name, work in ways.items():
            began = CLOCK()
            work(pieces)
            times[name].append((CLOCK() - began) / pieces)
    return Contest(times)


def steady_state(work: Work, cycles: int) -> SteadyState:
    """Count what `cycles` pieces of work leave behind, once they have settled."""
    # Python keeps small numbers for ever; a count of lives allocates once, when it leaves them.
    work(cycles // 2)
    idle = min(_left_by(_nothing, cycles)[0] for _ in range(3))
    # What is really left, is left every time.
    blocks, collections = min(_left_by(work, cycles) for _ in range(3))
    return SteadyState(cycles, max(0, blocks - idle), collections)


def _left_by(work: Work, cycles: int) -> tuple[int, int]:
    gc.collect()
    # A collection empties Python's lists of free objects, up to 80 of a kind: fill them again.
    work(max(200, cycles // 100))
    before = _collections()
    blocks = sys.getallocatedblocks()
    work(cycles)
    blocks = sys.getallocatedblocks() - blocks
    return blocks, _collections() - before


def _nothing(pieces: int) -> None:
    """Do no work: what is left all the same is left by measuring."""


def _collections() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())
