#!/usr/bin/env python3
"""A coroutine that spawns riders under dragons or despawns them; who rides follows its dragon."""

import sys
from collections.abc import Sequence
from itertools import cycle
from typing import ClassVar

import pygame

from flight.heights import Heights
from flight.news import latest
from shared.letters import draw_text
from shared.loop import play
from shared.pictures import nine_slice
from shared.scene_demo import GREEN, SIZE, TEXT, WINDOW, SceneDemo

ORANGE = 250, 150, 90
NEWS = pygame.Rect(10, SIZE[1] - 160, 336, 150)

# What the demo presses when it plays itself: every key, the last ones for the screenshot's sake.
SELF_PLAY = [pygame.K_d, None, None, None, pygame.K_k, None, pygame.K_SPACE, pygame.K_k]
SELF_PLAY += [pygame.K_SPACE, pygame.K_p, None, None, pygame.K_p, pygame.K_n, pygame.K_d]
SELF_PLAY += [pygame.K_d, pygame.K_d, None, pygame.K_n, pygame.K_d, pygame.K_d, None, None, None]


class SpawnerDemo(SceneDemo):
    """The sky, and what has happened in it."""

    keys = ("space", "pause the coroutine"), ("D", "dragon"), ("K", "kill one"), ("N", "next scene")
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY
    self_play_frames = 1200

    def __init__(self) -> None:
        self.moods = cycle(("night", "dawn"))
        super().__init__()

    def choose_scene(self) -> Heights:
        """Let night and dawn take turns."""
        self.scene = Heights(next(self.moods))
        return self.scene

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw whether the coroutine runs, and what it did last."""
        super().draw_frame(surface)
        surface.blit(nine_slice("panel", NEWS.size), NEWS)
        if self.scenes.scene is None:  # still loading
            return
        left, right, top = NEWS.left + 18, NEWS.right - 18, NEWS.top + 16
        works = self.scene.balloon.stop is not None
        draw_text(surface, "the balloon's coroutine", (left, top), TEXT, scale=2)
        word, color = ("runs", GREEN) if works else ("paused", ORANGE)
        draw_text(surface, word, (right, top), color, scale=2, align=1)
        for number, (words, color) in enumerate(latest):
            draw_text(surface, words, (left, top + 24 + 21 * number), color, scale=2)


if __name__ == "__main__":
    sys.exit(play(SpawnerDemo, "spawner", __doc__, WINDOW))
