"""What a checkpoint does to physics worlds."""

from __future__ import annotations

import logging
from copy import copy
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
from poolkit.physics.snapshot import MOTION, owner_of, read_settings, write_settings
from poolkit.physics.space_memory import SpaceMemory, has_trees, memory_is_known
from poolkit.sprites.sprite import record_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.physics.world import PhysicsWorld

_log = logging.getLogger("poolkit")

# C code finds a part by its handle, which is another one once its cycle was cut.
unsaved[pymunk.Body] = unsaved[pymunk.Constraint] = frozenset({"_data_handle"})
unsaved[pymunk.Shape] = frozenset({"_h"})

# Where pymunk keeps what is in a space.
_BOOKS = ("_bodies", "_shapes", "_constraints", "_removed_shapes", "_bodies_to_check")


class SavedWorld:
    """A world at one moment: its space, and what moves the sprites.

    Attributes:
        parts: All bodies, shapes and joints that are in the space.
    """

    def __init__(self, world: PhysicsWorld, *, warm: bool) -> None:
        space: Any = world.space
        self.world = world
        bodies, shapes, joints = _parts_in(space)
        self.parts: tuple[Any, ...] = (*bodies, *shapes, *joints)
        saved = SpaceMemory if warm and _can_be_warm(space) else ColdSpace
        self._space: SpaceMemory | ColdSpace = saved(space, bodies, shapes, joints)
        books = [vars(space)[name] for name in _BOOKS if name in vars(space)]
        books += (world._queue._joints_out, world._sync.parents)
        self._books = [(book, copy(book)) for book in books]
        self._state = [(thing, name, getattr(thing, name)) for thing, name in _state_of(world)]

    def share_with(self, former: SavedWorld) -> None:
        """Keep once what is as it was in a copy made before."""
        if isinstance(self._space, SpaceMemory) and isinstance(former._space, SpaceMemory):
            self._space.share_with(former._space)

    def stranger(self, context: object) -> Any:
        """Return a living sprite of another system that has a body in the space, or `None`."""
        for body in self.world.space.bodies:
            owner = owner_of(body)
            record = None if owner is None else record_of(owner.sprite)
            if record is not None and record.context is not context:
                return owner.sprite  # type: ignore[union-attr]  # it has a record
        return None

    def prepare(self) -> None:
        """Let nothing that leaves the space call anybody, and let nothing sleep there."""
        self._space.prepare()

    def restore(self) -> None:
        """Put the space back; lives that have begun since have left it."""
        space, parts = self.world.space, set(self.parts)
        _remove(space, *(part for part in _all_in(space) if part not in parts))
        self._space.restore()
        for book, entries in self._books:
            book.clear()
            book.update(entries)
        self.world._queue.events.separations.clear()
        for thing, name, value in self._state:
            setattr(thing, name, value)


class ColdSpace:
    """All that is in a space, to let it enter once more: without contacts, in its order."""

    def __init__(
        self, space: pymunk.Space, bodies: list[Any], shapes: list[Any], joints: list[Any]
    ) -> None:
        self._space, self._bodies, self._joints = space, bodies, joints
        self._parts = (*bodies, *shapes, *joints)
        self._settings = read_settings(self._parts)
        self._motion = [(body, name, getattr(body, name)) for body in bodies for name in MOTION]
        self._ids = {shape: insertion_id(shape) for shape in shapes if internals_match()}

    def prepare(self) -> None:
        """Do nothing: bodies wake, and call what they call, as they leave."""

    def restore(self) -> None:
        """Let all parts leave and enter again, with their settings and motion."""
        space, ids = self._space, self._ids
        _remove(space, *_all_in(space))
        if self._joints:
            clear_joints(self._joints)  # before the settings: it changes some
        write_settings(self._settings)
        for body, name, value in self._motion:
            setattr(body, name, value)
        for body in self._bodies:
            clear_bias(body)
        for part in self._parts:
            if part in ids:
                next_id_is(space, ids[part])
            pymunk.Space.add(space, part)
        if ids:
            next_id_is(space, max(ids.values()) + 1)


_remove = pymunk.Space.remove


def _parts_in(space: pymunk.Space) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the bodies in a space, its shapes in the order in which they entered, and joints."""
    shapes = sorted(space.shapes, key=insertion_id) if internals_match() else space.shapes
    return [*space.bodies], [*shapes], [*space.constraints]


def _all_in(space: pymunk.Space) -> tuple[Any, ...]:
    return (*space.constraints, *space.shapes, *space.bodies)


def _state_of(world: PhysicsWorld) -> Iterator[tuple[Any, str]]:
    """Yield what a world and its helpers replace as time passes: each owner and attribute."""
    yield from ((world, "_accumulator"), (world._queue, "is_at_start"))
    yield from ((world._sync, name) for name in ("_ids", "_followers", "_last_static"))
    if (interpolation := world._sync.interpolation) is not None:
        names = ("_former_poses", "_tracks", "fraction")
        yield from ((interpolation, name) for name in names)


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
