"""`LifeOptions`: what a spawn says besides a place and data, and what a pool does for its lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.fields import copy_for_life
from poolkit.core.prefab import flat_groups
from poolkit.core.states import SPAWNING

if TYPE_CHECKING:
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

STAYS = object()
"""Instead of groups: what is adopted stays in those that it is in."""


class LifeOptions:
    """Everything about one life that isn't plain: parent, groups, flags, budget and observers.

    They are read before anything is taken or made for the life, so that wrong ones change nothing.

    Attributes:
        data: All options and the spawn data, completed by those of the prefab.
        parent: The record of the parent, if there is to be one.
    """

    __slots__ = ("_groups", "_pool", "data", "parent")

    def __init__(self, pool: Pool[Any], options: dict[str, Any]) -> None:
        self._pool = pool
        data = pool._data
        self.data: dict[str, Any] = {**copy_for_life(data), **options} if data else options
        self.parent: Record[Any] | None = None
        if "parent" in options:
            self._find_parent()
        groups = options.get("groups", ())
        if groups is STAYS:
            groups = ()
        else:
            if groups != ():
                groups = flat_groups(groups, pool.name)
            if pool._groups_fn is not None:
                groups = (*flat_groups(pool._groups_fn(), pool.name), *groups)
        self._groups: tuple[Any, ...] = groups

    def _find_parent(self) -> None:
        """Find the parent's record; refuse one that isn't alive."""
        instance = self.data["parent"]
        if instance is None:
            return
        parent = self.parent = self._pool._context.require_part(instance)
        # A part may be hidden while its instance is alive.
        is_hidden = instance is not parent.instance and not instance.active
        if is_hidden or not parent.active:
            why = "which is hidden" if parent.active else "whose life is over"
            message = (
                f"{self._pool.name} can't be spawned under {parent.label}, {why}: "
                "check parent.active first"
            )
            raise PoolError(message)

    @property
    def lineage(self) -> list[Record[Any]]:
        """The parent and all above it, which must not end to make room for the life."""
        return [] if self.parent is None else [self.parent, *self.parent.ancestors]

    def check(self, record: Record[Any]) -> None:
        """Refuse groups that `record` can't join, and a parent that hooks have ended by now."""
        if self.parent is not None:
            self._find_parent()
        if self._groups:
            record.check_groups()

    def enter(self, record: Record[Any], x: float, y: float, rotation: float) -> None:
        """Put an instance into play, with its groups and under its parent."""
        pool, data = self._pool, self.data
        budget = pool._settings.budget
        if budget is not None:
            record.make_extras().birth = budget._next_births()
        if pool._observers is not None:
            for watcher in pool._observers.watchers:
                watcher.beginning(record)
        persistent, reclaimable = data.get("persistent"), data.get("reclaimable", True)
        if persistent is not None or not reclaimable:
            extras = record.make_extras()
            extras.persistent, extras.reclaimable = persistent, reclaimable
        if record.is_being_made:  # it was adopted
            pool._add(record)
            pool._note_beginning(pool.active_count, is_first=True)
            record.enter_in_place()
        else:
            record.enter(x, y, rotation)
        if self._groups and record.state is SPAWNING:
            record.join(self._groups)
        if self.parent is not None and record.state is SPAWNING:
            record.set_parent(self.parent, data["parent"])

    def announce(self, record: Record[Any]) -> None:
        """Call the listeners after the `spawned` hooks; a listener may end the life."""
        observers = self._pool._observers
        if observers is None:
            return
        for turn, listeners in enumerate(observers.on_spawn, 1):
            if record.state is SPAWNING:
                record.started = len(record.components) + turn
            for listener in listeners:
                if record.state is SPAWNING:
                    listener(record.instance)
