"""Compares what was read of several instances, path by path, and says what kind a difference is."""

from __future__ import annotations

import contextlib
import functools
import random
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

import pygame

from poolkit.devtools.code import kept_names
from poolkit.devtools.values import MISSING, Part, Snapshot, read

if TYPE_CHECKING:
    from collections.abc import Iterable

_Differs = Literal["changed", "component", "group", "grown", "missing", "new", "shared"]
Kind = _Differs | Literal["reference", "space", "subscription", "timer"]

# Groups, dice and counters, which all lives use together.
_MEANT_TO_BE_SHARED = (pygame.sprite.AbstractGroup, random.Random, Iterator)
# Loaded when it is first needed, and never changed.
_RESOURCES = re.compile(r"pygame\b.*\.(Font|Sound)")
_PICTURES = re.compile(rf"{_RESOURCES.pattern}|pygame\b.*\.(Surface|Mask)")


class Difference(NamedTuple):
    """A path, and what the instances have there."""

    path: str
    fresh: Part
    respawned: Part
    owner: Part  # the nearest object with attributes above it
    attribute: str  # of the owner
    kind: Kind


def find_differences(
    name: str, fresh: Snapshot, respawned: Snapshot, others: list[Snapshot], ignore: Iterable[str]
) -> tuple[list[Difference], int]:
    """Compare snapshots path by path, shortest first.

    What differs or is ignored is not looked into. `others` are fresh instances, too: where one of
    them is different, the difference is chance.

    Returns:
        The differences, and how many paths were compared.
    """
    differences: list[Difference] = []
    looked_into: dict[str | None, _Way] = {None: _Way([(pattern, 1) for pattern in ignore])}
    num_compared = 0
    for path in dict.fromkeys((*fresh.parts, *respawned.parts)):
        snapshots = (fresh, respawned, *others)
        before, now, *twins = (snapshot.parts.get(path, MISSING) for snapshot in snapshots)
        way = looked_into.get((before if now is MISSING else now).parent)
        if way is None or way.ignores(path):
            continue
        num_compared += 1
        is_shared = way.is_shared or _is_shared(before, now, twins[0])
        if is_shared:
            # The lives of others changed the shared thing, too, which says nothing about chance.
            twins = twins[:1] if before.source is None else []
        is_reported = path != before.first_path == now.first_path  # at its first path
        if is_reported or not all(before.is_like(twin) for twin in twins):
            continue
        if before.is_like(now):
            if before.is_whole and now.is_whole:
                kept = [(pattern, len(path) + 1) for pattern in kept_names(type(before.source))]
                looked_into[path] = _Way([*way.patterns, *kept], is_shared)
        elif kind := _kind_of_leak(path, fresh, respawned, is_shared=is_shared):
            owner = (fresh if now is MISSING else respawned).owner(path)
            differences.append(Difference(name + path, before, now, *owner, kind))
    return differences, num_compared


def _is_shared(before: Part, now: Part, twin: Part) -> bool:
    """Return whether several instances have one thing, which can be changed."""
    return before.is_of_class or (
        before.source is not None and before.source is now.source is twin.source
    )


class _Way(NamedTuple):
    """What counts below a path where all is alike."""

    patterns: list[tuple[str, int]]  # to ignore, each from some place in the path on
    is_shared: bool = False  # whether several instances share it

    def ignores(self, path: str) -> bool:
        """Return whether a path is declared as kept."""
        return any(
            path[start:] == pattern or fnmatchcase(path[start:], pattern)
            for pattern, start in self.patterns
        )


def _kind_of_leak(
    path: str, fresh: Snapshot, respawned: Snapshot, *, is_shared: bool
) -> Kind | None:
    """Return what kind of leak a difference is; `None` if it isn't a leak."""
    before, now = fresh.parts.get(path, MISSING), respawned.parts.get(path, MISSING)
    # A class's default is shared until an instance sets its own.
    is_set = before.is_of_class and not now.is_of_class
    is_meant = is_shared and isinstance(before.source, _MEANT_TO_BE_SHARED)
    kinds: dict[Kind | None, bool] = {
        None: _is_cache(path, fresh, respawned) or is_meant,
        "new": before is MISSING,
        "missing": now is MISSING,
        "shared": is_shared and not is_set,
        "group": before.kind == "groups",
        "component": before.kind == "components",
        "grown": before.kind == now.kind and (before.size or 0) < (now.size or 0),
        "changed": True,
    }
    return next(kind for kind, is_this in kinds.items() if is_this)  # the first that it is


def _is_cache(path: str, fresh: Snapshot, respawned: Snapshot) -> bool:
    """Return whether something was made when it was first asked for, for all lives.

    A cached property that would be the same if it were computed now, a font where there was none,
    a dict with more pictures.
    """
    one, other = fresh.parts.get(path, MISSING), respawned.parts.get(path, MISSING)
    if one.kind in {"builtins.NoneType", "missing"}:
        owner, attribute = respawned.owner(path) if path in respawned.parts else fresh.owner(path)
        maker = getattr(type(owner.source), attribute, None)
        if not isinstance(maker, functools.cached_property):
            return _RESOURCES.match(other.kind) is not None
        with contextlib.suppress(Exception):  # it is believed where it can't be computed
            return read(maker.func(owner.source), None, lambda _: None).is_like(other)
        return True
    inside = {below: part.kind for below, part in respawned.parts.items() if part.parent == path}
    gained = [kind for below, kind in inside.items() if below not in fresh.parts]
    return "dict" in one.kind.lower() and bool(gained) and all(map(_PICTURES.match, gained))
