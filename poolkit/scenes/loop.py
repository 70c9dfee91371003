"""The loop that every game writes: window, events, time, drawing. For games that want none."""

from __future__ import annotations

import asyncio
import importlib
import random
import warnings
from contextlib import closing
from typing import TYPE_CHECKING, Any, Protocol

import pygame

from poolkit.scenes.manager import SceneManager, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from typing_extensions import TypeIs

    from poolkit.core.building import Progress
    from poolkit.scenes.manager import Scene

_LONGEST = 0.1  # seconds that a frame counts for, after a break as when the window is moved
_FOCUS = {pygame.WINDOWFOCUSLOST, pygame.WINDOWFOCUSGAINED}  # a window that opens gets several
_BAR = pygame.Rect(0, 0, 200, 6)  # of the loading screen, in pixels


class Tape(Protocol):
    """What `poolkit.devtools.record` and `replay` return."""

    is_replay: bool

    def frame(self, events: Iterable[pygame.Event], dt: float) -> tuple[list[pygame.Event], float]:
        """Record the events and seconds of a frame, or return those that were recorded."""


def run(
    scene: Scene | Callable[[], Scene],
    size: tuple[int, int] = (640, 360),
    *,
    title: str = "",
    fps: int = 60,
    seed: int | None = None,
    tape: Tape | None = None,
) -> None:
    """Open a window and play a scene in it, until it is closed.

    In each frame the scene gets its events, then `update` with the seconds since the last frame (at
    most 0.1), then `draw`. It changes scenes by its `manager`, and ends the game by posting a
    `pygame.QUIT`. Then all scenes `exit`, and the pools are reset; not if a scene raises.

    The window can be resized; the picture keeps its shape, and positions of the mouse are pixels of
    the picture. F11 switches to the full screen and back. F2 shows `poolkit.devtools.Inspector`. If
    the window loses the focus and the scene has a method `pause`, it is called.

    Args:
        scene: The first scene; or its class, or a function that returns it, to be called when the
            window is open: then it can convert images.
        size: Width and height of the picture, in pixels.
        title: Of the window; default: the scene's name.
        fps: Frames a second, at most.
        seed: For `random.seed`. A tape has its own.
        tape: What records or replays the run: that of `record` or `replay`, in its `with`.

    Raises:
        pygame.error: There is no display.
        BaseException: What the scene raised.
    """
    for _ in _frames(scene, size, title, fps, seed, tape):
        pass


async def run_async(
    scene: Scene | Callable[[], Scene],
    size: tuple[int, int] = (640, 360),
    *,
    title: str = "",
    fps: int = 60,
    seed: int | None = None,
    tape: Tape | None = None,
) -> None:
    """Do what `run` does, and let others run between frames: a browser needs that.

    Raises:
        pygame.error: There is no display.
        BaseException: What the scene raised.
    """
    with closing(_frames(scene, size, title, fps, seed, tape)) as frames:
        for _ in frames:
            await asyncio.sleep(0)


def _frames(
    scene: Scene | Callable[[], Scene],
    size: tuple[int, int],
    title: str,
    fps: int,
    seed: int | None,
    tape: Tape | None,
) -> Generator[None, None, None]:
    """Play, and yield after each frame."""
    is_ours = not pygame.get_init()
    pygame.init()
    try:
        screen = _open_window(size)
        if seed is not None and tape is None:
            random.seed(seed)
        first: Any = scene if _is_scene(scene) else scene()
        pygame.display.set_caption(title or name_of(first))
        manager = SceneManager()
        for progress in manager.loading(first):
            if pygame.event.peek(pygame.QUIT):
                return
            _draw_progress(screen, progress)
            yield
        yield from _Loop(manager, screen).frames(fps, tape)
        manager.close()
    finally:
        if is_ours:
            pygame.quit()


class _Loop:
    """Hands events, time and the screen to the scenes."""

    def __init__(self, manager: SceneManager, screen: pygame.Surface) -> None:
        self._manager, self._screen = manager, screen
        self._inspector: Any = None

    def frames(self, fps: int, tape: Tape | None) -> Generator[None, None, None]:
        clock = pygame.Clock()
        while True:
            elapsed = clock.tick(0 if tape is not None and tape.is_replay else fps) / 1000
            events, dt = pygame.event.get(), min(elapsed, _LONGEST)
            if tape is not None:
                events, dt = tape.frame(events, dt)
            for event in events:
                self._handle_event(event)
            kinds = [event.type for event in events]
            if pygame.QUIT in kinds:
                return
            if [kind for kind in kinds if kind in _FOCUS][-1:] == [pygame.WINDOWFOCUSLOST]:
                pause = getattr(self._manager.scene, "pause", None)
                if callable(pause):  # a game may keep a flag of this name
                    pause()
            self._manager.update(dt)
            self._manager.draw(self._screen)
            if self._inspector is not None:
                self._inspector.draw(self._screen, clock.get_rawtime() / 1000)
            pygame.display.flip()
            yield

    def _handle_event(self, event: pygame.Event) -> None:
        key = event.key if event.type == pygame.KEYDOWN else None
        if key == pygame.K_F11:
            pygame.display.toggle_fullscreen()
            return
        if key == pygame.K_F2 and self._inspector is None:
            self._inspector = _new_inspector()
        if self._inspector is not None and self._inspector.handle_event(event):
            return
        self._manager.handle_event(event)


def _is_scene(scene: object) -> TypeIs[Scene]:
    """Return whether it is a scene, also of a class of the game's own; not what makes one."""
    return hasattr(scene, "enter") and not isinstance(scene, type)


def _open_window(size: tuple[int, int]) -> pygame.Surface:
    """Open a window that enlarges the picture on the graphics card, if there is one."""
    with warnings.catch_warnings():  # pygame warns where there is none, as in a browser or a test
        warnings.filterwarnings("ignore", "no fast renderer")
        try:
            screen = pygame.display.set_mode(size, pygame.SCALED | pygame.RESIZABLE)
        except pygame.error:
            screen = pygame.display.set_mode(size)
    return screen


def _draw_progress(screen: pygame.Surface, progress: Progress) -> None:
    screen.fill("black")
    bar = _BAR.move_to(center=screen.get_rect().center)
    pygame.draw.rect(screen, "gray30", bar)
    screen.fill("gray80", (bar.topleft, (round(bar.width * progress.fraction), bar.height)))
    pygame.display.flip()


def _new_inspector() -> Any:
    """Return an inspector; `None` if the game is shipped without devtools.

    By name, for this room knows none of the rooms above it.
    """
    try:
        return importlib.import_module("poolkit.devtools").Inspector()
    except ImportError:
        return None
