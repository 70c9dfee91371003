"""The inspector's small letters, whose capitals are seven pixels high."""

from __future__ import annotations

import functools
import io
import unicodedata
from importlib import resources
from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    from pygame.typing import ColorLike

_HEIGHT, _ABOVE = 12, 3  # rows of the font, and those above its capitals
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def draw_text(
    surface: pygame.Surface,
    text: str,
    position: tuple[float, float],
    color: ColorLike,
    align: float = 0.0,
) -> int:
    """Draw a line of text in letters seven pixels high; return its width.

    Its capitals begin at `position`, and the share `align` of it is left of that. Letters that
    aren't Latin are boxes.
    """
    color = pygame.Color(color)
    width, image = text_width(text), _image_of(text, (color.r, color.g, color.b))
    surface.blit(image, (position[0] - round(width * align), position[1] - _ABOVE))
    return width


@functools.lru_cache(maxsize=256)
def text_width(text: str) -> int:
    """Return how many pixels wide `draw_text` draws `text`."""
    return max(0, _image_of(text, (255, 255, 255)).width - 1)


@functools.lru_cache(maxsize=256)
def fitted(text: str, width: int) -> str:
    """Return `text`, with an ellipsis in the middle if it is wider: many names begin alike."""
    if text_width(text) <= width:
        return text
    for kept in range(min(len(text), width) - 1, -1, -1):
        tail = kept // 2
        shorter = text[: kept - tail] + _ELLIPSIS + text[len(text) - tail :]
        if text_width(shorter) <= width:
            return shorter
    return ""


@functools.lru_cache(maxsize=256)  # most texts stay the same from frame to frame
def _image_of(text: str, color: tuple[int, int, int]) -> pygame.Surface:
    if not (text.isascii() and text.isprintable()):
        composed = unicodedata.normalize("NFC", text)
        letters = [
            letter for letter in composed if unicodedata.category(letter) not in {"Cf", "Mn"}
        ]
        text = "".join(letter if letter.isprintable() else "\ufffd" for letter in letters)
    try:
        return _font().render(text, False, color)  # noqa: FBT003 - no smooth edges
    except pygame.error:
        if not text:
            return pygame.Surface((0, _HEIGHT))
        _font.cache_clear()  # the game has quit pygame since
        return _font().render(text, False, color)  # noqa: FBT003 - as above


@functools.cache
def _font() -> pygame.font.Font:
    pygame.font.init()
    data = (resources.files(__package__) / "letters.ttf").read_bytes()
    return pygame.font.Font(io.BytesIO(data), _HEIGHT)
