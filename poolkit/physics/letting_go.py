"""Frees bodies, shapes and joints by reference count alone, once their sprite is destroyed."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["cut_cycle", "let_go"]

# By which C code finds the object again, when it calls back. A handle keeps its object alive, and
# the object keeps the handle: a cycle in each of them, which only the collector would find.
_HANDLES: dict[type, tuple[str, str, Callable[[Any, Any], None]]] = {
    pymunk.Body: ("_data_handle", "_body", lib.cpBodySetUserData),
    pymunk.Shape: ("_h", "_shape", lib.cpShapeSetUserData),
    pymunk.Constraint: ("_data_handle", "_constraint", lib.cpConstraintSetUserData),
}


def let_go(
    space: pymunk.Space, bodies: Iterable[pymunk.Body], joints: Iterable[pymunk.Constraint]
) -> None:
    """Cut the cycles of a destroyed sprite's bodies, and of all that hangs on them.

    What is in a space is the game's. What the game holds on to still works, and may even enter a
    space again: C code finds it by a weak proxy. But it calls none of the functions that it had,
    for these may be methods of the sprite's.
    """
    for joint in joints:
        _forget_functions(joint)
    # Only after its next step would pymunk itself forget the shapes that have left.
    removed: dict[pymunk.Shape, None] = getattr(space, "_removed_shapes", {})
    for body in bodies:
        for joint in list(body.constraints):
            cut_cycle(joint)
        for shape in body.shapes:
            removed.pop(shape, None)
            if shape.space is None:
                cut_cycle(shape)
        if body.space is None:
            body.velocity_func = pymunk.Body.update_velocity
            body.position_func = pymunk.Body.update_position
            cut_cycle(body)


def _forget_functions(joint: pymunk.Constraint) -> None:
    joint.pre_solve = joint.post_solve = None
    if isinstance(joint, pymunk.DampedSpring):
        joint.force_func = pymunk.DampedSpring.spring_force
    elif isinstance(joint, pymunk.DampedRotarySpring):
        joint.torque_func = pymunk.DampedRotarySpring.spring_torque


def cut_cycle(part: pymunk.Body | pymunk.Shape | pymunk.Constraint) -> None:
    """Let C code find a body, shape or joint by a weak proxy, so that it is freed at once."""
    for kind, (name, pointer, tell) in _HANDLES.items():
        if isinstance(part, kind) and hasattr(part, name):
            handle = ffi.new_handle(weakref.proxy(part))
            tell(getattr(part, pointer), handle)
            setattr(part, name, handle)
