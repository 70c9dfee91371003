"""Letters and bars, with a dark edge; the pictures come from demos/shared, as in every demo."""

import functools

import pygame

from shared.words import font_of

DARK, GREY, GREEN, RED, GOLD = "#140e1c", "#b8c0d0", "#7ed26e", "#f04860", "#ffe45c"


@functools.cache
def white(image: pygame.Surface) -> pygame.Surface:
    """Return how a picture looks in the blink of an eye in which it was hit."""
    flash = image.copy()
    flash.fill((130, 130, 130), special_flags=pygame.BLEND_RGB_ADD)
    return flash


@functools.lru_cache(maxsize=128)
def written(text: str, color: str, scale: int = 1) -> pygame.Surface:
    """Write a text on a picture of its own."""
    edge, font = scale, font_of(16 * scale)
    words = font.render(text, antialias=True, color=color)
    shadow = font.render(text, antialias=True, color=DARK)
    image = pygame.Surface((words.width + 2 * edge, words.height + 2 * edge), pygame.SRCALPHA)
    for x in range(0, 2 * edge + 1, edge):
        image.fblits((shadow, (x, y)) for y in range(0, 2 * edge + 1, edge))
    image.blit(words, (edge, edge))
    return image.convert_alpha()


def write(
    surface: pygame.Surface, text: str, y: float, color: str = "white", scale: int = 1
) -> None:
    """Write a line in the middle, its top at `y`."""
    image = written(text, color, scale)
    surface.blit(image, image.get_rect(midtop=(surface.get_width() / 2, y)))


def draw_bar(surface: pygame.Surface, place: pygame.Rect, share: float, color: str) -> None:
    """Draw a bar that is full up to a share."""
    surface.fill(DARK, place.inflate(2, 2))
    surface.fill(color, (*place.topleft, round(place.width * share), place.height))
