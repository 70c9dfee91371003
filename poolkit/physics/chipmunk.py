"""Everything that relies on the internals of pymunk and Chipmunk, with a check and a fallback.

A release may change pymunk's private names and Chipmunk's order of bodies, so only this file uses
them, and `space_memory`, which knows how Chipmunk's memory is laid out. If they differ from what is
expected here, poolkit uses pymunk's public, slower functions, and the log `poolkit` says so once.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
import sys
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from math import isnan
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

try:
    from pymunk import batch
except ImportError:  # pragma: no cover - pymunk calls the module experimental
    batch = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from poolkit.core.errors import ErrorCollector

_log = logging.getLogger("poolkit")


@functools.cache
def internals_match() -> bool:
    """Check once whether pymunk's internals are as expected here."""
    return all_pass(
        "the internals of pymunk %s aren't as expected: poolkit uses its slower, public functions",
        _fast_path_matches_pymunk,
        _bodies_are_in_order,
        _used_space_is_as_fresh,
    )


def all_pass(warning: str, *checks: Callable[[], bool]) -> bool:
    """Return whether all checks of a release of pymunk pass; if not, log a warning."""
    with contextlib.suppress(Exception):  # a release may change anything
        if all(check() for check in checks):
            return True
    _log.warning(warning, pymunk.version)
    return False


# -- motion --------------------------------------------------------------------------------------

# Chipmunk's own functions: setting a body's attributes by pymunk takes three times as long. Those
# that every life calls are looked up once.
_set_angle, _set_position = lib.cpBodySetAngle, lib.cpBodySetPosition
_add_body, _add_shape = lib.cpSpaceAddBody, lib.cpSpaceAddShape
_remove_body, _remove_shape = lib.cpSpaceRemoveBody, lib.cpSpaceRemoveShape


def set_pose(body: pymunk.Body, x: float, y: float, angle: float) -> None:
    """Place `body` at ``(x, y)`` pixels and an angle in radians."""
    cdata = body._body
    # The angle first: a body turns around its center of gravity, which moves its position.
    _set_angle(cdata, angle)
    _set_position(cdata, (x, y))


def stop(body: pymunk.Body) -> None:
    """Bring `body`, which is in no space, to rest."""
    cdata = body._body
    lib.cpBodySetVelocity(cdata, (0.0, 0.0))
    lib.cpBodySetAngularVelocity(cdata, 0.0)
    clear_bias(body)
    lib.cpBodySetForce(cdata, (0.0, 0.0))
    lib.cpBodySetTorque(cdata, 0.0)


def clear_bias(body: pymunk.Body) -> None:
    """Clear what the solver would still move a body by in its next step.

    It pushes overlapping bodies apart with bias velocities. They have no setter; a move by 0
    seconds clears them.
    """
    lib.cpBodyUpdatePosition(body._body, 0.0)


def clear_joints(joints: Iterable[pymunk.Constraint]) -> bool:
    """Clear the impulses of joints, which are in no space; return `False` if one stays NaN.

    The solver would start their next step from these. They have no setter, but a step in a space of
    their own, with no force allowed, clears them. It changes settings of the joints, not of bodies.
    """
    former_values: list[tuple[Any, str, Any]] = []
    for body in dict.fromkeys(body for joint in joints for body in (joint.a, joint.b)):
        for name, value in _still_values(body).items():
            former_values.append((body, name, getattr(body, name)))
            setattr(body, name, value)
    for joint in joints:
        joint.max_force, joint.pre_solve, joint.post_solve = 0.0, None, None
    space = _scratch_space()
    space.add(*joints)
    space.step(1 / 60)
    space.remove(*joints)
    for body, name, value in former_values:
        setattr(body, name, value)
    return not any(isnan(joint.impulse) for joint in joints)


def _still_values(body: pymunk.Body) -> dict[str, Any]:
    """Return what a body's attributes must be, so that the solver clears its joints."""
    values: dict[str, Any] = {"velocity": (0.0, 0.0), "angular_velocity": 0.0}
    if not (body.mass and body.moment):  # or the solver leaves NaN
        values |= {"mass": 1.0, "moment": 1.0}
    if body.space is None:  # its position may be NaN
        values |= {"angle": 0.0, "position": (0.0, 0.0)}
    return values


_scratch_space = functools.cache(pymunk.Space)


# -- into a space, and out of it -----------------------------------------------------------------

is_locked: Callable[[pymunk.Space], bool] = (
    attrgetter("_locked")
    if hasattr(pymunk.Space(), "_locked")
    else lambda space: bool(lib.cpSpaceIsLocked(space._space))
)
"""Whether a space is in a step, or in a `separate` callback: then nothing can enter or leave it."""


def insertion_id(shape: pymunk.Shape) -> int:
    """Return the id that a shape was given when it entered its space: they ascend."""
    return shape._hashid


# Chipmunk moves the shapes of a space in the order of a hash table of their ids. The table grows
# when it is full and never shrinks, and its size decides the order. So that a used world plays as
# a fresh one, every world's table has 1,543 slots from the start.
_ENOUGH = 770  # shapes that make the table so large
_FAR_AWAY = 1e7  # pixels, to where the game has nothing


def grow_shape_table(space: pymunk.Space) -> None:
    """Let the table of a space's shapes grow once; the space isn't locked."""
    cp_space, body = space._space, pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    next_id = lib.cpSpaceGetShapeIDCounter(cp_space)
    centers = [(_FAR_AWAY + n // 28, float(n % 28)) for n in range(_ENOUGH)]
    # Not by pymunk: each of its shapes is a cycle that the collector would have to free.
    shapes = [lib.cpCircleShapeNew(body._body, 0.0, center) for center in centers]
    _add_body(cp_space, body._body)
    for shape in shapes:
        _add_shape(cp_space, shape)
    for shape in shapes:
        _remove_shape(cp_space, shape)
        lib.cpShapeFree(shape)
    _remove_body(cp_space, body._body)
    cut_cycles(body)
    lib.cpSpaceSetShapeIDCounter(cp_space, next_id)


def next_id_is(space: pymunk.Space, next_id: int) -> None:
    """Let the next shape that enters a space have this id."""
    lib.cpSpaceSetShapeIDCounter(space._space, next_id)


def restart_ids(space: pymunk.Space) -> None:
    """Let the next shape have the id after the highest one in a space."""
    next_id = max(map(insertion_id, space.shapes), default=-1) + 1
    lib.cpSpaceSetShapeIDCounter(space._space, next_id)


def _used_space_is_as_fresh() -> bool:
    """Check whether circles move in a used space as in a fresh one, to the last bit."""

    def play(space: pymunk.Space, count: int) -> list[object]:
        bodies = [pymunk.Body(1, 20) for _ in range(4 * count)]
        circles = [pymunk.Circle(body, 6) for body in bodies]
        for number, body in enumerate(bodies):
            body.position = (number % 5 * 9, number % 3 * 7)
            space.add(body, circles[number])
            if number >= count:
                space.remove(circles[number - count], bodies[number - count])
            if number % 4 == 0:
                space.step(0.05)
        ends: list[object] = [(body.position, body.angle) for body in bodies]
        space.remove(*circles[-count:], *bodies[-count:])
        space.step(0.05)  # it forgets what has left
        cut_cycles(*circles, *bodies)
        return ends

    fresh, used = pymunk.Space(), pymunk.Space()
    grounds: list[Any] = []
    for space in (fresh, used):
        ground = pymunk.Body(body_type=_STATIC)
        grounds += [ground, pymunk.Segment(ground, (-90, 15), (90, 15), 2)]
        space.add(*grounds[-2:])
        grow_shape_table(space)
    play(used, 25)
    lib.cpSpaceSetShapeIDCounter(used._space, 1530)  # as if many more had been there
    restart_ids(used)
    is_equal = play(fresh, 12) == play(used, 12)
    cut_cycles(*grounds)
    return is_equal


def wildcard_begin(space: pymunk.Space) -> dict[str, Any]:
    """Return the `begin` callback of a space for all contacts, as arguments of `on_collision`."""
    handler = getattr(space, "_handlers", {}).get((None, None))
    if handler is None or handler.begin is None:
        return {"begin": pymunk.empty_callback}
    return {"begin": handler.begin, "data": handler.data.get("begin")}


_nowhere: Any = getattr(pymunk.Shape, "_space", None)  # pymunk's reference to no space

_Add = Callable[[Iterable[Any], Iterable[Any]], None]  # of bodies, and of shapes on them
_Remove = Callable[[Iterable[Any]], None]  # of bodies, with their shapes


def add_remove_of(space: pymunk.Space) -> tuple[_Add, _Remove]:
    """Return a function that adds to a space, and one that removes from it, while it isn't locked.

    They skip what is in it already, or isn't in it.
    """
    if not internals_match():
        return public_add_remove(space)
    if not is_locked(space):
        grow_shape_table(space)
    return fast_add_remove(space)


def public_add_remove(space: Any) -> tuple[_Add, _Remove]:
    """Return functions that call pymunk's own."""

    def remove(bodies: Iterable[Any]) -> None:
        parts = (part for body in bodies for part in (*body.shapes, body))
        space.remove(*(part for part in parts if part.space is space))

    return (
        lambda bodies, shapes: space.add(*(p for p in (*bodies, *shapes) if p.space is not space)),
        remove,
    )


def fast_add_remove(space: Any) -> tuple[_Add, _Remove]:
    """Return faster functions, which update pymunk's private bookkeeping themselves.

    In unusual cases they call pymunk, which knows what to raise.
    """
    books = space._bodies, space._shapes, space._bodies_to_check, space._space
    return _fast_add(space, books), _fast_remove(space, books)


def _fast_add(space: Any, books: Any) -> _Add:
    (bodies_in, shapes_in, unchecked, cp_space), reference = books, weakref.ref(space)

    def add(bodies: Iterable[Any], shapes: Iterable[Any]) -> None:
        for body in bodies:
            attributes = body.__dict__
            if attributes["_space"] is _nowhere:
                unchecked.add(body)
                attributes["_space"] = reference
                bodies_in[body] = None
                _add_body(cp_space, attributes["_body"])
            elif body.space is not space:
                space.add(body)
        for shape in shapes:
            attributes = shape.__dict__
            is_out = attributes.get("_space", _nowhere) is _nowhere
            if is_out and attributes["_body"]() in bodies_in:
                attributes["_space"] = reference
                shapes_in[shape] = None
                _add_shape(cp_space, attributes["_shape"])
            elif shape.space is not space:
                space.add(shape)

    return add


def _fast_remove(space: Any, books: Any) -> _Remove:
    (bodies_in, shapes_in, unchecked, cp_space), removed = books, space._removed_shapes

    def remove(bodies: Iterable[Any]) -> None:
        for body in bodies:
            for shape in list(body.__dict__["_shapes"]):
                if shape in shapes_in:
                    attributes = shape.__dict__
                    removed[shape] = None
                    attributes["_space"] = _nowhere
                    del shapes_in[shape]
                    _remove_shape(cp_space, attributes["_shape"])
        for body in bodies:
            if body in bodies_in:
                attributes = body.__dict__
                unchecked.discard(body)
                attributes["_space"] = _nowhere
                del bodies_in[body]
                _remove_body(cp_space, attributes["_body"])
        if space._remove_later:  # the game's own `separate` callbacks removed something
            space.remove()

    return remove


def _note_asked(body: pymunk.Body) -> Any:
    body.__dict__["is_asked"] = True
    return body.__dict__["_shapes"]


# pymunk must ask a body for its shapes to change them: snapshots are taken by that.
_AskedBody: Any = type("_AskedBody", (pymunk.Body,), {"_shapes": property(_note_asked)})


def _fast_path_matches_pymunk() -> bool:
    """Check that the fast functions leave everything as pymunk's own `add` and `remove` do."""
    space, body = pymunk.Space(), pymunk.Body(1, 1)
    body.__class__ = _AskedBody
    shape = pymunk.Circle(body, 1)
    traces: list[list[object]] = [[], []]
    for functions_of, trace in zip((public_add_remove, fast_add_remove), traces, strict=True):
        add, remove = functions_of(space)
        for change in (partial(add, (body,), (shape,)), partial(remove, (body,))) * 2:
            change()
            values = [value for part in (space, body, shape) for value in vars(part).values()]
            trace += [copy.copy(v) if isinstance(v, dict | set) else v for v in values]
            trace.append(_read_fast(space, batch.Buffer())[1])
            trace.append(space.point_query_nearest((0, 0), 1, pymunk.ShapeFilter()) is None)
        space.step(1)  # it forgets what has left
    cut_cycles(shape, body)
    attributes, is_equal = vars(body), [*body.shapes] == [shape] and traces[0] == traces[1]
    is_known = attributes["is_asked"] and attributes["_constraints"].data == {}
    return is_equal and is_known and body.id == id(attributes["_data_handle"])


# -- where all bodies are ------------------------------------------------------------------------

_STATIC = pymunk.Body.STATIC

Read = tuple[int, bytes, Any]  # how many are awake; ids; x, y and angle of each, as memory


def reader_of(space: pymunk.Space) -> Callable[[], Read]:
    """Return a function that reads where all bodies of a space are, in one call.

    Their order is Chipmunk's: those that are awake, then the static ones, then those that sleep.
    """
    if internals_match():
        return partial(_read_fast, space, batch.Buffer())  # one for all reads: each leaks
    return partial(_read_public, space)


def _read_public(space: pymunk.Space) -> Read:
    ranks = {body: 2 if body.is_sleeping else body.body_type == _STATIC for body in space.bodies}
    bodies = sorted(ranks, key=ranks.__getitem__)
    poses = array("d", chain.from_iterable((*body.position, body.angle) for body in bodies))
    ids = array("Q", [body.id for body in bodies])
    return list(ranks.values()).count(0), ids.tobytes(), poses.tobytes()


def _read_fast(space: pymunk.Space, buffer: Any) -> Read:
    fields = batch.BodyFields
    buffer.clear()
    batch.get_space_bodies(space, fields.BODY_ID | fields.POSITION | fields.ANGLE, buffer)
    ids = bytes(buffer.int_buf())
    return bisect_left(memoryview(ids).cast("Q"), 1, key=_is_at_rest), ids, buffer.float_buf()


def _is_at_rest(id_: int) -> bool:
    body = body_of(id_)
    return body.body_type == _STATIC or body.is_sleeping


# Both are five times as fast as pymunk's public properties.
def has_joints(body: Any) -> bool:
    """Return whether a body has joints."""
    return bool(body._constraints.data if internals_match() else body.constraints)


def id_of(body: Any) -> int:
    """Return the `id` of a body."""
    return id(body._data_handle) if internals_match() else int(body.id)


def body_of(id_: int) -> pymunk.Body:
    """Return the body that has this id, and is in a space."""
    body: pymunk.Body = ffi.from_handle(ffi.cast("void *", id_))
    return body


def _bodies_are_in_order() -> bool:
    """Check whether bodies are read correctly, in the expected order."""
    space = pymunk.Space()
    space.sleep_time_threshold = 1
    bodies = [pymunk.Body(1, 1, kind) for kind in (0, _STATIC, 1, 0)]
    for number, body in enumerate(bodies):
        body.position, body.angle = (9 * number, number), number
    space.add(*bodies)
    bodies[-1].sleep()
    count, *read = _read_fast(space, batch.Buffer())
    is_equal = (count, *map(bytes, read)) == _read_public(space)
    cut_cycles(*bodies)
    return is_equal


# -- what callbacks raise ------------------------------------------------------------------------

_CALLBACKS = "pymunk._callbacks"  # the module of all functions that C calls


@contextlib.contextmanager
def callbacks_to(errors: ErrorCollector) -> Iterator[None]:
    """Add to `errors` what pymunk's callbacks raise inside this context, Ctrl-C included.

    C can't pass it on, so Python gives it to `sys.unraisablehook`.
    """
    former = sys.unraisablehook  # the game's, or a tool's

    def receive(args: sys.UnraisableHookArgs) -> None:
        trace, error = args.exc_traceback, args.exc_value
        is_callbacks = trace is not None and trace.tb_frame.f_globals.get("__name__") == _CALLBACKS
        if error is not None and is_callbacks:
            errors.add(error)
        else:
            former(args)

    try:
        sys.unraisablehook = receive
        yield
    finally:
        sys.unraisablehook = former


# -- reference cycles ----------------------------------------------------------------------------

# C code finds an object by its handle when it calls back. Handle and object keep each other alive:
# a cycle that only the collector would free.
_HANDLES: dict[type, tuple[str, str, Callable[[Any, Any], None]]] = {
    pymunk.Body: ("_data_handle", "_body", lib.cpBodySetUserData),
    pymunk.Shape: ("_h", "_shape", lib.cpShapeSetUserData),
    pymunk.Constraint: ("_data_handle", "_constraint", lib.cpConstraintSetUserData),
}


def break_cycles(
    space: pymunk.Space, bodies: Iterable[pymunk.Body], joints: Iterable[pymunk.Constraint]
) -> None:
    """Cut the reference cycles of a destroyed sprite's bodies, and of their shapes and joints.

    What is still in a space belongs to the game and is left alone. What the game still holds works
    on, in a space too, but without its callbacks: they may be methods of the sprite.
    """
    for joint in joints:
        _forget_functions(joint)
    # pymunk forgets the shapes that have left only after its next step.
    removed: dict[pymunk.Shape, None] = getattr(space, "_removed_shapes", {})
    for body in bodies:
        for shape in body.shapes:
            removed.pop(shape, None)
        cut_cycles(*body.constraints, *(shape for shape in body.shapes if shape.space is None))
        if body.space is None:
            body.velocity_func = pymunk.Body.update_velocity
            body.position_func = pymunk.Body.update_position
            cut_cycles(body)


def _forget_functions(joint: pymunk.Constraint) -> None:
    joint.pre_solve = joint.post_solve = None
    if isinstance(joint, pymunk.DampedSpring):
        joint.force_func = pymunk.DampedSpring.spring_force
    elif isinstance(joint, pymunk.DampedRotarySpring):
        joint.torque_func = pymunk.DampedRotarySpring.spring_torque


def cut_cycles(*parts: pymunk.Body | pymunk.Shape | pymunk.Constraint) -> None:
    """Let C code find parts by weak proxies, so that each is freed when nothing else holds it."""
    for part in parts:
        for cls, (name, pointer, set_data) in _HANDLES.items():
            if isinstance(part, cls) and hasattr(part, name):
                handle = ffi.new_handle(weakref.proxy(part))
                set_data(getattr(part, pointer), handle)
                setattr(part, name, handle)
