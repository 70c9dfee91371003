"""The components of a sprite: attached at any moment of its life, and taken off again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pygame

from poolkit.core.component import DespawnReason, IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError
from poolkit.sprites.staged import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.record import PoolablePrefabData

__all__ = ["ComponentHolder", "begin_late"]

C = TypeVar("C")


class ComponentHolder:
    """What a pooled sprite does with its components."""

    __slots__ = ()

    _components: list[Any]
    _pool_data: PoolablePrefabData[Any] | None
    _updates: tuple[Callable[..., object], ...]

    @property
    def components(self) -> tuple[Any, ...]:
        """Its components, in order of attachment."""
        return tuple(self._components)

    def add_component(self, component: C) -> C:
        """Attach a component and return it.

        On a sprite that a pool has made already it is woken at once; on an active one its
        `spawned` runs at once as well. Where one of these raises, it is taken off again.

        Raises:
            PoolError: The sprite was destroyed.
            PrefabError: It is attached to a sprite already, or can't know its sprite.
            TypeError: It is a class, or a sprite; or its `spawned` requires data.
        """
        if isinstance(component, type):
            message = f"add_component takes a component, not the class: {component.__name__}(...)"
            raise TypeError(message)
        if isinstance(component, pygame.sprite.Sprite):
            message = f"{component!r} is a sprite: add_child(sprite, offset) attaches one"
            raise TypeError(message)
        data = self._pool_data
        if data is not None and data.destroyed:
            message = f"{self!r} is destroyed: it takes no component any more"
            raise PoolError(message)
        if isinstance(component, IPoolableComponent):
            self._introduce(component)
        self._components.append(component)
        begun: list[IPoolableComponent] = []
        try:
            self._components_changed()
            if data is not None and data.awoken and isinstance(component, IPoolableComponent):
                begin_late((component,), data, begun)
        except BaseException as error:
            if self._place_of(component) is not None:
                self._take_back(component, error, begun)
            raise
        return component

    def _introduce(self, component: IPoolableComponent) -> None:
        """Tell a component which sprite it belongs to."""
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

    def remove_component(self, component: Any) -> None:
        """Detach a component. Its `despawned`, if it is spawned, and its `destroyed` run first.

        Raises:
            LookupError: It is not attached to this sprite.
            BaseException: What these hooks raised; it is detached all the same.
        """
        if self._place_of(component) is None:
            message = f"{component!r} is not attached to {self!r}"
            raise LookupError(message)
        data = self._pool_data
        try:
            if data is not None and isinstance(component, IPoolableComponent):
                _retire(component, data, spawned=data.active, awoken=data.awoken)
        finally:
            self._detach(component)

    def _place_of(self, component: object) -> int | None:
        # By identity: components may compare equal.
        return next((i for i, own in enumerate(self._components) if own is component), None)

    def _take_back(
        self,
        component: Any,
        error: BaseException,
        begun: Iterable[IPoolableComponent],
    ) -> None:
        """Detach a component that came late and raised `error`: as in a spawn that fails."""
        data = self._pool_data
        try:
            if data is not None and any(component is each for each in begun):
                _retire(component, data, spawned=data.active, awoken=True)
        except Exception as another:
            error.add_note(f"then taking the component off raised {another!r}")
        finally:
            self._detach(component)

    def _detach(self, component: Any) -> None:
        place = self._place_of(component)
        if place is None:  # its own last hook has taken it off
            return
        del self._components[place]
        if isinstance(component, StagedComponent):
            component.leave(self._pool_data)
            component.dismantle()
        if isinstance(component, IPoolableComponent):
            del component.sprite
        self._components_changed()

    def _components_changed(self) -> None:
        """Find hooks and updates anew."""
        self._updates = tuple(  # type: ignore[misc]  # a slot of the sprite's
            component.update for component in self._components if hasattr(component, "update")
        )
        for component in self._components:
            if isinstance(component, StagedComponent):
                component.components_changed()
        data = self._pool_data
        if data is not None and not data.destroyed:
            data.find_hooks()


def begin_late(
    components: Iterable[IPoolableComponent],
    data: PoolablePrefabData[Any],
    begun: list[IPoolableComponent],
) -> None:
    """Wake components that came late; where their sprite is alive, let them be spawned too.

    Args:
        components: What was added.
        data: The record of the instance that it was added to.
        begun: Receives those that are awake.
    """
    own = [c for c in data.hooks.components if any(c is component for component in components)]
    for component in own:
        component.awake()
        begun.append(component)
    staged = [component for component in own if isinstance(component, StagedComponent)]
    if not data.active:
        for component in staged:
            component.leave(data)
        return
    data.early = (*data.early, *own)
    data.mark_unusual()
    for component in staged:
        component.stay()
    x, y, rotation = data.pose()
    offered = {"position": (x, y), "rotation": rotation, "parent": data.parent_instance}
    life = data.generation
    for hook in data.hooks.spawned_hooks:
        if any(data.hooks.components[hook.place] is component for component in own):
            hook.call(**hook.arguments(offered))
            if not data.active or data.generation != life:
                return


def _retire(
    component: IPoolableComponent,
    data: PoolablePrefabData[Any],
    *,
    spawned: bool,
    awoken: bool,
) -> None:
    """Run the last hooks of a component that is taken off its sprite."""
    try:
        for hook in data.despawned_hooks() if spawned else ():
            if data.hooks.components[hook.place] is component:
                hook.call(**hook.arguments({"reason": DespawnReason.DESPAWNED}))
    finally:
        if awoken:
            component.destroyed()
