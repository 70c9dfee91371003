"""`ActiveInstances`: what `PrefabPool.active` is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from poolkit.core.record import PoolablePrefabData
from poolkit.core.seams import context_of, lives_of

if TYPE_CHECKING:
    from poolkit.core.pool import Pool

T = TypeVar("T")


class ActiveInstances(Mapping[T, PoolablePrefabData[T]]):
    """A live view of a pool's active instances, by identity, in the order of their spawns."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Pool[T]) -> None:
        self._pool = pool

    def __getitem__(self, instance: T) -> PoolablePrefabData[T]:
        """Return the record of an active `instance`."""
        record = context_of(self._pool).find(instance)
        if record not in lives_of(self._pool) or record.instance is not instance:
            raise KeyError(instance)
        return PoolablePrefabData(record)

    def __iter__(self) -> Iterator[T]:
        """Iterate over the instances that are active now."""
        return iter(list(lives_of(self._pool).values()))

    def __len__(self) -> int:
        return self._pool.active_count

    def __repr__(self) -> str:
        """Return ``<ActiveInstances(3)>``."""
        return f"<{type(self).__name__}({len(self)})>"
