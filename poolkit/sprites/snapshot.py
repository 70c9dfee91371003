"""How a sprite was when it was built: each of its lives begins so."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import DirtySprite

from poolkit.core.errors import PrefabError
from poolkit.sprites.membership import Membership

if TYPE_CHECKING:
    from poolkit.sprites.components import Stages
    from poolkit.sprites.links import Link, Links
    from poolkit.sprites.rotation import Turning
    from poolkit.sprites.sprite import PooledSprite

_DIRTY = ("visible", "dirty", "blendmode", "source_rect")


class SpriteSnapshot(Membership):
    """Puts one sprite into play as good as new, and takes it out again."""

    __slots__ = ("image", "look", "rect")

    sprite: PooledSprite

    def __init__(self, sprite: PooledSprite, groups: tuple[Any, ...]) -> None:
        Membership.__init__(self, sprite, groups)  # half the time of `super`
        sprite._home_groups = self.homes.groups
        kind: Any = type(sprite)
        if sprite.anchor != kind.anchor:
            message = f"anchor belongs in the class {kind.__name__}, for all of its sprites"
            raise PrefabError(message)
        rect: Any = sprite.rect
        if rect is None or rect is kind.rect:  # shared by the class
            rect = sprite.rect = pygame.FRect((0, 0, 0, 0) if rect is None else rect)
        self.rect = rect
        self.image = sprite.image  # upright
        self.take_size()
        width, height = rect.size
        # If the constructor has turned it, restore the upright image.
        turning = self.turning
        if turning is not None and turning.upright is not None and sprite.image is turning.turned:
            self.image = turning.upright
            width, height = turning.upright.get_size()
        self.look = _look_of(sprite._layer, width, height)
        if issubclass(kind, DirtySprite):
            self.look += tuple([getattr(sprite, name) for name in _DIRTY])

    @property
    def link(self) -> Link | None:
        return self.sprite._link

    @property
    def links(self) -> Links:
        return self.sprite._links

    @property
    def staged(self) -> tuple[Stages, ...]:
        return self.sprite._staged

    @property
    def turning(self) -> Turning | None:
        return self.sprite._turning

    @property
    def is_sizeless(self) -> bool:
        """Whether the sprite was built with neither an image nor a size."""
        return self.image is None and not (self.look[1] or self.look[2])

    def take_size(self) -> None:
        """Give a rect without a size that of the image, which was assigned later."""
        sprite, rect = self.sprite, self.sprite.rect
        if rect is not None and rect.size == (0, 0) and isinstance(sprite.image, pygame.Surface):
            sprite._resize(sprite.image.get_size())

    @property
    def is_fast(self) -> bool:
        """Whether `enter_fast` may be used.

        Not if a game has properties for what it sets, or a rect of whole pixels, which rounds a
        centre in its own way.
        """
        homes, sprite, kind = self.homes, self.sprite, type(self.sprite)
        return (
            homes.is_plain
            and homes.groups != ()
            and not self.look[5:]
            and sprite.anchor == "center"
            and kind._moves_plainly
            and not isinstance(kind.image, property)
            and isinstance(self.rect, pygame.FRect)
        )

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite, and let it join its groups."""
        sprite = self.sprite
        if self.mine:
            self.leave_found(sprite._pool_record)  # type: ignore[arg-type]  # it is managed
        self.restore()
        setattr(sprite.rect, sprite.anchor, (float(x), float(y)))  # pygame takes no fractions
        if rotation or self.turning is not None:
            sprite.rotation = rotation
        self.join()

    def restore(self) -> None:
        """Let the sprite be as it was built, upright, at no particular place."""
        sprite = self.sprite
        if self.turning is not None:
            self.turning.reset()
        sprite._layer, width, height, _, _, *dirty = self.look
        sprite.image = self.image
        rect = sprite.rect = self.rect
        # pygame moves a rect by a difference, so a NaN would stay: begin at 0.
        rect.update(0, 0, width, height)
        for name, value in zip(_DIRTY, dirty, strict=False):
            setattr(sprite, name, value)


@lru_cache(maxsize=256)
def _look_of(layer: int | None, width: float, height: float) -> tuple[Any, ...]:
    """Return layer, size and half the size: one tuple for all alike, to save memory."""
    return layer, width, height, width / 2, height / 2


def enter_fast(holder: Any, x: float, y: float, rotation: float) -> object:
    """Enter play as `SpriteSnapshot.enter` does, in half the time: `is_fast`, and never turned."""
    own = holder.snapshot
    sprite = own.sprite
    if own.mine:
        own.leave_found(holder)
    sprite._layer, width, height, half_width, half_height = own.look
    sprite.image = own.image
    rect = sprite.rect = own.rect
    try:
        rect.update(x - half_width, y - half_height, width, height)
    except TypeError:  # pygame takes no fractions
        rect.update(float(x) - half_width, float(y) - half_height, width, height)
    if rotation:
        sprite.rotation = rotation
    group, members, others = own.entry
    members[sprite] = None
    own.mine[group] = members
    if others is not None:
        for group, members in others:
            members[sprite] = None
            own.mine[group] = members
    return holder.special  # for a game's own `__setattr__` may have ended the life
