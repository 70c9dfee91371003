"""What a pool does when it has reached its limit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.recycling import Recycling

__all__ = [
    "EXCEED",
    "Exceed",
    "OverflowPolicy",
    "RecycleLowest",
    "RecycleOldest",
    "Refuse",
]


class _Decision(Enum):
    EXCEED = "exceed"


EXCEED: Final = _Decision.EXCEED
"""What a policy answers to let the pool go beyond its limit."""


@runtime_checkable
class OverflowPolicy(Protocol):
    """Decides for a full pool; a game may write its own.

    It is asked once for each life that needs room, one at a time, also by `spawn_many`: one that
    refuses midway, or chooses what it may not, does so after the lives it chose before have ended.
    Only the built-in policies are all or none.

    Examples:
        >>> class RecycleFarthest:
        ...     def __init__(self, player):
        ...         self.player = player
        ...
        ...     def choose_victim(self, pool):
        ...         x = self.player.position[0]
        ...         return max(pool.reclaimable, key=lambda s: abs(s.position[0] - x), default=None)
    """

    def choose_victim(self, pool: Recycling[Any]) -> Any:
        """Return the active instance whose life makes room for a new one.

        Choose from ``pool.reclaimable``. Return `None` to refuse, or `EXCEED` to make one more
        all the same.
        """


@dataclass(frozen=True, slots=True)
class Refuse:
    """At the limit, `spawn` raises `PoolExhaustedError` and `try_spawn` answers `None`."""

    def choose_victim(self, pool: Recycling[Any]) -> None:
        """Choose none: refuse."""


@dataclass(frozen=True, slots=True)
class Exceed:
    """The limit is a soft one: what is made beyond it is destroyed at its despawn."""

    def choose_victim(self, pool: Recycling[Any]) -> Any:
        """Let the pool go on."""
        del pool
        return EXCEED


@dataclass(frozen=True, slots=True)
class RecycleOldest:
    """At the limit, the life that began first ends, and makes room for the new one. O(1)."""

    def choose_victim(self, pool: Recycling[Any]) -> Any:
        """Choose the oldest life that may be reclaimed."""
        return pool.oldest()


@dataclass(frozen=True, slots=True)
class RecycleLowest:
    """At the limit, the life of the lowest priority ends. O(log n).

    Attributes:
        key: Returns an instance's priority, which must be comparable to the others'. Among equals
            the oldest goes first. Where a priority changes during a life, tell the pool:
            ``pool.update_priority(instance)``.

    Raises:
        TypeError: `key` can't be called.
    """

    key: Callable[[Any], Any]

    def __post_init__(self) -> None:
        """Check the key once, here, so that no spawn has to."""
        if not callable(self.key):
            message = (
                f"RecycleLowest's key must be a function, not {self.key!r}: it is given an "
                "instance, and returns its priority"
            )
            raise TypeError(message)

    def choose_victim(self, pool: Recycling[Any]) -> Any:
        """Choose the life of the lowest priority that may be reclaimed."""
        return pool.lowest()
