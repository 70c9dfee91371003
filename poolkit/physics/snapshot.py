"""How bodies, shapes and joints were built, and how each of their lives begins like that again."""

from __future__ import annotations

import copy
import functools
import weakref
from operator import attrgetter, call, methodcaller
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.physics.chipmunk import settings_in_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poolkit.physics.chipmunk import Look

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
    """What the parts of one rigid body were like before their first life.

    All that pymunk lets be changed and can be asked for; `RigidBody` says what that is.
    """

    __slots__ = ("_bodies", "_built", "_carried", "_joints", "_memory", "_shapes")

    def __init__(
        self,
        bodies: tuple[pymunk.Body, ...],
        shapes: tuple[pymunk.Shape, ...],
        joints: tuple[pymunk.Constraint, ...],
    ) -> None:
        self._bodies = bodies
        self._shapes = shapes
        self._joints = joints
        self._carried = tuple([tuple(body.shapes) for body in bodies])
        looks, found = self._look()
        # Thousands are waited for at the ends of their lives: what is alike is in memory once.
        is_usual = looks and not joints and self._carried == (shapes,)
        if not is_usual or _can_change_unseen(bodies[0]):
            self._built = _Built(looks, found, self._parts)
            return
        key = (*map(type, self._parts), looks, *found)
        built = _alike.get(key)
        if built is None:
            built = _alike[key] = _Built(looks, found, self._parts)
        self._built = built

    @property
    def _parts(self) -> list[Any]:
        # Shapes first: a body's mass is worked out anew where that of a shape is set.
        return [*self._shapes, *self._bodies, *self._joints]

    def _look(self) -> tuple[tuple[Look, ...], list[object]]:
        """Return what reads the settings from memory, and what it finds there now."""
        pieces = settings_in_memory((*self._bodies, *self._shapes))
        self._memory = tuple([memory for _, memory in pieces])
        looks = tuple([look for look, _ in pieces])
        return looks, list(map(call, looks, self._memory))

    def restore(self, carried: Carried) -> None:
        """Let them be like that again. The bodies, out of any space, have these shapes."""
        if self._shows_a_change(carried):
            self.restore_plainly()
            # A function that was changed and set back lies somewhere else.
            self._built = self._built.looking(*self._look())
        elif self._built.unseen:
            _restore(self._built.unseen, self._parts)

    def is_current(self, carried: Carried) -> bool:
        """Tell whether they certainly are like that now."""
        return not (self._built.unseen or self._shows_a_change(carried))

    def _shows_a_change(self, carried: Carried) -> bool:
        built = self._built
        return list(map(call, built.looks, self._memory)) != built.found or carried != self._carried

    def restore_plainly(self) -> None:
        """Look at each setting, and set those that differ; hang the shapes where they belong."""
        _restore(self._built.settings, self._parts)
        # All are taken off before any is put back: one may have gone from one body to another.
        bodies = [
            (body, carried)
            for body, carried in zip(self._bodies, self._carried, strict=True)
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


class _Built:
    """How parts were built, by their places.

    Attributes:
        found: What `looks` found.
        looks: What reads their memory.
        settings: Of each, how each setting is read and written, and what it was.
        unseen: Those of parts that may change without a trace in their memory.
    """

    __slots__ = ("__weakref__", "found", "looks", "settings", "unseen")

    def __init__(self, looks: tuple[Look, ...], found: list[object], parts: Iterable[Any]) -> None:
        self.looks = looks
        self.found = found
        self.settings: _Settings = [
            (place, [(read, write, read(part)) for read, write in _settings_of(part)])
            for place, part in enumerate(parts)
        ]
        self.unseen: _Settings = [
            each
            for each, part in zip(self.settings, parts, strict=True)
            if not looks or _can_change_unseen(part)
        ]

    def looking(self, looks: tuple[Look, ...], found: list[object]) -> _Built:
        """Return the same settings, which look like this now."""
        if found == self.found:
            return self
        other = copy.copy(self)
        other.looks, other.found = looks, found
        return other


_alike: weakref.WeakValueDictionary[Any, _Built] = weakref.WeakValueDictionary()


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
