"""The words of the command line, and the help on them."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Arguments", "parse"]

_PROGRAM = "python -m poolkit"
_TARGET = (
    "a module by its dotted name or its file; after a colon one prefab of it, by its variable, "
    "its name, or its class"
)


class Arguments(argparse.Namespace):
    """What was asked for."""

    command: str
    target: str
    data: list[tuple[str, Any]]
    seconds: float
    ignore: list[str]
    lint: bool
    heap: int
    rounds: int
    file: Path
    png: Path | None
    name: str | None
    options: list[str]


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are a line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def parse(arguments: Sequence[str] | None) -> Arguments:
    """Read the command line.

    Raises:
        SystemExit: Help was asked for, or the words make no sense.
    """
    parser = _Parser(
        prog=_PROGRAM,
        description="Tools for games that pool their sprites with poolkit.",
        epilog=f"example: {_PROGRAM} verdict game.monsters:orc --heap 300000",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, summary: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=f"example: {_PROGRAM} {name} {example}",
        )

    audit = add(
        "audit",
        "find what one life of a prefab leaves to the next",
        "game.monsters:orc --data level=3",
    )
    _add_target(audit)
    audit.add_argument(
        "--seconds", type=_seconds, default=3.0, metavar="S", help="how long it lives (default: 3)"
    )
    audit.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PATH",
        help="an attribute that is kept from life to life, as health.best; may be given again",
    )
    audit.add_argument(
        "--lint", action="store_true", help="look through the source of its classes as well"
    )
    audit.epilog = f"{audit.epilog}\nexit code: 0 clean, 1 leaks, 2 could not run"
    audit.formatter_class = argparse.RawDescriptionHelpFormatter

    verdict = add(
        "verdict",
        "measure whether pooling pays for a prefab, on this machine",
        "game/monsters.py:orc --heap 300000",
    )
    _add_target(verdict)
    verdict.add_argument(
        "--heap",
        type=_count,
        default=100_000,
        metavar="N",
        help="how many other objects are alive, as in your game (default: 100000)",
    )
    verdict.add_argument(
        "--rounds",
        type=_count,
        default=60,
        metavar="N",
        help="how often to measure, at least 3 times (default: 60)",
    )

    report = add("report", "show a report or a capacity profile", "profile.toml --png profile.png")
    report.add_argument(
        "file", type=Path, metavar="FILE", help="what report.to_json() or record_profile() wrote"
    )
    report.add_argument(
        "--png", type=Path, metavar="OUT", help="draw it as well; matplotlib must be installed"
    )

    demo = add("demo", "play a demo, or list the demos", "monsters --frames 300")
    demo.add_argument("name", nargs="?", metavar="NAME", help="which; without it they are listed")
    demo.add_argument(
        "options", nargs=argparse.REMAINDER, metavar="...", help="for the demo, as --help"
    )
    return parser.parse_args(arguments, namespace=Arguments())


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="MODULE[:PREFAB]", help=_TARGET)
    parser.add_argument(
        "--data",
        action="append",
        type=_assignment,
        default=[],
        metavar="NAME=VALUE",
        help="data that its spawned hooks require, as velocity=(3,0); may be given again",
    )


def _assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        message = f"{text!r} is not of the form NAME=VALUE, as velocity=(3,0)"
        raise argparse.ArgumentTypeError(message)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value  # a text needs no quotation marks


def _count(text: str) -> int:
    try:
        count = int(text.replace("_", "").replace(",", ""))
    except ValueError:
        count = -1
    if count < 0:
        message = f"{text!r} is no whole number of 0 or more"
        raise argparse.ArgumentTypeError(message)
    return count


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        message = f"{text!r} is no number of seconds above 0"
        raise argparse.ArgumentTypeError(message)
    return seconds
