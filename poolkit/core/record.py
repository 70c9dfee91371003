"""The pool's record of one instance, and how instances of any kind are put into play."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError
from poolkit.core.hooks import Hook, Hooks, Removed
from poolkit.core.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.pool import Pool

__all__ = [
    "ALIVE",
    "BEGINNING",
    "CLOSING",
    "ENDING",
    "RESTING",
    "UNUSUAL",
    "PoolablePrefabData",
    "data_for",
]

_NO_HOOKS = Hooks(())  # shared: every record begins and ends with it

# The state of a record, as plain numbers: it is looked at in every spawn and despawn.
CLOSING = -2  # not alive: its scope and its children are being ended
ENDING = -1  # not alive: its `despawned` hooks are running
RESTING = 0  # not alive
BEGINNING = 1  # alive, and its `spawned` hooks are running
ALIVE = 2  # alive, with nothing that ending it has to look at
UNUSUAL = 3  # alive, with a scope, children, a parent, or options of its own

T = TypeVar("T")


class PoolablePrefabData(Generic[T]):
    """One instance of a pool: its life, its cached hooks, and what else is known of it.

    This class serves instances of any kind: it places nothing and joins nothing, which is left to
    their hooks. A room that knows more about a kind of instance registers a subclass with
    `data_for` and overrides the stages below.

    Attributes:
        instance: The pooled object; `None` once it is destroyed.
        pool: The pool it belongs to.
        home: What that pool shares with the others of its system.
        number: Its number in the pool, from 1, as in ``orc #0007``.
        generation: How many lives it has had, the present one included. Never wraps.
        state: `RESTING`, `BEGINNING`, `ALIVE`, `UNUSUAL`, `ENDING` or `CLOSING`.
        running: The last `spawned` hook that was begun.
        hooks: Its hooks, found once.
        spawn_calls: Its `spawned` methods where all can be called without arguments, else `None`.
        despawn_calls: Its `despawned` methods, likewise.
        early: Components that were attached, and so spawned, while `spawned` hooks were running.
        awoken: Whether `awake` has run.
        doomed: Whether it is to be destroyed, not reused, once nothing holds it; see `doom`.
        destroyed: Whether it was destroyed.
        detached: Whether it was taken out of pooling, alive.
        is_new: Whether the spawn that is under way made it.
        rare: Whether this life is `UNUSUAL`, or will be once its hooks have run.
        holds: For how many reasons it may not be reused yet, although its life is over.
        is_needed: Whether it is being taken from its life for a new one, and so never surplus.
        children: Records of instances that were spawned under this one and end with it.
        parent: The record of the instance it was spawned under.
        parent_instance: That instance itself (or the part of it that was named).
    """

    __slots__ = (
        "_scope",
        "awoken",
        "children",
        "despawn_calls",
        "destroyed",
        "detached",
        "doomed",
        "early",
        "generation",
        "holds",
        "home",
        "hooks",
        "instance",
        "is_needed",
        "is_new",
        "number",
        "parent",
        "parent_instance",
        "persistent",
        "pool",
        "rare",
        "reclaimable",
        "running",
        "spawn_calls",
        "state",
    )

    instance: T

    def __init__(self, instance: T, pool: Pool[T]) -> None:
        """Begin a record that is not alive yet."""
        self.instance = instance
        self.pool = pool
        self.home = pool.home
        self.number = 0
        self.generation = 0
        self.state = RESTING
        self.awoken = False
        self.doomed = False
        self.destroyed = False
        self.detached = False
        self.is_new = False
        self.running: Callable[[], object] | None = None
        self.hooks = _NO_HOOKS
        self.spawn_calls: list[Callable[[], object]] | None = None
        self.despawn_calls: list[Callable[[], object]] | None = None
        self.early: tuple[IPoolableComponent, ...] = ()
        self.rare = False
        self.holds = 0
        self.is_needed = False
        self.persistent: bool | None = None
        self.reclaimable = True
        self.children: dict[PoolablePrefabData[Any], None] | None = None
        self.parent: PoolablePrefabData[Any] | None = None
        self.parent_instance: Any = None
        self._scope: Scope | None = None

    # -- stages that a kind of instance overrides ---------------------------------------------

    def attach(self) -> None:
        """Prepare a newly built instance: remember how it is, take it out of play.

        An instance that can take attributes learns of its record here, which is what gives its
        own hooks `self.scope`.

        Raises:
            PoolError: It is a component that takes no attributes.
            PrefabError: Its prefab names groups, which this kind of instance can't be in.
        """
        if self.pool.groups:
            message = (
                f"{self.label} can't join the groups of its prefab: only sprites can; "
                "leave out groups="
            )
            raise PrefabError(message)
        if isinstance(self.instance, IPoolableComponent):
            try:
                self.instance._pool_data = self  # type: ignore[attr-defined]
            except AttributeError:
                message = (
                    f"{type(self.instance).__name__} has __slots__ but no place for its pool data: "
                    "add '_pool_data' to its __slots__"
                )
                raise PoolError(message) from None

    def adopt(self) -> None:
        """Prepare an instance that is in play already: remember how it is, change nothing."""
        self.attach()

    def settle(self) -> None:
        """Remember how it is anew, and take it out of play again: its `awake` hooks have run."""

    def parts(self) -> Iterable[IPoolableComponent]:
        """Return what may have hooks, in order of attachment."""
        return (self.instance,) if isinstance(self.instance, IPoolableComponent) else ()

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the instance as good as new, and let it join its own groups and the physics."""

    def stay(self) -> None:
        """Be in play where it is: the stage of an instance that was adopted."""

    def pose(self) -> tuple[float, float, float]:
        """Return ``(x, y, rotation)``, for the hooks of an instance that was adopted."""
        return 0.0, 0.0, 0.0

    def join(self, groups: Iterable[Any]) -> None:
        """Let it join groups that were named for this life alone. `check_groups` comes first."""

    def follow(self, parent: Any) -> None:
        """Begin to move with `parent`, keeping the offset there is now."""

    def unfollow(self) -> None:
        """Stop moving with the parent."""

    def leave(self) -> None:
        """Take the instance out of its groups and the physics. May add to `holds`."""

    def reclaim(self) -> None:
        """Learn that its life was ended to make room for a new one."""

    def release(self) -> None:
        """Cut what ties the instance to the pool, when it is detached, alive."""
        if isinstance(self.instance, IPoolableComponent):
            with contextlib.suppress(AttributeError):  # it had no place for it
                self.instance._pool_data = None  # type: ignore[attr-defined]

    def dismantle(self) -> None:
        """Cut every reference cycle of an instance that is destroyed, so that it is freed."""
        self.forget()

    # -- what is the same for every kind ------------------------------------------------------

    def check_groups(self, groups: Iterable[Any]) -> None:
        """See that the instance can join `groups`, before its life begins.

        Raises:
            PoolError: This kind of instance can't be in groups.
            TypeError: Something is no group.
        """
        if type(self).join is PoolablePrefabData.join:
            message = (
                f"{self.label} can't join groups: only sprites can; "
                "leave out groups=, or pass the group as data of its own"
            )
            raise PoolError(message)
        for group in groups:
            if hasattr(group, "add_internal"):
                continue
            if isinstance(group, str) or not isinstance(group, Iterable):
                message = f"{self.pool.name} can't join {group!r}, which is no group"
                raise TypeError(message)
            self.check_groups(group)

    def forget(self) -> None:
        """Let go of the instance, also where a handle keeps this record."""
        self.hooks = _NO_HOOKS
        self.spawn_calls = self.despawn_calls = None
        self.running = None
        self.instance = None  # type: ignore[assignment]  # nobody asks for it any more

    @property
    def label(self) -> str:
        """Return its name in messages: ``orc #0007``."""
        return f"{self.pool.name} #{self.number:04}"

    @property
    def active(self) -> bool:
        """Whether it is alive now."""
        return self.state > RESTING

    def mark_unusual(self) -> None:
        """Note that the present life uses something that ending it has to look at."""
        self.rare = True
        if self.state == ALIVE:
            self.state = UNUSUAL

    def doom(self) -> None:
        """Let it be destroyed, not reused, when its life is over and nothing holds it."""
        self.doomed = True
        self.mark_unusual()  # the quick path of a despawn does not look at `doomed`

    @property
    def scope(self) -> Scope:
        """The present life's scope, made when it is first asked for.

        In `despawned` hooks it is still open: what they begin is undone right after them.

        Raises:
            PoolError: It is not alive.
        """
        scope = self._scope
        if scope is None:
            if self.state in {RESTING, CLOSING}:
                message = (
                    f"{self.label} is not alive, so it has no scope: "
                    "use self.scope in spawned() and later, up to despawned()"
                )
                raise PoolError(message)
            scope = self._scope = Scope(self.pool.home.timers, self.label)
            self.mark_unusual()
        return scope

    def close_scope(self) -> list[BaseException]:
        """Undo what belongs to the life that ends; return what that raised."""
        scope, self._scope = self._scope, None
        return scope.close() if scope is not None else []

    def find_hooks(self) -> None:
        """Find the overridden hooks again, as after a component was added."""
        hooks = self.hooks = Hooks(self.parts())
        for calls in (self.spawn_calls, self.despawn_calls):
            if calls:  # perhaps being called now, by a quick path that looks at nothing else
                calls[:] = [call if self.has_hook(call) else Removed(call) for call in calls]
        self.spawn_calls = None
        if self.awoken and hooks.spawn_is_plain:
            self.spawn_calls = list(hooks.spawned)
        self.despawn_calls = list(hooks.despawned) if hooks.despawn_is_plain else None

    def despawned_hooks(self) -> Iterable[Hook]:
        """Return the `despawned` hooks that are due: those of components that were spawned."""
        hooks = self.hooks
        if self.state != BEGINNING:
            return hooks.despawned_hooks
        # Equality, not identity: a component attached meanwhile had the hooks found anew.
        begun = max(
            (hook.place for hook in hooks.spawned_hooks if hook.call == self.running),
            default=-1,
        )
        return [
            hook
            for hook in hooks.despawned_hooks
            if hook.place <= begun
            or any(hooks.components[hook.place] is component for component in self.early)
        ]

    def has_hook(self, call: Callable[..., object]) -> bool:
        """Return whether the component whose hook `call` is, is attached still."""
        hooks = self.hooks
        return any(call == hook.call for hook in (*hooks.spawned_hooks, *hooks.despawned_hooks))

    @property
    def is_persistent(self) -> bool:
        """Whether its life survives a reset: its parent's say, its own, or its prefab's."""
        if self.parent is not None:
            return self.parent.is_persistent
        return self.pool.persistent if self.persistent is None else self.persistent

    def end_of_life(self) -> None:
        """Forget what belonged to the life alone."""
        self.rare = False
        self.early = ()
        self.reclaimable = True
        self.persistent = None
        self.unparent()
        self.children = None

    def unparent(self) -> None:
        """Leave the instance it was spawned under, if any."""
        parent = self.parent
        if parent is not None:
            self.unfollow()
            self.parent = None
            self.parent_instance = None
            (parent.children or {}).pop(self, None)

    def __repr__(self) -> str:
        """Return ``<PoolablePrefabData(orc #0007, active)>``."""
        state = "active" if self.active else "destroyed" if self.destroyed else "inactive"
        return f"<{type(self).__name__}({self.label}, {state})>"


@functools.singledispatch
def data_for(instance: object, pool: Pool[Any]) -> PoolablePrefabData[Any]:
    """Return the record for a new instance, by its kind. Rooms above core register their own."""
    return PoolablePrefabData(instance, pool)
