"""Making room in a full pool: which life ends for a new one."""

from __future__ import annotations

import heapq
import itertools
import sys
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from poolkit.core.ending import recycle
from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.record import SPAWNING, Record
from poolkit.core.seams import shared_lives_of
from poolkit.core.settings import EXCEED, Lives, PoolSettings, RecycleLowest, RecycleOldest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from poolkit.core.context import SystemContext
    from poolkit.core.pool import Pool
    from poolkit.core.seams import Crowd
    from poolkit.core.settings import SharedLives
    from poolkit.core.statistics import Ledger

_num_free = attrgetter("num_free")


class Recycler:
    """Keeps a pool within its limits: asks the overflow policy, and does what it says.

    A pool that isn't full uses nothing of it.

    Attributes:
        own: The pool's own lives, with its own limit.
        shared: The lives that share its budget, if it has one.
        limited: Those of the two that have a limit.
    """

    __slots__ = (
        *("_context", "_ledger", "_name", "_orders", "_overflow", "_spared"),
        *("limited", "own", "shared"),
    )

    def __init__(self, name: str, context: SystemContext, ledger: Ledger) -> None:
        self.own = Lives(None, {})
        self.shared: SharedLives | None = None
        self.limited: tuple[Lives, ...] = ()
        self._name = name
        self._context = context
        self._ledger = ledger
        self._orders: dict[Lives, LifeOrder] = {}
        self._spared: Collection[Record[Any]] = ()  # while the policy is asked

    def use(self, settings: PoolSettings) -> None:
        """Follow new settings: move to another budget, and ask for priorities again."""
        former, own = self.shared, self.own
        shared = None if settings.budget is None else shared_lives_of(settings.budget)
        if shared is not None:
            shared.belong_to(self._context)
        if former is not None and former is not shared:
            former.replace_dict(gone=own.records)
            former.reserved -= own.reserved
        self.shared, self._overflow, own.limit = shared, settings.overflow, settings.limit
        self.limited = () if own.limit is None else (own,)
        if shared is not None:
            self.limited += (shared,)
        self._orders.clear()
        if shared is not None and former is not shared:
            shared.replace_dict()
            shared.admit(*own.records)
            shared.reserved += own.reserved

    def repair(self, torn: Collection[Record[Any]]) -> None:
        """Count again after an interrupt, without the lives that it has torn."""
        self.own.reserved = 0
        if self.shared is not None:
            self.shared.reserved = 0
            self.shared.replace_dict(gone=torn)
            known = self.shared.records
            self.shared.admit(*(each for each in self.own.records if each not in known))

    # -- places -------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """How many more lives may begin."""
        return max(0, min(map(_num_free, self.limited), default=sys.maxsize))

    @property
    def choices(self) -> Lives:
        """The lives that the policy chooses from: its own at its own limit, else its budget's."""
        full = (lives for lives in self.limited if lives.num_free <= 0)
        return next(full, self.shared or self.own)

    # -- for policies -------------------------------------------------------------------------

    def reclaimable(self) -> Iterator[Record[Any]]:
        """Return the records of the lives that may end, the oldest first."""
        records = self.choices.records
        return (each for each in records if each.is_reclaimable and each not in self._spared)

    def lowest(self) -> Record[Any] | None:
        """Return the record of the life of the lowest priority that may end."""
        return self.priorities().first(self._spared)

    def priorities(self) -> LifeOrder:
        """Return the lives that the policy chooses from, in order of priority."""
        lives = self.choices
        if not isinstance(self._overflow, RecycleLowest):
            message = (
                f"{self._name} has no priorities: give it "
                "PoolSettings(overflow=RecycleLowest(key)), not another policy"
            )
            raise PoolError(message)
        order = self._orders.get(lives)
        if order is None or order.lives is not lives.records:
            key: Any = self._overflow.key  # a function: the name of a column is for swarms
            order = self._orders[lives] = LifeOrder(lives.records, key)
        return order

    def update(self, record: Record[Any]) -> None:
        """Ask for the priority of a life again, in each order that has it."""
        self.priorities()
        for order in self._orders.values():
            if record in order.lives:
                order.update(record)

    # -- for the pool -------------------------------------------------------------------------

    def check_room(self, pool: Pool[Any], n: int, spared: Collection[Any] = ()) -> None:
        """Refuse at once if there is no room for `n` lives; see `choose` for `spared`."""
        if n <= self.room or (chosen := self.choose(pool, spared)) is EXCEED:
            return
        for lives in self.limited:
            short, crowds = n - max(0, lives.num_free), self._crowds(lives)
            if short <= 0:
                continue
            is_refused = chosen is None and not any(crowds)
            short = max(0, short - sum(map(len, crowds)))
            free = (each for each in lives.records if each.is_reclaimable and each not in spared)
            if is_refused or len(list(itertools.islice(free, short))) < short:
                raise self.refusal(lives)

    def can_begin(self, pool: Pool[Any]) -> bool:
        """Return whether a life may begin without the end of another."""
        return self.room > 0 or self.choose(pool) is EXCEED

    def can_make_room(self, pool: Pool[Any]) -> bool:
        """Return whether the policy would end a life for a new one."""
        return any(self._crowds(self.choices)) or self.choose(pool) is not None

    def make_room(
        self, pool: Pool[Any], names: tuple[str, ...] | None, spared: Collection[Any] = ()
    ) -> Record[Any] | None:
        """Make room for one life in a full pool; return the record whose life ended last for it.

        If that is to be used again, it must accept data of these `names`.
        """
        victim, before = None, {lives: lives.count for lives in self.limited}
        while not self.room:
            lives = self.choices
            if lives.count < before.get(lives, 0):
                break  # above a limit that was lowered, one goes for one
            chosen = self.choose(pool, spared)
            if chosen is EXCEED:
                break
            if self._crowds(lives) and lives.end_oldest_in_crowd(chosen):
                continue
            if chosen is None:
                raise self.refusal(lives)
            victim = chosen
            if victim.pool is pool and names is not None:
                victim.deal(names)
            recycle(victim)
        return victim

    def _crowds(self, lives: Lives) -> list[Crowd]:
        """Return the crowds whose lives the policy may choose too."""
        return list(lives.crowds.values()) if isinstance(self._overflow, RecycleOldest) else []

    def choose(self, pool: Pool[Any], spared: Collection[Any] = ()) -> Any:
        """Return the record that the policy chooses, which isn't `spared`; `EXCEED`, or `None`."""
        before, self._spared = self._spared, spared
        overflow = self._overflow
        try:
            chosen = overflow.choose_victim(pool)
        except BaseException as error:
            error.add_note(f"while {overflow!r} chose a victim for {self._name}")
            raise
        finally:
            self._spared = before
        if chosen is None or chosen is EXCEED:
            return chosen
        victim = self._context.find(chosen)
        if victim not in self.choices.records or not victim.is_reclaimable or victim in spared:
            message = (
                f"{overflow!r} chose {chosen!r}, whose life can't end for a new one: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        return victim

    def refusal(self, lives: Lives) -> PoolExhaustedError:
        """Count a refused spawn, and return the error: there are enough of these `lives`."""
        self._ledger.totals.refused += 1
        limit = f"its limit of {lives.limit}"
        if lives is self.shared:
            limit = f"the limit of its {lives!r}"
        message = (
            f"{self._name} is at {limit}, and {self._overflow!r} makes no room: raise the limit "
            "in PoolSettings, despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)


# -- an order, brought up to date when asked --------------------------------------------------

_FEW = 64  # stale entries that don't justify ranking all lives again

# priority, number in the order of births, generation, record: no two lives have one number
_Entry = tuple[Any, int, int, Record[Any]]


class LifeOrder:
    """Finds the life of the lowest priority in O(log n), the oldest among equals.

    Lives are ranked when one is asked for, after their hooks have set what the key reads, so spawns
    and despawns pay nothing. Stale entries, of lives that are over or have another priority now,
    are dropped when they come up. If there are many, or a key fails, ranking starts over.
    """

    def __init__(self, lives: dict[Record[Any], Any], key: Callable[[Any], Any]) -> None:
        self.key = key  # returns an instance's priority
        self.lives = lives  # in the order in which they began
        self._start_over()

    def _start_over(self) -> None:
        self._numbers = itertools.count()
        self._known: dict[Record[Any], _Entry] = {}  # the entries that count
        self._waiting: list[_Entry] = []  # to be ranked
        self._heap: list[_Entry] = []

    def first(self, spared: Collection[Any] = ()) -> Record[Any] | None:
        """Return the record of the lowest that may end and isn't `spared`."""
        passed: list[_Entry] = []
        try:
            self._rank_newcomers()
            heap = self._heap
            while heap and (not self._counts(heap[0]) or heap[0][-1] in spared):
                entry = heapq.heappop(heap)
                if self._counts(entry):
                    passed.append(entry)
            lowest = heap[0][-1] if heap else None
            for entry in passed:
                heapq.heappush(heap, entry)
        except BaseException:
            self._start_over()
            raise
        return lowest

    def update(self, record: Record[Any]) -> None:
        """Ask for the priority of a life again."""
        try:
            self._rank_newcomers()
            if record.is_reclaimable:
                self._rank(self._known[record])
        except BaseException:
            self._start_over()
            raise

    def _counts(self, entry: _Entry) -> bool:
        record = entry[-1]
        return self._known.get(record) is entry and record.generation == entry[2] and record.active

    def _rank_newcomers(self) -> None:
        """Rank the lives that began since the last time."""
        if max(len(self._known), len(self._heap)) > 2 * len(self.lives) + _FEW:
            self._start_over()
        known, found = self._known, []
        for record in reversed(self.lives):  # they stand at the end
            entry = known.get(record)
            if entry is not None and entry[2] == record.generation:
                break
            found.append(record)
        for record in reversed(found):
            entry = known[record] = (None, next(self._numbers), record.generation, record)
            if record.special is None or record.special.reclaimable:
                self._waiting.append(entry)
        # The key may ask for the lowest itself, which ranks the others.
        waiting, early = self._waiting, []
        while waiting:
            entry = waiting.pop()
            if not self._counts(entry):
                continue
            if entry[-1].state is SPAWNING:
                early.append(entry)  # its hooks have yet to set what the key looks at
            else:
                self._rank(entry)
        waiting += early

    def _rank(self, entry: _Entry) -> None:
        _, number, generation, record = entry
        priority = self.key(record.instance)
        if priority != priority:  # noqa: PLR0124 - only "not a number" differs
            message = f"the priority of {record.label} is not a number: look at RecycleLowest's key"
            raise PoolError(message)
        ranked = self._known[record] = (priority, number, generation, record)
        heapq.heappush(self._heap, ranked)
