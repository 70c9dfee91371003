#!/usr/bin/env python3
"""Play a demo, with everything it needs made ready first."""

from __future__ import annotations

import difflib
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import environment

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT = "monsters"
INSIDE = "--inside-venv"  # how this script tells its second self to play at once
HELP = """usage: play.py [demo] [options of the demo ...]

Plays one of the demos: {demos}. Without a name it plays {default}.
"""


def demos(root: Path = environment.ROOT) -> list[str]:
    """List the names of all demos."""
    return sorted(path.stem for path in (root / "demos").glob("[!_]*.py"))


def choose(arguments: Sequence[str], known: Sequence[str]) -> tuple[str, list[str]]:
    """Split the command line into the demo and the options that go to it."""
    name, options = DEFAULT, list(arguments)
    if options and not options[0].startswith("-"):
        name = options.pop(0)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" - did you mean {near[0]}?" if near else ""
        listed = ", ".join(known) or "none"
        message = f"unknown demo {name!r}{hint} (the demos: {listed})"
        raise environment.SetupError(message)
    return name, options


def perform(demo: str, options: Sequence[str]) -> int:
    """Run a demo in this very process, as `python demo options` would."""
    sys.argv = [demo, *options]
    sys.path[0] = str(Path(demo).parent)
    try:
        runpy.run_path(demo, run_name="__main__")
    except KeyboardInterrupt:
        return 130
    return 0


def main(arguments: list[str]) -> int:
    """Make the venv ready, run the demo with its Python and give the demo's exit code."""
    if arguments[:1] == [INSIDE]:
        return perform(arguments[1], arguments[2:])
    known = demos()
    if arguments[:1] in (["-h"], ["--help"]):
        print(HELP.format(demos=", ".join(known) or "none", default=DEFAULT), end="")
        return 0
    name, options = choose(arguments, known)
    python = environment.Environment().ready()
    demo = environment.ROOT / "demos" / f"{name}.py"
    # A second self, not the demo itself: so Ctrl-C leaves no traceback whatever the demo does.
    return environment.call([python, Path(__file__).resolve(), INSIDE, demo, *options])


if __name__ == "__main__":
    environment.run_script(main)
