"""The active instances of a pool by priority: a heap that is brought up to date when asked."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.errors import PoolError
from poolkit.core.record import BEGINNING, PoolablePrefabData

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Ranking"]

T = TypeVar("T")

_Entry = tuple[Any, int, PoolablePrefabData[Any], int]  # priority, number, record, generation

_FEW = 64  # outdated entries that are not worth rebuilding the heap for


class Ranking(Generic[T]):
    """Finds the life of the lowest priority in O(log n).

    Spawns and despawns don't touch it. Lives are ranked when the lowest is asked for: those begun
    since the last time stand at the end of the pool's dict of active ones. Entries of lives that
    are over, or whose priority changed, are dropped when they surface, or when they are many.
    """

    __slots__ = ("_active", "_counter", "_heap", "_key", "_newest", "_too_early")

    def __init__(self, active: dict[PoolablePrefabData[T], None], key: Callable[[T], Any]) -> None:
        """Rank the `active` lives, given in the order in which they began, by `key`."""
        self._key = key
        self._active = active
        self._counter = itertools.count()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._heap: list[_Entry] = []
        # The number of the entry that counts, and of its life; -1 for a life never ranked.
        self._newest: dict[PoolablePrefabData[T], tuple[int, int]] = {}
        self._too_early: list[tuple[PoolablePrefabData[T], int]] = []

    def is_of(self, active: object, key: object) -> bool:
        """Return whether it ranks these lives by this key."""
        return self._active is active and self._key is key

    def lowest(self) -> PoolablePrefabData[T] | None:
        """Return the record of the lowest priority that may be reclaimed; `None` if there is none.

        Raises:
            PoolError: Priorities can't be compared.
        """
        self._rank_newcomers()
        heap = self._heap
        while heap:
            if self._counts(heap[0]):
                return heap[0][2]
            heapq.heappop(heap)
        return None

    def update(self, data: PoolablePrefabData[T]) -> None:
        """Ask for the priority of a life again."""
        self._rank_newcomers()
        if data.reclaimable and data.state != BEGINNING:
            self._push(data)

    def _counts(self, entry: _Entry) -> bool:
        _, number, data, generation = entry
        return data.active and self._newest.get(data) == (number, generation)

    def _rank_newcomers(self) -> None:
        waiting, self._too_early = self._too_early, []
        newcomers: list[PoolablePrefabData[T]] = []
        for data in reversed(self._active):
            known = self._newest.get(data)
            if known is not None and known[1] == data.generation:
                break
            newcomers.append(data)
        newcomers += [data for data, life in reversed(waiting) if data.generation == life]
        while newcomers:
            data = newcomers[-1]
            if data.state == BEGINNING:
                # Its hooks have yet to set what the key looks at.
                self._newest[data] = (-1, data.generation)
                self._too_early.append((data, data.generation))
            elif data.reclaimable and data.active:
                try:
                    self._push(data)
                except BaseException:
                    # Nobody is forgotten: this one and the rest are newcomers again next time.
                    self._too_early += [(each, each.generation) for each in reversed(newcomers)]
                    raise
            else:
                self._newest[data] = (-1, data.generation)
            newcomers.pop()

    def _push(self, data: PoolablePrefabData[T]) -> None:
        priority = self._key(data.instance)
        if priority != priority:  # noqa: PLR0124 - only "not a number" differs from itself
            message = f"the priority of {data.label} is not a number: look at RecycleLowest's key"
            raise PoolError(message)
        number = next(self._counter)
        self._newest[data] = (number, data.generation)
        try:
            heapq.heappush(self._heap, (priority, number, data, data.generation))
        except TypeError as error:
            self._start_afresh()  # a push that fails half-way leaves the heap in disorder
            message = (
                f"the priority of {data.label}, {priority!r}, can't be compared with the others': "
                "RecycleLowest's key must return one kind of value"
            )
            raise PoolError(message) from error
        if len(self._heap) > 2 * len(self._active) + _FEW:
            self._heap = [entry for entry in self._heap if self._counts(entry)]
            heapq.heapify(self._heap)
            active = self._active
            self._newest = {each: own for each, own in self._newest.items() if each in active}
