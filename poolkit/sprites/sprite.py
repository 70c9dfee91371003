"""The pooled sprite: a pygame sprite with components, children, a position and a rotation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import pygame

from poolkit.core.component import IPoolableComponent
from poolkit.core.construction import built_by_pool
from poolkit.core.errors import NotManagedError, PrefabError
from poolkit.sprites.children import ChildHolder
from poolkit.sprites.components import ComponentHolder
from poolkit.sprites.membership import flat
from poolkit.sprites.rotation import Turning
from poolkit.sprites.staged import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.handle import Handle
    from poolkit.core.prefab import Prefab
    from poolkit.core.system import PoolingSystem
    from poolkit.sprites.data import PooledSpriteData
    from poolkit.sprites.links import Link

__all__ = ["PooledSprite"]

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


class PooledSprite(pygame.sprite.Sprite, ComponentHolder, ChildHolder, IPoolableComponent):
    """A sprite made to be pooled. Its `rect` is the truth about where it is, as in every game.

    It is a poolable component itself: override `awake`, `spawned`, `despawned`, `destroyed`.

    Args:
        image: What is drawn; the rect takes its size.
        *groups: Home groups: joined at every spawn and left at every despawn. A sprite that a
            pool builds joins them at its first spawn only; one that the game builds, at once.

    Raises:
        PrefabError: Its class makes `image` or `rect` a property that can't be set.
        TypeError: `image` is no surface.

    Attributes:
        anchor: The point of the rect that `position` means: ``"center"``, ``"midbottom"``, …
        rotation_steps: In how many steps the image makes a full turn; 360: one a degree. Turned
            images are made once and shared by all sprites that show the same one, so draw into a
            copy. `None` turns exactly, anew each time, and every sprite has its own.
        image: The surface that is drawn. It may be replaced at any time.
        rect: A `pygame.FRect`, which keeps fractions of pixels. It may be moved and replaced.
    """

    # Slots shadow pygame's properties of the same names: three times as fast to read.
    __slots__ = (
        "_components",
        "_hidden",
        "_home_groups",
        "_is_driven",
        "_layer",
        "_link",
        "_links",
        "_pool_data",
        "_turning",
        "_unborn",
        "_updates",
        "image",
        "rect",
    )

    anchor: ClassVar[str] = "center"
    rotation_steps: ClassVar[int | None] = 360
    _moves_plainly: ClassVar[bool] = True  # centred, and no subclass has a `rotation` of its own

    image: pygame.Surface | None
    rect: pygame.FRect

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Check the anchor and the steps of rotation once, when the class is made."""
        super().__init_subclass__(**kwargs)
        steps = cls.rotation_steps
        if steps is not None and (type(steps) is not int or steps < 1):
            message = (
                f"{cls.__name__}.rotation_steps is {steps!r}: it is the number of images for a "
                "full turn, or None to turn exactly"
            )
            raise PrefabError(message)
        if cls.anchor not in _ANCHORS:
            message = (
                f"{cls.__name__}.anchor is {cls.anchor!r}, which is no point of a rect: "
                f"use one of {', '.join(sorted(_ANCHORS))}"
            )
            raise PrefabError(message)
        cls._moves_plainly = cls.anchor == "center" and cls.rotation is PooledSprite.rotation

    def __init__(self, image: pygame.Surface | None = None, *groups: Any) -> None:
        """Build the sprite, out of play while a pool builds it."""
        self._pool_data: PooledSpriteData | None = None
        self._components: tuple[Any, ...] = ()
        self._updates: tuple[Callable[..., object], ...] = ()
        self._links: tuple[Link, ...] = ()
        self._link: Link | None = None
        self._turning: Turning | None = None
        # pygame's own idiom sets it before this call, or on the class.
        self._layer: int | None = getattr(self, "_layer", None)
        self._hidden = False
        self._is_driven = False
        super().__init__()
        try:
            self.image = image
            self.rect = pygame.FRect(0, 0, 0, 0) if image is None else image.get_frect()
        except AttributeError:
            self._check_look(image)
            raise
        self._home_groups: tuple[Any, ...] = tuple(flat(groups))
        self._unborn = built_by_pool(self)
        if not self._unborn:
            self._join_home_groups()

    def _check_look(self, image: object) -> None:
        """Explain why `image` can't be shown: asked when that has failed."""
        for name in ("image", "rect"):
            own = getattr(type(self), name, None)
            if isinstance(own, property) and own.fset is None:
                message = (
                    f"{type(self).__name__}.{name} is a property without a setter, "
                    "but every spawn restores it: give it a setter, or assign a plain attribute"
                )
                raise PrefabError(message)
        if image is not None and not hasattr(image, "get_frect"):
            message = (
                f"the first argument of {type(self).__name__} is its image (or None), "
                f"groups follow; not {image!r}"
            )
            raise TypeError(message)

    def _join_home_groups(self) -> None:
        self._unborn = False
        self.add(*self._home_groups)

    def add(self, *groups: Any) -> None:
        """Join groups. While a pool builds it, they become home groups, joined at spawn."""
        if self._unborn:
            self._home_groups = (*self._home_groups, *flat(groups))
        else:
            super().add(*groups)

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
            self._move_children()

    @property
    def rotation(self) -> float:
        """Degrees by which the image is turned, counter-clockwise on screen. May be assigned.

        Where that shows another image, the rect takes its size; `position` stays where it is.
        """
        return 0.0 if self._turning is None else self._turning.degrees

    @rotation.setter
    def rotation(self, degrees: float) -> None:
        size = self._turn(degrees)
        rect: pygame.FRect | None = self.rect
        if size is not None and rect is not None and rect.size != size:
            position = self.position
            rect.size = size
            setattr(rect, self.anchor, position)
        if self._links:
            self._move_children()

    def _turn(self, degrees: float) -> tuple[int, int] | None:
        """Turn the image alone; return its size if it is another one now."""
        if self._turning is None:
            if not degrees:
                return None
            self._turning = Turning()
        return self._turning.turn(self, degrees)

    def _move_to(self, x: float, y: float, rotation: float) -> None:
        """Set position (pixels) and rotation (degrees) together, where it has a rect.

        Its children are left to the caller, who moves many sprites.
        """
        rect: pygame.FRect | None = self.rect
        if rect is None:  # the game took it away for the rest of this life
            return
        if not self._moves_plainly:
            self._move_otherwise(rect, x, y, rotation)
            return
        turning = self._turning
        if rotation or turning is not None:
            size = self._turn(rotation) if turning is None else turning.turn(self, rotation)
            if size is not None:
                rect.size = size
        rect.center = x, y

    def _move_otherwise(self, rect: pygame.FRect, x: float, y: float, rotation: float) -> None:
        """Do what `_move_to` does, also for another anchor, or a `rotation` that a game wrote."""
        if type(self).rotation is not PooledSprite.rotation:
            self.rotation = rotation
        else:
            size = self._turn(rotation)
            if size is not None:
                rect.size = size
        setattr(rect, self.anchor, (x, y))

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
        if data is None or data.instance is not self:
            self._vanish(data)
        elif not data.pool.end(data):
            super().kill()  # its life is over: out of whatever the game put it into since

    def _vanish(self, data: PooledSpriteData | None) -> None:
        """Leave groups and physics, with all parts, without a life of its own that would end."""
        for sprite in self._with_parts():
            sprite._hidden = data is not None
            pygame.sprite.Sprite.kill(sprite)
            for component in sprite._components:
                if isinstance(component, StagedComponent):
                    component.leave(data)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Hand the call on to the `update` of every component that has one.

        Stops when one of them ends the sprite's life.
        """
        data = self._pool_data
        life = None if data is None else data.generation
        for update in self._updates:
            update(*args, **kwargs)
            if data is None or data.detached:
                continue  # it goes on living, in no pool
            if data.generation != life or not self.active:
                return

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse to be copied or pickled: a copy would share groups, parts and its life.

        Raises:
            TypeError: Always.
        """
        message = f"{self!r} can't be copied or pickled: spawn another one, or build one"
        raise TypeError(message)

    def __repr__(self) -> str:
        """Return ``<Orc orc #0007 active>``."""
        data = self._pool_data
        if data is None:
            return f"<{type(self).__name__} in {len(self.groups())} groups, in no pool>"
        part = "" if data.instance is self or data.destroyed else " part"
        state = "destroyed" if data.destroyed else "active" if self.active else "inactive"
        return f"<{type(self).__name__} {data.label}{part} {state}>"
