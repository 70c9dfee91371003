#!/usr/bin/env python3
"""A coroutine that spawns riders under dragons or despawns them; who rides follows its dragon."""

from __future__ import annotations

import sys
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

import pygame

from flight.dragon import dragon
from flight.heights import Heights
from flight.news import latest
from flight.riders import COLORS, KINDS
from shared.effects import puff, spark
from shared.frame_graph import FrameGraph
from shared.pictures import frames, picture
from shared.pixel_font import draw_text
from shared.pool_panel import Row
from shared.scene_demo import SceneDemo, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SpawnerDemo", "main"]

TEXT, GREEN, ORANGE = (148, 160, 180), (126, 210, 110), (250, 150, 90)
NEWS = 366  # the top of the latest news

# What the demo presses when it plays itself: every key, the last ones for the screenshot's sake.
SELF_PLAY = [pygame.K_d, None, None, None, pygame.K_k, None, pygame.K_SPACE, pygame.K_k]
SELF_PLAY += [pygame.K_SPACE, pygame.K_p, None, None, pygame.K_p, pygame.K_n, pygame.K_d]
SELF_PLAY += [pygame.K_d, pygame.K_d, None, pygame.K_n, pygame.K_d, pygame.K_d, None, None, None]


class SpawnerDemo(SceneDemo):
    """The sky on the left, the pools and the news on the right."""

    help_lines = (
        (("space", "pause the coroutine"),),
        (("D", "dragon"), ("K", "kill one"), ("P", "pooling")),
        (("N", "next scene"), ("esc", "leave")),
    )
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY
    self_play_frames = 1200

    def __init__(self, screen: pygame.Surface) -> None:
        """Begin at night."""
        self.moods = cycle(("night", "dawn"))
        head = pygame.transform.scale_by(frames("icons", 4)[3], 2)
        rows = [Row(dragon, head, (236, 86, 74), ("D", "K"))]
        for kind, color in zip(KINDS, COLORS.values(), strict=True):
            rows.append(Row(kind, frames(kind.name, 2)[0], color))
        puffs = pygame.transform.scale(frames("puff", 6)[1], (32, 32))
        rows.append(Row(puff, puffs, (190, 184, 200)))
        sparks = pygame.transform.scale_by(frames("spark", 4)[0], 2)
        rows.append(Row(spark, sparks, (255, 214, 96)))
        super().__init__(screen, rows, FrameGraph(pygame.Rect(980, 490, 280, 44)))

    @property
    def title(self) -> str:
        """The time of day."""
        return f"{self.scene.mood} flight"

    def choose_scene(self) -> Heights:
        """Let night and dawn take turns."""
        self.scene = Heights(next(self.moods))
        return self.scene

    def draw_backdrop(self, surface: pygame.Surface) -> None:
        """Draw the empty sky."""
        surface.blit(picture(f"air_{self.scene.mood}"), (0, 0))

    def draw_panel(self, surface: pygame.Surface) -> None:
        """Draw the pools, whether the coroutine runs, and what it did last."""
        super().draw_panel(surface)
        left, right = self.panel.place.left, self.panel.place.right
        if self.scenes.scene is None:  # still loading
            return
        works = self.scene.balloon.stop is not None
        draw_text(surface, "the balloon's coroutine", (left, NEWS), TEXT)
        word, color = ("runs", GREEN) if works else ("paused", ORANGE)
        draw_text(surface, word, (right, NEWS), color, align=1)
        for number, (words, color) in enumerate(latest):
            draw_text(surface, words, (left, NEWS + 20 + 17 * number), color)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo and return its exit code."""
    return run(SpawnerDemo, "spawner", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
