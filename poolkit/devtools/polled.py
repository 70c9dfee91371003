"""Records and replays polled input: `pygame.key.get_pressed` and `pygame.mouse`.

The functions of `pygame.key` and `pygame.mouse` are replaced while it runs, so a game must call
them through their modules: ``from pygame.key import get_pressed`` is not seen.
"""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.devtools.tape_file import encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_KEYS = sorted({getattr(pygame, name) for name in dir(pygame) if name.startswith("K_")})
_NAMES = (
    *("key.get_pressed", "key.get_just_pressed", "key.get_just_released"),
    *("key.get_mods", "key.get_focused"),
    *("mouse.get_pos", "mouse.get_rel", "mouse.get_pressed", "mouse.get_focused"),
    *("mouse.get_just_pressed", "mouse.get_just_released", "mouse.get_visible"),
)

Answers = dict[str, list[Any]]
"""What functions answered in a frame, by their names; the last answer may have been repeated."""


@contextlib.contextmanager
def asked_first(ask: Callable[..., Any]) -> Iterator[None]:
    """Replace these functions by `ask`, which gets the name, the function and its arguments."""
    with contextlib.ExitStack() as undo:
        for full_name in _NAMES:
            module_name, name = full_name.split(".")
            module = getattr(pygame, module_name)
            function = getattr(module, name, None)
            if function is not None:  # an older pygame-ce has fewer
                undo.callback(setattr, module, name, function)
                setattr(module, name, partial(ask, full_name, function))
        yield


class PolledNotes:
    """Notes what the functions answer, frame by frame, where it has changed."""

    def __init__(self) -> None:
        self._now: Answers = {}
        self._last: Answers = {}

    def ask(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Note what the function answers."""
        answer = function(*args, **kwargs)
        self._now.setdefault(name, []).append(_noted(answer))
        return answer

    def take(self) -> Answers:
        """Return what the functions answered since the last call, if it is new."""
        now, self._now = self._now, {}
        for answers in now.values():
            while len(answers) > 1 and answers[-1] == answers[-2]:
                answers.pop()
        new = {name: a for name, a in now.items() if a != self._last.get(name)}
        self._last |= new
        return new


class PolledAnswers:
    """Answers what was noted."""

    def __init__(self) -> None:
        self._noted: Answers = {}
        self._left: Answers = {}

    def begin(self, entry: Mapping[str, Any]) -> None:
        """Answer what an entry of the recording has, or else the same as before."""
        self._noted |= entry.get("p", {})
        self._left = {name: list(answers) for name, answers in self._noted.items()}

    def ask(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what the function answered then."""
        left = self._left.get(name)
        if not left:
            return function(*args, **kwargs)
        return left.pop(0) if len(left) > 1 else left[0]


def _noted(answer: Any) -> Any:
    if isinstance(answer, bool | int | None) or type(answer) is tuple:
        return encoded(answer)
    return {"keys": [key for key in _KEYS if answer[key]]}
