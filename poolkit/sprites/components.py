"""The components of a sprite: attached and detached at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pygame.sprite import Sprite

from poolkit.core.errors import ErrorCollector, PoolError, PrefabError
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.plan import plan_of
from poolkit.core.record import contains_identical
from poolkit.core.seams import hook_callers
from poolkit.core.states import DESTROYED, INACTIVE, LEAVING, SPAWNING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.hooks import Components
    from poolkit.core.record import Record
    from poolkit.sprites.records import SpriteRecord
    from poolkit.sprites.sprite import PooledSprite
C = TypeVar("C")
_retiring: list[Any] = []  # components that are being detached: their last hooks are running


class PlayHandler:
    """Callbacks that run when the sprite of a `PlayComponent` enters and leaves play.

    It enters before the first `spawned` hook and leaves after the last `despawned` hook.
    """

    __slots__ = ("sprite",)

    sprite: Any  # that the component is attached to, or `None`

    @property
    def parents(self) -> dict[int, Any]:
        """The `Links` of sprites in play that have children; it moves these with the sprites."""
        raise NotImplementedError

    def is_of(self, world: object) -> bool:
        """Whether it enters play in this world."""
        raise NotImplementedError

    def remember_settings(self, record: Record[Any]) -> None:
        """Note its settings after construction or `awake`, and leave play."""

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Enter play at a position in pixels and a rotation in degrees."""

    def enter_in_place(self) -> None:
        """Enter play where the sprite is: it was adopted."""

    def move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Follow the sprite, which the game has moved or turned; `None`: unchanged."""

    def components_changed(self) -> None:
        """Note that components were attached to the sprite or detached."""

    def leave(self, record: Record[Any] | None) -> None:
        """Leave play. It may `add_hold` to the record until it is safe to reuse it."""

    def break_cycles(self, record: Record[Any] | None) -> None:
        """Let go of the sprite: it was destroyed, or the component was detached."""


class PlayComponent(IPoolableComponent):
    """A component that enters and leaves play with its sprite, such as a physics body.

    Games hold it, so what acts is in its handler.
    """

    __slots__ = ("_play_handler",)

    _play_handler: PlayHandler


class DependentComponent(IPoolableComponent):
    """A component that needs another one on its sprite."""

    __slots__ = ()

    def check_dependency(self) -> None:
        """Raise if it is missing, now that the sprite is built or was given this one late."""


def add_component(self: PooledSprite, component: C) -> C:
    """Attach a component and return it.

    If a pool has built the sprite, the component's `awake` runs at once; if the sprite is active,
    its `spawned` too. If one of them raises, it is detached again.

    Raises:
        PoolError: The sprite was destroyed.
        PrefabError: It is attached to a sprite already.
        TypeError: It is a class or a sprite, or its `spawned` requires data.
    """
    record = self._pool_record
    if record is not None and record.state is DESTROYED:
        message = f"{self!r} is destroyed: it takes no component any more"
        raise PoolError(message)
    if isinstance(component, IPoolableComponent) and getattr(component, "sprite", None) is None:
        component.sprite = self
    elif isinstance(component, type | Sprite | IPoolableComponent):
        raise _not_attachable(component)
    if isinstance(component, PlayComponent):
        component._play_handler.sprite = self
        self._play_handlers += (component._play_handler,)
    self._components += (component,)
    if getattr(component, "update", None) is not None:
        self._find_updates()
    if record is not None:
        try:
            start_late((component,), record)
        except BaseException as error:
            errors = ErrorCollector(error)
            if contains_identical(self._components, component):  # else its `awake` has raised
                errors.call(remove_component, self, component)
            errors.raise_now(f"adding a component to {self!r}")
    return component


def _not_attachable(component: Any) -> Exception:
    if isinstance(component, type):
        message = f"add_component takes a component, not the class: {component.__name__}(...)"
        return TypeError(message)
    if isinstance(component, Sprite):
        message = f"{component!r} is a sprite: add_child(sprite, offset) attaches one"
        return TypeError(message)
    message = (
        f"this {type(component).__name__} is attached to {component.sprite!r} already: "
        "build one for each sprite, in its constructor"
    )
    return PrefabError(message)


def remove_component(self: PooledSprite, component: Any) -> None:
    """Detach a component, after its `despawned` if the sprite is active, and its `destroyed`.

    Raises:
        LookupError: It isn't attached to this sprite.
        BaseException: What these hooks raised; it is detached all the same.
    """
    if not contains_identical(self._components, component):
        message = f"{component!r} is not attached to {self!r}"
        raise LookupError(message)
    if contains_identical(_retiring, component):  # its own last hooks ask for it
        return
    record = self._pool_record
    _retiring.append(component)
    try:
        if record is not None and isinstance(component, IPoolableComponent):
            _run_last_hooks(component, record)
    finally:
        _retiring.pop()
        _drop_component(self, component)


def update(self: PooledSprite, *args: Any, **kwargs: Any) -> None:
    """Call the `update` of every component that has one, until one of them ends the life."""
    updates = self._updates
    if not updates:
        return
    if len(updates) == 1:  # as nearly always
        updates[0](*args, **kwargs)
        return
    record = self._pool_record
    life = None if record is None else record.generation
    for call in updates:
        call(*args, **kwargs)
        if record is None or self._pool_record is not record:
            continue  # it was detached, and lives on
        if record.generation != life or not self.active:
            return


def _drop_component(self: PooledSprite, component: Any) -> None:
    """Detach a component whose last hooks have run."""
    if not contains_identical(self._components, component):
        return
    record = self._pool_record
    self._components = without(self._components, component)
    if isinstance(component, PlayComponent):
        handler = component._play_handler
        handler.leave(record)
        handler.break_cycles(record)
        self._play_handlers = without(self._play_handlers, handler)
    if isinstance(component, IPoolableComponent):
        del component.sprite
    self._find_updates()
    if record is not None:
        record.components_changed()
        record.end_pending((component,))


def without(items: tuple[Any, ...], *removed: object) -> tuple[Any, ...]:
    """Return the items but these: by identity, as a game's objects may compare equal."""
    return tuple([item for item in items if not contains_identical(removed, item)])


def poolable(items: Iterable[Any]) -> Components:
    """Return the components that may have hooks."""
    return tuple([item for item in items if isinstance(item, IPoolableComponent)])


# -- components that come late ----------------------------------------------------------------


def start_late(components: Iterable[Any], record: SpriteRecord) -> None:
    """Wake components that came late, and spawn them if their sprite is alive.

    While `spawned` hooks are running, they wait in `record.pending` for the last of these. If the
    sprite isn't awake, they wake with it. A component whose `awake` raises is detached.
    """
    late = poolable(components)
    record.components_changed()
    if not record.is_awake:
        return
    late = plan_of(late, record.context.plans).in_order(late)
    record.add_pending(late)
    if record.state is INACTIVE and record.generation:
        # `awake` expects the sprite as it was built.
        record.enter(0.0, 0.0, 0.0, joins=False)
    _wake_late(late, record)
    if record.state is SPAWNING and record.started <= len(record.components):
        return  # they begin after the last hook
    if record.active:
        spawn_late(late, record)
        return
    record.end_pending(late)
    if record.state in {INACTIVE, LEAVING} and not record.is_being_made:
        record.refresh_snapshot()
        record.leave_initial()


def _wake_late(components: Components, record: SpriteRecord) -> None:
    """Run the `awake` hooks of pending components; detach what isn't awake if one raises."""
    asleep = list(components)
    try:
        while asleep:
            if isinstance(asleep[0], DependentComponent):
                asleep[0].check_dependency()
            _run_hooks("awake", asleep[0], record)
            del asleep[0]
    except BaseException:
        for component in asleep:
            for snapshot in record.snapshots:
                _drop_component(snapshot.sprite, component)
        record.end_pending(components)
        raise


def spawn_late(components: Components, record: SpriteRecord) -> None:
    """Spawn pending components that are awake: all enter play before the first is spawned.

    Their hooks may end the sprite's life, so each becomes one of its components only as it begins.
    """
    generation = record.generation
    # Those that are being detached are pending too, so that no hook of theirs runs again.
    components = without(components, *_retiring)
    for component in components:
        if isinstance(component, PlayComponent) and contains_identical(record.pending, component):
            component._play_handler.enter_in_place()
    for component in components:
        if not contains_identical(record.pending, component):
            continue  # it was detached
        num_listeners = max(0, record.started - len(record.components))
        record.end_pending((component,))
        record.started = len(record.components) + num_listeners
        record.restore_fields(component)
        _run_hooks("spawned", component, record)
        if not record.lasts(generation):
            record.end_pending(components)
            return


def _run_hooks(name: str, component: IPoolableComponent, record: SpriteRecord) -> None:
    """Run the hooks of that name of one component, outside a spawn: there are no data."""
    components = (component,)
    plan, _ = plan_of(components, record.context.plans).take_fields(components, {})
    values: dict[str, Any] = {}
    if name == "spawned":
        plan.check((), record.label)  # refuses a hook that requires data
        x, y, rotation = record.pose()
        values = {"position": (x, y), "rotation": rotation, "parent": record.parent_instance}
        values |= {field.name: getattr(component, field.name) for field in plan.fields}
    for hook in getattr(plan, name):
        arguments = {key: value for key, value in values.items() if key in hook.accepted}
        try:
            hook.bind(name, components)(**arguments)
        except BaseException as error:
            error.add_note(f"in {hook.label} of {record.label}")
            raise


def _run_last_hooks(component: IPoolableComponent, record: SpriteRecord) -> None:
    """Run the last hooks of a component that is being detached.

    It is no component of the life any more, so its hooks may end that without ending it again.
    """
    begun = record.components[: record.started] if record.state is SPAWNING else record.components
    is_begun = record.active and contains_identical(begun, component)
    record.add_pending((component,))
    errors = ErrorCollector()
    plan = plan_of((component,), record.context.plans)
    if is_begun and plan.run_despawned is not None:
        errors.take_all(plan.run_despawned(record, (component,), DespawnReason.DESPAWNED))
    if record.is_awake:
        errors.call(_run_hooks, "destroyed", component, record)
    errors.raise_all(f"detaching a component of {record.label}")


hook_callers.update((_run_hooks.__code__, _run_last_hooks.__code__))
