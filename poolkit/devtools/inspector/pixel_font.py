"""A small pixel font that needs neither a file nor `pygame.font`."""

from __future__ import annotations

import functools
import unicodedata
from typing import NamedTuple

import pygame

from poolkit.devtools.inspector.letters import LETTERS, MARKS

__all__ = ["CAPITAL", "draw_text", "fitted", "text_image", "text_width"]

Color = tuple[int, int, int]

CAPITAL = 7  # rows of a capital, before scaling
_ABOVE = 3  # rows above capitals, for their accents
_BELOW = 2  # rows that letters hang down
_SMALL = 2  # how much lower the small letters begin
_BELOW_MARKS = "\N{COMBINING CEDILLA}\N{COMBINING OGONEK}"
_DOTLESS = {"i": "\N{LATIN SMALL LETTER DOTLESS I}"}
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


class _Glyph(NamedTuple):
    width: int
    pixels: tuple[tuple[int, int], ...]  # from the top of the capitals; accents are above it


@functools.lru_cache(maxsize=1024)
def text_width(text: str, scale: int = 1) -> int:
    """Return how many pixels wide `text` is."""
    widths = [_glyph(letter).width for letter in unicodedata.normalize("NFC", text)]
    return scale * (sum(widths) + max(0, len(widths) - 1))


@functools.lru_cache(maxsize=1024)
def fitted(text: str, width: int) -> str:
    """Return `text`, with an ellipsis in its middle if it is wider than `width` font pixels.

    In its middle, for names that share a beginning differ at the end.
    """
    if text_width(text) <= width:
        return text
    for kept in range(min(len(text), width) - 1, -1, -1):
        tail = kept // 2
        shorter = text[: kept - tail] + _ELLIPSIS + text[len(text) - tail :]
        if text_width(shorter) <= width:
            return shorter
    return ""


@functools.lru_cache(maxsize=1024)  # an overlay shows the same few hundred texts all the time
def text_image(text: str, color: Color, scale: int = 1) -> pygame.Surface:
    """Return a picture of `text` on nothing; it is shared: don't draw on it.

    The capitals begin three font pixels below its top.
    """
    height = (_ABOVE + CAPITAL + _BELOW) * scale
    image = pygame.Surface((max(1, text_width(text, scale)), height), pygame.SRCALPHA, 32)
    x = 0
    for letter in unicodedata.normalize("NFC", text):
        picture = _letter_image(letter, color, scale)
        image.blit(picture, (x, 0))
        x += picture.get_width() + scale
    return image


def draw_text(
    surface: pygame.Surface,
    text: str,
    place: tuple[int, int],
    color: Color,
    *,
    scale: int = 1,
    align: float = 0.0,
) -> int:
    """Draw `text` with the top of its capitals at `place`.

    Args:
        surface: What to draw on.
        text: Latin letters, with accents; each other character is a box with dots of its own.
        place: In pixels, as ``(x, y)``.
        color: Red, green and blue.
        scale: Screen pixels to a pixel of the font.
        align: The part of the text that is left of `place`: 0, 0.5 or 1.

    Returns:
        How wide it is, in pixels.
    """
    image = text_image(text, color, scale)
    width = text_width(text, scale)
    surface.blit(image, (place[0] - round(width * align), place[1] - _ABOVE * scale))
    return width


@functools.lru_cache(maxsize=2048)
def _letter_image(letter: str, color: Color, scale: int) -> pygame.Surface:
    glyph = _glyph(letter)
    size = glyph.width * scale, (_ABOVE + CAPITAL + _BELOW) * scale
    image = pygame.Surface(size, pygame.SRCALPHA, 32)
    for x, y in glyph.pixels:
        image.fill(color, (x * scale, (y + _ABOVE) * scale, scale, scale))
    return image


@functools.lru_cache(maxsize=2048)
def _glyph(letter: str) -> _Glyph:
    if letter in LETTERS:
        return _drawn(LETTERS[letter], 0)
    parts = list(unicodedata.normalize("NFD", letter))
    base, marks = parts[0], parts[1:]
    if base in LETTERS and marks and all(mark in MARKS for mark in marks):
        return _accented(base, marks)
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return _Glyph(0, ())
    return _box(ord(letter))


def _drawn(drawing: str, top: int) -> _Glyph:
    rows = drawing.split()
    pixels = [
        (x, top + y) for y, row in enumerate(rows) for x, pixel in enumerate(row) if pixel == "#"
    ]
    return _Glyph(max(map(len, rows)), tuple(pixels))


def _accented(base: str, marks: list[str]) -> _Glyph:
    if not set(marks) & set(_BELOW_MARKS):
        base = _DOTLESS.get(base, base)
    letter = _drawn(LETTERS[base], 0)
    top = min(y for _, y in letter.pixels)
    width, pixels = letter.width, list(letter.pixels)
    for mark in marks:
        y = CAPITAL if mark in _BELOW_MARKS else top - (2 if top else 3)
        accent = _drawn(MARKS[mark], y)
        shift = (letter.width - accent.width + 1) // 2
        pixels += [(max(0, x + shift), y) for x, y in accent.pixels]
        width = max(width, accent.width + max(0, shift))
    return _Glyph(width, tuple(pixels))


def _box(code: int) -> _Glyph:
    """Draw a letter that there is none of: its number, as dots, so that two can be told apart."""
    frame = [(x, y) for x in range(5) for y in range(CAPITAL) if x in {0, 4} or y in {0, 6}]
    dots = [(1 + bit % 3, 1 + bit // 3) for bit in range(15) if code >> bit & 1]
    return _Glyph(5, tuple(frame + dots))
