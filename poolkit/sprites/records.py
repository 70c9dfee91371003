"""The records of sprites: how they are put into play as good as new, and taken out.

And how much they show, and how many the game has lost, for reports.
"""

from __future__ import annotations

import contextlib
from itertools import repeat
from math import inf
from typing import TYPE_CHECKING, Any

import pygame

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
from poolkit.sprites.links import Link
from poolkit.sprites.log import warn_built_again
from poolkit.sprites.membership import (
    Membership,
    groups_of,
    is_plain,
    join_more,
    leave_fast,
    mine_of,
    put_out,
)
from poolkit.sprites.snapshot import SpriteSnapshot, enter_fast
from poolkit.sprites.sprite import PooledSprite
from poolkit.sprites.unseen import look_at_child, look_at_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.scope import Scope
    from poolkit.sprites.components import Stages


class SpriteRecord(Record[PooledSprite]):
    """The record of a `PooledSprite` with all its parts.

    Its entrance and departure are chosen when its components or parts change, or it is turned for
    the first time: a sprite without parts goes straight to its groups. `enter` and `leave` define
    what they do.
    """

    __slots__ = ("_parts", "unready")

    snapshot: SpriteSnapshot  # of the sprite itself
    # Tuples: most are empty or hold one, and memory is what large pools wait for.
    _parts: tuple[SpriteSnapshot, ...]  # of its parts, each after what it is on
    unready: tuple[IPoolableComponent, ...]  # came late, not in its lives yet: see `begin_late`

    @property
    def snapshots(self) -> tuple[SpriteSnapshot, ...]:
        """Of the sprite and all its parts."""
        return (self.snapshot, *self._parts) if self.snapshot is not None else ()

    @property
    def staged(self) -> list[Stages]:
        """The stages of components of the sprite and all its parts."""
        return [each for snapshot in self.snapshots for each in snapshot.staged]

    def attach(self) -> None:
        """Remember how the sprite and its parts are."""
        for part in self.instance._with_parts():
            self._introduce(part)
        self.instance._life_record = self

    def settle(self) -> None:
        """Remember how `awake` left the sprite and its parts, and in which groups."""
        self.snapshot, *parts = [
            SpriteSnapshot(each.sprite, (*each.homes.groups, *groups_of(each.sprite)))
            for each in self.snapshots
        ]
        self._parts = tuple(parts)
        self.find_hooks()

    def withdraw(self) -> None:
        """Take the sprite and its parts out of play."""
        self._withdraw(self.snapshot)
        for snapshot in self._parts:
            self._withdraw(snapshot)

    def restore(self) -> None:
        """Undo what the game made of the sprite and its parts since they were built."""
        for snapshot in self.snapshots:
            snapshot.restore()

    def part_added(self, sprite: PooledSprite) -> None:
        """Make a part that was added late the record's own too; it leaves play unless alive."""
        for part in sprite._with_parts():
            snapshot = self._introduce(part)
            self.find_ways()  # first: what joining its groups calls may raise
            if self.active:
                snapshot.join()
            else:
                self._withdraw(snapshot)

    def _withdraw(self, snapshot: SpriteSnapshot) -> None:
        """Take one sprite out of play, whatever its constructor or the game put it into."""
        for component in snapshot.staged:
            component.settle(self)
        if snapshot.mine:
            snapshot.leave()
        snapshot.links.leave()

    def _introduce(self, sprite: PooledSprite) -> SpriteSnapshot:
        groups = sprite._prepare(self)
        if sprite is self.instance:
            self._parts = self.unready = ()
            snapshot = self.snapshot = SpriteSnapshot(sprite, groups + home_groups_of(self.pool))
        else:
            snapshot = SpriteSnapshot(sprite, groups)
            self._parts += (snapshot,)
        sprite._pool_record = self
        return snapshot

    def parts(self) -> tuple[IPoolableComponent, ...]:
        """Return those of the sprite, its components and its parts' that have a part in lives."""
        root, unready = self.instance, self.unready
        every: tuple[Any, ...] = root._components  # one tuple, not two
        if root._links:
            every = tuple(root._all_parts())
        elif hooks_of(type(root)) != NO_HOOKS:
            every = (root, *every)
        if self._is_finished_late:
            every = (*every, _LastTouches(self))
        if unready or not all(map(isinstance, every, repeat(IPoolableComponent))):
            poolable = [each for each in every if isinstance(each, IPoolableComponent)]
            every = tuple([each for each in poolable if not is_among(each, unready)])
        return every

    @property
    def _is_finished_late(self) -> bool:
        """Whether something is to be seen to when the `spawned` hooks have run."""
        if self._parts:
            return any(each.is_sizeless or not each.homes.groups for each in self.snapshots)
        return self.snapshot.is_sizeless

    def find_hooks(self) -> None:
        """Find the hooks again, and choose how the sprite enters and leaves play."""
        Record.find_hooks(self)  # half the time of `super`
        self.find_ways()

    def find_ways(self) -> None:
        """Choose how the sprite enters and leaves play: its parts, or how it is, have changed."""
        own = self.snapshot
        staged = own.staged
        self.entrance, self.departure = SpriteRecord.enter, SpriteRecord.leave
        if not (self._parts or len(staged) > 1):
            self.departure = _leave_with_body if staged else leave_fast
            if own.is_fast:
                enter = enter_fast if own.turning is None else _enter_upright
                self.entrance = _enter_with_body if staged else enter

    def pose(self, part: PooledSprite | None = None) -> tuple[float, float, float]:
        """Return where the sprite, or a part of it, is and how far it is turned."""
        sprite = self.instance if part is None else part
        rect: pygame.FRect | None = sprite.rect
        return (0.0, 0.0, 0.0) if rect is None else (*sprite.position, sprite.rotation)

    def enter(self, x: float, y: float, rotation: float) -> object:
        """Restore and place the sprite with all its parts, and let its bodies join the physics."""
        sprite = self.instance
        self.snapshot.enter(x, y, rotation)
        # By id, for a game's sprites may compare equal.
        places = {id(sprite): (x, y, rotation)}
        for snapshot in self._parts:
            link: Any = snapshot.link
            link.begin()
            place = places[id(link.child)] = link.pose(*places[id(link.parent)])
            snapshot.enter(*place)
            link.look()
        for snapshot in self.snapshots:
            if snapshot.links:
                snapshot.links.enter()
        for component in self.staged:
            component.enter(*places[id(component.sprite)])
        return self.special

    def stay(self) -> None:
        """Let bodies join the physics where the sprite is."""
        for component in self.staged:
            component.stay()

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        join_more(self.instance, groups)

    def joins_at_once(self, groups: Any) -> bool:
        """Return whether the groups are of pygame's own kind."""
        return type(groups) in {list, tuple} and all(map(is_plain, groups))

    def join_at_once(self, groups: Iterable[Any]) -> None:
        """Join more groups of pygame's own for this life."""
        self.snapshot.join_at_once(groups)

    def leave(self) -> None:
        """Let its bodies leave the physics, and the sprite and its parts their groups."""
        errors = ErrorCollector()
        for component in reversed(self.staged):
            errors.call(component.leave, self)
        for snapshot in reversed(self.snapshots):
            errors.call(snapshot.leave)
            snapshot.links.leave()
        errors.raise_all("leaving play")

    def expel(self) -> None:
        """Leave groups that do not know that the sprite has left them, or that it does not know."""
        for snapshot in self.snapshots:
            put_out(snapshot.sprite, (*snapshot.homes.groups, *snapshot.mine))

    def follow(self, parent: Any) -> None:
        """Begin to move with a parent that is a `PooledSprite`, and to be seen with it."""
        if isinstance(parent, PooledSprite):
            own: Any = self.life
            link = own.tether
            if link is None:
                link = own.tether = Link(parent, self.instance)
            link.parent, link.offset = parent, None  # what there is now
            link.follow_rotation, link.is_below = True, False
            link.tie()
        if not self.snapshot.mine:
            look_at_child(self)

    def unfollow(self) -> None:
        """Stop moving with the parent."""
        link = self.snapshot.link
        if link is not None:
            link.untie()

    def be_carried(
        self,
        parent: PooledSprite,
        above: Record[Any],
        offset: tuple[float, float],
        *,
        follow_rotation: bool,
        is_below: bool,
    ) -> None:
        """Move with a living parent, and end with it, as if it had been spawned under that."""
        sprite = self.instance
        record: Record[Any] | None = above
        above.pool._context.require(sprite)  # of the same system
        if not (self.active and parent.active):
            message = f"{parent!r} can't carry {sprite!r}: both must be alive"
            raise PoolError(message)
        if None in (parent.rect, sprite.rect):
            message = f"{sprite!r} can't follow {parent!r}: one of them has no rect"
            raise PoolError(message)
        while record is not None:
            if record is self:
                message = f"{sprite!r} can't hang on {parent!r}, which hangs on it"
                raise PrefabError(message)
            record = record.parent
        self.unparent()
        self.put_under(above, parent)
        link: Any = self.snapshot.link
        link.offset, link.turn = offset, sprite.rotation
        link.follow_rotation, link.is_below = follow_rotation, is_below
        if not sprite._is_driven:
            link.settle()

    def scope_of(self, part: PooledSprite) -> Scope:
        """Return the scope of a part in the present life: it is closed when the part is killed."""
        link = part._link
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
        """Let the sprite and its parts go, alive."""
        for snapshot in self.snapshots:
            if snapshot.sprite._pool_record is self:  # else another has adopted it
                snapshot.sprite._be_free()

    def dismantle(self) -> None:
        """Cut the cycles between the sprites, their components, their parts and this record."""
        for snapshot in self.snapshots:
            snapshot.sprite._dismantle(self)
        self.instance._life_record = None
        super().dismantle()

    def forget(self) -> None:
        """Let go of the sprite and its parts, also where a handle keeps this record."""
        self._parts = ()
        super().forget()


def _enter_upright(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Do what `enter` does for a sprite that was turned once."""
    record.snapshot.turning.reset()  # type: ignore[union-attr]
    return enter_fast(record, x, y, rotation)


def _enter_with_body(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Do what `enter` does for a sprite with one body alone."""
    sprite = record.instance
    if sprite._turning is not None:
        sprite._turning.reset()
    enter_fast(record, x, y, rotation)
    sprite._staged[0].enter(x, y, rotation)
    return record.special


def _leave_with_body(record: SpriteRecord) -> None:
    """Do what `leave` does for a sprite with one body alone."""
    try:
        record.instance._staged[0].leave(record)
    finally:
        leave_fast(record)


class _LastTouches(IPoolableComponent):
    """Sees to what is known only when all `spawned` hooks of a sprite with its parts have run."""

    execution_order: Any = inf

    def __init__(self, record: SpriteRecord) -> None:
        self.record = record

    def spawned(self) -> None:
        """Give a rect the size of the first image; tell of parts that nobody draws."""
        for snapshot in self.record.snapshots:
            snapshot.take_size()
            link = snapshot.link
            if link is not None and link.is_part:
                look_at_link(link)


class PlainSpriteRecord(Record[Any]):
    """The record of a plain `pygame.sprite.Sprite`: it is placed, and joins its groups.

    Spawned under a parent it dies with it, but does not follow it; nor does what is spawned under
    it. Only a `PooledSprite` moves with another.
    """

    __slots__ = ()

    snapshot: Membership

    def attach(self) -> None:
        """Remember its groups."""
        sprite = self.instance
        sprite._pool_record = self  # sprites take any attribute; this one finds the record at once
        self.snapshot = Membership(sprite, (*groups_of(sprite), *home_groups_of(self.pool)))

    def settle(self) -> None:
        """Remember the groups that `awake` let it join."""
        sprite = self.instance
        self.snapshot = Membership(sprite, (*self.snapshot.homes.groups, *groups_of(sprite)))

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        """Return where its rect's centre is."""
        del part  # it has none
        rect = self.instance.rect
        return (0.0, 0.0, 0.0) if rect is None else (*rect.center, 0.0)

    def enter(self, x: float, y: float, rotation: float) -> object:
        """Move its rect's centre, and join its groups. A plain sprite can't turn."""
        del rotation
        own = self.snapshot
        if own.mine:
            own.leave_found(self)
        rect = self.instance.rect
        if rect is not None:
            rect.center = (float(x), float(y))  # of fractions, say, pygame knows nothing
        own.join()
        return self.special

    def leave(self) -> None:
        """Leave its groups, also those that it has forgotten since its life began."""
        own = self.snapshot
        mine = mine_of(self.instance)
        leave_fast(self)
        if mine is not own.mine:
            own.mine = mine
            own.leave()
            warn_built_again(self)

    withdraw = leave

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        join_more(self.instance, groups)

    def follow(self, parent: Any) -> None:
        """Stay where it is, for it can't follow; and say so if nobody draws it."""
        del parent
        if not mine_of(self.instance):
            look_at_child(self)

    def let_go(self) -> None:
        """Let the sprite go, alive."""
        if self.instance._pool_record is self:  # else another has adopted it
            self.instance._pool_record = None


record_for.register(PooledSprite, SpriteRecord)
record_for.register(pygame.sprite.Sprite, PlainSpriteRecord)


def bytes_shown(pool: Any) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a cut-out of a sheet as the whole sheet; what they show upright, or were
    turned from, counts as well.
    """
    sizes: dict[int, int] = {}
    for record in pool._records:
        for own in (record.snapshot, *getattr(record, "_parts", ())):
            sprite = getattr(own, "sprite", None)  # `None`: its kind is another
            turning = getattr(sprite, "_turning", None)
            for one, name in (sprite, "image"), (own, "image"), (turning, "upright"):
                image = getattr(one, name, None)
                if isinstance(image, pygame.Surface):
                    with contextlib.suppress(pygame.error):  # the screen of a display now closed
                        sheet = image.get_abs_parent()
                        sizes[id(sheet)] = sheet.get_pitch() * sheet.get_height()
    return sum(sizes.values())


def lives_in_no_group(pool: Any) -> int:
    """Return how many lives are in no group, although they joined some as they began."""
    owns = [record.snapshot for record in lives_of(pool)]
    asks = pool._ask_groups is not None
    members = [own for own in owns if isinstance(own, Membership)]
    return sum(not own.mine and (asks or bool(own.homes.groups)) for own in members)


surface_meters.append(bytes_shown)
group_meters.append(lives_in_no_group)
copiers.update({each: each for each in (pygame.Vector2, pygame.Color, pygame.Rect, pygame.FRect)})
