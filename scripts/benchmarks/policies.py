"""What each policy costs, at pools of a hundred to a million objects."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from benchmarks.measure import CLOCK_NAME, contest, repeated
from benchmarks.report import Report, table
from poolkit import Exceed, ObjectPool, PoolSettings, RecycleLowest, RecycleOldest, Refuse

if TYPE_CHECKING:
    from benchmarks.measure import Work

SIZES = (100, 10_000, 1_000_000)
QUICK = {"sizes": (100, 1_000), "turns": 1, "pieces": 100}


class Thing:
    """What is pooled."""

    __slots__ = ("worth",)

    def __init__(self) -> None:
        self.worth = 0.0


BORROW = "pool.release(pool.get())"
GET = "pool.get().worth = random()"
UPDATE = "thing = next(iter(pool.active)); thing.worth = random(); pool.update_priority(thing)"
LOWEST = RecycleLowest(lambda thing: thing.worth)
# What is done again and again: with a pool at rest, or at its limit where there is a policy.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "get + release, fifo": (BORROW, {}),
    "get + release, lifo": (BORROW, {"order": "lifo"}),
    "get at the limit: Refuse": ("pool.try_get()", {"overflow": Refuse()}),
    "get + release at the limit: Exceed": (BORROW, {"overflow": Exceed()}),
    "get at the limit: RecycleOldest": (GET, {"overflow": RecycleOldest()}),
    "get at the limit: RecycleLowest": (GET, {"overflow": LOWEST}),
    "update_priority": (UPDATE, {"overflow": LOWEST}),
}


def _prepared(call: str, settings: dict[str, Any], size: int) -> Work:
    dice = random.Random(1)  # noqa: S311 - the same numbers every time
    settings = {"limit" if "overflow" in settings else "prespawn": size, **settings}
    pool = ObjectPool(Thing, settings=PoolSettings(**settings))
    for _ in range(pool.settings.limit or 0):
        pool.get().worth = dice.random()
    return repeated({"pool": pool, "random": dice.random}, call)


def run(*, sizes: tuple[int, ...] = SIZES, turns: int = 9, pieces: int = 5_000) -> Report:
    """Measure each policy at each size."""
    names = {f"{size:,}": size for size in sizes}
    found, rows = {}, [["objects in the pool", *names]]
    for name, case in CASES.items():
        ways = {shown: _prepared(*case, size) for shown, size in names.items()}
        # Frozen: the pool is measured, not the collector.
        outcome = contest(ways, turns=turns, pieces=pieces, frozen=names)
        found[name] = outcome.figures(next(iter(names)))
        rows.append([name, *(f"{costs['median']:.2f}" for costs in found[name].values())])
    return Report(found, f"microseconds of {CLOCK_NAME} a call, medians\n\n{table(rows)}")
