"""Links between sprites: children move and turn with their parents.

Nothing reports when a game moves a rect, so all that updates or draws sprites compares where a
parent is with where it was. Each looks at its own: a `PooledGroup` at its members and what is above
and below them, a system at the parents among its lives, a physics world at those that follow its
bodies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Vector2

from poolkit.core.errors import PoolError
from poolkit.core.seams import frame_callbacks
from poolkit.sprites.components import update as update_components
from poolkit.sprites.membership import warn_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from poolkit.core.context import SystemContext
    from poolkit.core.record import Record
    from poolkit.core.scope import LifeResources
    from poolkit.sprites.sprite import PooledSprite

    Pose = tuple[float, float, float]  # x, y, degrees


@dataclass(slots=True, eq=False)
class Link:
    """Makes a child follow its parent, at an offset.

    A part has one link for good, in which each of its lives begins at the same offset. A pooled
    child uses its link while it has a parent.
    """

    parent: PooledSprite
    child: PooledSprite
    # In pixels from the position of the upright parent. `None`: the one there was when they were
    # bound, worked out when one of them moves. In most short lives nothing does.
    offset: Any = None
    follow_rotation: bool = True  # turn with the parent, and around it
    is_part: bool = False  # of the parent's prefab, not an instance of its own
    is_below: bool = False  # drawn below the parent, not above it
    local_rotation: float = 0.0  # the child's rotation less the parent's, in degrees
    is_hidden: bool = False  # a part that was killed
    # Where the child was when we last moved it. If it's elsewhere, the game has moved it.
    last_rect: pygame.FRect = field(default_factory=pygame.FRect)
    last_rotation: float = 0.0
    released: Any = None  # the life in which the child was last released, and its rotation then
    parent_links: Any = None  # the links of the parent, this one included, while it is bound
    resources: LifeResources | None = None  # of a part that ever had a scope of its own
    initial_transform: Any = None  # the offset and local rotation of each new life of a part

    def __post_init__(self) -> None:
        self.local_rotation = 0.0 if self.offset is None else self.child.rotation
        self.initial_transform = self.offset, self.local_rotation

    def bind(self) -> None:
        """Let the child follow its parent from now on.

        Raises:
            PoolError: One of them has no rect.
        """
        parent, child = self.parent, self.child
        if parent.rect is None or child.rect is None:
            message = f"{child!r} can't follow {parent!r}: one of them has no rect any more"
            raise PoolError(message)
        is_first = not parent._links
        if parent._links is NO_LINKS:
            parent._links = Links(parent)
            if parent._link is not None:
                parent._link.parent_links.invalidate()
        links = parent._links
        links.catch_up()  # the others first: this one starts from where the parent is now
        self.remember_pose()
        links[self] = None
        child._link, self.parent_links = self, links
        links.invalidate()
        if is_first:
            record: Any = parent._pool_record
            if not links.registries and (record is None or record.active):
                links.register(record)
            mark_groups(parent)
        if child._groups_dict:
            mark_groups(child)

    def unbind(self) -> None:
        """Let the child go its own way. What Ctrl-C has interrupted can be done again."""
        links = self.parent_links
        if links is not None:
            links.pop(self, None)
            links.invalidate()  # that it has children is forgotten later: others often come soon
            self.parent_links = None
        self.child._link = None
        if not self.is_part:
            del self.parent  # the child keeps its link for later lives, but not this parent

    def begin(self, poses: dict[int, Pose]) -> Pose:
        """Begin a life of a part; return where it belongs if its parent is where `poses` says."""
        self.is_hidden = False
        self.offset, self.local_rotation = self.initial_transform
        return self.pose(*poses[id(self.parent)])

    def hide(self) -> None:
        """Hide the child with all that is drawn with it: it was killed."""
        self.is_hidden = True
        self.parent_links.invalidate()

    # -- how the child is drawn and updated ---------------------------------------------------

    @property
    def is_drawn_with_parent(self) -> bool:
        """Whether the child is updated and drawn with its parent: it has no groups of its own."""
        return not (self.is_hidden or self.child._groups_dict)

    @property
    def grouped_ancestor(self) -> PooledSprite | None:
        """The nearest sprite above the child that has groups, or `None`."""
        sprite = self.parent
        while not sprite._groups_dict:
            link = sprite._link
            if link is None or link.is_hidden:
                return None
            sprite = link.parent
        return sprite

    def is_drawn_with(self, sprite: object) -> bool:
        """Whether the child is updated and drawn with this sprite, which was above it."""
        is_child = self.parent_links is not None and self.is_drawn_with_parent
        return is_child and self.grouped_ancestor is sprite

    @property
    def is_upright(self) -> bool:
        """Whether the child can be moved by its rect's center, for it was never turned."""
        child = self.child
        was_turned = child._rotation_state is not None or self.local_rotation
        return child._is_moved_by_center and not was_turned

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

    def remember_pose(self) -> None:
        """Note where the child is, so that we see when the game moves it."""
        child = self.child
        if child.rect is not None:  # the game may take it away
            self.last_rect.update(child.rect)
            self.last_rotation = 0.0 if child._rotation_state is None else child.rotation

    def update_offset(self) -> None:
        """Work out the offset from where the child and its parent are now."""
        self.update_offset_from(self.parent.rect, rotation_of(self.parent))

    def update_offset_from(self, rect: pygame.FRect, rotation: float) -> None:
        """Work out the offset from where the child is now and the parent is, or last was."""
        child = self.child
        # By the rects, not by `position`, which a game may override.
        x, y = getattr(rect, self.parent.anchor)
        child_x, child_y = getattr(child.rect, child.anchor)
        dx, dy = child_x - x, child_y - y
        self.local_rotation = child.rotation
        if self.follow_rotation and rotation:
            dx, dy = Vector2(dx, dy).rotate(rotation)
            self.local_rotation -= rotation
        self.offset = dx, dy
        self.remember_pose()

    def get_offset(self) -> tuple[float, float]:
        """Return the present offset, which the game may have changed by moving the child."""
        parent, child = self.parent, self.child
        self.parent_links.catch_up()
        if None not in (parent.rect, child.rect):  # the game may take them away
            has_moved = self.last_rect != child.rect or rotation_of(child) != self.last_rotation
            if self.offset is None or child._follows_body or has_moved:
                self.update_offset()
        return self.offset or (0.0, 0.0)

    def set_offset(self, offset: tuple[float, float], *, is_built: bool) -> None:
        """Move the child to another offset; a part that isn't built yet begins its lives there."""
        self.get_offset()  # it may have been turned
        self.offset = offset
        if not is_built:
            self.initial_transform = offset, self.local_rotation
        parent, child = self.parent, self.child
        if child._follows_body:
            x, y = getattr(parent.rect, parent.anchor)
            child.position = self.pose(x, y, rotation_of(parent))[:2]
        elif None not in (parent.rect, child.rect):
            self.apply_offset()

    @property
    def parent_rotation(self) -> float:
        """By how many degrees the parent turns the child now."""
        self.parent_links.catch_up()
        return rotation_of(self.parent) if self.follow_rotation else 0.0

    def apply_offset(self) -> None:
        """Move the child to its offset, and what follows the child with it."""
        parent = self.parent
        x, y = getattr(parent.rect, parent.anchor)
        self.child._move_to(*self.pose(x, y, rotation_of(parent)))
        self.remember_pose()
        if self.child._links:
            self.child._links.move()

    def pose(self, x: float, y: float, rotation: float) -> Pose:
        """Return where the child belongs if the parent is at ``(x, y)`` with `rotation`."""
        dx, dy = self.offset
        if not self.follow_rotation:
            return x + dx, y + dy, self.local_rotation
        if rotation:
            dx, dy = Vector2(dx, dy).rotate(-rotation)  # counter-clockwise, as y points down
        return x + dx, y + dy, rotation + self.local_rotation

    def move(self, x: float, y: float, rotation: float, links: Links) -> None:
        """Move the child after its parent, which is there now."""
        child = self.child
        has_moved = self.last_rect != child.rect or rotation_of(child) != self.last_rotation
        if self.offset is None or has_moved:
            self.update_offset_from(links.rect, links.rotation)
        child._move_to(*self.pose(x, y, rotation))
        if self.parent_links is not None:  # a game's own `rotation` may have ended the life
            self.remember_pose()


class _TreeState:
    """Counts the changes of which sprites are drawn with which, in all trees of the process."""

    num_changes = 0


tree_state: _TreeState = _TreeState()


class Links(dict[Link, None]):
    """The links to all children of one sprite, and where it was when they were last moved."""

    __slots__ = (
        "anchor",
        "is_flat",
        "nested",
        "ordered",
        "rect",
        "registries",
        "rotation",
        "sprite",
        "updated",
        "upright",
    )

    def __init__(self, sprite: Any) -> None:
        self.sprite: PooledSprite = sprite
        self.anchor = "center" if sprite is None else sprite.anchor
        self.rect: Any = pygame.FRect()
        self.rotation: float = 0.0
        self.registries: tuple[dict[int, Links], ...] = ()  # that move the children, in play
        # Tuples, for loops over them are three times as fast.
        self.ordered: tuple[Link, ...] | None = None  # `None`: all of these must be made again
        self.is_flat: bool = False  # up to date, and nothing is nested or drawn below the sprite
        self.nested: tuple[Links, ...] = ()  # of the children that ever had children
        self.updated: tuple[Link, ...] = ()  # to the children whose update does anything
        # With the child and its last rect, if all children are upright: to move these faster.
        self.upright: tuple[tuple[Link, PooledSprite, pygame.FRect], ...] = ()

    def invalidate(self) -> None:
        """Have the order of the children, and all that depends on it, worked out again."""
        self.ordered, self.is_flat = None, False
        tree_state.num_changes += 1

    def rebuild_order(self) -> tuple[Link, ...]:
        """Return all links in order, and work out how to move, update and draw the children."""
        ordered = self.ordered = tuple(self)
        children_links = [link.child._links for link in ordered]
        self.nested = tuple([links for links in children_links if links is not NO_LINKS])
        self.updated = tuple([link for link in ordered if link.is_updated])
        self.is_flat = not (self.nested or any(link.is_below for link in ordered))
        upright = [(link, link.child, link.last_rect) for link in ordered if link.is_upright]
        self.upright = tuple(upright) if len(upright) == len(ordered) else ()
        self._warn_if_undrawn(ordered)
        return ordered

    def _warn_if_undrawn(self, links: tuple[Link, ...]) -> None:
        """Warn about a child that nothing draws: the sprite has groups, but no `PooledGroup`.

        What is attached to a child without groups is drawn with that, so it needs no look.
        """
        groups = [*self.sprite._groups_dict]
        undrawn = [link.child for link in links if groups and link.is_drawn_with_parent]
        if undrawn and not any(hasattr(group, "_has_parents") for group in groups):
            warn_once(
                type(self.sprite),
                "%r hangs on %r and has no groups of its own, so only a PooledGroup updates and "
                "draws it, not %s: use a PooledGroup, or give the part groups of its own",
                undrawn[0],
                self.sprite,
                groups,
            )

    # -- who moves the children ---------------------------------------------------------------

    def register(self, record: Record[Any] | None) -> None:
        """Let the system, if there is one, and the world of the sprite's body move the children."""
        if self.registries:
            self.leave()
        if not self:
            return
        registries: tuple[dict[int, Links], ...] = ()
        if record is not None:
            registries = (record.context.extras.setdefault(Links, {}),)
        if self.sprite._follows_body:
            registries += (self.sprite._play_handlers[0].parents,)
        self.registries = registries
        for registry in registries:
            registry[id(self)] = self

    def leave(self) -> None:
        """Stop moving the children: the sprite has left play, or has no child any more."""
        for registry in self.registries:
            registry.pop(id(self), None)
        self.registries = ()

    def enter(self, record: Record[Any]) -> None:
        """Begin to move the children: the sprite has entered play, with all of them in place."""
        if self:
            self.remember_pose()
            self.register(record)

    # -- moving them --------------------------------------------------------------------------

    def remember_pose(self) -> None:
        """Note where the sprite is, so that we see when it moves."""
        self.rect.update(self.sprite.rect)
        self.rotation = rotation_of(self.sprite)

    def catch_up(self) -> None:
        """Move the children if the sprite has moved, but nothing that follows them."""
        sprite = self.sprite
        if self.rect != sprite.rect or (
            sprite._rotation_state is not None and sprite.rotation != self.rotation
        ):
            self.move_children()

    def move(self) -> None:
        """Move all children, and what follows them."""
        self.move_children()
        if self.nested:
            follow(self.nested)

    def move_children(self) -> None:
        """Move the children, but nothing that follows them."""
        sprite = self.sprite
        rect: pygame.FRect | None = sprite.rect
        if rect is None:  # the game may take it away
            return
        ordered = self.ordered or self.rebuild_order()
        x, y = getattr(rect, self.anchor)
        if self.upright and sprite._rotation_state is None:  # nearly always
            for link, child, last_rect in self.upright:
                child_rect: pygame.FRect | None = child.rect
                if child_rect is not None and not child._follows_body:
                    if last_rect != child_rect or link.offset is None:
                        link.update_offset_from(self.rect, 0.0)
                    dx, dy = link.offset
                    child_rect.center = x + dx, y + dy
                    last_rect.update(child_rect)
        else:
            self._move_turned(ordered, x, y)
        self.rect.update(rect)

    def _move_turned(self, ordered: tuple[Link, ...], x: float, y: float) -> None:
        rotation = rotation_of(self.sprite)
        for link in ordered:
            # Moving one may run the game's code, which may end the life of another.
            is_bound = link.parent_links is not None and not link.child._follows_body
            if is_bound and link.child.rect is not None:
                link.move(x, y, rotation, self)
        self.rotation = rotation

    # -- updating and drawing them ------------------------------------------------------------

    def to_update(self) -> Sequence[Link]:
        """Return the links to all that is updated with the sprite, each after its parent's."""
        if self.ordered is None:
            self.rebuild_order()
        if self.nested:
            return [link for link in self._walk() if link.is_updated]
        shown = [link for link in self.updated if link.is_drawn_with_parent]
        # Nearly always all are. To keep a list for each parent would start the garbage collector.
        return self.updated if len(shown) == len(self.updated) else shown

    def _walk(self) -> Iterator[Link]:
        """Yield the links of all that is drawn with the sprite, each after its parent's."""
        waiting = [*reversed(self)]
        while waiting:
            link = waiting.pop()
            if link.is_drawn_with_parent:
                yield link
                waiting += reversed(link.child._links)

    def in_drawing_order(self) -> list[PooledSprite]:
        """Return the sprite with all that is drawn with it, the lowest first."""
        order: list[PooledSprite] = []
        # No recursion: chains may be longer than Python's limit.
        waiting: list[tuple[PooledSprite, bool]] = [(self.sprite, False)]
        while waiting:
            sprite, is_next = waiting.pop()
            if is_next or not sprite._links:
                order.append(sprite)
                continue
            shown = [link for link in reversed(sprite._links) if link.is_drawn_with_parent]
            waiting += [(link.child, False) for link in shown if not link.is_below]
            waiting.append((sprite, True))
            waiting += [(link.child, False) for link in shown if link.is_below]
        return order


NO_LINKS = Links(None)
"""What all sprites share that never had a child. It stays empty."""


def rotation_of(sprite: PooledSprite) -> float:
    """Return a sprite's rotation in degrees, quickly if it was never turned."""
    return 0.0 if sprite._rotation_state is None else sprite.rotation


def mark_groups(sprite: PooledSprite) -> None:
    """Let the `PooledGroup`s of a sprite know that it has children, or a parent."""
    tree_state.num_changes += 1
    for group in sprite._groups_dict:
        if hasattr(group, "_has_parents"):
            if sprite._links:
                group._has_parents = True
            if sprite._link is not None:
                group._has_followers = True


def follow(trees: Iterable[Links]) -> None:
    """Move the children, and theirs, of all that have moved in these trees."""
    while trees:  # no recursion: chains may be longer than Python's limit
        deeper: list[Links] = []
        for links in trees:
            sprite = links.sprite
            if links.rect != sprite.rect:  # nearly always one of the first two
                links.move_children()
            elif sprite._rotation_state is not None:
                links.catch_up()
            if not links.is_flat:
                if links.ordered is None:
                    links.rebuild_order()
                deeper += links.nested
        trees = deeper


def _parents_among(members: Iterable[Any]) -> list[Links]:
    """Return the links of those members of a group that have children."""
    try:
        return [links for sprite in members if (links := sprite._links)]
    except AttributeError:  # there are plain sprites among them
        return [links for sprite in members if (links := getattr(sprite, "_links", None))]


def links_to_update(members: Iterable[Any]) -> dict[int, Sequence[Link]]:
    """Return the links to the children to update after each member of a group, by its `id`."""
    return {
        id(links.sprite): links.to_update()
        for links in _parents_among(members)
        if links.updated or not links.is_flat
    }


def follow_members(members: Iterable[Any], *, may_follow: bool) -> bool:
    """Move all children of the members of a group, and members that follow others.

    Return whether there are any; none of them follows another sprite unless they `may_follow`.
    """
    trees = _tops_of(members) if may_follow else _parents_among(members)
    follow(trees)
    return bool(trees)


def _tops_of(members: Iterable[Any]) -> list[Links]:
    """Return the links of the sprites above all members that have children or a parent."""
    tops: dict[int, Links] = {}
    known: set[int] = set()
    for sprite in members:
        top = sprite if hasattr(sprite, "_links") else None  # else a plain one
        while top is not None and (link := top._link) is not None:
            top = None if id(top) in known else link.parent
            known.add(id(link.child))
        if top is not None and top._links:
            tops[id(top)] = top._links
    return [*tops.values()]


def _follow_in_system(context: SystemContext) -> None:
    registry: dict[int, Links] = context.extras.get(Links, {})
    if not all(registry.values()):
        for links in [links for links in registry.values() if not links]:
            links.leave()
    follow([links for links in registry.values() if links.sprite._link is None])  # whole trees


frame_callbacks.append(_follow_in_system)
