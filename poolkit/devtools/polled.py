"""Records and repeats what a game asks of keys and mouse besides events.

The functions of `pygame.key` and `pygame.mouse` are replaced while it runs, so a game must call
them through their modules: ``from pygame.key import get_pressed`` is not seen.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Answers = dict[str, list[Any]]
"""What functions answered in a frame, by their names: a single answer if they were all alike."""

_KEYS = sorted({getattr(pygame, name) for name in dir(pygame) if name.startswith("K_")})
_NAMES = (
    *("key.get_pressed", "key.get_just_pressed", "key.get_just_released"),
    *("key.get_mods", "key.get_focused"),
    *("mouse.get_pos", "mouse.get_rel", "mouse.get_pressed", "mouse.get_focused"),
    *("mouse.get_just_pressed", "mouse.get_just_released", "mouse.get_visible"),
)


class Keys:
    """Which keys were pressed, by `pygame.K_...`, as in what pygame returns."""

    def __init__(self, pressed: list[int]) -> None:
        self._pressed = frozenset(pressed)

    def __getitem__(self, key: int) -> bool:
        return key in self._pressed


def _encoded(answer: Any) -> Any:
    if isinstance(answer, bool | int | None):
        return answer
    if isinstance(answer, tuple) and type(answer).__module__ == "builtins":
        return list(answer)
    return {"keys": [key for key in _KEYS if answer[key]]}


def _decoded(answer: Any) -> Any:
    if isinstance(answer, dict):
        return Keys(answer["keys"])
    return tuple(answer) if isinstance(answer, list) else answer


class _Polled:
    """Replaces all these functions while a game is recorded or replayed."""

    def _ask(self, name: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        raise NotImplementedError

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Replace the functions."""
        with contextlib.ExitStack() as undo:
            for full_name in _NAMES:
                module_name, name = full_name.split(".")
                module = getattr(pygame, module_name)
                function = getattr(module, name, None)
                if function is not None:  # an older pygame-ce has fewer
                    undo.callback(setattr, module, name, function)
                    setattr(module, name, self._stand_in(full_name, function))
            yield

    def _stand_in(self, full_name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*given: Any, **named: Any) -> Any:
            if named or (given and full_name != "mouse.get_pressed"):
                return function(*given, **named)  # which refuses it
            return self._ask(full_name, function, given)

        return answer


class PolledNotes(_Polled):
    """Notes what the functions answer, frame by frame, where it has changed."""

    def __init__(self) -> None:
        self._now: Answers = {}
        self._last: dict[str, Any] = {}

    def _ask(self, name: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        answer = function(*given)
        self._now.setdefault(name, []).append(_encoded(answer))
        return answer

    def take(self) -> Answers:
        """Return what the functions answered since the last call, if it is new."""
        found: Answers = {}
        for name, answers in self._now.items():
            is_steady = all(each == answers[0] for each in answers)
            if not (is_steady and answers[0] == self._last.get(name, self)):
                found[name] = answers[:1] if is_steady else answers
            self._last[name] = answers[0] if is_steady else None
        self._now = {}
        return found


class PolledAnswers(_Polled):
    """Answers what was noted."""

    def __init__(self) -> None:
        self._answers: Answers = {}

    def begin(self, noted: Answers) -> None:
        """Answer as in that frame from now on."""
        steady = {name: answers[-1:] for name, answers in self._answers.items()}
        self._answers = steady | {name: list(answers) for name, answers in noted.items()}

    def _ask(self, name: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        answers = self._answers.get(name)
        if not answers:
            return function(*given)
        return _decoded(answers.pop(0) if len(answers) > 1 else answers[0])
