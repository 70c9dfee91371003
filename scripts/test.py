#!/usr/bin/env python3
"""Run every check of the project, all of them even if one fails, and sum them up."""

from __future__ import annotations

import argparse
import os
import time
from typing import NamedTuple

import environment

# import-linter cannot be started with -m.
LAYERS = "from importlinter.cli import lint_imports_command; lint_imports_command()"

# Each check: what follows the venv's Python on its command line.
CHECKS = {
    "lint": ("-m", "ruff", "check", "."),
    "format": ("-m", "ruff", "format", "--check", "."),
    "types": ("-m", "mypy"),
    "layers": ("-c", LAYERS),
    "tests": ("-m", "coverage", "run", "-m", "pytest"),
    "coverage": ("-m", "coverage", "report"),
}

# No window and no sound, unless the caller has set a driver.
SILENT = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}


class Result(NamedTuple):
    """How one check went."""

    name: str
    passed: bool
    seconds: float


def commands(only: list[str], pytest_options: list[str]) -> dict[str, list[str]]:
    """Give the checks to run, in their order, each with its command line."""
    chosen = {name: list(words) for name, words in CHECKS.items() if not only or name in only}
    if pytest_options:
        # A part of the tests covers a part of the code: report it, but ask for no percentage.
        for name, more in (("tests", pytest_options), ("coverage", ["--fail-under=0"])):
            if name in chosen:
                chosen[name] += more
    return chosen


def table(results: list[Result]) -> str:
    """Sum up the checks, a line for each."""
    lines = [f"{'check':<10}{'result':<8}{'seconds':>7}"]
    for name, passed, seconds in results:
        lines.append(f"{name:<10}{'ok' if passed else 'FAILED':<8}{seconds:>7.1f}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Make the venv ready, run the checks and give 1 if any of them failed."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="What follows -- goes to pytest; coverage then has no minimum.",
    )
    some = "just some of " + ", ".join(CHECKS)
    parser.add_argument("--only", nargs="+", choices=CHECKS, default=[], metavar="NAME", help=some)
    ours, pytest_options = arguments, []
    if "--" in arguments:
        split = arguments.index("--")
        ours, pytest_options = arguments[:split], arguments[split + 1 :]
    only: list[str] = parser.parse_args(ours).only

    python = environment.Environment().ready("dev")
    results = []
    for name, words in commands(only, pytest_options).items():
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        code = environment.call(
            [python, *words],
            cwd=environment.ROOT,
            env={**SILENT, **os.environ},
        )
        results.append(Result(name, code == 0, time.perf_counter() - start))
    print(f"\n{table(results)}", flush=True)
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    environment.run_script(main)
