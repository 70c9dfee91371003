#!/usr/bin/env python3
"""Orcs, trolls, ogres and dragons, and the pools that they come from and go back to."""

from __future__ import annotations

import random
import sys
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from arena.bestiary import KINDS
from arena.effects import ember, puff, spark
from arena.levels import DUNGEON, LAVA, SIZE, Level
from arena.shapes import draw_shapes
from arena.stage import world
from poolkit import Progress, pools
from poolkit.scenes import SceneManager
from shared.frame_graph import FrameGraph
from shared.loop import open_screen, parse_options, play, save_screenshot
from shared.pictures import frames, nine_slice, picture
from shared.pixel_font import draw_text
from shared.pool_panel import PoolPanel, Row, draw_key

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MonstersDemo", "main"]

PANEL = pygame.Rect(SIZE[0], 0, 320, SIZE[1])
WINDOW = PANEL.right, PANEL.bottom
COLORS = ((124, 208, 84), (92, 178, 200), (230, 168, 102), (236, 86, 74))
HELP = (
    (("1 2 3 4", "spawn"), ("Q W E R", "despawn")),
    (("space", "wave"), ("N", "next level")),
    (("P", "pooling"), ("F1", "shapes"), ("esc", "leave")),
)

# What the demo presses when it plays itself: every key, some of them often.
KEYS = [pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4]
LESS = [pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r]
SWITCH = [pygame.K_p, pygame.K_1, pygame.K_2, pygame.K_q, pygame.K_3, pygame.K_p]
SELF_PLAY = [*KEYS, *LESS, pygame.K_F1, pygame.K_SPACE, pygame.K_F1, pygame.K_n, *KEYS, *SWITCH]
SELF_PLAY += [*LESS, pygame.K_n, pygame.K_SPACE, *KEYS, *KEYS]


class MonstersDemo:
    """The arena on the left, the pools on the right."""

    def __init__(self, screen: pygame.Surface) -> None:
        """Load the first level; `screen` shows how far it is."""
        self.screen = screen
        self.running = True
        self.shows_shapes = False
        self.is_pooling = True
        self.frame = nine_slice("panel", PANEL.size)
        area = PANEL.inflate(-40, -40)
        heads = [pygame.transform.scale_by(head, 2) for head in frames("icons", 4)]
        looks = zip(KINDS, heads, COLORS, zip("1234", "QWER", strict=True), strict=True)
        rows = [Row(kind, head, color, keys) for kind, head, color, keys in looks]
        rows += [
            Row(puff, pygame.transform.scale(frames("puff", 6)[1], (32, 32)), (190, 184, 200)),
            Row(spark, pygame.transform.scale_by(frames("spark", 4)[0], 2), (255, 214, 96)),
            Row(ember, pygame.transform.scale_by(frames("spark", 4)[3], 2), (244, 140, 60)),
        ]
        self.panel = PoolPanel(rows, area.move(0, 34))
        self.graph = FrameGraph(pygame.Rect(area.left, 478, area.width, 56))
        self.scenes = SceneManager()
        self.scenes.add_reset_hook(self.panel.clear)
        self.levels = cycle((DUNGEON, LAVA))
        self.next_level()

    def next_level(self) -> None:
        """Leave the level with all that is in it, and load the next."""
        self.place = next(self.levels)
        self.scenes.load(Level(self.place), self.draw_loading, budget_ms=0)
        self.panel.begin_level()
        self.graph.begin()

    def handle_event(self, event: pygame.Event) -> None:
        """Do what the keys of the game say; the level knows those of the monsters."""
        self.scenes.handle_event(event)
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            if event.key == pygame.K_ESCAPE:
                self.running = False
            elif event.key == pygame.K_n:
                self.next_level()
            elif event.key == pygame.K_F1:
                self.shows_shapes = not self.shows_shapes
            elif event.key == pygame.K_p:
                self.is_pooling = not self.is_pooling
                pools.configure(pooling=self.is_pooling)

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: the timers of all lives first, then the level."""
        pools.update(dt)
        self.scenes.update(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level and the panel."""
        self.scenes.draw(surface)
        if self.shows_shapes:
            draw_shapes(surface, world)
        self.draw_panel(surface)

    def draw_panel(self, surface: pygame.Surface) -> None:
        """Draw everything to the right of the arena."""
        surface.fill((18, 21, 30), PANEL)
        surface.blit(self.frame, PANEL)
        left, right = self.panel.place.left, self.panel.place.right
        draw_text(surface, self.place.name, (left, 22), (236, 240, 246), scale=3)
        word, color = (
            ("pooling", (126, 210, 110)) if self.is_pooling else ("no pooling", (238, 78, 70))
        )
        draw_text(surface, word, (right, 25), color, align=1)
        self.panel.draw(surface)
        self.graph.draw(surface)
        for number, line in enumerate(HELP):
            x, y = left, 562 + 21 * number
            for key, meaning in line:
                x += draw_key(surface, key, (x, y)) + 5
                x += draw_text(surface, meaning, (x, y + 3), (148, 160, 180)) + 12

    def draw_loading(self, progress: Progress) -> None:
        """Show how far prewarming is: a bar, and the cells that fill up in the panel."""
        surface = self.screen
        surface.blit(picture(self.place.background), (0, 0))
        surface.fill((60, 60, 72), (0, 0, *SIZE), special_flags=pygame.BLEND_RGB_MULT)
        x, y = SIZE[0] // 2, SIZE[1] // 2
        draw_text(surface, self.place.name, (x, y - 50), (236, 240, 246), scale=5, align=0.5)
        bar = pygame.Rect(x - 150, y, 300, 16)
        pygame.draw.rect(surface, (96, 108, 132), bar, 2)
        surface.fill((126, 210, 110), (bar.x + 4, bar.y + 4, round(292 * progress.fraction), 8))
        words = f"prewarming {progress.done} of {progress.total}"
        draw_text(surface, words, (x, y + 28), (148, 160, 180), align=0.5)
        self.draw_panel(surface)
        pygame.display.flip()

    def frame_took(self, seconds: float) -> None:
        """Add a frame to the graph."""
        self.graph.add(seconds)


def self_play(frames_in_all: int, frame: int) -> Sequence[int]:
    """Return the keys to press in a frame, so that all are pressed in so many frames."""
    span = max(1, frames_in_all * 8 // 10)
    keys = [key for number, key in enumerate(SELF_PLAY) if number * span // len(SELF_PLAY) == frame]
    return [*keys, pygame.K_ESCAPE] if frame == frames_in_all - 1 else keys


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo and return its exit code."""
    options = parse_options("monsters", __doc__ or "", arguments)
    random.seed(options.seed)
    screen, headless = open_screen(WINDOW, "poolkit: monsters", headless=options.headless)
    demo = MonstersDemo(screen)
    count = options.frames or (400 if headless else None)
    with demo.graph.probe:
        if headless and count:
            play(demo, screen, frames=count, script=lambda frame: self_play(count, frame))
        else:
            play(demo, screen, frames=count)
    shot = options.screenshot or (Path("screenshots/monsters.png") if headless else None)
    if shot:
        save_screenshot(screen, shot)
    print(pools.report())
    pygame.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
