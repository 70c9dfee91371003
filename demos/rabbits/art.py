"""Text, bars and flashes; pictures are loaded by demos/shared, as in every demo."""

import functools
from typing import Any

import pygame

from rabbits.kept import kept
from shared.letters import DARK, outlined

GREY, GREEN, RED, GOLD = "#b8c0d0", "#7ed26e", "#f04860", "#ffe45c"


@functools.cache
def white(image: pygame.Surface) -> pygame.Surface:
    """Return a brighter copy of a picture."""
    flash = image.copy()
    flash.fill((130, 130, 130), special_flags=pygame.BLEND_RGB_ADD)
    return flash


def flashing(image: pygame.Surface) -> pygame.Surface:
    """Return how a picture looks when it has just been hit: brighter, if flashes are on."""
    return white(image) if kept.options.flash else image


def write(
    surface: pygame.Surface, text: str, color: str = "white", scale: int = 1, **place: Any
) -> None:
    """Write a line in the middle, ``top=52``, or elsewhere, ``topleft=(6, 52)``."""
    image = outlined(text, color, scale)
    surface.blit(image, image.get_rect(centerx=surface.width / 2, **place))


def draw_bar(surface: pygame.Surface, place: pygame.Rect, share: float, color: str) -> None:
    """Draw a bar of which a share is full."""
    surface.fill(DARK, place.inflate(2, 2))
    surface.fill(color, (*place.topleft, round(place.width * share), place.height))
