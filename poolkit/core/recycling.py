"""Making room in a full pool: whose life ends for a new one."""

from __future__ import annotations

import heapq
import itertools
from math import inf
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.ending import end
from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.hooks import DespawnReason
from poolkit.core.record import SPAWNING, Record
from poolkit.core.settings import EXCEED, RecycleLowest, RecycleOldest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from poolkit.core.pool import Pool
    from poolkit.core.seams import Crowd
    from poolkit.core.settings import Budget

T = TypeVar("T")
Lives = dict[Record[Any], Any]


class Recycler(Generic[T]):
    """Asks a pool's overflow policy, does what it says, and keeps the order that it needs.

    Nothing here is touched before the pool is full.
    """

    def __init__(self) -> None:
        self._orders: dict[bool, LifeOrder] = {}  # of its own lives, and of all in its budget
        self._spared: Collection[Record[Any]] = ()  # while the policy is asked

    # -- for policies -------------------------------------------------------------------------

    def reclaimable(self, pool: Pool[T]) -> Iterator[Record[Any]]:
        """Return the records of the lives that may be ended, the oldest first."""
        return (each for each in pool._choices if each.is_reclaimable and each not in self._spared)

    def lowest(self, pool: Pool[T]) -> Record[Any] | None:
        """Return the record of the life of the lowest priority that may be ended."""
        return self.priorities(pool).first(self._spared)

    def priorities(self, pool: Pool[T]) -> LifeOrder:
        """Return the order by priority of the lives that it chooses among, by the key in force."""
        overflow, lives = pool._settings.overflow, pool._choices
        if not isinstance(overflow, RecycleLowest):
            message = (
                f"{pool.name} has no priorities: give it "
                "PoolSettings(overflow=RecycleLowest(key)), not another policy"
            )
            raise PoolError(message)
        is_own = lives is pool._active
        order = self._orders.get(is_own)
        key: Any = overflow.key  # no column's name, which is for swarms
        if order is None or order.lives is not lives or order.key is not key:
            order = self._orders[is_own] = LifeOrder(lives, key)
        return order

    def update(self, record: Record[Any]) -> None:
        """Ask for the priority of a life again, in each order that it stands in."""
        for order in self._orders.values():
            if record in order.lives:
                order.update(record)

    # -- for the pool -------------------------------------------------------------------------

    def check_room(self, pool: Pool[T], n: int, spared: Collection[Any] = ()) -> None:
        """Refuse at once where there is no room for `n` lives; see `choose` for `spared`."""
        room = pool._room()
        if room is None or n <= room or (chosen := self.choose(pool, spared)) is EXCEED:
            return
        for lives, free_places in pool._places():
            short, crowds = n - max(0, free_places), self._crowds(pool, lives)
            if short <= 0:
                continue
            is_refused = chosen is None and not any(crowds)
            short = max(0, short - sum(map(len, crowds)))
            free = (each for each in lives if each.is_reclaimable and each not in spared)
            if is_refused or len(list(itertools.islice(free, short))) < short:
                raise self.refusal(pool, lives)

    def can_make_room(self, pool: Pool[T]) -> bool:
        """Return whether the policy would end a life for a new one."""
        return any(self._crowds(pool, pool._choices)) or self.choose(pool) is not None

    def make_room(
        self, pool: Pool[T], names: tuple[str, ...] | None, spared: Collection[Any] = ()
    ) -> Record[T] | None:
        """Make room for one life in a full pool, for which its policy may end others.

        Those it chooses must accept data of these names, if they are to be used again for it. The
        record whose life was ended last is returned.
        """
        victim = None
        before = {self._whose(pool, each): self._count(pool, each) for each, _ in pool._places()}
        while pool._room() == 0:
            lives = pool._choices
            if self._count(pool, lives) < before.get(self._whose(pool, lives), 0):
                break  # beyond a limit that was lowered, one goes for one
            chosen = self.choose(pool, spared)
            if chosen is EXCEED:
                break
            budget = pool._settings.budget
            if budget and self._crowds(pool, lives) and end_oldest_in_crowd(budget, chosen):
                continue
            if chosen is None:
                raise self.refusal(pool, lives)
            victim = chosen
            if victim.pool is pool and names is not None:
                victim.deal(names)
            self.recycle(victim)
        return victim

    @staticmethod
    def _count(pool: Pool[T], lives: Lives) -> int:
        """Return how many are limited: its own lives, or all that share its budget."""
        budget = pool._settings.budget
        return budget._num_lives if budget is not None and lives is budget._lives else len(lives)

    @staticmethod
    def _crowds(pool: Pool[T], lives: Lives) -> list[Crowd]:
        """Return the crowds among whose lives the policy chooses as well, if there are some."""
        budget, overflow = pool._settings.budget, pool._settings.overflow
        if budget is None or lives is not budget._lives or not isinstance(overflow, RecycleOldest):
            return []
        return list(budget._crowds.values())

    @staticmethod
    def _whose(pool: Pool[T], lives: Lives) -> object:
        """Return what stands for its own lives, or for its budget's: a policy may change dicts."""
        return None if lives is pool._active else pool._settings.budget

    @staticmethod
    def recycle(victim: Record[Any]) -> None:
        """End a life to make room."""
        victim.pool._ledger.totals.recycled += 1
        end(victim, DespawnReason.RECYCLED)

    def choose(self, pool: Pool[T], spared: Collection[Any] = ()) -> Any:
        """Return the record that the policy chooses, which is not `spared`; `EXCEED`, or `None`."""
        before, self._spared = self._spared, spared
        overflow = pool._settings.overflow
        try:
            chosen = overflow.choose_victim(pool)
        except BaseException as error:
            error.add_note(f"while {overflow!r} chose a victim for {pool.name}")
            raise
        finally:
            self._spared = before
        if chosen is None or chosen is EXCEED:
            return chosen
        victim = pool._context.find(chosen)
        if victim not in pool._choices or not victim.is_reclaimable or victim in spared:
            message = (
                f"{overflow!r} chose {chosen!r}, whose life can't end for a new one: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        return victim

    @staticmethod
    def refusal(pool: Pool[T], lives: Lives) -> PoolExhaustedError:
        """Count a refused spawn; return the error that says so. `lives`: of which there are enough.

        They are its own, or those that share its budget.
        """
        pool._ledger.totals.refused += 1
        settings = pool._settings
        limit = f"its limit of {settings.limit}"
        if settings.budget is not None and lives is settings.budget._lives:
            limit = f"the limit of its {settings.budget!r}"
        message = (
            f"{pool.name} is at {limit}, and {settings.overflow!r} makes no room: raise the limit "
            "in PoolSettings, despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)


# -- budgets that prefabs and crowds share ----------------------------------------------------


def num_reclaimable(budget: Budget) -> int:
    """Return how many of the lives that share a budget may be ended to make room."""
    records = sum(record.is_reclaimable for record in budget._lives)
    return records + sum(map(len, budget._crowds.values()))


def end_oldest(budget: Budget, count: int) -> None:
    """End the `count` oldest lives that share a budget, as many as there are."""
    while count > 0:
        record = next((each for each in budget._lives if each.is_reclaimable), None)
        ended = end_oldest_in_crowd(budget, record, count)
        if not ended:
            if record is None:
                return
            Recycler.recycle(record)
        count -= ended or 1


def end_oldest_in_crowd(budget: Budget, record: Record[Any] | None, count: int = 1) -> int:
    """End up to `count` lives of the crowd that has the oldest; return how many.

    None, if that of `record` is older.
    """
    bar = inf if record is None else budget._lives[record]
    heads = [(crowd._oldest(), crowd) for crowd in budget._crowds.values()]
    numbers = sorted(number for number, _ in heads if number is not None and number < bar)
    for number, crowd in heads:
        if numbers and number == numbers[0]:
            return crowd._end_oldest(count, [*numbers, bar][1])
    return 0


# -- an order, brought up to date when asked --------------------------------------------------

_FEW = 64  # entries of what is over that are not worth ranking anew for

# priority, number in the order of births, generation, record: no two lives have one number
_Entry = tuple[Any, int, int, Record[Any]]


class LifeOrder:
    """Finds the life of the lowest priority in O(log n), the oldest among equals.

    Lives are ranked when one is asked for, and their hooks have set what the key looks at: spawns
    and despawns notice nothing of it. Entries of lives that are over, or whose priority changed,
    are dropped when they surface. Where they are many, or something failed half-way, all is
    forgotten, and the lives that last are ranked anew when next asked for.
    """

    def __init__(self, lives: Lives, key: Callable[[Any], Any]) -> None:
        self.key = key  # returns an instance's priority
        self.lives = lives  # in the order in which they began
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._numbers = itertools.count()
        self._known: dict[Record[Any], _Entry] = {}  # the entries that count
        self._waiting: list[_Entry] = []  # to be ranked
        self._heap: list[_Entry] = []

    def first(self, spared: Collection[Any] = ()) -> Record[Any] | None:
        """Return the record of the lowest that may be ended, if there is one but `spared`."""
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
            self._start_afresh()
            raise
        return lowest

    def update(self, record: Record[Any]) -> None:
        """Ask for the priority of a life again."""
        try:
            self._rank_newcomers()
            if record.is_reclaimable:
                self._rank(self._known[record])
        except BaseException:
            self._start_afresh()
            raise

    def _counts(self, entry: _Entry) -> bool:
        record = entry[-1]
        return self._known.get(record) is entry and record.generation == entry[2] and record.active

    def _rank_newcomers(self) -> None:
        """Rank the lives that began since this was last done."""
        if max(len(self._known), len(self._heap)) > 2 * len(self.lives) + _FEW:
            self._start_afresh()
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
