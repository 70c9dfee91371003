"""What `scripts/soak.py` presses, and what it says of a demo that it played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pygame

import soak

ROOT = Path(soak.__file__).parents[1]
KEYS = [pygame.K_1, pygame.K_n, None, pygame.K_d]


def pressed(minute: int) -> list[int]:
    first = minute * soak.MINUTE
    frames = range(first, first + soak.MINUTE)
    return [key for frame in frames for key in soak.keys_of(KEYS, 0, frame)]


def test_all_keys_are_pressed_every_twenty_seconds_but_some_in_every_third_minute_alone() -> None:
    assert pressed(0) == pressed(3) == [pygame.K_1, pygame.K_n, pygame.K_d] * 3
    assert pressed(1) == pressed(2) == [pygame.K_1, pygame.K_d] * 3


def test_it_plays_a_demo_and_says_how_long_frames_took_and_counts_what_was_logged() -> None:
    lines = "soak.SECOND = 5; soak.MINUTE = 30; soak.SETTLED = 0.5"
    warns = "soak.keys_of = lambda *_: logging.getLogger('demo').warning('dry') or ()"
    program = f"import soak, logging; {lines}; {warns}; print(soak.soak('spawner', 60))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "scripts")])},
        capture_output=True,
        text=True,
        check=True,
    )
    *_, first, second, frames, without, counts = done.stdout.splitlines()
    assert [line.split(":")[0] for line in (first, second)] == ["minute  1", "minute  2"]
    times = [list(map(float, re.findall(r"\d+\.\d+", line))) for line in (frames, without)]
    assert all(0 < mean <= p99 < 1000 for mean, p99 in times)
    assert times[1][0] <= times[0][0]
    assert counts == "0 late, 60 warnings"
    assert done.stderr.count("dry\n") == 60


def test_shares_of_a_frame_are_said_by_room() -> None:
    command = [sys.executable, "scripts/shares.py", "survivors", "rabbits", "--frames", "30"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    head, *lines = done.stdout.splitlines()[-3:]
    assert head.split()[:4] == ["game", "a", "frame", "core"]
    for name, line in zip(command[2:], lines, strict=False):
        game, _, _, *shares = line.split()
        assert game == name
        assert 90 < sum(int(share.rstrip("%")) for share in shares) < 110
