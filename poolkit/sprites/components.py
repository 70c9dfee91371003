"""The components of a sprite: attached and detached at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pygame.sprite import Sprite

from poolkit.core.errors import ErrorCollector, PoolError, PrefabError
from poolkit.core.hooks import (
    DespawnReason,
    IPoolableComponent,
    each_of,
    given_to,
    name_of,
    plan_of,
)
from poolkit.core.record import BUILDING, DESTROYED, SPAWNING, is_among
from poolkit.core.seams import hook_callers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.hooks import Components, HookPlan
    from poolkit.core.record import Record
    from poolkit.sprites.records import SpriteRecord
    from poolkit.sprites.sprite import PooledSprite
C = TypeVar("C")
_retiring: list[Any] = []  # components that are being detached: their last hooks are running


class Stages:
    """What a `StagedComponent` does as its sprite enters play and leaves it.

    It enters before the first `spawned` hook and leaves after the last `despawned` hook.
    """

    __slots__ = ("sprite",)

    sprite: Any  # that the component is attached to, or `None`

    def settle(self, record: Record[Any]) -> None:
        """Note its settings after construction or `awake`, and leave play."""

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Enter play at a position in pixels and a rotation in degrees."""

    def stay(self) -> None:
        """Enter play where the sprite is: it was adopted."""

    def move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Follow the sprite, which the game has moved or turned; `None`: unchanged."""

    def components_changed(self) -> None:
        """Note that components were attached to the sprite or detached."""

    def leave(self, record: Record[Any] | None) -> None:
        """Leave play. It may `hold` the record until it is safe to reuse it."""

    def dismantle(self, record: Record[Any] | None) -> None:
        """Let go of the sprite: it was destroyed, or the component was detached."""


class StagedComponent(IPoolableComponent):
    """A component that enters and leaves play with its sprite, such as a physics body.

    Games hold it, so what acts is in its stages.
    """

    __slots__ = ("_stages",)

    _stages: Stages


class CompanionComponent(IPoolableComponent):
    """A component that needs a staged one on its sprite."""

    __slots__ = ()

    def check_company(self) -> None:
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
    if isinstance(component, IPoolableComponent):
        if getattr(component, "sprite", None) is not None:
            raise _not_attachable(component)
        component.sprite = self
        if isinstance(component, StagedComponent):
            stages = component._stages
            stages.sprite = self
            self._staged += (stages,)
    elif isinstance(component, type | Sprite):
        raise _not_attachable(component)
    self._components += (component,)
    if (own := getattr(component, "update", None)) is not None:
        self._use_updates((*self._updates, own))
    if record is not None:
        try:
            begin_late((component,), record)
        except BaseException as error:
            errors = ErrorCollector(error)
            if is_among(component, self._components):  # else its `awake` has raised
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
    if not is_among(component, self._components):
        message = f"{component!r} is not attached to {self!r}"
        raise LookupError(message)
    if is_among(component, _retiring):  # its own last hooks ask for it
        return
    record = self._pool_record
    _retiring.append(component)
    try:
        if record is not None and isinstance(component, IPoolableComponent):
            _retire(component, record)
    finally:
        _retiring.pop()
        self._drop_component(component)


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


def drop_component(self: PooledSprite, component: Any) -> None:
    """Detach a component whose last hooks have run."""
    if not is_among(component, self._components):
        return
    record = self._pool_record
    self._components = tuple([each for each in self._components if each is not component])
    if record is not None:
        _make_ready((component,), record)
    if isinstance(component, StagedComponent):
        stages = component._stages
        stages.leave(record)
        stages.dismantle(record)
        self._staged = tuple([each for each in self._staged if each is not stages])
    if isinstance(component, IPoolableComponent):
        del component.sprite
    self._use_updates([each.update for each in self._components if hasattr(each, "update")])
    if record is not None:
        for staged in self._staged:
            staged.components_changed()
        if record.state is not DESTROYED:
            record.find_hooks()


# -- components that come late ----------------------------------------------------------------


def begin_late(components: Iterable[Any], record: SpriteRecord) -> None:
    """Wake components that came late, and spawn them if their sprite is alive.

    Their hooks may end the sprite's life and begin another. So each component waits in
    `record.unready` until its own `spawned` is due: until then it isn't despawned either, and no
    other spawn spawns it. If the sprite isn't awake, they wake with it. A component whose `awake`
    raises is detached.
    """
    late = tuple([each for each in components if isinstance(each, IPoolableComponent)])
    if not record.is_awake:
        late = ()
    asleep = list(late)
    for staged in record.staged:
        staged.components_changed()
    record.unready += late
    record.find_hooks()
    if not late:
        return
    try:
        if record.is_at_rest and record.generation:
            record.leave_found()
            record.restore()  # `awake` expects the sprite as it was built
        plan = plan_of(late, record.context.plans)
        late = plan.in_order(late)
        asleep = list(late)
        for component in late:
            if isinstance(component, CompanionComponent):
                component.check_company()
            _call(component.awake, {}, record)
            del asleep[0]
        _take_part(late, plan, record)
    finally:
        _make_ready(late, record)
        for component in asleep:
            for snapshot in record.snapshots:
                snapshot.sprite._drop_component(component)
        if record.instance is not None:
            record.find_hooks()


def _take_part(components: Components, plan: HookPlan, record: SpriteRecord) -> None:
    """Spawn components that are awake, or put them to rest with their sprite."""
    if not record.active:
        if record.is_at_rest and record.state is not BUILDING:
            record.settle()
            record.withdraw()
        return
    life = record.generation
    record.make_special()
    for component in components:  # into play before any of them is spawned
        if isinstance(component, StagedComponent) and _admit(component, record):
            component._stages.stay()
    x, y, rotation = record.pose()
    parent = None if record.life is None else record.life.instance
    spawned = plan.having_spawned(components)
    deal = plan.deal((), record.label)
    shares = dict(zip(map(id, spawned), each_of(deal), strict=False))
    for each in components:
        if _admit(each, record):
            given = given_to(shares.get(id(each)), None, (x, y), rotation, parent)
            _call(each.spawned, given, record)
            if not record.active or record.generation != life:
                return


def _admit(component: IPoolableComponent, record: SpriteRecord) -> bool:
    """Add a component's hooks to its sprite's; return `False` if it was detached."""
    if is_among(component, record.unready):
        _make_ready((component,), record)
        record.find_hooks()
        if record.state is SPAWNING:
            record.begun().append(component)
    return record.has_component(component)


def _make_ready(done: tuple[Any, ...], record: SpriteRecord) -> None:
    record.unready = tuple([each for each in record.unready if not is_among(each, done)])


def _call(hook: Callable[..., object], given: dict[str, Any], record: SpriteRecord) -> None:
    try:
        hook(**given)
    except BaseException as error:
        error.add_note(f"in {name_of(hook)} of {record.label}")
        raise


def _retire(component: IPoolableComponent, record: SpriteRecord) -> None:
    """Run the last hooks of a component that is being detached.

    It is unready from here on, so that its hooks may end the life without ending it again.
    """
    due = [wants for one, wants in record.due_despawned() if one is component and record.active]
    if not is_among(component, record.unready):
        record.unready += (component,)
        record.find_hooks()
    try:
        for wants in due:
            component.despawned(**({"reason": DespawnReason.DESPAWNED} if wants else {}))
    finally:
        if record.is_awake:
            component.destroyed()


hook_callers.update((_call.__code__, _retire.__code__))
