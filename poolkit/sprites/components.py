"""The components of a sprite: attached at any moment of its life, and taken off again."""

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
_retiring: list[Any] = []  # components whose last hooks are running, for they are taken off


class Stages:
    """What is done with a `StagedComponent` as its sprite enters play and leaves it.

    All of it comes before the first `spawned` or after the last `despawned` hook, whatever the
    `execution_order`.

    Attributes:
        sprite: The sprite that the component is attached to, or `None`.
    """

    __slots__ = ("sprite",)

    sprite: Any

    def settle(self, record: Record[Any]) -> None:
        """Note its settings, because it was just built or its `awake` has run, and leave play."""

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Enter play at a position in pixels and a rotation in degrees."""

    def stay(self) -> None:
        """Enter play where the sprite is now, because it was adopted."""

    def move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Follow where the game put the sprite, in pixels and degrees; `None`: unchanged."""

    def components_changed(self) -> None:
        """Note that components were attached to the sprite, or taken off it."""

    def leave(self, record: Record[Any] | None) -> None:
        """Leave play. May `hold` the record until it is safe to reuse it."""

    def dismantle(self, record: Record[Any] | None) -> None:
        """Let go of the sprite: it was destroyed, or the component was taken off it."""


class StagedComponent(IPoolableComponent):
    """A component that is placed with its sprite and leaves play with it, as a physics body does.

    A game may hold it, so nothing on it acts: everything that does is in its stages.
    """

    __slots__ = ("_stages",)

    _stages: Stages


class CompanionComponent(IPoolableComponent):
    """A component that works on staged ones of its sprite's, and is of no use without any."""

    __slots__ = ()

    def check_company(self) -> None:
        """See that there is one: its sprite is built, or has been given this one late."""


def add_component(self: PooledSprite, component: C) -> C:
    """Attach a component and return it.

    On a sprite that a pool has made already it is woken at once; on an active one its
    `spawned` runs at once as well. Where one of these raises, it is taken off again.

    Raises:
        PoolError: The sprite was destroyed.
        PrefabError: It is attached to a sprite already.
        TypeError: It is a class, or a sprite; or its `spawned` requires data.
    """
    record = self._pool_record
    if record is not None and record.state is DESTROYED:
        message = f"{self!r} is destroyed: it takes no component any more"
        raise PoolError(message)
    # What it is not is asked last: it takes twice as long to tell.
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
            if is_among(component, self._components):  # else it could not be woken
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
    """Detach a component. Its `despawned`, if it is spawned, and its `destroyed` run first.

    Raises:
        LookupError: It is not attached to this sprite.
        BaseException: What these hooks raised; it is detached all the same.
    """
    if not is_among(component, self._components):
        message = f"{component!r} is not attached to {self!r}"
        raise LookupError(message)
    if is_among(component, _retiring):  # by its own last hooks: it is on its way off
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
    """Hand the call on to the `update` of every component that has one.

    Stops when one of them ends the sprite's life.
    """
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
            continue  # it goes on living, in no pool
        if record.generation != life or not self.active:
            return


def drop_component(self: PooledSprite, component: Any) -> None:
    """Forget a component whose last hooks have run, if it is one."""
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
    """Wake components that came late; where their sprite is alive, let them be spawned too.

    Their hooks may end the sprite's life and begin another. So each component is kept apart, in
    `record.unready`, until its own `spawned` is due: what is not spawned yet is not despawned, and
    a spawn that a late `awake` begins does not spawn it a second time. A sprite that is not awake
    wakes them when it is. What can't be woken is taken off again.
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
    if record.is_at_rest and record.generation:
        record.restore()  # what awake does is done to a sprite as it was built
    try:
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
    """Let components that are awake take part in the present life of their sprite, or its rest."""
    if not record.active:
        # Else it settles once all its `awake` have run, or its life is on its way out.
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
    """Make a component's hooks its sprite's; `False` if it was taken off again meanwhile."""
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
    """Run the last hooks of a component that is taken off its sprite.

    It is none of the sprite's components any more, or what its hooks end would end it again.
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
