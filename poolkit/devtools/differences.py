"""Compares a respawned instance with a fresh one, path by path, less what differs by chance."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pygame

from poolkit.devtools.code import kept_names
from poolkit.devtools.values import Part, Snapshot, same

if TYPE_CHECKING:
    from collections.abc import Iterable

_Differs = Literal["changed", "component", "group", "grown", "missing", "new", "shared"]
Kind = _Differs | Literal["reference", "space", "subscription", "timer"]

# The game's groups, dice and counters: what all use together, and what is never the same twice.
_MEANT_TO_BE_SHARED = (pygame.sprite.AbstractGroup, random.Random, Iterator)
# What is loaded when it is first needed, and never changes.
_RESOURCES = re.compile(r"pygame\b.*\.(Font|Sound)")
_PICTURES = re.compile(rf"{_RESOURCES.pattern}|pygame\b.*\.(Surface|Mask)")


class Difference(NamedTuple):
    """A path, and what the instances have there; `None`: nothing."""

    path: str
    fresh: Part | None
    respawned: Part | None
    owner: Part  # the nearest object with attributes on the way to it, as it was respawned
    attribute: str  # of the owner, that leads to it
    kind: Kind


def compared(
    name: str, fresh: Snapshot, respawned: Snapshot, others: list[Snapshot], ignore: Iterable[str]
) -> tuple[list[Difference], int]:
    """Compare what is at each path, the nearest first; return what differs, of how many.

    What differs, or is ignored, is not looked into. `others` are fresh instances too: what one of
    them has otherwise differs by chance.
    """
    found: list[Difference] = []
    # What is alike there, to be looked into, with the patterns of what to ignore, each from some
    # place in a path on; and what is one thing that several instances have.
    looked_into: dict[str | None, list[tuple[str, int]]] = {None: [(each, 1) for each in ignore]}
    shared: set[str | None] = set()
    values = 0
    for path in dict.fromkeys((*fresh.parts, *respawned.parts)):
        one, other = fresh.parts.get(path), respawned.parts.get(path)
        place: Any = other or one
        patterns = looked_into.get(place.parent)
        if patterns is None or any(
            path[at:] == e or fnmatchcase(path[at:], e) for e, at in patterns
        ):
            continue
        values += 1
        # What the lives of others made meanwhile of a shared thing tells nothing of chance.
        twins = [each.parts.get(path) for each in others]
        if place.parent in shared or _is_one(one, other, twins):
            shared.add(path)
        asked = twins[:1] if path in shared else twins
        is_mutable = path in shared and one is not None and one.reading.is_mutable
        if not is_mutable and any(not _alike(one, twin) for twin in asked):
            continue
        if one is not None and other is not None and _alike(one, other):
            if one.is_whole and other.is_whole:
                start = len(path) + 1
                looked_into[path] = [*patterns, *((e, start) for e in kept_names(type(one.source)))]
            continue
        is_told = one is not None and other is not None and path != one.first == other.first
        kind = None if is_told else _kind(path, fresh, respawned, is_shared=path in shared)
        if kind is not None:
            owner = respawned.parts[place.owner]
            found.append(Difference(name + path, one, other, owner, place.attribute, kind))
    return found, values


def _is_one(one: Part | None, other: Part | None, twins: list[Part | None]) -> bool:
    """Tell whether something is one thing that several instances have."""
    if one is None or other is None or not twins or twins[0] is None:
        return False
    is_same = one.source is other.source is twins[0].source
    return one.reading.is_of_class or (one.reading.is_mutable and is_same)


def _alike(one: Part | None, other: Part | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.reading.kind == other.reading.kind and same(one.reading.value, other.reading.value)


def _kind(path: str, fresh: Snapshot, respawned: Snapshot, *, is_shared: bool) -> Kind | None:
    """Return the way in which the instances differ; `None` if they are meant to."""
    one, other = fresh.parts.get(path), respawned.parts.get(path)
    if _is_cache(path, fresh, respawned):
        return None
    if one is None or other is None:
        return "new" if one is None else "missing"
    before, now = one.reading, other.reading
    # A class's default is nobody's own, until an instance has set it.
    is_set = before.is_of_class and not now.is_of_class
    if is_shared and isinstance(one.source, _MEANT_TO_BE_SHARED):
        return None
    if is_shared and not is_set:
        return "shared"
    if before.kind in {"groups", "components"}:
        return "group" if before.kind == "groups" else "component"
    is_grown = before.kind == now.kind and before.size is not None and before.size < (now.size or 0)
    return "grown" if is_grown else "changed"


def _is_cache(path: str, fresh: Snapshot, respawned: Snapshot) -> bool:
    """Tell whether something was made when it was first asked for, to be used by all lives.

    That is a cached property, a font where there was none, a dict that has gained pictures.
    """
    one, other = fresh.parts.get(path), respawned.parts.get(path)
    if other is None:
        return False
    if one is None or one.reading.kind == "NoneType":
        owner = type(respawned.parts[other.owner].source)
        is_cached = isinstance(getattr(owner, other.attribute, None), functools.cached_property)
        return is_cached or _RESOURCES.match(other.reading.kind) is not None
    inside = {e: part for e, part in respawned.parts.items() if part.parent == path}
    gained = [part.reading.kind for each, part in inside.items() if each not in fresh.parts]
    is_dict = "dict" in one.reading.kind.lower() and bool(gained)
    return is_dict and all(map(_PICTURES.match, gained))
