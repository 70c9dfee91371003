"""The component that gives a sprite its place in the physics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import PoolError, PrefabError
from poolkit.physics.chipmunk import (
    clear_joints,
    cut_cycle,
    has_joints,
    let_go,
    set_pose,
)
from poolkit.physics.resetting import ResetPooledBodyComponent
from poolkit.physics.snapshot import OWNER, BodySnapshot, tell, tell_no_more
from poolkit.sprites.components import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import Record
    from poolkit.physics.world import PhysicsWorld
    from poolkit.sprites.sprite import PooledSprite

    _Offset = tuple[pymunk.Body, pymunk.Vec2d, float]  # where it is seen from the first, radians

# Where it is, as plain numbers: asked in every spawn, despawn and collision callback.
_NEW = -1  # how it is built is not settled yet
_OUT = 0
_IN = 1  # or about to be, when the step is over
_LEAVING = 2  # its life is over, but the step is not

_KINDS = (pymunk.Body, pymunk.Shape, pymunk.Constraint)

_ALMOST = 1.0  # pixels; a rect of whole pixels can't tell more
_ALMOST_TURNED = 1e-3  # radians


class RigidBody(StagedComponent):
    """Bodies, shapes and joints of one sprite: in the space while the sprite is alive.

    They enter the space before the `spawned` hooks, so that these may set a velocity, and leave
    it after the `despawned` hooks. Inside a physics step both wait for its end.

    As they leave it, what the life changed of them is as it was when the instance was built and
    awake: of bodies type, mass, moment, centre of gravity, velocity and position functions, and
    which shapes they carry; of shapes collision type, filter, sensor, elasticity, friction, surface
    velocity, mass and form; of joints every setting and callback. Where nothing was changed this
    takes next to no time: bodies, shapes and joints tell of changes, for which they get a class
    that extends theirs and passes for it: ask ``isinstance(shape, pymunk.Circle)`` or
    ``shape.__class__``, not ``type(shape)``. Those of a game's own classes are always looked at,
    for pymunk's settings alone. The rest is the game's own to restore, in its hooks or in a
    `reset` of its own: motion, unless there is a `ResetPooledBodyComponent`; attributes that the
    game added; of segments the neighbours and, once `unsafe_set_endpoints` was called, the normal,
    which pymunk does not give back. Shapes and joints that the game added leave for good. Joints
    begin afresh; an instance with one that no longer holds numbers, which has no way back, is
    destroyed at the end of that life.

    A joint to a body of another sprite is in the space while both bodies are: where that one dies,
    it comes back with this sprite's next life, or with the other's if that begins later.

    Args:
        world: The world they live in.
        body: The body that the sprite follows: its position is the sprite's.
        *others: Shapes, further bodies and joints. The further bodies' poses relative to `body`
            are kept as they are now, and restored at every spawn.

    Raises:
        PrefabError: A body is another sprite's or the space's own static one, or a shape's body
            is none of these.
        TypeError: Something is no world, body, shape or joint.
    """

    __slots__ = (
        "_others",
        "_snapshot",
        "_state",
        "_tells",
        "bodies",
        "body",
        "joints",
        "shapes",
        "sprite",
        "world",
    )

    def __init__(
        self,
        world: PhysicsWorld,
        body: pymunk.Body,
        *others: pymunk.Body | pymunk.Shape | pymunk.Constraint,
    ) -> None:
        if not (hasattr(world, "_queue") and isinstance(body, pymunk.Body)):
            message = (
                "RigidBody takes a PhysicsWorld first, then the body that the sprite follows; "
                f"not {world!r} and {body!r}"
            )
            raise TypeError(message)
        self.sprite = None  # to be asked for it without an error each time
        self.world = world
        self.body = body
        self._state = _NEW
        self._snapshot: BodySnapshot | None = None  # while nothing has changed, there is none
        self._tells = True
        # One body and what is on it: nothing else is built by the thousand.
        carried = tuple(body.shapes)
        if others == carried and body.space is None and OWNER not in body.__dict__:
            self.bodies: tuple[pymunk.Body, ...] = (body,)
            self.shapes: tuple[pymunk.Shape, ...] = carried
            self.joints: tuple[pymunk.Constraint, ...] = ()
            self._others: list[_Offset] | tuple[()] = ()
        else:
            self._take(others)
            self._tells = all(shape in self.shapes for body in self.bodies for shape in body.shapes)
        tell((body, *others), self)

    def _take(self, others: tuple[object, ...]) -> None:
        """Sort bodies, shapes and joints; refuse what can't come and go with the sprite."""
        every = dict.fromkeys((self.body, *others))  # each once
        of_kinds: Any = ([part for part in every if isinstance(part, kind)] for kind in _KINDS)
        self.bodies, self.shapes, self.joints = map(tuple, of_kinds)
        self._others = _offsets(self.body, self.bodies[1:])
        space, bodies = self.world.space, {*self.bodies}
        part: Any
        for part in every:
            if not isinstance(part, _KINDS):
                message = f"RigidBody holds bodies, shapes and joints, not {part!r}"
                raise TypeError(message)
            kind, owner = type(part).__name__, part.__dict__.get(OWNER)
            on = {part, *(getattr(part, name, None) for name in ("body", "a", "b"))}
            if on.isdisjoint(bodies):
                message = f"{part!r} is on no body of this RigidBody: name that body to it, too"
            elif part is space.static_body and part.space is space:
                message = (
                    "the space's own static_body is always in it, so it can't come and go with a "
                    "sprite: make a body of your own with body_type=pymunk.Body.STATIC"
                )
            elif owner is not None:
                message = (
                    f"this {kind} belongs to {getattr(owner, 'sprite', None) or owner!r} already: "
                    f"build a {kind} for each sprite, in its constructor, and list it once"
                )
            elif part in bodies and part.space not in {None, space}:
                message = f"{part!r} is in the space of another world"
            else:
                continue
            raise PrefabError(message)

    @property
    def parts(self) -> tuple[Any, ...]:
        """All that it holds. Shapes first: where a mass is set, that of its body is worked out."""
        return (*self.shapes, *self.bodies, *self.joints)

    @property
    def is_leaving(self) -> bool:
        """Whether its life is over while it waits for the end of the step to leave the space."""
        return self._state == _LEAVING

    # -- stages -------------------------------------------------------------------------------

    def settle(self, record: Record[Any]) -> None:
        """Remember the settings of the parts; leave the space, if the game has put them there."""
        if self._state == _LEAVING:
            return  # with what its life made of it
        self._state = _OUT
        self._snapshot = None if self._tells else BodySnapshot(self)
        if not self.world._bodies.isdisjoint(self.bodies):
            self.leave(record)

    def note(self) -> None:
        """Note how the parts are, one of which is about to change."""
        if self._state < _OUT:
            return
        if self._snapshot is None:
            self._snapshot = BodySnapshot(self)
        self._snapshot.is_changed = True

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the bodies and let them enter the space."""
        queue = self.world._queue
        if queue.gone:
            raise _gone(self.sprite)
        angle = -math.radians(rotation) if rotation else 0.0
        _place(self.body, x, y, angle, self._others)
        self._state = _IN
        self.sprite._is_driven = True
        queue.do(queue.let_in, self)

    def stay(self) -> None:
        """Let the bodies enter the space where the sprite is, unless they are in it."""
        if self.world._queue.gone:
            raise _gone(self.sprite)
        if self._state < _OUT and not self._tells:
            self._snapshot = BodySnapshot(self)
        sprite, world, body = self.sprite, self.world, self.body
        sprite._is_driven = True
        is_leaving, self._state = self._state == _LEAVING, _IN
        if not is_leaving and body in world._bodies:  # the game put it there
            return
        # The sprite is the truth. A rect keeps fewer digits than a body: a body that is there
        # already does not move.
        (x, y), angle = sprite.position, -math.radians(sprite.rotation)
        away = max(abs(body.position.x - x), abs(body.position.y - y))
        if away >= _ALMOST or abs(body.angle - angle) > _ALMOST_TURNED:
            _place(body, x, y, angle, self._others)
        world._queue.do(world._queue.let_in, self)

    def leave(self, record: Record[Any] | None) -> None:
        """Let the bodies leave the space: now, or when the step is over."""
        if self._state == _LEAVING or self.world._queue.gone:
            return
        if self._state < _IN and not self.objects_in_space():
            if self._state == _OUT:  # a part that was hidden: the game may have changed it
                self.has_left(self.sprite)
            return
        self._state = _LEAVING
        queue = self.world._queue
        queue.do(queue.let_out, (self, self.sprite), record)

    def dismantle(self) -> None:
        """Give the bodies up."""
        sprite = self.sprite
        sprite._is_driven = False
        if sprite._link is not None:  # from where its body took it
            sprite._link.keep()
        tell_no_more(self.parts)
        self.world._sync.forget(self)
        if self.world._queue.gone:
            return
        record = sprite._pool_record
        if record is None or not record.destroyed:
            self.note()  # until it is attached again, nothing tells of changes
        else:
            if self._state >= _IN:  # it was interrupted as it left
                self._state = _LEAVING
                queue = self.world._queue
                queue.do(queue.let_out, (self, sprite))
            self._snapshot = None  # which knows functions, perhaps methods of the sprite's
            let_go(self.world.space, self.bodies, self.joints)

    def components_changed(self) -> None:
        """Find whether the sprite follows this one."""
        if self.body.__dict__[OWNER] is not self:  # it was taken off a sprite before
            tell(self.parts, self)
        sync = self.world._sync
        change = sync.follow if self.sprite._staged[0] is self else sync.forget
        change(self)

    # -- moved by hand ------------------------------------------------------------------------

    def _move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Put its sprite's bodies elsewhere, as they lie to each other; their velocities stay.

        Now, or when the step is over. Out of play nothing is moved: a spawn places all of them.
        """
        if not all(math.isfinite(number) for number in (x, y, rotation) if number is not None):
            message = (
                f"{self.sprite!r} has a body, which can't be put at ({x}, {y}) with a rotation of "
                f"{rotation}: give finite numbers"
            )
            raise ValueError(message)
        if self._state == _IN and not self.world._queue.gone:
            if self.body.space is None:  # it enters when the step is over
                self._put((x, y, rotation))
            else:
                self.world._queue.do(self._put, (x, y, rotation))

    def _put(self, pose: tuple[float | None, float | None, float | None]) -> None:
        if self._state != _IN:  # its life has ended since
            return
        body, (x, y, rotation) = self.body, pose
        angle = body.angle if rotation is None else -math.radians(rotation)
        rigid_bodies = self.sprite.get_components(RigidBody)
        others = [each for rigid in rigid_bodies for each in rigid.bodies if each is not body]
        x, y = body.position.x if x is None else x, body.position.y if y is None else y
        _place(body, x, y, angle, _offsets(body, others))
        for each in (body, *others):
            if each.space is not None:
                each.space.reindex_shapes_for_body(each)

    # -- what the world does with it ----------------------------------------------------------

    def objects_in_space(self) -> list[pymunk.Body]:
        """Return its bodies that are in the space."""
        return [body for body in self.bodies if body in self.world._bodies]

    def has_left(self, sprite: PooledSprite) -> None:
        """Restore the parts, which are out of the space, and reset their motion as `sprite` says.

        It may have taken this component off, inside the step.
        """
        self._state = _OUT
        if self._others or has_joints(self.body):
            for joint in [joint for body in self.bodies for joint in body.constraints]:
                if joint.__dict__.get(OWNER) is None:  # a life's, which nobody else may hold
                    cut_cycle(joint)
        snapshot = self._snapshot
        if snapshot is not None and (snapshot.is_changed or not self._tells):
            snapshot.restore()
        if self.joints:
            self._clear_joints(sprite)
        for component in sprite._components:
            if isinstance(component, ResetPooledBodyComponent):
                for body in self.bodies:
                    component.reset(body)

    def _clear_joints(self, sprite: PooledSprite) -> None:
        """Let joints forget the life once all is restored: pymunk takes none of static bodies."""
        if not clear_joints(self.joints) and sprite._pool_record is not None:
            sprite._pool_record.doom()
        if self._snapshot is not None:
            self._snapshot.restore()

    def __repr__(self) -> str:
        """Return ``<RigidBody(bodies=1, shapes=2, joints=0)>``."""
        counts = f"bodies={len(self.bodies)}, shapes={len(self.shapes)}, joints={len(self.joints)}"
        return f"<RigidBody({counts})>"


def _gone(sprite: PooledSprite) -> PoolError:
    message = (
        f"{sprite!r} can't enter its PhysicsWorld, which is gone: the program ends, or the world "
        "was dropped with all that lived in it. Call reset() before you drop it"
    )
    return PoolError(message)


def _offsets(body: pymunk.Body, others: Iterable[pymunk.Body]) -> list[_Offset]:
    """Return how other bodies lie to a body."""
    return [
        (other, body.world_to_local(other.position), other.angle - body.angle) for other in others
    ]


def _place(body: pymunk.Body, x: float, y: float, angle: float, others: Iterable[_Offset]) -> None:
    """Place a body, and the others as they lie to it."""
    set_pose(body, x, y, angle)
    for other, offset, turn in others:
        set_pose(other, *body.local_to_world(offset), angle + turn)


def owner_of(body: pymunk.Body | None) -> RigidBody | None:
    """Return the rigid body component that `body` is part of, or `None`."""
    return None if body is None else body.__dict__.get(OWNER)
