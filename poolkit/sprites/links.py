"""Sprites that move and turn with another sprite."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING

from poolkit.core.frame import frame_callbacks

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["Link", "add_root", "discard_root", "follow_all", "roots"]

roots: weakref.WeakValueDictionary[int, PooledSprite] = weakref.WeakValueDictionary()
"""The sprites in play that have others following them, and follow none themselves.

By `id`, for a game's sprites may compare equal, or have no hash.
"""


def add_root(sprite: PooledSprite) -> None:
    """Let the sprites that follow `sprite` be moved after it once a frame."""
    roots[id(sprite)] = sprite


def discard_root(sprite: PooledSprite) -> None:
    """Move nothing after `sprite` any more, or not on its own account."""
    roots.pop(id(sprite), None)


def follow_all() -> None:
    """Move everything that follows to where it belongs.

    A sprite's rect is moved freely, unnoticed, so this is done once a frame: by
    `PoolingSystem.update`, `PooledGroup.update` and `draw`, and `PhysicsWorld.step`.
    """
    for root in list(roots.values()):
        root._move_children()


frame_callbacks.append(follow_all)


class Link:
    """Keeps a child at its offset from its parent.

    Attributes:
        child: The sprite that follows.
        parent: The sprite it follows.
        offset: ``(x, y)`` in pixels from the parent's position to the child's, as it is while the
            parent's rotation is 0.
        turn: The child's rotation less the parent's, in degrees.
        follow_rotation: Whether the child turns with the parent, and around it.
        is_part: Whether the child is a part of the parent's prefab, not an instance of its own.
    """

    __slots__ = (
        "_child_seen",
        "_home",
        "_parent_seen",
        "child",
        "follow_rotation",
        "is_part",
        "offset",
        "parent",
        "turn",
    )

    def __init__(
        self,
        parent: PooledSprite,
        child: PooledSprite,
        offset: tuple[float, float],
        turn: float,
        *,
        follow_rotation: bool,
        is_part: bool,
    ) -> None:
        """Tie `child` to `parent`; it is moved by the next `apply`."""
        self.parent = parent
        self.child = child
        self.offset = offset
        self.turn = turn
        self._home = offset, turn
        self.follow_rotation = follow_rotation
        self.is_part = is_part
        self._parent_seen: tuple[float, float, float] | None = None
        self._child_seen: tuple[float, float, float] | None = None

    @classmethod
    def as_they_are(cls, parent: PooledSprite, child: PooledSprite) -> Link:
        """Tie `child` to `parent` at the offset there is now."""
        link = cls(parent, child, (0.0, 0.0), 0.0, follow_rotation=True, is_part=False)
        link.keep()
        return link

    def keep(self) -> None:
        """Keep the offset there is now, where both have a rect."""
        if self.parent.rect is not None and self.child.rect is not None:
            self._parent_seen = _pose(self.parent)
            self._take_offset(_pose(self.child))

    def apply(self) -> None:
        """Move the child after its parent. Where the game moved the child, that offset is kept."""
        child = self.child
        if child._is_driven or child.rect is None or self.parent.rect is None:
            return
        pose = _pose(self.parent)
        child_pose = _pose(child)
        if child_pose != self._child_seen and self._child_seen is not None:
            self._take_offset(child_pose)
        if pose != self._parent_seen or self._child_seen is None:
            self._parent_seen = pose
            child._move_to(*self.place(*pose))
            self._child_seen = _pose(child)

    def place(self, x: float, y: float, rotation: float) -> tuple[float, float, float]:
        """Return where the child belongs if the parent is at ``(x, y)`` with `rotation`."""
        dx, dy = self.offset
        if not self.follow_rotation:
            return x + dx, y + dy, self.turn
        dx, dy = _turned(dx, dy, rotation)
        return x + dx, y + dy, rotation + self.turn

    def forget(self) -> None:
        """Take the first offset again, for a new life."""
        self.offset, self.turn = self._home

    def look(self) -> None:
        """Note where both are: what moves from here on was moved by the game."""
        self._parent_seen, self._child_seen = _pose(self.parent), _pose(self.child)

    def _take_offset(self, child_pose: tuple[float, float, float]) -> None:
        x, y, rotation = self._parent_seen or _pose(self.parent)
        dx, dy = child_pose[0] - x, child_pose[1] - y
        self.turn = child_pose[2]
        if self.follow_rotation:
            dx, dy = _turned(dx, dy, -rotation)
            self.turn -= rotation
        self.offset = dx, dy
        self._child_seen = child_pose


def _pose(sprite: PooledSprite) -> tuple[float, float, float]:
    x, y = sprite.position
    return x, y, sprite.rotation


def _turned(x: float, y: float, degrees: float) -> tuple[float, float]:
    # Counter-clockwise on a screen whose y points down.
    if not degrees:
        return x, y
    angle = math.radians(degrees)
    sine, cosine = math.sin(angle), math.cos(angle)
    return x * cosine + y * sine, y * cosine - x * sine
