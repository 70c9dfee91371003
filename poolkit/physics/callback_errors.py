"""What callbacks of pymunk raise during a step, which C code in between swallows."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["divert", "give_back"]

_CALLBACKS = "pymunk._callbacks"  # every function of pymunk's that C calls is in there


class _Receivers:
    """Who receives errors, by thread; and the hook of the game's, or of a tool's, behind it."""

    def __init__(self) -> None:
        self._by_thread: dict[int, list[BaseException]] = {}
        self._lock = threading.Lock()
        self._former: Callable[[sys.UnraisableHookArgs], object] = sys.__unraisablehook__

    def divert(self, errors: list[BaseException]) -> list[BaseException] | None:
        thread = threading.get_ident()
        with self._lock:
            before = self._by_thread.get(thread)
            self._by_thread[thread] = errors
            if sys.unraisablehook != self._receive:
                self._former = sys.unraisablehook
                sys.unraisablehook = self._receive
        return before

    def give_back(self, before: list[BaseException] | None) -> None:
        thread = threading.get_ident()
        with self._lock:
            if before is not None:
                self._by_thread[thread] = before
                return
            del self._by_thread[thread]
            if not self._by_thread and sys.unraisablehook == self._receive:
                sys.unraisablehook = self._former

    def _receive(self, args: sys.UnraisableHookArgs) -> None:
        errors = self._by_thread.get(threading.get_ident())
        trace, error = args.exc_traceback, args.exc_value
        if errors is None or error is None or trace is None:
            self._former(args)
        elif trace.tb_frame.f_globals.get("__name__") == _CALLBACKS:
            errors.append(error)
        else:
            self._former(args)


_receivers = _Receivers()


def divert(errors: list[BaseException]) -> list[BaseException] | None:
    """Add to `errors`, from now on, what callbacks in this thread raise.

    Python hands it to `sys.unraisablehook`, for C can't pass it on: `velocity_func`, callbacks of
    joints, collision callbacks that were registered with the space itself, and what interrupts
    one of them from the keyboard. Everything else goes where it went before.

    Returns:
        What received them so far: give it to `give_back` when the step is over.
    """
    return _receivers.divert(errors)


def give_back(before: list[BaseException] | None) -> None:
    """End what `divert` began."""
    _receivers.give_back(before)
