"""``python -m poolkit verdict``: whether pooling pays for the prefabs of a module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from poolkit.core.system import pools
from poolkit.devtools.shell.failure import in_a_line
from poolkit.devtools.shell.modules import named_prefabs
from poolkit.devtools.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.devtools.shell.arguments import Arguments

__all__ = ["run"]


def run(arguments: Arguments) -> int:
    """Print a sentence for each prefab, and the figures behind it; return the exit code.

    Raises:
        ShellError: There is none.
    """
    prefabs = named_prefabs(arguments.target)
    pools.update(0.0)  # as a game does, or timers that wait would be reported
    code = 0
    for name, prefab in prefabs.items():
        try:
            found = verdict(
                prefab,
                data=dict(arguments.data),
                heap=arguments.heap,
                rounds=max(3, arguments.rounds),
                system=pools,  # whom the hooks of a game ask
                progress=_progress(name),
            )
        except Exception as error:
            _clear()
            line = f"poolkit verdict: {name} could not be measured: {in_a_line(error)}"
            print(line, file=sys.stderr)  # noqa: T201 - how a command speaks
            code = 2
        else:
            _clear()
            print(f"{found}\n{found.details}", flush=True)  # noqa: T201
    return code


def _progress(name: str) -> Callable[[float], None]:
    if not sys.stderr.isatty():
        print(f"measuring {name}", file=sys.stderr, flush=True)  # noqa: T201
        return lambda _: None

    def show(share: float) -> None:
        print(f"\rmeasuring {name}: {share:4.0%}", end="", file=sys.stderr, flush=True)  # noqa: T201

    return show


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)  # noqa: T201
