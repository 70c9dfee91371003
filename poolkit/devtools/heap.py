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
_MOST_HOLDERS = 200  # to go on from at each step, as the collector takes as long for each
# The pool holds these.
_HOOKS = frozenset({"awake", "spawned", "despawned", "destroyed", "update"})


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
    internal: Iterable[int] = (),
    num_steps: int = 4,
    through: tuple[type, ...] = CONTAINERS,
) -> dict[int, Any]:
    """Return what refers to some objects, by `id`; of very much only a part.

    Args:
        things: The objects.
        internal: What isn't returned, by `id`. Running functions aren't either.
        num_steps: How far to go through containers, which are returned too.
        through: The kinds of containers.
    """
    holders_by_id: dict[int, Any] = {}
    level = things
    skipped = {*internal, id(things), id(holders_by_id)}
    for _ in range(num_steps):
        referrers = gc.get_referrers(*level) if level else []
        skipped |= {id(referrers), id(level)}  # this function's own lists
        new = (
            (id(referrer), referrer)
            for referrer in referrers
            if not (
                id(referrer) in skipped
                or id(referrer) in holders_by_id
                or isinstance(referrer, types.FrameType)
            )
        )
        batch = dict(itertools.islice(new, _MOST_HOLDERS))
        skipped.add(id(batch))
        holders_by_id |= batch
        # Not through a module's variables: they have a name.
        level = [e for e in batch.values() if isinstance(e, through) and module_of(e) is None]
    return holders_by_id


def is_held_by_the_game(thing: object, internal: Iterable[int], kinds: Container[type]) -> bool:
    """Return whether more than some kinds of objects, and their classes and defaults, hold it."""
    for holder in holders([thing], internal).values():
        is_owner = is_class_of_the_game(type(holder)) and type(holder) not in kinds
        is_call = isinstance(holder, functools.partial | types.CellType)
        if is_owner or is_call or module_of(holder):
            return True
    return False


def module_of(thing: Any) -> str | None:
    """Return the name of the module whose variables a dict holds; `None` for all else."""
    is_of_one = isinstance(thing, dict) and "__builtins__" in thing and "__name__" in thing
    return str(thing["__name__"]) if is_of_one else None


def methods_of(owners: list[Any]) -> dict[int, Any]:
    """Return the methods bound to some objects, weakly too, except hooks; by `id`."""
    owner_ids = set(map(id, owners))
    references = (ref for owner in owners for ref in weakref.getweakrefs(owner))  # as signals do
    methods: dict[int, Any] = {id(r): r for r in references if isinstance(r, weakref.WeakMethod)}
    for method in gc.get_referrers(*owners) if owners else ():
        is_bound = isinstance(method, types.MethodType) and id(method.__self__) in owner_ids
        if is_bound and method.__func__.__name__ not in _HOOKS:
            methods[id(method)] = method
    return methods


def dict_of(thing: object) -> dict[str, Any]:
    """Return an object's `__dict__` without running code of its class; empty if it has none."""
    try:
        attributes: dict[str, Any] = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return attributes


def with_dicts(owners: Iterable[Any]) -> Iterator[int]:
    """Yield the `id` of some objects, and of the dicts of their attributes."""
    for owner in owners:
        yield from (id(owner), id(dict_of(owner)))
