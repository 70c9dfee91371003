"""Sprites that show a text: damage numbers that float up, names, scores."""

from __future__ import annotations

import sys
import weakref
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.sprites.rotation import ImageCache
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from pygame.typing import ColorLike


class TextSprite(PooledSprite):
    """Shows the text of its life: ``spawn(damage, orc.position, text="-12", color="red")``.

    Each text is rendered once for all sprites that show it in the same font and colour, and kept
    for later ones. Each sprite has a view of that image to itself: `set_alpha` of its `image` is
    its own affair and ends with its life; drawing into it isn't.

    Args:
        font: What it is written in.
        color: In which colour, unless a life says otherwise.
        antialias: Whether its edges are smooth.

    Raises:
        TypeError: `font` is no `pygame.font.Font`.
        ValueError: There is no such colour.

    Attributes:
        cache: The rendered texts of all of them, up to its `limit` of 16 MiB; what was not asked
            for the longest time goes first.
    """

    cache: ClassVar[ImageCache]

    def __init__(self, font: pygame.font.Font, color: ColorLike, *, antialias: bool = True) -> None:
        super().__init__()
        if not isinstance(font, pygame.font.Font):
            message = f"{type(self).__name__} takes a pygame.font.Font, not {font!r}"
            raise TypeError(message)
        self._font = font
        self._is_smooth = antialias
        self._rendered = _texts.of(font)
        self._text = ""
        self._color = self._first_color = pygame.Color(color)
        self.add_component(_Wording())

    @property
    def text(self) -> str:
        """What it says. Another text may be assigned: the rect takes its size at the anchor."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        if text != self._text:
            self._write(text, self._color)

    @property
    def color(self) -> pygame.Color:
        """Its colour; another one may be assigned."""
        return pygame.Color(self._color)

    @color.setter
    def color(self, color: ColorLike) -> None:
        self._write(self._text, pygame.Color(color))

    def _write(self, text: str, color: pygame.Color) -> None:
        if not isinstance(text, str):
            message = f"the text of {self!r} is a str, not {text!r}: write text=str(...)"
            raise TypeError(message)
        self._text, self._color = text, color
        key = text, int(color), self._is_smooth, _style_of(self._font)
        image = _texts._find(self._rendered, key)
        if image is None:
            image = self._font.render(text, self._is_smooth, color)
            _texts._keep(self._rendered, key, image)
        # A view: the pixels are shared, an alpha is its own.
        self._show(image.subsurface(image.get_rect()))


class _Wording(IPoolableComponent):
    """Gives each life its text, whatever hooks a game's own kind of `TextSprite` has."""

    execution_order = -sys.maxsize  # first: the `spawned` of its sprite may assign another one

    def spawned(self, text: str = "", color: ColorLike | None = None) -> None:
        sprite = self.sprite
        sprite._write(text, sprite._first_color if color is None else pygame.Color(color))


class TextCache(ImageCache):
    """Keeps rendered texts, those of a font no longer than the font is in use."""

    def __init__(self) -> None:
        super().__init__(limit=16 * 1024 * 1024)
        self._fonts: dict[int, tuple[weakref.ref[Any], dict[Any, pygame.Surface]]] = {}

    def of(self, font: pygame.font.Font) -> dict[Any, pygame.Surface]:
        """Return what is kept of a font."""
        key = id(font)
        if key not in self._fonts:
            self._fonts[key] = weakref.ref(font, partial(self._gone, key)), {}
        return self._fonts[key][1]

    def _gone(self, key: int, _: object) -> None:
        for image in list(self._fonts.pop(key)[1].values()):
            self._drop(image)


_style_of = attrgetter("bold", "italic", "underline", "strikethrough", "point_size", "align")
_texts = TextSprite.cache = TextCache()
