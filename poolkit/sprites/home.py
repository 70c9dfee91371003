"""How one sprite was when it was built, to which each of its lives is restored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from poolkit.sprites.membership import Membership

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.sprites.sprite import PooledSprite

__all__ = ["Home"]


class Home:
    """Puts one sprite into play as good as new, and takes it out again.

    Attributes:
        sprite: The sprite.
        membership: The groups it joins.
        enter: Restores and places it, and lets it join its groups.
        leave: Lets it leave all groups.
    """

    __slots__ = (
        "_height",
        "_image",
        "_layer",
        "_rect",
        "_width",
        "enter",
        "leave",
        "membership",
        "sprite",
    )

    def __init__(self, sprite: PooledSprite, groups: Iterable[Any]) -> None:
        """Remember how `sprite` is, and that it joins `groups` at every spawn."""
        self.sprite = sprite
        if sprite.rect is None:
            sprite.rect = pygame.FRect((0, 0), (0, 0))
        self._image = sprite.image
        self._layer = sprite._layer
        self._rect = sprite.rect
        self._width, self._height = sprite.rect.size
        # Where it was turned in the constructor, the upright image is the one to restore.
        upright = None if sprite._turning is None else sprite._turning.upright_of(sprite)
        if upright is not None:
            self._image = upright
            self._width, self._height = upright.get_size()
        groups = tuple(groups)
        self.membership = Membership(sprite, groups)
        self.leave = self.membership.leave
        self.enter: Callable[[float, float, float], None] = self.enter_plainly
        direct = self.membership.direct()
        # A rect of whole pixels rounds a centre in its own way.
        is_exact = sprite.anchor == "center" and isinstance(self._rect, pygame.FRect)
        if is_exact and groups and direct is not None:
            self.enter = self._quick_enter(*direct)

    def renewed(self) -> Home:
        """Return how the sprite is now, in the groups it is in now as well."""
        return Home(self.sprite, (*self.membership.groups, *self.sprite.groups()))

    def enter_plainly(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite, and let it join its groups: what `enter` means."""
        sprite = self.sprite
        self.restore()
        setattr(sprite.rect, sprite.anchor, (x, y))
        if rotation or sprite._turning is not None:
            sprite.rotation = rotation
        self.membership.join()

    def restore(self) -> None:
        """Let the sprite be as it was built, upright and at no place in particular."""
        sprite = self.sprite
        sprite.image = self._image
        sprite._layer = self._layer
        rect = sprite.rect = self._rect
        # Afresh, for pygame moves a rect by the difference: one that is nowhere would stay there.
        rect.update(0, 0, self._width, self._height)
        if sprite._turning is not None:
            sprite._turning.reset()

    def uprights(self) -> tuple[pygame.Surface | None, ...]:
        """Return the images that the sprite is turned from: its own, and what it shows instead."""
        turning = self.sprite._turning
        return self._image, None if turning is None else turning.upright

    def dismantle(self) -> None:
        """Cut the cycles of its chosen ways, so that a sprite that is destroyed is freed."""
        self.membership.dismantle()
        del self.enter, self.leave

    def _quick_enter(
        self, mine: dict[Any, Any], groups: tuple[tuple[Any, dict[Any, Any]], ...]
    ) -> Callable[[float, float, float], None]:
        """Return a function that does the same for a centred sprite in groups of pygame's own.

        Free variables are read several times as fast as attributes, and one call sets a rect's
        size and place: about half the time of the plain twin.
        """
        sprite, image, layer, rect = self.sprite, self._image, self._layer, self._rect
        width, height = self._width, self._height
        half_width, half_height = width / 2, height / 2
        place = rect.update
        (first, first_members), *others = groups

        def enter(x: float, y: float, rotation: float) -> None:
            sprite.image = image
            sprite._layer = layer
            sprite.rect = rect
            place(x - half_width, y - half_height, width, height)
            turning = sprite._turning
            if rotation or turning is not None:
                if turning is not None:
                    turning.reset()
                sprite.rotation = rotation
            first_members[sprite] = None
            mine[first] = first_members
            if others:
                for group, members in others:
                    members[sprite] = None
                    mine[group] = members

        return enter
