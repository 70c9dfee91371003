"""The caps of keys, with what they do beside them."""

from collections.abc import Sequence

import pygame

from shared.letters import draw_text, text_image

TEXT = (158, 170, 190)


def draw_keys(
    surface: pygame.Surface,
    keys: Sequence[tuple[str, str]],
    right: int,
    top: int,
    scale: int = 2,
) -> None:
    """Draw caps and meanings in a line that ends at `right`."""
    x, high = right + 7 * scale, 12 * scale
    for name, meaning in reversed(keys):
        cap = text_image(name, TEXT, scale).width + 4 * scale
        x -= cap + text_image(meaning, TEXT, scale).width + 10 * scale
        surface.fill((30, 36, 50), (x, top, cap, high))
        surface.fill((96, 108, 132), (x, top, cap, high - scale))
        surface.fill((222, 228, 238), (x + 1, top + 1, cap - 2, high - scale - 3))
        draw_text(surface, name, (x + 2 * scale + 1, top + 3), (34, 38, 52), scale=scale)
        draw_text(surface, meaning, (x + cap + 3 * scale, top + 2 * scale), TEXT, scale=scale)
