"""Pool settings: sizes, overflow policies, and budgets shared by several pools."""

from __future__ import annotations

import heapq
import weakref
from dataclasses import dataclass, field
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, runtime_checkable
from weakref import WeakValueDictionary

from poolkit.core.clock import checked_seconds
from poolkit.core.ending import recycle
from poolkit.core.errors import PoolError
from poolkit.core.saving import never_saved, saved_without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record
    from poolkit.core.seams import SwarmBase


def checked_count(count: object, what: str, *, least: int = 0) -> int:
    """Return `count`, maybe one of numpy's, as an int if it is a whole number from `least` on."""
    try:
        number = index(None if isinstance(count, bool) else count)  # type: ignore[arg-type]
    except TypeError:
        message = f"{what} must be a whole number, not {count!r}"
        raise TypeError(message) from None
    if number < least:
        message = f"{what} must be {least} or more, not {number}"
        raise ValueError(message)
    return number


EXCEED: Final = object()
"""What a policy returns to let the pool go beyond its limit."""


@runtime_checkable
class OverflowPolicy(Protocol):
    """Decides what happens when a pool is full. You can write your own.

    It is asked once for each life that needs room, by `spawn_many` too. If it refuses midway, the
    lives it chose before have already ended; only the built-in policies are all or none.

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
        """Return the instance of ``pool.reclaimable`` whose life ends to make room for a new one.

        `None` refuses; `EXCEED` lets the pool go beyond its limit.
        """


@dataclass(frozen=True, slots=True)
class Refuse:
    """At the limit, `spawn` raises `PoolExhaustedError` and `try_spawn` returns `None`."""

    def choose_victim(self, pool: Pool[Any]) -> None:
        """Refuse."""


@dataclass(frozen=True, slots=True)
class Exceed:
    """The limit is soft: more may be alive."""

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Let the pool go beyond its limit."""
        del pool
        return EXCEED


@dataclass(frozen=True, slots=True)
class RecycleOldest:
    """At the limit, the life that began first ends to make room."""

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Choose the oldest life that may end."""
        return pool.oldest()


@never_saved
@dataclass(frozen=True, slots=True)
class RecycleLowest:
    """At the limit, the life of the lowest priority ends; of equals, the oldest. O(log n).

    Attributes:
        key: Returns the priority of an instance. When a priority changes during a life, call
            ``pool.update_priority(instance)``. For a swarm, the name of a column.

    Raises:
        TypeError: `key` can't be called.
    """

    key: Callable[[Any], Any] | str

    def __post_init__(self) -> None:
        if not (callable(self.key) or isinstance(self.key, str)):
            message = (
                f"RecycleLowest's key must be a function, not {self.key!r}: it returns the "
                "priority of an instance"
            )
            raise TypeError(message)

    def choose_victim(self, pool: Pool[Any]) -> Any:
        """Choose the life of the lowest priority that may end."""
        return pool.lowest()


@saved_without("_num_births", "_owner")
class Budget:
    """One limit for the lives of several prefabs and swarms: make one, and share it.

    When it is used up, the overflow policy of the pool that spawns chooses among the lives of all
    pools that share it. (At a limit of its own, a pool ends one of its own.) The lives of a pool
    that joins later count as younger than those already there. If prefabs and swarms share a
    budget, `RecycleOldest` chooses among all lives, `RecycleLowest` only among those of its own
    kind. A budget belongs to the first system that uses it.

    Args:
        limit: The most lives there may be at once.

    Raises:
        TypeError: `limit` isn't a whole number.
        ValueError: It is negative.

    Examples:
        >>> effects = Budget(300)
        >>> PoolSettings(budget=effects, overflow=RecycleOldest()).budget
        <Budget(0 of 300)>
    """

    __slots__ = ("_leases", "_limit", "_num_births", "_num_spare", "_owner", "_pools", "_swarms")

    def __init__(self, limit: int) -> None:
        self._limit = checked_count(limit, "the limit of a Budget")
        self._num_births = 0
        self._leases: dict[int, int] = {}  # how many lives each pool may have before it asks
        self._num_spare = limit  # how many more may be lent
        self._owner: weakref.ref[SystemContext] | None = None
        # By id, in the order in which they joined.
        self._pools: WeakValueDictionary[int, Pool[Any]] = WeakValueDictionary()
        self._swarms: WeakValueDictionary[int, SwarmBase] = WeakValueDictionary()

    @property
    def limit(self) -> int:
        """The most lives there may be at once."""
        return self._limit

    @limit.setter
    def limit(self, limit: int) -> None:
        self._limit = checked_count(limit, "the limit of a Budget")
        self._revoke_leases()

    def __repr__(self) -> str:
        """Return ``<Budget(120 of 300)>``."""
        return f"<Budget({self._count} of {self._limit})>"

    # -- for those that share it --------------------------------------------------------------

    def _claim(self, context: SystemContext) -> None:
        """Refuse to be shared by two systems."""
        owner = None if self._owner is None else self._owner()
        if owner is not None and owner is not context and not owner.closed:
            message = f"{self!r} is another pooling system's: make a Budget for each system"
            raise PoolError(message)
        self._owner = weakref.ref(context)

    def _add_pool(self, pool: Pool[Any]) -> None:
        self._pools[id(pool)] = pool
        for record in pool._active:
            record.make_extras().birth = self._next_births()
        self._revoke_leases()

    def _remove_pool(self, pool: Pool[Any]) -> None:
        self._pools.pop(id(pool), None)

    def _add_swarm(self, swarm: SwarmBase, context: SystemContext) -> None:
        self._claim(context)
        self._swarms[id(swarm)] = swarm

    def _next_births(self, count: int = 1) -> int:
        """Return the first of `count` new numbers for lives, by which they are ordered."""
        number = self._num_births
        self._num_births = number + count
        return number

    @property
    def _count(self) -> int:
        num_instances = sum(len(pool._active) for pool in self._pools.values())
        return num_instances + sum(map(len, self._swarms.values()))

    @property
    def _num_free(self) -> int:
        """How many more lives may begin; below 0 if there are too many."""
        return self._limit - self._count

    def _lease_room(self, asker: Pool[Any]) -> int:
        """Return how many more lives `asker` may begin before it must ask again.

        What a pool was lent, it keeps until others need it. So a pool whose budget isn't used up
        need not count the others' lives at each spawn.
        """
        count = len(asker._active)
        lease = self._leases.get(id(asker), 0)
        if lease <= count:  # one of these may have begun although there was no room
            self._num_spare -= count - lease
            if self._num_spare <= 0:
                self._revoke_leases(1)
            more = self._num_spare
            if more > 0:
                more = max(1, more // len(self._pools))
                self._num_spare -= more
            lease = self._leases[id(asker)] = count + more
        return lease - count

    def _revoke_leases(self, num_beginning: int = 0) -> None:
        """Have each pool ask again before it begins another life.

        If there are too many, with those that begin now in the places of others, it must ask even
        after as many have ended.
        """
        self._num_spare = self._num_free
        excess = min(0, self._num_spare - num_beginning)
        self._leases = {key: len(pool._active) + excess for key, pool in self._pools.items()}
        for key, pool in self._pools.items():
            pool._room = min(pool._room, self._leases[key])

    def _records(self) -> Iterator[Record[Any]]:
        """Return the records of all instances alive, the oldest first."""
        return heapq.merge(*(pool._active for pool in self._pools.values()), key=birth_of)

    @property
    def _num_reclaimable(self) -> int:
        """How many lives may be ended to make room."""
        num_instances = sum(record.is_reclaimable for record in self._records())
        return num_instances + sum(map(len, self._swarms.values()))

    def _end_oldest_in_swarms(self, record: Record[Any] | None, count: int = 1) -> int:
        """End up to `count` lives of the swarm with the oldest; return how many.

        Ends none if the life of `record` is older.
        """
        bar = inf if record is None else birth_of(record)
        oldest = [(swarm._oldest(), swarm) for swarm in self._swarms.values()]
        births = sorted(birth for birth, _ in oldest if birth is not None and birth < bar)
        for birth, swarm in oldest:
            if births and birth == births[0]:
                # `births[0]` is this swarm's oldest, the next the oldest life anywhere else: only
                # lives older than that may end now, or several would end out of order.
                return swarm._end_oldest(count, [*births, bar][1])
        return 0

    def _end_oldest(self, count: int) -> None:
        """End the `count` oldest lives, or as many as there are."""
        while count > 0:
            record = next((one for one in self._records() if one.is_reclaimable), None)
            num_ended = self._end_oldest_in_swarms(record, count)
            if not num_ended:
                if record is None:
                    return
                recycle(record)
            count -= num_ended or 1


def birth_of(record: Record[Any]) -> int:
    """Return the number that its budget gave a life, by which lives are ordered."""
    return record.extras.birth  # type: ignore[union-attr]  # all that share a budget have some


@never_saved
@dataclass(frozen=True, slots=True)
class PoolSettings:
    """The settings of one pool; immutable, so prefabs can share them.

    Attributes:
        prespawn: How many instances to make when the prefab is registered or first used.
        limit: The most lives at once; `None`: no limit; 0 switches an effect off. It counts lives
            and nothing else: there may be more instances, which wait for the next update or the
            end of a step. `max_idle` frees memory.
        grow_by: How many to make at once when a spawn finds no inactive instance.
        overflow: What happens at `limit`.
        order: Which inactive instance to hand out: ``"fifo"``, the one that rested longest, or
            ``"lifo"``, the one despawned last.
        trim_after: Seconds after which inactive instances that weren't needed are destroyed;
            `None`: never.
        max_idle: The most instances at rest. An instance that would rest beyond it is destroyed,
            and none are made beforehand beyond it. `None`: no such limit.
        prespawn_delay: Seconds of `update` to wait before making what `prespawn` says.
        prespawn_per_update: How many of them to make in each `update`; 0.5 is one every second
            update. `None`: all at once.
        budget: A limit shared with other prefabs, besides this pool's own.

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
        self._check_counts()
        if self.order not in ("fifo", "lifo"):
            message = f"order must be 'fifo' or 'lifo', not {self.order!r}"
            raise ValueError(message)
        if isinstance(self.overflow, type) or not isinstance(self.overflow, OverflowPolicy):
            message = (
                f"overflow must be a policy such as Refuse(), not {self.overflow!r}: "
                "an object with a method choose_victim(pool)"
            )
            raise TypeError(message)
        if self.trim_after is not None:
            checked_seconds(self.trim_after, "trim_after", least=0.001)
        checked_seconds(self.prespawn_delay, "prespawn_delay")
        rate = self.prespawn_per_update
        if rate is not None:
            if not isinstance(rate, int | float) or isinstance(rate, bool):
                message = f"prespawn_per_update must be a number, not {rate!r}"
                raise TypeError(message)
            if not 0 < rate < inf:
                message = f"prespawn_per_update must be above 0 and finite, not {rate!r}"
                raise ValueError(message)
        if not isinstance(self.budget, Budget | None):
            message = f"budget must be a Budget(...) or None, not {self.budget!r}"
            raise TypeError(message)

    def _check_counts(self) -> None:
        object.__setattr__(self, "prespawn", checked_count(self.prespawn, "prespawn"))
        object.__setattr__(self, "grow_by", checked_count(self.grow_by, "grow_by", least=1))
        for name in ("limit", "max_idle"):
            most = getattr(self, name)
            if most is None:
                continue
            object.__setattr__(self, name, checked_count(most, name))
            if self.prespawn > most:
                message = (
                    f"prespawn={self.prespawn} is more than {name}={most}: "
                    f"raise the {name}, or prespawn fewer"
                )
                raise ValueError(message)
