"""What the tests of all demos share: a demo with pools to itself, keys, and programs."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from unittest import mock

import pygame

from poolkit import PoolingSystem, pools
from poolkit.scenes import SceneManager, manager
from shared.loop import STEP, Demo, presses, shown
from shared.scene_demo import SIZE, WINDOW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
SCENE = pygame.Rect(0, 0, *SIZE)
DemoT = TypeVar("DemoT", bound=Demo)


@contextlib.contextmanager
def own_pools() -> Iterator[None]:
    """The process's pools for oneself, and the same dice every time."""
    others = vars(pools).copy()
    vars(pools).update(vars(PoolingSystem()))
    random.seed(1)
    with mock.patch.object(manager, "settle"):  # a test run's heap is slow to look through
        try:
            yield
        finally:
            pools.dispose()  # the persistent ones as well
            vars(pools).update(others)


@contextlib.contextmanager
def playing(make: Callable[[], DemoT], size: tuple[int, int] = WINDOW) -> Iterator[DemoT]:
    """A demo that has just begun, with the process's pools to itself."""
    with own_pools():
        pygame.display.set_mode(size)  # pictures are loaded for it
        pygame.event.clear()
        scenes, demo = SceneManager(), make()
        scenes.load(demo)
        yield demo
        scenes.close()


def hit(demo: Demo, *keys: int, frames: int = 1) -> None:
    """Press keys, and let frames pass."""
    for event in presses(keys):
        demo.handle_event(event)
    for _ in range(frames):
        demo.update(STEP)
        demo.draw(shown())


def pixels(demo: Demo, area: pygame.Rect) -> bytes:
    screen = shown()
    demo.draw(screen)
    return pygame.image.tobytes(screen.subsurface(area), "RGB")


def start(name: str, *options: object, folder: Path, **surroundings: str) -> subprocess.Popen[str]:
    """Start a demo as a program, from another folder."""
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    env |= {"PYTHONPATH": str(ROOT), **surroundings}
    place = ROOT / "demos" / name
    return subprocess.Popen(
        [sys.executable, place if place.is_dir() else f"{place}.py", *map(str, options)],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(program: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = program.communicate(timeout=600)  # a guard against hanging, no measure
    return program.returncode, out, err


def plays_the_same_twice(
    name: str,
    frames: int,
    folder: Path,
    scene: pygame.Rect = SCENE,
    window: tuple[int, int] = WINDOW,
) -> str:
    """Check that a seed plays the same game, pixel by pixel; return what it printed.

    The pixels are those of `scene`, for the rest shows how long frames took.
    """
    folders = [folder / number for number in ("one", "two")]
    programs = []
    for number, place in enumerate(folders):
        place.mkdir()
        options = ("--headless", "--frames", frames, "--seed", 1, "--screenshot", "shot.png")
        # Nor does it hang on the order of sets.
        programs.append(start(name, *options, folder=place, PYTHONHASHSEED=str(number)))
    (code, out, err), (_, again, _) = map(ended, programs)
    assert (code, err) == (0, "")
    assert out == again
    shots = [pygame.image.load(place / "shot.png") for place in folders]
    assert shots[0].get_size() == window
    scenes = [pygame.image.tobytes(shot.subsurface(scene), "RGB") for shot in shots]
    assert scenes[0] == scenes[1]
    return out
