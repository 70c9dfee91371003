"""How bodies, shapes and joints were built, and how each of their lives begins like that again.

What a life may change is looked at only where it is changed: the parts of a rigid body are of kinds
that tell it beforehand.
"""

from __future__ import annotations

import functools
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.subclass import extended, swap
from poolkit.physics.chipmunk import books_are_known, told_of_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.physics.rigid_body import RigidBody

    _Setting = tuple[Callable[[Any], Any], Callable[[Any, Any], object]]  # how to read, and write
    _Mass = tuple[float, float, tuple[float, float]]  # mass, moment, centre of gravity

# An attribute of each part, not a map beside it: asked in every collision callback, and gone with
# the part. pymunk copies no attribute that begins with an underscore.
OWNER = "_poolkit_owner"

_MOTION = {"position", "angle", "velocity", "angular_velocity", "force", "torque"}
_FORMS: dict[str, Callable[[Any], Any]] = {  # methods of shapes, and what they were given
    "unsafe_set_radius": lambda shape: (shape.radius,),
    "unsafe_set_offset": lambda circle: (circle.offset,),
    "unsafe_set_endpoints": attrgetter("a", "b"),
    "unsafe_set_vertices": lambda poly: (poly.get_vertices(),),
}


class BodySnapshot:
    """How the parts of a rigid body were built; `RigidBody` says what that is.

    Made when the first of that is about to change.

    Attributes:
        is_changed: Whether it has changed since, or may have without a word.
    """

    __slots__ = ("_carried", "_settings", "is_changed")

    def __init__(self, rigid: RigidBody) -> None:
        self._carried = tuple([tuple(body.shapes) for body in rigid.bodies])
        self._settings = tuple(
            (part, settings, tuple([read(part) for read, _ in settings]))
            for part, settings in zip(rigid.parts, map(_settings_of, rigid.parts), strict=True)
        )
        self.is_changed = True

    def restore(self, rigid: RigidBody) -> None:
        """Let its parts, which are out of any space, be like that again."""
        if not self.is_changed:
            return
        for part, settings, built in self._settings:
            for (read, write), was in zip(settings, built, strict=True):
                if read(part) != was:  # equality: a method is another object each time
                    write(part, was)
        # All are taken off before any is put back: one may have gone from one body to another.
        pairs = zip(rigid.bodies, self._carried, strict=True)
        moved = [(body, now, was) for body, was in pairs if (now := tuple(body.shapes)) != was]
        hung: list[Any] = [(shape, None) for _, now, was in moved for shape in (*now, *was)]
        for shape, body in (*hung, *((shape, body) for body, _, was in moved for shape in was)):
            if shape.space is None:
                shape.body = body
        is_elsewhere = any(tuple(body.shapes) != was for body, _, was in moved)
        self.is_changed = is_elsewhere or not rigid._tells


def tell(parts: Iterable[Any], rigid: RigidBody) -> None:
    """Tell a rigid body from now on before a setting of one of its parts is changed."""
    for part in parts:
        kind = extended(part.__class__, _telling)
        rigid._tells = rigid._tells and kind._poolkit_tells_of_all
        swap(part, kind)
        part.__dict__[OWNER] = rigid


def tell_no_more(parts: Iterable[Any]) -> None:
    """End what `tell` began."""
    for part in parts:
        swap(part, part.__class__)
        part.__dict__[OWNER] = None


def _note(part: Any) -> None:
    rigid = part.__dict__.get(OWNER)
    if rigid is not None:
        rigid.note()


def _telling(kind: Any) -> dict[str, Any]:
    """Return by what a kind of body, shape or joint tells its rigid body of changes."""

    def told(change: Any) -> Any:
        @functools.wraps(change)
        def tell_and_change(part: Any, *given: Any, **named: Any) -> object:
            _note(part)
            return change(part, *given, **named)

        return tell_and_change

    own = {name: told(getattr(kind, name)) for name in _FORMS if hasattr(kind, name)}
    # A ratchet turns by itself, and a class of the game's may call pymunk's own setters.
    is_known = _is_pymunks(kind) and not issubclass(kind, pymunk.RatchetJoint)
    own["_poolkit_tells_of_all"] = is_known and books_are_known()
    if issubclass(kind, pymunk.Body) and books_are_known():
        own.update(told_of_shapes(kind, _note))
    for name in _settable(kind):
        of = getattr(kind, name)
        own[name] = of.setter(told(of.fset))
    return own


def _settable(kind: Any) -> list[str]:
    """Return the names of all properties of a class that can be set, but for motion."""
    found = ((name, getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    settable = [name for name, each in found if isinstance(each, property) and each.fset]
    return [name for name in settable if not (issubclass(kind, pymunk.Body) and name in _MOTION)]


def _settings_of(part: Any) -> tuple[_Setting, ...]:
    """Return pymunk's own settings: those that a game's class adds are the game's to restore."""
    return _settings_of_pymunks(next(filter(_is_pymunks, type(part).__mro__)))


@functools.cache
def _settings_of_pymunks(kind: Any) -> tuple[_Setting, ...]:
    if issubclass(kind, pymunk.Body):
        return (*_named("body_type", "velocity_func", "position_func"), (_mass_of, _set_mass))
    if not issubclass(kind, pymunk.Shape):
        return _named(*_settable(kind))
    names = (name for name in _settable(kind) if name not in {"body", "density", "mass"})
    forms = ((getattr(kind, name, None), read) for name, read in _FORMS.items())
    reshape = ((read, functools.partial(_call, method)) for method, read in forms if method)
    return (*_named(*names), *reshape, *_named("mass"))  # which is worked out anew from the form


def _named(*names: str) -> tuple[_Setting, ...]:
    return tuple((attrgetter(name), functools.partial(_set, name)) for name in names)


def _set(name: str, part: object, value: object) -> None:
    setattr(part, name, value)


def _call(method: Callable[..., object], part: object, given: Iterable[object]) -> None:
    method(part, *given)  # pymunk's own: the game's may take something else


def _is_pymunks(kind: type) -> bool:
    return kind.__module__.startswith("pymunk.")


def _mass_of(body: pymunk.Body) -> _Mass | None:
    """Return what a body weighs; `None` where that is worked out from shapes."""
    if any(shape.mass for shape in body.shapes if OWNER in shape.__dict__):  # else one of a life's
        return None
    return body.mass, body.moment, body.center_of_gravity


def _set_mass(body: pymunk.Body, mass: _Mass | None) -> None:
    if mass is not None:
        if mass[0] < inf:  # which of others than dynamic ones can't be set
            body.mass, body.moment = mass[:2]
        body.center_of_gravity = mass[2]
