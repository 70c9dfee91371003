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
    idle: Timer | None  # the first of its timers that wait for nothing


@dataclass(slots=True, eq=False)
class Timer:
    """A call that waits for its time."""

    owner: Owner
    next: Timer | None = None  # the owner's next timer that waits for nothing, as this one does
    call: Callable[[], object] | None = None
    due: float | None = None  # the second of the clock; `None`: whenever the next update comes
    tick: float = 0  # of that second
    every: float | None = None  # seconds after which to call again
    number: int = 0  # of this setting, which orders calls due at the same time; 0: cancelled
    entry: tuple[float, int, Timer] | None = None  # in the clock's heap, at its tick or before

    def cancel(self, number: int) -> None:
        """Drop the call of that setting, unless it is over."""
        if self.number == number and self.call is not None:
            self.number = 0
            self.call = None
            self.next, self.owner.idle = self.owner.idle, self


@saved_without("_is_stuck", "_is_told", "_number", "_running", "_waits_since")
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
        each_time: What to call at the end of each `advance`.
        open: Coroutines and connections of the scopes that go by this clock, for checkpoints.
    """

    def __init__(self, update: str = "pools.update(dt)") -> None:
        self.update = update  # the call that advances it, for messages
        self.now: float = 0.0
        self.base: float = 0.0
        self.total: float = 0.0
        self.each_time: dict[object, Callable[[], object]] = {}
        self.open: dict[Any, None] = {}
        self._until = 1.0  # the last tick that is due: one after that of `now`, a sum that rounds
        self._next = nextafter(1.0, inf)  # due then: in the next update, however short
        self._heap: list[tuple[float, int, Timer]] = []
        self._number = 0
        self._stale = 0  # entries whose timer has an earlier one
        self._running = False
        self._waits_since: float | None = None  # for an update
        self._is_told = False  # whether the log has said that timers wait
        self._is_stuck = False  # ... that instances wait

    def __len__(self) -> int:
        """Return how many calls are waiting. Looks at each of them."""
        return len(self.waiting())

    def waiting(self) -> list[tuple[float, Timer]]:
        """Return the timers that wait, each after its seconds from now, the first due first."""
        timers = {timer for _, _, timer in self._heap if timer.call is not None}
        in_order = sorted(timers, key=lambda timer: (timer.tick, timer.number))
        return [(0.0 if each.due is None else each.due - self.now, each) for each in in_order]

    def restart(self, now: float = 0.0) -> None:
        """Begin again at second `now`.

        A reset that leaves nothing does it, so that an equal level adds up equal times; and a
        replay does, to begin at the recording's second.

        Raises:
            PoolError: A timer waits, or a tween runs: it would be due at another time.
        """
        if self.each_time or len(self):
            message = "timers wait for this clock: end the lives that they belong to first"
            raise PoolError(message)
        for _, _, timer in self._heap:
            timer.entry = None
        self._heap.clear()
        self._stale = 0
        self.now = self.base = now
        self._until = _tick_of(now) + 1.0
        self._next = nextafter(self._until, inf)

    def set(
        self,
        timer: Timer,
        seconds: float,
        call: Callable[[], object],
        every: float | None = None,
    ) -> int:
        """Have an idle timer make a call after `seconds`; return the number to cancel it by.

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
        number = timer.number = self._number = self._number + 1
        timer.call = call
        timer.every = every
        entry = timer.entry
        if entry is None or entry[0] > tick:
            if entry is not None:
                self._stale += 1
                self._tidy()
            entry = timer.entry = (tick, number, timer)
            heappush(self._heap, entry)
        if not self._is_told:
            self.expect_update()
        return number

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
        self._is_told = True  # `update` is being called
        self.base = now
        if self.each_time or (self._heap and self._heap[0][0] <= until):
            errors = ErrorCollector()
            self._running = True
            try:
                self._make_calls(errors)
                self.base = self.now
                for key, call in list(self.each_time.items()):
                    if key in self.each_time:
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
            _, number, timer = entry
            if number != timer.number:
                if timer.entry is not entry:
                    self._stale -= 1
                elif timer.call is None:
                    timer.entry = None
                else:  # it was set again since
                    timer.entry = (timer.tick, timer.number, timer)
                    heappush(heap, timer.entry)
            else:
                due = self.base = self.now if timer.due is None else timer.due
                call: Any = timer.call
                if timer.every is None:
                    owner = timer.owner
                    timer.call = timer.entry = None
                    timer.next, owner.idle = owner.idle, timer
                else:
                    timer.due = due + timer.every
                    timer.tick = _tick_of(timer.due)
                    timer.entry = (timer.tick, number, timer)
                    heappush(heap, timer.entry)
                try:
                    call()
                except BaseException as error:
                    errors.add(error, f"in a timer of {timer.owner.label}")

    def forget(self, timers: Iterable[Timer]) -> None:
        """Drop timers, and their entries, that their owner no longer needs."""
        for timer in timers:
            timer.number = 0
            timer.call = None
            if timer.entry is not None:
                timer.entry = None
                self._stale += 1
        self._tidy()

    def cancel_all(self) -> None:
        """Drop all timers: a checkpoint puts those back that waited then."""
        for _, _, timer in self._heap:
            timer.cancel(timer.number)
            timer.entry = None
        self._heap.clear()
        self._stale = 0

    @property
    def is_running(self) -> bool:
        """Whether calls that are due are being made."""
        return self._running

    def _tidy(self) -> None:
        if self._stale > _FEW and self._stale * 2 > len(self._heap) and not self._running:
            self._heap[:] = [entry for entry in self._heap if entry[2].entry is entry]
            heapify(self._heap)
            self._stale = 0

    # -- updates that never come --------------------------------------------------------------

    def expect_update(self, dead: int = 0) -> None:
        """Log once that a timer, or `dead` instances, have waited long for an `update`."""
        now = time.monotonic()
        if self._waits_since is None:
            self._waits_since = now
        elif now - self._waits_since > _WORTH_A_WARNING:
            if not dead:
                self.tell_of_timers()
            elif not self._is_stuck:
                self._is_stuck = True
                _log.warning(
                    "%d despawned instances wait for the next update, which does not come, while "
                    "new ones are made: call pools.update(dt) once a frame, or "
                    'pools.configure(reuse="at_once")',
                    dead,
                )

    def tell_of_timers(self) -> None:
        """Log once that timers wait although `update` was never called."""
        waiting = len(self)
        if waiting and not self._is_told:
            self._is_told = True
            _log.warning(
                "%d timers or delayed despawns are waiting, but update(dt) was never called: "
                "call %s once a frame",
                waiting,
                self.update,
            )
