"""Notices a module that plays its game while it is imported: it would never come back."""

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
def no_loops() -> Iterator[None]:
    """Raise `LoopStartedError` where a game's loop would begin."""
    guards = [_Guard(getattr(module, name)) for module, name in _CALLED_IN_LOOPS]
    for (module, name), guard in zip(_CALLED_IN_LOOPS, guards, strict=True):
        setattr(module, name, guard)
    try:
        yield
    finally:
        for (module, name), guard in zip(_CALLED_IN_LOOPS, guards, strict=True):
            setattr(module, name, guard.function)
            guard.is_on = False  # the module may have kept it under a name of its own


class _Guard:
    """Stands for one of pygame's functions."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.is_on = True
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_on:
            caller = sys._getframe(1)
            place = f"{Path(caller.f_code.co_filename).name}:{caller.f_lineno}"
            message = f"{self.function.__name__}() is called at {place}"
            raise LoopStartedError(message)
        return self.function(*args, **kwargs)
