#!/usr/bin/env python3
"""Say which room takes how much of a frame, in whole games that play themselves.

``python scripts/shares.py``, run with the Python of ``.venv``. A timer of the system looks a
thousand times a second of processor time at what runs. What a library does counts for whoever
called it: `Space.step` for physics, `fblits` for whoever draws. Loading is left out.
"""

from __future__ import annotations

import argparse
import io
import logging
import signal
import sys
import time
from collections import Counter
from contextlib import ExitStack, chdir, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "demos"))

import pygame

from benchmarks import survivors
from benchmarks.frames import HEIGHT, STEP, WIDTH
from poolkit.devtools import shell
from rabbits.window import Window
from shared import scene_demo

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
GAMES = "survivors", "bullets", "rabbits", "monsters"  # `bullets` is Barrage
ROOMS = "core", "sprites", "physics", "scenes", "swarms", "content", "devtools", "game"
WARM_UP, EVERY = 120, 0.001  # frames; seconds between looks
GAME_FOLDERS = str(ROOT / "demos"), str(ROOT / "scripts"), str(ROOT / "assets")


def room_of(file: str) -> str | None:
    """Return the room that a file of source belongs to; `None` for libraries."""
    if "written by poolkit" in file:  # hooks of a kind of instance; see `core/plan.py`
        return "core"
    if file.startswith(GAME_FOLDERS):
        return "game"
    path = Path(file)
    is_poolkits = path.is_relative_to(ROOT / "poolkit")
    return path.relative_to(ROOT / "poolkit").parts[0] if is_poolkits else None


class Sampler:
    """Looks at what runs, from the first frame after the warm-up on."""

    def __init__(self) -> None:
        self.samples: Counter[str] = Counter()
        self.num_frames, self.began = -WARM_UP, 0.0
        signal.signal(signal.SIGPROF, self._look)

    def _look(self, _: int, frame: FrameType | None) -> None:
        room = None
        while room is None and frame is not None:
            room, frame = room_of(frame.f_code.co_filename), frame.f_back
        self.samples[room or "game"] += 1

    def frame_ends(self) -> None:
        """Count a frame; begin with the first that counts."""
        self.num_frames += 1
        if self.num_frames == 0:
            signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
            self.began = time.process_time()

    def end(self) -> str:
        """Stop; say what a frame took and who had how much of it."""
        took = time.process_time() - self.began
        signal.setitimer(signal.ITIMER_PROF, 0)
        num_samples = self.samples.total()
        shares = "".join(f"{self.samples[room] / num_samples:>9.0%}" for room in ROOMS)
        return f"{1000 * took / self.num_frames:>7.2f} ms{shares}"


def shares(game: str, num_frames: int) -> str:
    """Play a game for so many frames; return its line of the table."""
    sampler = Sampler()
    if game == "survivors":
        played, screen = survivors.Pooled(), pygame.Surface((WIDTH, HEIGHT))
        for _ in range(WARM_UP + num_frames):
            played.frame(screen, STEP)
            sampler.frame_ends()
        return sampler.end()
    with ExitStack() as stack:
        stack.enter_context(suppress(SystemExit))
        stack.enter_context(redirect_stdout(io.StringIO()))
        stack.enter_context(chdir(stack.enter_context(TemporaryDirectory())))  # for its picture
        for window in (pygame.display, Window):  # the rabbits have a window of their own
            stack.enter_context(mock.patch.object(window, "flip", sampler.frame_ends))
        draw = mock.patch.object(scene_demo.SceneDemo, "draw_loading", return_value=None)
        stack.enter_context(draw)
        options = "--headless", "--frames", str(WARM_UP + num_frames), "--seed", "1"
        shell.main(["demo", game, *options])
    return sampler.end()


def main() -> None:
    """Play as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="game", help=f"{', '.join(GAMES)}, a demo")
    parser.add_argument("--frames", type=int, default=1_200, help="of each, after two seconds")
    options = parser.parse_args()
    logging.disable()
    print(f"{'game':<10}{'a frame':>10}{''.join(f'{room:>9}' for room in ROOMS)}")
    for game in options.games or GAMES:
        print(f"{game:<10}{shares(game, options.frames)}", flush=True)


if __name__ == "__main__":
    main()
