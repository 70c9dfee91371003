"""`LifeExtras`: what only some lives have; and `Observers`, who see the lives of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError, collected
from poolkit.core.prefab import flat_groups
from poolkit.core.states import SPAWNING

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.errors import Errors
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record
    from poolkit.core.seams import LifeWatcher

STAYS = object()
"""Instead of groups: what is adopted stays in those that it is in."""


class LifeExtras:
    """What only some lives have: a parent, children, and options of their spawn.

    The options are read before anything is taken or made for the life, so that wrong ones change
    nothing. They are asked again for a parent, which hooks may have ended by then.

    Attributes:
        parent: The record of the instance that it lives under.
        children: The records of what was spawned under it.
        groups: Those that it joins besides those of its prefab.
        persistent: Whether it survives a reset; `None`: as its prefab says.
        reclaimable: Whether a full pool may end it.
        birth: Orders the lives that share a budget.
    """

    __slots__ = (
        "birth",
        "children",
        "groups",
        "parent",
        "persistent",
        "reclaimable",
    )

    def __init__(
        self, pool: Pool[Any] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        self.parent: Record[Any] | None = None
        self.children: dict[Record[Any], None] | None = None
        self.groups: tuple[Any, ...] = ()
        self.persistent: bool | None = None
        self.reclaimable: bool = True
        self.birth: int = 0
        if pool is None:
            return
        groups: Any = ()
        if options:
            if "persistent" in options:
                self.persistent = options["persistent"]
            if "reclaimable" in options:
                self.reclaimable = options["reclaimable"]
            if "parent" in options:
                self.find_parent(options["parent"], pool)
            if "groups" in options:
                groups = options["groups"]
                if groups is STAYS:
                    return
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

    def bind(self, record: Record[Any], data: dict[str, Any]) -> None:
        """Let an instance that has entered play join its groups, and hang on its parent."""
        # Kept no longer: whoever counts references to a group learns if the game still holds it.
        groups, self.groups = self.groups, ()
        if groups and record.state is SPAWNING:
            record.join(groups)
        if self.parent is not None and record.state is SPAWNING:
            record.set_parent(self.parent, data["parent"])

    def last_child(self) -> Record[Any] | None:
        """Return the record of the child that is alive and came last."""
        for child in reversed(self.children or ()):
            if child.active:
                return child
        return None


_Groups = list[tuple["Callable[..., object]", ...]]
"""Functions that listen to lives, in groups: those of the pool, then those of its system."""


class Observers:
    """Who sees the lives of a pool."""

    __slots__ = ("_on_despawn", "_on_spawn", "watchers")

    def __init__(
        self, watchers: tuple[LifeWatcher, ...], on_spawn: _Groups, on_despawn: _Groups
    ) -> None:
        self.watchers: tuple[LifeWatcher, ...] = watchers
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
