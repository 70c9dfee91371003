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
    """Taken for a life that has not begun, or made and not yet put anywhere."""
    INACTIVE = auto()
    """In the inactive queue, or in the one of those that wait for the next update."""
    SPAWNING = auto()
    """Alive, and its `spawned` hooks are running."""
    ACTIVE = auto()
    """Alive."""
    DESPAWNING = auto()
    """Not alive any more; its `despawned` hooks are running."""
    LEAVING = auto()
    """Its scope, its children, its groups and its bodies are being seen to."""
    HELD = auto()
    """At rest, but in no queue yet: for a spawn to return, or a step to end."""
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
"""The states that may follow each state. Tests hold every life to it; play does not look."""

_NO_PLAN = HookPlan()  # shared: every record begins and ends with it
_NO_DEALS: dict[tuple[str, ...], Deal] = {}


@dataclass(slots=True, eq=False)
class SpecialFacts:
    """Exceptional facts of one life; while a record has them, the fast path is off."""

    # Those whose `spawned` was begun, where components changed during the spawn; `None`: those up
    # to the hook that was last begun.
    begun: list[IPoolableComponent] | None = None
    told_of_end: tuple[Listeners, ...] = ()  # if it ends while the listeners of spawns are called
    doomed: bool = False  # to be destroyed, not reused, when nothing holds it
    persistent: bool | None = None  # `None`: its prefab's say
    reclaimable: bool = True


class _HotSlots(Generic[T]):
    """What every spawn and despawn looks at, side by side in memory.

    CPython lays out the slots of a class together, and among a hundred thousand instances each
    further line of memory is one more to wait for.
    """

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
    """One instance of a pool: its life, its cached components with their hooks, and its state.

    This class serves instances of any kind: it places nothing and joins nothing, which is left to
    their hooks. A room that knows more about a kind registers a subclass with `record_for` and
    overrides the stages.
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
        self.life: LifeState | None = None  # once a life had any
        self.is_awake = False  # whether `awake` has run
        self.components: Components = ()  # what may have hooks, in the order they are spawned in
        self.plan = _NO_PLAN
        # Those that have a hook, in the order it is called in. Not the bound methods, which are
        # objects more to keep, and to wait for. The only one, as it often is, stands by itself: to
        # loop over one takes a tenth of a life.
        self.spawned: Components = ()
        self.only_spawned: IPoolableComponent | None = None
        self.despawned: Components = ()
        self.only_despawned: IPoolableComponent | None = None  # which gets nothing
        self.only_given_reason: IPoolableComponent | None = None  # which gets the reason, by place
        self.gets_reason: Deal | None = None  # what the `despawned` hooks get, if anything
        self.running: IPoolableComponent | None = None  # whose `spawned` was last begun
        # What the `spawned` hooks get, by the names of the data: nothing while it is not awake.
        self.deals = _NO_DEALS
        self.bare: Deal | None = None  # of a spawn without data; `None`: it needs some
        # What does the work of `enter` and `leave`, shared by all of a kind, for CPython 3.11 calls
        # a function that it has seen before much faster; and what they need, side by side.
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
        """Whether it is in its pool, and neither alive nor on its way out of a life."""
        state = self.state
        return state is INACTIVE or state is HELD or state is RESERVED or state is BUILDING

    @property
    def destroyed(self) -> bool:
        """Whether it was given up for good."""
        return self.state is DESTROYED

    @property
    def context(self) -> SystemContext:
        """What its pool shares with the others of its system."""
        return self.pool._context

    @property
    def label(self) -> str:
        """Its name in messages: ``orc #0007``."""
        return f"{self.pool.name} #{self.number:04}"

    def lasts(self, generation: int) -> bool:
        """Whether it is alive now, in its life of that number."""
        return self.generation == generation and self.active

    # -- its life -----------------------------------------------------------------------------

    def make_special(self) -> SpecialFacts:
        """Return the exceptional facts of this life, to add to: it leaves the fast path."""
        special = self.special
        if special is None:
            special = self.special = SpecialFacts()
        return special

    @property
    def parent(self) -> Record[Any] | None:
        """The record of the instance it was spawned under."""
        return None if self.life is None else self.life.parent

    @property
    def is_doomed(self) -> bool:
        """Whether it will be destroyed, not reused."""
        return self.special is not None and self.special.doomed

    @property
    def is_reclaimable(self) -> bool:
        """Whether a full pool may end its life now: not while it is still beginning."""
        return self.state is ACTIVE and (self.special is None or self.special.reclaimable)

    @property
    def is_persistent(self) -> bool:
        """Whether its life survives a reset: its first ancestor's say, or its own prefab's."""
        record: Record[Any] = self
        while record.parent is not None:
            record = record.parent
        own = None if record.special is None else record.special.persistent
        return record.pool._persistent if own is None else own

    def doom(self) -> None:
        """Let it be destroyed, not reused, when its life is over and nothing holds it."""
        self.make_special().doomed = True

    def doom_if_alive(self) -> None:
        """Do that where a life is under way, or waits to be over."""
        if self.holds or not self.is_at_rest:
            self.doom()

    def hold(self) -> None:
        """Keep it from being reused, once its life is over, until `release`."""
        self.make_special()  # for whoever puts it to rest to notice
        self.holds += 1  # last: an interrupt before it holds nothing

    def release(self) -> None:
        """End one `hold`; put it to rest where its life is over and that was the last."""
        self.holds -= 1
        if not self.holds and self.state is HELD:
            self.pool._put_to_rest(self)

    def open_scope(self) -> Scope:
        """Return the present life's scope, made when it is first asked for.

        In `despawned` hooks it is still open: what they begin is undone right after them.

        Raises:
            PoolError: It is not alive.
        """
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
        return (own or self.make_life()).open_scope()

    scope = property(open_scope)

    def scope_of(self, part: Any) -> Scope:
        """Return the present life's scope for a part of the instance."""
        del part
        return self.open_scope()

    def make_life(self) -> LifeState:
        """Return what is to hold the first of its life."""
        own = self.life = LifeState(self.context.clock, self.label)
        return own

    @property
    def children(self) -> tuple[Record[Any], ...]:
        """The records of what was spawned under it, and lives."""
        own = self.life
        return () if own is None or own.children is None else tuple(own.children)

    def close_scope(self, errors: ErrorCollector) -> None:
        """Undo what belongs to the life that ends."""
        if self.life is not None and (self.life.scope is not None or self.life.undo):
            self.life.close_scope(errors)

    def put_under(self, parent: Record[Any], instance: Any) -> None:
        """Let it die with, and move with, an instance of `parent`'s: its root or a part."""
        if parent.state is not ACTIVE and parent.state is not SPAWNING:
            raise no_parent(self.pool, parent)
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
        """Find the overridden hooks again, as after a component was added."""
        if self.state is SPAWNING and self.make_special().begun is None:
            self.make_special().begun = self.begun()
        elif self.state is DESPAWNING:
            self.make_special()  # for the hooks that are running to notice
        parts = self.parts()
        plan = self.plan = plan_of(parts, self.context.plans)
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
        """Note what its hooks get in which spawn, now that it is awake."""
        deals = self.deals = self.plan.deals
        self.bare = deals.get(())

    def deal(self, names: tuple[str, ...]) -> Deal:
        """Return what each `spawned` hook gets of the data named; see `HookPlan.deal`."""
        return self.plan.deal(names, self.pool.name)

    def begun(self) -> list[IPoolableComponent]:
        """Return the components whose `spawned` was begun in the spawn that is under way."""
        if self.special is not None and self.special.begun is not None:
            return self.special.begun
        for place, component in enumerate(self.components, 1):
            if component is self.running:
                return list(self.components[:place])
        return []

    def due_despawned(self) -> list[tuple[IPoolableComponent, Share]]:
        """Return the components whose `despawned` is due, each with whether it wants the reason.

        Due are those that were spawned.
        """
        due = list(zip(self.despawned, each_of(self.gets_reason), strict=False))
        if self.state is SPAWNING:
            begun = self.begun()
            due = [each for each in due if is_among(each[0], begun)]
        return due

    def run_destroyed(self, woken: Components, errors: ErrorCollector) -> None:
        """Run the `destroyed` hooks of those that were woken."""
        for component in self.plan.having_destroyed(self.components):
            if is_among(component, woken):
                hook = component.destroyed
                errors.call(hook, note=f"in {name_of(hook)} of {self.label}")

    def has_component(self, component: object) -> bool:
        """Return whether the hooks of `component` are its own still."""
        return is_among(component, self.components)

    # -- stages, for each kind of instance to override ----------------------------------------

    def attach(self) -> None:
        """Prepare a new instance: remember how it is.

        An instance that can take attributes learns of its record here, which is what gives its
        own hooks `self.scope`.
        """
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
        """Remember how it is anew, for its `awake` hooks have run."""

    def withdraw(self) -> None:
        """Leave play without having lived, whatever a constructor or `awake` put it into."""

    def parts(self) -> tuple[IPoolableComponent, ...]:
        """Return what may have hooks, in order of attachment."""
        return (self.instance,) if isinstance(self.instance, IPoolableComponent) else ()

    def enter(self, x: float, y: float, rotation: float) -> object:
        """Place the instance as good as new, and let it join its own groups and the physics.

        Returns:
            `None`; something else where that has ended its life, or changed its hooks.
        """

    def stay(self) -> None:
        """Be in play where it is: the stage of an instance that was adopted."""

    def pose(self, part: Any = None) -> tuple[float, float, float]:
        """Return ``(x, y, rotation)`` of the instance, or a part of it; the origin: it has none.

        For the hooks of what was adopted, and for what is spawned under it without a position.
        """
        del part
        return 0.0, 0.0, 0.0

    def join(self, groups: tuple[Any, ...]) -> None:
        """Let it join groups that were named for this life alone. `check_groups` comes first."""

    def joins_at_once(self, groups: Any) -> bool:
        """Return whether it can join all of `groups` by `join_at_once`, which calls no code."""
        del groups
        return False

    def join_at_once(self, groups: Iterable[Any]) -> None:
        """Join groups that `joins_at_once` has agreed to."""

    def follow(self, parent: Any) -> None:
        """Begin to move with `parent`, keeping the offset there is now."""

    def unfollow(self) -> None:
        """Stop moving with the parent."""

    def leave(self) -> None:
        """Take the instance out of its groups and the physics. May `hold` it."""

    def expel(self) -> None:
        """Be in no group any more, whatever `leave` came to: it is destroyed next."""

    def shelve(self) -> None:
        """Be at rest without having lived: it was made beforehand, or the life did not begin."""

    def reclaim(self) -> None:
        """Learn that its life was ended to make room for a new one."""

    def destroy(self, errors: ErrorCollector) -> None:
        """Run the last hooks of an instance that is given up."""
        if self.is_awake:
            self.run_destroyed(self.components, errors)

    def let_go(self) -> None:
        """Cut what ties the instance to the pool, when it is detached, alive."""
        instance: Any = self.instance
        if getattr(instance, "_pool_record", None) is self:  # else another has adopted it
            instance._pool_record = None

    def dismantle(self) -> None:
        """Cut every reference cycle of an instance that is destroyed, so that it is freed."""
        self.forget()

    def check_groups(self) -> None:
        """See that the instance can join groups, before its life begins."""
        if type(self).join is Record.join:
            message = (
                f"{self.label} can't join groups: only sprites can; "
                "leave out groups=, or pass the group as data of its own"
            )
            raise PrefabError(message)

    def forget(self) -> None:
        """Let go of the instance, also where a handle keeps this record."""
        if self.life is not None:
            self.life.give_up()
        self.life = self.running = self.snapshot = self.special = None
        self.plan = _NO_PLAN
        self.only_spawned = self.only_despawned = self.only_given_reason = None
        self.components = self.spawned = self.despawned = ()
        self.entrance = self.departure = _gone
        self.instance = None  # type: ignore[assignment]  # nobody asks for it any more

    def __repr__(self) -> str:
        """Return ``<Record(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


@dataclass(frozen=True, slots=True, repr=False)
class PoolablePrefabData(Generic[T_co]):
    """What a pool knows of one instance, to look at: `PrefabPool.active` and `inactive` show it.

    A window on the pool's own record, which only the engine may touch. It shows what is true now;
    windows on the same instance are equal.
    """

    _record: Record[Any]

    @property
    def instance(self) -> T_co:
        """The pooled object; `None` once it is destroyed."""
        return self._record.instance  # type: ignore[no-any-return]

    @property
    def pool(self) -> Pool[Any]:
        """The pool it belongs to."""
        return self._record.pool

    @property
    def number(self) -> int:
        """Its number in the pool, from 1, as in ``orc #0007``."""
        return self._record.number

    @property
    def generation(self) -> int:
        """How many lives it has had, the present one included."""
        return self._record.generation

    @property
    def state(self) -> State:
        """Where it is in its pool."""
        return self._record.state

    @property
    def active(self) -> bool:
        """Whether it is alive now."""
        return self._record.active

    @property
    def label(self) -> str:
        """Its name in messages: ``orc #0007``."""
        return self._record.label

    @property
    def is_persistent(self) -> bool:
        """Whether its life survives a reset."""
        return self._record.is_persistent

    @property
    def is_reclaimable(self) -> bool:
        """Whether a full pool may end its life now."""
        return self._record.is_reclaimable

    def __repr__(self) -> str:
        """Return ``<PoolablePrefabData(orc #0007, active)>``."""
        return f"<{type(self).__name__}({self.label}, {self.state.name.lower()})>"


def no_parent(pool: Pool[Any], parent: Record[Any]) -> PoolError:
    """Return what to raise where nothing can be spawned under an instance."""
    why = "which is hidden" if parent.active else "whose life is over"
    return PoolError(
        f"{pool.name} can't be spawned under {parent.label}, {why}: check parent.active first"
    )


def is_among(one: object, many: Iterable[object]) -> bool:
    """Return whether `one` itself is among `many`: a game's objects may compare equal."""
    return any(one is each for each in many)


def _gone(*_: object) -> None:
    """Do nothing: the instance is destroyed."""
