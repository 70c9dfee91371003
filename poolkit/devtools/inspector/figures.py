"""What the inspector tells: how pools are, as sorted rows, and how long the latest frames took."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygame

    from poolkit.core import PoolingSystem, PrefabPool
    from poolkit.devtools.collector_probe import CollectorPause

EVENTS = "late", "recycled", "refused"  # what had better not happen
COLUMNS = "inactive", "peak", *EVENTS, "idle"
SORTS = "first use", "name", "active", *COLUMNS
FLASH = 72  # frames that a late spawn is shown
_AT_ONCE = 40  # pools of which all figures are read
_TOPS = (0.004, 0.008, 0.016, 0.033, 0.066, 0.133, 0.266, 0.533)  # seconds: what a graph may span
_ROOM = 1.7  # times the usual frame: above it the lengths of the longest are written


class Row:
    """One pool, as it was read last."""

    def __init__(self, pool: PrefabPool[Any], name: str) -> None:
        self.pool = pool
        self.name = name
        self.stats = pool.stats
        self.idle = 0.0  # the share of their time that its instances were not needed
        self.lit = 0  # how many of the active ones, the latest, were made late,
        self.lit_until = 0  # and the frame in which they cease to flash
        self.picture: pygame.Surface | None = None  # what its instances look like, if known

    def read(self, frame: int) -> None:
        """Read how the pool is; let what was made late since the last time flash."""
        before, self.stats = self.stats, self.pool.stats
        idle, existed = self.pool._ledger.time_so_far(self.pool)
        self.idle = idle / existed if existed else 0.0
        late = self.stats.late - before.late
        if late > 0:
            self.lit = late + (self.lit if frame < self.lit_until else 0)
            self.lit_until = frame + FLASH

    def value(self, column: str) -> float:
        """Return a column's figure."""
        figures = {"idle": self.idle, "peak": self.stats.peak_active}
        figure: float = figures[column] if column in figures else getattr(self.stats, column)
        return figure


class Listing:
    """The rows of all pools: filtered, sorted, scrolled."""

    def __init__(self, systems: Sequence[PoolingSystem]) -> None:
        self._systems = systems
        self._turn = 0
        self.sort = SORTS[0]
        self.reverse = False  # of the usual order, which has the largest figures first
        self.needle = ""  # what a name must contain to be listed
        self.is_editing = False  # whether that is being typed
        self.all: list[Row] = []
        self.rows: list[Row] = []  # what is listed of them, in order
        self.first = 0  # how many of these are above those in view,
        self.room = 1  # and how many fit into the view

    @property
    def in_view(self) -> Sequence[Row]:
        """The rows to be drawn."""
        return self.rows[self.first : self.first + self.room]

    def read(self, frame: int) -> None:
        """Notice pools that came or went, read how they are, and filter and sort them."""
        known = {row.pool: row for row in self.all}
        self.all = [
            known.get(pool) or Row(pool, f"{number}: {pool.name}" if number else pool.name)
            for number, system in enumerate(self._systems, start=len(self._systems) > 1)
            for pool in system.all_pools()
        ]
        # Of many pools, those in view, and of the others some in their turn.
        turns = max(1, len(self.all) // _AT_ONCE)
        self._turn = (self._turn + 1) % turns
        for row in {*self.in_view, *self.all[self._turn :: turns]}:
            row.read(frame)
        needle = self.needle.casefold()
        self.rows = [row for row in self.all if needle in row.name.casefold()]
        if self.sort == "name":
            self.rows.sort(key=lambda row: row.name.casefold())
        elif self.sort != SORTS[0]:
            self.rows.sort(key=lambda row: -row.value(self.sort))
        if self.reverse:
            self.rows.reverse()

    def scroll(self, rows: int) -> None:
        """Move the view down by so many rows, or up; never beyond either end."""
        last = max(0, len(self.rows) - self.room)
        self.first = min(last, max(0, self.first + rows))


class Frame(NamedTuple):
    """One frame."""

    seconds: float
    paused: float  # seconds of it in which the collector ran
    generation: int  # the oldest one that was collected; -1 for none
    pooling: bool  # whether pools were in use, or switched off to compare


class FrameTimes:
    """The latest frames, and collections and memory since the scene began."""

    def __init__(self, length: int) -> None:
        self.frames: deque[Frame] = deque(maxlen=length)
        self.clear()

    def clear(self) -> None:
        """Forget all. The frame under way does not count either: it is the one that loads."""
        self.frames.clear()
        self.collections = [0, 0, 0]  # of each generation,
        self.seconds_paused = 0.0  # and how long they took
        self._skips = True
        self._began = time.perf_counter()
        self._blocks = sys.getallocatedblocks()

    def add(self, seconds: float, pauses: Sequence[CollectorPause], *, pooling: bool) -> None:
        """Add a frame and the collections in it."""
        if self._skips:
            self._skips = False
            return
        for pause in pauses:
            self.collections[pause.generation] += 1
        paused = sum(pause.seconds for pause in pauses)
        oldest = max((pause.generation for pause in pauses), default=-1)
        self.seconds_paused += paused
        self.frames.append(Frame(seconds, min(paused, seconds), oldest, pooling))

    @property
    def memory(self) -> tuple[int, float]:
        """How many more blocks of memory Python has in use than so many seconds ago."""
        return sys.getallocatedblocks() - self._blocks, time.perf_counter() - self._began

    @property
    def worst(self) -> float:
        """The longest of the latest frames, in seconds."""
        return max((frame.seconds for frame in self.frames), default=0.0)

    @property
    def top(self) -> float:
        """How many seconds a graph had best span: so that nine frames in ten leave room above."""
        ordered = sorted(frame.seconds for frame in self.frames)
        usual = ordered[len(ordered) * 9 // 10] if ordered else 0.0
        return next((top for top in _TOPS if top >= usual * _ROOM), _TOPS[-1])
