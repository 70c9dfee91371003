"""Frees bodies, shapes and joints by reference count alone, once their sprite is destroyed."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["let_go"]

# By which C code finds the object again, when it calls back. A handle keeps its object alive, and
# the object keeps the handle: a cycle in each of them, which only the collector would find.
_HANDLES: dict[type, tuple[str, str, Callable[[Any, Any], None]]] = {
    pymunk.Body: ("_data_handle", "_body", lib.cpBodySetUserData),
    pymunk.Shape: ("_h", "_shape", lib.cpShapeSetUserData),
    pymunk.Constraint: ("_data_handle", "_constraint", lib.cpConstraintSetUserData),
}


def let_go(space: pymunk.Space, bodies: Iterable[pymunk.Body]) -> None:
    """Cut the cycles of a destroyed sprite's bodies, and of all that hangs on them.

    What is in a space is the game's. What the game holds on to still works, and may even enter a
    space again: C code finds it by a weak proxy.
    """
    # Only after its next step would pymunk itself forget the shapes that have left.
    removed: dict[pymunk.Shape, None] = getattr(space, "_removed_shapes", {})
    for body in bodies:
        for joint in list(body.constraints):
            _cut(joint, pymunk.Constraint)
        for shape in body.shapes:
            removed.pop(shape, None)
            if shape.space is None:
                _cut(shape, pymunk.Shape)
        if body.space is None:
            _cut(body, pymunk.Body)


def _cut(each: Any, kind: type) -> None:
    name, pointer, tell = _HANDLES[kind]
    if hasattr(each, name):
        handle = ffi.new_handle(weakref.proxy(each))
        tell(getattr(each, pointer), handle)
        setattr(each, name, handle)
