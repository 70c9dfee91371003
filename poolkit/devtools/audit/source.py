"""Finds, in the source of classes, where an attribute's value is changed in place.

Nothing tells when a list is appended to, so its callers are read instead of watched.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["places_that_change"]

_CHANGING = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "apply_force_at_local_point",
        "apply_force_at_world_point",
        "apply_impulse_at_local_point",
        "apply_impulse_at_world_point",
        "blit",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "extendleft",
        "fill",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "rotate",
        "scale_to_length",
        "set_alpha",
        "set_at",
        "set_colorkey",
        "setdefault",
        "sort",
        "subtract",
        "symmetric_difference_update",
        "update",
    },
)
# Functions that change their first argument.
_TAKE_WHAT_THEY_CHANGE = frozenset(
    {
        "heapify",
        "heappop",
        "heappush",
        "heappushpop",
        "heapreplace",
        "insort",
        "insort_left",
        "insort_right",
        "next",
        "shuffle",
    },
)
_BUILDING = frozenset({"__init__", "__post_init__", "awake"})
_MOST = 3


class _Change(NamedTuple):
    attribute: str
    method: str
    place: str


def places_that_change(attribute: str, kinds: Iterable[type]) -> tuple[str, ...]:
    """Return where methods change what `attribute` holds: ``Orc.loot (monsters.py:50)``.

    Where instances are built is named only if nothing else is found; three places at most.
    """
    found: dict[str, str] = {}
    for each in dict.fromkeys(each for kind in kinds for each in kind.__mro__):
        for change in _changes_in(each):
            if change.attribute == attribute:
                found.setdefault(change.place, change.method)
    later = tuple(place for place, method in found.items() if method not in _BUILDING)
    return (later or tuple(found))[:_MOST]


@functools.cache
def _changes_in(kind: type) -> tuple[_Change, ...]:
    if kind.__module__.partition(".")[0] in {"builtins", "poolkit", "pygame", "pymunk"}:
        return ()
    try:
        lines, first = inspect.getsourcelines(kind)
        file = inspect.getsourcefile(kind) or "?"
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # typed into a prompt, or built at run time
        return ()
    ast.increment_lineno(tree, first - 1)
    body = tree.body[0]
    if not isinstance(body, ast.ClassDef):
        return ()
    changes = []
    for method in body.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{kind.__name__}.{method.name}"
            for attribute, line in _changed_by(method):
                place = f"{name} ({Path(file).name}:{line})"
                changes.append(_Change(attribute, method.name, place))
    return tuple(changes)


def _changed_by(method: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the attributes whose values a method changes in place, and the line."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call):
            targets = _changed_by_call(node)
        else:
            continue
        for target in targets:
            # What is assigned anew was seen when it was written: here, what it is a part of.
            inside = target if isinstance(node, ast.Call | ast.AugAssign) else _inside(target)
            for attribute in _owners(inside):
                yield attribute, getattr(node, "lineno", 0)


def _changed_by_call(node: ast.Call) -> list[ast.expr]:
    """Return what a call changes, by its name: what its method is of, or its first argument."""
    function = node.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    if name in _TAKE_WHAT_THEY_CHANGE:
        return node.args[:1]
    is_changing = name in _CHANGING or name.endswith("_ip")
    return [function.value] if isinstance(function, ast.Attribute) and is_changing else []


def _inside(target: ast.expr) -> ast.expr:
    return target.value if isinstance(target, ast.Attribute) else target


def _owners(target: ast.expr) -> Iterator[str]:
    """Yield the attributes that a target is a part of, and itself where it is augmented."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(target, ast.Attribute):
            yield target.attr
            target = target.value
        else:
            target = target.func if isinstance(target, ast.Call) else target.value
