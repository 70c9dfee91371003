"""Pictures from the folder assets: whole ones, and sheets cut into frames, each loaded once."""

from __future__ import annotations

import functools
from pathlib import Path

import pygame

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
    return tuple(
        pygame.transform.flip(frame, flip_x=True, flip_y=False) for frame in frames(name, count)
    )


def nine_slice(name: str, size: tuple[int, int], corner: int = 16) -> pygame.Surface:
    """Return a frame of any size, made of a picture whose corners keep their shape."""
    source = picture(name)
    result = pygame.Surface(size, pygame.SRCALPHA)
    columns = _cuts(source.get_width(), size[0], corner)
    rows = _cuts(source.get_height(), size[1], corner)
    for (left, width), (x, wide) in columns:
        for (top, height), (y, tall) in rows:
            piece = source.subsurface((left, top, width, height))
            result.blit(pygame.transform.scale(piece, (wide, tall)), (x, y))
    return result


def _cuts(length: int, wanted: int, corner: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return where each third of a side begins and how long it is: in the source, and wanted."""
    return [
        ((0, corner), (0, corner)),
        ((corner, length - 2 * corner), (corner, wanted - 2 * corner)),
        ((length - corner, corner), (wanted - corner, corner)),
    ]
