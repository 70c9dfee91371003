"""Moves all sprites to their bodies, in one go after the steps of a frame."""

from __future__ import annotations

import struct
from itertools import repeat
from math import degrees, dist
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.physics.chipmunk import body_of, id_of, reader_of
from poolkit.sprites.links import follow
from poolkit.sprites.rotation import RotationState

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pymunk

    from poolkit.core.errors import ErrorCollector
    from poolkit.physics.rigid_body import BodyHandler
    from poolkit.sprites.sprite import PooledSprite

_Pose = tuple[float, float, float]  # x, y, radians

_SIZE = 8  # bytes, of a body's id and of each number
_POSITIONS_IN = struct.Struct("dd8x").iter_unpack  # x and y, before the angle

# A step may push a body this far beyond what its velocity explains. If it moves farther, the game
# has put it somewhere else.
_FAR = 32.0  # pixels

# Rounding leaves tiny angles. They count as 0, or balls that never roll are rotated each frame.
_UPRIGHT = 1e-6  # radians

_rect_of = attrgetter("rect")
_rotation_state_of = attrgetter("_rotation_state")


class SpriteSync:
    """Moves the sprites of one space's rigid bodies."""

    def __init__(self, space: pymunk.Space, *, interpolate: bool) -> None:
        self._read_space = reader_of(space)
        self._sprites: dict[int, Any] = {}  # by the ids of the bodies that they follow
        self._ids = b""  # of the bodies that were read last, in this order
        self._followers: list[Any] | None = None  # the sprites that follow these
        self._last_static: object = None  # which bodies are static or asleep, and where
        self.parents: dict[int, Any] = {}  # see `PlayHandler.parents`
        self.interpolation = Interpolation(self) if interpolate else None

    def follow(self, handler: BodyHandler) -> None:
        """Move the sprite of a rigid body while its body is in the space."""
        sprite: Any = handler.sprite
        followed: Any = sprite if sprite._is_moved_by_center else _AnchorAdapter(sprite)
        self._sprites[id_of(handler.body)] = followed
        self._followers = None
        if handler.body in handler.queue.bodies:  # it may be asleep there
            self._last_static = None

    def forget(self, handler: BodyHandler) -> None:
        """Stop moving the sprite of a rigid body."""
        self._sprites.pop(id_of(handler.body), None)
        self._followers = None

    def begin_scene(self) -> None:
        """Forget all that was read: no body of a sprite is left in the space."""
        self._ids, self._followers, self._last_static = b"", None, None
        if self.interpolation is not None:
            self.interpolation = Interpolation(self)

    def move_sprites(self, errors: ErrorCollector, *, all_of_them: bool) -> None:
        """Rotate the sprites whose bodies are rotated, then move all, and their children.

        Unless it is `all_of_them`, bodies that are static or asleep and haven't moved are skipped.
        """
        positions: Iterable[tuple[float, float]]
        if self.interpolation is None:
            positions, angles = self._read(all_of_them=all_of_them)
        else:  # also of bodies asleep: one that has just fallen asleep is still shown on its way
            positions, angles = self.interpolation.poses()
        followers = self._followers or ()
        if angles is not None and sum(map(abs, angles)) < _UPRIGHT:  # never so with a NaN
            angles = None
        if angles is not None or (RotationState.exists and any(map(_rotation_state_of, followers))):
            _rotate(followers, angles or repeat(0.0), errors)
        _move(followers, positions, errors)
        follow([*self.parents.values()])

    def poses(self) -> dict[int, _Pose]:
        """Return where each body is, by its id."""
        positions, angles = self._read(all_of_them=True)
        poses = zip(_numbers(self._ids), positions, angles or repeat(0.0), strict=False)
        return {id_: (x, y, angle) for id_, (x, y), angle in poses}

    def _read(self, *, all_of_them: bool) -> tuple[Iterable[Any], list[float] | None]:
        """Return where bodies are, and their angles; `None` where all are 0."""
        num_awake, ids, poses = self._read_space()
        end = num_awake * _SIZE
        static = ids[end:], poses[3 * end :]
        if static != self._last_static:
            self._last_static = static
        elif not all_of_them:
            ids = ids[:end]
        if ids != self._ids or self._followers is None:
            self._ids = ids
            self._followers = [*map(self._sprites.get, _numbers(ids), repeat(_NULL_SPRITE))]
        poses = poses[: 3 * len(ids)]
        angles = memoryview(poses).cast("d")[2::3].tobytes()
        are_zero = angles == bytes(len(angles))
        return _POSITIONS_IN(poses), None if are_zero else [*memoryview(angles).cast("d")]


def _numbers(ids: bytes) -> list[int]:
    return memoryview(ids).cast("Q").tolist()


# Stands in for a missing sprite, so one loop can move them all.
_NULL_SPRITE: Any = SimpleNamespace(
    rect=pygame.FRect(), _rotation_state=None, _rotate_image=lambda _: None
)


class _AnchorAdapter:
    """Moves a sprite that can't be moved by its rect's center, after it was rotated."""

    __slots__ = ("_rotation", "_sprite")

    def __init__(self, sprite: PooledSprite) -> None:
        self._sprite = sprite
        self._rotation = 0.0

    @property
    def rect(self) -> Self:
        return self

    _rotation_state = rect

    def _rotate_image(self, degrees: float) -> None:
        self._rotation = degrees

    def _move(self, position: tuple[float, float]) -> None:
        self._sprite._move_to(*position, self._rotation)

    center = property(None, _move)


def _move(
    followers: Iterable[Any], positions: Iterable[tuple[float, float]], errors: ErrorCollector
) -> None:
    """Move all sprites, those behind one that raises too."""
    rect: Any = _NULL_SPRITE
    # Positions first: if reading a rect raises, `zip` continues with the next of both.
    moves = zip(positions, map(_rect_of, followers), strict=False)
    while True:
        try:
            for position, rect in moves:
                rect.center = position
        except BaseException as error:
            if rect is not None:  # the game may set it to None
                errors.add(error)
            rect = _NULL_SPRITE
        else:
            return


def _rotate(followers: Iterable[Any], angles: Iterable[float], errors: ErrorCollector) -> None:
    """Rotate the sprites whose bodies are rotated."""
    states = map(_rotation_state_of, followers)
    for sprite, state, angle in zip(followers, states, angles, strict=False):
        is_upright = -_UPRIGHT < angle < _UPRIGHT
        if state is None and is_upright:
            continue
        try:
            rect = sprite.rect
            if rect is not None:
                size = sprite._rotate_image(0.0 if is_upright else -degrees(angle))
                if size is not None:
                    rect.size = size
        except BaseException as error:  # for example an angle that is NaN
            errors.add(error)


class Interpolation:
    """Shows sprites between the last two steps, so they move evenly at any frame rate."""

    def __init__(self, sync: SpriteSync) -> None:
        self._sync = sync
        self._former_poses: dict[int, _Pose] = {}
        self._tracks: dict[int, tuple[_Pose, _Pose]] = {}
        self.fraction: float = 0.0  # how much of the next step has passed, from 0 to 1

    def before_last_step(self) -> None:
        """Note where all bodies are."""
        self._former_poses = self._sync.poses()

    def after_last_step(self, seconds: float) -> None:
        """Note where they are after a step of so many seconds."""
        former_poses, self._former_poses = self._former_poses, {}
        self._tracks = {
            id_: (former_poses[id_], pose)
            for id_, pose in self._sync.poses().items()
            if id_ in former_poses and not _is_teleport(id_, former_poses[id_], pose, seconds)
        }

    def poses(self) -> tuple[list[tuple[float, float]], list[float]]:
        """Return where to show the sprites of all bodies, and their angles."""
        positions: list[tuple[float, float]] = []
        angles: list[float] = []
        for id_, pose in self._sync.poses().items():
            start, end = self._tracks.get(id_, (pose, pose))
            if end != pose:  # the game has put it here since
                start = pose
            x, y, angle = (a + (b - a) * self.fraction for a, b in zip(start, pose, strict=True))
            positions.append((x, y))
            angles.append(angle)
        return positions, angles


def _is_teleport(id_: int, start: _Pose, end: _Pose, seconds: float) -> bool:
    """Return whether a callback put a body somewhere else during a step."""
    distance = dist(start[:2], end[:2])
    return distance > _FAR and distance > _FAR + 2 * body_of(id_).velocity.length * seconds
