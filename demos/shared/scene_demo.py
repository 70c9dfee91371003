"""What all demos are made of: a scene on the left, and its pools on the right."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pygame

from poolkit import Progress, pools
from poolkit.scenes import Scene, SceneManager
from shared.loop import MOST_STEPS, open_screen, parse_options, play, save_screenshot
from shared.pictures import nine_slice
from shared.pixel_font import draw_text
from shared.pool_panel import PoolPanel, Row, draw_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.frame_graph import FrameGraph

__all__ = ["PANEL", "SIZE", "WINDOW", "SceneDemo", "run", "self_play"]

SIZE = 960, 640  # pixels: the scene
PANEL = pygame.Rect(SIZE[0], 0, 320, SIZE[1])
WINDOW = PANEL.right, PANEL.bottom
BRIGHT, TEXT = (236, 240, 246), (148, 160, 180)
GREEN, RED = (126, 210, 110), (238, 78, 70)


class SceneDemo:
    """A demo that plays scenes; what a demo shows besides is said in a subclass."""

    help_lines: ClassVar[Sequence[Sequence[tuple[str, str]]]]
    # What it presses when it plays itself, evenly spread; None is a pause.
    self_play_keys: ClassVar[Sequence[int | None]]
    self_play_frames: ClassVar[int] = 400
    most_steps: ClassVar[int] = MOST_STEPS  # a frame
    loading_budget_ms: ClassVar[float] = 0.0  # none: the bar moves for every single instance

    def __init__(self, screen: pygame.Surface, rows: list[Row], graph: FrameGraph) -> None:
        """Show `rows` and `graph`; `screen` is for showing how far loading is."""
        self.screen = screen
        self.running = True
        self.is_pooling = True
        self.frame = nine_slice("panel", PANEL.size)
        self.panel = PoolPanel(rows, PANEL.inflate(-40, -40).move(0, 34))
        self.graph = graph
        self.scenes = SceneManager()
        self.scenes.add_reset_hook(self.panel.clear)
        self.next_scene()

    @property
    def title(self) -> str:
        """What the panel calls the scene."""
        raise NotImplementedError

    def choose_scene(self) -> Scene:
        """Return the scene that comes next."""
        raise NotImplementedError

    def draw_backdrop(self, surface: pygame.Surface) -> None:
        """Draw what is behind the bar while the scene is loaded."""
        raise NotImplementedError

    def next_scene(self) -> None:
        """Leave the scene with all that is in it, and load the next."""
        self.scenes.load(self.choose_scene(), self.draw_loading, budget_ms=self.loading_budget_ms)
        self.panel.begin_level()
        self.graph.begin()

    def handle_event(self, event: pygame.Event) -> None:
        """Do what the keys of all demos say; the scene knows its own."""
        self.scenes.handle_event(event)
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            if event.key == pygame.K_ESCAPE:
                self.running = False
            elif event.key == pygame.K_n:
                self.next_scene()
            elif event.key == pygame.K_p:
                self.is_pooling = not self.is_pooling
                pools.configure(pooling=self.is_pooling)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: the timers of all lives first, then the scene."""
        pools.update(dt)
        self.scenes.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the scene and the panel."""
        self.scenes.draw(surface)
        self.draw_panel(surface)

    def draw_panel(self, surface: pygame.Surface) -> None:
        """Draw everything beside the scene."""
        surface.fill((18, 21, 30), PANEL)
        surface.blit(self.frame, PANEL)
        left, right = self.panel.place.left, self.panel.place.right
        draw_text(surface, self.title, (left, 22), BRIGHT, scale=3)
        word, color = ("pooling", GREEN) if self.is_pooling else ("no pooling", RED)
        draw_text(surface, word, (right, 25), color, align=1)
        self.panel.draw(surface)
        self.graph.draw(surface)
        for number, line in enumerate(self.help_lines):
            x, y = left, 562 + 21 * number
            for key, meaning in line:
                x += draw_key(surface, key, (x, y)) + 5
                x += draw_text(surface, meaning, (x, y + 3), TEXT) + 12

    def draw_loading(self, progress: Progress) -> None:
        """Show how far prewarming is: a bar, and the cells that fill up in the panel."""
        surface = self.screen
        self.draw_backdrop(surface)
        surface.fill((60, 60, 72), (0, 0, *SIZE), special_flags=pygame.BLEND_RGB_MULT)
        x, y = SIZE[0] // 2, SIZE[1] // 2
        draw_text(surface, self.title, (x, y - 50), BRIGHT, scale=5, align=0.5)
        bar = pygame.Rect(x - 150, y, 300, 16)
        pygame.draw.rect(surface, (96, 108, 132), bar, 2)
        surface.fill(GREEN, (bar.x + 4, bar.y + 4, round(292 * progress.fraction), 8))
        words = f"prewarming {progress.done} of {progress.total}"
        draw_text(surface, words, (x, y + 28), TEXT, align=0.5)
        self.draw_panel(surface)
        pygame.display.flip()

    def frame_took(self, seconds: float) -> None:
        """Add a frame to the graph."""
        self.graph.add(seconds)


def self_play(keys: Sequence[int | None], frames_in_all: int, frame: int) -> Sequence[int]:
    """Return which of `keys` to press in a frame, so that all are pressed in so many frames."""
    span = max(1, frames_in_all * 8 // 10)
    now = [
        key
        for number, key in enumerate(keys)
        if key is not None and number * span // len(keys) == frame
    ]
    return [*now, pygame.K_ESCAPE] if frame == frames_in_all - 1 else now


def run(
    make: Callable[[pygame.Surface], SceneDemo],
    name: str,
    description: str | None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Play a demo as its command line says, and return its exit code."""
    options = parse_options(name, description or "", arguments)
    random.seed(options.seed)
    screen, headless = open_screen(WINDOW, f"poolkit: {name}", headless=options.headless)
    demo = make(screen)
    count = options.frames or (demo.self_play_frames if headless else None)
    with demo.graph.probe:
        if headless and count:
            keys = demo.self_play_keys
            play(demo, screen, frames=count, script=lambda frame: self_play(keys, count, frame))
        else:
            play(demo, screen, frames=count, most_steps=demo.most_steps)
    shot = options.screenshot or (Path(f"screenshots/{name}.png") if headless else None)
    if shot:
        save_screenshot(screen, shot)
    print(pools.report())
    sys.stdout.flush()
    pygame.quit()
    return 0
