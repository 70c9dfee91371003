"""Python in a process of its own, which finds the same modules as this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["output_of"]


def output_of(*arguments: str, **surroundings: str | None) -> str:
    """Run Python with `arguments` and return what it printed.

    Args:
        *arguments: What follows the name of the interpreter.
        **surroundings: Environment variables to set, or with `None` to take away.

    Raises:
        subprocess.CalledProcessError: It failed; what it said of that is on stderr.
    """
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(p).resolve()) for p in sys.path)}
    found["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    for name, value in surroundings.items():
        found.pop(name, None)
        if value is not None:
            found[name] = value
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=found, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout
