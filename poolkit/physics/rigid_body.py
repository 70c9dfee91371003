"""The component that gives a sprite bodies, shapes and joints, and what happens to them."""

from __future__ import annotations

from math import isfinite, radians
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import PoolError, PrefabError
from poolkit.physics.chipmunk import (
    break_cycles,
    clear_joints,
    cut_cycles,
    has_joints,
    set_pose,
    stop,
)
from poolkit.physics.snapshot import IN, LEAVING, NEW, OUT, BodySnapshot, owner_of, unwatch, watch
from poolkit.physics.world import PhysicsWorld
from poolkit.sprites.components import DependentComponent, PlayComponent, PlayHandler

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import Record
    from poolkit.physics.space_queue import SpaceQueue

    _Parts = tuple[tuple[pymunk.Body, ...], tuple[pymunk.Shape, ...], tuple[pymunk.Constraint, ...]]
    _Offset = tuple[pymunk.Body, pymunk.Vec2d, float]  # position and radians relative to the first

_CLASSES = (pymunk.Body, pymunk.Shape, pymunk.Constraint)


class RigidBody(PlayComponent):
    """Bodies, shapes and joints of one sprite: in the space while the sprite is alive.

    They enter the space before the `spawned` hooks, so these can set a velocity. They leave it
    after the `despawned` hooks. Inside a physics step both wait until it ends. A joint to a body of
    another sprite is in the space while both sprites are alive.

    When they leave, poolkit restores what this life changed: of bodies, all but motion; of shapes,
    all settings and the form; of joints, all settings, and impulses become 0. If an impulse stays
    NaN, the instance is destroyed. Shapes and joints that you added leave for good.

    Restore the rest in your hooks or in a `reset` of your own: motion, unless there is a
    `ResetPooledBodyComponent`; attributes that you added; of segments the neighbours and, after
    `unsafe_set_endpoints`, the normal, which pymunk doesn't give back.

    To notice changes, poolkit gives each part a class that extends its own and passes for it. So
    use ``isinstance(shape, pymunk.Circle)``, not ``type(shape)``. Parts of your own classes are
    compared after every life, in pymunk's settings only.

    Args:
        world: The world they live in.
        body: The body that the sprite follows: its position is the sprite's.
        *others: Shapes, joints and further bodies. Every spawn places these bodies relative to
            `body` as they are now.

    Attributes:
        world: The world they live in.

    Raises:
        PrefabError: A part belongs to another sprite or is on no body of this one, or a body is the
            space's own static one.
        TypeError: Something isn't a world, body, shape or joint.
    """

    __slots__ = ("sprite", "world")

    _play_handler: BodyHandler

    def __init__(
        self,
        world: PhysicsWorld,
        body: pymunk.Body,
        *others: pymunk.Body | pymunk.Shape | pymunk.Constraint,
    ) -> None:
        if not (isinstance(world, PhysicsWorld) and isinstance(body, pymunk.Body)):
            message = (
                "RigidBody takes a PhysicsWorld first, then the body that the sprite follows; "
                f"not {world!r} and {body!r}"
            )
            raise TypeError(message)
        # One body with its shapes is built by the thousand, and needs no sorting.
        carried = tuple(body.shapes)
        if others == carried and body.space is None and owner_of(body) is None:
            parts: _Parts = (body,), carried, ()
        else:
            parts = _sorted_parts(world.space, body, others)
            carried = tuple([shape for part in parts[0] for shape in part.shapes])
        self.sprite: Any = None  # so asking for it before it is attached raises no error
        self.world: PhysicsWorld = world
        self._play_handler = BodyHandler(world._queue, parts, carried)

    @property
    def body(self) -> pymunk.Body:
        """The body that the sprite follows."""
        return self._play_handler.body

    @property
    def bodies(self) -> tuple[pymunk.Body, ...]:
        """This body and the further ones."""
        return self._play_handler.bodies

    @property
    def shapes(self) -> tuple[pymunk.Shape, ...]:
        """The shapes that it was given."""
        return self._play_handler.shapes

    @property
    def joints(self) -> tuple[pymunk.Constraint, ...]:
        """The joints that it was given."""
        return self._play_handler.joints

    def __repr__(self) -> str:
        return repr(self._play_handler)


class ResetPooledBodyComponent(DependentComponent):
    """Stops its sprite's bodies when they leave the space. Put one on each sprite that moves.

    This comes after all hooks of the life, so any `spawned` hook may set a velocity for the next.

    Raises:
        PrefabError: Its sprite has no `RigidBody` when it is made.
    """

    __slots__ = ("sprite",)

    def check_dependency(self) -> None:
        """Check that there is something to reset."""
        if not _handlers_of(self.sprite):
            message = (
                f"{self.sprite!r} has a ResetPooledBodyComponent but no RigidBody to reset: "
                "add one first, or leave it out"
            )
            raise PrefabError(message)

    def reset(self, body: pymunk.Body) -> None:
        """Clear the velocities and forces of `body`, hidden ones of the solver included.

        Override it to reset more.
        """
        stop(body)


def _sorted_parts(space: pymunk.Space, body: pymunk.Body, others: tuple[object, ...]) -> _Parts:
    parts: Any = dict.fromkeys((body, *others))  # each once
    by_class: Any = (tuple([part for part in parts if isinstance(part, cls)]) for cls in _CLASSES)
    bodies, shapes, joints = by_class
    for part in parts:
        if not isinstance(part, _CLASSES):
            message = f"RigidBody holds bodies, shapes and joints, not {part!r}"
            raise TypeError(message)
        if (reason := _why_not_listed(part, bodies, space)) is not None:
            raise PrefabError(reason)
    return bodies, shapes, joints


def _why_not_listed(part: Any, bodies: tuple[pymunk.Body, ...], space: pymunk.Space) -> str | None:
    """Return why a part can't be in a `RigidBody` of these bodies, or `None`."""
    kind, owner = type(part).__name__, owner_of(part)
    bodies_of_part = {part, *(getattr(part, name, None) for name in ("body", "a", "b"))}
    if bodies_of_part.isdisjoint(bodies):
        return f"{part!r} is on no body of this RigidBody: list that body, too"
    if part is space.static_body and part.space is space:
        return (
            "the space's own static_body is always in it, so it can't come and go with a "
            "sprite: make a body of your own with body_type=pymunk.Body.STATIC"
        )
    if owner is not None:
        return (
            f"this {kind} belongs to {owner.sprite or owner!r} already: "
            f"build a {kind} for each sprite, in its constructor, and list it once"
        )
    if part in bodies and part.space not in {None, space}:
        return f"{part!r} is in the space of another world"
    return None


# -- the handler of its sprite's life -------------------------------------------------------------

_ALMOST = 1.0  # pixels: a rect may hold whole pixels only
_ALMOST_ROTATED = 1e-3  # radians


class BodyHandler(PlayHandler):
    """What happens to the parts of a `RigidBody` as its sprite enters play and leaves it."""

    __slots__ = (
        "_offsets",
        "_snapshot",
        "bodies",
        "body",
        "joints",
        "queue",
        "reports_changes",
        "shapes",
        "state",
    )

    def __init__(self, queue: SpaceQueue, parts: _Parts, carried: tuple[pymunk.Shape, ...]) -> None:
        bodies, shapes, joints = parts
        self.bodies: tuple[Any, ...] = bodies
        self.shapes: tuple[Any, ...] = shapes
        self.joints: tuple[Any, ...] = joints
        self.body: pymunk.Body = bodies[0]
        self.sprite: Any = None
        self.queue: SpaceQueue = queue
        self.state: int = NEW
        self._offsets = _offsets_of(bodies, self.body) if len(bodies) > 1 else []
        self._snapshot: BodySnapshot | None = None  # taken when something is about to change
        # Whether all parts report changes. If not, they are compared after every life.
        self.reports_changes: bool = carried == shapes or {*carried} <= {*shapes}
        watch((*bodies, *shapes, *joints), self)

    @property
    def parts(self) -> tuple[Any, ...]:
        """All its parts, shapes first: setting their mass computes the body's again."""
        return (*self.shapes, *self.bodies, *self.joints)

    # As the sprite's record calls them: see `PlayHandler`.

    def remember_settings(self, record: Record[Any]) -> None:
        """Note the settings of the parts. If the game put them into the space, leave it."""
        if self.state == LEAVING or not self.queue.world_finalizer.alive:
            return  # its parts are still as its life left them
        self.state = OUT
        self._snapshot = None if self.reports_changes else BodySnapshot(self)
        if not self.queue.bodies.isdisjoint(self.bodies):
            self.leave(record)

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Place the bodies and let them enter the space."""
        queue = self.queue
        self._ensure_world()
        angle = -radians(rotation) if rotation else 0.0
        _place(self.body, x, y, angle, self._offsets)
        self.state = IN
        queue.run_or_defer(queue.add_body, self)

    def enter_in_place(self) -> None:
        """Let the bodies enter the space where the sprite is, unless they are in it."""
        self._ensure_world()
        if self.state == NEW and not self.reports_changes:
            self._snapshot = BodySnapshot(self)
        sprite, body, queue = self.sprite, self.body, self.queue
        is_leaving, self.state = self.state == LEAVING, IN
        if not is_leaving and body in queue.bodies:  # the game put it there
            return
        # A rect keeps fewer digits than a body, so a body that is almost there stays as it is.
        (x, y), angle = sprite.position, -radians(sprite.rotation)
        distance = max(abs(body.position.x - x), abs(body.position.y - y))
        if distance >= _ALMOST or abs(body.angle - angle) > _ALMOST_ROTATED:
            _place(body, x, y, angle, self._offsets)
        queue.run_or_defer(queue.add_body, self)

    def leave(self, record: Record[Any] | None) -> None:
        """Let the bodies leave the space: now, or at the end of the step."""
        queue = self.queue
        if self.state == LEAVING or not queue.world_finalizer.alive:
            return
        if self.state != IN and queue.bodies.isdisjoint(self.bodies):
            if self.state == OUT:  # a part that was hidden: the game may have changed it
                self.on_left_space(self.sprite, record)
            return
        self.state = LEAVING
        queue.run_or_defer(queue.remove_body, (self, self.sprite, record), record)

    def break_cycles(self, record: Record[Any] | None) -> None:
        """Give the bodies up."""
        sprite = self.sprite
        sprite._follows_body = False
        if (link := sprite._link) is not None:  # its offset is now from where its body took it
            link.update_offset()
        unwatch(self.parts)
        queue = self.queue
        queue.sync.forget(self)
        if record is None or not record.destroyed:
            self.on_before_change()  # nobody reports changes until it is attached again
        elif queue.world_finalizer.alive:
            self._snapshot = None  # it holds callbacks, perhaps methods of the sprite
            break_cycles(queue.space, self.bodies, self.joints)
        self.sprite = None

    @property
    def parents(self) -> dict[int, Any]:
        """The `Links` of sprites with children that follow a body of this world."""
        return self.queue.sync.parents

    def is_of(self, world: object) -> bool:
        """Whether its parts enter the space of this world."""
        return isinstance(world, PhysicsWorld) and world._queue is self.queue

    def components_changed(self) -> None:
        """Find out whether the sprite follows this one."""
        sprite = self.sprite
        sprite._follows_body = True
        if owner_of(self.body) is not self:  # it was taken off a sprite before
            watch(self.parts, self)
        sync = self.queue.sync
        if sprite._play_handlers[0] is self:
            sync.follow(self)
        else:
            sync.forget(self)

    def move_to(self, x: float | None, y: float | None, rotation: float | None) -> None:
        """Move the bodies: now, or at the end of the step. Velocities stay."""
        if not all(isfinite(number) for number in (x, y, rotation) if number is not None):
            message = (
                f"{self.sprite!r} has a body, which can't be put at ({x}, {y}) with a rotation of "
                f"{rotation}: give finite numbers"
            )
            raise ValueError(message)
        # Otherwise the next spawn places all of them.
        if self.state == IN and self.queue.world_finalizer.alive:
            pose = x, y, rotation
            if self.body.space is None:  # it enters at the end of the step
                self._move_bodies(pose)
            else:
                self.queue.run_or_defer(self._move_bodies, pose)

    def _move_bodies(self, pose: tuple[float | None, float | None, float | None]) -> None:
        """Move all bodies of the sprite, as they are to each other."""
        if self.state != IN:  # its life has ended since
            return
        body, (x, y, rotation) = self.body, pose
        angle = body.angle if rotation is None else -radians(rotation)
        x, y = body.position.x if x is None else x, body.position.y if y is None else y
        bodies = [body for handler in _handlers_of(self.sprite) for body in handler.bodies]
        _place(body, x, y, angle, _offsets_of(bodies, body))
        for moved in bodies:
            if moved.space is not None:
                moved.space.reindex_shapes_for_body(moved)

    # As watched parts and the space call them.

    def on_before_change(self) -> None:
        """Take a snapshot of the parts, if there is none: one of them is about to change."""
        if self.state == NEW or not self.queue.world_finalizer.alive:
            return
        if self._snapshot is None:
            self._snapshot = BodySnapshot(self)
        self._snapshot.is_changed = True

    def on_left_space(self, sprite: Any, record: Record[Any] | None) -> None:
        """Restore the parts, which have left the space, and reset their motion.

        `sprite` is the one whose life ended: the component may be off it since, in the same step.
        """
        self.state = OUT
        if self._offsets or has_joints(self.body):
            self._cut_added_joints()
        snapshot = self._snapshot
        if snapshot is not None and (snapshot.is_changed or not self.reports_changes):
            snapshot.restore()
        if self.joints:
            self._clear_joints(record)
        for component in sprite._components:
            if isinstance(component, ResetPooledBodyComponent):
                for body in self.bodies:
                    component.reset(body)

    def _cut_added_joints(self) -> None:
        """Cut the cycles of joints that this life has added."""
        joints = [joint for body in self.bodies for joint in body.constraints]
        cut_cycles(*(joint for joint in joints if owner_of(joint) is None))

    def _clear_joints(self, record: Record[Any] | None) -> None:
        """Clear the joints of restored bodies: pymunk takes none between static ones."""
        if not clear_joints(self.joints) and record is not None:
            record.mark_for_destroy()
        if self._snapshot is not None:
            self._snapshot.restore()  # clearing changes their settings

    def _ensure_world(self) -> None:
        if not self.queue.world_finalizer.alive:
            message = (
                f"{self.sprite!r} can't enter its PhysicsWorld, which is gone: the program ends, "
                "or the world was dropped with all that lived in it. Call reset() before you drop "
                "it"
            )
            raise PoolError(message)

    def __repr__(self) -> str:
        counts = f"bodies={len(self.bodies)}, shapes={len(self.shapes)}, joints={len(self.joints)}"
        return f"<RigidBody({counts})>"  # what a game knows


def _handlers_of(sprite: Any) -> tuple[BodyHandler, ...]:
    handlers: tuple[BodyHandler, ...] = sprite._play_handlers  # nothing else has one
    return handlers


def _offsets_of(bodies: Iterable[pymunk.Body], first: pymunk.Body) -> list[_Offset]:
    """Return where bodies are relative to the first one."""
    return [
        (body, first.world_to_local(body.position), body.angle - first.angle)
        for body in bodies
        if body is not first
    ]


def _place(body: pymunk.Body, x: float, y: float, angle: float, offsets: Iterable[_Offset]) -> None:
    """Place a body, and others relative to it."""
    set_pose(body, x, y, angle)
    for other, offset, turn in offsets:
        set_pose(other, *body.local_to_world(offset), angle + turn)
