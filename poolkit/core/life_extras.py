"""`LifeExtras`: what only some lives have; and `Observers`, who listen to lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError, collected
from poolkit.core.groups import flat_groups
from poolkit.core.states import SPAWNING

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.errors import Errors
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

STAYS = object()
"""Instead of groups: what is adopted stays in those that it is in."""


class LifeExtras:
    """What only some lives have: a parent, children, and options of their spawn.

    Without slots and a constructor: so one is made as fast as a tuple, and a life says only what
    differs from the values here.

    Attributes:
        parent: The record of the instance that it lives under.
        children: The records of what was spawned under it.
        groups: Those that it joins besides those of its prefab.
        persistent: Whether it survives a reset; `None`: as its prefab says.
        reclaimable: Whether a full pool may end it.
        birth: Orders the lives that share a budget.
    """

    parent: Record[Any] | None = None
    children: dict[Record[Any], None] | None = None
    groups: tuple[Any, ...] = ()
    persistent: bool | None = None
    reclaimable: bool = True
    birth: int = 0

    def find_groups(self, options: dict[str, Any], pool: Pool[Any]) -> None:
        """Find the groups that the spawn names, and those of the prefab's function."""
        groups = options.get("groups", ())
        if groups is STAYS:
            return
        if groups != ():
            groups = flat_groups(groups, pool.name)
        if pool._groups_fn is not None:
            groups = (*flat_groups(pool._groups_fn(), pool.name), *groups)
        self.groups = groups

    def find_parent(self, instance: Any, pool: Pool[Any]) -> None:
        """Find the record of the parent of a new life; refuse one that isn't alive."""
        if instance is None:
            return
        parent = self.parent = pool._context.require_part(instance)
        # A part may be hidden while its instance is alive.
        is_hidden = instance is not parent.instance and not instance.active
        if is_hidden or not parent.active:
            why = "which is hidden" if parent.active else "whose life is over"
            message = (
                f"{pool.name} can't be spawned under {parent.label}, {why}: "
                "check parent.active first"
            )
            raise PoolError(message)

    @property
    def lineage(self) -> list[Record[Any]]:
        """The parent and all above it, which must not end to make room for the life."""
        return [] if self.parent is None else [self.parent, *self.parent.ancestors]

    def last_child(self) -> Record[Any] | None:
        """Return the record of the child that is alive and came last."""
        for child in reversed(self.children or ()):
            if child.active:
                return child
        return None


_Groups = list[tuple["Callable[..., object]", ...]]
"""Functions that listen to lives, in groups: those of the pool, then those of its system."""


class Observers:
    """The functions that listen to the lives of a pool."""

    __slots__ = ("_on_despawn", "_on_spawn")

    def __init__(self, on_spawn: _Groups, on_despawn: _Groups) -> None:
        self._on_spawn, self._on_despawn = on_spawn, on_despawn

    def announce(self, record: Record[Any]) -> None:
        """Call the listeners after the `spawned` hooks; a listener may end the life."""
        for turn, listeners in enumerate(self._on_spawn, 1):
            for listener in listeners:
                if record.state is SPAWNING:
                    record.started = len(record.components) + turn
                    listener(record.instance)

    def announce_end(self, record: Record[Any], *, is_spawning: bool) -> Errors:
        """Call the listeners before the `despawned` hooks; return what they raised."""
        errors: Errors = None
        groups = self._on_despawn
        if is_spawning:
            # Beyond the components, `started` counts the groups of listeners that know of the life.
            groups = groups[: max(0, record.started - len(record.components))]
        for listeners in groups:
            for listener in listeners:
                try:
                    listener(record.instance)
                except BaseException as error:
                    errors = collected(errors, error, f"as {record.label} was despawned")
        return errors
