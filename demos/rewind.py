#!/usr/bin/env python3
"""Shoot a castle down, hold Backspace, and time runs backwards: bodies, joints, sparks, sounds."""

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pygame

from castle.script import Frames
from castle.siege import SIZE, Siege
from poolkit.scenes import run
from shared.loop import Parser, count, save_screenshot


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, or let it play itself."""
    parser = Parser(prog="rewind", description=__doc__)
    add = parser.add_argument
    add("--headless", action="store_true", help="play itself, with no window")
    add("--frames", type=count, metavar="N", help="end after N frames")
    add("--seed", type=int, metavar="N", help="the same dice every time")
    add("--screenshot", type=Path, metavar="PATH", help="save the last frame")
    options = parser.parse_args(arguments)
    if options.headless:
        os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    random.seed(options.seed)
    frames = options.frames or (600 if options.headless else None)
    pygame.mixer.pre_init(44100, -16, 2, 512, allowedchanges=0)  # as its sounds are turned round
    pygame.init()
    run(Siege, SIZE, title="rewind", tape=None if frames is None else Frames(frames))
    screen = pygame.display.get_surface()
    if options.screenshot and screen is not None:
        save_screenshot(screen, options.screenshot)
    pygame.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
