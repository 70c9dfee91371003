#!/usr/bin/env python3
"""Run the storms and models of the tests for long: anything that fails or differs is told.

Each seed is played in two processes at once, with other hash seeds and one of them under
`python -O`: both must end well and tell the same. Run it with the Python of `.venv`.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
STORMS: tuple[str, ...] = ("tempest", "dropped", "model", "policies", "swarms", "jungle", "faults")
STORMS += ("ctrl_c", "levels", "checkpoints")
PATH = os.pathsep.join([".", "tests/support"])
TAIL = 25  # how many closing lines of a process that failed are shown
ROUNDS = 4  # of each storm, for each seed
PATIENCE = 300  # seconds, before a storm is taken to hang


class Run(NamedTuple):
    """Some rounds of storms in a process of their own."""

    seed: int
    rounds: int
    storms: tuple[str, ...]
    hash_seed: str
    options: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """Return what follows Python on the command line."""
        script = "tests/support/storms.py"
        return [*self.options, script, str(self.seed), str(self.rounds), *self.storms]

    def start(self) -> subprocess.Popen[str]:
        """Let it begin."""
        environment = {
            **os.environ,
            "PYTHONPATH": PATH,
            "PYTHONHASHSEED": self.hash_seed,
            "PYGAME_HIDE_SUPPORT_PROMPT": "1",
            "SDL_VIDEODRIVER": "dummy",
            "SDL_AUDIODRIVER": "dummy",
        }
        return subprocess.Popen(
            [sys.executable, *self.words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=environment,
        )

    def command(self) -> str:
        """Say how to repeat it."""
        settings = f"PYTHONPATH={PATH} PYTHONHASHSEED={self.hash_seed}"
        return " ".join([settings, ".venv/bin/python", *self.words])


def fault_of(seed: int, rounds: int, *storms: str) -> str:
    """Play storms in two processes; say what is wrong, or nothing, and how to repeat it."""
    runs = [Run(seed, rounds, storms, "1"), Run(seed, rounds, storms, "2", ("-O",))]
    processes = [run.start() for run in runs]
    told: list[str] = []
    faults: list[str] = []
    for run, process in zip(runs, processes, strict=True):
        try:
            told.append(process.communicate(timeout=PATIENCE)[0])
        except subprocess.TimeoutExpired:
            process.kill()
            told.append(process.communicate()[0] + f"\nhangs, for {PATIENCE} seconds or more")
        if process.returncode:
            last = "\n".join(told[-1].strip().splitlines()[-TAIL:])
            faults.append(
                f"{last}\nexit code {process.returncode}; repeat it with\n{run.command()}"
            )
    # Not what Python warns of: where Ctrl-C came differs with the hash seed.
    digests = [[line for line in output.splitlines() if line.startswith(storms)] for output in told]
    if not faults and digests[0] != digests[1]:
        commands = "\n".join(run.command() for run in runs)
        faults.append(f"two processes tell different things:\n{''.join(told)}{commands}")
    return "\n".join(faults)


def main() -> int:
    """Play until the seeds or the time are used up; give 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="how many (default 3)")
    parser.add_argument("--minutes", type=float, help="as many seeds as it takes, instead")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--only", nargs="+", choices=STORMS, default=STORMS, metavar="STORM")
    options = parser.parse_args()
    end = time.monotonic() + 60 * (options.minutes or 0)
    seeds = itertools.count(options.first)
    played = wrong = 0
    for seed, storm in ((seed, storm) for seed in seeds for storm in options.only):
        is_over = seed >= options.first + options.seeds
        if is_over if options.minutes is None else time.monotonic() > end:
            break
        start = time.monotonic()
        fault = fault_of(seed, ROUNDS, storm)
        played += 1
        wrong += bool(fault)
        verdict = "FAILED" if fault else "ok"
        print(f"{verdict:<7}{storm:<11}seed {seed:<5}{time.monotonic() - start:6.1f} s", flush=True)
        if fault:
            print(fault, flush=True)
    print(f"{played} storms, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
