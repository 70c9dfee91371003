"""Pools that behave as awkwardly as they may, so that tests show what a game relies on."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from poolkit.core.context import SystemContext, all_contexts
from poolkit.core.ending import recycle
from poolkit.core.hooks import DespawnReason
from poolkit.core.seams import LifeWatcher, context_of, worlds
from poolkit.core.settings import EXCEED
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.given import checked_system

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_DROPPED_ONE_IN = 8
_RECYCLED_ONE_IN = 8


def enable_chaos(system: PoolingSystem = pools, *, seed: int | str = 0) -> None:
    """Reuse instances in random order, drop one now and then, and recycle before it is needed.

    Pools may do all this, so a game that notices relies on what nothing promises: that it gets
    back the instance that it despawned last, that an instance is kept for ever, or that a pool
    recycles at its limit only. The pool's own policy chooses what is recycled: never a life spawned
    with ``reclaimable=False``, and nothing in a pool without a limit, or one that refuses or
    exceeds.

    Args:
        system: The system whose pools behave so.
        seed: The same seed gives the same disorder.

    Examples:
        >>> system = PoolingSystem()
        >>> enable_chaos(system, seed=3)
        >>> disable_chaos(system)
    """
    _use(context_of(checked_system(system, "enable_chaos()")), ChaosPolicy(seed))


def disable_chaos(system: PoolingSystem = pools) -> None:
    """Let the pools of `system` keep to their settings again."""
    _use(context_of(checked_system(system, "disable_chaos()")), None)


class ChaosPolicy(LifeWatcher):
    """Decides by dice what pools may decide."""

    def __init__(self, seed: int | str = 0) -> None:
        self.begin(seed)

    def begin(self, seed: int | str) -> None:
        """Begin again with the dice of a seed."""
        self._dice = random.Random(seed)  # noqa: S311 - dice for tests, no secrets

    def reach_all(self) -> None:
        """Decide for all systems and every `ObjectPool`, those made later included."""
        SystemContext.life_watchers = (self,)
        for context in list(all_contexts):
            _use(context, self)

    def end(self) -> None:
        """Let all pools keep to their settings again."""
        SystemContext.life_watchers = ()
        for context in list(all_contexts):
            context.unwatch_lives(self)

    def acquiring(self, pool: Pool[Any], spared: Collection[Record[Any]]) -> None:
        """Recycle now and then although there is room, and shuffle what is at rest."""
        del spared  # the recycler knows them
        if pool.settings.limit is not None and not self._dice.randrange(_RECYCLED_ONE_IN):
            self._recycle(pool)
        if pool._inactive:
            pool._inactive.rotate(self._dice.randrange(len(pool._inactive)))

    @staticmethod
    def _recycle(pool: Pool[Any]) -> None:
        """End a life as if the limit were reached, where the policy recycles.

        Not inside a physics step, where the place would not be free at once.
        """
        recycler, is_stepping = pool._recycler, any(world.is_stepping for world in worlds)
        chosen = recycler.choose() if recycler.num_free > 0 and not is_stepping else None
        if chosen is not None and chosen is not EXCEED:
            recycle(chosen)

    def ended(self, record: Record[Any], reason: DespawnReason) -> None:
        """Drop the instance now and then, unless it is needed for the next life."""
        if reason is not DespawnReason.RECYCLED and not self._dice.randrange(_DROPPED_ONE_IN):
            record.mark_for_destroy()


def _use(context: SystemContext, chaos: ChaosPolicy | None) -> None:
    for watcher in context.life_watchers:
        if isinstance(watcher, ChaosPolicy):
            context.unwatch_lives(watcher)
    if chaos is not None:
        context.watch_lives(chaos)
