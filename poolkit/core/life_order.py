"""A priority order of lives that is brought up to date when it is asked."""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.saving import saved_without
from poolkit.core.states import ACTIVE, SPAWNING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from poolkit.core.record import Record

_FEW = 64  # stale entries that don't justify ranking all lives again

# priority, number in the order of births, generation, record: no two lives have one number
_Entry = tuple[Any, int, int, "Record[Any]"]


@saved_without("_numbers", "key")
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
        self._entries: dict[Record[Any], _Entry] = {}  # those that are current
        self._unranked: list[_Entry] = []
        self._heap: list[_Entry] = []

    def first(self, protected: Collection[Any] = ()) -> tuple[Any, Record[Any]] | None:
        """Return the lowest priority of those that may end and aren't protected, and its record."""
        passed: list[_Entry] = []
        try:
            self._rank_newcomers()
            heap = self._heap
            while heap:
                record = heap[0][-1]
                is_current = self._is_current(heap[0])
                if is_current and record.is_reclaimable and record not in protected:
                    break
                entry = heapq.heappop(heap)
                if is_current:
                    passed.append(entry)
            lowest = (heap[0][0], heap[0][-1]) if heap else None
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
                self._rank(self._entries[record])
        except BaseException:
            self._start_over()
            raise

    def _is_current(self, entry: _Entry) -> bool:
        record = entry[-1]
        if record.generation != entry[2] or self._entries.get(record) is not entry:
            return False
        return record.state is ACTIVE or record.state is SPAWNING

    def _rank_newcomers(self) -> None:
        """Rank the lives that began since the last time."""
        most = 2 * len(self.lives) + _FEW
        if len(self._entries) > most or len(self._heap) > most:
            self._start_over()
        entries, newcomers = self._entries, []
        for record in reversed(self.lives):  # they stand at the end
            entry = entries.get(record)
            if entry is not None and entry[2] == record.generation:
                break
            newcomers.append(record)
        for record in reversed(newcomers):
            entry = entries[record] = (None, next(self._numbers), record.generation, record)
            if record.extras is None or record.extras.reclaimable:
                self._unranked.append(entry)
        # The key may ask for the lowest itself, which ranks the others.
        unranked, early = self._unranked, []
        while unranked:
            entry = unranked.pop()
            if entry[-1].state is SPAWNING:
                early.append(entry)  # its hooks have yet to set what the key looks at
            elif self._is_current(entry):
                self._rank(entry)
        unranked += early

    def _rank(self, entry: _Entry) -> None:
        _, number, generation, record = entry
        priority = self.key(record.instance)
        if priority != priority:  # noqa: PLR0124 - only "not a number" differs
            message = f"the priority of {record.label} is not a number: look at RecycleLowest's key"
            raise PoolError(message)
        ranked = self._entries[record] = (priority, number, generation, record)
        heapq.heappush(self._heap, ranked)
