"""Sprites that move and turn with another sprite."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Vector2

from poolkit.core.errors import PoolError
from poolkit.core.seams import frame_callbacks
from poolkit.sprites.components import update as update_components
from poolkit.sprites.membership import groups_dict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from poolkit.core.scope import LifeResources
    from poolkit.sprites.sprite import PooledSprite

    Pose = tuple[float, float, float]  # x, y, degrees

link_of: Callable[[Any], Any] = attrgetter("_link")
"""Return what ties a `PooledSprite` to its parent, or `None`."""

links_of: Callable[[Any], Links] = attrgetter("_links")
"""Return what ties others to a `PooledSprite`."""


@dataclass(slots=True, eq=False)
class Link:
    """Ties a child to its parent, at an offset.

    A part has one link for good, in which each of its lives begins at the same offset. A pooled
    child has one while it hangs on something.
    """

    parent: PooledSprite
    child: PooledSprite
    # In pixels from the position of the upright parent. `None`: the one there was when they were
    # tied, worked out when one of them moves. In most short lives nothing does.
    offset: Any = None
    follow_rotation: bool = True  # turn with the parent, and around it
    is_part: bool = False  # of the parent's prefab, not an instance of its own
    is_below: bool = False  # drawn below the parent, not above it
    turn: float = 0.0  # the child's rotation less the parent's, in degrees
    is_hidden: bool = False  # a part that was killed
    can_move_by_center: bool = False  # moved by its centre alone, as all that were never turned
    # Where the child was when it was last looked at. If it's elsewhere, the game has moved it.
    seen: pygame.FRect = field(default_factory=pygame.FRect)
    turned: float = 0.0
    released: Any = None  # the life in which the child was last released, and its rotation then
    siblings: Any = None  # the parent's links, this one included, while it is tied
    resources: LifeResources | None = None  # of a part that ever had a scope of its own
    at_first: Any = None  # the offset and turn with which each life of a part begins
    groups: Any = None  # pygame's dict of the child's
    links: Any = None  # of the child

    def __post_init__(self) -> None:
        child = self.child
        self.turn = 0.0 if self.offset is None else child.rotation
        self.at_first = self.offset, self.turn
        is_direct = child._is_center_anchored and child._is_moved_directly
        self.can_move_by_center = is_direct and child._rotation_state is None
        self.groups = groups_dict_of(child)

    def bind(self) -> None:
        """Let the child follow its parent from now on.

        Raises:
            PoolError: One of them has no rect.
        """
        parent, child = self.parent, self.child
        links = parent._links
        try:
            if links:
                links.catch_up()  # the others first: this one starts from where the parent is now
            elif links is NO_LINKS:
                links = parent._links = Links(parent)
                links.is_turned = parent._rotation_state is not None
                if (above := link_of(parent)) is not None:
                    above.links = links
            links.rect.update(parent.rect)
            self.seen.update(child.rect)
        except TypeError:
            if None not in (parent.rect, child.rect):
                raise
            message = f"{child!r} can't follow {parent!r}: one of them has no rect any more"
            raise PoolError(message) from None
        links.rotation = rotation_of(parent)
        self.turned = rotation_of(child)
        self.links, child._link, self.siblings = child._links, self, links
        links[self] = links.every = None
        leading[id(links)] = links.reference

    def unbind(self) -> None:
        """Let the child go its own way. What Ctrl-C has interrupted can be done again."""
        links = self.siblings
        if links is not None:
            links.pop(self, None)
            links.every = self.siblings = None
        self.child._link = None
        if not self.is_part:
            del self.parent  # the child keeps its link for later lives, but not this parent

    def begin(self, poses: dict[int, Pose]) -> Pose:
        """Begin a life of a part; return where it belongs if its parent is where `poses` says."""
        self.is_hidden = False
        self.offset, self.turn = self.at_first
        return self.pose(*poses[id(self.parent)])

    # -- how the child is seen ----------------------------------------------------------------

    @property
    def is_seen(self) -> bool:
        """Whether the child is updated and drawn with its parent: it has no groups of its own."""
        return not (self.is_hidden or self.groups)

    @property
    def bearer(self) -> PooledSprite | None:
        """The nearest sprite above the child that has groups, or `None`."""
        sprite = self.parent
        while not groups_dict_of(sprite):
            link = link_of(sprite)
            if link is None or link.is_hidden:
                return None
            sprite = link.parent
        return sprite

    def is_seen_with(self, sprite: object) -> bool:
        """Whether the child still hangs on this sprite, and is updated and drawn with it."""
        return self.siblings is not None and self.is_seen and self.bearer is sprite

    @property
    def is_updated(self) -> bool:
        """Whether an update of the child does anything."""
        child = self.child
        return bool(child._updates) or type(child).update is not update_components

    # -- its scope, if it is a part's -----------------------------------------------------------

    def close_scope(self) -> None:
        """Undo what the part began by its own scope in this life."""
        resources = self.resources
        if resources is not None and resources.scope is not None:
            errors = resources.close_scope(None)
            if errors is not None:
                errors.raise_now(f"closing the scope of {resources.label}")

    def release_timers(self) -> None:
        """Take its timers off the clock: the part is destroyed."""
        if self.resources is not None:
            self.resources.release_timers()

    # -- where it is --------------------------------------------------------------------------

    def look(self) -> None:
        """Note where the child is."""
        child = self.child
        if child.rect is not None:  # the game may take it away
            self.seen.update(child.rect)
            self.turned = rotation_of(child)

    def keep(self) -> None:
        """Keep the present offset."""
        self.learn(self.parent.rect, rotation_of(self.parent))

    def read(self) -> tuple[float, float]:
        """Return the present offset, which the game may have changed by moving the child."""
        parent, child = self.parent, self.child
        self.siblings.catch_up()
        if None not in (parent.rect, child.rect):  # the game may take them away
            is_where_seen = self.seen == child.rect and rotation_of(child) == self.turned
            if self.offset is None or child._follows_body or not is_where_seen:
                self.keep()
        return self.offset or (0.0, 0.0)

    def put(self, offset: tuple[float, float], *, is_built: bool) -> None:
        """Move the child to another offset; a part that isn't built yet begins its lives there."""
        self.read()  # it may have been turned
        self.offset = offset
        if not is_built:
            self.at_first = offset, self.turn
        parent, child = self.parent, self.child
        if child._follows_body:
            x, y = getattr(parent.rect, parent.anchor)
            child.position = self.pose(x, y, rotation_of(parent))[:2]
        elif None not in (parent.rect, child.rect):
            self.settle()

    @property
    def turned_by(self) -> float:
        """By how many degrees the parent turns the child now."""
        self.siblings.catch_up()
        return rotation_of(self.parent) if self.follow_rotation else 0.0

    def settle(self) -> None:
        """Move the child to its offset, and what follows the child with it."""
        parent = self.parent
        x, y = getattr(parent.rect, parent.anchor)
        self.child._move_to(*self.pose(x, y, rotation_of(parent)))
        self.look()
        if self.links:
            self.links.move()

    def pose(self, x: float, y: float, rotation: float) -> Pose:
        """Return where the child belongs if the parent is at ``(x, y)`` with `rotation`."""
        dx, dy = self.offset
        if not self.follow_rotation:
            return x + dx, y + dy, self.turn
        if rotation:
            dx, dy = Vector2(dx, dy).rotate(-rotation)  # counter-clockwise, as y points down
        return x + dx, y + dy, rotation + self.turn

    def learn(self, rect: pygame.FRect, rotation: float) -> None:
        """Learn the offset from where the child is now and the parent is, or was last seen."""
        child = self.child
        # By the rects, not by `position`, which a game may override.
        x, y = getattr(rect, self.parent.anchor)
        child_x, child_y = getattr(child.rect, child.anchor)
        dx, dy = child_x - x, child_y - y
        self.turn = child.rotation
        if self.follow_rotation and rotation:
            dx, dy = Vector2(dx, dy).rotate(rotation)
            self.turn -= rotation
        self.offset = dx, dy
        self.look()

    def move(self, x: float, y: float, rotation: float, links: Links) -> None:
        """Move the child after its parent, which is there now."""
        child = self.child
        if self.offset is None or self.seen != child.rect or rotation_of(child) != self.turned:
            self.learn(links.rect, links.rotation)
        child._move_to(*self.pose(x, y, rotation))
        if self.siblings is not None:  # a game's own `rotation` may have ended the life
            self.look()


class Links(dict[Link, None]):
    """The links to all children of one sprite, and where it was when they were last moved."""

    __slots__ = (
        "__weakref__",
        "above",
        "anchor",
        "below",
        "every",
        "is_turned",
        "is_updated",
        "rect",
        "reference",
        "rotation",
        "sprite",
    )

    def __init__(self, sprite: Any) -> None:
        self.sprite: PooledSprite = sprite
        self.anchor = "center" if sprite is None else sprite.anchor
        self.is_turned = False  # whether the sprite ever was
        self.rect = pygame.FRect()
        self.rotation = 0.0
        self.reference = weakref.ref(self)
        # Tuples, for loops over them are three times as fast. `None`: they must be made again.
        self.every: tuple[Link, ...] | None = None
        self.below: tuple[Link, ...] = ()  # to children that are drawn below the sprite
        self.above: tuple[Link, ...] = ()
        self.is_updated = False  # whether an update of any child does anything

    def all(self) -> tuple[Link, ...]:
        """Return all links in order, and work out how to update and draw the children."""
        every = self.every = tuple(self)
        self.is_updated = any(link.is_updated for link in every)
        self.below = tuple([link for link in every if link.is_below])
        self.above = tuple([link for link in every if not link.is_below]) if self.below else every
        return every

    def enter(self) -> None:
        """Begin to move the children: the sprite has entered play, with all of them in place."""
        self.rect.update(self.sprite.rect)
        self.rotation = rotation_of(self.sprite)
        leading[id(self)] = self.reference

    def leave(self) -> None:
        """Stop moving the children: the sprite has left play."""
        leading.pop(id(self), None)

    def catch_up(self) -> None:
        """Move all children, and what follows them, if the sprite has moved."""
        if self.rect != self.sprite.rect or rotation_of(self.sprite) != self.rotation:
            self.move()

    def move(self) -> None:
        """Move all children, and what follows them."""
        links, waiting = self, None
        while True:  # no recursion: chains may be longer than Python's limit
            sprite = links.sprite
            rect = sprite.rect
            if rect is not None:  # the game may take it away
                rotation = sprite.rotation if links.is_turned else 0.0
                is_upright = not (rotation or links.rotation)
                x, y = getattr(rect, links.anchor)
                for link in links.every or links.all():
                    child = link.child
                    own = child.rect
                    # Moving one may run the game's code, which may end the life of another.
                    if own is None or link.siblings is None or child._follows_body:
                        continue
                    if link.links:
                        waiting = waiting or []
                        waiting.append(link.links)
                    # Nearly always, so written out here.
                    if is_upright and link.can_move_by_center and not link.turn:
                        if link.seen != own or link.offset is None:
                            link.learn(links.rect, 0.0)
                        dx, dy = link.offset
                        own.center = x + dx, y + dy
                        link.seen.update(own)
                    else:
                        link.move(x, y, rotation, links)
                links.rect.update(rect)
                links.rotation = rotation
            if not waiting:
                return
            links = waiting.pop()

    def walk(self) -> Iterator[Link]:
        """Yield the links of all that is seen with the sprite, each after what it hangs on."""
        waiting = [*reversed(self)]
        while waiting:
            link = waiting.pop()
            if link.is_seen:
                yield link
                waiting += reversed(link.links)


NO_LINKS = Links(None)
"""What all sprites share that nothing has ever followed. It stays empty."""

leading: dict[int, weakref.ref[Links]] = {}
"""The links of sprites in play that others follow, by the `id` of the links.

Those that are empty or gone are dropped when `leaders` next looks at them.
"""


def rotation_of(sprite: PooledSprite) -> float:
    """Return a sprite's rotation in degrees, quickly if it was never turned."""
    return 0.0 if sprite._rotation_state is None else sprite.rotation


def leaders() -> list[Links]:
    """Return the links of all sprites in play that others follow."""
    found = [links for reference in leading.values() if (links := reference())]
    if len(found) < len(leading):
        for key, reference in [*leading.items()]:
            if not reference():
                del leading[key]
    return found


def follow_all(_: object = None) -> list[Links]:
    """Move everything that follows to where it belongs; return the links of all that is followed.

    Nothing reports when a game moves a rect, so whatever updates, moves or draws sprites calls
    this. It compares one rect for each sprite that others follow.
    """
    found = leaders()
    for links in found:
        sprite = links.sprite
        if links.rect != sprite.rect or (links.is_turned and sprite.rotation != links.rotation):
            links.move()
    return found


frame_callbacks.append(follow_all)
