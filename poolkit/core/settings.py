"""How one pool behaves: its sizes, and what it does when it is full."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, runtime_checkable

from poolkit.core.clock import checked_seconds
from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record
    from poolkit.core.seams import Crowd


def checked_count(count: object, what: str, *, least: int = 0) -> int:
    """Return `count` if it is a whole number of at least `least`."""
    if not isinstance(count, int) or isinstance(count, bool):
        message = f"{what} must be a whole number, not {count!r}"
        raise TypeError(message)
    if count < least:
        message = f"{what} must be {least} or more, not {count}"
        raise ValueError(message)
    return count


def _check_rate(rate: object) -> None:
    if not isinstance(rate, int | float) or isinstance(rate, bool):
        message = f"prespawn_per_update must be a number, not {rate!r}"
        raise TypeError(message)
    if not 0 < rate < inf:
        message = f"prespawn_per_update must be above 0 and finite, not {rate!r}"
        raise ValueError(message)


EXCEED: Final = object()
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

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Return the active instance whose life makes room for a new one.

        Choose from ``pool.reclaimable``. Return `None` to refuse, or `EXCEED` to make one more
        all the same.
        """


@dataclass(frozen=True, slots=True)
class Refuse:
    """At the limit, `spawn` raises `PoolExhaustedError` and `try_spawn` answers `None`."""

    def choose_victim(self, pool: Pool[Any]) -> None:
        """Choose none: refuse."""


@dataclass(frozen=True, slots=True)
class Exceed:
    """The limit is a soft one: more may be alive; at rest, as many as the limit are kept."""

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Let the pool go on."""
        del pool
        return EXCEED


@dataclass(frozen=True, slots=True)
class RecycleOldest:
    """At the limit, the life that began first ends, and makes room for the new one."""

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Choose the oldest life that may be reclaimed."""
        return pool.oldest()


@dataclass(frozen=True, slots=True)
class RecycleLowest:
    """At the limit, the life of the lowest priority ends. O(log n).

    Attributes:
        key: Returns an instance's priority, which must be comparable to the others'. Among equals
            the oldest goes first. Where a priority changes during a life, tell the pool:
            ``pool.update_priority(instance)``. For a swarm, the name of a column.

    Raises:
        TypeError: `key` can't be called.
    """

    key: Callable[[Any], Any] | str

    def __post_init__(self) -> None:
        if not (callable(self.key) or isinstance(self.key, str)):
            message = (
                f"RecycleLowest's key must be a function, not {self.key!r}: it is given an "
                "instance, and returns its priority"
            )
            raise TypeError(message)

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Choose the life of the lowest priority that may be reclaimed."""
        return pool.lowest()


class Budget:
    """One limit for the lives of several prefabs and swarms: make one, and share it.

    Where it is used up, the overflow policy of the pool that spawns chooses among the lives of all
    pools that share it. (At a limit of its own, a pool ends one of its own.) The lives of a pool
    that joins it later count as younger than those that were there. Of lives of different kinds,
    prefabs' and swarms', only `RecycleOldest` can choose: `RecycleLowest` ends lives of the kind
    that it can rate. It belongs to one system: the first that uses it.

    Args:
        limit: The most lives there may be at once.

    Raises:
        TypeError: `limit` is no whole number.
        ValueError: It is negative.

    Examples:
        >>> effects = Budget(300)
        >>> PoolSettings(budget=effects, overflow=RecycleOldest()).budget
        <Budget(0 of 300)>
    """

    __slots__ = ("_crowds", "_lives", "_next_number", "_owner", "_reserved", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = checked_count(limit, "the limit of a Budget")
        self._owner: weakref.ref[SystemContext] | None = None
        # With the numbers of their births, which those in crowds have as well.
        self._lives: OrderedDict[Record[Any], int] = OrderedDict()
        self._next_number = 0
        self._crowds: weakref.WeakValueDictionary[int, Crowd] = weakref.WeakValueDictionary()
        self._reserved = 0  # places of lives that are about to begin

    def _belong_to(self, context: SystemContext) -> None:
        owner = None if self._owner is None else self._owner()
        if owner is not None and owner is not context and not owner.closed:
            message = f"{self!r} is another pooling system's: make a Budget for each system"
            raise PoolError(message)
        self._owner = weakref.ref(context)

    def _admit(self, *records: Record[Any]) -> None:
        """Count lives that have begun."""
        for record in records:
            self._lives[record] = self._next_number
            self._next_number += 1

    def _admit_crowd(self, crowd: Crowd, context: SystemContext) -> None:
        """Count all lives of a crowd from now on."""
        self._belong_to(context)
        self._crowds[id(crowd)] = crowd

    @property
    def _num_lives(self) -> int:
        """How many share it now."""
        return len(self._lives) + sum(map(len, self._crowds.values()))

    @property
    def _num_free(self) -> int:
        """How many more lives may begin; below 0, where there are too many."""
        return self.limit - self._num_lives - self._reserved

    def __repr__(self) -> str:
        """Return ``<Budget(120 of 300)>``."""
        return f"<Budget({self._num_lives} of {self.limit})>"


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """The settings of one pool; immutable, so that prefabs can share them.

    Attributes:
        prespawn: How many instances are made when the prefab is registered or first used.
        limit: The most lives at once; `None`: no limit. At rest there are never more than it leaves
            room for, but for spares, which stand in for what waits for the next update or the end
            of a step: as many as one frame ever needed. 0 switches an effect off.
        grow_by: How many are made at once when a spawn finds none inactive.
        overflow: What happens when `limit` is reached.
        order: Which inactive instance is handed out: ``"fifo"``, the one that rested longest, or
            ``"lifo"``, the one despawned last.
        trim_after: Seconds after which inactive instances that were never needed are destroyed;
            `None`: never.
        max_idle: The most instances at rest, whatever made them: what comes to rest beyond it is
            destroyed, and nothing is made beforehand beyond it; `None`: no such limit.
        prespawn_delay: Seconds of `update` to wait before what `prespawn` says is made.
        prespawn_per_update: How many of them are made in each `update`; 0.5 is one every second
            update. `None`: all at once.
        budget: A limit shared with other prefabs, beside this pool's own.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: A value is out of range, or `prespawn` is over `limit` or `max_idle`.

    Examples:
        >>> PoolSettings(prespawn=20, limit=64).limit
        64
        >>> PoolSettings(prespawn=20, limit=8)
        Traceback (most recent call last):
        ...
        ValueError: prespawn=20 is more than limit=8: raise the limit, or prespawn fewer
    """

    prespawn: int = 0
    limit: int | None = None
    grow_by: int = 1
    overflow: OverflowPolicy = field(default_factory=Refuse)
    order: Literal["fifo", "lifo"] = "fifo"
    trim_after: float | None = None
    max_idle: int | None = None
    prespawn_delay: float = 0.0
    prespawn_per_update: float | None = None
    budget: Budget | None = None

    def __post_init__(self) -> None:
        checked_count(self.prespawn, "prespawn")
        checked_count(self.grow_by, "grow_by", least=1)
        for name in ("limit", "max_idle"):
            most = getattr(self, name)
            if most is not None and self.prespawn > checked_count(most, name):
                message = (
                    f"prespawn={self.prespawn} is more than {name}={most}: "
                    f"raise the {name}, or prespawn fewer"
                )
                raise ValueError(message)
        if self.order not in ("fifo", "lifo"):
            message = f"order must be 'fifo' or 'lifo', not {self.order!r}"
            raise ValueError(message)
        # A class has the method as well.
        if isinstance(self.overflow, type) or not isinstance(self.overflow, OverflowPolicy):
            message = (
                f"overflow must be a policy such as Refuse(), not {self.overflow!r}: "
                "an object with a method choose_victim(pool)"
            )
            raise TypeError(message)
        if self.trim_after is not None:
            checked_seconds(self.trim_after, "trim_after", least=0.001)
        checked_seconds(self.prespawn_delay, "prespawn_delay")
        if self.prespawn_per_update is not None:
            _check_rate(self.prespawn_per_update)
        if not isinstance(self.budget, Budget | None):
            message = f"budget must be a Budget(...) or None, not {self.budget!r}"
            raise TypeError(message)
