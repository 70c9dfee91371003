#!/usr/bin/env python3
"""Orcs, trolls, ogres and dragons, and the pools that they come from and go back to."""

from __future__ import annotations

import sys
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

import pygame

from arena.bestiary import KINDS
from arena.levels import DUNGEON, LAVA, Level
from arena.shapes import draw_shapes
from arena.stage import world
from shared.effects import ember, puff, spark
from shared.frame_graph import FrameGraph
from shared.pictures import frames, picture
from shared.pool_panel import Row
from shared.scene_demo import SceneDemo, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MonstersDemo", "main"]

COLORS = ((124, 208, 84), (92, 178, 200), (230, 168, 102), (236, 86, 74))

# What the demo presses when it plays itself: every key, some of them often.
KEYS = [pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4]
LESS = [pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r]
SWITCH = [pygame.K_p, pygame.K_1, pygame.K_2, pygame.K_q, pygame.K_3, pygame.K_p]
SELF_PLAY = [*KEYS, *LESS, pygame.K_F1, pygame.K_SPACE, pygame.K_F1, pygame.K_n, *KEYS, *SWITCH]
SELF_PLAY += [*LESS, pygame.K_n, pygame.K_SPACE, *KEYS, *KEYS]


class MonstersDemo(SceneDemo):
    """The arena on the left, the pools on the right."""

    help_lines = (
        (("1 2 3 4", "spawn"), ("Q W E R", "despawn")),
        (("space", "wave"), ("N", "next level")),
        (("P", "pooling"), ("F1", "shapes"), ("esc", "leave")),
    )
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY

    def __init__(self, screen: pygame.Surface) -> None:
        """Load the first level; `screen` shows how far it is."""
        self.shows_shapes = False
        self.levels = cycle((DUNGEON, LAVA))
        heads = [pygame.transform.scale_by(head, 2) for head in frames("icons", 4)]
        looks = zip(KINDS, heads, COLORS, zip("1234", "QWER", strict=True), strict=True)
        rows = [Row(kind, head, color, keys) for kind, head, color, keys in looks]
        rows += [
            Row(puff, pygame.transform.scale(frames("puff", 6)[1], (32, 32)), (190, 184, 200)),
            Row(spark, pygame.transform.scale_by(frames("spark", 4)[0], 2), (255, 214, 96)),
            Row(ember, pygame.transform.scale_by(frames("spark", 4)[3], 2), (244, 140, 60)),
        ]
        super().__init__(screen, rows, FrameGraph(pygame.Rect(980, 478, 280, 56)))

    @property
    def title(self) -> str:
        """The name of the level."""
        return self.place.name

    def choose_scene(self) -> Level:
        """Take the levels in turns."""
        self.place = next(self.levels)
        return Level(self.place)

    def draw_backdrop(self, surface: pygame.Surface) -> None:
        """Draw the empty level."""
        surface.blit(picture(self.place.background), (0, 0))

    def handle_event(self, event: pygame.Event) -> None:
        """Show and hide the shapes; all else is the same in every demo, or the level's."""
        super().handle_event(event)
        if event.type == pygame.KEYDOWN and event.key == pygame.K_F1:
            self.shows_shapes = not self.shows_shapes

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level and the panel."""
        self.scenes.draw(surface)
        if self.shows_shapes:
            draw_shapes(surface, world)
        self.draw_panel(surface)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo and return its exit code."""
    return run(MonstersDemo, "monsters", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
