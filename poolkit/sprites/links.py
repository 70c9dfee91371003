"""Sprites that move and turn with another sprite."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from pygame import Vector2

from poolkit.core.errors import PoolError
from poolkit.core.seams import frame_callbacks

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

roots: dict[int, weakref.ref[PooledSprite]] = {}
"""The sprites in play that have others following them, and follow none themselves.

By `id`, for a game's sprites may compare equal, or have no hash. One that is gone, or that nothing
follows any more, is dropped when it is looked at next.
"""

NO_LINKS: dict[Link, None] = {}
"""What a sprite without children has, shared by all of them; never added to."""


def add_root(sprite: PooledSprite) -> None:
    """Let what follows `sprite` be moved after it once a frame."""
    roots[id(sprite)] = weakref.ref(sprite)


def discard_root(sprite: PooledSprite) -> None:
    """Move nothing after `sprite` any more, or not on its own account."""
    roots.pop(id(sprite), None)


def follow_all(_: object = None) -> None:
    """Move everything that follows to where it belongs.

    A sprite's rect is moved freely, unnoticed, so this is done in each frame, by whatever moves or
    draws sprites. Where nothing was moved it takes two comparisons a sprite.
    """
    for key, reference in list(roots.items()):
        root = reference()
        if root is not None and root._links:
            move_children(root)
        elif roots.get(key) is reference:
            del roots[key]


frame_callbacks.append(follow_all)


def move_children(sprite: PooledSprite) -> None:
    """Move everything that follows `sprite` to where it belongs now."""
    links = list(sprite._links)
    for link in links:  # grows meanwhile: no recursion, which has a limit
        if link.child._link is link:  # else the game has ended a life as another was moved
            link.apply()
        if link.child._links:
            links += link.child._links


def tie(link: Link) -> None:
    """Let the child of `link` follow its parent from now on."""
    parent, child = link.parent, link.child
    if parent._links is NO_LINKS:
        parent._links = {}
    parent._links[link] = None
    child._link = link
    if child._links:
        discard_root(child)
    if parent._link is None:
        roots[id(parent)] = weakref.ref(parent)


def untie(link: Link) -> None:
    """Let the child of `link` go its own way."""
    parent, child = link.parent, link.child
    parent._links.pop(link, None)
    child._link = None
    if not link.is_part:
        del link.parent  # the child keeps its link for later lives, but not this parent
    if child._links and (child._pool_record is None or child.active):
        add_root(child)


class Link:
    """Keeps a child at its offset from its parent."""

    __slots__ = (
        "_child_seen",
        "_parent_seen",
        "at_first",
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
        self.parent = parent
        self.child = child
        # In pixels from the parent's position, while its rotation is 0. `None`: what there was when
        # both were looked at, worked out when one of them moves. Few do in a short life.
        self.offset: Any = offset
        self.turn = turn  # the child's rotation less the parent's, in degrees
        self.at_first = offset, turn  # of a part: where each life begins
        self.follow_rotation = follow_rotation  # turn with the parent, and around it
        self.is_part = is_part  # of the parent's prefab, not an instance of its own
        # Rects and rotations as they were last looked at; `None`: not yet.
        self._parent_seen: Any = None
        self._child_seen: Any = None

    def keep(self) -> None:
        """Keep the offset there is now."""
        self.offset = None
        self.look()

    def apply(self) -> None:
        """Move the child after its parent. Where the game moved the child, that offset is kept."""
        parent, child = self.parent, self.child
        rect, own = parent.rect, child.rect
        if child._is_driven or rect is None or own is None:  # nobody else's children wait for it
            return
        rotation = 0.0 if parent._turning is None else parent.rotation
        turn = 0.0 if child._turning is None else child.rotation
        follows = (rect, rotation) != self._parent_seen
        has_moved = (own, turn) != self._child_seen and self._child_seen is not None
        if not (follows or has_moved):
            return
        if has_moved or self.offset is None:
            self._take_offset()
        if follows:
            x, y = getattr(rect, parent.anchor)
            child._move_to(*self.place(x, y, rotation))
        if child._link is self:  # else a `rotation` that the game wrote has ended the life
            self.look()

    def place(self, x: float, y: float, rotation: float) -> tuple[float, float, float]:
        """Return where the child belongs if the parent is at ``(x, y)`` with `rotation`."""
        dx, dy = self.offset
        if not self.follow_rotation:
            return x + dx, y + dy, self.turn
        if rotation:
            dx, dy = Vector2(dx, dy).rotate(-rotation)  # counter-clockwise where y points down
        return x + dx, y + dy, rotation + self.turn

    def look(self) -> None:
        """Note where both are: what moves from here on was moved by the game."""
        parent, child = self.parent, self.child
        rotation = 0.0 if parent._turning is None else parent.rotation
        turn = 0.0 if child._turning is None else child.rotation
        try:
            self._parent_seen = parent.rect.copy(), rotation
            self._child_seen = child.rect.copy(), turn
        except AttributeError:
            if None not in (parent.rect, child.rect):
                raise
            message = f"{child!r} can't follow {parent!r}: one of them has no rect any more"
            raise PoolError(message) from None

    def _take_offset(self) -> None:
        """Learn the offset from where the child is now, and its parent was when last seen."""
        parent, child = self.parent, self.child
        rect, rotation = self._parent_seen
        # Not by `position`, which a game may have written anew: rects are what is moved.
        x, y = getattr(rect, parent.anchor)
        child_x, child_y = getattr(child.rect, child.anchor)
        dx, dy = child_x - x, child_y - y
        self.turn = child.rotation
        if self.follow_rotation and rotation:
            dx, dy = Vector2(dx, dy).rotate(rotation)
            self.turn -= rotation
        self.offset = dx, dy
