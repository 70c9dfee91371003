"""Words on the screen, in pygame's own font."""

import functools

import pygame
from pygame.typing import ColorLike

_fonts: dict[int, pygame.Font] = {}


def font_of(size: int) -> pygame.Font:
    """Return pygame's own font in a size, made again where `pygame.quit` has ended the last."""
    pygame.font.init()
    try:
        _fonts[size].get_height()
    except (KeyError, pygame.error):
        _fonts[size] = pygame.Font(None, size)
    return _fonts[size]


def _font(scale: int) -> pygame.Font:
    return font_of(14 * scale)


@functools.lru_cache(maxsize=256)  # what is shown is much the same from frame to frame
def _image(text: str, color: tuple[int, ...], scale: int) -> pygame.Surface:
    return _font(scale).render(text, antialias=True, color=color)


def draw_text(  # noqa: PLR0913 - what, where and how
    surface: pygame.Surface,
    text: str,
    position: tuple[float, float],
    color: ColorLike,
    *,
    scale: int = 2,
    align: float = 0.0,
) -> int:
    """Draw a line of text, its capitals 7 pixels high times `scale`; return how wide it is.

    The top of the capitals is at `position`, and so much of the text is left of it: 0, 0.5 or 1.
    """
    image = _image(text, tuple(pygame.Color(color)), scale)
    above = _font(scale).get_ascent() - 7 * scale
    surface.blit(image, (position[0] - round(image.width * align), position[1] - above))
    return image.width


def text_width(text: str, scale: int = 2) -> int:
    """Return how many pixels wide `draw_text` draws a text."""
    return _font(scale).size(text)[0]
