"""Making room in a full pool: which life ends for a new one."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from poolkit.core.ending import recycle
from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.life_order import LifeOrder
from poolkit.core.saving import saved_without
from poolkit.core.settings import (
    EXCEED,
    Budget,
    PoolSettings,
    RecycleLowest,
    RecycleOldest,
    birth_of,
)
from poolkit.core.states import ACTIVE, SPAWNING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_ATTEMPTS = 1000  # to make room for a life, while hooks take it again


@saved_without("_pool_ref")
class Recycler:
    """Keeps a pool within its limits: asks the overflow policy, and does what it says.

    A pool that isn't full uses nothing of it.

    Attributes:
        budget: What the pool shares with others, if anything.
        limit: Its own limit of lives; `None`: it has none.
        lives: Those of the pool, the oldest first.
        protected: Lives that must not end for the one that is about to begin.
    """

    __slots__ = (
        "_order",
        "_orders",
        "_overflow",
        "_pool_ref",
        "budget",
        "limit",
        "lives",
        "protected",
    )

    def __init__(self, pool: Pool[Any]) -> None:
        self.budget: Budget | None = None
        self.limit: int | None = None
        self.lives: dict[Record[Any], Any] = pool._active
        self.protected: set[Record[Any]] = set()
        # Weak, or only the collector would free a pool, its prefab and their closures.
        self._pool_ref = ref(pool)
        self._order: LifeOrder | None = None  # of its own pool: most share no budget
        # Of all pools among whose lives the policy has chosen.
        self._orders: WeakKeyDictionary[Pool[Any], LifeOrder] = WeakKeyDictionary()

    @property
    def _pool(self) -> Pool[Any]:
        return self._pool_ref()  # type: ignore[return-value]  # only the pool uses its recycler

    def use(self, settings: PoolSettings) -> None:
        """Follow new settings: move to another budget, and ask for priorities again."""
        budget, former = settings.budget, self.budget
        if budget is not None:
            budget._claim(self._pool._context)
        if former is not None and former is not budget:
            former._remove_pool(self._pool)
        self.budget, self.limit, self._overflow = budget, settings.limit, settings.overflow
        self._order = None
        self._orders.clear()
        if budget is not None and former is not budget:
            budget._add_pool(self._pool)

    # -- room ---------------------------------------------------------------------------------

    @property
    def num_free(self) -> int:
        """How many more lives may begin; below 0 if there are too many."""
        free = sys.maxsize if self.limit is None else self.limit - len(self.lives)
        return free if self.budget is None else min(free, self.budget._num_free)

    @property
    def _free(self) -> tuple[int, int]:
        """How many more lives may begin by the pool's own limit, and by its budget."""
        budget, limit = self.budget, self.limit
        free = sys.maxsize if limit is None else limit - len(self.lives)
        return free, sys.maxsize if budget is None else budget._num_free

    def lease_room(self) -> int:
        """Return how many more lives the pool may begin before it must ask again.

        Below 0 if there are too many: then it must ask, even after as many have ended.
        """
        free = sys.maxsize if self.limit is None else self.limit - len(self.lives)
        return free if self.budget is None else min(free, self.budget._lease_room(self._pool))

    @property
    def _is_shared(self) -> bool:
        """Whether the policy chooses among the lives of all that share the budget."""
        is_at_own_limit = self.limit is not None and len(self.lives) >= self.limit
        return self.budget is not None and not is_at_own_limit

    @property
    def _pools(self) -> list[Pool[Any]]:
        """Those among whose lives the policy chooses: itself, or all that share its budget."""
        if self.budget is None or not self._is_shared:
            return [self._pool]
        return list(self.budget._pools.values())

    # -- for policies -------------------------------------------------------------------------

    def reclaimable(self) -> Iterator[Record[Any]]:
        """Yield the records of the lives that may end, the oldest first."""
        protected = self.protected
        for record in self._candidates:
            # `Record.is_reclaimable` without the call.
            may_end = record.state is ACTIVE and (
                record.extras is None or record.extras.reclaimable
            )
            if may_end and record not in protected:
                yield record

    @property
    def _candidates(self) -> Iterable[Record[Any]]:
        """The lives among which the policy chooses, the oldest first."""
        if self.budget is None or not self._is_shared:
            return self.lives
        return self.budget._records()

    def in_order(self) -> list[Record[Any]]:
        """Return the pool's lives in the order in which its policy would end them."""
        lives, overflow = list(self.lives), self._overflow
        if isinstance(overflow, RecycleLowest):
            key: Any = overflow.key

            def priority(record: Record[Any]) -> tuple[bool, Any]:
                is_early = record.state is SPAWNING  # its hooks have yet to set its priority
                return is_early, None if is_early else key(record.instance)

            lives.sort(key=priority)
        return lives

    def oldest(self) -> Record[Any] | None:
        """Return the record of the life that may end and began first."""
        return next(self.reclaimable(), None)

    def lowest(self) -> Record[Any] | None:
        """Return the record of the life of the lowest priority that may end."""
        order = self._order
        if order is not None and order.lives is self.lives and not self._is_shared:
            first = order.first(self.protected)
            return None if first is None else first[1]
        lowest: tuple[Any, Record[Any]] | None = None
        for pool in self._pools:
            entry = self._order_of(pool).first(self.protected)
            if entry is not None and (lowest is None or _is_lower(entry, lowest)):
                lowest = entry
        return None if lowest is None else lowest[1]

    def _order_of(self, pool: Pool[Any]) -> LifeOrder:
        """Return a pool's lives in order of priority, by this pool's policy."""
        if not isinstance(self._overflow, RecycleLowest):
            message = (
                f"{self._pool.name} has no priorities: give it "
                "PoolSettings(overflow=RecycleLowest(key)), not another policy"
            )
            raise PoolError(message)
        order = self._orders.get(pool)
        if order is None or order.lives is not pool._active:
            key: Any = self._overflow.key  # a function: the name of a column is for swarms
            order = self._orders[pool] = LifeOrder(pool._active, key)
            if pool._active is self.lives:
                self._order = order
        return order

    def update(self, record: Record[Any]) -> None:
        """Ask for the priority of a life again."""
        order = self._order_of(self._pool) if record.pool is self._pool else None
        order = order or self._orders.get(record.pool)
        if order is not None:
            order.update(record)

    # -- for the pool -------------------------------------------------------------------------

    def check_room(self, count: int) -> None:
        """Refuse at once if there is no room for `count` lives, nor would be any."""
        if count <= self.num_free or (chosen := self.choose()) is EXCEED:
            return
        own = 0 if self.limit is None else count - max(0, self.limit - len(self.lives))
        shared = 0 if self.budget is None else count - max(0, self.budget._num_free)
        swarms = self._num_lives_in_swarms()
        for short, records, num_others in (
            (own, self.lives, 0),
            (shared, self.budget._records() if self.budget is not None else (), swarms),
        ):
            missing = max(0, short - num_others)
            free = (one for one in records if one.is_reclaimable and one not in self.protected)
            is_refused = short > 0 and chosen is None and not num_others
            if is_refused or len(list(itertools.islice(free, missing))) < missing:
                raise self._refusal()

    def can_begin(self) -> bool:
        """Return whether a life may begin without the end of another."""
        return self.num_free > 0 or self.choose() is EXCEED

    def can_make_room(self) -> bool:
        """Return whether the policy would end a life for a new one."""
        return bool(self._num_lives_in_swarms()) or self.choose() is not None

    def ensure_room(self, names: tuple[str, ...] | None, allowed: int = 0) -> int:
        """Make sure that a life may begin: let the policy end others, or exceed the limit.

        Args:
            names: The names of the new life's data, which an instance of this pool must accept
                before it is recycled for that.
            allowed: So many lives the pool may have in any case.

        Returns:
            How many lives the pool may have now, whatever its limits say; 0: as these say.

        Raises:
            PoolExhaustedError: The policy refuses.
        """
        for _ in range(_ATTEMPTS):
            if self.num_free > 0 or len(self.lives) < allowed:
                return allowed
            if self._make_room(names):
                allowed = len(self.lives) + 1
        message = (
            f"no life of {self._pool.name} can begin: whenever there is room for it, hooks take "
            "that again; let despawned hooks look at their reason"
        )
        raise PoolError(message)

    def _make_room(self, names: tuple[str, ...] | None) -> bool:
        """End a life of a full pool; return whether one may begin although there is no room.

        It may if the policy says so. Beyond a limit that was lowered, one goes for one.
        """
        chosen = self.choose()
        if chosen is EXCEED:
            return True
        before = self._free if self.num_free < 0 else None
        budget = self.budget if self._num_lives_in_swarms() else None
        if budget is None or not budget._end_oldest_in_swarms(chosen):
            if chosen is None:
                raise self._refusal()
            is_ours = names is not None and chosen in self.lives
            if is_ours and names not in chosen.plan.begins:
                chosen.plan.begin_for(names, chosen.pool.name)
            recycle(chosen)
        if before is None:
            return False
        # Hooks may have taken the room, and made some elsewhere: look at each limit by itself.
        return all(after > min(free, 0) for free, after in zip(before, self._free, strict=True))

    def _num_lives_in_swarms(self) -> int:
        """Return how many lives of swarms the policy may choose too."""
        if self.budget is None or not self._is_shared:
            return 0
        if not isinstance(self._overflow, RecycleOldest):
            return 0
        return sum(map(len, self.budget._swarms.values()))

    def choose(self) -> Any:
        """Return the record that the policy chooses, `EXCEED`, or `None`."""
        overflow = self._overflow
        try:
            # What poolkit's own choose needs no look at it.
            if type(overflow) is RecycleOldest:
                return self.oldest()
            if type(overflow) is RecycleLowest:
                return self.lowest()
            chosen = overflow.choose_victim(self._pool)
        except BaseException as error:
            error.add_note(f"while {overflow!r} chose a victim for {self._pool.name}")
            raise
        if chosen is None or chosen is EXCEED:
            return chosen
        victim = self._pool._context.find(chosen)
        if (
            victim is None
            or not victim.is_reclaimable
            or victim in self.protected
            or not any(pool is victim.pool for pool in self._pools)
        ):
            message = (
                f"{overflow!r} chose {chosen!r}, whose life can't end for a new one: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        return victim

    def _refusal(self) -> PoolExhaustedError:
        """Count a refused spawn, and return the error."""
        self._pool._ledger.totals.refused += 1
        limit = (
            f"the limit of its {self.budget!r}" if self._is_shared else f"its limit of {self.limit}"
        )
        message = (
            f"{self._pool.name} is at {limit}, and {self._overflow!r} makes no room: raise the "
            "limit in PoolSettings, despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)


def _is_lower(entry: tuple[Any, Record[Any]], other: tuple[Any, Record[Any]]) -> bool:
    """Return whether an entry's priority is lower, or equal and its life is older."""
    if entry[0] == other[0]:
        return birth_of(entry[1]) < birth_of(other[1])
    is_lower: bool = entry[0] < other[0]
    return is_lower
