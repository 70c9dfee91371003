#!/usr/bin/env python3
"""Measure poolkit against other ways of doing the same, with everything it needs made ready."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
from pathlib import Path

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to measure at once
BENCHMARKS = {
    "lives": "what a life costs, of fifteen kinds, and what 100,000 leave behind (a minute)",
    "scale": "lives by the number of instances and of pools (a minute)",
    "mixed": "lives of eight kinds in turn, beside pools by hand (half a minute)",
    "options": "what each option adds to a life (half a minute)",
    "building": "what prespawn adds to the constructor (seconds)",
    "games": "whole frames of three small games (some minutes)",
    "alive": "frames of 1,000 sprites that move, are animated, follow others (a minute)",
    "survivors": "a whole frame of a game with swarms, parts, animations, texts (half a minute)",
    "content": "prefabs from files: a level of 500 objects, a book of 100 (seconds)",
    "swarms": "lives as arrays, beside numpy by hand, pooled sprites and objects (two minutes)",
    "checkpoints": "a checkpoint taken and restored, beside copies by hand (half a minute)",
    "churn": "frames in which 100 physics sprites come and go, in a large heap (some minutes)",
    "frame": "5,000 bodies onto the screen (a minute)",
    "inspector": "what the overlay adds to a frame (seconds)",
    "recording": "what a recording adds to a frame (seconds)",
}
FRAMES = "games", "churn", "frame", "inspector", "recording"  # that one module has


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.py",
        description="Measure poolkit against other ways of doing the same, in one run. "
        "Exit code: 1 if a figure misses its bar (never with --quick, which measures too little).",
        epilog="example: python3 scripts/bench.py churn --plot churn.png",
    )
    listed = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    names = [*BENCHMARKS, "all"]
    parser.add_argument("benchmarks", nargs="+", choices=names, help=f"{listed}; all: all")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw all samples, as PNG")
    parser.add_argument("--quick", action="store_true", help="much smaller, just to try it")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Measure, or make the venv ready and have its Python measure."""
    if arguments[:1] != [INSIDE]:
        options_of(arguments)  # a slip is told before anything is installed
        python = environment.ready("bench")
        return subprocess.call([python, Path(__file__).resolve(), INSIDE, *arguments])
    options = options_of(arguments[1:])
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    report = importlib.import_module("benchmarks.report")
    found: dict[str, dict[str, list[list[float]]]] = {}
    size = (lambda whole: max(1, whole // 100)) if options.quick else int
    for name in BENCHMARKS if "all" in options.benchmarks else options.benchmarks:
        report.begin(name)
        module = "lives" if name == "scale" else "frames" if name in FRAMES else name
        for contest in getattr(importlib.import_module(f"benchmarks.{module}"), name)(size):
            contest.run(size)
            report.tell(contest)
            found[contest.name] = contest.taken
    report.tell_missed()
    if options.plot is not None:
        report.draw(found, options.plot)
    return int(bool(report.missed) and not options.quick)


if __name__ == "__main__":
    environment.run_script(main)
