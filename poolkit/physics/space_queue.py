"""How rigid bodies enter and leave a space: in the order asked for, and never inside a step."""

from __future__ import annotations

import weakref
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector
from poolkit.core.seams import extended, swap
from poolkit.physics.chipmunk import (
    direct_ways,
    inside_is_known,
    is_locked,
    plain_ways,
    prepare_order,
    restart_numbers,
)
from poolkit.physics.events import MOMENTS, drain
from poolkit.physics.snapshot import OWNER

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    import pymunk

    from poolkit.core.record import Record
    from poolkit.physics.events import Callback, Events
    from poolkit.physics.rigid_body import BodyHandler
    from poolkit.physics.sync import SpriteSync
    from poolkit.sprites.sprite import PooledSprite

    _Leaving = tuple[BodyHandler, PooledSprite, Record[Any] | None]
    _Waiting = tuple[Callable[[Any], object], object, Record[Any] | None]


class SpaceQueue:
    """Lets rigid bodies enter and leave one space.

    Inside a step, or while something waits already, everything waits in one queue. pymunk's own
    queues are sets: their order, and with it the simulation, differs from run to run.
    """

    def __init__(self, space: pymunk.Space, events: Events, sync: SpriteSync) -> None:
        self.space = space
        self.bodies = space.bodies  # live views, because every life needs them
        self.joints = space.constraints
        self.events = events
        self.sync = sync
        self.stepping = False  # in the world's own `step`
        self.is_at_start = False  # of a level: no shape has entered since the last one was over
        # Not empty once the world is collected, or the program ends. From then on Chipmunk's memory
        # may be freed before the sprites' own finalizers run (`__del__`, the `finally` of a
        # coroutine). What these end must neither read nor write it, or the process aborts.
        self.gone: list[str] = []
        ways = direct_ways if inside_is_known() else plain_ways
        self._add, self._remove = ways(space)
        self._flushing = False
        self._waiting: list[_Waiting] = []
        self._released: list[Record[Any]] = []
        self._joints_out: dict[pymunk.Constraint, None] = {}  # until both their bodies are in
        # Let the space call this queue after each step, also after one that the game makes.
        prepare_order(space)
        space.__dict__[_QUEUE] = weakref.ref(self)
        swap(space, extended(space.__class__, _connected))

    @property
    def is_shut(self) -> bool:
        """Whether a step, or the work at its end, is under way; `space.step` included."""
        return self.stepping or self._flushing or is_locked(self.space)

    def do(
        self, act: Callable[[Any], object], given: object, record: Record[Any] | None = None
    ) -> None:
        """Call `act(given)` as soon as no step is under way; hold `record` until then."""
        # `is_shut`, without a call: this runs twice a life.
        if not (self._waiting or self._flushing or self.stepping or is_locked(self.space)):
            self._flushing = True  # what callbacks of a removal ask for waits
            try:
                act(given)
            finally:
                self._flushing = False
            if self._waiting or self.events.separated:
                self.flush()
            return
        if record is not None:
            record.add_hold()
        try:
            self._waiting.append((act, given, record))
        except BaseException:  # Ctrl-C: the sprite is destroyed
            if record is not None:
                record.release_hold()
            raise

    def let_in(self, handler: BodyHandler) -> None:
        """Let a rigid body enter the space with all its parts that are not in it."""
        if handler.is_leaving:  # its life has ended in the same step
            return
        if self.is_at_start:
            _begin_level(self.space)
        self._add(handler.bodies, handler.shapes)
        if handler.joints or self._joints_out:
            for joint in dict.fromkeys((*handler.joints, *self._joints_out)):
                if self._lacks_a_body(joint):
                    self._joints_out[joint] = None
                else:
                    self._joints_out.pop(joint, None)
                    if joint not in self.joints:
                        self.space.add(joint)

    @staticmethod
    def _lacks_a_body(joint: pymunk.Constraint) -> bool:
        """Tell whether a body of the joint is part of a sprite that isn't alive.

        Such a joint stays out, because its pull on that body would reach the next life.
        """
        return any(body.space is None and OWNER in body.__dict__ for body in (joint.a, joint.b))

    def let_out(self, leaving: _Leaving) -> None:
        """Let a rigid body leave the space, with everything that the game added to it."""
        handler, sprite, record = leaving
        for joint in handler.joints:
            self._joints_out.pop(joint, None)
        inside = self.joints
        if inside:  # also those that the game added
            joints = (joint for body in handler.bodies for joint in body.constraints)
            self.space.remove(*dict.fromkeys(joint for joint in joints if joint in inside))
        self._remove(handler.bodies)
        handler.has_left(sprite, record)

    def remove(self, parts: Iterable[Any]) -> None:
        """Remove what the game has put into the space, unless it is out: joints first."""
        parts, views = dict.fromkeys(parts), (self.joints, self.space.shapes, self.bodies)
        self.space.remove(*[part for view in views for part in parts if part in view])

    def flush(self) -> None:
        """Do what waits, deliver separations, then release the records; repeat.

        An instance is reusable only after its separations: their callbacks look at the life that
        ended.
        """
        if self._flushing:
            return
        self._flushing = True
        try:
            errors = self.events.errors
            while self._waiting or self.events.separated or self._released:
                drain(self._waiting, self._apply, errors)
                self.events.deliver()
                drain(self._released, methodcaller("release_hold"), errors)
        finally:
            self._flushing = False

    def _apply(self, waiting: _Waiting) -> None:
        act, given, record = waiting
        try:
            act(given)
        finally:
            if record is not None:
                self._released.append(record)


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
        restart_numbers(space)


# Attributes of the space. pymunk copies no attribute that begins with an underscore.
_QUEUE, _AFTER = "_poolkit_queue", "_poolkit_after_step"


def _connected(kind: Any) -> dict[str, Any]:
    """Return the methods of a class of spaces, extended to call the world."""

    def step(self: Any, dt: float) -> None:
        queue = queue_of(self)
        errors = ErrorCollector() if queue is None else queue.events.errors
        with errors:
            kind.step(self, dt)
            # In pymunk, an error skips the callbacks behind it, and all of them are called again
            # after the next step. It also fails if one of them adds another.
            for call in self.__dict__.pop(_AFTER, {}).values():
                errors.call(call)
        if queue is not None:
            queue.flush()
        if queue is None or not queue.stepping:
            errors.raise_all("callbacks after a step raised")

    def add(self: Any, *objects: Any) -> None:
        _begin_level(self)
        kind.add(self, *objects)

    def add_post_step_callback(
        self: Any, callback_function: Callable[..., None], key: Hashable, *args: Any, **kwargs: Any
    ) -> bool:
        waiting = self.__dict__.setdefault(_AFTER, {})
        is_new = key not in waiting
        waiting.setdefault(key, partial(callback_function, self, key, *args, **kwargs))
        return is_new

    def on_collision(
        self: Any,
        collision_type_a: int | None = None,
        collision_type_b: int | None = None,
        begin: Callback | None = None,
        pre_solve: Callback | None = None,
        post_solve: Callback | None = None,
        separate: Callback | None = None,
        data: Any = None,
    ) -> None:
        callbacks = dict(zip(MOMENTS, (begin, pre_solve, post_solve, separate), strict=True))
        queue = queue_of(self)
        if queue is not None:
            kinds = collision_type_a, collision_type_b
            queue.events.note_callbacks(kinds, callbacks)
            if collision_type_a is None and begin is not None:
                callbacks["begin"] = queue.events.with_contacts(begin)
        kind.on_collision(self, collision_type_a, collision_type_b, **callbacks, data=data)

    return {each.__name__: each for each in (step, add, add_post_step_callback, on_collision)}
