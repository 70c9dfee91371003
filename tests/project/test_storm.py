"""A little of what `scripts/storm.py` plays for long, and how it tells of a fault."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import storm
import storms

if TYPE_CHECKING:
    import pytest


def test_all_storms_end_well_and_alike_in_other_processes_and_under_o() -> None:
    assert tuple(storms.STORMS) == storm.STORMS
    assert storm.fault_of(0, 1, *storm.STORMS) == ""


def test_a_storm_that_fails_or_differs_is_told_with_the_way_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start(run: storm.Run) -> subprocess.Popen[str]:
        code = run.seed and len(run.options)
        program = f"print('drizzle', {run.hash_seed}); raise SystemExit({code})"
        command = [sys.executable, "-c", program]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    monkeypatch.setattr(storm.Run, "start", start)
    repeat = "PYTHONPATH=.:tests/support PYTHONHASHSEED=2 .venv/bin/python -O"
    script = "tests/support/storms.py"
    told = f"drizzle 2\nexit code 1; repeat it with\n{repeat} {script} 3 1 drizzle hail"
    assert storm.fault_of(3, 1, "drizzle", "hail") == told
    assert storm.fault_of(0, 4, "drizzle").endswith(f"\n{repeat} {script} 0 4 drizzle")
