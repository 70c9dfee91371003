"""What is done with a rigid body as its sprite enters play and leaves it.

Everything that acts is here, and not on the `RigidBody` that a game holds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.physics.chipmunk import clear_joints, cut_cycle, has_joints, let_go, set_pose
from poolkit.physics.resetting import ResetPooledBodyComponent
from poolkit.physics.snapshot import OWNER, BodySnapshot, unwatch, watch
from poolkit.sprites.components import Stages

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pymunk

    from poolkit.core.record import Record
    from poolkit.physics.space_queue import SpaceQueue

    _Offset = tuple[pymunk.Body, pymunk.Vec2d, float]  # position and radians, seen from the first

# Plain numbers, because every spawn, despawn and collision callback compares them.
_NEW = -1  # its settings are not noted yet
_OUT = 0
_IN = 1  # or will be, at the end of the step
_LEAVING = 2  # its life is over, but the step is not

_ALMOST = 1.0  # pixels; a rect of whole pixels is no more exact
_ALMOST_TURNED = 1e-3  # radians


class BodyStages(Stages):
    """The stages of one `RigidBody`.

    Attributes:
        queue: The queue of its world's space.
        body: The body that the sprite follows.
        bodies: This one and all others, as `shapes` and `joints` the parts of the `RigidBody`.
        all_watched: Whether all its parts say when they change. Otherwise each life is compared
            with how they were built.
    """

    __slots__ = (
        "_others",
        "_snapshot",
        "_state",
        "all_watched",
        "bodies",
        "body",
        "joints",
        "queue",
        "shapes",
    )

    def __init__(
        self,
        queue: SpaceQueue,
        bodies: tuple[pymunk.Body, ...],
        shapes: tuple[pymunk.Shape, ...],
        joints: tuple[pymunk.Constraint, ...],
        carried: tuple[pymunk.Shape, ...],
    ) -> None:
        self.sprite = None
        self.queue = queue
        self.body = bodies[0]
        self.bodies = bodies
        self.shapes = shapes
        self.joints = joints
        self._state = _NEW
        self._others = _offsets(self.body, bodies[1:]) if len(bodies) > 1 else ()
        self._snapshot: BodySnapshot | None = None  # made when something is about to change
        self.all_watched = carried == shapes or {*carried} <= {*shapes}
        watch((*bodies, *shapes, *joints), self)

    @property
    def parts(self) -> tuple[Any, ...]:
        """All its parts. Shapes first: setting their mass works out that of the body again."""
        return (*self.shapes, *self.bodies, *self.joints)

    @property
    def is_leaving(self) -> bool:
        """Whether its life is over, and it leaves the space at the end of the step."""
        return self._state == _LEAVING

    # -- as the sprite's record calls them ----------------------------------------------------

    def settle(self, record: Record[Any]) -> None:
        """Remember the settings of the parts. Leave the space if the game has put them there."""
        if self._state == _LEAVING or self.queue.gone:
            return  # its parts are still as its life left them
        self._state = _OUT
        self._snapshot = None if self.all_watched else BodySnapshot(self)
        if not self.queue.bodies.isdisjoint(self.bodies):
            self.leave(record)

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the bodies and let them enter the space."""
        queue = self.queue
        if queue.gone:
            raise self._refusal()
        angle = -math.radians(rotation) if rotation else 0.0
        _place(self.body, x, y, angle, self._others)
        self._state = _IN
        queue.do(queue.let_in, self)

    def stay(self) -> None:
        """Let the bodies enter the space where the sprite is, unless they are in it."""
        if self.queue.gone:
            raise self._refusal()
        if self._state < _OUT and not self.all_watched:
            self._snapshot = BodySnapshot(self)
        sprite, body, queue = self.sprite, self.body, self.queue
        is_leaving, self._state = self._state == _LEAVING, _IN
        if not is_leaving and body in queue.bodies:  # the game put it there
            return
        # The bodies go where the sprite is. A rect keeps fewer digits than a body does, so a body
        # that is almost there stays as it is.
        (x, y), angle = sprite.position, -math.radians(sprite.rotation)
        away = max(abs(body.position.x - x), abs(body.position.y - y))
        if away >= _ALMOST or abs(body.angle - angle) > _ALMOST_TURNED:
            _place(body, x, y, angle, self._others)
        queue.do(queue.let_in, self)

    def leave(self, record: Record[Any] | None) -> None:
        """Let the bodies leave the space: now, or at the end of the step."""
        queue = self.queue
        if self._state == _LEAVING or queue.gone:
            return
        if self._state < _IN and queue.bodies.isdisjoint(self.bodies):
            if self._state == _OUT:  # a part that was hidden: the game may have changed it
                self.has_left(self.sprite, record)
            return
        self._state = _LEAVING
        queue.do(queue.let_out, (self, self.sprite, record), record)

    def dismantle(self, record: Record[Any] | None) -> None:
        """Give the bodies up."""
        sprite = self.sprite
        sprite._is_driven = False
        if (link := sprite._link) is not None:  # from where its body took it
            link.keep()
        unwatch(self.parts)
        queue = self.queue
        queue.sync.forget(self)
        if record is None or not record.destroyed:
            self.about_to_change()  # it may, unwatched, until it is attached again
        elif not queue.gone:
            if self._state >= _IN:  # Ctrl-C interrupted it as it left
                self._state = _LEAVING
                queue.do(queue.let_out, (self, sprite, record))
            self._snapshot = None  # it holds callbacks, perhaps methods of the sprite
            let_go(queue.space, self.bodies, self.joints)
        self.sprite = None

    def components_changed(self) -> None:
        """Find out whether the sprite follows this one."""
        sprite = self.sprite
        sprite._is_driven = True
        if self.body.__dict__[OWNER] is not self:  # it was taken off a sprite before
            watch(self.parts, self)
        sync = self.queue.sync
        change = sync.follow if sprite._staged[0] is self else sync.forget
        change(self)

    def move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Move the bodies of the sprite: now, or at the end of the step. Velocities stay.

        They keep their places relative to each other. Out of play nothing moves: the next spawn
        places all of them.
        """
        if not all(math.isfinite(number) for number in (x, y, rotation) if number is not None):
            message = (
                f"{self.sprite!r} has a body, which can't be put at ({x}, {y}) with a rotation of "
                f"{rotation}: give finite numbers"
            )
            raise ValueError(message)
        if self._state == _IN and not self.queue.gone:
            if self.body.space is None:  # it enters at the end of the step
                self._put((x, y, rotation))
            else:
                self.queue.do(self._put, (x, y, rotation))

    def _put(self, pose: tuple[float | None, float | None, float | None]) -> None:
        if self._state != _IN:  # its life has ended since
            return
        body, (x, y, rotation) = self.body, pose
        angle = body.angle if rotation is None else -math.radians(rotation)
        others = [each for own in self.sprite._staged for each in own.bodies if each is not body]
        x, y = body.position.x if x is None else x, body.position.y if y is None else y
        _place(body, x, y, angle, _offsets(body, others))
        for each in (body, *others):
            if each.space is not None:
                each.space.reindex_shapes_for_body(each)

    # -- as the space calls them --------------------------------------------------------------

    def about_to_change(self) -> None:
        """Note how the parts are: one of them is about to change."""
        if self._state < _OUT or self.queue.gone:
            return
        if self._snapshot is None:
            self._snapshot = BodySnapshot(self)
        self._snapshot.is_changed = True

    def has_left(self, sprite: Any, record: Record[Any] | None) -> None:
        """Restore the parts, which have left the space, and reset their motion.

        `sprite` is the one whose life ended: it may have dropped the component since, in the step.
        """
        self._state = _OUT
        if self._others or has_joints(self.body):
            for joint in [joint for body in self.bodies for joint in body.constraints]:
                if joint.__dict__.get(OWNER) is None:  # one of this life, no longer used
                    cut_cycle(joint)
        snapshot = self._snapshot
        if snapshot is not None and (snapshot.is_changed or not self.all_watched):
            snapshot.restore()
        if self.joints:
            self._clear_joints(record)
        for component in sprite.components:
            if isinstance(component, ResetPooledBodyComponent):
                for body in self.bodies:
                    component.reset(body)

    def _clear_joints(self, record: Record[Any] | None) -> None:
        """Let joints forget the life, once all is restored: pymunk takes none of static bodies."""
        if not clear_joints(self.joints) and record is not None:
            record.doom()
        if self._snapshot is not None:
            self._snapshot.restore()

    def _refusal(self) -> PoolError:
        message = (
            f"{self.sprite!r} can't enter its PhysicsWorld, which is gone: the program ends, or "
            "the world was dropped with all that lived in it. Call reset() before you drop it"
        )
        return PoolError(message)

    def __repr__(self) -> str:
        """Return ``<RigidBody(bodies=1, shapes=2, joints=0)>``, which is what a game knows."""
        counts = f"bodies={len(self.bodies)}, shapes={len(self.shapes)}, joints={len(self.joints)}"
        return f"<RigidBody({counts})>"


def owner_of(body: pymunk.Body | None) -> BodyStages | None:
    """Return the stages of the rigid body that `body` is part of, or `None`."""
    return None if body is None else body.__dict__.get(OWNER)


def _offsets(body: pymunk.Body, others: Iterable[pymunk.Body]) -> list[_Offset]:
    """Return where other bodies are, seen from `body`."""
    return [
        (other, body.world_to_local(other.position), other.angle - body.angle) for other in others
    ]


def _place(body: pymunk.Body, x: float, y: float, angle: float, others: Iterable[_Offset]) -> None:
    """Place a body, and the others relative to it."""
    set_pose(body, x, y, angle)
    for other, offset, turn in others:
        set_pose(other, *body.local_to_world(offset), angle + turn)
