"""Snapshots of bodies, shapes and joints, to restore them after each life.

The parts of a rigid body are watched: their classes report a change before it happens. Only then
is the snapshot taken, so a life that changes nothing costs nothing here.
"""

from __future__ import annotations

import functools
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.saving import saved_without
from poolkit.core.seams import instrumented, set_class
from poolkit.physics.chipmunk import internals_match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.physics.rigid_body import BodyHandler

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # reads one, and writes it
    _Saved = tuple[Any, Any, Callable[[Any], Any], Callable[[Any, Any], object]]
    _Mass = tuple[float, float, tuple[float, float]]  # mass, moment, center of gravity

# An attribute of each part, because every collision callback asks for it. pymunk copies no
# attribute that begins with an underscore.
OWNER = "_poolkit_owner"

# States of a rigid body: plain numbers, because every spawn, despawn and collision compares them.
NEW = -1  # there is no snapshot yet, nor a life
OUT = 0
IN = 1  # or will be, at the end of the step
LEAVING = 2  # its life is over, but the step isn't

# The angle first: a body turns around its center of gravity, which moves its position.
MOTION = ("angle", "position", "velocity", "angular_velocity", "force", "torque")
_GEOMETRY: dict[str, Callable[[Any], Any]] = {  # methods of shapes, and what they were given
    "unsafe_set_radius": lambda shape: (shape.radius,),
    "unsafe_set_offset": lambda circle: (circle.offset,),
    "unsafe_set_endpoints": attrgetter("a", "b"),
    "unsafe_set_vertices": lambda poly: (poly.get_vertices(),),
}
# Settings that depend on each other: restored last, or with the shapes that a body carries.
_MASS_PROPERTIES = {"body", "density", "mass", "moment", "center_of_gravity"}


def owner_of(part: Any) -> BodyHandler | None:
    """Return the handler of the rigid body that a part belongs to, or `None`."""
    return None if part is None else part.__dict__.get(OWNER)


@saved_without("_carried", "_settings")
class BodySnapshot:
    """The settings of all parts of a rigid body; `is_changed` says whether they differ now."""

    __slots__ = ("_carried", "_settings", "is_changed")

    def __init__(self, handler: BodyHandler) -> None:
        self.is_changed: bool = True
        self._carried = [(body, tuple(body.shapes)) for body in handler.bodies]
        self._settings = read_settings(handler.parts)

    def restore(self) -> None:
        """Restore the parts, which are in no space."""
        write_settings(self._settings)
        moved = [(body, shapes) for body, shapes in self._carried if tuple(body.shapes) != shapes]
        # Take all off before putting any back: one may have moved from one body to another.
        for body, shapes in moved:
            _set_body(None, *body.shapes, *shapes)
        for body, shapes in moved:
            _set_body(body, *shapes)
        self.is_changed = any(tuple(body.shapes) != shapes for body, shapes in moved)


def _set_body(body: pymunk.Body | None, *shapes: pymunk.Shape) -> None:
    for shape in shapes:
        if shape.space is None:
            shape.body = body


def watch(parts: Iterable[Any], handler: BodyHandler) -> None:
    """Let the parts of a rigid body report every change of a setting before it happens."""
    classes = _watched_classes()
    for part in parts:
        cls = classes.get(type(part))
        if cls is None:
            handler.reports_changes = False
        else:
            set_class(part, cls)
        part.__dict__[OWNER] = handler


def unwatch(parts: Iterable[Any]) -> None:
    """Undo `watch`."""
    for part in parts:
        set_class(part, part.__class__)
        part.__dict__[OWNER] = None


@functools.cache
def _watched_classes() -> dict[Any, Any]:
    """Return the classes that report changes, by the classes of pymunk that they extend."""
    classes: set[Any] = {pymunk.Body, pymunk.Circle, pymunk.Segment, pymunk.Poly}
    # A ratchet turns by itself, and a class of the game's may call pymunk's own setters.
    classes |= {cls for cls in pymunk.Constraint.__subclasses__() if _is_of_pymunk(cls)}
    classes.discard(pymunk.RatchetJoint)
    return {cls: instrumented(cls, _setter_overrides) for cls in classes if internals_match()}


def _setter_overrides(cls: Any) -> dict[str, Any]:
    """Return the setters and methods of a class of parts, extended to report the change first."""

    def reported(change: Any) -> Any:
        @functools.wraps(change)
        def report_and_change(part: Any, *args: Any, **kwargs: Any) -> object:
            owner = owner_of(part)
            if owner is not None:
                owner.on_before_change()
            return change(part, *args, **kwargs)

        return report_and_change

    overrides = {name: reported(getattr(cls, name)) for name in _GEOMETRY if hasattr(cls, name)}
    for name, setting in _settable(cls).items():
        overrides[name] = setting.setter(reported(setting.fset))
    if issubclass(cls, pymunk.Body):  # pymunk changes its shapes by this attribute
        overrides["_shapes"] = property(reported(lambda body: vars(body)["_shapes"]))
        overrides["shapes"] = property(lambda body: vars(body)["_shapes"].keys())
    return overrides


def _settable(cls: Any) -> dict[str, property]:
    """Return the properties of a class that can be set, without motion."""
    motion = MOTION if issubclass(cls, pymunk.Body) else ()
    members = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {
        name: member
        for name, member in members.items()
        if name not in motion and isinstance(member, property) and member.fset
    }


def read_settings(parts: Iterable[Any]) -> list[_Saved]:
    """Return the settings of parts, without motion, each with how to read and to write it."""
    return [
        (part, read(part), read, write)
        for part in parts
        for read, write in _settings_of(next(filter(_is_of_pymunk, type(part).__mro__)))
    ]


def write_settings(settings: Iterable[_Saved]) -> None:
    """Give parts the settings that they had."""
    for part, value, read, write in settings:
        if read(part) != value:  # not `is`: each access makes a new bound method
            write(part, value)


@functools.cache
def _settings_of(cls: Any) -> tuple[_Setting, ...]:
    """Return how to read and write the settings of one of pymunk's own classes."""
    settings: list[Any] = [
        (setting.fget, setting.fset)
        for name, setting in _settable(cls).items()
        if name not in _MASS_PROPERTIES
    ]
    for name, read in _GEOMETRY.items():
        if hasattr(cls, name):  # pymunk's own: the game's may take something else
            settings.append((read, _with_arguments(getattr(cls, name))))
    if issubclass(cls, pymunk.Shape):
        settings.append((cls.mass.fget, cls.mass.fset))  # after the form, which changes it
    elif issubclass(cls, pymunk.Body):
        settings.append((_mass_of, _set_mass))
    return tuple(settings)


def _with_arguments(method: Any) -> Callable[[Any, Any], object]:
    return lambda part, args: method(part, *args)


def _is_of_pymunk(cls: type) -> bool:
    return cls.__module__.startswith("pymunk.")


def _mass_of(body: pymunk.Body) -> _Mass | None:
    """Return mass, moment and center of gravity; `None` where shapes give the body its mass."""
    # Shapes that were added in this life don't count.
    if any(shape.mass for shape in body.shapes if OWNER in shape.__dict__):
        return None
    return body.mass, body.moment, body.center_of_gravity


def _set_mass(body: pymunk.Body, mass: _Mass | None) -> None:
    if mass is not None:
        if mass[0] < inf:  # otherwise the body is not dynamic, and it can't be set
            body.mass, body.moment = mass[:2]
        body.center_of_gravity = mass[2]
