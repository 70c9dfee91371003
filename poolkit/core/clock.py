"""A clock that `update(dt)` advances, and the calls that wait on it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf, isfinite, nextafter
from typing import TYPE_CHECKING, Any, Protocol

from poolkit.core.errors import ErrorCollector, PoolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log = logging.getLogger("poolkit")

# Sums of frame times round: ten frames of 0.1 s add up to a little less than 1.0 s.
ROUNDING = 1e-6
_WORTH_A_WARNING = 5.0  # seconds of waiting for an update that never comes
_SHORTEST = 0.0005  # seconds; who waits for less waits for the next update
_FEW = 64  # entries that stand for nothing and are not worth rebuilding the heap for


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


class Owner(Protocol):
    """Who sets timers, again and again."""

    label: str  # what it is called in messages
    idle: Timer | None  # the first of its timers that wait for nothing


@dataclass(slots=True, eq=False)
class Timer:
    """A call that waits for its time."""

    owner: Owner
    next: Timer | None = None  # of its owner's that wait for nothing, as it does itself
    call: Callable[[], object] | None = None
    due: float = 0.0  # the second of the clock
    every: float | None = None  # seconds after which it is called again
    number: int = 0  # of this setting: equally due calls are made in this order; 0: cancelled
    entry: tuple[float, int, Timer] | None = None  # in the clock's heap, at its time or before

    def cancel(self, number: int) -> None:
        """Drop the call of that setting. Does no harm once it is over."""
        if self.number == number and self.call is not None:
            self.number = 0
            self.call = None
            self.next, self.owner.idle = self.owner.idle, self


class Clock:
    """A heap of timers that `advance` empties as they fall due.

    A timer stands in the heap once, and stays there when it is cancelled: set again for a later
    time, as it is in the next life of its owner, it needs no new entry; the old one is moved when
    it surfaces. So a life with a timer leaves nothing behind, and its end searches nothing.

    Attributes:
        now: Seconds that have passed.
        base: The second from which waits count: `now`; in a call, that in which it was due.
        each_time: What is called at the end of each `advance`.
    """

    def __init__(self) -> None:
        self.now = self.base = 0.0
        self.each_time: dict[object, Callable[[], object]] = {}
        self._next = nextafter(ROUNDING, inf)  # due then: in the next update, however short
        self._heap: list[tuple[float, int, Timer]] = []
        self._number = 0
        self._stale = 0  # entries whose timer has got an earlier one since
        self._running = False
        self._waits_since: float | None = None  # for an update
        self._is_told = False  # of timers
        self._is_stuck = False

    def __len__(self) -> int:
        """Return how many calls are waiting. Looks at each of them."""
        return len({timer for _, _, timer in self._heap if timer.call is not None})

    def set(
        self,
        timer: Timer,
        seconds: float,
        call: Callable[[], object],
        every: float | None = None,
    ) -> int:
        """Let an idle timer make a call once `seconds` have been handed to `advance`, or later.

        Inside a call they count from the second in which that was due, not from the end of the
        frame, so chained waits don't drift with the frame rate. Hardly any wait, or none, lasts
        until the next `advance`.

        Returns:
            The number by which that can be cancelled.
        """
        base = self.base
        due = base + seconds
        # Not `seconds`: a huge `base` swallows them.
        if due - base < _SHORTEST and due < self._next:
            due = self._next
        timer.due = due
        number = timer.number = self._number = self._number + 1
        timer.call = call
        timer.every = every
        entry = timer.entry
        if entry is None or entry[0] > due:
            if entry is not None:
                self._stale += 1
                self._tidy()
            entry = timer.entry = (due, number, timer)
            heappush(self._heap, entry)
        if not self._is_told:
            self.expect_update()
        return number

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass and make the calls that are due, the earliest first.

        What these calls wait for in turn is called as well where it is due. Each such wait is half
        a millisecond or longer, so no call can hold up the frame by starting itself again.
        """
        if self._running:
            message = "update() was called from inside update(): call it once a frame"
            raise PoolError(message)
        now = self.now = self.now + dt
        waited = self._next
        until = max(now + ROUNDING, waited)
        self._next = nextafter(until, inf)
        self._waits_since = time.monotonic()
        self._is_told = True  # somebody does call update
        self.base = now
        if self.each_time or (self._heap and self._heap[0][0] <= until):
            errors = ErrorCollector()
            self._running = True
            try:
                self._make_calls(waited, until, errors)
                self.base = now
                for key, call in list(self.each_time.items()):
                    if key in self.each_time:
                        errors.call(call)
            finally:
                self._running = False
                self.base = now
            errors.raise_all("timers raised")

    def _make_calls(self, waited: float, until: float, errors: ErrorCollector) -> None:
        """Make the calls that are due by second `until`; `waited`: for this update, or late."""
        heap, now = self._heap, self.now
        while heap and heap[0][0] <= until:
            entry = heappop(heap)
            due, number, timer = entry
            if number != timer.number:
                if timer.entry is not entry:
                    self._stale -= 1
                elif timer.call is None:
                    timer.entry = None
                else:  # it was set again since
                    timer.entry = (timer.due, timer.number, timer)
                    heappush(heap, timer.entry)
            else:
                self.base = due if due > waited else now
                call: Any = timer.call
                if timer.every is None:
                    owner = timer.owner
                    timer.call = timer.entry = None
                    timer.next, owner.idle = owner.idle, timer
                else:
                    timer.due = due + timer.every
                    timer.entry = (timer.due, number, timer)
                    heappush(heap, timer.entry)
                try:
                    call()
                except BaseException as error:
                    errors.add(error, f"in a timer of {timer.owner.label}")

    def forget(self, timers: Iterable[Timer]) -> None:
        """Let go of timers whose owner needs them no more, with what stands for them here."""
        for timer in timers:
            timer.number = 0
            timer.call = None
            if timer.entry is not None:
                timer.entry = None
                self._stale += 1
        self._tidy()

    def _tidy(self) -> None:
        if self._stale > _FEW and self._stale * 2 > len(self._heap) and not self._running:
            self._heap[:] = [entry for entry in self._heap if entry[2].entry is entry]
            heapify(self._heap)
            self._stale = 0

    # -- updates that never come --------------------------------------------------------------

    def expect_update(self, dead: int = 0) -> None:
        """Say once, in the log, that an `update` does not come for long.

        A timer waits for it, or so many `dead` instances, in whose place new ones are made.
        """
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
        """Say once, in the log, that timers wait for an `update` that was never called."""
        waiting = len(self)
        if waiting and not self._is_told:
            self._is_told = True
            _log.warning(
                "%d timers or delayed despawns are waiting, but update(dt) was never called: "
                "call pools.update(dt) once a frame",
                waiting,
            )
