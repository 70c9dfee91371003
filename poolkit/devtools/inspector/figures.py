"""What the inspector tells: how pools are, as sorted rows, and how long the latest frames took."""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygame

    from poolkit.core import PoolingSystem, PrefabPool
    from poolkit.devtools.collector_probe import CollectorPause

FLASH = 72  # frames that a late spawn is shown
EVENTS = "late", "recycled", "refused"  # what had better not happen
SORTS = "first use", "name", "active", "inactive", "peak", *EVENTS, "idle"
_BLINK = 12  # frames
_LOOKS = 300  # instances that are looked at in a frame
_ROW_LOOKS = 100  # what reading a pool costs besides, as if in instances
_TOPS = (0.004, 0.008, 0.016, 0.033, 0.066, 0.133, 0.266, 0.533)  # seconds: what a graph may span
_ROOM = 1.7  # times the usual frame: above it the lengths of the longest are written


@dataclass(slots=True)
class Figures:
    """What a row tells; the same as the pool's `stats` and report say."""

    active: int
    inactive: int
    peak: int
    limit: int | None
    late: int
    recycled: int
    refused: int
    idle: float  # a share, from 0 to 1


def figures_of(pool: PrefabPool[Any]) -> Figures:
    """Read the figures of `pool`, which looks at every instance."""
    stats = pool.stats
    idle, existed = pool._ledger.time_so_far(pool)
    return Figures(
        active=stats.active,
        inactive=stats.inactive,
        peak=stats.peak_active,
        limit=pool.settings.limit,
        late=stats.late,
        recycled=stats.recycled,
        refused=stats.refused,
        idle=idle / existed if existed else 0.0,
    )


class Row:
    """One pool, as it was read last.

    Attributes:
        pool: The pool.
        name: What the row is called.
        figures: What it tells.
        lit: How many of the active ones, the latest, were made late and are flashing.
        picture: What its instances look like, once that is known.
    """

    __slots__ = ("_lit_until", "figures", "lit", "name", "picture", "pool")

    def __init__(self, pool: PrefabPool[Any], name: str) -> None:
        self.pool = pool
        self.name = name
        self.picture: pygame.Surface | None = None
        self.figures = figures_of(pool)
        self.lit = 0
        self._lit_until = 0

    def read(self, frame: int) -> None:
        """Read all figures; let what was made late since the last time flash."""
        before, self.figures = self.figures, figures_of(self.pool)
        late = self.figures.late - before.late
        if late > 0:
            self.lit = late + (self.lit if frame < self._lit_until else 0)
            self._lit_until = frame + FLASH

    def count(self) -> None:
        """Read what changes from frame to frame: how many are alive, and how many there are."""
        figures, active = self.figures, self.pool.active_count
        figures.active = active
        figures.inactive = self.pool.capacity - active
        figures.peak = max(figures.peak, active)

    def is_flashing(self, frame: int) -> bool:
        """Whether a late spawn is being shown, and is in the bright half of a blink."""
        return frame < self._lit_until and (self._lit_until - frame) % _BLINK >= _BLINK // 2


class Listing:
    """The rows of all pools: filtered, sorted, scrolled.

    Attributes:
        sort: What sorts them, one of `SORTS`.
        reverse: Whether in the order that is not the usual one: figures from the largest down.
        needle: What a name must contain to be listed.
        all: The rows of all pools.
        rows: Those that are listed, in order.
        first: How many of them are above those in view.
        room: How many fit into the view.
    """

    def __init__(self, systems: Sequence[PoolingSystem]) -> None:
        self._systems = systems
        self._looks = 0
        self._turn = 0
        self.sort = SORTS[0]
        self.reverse = False
        self.needle = ""
        self.all: list[Row] = []
        self.rows: list[Row] = []
        self.first = 0
        self.room = 1

    @property
    def in_view(self) -> Sequence[Row]:
        """The rows to be drawn."""
        return self.rows[self.first : self.first + self.room]

    def follow(self) -> None:
        """Notice pools that came or went; sort and filter by the figures as they are now."""
        known = {row.pool: row for row in self.all}
        self.all = [
            known.get(pool) or Row(pool, f"{number}: {pool.name}" if number else pool.name)
            for number, system in enumerate(self._systems, start=len(self._systems) > 1)
            for pool in system.all_pools()
        ]
        for row in self.all:
            row.count()
        self.arrange()

    def forget(self) -> None:
        """Hold no pool: one that the game has forgotten is to be freed."""
        self.all, self.rows = [], []

    def read(self, frame: int) -> None:
        """Read some rows, each in its turn, so that no frame has to look at many instances."""
        self._looks = max(0, self._looks - _LOOKS)
        for _ in self.all:
            if self._looks >= _LOOKS:
                break
            self._turn = (self._turn + 1) % len(self.all)
            row = self.all[self._turn]
            row.read(frame)
            self._looks += _ROW_LOOKS + row.figures.active + row.figures.inactive

    def arrange(self) -> None:
        """Filter and sort the rows, and keep the view on them."""
        needle = self.needle.casefold()
        rows = [row for row in self.all if needle in row.name.casefold()]
        if self.sort == "name":
            rows.sort(key=lambda row: row.name.casefold(), reverse=self.reverse)
        elif self.sort != SORTS[0]:
            rows.sort(key=lambda row: getattr(row.figures, self.sort), reverse=not self.reverse)
        elif self.reverse:
            rows.reverse()
        self.rows = rows
        self.scroll(0)

    def sort_by(self, sort: str) -> None:
        """Sort by `sort`; the other way round if they are sorted by that already."""
        self.reverse = sort == self.sort and not self.reverse
        self.sort = sort
        self.arrange()

    def sort_by_next(self, step: int) -> None:
        """Sort by what comes next in `SORTS`, or before."""
        self.sort = SORTS[(SORTS.index(self.sort) + step) % len(SORTS)]
        self.reverse = False
        self.arrange()

    def filter_by(self, needle: str) -> None:
        """List pools only whose names contain `needle`, in capitals or not."""
        self.needle = needle
        self.first = 0
        self.arrange()

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
    """The latest frames, and collections and memory since the scene began.

    Attributes:
        frames: The latest ones, the oldest first.
        collections: How often each generation was collected.
        seconds_paused: How long all that took.
    """

    def __init__(self, length: int) -> None:
        self.frames: deque[Frame] = deque(maxlen=length)
        self.clear()

    def clear(self) -> None:
        """Forget all. The frame under way does not count either: it is the one that loads."""
        self.frames.clear()
        self.collections = [0, 0, 0]
        self.seconds_paused = 0.0
        self._skips = True
        self._began = time.perf_counter()
        self._blocks = sys.getallocatedblocks()

    def add(self, seconds: float, pauses: Sequence[CollectorPause], *, pooling: bool) -> None:
        """Add a frame and the collections in it."""
        if self._skips:
            self._skips = False
            return
        paused, generation = 0.0, -1
        for pause in pauses:
            self.collections[pause.generation] += 1
            paused += pause.seconds
            generation = max(generation, pause.generation)
        self.seconds_paused += paused
        self.frames.append(Frame(seconds, min(paused, seconds), generation, pooling))

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

    def __len__(self) -> int:
        """Return how many frames are remembered."""
        return len(self.frames)
