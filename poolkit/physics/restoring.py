"""What a checkpoint does to physics worlds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.saving import unsaved
from poolkit.physics.chipmunk import (
    clear_bias,
    clear_joints,
    insertion_id,
    internals_match,
    next_id_is,
)
from poolkit.physics.snapshot import owner_of, settings_of
from poolkit.physics.space_memory import SpaceMemory, has_trees, memory_is_known, silence, wake_all
from poolkit.sprites.sprite import record_of

if TYPE_CHECKING:
    from poolkit.physics.world import PhysicsWorld

_log = logging.getLogger("poolkit")

# C code finds a part by its handle, which is another one once its cycle was cut.
unsaved[pymunk.Body] = unsaved[pymunk.Constraint] = frozenset({"_data_handle"})
unsaved[pymunk.Shape] = frozenset({"_h"})

_BOOKS = ("_bodies", "_shapes", "_constraints", "_removed_shapes", "_bodies_to_check")
_MOTION = ("position", "angle", "velocity", "angular_velocity", "force", "torque")


class SavedWorld:
    """A world at one moment: its space, and what moves the sprites.

    Attributes:
        parts: All bodies, shapes and joints that are in the space.
    """

    def __init__(self, world: PhysicsWorld, *, warm: bool) -> None:
        space = world.space
        self.world = world
        self._books = [(book, [*book]) for book in _books_of(space)]
        bodies, shapes, joints = ([*view] for view in _views_of(space))
        self.parts: tuple[Any, ...] = (*bodies, *shapes, *joints)
        self._memory: SpaceMemory | None = None
        if warm and _can_be_warm(space):
            self._memory = SpaceMemory(space, bodies, shapes, joints)
        else:
            self._settings = [
                (part, read(part), read, write)
                for part in self.parts
                for read, write in settings_of(part)
            ]
            self._motion = [
                (body, name, getattr(body, name)) for body in bodies for name in _MOTION
            ]
            self._ids = {shape: insertion_id(shape) for shape in shapes if internals_match()}
        queue, sync = world._queue, world._sync
        self._joints_out = dict(queue._joints_out)
        self._times = world._accumulator, queue.is_at_start
        followers = None if sync._followers is None else [*sync._followers]
        self._sync = sync._ids, followers, sync._last_static, dict(sync.parents)
        interpolation = sync.interpolation
        self._tracks = None
        if interpolation is not None:
            self._tracks = (
                interpolation._former_poses,
                interpolation._tracks,
                interpolation.fraction,
            )

    def stranger(self, context: object) -> Any:
        """Return a living sprite of another system that has a body in the space, or `None`."""
        for body in self.world.space.bodies:
            owner = owner_of(body)
            record = None if owner is None else record_of(owner.sprite)
            if record is not None and record.context is not context:
                return owner.sprite  # type: ignore[union-attr]  # it has a record
        return None

    @property
    def num_bytes(self) -> int:
        """How much memory of Chipmunk's it holds."""
        return 0 if self._memory is None else self._memory.num_bytes

    def prepare(self) -> None:
        """Let nothing that leaves the space call anybody, and let nothing sleep there."""
        if self._memory is not None:
            wake_all(self.world.space)
            silence(self.world.space)

    def restore(self) -> None:
        """Put the space back; lives that have begun since have left it."""
        world = self.world
        space, queue, sync = world.space, world._queue, world._sync
        parts = dict.fromkeys(self.parts)
        if self._memory is None:
            parts = {}  # all of them enter again
        joints, shapes, bodies = ([*view] for view in reversed([*_views_of(space)]))
        extra = [part for part in (*bodies, *joints, *shapes) if part not in parts]
        if extra:
            pymunk.Space.remove(space, *extra)
        if self._memory is not None:
            self._memory.restore()
        else:
            self._enter_again()
        for book, entries in self._books:
            book.clear()
            book.update(dict.fromkeys(entries) if isinstance(book, dict) else entries)
        queue.events.separations.clear()
        queue._joints_out.clear()
        queue._joints_out.update(self._joints_out)
        world._accumulator, queue.is_at_start = self._times
        sync._ids, followers, sync._last_static, parents = self._sync
        sync._followers = None if followers is None else [*followers]
        sync.parents.clear()
        sync.parents.update(parents)
        interpolation = sync.interpolation
        if interpolation is not None and self._tracks is not None:
            former, tracks, interpolation.fraction = self._tracks
            interpolation._former_poses, interpolation._tracks = former, tracks

    def _enter_again(self) -> None:
        """Give all parts their settings and motion, and let them enter in their order."""
        space = self.world.space
        joints = [part for part in self.parts if isinstance(part, pymunk.Constraint)]
        if joints:
            clear_joints(joints)  # before the settings: it changes some
        for part, value, read, write in self._settings:
            if read(part) != value:
                write(part, value)
        for body, name, value in self._motion:
            setattr(body, name, value)
        for body in {body for body, _, _ in self._motion}:
            clear_bias(body)
        ids = self._ids
        for part in self.parts:
            if part in ids:
                next_id_is(space, ids[part])
            pymunk.Space.add(space, part)
        if ids:
            next_id_is(space, max(ids.values()) + 1)


def _views_of(space: Any) -> Any:
    return space.bodies, sorted(space.shapes, key=_id_of), space.constraints


def _id_of(shape: pymunk.Shape) -> int:
    return insertion_id(shape) if internals_match() else 0


def _books_of(space: Any) -> list[Any]:
    """Return where pymunk keeps what is in a space."""
    return [vars(space)[name] for name in _BOOKS if name in vars(space)]


def _can_be_warm(space: Any) -> bool:
    if not memory_is_known():
        return False
    if not has_trees(space) or space.threaded:
        _log.warning(
            "checkpoints of a space with a spatial hash or with threads begin without contacts: "
            "leave out use_spatial_hash() and threaded=True"
        )
        return False
    return True
