"""The instances of one pool: alive, and at rest."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.record import PoolablePrefabData

__all__ = ["Instances"]

T = TypeVar("T")


class Instances(Generic[T]):
    """All instances of one recipe, whether alive or at rest.

    What a spawn and a despawn look at is all here, side by side: among thousands of pools each
    further line of memory is one more to wait for.

    Attributes:
        quick: Whether the quick paths of a spawn and a despawn may be taken.
    """

    __slots__ = ("_active", "_inactive", "_peak_since", "_records", "_take", "quick")

    def __init__(self) -> None:
        """Begin empty."""
        self._active: dict[PoolablePrefabData[T], None] = {}
        self._inactive: deque[PoolablePrefabData[T]] = deque()
        self._records: dict[PoolablePrefabData[T], None] = {}
        self._peak_since = 0  # the most that were alive since the low-water mark was last noted
        # How one is taken from rest, where it is not simply the one that has been there longest.
        self._take: Callable[[], PoolablePrefabData[T]] | None = None
        self.quick = False

    def _take_next(self) -> PoolablePrefabData[T]:
        """Take the next instance from rest, of which there is one."""
        return self._inactive.popleft() if self._take is None else self._take()

    @property
    def records(self) -> Iterable[PoolablePrefabData[T]]:
        """The records of all instances."""
        return self._records.keys()

    @property
    def active_records(self) -> list[PoolablePrefabData[T]]:
        """The records of the active instances, as they are now."""
        return list(self._active)

    @property
    def active_count(self) -> int:
        """How many are alive."""
        return len(self._active)

    @property
    def inactive_count(self) -> int:
        """How many are at rest, those that may not be reused yet included."""
        return len(self._records) - len(self._active)

    @property
    def has_resting(self) -> bool:
        """Whether there is an instance that may be reused now."""
        return bool(self._inactive)

    @property
    def capacity(self) -> int:
        """How many there are, alive and at rest."""
        return len(self._records)
