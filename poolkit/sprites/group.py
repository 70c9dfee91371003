"""A group that updates the living, and draws them in one call: in layers and for a camera.

Parts and children without groups of their own aren't members, so that a loop over enemies sees
enemies only. The group of the nearest sprite above them that has groups updates and draws them.
"""

from __future__ import annotations

from math import dist, inf
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.ending import end_lives
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.sprites.links import follow, follow_members, links_to_update, tree_state
from poolkit.sprites.membership import groups_dict_of
from poolkit.sprites.position import checked_circle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pygame.typing import RectLike
    from typing_extensions import TypeVar  # type checkers bring it; not needed at run time

    from poolkit.sprites.links import Link
    from poolkit.sprites.position import Pair

    _SpriteT = TypeVar("_SpriteT", bound=pygame.sprite.Sprite, default=Any)
else:
    from typing import TypeVar

    _SpriteT = TypeVar("_SpriteT")


class PooledGroup(pygame.sprite.Group[_SpriteT]):
    """A `pygame.sprite.Group` for pooled sprites, and for any others.

    It draws each sprite's present `image` at its present `rect`, and skips sprites without one.
    Annotate what it holds as you do for pygame's: ``orcs: PooledGroup[Orc] = PooledGroup()``.

    Args:
        *sprites: Sprites, groups or iterables of them.
        layers: The order of drawing. `False`: as sprites joined. `True`: by their `layer`, the
            lowest first, 0 for those without one. A function: by what it returns for a sprite,
            such as ``lambda sprite: sprite.rect.bottom``. Within a layer: as they joined. A sprite
            that changes its layer is drawn there from the next `draw` on.
    """

    # Whether members may have children, and whether members may follow other sprites. Whoever binds
    # a child or joins this group sets them; they fall when a frame finds none.
    _has_parents = False
    _has_followers = False

    def __init__(self, *sprites: Any, layers: bool | Callable[[Any], Any] = False) -> None:
        self._layer_of = _layer_of if layers is True else layers or None
        self._is_cleared = False
        super().__init__(*sprites)

    def copy(self) -> Self:
        """Return a group of the same sprites that draws them in the same order."""
        group = super().copy()
        group._layer_of = self._layer_of
        return group

    def change_layer(self, sprite: Any, layer: int) -> None:
        """Draw a sprite of this group in another layer from now on.

        Raises:
            LookupError: It is not in this group.
            PoolError: This group has no layers.
        """
        if self._layer_of is None:
            message = f"{self!r} draws sprites as they joined: make it with layers=True"
            raise PoolError(message)
        if sprite not in self.spritedict:
            message = f"{sprite!r} is not in {self!r}"
            raise LookupError(message)
        sprite._layer = layer

    # -- updating -----------------------------------------------------------------------------

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Update every sprite in the group, except those that leave it during the call.

        What hangs on a sprite and has no groups of its own is updated right after it.
        """
        after = links_to_update(self.spritedict) if self._has_parents else None
        if after or kwargs or len(args) != 1:
            self._update_all(after or {}, args, kwargs)
        else:  # nearly always, and faster
            (argument,) = args
            members = self.spritedict
            for sprite in list(members):
                if sprite in members:
                    sprite.update(argument)
        self._move_children()

    def _update_all(
        self, after: dict[int, Sequence[Link]], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Update all members, and right after some the children `after` them, by the member's id.

        What is attached during this call isn't updated in it, as members that join aren't.
        """
        members, num_changes = self.spritedict, tree_state.num_changes
        for sprite in list(members):
            if sprite in members:
                sprite.update(*args, **kwargs)
            for link in after.get(id(sprite), ()):
                # An update may have changed that. To climb up each time makes long chains dear.
                is_unchanged = tree_state.num_changes == num_changes
                if sprite in members and (is_unchanged or link.is_drawn_with(sprite)):
                    link.parent_links.catch_up()
                    link.child.update(*args, **kwargs)

    def _move_children(self) -> None:
        """Move all children of members to where they belong, and members that follow others."""
        members, may_follow = self.spritedict, self._has_followers
        if (self._has_parents or may_follow) and not follow_members(members, may_follow=may_follow):
            self._has_parents = self._has_followers = False

    def despawn_outside(self, area: RectLike) -> int:
        """End all sprites that are wholly outside `area`, such as the screen; return how many.

        Pooled sprites are despawned, others are killed. A sprite that touches the edge from
        outside has left; one without a rect hasn't. What hangs on a member ends with it.

        Args:
            area: A rect, or anything that pygame takes for one.

        Raises:
            TypeError: `area` isn't a rect.
            BaseException: What hooks raised, once all have ended.
        """
        self._move_children()
        lives, others, inside = [], [], pygame.FRect(area)
        for sprite in _outside(self.spritedict, inside):
            record = getattr(sprite, "_pool_record", None)
            if not sprite.rect and inside.collidepoint(sprite.rect.center):
                continue  # it has no size, so it collides with nothing
            if record is None or not record.active:
                others.append(sprite)
            elif record.instance is sprite:  # else it's a part, which has no life to end
                lives.append((record, record.generation))
        errors, count = ErrorCollector(), len(others)
        for sprite in others:
            errors.call(sprite.kill)
        with errors:
            count += end_lives(lives)
        errors.raise_all(f"despawning what is outside of {area!r}")
        return count

    def near(self, point: Pair, radius: float = inf) -> list[_SpriteT]:
        """Return the members near a point, the nearest first, equals as they joined.

        Of a sprite counts its `position`, or the center of its rect if it has none. One without a
        rect is nowhere. A sprite that asks for its own position finds itself, too.

        Args:
            point: ``(x, y)`` in pixels.
            radius: At most so many pixels away.

        Raises:
            TypeError: The point isn't two numbers, or `radius` is no number.
            ValueError: `point` isn't finite, or `radius` is negative.
        """
        x, y = checked_circle(point, radius)
        self._move_children()
        nearby = []
        members: Any = self.spritedict
        for sprite in members:
            rect = getattr(sprite, "rect", None)
            if rect is not None:
                # By the rect, which is faster than `position`.
                distance = dist((x, y), getattr(rect, getattr(sprite, "anchor", "center")))
                if distance <= radius:
                    nearby.append((distance, sprite))
        return [sprite for _, sprite in sorted(nearby, key=itemgetter(0))]

    # -- drawing ------------------------------------------------------------------------------

    def draw(  # type: ignore[override]  # pygame's second parameter is unused there
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] | None = (0, 0),
        special_flags: int = 0,
    ) -> list[pygame.Rect | pygame.FRect]:
        """Draw all sprites, in the order in which they joined, or by layer.

        Args:
            surface: What to draw on.
            offset: Added to every position, in pixels: the negative of where a camera looks.
                `None` counts as ``(0, 0)``: pygame has an unused parameter here.
            special_flags: As for `pygame.Surface.blit`.

        Returns:
            An empty list, as from pygame's own group.
        """
        sprites = self._in_drawing_order()
        images, rects = _images_and_rects(sprites)
        # fblits stops at the first pair that it can't draw, so leave out what has a None. An empty
        # rect is false, too, but may be drawn.
        if not (all(images) and all(rects)):
            sprites = [one for one in sprites if one.image is not None and one.rect is not None]
            images, rects = _images_and_rects(sprites)
        if offset is not None and any(offset):
            rects = [rect.move(offset) for rect in rects]
        # zip reuses one tuple: a thousand new ones would start the garbage collector.
        pairs = zip(images, rects, strict=True)
        self.lostsprites: list[Any] = []
        if self._is_cleared:
            self._draw_for_clear(surface, sprites, pairs, special_flags)
        else:
            surface.fblits(pairs, special_flags)
        return []

    def _in_drawing_order(self) -> list[Any]:
        """Return all that is drawn, the lowest first, in its place."""
        members: Any = self.spritedict
        sprites = _sorted(members, self._layer_of) if self._layer_of else list(members)
        if self._has_followers:
            self._move_children()
            sprites = _with_children_above(sprites, self, self._layer_of)
        # Else what follows a member is moved as it is found.
        return _with_attached(sprites) if self._has_parents else sprites

    def _draw_for_clear(
        self, surface: pygame.Surface, sprites: list[Any], pairs: Iterable[Any], special_flags: int
    ) -> None:
        """Draw, and note the rectangles drawn over, which only blits returns."""
        blits: Any = [(image, rect, None, special_flags) for image, rect in pairs]
        drawn: Any = zip(sprites, surface.blits(blits) or (), strict=True)
        members = self.spritedict
        # A member without an image isn't among those drawn: it mustn't keep an earlier rectangle.
        members.update(dict.fromkeys(members))
        for sprite, rect in drawn:
            if sprite in members:
                members[sprite] = rect
            elif rect:  # what is attached to a member may no longer exist as it is cleared
                self.lostsprites.append(rect)

    def clear(
        self,
        surface: pygame.Surface,
        bgd: pygame.Surface | Callable[[pygame.Surface, Any], object],
    ) -> None:
        """Erase what the last `draw` drew, as pygame's group does; the first time, everything.

        From then on, `draw` keeps the rectangles that this needs.
        """
        if not self._is_cleared:
            self._is_cleared = True
            self.lostsprites.append(surface.get_rect())
        super().clear(surface, bgd)


def _outside(members: Any, area: pygame.FRect) -> list[Any]:
    """Return the members that are wholly outside."""
    meets = area.colliderect
    try:
        return [sprite for sprite in members if not meets(sprite.rect)]
    except (TypeError, AttributeError):  # some have no rect
        with_rect = [sprite for sprite in members if getattr(sprite, "rect", None) is not None]
        return [sprite for sprite in with_rect if not meets(sprite.rect)]


def _images_and_rects(sprites: list[Any]) -> tuple[list[Any], list[Any]]:
    return [sprite.image for sprite in sprites], [sprite.rect for sprite in sprites]


def _layer_of(sprite: Any) -> int:
    return getattr(sprite, "_layer", 0) or 0  # a plain sprite may have none


def _sorted(members: Iterable[Any], layer_of: Callable[[Any], Any]) -> list[Any]:
    if layer_of is _layer_of:
        try:
            return sorted(members, key=attrgetter("_layer"))  # in C, so in half the time
        except (AttributeError, TypeError):  # some have no layer, or `None`
            pass
    return sorted(members, key=layer_of)


# -- what is attached to members ------------------------------------------------------------------


def _with_attached(sprites: Iterable[Any]) -> list[Any]:
    """Return sprites with all that is drawn with them, in its place, in the order of drawing."""
    drawn: list[Any] = []
    add = drawn.append
    for sprite in sprites:
        try:
            links = sprite._links
        except AttributeError:  # a plain sprite
            add(sprite)
            continue
        if links.is_flat:  # nearly always, so written out here
            if links.rect != sprite.rect:
                links.move_children()
            elif sprite._rotation_state is not None:
                links.catch_up()
            add(sprite)
            for link in links.ordered:
                child = link.child
                if not (child._groups_dict or link.is_hidden):
                    add(child)
        elif links:
            follow([links])
            drawn += links.in_drawing_order()
        else:
            add(sprite)
    return drawn


def _with_children_above(
    members: Sequence[Any], group: object, layer_of: Callable[[Any], Any] | None
) -> list[Any]:
    """Return members in an order in which those that follow another of their layer lie above it.

    Usually they do, but the follower may have joined before.
    """
    parent_ids = {id(sprite): id(_parent_among(sprite, group, layer_of)) for sprite in members}
    missing = {*parent_ids.values()} - {id(None)}  # of those that aren't in order yet
    order: list[Any] = []
    waiting: dict[int, list[Any]] = {}
    for member in members:
        if parent_ids.get(id(member)) in missing:
            waiting.setdefault(parent_ids[id(member)], []).append(member)
            continue
        ready = [member]
        while ready:
            sprite = ready.pop()
            order.append(sprite)
            missing.discard(id(sprite))
            ready += reversed(waiting.pop(id(sprite), ()))
    return order


def _parent_among(sprite: Any, group: object, layer_of: Callable[[Any], Any] | None) -> Any:
    """Return the member of the same layer that a member follows, or `None`."""
    link = getattr(sprite, "_link", None)
    parent = None if link is None else link.grouped_ancestor
    if parent is None or group not in groups_dict_of(parent):
        return None
    return parent if layer_of is None or layer_of(sprite) == layer_of(parent) else None
