#!/usr/bin/env python3
"""Play a demo by its name, or choose one from a menu; installs what it needs first."""

import subprocess

from environment import ROOT, ready, run_script

HELP = """\
usage: play.py [DEMO] [OPTION ...]

{what}

demos: {demos} (the menu)
options of all demos: --headless, --frames N, --seed N
example: python3 scripts/play.py rabbits --seed 3"""


def main(words: list[str]) -> int:
    """Play with the Python of the venv; return the demo's exit code."""
    if words and words[0] in {"-h", "--help"}:  # asked before anything is installed
        demos = {path.stem for path in (ROOT / "demos").glob("*.py")}
        demos |= {path.parent.name for path in (ROOT / "demos").glob("*/__main__.py")}
        print(HELP.format(what=__doc__, demos=", ".join(sorted(demos))))
        return 0
    demo = [] if words and not words[0].startswith("-") else ["browser"]
    return subprocess.call([ready("play"), "-m", "poolkit", "demo", *demo, *words])


if __name__ == "__main__":
    run_script(main)
