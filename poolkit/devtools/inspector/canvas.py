"""A surface on which a pixel is one of the font's: so many of the screen's as the scale says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from poolkit.devtools.inspector.palette import GROUND
from poolkit.devtools.inspector.pixel_font import draw_text, text_width

if TYPE_CHECKING:
    from poolkit.devtools.inspector.palette import Color

__all__ = ["Canvas", "scale_for"]


def scale_for(size: tuple[int, int]) -> int:
    """Return how many pixels of a screen of `size` make one of the inspector's."""
    width, height = size
    return max(1, round(min(width / 640, height / 360)))


class Canvas:
    """Draws on a surface, in pixels of its own."""

    __slots__ = ("_blank", "scale", "surface")

    def __init__(self, size: tuple[int, int], scale: int) -> None:
        """Make a surface of ``(width, height)`` pixels, each `scale` by `scale` of the screen's."""
        width, height = size[0] * scale, size[1] * scale
        # One pixel off, on purpose: rows that are aligned to 16 bytes on both sides, SDL copies
        # past the cache, which took 0.36 ms for a panel on a large screen instead of 0.08.
        self.surface = pygame.Surface((width + 1, height), 0, 32).subsurface((1, 0, width, height))
        self.scale = scale
        self._blank = pygame.Surface((width, height), 0, 32)
        self._blank.fill(GROUND)

    def fill(self, color: Color, place: tuple[int, int, int, int]) -> None:
        """Fill the rectangle ``(left, top, width, height)``."""
        left, top, width, height = place
        scale = self.scale
        self.surface.fill(color, (left * scale, top * scale, width * scale, height * scale))

    def clear(self, place: tuple[int, int, int, int]) -> None:
        """Clear a rectangle: what `fill` with the ground's colour does, in a fifth of the time."""
        left, top, width, height = place
        scale = self.scale
        area = (0, 0, width * scale, height * scale)
        self.surface.blit(self._blank, (left * scale, top * scale), area)

    def text(self, words: str, place: tuple[int, int], color: Color, *, align: float = 0.0) -> int:
        """Write `words` with the top of their capitals at `place`; return how wide they are."""
        scale = self.scale
        at = place[0] * scale, place[1] * scale
        if align:
            at = at[0] - round(text_width(words) * align) * scale, at[1]
        return draw_text(self.surface, words, at, color, scale=scale) // scale

    def blit(
        self,
        picture: pygame.Surface,
        place: tuple[int, int],
        area: tuple[int, int, int, int] | None = None,
    ) -> None:
        """Draw a picture that is in the screen's pixels already, `area` of it in those too."""
        self.surface.blit(picture, (place[0] * self.scale, place[1] * self.scale), area)
