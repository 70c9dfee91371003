"""Pictures from the folder of the game, each loaded once and shared by all; and letters."""

from __future__ import annotations

import functools
from pathlib import Path

import pygame

from poolkit.devtools import draw_text, text_width

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "rabbits"


@functools.cache
def picture(name: str) -> pygame.Surface:
    """Load a picture in the format of the screen, which must be open."""
    return pygame.image.load(FOLDER / f"{name}.png").convert_alpha()


@functools.cache
def frames(name: str, count: int) -> tuple[pygame.Surface, ...]:
    """Cut a picture into `count` frames that stand side by side."""
    sheet = picture(name)
    width, height = sheet.get_width() // count, sheet.get_height()
    return tuple(sheet.subsurface((width * i, 0, width, height)) for i in range(count))


@functools.cache
def both_ways(name: str, count: int) -> dict[int, tuple[pygame.Surface, ...]]:
    """Cut a picture into frames that look right (1), and the same looking left (-1)."""
    right = frames(name, count)
    left = tuple(pygame.transform.flip(frame, flip_x=True, flip_y=False) for frame in right)
    return {1: right, -1: left}


@functools.cache
def white(image: pygame.Surface) -> pygame.Surface:
    """Return how a picture looks in the blink of an eye in which it was hit."""
    flash = image.copy()
    flash.fill((130, 130, 130), special_flags=pygame.BLEND_RGB_ADD)
    return flash


@functools.lru_cache(maxsize=128)
def written(text: str, color: str, scale: int = 1) -> pygame.Surface:
    """Write a text on a picture of its own, with a dark edge."""
    image = pygame.Surface((text_width(text) + 2, 13), pygame.SRCALPHA)
    for place in ((0, 4), (2, 4), (1, 3), (1, 5)):
        draw_text(image, text, place, "#140e1c")
    draw_text(image, text, (1, 4), color)
    return pygame.transform.scale_by(image, scale).convert_alpha()
