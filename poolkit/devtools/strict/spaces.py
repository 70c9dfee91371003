"""Bodies, shapes and joints that are still in a space although their sprite's life is over."""

from __future__ import annotations

import gc
import sys
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.devtools.attributes import package_of, things_of
from poolkit.devtools.heap import whole_heap
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.record import PoolablePrefabData

__all__ = ["Bodies", "still_in_spaces"]


class Bodies(NamedTuple):
    """The bodies, shapes and joints that a life began with, but for those of a `RigidBody`.

    Attributes:
        outside: Those that were in no space: what enters one in this life, has to leave it.
        inside: By id, those that were in a space, and so belong to somebody else.
    """

    outside: tuple[Any, ...]
    inside: frozenset[int]

    @classmethod
    def of(cls, everything: list[tuple[str, Any]]) -> Bodies | None:
        """Find them among the attributes of what an instance consists of; `None`: no pymunk."""
        if "pymunk" not in sys.modules:
            return None
        found = _unowned(everything)
        return cls(
            tuple(each for each in found if not _is_in_space(each)),
            frozenset(id(each) for each in found if _is_in_space(each)),
        )


def still_in_spaces(
    data: PoolablePrefabData[Any], everything: list[tuple[str, Any]], bodies: Bodies | None
) -> Iterator[str]:
    """Yield what a life that is over has left in a space, in words."""
    parts = data.instance._all_parts() if isinstance(data.instance, PooledSprite) else ()
    rigids = [part for part in parts if hasattr(part, "objects_in_space")]
    if any(rigid.is_leaving for rigid in rigids):
        return  # a step is under way: they leave when it is over
    left = {id(each): each for rigid in rigids for each in rigid.objects_in_space()}
    if bodies is not None:
        left |= {id(each): each for each in bodies.outside if _is_in_space(each)}
        left |= {id(each): each for each in _made_meanwhile(everything, bodies)}
    for each in left.values():
        yield f"{each!r} of {data.label} is still in its space"


def _made_meanwhile(everything: list[tuple[str, Any]], bodies: Bodies) -> list[Any]:
    """Return what was made in this life, is in a space, and is known to the instance alone."""
    kind = type(everything[0][1])
    if kind in _kinds_that_know_others:
        return []
    known = bodies.inside | {id(each) for each in bodies.outside}
    found: list[Any] = []
    candidates = _unowned(everything)
    for each in candidates:
        if id(each) not in known and _is_in_space(each):
            with whole_heap():
                is_known = _is_known_to_others(each, everything, (candidates, found))
            if is_known:
                # A body that it aims at, say. The collector is not asked again for each missile.
                _kinds_that_know_others.add(kind)
                return []
            found.append(each)
    return found


_kinds_that_know_others: set[type] = set()


def _is_known_to_others(
    thing: Any, everything: list[tuple[str, Any]], ours: tuple[object, ...]
) -> bool:
    own = {id(each) for each in ours}
    own |= {id(each) for _, each in everything}
    own |= {id(getattr(each, "__dict__", None)) for _, each in everything}
    own |= {id(value) for _, each in everything for value in things_of(each)}
    referring = gc.get_referrers(thing)
    own.add(id(referring))
    for each in referring:
        if id(each) not in own and package_of(type(each)) not in _PYMUNKS:
            is_container = isinstance(each, dict | list | set | tuple)
            above = gc.get_referrers(each) if is_container else [each]
            if not all(id(other) in own or _is_no_holder(other) for other in above):
                return True
    return False


def _is_no_holder(thing: object) -> bool:
    running = isinstance(thing, FrameType | GeneratorType)
    return running or package_of(type(thing)) in {"poolkit", *_PYMUNKS}


_PYMUNKS = ("pymunk", "_cffi_backend")


def _unowned(everything: list[tuple[str, Any]]) -> list[Any]:
    pymunk: Any = sys.modules["pymunk"]
    from poolkit.physics.rigid_body import owner_of  # noqa: PLC0415 - pymunk is there already

    found: dict[int, Any] = {}
    for _, each in everything:
        for thing in things_of(each):
            if isinstance(thing, pymunk.Shape):
                body = thing.body
            elif isinstance(thing, pymunk.Constraint):
                body = thing.a
            elif isinstance(thing, pymunk.Body):
                body = thing
            else:
                continue
            if owner_of(body) is None:
                found[id(thing)] = thing
    return list(found.values())


def _is_in_space(thing: Any) -> bool:
    if hasattr(thing, "space"):
        return thing.space is not None
    return any(thing in body.space.constraints for body in (thing.a, thing.b) if body.space)
