#!/usr/bin/env python3
"""Run every check of the project, several at once, and print a summary."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from environment import ROOT, ready, run_script
from package import OFFLINE

# Arguments of the venv's Python for each check. import-linter can't be run with -m.
CHECKS = {
    "types": ["-m", "mypy"],
    "programs": ["scripts/check_programs.py"],
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "layers": ["-c", "from importlinter.cli import lint_imports_command as run; run()"],
    "package": ["scripts/package.py"],
    # All pages again: Sphinx only warns about pages that it writes.
    "docs": ["-m", "sphinx", "-q", "-E", "-a", "-W", "--keep-going", "docs", "docs/_build"],
}
# Each folder has a run of pytest of its own, and so have the tests that play demos and pages; they
# run at once, so they share no cache. The longest begin first: no core waits for them at the end.
PLAYED = "bullets", "demos", "docs", "rabbits", "recorded_demos"
PLAYING = [f"tests/project/test_{name}.py" for name in PLAYED]
LONGEST = ["tests/devtools", "tests/core", "tests/project"]
FOLDERS = {f"tests/{file.parent.name}" for file in ROOT.glob("tests/*/test_*.py")}
RUNS = {folder: [folder] for folder in [*LONGEST, *sorted(FOLDERS.difference(LONGEST)), "poolkit"]}
RUNS["tests/project"] += [f"--ignore={file}" for file in PLAYING]
QUICK = ["types", "lint", "format", "layers", "tests"]
QUICK_TESTS = ["tests/project/test_bad_input.py", "tests/project/test_import.py"]
PYTEST = ["-m", "pytest", "-p", "no:cacheprovider"]
REPORT = "from coverage.cmdline import main as run; run(['combine', '-q']); exit(run(['report']))"


def main(arguments: list[str]) -> int:
    """Run the checks that are asked for; return 1 if any of them failed."""
    names = [*CHECKS, "tests"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    made = "only make docs/_build/index.html"
    parser.add_argument("--docs", dest="only", action="store_const", const=["docs"], help=made)
    quick = "no demos, docs, packaging or coverage, and few examples of each model"
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--python", metavar="3.13", default="", help="run the tests with that one")
    parser.add_argument("pytest", nargs="*", metavar="-- OPTION", help="pytest's; the tests alone")
    chosen = parser.parse_args(arguments)
    version = chosen.python.removeprefix("python")
    only = ["tests"] if version or chosen.pytest else QUICK if chosen.quick else chosen.only
    python = ready("dev", f"python{version}", f".venv-{version}") if version else ready("dev")
    is_measured = "tests" in only and not (version or chosen.pytest or chosen.quick)
    # Of demos and pages no coverage is measured: it takes long, and others reach the same lines.
    measure = ["-m", "coverage", "run"] if is_measured else []
    runs = {"demos and pages": PLAYING} | RUNS
    if chosen.quick:
        runs = RUNS | {"tests/project": QUICK_TESTS}
        os.environ["TESTS_MOST_EXAMPLES"] = "10"
    checks = {
        f"tests of {name}": [*(measure if run is not PLAYING else []), *PYTEST, *run]
        for name, run in runs.items()
    } | CHECKS
    checks = {name: words for name, words in checks.items() if name.split()[0] in only}
    if chosen.pytest:
        checks = {"tests": ["-m", "pytest", *chosen.pytest]}
    results: list[tuple[str, str, float]] = []
    os.chdir(ROOT)
    # Python starts two hundred times: compiling everything each time would take half a minute.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

    def check(name: str, words: list[str]) -> None:
        began, piped = time.perf_counter(), None if chosen.pytest else subprocess.PIPE
        done = subprocess.run([python, *words], check=False, stdout=piped, stderr=subprocess.STDOUT)
        # A host of the project must reach an index; a developer in a train need not.
        is_skipped = done.returncode == OFFLINE and "CI" not in os.environ
        result = "SKIPPED" if is_skipped else "FAILED" if done.returncode else "ok"
        results.append((name, result, time.perf_counter() - began))
        # In one piece, because others print at the same time.
        print(f"\n== {name}\n{(done.stdout or b'').decode(errors='replace')}", flush=True)

    if is_measured:
        subprocess.call([python, "-m", "coverage", "erase"])
    with ThreadPoolExecutor(os.cpu_count()) as at_once:
        list(at_once.map(check, checks, checks.values()))
    if is_measured:
        check("coverage", ["-c", REPORT])
    for name, result, seconds in results:
        print(f"{name:<28}{result:<8}{seconds:>7.1f} s")
    return int(any(result == "FAILED" for _, result, _ in results))


if __name__ == "__main__":
    run_script(main)
