"""Light that flickers: torches in the dungeon, the glow of the lava."""

import functools
import math
from dataclasses import dataclass

import pygame


@dataclass(frozen=True)
class Glow:
    """A round light, added to what is there."""

    center: tuple[int, int]
    size: tuple[int, int]  # pixels
    color: tuple[int, int, int]
    phase: float  # where its flicker begins

    def draw(self, surface: pygame.Surface, seconds: float) -> None:
        """Add the light as it is after so many `seconds`."""
        t = seconds * 5 + self.phase
        strength = 115 + 140 * (math.sin(t) + math.sin(t * 2.3) * 0.6 + 1.6) / 3.2
        image = glow_image(self.size, self.color).copy()
        image.fill([int(strength)] * 3, special_flags=pygame.BLEND_RGB_MULT)
        place = image.get_rect(center=self.center)
        surface.blit(image, place, special_flags=pygame.BLEND_RGB_ADD)


@functools.cache
def glow_image(size: tuple[int, int], color: tuple[int, int, int]) -> pygame.Surface:
    """Draw a light at its brightest: rings that grow brighter inwards."""
    image = pygame.Surface(size).convert()
    for ring in range(24):
        rect = pygame.Rect(0, 0, size[0] * (1 - ring / 24), size[1] * (1 - ring / 24))
        rect.center = (size[0] // 2, size[1] // 2)
        pygame.draw.ellipse(image, [round(part * (ring / 24) ** 2) for part in color], rect)
    return image
