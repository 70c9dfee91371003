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


Kind = Literal[
    "changed",
    "component",
    "group",
    "grown",
    "missing",
    "new",
    "reference",
    "shared",
    "space",
    "subscription",
    "timer",
]


# The game's groups, dice and counters: what all use together, and what is never the same twice.
_MEANT_TO_BE_SHARED = frozenset({"group", "iterator", "random", "itertools.count"})
# What is loaded when it is first needed, and never changes.
_RESOURCES = frozenset({"pygame.font.Font", "pygame.Font", "pygame.mixer.Sound"})
_RESOURCES |= {"pygame.freetype.Font", "pygame._freetype.Font"}


class Difference(NamedTuple):
    """A path, what the instances have there, and who holds it.

    Attributes:
        path: Where: ``orc.health.current``.
        fresh: What the fresh one has there; `None`: nothing.
        respawned: What the respawned one has there.
        others: What other fresh ones have there.
        is_shared: Whether it is of one thing that several instances have.
        ignored: Patterns, each with the length of the path that it begins at.
        owner: The nearest object with attributes on the way to it, as it was respawned.
        attribute: The attribute of `owner` that leads to it.
        kind: In which way they differ.
    """

    path: str
    fresh: Node | None
    respawned: Node | None
    others: tuple[Node | None, ...]
    is_shared: bool
    ignored: tuple[tuple[str, int], ...]
    owner: Node
    attribute: str
    kind: Kind = "changed"

    def parts(self) -> Iterator[Difference]:
        """Yield the places of what is inside."""
        fresh, respawned = self.fresh, self.respawned
        if fresh is None or respawned is None:
            return
        start = len(self.path) + 1
        ignored = (*self.ignored, *((pattern, start) for pattern in fresh.reading.ignored))
        is_object = fresh.reading.has_attributes
        for edge in dict.fromkeys((*fresh.parts, *respawned.parts)):
            named = is_object and edge.startswith(".")
            yield Difference(
                self.path + edge,
                fresh.parts.get(edge),
                respawned.parts.get(edge),
                tuple(other and other.parts.get(edge) for other in self.others),
                self.is_shared,
                ignored,
                respawned if is_object else self.owner,
                edge[1:] if named else self.attribute,
            )

    def with_sharing(self) -> Difference:
        """Note whether what is there is one thing that several instances have."""
        fresh, (other, *_) = self.fresh, (*self.others, None)
        if self.is_shared or fresh is None or other is None:
            return self
        if fresh.reading.kind == "callbacks":  # the world's, but not for several to change
            return self._replace(others=self.others[:1])
        is_one = fresh.reading.is_mutable and fresh.source is other.source
        if not is_one and not fresh.reading.is_of_class:
            return self
        # What the lives of others made of it meanwhile tells nothing about chance.
        return self._replace(is_shared=True, others=self.others[:1])

    def by_chance(self) -> bool:
        """Tell whether fresh instances differ, each in what is its own."""
        if self.is_shared and self.fresh is not None and self.fresh.reading.is_mutable:
            return False
        return any(not _alike(self.fresh, other) for other in self.others)

    def judged(self) -> Difference | None:
        """Return it with the way in which the instances differ; `None` if they are meant to."""
        fresh, respawned = self.fresh, self.respawned
        kind: Kind = "changed"
        if fresh is None or respawned is None:
            kind = "new" if fresh is None else "missing"
        elif self.is_shared and fresh.reading.kind in _MEANT_TO_BE_SHARED:
            return None
        elif fresh.reading.kind == "groups":
            kind = "group"
        elif self.attribute == "components":
            kind = "component"
        elif fresh.reading.kind == respawned.reading.kind and fresh.reading.size is not None:
            kind = "grown" if (respawned.reading.size or 0) > fresh.reading.size else "changed"
        if _is_filled_cache(fresh, respawned):
            return None
        # A class's default is nobody's own, until an instance has set it.
        defaults = [each.reading.is_of_class for each in (fresh, respawned) if each is not None]
        is_set = defaults == [True, False]
        return self._replace(kind="shared" if self.is_shared and not is_set else kind)

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
    first = Difference(name, fresh.root, respawned.root, roots, False, start, respawned.root, "")  # noqa: FBT003
    waiting = deque([first])
    seen: set[tuple[int, int]] = set()
    values = 0
    while waiting:
        place = waiting.popleft()
        one, other = place.fresh, place.respawned
        path = place.path
        if any(path[at:] == each or fnmatchcase(path[at:], each) for each, at in place.ignored):
            seen.add((id(one), id(other)))  # by whatever way one comes to it
            continue
        values += 1
        place = place.with_sharing()
        if place.by_chance() or (one is not None and (id(one), id(other)) in seen):
            continue
        seen.add((id(one), id(other)))
        if not _alike(one, other):
            difference = place.judged()
            found += [difference] if difference is not None else []
        elif one is not None and other is not None and one.is_whole and other.is_whole:
            waiting.extend(place.parts())
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
