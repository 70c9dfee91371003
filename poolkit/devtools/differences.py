"""Compares a respawned instance with a fresh one, path by path, less what differs by chance."""

from __future__ import annotations

import functools
import inspect
from collections import deque
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from poolkit.devtools.values import Node, Snapshot, same, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.core.record import PoolablePrefabData

_Differs = Literal["changed", "component", "group", "grown", "missing", "new", "shared"]
Kind = _Differs | Literal["reference", "space", "subscription", "timer"]

# The game's groups, dice and counters: what all use together, and what is never the same twice.
_MEANT_TO_BE_SHARED = frozenset({"group", "iterator", "random", "itertools.count"})
# What is loaded when it is first needed, and never changes.
_RESOURCES = frozenset({"pygame.font.Font", "pygame.Font", "pygame.mixer.Sound"})
_RESOURCES |= {"pygame.freetype.Font", "pygame._freetype.Font"}


class Difference(NamedTuple):
    """A path, what the instances have there (`None`: nothing), and who holds it."""

    path: str
    fresh: Node | None
    respawned: Node | None
    others: tuple[Node | None, ...]  # what other fresh ones have there
    owner: Node  # the nearest object with attributes on the way to it, as it was respawned
    attribute: str = ""  # of the owner, that leads to it
    ignored: tuple[tuple[str, int], ...] = ()  # patterns, each from some place in the path on
    is_shared: bool = False  # whether it is of one thing that several instances have
    kind: Kind = "changed"

    def parts(self) -> Iterator[Difference]:
        """Yield the places of what is inside."""
        fresh, respawned = self.fresh, self.respawned
        if fresh is None or respawned is None or not (fresh.is_whole and respawned.is_whole):
            return
        start = len(self.path) + 1
        ignored = (*self.ignored, *((pattern, start) for pattern in fresh.reading.ignored))
        is_object = fresh.reading.has_attributes
        for edge in dict.fromkeys((*fresh.parts, *respawned.parts)):
            yield self._replace(
                path=self.path + edge,
                fresh=fresh.parts.get(edge),
                respawned=respawned.parts.get(edge),
                others=tuple(other and other.parts.get(edge) for other in self.others),
                owner=respawned if is_object else self.owner,
                attribute=edge[1:] if is_object and edge[0] == "." else self.attribute,
                ignored=ignored,
            )

    def with_sharing(self) -> Difference:
        """Note whether what is there is one thing that several instances have."""
        fresh, (other, *_) = self.fresh, (*self.others, None)
        if self.is_shared or fresh is None or other is None:
            return self
        is_one = fresh.reading.is_of_class or (
            fresh.reading.is_mutable and fresh.source is other.source
        )
        is_the_worlds = fresh.reading.kind == "callbacks"  # but not for several to change
        # What the lives of others made of it meanwhile tells nothing about chance.
        others = self.others[:1] if is_one or is_the_worlds else self.others
        return self._replace(is_shared=is_one and not is_the_worlds, others=others)

    def by_chance(self) -> bool:
        """Tell whether fresh instances differ, each in what is its own."""
        if self.is_shared and self.fresh is not None and self.fresh.reading.is_mutable:
            return False
        return any(not _alike(self.fresh, other) for other in self.others)

    def judged(self) -> Difference | None:
        """Return it with the way in which the instances differ; `None` if they are meant to."""
        fresh, respawned = self.fresh, self.respawned
        if _is_filled_cache(fresh, respawned):
            return None
        if fresh is None or respawned is None:
            return self._replace(kind="new" if fresh is None else "missing")
        (kind, *_), size, size_now = fresh.reading, fresh.reading.size, respawned.reading.size
        # A class's default is nobody's own, until an instance has set it.
        is_set = fresh.reading.is_of_class and not respawned.reading.is_of_class
        if self.is_shared and kind in _MEANT_TO_BE_SHARED:
            return None
        if self.is_shared and not is_set:
            return self._replace(kind="shared")
        if kind == "groups" or self.attribute == "components":
            return self._replace(kind="group" if kind == "groups" else "component")
        is_grown = kind == respawned.reading.kind and size is not None and (size_now or 0) > size
        return self._replace(kind="grown" if is_grown else "changed")

    def is_right_cache(self, record: PoolablePrefabData[Any], find: Any) -> bool:
        """Tell whether it is a cached property that is as it would be if computed anew."""
        owner, name = self.owner.source, self.attribute
        cache = inspect.getattr_static(type(owner), name, None)
        if self.kind != "new" or not isinstance(cache, functools.cached_property):
            return False
        try:
            value = cache.func(owner)
        except Exception:  # then it is only known to be new
            return False
        anew, cached = (snapshot(each, record, find) for each in (value, vars(owner)[name]))
        return not compared("it", anew, cached, [], ())[0]


def compared(
    name: str,
    fresh: Snapshot,
    respawned: Snapshot,
    others: list[Snapshot],
    ignore: Iterable[str],
) -> tuple[list[Difference], int]:
    """Walk through all snapshots in step, the nearest first; return what differs, of how many."""
    found: list[Difference] = []
    start = tuple((pattern, len(name) + 1) for pattern in ignore)
    roots = tuple(each.root for each in others)
    root = respawned.root
    waiting = deque([Difference(name, fresh.root, root, roots, root, ignored=start)])
    seen: set[tuple[int, int]] = set()
    values = 0
    while waiting:
        place = waiting.popleft()
        both, path = (id(place.fresh), id(place.respawned)), place.path
        if any(path[at:] == each or fnmatchcase(path[at:], each) for each, at in place.ignored):
            seen.add(both)  # by whatever way one comes to it
            continue
        values += 1
        place = place.with_sharing()
        if place.by_chance() or (place.fresh is not None and both in seen):
            continue
        seen.add(both)
        if _alike(place.fresh, place.respawned):
            waiting.extend(place.parts())
        elif (difference := place.judged()) is not None:
            found.append(difference)
    return found, values


def _alike(one: Node | None, other: Node | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return one.reading.kind == other.reading.kind and same(one.reading.value, other.reading.value)


def _is_filled_cache(fresh: Node | None, respawned: Node | None) -> bool:
    """Tell whether a font is there now, or a dict has gained pictures: to be made but once."""
    if respawned is None:
        return False
    if fresh is None or fresh.reading.kind == "NoneType":
        return respawned.reading.kind in _RESOURCES
    if fresh.reading.kind != respawned.reading.kind or "dict" not in fresh.reading.kind.lower():
        return False
    gained = [part for edge, part in respawned.parts.items() if edge not in fresh.parts]
    kept = all(_alike(part, respawned.parts.get(edge)) for edge, part in fresh.parts.items())
    return bool(gained) and kept and all(map(_is_picture, gained))


def _is_picture(node: Node) -> bool:
    """Tell whether something is made of pictures or fonts alone: what caches hold."""
    if node.reading.kind in {"Surface", "Mask", *_RESOURCES}:
        return True
    return bool(node.parts) and all(map(_is_picture, node.parts.values()))
