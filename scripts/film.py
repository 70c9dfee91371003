#!/usr/bin/env python3
"""Film a demo that plays itself: the moving picture of README and docs."""

from __future__ import annotations

import argparse
import subprocess
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from unittest.mock import patch

import environment

INSIDE = "--inside-venv"  # how this script tells its second self to film at once
DROPPED = 4  # of 60 frames a second, one in so many is kept


def main(arguments: list[str]) -> int:
    """Film, or make the venv ready and have its Python film."""
    if arguments[:1] != [INSIDE]:
        python = environment.ready("dev")
        return subprocess.call([python, Path(__file__).resolve(), INSIDE, *arguments])
    parser = argparse.ArgumentParser(prog="film.py", description=__doc__)
    parser.add_argument("demo")
    parser.add_argument("file", type=Path, help="to write, as .webp")
    parser.add_argument("--begin", type=int, default=0, help="the first frame to keep")
    parser.add_argument("--frames", type=int, default=480, help="how many, at 60 a second")
    parser.add_argument("--quality", type=int, default=40, help="of the picture, to 100")
    parser.add_argument("--seed", default="1", help="of the demo's dice")
    film(parser.parse_args(arguments[1:]))
    return 0


def film(chosen: argparse.Namespace) -> None:
    """Play the demo with no window, and keep what it shows."""
    sys.path.insert(0, str(environment.ROOT / "demos"))
    from PIL import Image  # noqa: PLC0415 - not in the Python that makes the venv
    from pygame import Surface, display, image  # noqa: PLC0415

    from poolkit.devtools import shell  # noqa: PLC0415
    from rabbits.window import Window  # noqa: PLC0415
    from shared.loop import shown  # noqa: PLC0415

    flips, pictures = count(1), []

    def keep(canvas: Surface) -> None:
        if (frame := next(flips)) > chosen.begin and frame % DROPPED == 0:
            pictures.append(Image.frombytes("RGB", canvas.get_size(), image.tobytes(canvas, "RGB")))

    # The game "Phones and Rabbits" has a window of its own.
    with (
        patch.object(display, "flip", lambda: keep(shown())),
        patch.object(Window, "flip", lambda window: keep(window.canvas)),
        suppress(SystemExit),
    ):
        last = str(chosen.begin + chosen.frames)
        shell.main(["demo", chosen.demo, "--headless", "--frames", last, "--seed", chosen.seed])
    first, *rest = pictures
    every = 1000 * DROPPED // 60  # milliseconds
    first.save(
        chosen.file,
        save_all=True,
        append_images=rest,
        duration=every,
        loop=0,
        quality=chosen.quality,
        method=6,
    )
    print(f"{chosen.file}: {len(pictures)} pictures, {chosen.file.stat().st_size:,} bytes")


if __name__ == "__main__":
    environment.run_script(main)
