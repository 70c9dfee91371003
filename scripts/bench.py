#!/usr/bin/env python3
"""Measure poolkit against other ways of doing the same, with everything it needs made ready."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
from pathlib import Path

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to measure at once
BENCHMARKS = {
    "lives": "what a life costs, of fifteen kinds, and what 100,000 leave behind (two minutes)",
    "games": "whole frames of three small games (two minutes)",
    "churn": "frames in which 100 physics sprites come and go, in a large heap (two minutes)",
    "frame": "5,000 bodies onto the screen",
    "scale": "lives by the number of instances and of pools",
}


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.py",
        description="Measure poolkit against other ways of doing the same, in one run.",
        epilog="example: python3 scripts/bench.py churn --json churn.json --plot churn.png",
    )
    listed = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser.add_argument("benchmark", choices=[*BENCHMARKS, "all"], help=f"{listed}; all: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples there too")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw them there, as PNG")
    parser.add_argument("--quick", action="store_true", help="much smaller, just to try it")
    return parser.parse_args(arguments)


def measure(arguments: list[str]) -> int:
    """Run benchmarks in this very process."""
    options = options_of(arguments)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    part = 0.01 if options.quick else 1.0
    found = importlib.import_module("benchmarks.report").Report(part)
    for name in BENCHMARKS if options.benchmark == "all" else [options.benchmark]:
        found.begin(name)
        importlib.import_module(f"benchmarks.{name}").run(found)
        found.judge()
    if options.json is not None:
        turns = {name: dict(contest.turns) for name, contest in found.contests.items()}
        options.json.write_text(json.dumps(turns), encoding="utf-8")
    if options.plot is not None:
        found.draw(options.plot)
    return 0


def main(arguments: list[str]) -> int:
    """Make the venv ready, and measure with its Python."""
    if arguments[:1] == [INSIDE]:
        return measure(arguments[1:])
    options_of(arguments)  # a slip is told before anything is installed
    python = environment.ready("bench")
    return subprocess.call([python, Path(__file__).resolve(), INSIDE, *arguments])


if __name__ == "__main__":
    environment.run_script(main)
