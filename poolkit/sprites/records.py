"""The records of sprites: they put sprites into play as good as new, and take them out again."""

from __future__ import annotations

import contextlib
from functools import cache, lru_cache
from itertools import chain
from textwrap import indent
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import DirtySprite

from poolkit.core.errors import PoolError, PrefabError, collected
from poolkit.core.fields import copiers
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.plan import BY_METHOD, Entering, write_function
from poolkit.core.record import Record
from poolkit.core.saving import followed_by
from poolkit.core.scope import LifeResources
from poolkit.core.seams import (
    groupless_count_fns,
    home_groups_of,
    lives_of,
    record_for,
    surface_size_fns,
)
from poolkit.core.states import DESTROYED, SPAWNING
from poolkit.sprites.components import DependentComponent, poolable, spawn_late, without
from poolkit.sprites.links import NO_LINKS, Link, mark_groups
from poolkit.sprites.membership import (
    HomeGroups,
    Membership,
    force_leave_groups,
    groups_dict_of,
    groups_of,
    had_groups,
    join_full,
    leave_groups,
    uses_pygame_join,
    warn_built_again,
    warn_once,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from poolkit.core.errors import Errors
    from poolkit.core.scope import Scope
    from poolkit.sprites.components import PlayHandler


_DIRTY = ("visible", "dirty", "blendmode", "source_rect")


class SpriteSnapshot(Membership):
    """How a sprite or a part was built."""

    __slots__ = ("image", "layer_and_size", "rect")

    sprite: PooledSprite

    def __init__(self, sprite: PooledSprite, groups: tuple[Any, ...]) -> None:
        self.sprite = sprite  # not by `super`, which takes twice as long
        home_groups = HomeGroups.of(groups)
        self.home_groups: HomeGroups = home_groups
        sprite._home_groups = home_groups.groups
        cls: Any = type(sprite)
        if sprite.anchor != cls.anchor:
            message = f"anchor belongs in the class {cls.__name__}, for all of its sprites"
            raise PrefabError(message)
        rect: Any = sprite.rect
        if rect is None or rect is cls.rect:  # shared by the class
            rect = sprite.rect = pygame.FRect((0, 0, 0, 0) if rect is None else rect)
        self.rect: Any = rect
        self.image: Any = sprite.image  # upright
        size = rect.size
        if size == (0, 0):
            self.take_size()
            size = rect.size
        # If the constructor has turned it, restore the upright image.
        state = sprite._rotation_state
        if state is not None and state.upright is not None and sprite.image is state.rotated:
            self.image = state.upright
            size = state.upright.get_size()
        self.layer_and_size: tuple[Any, ...] = _layer_and_size_of(sprite, size)

    @property
    def is_sizeless(self) -> bool:
        """Whether the sprite was built with neither an image nor a size."""
        return self.image is None and not (self.layer_and_size[1] or self.layer_and_size[2])

    def take_size(self) -> None:
        """Give a rect without a size that of the image, which was assigned later."""
        sprite, rect = self.sprite, self.sprite.rect
        if rect is not None and rect.size == (0, 0) and isinstance(sprite.image, pygame.Surface):
            sprite._resize(sprite.image.get_size())


def _place_unusual(snapshot: SpriteSnapshot, x: float, y: float, rotation: float) -> None:
    """Place a sprite with code of the game's own, or one of pygame's dirty sprites."""
    sprite, (_, *size, _, dirty) = snapshot.sprite, snapshot.layer_and_size
    # pygame moves a rect by a difference, so a NaN would stay: begin at 0.
    sprite.rect.update((0, 0), size)
    setattr(sprite.rect, sprite.anchor, (float(x), float(y)))
    for name, value in zip(_DIRTY, dirty):  # noqa: B905 - few sprites have any
        setattr(sprite, name, value)
    if rotation or sprite._rotation_state is not None:
        sprite.rotation = rotation


def _layer_and_size_of(sprite: PooledSprite, size: tuple[float, float]) -> tuple[Any, ...]:
    cls = type(sprite)
    if issubclass(cls, DirtySprite):
        dirty = tuple([getattr(sprite, name) for name in _DIRTY])
        return (*_layer_and_size(sprite._layer, *size, None)[:-1], dirty)
    # A game's own properties, and rects of whole pixels, are set as a game would set them.
    is_ours = cls._is_moved_directly and cls.__setattr__ is object.__setattr__
    anchor = sprite.anchor if is_ours and type(sprite.rect) is pygame.FRect else None
    return _layer_and_size(sprite._layer, *size, anchor)


@lru_cache(maxsize=256)
def _layer_and_size(
    layer: int | None, width: float, height: float, anchor: str | None
) -> tuple[Any, ...]:
    """Return layer, size, and where the anchor is in the rect: one tuple for all that are alike.

    Without an anchor, no place, and the values of `_DIRTY` of a sprite that has these.
    """
    if anchor is None:
        return layer, width, height, None, ()
    return layer, width, height, *getattr(pygame.FRect(0, 0, width, height), anchor)


_RESTORE = """\
sprite = snapshot.sprite
groups_dict = sprite._groups_dict
if groups_dict:
    snapshot.leave_stale_groups(record)
if sprite._rotation_state is not None:
    sprite._rotation_state.reset()
sprite.image = snapshot.image
rect = sprite.rect = snapshot.rect
sprite._layer, width, height, left, top = snapshot.layer_and_size
"""
_PLACE = """\
try:
    rect.update(x - left, y - top, width, height)
except TypeError:  # pygame takes no fractions
    rect.update(float(x) - left, float(y) - top, width, height)
if rotation:
    sprite.rotation = rotation
"""
_TAKE_SIZES = """\
if record.state is SPAWNING:
    for snapshot in record.snapshots:
        snapshot.take_size()
"""
_BEGIN_LATE = """\
if record.pending and record.state is SPAWNING:
    spawn_late(record.pending, record)
"""


@cache
def _entering(num_groups: int | None, *, is_sizeless: bool) -> Entering:
    """Return how a sprite enters.

    Most are placed directly, and join `num_groups` of pygame's kind: that runs no code of the
    game's. `None`: others. One that is sizeless takes the size of the image that a hook gives it.
    """
    names, end = {"spawn_late": spawn_late}, _TAKE_SIZES * is_sizeless + _BEGIN_LATE
    if num_groups is None:
        return Entering(BY_METHOD.source, names, end=end)
    pairs = "".join([f"(group_{i}, members_{i}), " for i in range(num_groups)])
    joins = [
        f"groups_dict[group_{i}] = members_{i}\nmembers_{i}[sprite] = None\n"
        for i in range(num_groups)
    ]
    return Entering(
        f"[snapshot] = record.snapshots\n{_RESTORE}{_PLACE}"
        f"[{pairs}] = snapshot.home_groups.pairs\n{''.join(joins)}",
        names,
        is_safe=True,
        end=end,
    )


_enter_any = write_function(
    "enter(record, snapshot, x, y, rotation, joins)",
    f"""\
{_RESTORE}
if left is None:
    place_unusual(snapshot, x, y, rotation)
else:
{indent(_PLACE, "    ")}
if joins:
    snapshot.join()
""",
    {"place_unusual": _place_unusual},
)


@followed_by("_parent_link")
class SpriteRecord(Record[PooledSprite]):
    """The record of a `PooledSprite` with all its parts."""

    __slots__ = ("_parent_link", "handlers", "pending", "snapshots")

    started: int
    hold_count: int

    snapshots: tuple[SpriteSnapshot, ...]  # of the sprite and its parts, each after its parent
    # Of the bodies of the sprite and its parts; `None`: it has neither bodies nor parts.
    handlers: tuple[PlayHandler, ...] | None
    pending: tuple[IPoolableComponent, ...]  # attached, but not in its lives: see `start_late`
    _parent_link: Link | None  # to what it was spawned under; kept for later lives

    @property
    def snapshot(self) -> SpriteSnapshot:
        """Of the sprite itself."""
        return self.snapshots[0]

    def attach(self) -> None:
        self.snapshots = self.pending = ()
        self._parent_link = self.handlers = None
        sprite, groups = self.instance, home_groups_of(self.pool)
        for part in sprite._with_parts() if sprite._links else (sprite,):  # the sprite first
            self.snapshots += (self._manage(part, groups),)
            groups = ()
        sprite._life_record = self
        self.find_handlers()

    def _manage(self, sprite: PooledSprite, groups: tuple[Any, ...] = ()) -> SpriteSnapshot:
        """Manage a sprite or a part from now on; `groups` are the home groups of its pool."""
        if sprite._pool_record is not None:
            message = f"{sprite!r} is managed already, so it can't be a part of {self.label}"
            raise PrefabError(message)
        if sprite._components:
            for handler in sprite._play_handlers:
                handler.components_changed()
            for component in () if sprite._play_handlers else sprite._components:
                if isinstance(component, DependentComponent):
                    component.check_dependency()
        sprite._is_being_built = False
        snapshot = SpriteSnapshot(sprite, (*sprite._home_groups, *sprite._groups_dict, *groups))
        sprite._pool_record = self
        return snapshot

    def find_handlers(self) -> None:
        """Find what enters and leaves play with the sprite and its parts."""
        self.handlers = self.instance._play_handlers or None
        if len(self.snapshots) > 1:
            handlers = [snapshot.sprite._play_handlers for snapshot in self.snapshots]
            self.handlers = tuple(chain.from_iterable(handlers))

    def refresh_snapshot(self) -> None:
        self.snapshots = tuple(
            [
                SpriteSnapshot(old.sprite, (*old.home_groups.groups, *groups_of(old.sprite)))
                for old in self.snapshots
            ]
        )
        super().refresh_snapshot()

    def leave_initial(self) -> None:
        self._leave_initial(self.snapshots)

    def _leave_initial(self, snapshots: tuple[SpriteSnapshot, ...]) -> None:
        for snapshot in snapshots:
            sprite = snapshot.sprite
            for handler in sprite._play_handlers:
                handler.remember_settings(self)
            if sprite._groups_dict:
                leave_groups(sprite, sprite._groups_dict)
            if sprite._links:
                sprite._links.leave()

    def add_parts(self, parts: list[PooledSprite]) -> None:
        """Manage parts that were added late; they leave play unless the sprite is alive."""
        for part in parts:
            snapshot = self._manage(part)
            self.snapshots += (snapshot,)
            self.find_handlers()
            if self.active:
                snapshot.join()
                mark_groups(part)
                if part._links:
                    part._links.register(self)
            else:
                self._leave_initial((snapshot,))

    def get_components(self) -> tuple[IPoolableComponent, ...]:
        """Return all components, the parts and the sprite, as far as they take part."""
        sprite = self.instance
        components: tuple[Any, ...] = (*sprite._components, sprite)
        if len(self.snapshots) > 1:
            components = tuple(sprite._all_parts())
        if self.pending:
            components = without(components, *self.pending)
        return poolable(components)

    def components_changed(self) -> None:
        """Find all handlers and hooks again: components were attached or detached."""
        if self.state is not DESTROYED:
            self.find_handlers()
            for handler in self.handlers or ():
                handler.components_changed()
            self._find_hooks_again(self.pending)

    def add_pending(self, components: tuple[Any, ...]) -> None:
        """Let components take no part in its lives for now."""
        late = without(components, *self.pending)
        if late:
            self._find_hooks_again(self.pending + late)

    def end_pending(self, components: tuple[Any, ...]) -> None:
        """Let components take part from now on, as far as they are still attached."""
        pending = without(self.pending, *components)
        if len(pending) < len(self.pending):
            self._find_hooks_again(pending)

    def _find_hooks_again(self, pending: tuple[Any, ...]) -> None:
        begun = self.components[: self.started] if self.state is SPAWNING else ()
        self.pending = pending
        self.find_hooks()
        if begun:  # removed ones don't count any more
            self.started = len(begun) - len(without(begun, *self.components))

    def pose(self, part: PooledSprite | None = None) -> tuple[float, float, float]:
        sprite = self.instance if part is None else part
        rect: pygame.FRect | None = sprite.rect
        return (0.0, 0.0, 0.0) if rect is None else (*getattr(rect, sprite.anchor), sprite.rotation)

    @property
    def entering(self) -> Entering:  # type: ignore[override]
        """How it enters play: most sprites have no parts, no body and no code of their own."""
        snapshot = self.snapshots[0]
        is_sizeless = snapshot.image is None and snapshot.is_sizeless
        if len(self.snapshots) > 1:
            is_sizeless = any(snapshot.is_sizeless for snapshot in self.snapshots)
        is_simple = self.handlers is None and not snapshot.home_groups.custom_groups
        if is_simple and snapshot.layer_and_size[3] is not None:
            return _entering(len(snapshot.home_groups.pairs), is_sizeless=is_sizeless)
        return _entering(None, is_sizeless=is_sizeless)

    def enter(self, x: float, y: float, rotation: float, *, joins: bool = True) -> None:
        """Restore and place the sprite with all its parts; let it join its groups.

        Parts follow what they hang on, and bodies join the physics.
        """
        root, *parts = self.snapshots
        _enter_any(self, root, x, y, rotation, joins)
        if self.handlers is None:
            return
        poses = {id(root.sprite): (x, y, rotation)}  # by id: a game's sprites may compare equal
        for part in parts:
            link: Any = part.sprite._link
            pose = poses[id(part.sprite)] = link.begin(poses)
            _enter_any(self, part, *pose, joins)
            link.remember_pose()
        if joins:
            for snapshot in self.snapshots if parts else ():
                snapshot.sprite._links.enter(self)
                if snapshot.sprite._groups_dict:
                    mark_groups(snapshot.sprite)
            for handler in self.handlers:
                handler.enter(*poses[id(handler.sprite)])

    def enter_in_place(self) -> None:
        for snapshot in self.snapshots:
            snapshot.sprite._links.register(self)
        for handler in self.handlers or ():
            handler.enter_in_place()

    def join(self, groups: tuple[Any, ...]) -> None:
        sprite = self.instance
        for group in groups:
            if uses_pygame_join(group):
                members = sprite._groups_dict[group] = group.spritedict
                members.setdefault(sprite)
            else:
                join_full(sprite, (group,))
        if sprite._links or sprite._link is not None:
            mark_groups(sprite)

    def leave(self) -> None:
        if self.handlers is not None:
            self._leave_compound(self.handlers)
            return
        [snapshot] = self.snapshots
        sprite = snapshot.sprite
        groups_dict = sprite._groups_dict
        try:
            for group, members in snapshot.home_groups.pairs:
                del groups_dict[group]
                drawn = members.pop(sprite)
                if drawn:  # for clear() to erase
                    group.lostsprites.append(drawn)
        except KeyError:  # the game has taken it out of one
            pass
        if groups_dict:  # there were others, or some are left
            leave_groups(sprite, groups_dict)

    def _leave_compound(self, handlers: tuple[PlayHandler, ...]) -> None:
        errors: Errors = None
        self.hold_count += 1  # what happens as it leaves may take a hold, too, and release it
        for handler in reversed(handlers):
            try:
                handler.leave(self)
            except BaseException as error:
                errors = collected(errors, error)
        for snapshot in reversed(self.snapshots):
            sprite = snapshot.sprite
            try:
                leave_groups(sprite, sprite._groups_dict)
            except BaseException as error:
                errors = collected(errors, error)
            sprite._links.leave()
        self.hold_count -= 1  # its end returns it to its pool
        if errors is not None:
            errors.raise_now("leaving play")

    def force_leave(self) -> None:
        for snapshot in self.snapshots:
            force_leave_groups(snapshot)

    def follow(self, parent: Any) -> None:
        if isinstance(parent, PooledSprite):
            link = self._parent_link
            if link is None:
                link = self._parent_link = Link(parent, self.instance)
            link.parent, link.offset = parent, None
            link.follow_rotation, link.is_below = True, False
            link.bind()
        else:
            _warn_if_undrawn(self, parent)

    def unfollow(self) -> None:
        link = self.instance._link
        if link is not None:
            link.unbind()

    @property
    def parent_instance(self) -> Any:
        link = self.instance._link
        return super().parent_instance if link is None else link.parent

    def attach_to(self, parent: PooledSprite) -> Link:
        """Hang on a living sprite, as if spawned under it; return the link, without an offset."""
        sprite, above = self.instance, parent._pool_record
        if above is None:
            message = f"{parent!r} is of no pool, so it can't carry {sprite!r}, which is"
            raise PoolError(message)
        above.context.require(sprite)  # it must be of the same system
        if not (self.active and parent.active):
            message = f"{parent!r} can't carry {sprite!r}: both must be alive"
            raise PoolError(message)
        if None in (parent.rect, sprite.rect):
            message = f"{sprite!r} can't follow {parent!r}: one of them has no rect"
            raise PoolError(message)
        if self in (above, *above.ancestors):
            message = f"{sprite!r} can't hang on {parent!r}, which hangs on it"
            raise PrefabError(message)
        before = sprite._link
        local_rotation = sprite.rotation - (0.0 if before is None else before.parent_rotation)
        self.clear_parent()
        self.set_parent(above, parent)
        link: Any = sprite._link
        if before is not None or link.released != (self.generation, local_rotation):
            # Else it is still turned as the sprite that released it was.
            link.local_rotation = local_rotation
        return link  # type: ignore[no-any-return]

    def scope_of(self, part: PooledSprite) -> Scope:
        """Return the scope of a part in this life: it is closed when the part is killed."""
        link = part._link
        if link is None or not link.is_part:  # it is destroyed
            return self.open_scope()
        if link.is_hidden:
            message = f"{part!r} was killed, so it has no scope until its sprite's next life"
            raise PoolError(message)
        resources = link.resources
        if resources is None:
            label = f"{type(part).__name__} of {self.label}"
            resources = link.resources = LifeResources(self.context.clock, label)
        if resources.scope is not None:
            return resources.scope
        self.open_scope().callback(link.close_scope)
        return resources.open_scope()

    def detach_instance(self) -> None:
        for snapshot in self.snapshots:
            sprite = snapshot.sprite
            if sprite._pool_record is self:  # else another pool has adopted it
                sprite._pool_record = sprite._life_record = None
                sprite._home_groups = ()
                sprite._links.register(None)  # no system moves its children any more
                if sprite._link is not None:
                    sprite._link.is_hidden = False

    def break_cycles(self) -> None:
        for snapshot in self.snapshots:
            sprite = snapshot.sprite
            sprite._life_record = None
            for handler in sprite._play_handlers:
                handler.break_cycles(self)
            for component in sprite._components:
                if isinstance(component, IPoolableComponent):
                    del component.sprite
            sprite._components = sprite._play_handlers = sprite._updates = ()
            if sprite._links is not NO_LINKS:
                for link in list(sprite._links):
                    link.unbind()
                    link.release_timers()
                sprite._links.leave()
                sprite._links = NO_LINKS
        self.forget_instance()

    def forget_instance(self) -> None:
        super().forget_instance()
        self.snapshots = ()
        self._parent_link = self.handlers = None


def _warn_if_undrawn(record: Record[Any], parent: object) -> None:
    """Warn about a sprite that was spawned under another without following it, in no group."""
    child = record.instance
    has_groups = groups_dict_of(child) or record.plan.spawned  # which may join some
    if isinstance(parent, pygame.sprite.Sprite) and not has_groups:
        warn_once(
            type(child),
            "%r was spawned under %r and has no groups, so nobody updates or draws it: only a "
            "PooledSprite hangs on another. Name groups in its Prefab, or where it is spawned",
            child,
            parent,
        )


class PlainSpriteRecord(Record[Any]):
    """The record of a plain `pygame.sprite.Sprite`: it is placed, and joins its groups.

    Under a parent, it ends with it, but only a `PooledSprite` moves with another.
    """

    __slots__ = ("groups_dict", "snapshots")

    snapshots: tuple[Membership, ...]  # one, until it is destroyed
    groups_dict: dict[Any, Any]  # pygame's of its groups; `Sprite.__init__` makes another

    def attach(self) -> None:
        sprite = self.instance
        sprite._pool_record = self  # sprites take any attribute; this one finds the record at once
        groups = (*groups_of(sprite), *home_groups_of(self.pool))
        self.snapshots = (Membership(sprite, groups),)
        self.groups_dict = groups_dict_of(sprite)

    def refresh_snapshot(self) -> None:
        sprite = self.instance
        groups = (*self.snapshots[0].home_groups.groups, *groups_of(sprite))
        self.snapshots = (Membership(sprite, groups),)
        super().refresh_snapshot()

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        del part  # it has none
        rect = self.instance.rect
        return (0.0, 0.0, 0.0) if rect is None else (*rect.center, 0.0)

    def enter(self, x: float, y: float, rotation: float) -> None:
        del rotation  # it can't be turned
        snapshot = self.snapshots[0]
        if self.groups_dict:
            snapshot.leave_stale_groups(self)
        rect = self.instance.rect
        if rect is not None:
            rect.center = (float(x), float(y))  # pygame takes no fractions.Fraction
        snapshot.join()

    def leave(self) -> None:
        groups_dict = groups_dict_of(self.instance)
        if groups_dict is not self.groups_dict:  # it has forgotten its groups in this life
            leave_groups(self.instance, self.groups_dict)
            self.groups_dict = groups_dict
            warn_built_again(self)
        leave_groups(self.instance, groups_dict)

    leave_initial = leave

    def force_leave(self) -> None:
        force_leave_groups(self.snapshots[0])

    def join(self, groups: tuple[Any, ...]) -> None:
        join_full(self.instance, groups)

    def follow(self, parent: Any) -> None:
        _warn_if_undrawn(self, parent)

    def forget_instance(self) -> None:
        super().forget_instance()
        self.snapshots = ()


record_for.register(PooledSprite, SpriteRecord)
record_for.register(pygame.sprite.Sprite, PlainSpriteRecord)


def bytes_shown(pool: Any) -> int:
    """Return the bytes of all surfaces that a pool's instances and their parts show.

    Each counts once, a subsurface as its whole sheet. Upright images count beside turned ones.
    """
    sizes: dict[int, int] = {}
    for record in pool._records:
        for snapshot in getattr(record, "snapshots", ()):
            sprite = getattr(snapshot, "sprite", None)
            state = getattr(sprite, "_rotation_state", None)
            for holder, name in (sprite, "image"), (snapshot, "image"), (state, "upright"):
                image = getattr(holder, name, None)
                if isinstance(image, pygame.Surface):
                    with contextlib.suppress(pygame.error):  # a display that was closed
                        sheet = image.get_abs_parent()
                        sizes[id(sheet)] = sheet.get_pitch() * sheet.get_height()
    return sum(sizes.values())


def lives_in_no_group(pool: Any) -> int:
    """Return how many lives have left all groups that they joined."""
    snapshots = [getattr(record, "snapshots", (None,))[0] for record in lives_of(pool)]
    is_asked = pool._groups_fn is not None
    lives = [
        (groups_dict_of(snapshot.sprite), is_asked or snapshot.home_groups.groups != ())
        for snapshot in snapshots
        if isinstance(snapshot, Membership)
    ]
    return sum(not groups and (is_meant or had_groups(groups)) for groups, is_meant in lives)


surface_size_fns.append(bytes_shown)
groupless_count_fns.append(lives_in_no_group)
_COPIED = pygame.Vector2, pygame.Vector3, pygame.Color, pygame.Rect, pygame.FRect
copiers.update({cls: cls for cls in _COPIED})
