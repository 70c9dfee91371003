"""Light that flickers: torches in the dungeon, the glow of the lava."""

import functools
import math

import pygame

from poolkit import PooledGroup, PooledSprite

lights = PooledGroup()  # drawn by adding it to what is there


class Glow(PooledSprite):
    """A round light."""

    def __init__(self, size: tuple[int, int], color: tuple[int, int, int]) -> None:
        self.brightest = glow_image(size, color)
        self.dimmed = self.brightest.copy()
        super().__init__(self.dimmed)

    def spawned(self, phase: float = 0.0) -> None:
        """Begin to flicker somewhere in the middle, so that several are not in step."""
        self.clock = phase
        self.update(0.0)

    def update(self, dt: float) -> None:
        """Flicker."""
        self.clock += dt * 5
        strength = 115 + 140 * (math.sin(self.clock) + math.sin(self.clock * 2.3) * 0.6 + 1.6) / 3.2
        self.dimmed.blit(self.brightest, (0, 0))
        self.dimmed.fill([int(strength)] * 3, special_flags=pygame.BLEND_RGB_MULT)


@functools.cache
def glow_image(size: tuple[int, int], color: tuple[int, int, int]) -> pygame.Surface:
    """Draw a light at its brightest: rings that grow brighter inwards."""
    image = pygame.Surface(size).convert()
    for ring in range(24):
        rect = pygame.Rect(0, 0, size[0] * (1 - ring / 24), size[1] * (1 - ring / 24))
        rect.center = (size[0] // 2, size[1] // 2)
        pygame.draw.ellipse(image, [round(part * (ring / 24) ** 2) for part in color], rect)
    return image
