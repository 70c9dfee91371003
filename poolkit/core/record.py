"""`Record`: the state of one instance, and the stages by which it enters and leaves play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from poolkit.core.errors import PoolError, PrefabError
from poolkit.core.fields import copy_for_life
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.life_extras import LifeExtras
from poolkit.core.plan import BY_METHOD, NO_PLAN, Entering, plan_of
from poolkit.core.saving import followed_by, never_saved, saved_without
from poolkit.core.scope import LifeResources
from poolkit.core.states import ACTIVE, DESPAWNING, DESTROYED, INACTIVE, LEAVING, SPAWNING, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.context import SystemContext
    from poolkit.core.errors import ErrorCollector
    from poolkit.core.hooks import Components
    from poolkit.core.plan import HookPlan
    from poolkit.core.pool import Pool
    from poolkit.core.scope import Scope

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@followed_by("extras", "resources")
@saved_without("instance", "num_undone", "number", "pool")
class Record(Generic[T]):
    """One instance of a pool: its state, its life, and its components with their hooks.

    This class serves instances of any kind: it places nothing and joins no groups. A room that
    knows more about a kind registers a subclass with `record_for` and overrides the stages.
    """

    __slots__ = (
        "components",
        "extras",
        "fields",
        "generation",
        "hold_count",
        "instance",
        "is_awake",
        "life_offset",
        "num_undone",
        "number",
        "plan",
        "pool",
        "resources",
        "started",
        "state",
    )

    entering: Entering = BY_METHOD  # how instances of its kind enter play
    can_join: bool = False  # groups, because the class says how

    def __init_subclass__(cls) -> None:
        cls.can_join = cls.join is not Record.join

    def __init__(self, instance: T, pool: Pool[T]) -> None:
        self.instance: T = instance  # `None` once it is destroyed
        self.pool: Pool[T] = pool
        self.number: int = 0  # in the pool, from 1, as in ``orc #0007``
        self.generation: int = 0  # how many lives it has had, the present one included
        self.num_undone: int = 0  # lives that checkpoints have undone
        self.life_offset: int = 0  # the same, as its present life began
        self.state: State = INACTIVE  # see `TRANSITIONS`
        self.hold_count: int = 0  # reasons why it may not be reused yet, although its life is over
        self.components: Components = ()  # what may have hooks or fields, in spawning order
        self.plan: HookPlan = NO_PLAN
        self.is_awake: bool = False  # whether its `awake` hooks have run
        self.fields: tuple[Any, ...] = ()  # the values that its fields begin each life with
        self.started: int = 0  # how many of its components have begun this life
        self.resources: LifeResources | None = None  # timers and the like, once a life needed some
        self.extras: LifeExtras | None = None  # of this life, if it has any

    @property
    def active(self) -> bool:
        """Whether it is alive now."""
        state = self.state
        return state is ACTIVE or state is SPAWNING

    @property
    def life(self) -> int:
        """The number of its present or last life, for handles.

        A checkpoint that is restored takes the generation back, so that counts are as they were;
        but no life gets a number again.
        """
        return self.generation + self.life_offset

    @property
    def destroyed(self) -> bool:
        """Whether it was given up for good."""
        return self.state is DESTROYED

    @property
    def is_being_made(self) -> bool:
        """Whether its factory or its first hooks are still running."""
        return self not in self.pool._records

    @property
    def context(self) -> SystemContext:
        """What the pools of its system share."""
        return self.pool._context

    @property
    def label(self) -> str:
        """Its name in messages: ``orc #0007``."""
        return f"{self.pool.name} #{self.number:04}"

    def lasts(self, generation: int) -> bool:
        """Return whether that life of it lasts."""
        return self.generation == generation and self.active

    # -- its life -----------------------------------------------------------------------------

    def make_extras(self) -> LifeExtras:
        """Return what only some lives have, to be set."""
        extras = self.extras
        if extras is None:
            extras = self.extras = LifeExtras()
        return extras

    @property
    def parent(self) -> Record[Any] | None:
        """The record of the instance that it was spawned under."""
        return None if self.extras is None else self.extras.parent

    @property
    def parent_instance(self) -> Any:
        """The instance that it was spawned under, or the part of it that was named."""
        return None if self.parent is None else self.parent.instance

    @property
    def ancestors(self) -> list[Record[Any]]:
        """Its parent, the parent of that, and so on."""
        ancestors, record = [], self.parent
        while record is not None:
            ancestors.append(record)
            record = record.parent
        return ancestors

    @property
    def children(self) -> tuple[Record[Any], ...]:
        """The records of what was spawned under it and is alive."""
        extras = self.extras
        return () if extras is None or extras.children is None else tuple(extras.children)

    @property
    def is_reclaimable(self) -> bool:
        """Whether a full pool may end its life now; not while its hooks are running."""
        return self.state is ACTIVE and (self.extras is None or self.extras.reclaimable)

    @property
    def is_persistent(self) -> bool:
        """Whether its life survives a reset, which its topmost parent decides."""
        root = [self, *self.ancestors][-1]
        persistent = None if root.extras is None else root.extras.persistent
        return root.pool._persistent if persistent is None else persistent

    @property
    def is_doomed(self) -> bool:
        """Whether it will be destroyed instead of reused."""
        return self in self.pool._doomed

    def mark_for_destroy(self) -> None:
        """Have it destroyed instead of reused, once its life is over and nothing holds it."""
        pool = self.pool
        pool._doomed.add(self)
        pool._return_queue = None  # so that its end looks for the mark

    def add_hold(self) -> None:
        """Keep it from being reused after its life until `release_hold` is called."""
        self.hold_count += 1

    def release_hold(self) -> None:
        """Undo one `add_hold`; if that was the last and its life is over, return it to its pool."""
        self.hold_count -= 1
        if not self.hold_count and self.state is LEAVING:
            self.pool._return_to_pool(self)

    def open_scope(self) -> Scope:
        """Return the present life's scope, which is still open in `despawned` hooks."""
        resources = self.resources
        if resources is not None and resources.scope is not None:
            return resources.scope
        state = self.state
        if state is not SPAWNING and state is not ACTIVE and state is not DESPAWNING:
            message = (
                f"{self.label} is not alive, so it has no scope: "
                "use self.scope in spawned() and later, up to despawned()"
            )
            raise PoolError(message)
        if resources is None:
            resources = self.resources = LifeResources(self.context.clock, self.label)
        return resources.open_scope()

    scope: property = property(open_scope)

    def scope_of(self, part: Any) -> Scope:
        """Return the present life's scope for a part of the instance."""
        del part
        return self.open_scope()

    def set_parent(self, parent: Record[Any], instance: Any) -> None:
        """Make it die and move with `instance`, which is `parent`'s or a part of that."""
        if parent.state is not ACTIVE and parent.state is not SPAWNING:
            message = f"{self.label} can't hang on {parent.label}, whose life is over"
            raise PoolError(message)
        self.make_extras().parent = parent
        extras = parent.extras or parent.make_extras()
        if extras.children is None:
            extras.children = {}
        extras.children[self] = None
        self.follow(instance)

    def clear_parent(self) -> None:
        """Leave the instance it was spawned under, if any."""
        extras = self.extras
        if extras is None or extras.parent is None:
            return
        parent, extras.parent = extras.parent, None
        siblings = None if parent.extras is None else parent.extras.children
        if siblings and self in siblings:  # else it has not come so far
            del siblings[self]
            self.unfollow()

    # -- its hooks ----------------------------------------------------------------------------

    def find_hooks(self) -> None:
        """Find the hooks and fields of its components, also again after these have changed.

        Until it wakes it has no plan, by which a spawn sees that it is asleep.
        """
        if not self.is_awake:
            return
        components = self.get_components()
        builder, entering = self.pool._builder, self.entering
        plan = builder.plan
        if plan is None or not plan.is_for(components, entering):
            plan = builder.plan = plan_of(components, self.pool._context.plans, entering)
        components = plan.in_order(components)
        fields: tuple[Any, ...] = ()
        if plan.declared:
            known = self._known_fields() if self.fields else {}
            plan, fields = plan.take_fields(components, known)
        self.plan, self.components, self.fields = plan, components, fields

    def _known_fields(self) -> dict[tuple[int, str], Any]:
        """Return what the constructors left in the fields, by the component's id and the name."""
        places = zip(self.plan.fields, self.fields, strict=True)
        return {(id(self.components[at.place]), at.name): value for at, value in places}

    def restart(self, components: Components, count: int) -> bool:
        """Note that `count` of the former `components` have begun, as far as they are left.

        Returns:
            Whether the last of them is left.
        """
        left = [one for one in components[:count] if self.has_component(one)]
        self.started = len(left)
        return contains_identical(left, components[count - 1])

    def restore_fields(self, component: object) -> None:
        """Set the fields of one component as for a new life: it came late."""
        for field, value in zip(self.plan.fields, self.fields, strict=True):
            if self.components[field.place] is component:
                setattr(component, field.name, copy_for_life(value))

    def has_component(self, component: object) -> bool:
        """Return whether `component` is still one of its components."""
        return contains_identical(self.components, component)

    # -- stages, for each kind of instance to override ----------------------------------------

    def attach(self) -> None:
        """Prepare a new instance. One with hooks is given its record, for `self.scope`."""
        if self.pool._groups:
            self.check_groups()
        if isinstance(self.instance, IPoolableComponent):
            try:
                self.instance._pool_record = self  # type: ignore[attr-defined]
            except AttributeError:
                message = (
                    f"{type(self.instance).__name__} has __slots__ but no place for its pool data: "
                    "add '_pool_record' to its __slots__"
                )
                raise PoolError(message) from None

    def refresh_snapshot(self) -> None:
        """Note what its `awake` hooks have changed, as part of how it was built."""
        self.find_hooks()

    def leave_initial(self) -> None:
        """Leave whatever groups and physics its constructor or `awake` put it into."""

    def get_components(self) -> Components:
        """Return what may have hooks: components in order of attachment, the instance last."""
        return (self.instance,) if isinstance(self.instance, IPoolableComponent) else ()

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the instance, as good as new, and join its groups and the physics."""

    def enter_in_place(self) -> None:
        """Take over an adopted instance that is in play already."""

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join groups that were named for this life alone, after `check_groups`."""

    def leave(self) -> None:
        """Leave its groups and the physics. May `add_hold`."""

    def force_leave(self) -> None:
        """Leave every group for good, even if `leave` failed: it is destroyed next."""

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        """Return ``(x, y, rotation)`` of the instance or a part of it; the origin if unknown."""
        del part
        return 0.0, 0.0, 0.0

    def follow(self, parent: Any) -> None:
        """Begin to move with `parent` at the present offset."""

    def unfollow(self) -> None:
        """Stop moving with the parent."""

    def on_recycled(self) -> None:
        """Note that its life was ended to make room for another."""

    def run_destroyed(self, errors: ErrorCollector, num_awake: int | None = None) -> None:
        """Run the `destroyed` hooks of the first `num_awake` components, or of all."""
        components = self.components
        for hook in self.plan.destroyed if self.is_awake else ():
            if num_awake is not None and hook.place >= num_awake:
                continue
            if self.has_component(components[hook.place]):  # else a hook has removed it
                call = hook.bind("destroyed", components)
                errors.call(call, note=f"in {hook.label} of {self.label}")

    def detach_instance(self) -> None:
        """Cut what ties a detached instance to the pool."""
        instance: Any = self.instance
        if getattr(instance, "_pool_record", None) is self:  # else another has adopted it
            instance._pool_record = None

    def break_cycles(self) -> None:
        """Cut every reference cycle of a destroyed instance, so that it is freed at once."""
        self.forget_instance()

    def check_groups(self) -> None:
        """Refuse groups, before the life begins, if the instance can't join any."""
        if not self.can_join:
            message = (
                f"{self.label} can't join groups: only sprites can; "
                "leave out groups=, or pass the group as data of its own"
            )
            raise PrefabError(message)

    def forget_instance(self) -> None:
        """Let go of the instance, even if a handle keeps this record."""
        if self.resources is not None:
            self.resources.release_timers()
        self.resources = self.extras = None
        self.plan = NO_PLAN
        self.components = self.fields = ()
        self.instance = None  # type: ignore[assignment]  # nobody asks for it now

    def __repr__(self) -> str:
        """Return ``<Record(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


class _RecordAttribute(Generic[T]):
    """An attribute of a record that a game may read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: Any, owner: type | None = None) -> T:
        value: Any = self if data is None else getattr(data._record, self._name)
        return value  # type: ignore[no-any-return]


@never_saved
@dataclass(frozen=True, slots=True, repr=False)
class PoolablePrefabData(Generic[T_co]):
    """What a pool knows of one instance; `PrefabPool.active` and `inactive` return it.

    It is a read-only view of the pool's own record: it shows what is true now, and two views of
    the same instance are equal.

    Attributes:
        pool: The pool it belongs to.
        number: Its number in the pool, from 1, as in ``orc #0007``.
        generation: How many lives it has had, the present one included.
        state: Where it is in its pool, a `State`.
        active: Whether it is alive now.
        label: Its name in messages: ``orc #0007``.
        is_persistent: Whether its life survives a reset.
        is_reclaimable: Whether a full pool may end its life now.
    """

    _record: Record[Any]

    pool: ClassVar[_RecordAttribute[Pool[Any]]] = _RecordAttribute("pool")
    number: ClassVar[_RecordAttribute[int]] = _RecordAttribute("number")
    generation: ClassVar[_RecordAttribute[int]] = _RecordAttribute("generation")
    state: ClassVar[_RecordAttribute[State]] = _RecordAttribute("state")
    active: ClassVar[_RecordAttribute[bool]] = _RecordAttribute("active")
    label: ClassVar[_RecordAttribute[str]] = _RecordAttribute("label")
    is_persistent: ClassVar[_RecordAttribute[bool]] = _RecordAttribute("is_persistent")
    is_reclaimable: ClassVar[_RecordAttribute[bool]] = _RecordAttribute("is_reclaimable")

    @property
    def instance(self) -> T_co:
        """The pooled object; `None` once it is destroyed."""
        return self._record.instance  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """Return ``<PoolablePrefabData(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


def contains_identical(items: Iterable[object], item: object) -> bool:
    """Return whether `item` itself is among `items`: a game's objects may compare equal."""
    return any(item is other for other in items)
