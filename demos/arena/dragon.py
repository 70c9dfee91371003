"""A dragon: a monster that takes long to build, as a game's largest things do."""

import math
import random
from collections.abc import Mapping, Sequence

import pygame

from arena.monster import Monster
from shared.pictures import cut_both_ways


class Dragon(Monster):
    """No two are alike: each paints its own scales, pixel by pixel, when it is made.

    That takes most of a frame. A pooled one does it once, and keeps its scales from life to life;
    with pooling off, every new one pays for it.
    """

    def cut(self, sheet: pygame.Surface) -> Mapping[int, Sequence[pygame.Surface]]:
        """Return pictures of its own."""
        return cut_both_ways(paint_scales(sheet), 4)


def paint_scales(sheet: pygame.Surface) -> pygame.Surface:
    """Return the sheet in another colour, with stripes along the dragon."""
    painted, turn, seed = sheet.copy(), random.uniform(-50, 120), random.uniform(0, math.tau)
    for x in range(sheet.get_width()):
        for y in range(sheet.get_height()):
            color = sheet.get_at((x, y))
            if color.a:
                hue, saturation, lightness, alpha = color.hsla
                hue += turn + 18 * math.sin(x * 0.35 + y * 0.2 + seed)
                color.hsla = hue % 360, saturation, lightness, alpha
                painted.set_at((x, y), color)
    return painted
