"""What a game sees of a pool's active instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from poolkit.core.record import PoolablePrefabData

if TYPE_CHECKING:
    from poolkit.core.stock import Stock

__all__ = ["ActiveInstances"]

T = TypeVar("T")


class ActiveInstances(Mapping[T, PoolablePrefabData[T]]):
    """A live view of a pool's active instances, by identity, in the order they were spawned."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Stock[T]) -> None:
        """Look at `pool`."""
        self._pool = pool

    def __getitem__(self, instance: T) -> PoolablePrefabData[T]:
        """Return the record of an active `instance`."""
        data = self._pool._context.find(instance)
        if (
            data is None
            or not data.active
            or data.pool is not self._pool
            or data.instance is not instance
        ):
            raise KeyError(instance)
        return data

    def __iter__(self) -> Iterator[T]:
        """Iterate over the instances that are active now."""
        return iter([data.instance for data in self._pool.active_records])

    def __len__(self) -> int:
        """Return how many are active."""
        return self._pool.active_count

    def __repr__(self) -> str:
        """Return ``<ActiveInstances(3)>``."""
        return f"<{type(self).__name__}({len(self)})>"
