#!/usr/bin/env python3
"""Orcs, trolls, ogres and dragons, and the pools that they come from and go back to."""

from __future__ import annotations

import sys
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

import pygame

from arena.levels import DUNGEON, LAVA, Level
from arena.shapes import draw_shapes
from arena.stage import world
from shared.pictures import picture
from shared.scene_demo import SceneDemo, run

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MonstersDemo", "main"]

# What the demo presses when it plays itself: every key, some of them often.
KEYS = [pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4]
LESS = [pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r]
SWITCH = [pygame.K_p, pygame.K_1, pygame.K_2, pygame.K_q, pygame.K_3, pygame.K_p]
SELF_PLAY = [*KEYS, *LESS, pygame.K_F1, pygame.K_F2, pygame.K_SPACE, pygame.K_F2, pygame.K_F1]
SELF_PLAY += [pygame.K_n, *KEYS, *SWITCH, *LESS, pygame.K_n, pygame.K_SPACE, *KEYS, *KEYS]


class MonstersDemo(SceneDemo):
    """The arena, and the shapes that the physics sees in it."""

    keys = (
        ("1 2 3 4", "spawn"),
        ("Q W E R", "despawn"),
        ("space", "wave"),
        ("N", "next level"),
        ("F1", "shapes"),
    )
    self_play_keys: ClassVar[Sequence[int | None]] = SELF_PLAY

    def __init__(self, screen: pygame.Surface) -> None:
        """Load the first level; `screen` shows how far it is."""
        self.shows_shapes = False
        self.levels = cycle((DUNGEON, LAVA))
        super().__init__(screen)

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

    def key_pressed(self, key: int) -> None:
        """Show and hide the shapes; all else is the same in every demo, or the level's."""
        super().key_pressed(key)
        if key == pygame.K_F1:
            self.shows_shapes = not self.shows_shapes

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, and the shapes in it if they are wanted."""
        self.scenes.draw(surface)
        if self.shows_shapes:
            draw_shapes(surface, world)
        self.draw_frame(surface)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the demo and return its exit code."""
    return run(MonstersDemo, "monsters", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
