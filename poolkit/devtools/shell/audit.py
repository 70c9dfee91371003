"""``python -m poolkit audit``: what the prefabs of a module leave from one life to the next."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from poolkit.devtools.audit import audit
from poolkit.devtools.shell.failure import in_a_line
from poolkit.devtools.shell.modules import named_prefabs

if TYPE_CHECKING:
    from poolkit.devtools.shell.arguments import Arguments

__all__ = ["run"]

_CLEAN, _LEAKS, _FAILED = 0, 1, 2


def run(arguments: Arguments) -> int:
    """Print the report on each prefab; return the exit code.

    Raises:
        ShellError: There is none.
    """
    codes = [_CLEAN]
    for name, prefab in named_prefabs(arguments.target).items():
        try:
            codes.append(_audit(prefab, arguments))
            if arguments.lint:
                codes.append(_lint(prefab))
        except BrokenPipeError:
            raise  # nobody reads any more: that is not the prefab's fault
        except Exception as error:
            print(f"poolkit audit: {name} could not run: {in_a_line(error)}", file=sys.stderr)  # noqa: T201
            codes.append(_FAILED)
    return max(codes)


def _audit(prefab: Any, arguments: Arguments) -> int:
    data = dict(arguments.data)
    report = audit(prefab, data=data, seconds=arguments.seconds, ignore=arguments.ignore)
    print(report, flush=True)  # noqa: T201 - how a command speaks
    return _CLEAN if report.ok else _LEAKS


def _lint(prefab: Any) -> int:
    from poolkit.devtools.lint import lint  # noqa: PLC0415 - only where it is asked for

    report = lint(prefab)
    print(report, flush=True)  # noqa: T201 - how a command speaks
    return _CLEAN if report.ok else _LEAKS
