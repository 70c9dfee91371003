"""What `import poolkit` costs a game that has imported pygame, all of it compiled already.

The one benchmark that needs fresh processes, for a module is imported once; they take turns.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.report import Verdict, table

QUICK = {"turns": 1}

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
began = time.process_time()
import {name}
print(time.process_time() - began)
"""


def run(*, turns: int = 15) -> dict[str, Any]:
    """Measure, and return milliseconds of processor time."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(-1, turns):  # the first of them compiles, into that folder
            for name, found in times.items():
                milliseconds = _milliseconds(name, folder)
                if turn >= 0:
                    found.append(milliseconds)
    return {
        name: {"median": round(statistics.median(found), 2), "worst": round(max(found), 2)}
        for name, found in times.items()
    }


def _milliseconds(name: str, compiled: str) -> float:
    folders = os.pathsep.join(str(Path(place).resolve()) for place in sys.path)
    known = {"PYTHONPATH": folders, "PYTHONPYCACHEPREFIX": compiled}
    surroundings = {**os.environ, **known, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)  # set in many containers
    command = [sys.executable, "-c", PROGRAM.format(before=CASES[name], name=name)]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) * 1000


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    figure = results["poolkit"]["median"]
    return [Verdict(what="milliseconds to import poolkit, over pygame", figure=figure, at_most=20)]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    rows = [["import", "median ms", "worst ms"]]
    rows += [
        [f"{name} (after {CASES[name]})", f"{row['median']:.1f}", f"{row['worst']:.1f}"]
        for name, row in results.items()
    ]
    return table(rows)
