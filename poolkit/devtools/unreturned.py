"""Lists the instances that were not returned by the place that spawned them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from poolkit.core.object_pool import ObjectPool
from poolkit.core.seams import context_of, lives_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.strict import watch_in
from poolkit.devtools.trial import checked_system

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poolkit.core.record import Record

_UNKNOWN = "places that were not noted"


class Unreturned(dict[str, tuple[Any, ...]]):
    """Active instances by the place that spawned them, as ``monsters.py:41 in spawn_wave``.

    The place with the most comes first, and of each the oldest instance; ``str()`` is a list.
    """

    def __init__(self, records: Mapping[str, list[Record[Any]]]) -> None:
        places = sorted(records, key=lambda place: (place == _UNKNOWN, -len(records[place]), place))
        super().__init__({place: tuple(e.instance for e in records[place]) for place in places})
        self._names = {place: Counter(e.pool.name for e in records[place]) for place in places}

    @property
    def total(self) -> int:
        """How many instances there are in all."""
        return sum(map(len, self.values()))

    def __str__(self) -> str:
        if not self:
            return "every instance was returned"
        were = "instance was" if self.total == 1 else "instances were"
        lines = [f"{self.total} {were} spawned and not returned:"]
        for place, names in self._names.items():
            kinds = ", ".join(f"{count} {name}" for name, count in names.most_common())
            lines.append(f"  {kinds}: {place}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Unreturned(num_places={len(self)}, num_instances={self.total})>"


def unreturned(
    system: PoolingSystem | ObjectPool[Any] = pools, *, persistent: bool = True
) -> Unreturned:
    """Group the active instances of a system or an object pool by the place that spawned them.

    Strict mode notes the places; without it all are in one entry.

    Args:
        system: The system or object pool.
        persistent: Whether to list lives that survive a reset.
    """
    context = context_of(checked_system(system, "unreturned()", ObjectPool))
    watch = watch_in(context)
    places = watch.places_of_spawn if watch else {}
    records: dict[str, list[Record[Any]]] = {}
    for pool in context.pools:
        for record in list(lives_of(pool)):
            if persistent or not record.is_persistent:
                records.setdefault(str(places.get(record) or _UNKNOWN), []).append(record)
    return Unreturned(records)
