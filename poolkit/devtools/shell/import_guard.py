"""Notices a module that plays its game while it is imported, and so would never come back."""

from __future__ import annotations

import contextlib
import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["LoopStartedError", "no_loops"]

_CALLED_IN_LOOPS = (
    (pygame.display, "flip"),
    (pygame.display, "update"),
    (pygame.event, "get"),
    (pygame.event, "poll"),
    (pygame.event, "wait"),
)


class LoopStartedError(BaseException):
    """A loop was begun; no `Exception`, for games catch these in their loops."""


@contextlib.contextmanager
def no_loops() -> Iterator[list[str]]:
    """Raise `LoopStartedError` where a game's loop would begin; list where windows are opened."""
    windows: list[str] = []

    def refuse(name: str, place: str) -> None:
        message = f"{name}() is called at {place}"
        raise LoopStartedError(message)

    def note(_: str, place: str) -> None:
        windows.append(place)

    guards = {each: _Guard(getattr(*each), refuse) for each in _CALLED_IN_LOOPS}
    opening = pygame.display, "set_mode"
    guards[opening] = _Guard(getattr(*opening), note)
    for each, guard in guards.items():
        setattr(*each, guard)
    try:
        yield windows
    finally:
        for each, guard in guards.items():
            setattr(*each, guard.function)
            guard.tell = None  # the module may have kept it under a name of its own


class _Guard:
    """Stands for one of pygame's functions, and tells where it is called."""

    def __init__(
        self, function: Callable[..., Any], tell: Callable[[str, str], None] | None
    ) -> None:
        self.function = function
        self.tell = tell
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.tell is not None:
            caller = sys._getframe(1)
            place = f"{Path(caller.f_code.co_filename).name}:{caller.f_lineno}"
            self.tell(self.function.__name__, place)
        return self.function(*args, **kwargs)
