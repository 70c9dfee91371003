"""Pools that behave as awkwardly as they may, so that tests show what a game relies on.

An option of strict mode, and of the pytest plugin for all systems.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from poolkit.core.context import SystemContext, all_contexts
from poolkit.core.ending import recycle
from poolkit.core.hooks import DespawnReason
from poolkit.core.seams import LifeWatcher, worlds
from poolkit.core.settings import EXCEED

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_DROPPED_ONE_IN = 8
_RECYCLED_ONE_IN = 8


class ChaosPolicy(LifeWatcher):
    """Decides by dice what pools may decide.

    Instances are reused in random order, now and then one is destroyed, and a pool that recycles at
    its limit recycles before it is reached.
    """

    def __init__(self, seed: int | str = 0) -> None:
        self.restart(seed)

    def restart(self, seed: int | str) -> None:
        """Begin again with the dice of a seed."""
        self._dice = random.Random(seed)  # noqa: S311 - dice for tests, no secrets

    def watch_all(self) -> None:
        """Decide for all systems and every `ObjectPool`, those made later included."""
        SystemContext.life_watchers = (self,)
        for context in list(all_contexts):
            context.watch_lives(self)

    def unwatch_all(self) -> None:
        """Let all pools keep to their settings again."""
        SystemContext.life_watchers = ()
        for context in list(all_contexts):
            context.unwatch_lives(self)

    def on_acquiring(self, pool: Pool[Any], protected: Collection[Record[Any]]) -> None:
        """Recycle now and then although there is room, and shuffle what is inactive."""
        del protected  # the recycler knows them
        if pool.settings.limit is not None and not self._dice.randrange(_RECYCLED_ONE_IN):
            recycler, is_stepping = pool._recycler, any(world.is_stepping for world in worlds)
            # As if the limit were reached. Not inside a step, where no room would be made at once.
            chosen = recycler.choose() if recycler.num_free > 0 and not is_stepping else None
            if chosen is not None and chosen is not EXCEED:
                recycle(chosen)
        if pool._inactive:
            pool._inactive.rotate(self._dice.randrange(len(pool._inactive)))

    def on_despawned(self, record: Record[Any], reason: DespawnReason) -> None:
        """Drop the instance now and then, unless it is needed for the next life."""
        if reason is not DespawnReason.RECYCLED and not self._dice.randrange(_DROPPED_ONE_IN):
            record.mark_for_destroy()
