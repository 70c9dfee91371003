"""How bodies, shapes and joints were built, and how each of their lives begins like that again."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.physics.chipmunk import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.physics.chipmunk import Fingerprint

_BODY = ("body_type", "mass", "moment", "center_of_gravity")
_SHAPE = ("sensor", "collision_type", "filter", "elasticity", "friction", "surface_velocity")


class BodySnapshot:
    """What the parts of one rigid body were like before their first life.

    All that pymunk lets be changed and can be asked for; `RigidBody` says what that is.
    """

    __slots__ = ("_bodies", "_carried", "_fingerprint", "_joints", "_parts", "_shapes", "_unseen")

    def __init__(
        self,
        bodies: Sequence[pymunk.Body],
        shapes: Sequence[pymunk.Shape],
        joints: Sequence[pymunk.Constraint],
    ) -> None:
        self._parts: tuple[pymunk.Body | pymunk.Shape, ...] = (*bodies, *shapes)
        self._bodies = [_Body(body) for body in bodies]
        self._shapes = [_Shape(shape) for shape in shapes]
        self._joints = [_Joint(joint) for joint in joints]
        # What each body carries, as a live view, and how many that is to be.
        self._carried = [(body.shapes, len(body.shapes)) for body in bodies]
        self._unseen: list[_Body | _Joint] = [
            *(body for body in self._bodies if body.can_change_unseen),
            *self._joints,
        ]
        self._fingerprint = self._take_fingerprint()

    def _take_fingerprint(self) -> Fingerprint:
        fingerprint: Fingerprint = ()
        for part in self._parts:
            of_part = fingerprint_of(part)
            if of_part is None:
                return ((bytes, b"unknown"),)  # never the same: each setting is looked at
            fingerprint += of_part
        return fingerprint

    def restore(self) -> None:
        """Let them be like that again. They are out of any space."""
        if self._shows_a_change():
            self.restore_plainly()
            # A function that was changed and set back lies somewhere else.
            self._fingerprint = self._take_fingerprint()
        elif self._unseen:
            for part in self._unseen:
                part.restore()

    @property
    def is_current(self) -> bool:
        """Whether they certainly are like that now."""
        return not self._unseen and not self._shows_a_change()

    def _shows_a_change(self) -> bool:
        for read, was in self._fingerprint:
            if read() != was:
                return True
        for carried, count in self._carried:  # noqa: SIM110 - any() takes four times as long
            if len(carried) != count:
                return True
        return False

    def restore_plainly(self) -> None:
        """Look at each setting, and set those that differ: what `restore` means."""
        # Shapes first: a body's mass is worked out anew where that of a shape is set.
        for shape in self._shapes:
            shape.restore()
        for body in self._bodies:
            body.restore()
        for joint in self._joints:
            joint.restore()


class _Body:
    __slots__ = ("_body", "_carried", "_position_func", "_values", "_velocity_func")

    def __init__(self, body: pymunk.Body) -> None:
        self._body = body
        self._carried = tuple(body.shapes)
        self._values: list[tuple[str, Any]] = [(name, getattr(body, name)) for name in _BODY]
        if any(shape.mass for shape in body.shapes):  # it has its mass from them, while in a space
            del self._values[1:]
        elif body.body_type != pymunk.Body.DYNAMIC:
            del self._values[1:3]  # infinite, and can't be set
        self._velocity_func = body.velocity_func
        self._position_func = body.position_func

    @property
    def can_change_unseen(self) -> bool:
        """Whether there are changes that leave no trace in its numbers."""
        # From one function of the game's to another; between the types of infinite mass.
        return (
            self._velocity_func is not pymunk.Body.update_velocity
            or self._position_func is not pymunk.Body.update_position
            or self._body.body_type != pymunk.Body.DYNAMIC
        )

    def restore(self) -> None:
        body = self._body
        for name, value in self._values:
            if getattr(body, name) != value:
                setattr(body, name, value)
        # Equality: a method is another object each time it is asked for.
        if body.velocity_func != self._velocity_func:
            body.velocity_func = self._velocity_func
        if body.position_func != self._position_func:
            body.position_func = self._position_func
        for shape in self._carried:
            if shape.body is None and shape.space is None:
                shape.body = body
        for shape in [shape for shape in body.shapes if shape not in self._carried]:
            if shape.space is None:
                shape.body = None


class _Shape:
    __slots__ = ("_form", "_mass", "_shape", "_values")

    def __init__(self, shape: pymunk.Shape) -> None:
        self._shape = shape
        self._values = [(name, getattr(shape, name)) for name in _SHAPE]
        self._mass = shape.mass
        self._form = _form(shape)

    def restore(self) -> None:
        shape = self._shape
        for name, value in self._values:
            if getattr(shape, name) != value:
                setattr(shape, name, value)
        for setter, form in _form(shape).items():
            if form != self._form[setter]:
                getattr(shape, setter)(*self._form[setter])
        if shape.mass != self._mass:
            shape.mass = self._mass


class _Joint:
    __slots__ = ("_joint", "_values")

    def __init__(self, joint: pymunk.Constraint) -> None:
        self._joint = joint
        kind: Any = type(joint)
        self._values = [(name, getattr(joint, name)) for name in _settings(kind)]

    def restore(self) -> None:
        joint = self._joint
        for name, value in self._values:
            if getattr(joint, name) != value:
                setattr(joint, name, value)


def _form(shape: pymunk.Shape) -> dict[str, Any]:
    """Return what describes the form of a shape, by the name of what sets it."""
    if isinstance(shape, pymunk.Circle):
        return {"unsafe_set_radius": (shape.radius,), "unsafe_set_offset": (shape.offset,)}
    if isinstance(shape, pymunk.Segment):
        return {
            "unsafe_set_radius": (shape.radius,),
            "unsafe_set_endpoints": (shape.a, shape.b),
        }
    if isinstance(shape, pymunk.Poly):
        return {
            "unsafe_set_radius": (shape.radius,),
            "unsafe_set_vertices": (shape.get_vertices(),),
        }
    return {}


@functools.cache
def _settings(kind: type[pymunk.Constraint]) -> tuple[str, ...]:
    """Return the names of all properties of a kind of joint that can be set."""
    return tuple(
        name
        for name in dir(kind)
        if not name.startswith("_")
        and isinstance(getattr(kind, name), property)
        and getattr(kind, name).fset is not None
    )
