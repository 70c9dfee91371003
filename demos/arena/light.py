"""Light that flickers: torches in the dungeon, the glow of the lava."""

from __future__ import annotations

import functools
import math

import pygame

STRENGTHS = 8  # pictures of one light, from dim to bright


class Glow:
    """A round light, added to what is there."""

    def __init__(
        self,
        center: tuple[int, int],
        size: tuple[int, int],
        color: tuple[int, int, int],
        phase: float,
    ) -> None:
        """Choose place and size in pixels, a colour, and where its flicker begins."""
        self.place = pygame.Rect((0, 0), size)
        self.place.center = center
        self.color = color
        self.phase = phase

    def draw(self, surface: pygame.Surface, seconds: float) -> None:
        """Add the light as it is after so many `seconds`."""
        t = seconds * 5 + self.phase
        strength = (math.sin(t) + math.sin(t * 2.3) * 0.6 + 1.6) / 3.2
        images = glow_images(self.place.size, self.color)
        image = images[min(STRENGTHS - 1, int(strength * STRENGTHS))]
        surface.blit(image, self.place, special_flags=pygame.BLEND_RGB_ADD)


@functools.cache
def glow_images(
    size: tuple[int, int],
    color: tuple[int, int, int],
) -> tuple[pygame.Surface, ...]:
    """Draw a light in all its strengths: rings that grow brighter inwards."""
    images = []
    for number in range(STRENGTHS):
        strength = 0.45 + 0.55 * number / (STRENGTHS - 1)
        image = pygame.Surface(size).convert()
        rings = 24
        for ring in range(rings):
            share = 1 - ring / rings
            shade = [round(part * strength * (ring / rings) ** 2) for part in color]
            rect = pygame.Rect(0, 0, size[0] * share, size[1] * share)
            rect.center = (size[0] // 2, size[1] // 2)
            pygame.draw.ellipse(image, shade, rect)
        images.append(image)
    return tuple(images)
