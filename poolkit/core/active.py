"""What a game sees of a pool's active instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from poolkit.core.record import PoolablePrefabData

if TYPE_CHECKING:
    from poolkit.core.home import PoolHome

__all__ = ["ActiveInstances"]

T = TypeVar("T")


class ActiveInstances(Mapping[T, PoolablePrefabData[T]]):
    """A live view of a pool's active instances, by identity, in the order they were spawned."""

    __slots__ = ("_active", "_home")

    def __init__(self, active: dict[PoolablePrefabData[T], None], home: PoolHome) -> None:
        """Look at `active`, whose instances `home` knows."""
        self._active = active
        self._home = home

    def __getitem__(self, instance: T) -> PoolablePrefabData[T]:
        """Return the record of an active `instance`."""
        data = self._home.find(instance)
        if data is None or data not in self._active or data.instance is not instance:
            raise KeyError(instance)
        return data

    def __iter__(self) -> Iterator[T]:
        """Iterate over the instances that are active now."""
        return iter([data.instance for data in self._active])

    def __len__(self) -> int:
        """Return how many are active."""
        return len(self._active)

    def __repr__(self) -> str:
        """Return ``<ActiveInstances(3)>``."""
        return f"<{type(self).__name__}({len(self)})>"
