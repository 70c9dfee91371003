"""Letters and bars; the pictures come from demos/shared, as in every demo."""

import functools

import pygame

from rabbits.kept import kept
from shared.letters import DARK, outlined

GREY, GREEN, RED, GOLD = "#b8c0d0", "#7ed26e", "#f04860", "#ffe45c"


@functools.cache
def white(image: pygame.Surface) -> pygame.Surface:
    """Return a picture in a glaring light."""
    flash = image.copy()
    flash.fill((130, 130, 130), special_flags=pygame.BLEND_RGB_ADD)
    return flash


def flashing(image: pygame.Surface) -> pygame.Surface:
    """Return how a picture looks in the moment in which it was hit, if the player wants that."""
    return white(image) if kept.options.flash else image


def write(
    surface: pygame.Surface, text: str, y: float, color: str = "white", scale: int = 1
) -> None:
    """Write a line in the middle, its top at `y`."""
    image = outlined(text, color, scale)
    surface.blit(image, image.get_rect(midtop=(surface.get_width() / 2, y)))


def draw_bar(surface: pygame.Surface, place: pygame.Rect, share: float, color: str) -> None:
    """Draw a bar that is full up to a share."""
    surface.fill(DARK, place.inflate(2, 2))
    surface.fill(color, (*place.topleft, round(place.width * share), place.height))
