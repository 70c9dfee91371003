"""Every demo plays a minute in strict mode and chaos, and a replay of it goes the same way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"


def run(*words: object, hash_seed: int) -> str:
    """Run Python in a process of its own; return what it printed."""
    folders = (ROOT, ROOT / "demos", SUPPORT)
    surroundings = {
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "PYTHONHASHSEED": str(hash_seed),
    }
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        env=os.environ | surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("demo", ["bullets", "cubes", "monsters", "rabbits", "spawner"])
def test_a_demo_plays_in_strict_mode_and_chaos_and_replays_equal_in_another_process_without_asserts(
    demo: str, tmp_path: Path
) -> None:
    file = tmp_path / f"{demo}.rec"
    run(SUPPORT / "recorded_demos.py", demo, file, hash_seed=0)
    again = ("-O", "-m", "poolkit", "replay", file, f"recorded_demos:{demo}")
    assert f"{file}: replayed as it was recorded" in run(*again, hash_seed=1)
