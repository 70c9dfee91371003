#!/usr/bin/env python3
"""A cube a frame, each gone after four seconds: pooled, and beside it made by hand."""

import gc
import sys
from collections.abc import Sequence
from typing import ClassVar

import pygame

from fountain.garden import Garden, two_halves
from shared.letters import draw_text
from shared.loop import play
from shared.scene_demo import BRIGHT, DARK, FOOT, TEXT, WINDOW, SceneDemo

RATES = {pygame.K_1: 1, pygame.K_2: 2}  # how many a frame

# What the demo presses when it plays itself: every key, and time to see what each of them does.
WAIT = [None] * 4
SELF_PLAY = [pygame.K_1, pygame.K_n, pygame.K_2, pygame.K_h, *WAIT]
SELF_PLAY += [pygame.K_p, *WAIT, pygame.K_p, *WAIT, *WAIT, *WAIT]


def real_games_heap(count: int = 200_000) -> list[list[object]]:
    """Return that many live objects, each of which knows another."""
    things: list[list[object]] = [[] for _ in range(count)]
    for number, thing in enumerate(things):
        thing.append(things[number * 7919 % count])
    return things


class CubesDemo(SceneDemo):
    """Two fountains, and below each how long its frames take."""

    keys = ("1 2", "1 or 2 a frame"), ("H", "a full heap"), ("N", "start again")
    pooling_key = "pool on the right, too"
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY
    self_play_frames = 1200
    loading_budget_ms = 16.0
    most_steps = 1  # a cube a frame: two steps in a slow one would make it slower still
    side = None  # the inspector is drawn over a half

    def __init__(self) -> None:
        self.halves = two_halves()
        self.garden = Garden(1, self.halves)
        self.heap: list[list[object]] = []
        super().__init__()

    def choose_scene(self) -> Garden:
        """Begin again, with as many a frame as there were."""
        self.garden = Garden(self.garden.rate, self.halves)
        return self.garden

    def next_scene(self) -> None:
        """Start again. The heap is filled later, or loading would hide it from the collector."""
        is_filled = bool(self.heap)
        self.heap = []
        super().next_scene()
        self.heap = real_games_heap() if is_filled else []
        self.measure_again()

    def measure_again(self) -> None:
        """Forget what was measured, and collect what either half has left."""
        gc.collect()
        for half in self.halves:
            half.board.clear()
        self.has_just_loaded = True

    def switch_pooling(self) -> None:
        """Pool on the right as well, or no longer."""
        self.halves[1].is_pooling = not self.halves[1].is_pooling
        self.garden.enlarge_pools()

    def key_pressed(self, key: int) -> None:
        """Change how many fly, or fill the heap; then measure again."""
        super().key_pressed(key)
        if key in RATES:
            self.garden.rate = RATES[key]
            self.garden.enlarge_pools()
        elif key == pygame.K_h:
            self.heap = [] if self.heap else real_games_heap()
        if key in {*RATES, pygame.K_h, pygame.K_p}:
            self.measure_again()

    def step(self, dt: float) -> None:
        """Update the scene, which updates the pools of each half: that's part of its cost."""
        self.scenes.update(dt)

    def frame_took(self, seconds: float) -> None:
        """Add the frame to the figures of each half."""
        super().frame_took(seconds)
        for half in self.halves:
            half.end_frame()

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw the figures below the fountains."""
        left, right = (half.board for half in self.halves)
        surface.fill(DARK, (left.place.right, 0, right.place.left - left.place.right, FOOT.top))
        for board in (left, right):
            board.draw(surface, max(left.highest, right.highest))
        kind = "1 cube" if self.garden.rate == 1 else f"{self.garden.rate} cubes"
        heap = "200,000 other objects" if self.heap else "hardly any other objects"
        words = f"the same {kind} a frame on both sides, {heap} in the heap; processor time"
        color = BRIGHT if self.heap else TEXT
        draw_text(surface, words, (FOOT.centerx, FOOT.top - 20), color, scale=2, align=0.5)
        super().draw_frame(surface)


if __name__ == "__main__":
    sys.exit(play(CubesDemo, "cubes", __doc__, WINDOW))
