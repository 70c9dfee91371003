"""How bodies, shapes and joints were built, and how each of their lives begins like that again."""

from __future__ import annotations

import copy
import functools
from operator import attrgetter, call, methodcaller
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.physics.chipmunk import memory_of, settings_in_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poolkit.physics.chipmunk import Look
    from poolkit.physics.rigid_body import RigidBody

    _Read = Callable[[Any], Any]
    _Write = Callable[[Any, Any], object]
    Carried = tuple[tuple[pymunk.Shape, ...], ...]  # the shapes on each body
    _Settings = list[tuple[int, list[tuple[_Read, _Write, Any]]]]


def _named(*names: str) -> tuple[tuple[_Read, _Write], ...]:
    """Return the settings that are attributes of these names."""
    return tuple((attrgetter(name), functools.partial(_set, name)) for name in names)


def _set(name: str, part: object, value: object) -> None:
    setattr(part, name, value)


_BODY = _named("body_type", "velocity_func", "position_func")
_MASS = _named("mass", "moment")
_CENTER = _named("center_of_gravity")
_SHAPE_MASS = _named("mass")
_SHAPE = _named("sensor", "collision_type", "filter", "elasticity", "friction", "surface_velocity")
_FORMS: dict[type[pymunk.Shape], tuple[tuple[_Read, _Write], ...]] = {
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
    """How the parts of a rigid body were built: one for all bodies that were built alike.

    All that pymunk lets be changed and can be asked for; `RigidBody` says what that is.

    Attributes:
        settings: Of each part, by its place, how each setting is read and written, and what it was.
        unseen: Those of parts that may change without a trace in their memory.
    """

    __slots__ = ("_carried", "_found", "_looks", "settings", "unseen")

    def __init__(
        self,
        parts: Sequence[Any],
        carried: Carried | None,
        looks: list[Look],
        found: list[object],
    ) -> None:
        self._looks = looks
        self._found = found
        self._carried = carried  # `None`: all shapes are the only body's
        self.settings: _Settings = [
            (place, [(read, write, read(part)) for read, write in _settings_of(part)])
            for place, part in enumerate(parts)
        ]
        self.unseen: _Settings = [
            each
            for each, part in zip(self.settings, parts, strict=True)
            if not looks or _can_change_unseen(part)
        ]

    def shows_a_change(self, rigid: RigidBody, carried: Carried) -> bool:
        """Tell whether its memory, or which shapes its bodies carry, is not as it was."""
        return list(map(call, self._looks, rigid._memory)) != self._found or carried != (
            self._carried or (rigid.shapes,)
        )

    def restore(self, rigid: RigidBody, carried: Carried) -> None:
        """Let its parts be like that again. Its bodies, out of any space, have these shapes."""
        if self.shows_a_change(rigid, carried):
            self.restore_plainly(rigid)
            # A function that was changed and set back lies somewhere else.
            looks, rigid._memory, found = settings_in_memory(rigid.bodies, rigid.shapes)
            if found != self._found:
                moved = rigid._snapshot = copy.copy(self)
                moved._looks, moved._found = looks, found
        elif self.unseen:
            _restore(self.unseen, _parts(rigid))

    def restore_plainly(self, rigid: RigidBody) -> None:
        """Look at each setting, and set those that differ; hang the shapes where they belong."""
        _restore(self.settings, _parts(rigid))
        # All are taken off before any is put back: one may have gone from one body to another.
        bodies = [
            (body, carried)
            for body, carried in zip(rigid.bodies, self._carried or (rigid.shapes,), strict=True)
            if tuple(body.shapes) != carried
        ]
        for body, carried in bodies:
            for shape in (*body.shapes, *carried):
                if shape.space is None:
                    shape.body = None
        for body, carried in bodies:
            for shape in carried:
                if shape.space is None:
                    shape.body = body


_alike: dict[Any, BodySnapshot] = {}  # of usual ones, which keep nothing of a game's alive
_MOST_ALIKE = 1000  # games with bodies of random sizes have any number


def take_snapshot(rigid: RigidBody, carried: Carried) -> None:
    """Let a rigid body, whose bodies carry these shapes, remember how its parts are."""
    is_usual = carried == (rigid.shapes,) and not rigid.joints
    kinds = tuple(map(type, rigid.shapes))
    latest = _alike.get(kinds) if is_usual else None
    if latest is not None:  # nearly always it is like the one before
        rigid._memory = memory_of(rigid.bodies, rigid.shapes, latest._looks)
        if not latest.shows_a_change(rigid, carried):
            rigid._snapshot = latest
            return
    looks, rigid._memory, found = settings_in_memory(rigid.bodies, rigid.shapes)
    key = None
    if looks and is_usual:
        # Thousands are waited for at the ends of their lives: what is alike is in memory once.
        # A body whose changes may be unseen never looks like one of these: other functions are
        # called for it, or its mass is infinite, which Chipmunk allows no dynamic one.
        key = (*kinds, *found)
        snapshot = _alike.get(key)
        if snapshot is not None:
            rigid._snapshot = _alike[kinds] = snapshot
            return
    if key is None or _can_change_unseen(rigid.body):
        rigid._snapshot = BodySnapshot(_parts(rigid), carried, looks, found)
        return
    if len(_alike) >= _MOST_ALIKE:
        _alike.clear()
    snapshot = _alike[key] = _alike[kinds] = BodySnapshot(_parts(rigid), None, looks, found)
    rigid._snapshot = snapshot


def _parts(rigid: RigidBody) -> list[Any]:
    # Shapes first: a body's mass is worked out anew where that of a shape is set.
    return [*rigid.shapes, *rigid.bodies, *rigid.joints]


def _restore(settings: _Settings, parts: Sequence[Any]) -> None:
    for place, of_part in settings:
        part = parts[place]
        for read, write, was in of_part:
            if read(part) != was:  # equality: a method is another object each time it is asked for
                write(part, was)


def _can_change_unseen(part: pymunk.Body | pymunk.Shape | pymunk.Constraint) -> bool:
    """Tell whether there are changes that leave no trace in the memory that is looked at."""
    if not isinstance(part, pymunk.Body):
        return isinstance(part, pymunk.Constraint)
    # From one function of the game's to another; between the types of infinite mass.
    return (
        part.velocity_func is not pymunk.Body.update_velocity
        or part.position_func is not pymunk.Body.update_position
        or part.body_type != pymunk.Body.DYNAMIC
    )


def _settings_of(part: Any) -> tuple[tuple[_Read, _Write], ...]:
    if isinstance(part, pymunk.Body):
        if any(shape.mass for shape in part.shapes):  # it has its mass from them, while in a space
            return _BODY
        # Of others than dynamic ones it is infinite, and can't be set.
        mass = _MASS if part.body_type == pymunk.Body.DYNAMIC else ()
        return (*_BODY, *mass, *_CENTER)
    if isinstance(part, pymunk.Shape):
        forms = [form for kind, form in _FORMS.items() if isinstance(part, kind)]
        # The mass last: it would be worked out anew from the form.
        return (*_SHAPE, *(each for form in forms for each in form), *_SHAPE_MASS)
    kind: Any = type(part)
    return _settable(kind)


@functools.cache
def _settable(kind: Any) -> tuple[tuple[_Read, _Write], ...]:
    """Return all properties of a class that can be set."""
    found = ((name, getattr(kind, name)) for name in dir(kind) if not name.startswith("_"))
    return _named(*(name for name, each in found if isinstance(each, property) and each.fset))
