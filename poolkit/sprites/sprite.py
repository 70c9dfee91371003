"""The pooled sprite: a pygame sprite with components, children, a position and a rotation."""

from __future__ import annotations

from math import atan2, degrees, isfinite
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar

import pygame
from pygame import Vector2

from poolkit.core.ending import Handle, end
from poolkit.core.errors import ErrorCollector, NotManagedError, PoolError, PrefabError
from poolkit.core.groups import flat_groups
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.record import contains_identical
from poolkit.core.saving import followed_by, saved_without
from poolkit.core.seams import sprites_under_construction
from poolkit.core.settings import checked_count
from poolkit.sprites.components import (
    add_component,
    remove_component,
    start_late,
    update,
)
from poolkit.sprites.links import NO_LINKS, Link, Links, follow, mark_groups
from poolkit.sprites.membership import groups_of, warn_built_again
from poolkit.sprites.position import Pair, Position
from poolkit.sprites.rotation import RotationState

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.prefab import Prefab
    from poolkit.core.scope import Scope
    from poolkit.core.system import PoolingSystem
    from poolkit.sprites.components import PlayHandler
    from poolkit.sprites.records import SpriteRecord

C = TypeVar("C")


S = TypeVar("S", bound="PooledSprite")


@saved_without("_groups_dict", "_home_groups", "_life_record", "_is_being_built", "_pool_record")
@followed_by("_components", "_link", "_links", "_play_handlers", "_rotation_state")
class PooledSprite(pygame.sprite.Sprite, IPoolableComponent):
    """A sprite made to be pooled. Its `rect` says where it is, as in every pygame game.

    It is a poolable component itself: override `awake`, `spawned`, `despawned`, `destroyed`. Write
    its constructor as you do for a plain pygame sprite.

    Args:
        image: What is drawn; the rect takes its size. You may leave it out and pass groups only.
        *groups: Home groups: joined at every spawn and left at every despawn. A sprite that a
            pool builds joins them at its first spawn; one that the game builds, at once.

    Raises:
        TypeError: `image` is neither a surface nor a group.

    Attributes:
        anchor: The point of the rect that `position` means: ``"center"``, ``"midbottom"``, …
        rotation_steps: How many steps make a full turn; 360: one a degree. Sprites share turned
            images, so draw into a copy. `None` turns exactly: each turn makes an image of its own.
        image: The surface that is drawn. You may replace it; the rect stays as it is.
        rect: A `pygame.FRect`, which keeps fractions of pixels. You may move and replace it. If it
            is empty once the sprite is built, it takes the size of the image.
    """

    anchor: ClassVar[str] = "center"
    rotation_steps: ClassVar[int | None] = 360
    _is_center_anchored: ClassVar[bool] = True
    _is_moved_directly: ClassVar[bool] = True  # no `rotation`, `rect` or `image` of its own
    _is_moved_by_center: ClassVar[bool] = True  # both
    _layer_of_class: ClassVar[int | None] = None

    if TYPE_CHECKING:  # what a sprite has is promised, though it may be taken away

        @property
        def image(self) -> pygame.Surface:
            """What is drawn; `None` may be assigned, and nothing is drawn."""

        @image.setter
        def image(self, value: pygame.Surface | None) -> None: ...
        @property
        def rect(self) -> pygame.FRect:
            """Where it is; a `pygame.Rect` may be assigned as well."""

        @rect.setter
        def rect(self, value: pygame.FRect | pygame.Rect | None) -> None: ...

        layer: int  # a class may set it
        """The layer it has in layered groups. Set it before it joins one."""
    else:
        # Slots are read three times as fast as pygame's properties of the same names. Type checkers
        # would take their names for the types.
        __slots__ = (
            "_components",
            "_follows_body",
            "_groups_dict",
            "_home_groups",
            "_is_being_built",
            "_layer",
            "_life_record",
            "_link",
            "_links",
            "_play_handlers",
            "_pool_record",
            "_rotation_state",
            "_updates",
            "image",
            "rect",
        )

    _components: tuple[Any, ...]
    _home_groups: tuple[Any, ...]
    _follows_body: bool  # by a body
    _layer: int | None
    _link: Link | None
    _links: Links
    _groups_dict: dict[Any, Any]  # pygame's of its groups
    _is_being_built: bool  # by a pool, or as a part of what one builds
    _pool_record: SpriteRecord | None
    _life_record: SpriteRecord | None  # the same, but `None` for a part
    _play_handlers: tuple[PlayHandler, ...]  # those of its components
    _rotation_state: RotationState | None
    _updates: tuple[Callable[..., object], ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.rotation_steps is not None:
            checked_count(cls.rotation_steps, f"{cls.__name__}.rotation_steps", least=1)
        if not isinstance(getattr(_NO_RECT, cls.anchor, None), tuple):
            message = (
                f"{cls.__name__}.anchor is {cls.anchor!r}, which is no point of a rect, "
                "as 'center' or 'midbottom' are"
            )
            raise PrefabError(message)
        for name, value in vars(cls).items():
            is_data = not (callable(value) or hasattr(type(value), "__get__"))
            if is_data and name in _METHODS:
                message = (
                    f"{cls.__name__}.{name} = {value!r} hides what PooledSprite calls {name}: "
                    "give it another name"
                )
                raise PrefabError(message)
        cls._choose_move_path()
        for name in ("layer", "_layer"):  # as pygame's own idioms have it
            if isinstance(vars(cls).get(name), int):
                cls._layer_of_class = vars(cls)[name]
                delattr(cls, name)

    @classmethod
    def _choose_move_path(cls) -> None:
        """Find out how its sprites are moved: most by the center, which is faster."""
        cls._is_center_anchored = cls.anchor == "center"
        cls._is_moved_directly = cls.rotation is PooledSprite.rotation and not any(
            isinstance(member, property) for member in (cls.rect, cls.image)
        )
        cls._is_moved_by_center = cls._is_center_anchored and cls._is_moved_directly
        if cls.position is _AT_ANCHOR or cls.position is _AT_CENTER:  # else it is the game's own
            cls.position = _AT_CENTER if cls._is_center_anchored else _AT_ANCHOR  # type: ignore[method-assign]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Set up what it needs before any constructor runs."""
        del args, kwargs
        if (cls.anchor == "center") is not cls._is_center_anchored:  # set after the class was made
            cls._choose_move_path()
        self = super().__new__(cls)
        self._pool_record = self._life_record = None
        self._components = ()
        self._play_handlers = ()
        self._updates = ()
        self._links = NO_LINKS
        self._link = None
        self._rotation_state = None
        self._layer = cls._layer_of_class
        self._follows_body = False
        self._home_groups = ()
        self._groups_dict = {}
        if cls.image is _IMAGE:
            self.image = None
        if cls.rect is _RECT:
            self.rect = _NO_RECT.copy()
        self._is_being_built = bool(sprites_under_construction)
        if sprites_under_construction:
            sprites_under_construction[-1].append(self)
        return self

    def __init__(self, image: Any = None, *groups: Any) -> None:
        get_rect = getattr(image, "get_frect", None)
        if image is not None and get_rect is None:
            if not (hasattr(image, "_spritegroup") or isinstance(image, list | tuple | set)):
                message = (
                    f"the first argument of {type(self).__name__} is its image (or None), "
                    f"groups follow; not {image!r}"
                )
                raise TypeError(message)
            groups = (image, *groups)
        super().__init__()
        if get_rect is not None:
            self.image = image
            self.rect = get_rect()
        if groups:
            self.add(*groups)

    def _join_home_groups(self) -> None:
        """Become a sprite of the game's own: the factory did not return it."""
        self._is_being_built = False
        groups, self._home_groups = self._home_groups, ()
        self.add(*groups)

    def add(self, *groups: Any) -> None:
        """Join groups. While a pool builds the sprite, they become its home groups instead."""
        flat = flat_groups(groups, type(self).__name__)
        if self._is_being_built:
            self._home_groups = (*self._home_groups, *flat)
        else:
            super().add(*flat)

    def add_internal(self, group: Any) -> None:
        """Note a group it has joined, for pygame, which calls this."""
        self._groups_dict[group] = 0
        if self._links or self._link is not None:
            mark_groups(self)

    # -- where it is --------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """Where the rect's `anchor` is, in pixels, as an immutable vector.

        `sprite.position += velocity * dt` moves it. Any pair may be assigned; its body and what
        hangs on it move along.
        """
        return Position(self.rect.center)  # of other anchors: `_AT_ANCHOR`

    @position.setter
    def position(self, position: Pair) -> None:
        if self._follows_body or self._links:
            _set_position(self, position)
            return
        try:  # pygame reads a Vector2, and a tuple itself, several times as fast as other pairs
            self.rect.center = position if isinstance(position, Vector2) else position[:]
        except (TypeError, ValueError, LookupError):
            _set_position(self, position)

    def look_at(self, point: Pair) -> None:
        """Turn so that the right side of the upright image points there, from its `position`."""
        dx, dy = point[0] - self.position[0], point[1] - self.position[1]
        if dx or dy:
            self.rotation = -degrees(atan2(dy, dx))

    @property
    def rotation(self) -> float:
        """Degrees by which the image is turned, counter-clockwise on screen. May be assigned.

        The rect takes the size of the turned image, and `position` stays; its body turns along. An
        image that you assign later is shown as it is: assign `rotation` again to turn it.
        """
        return 0.0 if self._rotation_state is None else self._rotation_state.degrees

    @rotation.setter
    def rotation(self, degrees: float) -> None:
        if self._follows_body:
            self._play_handlers[0].move_to(None, None, degrees)
        size = self._rotate_image(degrees)
        if size is not None:
            self._resize(size)
        if self._links:
            self._links.move()

    def _rotate_image(self, degrees: float) -> tuple[int, int] | None:
        """Turn the image alone; return its size if it is another one now."""
        if self._rotation_state is None:
            if not degrees:
                return None
            self._rotation_state = RotationState()
            if self._link is not None:  # it is moved in another way from now on
                self._link.parent_links.invalidate()
        return self._rotation_state.rotate(self, degrees)

    def _show(self, image: pygame.Surface) -> None:
        """Show another upright image, turned as the sprite is."""
        old, self.image, state = self.image, image, self._rotation_state
        turned = None if state is None else state.rotate(self, state.degrees)
        size = turned or image.get_size()
        if old is None or old.get_size() != size:
            self._resize(size)

    def _resize(self, size: tuple[float, float]) -> None:
        """Give the rect another size; its anchor stays where it is."""
        rect: pygame.FRect | None = self.rect
        if rect is not None and rect.size != size:
            position = getattr(rect, self.anchor)
            rect.size = size
            setattr(rect, self.anchor, position)

    def _move_to(self, x: float, y: float, rotation: float) -> None:
        """Set position and rotation together. The caller moves the children."""
        rect: pygame.FRect | None = self.rect
        if rect is None:
            return
        if type(self).rotation is not PooledSprite.rotation:  # a game wrote its own
            self.rotation = rotation
        elif rotation or self._rotation_state is not None:
            size = self._rotate_image(rotation)
            if size is not None:
                rect.size = size
        setattr(rect, self.anchor, (x, y))

    if not TYPE_CHECKING:

        @property
        def layer(self) -> int:
            """The layer it has in layered groups. Set it before it joins one."""
            if self._layer is None:
                message = f"{self!r} has no layer of its own"
                raise AttributeError(message)
            return self._layer

        @layer.setter
        def layer(self, layer: int) -> None:  # pygame's refuses while it is in groups
            pygame.sprite.Sprite.layer.fset(self, layer)

    # -- its life -----------------------------------------------------------------------------

    @property
    def sprite(self) -> Self:
        """The sprite itself: it is its own last component."""
        return self

    @property
    def active(self) -> bool:
        """Whether it is alive: spawned, not despawned since, and not hidden as a part."""
        record = self._pool_record
        if record is None or not record.active:
            return False
        return self._link is None or not self._link.is_hidden

    if not TYPE_CHECKING:  # for type checkers it is read-only

        @active.setter
        def active(self, value: object) -> None:
            name = type(self).__name__
            message = (
                f"{name}.active can't be set to {value!r}: a sprite is active from its spawn to "
                "its end. To end its life, call kill(); call a flag of your own something else"
            )
            raise AttributeError(message)

    @property
    def prefab(self) -> Prefab[Any] | None:
        """The prefab it was made from, if a pool manages it."""
        record = self._pool_record
        return None if record is None else getattr(record.pool, "prefab", None)

    @property
    def system(self) -> PoolingSystem | None:
        """The pooling system that manages it, if any."""
        record = self._pool_record
        return None if record is None else getattr(record.pool, "system", None)

    @property
    def scope(self) -> Scope:
        """The scope of this life: what you start with it ends with the life, or a killed part.

        Raises:
            PoolError: It is not alive.
        """
        record = self._life_record
        if record is not None:
            return record.open_scope()
        record = self._pool_record
        if record is None:
            return super().scope  # which refuses
        return record.scope_of(self)

    def handle(self) -> Handle[Self]:
        """Return a weak `Handle` to its present life.

        Raises:
            NotManagedError: No pool manages it, or it is a part of another sprite.
        """
        record = self._pool_record
        if record is None:
            message = f"{self!r} is managed by no pool: spawn it, or adopt it"
            raise NotManagedError(message)
        if record.instance is not self:
            record.context.require(self)
        return Handle(record, record.life)

    def kill(self) -> None:
        """Despawn it, so that `spritecollide(dokill=True)` fills the pool.

        A part of another sprite is hidden instead, until that is spawned again. A sprite that no
        pool manages leaves its groups, as in pygame, and the physics.
        """
        record = self._life_record
        if record is None:
            self._hide_with_parts(self._pool_record)
        elif not end(record):
            pygame.sprite.Sprite.kill(self)  # its life was over: leave what it has joined since

    def _hide_with_parts(self, record: SpriteRecord | None) -> None:
        """Leave groups and physics with all parts, without a life that would end."""
        errors, sprites = ErrorCollector(), self._with_parts()
        for sprite in sprites:
            link = sprite._link if self._link is not None else None
            if link is not None:
                link.hide()
                errors.call(link.close_scope)
        for sprite in sprites:
            errors.call(pygame.sprite.Sprite.kill, sprite)
            errors.call(sprite._leave_physics, record)
        errors.raise_all(f"hiding {self!r}")

    def _leave_physics(self, record: SpriteRecord | None) -> None:
        for handler in self._play_handlers:
            handler.leave(record)

    # -- components ---------------------------------------------------------------------------

    @property
    def components(self) -> tuple[Any, ...]:
        """Its components, in order of attachment."""
        return self._components

    add_component = add_component
    remove_component = remove_component

    def _find_updates(self) -> None:
        updates = [getattr(component, "update", None) for component in self._components]
        self._updates = tuple([update for update in updates if update is not None])
        if self._link is not None:  # whether it is updated with its parent may change
            self._link.parent_links.invalidate()

    def get_component(self, kind: type[C]) -> C:
        """Return the first component of `kind`.

        Raises:
            LookupError: It has no such component.
        """
        for component in self.get_components(kind):
            return component
        has = ", ".join(type(component).__name__ for component in self._components) or "none"
        message = f"{self!r} has no component of type {kind.__name__}; it has {has}"
        raise LookupError(message)

    def get_components(self, kind: type[C]) -> tuple[C, ...]:
        """Return all components of `kind`, in order of attachment."""
        return tuple([component for component in self._components if isinstance(component, kind)])

    update = update

    # -- children -----------------------------------------------------------------------------

    @property
    def parent(self) -> PooledSprite | None:
        """The sprite that it moves with, if any."""
        return None if self._link is None else self._link.parent

    @property
    def offset(self) -> Position | None:
        """Where it hangs on its parent, in pixels from the upright parent's `position`.

        `None` if it hangs on nothing. Assign another to move it there; moving or turning it by
        other means changes the offset too. Each life of a part begins with the offset that it was
        built with. A sprite with a body is where its body is.

        Raises:
            PoolError: You assign one, and it hangs on nothing.
            TypeError: What you assign isn't two numbers.
            ValueError: What you assign isn't finite.
        """
        return None if self._link is None else Position(self._link.get_offset())

    @offset.setter
    def offset(self, offset: Pair) -> None:
        link = self._link
        if link is None:
            message = f"{self!r} hangs on nothing, so it has no offset: set its position"
            raise PoolError(message)
        record = self._pool_record
        is_built = record is not None and record.generation > 0
        link.set_offset(_checked_offset(offset), is_built=is_built)

    @property
    def children(self) -> tuple[PooledSprite, ...]:
        """The sprites that move with it: its parts, what was spawned under it, what it carries."""
        return tuple(link.child for link in self._links)

    def add_child(
        self,
        sprite: S,
        offset: Pair,
        *,
        follow_rotation: bool = True,
        below: bool = False,
    ) -> S:
        """Let `sprite` move and end with this one from now on; return it.

        A sprite that you have just built becomes a part: it spawns and despawns with this one in
        all its lives. A living pooled sprite, such as a sword that is picked up, is carried until
        one of them ends, another sprite takes it, or `release_child`. A sprite with a body follows
        its body.

        If `sprite` has no groups of its own, each `PooledGroup` of this one updates it right after
        this one and draws it right above, in this one's layer.

        Args:
            sprite: A sprite that no pool manages, or a living one.
            offset: Where it is, in pixels from this sprite's position, as ``(x, y)``.
            follow_rotation: Whether it turns with this sprite, and around it. Its own rotation is
                added to this sprite's, without that of a sprite that it has followed until now, or
                was released by and hasn't been turned since.
            below: Draw it right below this sprite, not above.

        Raises:
            PoolError: This sprite was destroyed, or one of them should be alive and isn't.
            PrefabError: `sprite` is a part of another one, or this one hangs on it.
            NotManagedError: `sprite` lives in another pooling system.
            TypeError: `sprite` isn't a `PooledSprite`, or `offset` isn't two numbers.
            ValueError: `offset` isn't finite.
        """
        if not isinstance(sprite, PooledSprite):
            message = f"only a PooledSprite can be a child, not {sprite!r}"
            raise TypeError(message)
        record = self._pool_record
        if record is not None and record.destroyed:
            message = f"{self!r} is destroyed: it takes no child any more"
            raise PoolError(message)
        place = _checked_offset(offset)
        child_record = sprite._pool_record
        if child_record is not None and child_record.instance is sprite:
            link = child_record.attach_to(self)
            link.offset, link.follow_rotation, link.is_below = place, follow_rotation, below
            link.parent_links.invalidate()
            if not sprite._follows_body:
                link.apply_offset()
        else:
            self._add_part(Link(self, sprite, place, follow_rotation, True, below))  # noqa: FBT003
        return sprite

    def _add_part(self, link: Link) -> None:
        part, record = link.child, self._pool_record
        is_taken = part._pool_record is not None or part._link is not None
        if is_taken or contains_identical(part._with_parts(), self):
            message = (
                f"{part!r} is a part of another sprite, or has this one as a part: build one for "
                "each sprite, in its constructor"
            )
            raise PrefabError(message)
        link.bind()
        link.apply_offset()
        if record is not None:
            record.add_parts(part._with_parts())
            start_late(part._all_parts(), record)

    def release_child(self, sprite: PooledSprite) -> None:
        """Let a sprite that was spawned under this one, or is carried by it, live on alone.

        Raises:
            LookupError: It isn't a child of this sprite, or it is a part.
        """
        link: Link | None = getattr(sprite, "_link", None)
        if link is None or link.parent is not self or link.is_part:
            message = f"{sprite!r} is no child of {self!r}, or a part: kill() hides a part"
            raise LookupError(message)
        follow([self._links])  # it stays where it belongs now
        record = sprite._pool_record
        if record is not None:
            if None not in (self.rect, sprite.rect):  # the game may take them away
                link.update_offset()
                link.released = record.generation, sprite.rotation
            record.clear_parent()

    def _with_parts(self) -> list[PooledSprite]:
        """Return this sprite and all its parts, each after the one it is a part of."""
        if not self._links:
            return [self]
        sprites = []
        waiting: list[PooledSprite] = [self]
        while waiting:
            sprite = waiting.pop()
            sprites.append(sprite)
            waiting += [link.child for link in reversed(sprite._links) if link.is_part]
        return sprites

    def _all_parts(self) -> list[Any]:
        """Return all that may have hooks in their order: components, parts likewise, itself."""
        order: list[Any] = []
        waiting: list[tuple[PooledSprite, bool]] = [(self, False)]
        while waiting:  # no recursion: chains may be longer than Python's limit
            sprite, is_next = waiting.pop()
            if not is_next:
                order += sprite._components
            if is_next or not sprite._links:
                order.append(sprite)
            else:
                waiting.append((sprite, True))
                links = reversed(sprite._links)
                waiting += [(link.child, False) for link in links if link.is_part]
        return order

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse: a copy would share groups, parts and the life."""
        message = f"{self!r} can't be copied or pickled: spawn another one, or build one"
        raise TypeError(message)

    def __repr__(self) -> str:
        """Return ``<Orc orc #0007 active>``."""
        record = self._pool_record
        if record is None:
            return f"<{type(self).__name__} in {len(groups_of(self))} groups, in no pool>"
        part = "" if record.instance is self or record.destroyed else " part"
        state = "destroyed" if record.destroyed else "active" if self.active else "inactive"
        return f"<{type(self).__name__} {record.label}{part} {state}>"


record_of: Callable[[Any], Any] = attrgetter("_pool_record")
"""Return the record of a `PooledSprite` or of what it is a part of, or `None`."""


def _set_position(self: PooledSprite, position: Pair) -> None:
    """Move a sprite by any anchor, with its bodies and children."""
    if self._follows_body:
        x, y = position
        self._play_handlers[0].move_to(x, y, None)  # the first body leads the others
    try:
        setattr(self.rect, self.anchor, position)
    except TypeError:
        message = f"the position of {self!r} is two numbers (x, y), not {position!r}"
        raise TypeError(message) from None
    if self._links:
        self._links.move()


def _checked_offset(offset: Any) -> tuple[float, float]:
    """Return an offset that is two finite numbers: another would fail in every later frame."""
    try:
        x, y = offset
        is_finite = isfinite(x + y)
    except (TypeError, ValueError, OverflowError):
        message = f"the offset of a child is two numbers (x, y), not {offset!r}"
        raise TypeError(message) from None
    if not is_finite:
        message = f"the offset of a child must be finite, not {offset!r}"
        raise ValueError(message)
    return float(x), float(y)


_AT_CENTER: Any = PooledSprite.position  # takes half the time of its twin for all other anchors
_AT_ANCHOR: Any = property(
    lambda self: Position(getattr(self.rect, self.anchor)), _set_position, doc=_AT_CENTER.__doc__
)


def _keep_groups(self: PooledSprite, _: object) -> None:
    """Keep the note of its groups, which `Sprite.__init__` empties; warn if it is alive.

    It would stay in its groups and be drawn after its life.
    """
    record = self._pool_record
    if record is not None and record.active:
        warn_built_again(record)


# pygame's own note of the groups, by the slot's descriptor, which calls no `__getattribute__`.
_GROUPS_DICT: Any = PooledSprite._groups_dict
PooledSprite._Sprite__g = property(_GROUPS_DICT.__get__, _keep_groups)  # type: ignore[attr-defined]
_IMAGE: Any = PooledSprite.image  # a game's class may have its own
_RECT: Any = PooledSprite.rect
_NO_RECT = pygame.FRect(0, 0, 0, 0)  # to copy: that takes a third of the time
_METHODS = {
    name
    for name, value in vars(PooledSprite).items()
    if isinstance(value, property | FunctionType) and not name.startswith("_") and name != "layer"
}
