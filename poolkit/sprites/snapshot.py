"""How one sprite was when it was built, to which each of its lives is restored."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.sprites.membership import _MINE, HasProps, Membership, groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.sprites.sprite import PooledSprite

_DIRTY = ("visible", "dirty", "blendmode", "source_rect")  # what a DirtySprite has besides


class _Mould(NamedTuple):
    """What the snapshots of sprites of one class, in the same groups, have in common."""

    kind: type[Any]
    given: Sequence[Any]
    groups: tuple[Any, ...]
    is_direct: bool
    is_fast: bool  # where the sprite itself is as usual
    entry: tuple[Any, ...]  # the first group, its dict of sprites, and the others with theirs


class SpriteSnapshot(Membership):
    """Puts one sprite into play as good as new, and takes it out again.

    Attributes:
        is_fast: Whether `enter_fast` may be used.
        mould: What the next snapshot may be made by.
    """

    __slots__ = ("_dirty", "_image", "_look", "_rect", "is_fast", "mould")

    def __init__(
        self, sprite: PooledSprite, groups: Sequence[Any], mould: _Mould | None = None
    ) -> None:
        """Remember how `sprite` is, and that it joins `groups` at every spawn."""
        kind = type(sprite)
        if mould is None or mould.kind is not kind or mould.given != groups:
            super().__init__(sprite, groups)
            is_fast = kind.anchor == "center" and not issubclass(kind, pygame.sprite.DirtySprite)
            is_fast = is_fast and bool(self.groups) and self.is_plain
            (first, *others) = self.members if is_fast else ((None, None),)
            mould = _Mould(
                kind, groups, self.groups, self.is_direct, is_fast, (*first, tuple(others))
            )
        else:
            self.sprite = sprite
            self.groups, self.is_direct = mould.groups, mould.is_direct
            self.props = sprite, getattr(sprite, _MINE)
        self.mould = mould
        rect = sprite.rect
        if rect is None:
            rect = sprite.rect = pygame.FRect((0, 0), (0, 0))
        elif rect is getattr(kind, "rect", None):  # one for all of the class
            rect = sprite.rect = pygame.FRect(rect)
        self._dirty: tuple[Any, ...] | None = None
        if isinstance(sprite, pygame.sprite.DirtySprite):
            self._dirty = tuple(getattr(sprite, name) for name in _DIRTY)
        self._image = sprite.image
        self._rect = rect
        size = rect.size
        # Where it was turned in the constructor, the upright image is the one to restore.
        upright = None if sprite._turning is None else sprite._turning.upright_of(sprite)
        if upright is not None:
            self._image = upright
            size = upright.get_size()
        self._look = _look_of(sprite._layer, *size)
        # A rect of whole pixels rounds a centre in its own way.
        self.is_fast = mould.is_fast and isinstance(rect, pygame.FRect)
        if self.is_fast:
            self.props = (*self.props, self._image, rect, self._look, *mould.entry)

    def renewed(self) -> SpriteSnapshot:
        """Return how the sprite is now, in the groups it is in now as well."""
        sprite, groups = self.sprite, groups_of(self.sprite)
        is_same = sprite.image is self._image and sprite.rect is self._rect and not groups
        is_same = is_same and sprite._turning is self._dirty is None
        if is_same and (sprite._layer, *sprite.rect.size) == self._look[:3]:
            return self
        return SpriteSnapshot(sprite, (*self.groups, *groups))

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite, and let it join its groups."""
        if self.is_fast:
            enter_fast(self, x, y, rotation)
        else:
            self.enter_fully(x, y, rotation)

    def enter_fully(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite, and let it join its groups: what `enter` means."""
        sprite = self.sprite
        self.restore()
        try:
            setattr(sprite.rect, sprite.anchor, (x, y))
        except TypeError:  # numbers of a kind that pygame does not know, as fractions
            setattr(sprite.rect, sprite.anchor, (float(x), float(y)))
        if rotation or sprite._turning is not None:
            sprite.rotation = rotation
        self.join()

    def restore(self) -> None:
        """Let the sprite be as it was built, upright and at no place in particular."""
        sprite = self.sprite
        sprite.image = self._image
        sprite._layer, width, height, _, _ = self._look
        rect = sprite.rect = self._rect
        # Afresh, for pygame moves a rect by the difference: one that is nowhere would stay there.
        rect.update(0, 0, width, height)
        if sprite._turning is not None:
            sprite._turning.reset()
        if self._dirty is not None:
            for name, value in zip(_DIRTY, self._dirty, strict=True):
                setattr(sprite, name, value)

    def uprights(self) -> tuple[pygame.Surface | None, ...]:
        """Return the images that the sprite is turned from: its own, and what it shows instead."""
        turning = self.sprite._turning
        return self._image, None if turning is None else turning.upright


@lru_cache(maxsize=256)
def _look_of(
    layer: int | None, width: float, height: float
) -> tuple[int | None, float, float, float, float]:
    """Return layer, size and half the size: one tuple for all that are alike, to share memory."""
    return layer, width, height, width / 2, height / 2


def enter_fast(holder: HasProps, x: float, y: float, rotation: float) -> object:
    """Do what `SpriteSnapshot.enter_fully` does for a centred sprite in groups of pygame's own.

    All that it needs is in one tuple, and one call sets a rect's size and place: about half the
    time of the plain twin.
    """
    sprite, mine, image, rect, look, group, members, others = holder.props
    sprite._layer, width, height, half_width, half_height = look
    sprite.image = image
    sprite.rect = rect
    try:
        rect.update(x - half_width, y - half_height, width, height)
    except TypeError:  # numbers of a kind that pygame does not know, as fractions
        rect.update(float(x) - half_width, float(y) - half_height, width, height)
    if rotation or sprite._turning is not None:
        if sprite._turning is not None:
            sprite._turning.reset()
        sprite.rotation = rotation
    members[sprite] = None
    mine[group] = members
    if others:
        for group, members in others:
            members[sprite] = None
            mine[group] = members
    return holder.ties  # for a game's own image or rotation may have ended the life
