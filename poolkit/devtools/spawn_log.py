"""Notes where lives begin: every one, or a sample of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.context import LifeWatcher
from poolkit.devtools.code import place_of_caller

if TYPE_CHECKING:
    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import DespawnReason
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.code import Place


class SpawnLog(LifeWatcher):
    """Notes the place of every so many-th spawn, for as long as that life lasts.

    Attributes:
        every: Of how many spawns one is noted.
        places: Where the present life of an instance began, by its record.
    """

    def __init__(self, every: int = 1) -> None:
        """Begin with nothing noted."""
        self.every = every
        self.places: dict[PoolablePrefabData[Any], Place | None] = {}
        self._seen = 0

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Note the place."""
        self._seen += 1
        if self._seen % self.every == 0:
            self.places[data] = place_of_caller()

    def ended(self, data: PoolablePrefabData[Any], reason: DespawnReason) -> None:
        """Drop what was noted."""
        del reason
        self.places.pop(data, None)

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        """Drop what was noted of an instance that was detached."""
        self.places.pop(data, None)


def spawn_log_of(context: SystemContext) -> SpawnLog | None:
    """Return what notes the spawns of a system, the most thorough one; `None`: nothing does."""
    logs = [watcher for watcher in context.life_watchers if isinstance(watcher, SpawnLog)]
    return min(logs, key=lambda log: log.every, default=None)
