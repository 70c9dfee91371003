"""The pool's record of one instance: its state, its hooks, and how it is put into play."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.errors import ErrorCollector, PoolError, PrefabError
from poolkit.core.hooks import BY_PLACE, HookPlan, IPoolableComponent, each_of, name_of, plan_of
from poolkit.core.scope import LifeState, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import Components, Deal, Listeners, Share
    from poolkit.core.pool import Pool

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class State(Enum):
    """Where an instance is in its pool."""

    BUILDING = auto()
    """Its factory or its `awake` hooks are running."""
    RESERVED = auto()
    """Taken for a life that has not begun, or new and in no queue yet."""
    INACTIVE = auto()
    """In the inactive queue, or waiting for the next update."""
    SPAWNING = auto()
    """Alive; its `spawned` hooks are running."""
    ACTIVE = auto()
    """Alive."""
    DESPAWNING = auto()
    """No longer alive; its `despawned` hooks are running."""
    LEAVING = auto()
    """Closing its scope, ending its children, leaving its groups and the physics."""
    HELD = auto()
    """At rest, but in no queue until a spawn returns or a step ends."""
    DESTROYED = auto()
    """Given up for good."""
    DETACHED = auto()
    """Alive, and no longer the pool's."""


BUILDING, RESERVED, INACTIVE = State.BUILDING, State.RESERVED, State.INACTIVE
SPAWNING, ACTIVE, DESPAWNING = State.SPAWNING, State.ACTIVE, State.DESPAWNING
LEAVING, HELD = State.LEAVING, State.HELD
DESTROYED, DETACHED = State.DESTROYED, State.DETACHED

TRANSITIONS: dict[State, frozenset[State]] = {
    BUILDING: frozenset({RESERVED, SPAWNING, DESTROYED}),  # spawning: it was adopted
    RESERVED: frozenset({SPAWNING, INACTIVE, DESTROYED}),
    INACTIVE: frozenset({RESERVED, SPAWNING, DESTROYED}),
    SPAWNING: frozenset({ACTIVE, DESPAWNING, DETACHED}),
    ACTIVE: frozenset({DESPAWNING, DETACHED}),
    DESPAWNING: frozenset({LEAVING}),
    LEAVING: frozenset({INACTIVE, HELD, DESTROYED}),
    HELD: frozenset({INACTIVE, DESTROYED}),
    DESTROYED: frozenset(),
    DETACHED: frozenset(),
}
"""The states that may follow each state. Only tests check it."""

_NO_PLAN = HookPlan()  # every record begins and ends with it
_NO_DEALS: dict[tuple[str, ...], Deal] = {}


@dataclass(slots=True, eq=False)
class SpecialFacts:
    """Exceptional facts of one life. While a record has them, the life takes the full path."""

    # The components whose `spawned` has begun, if components changed during the spawn; `None`:
    # those up to `running`.
    begun: list[IPoolableComponent] | None = None
    told_of_end: tuple[Listeners, ...] = ()  # listeners to call if it ends while it is announced
    doomed: bool = False  # to be destroyed instead of reused
    persistent: bool | None = None  # `None`: as its prefab says
    reclaimable: bool = True


class _HotSlots(Generic[T]):
    """What every spawn and despawn reads, side by side in memory to save cache misses."""

    __slots__ = (
        "bare",
        "deals",
        "departure",
        "despawned",
        "entrance",
        "generation",
        "gets_reason",
        "holds",
        "instance",
        "life",
        "only_despawned",
        "only_given_reason",
        "only_spawned",
        "pool",
        "running",
        "snapshot",
        "spawned",
        "special",
        "state",
    )


class Record(_HotSlots[T]):
    """One instance of a pool: its state, its life, and its components with their hooks.

    This class serves instances of any kind: it places nothing and joins no groups. A room that
    knows more about a kind registers a subclass with `record_for` and overrides the stages.
    """

    __slots__ = ("components", "is_awake", "number", "plan")

    def __init__(self, instance: T, pool: Pool[T]) -> None:
        self.instance = instance  # `None` once it is destroyed
        self.pool = pool
        self.number = 0  # in the pool, from 1, as in ``orc #0007``
        self.generation = 0  # how many lives it has had, the present one included
        self.state = BUILDING  # see `TRANSITIONS`
        self.holds = 0  # reasons why it may not be reused yet, although its life is over
        self.special: SpecialFacts | None = None
        self.life: LifeState | None = None  # once a life needed it
        self.is_awake = False  # whether `awake` has run
        self.components: Components = ()  # what may have hooks, in spawning order
        self.plan = _NO_PLAN
        # The components with each hook, in calling order. (Bound methods would take more memory.)
        # A single one stands by itself too: a loop over one costs a tenth of a life.
        self.spawned: Components = ()
        self.only_spawned: IPoolableComponent | None = None
        self.despawned: Components = ()
        self.only_despawned: IPoolableComponent | None = None  # which gets nothing
        self.only_given_reason: IPoolableComponent | None = None  # which gets the reason, by place
        self.gets_reason: Deal | None = None  # what the `despawned` hooks get, if anything
        self.running: IPoolableComponent | None = None  # whose `spawned` was last begun
        # What the `spawned` hooks get, by the names of the data; empty until it is awake.
        self.deals = _NO_DEALS
        self.bare: Deal | None = None  # for a spawn without data; `None`: it needs some
        # What does the work of `enter` and `leave`; one function for all of a kind, because
        # CPython 3.11 calls a function that it has seen before much faster. And its data.
        kind: Any = type(self)
        self.entrance: Callable[[Any, float, float, float], object] = kind.enter
        self.departure: Callable[[Any], None] = kind.leave
        self.snapshot: Any = None

    @property
    def active(self) -> bool:
        """Whether it is alive now."""
        state = self.state
        return state is ACTIVE or state is SPAWNING

    @property
    def is_at_rest(self) -> bool:
        """Whether no life of it is under way, nor ending."""
        state = self.state
        return state is INACTIVE or state is HELD or state is RESERVED or state is BUILDING

    @property
    def destroyed(self) -> bool:
        """Whether it was given up for good."""
        return self.state is DESTROYED

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

    def make_special(self) -> SpecialFacts:
        """Return the exceptional facts of this life to add to; it takes the full path now."""
        special = self.special
        if special is None:
            special = self.special = SpecialFacts()
        return special

    @property
    def parent(self) -> Record[Any] | None:
        """The record of the instance that it was spawned under."""
        return None if self.life is None else self.life.parent

    @property
    def is_doomed(self) -> bool:
        """Whether it will be destroyed instead of reused."""
        return self.special is not None and self.special.doomed

    @property
    def is_reclaimable(self) -> bool:
        """Whether a full pool may end its life now; not while its hooks are running."""
        return self.state is ACTIVE and (self.special is None or self.special.reclaimable)

    @property
    def is_persistent(self) -> bool:
        """Whether its life survives a reset, which its topmost parent decides."""
        record: Record[Any] = self
        while record.parent is not None:
            record = record.parent
        own = None if record.special is None else record.special.persistent
        return record.pool._persistent if own is None else own

    def doom(self) -> None:
        """Have it destroyed instead of reused, once its life is over and nothing holds it."""
        self.make_special().doomed = True

    def hold(self) -> None:
        """Keep it from being reused after its life until `release` is called."""
        self.make_special()  # so that its end takes the full path
        self.holds += 1  # last: an interrupt before it holds nothing

    def release(self) -> None:
        """Undo one `hold`; if that was the last and its life is over, put it to rest."""
        self.holds -= 1
        if not self.holds and self.state is HELD:
            self.rest()

    def rest(self, *, is_needed: bool = False) -> None:
        """Return to the pool; see `Pool._put_to_rest`."""
        self.pool._put_to_rest(self, is_needed=is_needed)

    def open_scope(self) -> Scope:
        """Return the present life's scope, which is still open in `despawned` hooks."""
        own = self.life
        if own is not None and own.scope is not None:
            return own.scope
        state = self.state
        if state is not SPAWNING and state is not ACTIVE and state is not DESPAWNING:
            message = (
                f"{self.label} is not alive, so it has no scope: "
                "use self.scope in spawned() and later, up to despawned()"
            )
            raise PoolError(message)
        own = own or self.make_life()
        scope = own.scope = Scope()  # `LifeState.open_scope` without the call
        scope._own = own
        return scope

    scope = property(open_scope)

    def scope_of(self, part: Any) -> Scope:
        """Return the present life's scope for a part of the instance."""
        del part
        return self.open_scope()

    def make_life(self) -> LifeState:
        """Return a new state for its lives."""
        own = self.life = LifeState(self.context.clock, self.label)
        return own

    @property
    def children(self) -> tuple[Record[Any], ...]:
        """The records of what was spawned under it and is alive."""
        own = self.life
        return () if own is None or own.children is None else tuple(own.children)

    def close_scope(self, errors: ErrorCollector) -> None:
        """Undo everything that the scope of the ending life holds."""
        if self.life is not None and (self.life.scope is not None or self.life.undo):
            self.life.close_scope(errors)

    def put_under(self, parent: Record[Any], instance: Any) -> None:
        """Make it die and move with `instance`, which is `parent`'s or a part of that."""
        if parent.state is not ACTIVE and parent.state is not SPAWNING:
            raise no_parent(self.pool.name, parent)
        own = self.life or self.make_life()
        above = parent.life or parent.make_life()
        own.parent = parent
        own.instance = instance
        if above.children is None:
            above.children = {}
        above.children[self] = None
        self.follow(instance)

    def unparent(self) -> None:
        """Leave the instance it was spawned under, if any."""
        own = self.life
        if own is not None and own.parent is not None:
            self.unfollow()
            above = own.parent.life
            own.parent = own.instance = None
            if above is not None and above.children is not None:
                above.children.pop(self, None)

    # -- its hooks ----------------------------------------------------------------------------

    def find_hooks(self) -> None:
        """Find the overridden hooks, also again after a component was added."""
        if self.state is SPAWNING and self.make_special().begun is None:
            self.make_special().begun = self.begun()
        elif self.state is DESPAWNING:
            self.make_special()  # so that the running hooks notice
        parts = self.parts()
        plan = self.plan = plan_of(parts, self.pool._context.plans)
        parts = self.components = plan.in_order(parts)
        self.spawned = spawned = plan.having_spawned(parts)
        self.despawned = despawned = plan.having_despawned(parts)
        self.only_spawned = spawned[0] if len(spawned) == 1 else None
        gets = self.gets_reason = plan.gets_reason
        alone = despawned[0] if len(despawned) == 1 else None
        self.only_despawned = alone if gets is None else None
        self.only_given_reason = alone if gets is BY_PLACE else None
        if self.is_awake:
            self.learn_deals()

    def learn_deals(self) -> None:
        """Let spawns look up what its hooks get, now that it is awake."""
        deals = self.deals = self.plan.deals
        self.bare = deals.get(())

    def deal(self, names: tuple[str, ...]) -> Deal:
        """Return what each `spawned` hook gets of data of these names; see `HookPlan.deal`."""
        return self.plan.deal(names, self.pool.name)

    def begun(self) -> list[IPoolableComponent]:
        """Return the components whose `spawned` has begun in the present spawn."""
        if self.special is not None and self.special.begun is not None:
            return self.special.begun
        for place, component in enumerate(self.components, 1):
            if component is self.running:
                return list(self.components[:place])
        return []

    def due_despawned(self) -> list[tuple[IPoolableComponent, Share]]:
        """Return the components that were spawned and have a `despawned`, with what it gets."""
        due = list(zip(self.despawned, each_of(self.gets_reason), strict=False))
        if self.state is SPAWNING:
            begun = self.begun()
            due = [each for each in due if is_among(each[0], begun)]
        return due

    def run_destroyed(self, woken: Components, errors: ErrorCollector) -> None:
        """Run the `destroyed` hooks of the components that were woken."""
        for component in self.plan.having_destroyed(self.components):
            if is_among(component, woken):
                hook = component.destroyed
                errors.call(hook, note=f"in {name_of(hook)} of {self.label}")

    def has_component(self, component: object) -> bool:
        """Return whether `component` is still one of its components."""
        return is_among(component, self.components)

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

    def settle(self) -> None:
        """Take in what its `awake` hooks have changed."""

    def withdraw(self) -> None:
        """Leave whatever groups and physics its constructor or `awake` put it into."""

    def parts(self) -> tuple[IPoolableComponent, ...]:
        """Return what may have hooks: components in order of attachment, the instance last."""
        return (self.instance,) if isinstance(self.instance, IPoolableComponent) else ()

    def enter(self, x: float, y: float, rotation: float) -> object:
        """Place the instance, as good as new, and join its groups and the physics.

        Returns:
            `None`, unless that has ended its life or changed its hooks.
        """

    def stay(self) -> None:
        """Take over an adopted instance that is in play already."""

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        """Return ``(x, y, rotation)`` of the instance or a part of it; the origin if unknown."""
        del part
        return 0.0, 0.0, 0.0

    def join(self, groups: tuple[Any, ...]) -> None:
        """Join groups that were named for this life alone, after `check_groups`."""

    def joins_at_once(self, groups: Any) -> bool:
        """Return whether `join_at_once` will do for `groups`: joining them runs no game code."""
        del groups
        return False

    def join_at_once(self, groups: Iterable[Any]) -> None:
        """Join groups, if `joins_at_once` returned true for them."""

    def follow(self, parent: Any) -> None:
        """Begin to move with `parent` at the present offset."""

    def unfollow(self) -> None:
        """Stop moving with the parent."""

    def leave(self) -> None:
        """Leave its groups and the physics. May `hold` it."""

    def expel(self) -> None:
        """Leave every group for good, even if `leave` failed: it is destroyed next."""

    def shelve(self) -> None:
        """Rest without having lived: it was made beforehand, or its life didn't begin."""

    def reclaim(self) -> None:
        """Note that its life was ended to make room for the one it begins next."""

    def destroy(self, errors: ErrorCollector) -> None:
        """Run the last hooks of an instance that is given up."""
        if self.is_awake:
            self.run_destroyed(self.components, errors)

    def let_go(self) -> None:
        """Cut what ties a detached instance to the pool."""
        instance: Any = self.instance
        if getattr(instance, "_pool_record", None) is self:  # else another has adopted it
            instance._pool_record = None

    def dismantle(self) -> None:
        """Cut every reference cycle of a destroyed instance, so that it is freed at once."""
        self.forget()

    def check_groups(self) -> None:
        """Refuse groups, before the life begins, if the instance can't join any."""
        if type(self).join is Record.join:
            message = (
                f"{self.label} can't join groups: only sprites can; "
                "leave out groups=, or pass the group as data of its own"
            )
            raise PrefabError(message)

    def forget(self) -> None:
        """Let go of the instance, even if a handle keeps this record."""
        if self.life is not None:
            self.life.give_up()
        self.life = self.running = self.snapshot = self.special = None
        self.plan = _NO_PLAN
        self.only_spawned = self.only_despawned = self.only_given_reason = None
        self.components = self.spawned = self.despawned = ()
        self.entrance = self.departure = _gone
        self.instance = None  # type: ignore[assignment]  # nobody asks for it now

    def __repr__(self) -> str:
        """Return ``<Record(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


class _Shown(Generic[T]):
    """An attribute of a record that a game may read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, data: Any, owner: type | None = None) -> T:
        found: Any = self if data is None else getattr(data._record, self._name)
        return found  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, repr=False)
class PoolablePrefabData(Generic[T_co]):
    """What a pool knows of one instance; `PrefabPool.active` and `inactive` return it.

    It is a read-only view of the pool's own record: it shows what is true now, and two views of
    the same instance are equal.

    Attributes:
        instance: The pooled object; `None` once it is destroyed.
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

    instance = _Shown[T_co]("instance")
    pool = _Shown["Pool[Any]"]("pool")
    number = _Shown[int]("number")
    generation = _Shown[int]("generation")
    state = _Shown[State]("state")
    active = _Shown[bool]("active")
    label = _Shown[str]("label")
    is_persistent = _Shown[bool]("is_persistent")
    is_reclaimable = _Shown[bool]("is_reclaimable")

    def __repr__(self) -> str:
        """Return ``<PoolablePrefabData(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


def no_parent(pool_name: str, parent: Record[Any]) -> PoolError:
    """Return the error for a spawn under an instance that can't be a parent."""
    why = "which is hidden" if parent.active else "whose life is over"
    return PoolError(
        f"{pool_name} can't be spawned under {parent.label}, {why}: check parent.active first"
    )


def is_among(one: object, many: Iterable[object]) -> bool:
    """Return whether `one` itself is among `many`: a game's objects may compare equal."""
    return any(one is each for each in many)


def _gone(*_: object) -> None:
    """Do nothing, for an instance that is destroyed."""
