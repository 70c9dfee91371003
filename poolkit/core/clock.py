"""A clock that `update(dt)` advances, and the calls that wait on it."""

from __future__ import annotations

import heapq
import itertools
import logging
import math
import time
from typing import TYPE_CHECKING

from poolkit.core.errors import PoolError, raise_all

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Clock", "Timer", "checked_seconds"]

_log = logging.getLogger("poolkit")

# Sums of frame times round: ten frames of 0.1 s add up to a little less than 1.0 s.
_ROUNDING = 1e-6
_WORTH_A_WARNING = 5.0  # seconds of waiting for an update that never comes
_FEW = 64  # cancelled timers that are not worth rebuilding the heap for


def checked_seconds(seconds: float, what: str, *, zero: bool = True) -> float:
    """Return `seconds` if it is a finite time that is not negative.

    Raises:
        TypeError: It is no number.
        ValueError: It is negative, not finite, or zero where `zero` is false.
    """
    try:
        good = math.isfinite(seconds) and (seconds >= 0 if zero else seconds > 0)
    except TypeError:
        message = f"{what} takes a number of seconds, not {seconds!r}"
        raise TypeError(message) from None
    if not good:
        least = "0 or more" if zero else "more than 0"
        message = f"{what} takes {least} seconds, and a finite number, not {seconds!r}"
        raise ValueError(message)
    return seconds


class Timer:
    """A call that waits for its time; `cancel` takes it back."""

    __slots__ = ("_timers", "call", "due", "every")

    def __init__(
        self,
        timers: Clock,
        due: float,
        call: Callable[[], object],
        every: float | None,
    ) -> None:
        """Wait until `due`; `every` seconds again after it where that is given."""
        self._timers: Clock | None = timers
        self.due = due
        self.call: Callable[[], object] | None = call
        self.every = every

    def cancel(self) -> None:
        """Drop the call. Does no harm once it is over."""
        if self._timers is not None:
            self._timers.forget(self)

    def end(self) -> None:
        """Let go of everything, so that what it called is not kept alive by the heap."""
        self._timers = None
        self.call = None


class Clock:
    """A heap of timers. Cancelled ones are dropped when they surface, or when they are many."""

    __slots__ = ("_cancelled", "_counter", "_first_wait", "_heap", "_running", "_warned", "now")

    def __init__(self) -> None:
        """Start at time 0 with nothing waiting."""
        self.now = 0.0
        self._heap: list[tuple[float, int, Timer]] = []
        self._counter = itertools.count()
        self._cancelled = 0
        self._running = False
        self._first_wait: float | None = None
        self._warned = False

    def __len__(self) -> int:
        """Return how many calls are waiting."""
        return len(self._heap) - self._cancelled

    def call_after(
        self,
        seconds: float,
        call: Callable[[], object],
        *,
        every: float | None = None,
    ) -> Timer:
        """Call `call` once `seconds` have been handed to `advance`, or later."""
        timer = Timer(self, self.now + seconds, call, every)
        heapq.heappush(self._heap, (timer.due, next(self._counter), timer))
        self._watch_for_updates()
        return timer

    def forget(self, timer: Timer) -> None:
        """Cancel `timer`."""
        timer.end()
        self._cancelled += 1
        if not self._running:  # else some of them are in the hands of `_run_due`
            self._tidy()

    def _tidy(self) -> None:
        if self._cancelled > _FEW and self._cancelled * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].call is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass and make the calls that are due, the earliest first.

        Calls that are started meanwhile wait for the next time, so that a call which starts
        itself again after no time at all can't hold up the frame.

        Raises:
            PoolError: It is advancing already.
            BaseException: What the calls raised, after all of them were made.
        """
        if self._running:
            message = "update() was called from inside update(): call it once a frame"
            raise PoolError(message)
        self.now += dt
        self._first_wait = None
        self._warned = True  # somebody does call update
        if not self._heap:
            return
        self._running = True
        try:
            self._run_due(self.now + _ROUNDING, next(self._counter))
        finally:
            self._running = False
            self._tidy()

    def _run_due(self, until: float, newest: int) -> None:
        errors: list[BaseException] = []
        newer: list[tuple[float, int, Timer]] = []
        while self._heap and self._heap[0][0] <= until:
            entry = heapq.heappop(self._heap)
            _, number, timer = entry
            call = timer.call
            if call is None:
                self._cancelled -= 1
                continue
            if number > newest:
                newer.append(entry)
                continue
            if timer.every is None:
                timer.end()
            else:
                timer.due += timer.every
                heapq.heappush(self._heap, (timer.due, number, timer))
            try:
                call()
            except BaseException as error:
                errors.append(error)
        for entry in newer:
            heapq.heappush(self._heap, entry)
        raise_all("timers raised", errors)

    def warn_if_forgotten(self) -> None:
        """Say once, in the log, that calls wait for an `update` that was never called."""
        if len(self) and not self._warned:
            self._warned = True
            _log.warning(
                "%d timers or delayed despawns are waiting, but update(dt) was never called: "
                "call pools.update(dt) once a frame",
                len(self),
            )

    def _watch_for_updates(self) -> None:
        if self._warned:
            return
        if self._first_wait is None:
            self._first_wait = time.monotonic()
        elif time.monotonic() - self._first_wait > _WORTH_A_WARNING:
            self.warn_if_forgotten()
