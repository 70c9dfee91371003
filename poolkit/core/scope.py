"""Scopes: what belongs to one life, and ends with it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from poolkit.core.clock import Clock, Timer, checked_seconds
from poolkit.core.errors import PoolError, collected
from poolkit.core.saving import saved_without

if TYPE_CHECKING:
    from poolkit.core.errors import Errors

Undo = Callable[[], object]
Coroutine = Generator[float | None, Any, object]

_cancel = Timer.cancel  # not bound: that would be one more object a timer
_SHORTEST = 0.001  # seconds between two calls of `every`


class Signal(Protocol):
    """Anything that you can connect a function to, such as blinker's signals."""

    def connect(self, receiver: Callable[..., Any], /) -> object:
        """Begin to call `receiver`."""

    def disconnect(self, receiver: Callable[..., Any], /) -> object:
        """Stop calling `receiver`."""


@dataclass(slots=True, eq=False)
class LifeResources:
    """What the scopes of an instance's lives need; its timers are kept for later lives."""

    clock: Clock
    label: str  # what the instance is called in messages
    timers: list[Timer] = field(default_factory=list)
    free_timers: Timer | None = None  # the first of a list of those that wait for nothing
    scope: Scope | None = None  # of the present life, once it was asked for
    undo: dict[object, Undo] | None = None  # without the timers, whose end runs no code

    def open_scope(self) -> Scope:
        """Return a new scope for the present life."""
        scope = self.scope = Scope()
        scope._resources = self  # faster than by an `__init__`
        return scope

    def another_timer(self) -> Timer:
        """Return a new timer, because all others are waiting."""
        timer = Timer(self)
        self.timers.append(timer)
        return timer

    def add_undo(self, scope: Scope, undo: Undo, key: object) -> None:
        """Have the end of the life call `undo`."""
        if self.scope is not scope:  # connecting a signal, say, has ended the life
            undo()
            return
        if self.undo is None:
            self.undo = {}
        self.undo[key] = undo

    def pop_undo(self, key: object) -> Undo | None:
        """Forget what was kept under a key."""
        return None if self.undo is None else self.undo.pop(key, None)

    def run_undo(self, key: object) -> None:
        """Undo what was kept under a key."""
        undo = self.pop_undo(key)
        if undo is not None:
            undo()

    def close_scope(self, errors: Errors) -> Errors:
        """Close the scope, if the life has one; undo everything, the last thing first.

        Returns:
            What was raised, added to `errors`.
        """
        if self.scope is None:
            return errors
        self.scope = None
        for timer in self.timers:
            if timer.call is not None:  # `Timer.cancel` without the call; most have fired
                timer.schedule_id = 0
                timer.call = None
                timer.next_free, self.free_timers = self.free_timers, timer
        while self.undo:
            undo = self.undo.popitem()[1]
            try:
                undo()
            except BaseException as error:
                errors = collected(errors, error, f"in the scope of {self.label}")
        return errors

    def release_timers(self) -> None:
        """Take the timers off the clock for good."""
        self.clock.forget(self.timers)
        self.timers.clear()
        self.free_timers = None


class Scope:
    """Timers, coroutines, subscriptions and clean-up calls of one life.

    When the life ends, after its `despawned` hooks, everything is undone, the last thing first. A
    scope belongs to one life: after that, it can't be used any more. Every method returns a
    function that undoes that one thing early.
    """

    __slots__ = ("_resources",)

    _resources: LifeResources

    def after(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` once, after `seconds` of `update`; in a timer's call, from when it was due.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is negative or not finite.
        """
        if not callable(fn):  # first: calling kill() by mistake has also ended the life
            raise _no_function(fn, "after()")
        resources = self._resources
        if resources.scope is not self:
            self._check_open()
        if seconds.__class__ is not float or not 0.0 <= seconds < inf:  # else it is valid
            seconds = float(checked_seconds(seconds, "after()"))
        timer = resources.free_timers or resources.another_timer()
        resources.free_timers = timer.next_free
        return partial(_cancel, timer, resources.clock.schedule(timer, seconds, fn))

    def every(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` every `seconds` of `update`, as often in one long frame as in short ones.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is less than a thousandth, or not finite.
        """
        self._check_open()
        checked_seconds(seconds, "every()", least=_SHORTEST)
        if not callable(fn):
            raise _no_function(fn, "every()")
        resources = self._resources
        timer = resources.free_timers or resources.another_timer()
        resources.free_timers = timer.next_free
        return partial(_cancel, timer, resources.clock.schedule(timer, seconds, fn, seconds))

    def tween(
        self,
        seconds: float,
        fn: Callable[[float], object],
        ease: Callable[[float], float] | None = None,
    ) -> Undo:
        """Call `fn` at each `update` with the share of the time that is over, up to exactly 1.0.

        A tween that is shorter than one update calls it once, with 1.0.

        Args:
            seconds: How long it takes.
            fn: What to call: ``lambda done: self.image.set_alpha(round(255 * (1 - done)))``.
            ease: A function that changes that number first, such as those of pytweening.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is negative or not finite.
        """
        self._check_open()
        checked_seconds(seconds, "tween()")
        for function in (fn,) if ease is None else (fn, ease):
            if not callable(function):
                raise _no_function(function, "tween()")
        return _Tween(self, self._resources, seconds, fn, ease).begin()

    def start(self, generator: Coroutine | Callable[[], Coroutine]) -> Undo:
        """Run a coroutine: a generator that yields the seconds it wants to wait.

        It runs at once to its first ``yield``. ``yield 0.5`` waits half a second of `update`, a
        bare ``yield`` waits for the next `update`. ``dt = yield`` gets the seconds since it last
        ran. If it ends its own life, it stops at its next ``yield``.

        Args:
            generator: The generator, as in ``start(self.patrol())``; or the function that returns
                it, as in ``start(self.patrol)``, which may be called again to begin again.

        Raises:
            PoolError: The life is over.
            TypeError: It isn't a generator, or doesn't yield seconds.
        """
        self._check_open()
        function = generator if callable(generator) else None
        made: Any = generator if function is None else function()
        if not isinstance(made, Generator):
            message = (
                f"start() runs a generator, or a function that returns one, not {made!r}: write "
                "a function that yields, as in scope.start(self.patrol)"
            )
            raise TypeError(message)
        return Routine(self, self._resources, made, function).begin()

    def connect(self, signal: Signal, receiver: Callable[..., Any]) -> Undo:
        """Connect `receiver` to `signal` until the life ends.

        Keeps both alive until then, even if the signal holds its receivers weakly. The signal may
        drop the receiver before.

        Raises:
            PoolError: The life is over.
        """
        self._check_open()
        resources, connection = self._resources, Connection(signal, receiver)
        connection.open(resources.clock)
        resources.add_undo(self, partial(connection.close, resources.clock), connection)
        return partial(resources.run_undo, connection)

    def callback(self, fn: Callable[[], object]) -> Undo:
        """Call `fn` when the life ends, unless the function that this returns is called before.

        Raises:
            PoolError: The life is over.
        """
        self._check_open()
        if not callable(fn):
            raise _no_function(fn, "callback()")
        key = object()
        self._resources.add_undo(self, fn, key)
        return partial(self._resources.pop_undo, key)

    def __repr__(self) -> str:
        """Return ``<Scope(orc #0007, 2 to undo)>``."""
        state = "over"
        if self._resources.scope is self:
            calls = [timer.call for timer in self._resources.timers if timer.call is not None]
            waits = sum(
                isinstance(getattr(call, "__self__", None), Routine | _Tween) for call in calls
            )
            state = f"{len(calls) - waits + len(self._resources.undo or ())} to undo"
        return f"<Scope({self._resources.label}, {state})>"

    def _check_open(self) -> None:
        if self._resources.scope is not self:
            message = (
                f"the life of {self._resources.label} that this scope belonged to is over: "
                "take sprite.scope again in spawned()"
            )
            raise PoolError(message)


@dataclass(slots=True, eq=False)
class Connection:
    """A receiver that is connected to a signal until its scope closes."""

    signal: Signal
    receiver: Callable[..., Any]

    def open(self, clock: Clock) -> None:
        """Connect the receiver."""
        self.signal.connect(self.receiver)
        clock.open[self] = None

    def close(self, clock: Clock) -> None:
        """Disconnect the receiver, which the signal may have dropped before."""
        clock.open.pop(self, None)
        with contextlib.suppress(LookupError, ValueError, ReferenceError):
            self.signal.disconnect(self.receiver)


class _Tween:
    """A call at each update, and a timer for the last one."""

    __slots__ = ("_began", "_cancel_end", "_ease", "_fn", "_resources", "_scope", "_seconds")

    def __init__(
        self, scope: Scope, resources: LifeResources, seconds: float, fn: Any, ease: Any
    ) -> None:
        self._scope = scope
        self._resources = resources
        self._began = resources.clock.base
        self._seconds = seconds
        self._fn = fn
        self._ease = ease
        self._cancel_end: Undo = int  # does nothing

    def begin(self) -> Undo:
        self._resources.add_undo(self._scope, self._drop, self)
        self._cancel_end = self._scope.after(self._seconds, self._end)
        self._resources.clock.tick_callbacks[self] = self._call_fn
        return partial(self._resources.run_undo, self)

    def _call_fn(self) -> None:
        passed = self._resources.clock.now - self._began
        if 0 < passed < self._seconds:  # else the timer makes the last call
            done = passed / self._seconds
            self._fn(done if self._ease is None else self._ease(done))

    def _end(self) -> None:
        self._resources.run_undo(self)
        self._fn(1.0 if self._ease is None else self._ease(1.0))

    def _drop(self) -> None:
        self._cancel_end()
        del self._resources.clock.tick_callbacks[self]


@saved_without("_generator")
class Routine:
    """A coroutine and the timer on which it waits; it is over once its scope has dropped it."""

    __slots__ = ("_cancel_wait", "_function", "_generator", "_ran_at", "_resources", "_scope")

    def __init__(
        self,
        scope: Scope,
        resources: LifeResources,
        generator: Coroutine,
        function: Callable[[], Coroutine] | None,
    ) -> None:
        self._scope = scope
        self._resources = resources
        self._generator = generator
        self._function = function  # that returned the generator, to begin it again
        self._ran_at: float | None = None  # the second of the clock, once it has run
        self._cancel_wait: Undo = int  # does nothing

    def begin(self) -> Undo:
        """Run to the first wait."""
        self._resources.add_undo(self._scope, self._drop, self)
        self._resources.clock.open[self] = None
        self._resume()
        return partial(self._resources.run_undo, self)

    # -- for checkpoints ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What it is called in messages: its life, its function and the line where it waits."""
        generator: Any = self._generator
        frame = getattr(generator, "gi_frame", None)
        line = "" if frame is None else f" ({frame.f_code.co_filename}:{frame.f_lineno})"
        return f"{self._resources.label}.{getattr(generator, '__name__', 'coroutine')}{line}"

    @property
    def can_begin_again(self) -> bool:
        """Whether it was started from a function, which may be called again."""
        return self._function is not None

    @property
    def moment(self) -> tuple[object, object]:
        """What is the same objects again as long as it hasn't run on."""
        return self._generator, self._cancel_wait

    def stop(self) -> None:
        """Close its generator, whose `finally` blocks run now."""
        self._generator.close()

    def begin_again(self) -> None:
        """Begin from the top at the next update: it can't be put back where it was."""
        self._cancel_wait()
        self._generator, self._ran_at = self._function(), None  # type: ignore[misc]
        self._cancel_wait = self._scope.after(0.0, self._resume)

    # -- running ------------------------------------------------------------------------------

    def _resume(self) -> None:
        generator, resources = self._generator, self._resources
        self._cancel_wait = int
        try:
            before, now = self._ran_at, resources.clock.base
            self._ran_at = now
            wait = generator.send(None if before is None else now - before)
            if isinstance(wait, Generator):
                wait.close()
                name = getattr(wait, "__name__", "other")
                message = (
                    f"a coroutine of {resources.label} yielded another one: write yield from "
                    f"{name}(), not yield {name}()"
                )
                raise TypeError(message)  # noqa: TRY301 - closes the coroutine, as any error
            seconds = 0.0 if wait is None else checked_seconds(wait, "yield in a coroutine")
        except StopIteration:
            self._forget()
        except BaseException:
            self._forget()
            generator.close()
            raise
        else:
            if self in (resources.undo or ()):
                self._cancel_wait = self._scope.after(seconds, self._resume)
            else:  # it ended its own life while it ran
                generator.close()

    def _forget(self) -> None:
        self._resources.pop_undo(self)
        self._resources.clock.open.pop(self, None)

    def _drop(self) -> None:
        self._resources.clock.open.pop(self, None)
        self._cancel_wait()
        if not getattr(self._generator, "gi_running", False):
            self._generator.close()


def _no_function(fn: object, what: str) -> TypeError:
    return TypeError(f"{what} takes a function to call, not {fn!r}: leave out the parentheses")
