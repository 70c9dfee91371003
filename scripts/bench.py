#!/usr/bin/env python3
"""Measure poolkit against other ways of doing the same, with everything it needs made ready."""

from __future__ import annotations

import argparse
import importlib
import json
import os
from pathlib import Path
from typing import Any

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to measure at once
BENCHMARKS = {
    "spawn": "spawn and despawn, and what 100,000 cycles leave behind",
    "churn": "frames in which 100 physics sprites come and go, by seven ways (two minutes)",
    "frame": "5,000 bodies onto the screen",
    "scale": "spawn and despawn by the number of instances and of pools (two minutes, 5 GB)",
    "policies": "what each policy costs, up to a million objects (some minutes)",
    "import": "what importing poolkit costs",
}
MODULES = {"import": "importing"}  # where the benchmark's name can't be a module's


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
    plot = "draw the figures there, as PNG (churn and scale)"
    parser.add_argument("--plot", type=Path, metavar="FILE", help=plot)
    parser.add_argument("--quick", action="store_true", help="much smaller, just to try it")
    options = parser.parse_args(arguments)
    if options.plot is not None and options.benchmark not in {"churn", "scale"}:
        parser.error("--plot is for churn and scale")
    return options


def measure(arguments: list[str]) -> int:
    """Run benchmarks in this very process."""
    options = options_of(arguments)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    verdict = importlib.import_module("benchmarks.verdict")
    chosen = [*BENCHMARKS] if options.benchmark == "all" else [options.benchmark]
    everything: dict[str, Any] = {}
    for name in chosen:
        benchmark = importlib.import_module(f"benchmarks.{MODULES.get(name, name)}")
        results = benchmark.run(**(benchmark.QUICK if options.quick else {}))
        held = benchmark.verdicts(results) if hasattr(benchmark, "verdicts") else []
        everything[name] = {**results, "verdicts": [each.as_figures() for each in held]}
        print(f"== {name}\n\n{benchmark.as_text(results)}\n", flush=True)
        if held:
            print(f"{verdict.as_text(held)}\n", flush=True)
    figures = everything[chosen[0]] if len(chosen) == 1 else everything
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if options.plot is not None:
        importlib.import_module("benchmarks.plots").PLOTS[options.benchmark](figures, options.plot)
    return 0


def main(arguments: list[str]) -> int:
    """Make the venv ready, and measure with its Python."""
    if arguments[:1] == [INSIDE]:
        return measure(arguments[1:])
    options_of(arguments)  # a slip is told before anything is installed
    python = environment.Environment().ready("bench")
    return environment.call([python, Path(__file__).resolve(), INSIDE, *arguments])


if __name__ == "__main__":
    environment.run_script(main)
