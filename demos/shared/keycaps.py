"""The caps of keys, with what they do beside them."""

from collections.abc import Sequence

import pygame

from shared.letters import draw_text, text_image

TEXT = (158, 170, 190)


def draw_keys(
    surface: pygame.Surface, keys: Sequence[tuple[str, str]], right: int, top: int
) -> None:
    """Draw caps and meanings in a line that ends at `right`."""
    x = right + 14
    for name, meaning in reversed(keys):
        cap, width = text_image(name, TEXT, 2).width + 8, text_image(meaning, TEXT, 2).width
        x -= cap + 6 + width + 14
        surface.fill((30, 36, 50), (x, top, cap, 24))
        surface.fill((96, 108, 132), (x, top, cap, 22))
        surface.fill((222, 228, 238), (x + 1, top + 1, cap - 2, 19))
        draw_text(surface, name, (x + 5, top + 3), (34, 38, 52), scale=2)
        draw_text(surface, meaning, (x + cap + 6, top + 4), TEXT, scale=2)
