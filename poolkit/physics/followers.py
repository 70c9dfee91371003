"""The sprites that follow their bodies: all moved in one go after the steps of a frame."""

from __future__ import annotations

from itertools import compress
from math import degrees
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from poolkit.physics.body_reader import BodyReader
from poolkit.physics.interpolation import Interpolation
from poolkit.sprites.links import follow_all, roots
from poolkit.sprites.rotation import Turning

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pymunk

    from poolkit.physics.body_reader import Pose
    from poolkit.physics.rigid_body import RigidBody
    from poolkit.sprites import PooledSprite

__all__ = ["Followers"]

_rect_of = attrgetter("rect")
_turning_of = attrgetter("_turning")


class Followers:
    """The rigid bodies of one space that move a sprite.

    Attributes:
        interpolation: Shows sprites between two steps, where the game asked for it.
    """

    __slots__ = (
        "_is_ours",
        "_moving",
        "_order",
        "_reader",
        "_sprites",
        "_turnings",
        "interpolation",
    )

    def __init__(self, space: pymunk.Space, *, interpolate: bool) -> None:
        """Begin with none."""
        self._moving: dict[int, RigidBody] = {}
        self._reader = BodyReader(space, self._moving)
        self.interpolation = Interpolation(self._reader) if interpolate else None
        self._order: list[RigidBody | None] | None = None  # to which what follows belongs
        self._sprites: list[PooledSprite] = []
        self._is_ours: list[bool] | None = None  # of each body; `None`: all are
        self._turnings = -1  # how many had been made when none of them was turned

    def follow(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body that is in the space from now on."""
        if rigid.leads:
            self._moving[rigid.body_id] = rigid
            self._forget_order()

    def follow_late(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body that it has not been put in the place of."""
        self.follow(rigid)
        self._reader.look_again()

    def forget(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body no longer."""
        if self._moving.pop(rigid.body_id, None) is not None:
            self._forget_order()
            if self.interpolation is not None:
                self.interpolation.forget(rigid)

    def move_sprites(self, *, all_of_them: bool) -> None:
        """Move the sprites to their bodies.

        Args:
            all_of_them: Also those whose bodies sleep or are static and have not moved since.
        """
        poses: Iterable[Pose] = ()
        if self.interpolation is not None:
            poses = self.interpolation.poses(all_of_them=all_of_them)
        else:
            columns = self._reader.columns(all_of_them=all_of_them)
            if not self._move_upright(*columns):
                poses = zip(*columns, strict=False)
        for rigid, x, y, angle in poses:
            if rigid is None:
                continue
            sprite = rigid.sprite
            if angle or sprite._turning is not None or not sprite._moves_plainly:
                sprite._move_to(x, y, -degrees(angle) if angle else 0.0)
            elif sprite.rect is not None:
                sprite.rect.center = x, y  # what it does then, without the call
        if roots:
            follow_all()

    def _move_upright(
        self,
        order: list[RigidBody | None],
        xs: Iterable[float],
        ys: Iterable[float],
        angles: Iterable[float],
    ) -> bool:
        """Move all sprites at once, with no look at each, where none is turned; else `False`."""
        if order is not self._order:
            self._take_note(order)
        if self._is_ours is not None:
            xs, ys, angles = (compress(column, self._is_ours) for column in (xs, ys, angles))
        sprites = self._sprites
        if not sprites or any(angles):
            return False
        if self._turnings != Turning.made:
            if any(map(_turning_of, sprites)):
                return False
            self._turnings = Turning.made
        rects: Iterable[Any] = map(_rect_of, sprites)
        rect: Any
        try:
            for rect, rect.center in zip(rects, zip(xs, ys, strict=False), strict=False):  # noqa: B007 - the assignment is the work
                pass
        except AttributeError:  # one has no rect
            return False
        return True

    def _take_note(self, order: list[RigidBody | None]) -> None:
        """Find the sprites of the bodies, if all of them can be moved without a look at each."""
        ours = [rigid for rigid in order if rigid is not None]
        sprites = [rigid.sprite for rigid in ours]
        self._order = order
        self._turnings = -1
        self._sprites = sprites if all(sprite._moves_plainly for sprite in sprites) else []
        self._is_ours = None
        if len(ours) < len(order):
            self._is_ours = [rigid is not None for rigid in order]

    def _forget_order(self) -> None:
        """Let go of the order last read: some body was added or removed."""
        self._reader.order = self._order = None
        self._sprites = []
