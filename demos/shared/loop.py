"""What is around a demo: its command line, its window, a key that nobody presses, a screenshot."""

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pygame

from shared.window import Window


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are a line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end the program."""
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def parse_options(
    name: str, description: str | None, arguments: Sequence[str] | None = None
) -> argparse.Namespace:
    """Read the command line that all demos share."""
    example = f"python demos/{name}.py --headless --frames 300 --seed 7 --screenshot {name}.png"
    parser = Parser(prog=name, description=description, epilog=f"example: {example}")
    add = parser.add_argument
    add("--headless", action="store_true", help="play itself, with no window")
    add("--frames", type=count, metavar="N", help="end after N frames")
    add("--seed", type=int, metavar="N", help="the same dice every time")
    add(
        "--screenshot",
        type=Path,
        metavar="PATH",
        help=f"save the last frame; with no window: screenshots/{name}.png",
    )
    add(
        "--profile",
        type=Path,
        metavar="FILE",
        help="prespawn what earlier runs needed, and keep there what this one needs",
    )
    return parser.parse_args(arguments)


def count(text: str) -> int:
    """Read a number of frames."""
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        message = f"a number of frames is 1 or more, not {text}"
        raise argparse.ArgumentTypeError(message)
    return number


def open_window(title: str, size: tuple[int, int], *, headless: bool = False) -> Window:
    """Open a window, or one in memory, if that is wanted or there is no display."""
    hints = "DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"
    if not headless and (sys.platform != "linux" or any(map(os.environ.get, hints))):
        with contextlib.suppress(pygame.error):  # the window system can't be reached
            return Window(title, size)
    return Window(title, size, headless=True)


def press(key: int) -> None:
    """Press and release a key, as a player would: by way of pygame's event queue."""
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.Event(kind, key=key, mod=0, unicode="", scancode=0))


def save_screenshot(screen: pygame.Surface, path: Path) -> None:
    """Save what is on the screen, making the folder if need be.

    Raises:
        SystemExit: It can't be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pygame.image.save(screen, path)
    except (OSError, pygame.error) as error:
        message = f"the screenshot can't be saved: {error}"
        raise SystemExit(message) from None
    print(f"saved {path}")
