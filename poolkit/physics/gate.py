"""The way into a space and out of it: in the order asked for, and never inside a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.physics.ownership import owner_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pymunk

    from poolkit.core.record import PoolablePrefabData
    from poolkit.physics.collisions import Collisions
    from poolkit.physics.followers import Followers
    from poolkit.physics.rigid_body import RigidBody

__all__ = ["Gate"]


class Gate:
    """Lets rigid bodies enter and leave one space.

    While a step is under way, or something waits already, everything waits in one queue. pymunk's
    own queues are sets: their order, and with it the simulation, differs from run to run.

    Attributes:
        stepping: Whether the world is inside its own `step`.
    """

    __slots__ = (
        "_awaiting",
        "_collisions",
        "_flushing",
        "_followers",
        "_queue",
        "_released",
        "_space",
        "stepping",
    )

    def __init__(self, space: pymunk.Space, followers: Followers, collisions: Collisions) -> None:
        """Begin with nothing waiting."""
        self._space = space
        self._followers = followers
        self._collisions = collisions
        self.stepping = False
        self._flushing = False
        self._queue: list[tuple[RigidBody, PoolablePrefabData[Any] | None, bool]] = []
        self._released: list[PoolablePrefabData[Any]] = []
        self._awaiting: dict[pymunk.Constraint, None] = {}

    @property
    def is_shut(self) -> bool:
        """Whether a step, or what belongs to its end, is under way; `space.step` included."""
        # pymunk tells by no public name that a space is locked.
        return self.stepping or self._flushing or self._space._locked

    def insert(self, rigid: RigidBody, objects: Sequence[Any]) -> None:
        """Let those `objects` of a rigid body enter the space that are out of it.

        At once, or when the step is over.
        """
        if self._space._locked or self.stepping or self._flushing or self._queue:
            self._queue.append((rigid, None, True))
            self.flush_later()
        elif rigid.outer_joints or self._awaiting:
            self._let_in(rigid, objects)
        else:
            self._space.add(*objects)
            self._followers.follow(rigid)

    def withdraw(self, rigid: RigidBody, data: PoolablePrefabData[Any] | None) -> None:
        """Let a rigid body leave the space, when no step is under way; hold `data` until then."""
        self._followers.forget(rigid)
        if self._space._locked or self.stepping or self._flushing or self._queue:
            if data is not None:
                data.hold()
            self._queue.append((rigid, data, False))
            self.flush_later()
            return
        self._flushing = True  # what callbacks of the removal ask for comes after it
        try:
            self._let_out(rigid)
        finally:
            self._flushing = False
        if self._queue or self._collisions.separated:
            self.flush()

    def flush_later(self, *, is_removal: bool = False) -> None:
        """See to it that what is queued happens, also where the game steps the space itself.

        `is_removal`: the game removes something; that may be in a callback after a step.
        """
        if self.stepping or self._flushing:
            return
        # pymunk walks over its callbacks after a step, and must not be given one meanwhile. It
        # does so now at most where there are some; what can't be announced then waits for the
        # next despawn or step.
        if not is_removal or not self._space._post_step_callbacks:
            self._space.add_post_step_callback(self._after_foreign_step, self)

    def _after_foreign_step(self, space: pymunk.Space, key: object) -> None:
        del space, key
        self.flush()
        # pymunk is walking over the game's callbacks: raised here, an error would come out of the
        # game's own step, and have the callbacks that ran already called again by the next one.
        self._collisions.report()

    def flush(self) -> None:
        """Apply what was asked for, deliver separations, then let go of what has left; repeat.

        Only when the separations of an instance are delivered may it be reused: their callbacks
        look at the life that ended.
        """
        if self._flushing:
            return
        self._flushing = True
        errors = self._collisions.errors
        try:
            while self._queue or self._collisions.separated or self._released:
                queue, self._queue = self._queue, []
                for rigid, data, entering in queue:
                    if data is not None:
                        self._released.append(data)
                    try:
                        self._apply(rigid, entering=entering)
                    except BaseException as error:
                        errors.append(error)
                self._collisions.deliver()
                released, self._released = self._released, []
                for data in released:
                    try:
                        data.release()
                    except BaseException as error:
                        errors.append(error)
        finally:
            self._flushing = False

    def _apply(self, rigid: RigidBody, *, entering: bool) -> None:
        if entering:
            self._let_in(rigid, rigid.objects_out_of_space())
        else:
            self._let_out(rigid)

    def _let_in(self, rigid: RigidBody, objects: Iterable[Any]) -> None:
        """Add to the space what may be in it: of joints, those that lack no partner."""
        space = self._space
        if rigid.outer_joints:
            lacking = [joint for joint in rigid.outer_joints if self._lacks_a_body(joint, rigid)]
            self._awaiting.update(dict.fromkeys(lacking))
            objects = [each for each in objects if each not in lacking]
        space.add(*objects)
        if not rigid.is_leaving:
            self._followers.follow(rigid)
        for joint in list(self._awaiting):
            if not self._lacks_a_body(joint, None):
                del self._awaiting[joint]
                space.add(joint)

    def _lacks_a_body(self, joint: pymunk.Constraint, entering: RigidBody | None) -> bool:
        """Tell whether a joint would hold on to the body of a life that is over, or yet to come.

        Such a body is at no place, and what pulls at it would reach its next life.
        """
        for body in (joint.a, joint.b):
            owner = owner_of(body)
            if owner is not None and owner is not entering and body.space is None:
                return True
        return False

    def _let_out(self, rigid: RigidBody) -> None:
        for joint in rigid.outer_joints:
            self._awaiting.pop(joint, None)
        objects = rigid.objects_in_space()
        if objects:
            self._space.remove(*objects)
        rigid.has_left()
