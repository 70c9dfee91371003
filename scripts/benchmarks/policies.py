"""What each policy costs, at pools of a hundred to a million objects."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.measure import CLOCK_NAME, contest
from benchmarks.report import table
from poolkit import Exceed, ObjectPool, PoolSettings, RecycleLowest, RecycleOldest, Refuse

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (100, 10_000, 1_000_000)
QUICK = {"sizes": (100, 1_000), "turns": 1, "pieces": 100}


class Thing:
    """What is pooled."""

    __slots__ = ("worth",)

    def __init__(self) -> None:
        self.worth = 0.0


Pool = ObjectPool[Thing]


class Case(NamedTuple):
    """What is done again and again with a pool of such settings, whose objects are all out."""

    call: Callable[[Pool, float], object]
    overflow: Any = None  # of a pool at its limit; all rest in a pool without
    order: Any = "fifo"


def _borrow(pool: Pool, _worth: float) -> None:
    pool.release(pool.get())


def _get(pool: Pool, worth: float) -> None:
    pool.get().worth = worth


def _update(pool: Pool, worth: float) -> None:
    thing = next(iter(pool.active))
    thing.worth = worth
    pool.update_priority(thing)


LOWEST = RecycleLowest(lambda thing: thing.worth)
CASES = {
    "get + release, fifo": Case(_borrow),
    "get + release, lifo": Case(_borrow, order="lifo"),
    "get at the limit: Refuse": Case(lambda pool, _worth: pool.try_get(), Refuse()),
    "get + release at the limit: Exceed": Case(_borrow, Exceed()),
    "get at the limit: RecycleOldest": Case(_get, RecycleOldest()),
    "get at the limit: RecycleLowest": Case(_get, LOWEST),
    "update_priority": Case(_update, LOWEST),
}


def _prepared(case: Case, size: int) -> Callable[[int], None]:
    dice, call = random.Random(1), case.call  # noqa: S311 - the same numbers every time
    if case.overflow is None:
        pool = ObjectPool(Thing, settings=PoolSettings(prespawn=size, order=case.order))
    else:
        pool = ObjectPool(Thing, settings=PoolSettings(limit=size, overflow=case.overflow))
        for _ in range(size):
            pool.get().worth = dice.random()

    def work(pieces: int) -> None:
        for _ in range(pieces):
            call(pool, dice.random())

    return work


def run(*, sizes: tuple[int, ...] = SIZES, turns: int = 9, pieces: int = 5_000) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    names = {f"{size:,}": size for size in sizes}
    return {
        name: contest(
            {shown: _prepared(case, size) for shown, size in names.items()},
            turns=turns,
            pieces=pieces,
            frozen=names,  # the pool is measured, not the collector
        ).figures(next(iter(names)))
        for name, case in CASES.items()
    }


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    sizes = list(next(iter(results.values())))
    rows = [["objects in the pool", *sizes]]
    for name, row in results.items():
        rows.append([name, *(f"{row[size]['median']:.2f}" for size in sizes)])
    return f"microseconds of {CLOCK_NAME} a call, medians\n\n{table(rows)}"
