"""What `import poolkit` costs a game that has imported pygame, all of it compiled already."""

from __future__ import annotations

import statistics
import tempfile
from typing import Any

from benchmarks.fresh_process import output_of
from benchmarks.verdict import Verdict

__all__ = ["QUICK", "as_text", "run", "verdicts"]

QUICK = {"rounds": 2}

# What is imported, and what is there already and is not counted.
CASES = {
    "poolkit": "pygame",
    "poolkit.physics": "pygame, pymunk, poolkit",
    "poolkit.scenes": "pygame, pymunk, poolkit, poolkit.physics",
    "poolkit.devtools": "pygame, pymunk, poolkit, poolkit.physics, poolkit.scenes",
}
PROGRAM = """\
import time
import {before}
began = time.perf_counter()
import {name}
print(time.perf_counter() - began)
"""


def run(*, rounds: int = 15) -> dict[str, Any]:
    """Measure in fresh processes that take turns, and return milliseconds."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-1, rounds):  # the first of them compiles, into that folder
            for name, before in CASES.items():
                milliseconds = _milliseconds(name, before, folder)
                if number >= 0:
                    times[name].append(milliseconds)
    return {
        name: {
            "over": CASES[name],
            "median": round(statistics.median(found), 2),
            "worst": round(max(found), 2),
        }
        for name, found in times.items()
    }


def _milliseconds(name: str, before: str, compiled: str) -> float:
    printed = output_of(
        "-c",
        PROGRAM.format(name=name, before=before),
        PYTHONPYCACHEPREFIX=compiled,
        PYTHONDONTWRITEBYTECODE=None,  # set in many containers
    )
    return float(printed.split()[-1]) * 1000


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    median = results["poolkit"]["median"]
    return [Verdict(what="import poolkit, over pygame", figure=median, at_most=20, unit="ms")]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    lines = [f"{'import':<20}{'median ms':>10}{'worst ms':>10}   what is imported before"]
    for name, row in results.items():
        lines.append(f"{name:<20}{row['median']:>10.1f}{row['worst']:>10.1f}   {row['over']}")
    return "\n".join(lines)
