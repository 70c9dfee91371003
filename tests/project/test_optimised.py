"""Under ``python -O`` asserts are gone, poolkit's and pymunk's: nothing may have relied on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GAME = ROOT / "tests" / "support" / "optimised_game.py"


def play(hash_seed: str) -> str:
    run = subprocess.run(
        [sys.executable, "-O", "-W", "error", str(GAME)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 0, run.stderr or run.stdout
    assert run.stderr == ""
    return run.stdout


def test_order5_a_random_game_is_sound_and_repeats_without_asserts_too() -> None:
    first = play("1")
    assert "ball #" in first
    assert play("2") == first
