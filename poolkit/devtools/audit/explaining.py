"""Says of a difference where it comes from, and what would end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.devtools.audit.reading import Described
from poolkit.devtools.audit.report import Leak
from poolkit.devtools.audit.source import places_that_change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.devtools.audit.comparing import Difference
    from poolkit.devtools.audit.writes import Write, WriteRecorder

__all__ = ["explained"]

_MISSING = Described("(missing)")
# What a ResetPooledBodyComponent sees to.
_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
# The framework's own attribute that tells when something of a sprite was changed.
_STANDS_FOR = {"components": "_updates", "layer": "_layer"}


def explained(difference: Difference, writes: WriteRecorder, kinds: Iterable[type]) -> Leak:
    """Return the leak.

    Args:
        difference: What was found.
        writes: What was written while the instance lived.
        kinds: The classes of what can be reached, in whose source one may look.
    """
    attribute = difference.attribute
    name = _STANDS_FOR.get(attribute, attribute)
    write = writes.last(difference.owner.source, name)
    verb = "changed in" if write is None or difference.kind == "component" else "set in"
    where = None if write is None else write.place
    # What is shared was not changed by the spawn that took it again.
    is_given_anew = write is not None and write.phase == "respawn" and difference.kind == "shared"
    if attribute and (write is None or is_given_anew):
        places = places_that_change(attribute, kinds)
        if places:
            where, verb = " or ".join(places), "changed in"
    fresh, respawned = difference.fresh, difference.respawned
    return Leak(
        difference.path,
        _MISSING if fresh is None else fresh.shown,
        _MISSING if respawned is None else respawned.shown,
        difference.kind,
        where,
        verb,
        _reason(difference, write),
    )


def _reason(difference: Difference, write: Write | None) -> str:
    if difference.kind == "shared":
        return "one object that all of them share; build one for each in __init__ or spawned"
    if difference.kind == "component":
        return "never taken back in spawned or despawned"
    if write is not None and write.phase == "respawn":
        return "from what the life before left there"
    if write is not None and write.phase == "despawn":
        return "never reset in spawned"
    reason = "never reset in spawned or despawned"
    if difference.owner.reading.kind == "pymunk Body" and difference.attribute in _MOTION:
        reason += "; a ResetPooledBodyComponent does it"
    return reason
