"""The pooled sprite: a pygame sprite with components, children, a position and a rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import pygame

from poolkit.core.component import DespawnReason, IPoolableComponent
from poolkit.core.construction import built_by_pool
from poolkit.core.errors import NotManagedError, PoolError, PrefabError
from poolkit.sprites.links import Link, roots
from poolkit.sprites.rotation import Turning
from poolkit.sprites.staged import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.handle import Handle
    from poolkit.core.prefab import Prefab
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.system import PoolingSystem

__all__ = ["PooledSprite"]

C = TypeVar("C")
SelfSprite = TypeVar("SelfSprite", bound="PooledSprite")

_ANCHORS = frozenset(
    [
        "center",
        "topleft",
        "midtop",
        "topright",
        "midleft",
        "midright",
        "bottomleft",
        "midbottom",
        "bottomright",
    ],
)


class PooledSprite(pygame.sprite.Sprite, IPoolableComponent):
    """A sprite made to be pooled. Its `rect` is the truth about where it is, as in every game.

    It is a poolable component itself: override `awake`, `spawned`, `despawned`, `destroyed`.

    Args:
        image: What is drawn; the rect takes its size.
        *groups: Home groups: joined at every spawn and left at every despawn. A sprite that a
            pool builds joins them at its first spawn only; one that the game builds, at once.

    Attributes:
        anchor: The point of the rect that `position` means: ``"center"``, ``"midbottom"``, …
        image: The surface that is drawn. It may be replaced at any time.
        rect: A `pygame.FRect`, which keeps fractions of pixels. It may be moved and replaced.
    """

    # Slots shadow pygame's properties of the same names: three times as fast to read.
    __slots__ = (
        "_components",
        "_hidden",
        "_home_groups",
        "_layer",
        "_link",
        "_links",
        "_pool_data",
        "_turning",
        "_updates",
        "image",
        "is_driven",
        "rect",
    )

    anchor: ClassVar[str] = "center"

    image: pygame.Surface | None
    rect: pygame.FRect
    _pool_data: PoolablePrefabData[Any] | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Check the anchor once, when the class is made."""
        super().__init_subclass__(**kwargs)
        if cls.anchor not in _ANCHORS:
            message = (
                f"{cls.__name__}.anchor is {cls.anchor!r}, which is no point of a rect: "
                f"use one of {', '.join(sorted(_ANCHORS))}"
            )
            raise PrefabError(message)

    def __init__(self, image: pygame.Surface | None = None, *groups: Any) -> None:
        """Build the sprite, out of play while a pool builds it."""
        self._pool_data = None
        self._components: list[Any] = []
        self._updates: tuple[Callable[..., object], ...] = ()
        self._links: list[Link] = []
        self._link: Link | None = None
        self._turning: Turning | None = None
        self._layer: int | None = None
        self._hidden = False
        self.is_driven = False
        super().__init__()
        self.image = image
        self.rect = pygame.FRect(0, 0, 0, 0) if image is None else image.get_frect()
        self._home_groups: tuple[Any, ...] = groups
        if not built_by_pool(self):
            self._join_home_groups()

    def _join_home_groups(self) -> None:
        self.add(*self._home_groups)

    # -- where it is --------------------------------------------------------------------------

    @property
    def position(self) -> tuple[float, float]:
        """Where the rect's `anchor` is, in pixels, as ``(x, y)``. May be assigned."""
        x, y = getattr(self.rect, self.anchor)
        return x, y

    @position.setter
    def position(self, position: tuple[float, float]) -> None:
        setattr(self.rect, self.anchor, position)
        if self._links:
            self.move_children()

    @property
    def rotation(self) -> float:
        """Degrees by which the image is turned, counter-clockwise on screen. May be assigned.

        The rect takes the turned image's size; `position` stays where it is.
        """
        return 0.0 if self._turning is None else self._turning.degrees

    @rotation.setter
    def rotation(self, degrees: float) -> None:
        if self._turning is None:
            if not degrees:
                return
            self._turning = Turning()
        self._turning.turn(self, degrees)
        if self._links:
            self.move_children()

    def move_to(self, x: float, y: float, rotation: float) -> None:
        """Set position (pixels) and rotation (degrees) together."""
        setattr(self.rect, self.anchor, (x, y))
        if rotation or self._turning is not None:
            self.rotation = rotation
        elif self._links:
            self.move_children()

    @property
    def layer(self) -> int:
        """The layer it has in layered groups; set before it joins one.

        Raises:
            AttributeError: None was set, so that a group uses its default.
        """
        if self._layer is None:
            message = f"{self!r} has no layer of its own"
            raise AttributeError(message)
        return self._layer

    @layer.setter
    def layer(self, layer: int) -> None:
        if self.alive():
            message = (
                "a sprite's layer can't be set while it is in groups: "
                "use group.change_layer(sprite, layer)"
            )
            raise AttributeError(message)
        self._layer = layer

    # -- its life -----------------------------------------------------------------------------

    @property
    def sprite(self) -> Self:
        """The sprite itself, for it is a component of its own."""
        return self

    @property
    def active(self) -> bool:
        """Whether it is alive: spawned, and not despawned since."""
        data = self._pool_data
        return data is not None and data.active and not self._hidden

    @property
    def life(self) -> int | None:
        """The number of its present or last life, from 1; `None` for a sprite of no pool."""
        data = self._pool_data
        return None if data is None else data.generation

    @property
    def prefab(self) -> Prefab[Any] | None:
        """The prefab it was made from; `None` for a sprite of no pool."""
        data = self._pool_data
        return None if data is None else getattr(data.pool, "prefab", None)

    @property
    def system(self) -> PoolingSystem | None:
        """The pooling system that manages it; `None` for a sprite of no pool."""
        data = self._pool_data
        return None if data is None else getattr(data.pool, "system", None)

    def handle(self) -> Handle[Self]:
        """Return a weak `Handle` to its present life.

        Raises:
            NotManagedError: No pool manages it.
        """
        system = self.system
        if system is None:
            message = f"{self!r} is managed by no pool: spawn it, or adopt it"
            raise NotManagedError(message)
        return system.handle(self)

    def kill(self) -> None:
        """Despawn it: pygame's own word, so that `spritecollide(dokill=True)` fills the pool.

        A part of another sprite's prefab is hidden instead, until its parent's next spawn. One
        that no pool manages leaves its groups, as in pygame, and the physics.
        """
        data = self._pool_data
        if data is not None and data.instance is self and data.pool.end(data):
            return
        if data is not None and data.instance is not self:
            self._hidden = True
        super().kill()
        if data is None or not data.active or self._hidden:
            for component in self._components:
                if isinstance(component, StagedComponent):
                    component.leave(data)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Hand the call on to the `update` of every component that has one.

        Stops when one of them ends the sprite's life.
        """
        life = self.life
        for update in self._updates:
            update(*args, **kwargs)
            if life is not None and (self.life != life or not self.active):
                return

    # -- components ---------------------------------------------------------------------------

    @property
    def components(self) -> tuple[Any, ...]:
        """Its components, in order of attachment."""
        return tuple(self._components)

    def add_component(self, component: C) -> C:
        """Attach a component and return it.

        On a sprite that a pool has made already it is woken at once; on an active one its
        `spawned` runs at once as well.

        Raises:
            PrefabError: It is attached to a sprite already, or can't know its sprite.
            TypeError: It is a class, or a sprite; or its `spawned` requires data.
        """
        if isinstance(component, type):
            message = f"add_component takes a component, not the class: {component.__name__}(...)"
            raise TypeError(message)
        if isinstance(component, pygame.sprite.Sprite):
            message = f"{component!r} is a sprite: add_child(sprite, offset) attaches one"
            raise TypeError(message)
        if isinstance(component, IPoolableComponent):
            owner = getattr(component, "sprite", None)
            if owner is not None:
                message = (
                    f"this {type(component).__name__} is attached to {owner!r} already: "
                    "build one for each sprite, in its constructor"
                )
                raise PrefabError(message)
            try:
                component.sprite = self
            except AttributeError:
                message = (
                    f"{type(component).__name__} has __slots__ but no place for its sprite: "
                    "add 'sprite' to its __slots__"
                )
                raise PrefabError(message) from None
        self._components.append(component)
        try:
            self._components_changed((component,))
        except BaseException:
            if component in self._components:
                self.remove_component(component, _quietly=True)
            raise
        return component

    def get_component(self, kind: type[C]) -> C:
        """Return the first component of `kind`.

        Raises:
            LookupError: There is none.
        """
        for component in self._components:
            if isinstance(component, kind):
                return component
        has = ", ".join(type(component).__name__ for component in self._components) or "none"
        message = f"{self!r} has no component of type {kind.__name__}; it has {has}"
        raise LookupError(message)

    def get_components(self, kind: type[C]) -> tuple[C, ...]:
        """Return all components of `kind`, in order of attachment."""
        return tuple(component for component in self._components if isinstance(component, kind))

    def remove_component(self, component: Any, *, _quietly: bool = False) -> None:
        """Detach a component. Its `despawned`, if it is spawned, and its `destroyed` run first.

        Raises:
            LookupError: It is not attached to this sprite.
        """
        place = next((i for i, own in enumerate(self._components) if own is component), None)
        if place is None:
            message = f"{component!r} is not attached to {self!r}"
            raise LookupError(message)
        data = self._pool_data
        try:
            if data is not None and not _quietly and isinstance(component, IPoolableComponent):
                _retire(component, data)
        finally:
            del self._components[place]
            if isinstance(component, StagedComponent):
                component.leave(data)
                component.dismantle()
            if isinstance(component, IPoolableComponent):
                del component.sprite
            self._components_changed(())

    def _components_changed(self, added: tuple[Any, ...]) -> None:
        """Find hooks and updates anew; let what was added catch up with the sprite."""
        self._updates = tuple(
            component.update for component in self._components if hasattr(component, "update")
        )
        data = self._pool_data
        if data is None:
            return
        data.find_hooks()
        newcomers = tuple(part for part in added if isinstance(part, IPoolableComponent))
        if data.awoken:
            _begin_late(newcomers, data)

    # -- children -----------------------------------------------------------------------------

    @property
    def parent(self) -> PooledSprite | None:
        """The sprite it moves with; `None` if it moves on its own."""
        return None if self._link is None else self._link.parent

    @property
    def children(self) -> tuple[PooledSprite, ...]:
        """The sprites that move with it: parts of its prefab, and what was spawned under it."""
        return tuple(link.child for link in self._links)

    def add_child(
        self,
        sprite: PooledSprite,
        offset: tuple[float, float],
        *,
        follow_rotation: bool = True,
    ) -> None:
        """Make `sprite` a part of this one: it moves, spawns and despawns with it.

        Args:
            sprite: A sprite of its own, managed by no pool. What a pool manages is spawned with
                ``parent=`` instead.
            offset: Where it is, in pixels from this sprite's position, as ``(x, y)``.
            follow_rotation: Whether it turns with this sprite, and around it.

        Raises:
            PrefabError: It has a parent or a pool already, or is an ancestor of this sprite.
            TypeError: It is no `PooledSprite`.
        """
        if not isinstance(sprite, PooledSprite):
            message = f"only a PooledSprite can be a child, not {sprite!r}"
            raise TypeError(message)
        ancestor: PooledSprite | None = self
        while ancestor is not None:
            if ancestor is sprite:
                message = f"{sprite!r} can't be a child of itself, or of its own child {self!r}"
                raise PrefabError(message)
            ancestor = ancestor.parent
        if sprite._link is not None or sprite._pool_data is not None:
            message = (
                f"{sprite!r} has a parent or a pool already: build a part in the constructor, "
                "or spawn an instance with parent=..."
            )
            raise PrefabError(message)
        x, y = offset
        link = Link(
            self,
            sprite,
            (x, y),
            sprite.rotation,
            follow_rotation=follow_rotation,
            is_part=True,
        )
        self._tie(link)
        link.apply()
        data = self._pool_data
        if data is not None:
            data.part_added(sprite)  # type: ignore[attr-defined]  # the record of a sprite
            data.find_hooks()
            if data.awoken:
                parts = sprite.all_parts()
                _begin_late(tuple(p for p in parts if isinstance(p, IPoolableComponent)), data)

    def remove_child(self, sprite: PooledSprite) -> None:
        """Let an instance that was spawned under this one go its own way, alive.

        It no longer moves with this sprite, nor is it despawned with it.

        Raises:
            LookupError: It is no child of this sprite.
            PoolError: It is a part of this sprite's prefab, which can't live alone.
        """
        link = sprite._link
        if link is None or link.parent is not self:
            message = f"{sprite!r} is no child of {self!r}"
            raise LookupError(message)
        if link.is_part:
            message = f"{sprite!r} is a part of {self!r}: kill() hides it until the next spawn"
            raise PoolError(message)
        if sprite._pool_data is not None:
            sprite._pool_data.unparent()

    def move_children(self) -> None:
        """Move everything that follows this sprite to where it belongs now."""
        for link in self._links:
            link.apply()
            if link.child._links:
                link.child.move_children()

    def _tie(self, link: Link) -> None:
        self._links.append(link)
        link.child._link = link
        roots.discard(link.child)
        if self._link is None:
            roots.add(self)

    def _untie(self, link: Link) -> None:
        self._links.remove(link)
        link.child._link = None
        if link.child._links:
            roots.add(link.child)
        if not self._links:
            roots.discard(self)

    def all_parts(self) -> list[Any]:
        """Return this sprite, its components, and those of its parts, in order of attachment."""
        parts = [self, *self._components]
        for link in self._links:
            if link.is_part:
                parts += link.child.all_parts()
        return parts

    def __repr__(self) -> str:
        """Return ``<Orc orc #0007 active>``."""
        data = self._pool_data
        if data is None:
            return f"<{type(self).__name__} in {len(self.groups())} groups, in no pool>"
        part = "" if data.instance is self or data.destroyed else " part"
        state = "destroyed" if data.destroyed else "active" if self.active else "inactive"
        return f"<{type(self).__name__} {data.label}{part} {state}>"


def _begin_late(components: tuple[IPoolableComponent, ...], data: PoolablePrefabData[Any]) -> None:
    """Wake components that came late; where their sprite is alive, let them be spawned too."""
    own = [c for c in data.hooks.components if any(c is component for component in components)]
    for component in own:
        component.awake()
    if not data.active:
        return
    data.early = (*data.early, *own)
    data.mark_unusual()
    for component in own:
        if isinstance(component, StagedComponent):
            component.stay()
    for hook in data.hooks.spawned_hooks:
        if any(data.hooks.components[hook.place] is component for component in own):
            hook.call(**hook.arguments({}))


def _retire(component: IPoolableComponent, data: PoolablePrefabData[Any]) -> None:
    """Run the last hooks of a component that is taken off its sprite."""
    try:
        if data.active:
            for hook in data.despawned_hooks():
                if data.hooks.components[hook.place] is component:
                    hook.call(**hook.arguments({"reason": DespawnReason.DESPAWNED}))
    finally:
        if data.awoken:
            component.destroyed()
