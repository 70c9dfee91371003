"""Sprites that show a text: damage numbers that float up, names, scores."""

from __future__ import annotations

import weakref
from functools import lru_cache, partial
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

    All sprites share the rendered image of the same text, font and color. Each has its own view of
    it as its `image`: `set_alpha` changes one sprite for one life, but don't draw into it.

    Args:
        font: The font of the text.
        color: The color of lives that are spawned without one.
        antialias: Whether edges are smooth.
        anchor: The point of the text that `position` means, such as ``"topleft"``, and that stays
            where it is as the text changes; `None`: as its class says, which is the center.

    Raises:
        TypeError: `font` isn't a `pygame.font.Font`.
        PrefabError: There is no such anchor.
        ValueError: There is no such color.

    Attributes:
        cache: The rendered texts of all text sprites, up to its `limit` of 16 MiB. The least
            recently used go first.
    """

    cache: ClassVar[ImageCache]

    def __init__(
        self,
        font: pygame.font.Font,
        color: ColorLike,
        *,
        antialias: bool = True,
        anchor: str | None = None,
    ) -> None:
        if anchor is not None and anchor != self.anchor:
            self.__class__ = _anchored(type(self), anchor)
        super().__init__()
        if not isinstance(font, pygame.font.Font):
            message = f"{type(self).__name__} takes a pygame.font.Font, not {font!r}"
            raise TypeError(message)
        self._font = font
        self._is_smooth = antialias
        self._text = ""
        self._color = pygame.Color(color)
        self.add_component(_TextSetter(self._color))

    @property
    def text(self) -> str:
        """What it says. Assign another text, and the rect takes its size at the anchor."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        if text != self._text:
            self._write(text, self._color)

    @property
    def color(self) -> pygame.Color:
        """Its color; another one may be assigned."""
        return pygame.Color(self._color)

    @color.setter
    def color(self, color: ColorLike) -> None:
        self._write(self._text, pygame.Color(color))

    def _write(self, text: str, color: pygame.Color) -> None:
        if not isinstance(text, str):
            message = f"the text of {self!r} is a str, not {text!r}: write text=str(...)"
            raise TypeError(message)
        self._text, self._color = text, color
        image = _texts.render(self._font, text, color, is_smooth=self._is_smooth)
        self._show(image.subsurface(image.get_rect()))  # a view, with an alpha of its own


@lru_cache(maxsize=256)
def _anchored(kind: type[TextSprite], anchor: str) -> type[TextSprite]:
    """Return a class of the same sprites with another anchor, which belongs to a class."""
    same = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    return type(kind.__name__, (kind,), same | {"anchor": anchor})


class _TextSetter(IPoolableComponent):
    """Gives each life its text, whatever hooks a subclass of `TextSprite` has."""

    def __init__(self, color: pygame.Color) -> None:
        self._color = color

    def spawned(self, text: str = "", color: ColorLike | None = None) -> None:
        self.sprite._write(text, self._color if color is None else pygame.Color(color))


class TextCache(ImageCache):
    """Keeps rendered texts, as long as their fonts are in use."""

    def __init__(self) -> None:
        super().__init__(limit=16 * 1024 * 1024)
        self._fonts: dict[int, tuple[weakref.ref[Any], dict[Any, pygame.Surface]]] = {}

    def render(
        self, font: pygame.font.Font, text: str, color: pygame.Color, *, is_smooth: bool
    ) -> pygame.Surface:
        """Return the image of a text."""
        if id(font) not in self._fonts:
            self._fonts[id(font)] = weakref.ref(font, partial(self._gone, id(font))), {}
        images = self._fonts[id(font)][1]
        key = text, int(color), is_smooth, _style_of(font)
        image = self._find(images, key)
        return image or self._keep(images, key, font.render(text, is_smooth, color))

    def _gone(self, key: int, _: object) -> None:
        for image in list(self._fonts.pop(key)[1].values()):
            self._drop(image)


_style_of = attrgetter("bold", "italic", "underline", "strikethrough", "point_size", "align")
_texts = TextSprite.cache = TextCache()
