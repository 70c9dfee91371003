"""Sprites that move and turn with another sprite."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Vector2

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.seams import frame_callbacks
from poolkit.sprites.components import update as update_components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.scope import LifeState
    from poolkit.sprites.sprite import PooledSprite

    _Pose = tuple[float, float, float]  # x, y, degrees


class Link:
    """Ties a child to its parent, at its offset, and says how it is seen with it."""

    __slots__ = (
        "at_first",
        "child",
        "follow_rotation",
        "groups",
        "is_below",
        "is_hidden",
        "is_part",
        "is_plain",
        "is_tied",
        "life",
        "links",
        "offset",
        "parent",
        "seen",
        "turn",
        "turned",
    )

    def __init__(
        self,
        parent: PooledSprite,
        child: PooledSprite,
        offset: tuple[float, float] | None = None,
        *,
        follow_rotation: bool = True,
        is_part: bool = False,
        is_below: bool = False,
    ) -> None:
        self.parent = parent
        self.child = child
        # In pixels from the parent's position, while its rotation is 0. `None`: what there was when
        # both were looked at, worked out when one of them moves. Few do in a short life.
        self.offset: Any = offset
        self.turn = 0.0 if offset is None else child.rotation  # less the parent's, in degrees
        self.at_first = self.offset, self.turn  # of a part: where each life begins
        self.follow_rotation = follow_rotation  # turn with the parent, and around it
        self.is_part = is_part  # of the parent's prefab, not an instance of its own
        self.is_below = is_below  # drawn below the parent, not above it
        self.is_hidden = False  # a part that was killed
        self.is_plain = child._moves_plainly
        self.is_tied = False
        # Where the child was when it was last looked at: elsewhere, the game has moved it.
        self.seen = pygame.FRect()
        self.turned = 0.0
        self.groups = child._mine  # those that the child is in itself
        self.links: Links = NO_LINKS  # of the child
        self.life: LifeState | None = None  # of a part that ever had a scope of its own

    def tie(self) -> None:
        """Let the child follow its parent from now on.

        Raises:
            PoolError: One of them has no rect.
        """
        parent, child = self.parent, self.child
        links = parent._links
        try:
            if links:
                links.catch_up()  # the others: this one is seen where the parent is now
            elif links is NO_LINKS:
                links = parent._links = Links(parent)
                if parent._link is not None:
                    parent._link.links = links
            links.rect.update(parent.rect)
            self.seen.update(child.rect)
        except TypeError:
            if None not in (parent.rect, child.rect):
                raise
            message = f"{child!r} can't follow {parent!r}: one of them has no rect any more"
            raise PoolError(message) from None
        links.rotation = rotation_of(parent)
        self.turned = rotation_of(child)
        self.links, child._link, self.is_tied = child._links, self, True
        links[self] = links.every = None
        leading[id(links)] = links.reference

    def begin(self) -> None:
        """Be as at first: the life of a part begins."""
        self.is_hidden = False
        self.offset, self.turn = self.at_first

    def untie(self) -> None:
        """Let the child go its own way."""
        links = self.parent._links
        links.pop(self, None)
        links.every = self.child._link = None
        self.is_tied = False
        if not self.is_part:
            del self.parent  # the child keeps its link for later lives, but not this parent

    # -- how the child is seen ----------------------------------------------------------------

    @property
    def is_seen(self) -> bool:
        """Whether the child is seen where its parent is: it has no groups of its own."""
        return not (self.is_hidden or self.groups)

    @property
    def bearer(self) -> PooledSprite | None:
        """The sprite with groups of its own that the parent is, or is seen with."""
        sprite = self.parent
        while not sprite._mine:
            link = sprite._link
            if link is None or link.is_hidden:
                return None
            sprite = link.parent
        return sprite

    @property
    def is_updated(self) -> bool:
        """Whether an update of the child does anything: it has its own, or its components have."""
        child = self.child
        return bool(child._updates) or type(child).update is not update_components

    def look_again(self) -> None:
        """Learn that the child is updated, or is not any more."""
        self.parent._links.every = None

    # -- what it began ------------------------------------------------------------------------

    def close_scope(self) -> None:
        """Undo what the child began by its own scope in the present life, if it did."""
        own = self.life
        if own is not None and own.scope is not None:
            errors = ErrorCollector()
            own.close_scope(errors)
            errors.raise_all(f"closing the scope of {own.label}")

    def forget(self) -> None:
        """Give up what the clock may know for long: the child is destroyed."""
        if self.life is not None:
            self.life.give_up()

    # -- where it is --------------------------------------------------------------------------

    def look(self) -> None:
        """Note where the child is: what moves it from here on is the game."""
        child = self.child
        if child.rect is not None:  # the game may take it away
            self.seen.update(child.rect)
            self.turned = rotation_of(child)

    def keep(self) -> None:
        """Keep the offset there is now."""
        self.learn(self.parent.rect, rotation_of(self.parent))

    def settle(self) -> None:
        """Put the child where it belongs, and what follows it."""
        parent = self.parent
        x, y = getattr(parent.rect, parent.anchor)
        self.child._move_to(*self.pose(x, y, rotation_of(parent)))
        self.look()
        if self.child._links:
            self.child._links.move()

    def pose(self, x: float, y: float, rotation: float) -> _Pose:
        """Return where the child belongs if the parent is at ``(x, y)`` with `rotation`."""
        dx, dy = self.offset
        if not self.follow_rotation:
            return x + dx, y + dy, self.turn
        if rotation:
            dx, dy = Vector2(dx, dy).rotate(-rotation)  # counter-clockwise where y points down
        return x + dx, y + dy, rotation + self.turn

    def learn(self, rect: pygame.FRect, rotation: float) -> None:
        """Learn the offset from where the child is now, and its parent is or was last seen."""
        child = self.child
        # Not by `position`, which a game may have written anew: rects are what is moved.
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
            self.learn(links.rect, links.rotation)  # the game has moved it
        child._move_to(*self.pose(x, y, rotation))
        if self.is_tied:  # else a `rotation` that the game wrote has ended the life
            self.look()


class Links(dict[Link, None]):
    """The links to all that follows one sprite, and where that was when they were last moved."""

    __slots__ = (
        "__weakref__",
        "above",
        "anchor",
        "below",
        "every",
        "is_updated",
        "rect",
        "reference",
        "rotation",
        "sprite",
    )

    def __init__(self, sprite: Any) -> None:
        self.sprite: PooledSprite = sprite
        self.anchor = "center" if sprite is None else sprite.anchor
        self.rect = pygame.FRect()
        self.rotation = 0.0
        self.reference = weakref.ref(self)
        # In tuples, which loops run through three times as fast; `None`: to be made again.
        self.every: tuple[Link, ...] | None = None
        self.below: tuple[Link, ...] = ()  # those whose child is drawn below the sprite
        self.above: tuple[Link, ...] = ()
        self.is_updated = False  # whether an update of any child does anything

    def all(self) -> tuple[Link, ...]:
        """Return all of them, in order; and see how they are to be updated and drawn."""
        every = self.every = tuple(self)
        self.is_updated = any(link.is_updated for link in every)
        self.below = tuple([link for link in every if link.is_below])
        self.above = tuple([link for link in every if not link.is_below]) if self.below else every
        return every

    def enter(self) -> None:
        """Begin to move all after the sprite, which has entered play, with all of them in place."""
        self.rect.update(self.sprite.rect)
        self.rotation = rotation_of(self.sprite)
        leading[id(self)] = self.reference

    def leave(self) -> None:
        """Move nothing any more: the sprite has left play."""
        leading.pop(id(self), None)

    def catch_up(self) -> None:
        """Move all after the sprite, and what follows them, if it has moved."""
        if self.rect != self.sprite.rect or rotation_of(self.sprite) != self.rotation:
            self.move()

    def move(self) -> None:
        """Move all after the sprite, and what follows them."""
        links, waiting = self, None
        while True:  # no recursion, which has a limit
            sprite = links.sprite
            rect = sprite.rect
            if rect is not None:  # else the game took it away
                rotation = 0.0 if sprite._turning is None else sprite.rotation
                is_upright = not (rotation or links.rotation)
                x, y = getattr(rect, links.anchor)
                for link in links.every or links.all():
                    child = link.child
                    own = child.rect
                    # The game may end a life as another is moved. Nobody else's children wait for
                    # a rect.
                    if own is None or not link.is_tied or child._is_driven:
                        continue
                    if link.links:
                        waiting = waiting or []
                        waiting.append(link.links)
                    # Nearly always, so not by calls: what is never turned.
                    if is_upright and link.is_plain and not link.turn and child._turning is None:
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
        while waiting:  # no recursion, which has a limit
            link = waiting.pop()
            if link.is_seen:
                yield link
                waiting += reversed(link.links)


NO_LINKS = Links(None)
"""What a sprite has that nothing ever followed, shared by all of them; never added to."""

leading: dict[int, weakref.ref[Links]] = {}
"""The links of sprites in play, by their `id`.

Those that are gone, or empty, are dropped when they are looked at next.
"""


def rotation_of(sprite: PooledSprite) -> float:
    """Return a sprite's rotation in degrees, at once where it was never turned."""
    return 0.0 if sprite._turning is None else sprite.rotation


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

    A sprite's rect is moved freely, unnoticed, so this is done in each frame, by whatever moves or
    draws sprites. Where nothing was moved it takes a comparison a sprite.
    """
    found = leaders()
    for links in found:
        sprite = links.sprite
        if links.rect != sprite.rect or (
            sprite._turning is not None and sprite.rotation != links.rotation
        ):
            links.move()
    return found


frame_callbacks.append(follow_all)
