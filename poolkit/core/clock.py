"""A clock that `update(dt)` advances, and the calls that wait on it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf, isfinite, nextafter
from typing import TYPE_CHECKING, Any, Protocol

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.saving import saved_without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log = logging.getLogger("poolkit")

# Sums of frame times round: ten frames of 0.1 s add up to a little less than 1.0 s.
ROUNDING = 1e-6
_TICKS = 2.0**20  # in a second: what is due in the same tick is due at one instant
_WORTH_A_WARNING = 5.0  # seconds without an update
_SHORTEST = 0.0005  # seconds; a shorter wait lasts until the next update
LONGEST_UPDATE = 86_400.0  # seconds; a timer of a millisecond makes millions of calls in it
_FEW = 64  # stale entries that don't justify rebuilding the heap


def checked_seconds(seconds: float, what: str, *, least: float = 0.0) -> float:
    """Return `seconds` if it is a finite time of at least `least`."""
    try:
        good = isfinite(seconds) and seconds >= least
    except TypeError:
        message = f"{what} takes a number of seconds, not {seconds!r}"
        raise TypeError(message) from None
    if not good:
        message = f"{what} takes {least:g} or more seconds, and a finite number, not {seconds!r}"
        raise ValueError(message)
    return seconds


def checked_dt(dt: float, what: str) -> float:
    """Return `dt` as a float if one update can let so much time pass."""
    if checked_seconds(dt, what) > LONGEST_UPDATE:
        message = (
            f"{what} takes at most a day, {LONGEST_UPDATE:g} seconds, not {dt!r}: "
            "give the seconds since the last frame"
        )
        raise ValueError(message)
    return float(dt)


def _tick_of(second: float) -> int:
    return int(second * _TICKS + 0.5)


class Owner(Protocol):
    """What has timers, and sets them again and again."""

    label: str  # what it is called in messages
    free_timers: Timer | None  # the first of a list of its timers that wait for nothing


@dataclass(slots=True, eq=False)
class Timer:
    """A call that waits for its time."""

    owner: Owner
    next_free: Timer | None = None  # the next in the owner's list of free timers
    call: Callable[[], object] | None = None
    due: float | None = None  # the second of the clock; `None`: whenever the next update comes
    tick: float = 0  # of that second
    every: float | None = None  # seconds after which to call again
    schedule_id: int = 0  # of this setting, which orders calls due at the same time; 0: cancelled
    entry: tuple[float, int, Timer] | None = None  # in the clock's heap, at its tick or before

    def cancel(self, schedule_id: int) -> None:
        """Drop the call of that setting, unless it is over."""
        if self.schedule_id == schedule_id and self.call is not None:
            self.schedule_id = 0
            self.call = None
            self.next_free, self.owner.free_timers = self.owner.free_timers, self


@saved_without(
    "_has_warned_instances", "_has_warned_timers", "_num_scheduled", "_running", "_waits_since"
)
class Clock:
    """A heap of timers, which `advance` calls as they fall due.

    Timers that are due in the same tick, 2**-20 seconds, are called in the order in which they were
    set. So sums of waits that differ by their rounding alone, such as 0.1 and 0.05 + 0.05, are one
    instant, at any frame rate and whatever the clock says.

    A timer that is cancelled stays in the heap. Set again for a later time, as in the next life of
    its owner, it needs no new entry: the old one moves when it comes up. So lives with timers leave
    nothing behind, and their ends search nothing.

    Attributes:
        now: Seconds that have passed since it began, or began again.
        total: Seconds that have passed in all.
        base: The second from which waits count: `now`; in a call, the second it was due.
        tick_callbacks: What to call at the end of each `advance`.
        open: Coroutines and connections of the scopes that go by this clock, for checkpoints.
    """

    def __init__(self, update: str = "pools.update(dt)") -> None:
        self.update = update  # the call that advances it, for messages
        self.now: float = 0.0
        self.base: float = 0.0
        self.total: float = 0.0
        self.tick_callbacks: dict[object, Callable[[], object]] = {}
        self.open: dict[Any, None] = {}
        self._until = 1.0  # the last tick that is due: one after that of `now`, a sum that rounds
        self._next = nextafter(1.0, inf)  # due then: in the next update, however short
        self._heap: list[tuple[float, int, Timer]] = []
        self._num_scheduled = 0
        self._stale = 0  # entries whose timer has an earlier one
        self._running = False
        self._waits_since: float | None = None  # for an update
        self._has_warned_timers = False  # whether the log has said that timers wait
        self._has_warned_instances = False  # ... that instances wait

    def __len__(self) -> int:
        """Return how many calls are waiting. Looks at each of them."""
        return len(self.waiting())

    def waiting(self) -> list[tuple[float, Timer]]:
        """Return the timers that wait, each after its seconds from now, the first due first."""
        timers = {timer for _, _, timer in self._heap if timer.call is not None}
        in_order = sorted(timers, key=lambda timer: (timer.tick, timer.schedule_id))
        return [(0.0 if timer.due is None else timer.due - self.now, timer) for timer in in_order]

    def restart(self, now: float = 0.0) -> None:
        """Begin again at second `now`.

        A reset that leaves nothing does it, so that an equal level adds up equal times; and a
        replay does, to begin at the recording's second.

        Raises:
            PoolError: A timer waits, or a tween runs: it would be due at another time.
        """
        if self.tick_callbacks or len(self):
            message = "timers wait for this clock: end the lives that they belong to first"
            raise PoolError(message)
        for _, _, timer in self._heap:
            timer.entry = None
        self._heap.clear()
        self._stale = 0
        self.now = self.base = now
        self._until = _tick_of(now) + 1.0
        self._next = nextafter(self._until, inf)

    def schedule(
        self,
        timer: Timer,
        seconds: float,
        call: Callable[[], object],
        every: float | None = None,
    ) -> int:
        """Have a free timer make a call after `seconds`; return the id to cancel that by.

        Inside a call they count from the second in which that was due, so chained waits don't drift
        with the frame rate. A wait of (almost) 0 lasts until the next `advance`.
        """
        base = self.base
        due = timer.due = base + seconds
        tick: float = int(due * _TICKS + 0.5)  # `_tick_of` without the call
        # Not `seconds`: adding them to a huge `base` may change nothing.
        if tick < self._next and due - base < _SHORTEST:
            timer.due, tick = None, self._next
        timer.tick = tick
        schedule_id = timer.schedule_id = self._num_scheduled = self._num_scheduled + 1
        timer.call = call
        timer.every = every
        entry = timer.entry
        if entry is None or entry[0] > tick:
            if entry is not None:
                self._stale += 1
                self._compact_heap()
            entry = timer.entry = (tick, schedule_id, timer)
            heappush(self._heap, entry)
        if not self._has_warned_timers:
            self.warn_if_never_updated()
        return schedule_id

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass, and make the calls that are due, the earliest first.

        That includes calls that these set. Each such wait is at least half a millisecond, so a call
        that sets itself again can't block the frame.
        """
        if self._running:
            message = "update() was called from inside update(): call it once a frame"
            raise PoolError(message)
        self.total += dt
        now = self.now = self.now + dt
        until = self._until = max(_tick_of(now) + 1.0, self._next)
        self._next = nextafter(until, inf)
        self._waits_since = time.monotonic()
        self._has_warned_timers = True  # `update` is being called
        self.base = now
        if self.tick_callbacks or (self._heap and self._heap[0][0] <= until):
            errors = ErrorCollector()
            self._running = True
            try:
                self._make_calls(errors)
                self.base = self.now
                for key, call in list(self.tick_callbacks.items()):
                    if key in self.tick_callbacks:
                        errors.call(call)
            finally:
                self._running = False
                self.base = self.now
            errors.raise_all("timers raised")

    def _make_calls(self, errors: ErrorCollector) -> None:
        """Make the calls that are due."""
        heap = self._heap
        while heap and heap[0][0] <= self._until:  # a call may restart the clock
            entry = heappop(heap)
            _, schedule_id, timer = entry
            if schedule_id != timer.schedule_id:
                if timer.entry is not entry:
                    self._stale -= 1
                elif timer.call is None:
                    timer.entry = None
                else:  # it was set again since
                    timer.entry = (timer.tick, timer.schedule_id, timer)
                    heappush(heap, timer.entry)
            else:
                # A call that was set for "the next update" has no second of its own. What others
                # set counts from when they were due, so that chained waits don't drift.
                due = self.base = self.now if timer.due is None else timer.due
                call: Any = timer.call
                if timer.every is None:
                    owner = timer.owner
                    timer.call = timer.entry = None
                    timer.next_free, owner.free_timers = owner.free_timers, timer
                else:
                    timer.due = due + timer.every
                    timer.tick = _tick_of(timer.due)
                    timer.entry = (timer.tick, schedule_id, timer)
                    heappush(heap, timer.entry)
                try:
                    call()
                except BaseException as error:
                    errors.add(error, f"in a timer of {timer.owner.label}")

    def forget(self, timers: Iterable[Timer]) -> None:
        """Drop timers, and their entries, that their owner no longer needs."""
        for timer in timers:
            timer.schedule_id = 0
            timer.call = None
            if timer.entry is not None:
                timer.entry = None
                self._stale += 1
        self._compact_heap()

    def cancel_all(self) -> None:
        """Drop all timers: a checkpoint puts those back that waited then."""
        for _, _, timer in self._heap:
            timer.cancel(timer.schedule_id)
            timer.entry = None
        self._heap.clear()
        self._stale = 0

    @property
    def is_running(self) -> bool:
        """Whether calls that are due are being made."""
        return self._running

    def _compact_heap(self) -> None:
        if self._stale > _FEW and self._stale * 2 > len(self._heap) and not self._running:
            self._heap[:] = [entry for entry in self._heap if entry[2].entry is entry]
            heapify(self._heap)
            self._stale = 0

    # -- updates that never come --------------------------------------------------------------

    def warn_if_never_updated(self, num_waiting: int = 0) -> None:
        """Log once that a timer, or `num_waiting` instances, have waited long for an `update`."""
        now = time.monotonic()
        if self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > _WORTH_A_WARNING:
            if not num_waiting:
                self.warn_of_timers()
            elif not self._has_warned_instances:
                self._has_warned_instances = True
                _log.warning(
                    "%d despawned instances wait for the next update, which does not come, while "
                    "new ones are made: call pools.update(dt) once a frame, or "
                    'pools.configure(reuse="at_once")',
                    num_waiting,
                )

    def warn_of_timers(self) -> None:
        """Log once that timers wait although `update` was never called."""
        waiting = len(self)
        if waiting and not self._has_warned_timers:
            self._has_warned_timers = True
            _log.warning(
                "%d timers or delayed despawns are waiting, but update(dt) was never called: "
                "call %s once a frame",
                waiting,
                self.update,
            )
