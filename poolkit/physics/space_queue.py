"""The way into a space and out of it: in the order asked for, and never inside a step."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from poolkit.physics.chipmunk import direct_ways, inside_is_known, is_locked, plain_ways
from poolkit.physics.events import drain
from poolkit.physics.snapshot import OWNER

if TYPE_CHECKING:
    from collections.abc import Callable

    import pymunk

    from poolkit.core.record import Record
    from poolkit.physics.events import Events
    from poolkit.physics.rigid_body import RigidBody
    from poolkit.sprites.sprite import PooledSprite


class SpaceQueue:
    """Lets rigid bodies enter and leave one space.

    While a step is under way, or something waits already, everything waits in one queue. pymunk's
    own queues are sets: their order, and with it the simulation, differs from run to run.

    Attributes:
        stepping: Whether the world is inside its own `step`.
        gone: Holds something once the world is being collected, or the program ends. From then on
            Chipmunk's memory may be freed before the sprites' own finalizers run (`__del__`, the
            `finally` of a coroutine), and what these end must not write to it.
    """

    def __init__(self, space: pymunk.Space, events: Events) -> None:
        self._space = space
        ways = direct_ways if inside_is_known() else plain_ways
        self._add, self._remove = ways(space)
        self._events = events
        self.stepping = False
        self.gone: list[str] = []
        self._flushing = False
        self._queue: list[tuple[Callable[[], object], Record[Any] | None]] = []
        self._released: list[Record[Any]] = []
        self._awaiting: dict[pymunk.Constraint, None] = {}

    @property
    def is_shut(self) -> bool:
        """Whether a step, or what belongs to its end, is under way; `space.step` included."""
        return self.stepping or self._flushing or is_locked(self._space)

    # -- what is asked for --------------------------------------------------------------------

    def do(
        self,
        act: Callable[[Any], object],
        given: object,
        record: Record[Any] | None = None,
    ) -> None:
        """Call `act(given)` when no step is under way; hold `record` until then."""
        if not (self.is_shut or self._queue):
            self._flushing = True  # what callbacks of a removal ask for comes after it
            try:
                act(given)
            finally:
                self._flushing = False
            if self._queue or self._events.separated:
                self.flush()
            return
        if record is not None:
            record.hold()
        try:
            self._queue.append((partial(act, given), record))
        except BaseException:  # interrupted: its sprite is destroyed
            if record is not None:
                record.release()
            raise

    def let_in(self, rigid: RigidBody) -> None:
        """Let what is out of a rigid body enter the space."""
        if rigid.is_leaving:  # its life has ended in the same step
            return
        self._add(rigid.bodies, rigid.shapes)
        if rigid.joints or self._awaiting:
            for joint in dict.fromkeys((*rigid.joints, *self._awaiting)):
                if self._lacks_a_body(joint):
                    self._awaiting[joint] = None
                else:
                    self._awaiting.pop(joint, None)
                    if joint not in rigid.world._joints:
                        self._space.add(joint)

    @staticmethod
    def _lacks_a_body(joint: pymunk.Constraint) -> bool:
        """Tell whether a joint would hold on to the body of a life that is over, or yet to come.

        It stays out: such a body is at no place, and what pulls at it would reach its next life.
        One whose sprite was destroyed will have none.
        """
        return any(body.space is None and OWNER in body.__dict__ for body in (joint.a, joint.b))

    def let_out(self, of_whom: tuple[RigidBody, PooledSprite]) -> None:
        """Let a sprite's rigid body leave the space, with all that the game put on it."""
        rigid, sprite = of_whom
        for joint in rigid.joints:
            self._awaiting.pop(joint, None)
        inside = rigid.world._joints
        if inside:  # also those that the game added
            joints = (joint for body in rigid.bodies for joint in body.constraints)
            self._space.remove(*dict.fromkeys(joint for joint in joints if joint in inside))
        self._remove(rigid.bodies)
        rigid.has_left(sprite)

    # -- and when it is done ------------------------------------------------------------------

    def flush(self) -> None:
        """Apply what was asked for, deliver separations, then let go of what has left; repeat.

        Only when the separations of an instance are delivered may it be reused: their callbacks
        look at the life that ended.
        """
        if self._flushing:
            return
        self._flushing = True
        try:
            errors = self._events.errors
            while self._queue or self._events.separated or self._released:
                drain(self._queue, self._apply, errors)
                self._events.deliver()
                drain(self._released, methodcaller("release"), errors)
        finally:
            self._flushing = False

    def _apply(self, waiting: tuple[Callable[[], object], Record[Any] | None]) -> None:
        act, record = waiting
        try:
            act()
        finally:
            if record is not None:
                self._released.append(record)
