"""Pictures from the folder assets: whole ones, and sheets cut into frames, each loaded once."""

from __future__ import annotations

import functools
from pathlib import Path

import pygame

__all__ = ["ASSETS", "frames", "mirrored", "nine_slice", "picture"]

ASSETS = Path(__file__).resolve().parents[2] / "assets"


@functools.cache
def picture(name: str) -> pygame.Surface:
    """Load ``assets/<name>.png`` in the format of the screen, which must be open."""
    return pygame.image.load(ASSETS / f"{name}.png").convert_alpha()


@functools.cache
def frames(name: str, count: int) -> tuple[pygame.Surface, ...]:
    """Cut a sheet into `count` frames that stand side by side."""
    sheet = picture(name)
    width, height = sheet.get_width() // count, sheet.get_height()
    return tuple(sheet.subsurface((width * i, 0, width, height)) for i in range(count))


@functools.cache
def mirrored(name: str, count: int) -> tuple[pygame.Surface, ...]:
    """Cut a sheet into frames that look the other way."""
    return tuple(pygame.transform.flip(frame, True, False) for frame in frames(name, count))  # noqa: FBT003 - pygame takes them so


def nine_slice(name: str, size: tuple[int, int], corner: int = 16) -> pygame.Surface:
    """Return a frame of any size, made of a picture whose corners keep their shape."""
    source = picture(name)
    result = pygame.Surface(size, pygame.SRCALPHA)
    (w, h), (width, height) = source.get_size(), size
    columns = (
        (0, 0, corner),
        (corner, corner, width - 2 * corner),
        (w - corner, width - corner, corner),
    )
    rows = (
        (0, 0, corner),
        (corner, corner, height - 2 * corner),
        (h - corner, height - corner, corner),
    )
    middle = (corner, w - 2 * corner, h - 2 * corner)
    for row, (from_y, y, tall) in enumerate(rows):
        for column, (from_x, x, wide) in enumerate(columns):
            cut = (
                from_x,
                from_y,
                middle[1] if column == 1 else corner,
                middle[2] if row == 1 else corner,
            )
            piece = pygame.transform.scale(source.subsurface(cut), (wide, tall))
            result.blit(piece, (x, y))
    return result
