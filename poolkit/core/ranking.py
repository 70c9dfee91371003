"""The active instances of a pool by age or by priority, brought up to date when asked."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeVar

from poolkit.core.errors import PoolError
from poolkit.core.record import BEGINNING, PoolablePrefabData

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["Ageing", "Ranking"]

T = TypeVar("T")

# priority, birth, version, data, generation: the first three decide, and no two are alike
_Entry = tuple[Any, int, int, PoolablePrefabData[Any], int]

_FEW = 64  # outdated entries that are not worth sweeping


class _Life(NamedTuple):
    data: PoolablePrefabData[Any]
    generation: int

    @property
    def lasts(self) -> bool:
        return self.data.generation == self.generation and self.data.active


class _Births(Generic[T]):
    """Numbers lives in the order in which they began, without spawns and despawns noticing.

    Those begun since it last looked stand at the end of the pool's dict of active ones.
    """

    __slots__ = ("_active", "_counter", "_known")

    def __init__(self, active: dict[PoolablePrefabData[T], None]) -> None:
        self._active = active
        self._counter = itertools.count()
        self._known: dict[PoolablePrefabData[T], tuple[int, int]] = {}  # generation and number

    def newcomers(self) -> list[_Life]:
        """Return the lives that began since this was last asked and may be ended; oldest first."""
        known, active = self._known, self._active
        found = []
        for data in reversed(active):
            before = known.get(data)
            if before is not None and before[0] == data.generation:
                break
            found.append(data)
        found.reverse()
        for data in found:
            known[data] = (data.generation, next(self._counter))
        if len(known) > 2 * len(active) + _FEW:
            self._known = {data: life for data, life in known.items() if data in active}
        return [_Life(data, data.generation) for data in found if data.reclaimable]

    def number_of(self, data: PoolablePrefabData[T]) -> int:
        """Return the number of a present life."""
        return self._known[data][1]


class Ageing(Generic[T]):
    """Finds the oldest life that may be ended, in O(1) whatever stands in front of it.

    Lives that may never be ended are not queued; others stay in the queue until they are over.
    """

    __slots__ = ("_active", "_births", "_queue")

    def __init__(self, active: dict[PoolablePrefabData[T], None]) -> None:
        """Queue the `active` lives, given in the order in which they began."""
        self._active = active
        self._births = _Births(active)
        self._queue: deque[_Life] = deque()

    def is_of(self, active: object) -> bool:
        """Return whether it queues these lives."""
        return self._active is active

    def oldest(
        self, spared: Collection[PoolablePrefabData[Any]] = ()
    ) -> PoolablePrefabData[T] | None:
        """Return the record of the oldest life that may be ended, none of `spared`; or `None`."""
        queue = self._queue
        queue.extend(self._births.newcomers())
        if len(queue) > 2 * len(self._active) + _FEW:
            queue = self._queue = deque(life for life in queue if life.lasts)
        place = 0  # passes by those whose hooks are running: one a nested spawn, and so few
        while place < len(queue):
            data, generation = queue[place]
            if data.generation != generation or not data.active:
                del queue[place]
            elif data.state == BEGINNING or data in spared:
                place += 1
            else:
                return data
        return None


class Ranking(Generic[T]):
    """Finds the life of the lowest priority in O(log n), the oldest among equals.

    Lives are ranked when the lowest is asked for, and their hooks have set what the key looks at.
    Entries of lives that are over, or whose priority changed, are dropped when they surface, or
    when they are many.
    """

    __slots__ = ("_active", "_births", "_counter", "_heap", "_key", "_versions", "_waiting")

    def __init__(self, active: dict[PoolablePrefabData[T], None], key: Callable[[T], Any]) -> None:
        """Rank the `active` lives, given in the order in which they began, by `key`."""
        self._key = key
        self._active = active
        self._counter = itertools.count()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._births = _Births(self._active)
        self._heap: list[_Entry] = []
        self._versions: dict[PoolablePrefabData[T], int] = {}  # of the entry that counts
        self._waiting: list[_Life] = []  # numbered, and not ranked yet

    def is_of(self, active: object, key: object) -> bool:
        """Return whether it ranks these lives by this key."""
        return self._active is active and self._key is key

    def lowest(
        self, spared: Collection[PoolablePrefabData[Any]] = ()
    ) -> PoolablePrefabData[T] | None:
        """Return the record of the lowest priority that may be ended, none of `spared`; or `None`.

        Raises:
            PoolError: Priorities can't be compared.
        """
        self._rank_newcomers()
        heap = self._heap
        passed: list[_Entry] = []
        lowest = None
        try:
            while heap and lowest is None:
                if not self._counts(heap[0]):
                    heapq.heappop(heap)
                elif heap[0][3] in spared:
                    passed.append(heapq.heappop(heap))
                else:
                    lowest = heap[0][3]
            for entry in passed:
                heapq.heappush(heap, entry)
        except BaseException as error:
            self._give_up("the priorities of this pool's instances", error)
        return lowest

    def update(self, data: PoolablePrefabData[T]) -> None:
        """Ask for the priority of a life again."""
        self._rank_newcomers()
        if data.reclaimable and data.active and data.state != BEGINNING:
            self._push(data)

    def _counts(self, entry: _Entry) -> bool:
        _, _, version, data, generation = entry
        return data.generation == generation and data.active and self._versions.get(data) == version

    def _rank_newcomers(self) -> None:
        # One list throughout, for the key may ask for the lowest itself.
        waiting = self._waiting
        if waiting:  # without those that are over, which would pile up behind a key that raises
            waiting[:] = [life for life in waiting if life.lasts]
        waiting += reversed(self._births.newcomers())
        early: list[_Life] = []
        try:
            while waiting:
                life = waiting.pop()
                if not life.lasts:
                    continue
                if life.data.state == BEGINNING:
                    early.append(life)  # its hooks have yet to set what the key looks at
                    continue
                try:
                    self._push(life.data)
                except BaseException:
                    early.append(life)
                    raise
        finally:
            waiting += reversed(early)

    def _push(self, data: PoolablePrefabData[T]) -> None:
        generation = data.generation
        priority = self._key(data.instance)
        if data.generation != generation or not data.active:
            return  # the key has ended its life
        try:
            is_number = bool(priority == priority)  # noqa: PLR0124 - only "not a number" differs
            version = next(self._counter)
            if is_number:
                number = self._births.number_of(data)
                heapq.heappush(self._heap, (priority, number, version, data, generation))
                self._versions[data] = version
                self._sweep()
        except BaseException as error:
            self._give_up(f"the priority of {data.label}, {priority!r},", error)
        if not is_number:
            message = f"the priority of {data.label} is not a number: look at RecycleLowest's key"
            raise PoolError(message)

    def _sweep(self) -> None:
        active = self._active
        if len(self._heap) > 2 * len(active) + _FEW:
            self._heap = [entry for entry in self._heap if self._counts(entry)]
            heapq.heapify(self._heap)
        if len(self._versions) > 2 * len(active) + _FEW:
            self._versions = {data: own for data, own in self._versions.items() if data in active}

    def _give_up(self, what: str, error: BaseException) -> NoReturn:
        """Rank anew next time, for a comparison that failed half-way leaves a heap in disorder.

        Raises:
            PoolError: In place of an `Exception`.
            BaseException: `error`, if it is none.
        """
        self._start_afresh()
        if not isinstance(error, Exception):
            raise error
        message = (
            f"{what} can't be compared with the others': "
            "RecycleLowest's key must return one kind of value"
        )
        raise PoolError(message) from error
