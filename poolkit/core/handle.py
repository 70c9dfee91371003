"""A weak reference to one life of an instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from poolkit.core.record import PoolablePrefabData

__all__ = ["Handle"]

T_co = TypeVar("T_co", covariant=True)


class Handle(Generic[T_co]):
    """Refers to one life: false as soon as it is over, whatever the instance does next.

    Handles of the same life are equal and have the same hash.

    Examples:
        >>> from poolkit import PoolingSystem
        >>> class Orc: ...
        >>> system = PoolingSystem()
        >>> target = system.handle(system.spawn(Orc))
        >>> bool(target)
        True
        >>> target.despawn()
        True
        >>> print(target.get(), target.despawn())
        None False
    """

    __slots__ = ("_data", "_generation")

    def __init__(self, data: PoolablePrefabData[Any], generation: int) -> None:
        """Refer to life number `generation` of the instance of `data`."""
        self._data = data
        self._generation = generation

    def get(self) -> T_co | None:
        """Return the instance while that life lasts, else `None`."""
        data = self._data
        if data.active and data.generation == self._generation:
            instance: T_co = data.instance
            return instance
        return None

    def despawn(self) -> bool:
        """End that life; `False`, and nothing happens, if it is over already."""
        data = self._data
        return bool(self) and data.pool.end(data)

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        return self._data.active and self._data.generation == self._generation

    def __eq__(self, other: object) -> bool:
        """Return whether `other` refers to the same life."""
        if not isinstance(other, Handle):
            return NotImplemented
        return self._data is other._data and self._generation == other._generation

    def __hash__(self) -> int:
        """Return a hash of that life."""
        return hash((id(self._data), self._generation))

    def __repr__(self) -> str:
        """Return ``<Handle(orc #0007, life 3)>``, with ``over`` where it is."""
        state = "" if self else ", over"
        return f"<Handle({self._data.label}, life {self._generation}{state})>"
