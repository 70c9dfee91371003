"""``python -m poolkit report``: a report or a profile as tables, and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.errors import PoolError
from poolkit.devtools.reports import print_report, read_report, save_picture
from poolkit.devtools.shell.failure import ShellError

if TYPE_CHECKING:
    from poolkit.devtools.shell.arguments import Arguments

__all__ = ["run"]


def run(arguments: Arguments) -> int:
    """Print the tables, save the picture; return the exit code.

    Raises:
        ShellError: The file can't be read, or the picture not be drawn.
    """
    try:
        report = read_report(arguments.file)
        print_report(report)
        if arguments.png is not None:
            save_picture(report, arguments.png)
            print(f"saved {arguments.png}")  # noqa: T201 - how a command speaks
    except PoolError as error:
        raise ShellError(str(error)) from error
    return 0
