#!/usr/bin/env python3
"""Let a demo play itself for long, and say whether it grows, is late, warns or slows down.

``python scripts/soak.py monsters --minutes 10``, run with the Python of ``.venv``. It presses all
keys of the demo every 20 seconds; those that begin again, only in the first of every three minutes.
Frames are in milliseconds of processor time; memory is the most that a minute needed, objects the
fewest that it had. A spawn is late if its scene is older than a minute and its pool was empty.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import time
from array import array
from contextlib import ExitStack, chdir, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "demos"))

import pygame

from poolkit import pools
from poolkit.devtools import shell
from rabbits.window import Window
from shared import scene_demo

if TYPE_CHECKING:
    from collections.abc import Sequence

SECOND, MINUTE = 60, 3600  # frames
CYCLE = 20 * SECOND
SETTLED = 61.0  # seconds: from here on a scene's pools should have all that it needs
BEGIN_AGAIN = {pygame.K_n, pygame.K_p, pygame.K_0}
STATM = Path("/proc/self/statm")  # on Linux: pages of memory


class Soak(logging.Handler):
    """Counts what happens while a demo plays."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.frames, self.pauses = array("f"), array("f")  # milliseconds; of them the collector's
        self.paused = 0.0  # in the frame under way
        self.minutes: list[tuple[float, int]] = []  # MiB and objects of each
        self.memory, self.objects = 0.0, sys.maxsize  # of the one under way
        self.late, self.late_before, self.warnings = 0, 0, 0
        self.began = time.process_time()

    def emit(self, record: logging.LogRecord) -> None:
        """Count and show a warning of the log."""
        self.warnings += 1
        print(record.getMessage(), file=sys.stderr)

    def collects(self, phase: str, _info: dict[str, int]) -> None:
        """Be called by the collector when it begins and ends."""
        self.paused += time.process_time() * (-1000 if phase == "start" else 1000)

    def frame_ends(self) -> None:
        """Note what the frame took; once a second, look at the pools and the memory."""
        self.frames.append(1000 * (time.process_time() - self.began))
        self.pauses.append(self.paused)
        if len(self.frames) % SECOND == 0:
            report = pools.report()
            late = sum(pool.stats.late - pool.unpooled for pool in report)
            self.late += late - self.late_before if report.seconds > SETTLED else 0
            self.late_before = late
            pages = int(STATM.read_text().split()[1]) if STATM.exists() else 0
            self.memory = max(self.memory, pages / 256)
            self.objects = min(self.objects, len(gc.get_objects()) + gc.get_freeze_count())
        if len(self.frames) % MINUTE == 0:
            self.minutes.append((self.memory, self.objects))
            self.memory, self.objects = 0.0, sys.maxsize
        self.paused, self.began = 0.0, time.process_time()

    def __str__(self) -> str:
        """Return the figures in a few lines."""
        own = [frame - pause for frame, pause in zip(self.frames, self.pauses, strict=True)]
        lines = [
            f"minute {number:>2}: {memory:6.1f} MiB, {objects:,} objects"
            for number, (memory, objects) in enumerate(self.minutes, 1)
        ]
        for what, frames in ("frames", self.frames), ("without the collector", own):
            p99 = sorted(frames)[len(frames) * 99 // 100]
            lines.append(f"{what}: {sum(frames) / len(frames):.2f} ms, 99 in 100 below {p99:.2f}")
        return "\n".join([*lines, f"{self.late} late, {self.warnings} warnings"])


_self_play = scene_demo.self_play


def keys_of(keys: Sequence[int | None], _frames: int, frame: int) -> Sequence[int]:
    """Return the keys that a demo presses in a frame."""
    out = {pygame.K_ESCAPE} if frame // MINUTE % 3 == 0 else {pygame.K_ESCAPE, *BEGIN_AGAIN}
    return [key for key in _self_play(keys, CYCLE, frame % CYCLE) if key not in out]


def _no_picture(*_: object) -> None:
    """Draw no loading screen: it would count as frames."""


def soak(demo: str, frames: int, seed: int = 1) -> Soak:
    """Play a demo for so many frames."""
    found = Soak()
    logging.getLogger().addHandler(found)
    gc.callbacks.append(found.collects)
    with ExitStack() as stack:
        stack.enter_context(suppress(SystemExit))
        stack.enter_context(chdir(stack.enter_context(TemporaryDirectory())))  # for its picture
        for window in (pygame.display, Window):  # the rabbits have a window of their own
            stack.enter_context(mock.patch.object(window, "flip", found.frame_ends))
        stack.enter_context(mock.patch.object(scene_demo, "self_play", keys_of))
        stack.enter_context(mock.patch.object(scene_demo.SceneDemo, "draw_loading", _no_picture))
        options = "--headless", "--frames", str(frames), "--seed", str(seed)
        shell.main(["demo", demo, *options])
    gc.callbacks.remove(found.collects)
    logging.getLogger().removeHandler(found)
    return found


def main() -> None:
    """Play as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("demo")
    parser.add_argument("--minutes", type=int, default=10)
    options = parser.parse_args()
    print(soak(options.demo, options.minutes * MINUTE))


if __name__ == "__main__":
    main()
