"""What was measured of a prefab, and the sentence that says whether pooling pays."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.devtools.collector_probe import CollectorPause

__all__ = ["Pauses", "Spread", "Verdict"]

_CLEARLY = 1.1  # times: below it, an advantage is no reason to do one or the other
_MANY = 10  # times: from here on, tenths say nothing


@dataclass(frozen=True, slots=True)
class Spread:
    """A time that was measured again and again.

    Attributes:
        low: The lower quartile, in seconds.
        median: The middle one.
        high: The upper quartile.
    """

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """Return the spread of at least two times."""
        return cls(*statistics.quantiles(seconds, n=4, method="inclusive"))

    def __str__(self) -> str:
        """Return ``31.4 µs (30.9 - 32.5)``."""
        low, high = _microseconds(self.low), _microseconds(self.high)
        return f"{_microseconds(self.median)} µs ({low} - {high})"


@dataclass(frozen=True, slots=True)
class Pauses:
    """What the garbage collector did while lives went by.

    Attributes:
        lives: How many lives there were.
        count: How often it stopped them.
        full: How often to look at everything there is.
        seconds: For how long in all.
        worst: The longest of them.
    """

    lives: int
    count: int = 0
    full: int = 0
    seconds: float = 0.0
    worst: float = 0.0

    @classmethod
    def of(cls, lives: int, pauses: Sequence[CollectorPause]) -> Pauses:
        """Sum up the pauses while so many lives went by."""
        seconds = [pause.seconds for pause in pauses]
        full = sum(pause.generation == 2 for pause in pauses)  # noqa: PLR2004 - the oldest one
        return cls(lives, len(pauses), full, sum(seconds), max(seconds, default=0.0))

    @property
    def a_life(self) -> float:
        """Seconds of pauses for each life."""
        return self.seconds / self.lives

    def __str__(self) -> str:
        """Return ``stopped 12 times in 5,000 lives, 31.0 ms in all, 14.2 ms at worst``."""
        if not self.count:
            return f"never stopped in {self.lives:,} lives"
        times = "once" if self.count == 1 else f"{self.count:,} times"
        return (
            f"stopped {times} in {self.lives:,} lives, {self.seconds * 1000:.1f} ms in all, "
            f"{self.worst * 1000:.1f} ms at worst"
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether pooling pays for a prefab; `str()` says it in a sentence.

    A life that is built anew costs building and its share of the collector's pauses; what its
    hooks, parts and physics cost comes on top, as it does for one that is reused. Placing it and
    joining its groups is counted where it is reused alone: where pooling pays, it pays.

    Attributes:
        name: The prefab's name.
        build: Seconds that a life costs with a new instance.
        reuse: Seconds that a life costs with an instance from a pool.
        ratio: How many times as long building took as reusing, each time right after the other: a
            machine that is busy for a while disturbs both alike.
        build_bytes: Bytes that a new instance takes: of Python's memory, and of pixels.
        reuse_bytes: Bytes of Python's memory that a reuse leaves behind.
        heap: How many other objects were alive, as they are in a game.
        build_pauses: What the collector did while new instances came and went.
        reuse_pauses: What it did while they were reused.

    Examples:
        >>> build, reuse = Spread(30.9e-6, 31.4e-6, 32.5e-6), Spread(2.2e-6, 2.3e-6, 2.9e-6)
        >>> str(Verdict("orc", build, reuse, ratio=Spread(12.8, 13.6, 14.2)))
        'orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays'
    """

    name: str
    build: Spread
    reuse: Spread
    ratio: Spread
    build_bytes: float = 0.0
    reuse_bytes: float = 0.0
    heap: int = 0
    build_pauses: Pauses = Pauses(1)
    reuse_pauses: Pauses = Pauses(1)

    @property
    def times(self) -> float:
        """How many times as long building takes as reusing."""
        return self.build.median / self.reuse.median

    @property
    def pays(self) -> bool | None:
        """Whether pooling pays; `None`: too close to call, for the spreads overlap."""
        if self.ratio.low >= _CLEARLY:
            return True
        return False if self.ratio.high <= 1 / _CLEARLY else None

    def __str__(self) -> str:
        """Return the sentence."""
        build, reuse = _microseconds(self.build.median), _microseconds(self.reuse.median)
        if self.pays:
            times = f"{self.times:.0f}" if self.times >= _MANY else f"{self.times:.1f}"
            cost = f"{build} µs to build, {reuse} µs to reuse, {times} times"
            return f"{self.name}: {cost}; pooling pays"
        judged = "pooling does not pay" if self.pays is False else "too close to call"
        return f"{self.name}: {build} µs against {reuse}; {judged}"

    @property
    def details(self) -> str:
        """The figures behind the sentence, as lines."""
        lines = [
            f"  to {what}: {time}, {size:,.0f} bytes; the collector {pauses}"
            for what, time, size, pauses in (
                ("build", self.build, self.build_bytes, self.build_pauses),
                ("reuse", self.reuse, self.reuse_bytes, self.reuse_pauses),
            )
        ]
        lines.append(f"  (medians and quartiles; at a heap of {self.heap:,} objects)")
        return "\n".join(lines)


def _microseconds(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:.1f}" if micro >= 0.1 else f"{micro:.2f}"  # noqa: PLR2004 - else 0.0
