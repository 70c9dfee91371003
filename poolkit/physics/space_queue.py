"""How rigid bodies enter and leave a space: in the order asked for, and never inside a step."""

from __future__ import annotations

import weakref
from functools import partial
from inspect import signature
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import ErrorCollector
from poolkit.core.saving import never_saved
from poolkit.core.seams import instrumented, set_class
from poolkit.physics.chipmunk import add_remove_of, internals_match, is_locked, restart_ids
from poolkit.physics.snapshot import LEAVING, OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from poolkit.core.record import Record
    from poolkit.physics.events import Events
    from poolkit.physics.rigid_body import BodyHandler
    from poolkit.physics.sync import SpriteSync
    from poolkit.sprites.sprite import PooledSprite

    _Leaving = tuple[BodyHandler, PooledSprite, Record[Any] | None]
    _Deferred = tuple[Callable[[Any], object], object, Record[Any] | None]


@never_saved
class SpaceQueue:
    """Lets rigid bodies enter and leave one space.

    Inside a step, or while something is deferred already, everything is deferred in one queue.
    pymunk's own queues are sets: their order, and with it the simulation, differs from run to run.
    """

    def __init__(
        self,
        space: pymunk.Space,
        events: Events,
        sync: SpriteSync,
        world_finalizer: weakref.finalize[Any, Any],
    ) -> None:
        self.space = space
        self.bodies: Any = space.bodies  # live views, because every life needs them
        self.joints: Any = space.constraints
        self.events = events
        self.sync = sync
        self.is_stepping = False  # in the world's own `step`
        self.is_at_start = False  # of a level: no shape has entered since the last one was over
        # Not alive once the world is collected, or the program ends. From then on Chipmunk's memory
        # may be freed before the sprites' own finalizers run (`__del__`, the `finally` of a
        # coroutine). What these end must neither read nor write it, or the process aborts.
        self.world_finalizer = world_finalizer
        self._add, self._remove = add_remove_of(space)
        self._is_flushing = False
        self._deferred: list[_Deferred] = []
        self._held: list[Record[Any]] = []  # whose bodies have left
        self._joints_out: dict[pymunk.Constraint, None] = {}  # until both their bodies are in
        # Let the space call this queue after each step, also after one that the game makes.
        space.__dict__[_QUEUE] = weakref.ref(self)
        set_class(space, instrumented(space.__class__, _space_overrides))

    @property
    def is_locked(self) -> bool:
        """Whether a step, or the work at its end, is under way; `space.step` included."""
        return self.is_stepping or self._is_flushing or is_locked(self.space)

    def run_or_defer(
        self, act: Callable[[Any], object], argument: object, record: Record[Any] | None = None
    ) -> None:
        """Call `act(argument)` as soon as no step is under way; hold `record` until then."""
        # `is_locked`, without a call: this runs twice a life.
        if self._deferred or self._is_flushing or self.is_stepping or is_locked(self.space):
            if record is not None:
                record.add_hold()
            self._deferred.append((act, argument, record))
            return
        self._is_flushing = True  # what callbacks of a removal ask for is deferred
        try:
            act(argument)
        finally:
            self._is_flushing = False
        if self._deferred or self.events.separations:
            self.flush()

    def add_body(self, handler: BodyHandler) -> None:
        """Add a rigid body to the space, with all its parts that are not in it."""
        if handler.state == LEAVING:  # its life has ended in the same step
            return
        if self.is_at_start:
            _begin_level(self.space)
        self._add(handler.bodies, handler.shapes)
        if handler.joints or self._joints_out:
            for joint in dict.fromkeys((*handler.joints, *self._joints_out)):
                # A joint to a body of a sprite that isn't alive stays out, because its pull on that
                # body would reach the next life.
                bodies = joint.a, joint.b
                if any(body.space is None and OWNER in body.__dict__ for body in bodies):
                    self._joints_out[joint] = None
                else:
                    self._joints_out.pop(joint, None)
                    if joint not in self.joints:
                        self.space.add(joint)

    def remove_body(self, leaving: _Leaving) -> None:
        """Remove a rigid body from the space, with everything that the game added to it."""
        handler, sprite, record = leaving
        for joint in handler.joints:
            self._joints_out.pop(joint, None)
        joints_in = self.joints
        if joints_in:  # also those that the game added
            joints = (joint for body in handler.bodies for joint in body.constraints)
            self.space.remove(*dict.fromkeys(joint for joint in joints if joint in joints_in))
        self._remove(handler.bodies)
        handler.on_left_space(sprite, record)

    def remove(self, parts: Iterable[Any]) -> None:
        """Remove what the game has put into the space, unless it is out: joints first."""
        parts, views = dict.fromkeys(parts), (self.joints, self.space.shapes, self.bodies)
        self.space.remove(*[part for view in views for part in parts if part in view])

    def flush(self) -> None:
        """Run deferred operations, call `separate` callbacks, then release held records.

        All that is repeated until none are left. An instance is reusable only after its
        separations: their callbacks look at the life that ended.
        """
        if self._is_flushing:
            return
        self._is_flushing = True
        separations, held = self.events.separations, self._held
        try:
            while self._deferred or separations or held:
                self._drain(self._deferred, self._run_deferred)
                separations.sort(key=itemgetter(0))
                self._drain(separations, lambda separation: separation[1]())
                self._drain(held, lambda record: record.release_hold())
        finally:
            self._is_flushing = False

    def _drain(self, items: list[Any], act: Callable[[Any], object]) -> None:
        """Empty a list, call `act` with what was in it, and collect what that raises."""
        batch, items[:] = items[:], ()
        for item in batch:
            try:
                act(item)
            except BaseException as error:
                self.events.errors.add(error)

    def _run_deferred(self, deferred: _Deferred) -> None:
        act, argument, record = deferred
        try:
            act(argument)
        finally:
            if record is not None:
                self._held.append(record)


def queue_of(space: pymunk.Space) -> SpaceQueue | None:
    """Return the queue of a space's world, or `None` if it has no world."""
    queue: weakref.ref[SpaceQueue] | None = space.__dict__.get(_QUEUE)
    return None if queue is None else queue()


def _begin_level(space: pymunk.Space) -> None:
    """Number shapes on from those that are left, before the first one enters after a reset.

    Not in the reset, because the game may take its walls out after it.
    """
    queue = queue_of(space)
    if queue is not None and queue.is_at_start:
        queue.is_at_start = False
        if internals_match():
            restart_ids(space)


_signature = signature(partial(pymunk.Space.on_collision, None))  # type: ignore[arg-type]

# Attributes of the space. pymunk copies no attribute that begins with an underscore.
_QUEUE, _AFTER = "_poolkit_queue", "_poolkit_after_step"


def _space_overrides(cls: Any) -> dict[str, Any]:
    """Return the methods of a class of spaces, extended to call the world."""

    def step(self: Any, dt: float) -> None:
        queue = queue_of(self)
        errors = ErrorCollector() if queue is None else queue.events.errors
        try:
            cls.step(self, dt)
            # In pymunk, an error skips the callbacks behind it, and all of them are called again
            # after the next step. It also fails if one of them adds another.
            for callback in self.__dict__.pop(_AFTER, {}).values():
                errors.call(callback)
        except BaseException as error:
            errors.add(error)
        if queue is not None:
            queue.flush()
        if queue is None or not queue.is_stepping:
            errors.raise_all("callbacks after a step raised")

    def add(self: Any, *objects: Any) -> None:
        _begin_level(self)
        cls.add(self, *objects)

    def add_post_step_callback(
        self: Any, callback_function: Callable[..., None], key: Hashable, *args: Any, **kwargs: Any
    ) -> bool:
        callbacks = self.__dict__.setdefault(_AFTER, {})
        is_new = key not in callbacks
        callbacks.setdefault(key, partial(callback_function, self, key, *args, **kwargs))
        return is_new

    def on_collision(self: Any, *args: Any, **kwargs: Any) -> None:
        arguments = _signature.bind(*args, **kwargs).arguments
        queue = queue_of(self)
        if queue is not None:
            queue.events.on_callbacks_set(arguments)
        cls.on_collision(self, **arguments)

    return {fn.__name__: fn for fn in (step, add, add_post_step_callback, on_collision)}
