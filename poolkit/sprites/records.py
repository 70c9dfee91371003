"""The records of sprites: how they enter play as good as new, and leave it."""

from __future__ import annotations

import contextlib
from functools import lru_cache
from itertools import repeat
from math import inf
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import DirtySprite

from poolkit.core.errors import ErrorCollector, PoolError, PrefabError
from poolkit.core.hooks import NO_HOOKS, IPoolableComponent, hooks_of
from poolkit.core.record import Record, is_among
from poolkit.core.scope import LifeState
from poolkit.core.seams import (
    copiers,
    group_meters,
    home_groups_of,
    lives_of,
    record_for,
    surface_meters,
)
from poolkit.sprites.components import CompanionComponent
from poolkit.sprites.group import look_at_child, look_at_link
from poolkit.sprites.links import Link, link_of
from poolkit.sprites.membership import (
    Membership,
    groups_of,
    had_groups,
    is_plain,
    join_more,
    leave_any,
    leave_fast,
    mine_of,
    put_out,
    warn_built_again,
)
from poolkit.sprites.sprite import Origin, PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.scope import Scope
    from poolkit.sprites.components import Stages


_DIRTY = ("visible", "dirty", "blendmode", "source_rect")


class SpriteSnapshot(Membership):
    """Puts one sprite into play as good as new, and takes it out again."""

    __slots__ = ("image", "look", "rect")

    sprite: PooledSprite

    def __init__(self, sprite: PooledSprite, groups: tuple[Any, ...]) -> None:
        Membership.__init__(self, sprite, groups)  # half the time of `super`
        sprite._home_groups = self.homes.groups
        kind: Any = type(sprite)
        if sprite.anchor != kind.anchor:
            message = f"anchor belongs in the class {kind.__name__}, for all of its sprites"
            raise PrefabError(message)
        rect: Any = sprite.rect
        if rect is None or rect is kind.rect:  # shared by the class
            rect = sprite.rect = pygame.FRect((0, 0, 0, 0) if rect is None else rect)
        self.rect = rect
        self.image = sprite.image  # upright
        width, height = rect.size
        if not (width or height):
            self.take_size()
            width, height = rect.size
        # If the constructor has turned it, restore the upright image.
        turning = sprite._turning
        if turning is not None and turning.upright is not None and sprite.image is turning.turned:
            self.image = turning.upright
            width, height = turning.upright.get_size()
        self.look = _look_of(sprite._layer, width, height)
        if issubclass(kind, DirtySprite):
            self.look += tuple([getattr(sprite, name) for name in _DIRTY])

    @property
    def is_sizeless(self) -> bool:
        """Whether the sprite was built with neither an image nor a size."""
        return self.image is None and not (self.look[1] or self.look[2])

    def take_size(self) -> None:
        """Give a rect without a size that of the image, which was assigned later."""
        sprite, rect = self.sprite, self.sprite.rect
        if rect is not None and rect.size == (0, 0) and isinstance(sprite.image, pygame.Surface):
            sprite._resize(sprite.image.get_size())

    def may_enter_fast(self) -> bool:
        """Whether `enter_fast` may be used.

        Not if a game has properties for what it sets, or a rect of whole pixels, which rounds a
        centre in its own way.
        """
        homes, sprite, kind = self.homes, self.sprite, type(self.sprite)
        return (
            homes.is_plain
            and not self.look[5:]
            and sprite.anchor == "center"
            and kind._moves_plainly
            and not isinstance(kind.image, property)
            and isinstance(self.rect, pygame.FRect)
        )

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite, and let it join its groups."""
        sprite = self.sprite
        self.restore()
        setattr(sprite.rect, sprite.anchor, (float(x), float(y)))  # pygame takes no fractions
        if rotation or sprite._turning is not None:
            sprite.rotation = rotation
        self.join()

    def restore(self) -> None:
        """Let the sprite be as it was built, upright, at no particular place."""
        sprite = self.sprite
        if sprite._turning is not None:
            sprite._turning.reset()
        sprite._layer, width, height, _, _, *dirty = self.look
        sprite.image = self.image
        rect = sprite.rect = self.rect
        # pygame moves a rect by a difference, so a NaN would stay: begin at 0.
        rect.update(0, 0, width, height)
        for name, value in zip(_DIRTY, dirty, strict=False):
            setattr(sprite, name, value)


@lru_cache(maxsize=256)
def _look_of(layer: int | None, width: float, height: float) -> tuple[Any, ...]:
    """Return layer, size and half the size: one tuple for all alike, to save memory."""
    return layer, width, height, width / 2, height / 2


def enter_fast(holder: Any, x: float, y: float, rotation: float) -> object:
    """Enter play as `SpriteSnapshot.enter` does, in half the time, for one never turned."""
    own = holder.snapshot
    sprite = own.sprite
    sprite._layer, width, height, half_width, half_height = own.look
    sprite.image = own.image
    rect = sprite.rect = own.rect
    try:
        rect.update(x - half_width, y - half_height, width, height)
    except TypeError:  # pygame takes no fractions
        rect.update(float(x) - half_width, float(y) - half_height, width, height)
    if rotation:
        sprite.rotation = rotation
    group, members, others = own.entry
    own.mine[group] = members
    members[sprite] = None
    if others is not None:
        for group, members in others:
            own.mine[group] = members
            members[sprite] = None
    return holder.special  # for a game's own `__setattr__` may have ended the life


class SpriteRecord(Record[PooledSprite]):
    """The record of a `PooledSprite` with all its parts.

    `enter` and `leave` serve any sprite. `find_ways` chooses faster twins for simple ones.
    """

    __slots__ = ("_parts", "unready")

    snapshot: SpriteSnapshot  # of the sprite itself
    _parts: tuple[SpriteSnapshot, ...]  # of its parts, each after what it is on
    unready: tuple[IPoolableComponent, ...]  # came late, not in its lives yet: see `begin_late`

    @property
    def snapshots(self) -> tuple[SpriteSnapshot, ...]:
        """Of the sprite and all its parts."""
        return (self.snapshot, *self._parts) if self.snapshot is not None else ()

    @property
    def staged(self) -> list[Stages]:
        return [each for snapshot in self.snapshots for each in snapshot.sprite._staged]

    def attach(self) -> None:
        self._parts = self.unready = ()
        sprite = self.instance
        self.snapshot = self._introduce(sprite, home_groups_of(self.pool))
        sprite._life_record = self
        cls: Any = type(sprite)
        if not cls._is_pooled and cls is not PooledSprite:  # which may be used for anything
            cls._is_pooled = True
        if sprite._links:
            for part in sprite._with_parts()[1:]:
                self._parts += (self._introduce(part),)

    def _introduce(self, sprite: PooledSprite, groups: tuple[Any, ...] = ()) -> SpriteSnapshot:
        """Manage a sprite or a part from now on; `groups` are the home groups of its pool."""
        if sprite._pool_record is not None:
            message = f"{sprite!r} is managed already, so it can't be a part of {self.label}"
            raise PrefabError(message)
        for staged in sprite._staged:
            staged.components_changed()
        if not sprite._staged:
            for component in sprite._components:
                if isinstance(component, CompanionComponent):
                    component.check_company()
        sprite._origin = Origin.POOL
        snapshot = SpriteSnapshot(sprite, (*sprite._home_groups, *sprite._mine, *groups))
        sprite._pool_record = self
        return snapshot

    def settle(self) -> None:
        self.snapshot, *parts = [
            SpriteSnapshot(each.sprite, (*each.homes.groups, *groups_of(each.sprite)))
            for each in self.snapshots
        ]
        self._parts = tuple(parts)
        self.find_hooks()

    def withdraw(self) -> None:
        self._withdraw(self.snapshot)
        for snapshot in self._parts:
            self._withdraw(snapshot)

    def leave_found(self) -> None:
        """Leave the groups that it was put into when its life was over, and warn."""
        for snapshot in self.snapshots:
            if snapshot.mine:
                snapshot.leave_found(self)

    def restore(self) -> None:
        """Undo what the game has changed of the sprite and its parts since they were built."""
        for snapshot in self.snapshots:
            snapshot.restore()

    def add_parts(self, parts: list[PooledSprite]) -> None:
        """Take parts in that were added late; they leave play unless the sprite is alive."""
        for part in parts:
            snapshot = self._introduce(part)
            self._parts += (snapshot,)
            self.find_ways()  # first, for joining groups may raise
            if self.active:
                snapshot.join()
            else:
                self._withdraw(snapshot)

    def _withdraw(self, snapshot: SpriteSnapshot) -> None:
        sprite = snapshot.sprite
        for component in sprite._staged:
            component.settle(self)
        if snapshot.mine:
            snapshot.leave()
        if sprite._links:
            sprite._links.leave()

    def parts(self) -> tuple[IPoolableComponent, ...]:
        """Return all components, the parts and the sprite, as far as they take part."""
        root, unready = self.instance, self.unready
        every: tuple[Any, ...] = root._components
        if self._parts:
            every = tuple(root._all_parts())
        elif hooks_of(type(root)) != NO_HOOKS:
            every = (*every, root)
        if (self._parts or self.snapshot.image is None) and self._is_finished_late:
            every = (*every, _LastTouches(self))
        if unready or not all(map(isinstance, every, repeat(IPoolableComponent))):
            poolable = [each for each in every if isinstance(each, IPoolableComponent)]
            every = tuple([each for each in poolable if not is_among(each, unready)])
        return every

    @property
    def _is_finished_late(self) -> bool:
        """Whether there is something to do after the `spawned` hooks."""
        return self.snapshot.is_sizeless or any(
            each.is_sizeless or not each.homes.groups for each in self._parts
        )

    def find_hooks(self) -> None:
        Record.find_hooks(self)  # half the time of `super`
        self.find_ways()

    def find_ways(self) -> None:
        """Choose again how the sprite enters and leaves play."""
        own = self.snapshot
        sprite = own.sprite
        staged = sprite._staged
        if self._parts or len(staged) > 1:
            self.entrance, self.departure = SpriteRecord.enter, SpriteRecord.leave
        else:
            if not own.may_enter_fast():
                self.entrance = SpriteRecord.enter
            elif staged:
                self.entrance = _enter_with_body
            else:
                self.entrance = enter_fast if sprite._turning is None else _enter_upright
            if staged:
                self.departure = _leave_with_body
            else:
                self.departure = leave_fast if own.homes.is_plain else leave_any
        is_in_groups = own.mine or (self._parts and any(each.mine for each in self._parts))
        if is_in_groups and not self.active:
            self.entrance = _enter_found

    def pose(self, part: PooledSprite | None = None) -> tuple[float, float, float]:
        sprite = self.instance if part is None else part
        rect: pygame.FRect | None = sprite.rect
        return (0.0, 0.0, 0.0) if rect is None else (*sprite.position, sprite.rotation)

    def enter(self, x: float, y: float, rotation: float) -> object:
        """Restore and place the sprite with all its parts; let its bodies join the physics."""
        sprite = self.instance
        self.snapshot.enter(x, y, rotation)
        places = {id(sprite): (x, y, rotation)}  # by id: a game's sprites may compare equal
        for snapshot in self._parts:
            link: Any = snapshot.sprite._link
            link.begin()
            place = places[id(link.child)] = link.pose(*places[id(link.parent)])
            snapshot.enter(*place)
            link.look()
        for snapshot in self.snapshots:
            if snapshot.sprite._links:
                snapshot.sprite._links.enter()
        for component in self.staged:
            component.enter(*places[id(component.sprite)])
        return self.special

    def stay(self) -> None:
        for component in self.staged:
            component.stay()

    def join(self, groups: tuple[Any, ...]) -> None:
        join_more(self.instance, groups)

    def joins_at_once(self, groups: Any) -> bool:
        kind = type(groups)
        if kind is not list and kind is not tuple:
            return False
        for group in groups:  # noqa: SIM110 - `all` takes longer than the whole loop
            if not is_plain(group):
                return False
        return True

    def join_at_once(self, groups: Iterable[Any]) -> None:
        self.snapshot.join_at_once(groups)

    def leave(self) -> None:
        errors = ErrorCollector()
        for component in reversed(self.staged):
            errors.call(component.leave, self)
        for snapshot in reversed(self.snapshots):
            errors.call(snapshot.leave)
            snapshot.sprite._links.leave()
        errors.raise_all("leaving play")

    def expel(self) -> None:
        for snapshot in self.snapshots:
            put_out(snapshot.sprite, (*snapshot.homes.groups, *snapshot.mine))

    def follow(self, parent: Any) -> None:
        if isinstance(parent, PooledSprite):
            own: Any = self.life
            link = own.tether
            if link is None:
                link = own.tether = Link(parent, self.instance)
            link.parent, link.offset = parent, None
            link.follow_rotation, link.is_below = True, False
            link.tie()
        if not self.snapshot.mine:
            look_at_child(self)

    def unfollow(self) -> None:
        link = self.snapshot.sprite._link
        if link is not None:
            link.untie()

    def be_carried(self, above: Record[Any], parent: PooledSprite) -> Link:
        """Hang on a living sprite of `above`, as if spawned under it; return the link."""
        sprite = self.instance
        above.context.require(sprite)  # it must be of the same system
        if not (self.active and parent.active):
            message = f"{parent!r} can't carry {sprite!r}: both must be alive"
            raise PoolError(message)
        if None in (parent.rect, sprite.rect):
            message = f"{sprite!r} can't follow {parent!r}: one of them has no rect"
            raise PoolError(message)
        record: Record[Any] | None = above
        while record is not None:
            if record is self:
                message = f"{sprite!r} can't hang on {parent!r}, which hangs on it"
                raise PrefabError(message)
            record = record.parent
        self.unparent()
        self.put_under(above, parent)
        return link_of(sprite)  # type: ignore[no-any-return]

    def scope_of(self, part: PooledSprite) -> Scope:
        """Return the scope of a part in this life: it is closed when the part is killed."""
        link: Link | None = link_of(part)
        if link is None or not link.is_part:  # it is destroyed
            return self.open_scope()
        if link.is_hidden:
            message = f"{part!r} was killed, so it has no scope until its sprite's next life"
            raise PoolError(message)
        own = link.life
        if own is None:
            label = f"{type(part).__name__} of {self.label}"
            own = link.life = LifeState(self.context.clock, label)
        if own.scope is not None:
            return own.scope
        self.open_scope().callback(link.close_scope)
        return own.open_scope()

    def let_go(self) -> None:
        for snapshot in self.snapshots:
            snapshot.sprite._be_free(self)

    def dismantle(self) -> None:
        for snapshot in self.snapshots:
            snapshot.sprite._dismantle(self)
        super().dismantle()

    def forget(self) -> None:
        self._parts = ()
        super().forget()


def _enter_found(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Enter, as a sprite that was put into a group when its life was over."""
    record.leave_found()
    record.find_ways()
    enter = record.entrance
    return enter(record, x, y, rotation)


def _enter_upright(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Enter, as a sprite that was turned before."""
    turning: Any = record.snapshot.sprite._turning
    turning.reset()
    return enter_fast(record, x, y, rotation)


def _enter_with_body(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Enter, as a sprite with one body."""
    sprite = record.snapshot.sprite
    if sprite._turning is not None:
        sprite._turning.reset()
    enter_fast(record, x, y, rotation)
    sprite._staged[0].enter(x, y, rotation)
    return record.special


def _leave_with_body(record: SpriteRecord) -> None:
    """Leave, as a sprite with one body."""
    try:
        record.snapshot.sprite._staged[0].leave(record)
    finally:
        leave_fast(record)


class _LastTouches(IPoolableComponent):
    """After all `spawned` hooks: sizes rects by first images, and warns of parts nobody draws."""

    execution_order: Any = inf

    def __init__(self, record: SpriteRecord) -> None:
        self.record = record

    def spawned(self) -> None:
        for snapshot in self.record.snapshots:
            snapshot.take_size()
            link = snapshot.sprite._link
            if link is not None and link.is_part:
                look_at_link(link)


class PlainSpriteRecord(Record[Any]):
    """The record of a plain `pygame.sprite.Sprite`: it is placed, and joins its groups.

    Under a parent, it ends with it, but only a `PooledSprite` moves with another.
    """

    __slots__ = ()

    snapshot: Membership

    def attach(self) -> None:
        sprite = self.instance
        sprite._pool_record = self  # sprites take any attribute; this one finds the record at once
        self.snapshot = Membership(sprite, (*groups_of(sprite), *home_groups_of(self.pool)))

    def settle(self) -> None:
        sprite = self.instance
        self.snapshot = Membership(sprite, (*self.snapshot.homes.groups, *groups_of(sprite)))

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        del part  # it has none
        rect = self.instance.rect
        return (0.0, 0.0, 0.0) if rect is None else (*rect.center, 0.0)

    def enter(self, x: float, y: float, rotation: float) -> object:
        del rotation  # it can't be turned
        own = self.snapshot
        if own.mine:
            own.leave_found(self)
        rect = self.instance.rect
        if rect is not None:
            rect.center = (float(x), float(y))  # pygame takes no fractions.Fraction
        own.join()
        return self.special

    def leave(self) -> None:
        own = self.snapshot
        mine = mine_of(self.instance)
        leave_fast(self)
        if mine is not own.mine:  # it has forgotten its groups since its life began
            own.mine = mine
            own.leave()
            warn_built_again(self)

    withdraw = leave

    def join(self, groups: tuple[Any, ...]) -> None:
        join_more(self.instance, groups)

    def follow(self, parent: Any) -> None:
        del parent  # it can't follow
        if not mine_of(self.instance):
            look_at_child(self)

    def let_go(self) -> None:
        if self.instance._pool_record is self:  # else another has adopted it
            self.instance._pool_record = None


record_for.register(PooledSprite, SpriteRecord)
record_for.register(pygame.sprite.Sprite, PlainSpriteRecord)


def bytes_shown(pool: Any) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a subsurface as its whole sheet. Upright images count beside turned ones.
    """
    sizes: dict[int, int] = {}
    for record in pool._records:
        for own in (record.snapshot, *getattr(record, "_parts", ())):
            sprite = getattr(own, "sprite", None)
            turning = getattr(sprite, "_turning", None)
            for one, name in (sprite, "image"), (own, "image"), (turning, "upright"):
                image = getattr(one, name, None)
                if isinstance(image, pygame.Surface):
                    with contextlib.suppress(pygame.error):  # a display that was closed
                        sheet = image.get_abs_parent()
                        sizes[id(sheet)] = sheet.get_pitch() * sheet.get_height()
    return sum(sizes.values())


def lives_in_no_group(pool: Any) -> int:
    """Return how many lives have left all groups that they joined."""
    owns = [record.snapshot for record in lives_of(pool)]
    asks = pool._ask_groups is not None
    members = [own for own in owns if isinstance(own, Membership)]
    return sum(
        not own.mine and (asks or own.homes.groups != () or had_groups(own)) for own in members
    )


surface_meters.append(bytes_shown)
group_meters.append(lives_in_no_group)
copiers.update({each: each for each in (pygame.Vector2, pygame.Color, pygame.Rect, pygame.FRect)})
