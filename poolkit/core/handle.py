"""A reference to one life, which can never touch the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.ending import end

if TYPE_CHECKING:
    from poolkit.core.record import Record

T_co = TypeVar("T_co", covariant=True)


@dataclass(slots=True, unsafe_hash=True, repr=False)
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

    _record: Record[Any]
    _generation: int

    def get(self) -> T_co | None:
        """Return the instance while that life lasts, else `None`."""
        return self._record.instance if self else None

    def despawn(self) -> bool:
        """End that life; `False`, and nothing happens, if it is over already."""
        return bool(self) and end(self._record)

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        record = self._record  # as `Record.lasts`: asked often
        return record.generation == self._generation and record.active

    def __repr__(self) -> str:
        """Return ``<Handle(orc #0007, life 3)>``, with ``over`` where it is."""
        state = "" if self else ", over"
        return f"<Handle({self._record.label}, life {self._generation}{state})>"
