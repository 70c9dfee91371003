"""Compares a respawned instance with a fresh one, path by path, less what differs by chance."""

from __future__ import annotations

import inspect
from collections import deque
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, NamedTuple

from poolkit.devtools.audit.plain_readers import read_atom
from poolkit.devtools.audit.reading import Reading, same
from poolkit.devtools.audit.snapshot import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from poolkit.devtools.audit.snapshot import Snapshot

__all__ = ["Comparison", "Difference", "compare"]

Kind = Literal[
    "changed",
    "component",
    "group",
    "grown",
    "missing",
    "new",
    "shared",
    "space",
    "subscription",
    "timer",
]


# The game's groups, dice and counters: what all use together, and what is never the same twice.
_MEANT_TO_BE_SHARED = frozenset({"count", "generator", "group", "random"})


class Difference(NamedTuple):
    """What a respawned instance has otherwise than a fresh one.

    Attributes:
        path: Where: ``orc.health.current``.
        kind: In which way.
        fresh: What the fresh one has there; `None`: nothing.
        respawned: What the respawned one has there.
        owner: The nearest object with attributes on the way to it, as it was respawned.
        attribute: The attribute of `owner` that leads to it.
    """

    path: str
    kind: Kind
    fresh: Reading | None
    respawned: Reading | None
    owner: Node
    attribute: str


class Comparison(NamedTuple):
    """The outcome.

    Attributes:
        differences: What differs, the nearest to the instance first.
        values: How many values were compared.
    """

    differences: tuple[Difference, ...]
    values: int


class _Place(NamedTuple):
    """A path, and what the instances have there."""

    path: str
    fresh: Node | None
    respawned: Node | None
    others: tuple[Node | None, ...]
    shared_from: Node | None
    ignored: tuple[tuple[str, int], ...]
    owner: Node
    attribute: str


def compare(
    name: str,
    fresh: Snapshot,
    respawned: Snapshot,
    others: Sequence[Snapshot],
    ignore: Iterable[str] = (),
) -> Comparison:
    """Walk through all snapshots in step, the nearest first.

    Args:
        name: What the instance is called: every path begins with it.
        fresh: An instance at the start of its first life.
        respawned: The same instance at the start of its second.
        others: Other instances at the start of their first lives. Where one of them differs from
            `fresh`, so may any: counters, numbers, random values. An object that the first of
            them shares with `fresh` is another matter: whoever changes it changes it for all.
        ignore: Patterns of paths, from the instance on, that are not looked at.
    """
    differences: list[Difference] = []
    root = respawned.root
    start = tuple((pattern, len(name) + 1) for pattern in ignore)
    first = _Place(
        name, fresh.root, root, tuple(each.root for each in others), None, start, root, ""
    )
    waiting = deque([first])
    seen: set[tuple[int, int]] = set()
    values = 0
    while waiting:
        place = waiting.popleft()
        if any(_matches(place.path[start:], pattern) for pattern, start in place.ignored):
            seen.add((id(place.fresh), id(place.respawned)))  # by whatever way one comes to it
            continue
        values += 1
        place = _with_sharing(place)
        if _differs_by_chance(place):
            continue
        one, other = place.fresh, place.respawned
        if one is not None and other is not None:
            if (id(one), id(other)) in seen:
                continue
            seen.add((id(one), id(other)))
        if not _alike(one, other):
            kind = _kind_of(place)
            if kind is not None:
                differences.append(_difference(place, kind))
        elif one is not None and other is not None and one.is_whole and other.is_whole:
            waiting.extend(_parts(place, one, other))
    return Comparison(tuple(differences), values)


def _matches(path: str, pattern: str) -> bool:
    """Tell whether a path, or something on the way to it, is meant by a pattern."""
    return path == pattern or fnmatchcase(path, pattern)


def _with_sharing(place: _Place) -> _Place:
    """Note whether what is there is one object that several instances have."""
    fresh, (other, *_) = place.fresh, (*place.others, None)
    if place.shared_from is not None or fresh is None or other is None:
        return place
    if fresh.reading.kind == "callbacks":  # the world's, but not for several to change
        return place._replace(others=place.others[:1])
    if fresh.source is not other.source or not fresh.reading.is_mutable:
        return place
    # What the lives of others made of it meanwhile tells nothing about chance.
    return place._replace(shared_from=fresh, others=place.others[:1])


def _differs_by_chance(place: _Place) -> bool:
    """Tell whether fresh instances differ, each in what is its own."""
    fresh = place.fresh
    if place.shared_from is not None and fresh is not None and fresh.reading.is_mutable:
        return False
    return any(not _alike(fresh, other) for other in place.others)


def _kind_of(place: _Place) -> Kind | None:
    """Return in which way the instances differ; `None` if they are meant to."""
    fresh, respawned = place.fresh, place.respawned
    is_shared = place.shared_from is not None
    kind: Kind | None = "changed"
    if fresh is None or respawned is None:
        kind = "new" if fresh is None else "missing"
    elif _is_meant(fresh, respawned, is_shared=is_shared):
        return None
    elif fresh.reading.kind == "groups":
        kind = "group"
    elif place.attribute == "components":
        kind = "component"
    elif _has_grown(fresh.reading, respawned.reading):
        kind = "grown"
    return "shared" if is_shared else kind


def _is_meant(fresh: Node, respawned: Node, *, is_shared: bool) -> bool:
    if is_shared and fresh.reading.kind in _MEANT_TO_BE_SHARED:
        return True
    return _is_filled_cache(fresh, respawned)


def _has_grown(one: Reading, other: Reading) -> bool:
    return one.is_container and one.kind == other.kind and other.size > one.size


def _difference(place: _Place, kind: Kind) -> Difference:
    return Difference(
        place.path,
        kind,
        None if place.fresh is None else place.fresh.reading,
        None if place.respawned is None else place.respawned.reading,
        place.owner,
        place.attribute,
    )


def _alike(one: Node | None, other: Node | None) -> bool:
    if one is None or other is None:
        return one is other
    if one is other:
        return True
    return one.reading.kind == other.reading.kind and same(one.reading.value, other.reading.value)


def _is_filled_cache(fresh: Node, respawned: Node) -> bool:
    """Tell whether a dict has only gained pictures: they are kept so as not to be made again."""
    before, after = fresh.reading, respawned.reading
    if before.kind != after.kind or not before.kind.lower().endswith("dict"):
        return False
    gained = [part for edge, part in respawned.parts.items() if edge not in fresh.parts]
    kept = all(
        edge in respawned.parts and _alike(part, respawned.parts[edge])
        for edge, part in fresh.parts.items()
    )
    return bool(gained) and kept and all(map(_is_picture, gained))


def _is_picture(node: Node) -> bool:
    """Tell whether something is made of pictures alone: what caches hold."""
    if node.reading.kind in {"Surface", "Mask"}:
        return True
    return bool(node.parts) and all(map(_is_picture, node.parts.values()))


def _parts(place: _Place, fresh: Node, respawned: Node) -> Iterator[_Place]:
    """Yield the places of what is inside."""
    ignored = place.ignored
    if fresh.reading.ignored:
        own = tuple((pattern, len(place.path) + 1) for pattern in fresh.reading.ignored)
        ignored = (*ignored, *own)
    owner, attribute = place.owner, place.attribute
    is_object = fresh.reading.has_attributes
    if is_object:
        owner = respawned
    for edge in dict.fromkeys((*fresh.parts, *respawned.parts)):
        if is_object and edge.startswith("."):
            attribute = edge[1:]
        yield _Place(
            place.path + edge,
            _part(fresh, edge),
            _part(respawned, edge),
            tuple(other and _part(other, edge) for other in place.others),
            place.shared_from,
            ignored,
            owner,
            attribute,
        )


def _part(node: Node, edge: str) -> Node | None:
    """Return what is at `edge`: where an object has nothing of its own, its class's value."""
    part = node.parts.get(edge)
    if part is None and node.reading.has_attributes and edge.startswith("."):
        value = inspect.getattr_static(type(node.source), edge[1:], None)
        reading = None if value is None else read_atom(value)
        if reading is not None:
            return Node(value, reading)
    return part
