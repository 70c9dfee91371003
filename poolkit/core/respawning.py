"""Lives that begin again where they are, because their prefab has changed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from poolkit.core.ending import end
from poolkit.core.states import ACTIVE

if TYPE_CHECKING:
    from poolkit.core.errors import ErrorCollector
    from poolkit.core.pool import Pool
    from poolkit.core.record import Record

_log = logging.getLogger("poolkit")


def respawn_in_place(pool: Pool[Any], records: list[Record[Any]], errors: ErrorCollector) -> None:
    """End lives, and begin as many in their places as there is room for."""
    places: list[tuple[tuple[float, float], float, dict[str, Any], Record[Any] | None]] = []
    for record in records:
        if record.state is ACTIVE:  # else it has ended with its parent, say
            with errors:
                places.append(_end_for_respawn(record))
    num_left_out = 0
    for position, rotation, options, parent in places:
        if parent is not None and not parent.active:
            continue  # it would have ended with its parent
        if pool._recycler.can_begin():
            errors.call(pool._spawn, position, rotation, options)
        else:
            num_left_out += 1
    if num_left_out:
        _log.warning(
            "%s: %d of %d lives did not begin again: there is no room for more",
            *(pool.name, num_left_out, len(places)),
        )


def _end_for_respawn(record: Record[Any]) -> Any:
    """End a life; return position, rotation and options of one in its place, and its parent."""
    x, y, rotation = record.pose()
    extras = record.extras
    options: dict[str, Any] = {}
    if extras is not None:
        options = {"persistent": extras.persistent, "reclaimable": extras.reclaimable}
    parent, instance = record.parent, record.parent_instance
    end(record)
    if parent is None or not parent.active:
        return (x, y), rotation, options, None
    is_hidden = instance is not parent.instance and not instance.active
    options["parent"] = parent.instance if is_hidden else instance
    return (x, y), rotation, options, parent
