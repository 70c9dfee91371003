"""What each policy costs, at pools of a hundred to a million objects."""

from __future__ import annotations

import gc
import itertools
import random
import statistics
from typing import TYPE_CHECKING, Any

from benchmarks.measure import CLOCK
from poolkit import Exceed, ObjectPool, PoolSettings, RecycleLowest, RecycleOldest, Refuse

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["QUICK", "as_text", "run"]

SIZES = (100, 10_000, 1_000_000)
QUICK = {"sizes": (100, 1_000, 10_000), "rounds": 4}


class Thing:
    """What is pooled."""

    __slots__ = ("worth",)

    def __init__(self) -> None:
        """Be worth nothing yet."""
        self.worth = 0.0


def run(*, sizes: tuple[int, ...] = SIZES, rounds: int = 40) -> dict[str, Any]:
    """Measure, and return nanoseconds by policy and number of objects."""
    cases: dict[str, Callable[[int], Callable[[], object]]] = {
        "get + release, fifo": lambda n: _lending(n, "fifo"),
        "get + release, lifo": lambda n: _lending(n, "lifo"),
        "get at the limit: Refuse": _refusing,
        "get + release at the limit: Exceed": _exceeding,
        "get at the limit: RecycleOldest": lambda n: _full(n, RecycleOldest()).get,
        "get at the limit: RecycleLowest": _recycling_lowest,
        "update_priority": _updating,
    }
    return {
        "sizes": list(sizes),
        "nanoseconds": {
            name: [_median(prepare(size), rounds) for size in sizes]
            for name, prepare in cases.items()
        },
    }


def _median(call: Callable[[], object], rounds: int) -> int:
    gc.collect()
    gc.freeze()  # what is measured is the pool, not collections of a million objects
    times = []
    for _ in range(rounds + 1):
        began = CLOCK()
        for _ in range(500):
            call()
        times.append((CLOCK() - began) / 500)
    gc.unfreeze()
    return round(statistics.median(times[1:]) * 1e9)


def _lending(size: int, order: Any) -> Callable[[], object]:
    pool = ObjectPool(Thing, settings=PoolSettings(prespawn=size, order=order))

    def cycle() -> None:
        pool.release(pool.get())

    return cycle


def _full(size: int, overflow: Any) -> ObjectPool[Thing]:
    dice = random.Random(1)  # noqa: S311 - the same numbers every time
    pool = ObjectPool(Thing, settings=PoolSettings(limit=size, overflow=overflow))
    for _ in range(size):
        pool.get().worth = dice.random()
    return pool


def _refusing(size: int) -> Callable[[], object]:
    return _full(size, Refuse()).try_get


def _exceeding(size: int) -> Callable[[], object]:
    pool = _full(size, Exceed())

    def cycle() -> None:
        pool.release(pool.get())

    return cycle


def _recycling_lowest(size: int) -> Callable[[], object]:
    pool = _full(size, RecycleLowest(lambda thing: thing.worth))
    worths = itertools.cycle([random.Random(2).random() for _ in range(997)])  # noqa: S311
    pool.lowest()

    def cycle() -> None:
        pool.get().worth = next(worths)

    return cycle


def _updating(size: int) -> Callable[[], object]:
    pool = _full(size, RecycleLowest(lambda thing: thing.worth))
    things = itertools.cycle(itertools.islice(pool.active, 997))
    dice = random.Random(3)  # noqa: S311
    pool.lowest()

    def cycle() -> None:
        thing = next(things)
        thing.worth = dice.random()
        pool.update_priority(thing)

    return cycle


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    sizes = results["sizes"]
    lines = ["microseconds a call, medians, by the number of objects in the pool", ""]
    lines.append(f"{'':<36}" + "".join(f"{size:>12,}" for size in sizes))
    for name, row in results["nanoseconds"].items():
        lines.append(f"{name:<36}" + "".join(f"{value / 1000:>12.2f}" for value in row))
    return "\n".join(lines)
