"""Making instances beforehand, spread over the frames of a loading screen."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from poolkit.core.pool import Pool

__all__ = ["Progress", "prewarming"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far prewarming is.

    Attributes:
        done: Instances made so far.
        total: Instances to be made in all.
    """

    done: int
    total: int

    @property
    def fraction(self) -> float:
        """The share that is done, from 0 to 1; 1 where there is nothing to do."""
        return self.done / self.total if self.total else 1.0


def prewarming(
    counts: Mapping[Pool[Any], int],
    budget_ms: float,
) -> Generator[Progress, None, None]:
    """Make instances until each pool holds its count at rest; see `PoolingSystem.prewarm`."""
    missing = {pool: max(0, count - pool.inactive_count) for pool, count in counts.items()}
    total, done = sum(missing.values()), 0
    deadline = time.perf_counter() + budget_ms / 1000
    for pool, count in missing.items():
        for _ in range(count):
            if not pool.increase_capacity(1):
                # The limit is reached: what can't be made is not waited for.
                total -= 1
                continue
            done += 1
            if time.perf_counter() >= deadline and done < total:
                yield Progress(done, total)
                deadline = time.perf_counter() + budget_ms / 1000
    yield Progress(done, total)
