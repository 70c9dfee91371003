"""Light that flickers: torches in the dungeon, the glow of the lava."""

import functools
import math
from dataclasses import dataclass

import pygame

STRENGTHS = 8  # pictures of one light, from dim to bright


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
        strength = (math.sin(t) + math.sin(t * 2.3) * 0.6 + 1.6) / 3.2
        images = glow_images(self.size, self.color)
        image = images[min(STRENGTHS - 1, int(strength * STRENGTHS))]
        place = image.get_rect(center=self.center)
        surface.blit(image, place, special_flags=pygame.BLEND_RGB_ADD)


@functools.cache
def glow_images(size: tuple[int, int], color: tuple[int, int, int]) -> list[pygame.Surface]:
    """Draw a light in all its strengths: rings that grow brighter inwards."""
    images = [pygame.Surface(size).convert() for _ in range(STRENGTHS)]
    for number, image in enumerate(images):
        strength = 0.45 + 0.55 * number / (STRENGTHS - 1)
        for ring in range(24):
            shade = [round(part * strength * (ring / 24) ** 2) for part in color]
            rect = pygame.Rect(0, 0, size[0] * (1 - ring / 24), size[1] * (1 - ring / 24))
            rect.center = (size[0] // 2, size[1] // 2)
            pygame.draw.ellipse(image, shade, rect)
    return images
