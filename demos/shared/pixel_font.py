"""A small pixel font, drawn from the letters below: capitals, figures and some signs."""

from __future__ import annotations

import functools

import pygame

__all__ = ["draw_text", "text_image", "text_width"]

HEIGHT = 5  # rows of a letter, before scaling

# Five rows a letter, from the top; every # is a pixel.
LETTERS = {
    "A": ".##. #..# #### #..# #..#",
    "B": "###. #..# ###. #..# ###.",
    "C": ".### #... #... #... .###",
    "D": "###. #..# #..# #..# ###.",
    "E": "### #.. ##. #.. ###",
    "F": "### #.. ##. #.. #..",
    "G": ".### #... #.## #..# .###",
    "H": "#..# #..# #### #..# #..#",
    "I": "# # # # #",
    "J": "..# ..# ..# #.# .#.",
    "K": "#..# #.#. ##.. #.#. #..#",
    "L": "#.. #.. #.. #.. ###",
    "M": "#...# ##.## #.#.# #...# #...#",
    "N": "#..# ##.# #.## #..# #..#",
    "O": ".##. #..# #..# #..# .##.",
    "P": "###. #..# ###. #... #...",
    "Q": ".##. #..# #..# #.#. .#.#",
    "R": "###. #..# ###. #.#. #..#",
    "S": ".### #... .##. ...# ###.",
    "T": "### .#. .#. .#. .#.",
    "U": "#..# #..# #..# #..# .##.",
    "V": "#.# #.# #.# #.# .#.",
    "W": "#...# #...# #.#.# ##.## #...#",
    "X": "#.# #.# .#. #.# #.#",
    "Y": "#.# #.# .#. .#. .#.",
    "Z": "#### ...# .##. #... ####",
    "0": ".#. #.# #.# #.# .#.",
    "1": ".#. ##. .#. .#. ###",
    "2": "##. ..# .#. #.. ###",
    "3": "##. ..# .#. ..# ##.",
    "4": "#.# #.# ### ..# ..#",
    "5": "### #.. ##. ..# ##.",
    "6": ".## #.. ### #.# ###",
    "7": "### ..# .#. .#. .#.",
    "8": "### #.# ### #.# ###",
    "9": "### #.# ### ..# ##.",
    " ": ".. .. .. .. ..",
    ".": ". . . . #",
    ",": ".. .. .. .# #.",
    ":": ". # . # .",
    "+": "... .#. ### .#. ...",
    "-": "... ... ### ... ...",
    "/": "..# ..# .#. #.. #..",
    "%": "#..# ...# .##. #... #..#",
    "#": ".#.#. ##### .#.#. ##### .#.#.",
    "!": "# # # . #",
    "'": "# # . . .",
}


def text_width(text: str, scale: int = 2) -> int:
    """Return how many pixels wide `text` will be."""
    widths = [len(_rows(letter)[0]) for letter in text.upper()]
    return scale * (sum(widths) + max(0, len(widths) - 1))


@functools.lru_cache(maxsize=1024)  # a panel shows the same few hundred texts all the time
def text_image(text: str, color: tuple[int, int, int], scale: int = 2) -> pygame.Surface:
    """Return a picture of `text` on nothing. It is shared: don't draw on it."""
    image = pygame.Surface((max(1, text_width(text, scale)), HEIGHT * scale), pygame.SRCALPHA)
    x = 0
    for letter in text.upper():
        rows = _rows(letter)
        for y, row in enumerate(rows):
            for column, pixel in enumerate(row):
                if pixel == "#":
                    place = (x + column * scale, y * scale, scale, scale)
                    image.fill(color, place)
        x += (len(rows[0]) + 1) * scale
    return image


def draw_text(  # noqa: PLR0913 - each says something of its own
    surface: pygame.Surface,
    text: str,
    place: tuple[int, int],
    color: tuple[int, int, int],
    *,
    scale: int = 2,
    align: float = 0.0,
) -> int:
    """Draw `text` with its top at `place`.

    Args:
        surface: What to draw on.
        text: Capitals are used throughout.
        place: In pixels, as ``(x, y)``.
        color: Red, green and blue.
        scale: Screen pixels to a pixel of the font.
        align: The part of the text that is left of `place`: 0, 0.5 or 1.

    Returns:
        How wide it is, in pixels.
    """
    image = text_image(text, color, scale)
    width = image.get_width()
    surface.blit(image, (place[0] - round(width * align), place[1]))
    return width


@functools.cache
def _rows(letter: str) -> list[str]:
    return LETTERS.get(letter, LETTERS["-"]).split()
