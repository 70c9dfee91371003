"""Ending many lives at once, although hooks may end others and begin new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError, raise_all
from poolkit.core.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.component import DespawnReason
    from poolkit.core.pool import Pool
    from poolkit.core.record import PoolablePrefabData

__all__ = ["end_everything", "end_where", "no_life"]

_ROUNDS = 8


def no_life(data: PoolablePrefabData[Any]) -> bool:
    """Spare no life: the choice that makes a reset a disposal."""
    del data
    return False


def end_everything(
    pools: Callable[[], Iterable[Pool[Any]]],
    reason: DespawnReason,
    errors: list[BaseException],
    *,
    spare: Callable[[PoolablePrefabData[Any]], bool] = no_life,
) -> None:
    """End every life in `pools` and destroy what is at rest, what hooks begin meanwhile included.

    Args:
        pools: Asked anew for each round, for a hook may be the first to use a prefab.
        reason: What the hooks are told.
        errors: Receives what hooks raised, and a `PoolError` if after eight rounds there is still
            something left.
        spare: Which lives go on.
    """
    for _ in range(_ROUNDS):
        # Roots first: children end with their parents, and are told so.
        for only_roots in (True, False):
            doomed = [
                data
                for pool in pools()
                for data in pool.active_records
                if not spare(data) and not (only_roots and data.parent is not None)
            ]
            for data in doomed:
                try:
                    data.pool.end(data, reason)
                except BaseException as error:
                    errors.append(error)
        for pool in pools():
            pool.destroy_resting(errors)
        left = [pool.name for pool in pools() if _left(pool, spare)]
        if not left:
            return
    message = (
        f"after {_ROUNDS} rounds hooks still spawn {left[0]}: a hook that always spawns can't be "
        "ended; let despawned hooks look at their reason"
    )
    errors.append(PoolError(message))


def _left(pool: Pool[Any], spare: Callable[[PoolablePrefabData[Any]], bool]) -> bool:
    return pool.has_resting or any(not spare(data) for data in pool.active_records)


def end_where(pools: Iterable[Pool[Any]], predicate: Callable[[Any], object]) -> int:
    """End every life in `pools` whose instance meets `predicate`; return how many that ended.

    Each life that was active at the call is considered once, before any is ended; a later life
    never. Lives that parents or hooks took along are counted too.

    Raises:
        BaseException: What `predicate` raised, with nothing ended; what hooks raised, when all is
            done.
    """
    lives: list[Handle[Any]] = [
        Handle(data, data.generation) for pool in pools for data in pool.active_records
    ]
    considered = [(life, predicate(life.get())) for life in lives if life]
    chosen = [life for life, meets in considered if meets and life]
    errors: list[BaseException] = []
    for life in chosen:
        try:
            life.despawn()
        except BaseException as error:
            errors.append(error)
    raise_all("despawning several", errors)
    return sum(not life._data.detached for life in chosen)  # a hook may have taken one out
