"""The sprites that follow their bodies: all moved in one go after the steps of a frame."""

from __future__ import annotations

from math import degrees
from typing import TYPE_CHECKING

from poolkit.physics.body_reader import BodyReader
from poolkit.physics.interpolation import Interpolation
from poolkit.sprites.links import follow_all, roots

if TYPE_CHECKING:
    import pymunk

    from poolkit.physics.rigid_body import RigidBody

__all__ = ["Followers"]


class Followers:
    """The rigid bodies of one space that move a sprite.

    Attributes:
        interpolation: Shows sprites between two steps, where the game asked for it.
    """

    __slots__ = ("_moving", "_reader", "interpolation")

    def __init__(self, space: pymunk.Space, *, interpolate: bool) -> None:
        """Begin with none."""
        self._moving: dict[int, RigidBody] = {}
        self._reader = BodyReader(space, self._moving)
        self.interpolation = Interpolation(self._reader) if interpolate else None

    def follow(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body that is in the space from now on."""
        if rigid.leads:
            self._moving[rigid.body_id] = rigid
            self._reader.order = None

    def follow_late(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body that it has not been put in the place of."""
        self.follow(rigid)
        self._reader.look_again()

    def forget(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body no longer."""
        if self._moving.pop(rigid.body_id, None) is not None:
            self._reader.order = None
            if self.interpolation is not None:
                self.interpolation.forget(rigid)

    def move_sprites(self, *, all_of_them: bool) -> None:
        """Move the sprites to their bodies.

        Args:
            all_of_them: Also those whose bodies sleep or are static and have not moved since.
        """
        reader = self.interpolation or self._reader
        for rigid, x, y, angle in reader.poses(all_of_them=all_of_them):
            if rigid is None:
                continue
            sprite = rigid.sprite
            if angle or sprite._turning is not None or not sprite._moves_plainly:
                sprite._move_to(x, y, -degrees(angle) if angle else 0.0)
            elif sprite.rect is not None:
                sprite.rect.center = x, y  # what it does then, without the call
        if roots:
            follow_all()
