"""The caps of keys, with what they do beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.devtools import draw_text, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygame


TEXT = (158, 170, 190)


def draw_key(surface: pygame.Surface, name: str, place: tuple[int, int]) -> int:
    """Draw the cap of a key with its name on it; return its width in pixels."""
    width = text_width(name, 2) + 10
    x, y = place
    surface.fill((30, 36, 50), (x, y, width, 24))
    surface.fill((96, 108, 132), (x, y, width, 22))
    surface.fill((222, 228, 238), (x + 1, y + 1, width - 2, 19))
    draw_text(surface, name, (x + 5, y + 3), (34, 38, 52), scale=2)
    return width


def draw_keys(
    surface: pygame.Surface, keys: Sequence[tuple[str, str]], right: int, top: int
) -> None:
    """Draw caps and meanings in a line that ends at `right`."""
    widths = [text_width(key, 2) + 10 + 6 + text_width(meaning, 2) for key, meaning in keys]
    x = right - sum(widths) - 14 * (len(keys) - 1)
    for (key, meaning), width in zip(keys, widths, strict=True):
        cap = draw_key(surface, key, (x, top))
        draw_text(surface, meaning, (x + cap + 6, top + 4), TEXT, scale=2)
        x += width + 14
