"""The components of a sprite: attached at any moment of its life, and taken off again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pygame

from poolkit.core.component import DespawnReason, IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError
from poolkit.core.hooks import Hooks, name_of
from poolkit.core.record import RESTING
from poolkit.sprites.staged import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.sprites.data import PooledSpriteData

__all__ = ["ComponentHolder", "begin_late"]

C = TypeVar("C")


class ComponentHolder:
    """What a pooled sprite does with its components."""

    __slots__ = ()

    _components: tuple[Any, ...]
    _pool_data: PooledSpriteData | None
    _updates: tuple[Callable[..., object], ...]

    @property
    def components(self) -> tuple[Any, ...]:
        """Its components, in order of attachment."""
        return self._components

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
        self._components += (component,)  # type: ignore[misc]  # a slot of the sprite's
        begun: list[IPoolableComponent] = []
        try:
            if data is not None and data.awoken and isinstance(component, IPoolableComponent):
                data.unready += (component,)
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
        others = self._components
        self._components = (*others[:place], *others[place + 1 :])  # type: ignore[misc]
        if self._pool_data is not None:
            _make_ready((component,), self._pool_data)
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
    data: PooledSpriteData,
    begun: list[IPoolableComponent],
) -> None:
    """Wake components that came late; where their sprite is alive, let them be spawned too.

    Their hooks may end the sprite's life and begin another. So each component is kept apart, in
    `data.unready`, until its own `spawned` is due: what is not spawned yet is not despawned, and a
    spawn that a late `awake` begins does not spawn it a second time.

    Args:
        components: The components, which are attached already, and in `data.unready`.
        data: Their sprite's record, which is awake.
        begun: Receives those whose `awake` has returned.

    Raises:
        BaseException: What a hook raised, with a note that names it.
    """
    hooks = Hooks(components)
    if data.state == RESTING and data.generation:
        data.restore()  # what awake does is done to a sprite as it was built
    try:
        for component in hooks.components:
            _call(component.awake, {}, data)
            begun.append(component)
        if data.active:
            _join_life(hooks, data)
        elif data.state == RESTING and not (data.destroyed or data.detached):
            data.settle()
        else:
            for component in hooks.components:
                if isinstance(component, StagedComponent):
                    component.settle(data)
    finally:
        _make_ready(hooks.components, data)
    if not (data.destroyed or data.detached):
        data.find_hooks()


def _join_life(hooks: Hooks, data: PooledSpriteData) -> None:
    """Let components that are awake take part in the present life of their sprite."""
    life = data.generation
    data.mark_unusual()
    for component in hooks.components:  # into play before any of them is spawned
        if isinstance(component, StagedComponent) and _admit(component, data):
            component.stay()
    x, y, rotation = data.pose()
    offered = {"position": (x, y), "rotation": rotation, "parent": data.parent_instance}
    due = {hook.place: hook for hook in hooks.spawned}
    for place, component in enumerate(hooks.components):
        if _admit(component, data) and place in due:
            _call(due[place].call, due[place].arguments(offered), data)
            if not data.active or data.generation != life:
                return


def _admit(component: IPoolableComponent, data: PooledSpriteData) -> bool:
    """Make a component's hooks its sprite's; `False` if it was taken off again meanwhile."""
    if any(component is each for each in data.unready):
        _make_ready((component,), data)
        data.early = (*data.early, component)
        data.find_hooks()
    return any(component is each for each in data.hooks.components)


def _make_ready(components: Iterable[IPoolableComponent], data: PooledSpriteData) -> None:
    done = tuple(components)
    data.unready = tuple(each for each in data.unready if not any(each is other for other in done))


def _call(hook: Callable[..., object], given: dict[str, Any], data: PooledSpriteData) -> None:
    try:
        hook(**given)
    except BaseException as error:
        error.add_note(f"in {name_of(hook)} of {data.label}")
        raise


def _retire(
    component: IPoolableComponent,
    data: PooledSpriteData,
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
