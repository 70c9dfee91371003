"""``python -m poolkit new``: a small game to begin with, in a folder of its own."""

from __future__ import annotations

import re
import sys
from importlib import metadata, util
from pathlib import Path

_TEMPLATES = Path(__file__).with_name("new_game")
_TEMPLATE_NAME = b"mygame"
_LETTERS = Path(__file__).with_name("letters.ttf")  # the inspector's


def new_game(folder: Path, *, physics: bool = False) -> list[str]:
    """Make a folder with a game that runs, and return the paths of its files within the folder.

    Args:
        folder: What to make. Its name becomes the name of the game.
        physics: Give the sprite a body, in a `PhysicsWorld`.

    Raises:
        FileExistsError: There is such a folder or file already.
        ValueError: The name can't be that of a Python project, or a module or package has it.
    """
    name = folder.resolve().name  # that of "." too
    if not re.fullmatch(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?", name, re.ASCII):
        message = f"{name!r} can't name a game: use letters, digits, and '-', '_' or '.' in between"
        raise ValueError(message)
    if _is_taken(name):
        message = f"{name!r} is the name of a module or package, which the game would hide: "
        raise ValueError(message + "choose another")
    contents: dict[str, bytes] = {"letters.ttf": _LETTERS.read_bytes()}
    for template in ("plain", "physics") if physics else ("plain",):
        root = _TEMPLATES / template
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                contents[path.relative_to(root).as_posix()] = path.read_bytes()
    folder.mkdir(parents=True)
    for place, content in contents.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.replace(_TEMPLATE_NAME, name.encode()))
    return list(contents)


def _is_taken(name: str) -> bool:
    """Return whether Python or pip knows something by that name; plain folders don't count."""
    module = name.replace("-", "_")
    if module in sys.stdlib_module_names:
        return True
    if module.isidentifier() and (spec := util.find_spec(module)) and spec.origin:
        return True
    return any(True for _ in metadata.distributions(name=name))
