"""What is around a demo: its command line, the keys that nobody presses, a screenshot."""

import argparse
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import ClassVar, NoReturn, cast

import pygame

from poolkit.devtools import Inspector, apply_profile, record_profile
from poolkit.scenes import Scene, run

STEP = 1 / 60  # seconds: demos advance in equal steps, so that equal seeds give equal games


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


def has_display() -> bool:
    """Return whether a window can be opened; on Linux there may be none to open it on."""
    hints = "DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"
    if sys.platform == "linux" and not any(map(os.environ.get, hints)):
        return False
    try:
        pygame.display.init()
    except pygame.error:  # the window system can't be reached
        return False
    return not is_headless()


def is_headless() -> bool:
    """Return whether what is drawn can't be seen."""
    return pygame.display.get_driver() in {"dummy", "offscreen"}


def shown() -> pygame.Surface:
    """Return what is drawn on, once there is a window."""
    return cast("pygame.Surface", pygame.display.get_surface())


class Demo(Scene):
    """The scene that a demo begins with, until it is closed."""

    inspector: Inspector | None = None  # in a place of its own: `run` needn't show another
    self_play_frames: ClassVar[int]

    def self_play(self, frames: int, frame: int) -> Iterable[int]:
        """Return the keys that are pressed in a frame, when it plays itself for so many."""
        del frames, frame
        return ()


class Tape:
    """Stands between the player and `run`: leaves after some frames, and plays if nobody does."""

    def __init__(self, demo: Demo, frames: int | None) -> None:
        """Take the demo, and after how many frames to leave."""
        self.demo, self.frames, self.frame_number = demo, frames, 0
        self.is_replay = is_headless()  # then `run` doesn't wait

    def frame(self, events: Iterable[pygame.Event], dt: float) -> tuple[list[pygame.Event], float]:
        """Return the events of a frame and its seconds, as `run` asks of a tape."""
        if self.frame_number == self.frames:
            return [pygame.Event(pygame.QUIT)], dt
        events = list(events)
        if self.is_replay and self.frames:
            dt = STEP
            events += presses(self.demo.self_play(self.frames, self.frame_number))
        self.frame_number += 1
        inspector = self.demo.inspector
        if inspector is not None:
            events = [event for event in events if not inspector.handle_event(event)]
        return events, dt


def presses(keys: Iterable[int]) -> list[pygame.Event]:
    """Return what it is to press and release keys."""
    kinds = pygame.KEYDOWN, pygame.KEYUP
    return [
        pygame.Event(kind, key=key, mod=0, unicode="", scancode=0) for key in keys for kind in kinds
    ]


def leave() -> None:
    """Leave the demo: what `run` gets when the window is closed."""
    pygame.event.post(pygame.Event(pygame.QUIT))


def play(
    make: Callable[[], Demo],
    name: str,
    description: str | None,
    size: tuple[int, int],
    arguments: Sequence[str] | None = None,
) -> int:
    """Play a demo as its command line says, and return its exit code."""
    options = parse_options(name, description, arguments)
    open_display(f"poolkit: {name}", headless=options.headless)
    random.seed(options.seed)
    recorder = None
    if options.profile:
        apply_profile(options.profile)
        recorder = record_profile(options.profile)
    demo = make()
    frames = options.frames or (demo.self_play_frames if is_headless() else None)
    tape = Tape(demo, frames)
    run(demo, size, title=f"poolkit: {name}", tape=tape)
    if recorder:
        recorder.stop()
        print(recorder.error or f"kept what was needed in {recorder.path}")
    shot = options.screenshot or (Path(f"screenshots/{name}.png") if is_headless() else None)
    if shot:
        save_screenshot(shown(), shot)
    pygame.quit()
    return 0


def open_display(title: str, *, headless: bool) -> None:
    """Initialise pygame, for no window if that is wanted or there is no display."""
    # What the window system knows the program by: pygame takes the file's name for it.
    os.environ["SDL_VIDEO_X11_WMCLASS"] = os.environ["SDL_VIDEO_WAYLAND_WMCLASS"] = title
    if headless or not has_display():
        os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
        pygame.display.quit()
    pygame.init()


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
