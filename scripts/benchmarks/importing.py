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

from benchmarks.report import Report, Verdict, table

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


def run(*, turns: int = 15) -> Report:
    """Measure milliseconds of processor time."""
    with tempfile.TemporaryDirectory() as folder:  # the first turn compiles, into that folder
        timed = [[_milliseconds(name, folder) for name in CASES] for _ in range(turns + 1)][1:]
    times = dict(zip(CASES, zip(*timed, strict=True), strict=True))
    found = {
        name: {"median": round(statistics.median(taken), 2), "worst": round(max(taken), 2)}
        for name, taken in times.items()
    }
    rows = [["import", "median ms", "worst ms"]]
    for name, row in found.items():
        rows.append([f"{name} (after {CASES[name]})", *(f"{time:.1f}" for time in row.values())])
    what, figure = "milliseconds to import poolkit, over pygame", found["poolkit"]["median"]
    return Report(found, table(rows), [Verdict(what, figure, 20)])


def _milliseconds(name: str, compiled: str) -> float:
    folders = os.pathsep.join(str(Path(place).resolve()) for place in sys.path)
    known = {"PYTHONPATH": folders, "PYTHONPYCACHEPREFIX": compiled}
    surroundings = {**os.environ, **known, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    surroundings.pop("PYTHONDONTWRITEBYTECODE", None)  # set in many containers
    command = [sys.executable, "-c", PROGRAM.format(before=CASES[name], name=name)]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) * 1000
