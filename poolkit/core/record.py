"""The pool's record of one instance, and how instances of any kind are put into play."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

from poolkit.core.errors import PoolError
from poolkit.core.hooks import Hook, Hooks, Removed
from poolkit.core.scope import Scope
from poolkit.core.stages import (
    ALIVE,
    BEGINNING,
    CLOSING,
    ENDING,
    RESTING,
    UNUSUAL,
    InstanceStages,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkit.core.component import IPoolableComponent
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

T = TypeVar("T")


class PoolablePrefabData(InstanceStages[T]):
    """One instance of a pool: its life, its cached hooks, and what else is known of it.

    This class serves instances of any kind. A room that knows more about one registers a subclass
    with `data_for` and overrides its stages.

    Attributes:
        hooks: Its hooks, found once.
        early: Components that were attached, and so spawned, while `spawned` hooks were running.
        awoken: Whether `awake` has run.
        doomed: Whether it is to be destroyed, not reused, once nothing holds it; see `doom`.
        destroyed: Whether it was destroyed.
        detached: Whether it was taken out of pooling, alive.
        is_new: Whether the spawn that is under way made it.
        is_needed: Whether it is being taken from its life for a new one, and so never surplus.
        children: Records of instances that were spawned under this one and end with it.
        parent: The record of the instance it was spawned under.
        parent_instance: That instance itself (or the part of it that was named).
    """

    __slots__ = (
        "_scope",
        "awoken",
        "children",
        "destroyed",
        "detached",
        "doomed",
        "early",
        "hooks",
        "is_needed",
        "is_new",
        "parent",
        "parent_instance",
        "persistent",
        "reclaimable",
    )

    def __init__(self, instance: T, pool: Pool[T]) -> None:
        """Begin a record that is not alive yet."""
        super().__init__(instance, pool)
        self.awoken = False
        self.doomed = False
        self.destroyed = False
        self.detached = False
        self.is_new = False
        self.hooks = _NO_HOOKS
        self.early: tuple[IPoolableComponent, ...] = ()
        self.is_needed = False
        self.persistent: bool | None = None
        self.reclaimable = True
        self.children: dict[PoolablePrefabData[Any], None] | None = None
        self.parent: PoolablePrefabData[Any] | None = None
        self.parent_instance: Any = None
        self._scope: Scope | None = None

    def forget(self) -> None:
        """Let go of the instance, also where a handle keeps this record."""
        self.hooks = _NO_HOOKS
        super().forget()

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

    def hold(self) -> None:
        """Keep it from being reused, although its life is over, until `release`."""
        self.holds += 1

    def release(self) -> None:
        """Take back a `hold`; it may rest now, unless its life lasts, or is just being ended."""
        self.holds -= 1
        if not self.holds and self.state == RESTING:
            self.pool.rest(self)

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
            scope = self._scope = Scope(self.pool._context.clock, self.label)
            self.mark_unusual()
        return scope

    def close_scope(self) -> list[BaseException]:
        """Undo what belongs to the life that ends; return what that raised."""
        scope, self._scope = self._scope, None
        return scope.close() if scope is not None else []

    def find_hooks(self) -> None:
        """Find the overridden hooks again, as after a component was added."""
        self.hooks = Hooks(self.parts(), self._context.plans)
        for later in (self.later_spawned, self.later_despawned):
            if isinstance(later, list):  # perhaps being called now, with no look at anything else
                later[:] = [call if self.has_hook(call) else Removed(call) for call in later]
        self.find_calls()

    def find_calls(self) -> None:
        """Note which hooks the quick paths may call, once it is known whether it is awake."""
        hooks = self.hooks
        spawned = hooks.plain_spawned() if self.awoken else None
        self.first_spawned, self.later_spawned = _first_and_later(spawned)
        self.first_despawned, self.later_despawned = _first_and_later(hooks.plain_despawned())

    def despawned_hooks(self) -> Iterable[Hook]:
        """Return the `despawned` hooks that are due: those of components that were spawned."""
        hooks = self.hooks
        if self.state != BEGINNING:
            return hooks.despawned
        # Equality, not identity: a component attached meanwhile had the hooks found anew.
        begun = max(
            (hook.place for hook in hooks.spawned if hook.call == self.running),
            default=-1,
        )
        return [
            hook
            for hook in hooks.despawned
            if hook.place <= begun
            or any(hooks.components[hook.place] is component for component in self.early)
        ]

    def destroyed_hooks(self) -> tuple[Callable[[], object], ...]:
        """Return what is called when it is destroyed, in the reverse order."""
        return self.hooks.destroyed

    def has_hook(self, call: Callable[..., object]) -> bool:
        """Return whether the component whose hook `call` is, is attached still."""
        hooks = self.hooks
        return any(call == hook.call for hook in (*hooks.spawned, *hooks.despawned))

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


def _first_and_later(
    calls: list[Callable[[], object]] | None,
) -> tuple[Callable[[], object] | None, Sequence[Callable[[], object]]]:
    if not calls:
        return None if calls is None else _no_hook, ()
    return calls[0], calls[1:] or ()


def _no_hook() -> None:
    """Stand for the first hook of an instance that has none."""


@functools.singledispatch
def data_for(instance: object, pool: Pool[Any]) -> PoolablePrefabData[Any]:
    """Return the record for a new instance, by its kind. Rooms above core register their own."""
    return PoolablePrefabData(instance, pool)
