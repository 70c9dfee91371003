"""The records of sprites: how they are put into play as good as new, and taken out.

And how much they show, for reports.
"""

from __future__ import annotations

import contextlib
from itertools import repeat
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.errors import ErrorCollector, PrefabError
from poolkit.core.hooks import NO_HOOKS, IPoolableComponent, hooks_of
from poolkit.core.record import Record, is_among
from poolkit.core.seams import copiers, record_for, surface_meters
from poolkit.sprites.components import CompanionComponent, Stages
from poolkit.sprites.links import Link, add_root, discard_root, tie, untie
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

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    def _staged(self) -> list[Stages]:
        """Those of the sprite and all its parts."""
        return [each for snapshot in self.snapshots for each in snapshot.sprite._staged]

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
                self._join_parents_groups(part)
            else:
                self._withdraw(snapshot)

    def _withdraw(self, snapshot: SpriteSnapshot) -> None:
        """Take one sprite out of play, whatever its constructor or the game put it into."""
        sprite = snapshot.sprite
        for component in sprite._staged:
            component.settle(self)
        if snapshot.mine:
            snapshot.leave()
        if sprite._links:
            discard_root(sprite)

    def _introduce(self, sprite: PooledSprite) -> SpriteSnapshot:
        if sprite._pool_record is not None:
            message = f"{sprite!r} is managed already, so it can't be a part of {self.label}"
            raise PrefabError(message)
        for component in sprite._staged or sprite._components:
            if isinstance(component, Stages):
                component.components_changed()
            elif isinstance(component, CompanionComponent):
                component.check_company()
        groups = (*sprite._home_groups, *mine_of(sprite))
        sprite._unborn = False
        if sprite is self.instance:
            self._parts = self.unready = ()
            snapshot = self.snapshot = SpriteSnapshot(sprite, groups + self.pool._groups)
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
        if unready or not all(map(isinstance, every, repeat(IPoolableComponent))):
            poolable = [each for each in every if isinstance(each, IPoolableComponent)]
            every = tuple([each for each in poolable if not is_among(each, unready)])
        return every

    def find_hooks(self) -> None:
        """Find the hooks again, and choose how the sprite enters and leaves play."""
        Record.find_hooks(self)  # half the time of `super`
        self.find_ways()

    def find_ways(self) -> None:
        """Choose how the sprite enters and leaves play: its parts, or how it is, have changed."""
        sprite = self.instance
        self.entrance, self.departure = SpriteRecord.enter, SpriteRecord.leave
        if not (self._parts or len(sprite._staged) > 1):
            self.departure = _leave_with_body if sprite._staged else leave_fast
            if self.snapshot.is_fast:
                enter = enter_fast if sprite._turning is None else _enter_upright
                self.entrance = _enter_with_body if sprite._staged else enter

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
            part = snapshot.sprite
            link: Any = part._link
            part._hidden = False
            link.offset, link.turn = link.at_first
            place = places[id(part)] = link.place(*places[id(link.parent)])
            snapshot.enter(*place)
            self._join_parents_groups(part)
            link.look()
        if sprite._links:
            add_root(sprite)
        for component in self._staged:
            component.enter(*places[id(component.sprite)])
        return self.special

    @staticmethod
    def _join_parents_groups(part: PooledSprite) -> None:
        """Let a part without groups of its own be seen: in its parent's, and above it."""
        if not mine_of(part):
            parent: Any = part.parent
            if part._layer is None:
                part._layer = parent._layer
            pygame.sprite.Sprite.add(part, *groups_of(parent))

    def stay(self) -> None:
        """Let bodies join the physics where the sprite is."""
        for component in self._staged:
            component.stay()

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        join_more(self.instance, groups)
        for snapshot in self._parts:
            if not snapshot.homes.groups:  # it was given none to be seen in
                join_more(snapshot.sprite, groups)

    def joins_at_once(self, groups: Any) -> bool:
        """Return whether it has no parts, and the groups are of pygame's own kind."""
        return type(groups) in {list, tuple} and not self._parts and all(map(is_plain, groups))

    def join_at_once(self, groups: Iterable[Any]) -> None:
        """Join more groups of pygame's own for this life."""
        self.snapshot.join_at_once(groups)

    def leave(self) -> None:
        """Let its bodies leave the physics, and the sprite and its parts their groups."""
        errors = ErrorCollector()
        for component in reversed(self._staged):
            errors.call(component.leave, self)
        for snapshot in reversed(self.snapshots):
            errors.call(snapshot.leave)
        discard_root(self.instance)
        errors.raise_all("leaving play")

    def expel(self) -> None:
        """Leave groups that do not know that the sprite has left them, or that it does not know."""
        # A part may have been in groups of its parent's. An interrupt may have made it forget them.
        homes = [group for snapshot in self.snapshots for group in snapshot.homes.groups]
        for snapshot in self.snapshots:
            put_out(snapshot.sprite, (*homes, *groups_of(snapshot.sprite)))

    def follow(self, parent: Any) -> None:
        """Begin to move with a parent that is a `PooledSprite`; be seen where it is seen."""
        sprite = self.instance
        if isinstance(parent, PooledSprite):
            own: Any = self.life
            link = own.tether
            if link is None:
                link = Link(parent, sprite, (0.0, 0.0), 0.0, follow_rotation=True, is_part=False)
                own.tether = link
            link.parent, link.offset = parent, None  # what there is now
            link.look()
            tie(link)
            if not self.snapshot.mine:
                self._join_parents_groups(sprite)
            for snapshot in self._parts:
                if not snapshot.mine:
                    self._join_parents_groups(snapshot.sprite)
        elif isinstance(parent, pygame.sprite.Sprite) and not groups_of(sprite):
            sprite.add(*groups_of(parent))

    def unfollow(self) -> None:
        """Stop moving with the parent."""
        link = self.instance._link
        if link is not None:
            untie(link)

    def let_go(self) -> None:
        """Let the sprite and its parts go, alive."""
        for snapshot in self.snapshots:
            if snapshot.sprite._pool_record is self:  # else another has adopted it
                snapshot.sprite._pool_record = snapshot.sprite._life_record = None
                snapshot.sprite._hidden = False
                snapshot.sprite._home_groups = ()
        if self.instance._pool_record is None and self.instance._links:
            add_root(self.instance)

    def dismantle(self) -> None:
        """Cut the cycles between the sprites, their components, their parts and this record."""
        for snapshot in self.snapshots:
            sprite = snapshot.sprite
            for staged in sprite._staged:
                staged.dismantle(self)
            for component in sprite._components:
                if isinstance(component, IPoolableComponent):
                    del component.sprite
            sprite._components = sprite._staged = sprite._updates = ()
            for link in list(sprite._links):
                untie(link)
            discard_root(sprite)
        self.instance._life_record = None
        super().dismantle()

    def forget(self) -> None:
        """Let go of the sprite and its parts, also where a handle keeps this record."""
        self._parts = ()
        super().forget()


def _enter_upright(record: SpriteRecord, x: float, y: float, rotation: float) -> object:
    """Do what `enter` does for a sprite that was turned once."""
    record.instance._turning.reset()  # type: ignore[union-attr]
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
        self.snapshot = Membership(sprite, (*groups_of(sprite), *self.pool._groups))

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
        rect = self.instance.rect
        if rect is not None:
            rect.center = (float(x), float(y))  # of fractions, say, pygame knows nothing
        self.snapshot.join()
        return self.special

    leave = withdraw = leave_fast

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        join_more(self.instance, groups)

    def follow(self, parent: Any) -> None:
        """Be seen where the parent is seen, if it has no groups of its own."""
        if isinstance(parent, pygame.sprite.Sprite) and not groups_of(self.instance):
            self.instance.add(*groups_of(parent))

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


surface_meters.append(bytes_shown)
copiers.update({each: each for each in (pygame.Vector2, pygame.Color, pygame.Rect, pygame.FRect)})
