"""The latest frames: how long each took, which lives began and ended, what was collected."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from poolkit.core.seams import TimeWatcher, context_of
from poolkit.core.statistics import PoolStats

if TYPE_CHECKING:
    from collections.abc import Callable

    import pygame

    from poolkit.core.pool import PrefabPool
    from poolkit.core.seams import SwarmBase
    from poolkit.core.system import PoolingSystem

KEPT = 600  # frames
A_SAMPLE = 15  # frames from one column of a pool's history to the next
_RECENT = 5  # samples: about a second

_clock = time.perf_counter


def sources(system: PoolingSystem) -> list[PrefabPool[Any] | SwarmBase]:
    """Return all pools and swarms."""
    return [*system.all_pools(), *context_of(system).swarms.values()]


class CollectorPause(NamedTuple):
    """One collection."""

    generation: int  # which was collected: 0 (quick), 1, or 2 (everything)
    seconds: float  # for which the game stood still


class CollectorProbe:
    """Notes the pauses of the garbage collector; a context manager."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began: float | None = None
        self._pauses: list[CollectorPause] = []

    def __enter__(self) -> Self:
        gc.callbacks.append(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._watch)

    def take(self) -> tuple[CollectorPause, ...]:
        """Return the pauses since the last call: once a frame, those of that frame."""
        pauses = tuple(self._pauses)
        self._pauses.clear()
        return pauses

    def _watch(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase == "start":
            self._began = self._clock()
        elif self._began is not None:
            self._pauses.append(CollectorPause(info["generation"], self._clock() - self._began))
            self._began = None


class LifeCounts(NamedTuple):
    """What one pool did in one frame; `late` were made by spawns that found none inactive."""

    name: str
    began: int
    ended: int
    late: int


class Frame(NamedTuple):
    """One frame: how long it took, how often each generation was collected, and what lived."""

    seconds: float
    collections: list[int]
    seconds_paused: float
    lives: tuple[LifeCounts, ...]


class Row:
    """One pool or swarm, as it was read last, and its history."""

    def __init__(self, pool: PrefabPool[Any] | SwarmBase, stats: PoolStats) -> None:
        # Weakly: a swarm goes when the game lets go of it, and its row with the next frame.
        self._pool = weakref.ref(pool)
        self.name: str = pool.name
        self.stats: PoolStats = stats
        self.history: deque[tuple[float, PoolStats]] = deque(
            [(_clock(), stats)] * _RECENT, maxlen=KEPT // A_SAMPLE + 1
        )
        self.picture: pygame.Surface | None = None  # what its instances look like, if known

    @property
    def pool(self) -> Any:
        """The pool or swarm; `None` when it is gone."""
        return self._pool()

    def read(self) -> LifeCounts:
        """Read the pool's figures, and return what it did since the last time."""
        old, new = self.stats, self.pool.stats
        self.stats = new
        began, ended = new.spawned - old.spawned, new.despawned - old.despawned
        return LifeCounts(self.name, began, ended, new.late - old.late)

    def recently(self, figure: str) -> int:
        """Return how much more a figure is than about a second ago."""
        _, before = self.history[-_RECENT]
        return int(getattr(self.stats, figure) - getattr(before, figure))

    def value(self, figure: str) -> float:
        """Return a figure by its name."""
        if figure == "idle":  # the share of their time that its instances were not needed
            return float(self.pool._ledger.idle_share)
        if figure == "spawns":
            seconds = _clock() - self.history[-_RECENT][0]
            return self.recently("spawned") / seconds if seconds else 0.0
        return int(getattr(self.stats, "peak_active" if figure == "peak" else figure))


class FrameRecord(TimeWatcher):
    """The latest frames, and how each pool is now; lives are differences of what pools count."""

    def __init__(self, system: PoolingSystem) -> None:
        self._system, self._context = system, context_of(system)
        self._probe = CollectorProbe()
        self.clear()

    def watch(self, clear: Callable[[], None]) -> ExitStack:
        """Begin to watch, and call `clear` when a scene ends; close the answer to stop."""
        watching = ExitStack()
        watching.enter_context(self._probe)
        self._context.time_watchers.append(self)
        watching.callback(self._context.time_watchers.remove, self)
        watching.callback(self._system.on_reset(clear))
        return watching

    def clear(self) -> None:
        """Forget all frames, collections and memory."""
        self._probe.take()
        self.frames: deque[Frame] = deque(maxlen=KEPT)
        self.number: int = 0  # of frames since then
        self.collections: list[int] = [0, 0, 0]  # of each generation,
        self.seconds_paused: float = 0.0  # and how long they took
        self._ends: deque[float] = deque(maxlen=60)  # when the latest were over
        self._dirty_pools: set[object] = set()
        self._happened: tuple[Any, Any] = (), ()
        is_watching = self in self._context.time_watchers
        pools = sources(self._system) if is_watching else []
        self.rows: list[Row] = [Row(pool, pool.stats) for pool in pools]
        self._began, self._blocks = _clock(), sys.getallocatedblocks()

    def on_updating(self, dt: float) -> None:
        """Remember which pools did something, before the update forgets it."""
        del dt
        self._dirty_pools.update(self._context.dirty_pools)

    def add(self, seconds: float | None) -> None:
        """Add the frame that ends now, or the one before if you know how long that took.

        The first frame doesn't count, as it loads.
        """
        now = _clock()
        interval = now - self._ends[-1] if self._ends else 0.0
        self._ends.append(now)
        self.number += 1
        happened, before = (self._probe.take(), self._read(now)), self._happened
        self._happened = ((), ()) if seconds is None else happened
        pauses, lives = happened if seconds is None else before
        if self.number == 1:
            return
        counts = [sum(pause.generation == n for pause in pauses) for n in range(3)]
        lasted = sum(pause.seconds for pause in pauses)
        self.collections = [sum(both) for both in zip(self.collections, counts, strict=True)]
        self.seconds_paused += lasted
        self.frames.append(Frame(interval if seconds is None else seconds, counts, lasted, lives))

    def _read(self, now: float) -> tuple[LifeCounts, ...]:
        """Read the pools that did something, and some of the others in turns."""
        context, pools = self._context, sources(self._system)
        dirty = self._dirty_pools.union(context.dirty_pools, context.swarms.values())
        self._dirty_pools.clear()
        if pools != [row.pool for row in self.rows]:
            known = {row.pool: row for row in self.rows}
            self.rows = [known.get(pool) or Row(pool, PoolStats()) for pool in pools]
        lives = []
        for turn, row in enumerate(self.rows, self.number):
            if row.pool in dirty or turn % A_SAMPLE == 0:
                lives.append(row.read())
            if turn % A_SAMPLE == 0:
                row.history.append((now, row.stats))
        # A list first: a tuple made of an iterator is cut to length, and Python keeps such tuples.
        return tuple([counts for counts in lives if any(counts[1:])])

    @property
    def per_second(self) -> float:
        """Frames a second, over the latest ones."""
        passed = self._ends[-1] - self._ends[0] if self._ends else 0.0
        return (len(self._ends) - 1) / passed if passed else 0.0

    @property
    def memory(self) -> tuple[int, float]:
        """How many more blocks of memory are in use since the beginning, and how long that is."""
        return sys.getallocatedblocks() - self._blocks, _clock() - self._began
