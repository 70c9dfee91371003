"""Pools at their most awkward, so that tests show what a game wrongly relies on."""

from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING, Any

from poolkit.core.context import SystemContext
from poolkit.core.ending import recycle
from poolkit.core.hooks import DespawnReason
from poolkit.core.seams import LifeWatcher, context_of, step_guards
from poolkit.core.settings import EXCEED
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.given import checked_system
from poolkit.devtools.heap import whole_heap

if TYPE_CHECKING:
    from collections.abc import Collection

    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_DROPPED_ONE_IN = 8
_RECYCLED_ONE_IN = 8


def enable_chaos(system: PoolingSystem = pools, *, seed: int | str = 0) -> None:
    """Reuse instances in random order, drop one now and then, and recycle before it is needed.

    All are a pool's good right, so a game that notices relies on what was never promised: that it
    gets the instance back which it despawned last, that an instance lives for ever, or that a
    pool that recycles will not do so yet. Recycled is, as if the limit were reached, whom the
    pool's own policy chooses: never a life spawned with ``reclaimable=False``, and nothing at all
    in a pool without a limit, or one that refuses or exceeds.

    Args:
        system: The system whose pools shall behave so.
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
    """Decides by dice what pools leave open."""

    def __init__(self, seed: int | str = 0) -> None:
        self.begin(seed)

    def begin(self, seed: int | str) -> None:
        """Throw the dice anew from here on: the same seed gives the same disorder."""
        self._dice = random.Random(seed)  # noqa: S311 - dice for tests, no secrets

    def reach_all(self) -> None:
        """Decide for every system and `ObjectPool` there is, and every one made from now on."""
        SystemContext.life_watchers = (self,)
        for context in _contexts():
            _use(context, self)

    def end(self) -> None:
        """Let all pools keep to their settings again."""
        SystemContext.life_watchers = ()
        for context in _contexts():
            context.unwatch_lives(self)

    def acquiring(self, pool: Pool[Any], spared: Collection[Record[Any]]) -> None:
        """Recycle now and then although there is room, and have any of those at rest come first."""
        if pool.settings.limit is not None and not self._dice.randrange(_RECYCLED_ONE_IN):
            self._recycle(pool, spared)
        if pool._inactive:
            pool._inactive.rotate(self._dice.randrange(len(pool._inactive)))

    @staticmethod
    def _recycle(pool: Pool[Any], spared: Collection[Record[Any]]) -> None:
        """End a life as if the limit were reached, where the policy recycles.

        Where it refuses, or would exceed, nothing happens; nor inside a physics step, in which the
        place would not be free at once.
        """
        recycler, is_stepping = pool._recycler, any(guard.is_stepping for guard in step_guards)
        chosen = recycler.choose(pool, spared) if recycler.room and not is_stepping else None
        if chosen is not None and chosen is not EXCEED:
            recycle(chosen)

    def ended(self, record: Record[Any], reason: DespawnReason) -> None:
        """Drop the instance now and then, unless it is needed for the next life."""
        if reason is not DespawnReason.RECYCLED and not self._dice.randrange(_DROPPED_ONE_IN):
            record.doom()


def _contexts() -> list[SystemContext]:
    # A game in play keeps no list of its systems for this; the collector knows them all.
    with whole_heap():
        return [each for each in gc.get_objects() if type(each) is SystemContext]


def _use(context: SystemContext, chaos: ChaosPolicy | None) -> None:
    for watcher in context.life_watchers:
        if isinstance(watcher, ChaosPolicy):
            context.unwatch_lives(watcher)
    if chaos is not None:
        context.watch_lives(chaos)
