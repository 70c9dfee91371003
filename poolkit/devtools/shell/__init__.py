"""The command line: ``python -m poolkit``."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import TYPE_CHECKING

from poolkit.devtools.shell.arguments import parse
from poolkit.devtools.shell.failure import ShellError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

_FAILED, _INTERRUPTED, _UNREAD = 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says, and return the exit code.

    Args:
        arguments: The words after ``python -m poolkit``; default: those of this process.

    Returns:
        0; 1 if an audit found leaks; 2 if something could not be done, which a line on the
        standard error says. After Ctrl-C 130, and 141 if nobody read to the end.

    Raises:
        SystemExit: Help was asked for, or the words make no sense.
    """
    chosen = parse(arguments)
    # Only the tool that is asked for is loaded.
    tool = importlib.import_module(f"poolkit.devtools.shell.{chosen.command}")
    run: Callable[..., int] = tool.run
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that this terminal has no letters for
    try:
        code = run(chosen)
        sys.stdout.flush()
    except ShellError as error:
        print(f"poolkit {chosen.command}: {error}", file=sys.stderr)  # noqa: T201
        return _FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever reads has enough, as `head` does; what is not written yet shall not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _UNREAD
    return code
