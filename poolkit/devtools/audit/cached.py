"""Tells cached properties that are out of date from those that only save work."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING

from poolkit.devtools.audit.comparing import compare
from poolkit.devtools.audit.snapshot import take_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.devtools.audit.comparing import Difference
    from poolkit.devtools.audit.reading import Reading, Surroundings

__all__ = ["Caches"]


class Caches:
    """The values of `functools.cached_property` that a first life has left to the second.

    Each is computed anew, once, as any use in the second life would if the first had not.
    """

    def __init__(self, differences: Iterable[Difference], around: Surroundings) -> None:
        """Compute anew what is cached, while the instance is at the start of its second life."""
        self._anew: dict[str, Reading | None] = {}
        for difference in differences:
            owner, name = difference.owner.source, difference.attribute
            cache = inspect.getattr_static(type(owner), name, None)
            if difference.kind != "new" or not isinstance(cache, functools.cached_property):
                continue
            try:
                value = cache.func(owner)
            except Exception:  # noqa: S112 - then it is only known to be new
                continue
            anew = take_snapshot(value, around)
            cached = take_snapshot(vars(owner)[name], around)
            is_current = not compare("it", anew, cached, ()).differences
            self._anew[difference.path] = None if is_current else anew.root.reading

    def judged(self, differences: Iterable[Difference]) -> tuple[Difference, ...]:
        """Return `differences` without caches that are right, and with what others should be."""
        found = []
        for difference in differences:
            if difference.path not in self._anew:
                found.append(difference)
            elif (fresh := self._anew[difference.path]) is not None:
                found.append(difference._replace(kind="changed", fresh=fresh))
        return tuple(found)
