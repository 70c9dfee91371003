"""What belongs to one life, and ends with it."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Generator
from typing import Any, Protocol

from poolkit.core.clock import Clock, checked_seconds
from poolkit.core.errors import PoolError

__all__ = ["Scope", "Signal"]

Undo = Callable[[], object]
Coroutine = Generator[float | None, None, object]


class Signal(Protocol):
    """Anything that can be listened to, as blinker's signals."""

    def connect(self, receiver: Callable[..., Any], /) -> object:
        """Begin to call `receiver`."""

    def disconnect(self, receiver: Callable[..., Any], /) -> object:
        """Stop calling `receiver`."""


class Scope:
    """Clock, coroutines, subscriptions and clean-up calls of one life.

    All are undone, the last one first, when the life ends, after its `despawned` hooks. A scope
    is of one life alone: kept beyond it, it refuses to be used, so nothing of an old life can
    touch the next one. Every method returns a function that undoes that one thing early.
    """

    __slots__ = ("_label", "_timers", "_undo")

    def __init__(self, timers: Clock, label: str) -> None:
        """Open the scope of the life called `label`."""
        self._timers: Clock | None = timers
        self._label = label
        self._undo: dict[object, Undo] = {}

    def after(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` once, `seconds` of `update` from now.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is negative or not finite.
        """
        timers = self._open()
        checked_seconds(seconds, "after()")
        _check_callable(fn, "after()")
        key = object()

        def fire() -> None:
            self._undo.pop(key, None)
            fn()

        return self._keep(key, timers.call_after(seconds, fire).cancel)

    def every(self, seconds: float, fn: Callable[[], object]) -> Undo:
        """Call `fn` every `seconds` of `update`, for the first time `seconds` from now.

        After a long frame it is called as often as it would have been in short ones.

        Raises:
            PoolError: The life is over.
            ValueError: `seconds` is not above 0, or not finite.
        """
        timers = self._open()
        checked_seconds(seconds, "every()", zero=False)
        _check_callable(fn, "every()")
        timer = timers.call_after(seconds, fn, every=seconds)
        return self._keep(object(), timer.cancel)

    def start(self, generator: Coroutine) -> Undo:
        """Run a coroutine: a generator that yields the seconds it wants to wait.

        It runs at once to its first ``yield``; ``yield 0.5`` waits half a second of `update`, a
        bare ``yield`` until the next `update`. One that ends its own life is dropped at its next
        ``yield`` (a generator can't be closed while it runs).

        Raises:
            PoolError: The life is over.
            TypeError: It is no generator, or yields something else than seconds.
        """
        timers = self._open()
        if not isinstance(generator, Generator):
            message = (
                f"start() runs a generator, not {generator!r}: call the function that yields, "
                "as in scope.start(self.patrol())"
            )
            raise TypeError(message)
        return _Routine(self, timers, generator).begin()

    def connect(self, signal: Signal, receiver: Callable[..., Any]) -> Undo:
        """Connect `receiver` to `signal` until the life ends.

        The receiver is kept alive meanwhile, also where the signal holds it weakly. A signal that
        is gone by then, or has dropped its receivers, does no harm.

        Raises:
            PoolError: The life is over.
        """
        self._open()
        signal.connect(receiver)
        try:
            signal_now: Callable[[], Signal | None] = weakref.ref(signal)
        except TypeError:  # not weakly referencable, as a class with __slots__

            def signal_now() -> Signal | None:
                return signal

        def disconnect() -> None:
            there = signal_now()
            if there is not None:
                # The bus may have been emptied before this life ended: nothing is left to undo.
                with contextlib.suppress(LookupError, ValueError, ReferenceError):
                    there.disconnect(receiver)

        return self._keep(object(), disconnect)

    def callback(self, fn: Callable[[], object]) -> Undo:
        """Call `fn` when the life ends; the function returned forgets it instead.

        Raises:
            PoolError: The life is over.
        """
        self._open()
        _check_callable(fn, "callback()")
        key = object()
        self._undo[key] = fn

        def forget() -> None:
            self._undo.pop(key, None)

        return forget

    def close(self) -> list[BaseException]:
        """Undo everything, the last thing first; return what that raised.

        It is closed before: the undoing can't begin anything new.
        """
        self._timers = None
        errors: list[BaseException] = []
        while self._undo:
            _, undo = self._undo.popitem()
            try:
                undo()
            except BaseException as error:
                errors.append(error)
        return errors

    def __repr__(self) -> str:
        """Return ``<Scope(orc #0007, 2 to undo)>``."""
        state = f"{len(self._undo)} to undo" if self._timers is not None else "over"
        return f"<Scope({self._label}, {state})>"

    def _open(self) -> Clock:
        if self._timers is None:
            message = (
                f"the life of {self._label} that this scope belonged to is over: "
                "take sprite.scope anew in spawned()"
            )
            raise PoolError(message)
        return self._timers

    def _keep(self, key: object, undo: Undo) -> Undo:
        self._undo[key] = undo

        def undo_early() -> None:
            if self._undo.pop(key, None) is not None:
                undo()

        return undo_early


class _Routine:
    """A coroutine and the timer on which it waits."""

    __slots__ = ("_cancel_wait", "_generator", "_is_over", "_scope", "_timers")

    def __init__(self, scope: Scope, timers: Clock, generator: Coroutine) -> None:
        self._scope = scope
        self._timers = timers
        self._generator = generator
        self._is_over = False
        self._cancel_wait: Undo | None = None

    def begin(self) -> Undo:
        undo = self._scope._keep(self, self._drop)
        self._resume()
        return undo

    def _resume(self) -> None:
        generator = self._generator
        self._cancel_wait = None
        try:
            wait = next(generator)
            seconds = 0.0 if wait is None else checked_seconds(wait, "yield in a coroutine")
        except StopIteration:
            self._forget()
        except BaseException:
            self._forget()
            generator.close()
            raise
        else:
            if self._is_over:  # it ended its own life while it ran
                generator.close()
            else:
                self._cancel_wait = self._timers.call_after(seconds, self._resume).cancel

    def _forget(self) -> None:
        self._is_over = True
        self._scope._undo.pop(self, None)

    def _drop(self) -> None:
        self._is_over = True
        if self._cancel_wait is not None:
            self._cancel_wait()
        if not getattr(self._generator, "gi_running", False):
            self._generator.close()


def _check_callable(fn: object, what: str) -> None:
    if not callable(fn):
        message = f"{what} takes a function to call, not {fn!r}: leave out the parentheses"
        raise TypeError(message)
