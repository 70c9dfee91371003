"""What belongs to one life, and ends with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from poolkit.core.clock import Clock, Timer, checked_seconds
from poolkit.core.errors import ErrorCollector, PoolError

if TYPE_CHECKING:
    from poolkit.core.record import Record

Undo = Callable[[], object]
Coroutine = Generator[float | None, None, object]

_cancel = Timer.cancel  # not bound: that would be one more object a timer
_SHORTEST = 0.001  # seconds between two calls of `every`


class Signal(Protocol):
    """Anything that can be listened to, as blinker's signals."""

    def connect(self, receiver: Callable[..., Any], /) -> object:
        """Begin to call `receiver`."""

    def disconnect(self, receiver: Callable[..., Any], /) -> object:
        """Stop calling `receiver`."""


@dataclass(slots=True, eq=False)
class LifeState:
    """What an instance has for its lives beyond the everyday, kept for later ones.

    The open scope, and timers to set again; whom it was spawned under, and what was under it.
    """

    clock: Clock
    label: str  # what the instance is called in messages
    timers: list[Timer] = field(default_factory=list)
    idle: Timer | None = None  # the first of those that wait for nothing
    scope: Scope | None = None  # of the present life, once it was asked for
    undo: dict[object, Undo] | None = None  # but for timers, whose end runs no code
    children: dict[Record[Any], None] | None = None
    parent: Record[Any] | None = None  # the record of what it was spawned under
    instance: Any = None  # that is, or the part of it that was named
    tether: Any = None  # what moves it with that, for the room that knows its kind

    def open_scope(self) -> Scope:
        """Return a new scope, of a life that begins."""
        scope = self.scope = Scope()
        scope._own = self  # not by an `__init__` in Python: many lives have one
        return scope

    def another_timer(self) -> Timer:
        """Return a timer more, for all others wait."""
        timer = Timer(self)
        self.timers.append(timer)
        return timer

    def cancel_timers(self) -> None:
        """Drop whatever the timers wait for."""
        for timer in self.timers:
            if timer.call is not None:  # as `Timer.cancel`: many lives end early
                timer.number = 0
                timer.call = None
                timer.next, self.idle = self.idle, timer

    def close_scope(self, errors: ErrorCollector) -> None:
        """Undo everything, the last thing first; what that raises goes to `errors`.

        The scope is closed before, so the undoing can't begin anything new.
        """
        self.scope = None
        self.cancel_timers()
        while self.undo:
            key, undo = next(reversed(self.undo.items()))
            errors.call(undo, note=f"in the scope of {self.label}")
            self.undo.pop(key, None)  # last: what an interrupt keeps from being called is kept

    def give_up(self) -> None:
        """Take the timers off the clock for good, which may refer to this for long."""
        self.clock.forget(self.timers)
        self.timers.clear()
        self.idle = self.children = self.tether = None


class Scope:
    """Timers, coroutines, subscriptions and clean-up calls of one life.

    All are undone, the last one first, when the life ends, after its `despawned` hooks. A scope
    is of one life alone: kept beyond it, it refuses to be used, so nothing of an old life can
    touch the next one. Every method returns a function that undoes that one thing early.
    """

    __slots__ = ("_own",)

    _own: LifeState

    def after(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` once, `seconds` of `update` from now; in a timer's call, from when it was due.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is negative or not finite.
        """
        if not callable(fn):  # first: to call kill() by mistake has ended the life, too
            raise _no_function(fn, "after()")
        own = self._own
        if own.scope is not self:
            self._check_open()
        if seconds.__class__ is not float or not 0.0 <= seconds < inf:  # many lives set a timer
            seconds = float(checked_seconds(seconds, "after()"))
        timer = own.idle or own.another_timer()
        own.idle = timer.next
        return partial(_cancel, timer, own.clock.set(timer, seconds, fn))

    def every(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` every `seconds` of `update`, for the first time `seconds` from now.

        After a long frame it is called as often as it would have been in short ones.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is less than a thousandth, or not finite.
        """
        self._check_open()
        checked_seconds(seconds, "every()", least=_SHORTEST)
        if not callable(fn):
            raise _no_function(fn, "every()")
        own = self._own
        timer = own.idle or own.another_timer()
        own.idle = timer.next
        return partial(_cancel, timer, own.clock.set(timer, seconds, fn, seconds))

    def tween(
        self,
        seconds: float,
        fn: Callable[[float], object],
        ease: Callable[[float], float] | None = None,
    ) -> Undo:
        """Call `fn` at each `update` with how much of the time is over, from above 0 to exactly 1.

        An update that is longer than the tween calls it once, with 1.0; so does a tween of 0
        seconds.

        Args:
            seconds: How long it takes.
            fn: What is called: ``lambda done: self.image.set_alpha(255 * (1 - done))``.
            ease: What is done to that number first, from 0..1 to 0..1, as by the functions of
                pytweening.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is negative or not finite.
        """
        self._check_open()
        checked_seconds(seconds, "tween()")
        for each in (fn,) if ease is None else (fn, ease):
            if not callable(each):
                raise _no_function(each, "tween()")
        return _Tween(self, seconds, fn, ease).begin()

    def start(self, generator: Coroutine) -> Undo:
        """Run a coroutine: a generator that yields the seconds it wants to wait.

        It runs at once to its first ``yield``; ``yield 0.5`` waits half a second of `update`, a
        bare ``yield`` until the next `update`. One that ends its own life is dropped at its next
        ``yield`` (a generator can't be closed while it runs).

        Raises:
            PoolError: The life is over.
            TypeError: It is no generator, or yields something else than seconds.
        """
        self._check_open()
        if not isinstance(generator, Generator):
            message = (
                f"start() runs a generator, not {generator!r}: call the function that yields, "
                "as in scope.start(self.patrol())"
            )
            raise TypeError(message)
        return _Routine(self, generator).begin()

    def connect(self, signal: Signal, receiver: Callable[..., Any]) -> Undo:
        """Connect `receiver` to `signal` until the life ends.

        Both are kept alive meanwhile, also where the signal holds its receivers weakly. A signal
        that has dropped them by then does no harm.

        Raises:
            PoolError: The life is over.
        """
        self._check_open()
        signal.connect(receiver)

        def disconnect() -> None:
            # The bus may have been emptied before this life ended: nothing is left to undo.
            with contextlib.suppress(LookupError, ValueError, ReferenceError):
                signal.disconnect(receiver)

        key = object()
        self._keep(disconnect, key)
        return partial(self._undo_early, key)

    def callback(self, fn: Callable[[], object]) -> Undo:
        """Call `fn` when the life ends; the function returned forgets it instead.

        Raises:
            PoolError: The life is over.
        """
        self._check_open()
        if not callable(fn):
            raise _no_function(fn, "callback()")
        key = object()
        self._keep(fn, key)
        return partial(self._forget, key)

    def __repr__(self) -> str:
        """Return ``<Scope(orc #0007, 2 to undo)>``."""
        state = "over"
        if self._own.scope is self:
            calls = [timer.call for timer in self._own.timers if timer.call is not None]
            waits = sum(
                isinstance(getattr(call, "__self__", None), _Routine | _Tween) for call in calls
            )
            state = f"{len(calls) - waits + len(self._own.undo or ())} to undo"
        return f"<Scope({self._own.label}, {state})>"

    def _check_open(self) -> None:
        if self._own.scope is not self:
            message = (
                f"the life of {self._own.label} that this scope belonged to is over: "
                "take sprite.scope anew in spawned()"
            )
            raise PoolError(message)

    def _keep(self, undo: Undo, key: object) -> None:
        own = self._own
        if own.scope is not self:  # the signal that was connected to has ended the life
            undo()
            return
        if own.undo is None:
            own.undo = {}
        own.undo[key] = undo

    def _forget(self, key: object) -> Undo | None:
        undo = self._own.undo
        return None if undo is None else undo.pop(key, None)

    def _undo_early(self, key: object) -> None:
        undo = self._forget(key)
        if undo is not None:
            undo()


class _Tween:
    """A call that is made at each update, and the timer that makes the last one."""

    __slots__ = ("_began", "_cancel_end", "_clock", "_ease", "_fn", "_scope", "_seconds")

    def __init__(self, scope: Scope, seconds: float, fn: Any, ease: Any) -> None:
        self._scope = scope
        self._clock = scope._own.clock
        self._began = self._clock.base
        self._seconds = seconds
        self._fn = fn
        self._ease = ease
        self._cancel_end: Undo = int  # does nothing

    def begin(self) -> Undo:
        self._scope._keep(self._drop, self)
        self._cancel_end = self._scope.after(self._seconds, self._end)
        self._clock.each_time[self] = self._go_on
        return partial(self._scope._undo_early, self)

    def _go_on(self) -> None:
        passed = self._clock.now - self._began
        if 0 < passed < self._seconds:  # else it waits for its end
            done = passed / self._seconds
            self._fn(done if self._ease is None else self._ease(done))

    def _end(self) -> None:
        self._scope._undo_early(self)
        self._fn(1.0 if self._ease is None else self._ease(1.0))

    def _drop(self) -> None:
        self._cancel_end()
        del self._clock.each_time[self]


class _Routine:
    """A coroutine, and the timer on which it waits; over when its scope keeps it no more."""

    __slots__ = ("_cancel_wait", "_generator", "_scope")

    def __init__(self, scope: Scope, generator: Coroutine) -> None:
        self._scope = scope
        self._generator = generator
        self._cancel_wait: Undo | None = None

    def begin(self) -> Undo:
        self._scope._keep(self._drop, self)
        self._resume()
        return partial(self._scope._undo_early, self)

    def _resume(self) -> None:
        generator, scope = self._generator, self._scope
        self._cancel_wait = None
        try:
            wait = next(generator)
            seconds = 0.0 if wait is None else checked_seconds(wait, "yield in a coroutine")
        except StopIteration:
            scope._forget(self)
        except BaseException:
            scope._forget(self)
            generator.close()
            raise
        else:
            if self in (scope._own.undo or ()):
                self._cancel_wait = scope.after(seconds, self._resume)
            else:  # it ended its own life while it ran
                generator.close()

    def _drop(self) -> None:
        if self._cancel_wait is not None:
            self._cancel_wait()
        if not getattr(self._generator, "gi_running", False):
            self._generator.close()


def _no_function(fn: object, what: str) -> TypeError:
    return TypeError(f"{what} takes a function to call, not {fn!r}: leave out the parentheses")
