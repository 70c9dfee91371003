"""How bodies, shapes and joints were built, and how each of their lives begins like that again."""

from __future__ import annotations

import functools
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.physics.chipmunk import fingerprint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkit.physics.chipmunk import Fingerprint

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # how to read and write it


def _named(*names: str) -> tuple[_Setting, ...]:
    """Return the settings that are attributes of these names."""
    return tuple((attrgetter(name), functools.partial(_set, name)) for name in names)


def _set(name: str, part: object, value: object) -> None:
    setattr(part, name, value)


_BODY = _named("body_type", "velocity_func", "position_func")
_MASS = _named("mass", "moment")
_CENTER = _named("center_of_gravity")
_SHAPE_MASS = _named("mass")
_SHAPE = _named("sensor", "collision_type", "filter", "elasticity", "friction", "surface_velocity")
_FORMS: dict[type[pymunk.Shape], tuple[_Setting, ...]] = {
    pymunk.Circle: (
        (attrgetter("radius"), pymunk.Circle.unsafe_set_radius),
        (attrgetter("offset"), pymunk.Circle.unsafe_set_offset),
    ),
    pymunk.Segment: (
        (attrgetter("radius"), pymunk.Segment.unsafe_set_radius),
        (attrgetter("a", "b"), lambda shape, ends: shape.unsafe_set_endpoints(*ends)),
    ),
    pymunk.Poly: (
        (attrgetter("radius"), pymunk.Poly.unsafe_set_radius),
        (methodcaller("get_vertices"), pymunk.Poly.unsafe_set_vertices),
    ),
}


class BodySnapshot:
    """What the parts of one rigid body were like before their first life.

    All that pymunk lets be changed and can be asked for; `RigidBody` says what that is.
    """

    __slots__ = ("_carried", "_fingerprint", "_parts", "_settings", "_unseen")

    def __init__(
        self,
        bodies: Sequence[pymunk.Body],
        shapes: Sequence[pymunk.Shape],
        joints: Sequence[pymunk.Constraint],
    ) -> None:
        self._parts: tuple[pymunk.Body | pymunk.Shape, ...] = (*bodies, *shapes)
        of_shapes = [_Settings(shape, _settings_of_shape(shape)) for shape in shapes]
        of_bodies = [_Settings(body, _settings_of_body(body)) for body in bodies]
        of_joints = [_Settings(joint, _settings_of_joint(joint)) for joint in joints]
        # Shapes first: a body's mass is worked out anew where that of a shape is set.
        self._settings = [*of_shapes, *of_bodies, *of_joints]
        self._unseen = [each for each in of_bodies if _can_change_unseen(each.part)] + of_joints
        # What each body carries, as a live view, and what that is to be.
        self._carried = [(body, body.shapes, tuple(body.shapes)) for body in bodies]
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
        for _, carried, built in self._carried:  # noqa: SIM110 - any() takes four times as long
            if len(carried) != len(built):
                return True
        return False

    def restore_plainly(self) -> None:
        """Look at each setting, and set those that differ: what `restore` means."""
        for part in self._settings:
            part.restore()
        # All are taken off before any is put back: one may have gone from one body to another.
        for _, carried, was in self._carried:
            for shape in [shape for shape in carried if shape not in was]:
                if shape.space is None:
                    shape.body = None
        for body, _, was in self._carried:
            for shape in was:
                if shape.body is None and shape.space is None:
                    shape.body = body


class _Settings:
    """The settings of one part: how each is read and written, and what it was."""

    __slots__ = ("_settings", "part")

    def __init__(self, part: Any, settings: Iterable[_Setting]) -> None:
        self.part = part
        self._settings = [(read, write, read(part)) for read, write in settings]

    def restore(self) -> None:
        part = self.part
        for read, write, was in self._settings:
            if read(part) != was:  # equality: a method is another object each time it is asked for
                write(part, was)


def _settings_of_body(body: pymunk.Body) -> tuple[_Setting, ...]:
    if any(shape.mass for shape in body.shapes):  # it has its mass from them, while in a space
        return _BODY
    if body.body_type != pymunk.Body.DYNAMIC:  # infinite, and can't be set
        return (*_BODY, *_CENTER)
    return (*_BODY, *_MASS, *_CENTER)


def _can_change_unseen(body: pymunk.Body) -> bool:
    """Tell whether there are changes that leave no trace in its numbers."""
    # From one function of the game's to another; between the types of infinite mass.
    return (
        body.velocity_func is not pymunk.Body.update_velocity
        or body.position_func is not pymunk.Body.update_position
        or body.body_type != pymunk.Body.DYNAMIC
    )


def _settings_of_shape(shape: pymunk.Shape) -> tuple[_Setting, ...]:
    forms = [form for kind, form in _FORMS.items() if isinstance(shape, kind)]
    # The mass last: it would be worked out anew from the form.
    return (*_SHAPE, *(each for form in forms for each in form), *_SHAPE_MASS)


def _settings_of_joint(joint: pymunk.Constraint) -> tuple[_Setting, ...]:
    kind: Any = type(joint)
    return _settable(kind)


@functools.cache
def _settable(kind: Any) -> tuple[_Setting, ...]:
    """Return all properties of a class that can be set."""
    found = ((name, getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    return _named(*(name for name, each in found if isinstance(each, property) and each.fset))
