"""Making room in a full pool: whose life ends for a new one."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.component import DespawnReason
from poolkit.core.context import step_guards
from poolkit.core.despawning import Despawner
from poolkit.core.errors import PoolError
from poolkit.core.overflow import EXCEED, RecycleLowest, RecycleOldest
from poolkit.core.ranking import Ageing, Ranking
from poolkit.core.record import BEGINNING, PoolablePrefabData

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from poolkit.core.context import Disorder

__all__ = ["Recycling"]

T = TypeVar("T")


class Recycling(Despawner[T]):
    """The part of a pool that asks its overflow policy, and does what it says.

    Nothing here is touched before the pool is full. Policies that go by age or priority keep the
    active instances in an `OrderedDict`, whose ends are found at once however many died.
    """

    __slots__ = ("_ageing", "_ranking", "_spared")

    _ageing: Ageing[T] | None
    _ranking: Ranking[T] | None
    _spared: Collection[PoolablePrefabData[Any]]  # while the policy is asked, not to be chosen

    def retune(self) -> None:
        """Keep the active instances as the policy needs them."""
        overflow = self._settings.overflow
        wants_order = isinstance(overflow, RecycleOldest | RecycleLowest)
        if wants_order != isinstance(self._active, OrderedDict):
            self._active = OrderedDict(self._active) if wants_order else dict(self._active)
        self._spared = getattr(self, "_spared", ())
        if not isinstance(overflow, RecycleOldest):
            self._ageing = None
        else:
            ageing = getattr(self, "_ageing", None)
            if ageing is None or not ageing.is_of(self._active):
                self._ageing = Ageing(self._active)
        if not isinstance(overflow, RecycleLowest):
            self._ranking = None
        else:
            ranking = getattr(self, "_ranking", None)
            if ranking is None or not ranking.is_of(self._active, overflow.key):
                self._ranking = Ranking(self._active, overflow.key)
        super().retune()

    # -- for policies -------------------------------------------------------------------------

    @property
    def reclaimable(self) -> tuple[T, ...]:
        """The active instances whose lives may be ended to make room, the oldest first.

        Not those spawned with ``reclaimable=False``, nor those whose hooks are running, nor what
        the new life is to be spawned under.
        """
        return tuple(data.instance for data in self._reclaimable_records(self._spared))

    def _reclaimable_records(
        self, spared: Collection[PoolablePrefabData[Any]]
    ) -> Iterator[PoolablePrefabData[T]]:
        return (data for data in self._active if _may_end(data) and data not in spared)

    def oldest(self) -> T | None:
        """Return the instance of the oldest life that may be ended, or `None`."""
        if self._ageing is not None:
            data = self._ageing.oldest(self._spared)
        else:
            data = next(self._reclaimable_records(self._spared), None)
        return None if data is None else data.instance

    def lowest(self) -> T | None:
        """Return the instance of the lowest priority that may be ended, or `None`.

        Raises:
            PoolError: The pool has no priorities, or they can't be compared.
        """
        data = self.lowest_record()
        return None if data is None else data.instance

    def lowest_record(self) -> PoolablePrefabData[T] | None:
        """Return the record of that instance, or `None`."""
        return self._ranked().lowest(self._spared)

    def update_priority(self, instance: T) -> None:
        """Ask `RecycleLowest`'s key for the priority of an active instance again. O(log n).

        Raises:
            NotManagedError: The instance is not managed.
            PoolError: It is not an active one of this pool; or the pool has no priorities.
        """
        data = self._context.require(instance)
        if data.pool is not self or not data.active:
            message = f"{data.label} is no active instance of {self.name}: it has no priority here"
            raise PoolError(message)
        self._ranked().update(data)

    def _ranked(self) -> Ranking[T]:
        if self._ranking is None:
            message = (
                f"{self.name} has no priorities: give it "
                "PoolSettings(limit=..., overflow=RecycleLowest(key))"
            )
            raise PoolError(message)
        return self._ranking

    # -- for the pool -------------------------------------------------------------------------

    @property
    def can_make_room(self) -> bool:
        """Whether the policy would let one more life begin in a full pool."""
        return self._ask_policy() is not None

    def check_room(self, n: int, spared: Iterable[PoolablePrefabData[Any]] = ()) -> None:
        """Refuse at once where there is no room for `n` lives; see `make_room` for `spared`.

        Raises:
            PoolExhaustedError: The policy refuses, or has not enough lives to end.
        """
        places = self.free_places
        if places is None:
            return
        resting = len(self._inactive) if self.pooling else 0
        short = n - resting - places
        if short <= 0:
            return
        kept = _with_ancestors(spared)
        decision = self._ask_policy(kept)
        if decision is EXCEED:
            return
        enough = itertools.islice(self._reclaimable_records(kept), short)
        if decision is None or sum(1 for _ in enough) < short:
            raise self.refusal()

    def make_room(
        self, check: Mapping[str, Any], spared: Iterable[PoolablePrefabData[Any]] = ()
    ) -> PoolablePrefabData[T] | None:
        """Ask the policy, and end the life it chose, if it chose one.

        Args:
            check: The data of the spawn that needs the room: the victim's hooks must accept it,
                or its life is not ended.
            spared: Records that must not be chosen this time, nor what they were spawned under:
                the parent of the life that is to begin.

        Returns:
            The record whose life was ended last, if one was.

        Raises:
            PoolExhaustedError: The policy refuses.
            PoolError: The policy chose what it may not choose.
        """
        kept = _with_ancestors(spared)
        victim = None
        while self.free_places == 0 and not (self._inactive and self.pooling):
            chosen = self._ask_policy(kept)
            if chosen is EXCEED:
                break
            if chosen is None:
                raise self.refusal()
            victim = self._checked_victim(chosen, kept)
            victim.hooks.deal(check, self.name)
            self._recycle(victim)
            if victim.holds:
                # Its body leaves the space when the step is over: until then a new instance
                # beyond the limit takes its place, and the surplus is destroyed afterwards.
                break
        return victim

    def recycle_early(
        self,
        disorder: Disorder,
        check: Mapping[str, Any],
        spared: Iterable[PoolablePrefabData[Any]],
    ) -> None:
        """End a life now and then as if the limit were reached, where the policy recycles.

        See `make_room` for the arguments. Where it refuses, or would exceed, nothing happens; nor
        inside a physics step, in which the place would not be free at once.
        """
        if self._settings.limit is None or not disorder.recycles():
            return
        if self.free_places == 0 and not self._inactive:  # then it is no longer early
            return
        if any(guard.is_stepping for guard in step_guards):
            return
        kept = _with_ancestors(spared)
        chosen = self._ask_policy(kept)
        if chosen is not None and chosen is not EXCEED:
            victim = self._checked_victim(chosen, kept)
            victim.hooks.deal(check, self.name)
            if self._context.reuse != "at_once":
                victim.doom()  # else it would rest, and its place be taken, until the next update
            self._recycle(victim)

    def _recycle(self, victim: PoolablePrefabData[T]) -> None:
        self._totals.recycled += 1
        # Its place is needed at once, also where a new limit made it one too many.
        victim.is_needed = True
        try:
            self.end(victim, DespawnReason.RECYCLED)
        finally:
            victim.is_needed = False

    def _ask_policy(self, spared: Collection[PoolablePrefabData[Any]] = ()) -> Any:
        before, self._spared = self._spared, spared
        try:
            return self._settings.overflow.choose_victim(self)
        except BaseException as error:
            error.add_note(f"while {self._settings.overflow!r} chose a victim for {self.name}")
            raise
        finally:
            self._spared = before

    def _checked_victim(
        self, chosen: Any, spared: Collection[PoolablePrefabData[Any]]
    ) -> PoolablePrefabData[T]:
        victim = self._context.find(chosen)
        policy = self._settings.overflow
        if victim is None or victim.pool is not self or not victim.active:
            message = (
                f"{policy!r} chose {chosen!r}, which is no active instance of {self.name}: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        if not _may_end(victim):
            message = (
                f"{policy!r} chose {victim.label}, which may not be reclaimed now: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        if victim in spared:
            message = (
                f"{policy!r} chose {victim.label}, under which the new life is to be spawned: "
                "choose from pool.reclaimable"
            )
            raise PoolError(message)
        return victim


def _with_ancestors(
    records: Iterable[PoolablePrefabData[Any]],
) -> Collection[PoolablePrefabData[Any]]:
    found: dict[PoolablePrefabData[Any], None] = {}
    for record in records:
        each: PoolablePrefabData[Any] | None = record
        while each is not None and each not in found:
            found[each] = None
            each = each.parent
    return found


def _may_end(data: PoolablePrefabData[Any]) -> bool:
    return data.reclaimable and data.state != BEGINNING
