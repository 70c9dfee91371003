"""The record of a plain pygame sprite: how it is put into play, and taken out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.record import PoolablePrefabData, data_for
from poolkit.sprites.membership import Membership, leave_quickly, put_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.pool import Pool

__all__ = ["PlainSpriteData"]


class PlainSpriteData(PoolablePrefabData[Any]):
    """The record of a plain `pygame.sprite.Sprite`: it is placed, and joins its groups.

    Spawned under a parent it dies with it, but does not follow it; nor does what is spawned under
    it. Only a `PooledSprite` moves with another.
    """

    __slots__ = ("_is_adopted", "_membership")

    _membership: Membership

    def attach(self) -> None:
        """Remember its groups; it is in none of them until its first life."""
        self.adopt()
        self._is_adopted = False
        self._membership.leave()

    def adopt(self) -> None:
        """Remember its groups, which it stays in."""
        sprite = self.instance
        sprite._pool_data = self  # sprites take any attribute; this one finds the record at once
        self._is_adopted = True
        self._belong_to((*sprite.groups(), *self.pool.groups))

    def settle(self) -> None:
        """Remember the groups that `awake` let it join; it leaves them unless it is adopted."""
        groups = self.instance.groups()
        if groups:
            self._belong_to((*self._membership.groups, *groups))
            if not self._is_adopted:
                self._membership.leave()

    def _belong_to(self, groups: Iterable[Any]) -> None:
        sprite = self.instance
        self._membership = Membership(sprite, groups)
        membership = self._membership
        # A sprite without groups of its own gains nothing from writing pygame's dicts.
        kind = PlainSpriteData
        self.entrance, self.departure = kind.enter, kind.leave
        if membership.is_plain and membership.groups:
            membership.props = (*membership.props, membership.members)
            self.entrance = _enter_quickly
        if membership.is_direct:
            self.departure = leave_quickly
        self.props = membership.props

    def pose(self) -> tuple[float, float, float]:
        """Return where its rect's centre is."""
        rect = self.instance.rect
        return (0.0, 0.0, 0.0) if rect is None else (*rect.center, 0.0)

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Move its rect's centre, and join its groups. A plain sprite can't turn."""
        del rotation
        rect = self.instance.rect
        if rect is not None:
            rect.center = (x, y)
        self._membership.join()

    def leave(self) -> None:
        """Leave every group it is in."""
        self._membership.leave()

    def join(self, groups: Iterable[Any]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        groups = tuple(groups)
        try:
            self.instance.add(*groups)
        except BaseException:
            put_out(self.instance, groups)
            raise

    def release(self) -> None:
        """Let the sprite go, alive."""
        self.instance._pool_data = None

    def forget(self) -> None:
        """Let go of the sprite, also where a handle keeps this record."""
        del self._membership
        super().forget()


def _enter_quickly(data: PlainSpriteData, x: float, y: float, rotation: float) -> None:
    """Do what `enter` does, in groups of pygame's own."""
    del rotation
    sprite, mine, groups = data.props
    rect = sprite.rect
    if rect is not None:
        rect.center = (x, y)
    for group, members in groups:
        members[sprite] = None
        mine[group] = members


@data_for.register(pygame.sprite.Sprite)
def _plain(instance: pygame.sprite.Sprite, pool: Pool[Any]) -> PoolablePrefabData[Any]:
    return PlainSpriteData(instance, pool)
