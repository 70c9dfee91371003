"""Making instances beforehand, spread over the frames of a loading screen."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

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
    delay_frames: int,
    frames_between: int | None,
) -> Generator[Progress, None, None]:
    """Make instances until each pool holds its count at rest; see `PoolingSystem.prewarm`."""
    pooled = {pool: count for pool, count in counts.items() if pool.pooling}
    unused = [pool for pool in pooled if not pool.prespawned]
    wanted = {pool: _within_limit(pool, pool.first_use(count)) for pool, count in pooled.items()}
    done = 0

    def progress() -> Progress:
        missing = sum(max(0, count - pool.inactive_count) for pool, count in wanted.items())
        return Progress(done, done + missing)

    try:
        for _ in range(delay_frames):
            yield progress()
        deadline = time.perf_counter() + budget_ms / 1000
        for pool, count in wanted.items():
            while pool.inactive_count < count and _make_one(pool, progress):
                done += 1
                now = progress()
                if now.done == now.total:
                    break
                if frames_between is not None:
                    yield from [now] * (frames_between + 1)
                elif time.perf_counter() >= deadline:
                    yield now
                    deadline = time.perf_counter() + budget_ms / 1000
        unused.clear()
        yield progress()
    finally:
        # Cancelled: what the settings prespawn is still to be made, at the real first use.
        for pool in unused:
            pool.use_later()


def _within_limit(pool: Pool[Any], count: int) -> int:
    limit = pool.settings.limit
    if limit is None:
        return count
    return min(count, pool.inactive_count + max(0, limit - pool.capacity))


def _make_one(pool: Pool[Any], progress: Callable[[], Progress]) -> int:
    try:
        return pool.increase_capacity(1)
    except BaseException as error:
        now = progress()
        error.add_note(
            f"while prewarming: {now.total - now.done} of {now.total} instances are "
            "still missing, those that were made can be used"
        )
        raise
