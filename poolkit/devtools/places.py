"""Places in the game's code: which line of it asked for a spawn or a despawn."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from poolkit.core.hooks import name_of

if TYPE_CHECKING:
    from types import FrameType


__all__ = ["Place", "is_of_the_game", "is_poolkits", "place_of_caller"]


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the game's code. Its text is one that editors and terminals can follow.

    Attributes:
        file: The file's path.
        line: The line's number.
        function: The function it is in, as ``Orc.hit``.
        timer: What a timer called at that line, which is one that lets time pass; else empty.

    Examples:
        >>> print(Place("monsters.py", 41, "Orc.hit"))
        monsters.py:41 in Orc.hit
        >>> print(Place("main.py", 7, "<module>", "Orc.kill"))
        main.py:7 (where a timer called Orc.kill)
    """

    file: str
    line: int
    function: str
    timer: str = ""

    def __str__(self) -> str:
        """Return ``monsters.py:41 in Orc.hit``, the path as seen from the current directory."""
        text = f"{_shown(self.file)}:{self.line}"
        if self.function != "<module>":
            text += f" in {self.function}"
        return f"{text} (where a timer called {self.timer})" if self.timer else text


def place_of_caller() -> Place | None:
    """Return the innermost line outside poolkit, pygame, pymunk and the standard library.

    Where a timer calls what is no line of the game's, as a sprite's own `kill`, that is said too.
    `None` where there is no such line, as in a thread that runs library code alone.
    """
    timer = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if is_of_the_game(code.co_filename):
            return Place(code.co_filename, frame.f_lineno, code.co_qualname, timer)
        if not timer and code.co_qualname in _TIMED:
            called = frame.f_locals.get(_TIMED[code.co_qualname])
            timer = name_of(called).partition(".<locals>")[0] if called is not None else ""
        frame = frame.f_back
    return None


@functools.cache
def is_of_the_game(file: str) -> bool:
    """Return whether code of `file` belongs neither to poolkit nor to what it is built on."""
    if file.startswith(("<frozen", *_OWN)) or file in _PLUGIN:
        return False
    return not file.startswith(_STANDARD) or any(part in file for part in _INSTALLED)


@functools.cache
def _shown(file: str) -> str:
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def is_poolkits(file: str) -> bool:
    """Return whether code of `file` is poolkit's own."""
    return file.startswith(_OWN[0])


def _folder_of(package: str) -> str:
    spec = importlib.util.find_spec(package)  # which does not import it
    return "" if spec is None or spec.origin is None else str(Path(spec.origin).parent) + os.sep


_OWN = tuple(filter(None, map(_folder_of, ("poolkit", "pygame", "pymunk"))))
_PLUGIN = frozenset(str(Path(folder).parent / "pytest_poolkit.py") for folder in _OWN[:1])
_STANDARD = sysconfig.get_path("stdlib") + os.sep
_INSTALLED = ("site-packages", "dist-packages")

# Where a timer's call is under way, and the local variable that holds what it calls.
_TIMED = {"Clock._make_calls": "call"}
