"""Writes in the project's own letters, whose capitals are seven pixels high."""

import functools

import pygame

from shared.pictures import ASSETS

DARK = "#140e1c"
ABOVE = 3  # rows above the capitals, where accents are


@functools.cache
def font_of(size: int) -> pygame.font.Font:
    """Load the letters once; opening their file takes longer than writing a line."""
    pygame.font.init()
    pygame.register_quit(font_of.cache_clear)
    return pygame.font.Font(ASSETS / "letters.ttf", size)


@functools.lru_cache(maxsize=512)
def text_image(text: str, color: str | tuple[int, int, int], scale: int = 1) -> pygame.Surface:
    """Return a line of text as a picture, twelve times `scale` pixels high."""
    font = font_of(12 * scale)
    return font.render(text, False, color) if text else pygame.Surface((0, 12 * scale))  # noqa: FBT003


def draw_text(  # noqa: PLR0913 - what, where, and how
    surface: pygame.Surface,
    text: str,
    position: tuple[float, float],
    color: str | tuple[int, int, int],
    *,
    scale: int = 1,
    align: float = 0.0,
) -> int:
    """Draw a line whose capitals begin at `position`, and return its width in pixels.

    `align` is the part of the line that is left of the position: 0, 0.5 or 1.
    """
    image = text_image(text, color, scale)
    width = image.get_width()
    surface.blit(image, (position[0] - round(width * align), position[1] - ABOVE * scale))
    return width


@functools.lru_cache(maxsize=256)
def outlined(text: str, color: str, scale: int = 1) -> pygame.Surface:
    """Return a line with a dark edge, to be read on any background."""
    letters, edge = text_image(text, color), text_image(text, DARK)
    image = pygame.Surface((letters.get_width() + 2, 14), pygame.SRCALPHA)
    for place in ((0, 1), (2, 1), (1, 0), (1, 2)):
        image.blit(edge, place)
    image.blit(letters, (1, 1))
    return pygame.transform.scale_by(image, scale).convert_alpha()


def draw_caption(surface: pygame.Surface, text: str, color: str, midtop: tuple[int, int]) -> None:
    """Draw a line that can be read whatever moves behind it."""
    image = outlined(text, color, 2)
    place = image.get_rect(midtop=midtop)
    surface.fill((70, 70, 84), place.inflate(16, 0), pygame.BLEND_RGB_MULT)
    surface.blit(image, place)
