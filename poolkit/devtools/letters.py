"""The inspector's small letters, which come from a picture, so that no font is needed."""

from __future__ import annotations

import functools
import unicodedata
from importlib import resources
from typing import TYPE_CHECKING

import pygame

if TYPE_CHECKING:
    from pygame.typing import ColorLike

CAPITAL = 7  # rows of a capital
_WIDTH, _HEIGHT, _ABOVE = 6, 12, 3  # a letter's place in the picture; rows above its capitals
_A_ROW = 32  # letters
_SPACE = 3
_CODES = (*range(0x20, 0x7F), *range(0xA0, 0x180), 0x2013, 0x2026)  # as they stand in it
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def draw_text(
    surface: pygame.Surface,
    text: str,
    position: tuple[float, float],
    color: ColorLike,
    align: float = 0.0,
) -> int:
    """Draw a line of text in letters seven pixels high.

    Args:
        surface: What to draw on.
        text: Latin letters, with accents; each other character is a box.
        position: Where the top of its capitals is, in pixels.
        color: Any of pygame's colours.
        align: The part of the text that is left of `position`: 0, 0.5 or 1.

    Returns:
        How wide it is, in pixels.
    """
    color = pygame.Color(color)
    image = _image_of(text, (color.r, color.g, color.b))
    width = image.get_width()
    surface.blit(image, (position[0] - round(width * align), position[1] - _ABOVE))
    return width


@functools.lru_cache(maxsize=256)
def text_width(text: str) -> int:
    """Return how many pixels wide `draw_text` draws `text`."""
    return max(0, sum(letter.get_width() + 1 for letter in _letters_of(text)) - 1)


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
    image = pygame.Surface((text_width(text), _HEIGHT), pygame.SRCALPHA, 32)
    x = 0
    for letter in _letters_of(text):
        x += image.blit(letter, (x, 0)).width + 1
    image.fill(color, special_flags=pygame.BLEND_RGB_MULT)
    return image


def _letters_of(text: str) -> list[pygame.Surface]:
    if text.isascii():  # the fast way, as figures change all the time
        return list(map(_letter, text))
    return [
        _letter(letter)
        for letter in unicodedata.normalize("NFC", text)
        if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf"
    ]


@functools.cache
def _letter(letter: str) -> pygame.Surface:
    code = ord(letter)
    if code in _CODES:
        row, column = divmod(_CODES.index(code), _A_ROW)
        place = pygame.Rect(column * _WIDTH, row * _HEIGHT, _WIDTH, _HEIGHT)
        width = _picture().subsurface(place).get_bounding_rect().right
        if width or letter == " ":
            return _picture().subsurface((*place.topleft, width or _SPACE, _HEIGHT))
    box = pygame.Surface((5, _HEIGHT), pygame.SRCALPHA, 32)
    pygame.draw.rect(box, "white", (0, _ABOVE, 5, CAPITAL), 1)
    return box


@functools.cache
def _picture() -> pygame.Surface:
    with (resources.files(__package__) / "letters.png").open("rb") as file:
        return pygame.image.load(file, "letters.png")
