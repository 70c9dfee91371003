#!/usr/bin/env python3
"""Measure poolkit against other ways of doing the same, with everything it needs made ready."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to measure at once
BENCHMARKS = {
    "lives": "what a life costs, of fifteen kinds, and what 100,000 leave behind (two minutes)",
    "games": "whole frames of three small games (two minutes)",
    "churn": "frames in which 100 physics sprites come and go, in a large heap (two minutes)",
    "frame": "5,000 bodies onto the screen",
    "scale": "lives by the number of instances and of pools",
    "policies": "what each policy costs, up to a million objects (some minutes)",
    "import": "what importing poolkit costs",
}
MODULES = {"import": "importing"}  # where the benchmark's name can't be a module's
PLOTTED = ("games", "churn", "scale")


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="bench.py",
        description="Measure poolkit against other ways of doing the same, in one run.",
        epilog="example: python3 scripts/bench.py churn --json churn.json --plot churn.png",
    )
    listed = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser.add_argument("benchmark", choices=[*BENCHMARKS, "all"], help=f"{listed}; all: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    plot = f"draw the figures there, as PNG ({', '.join(PLOTTED)})"
    parser.add_argument("--plot", type=Path, metavar="FILE", help=plot)
    parser.add_argument("--quick", action="store_true", help="much smaller, just to try it")
    options = parser.parse_args(arguments)
    if options.plot is not None and options.benchmark not in PLOTTED:
        parser.error(f"--plot is for {', '.join(PLOTTED)}")
    return options


def measure(arguments: list[str]) -> int:
    """Run benchmarks in this very process."""
    options = options_of(arguments)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    interpreter = importlib.import_module("benchmarks.report").interpreter()
    chosen = [*BENCHMARKS] if options.benchmark == "all" else [options.benchmark]
    everything: dict[str, Any] = {}
    for name in chosen:
        benchmark = importlib.import_module(f"benchmarks.{MODULES.get(name, name)}")
        found = benchmark.run(**(benchmark.QUICK if options.quick else {}))
        held = [verdict.as_figures() for verdict in found.verdicts]
        everything[name] = {"interpreter": interpreter, **found.figures, "verdicts": held}
        lines = [f"== {name} ({interpreter})\n", found.text, "", *found.verdicts]
        print(*lines, "", sep="\n", flush=True)
        if options.plot is not None:
            importlib.import_module("benchmarks.plots").draw(found.figures, options.plot)
    figures = everything[chosen[0]] if len(chosen) == 1 else everything
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
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
