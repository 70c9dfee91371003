"""Pictures from the folder assets: whole ones, and sheets cut into frames, each loaded once."""

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
    """Cut ``assets/<name>.png`` into `count` frames that stand side by side."""
    return cut(picture(name), count)


def cut(sheet: pygame.Surface, count: int) -> tuple[pygame.Surface, ...]:
    """Cut a sheet into `count` frames that stand side by side."""
    width, height = sheet.get_width() // count, sheet.get_height()
    return tuple(sheet.subsurface((width * i, 0, width, height)) for i in range(count))


@functools.cache
def both_ways(name: str, count: int) -> dict[int, tuple[pygame.Surface, ...]]:
    """Cut ``assets/<name>.png`` into frames that look right (1), and the same looking left (-1)."""
    return cut_both_ways(picture(name), count)


def cut_both_ways(sheet: pygame.Surface, count: int) -> dict[int, tuple[pygame.Surface, ...]]:
    """Cut a sheet into frames that look right (1), and the same looking left (-1)."""
    right = cut(sheet.convert_alpha(), count)
    left = tuple(pygame.transform.flip(frame, flip_x=True, flip_y=False) for frame in right)
    return {1: right, -1: left}


@functools.cache
def nine_slice(name: str, size: tuple[int, int], corner: int = 16) -> pygame.Surface:
    """Return a frame of any size, made of a picture whose corners keep their shape."""
    source = picture(name)
    result = pygame.Surface(size, pygame.SRCALPHA)
    # Of each side: where its thirds begin and how long they are, in the source and in the result.
    (columns, rows) = (
        [
            ((0, corner), (0, corner)),
            ((corner, length - 2 * corner), (corner, wanted - 2 * corner)),
            ((length - corner, corner), (wanted - corner, corner)),
        ]
        for length, wanted in zip(source.get_size(), size, strict=True)
    )
    for (left, width), (x, wide) in columns:
        for (top, height), (y, tall) in rows:
            piece = source.subsurface((left, top, width, height))
            result.blit(pygame.transform.scale(piece, (wide, tall)), (x, y))
    return result
