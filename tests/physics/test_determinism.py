"""Equal runs give equal results: in one process, in another, and under python -O."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from collision_storm import Storm

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"


def test_n04_a_storm_in_callbacks_loses_nothing_and_repeats_in_one_process() -> None:
    one, two = Storm(1), Storm(1)
    kept = [object() for _ in range(1000)]  # other addresses
    three = Storm(1)
    assert one.run(60) == two.run(60) == three.run(60)
    words = {entry[0] for entry in one.trace if isinstance(entry, tuple)}
    assert {"born", "meet", "part"} <= words
    assert one.run(5) != Storm(2).run(5)
    assert len(kept) == 1000


@pytest.mark.parametrize("seed", [3, 4])
def test_n04_order5_a_storm_repeats_in_other_processes_and_under_o(seed: int) -> None:
    def trace(*options: str, hash_seed: str) -> str:
        environment = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(SUPPORT)]),
        }
        result = subprocess.run(
            [sys.executable, *options, str(SUPPORT / "collision_storm.py"), str(seed), "60"],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert result.stderr == ""
        return result.stdout

    first = trace(hash_seed="1")
    assert first.strip()
    assert trace(hash_seed="77") == first
    assert trace("-O", hash_seed="5") == first
