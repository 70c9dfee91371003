"""Asks the garbage collector who holds an object. It looks at everything, so it is slow."""

from __future__ import annotations

import functools
import gc
import itertools
import types
import weakref
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from poolkit.devtools.code import is_class_of_the_game

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

CONTAINERS = (dict, list, tuple, set, frozenset, deque)
_MOST = 200  # holders to go on from at each step, as the collector takes as long for each
_HOOKS = frozenset({"awake", "spawned", "despawned", "destroyed", "update"})  # the pool holds these


@contextmanager
def whole_heap() -> Iterator[None]:
    """Let the collector see frozen objects too, as after `poolkit.scenes.settle`.

    They are frozen again afterwards, after a collection, so that no garbage is frozen with them.
    """
    if not gc.get_freeze_count():
        yield
        return
    gc.unfreeze()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()


def holders(
    things: list[Any],
    ours: Iterable[int] = (),
    steps: int = 4,
    through: tuple[type, ...] = CONTAINERS,
) -> tuple[dict[int, Any], bool]:
    """Return what refers to some objects, by `id`, through some containers, which are included.

    Running functions and `ours`, by `id`, are left out. The second value says whether there were
    too many at some step, so that only the first are returned.
    """
    found: dict[int, Any] = {}
    is_cut = False
    level = things
    skipped = {*ours, id(things), id(found)}
    for _ in range(steps):
        above = gc.get_referrers(*level) if level else []
        skipped |= {id(above), id(level)}
        new = (
            (id(each), each)
            for each in above
            if not (id(each) in skipped or id(each) in found or isinstance(each, types.FrameType))
        )
        several = dict(itertools.islice(new, _MOST))
        is_cut = is_cut or next(new, None) is not None
        skipped.add(id(several))
        found |= several
        level = [e for e in several.values() if isinstance(e, through) and module_of(e) is None]
    return found, is_cut


def is_held_by_the_game(thing: object, ours: Iterable[int], kinds: Container[type]) -> bool:
    """Return whether more than some kinds of objects, and their classes and defaults, hold it."""
    found, _ = holders([thing], ours)
    for each in found.values():
        is_owner = is_class_of_the_game(type(each)) and type(each) not in kinds
        if is_owner or isinstance(each, functools.partial | types.CellType) or module_of(each):
            return True
    return False


def module_of(thing: Any) -> str | None:
    """Return the name of the module whose variables a dict holds; `None` for all else."""
    is_of_one = isinstance(thing, dict) and "__builtins__" in thing and "__name__" in thing
    return str(thing["__name__"]) if is_of_one else None


def methods_of(owners: list[Any]) -> dict[int, Any]:
    """Return the methods bound to some objects, weakly too, except hooks; by `id`."""
    own = set(map(id, owners))
    weakly = (ref for owner in owners for ref in weakref.getweakrefs(owner))  # as signals do
    found: dict[int, Any] = {id(e): e for e in weakly if isinstance(e, weakref.WeakMethod)}
    for each in gc.get_referrers(*owners) if owners else ():
        is_own = isinstance(each, types.MethodType) and id(each.__self__) in own
        if is_own and each.__func__.__name__ not in _HOOKS:
            found[id(each)] = each
    return found


def own_dict(thing: object) -> dict[str, Any]:
    """Return an object's `__dict__` without running code of its class; empty if it has none."""
    try:
        found: dict[str, Any] = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return found


def with_dicts(owners: Iterable[Any]) -> Iterator[int]:
    """Yield the `id` of some objects, and of the dicts of their attributes."""
    for owner in owners:
        yield from (id(owner), id(own_dict(owner)))
