#!/usr/bin/env python3
"""A cube a frame, each gone after five seconds; with pooling and without it, side by side."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, ClassVar

import pygame

from fountain.garden import Garden
from fountain.scoreboard import POOLING, Scoreboard
from fountain.solids import crate, cube, gem, marble, paint_marble
from shared.frame_graph import FrameGraph
from shared.pictures import frames, nine_slice, picture
from shared.pixel_font import draw_text
from shared.pool_panel import Row
from shared.scene_demo import SIZE, SceneDemo, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CubesDemo", "main"]

RATES = {pygame.K_1: 1, pygame.K_2: 5, pygame.K_3: 10}  # how many a frame
STRIP = pygame.Rect(0, 500, SIZE[0], 140)  # where the graph is
BRIGHT, TEXT = (236, 240, 246), (148, 160, 180)

# What the demo presses when it plays itself: every key, and time to see what each of them does.
WAIT = [None] * 4
SELF_PLAY = [pygame.K_1, pygame.K_n, pygame.K_2, pygame.K_3, pygame.K_h, *WAIT]
SELF_PLAY += [pygame.K_p, *WAIT, *WAIT, *WAIT, pygame.K_p, None]


class Thing:
    """One of the many objects that a real game has."""

    __slots__ = ("neighbours",)

    def __init__(self) -> None:
        """Know nobody yet."""
        self.neighbours: list[Thing] = []


def real_games_heap(count: int = 300_000) -> list[Thing]:
    """Return that many live objects, half of them lists, which all have others."""
    things = [Thing() for _ in range(count // 2)]
    for number, thing in enumerate(things):
        thing.neighbours.append(things[number * 7919 % len(things)])
    return things


class CubesDemo(SceneDemo):
    """The fountain, the frames it took below, and the figures on the right."""

    help_lines = (
        (("1 2 3", "1 5 10 a frame"),),
        (("P", "pooling"), ("H", "a full heap")),
        (("N", "start again"), ("esc", "leave")),
    )
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY
    self_play_frames = 1200
    loading_budget_ms = 16.0
    most_steps = 1  # for it is a cube a frame: two steps in a slow one would make it slower still

    def __init__(self, screen: pygame.Surface) -> None:
        """Begin with a cube a frame."""
        self.garden = Garden(rate=1)
        self.heap: list[Thing] = []
        self.strip = nine_slice("panel", STRIP.size)
        self.scoreboard = Scoreboard(pygame.Rect(980, 366, 280, 110))
        rows = [
            Row(cube, frames("cube", 72)[55], (168, 156, 248)),
            Row(gem, frames("gem", 48)[2], (132, 240, 232)),
            Row(crate, frames("crate", 12)[8], (208, 156, 88)),
            Row(marble, paint_marble(330, 3, 0), (244, 140, 190)),
        ]
        place = pygame.Rect(STRIP.left + 22, STRIP.top + 34, STRIP.width - 44, 72)
        super().__init__(screen, rows, FrameGraph(place, full=0.032, frames_a_bar=2))

    @property
    def title(self) -> str:
        """What the panel calls the scene."""
        return "fountain"

    def choose_scene(self) -> Garden:
        """Begin anew, with as many a frame as there were."""
        self.garden = Garden(self.garden.rate)
        return self.garden

    def draw_backdrop(self, surface: pygame.Surface) -> None:
        """Draw the garden without anything in the air."""
        surface.blit(picture("fountain"), (0, 0))

    def next_scene(self) -> None:
        """Start again. The heap is filled anew: loading lets the collector ignore what is there."""
        is_filled = bool(self.heap)
        self.heap = []
        super().next_scene()
        self.heap = real_games_heap() if is_filled else []
        self.scoreboard.clear()

    def handle_event(self, event: pygame.Event) -> None:
        """Change how many fly, switch pooling, or fill the heap; then measure anew."""
        super().handle_event(event)
        if event.type != pygame.KEYDOWN:
            return
        if event.key in RATES:
            self.garden.rate = RATES[event.key]
            self.scoreboard.clear()
        elif event.key == pygame.K_h:
            self.heap = [] if self.heap else real_games_heap()
            self.scoreboard.clear()
        elif event.key != pygame.K_p:
            return
        if self.is_pooling:
            self.garden.enlarge_pools()
        gc.collect()  # neither side has to clear up after the other
        self.graph.skip()

    def frame_took(self, seconds: float) -> None:
        """Add a frame to the graph and to its column of the figures."""
        before = self.graph.collections[2]
        if self.graph.add(seconds, POOLING[self.is_pooling]):
            full = self.graph.collections[2] - before
            self.scoreboard.add(seconds, full, is_pooling=self.is_pooling)

    def draw_panel(self, surface: pygame.Surface) -> None:
        """Draw the pools and the figures beside the garden, the graph below it."""
        surface.fill((18, 21, 30), STRIP)
        surface.blit(self.strip, STRIP)
        super().draw_panel(surface)
        self.scoreboard.draw(surface)
        x, y = self.scoreboard.place.left, self.scoreboard.place.bottom + 16
        kind = "1 cube" if self.garden.rate == 1 else f"{self.garden.rate} cubes"
        draw_text(surface, f"{kind} a frame", (x, y), BRIGHT)
        words = "heap: 300,000 objects" if self.heap else "heap: next to nothing"
        draw_text(surface, words, (x, y + 20), BRIGHT if self.heap else TEXT)
        x, y = STRIP.right - 24, STRIP.bottom - 28
        for is_pooling, words in ((False, "without"), (True, "pooling")):
            x -= draw_text(surface, words, (x, y), TEXT, align=1) + 15
            surface.fill(POOLING[is_pooling], (x, y + 3, 10, 4))
            x -= 14


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo and return its exit code."""
    return run(CubesDemo, "cubes", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
