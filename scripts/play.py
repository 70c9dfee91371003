#!/usr/bin/env python3
"""Play a demo by its name, or choose one from a menu; installs what it needs first."""

import subprocess

from environment import ready, run_script


def main(words: list[str]) -> int:
    """Play with the Python of the venv; return the demo's exit code."""
    demo = [] if words and not words[0].startswith("-") else ["browser"]
    return subprocess.call([ready("play"), "-m", "poolkit", "demo", *demo, *words])


if __name__ == "__main__":
    run_script(main)
