"""The way into a space and out of it: in the order asked for, and never inside a step."""

from __future__ import annotations

from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from poolkit.physics.chipmunk import is_locked, tell_steps
from poolkit.physics.events import drain
from poolkit.physics.rigid_body import owner_of, was_owned

if TYPE_CHECKING:
    from collections.abc import Callable

    import pymunk

    from poolkit.core.record import PoolablePrefabData
    from poolkit.physics.events import Events
    from poolkit.physics.rigid_body import RigidBody
    from poolkit.physics.sync import SpriteSync


class SpaceQueue:
    """Lets rigid bodies enter and leave one space.

    While a step is under way, or something waits already, everything waits in one queue. pymunk's
    own queues are sets: their order, and with it the simulation, differs from run to run.

    Attributes:
        errors: Receives what is raised where nobody can be told.
        stepping: Whether the world is inside its own `step`.
    """

    __slots__ = (
        "__weakref__",
        "_announce",
        "_awaiting",
        "_events",
        "_flushing",
        "_queue",
        "_released",
        "_space",
        "_sync",
        "errors",
        "stepping",
    )

    def __init__(self, space: pymunk.Space, sync: SpriteSync, events: Events) -> None:
        self._space = space
        self._sync = sync
        self._events = events
        self.errors = events.errors
        self.stepping = False
        self._flushing = False
        self._queue: list[tuple[Callable[[], object], PoolablePrefabData[Any] | None]] = []
        self._released: list[PoolablePrefabData[Any]] = []
        self._awaiting: dict[pymunk.Constraint, None] = {}
        self._announce = events.announce = tell_steps(space, self)

    @property
    def is_shut(self) -> bool:
        """Whether a step, or what belongs to its end, is under way; `space.step` included."""
        return self.stepping or self._flushing or is_locked(self._space)

    # -- what is asked for --------------------------------------------------------------------

    def enter(self, rigid: RigidBody) -> None:
        """Let a rigid body, all of which is out, enter the space when no step is under way."""
        if is_locked(self._space) or self.stepping or self._flushing or self._queue:
            self._wait(partial(self._let_in, rigid))
        elif rigid.outer_joints or self._awaiting:
            self._let_in(rigid)
        else:
            rigid.entry.add(self._space)
            if rigid.joints:
                self._space.add(*rigid.joints)
            self._sync.follow(rigid)

    def enter_rest(self, rigid: RigidBody) -> None:
        """Let what is not in it yet of a rigid body enter the space."""
        if self.is_shut or self._queue:
            self._wait(partial(self._let_in, rigid))
        else:
            self._let_in(rigid)

    def leave(self, rigid: RigidBody, record: PoolablePrefabData[Any] | None) -> None:
        """Let a rigid body leave the space, when no step is under way; hold `record` until then."""
        self._sync.forget(rigid)
        if is_locked(self._space) or self.stepping or self._flushing or self._queue:
            self._leave_later(rigid, record)
            return
        self._flushing = True  # what callbacks of the removal ask for comes after it
        try:
            self._let_out(rigid)
        finally:
            self._flushing = False
        if self._queue or self._events.separated:
            self.flush()

    def _leave_later(self, rigid: RigidBody, record: PoolablePrefabData[Any] | None) -> None:
        if record is not None:
            record.hold()
        try:
            self._wait(partial(self._let_out, rigid), record)
        except BaseException:  # interrupted: its sprite is destroyed
            if record is not None:
                record.release()
            raise

    def move(self, rigid: RigidBody, move: Callable[[], object]) -> None:
        """Move a rigid body: now if it may be moved, else when the step is over."""
        if self.is_shut and rigid.body.space is not None:
            self._wait(move)
        else:
            move()

    def _wait(
        self, act: Callable[[], object], record: PoolablePrefabData[Any] | None = None
    ) -> None:
        self._queue.append((act, record))
        if not (self.stepping or self._flushing):
            self._announce()

    # -- and when it is done ------------------------------------------------------------------

    def step_is_over(self) -> None:
        """Do what waits for the end of a step that the game has made itself."""
        if self.stepping:
            return
        self.flush()
        # pymunk is walking over the game's callbacks: raised here, an error would come out of the
        # game's own step, and keep the others from being called.
        self._events.report()

    def flush(self) -> None:
        """Apply what was asked for, deliver separations, then let go of what has left; repeat.

        Only when the separations of an instance are delivered may it be reused: their callbacks
        look at the life that ended.
        """
        if self._flushing:
            return
        self._flushing = True
        try:
            while self._queue or self._events.separated or self._released:
                drain(self._queue, self._apply, self.errors)
                self._events.deliver()
                drain(self._released, methodcaller("release"), self.errors)
        finally:
            self._flushing = False

    def _apply(self, waiting: tuple[Callable[[], object], PoolablePrefabData[Any] | None]) -> None:
        act, record = waiting
        try:
            act()
        finally:
            if record is not None:
                self._released.append(record)

    def _let_in(self, rigid: RigidBody) -> None:
        """Add to the space what may be in it: of joints, those that lack no partner."""
        objects = rigid.objects_out_of_space()
        if objects == rigid.objects and not rigid.joints:
            rigid.entry.add(self._space)
        else:
            lacking = [joint for joint in rigid.outer_joints if self._lacks_a_body(joint, rigid)]
            self._awaiting.update(dict.fromkeys(lacking))
            self._space.add(*(each for each in objects if each not in lacking))
        if not rigid.is_leaving:
            self._sync.follow(rigid)
        for joint in list(self._awaiting):
            if not self._lacks_a_body(joint, None):
                del self._awaiting[joint]
                self._space.add(joint)

    def _lacks_a_body(self, joint: pymunk.Constraint, entering: RigidBody | None) -> bool:
        """Tell whether a joint would hold on to the body of a life that is over, or yet to come.

        Such a body is at no place, and what pulls at it would reach its next life. One whose sprite
        was destroyed will have none.
        """
        for body in (joint.a, joint.b):
            is_entering = entering is not None and owner_of(body) is entering
            if body.space is None and was_owned(body) and not is_entering:
                return True
        return False

    def _let_out(self, rigid: RigidBody) -> None:
        for joint in rigid.outer_joints:
            self._awaiting.pop(joint, None)
        if rigid.is_as_usual():
            rigid.entry.remove(self._space)
        else:
            objects = rigid.objects_in_space()
            if objects:
                self._space.remove(*objects)
        self._sync.left(rigid)
        rigid.has_left()
