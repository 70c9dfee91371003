"""``python -m poolkit demo``: lists the demos, and plays them."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from poolkit.devtools.shell.failure import ShellError, hint_for

if TYPE_CHECKING:
    from poolkit.devtools.shell.arguments import Arguments

__all__ = ["run"]

_PACKAGE = Path(__file__).parents[2]
# In an installed package, and beside it in a checkout.
_PLACES = (_PACKAGE / "_demos" / "demos", _PACKAGE.parent / "demos")


def run(arguments: Arguments) -> int:
    """Play a demo, or list them all; return the exit code.

    Raises:
        ShellError: There is no such demo.
    """
    demos = _demos()
    if arguments.name is None:
        width = max(map(len, demos))
        for name, path in demos.items():
            print(f"{name:<{width}}  {_summary(path)}")  # noqa: T201 - how a command speaks
        return 0
    if arguments.name not in demos:
        message = (
            f"there is no demo {arguments.name!r}: {hint_for(arguments.name, demos, 'the demos')}"
        )
        raise ShellError(message)
    path = demos[arguments.name]
    sys.argv = [str(path), *arguments.options]
    sys.path.insert(0, str(path.parent))
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)  # noqa: T201 - as Python does, if nobody catches it
        return 1
    return 0


def _demos() -> dict[str, Path]:
    for folder in _PLACES:
        if (folder / "shared" / "loop.py").is_file():
            return {path.stem: path for path in sorted(folder.glob("[!_]*.py"))}
    message = "the demos are not installed: get them with the project's source"
    raise ShellError(message)


def _summary(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return text.partition("\n")[0]
