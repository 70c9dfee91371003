"""Ending all lives at once, although their hooks may begin new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.component import DespawnReason
    from poolkit.core.pool import Pool
    from poolkit.core.record import PoolablePrefabData

__all__ = ["end_lives"]

_ROUNDS = 8


def end_lives(
    pools: Callable[[], Iterable[Pool[Any]]],
    reason: DespawnReason,
    errors: list[BaseException],
    *,
    spare: Callable[[PoolablePrefabData[Any]], bool] | None = None,
) -> None:
    """End every life in `pools`, those that hooks begin meanwhile included.

    Args:
        pools: Asked anew for each round, for a hook may be the first to use a prefab.
        reason: What the hooks are told.
        errors: Receives what hooks raised, and a `PoolError` if after eight rounds lives go on
            being begun.
        spare: Which lives go on.
    """
    for _ in range(_ROUNDS):
        # Roots first: children end with their parents, and are told so.
        doomed = [
            data
            for pool in pools()
            for data in pool.active_records
            if data.parent is None and not (spare is not None and spare(data))
        ]
        if not doomed:
            return
        for data in doomed:
            try:
                data.pool.end(data, reason)
            except BaseException as error:
                errors.append(error)
    for pool in pools():
        for data in pool.active_records:
            if not (spare is not None and spare(data)):
                message = (
                    f"after {_ROUNDS} rounds hooks still spawn {pool.name}: a despawned hook "
                    "that always spawns can't be ended; let it look at its reason"
                )
                errors.append(PoolError(message))
                return
