"""What a user of the command line did wrong, in a line."""

from __future__ import annotations

import difflib
import importlib
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ShellError", "hint_for", "in_a_line"]


class ShellError(Exception):
    """Something that was asked for can't be done; the message says why, in a line."""


def hint_for(name: str, known: Iterable[str], what: str) -> str:
    """Return a did-you-mean, or which names there are."""
    names = list(dict.fromkeys(known))
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"{what} are {', '.join(names)}" if names else f"{what}: none"


def in_a_line(error: BaseException) -> str:
    """Return an exception as a line, with the place in the game's code that it came from."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    said = f"{name}: {text}" if text else name
    others = str(Path(__file__).parents[2]), str(Path(importlib.__file__).parent), "<"
    places = [
        f"{said} ({Path(frame.filename).name}:{frame.lineno})"
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(others)
    ]
    return places[-1] if places else said
