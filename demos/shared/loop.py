"""The loop of a demo: in a window, or off-screen, where the demo plays itself."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pygame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.scene_demo import SceneDemo

STEP = 1 / 60  # seconds: the game advances in equal steps, so that equal seeds give equal games
MOST_STEPS = 4  # a frame: beyond it the game slows down rather than fall behind


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are a line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


class Options(argparse.Namespace):
    """The command line of a demo."""

    headless: bool
    frames: int | None
    seed: int | None
    screenshot: Path | None
    profile: Path | None


def parse_options(name: str, description: str, arguments: Sequence[str] | None = None) -> Options:
    """Read the command line that all demos share."""
    parser = _Parser(
        prog=name,
        description=description,
        epilog=f"example: python demos/{name}.py --headless --frames 300 --seed 7 "
        f"--screenshot {name}.png",
    )
    parser.add_argument("--headless", action="store_true", help="play itself, with no window")
    parser.add_argument("--frames", type=_count, metavar="N", help="end after N frames")
    parser.add_argument("--seed", type=int, metavar="N", help="the same dice every time")
    parser.add_argument(
        "--screenshot",
        type=Path,
        metavar="PATH",
        help=f"save the last frame (with no window: screenshots/{name}.png)",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="prespawn what earlier runs needed, and keep there what this one needs",
    )
    options = parser.parse_args(arguments, namespace=Options())
    options.headless = options.headless or not _has_display()
    return options


def open_screen(
    size: tuple[int, int], title: str, *, headless: bool
) -> tuple[pygame.Surface, bool]:
    """Open a window, or a screen in memory; return it, and whether it is in memory."""
    if headless:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        pygame.display.init()
    except pygame.error:  # the window system can't be reached
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        pygame.display.init()
    headless = pygame.display.get_driver() in {"dummy", "offscreen"}
    screen = pygame.display.set_mode(size, 0 if headless else pygame.SCALED | pygame.RESIZABLE)
    pygame.display.set_caption(title)
    return screen, headless


def play(
    demo: SceneDemo,
    screen: pygame.Surface,
    *,
    frames: int | None = None,
    script: Callable[[int], Sequence[int]] | None = None,
    most_steps: int = MOST_STEPS,
) -> None:
    """Run a demo until it stops running.

    Args:
        demo: What is played.
        screen: What it is drawn on.
        frames: How many frames to play at most.
        script: The keys to press in each frame. With it, no frame waits for the clock.
        most_steps: How many steps a frame may make to catch up with the clock.
    """
    clock = pygame.Clock()
    owed = 0.0
    frame = 0
    while demo.running and frame != frames:
        elapsed = STEP if script else clock.tick(60) / 1000
        for key in script(frame) if script else ():
            press(key)
        began = time.perf_counter()
        for event in pygame.event.get():
            demo.handle_event(event)
        # A clock that is a few milliseconds off would make the game stutter: take it as exact.
        owed += STEP if abs(elapsed - STEP) < STEP / 4 else elapsed
        owed = min(owed, most_steps * STEP)
        while owed > STEP / 2:
            demo.update(STEP)
            owed -= STEP
        demo.draw(screen)
        demo.frame_took(time.perf_counter() - began)
        pygame.display.flip()
        frame += 1


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


def _count(text: str) -> int:
    count = int(text) if text.isdecimal() else 0
    if count < 1:
        message = f"a number of frames is 1 or more, not {text}"
        raise argparse.ArgumentTypeError(message)
    return count


def _has_display() -> bool:
    if sys.platform != "linux" or os.environ.get("SDL_VIDEODRIVER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
