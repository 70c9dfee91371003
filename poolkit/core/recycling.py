"""Making room in a full pool: whose life ends for a new one."""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.hooks import DespawnReason
from poolkit.core.record import SPAWNING, PoolablePrefabData
from poolkit.core.settings import EXCEED, RecycleLowest, RecycleOldest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from poolkit.core.pool import Pool
    from poolkit.core.settings import PoolSettings

T = TypeVar("T")
Lives = dict[PoolablePrefabData[Any], Any]


class Recycler(Generic[T]):
    """Asks a pool's overflow policy, does what it says, and keeps the order that it needs.

    Nothing here is touched before the pool is full.
    """

    def __init__(self) -> None:
        self._order: LifeOrder | None = None
        self._spared: Collection[PoolablePrefabData[Any]] = ()  # while the policy is asked

    def retune(self, lives: Lives, settings: PoolSettings) -> Lives:
        """Keep the lives as the policy needs them; return them so.

        Policies that go by age or priority need an `OrderedDict`, whose ends are found at once
        however many died.
        """
        overflow, budget, order = settings.overflow, settings.budget, self._order
        wants_order = isinstance(overflow, RecycleOldest | RecycleLowest)
        if wants_order != isinstance(lives, OrderedDict) and budget is None:
            lives = OrderedDict(lives) if wants_order else dict(lives)
        ordered = lives if budget is None else budget._lives
        if not isinstance(overflow, RecycleLowest):
            self._order = None
        elif order is None or order.lives is not ordered or order.key is not overflow.key:
            self._order = LifeOrder(ordered, overflow.key)
        return lives

    # -- for policies -------------------------------------------------------------------------

    def reclaimable(self, pool: Pool[T]) -> Iterator[PoolablePrefabData[Any]]:
        """Return the records of the lives that may be ended, the oldest first."""
        return self._free(pool, self._spared)

    @staticmethod
    def _free(pool: Pool[Any], spared: Collection[Any]) -> Iterator[PoolablePrefabData[Any]]:
        return (each for each in pool._lives if each.is_reclaimable and each not in spared)

    def oldest(self, pool: Pool[T]) -> PoolablePrefabData[Any] | None:
        """Return the record of the oldest life that may be ended."""
        return next(self.reclaimable(pool), None)

    def lowest(self, pool: Pool[T]) -> PoolablePrefabData[Any] | None:
        """Return the record of the life of the lowest priority that may be ended."""
        return self.priorities(pool).first(self._spared)

    def priorities(self, pool: Pool[T]) -> LifeOrder:
        """Return the order by priority."""
        if self._order is None:
            message = (
                f"{pool.name} has no priorities: give it "
                "PoolSettings(limit=..., overflow=RecycleLowest(key))"
            )
            raise PoolError(message)
        return self._order

    # -- for the pool -------------------------------------------------------------------------

    def check_room(self, pool: Pool[T], n: int, spared: Collection[Any] = ()) -> None:
        """Refuse at once where there is no room for `n` lives; see `make_room` for `spared`."""
        room = pool._room()
        short = 0 if room is None else n - room
        if short <= 0:
            return
        decision = self.ask(pool, spared)
        if decision is EXCEED:
            return
        enough = sum(1 for _ in itertools.islice(self._free(pool, spared), short))
        if decision is None or enough < short:
            raise self.refusal(pool)

    def make_room(
        self, pool: Pool[T], names: tuple[str, ...], spared: Collection[Any] = ()
    ) -> PoolablePrefabData[Any] | None:
        """Ask the policy, and end the lives it chose, until one more may begin.

        The hooks of a victim of the same pool must accept the data named, or its life is not ended;
        `spared` must not be chosen. The record whose life was ended last is returned.
        """
        victim = None
        lives = pool._life_count
        # Beyond a limit that was lowered, one goes for one.
        while pool._room() == 0 and pool._life_count >= lives:
            chosen = self.ask(pool, spared)
            if chosen is EXCEED:
                break
            if chosen is None:
                raise self.refusal(pool)
            victim = self.checked(pool, chosen, spared)
            if victim.pool is pool:
                victim.deal(names)
            self.recycle(victim)
        return victim

    @staticmethod
    def recycle(victim: PoolablePrefabData[Any]) -> None:
        """End a life to make room."""
        victim.pool._ledger.totals.recycled += 1
        victim.pool._end(victim, DespawnReason.RECYCLED)

    def ask(self, pool: Pool[T], spared: Collection[Any] = ()) -> Any:
        """Return what the policy chooses: an instance, `EXCEED`, or `None`."""
        before, self._spared = self._spared, spared
        overflow = pool._settings.overflow
        try:
            return overflow.choose_victim(pool)
        except BaseException as error:
            error.add_note(f"while {overflow!r} chose a victim for {pool.name}")
            raise
        finally:
            self._spared = before

    def checked(
        self, pool: Pool[T], chosen: Any, spared: Collection[Any]
    ) -> PoolablePrefabData[Any]:
        """Return the record of what the policy chose, where it may choose that."""
        victim = pool._context.find(chosen)
        why = ""
        if victim is None or not victim.active or victim not in pool._lives:
            what, why = repr(chosen), f"is no active instance of {pool.name}"
        elif not victim.is_reclaimable:
            what, why = victim.label, "may not be reclaimed now"
        elif victim in spared:
            what, why = victim.label, "is what the new life is to be spawned under"
        if victim is None or why:
            message = (
                f"{pool._settings.overflow!r} chose {what}, which {why}: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        return victim

    @staticmethod
    def refusal(pool: Pool[T]) -> PoolExhaustedError:
        """Count a refused spawn and return the error that says so."""
        pool._ledger.totals.refused += 1
        settings = pool._settings
        limit = f"its limit of {settings.limit}"
        if settings.budget is not None and len(pool._active) != settings.limit:
            limit = f"the limit of its {settings.budget!r}"
        message = (
            f"{pool.name} is at {limit}, and {settings.overflow!r} makes no room: raise the limit "
            "in PoolSettings, despawn some, or use try_spawn, which answers None instead"
        )
        return PoolExhaustedError(message)


def with_ancestors(record: PoolablePrefabData[Any] | None) -> Collection[PoolablePrefabData[Any]]:
    """Return a record and those of all above it: whose lives must not end for a child's."""
    found = []
    while record is not None:
        found.append(record)
        record = record.parent
    return found


# -- an order, brought up to date when asked --------------------------------------------------

_FEW = 64  # outdated entries that are not worth sweeping


@dataclass(slots=True, eq=False)
class _Life:
    """One life."""

    record: PoolablePrefabData[Any]
    generation: int
    number: int  # in the order of births
    version: int = -1  # of its entries, the one that counts

    @property
    def lasts(self) -> bool:
        return self.record.generation == self.generation and self.record.active


# priority, number, version: these decide, and no two are alike
_Entry = tuple[Any, int, int, _Life]


class LifeOrder:
    """Finds the life of the lowest priority in O(log n), the oldest among equals.

    Lives are ranked when one is asked for, and their hooks have set what the key looks at: spawns
    and despawns notice nothing of it. Entries of lives that are over, or whose priority changed,
    are dropped when they surface, or when they are many.
    """

    def __init__(self, lives: Lives, key: Callable[[Any], Any]) -> None:
        self.key = key  # returns an instance's priority
        self.lives = lives  # in the order in which they began
        self._counter = itertools.count()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._known: dict[PoolablePrefabData[Any], _Life] = {}
        self._heap: list[_Entry] = []
        self._waiting: deque[_Life] = deque()  # numbered, and not ranked yet

    def first(self, spared: Collection[Any] = ()) -> PoolablePrefabData[Any] | None:
        """Return the record of the lowest that may be ended, if there is one but `spared`."""
        self._rank_newcomers()
        heap = self._heap
        passed: list[_Entry] = []
        lowest = None
        try:
            while heap and lowest is None:
                if not self._counts(heap[0]):
                    heapq.heappop(heap)
                elif heap[0][3].record in spared:
                    passed.append(heapq.heappop(heap))
                else:
                    lowest = heap[0][3].record
            for entry in passed:
                heapq.heappush(heap, entry)
        except BaseException as error:
            self._give_up("the priorities of this pool's instances", error)
        return lowest

    @staticmethod
    def _counts(entry: _Entry) -> bool:
        _, _, version, life = entry
        return life.version == version and life.lasts

    def update(self, record: PoolablePrefabData[Any]) -> None:
        """Ask for the priority of a life again."""
        self._rank_newcomers()
        if record.is_reclaimable:
            self._push(self._known[record])

    def _newcomers(self) -> list[_Life]:
        """Return the lives that began since this was last asked and may be ended; oldest first."""
        known, found = self._known, []
        for record in reversed(self.lives):  # they stand at the end
            life = known.get(record)
            if life is not None and life.generation == record.generation:
                break
            found.append(record)
        found.reverse()
        for record in found:
            known[record] = _Life(record, record.generation, next(self._counter))
        return [known[each] for each in found if each.ties is None or each.ties.reclaimable]

    def _rank_newcomers(self) -> None:
        self._sweep()
        waiting = self._waiting  # one throughout, for the key may ask for the lowest itself
        if waiting:  # without those that are over, which would pile up behind a key that raises
            lasting = [life for life in waiting if life.lasts]
            waiting.clear()
            waiting.extend(lasting)
        waiting.extend(self._newcomers())
        early: list[_Life] = []
        try:
            while waiting:
                life = waiting.popleft()
                if life.record.state is SPAWNING:
                    early.append(life)  # its hooks have yet to set what the key looks at
                elif life.lasts:
                    try:
                        self._push(life)
                    except BaseException:
                        early.append(life)
                        raise
        finally:
            waiting.extendleft(reversed(early))

    def _push(self, life: _Life) -> None:
        priority = self.key(life.record.instance)
        if not life.lasts:
            return  # the key has ended its life
        try:
            is_number = bool(priority == priority)  # noqa: PLR0124 - only "not a number" differs
            if is_number:
                life.version = next(self._counter)
                heapq.heappush(self._heap, (priority, life.number, life.version, life))
        except BaseException as error:
            self._give_up(f"the priority of {life.record.label}, {priority!r},", error)
        if not is_number:
            message = (
                f"the priority of {life.record.label} is not a number: look at RecycleLowest's key"
            )
            raise PoolError(message)

    def _sweep(self) -> None:
        most = 2 * len(self.lives) + _FEW
        if len(self._known) > most:
            self._known = {each: life for each, life in self._known.items() if each in self.lives}
        if len(self._heap) > most:
            self._heap[:] = filter(self._counts, self._heap)
            heapq.heapify(self._heap)

    def _give_up(self, what: str, error: BaseException) -> NoReturn:
        """Rank anew next time, for a comparison that failed half-way leaves a heap in disorder."""
        self._start_afresh()
        if not isinstance(error, Exception):
            raise error
        message = (
            f"{what} can't be compared with the others': "
            "RecycleLowest's key must return one kind of value"
        )
        raise PoolError(message) from error
