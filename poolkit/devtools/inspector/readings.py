"""A pool's figures, read at a cost that does not grow with the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from poolkit.core.pool import PrefabPool

__all__ = ["Reading", "read"]


class Reading(NamedTuple):
    """What a row tells; the same as the pool's `stats` and report say."""

    active: int
    inactive: int
    peak: int
    limit: int | None
    late: int
    recycled: int
    refused: int
    idle: float  # a share, from 0 to 1

    @property
    def is_full(self) -> bool:
        """Whether all that the limit allows are alive."""
        return self.limit is not None and self.active >= self.limit


def read(pool: PrefabPool[Any]) -> Reading:
    """Read the figures of `pool` as they are now.

    Not by way of `pool.stats`, which counts lives by looking at every instance: that would be a
    hitch of its own in the frames of a game with large pools.
    """
    now, since = pool._totals, pool._marks
    active, capacity = pool.active_count, pool.capacity
    idle, existed = pool.idle_so_far()
    return Reading(
        active=active,
        inactive=capacity - active,
        peak=max(pool._peak, pool._peak_since, active),
        limit=pool.settings.limit,
        late=now.late - since.late,
        recycled=now.recycled - since.recycled,
        refused=now.refused - since.refused,
        idle=idle / existed if existed else 0.0,
    )
