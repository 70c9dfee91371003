#!/usr/bin/env python3
"""Measure poolkit against other ways of doing the same, with everything it needs made ready."""

from __future__ import annotations

import argparse
import importlib
import json
import os
from pathlib import Path

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to measure at once
BENCHMARKS = {
    "spawn": "spawn and despawn, and what 100,000 cycles leave behind",
    "policies": "what each policy costs, up to a million objects (some minutes)",
}


def measure(arguments: list[str]) -> int:
    """Run one benchmark in this very process."""
    parser = argparse.ArgumentParser(
        prog="bench.py",
        description="Measure poolkit against other ways of doing the same, in one run.",
        epilog="example: python3 scripts/bench.py spawn --json spawn.json",
    )
    listed = "; ".join(f"{name}: {what}" for name, what in BENCHMARKS.items())
    parser.add_argument("benchmark", choices=BENCHMARKS, help=listed)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rounds, to try it")
    options = parser.parse_args(arguments)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    benchmark = importlib.import_module(f"benchmarks.{options.benchmark}")
    results = benchmark.run(rounds=4, cycles=10_000) if options.quick else benchmark.run()
    print(benchmark.as_text(results))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Make the venv ready, and measure with its Python."""
    if arguments[:1] == [INSIDE]:
        return measure(arguments[1:])
    python = environment.Environment().ready()
    return environment.call([python, Path(__file__).resolve(), INSIDE, *arguments])


if __name__ == "__main__":
    environment.run_script(main)
