#!/usr/bin/env python3
"""A cube a frame, each gone after five seconds; with pooling and without it, side by side."""

import gc
import sys
from collections.abc import Sequence
from typing import ClassVar

import pygame

from fountain.garden import Garden
from fountain.scoreboard import Scoreboard
from poolkit.devtools import CollectorProbe
from shared.pictures import nine_slice
from shared.scene_demo import BRIGHT, DARK, SIZE, TEXT, SceneDemo, run
from shared.words import draw_text

RATES = {pygame.K_1: 1, pygame.K_2: 5, pygame.K_3: 10}  # how many a frame
STRIP = pygame.Rect(0, 500, SIZE[0], 140)  # where the figures are

# What the demo presses when it plays itself: every key, and time to see what each of them does.
WAIT = [None] * 4
SELF_PLAY = [pygame.K_1, pygame.K_n, pygame.K_2, pygame.K_3, pygame.K_h, *WAIT]
SELF_PLAY += [pygame.K_p, *WAIT, *WAIT, *WAIT, pygame.K_p, None]


def real_games_heap(count: int = 300_000) -> list[list[object]]:
    """Return that many live objects, each of which knows another."""
    things: list[list[object]] = [[] for _ in range(count)]
    for number, thing in enumerate(things):
        thing.append(things[number * 7919 % count])
    return things


class CubesDemo(SceneDemo):
    """The fountain, and below it how long frames take with pooling and without it."""

    keys = ("1 2 3", "1 5 10 a frame"), ("H", "a full heap"), ("N", "start again")
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY
    self_play_frames = 1200
    loading_budget_ms = 16.0
    most_steps = 1  # for it is a cube a frame: two steps in a slow one would make it slower still

    def __init__(self, screen: pygame.Surface) -> None:
        self.garden = Garden(rate=1)
        self.heap: list[list[object]] = []
        self.strip = nine_slice("panel", STRIP.size)
        self.scoreboard = Scoreboard(pygame.Rect(STRIP.left + 330, STRIP.top + 24, 600, 92))
        self.probe = CollectorProbe()  # of its own: the inspector's runs only while it is shown
        self.probe.start()
        super().__init__(screen)

    def close(self) -> None:
        """Let go of the collector as well."""
        super().close()
        self.probe.stop()

    def choose_scene(self) -> Garden:
        """Begin anew, with as many a frame as there were."""
        self.garden = Garden(self.garden.rate)
        return self.garden

    def next_scene(self) -> None:
        """Start again. The heap is filled anew: loading lets the collector ignore what is there."""
        is_filled = bool(self.heap)
        self.heap = []
        super().next_scene()
        self.heap = real_games_heap() if is_filled else []
        self.scoreboard.clear()

    def key_pressed(self, key: int) -> None:
        """Change how many fly, switch pooling, or fill the heap; then measure anew."""
        super().key_pressed(key)
        if key in RATES:
            self.garden.rate = RATES[key]
            self.scoreboard.clear()
        elif key == pygame.K_h:
            self.heap = [] if self.heap else real_games_heap()
            self.scoreboard.clear()
        elif key == pygame.K_p:
            self.scoreboard.clear(self.is_pooling)
        else:
            return
        if self.is_pooling:
            self.garden.enlarge_pools()
        gc.collect()  # neither side has to clear up after the other
        self.has_just_loaded = True  # the inspector begins anew with the scoreboard's row

    def frame_took(self, seconds: float) -> None:
        """Add a frame to its column of the figures."""
        super().frame_took(seconds)
        self.scoreboard.add(seconds, self.probe.take(), is_pooling=self.is_pooling)

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw the figures below the garden."""
        super().draw_frame(surface)
        surface.fill(DARK, STRIP)
        surface.blit(self.strip, STRIP)
        self.scoreboard.draw(surface)
        x, y = STRIP.left + 28, self.scoreboard.place.top
        kind = "1 cube" if self.garden.rate == 1 else f"{self.garden.rate} cubes"
        draw_text(surface, f"{kind} a frame", (x, y + 34), BRIGHT)
        words = "heap: 300,000 objects" if self.heap else "heap: next to nothing"
        draw_text(surface, words, (x, y + 66), BRIGHT if self.heap else TEXT)


if __name__ == "__main__":
    sys.exit(run(CubesDemo, "cubes", __doc__))
