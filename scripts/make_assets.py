#!/usr/bin/env python3
"""Draw every picture of the game as PNG files, the same bytes on every run."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pygame

from art import (
    dragon,
    dungeon,
    effects,
    fountain,
    heights,
    interface,
    lava,
    ogre,
    orc,
    riders,
    solids,
    troll,
)
from art.pixels import Canvas, sheet

HOME = Path(__file__).resolve().parent.parent / "assets"

# Each picture: what draws its frames and how often each drawn pixel is doubled up.
PICTURES: dict[str, tuple[Callable[[], list[Canvas]], int]] = {
    "orc": (orc.frames, 2),
    "troll": (troll.frames, 2),
    "ogre": (ogre.frames, 2),
    "dragon": (dragon.frames, 2),
    "arena_dungeon": (dungeon.draw, 2),
    "arena_lava": (lava.draw, 2),
    "panel": (interface.panel, 1),
    "puff": (effects.puff, 2),
    "spark": (effects.spark, 2),
    "cube": (solids.cubes, 2),
    "gem": (solids.gems, 2),
    "crate": (solids.crate, 2),
    "fountain": (fountain.draw, 2),
    "fountain_front": (fountain.front, 2),
    "goblin": (riders.goblin, 2),
    "wizard": (riders.wizard, 2),
    "knight": (riders.knight, 2),
    "balloon": (heights.balloon, 2),
    "air_night": (partial(heights.air, heights.NIGHT), 2),
    "air_dawn": (partial(heights.air, heights.DAWN), 2),
    "peaks_night": (partial(heights.peaks, heights.NIGHT), 2),
    "peaks_dawn": (partial(heights.peaks, heights.DAWN), 2),
    "sea_night": (partial(heights.sea, heights.NIGHT), 2),
    "sea_dawn": (partial(heights.sea, heights.DAWN), 2),
}


def render(name: str) -> pygame.Surface:
    """Draw one picture as it goes into its file."""
    frames, scale = PICTURES[name]
    return sheet(frames(), scale)


def same(path: Path, picture: pygame.Surface) -> bool:
    """Say whether a file exists and holds exactly these pixels."""
    if not path.is_file():
        return False
    found = pygame.image.load(path)
    return found.get_size() == picture.get_size() and pygame.image.tobytes(
        found,
        "RGBA",
    ) == pygame.image.tobytes(picture, "RGBA")


def main() -> int:
    """Draw or check all pictures and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HOME, help="folder of the PNG files")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing, fail if a file differs",
    )
    options = parser.parse_args()
    folder: Path = options.out
    stale = 0
    if not options.check:
        folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        path = folder / f"{name}.png"
        picture = render(name)
        if not options.check:
            pygame.image.save(picture, path)
            print(f"drew {path.name} {picture.get_width()}x{picture.get_height()}")
        elif not same(path, picture):
            stale += 1
            print(f"differs: {path.name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
