"""The sprites that follow their bodies: all moved in one go after the steps of a frame."""

from __future__ import annotations

import struct
from itertools import repeat
from math import degrees, dist
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.physics.chipmunk import body_of, id_of, reader_of
from poolkit.sprites.links import follow_all, leading
from poolkit.sprites.rotation import Turning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pymunk

    from poolkit.core.errors import ErrorCollector
    from poolkit.physics.rigid_body import RigidBody
    from poolkit.sprites.sprite import PooledSprite

_Place = tuple[float, float, float]  # x, y, radians
_Places = list[tuple[float, float]]

_SIZE = 8  # bytes, of a body's id and of each number
_PLACE = struct.Struct("dd8x")  # x and y, before the angle

# What a body may be pushed by within one step, beyond what its velocity explains, before that
# counts as being put somewhere else.
_FAR = 32.0  # pixels

# Contacts without friction turn bodies as well, by what their numbers are rounded to. Such a body
# is upright: else each of thousands of balls that never roll would be turned in every frame.
_UPRIGHT = 1e-6  # radians

_BLOCK = 64 * _SIZE  # bytes of ids that are looked up together

_rect_of = attrgetter("rect")
_turning_of = attrgetter("_turning")


class SpriteSync:
    """Moves the sprites of one space's rigid bodies."""

    def __init__(self, space: pymunk.Space, *, interpolate: bool) -> None:
        self._read_space = reader_of(space)
        self._sprites: dict[int, Any] = {}  # what moves with each of these bodies
        self._ids = b""  # of the bodies that were looked at last, in their order
        self._followers: list[Any] | None = None  # what moves with each of these
        self._rest: object = None  # which bodies are at rest, and where
        self.interpolation = Interpolation(self) if interpolate else None

    def follow(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body from now on, whenever its body is in the space."""
        sprite: Any = rigid.sprite
        self._sprites[id_of(rigid.body)] = sprite if sprite._moves_plainly else _MovedApart(sprite)
        self._followers = None
        if rigid.body in rigid.world._bodies:  # where it may be at rest
            self._rest = None

    def forget(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body no longer, and keep nothing of it."""
        self._sprites.pop(id_of(rigid.body), None)
        self._followers = None

    def move_sprites(self, errors: ErrorCollector, *, all_of_them: bool) -> None:
        """Turn the sprites that are turned, then move all of them, and what follows them.

        Unless it is `all_of_them`, without those whose bodies are static or sleep, and have not
        moved since. What moving some of them raises stops none of the others.
        """
        places: Iterable[tuple[float, float]]
        interpolation = self.interpolation
        if interpolation is None:
            places, angles = self._read(all_of_them=all_of_them)
        else:
            # What rests, too: it may have come to rest just now, and is shown on its way still.
            places, angles = interpolation.between(self.poses())
        followers = self._followers or ()
        if angles is not None and sum(map(abs, angles)) < _UPRIGHT:  # no number is never less
            angles = None
        if angles is not None or (Turning.exists and any(map(_turning_of, followers))):
            _turn(followers, angles or repeat(0.0), errors)
        rect: Any = _nobody
        # Places first: where a rect can't be asked for, the next place is the next sprite's still.
        to_move = zip(places, map(_rect_of, followers), strict=False)
        while True:
            try:
                for place, rect in to_move:
                    rect.center = place
            except BaseException as error:
                if rect is not None:  # else the game took it away
                    errors.add(error)
                rect = _nobody
            else:
                break
        if leading:
            follow_all()

    def poses(self) -> Iterator[tuple[int, _Place]]:
        """Return where all bodies are, by their ids."""
        places, angles = self._read(all_of_them=True)
        turns = angles or repeat(0.0)
        for id_, (x, y), angle in zip(_numbers(self._ids), places, turns, strict=False):
            yield id_, (x, y, angle)

    def _read(self, *, all_of_them: bool) -> tuple[Iterable[Any], list[float] | None]:
        """Return where bodies are, and their angles; `None` where all are 0."""
        awake, ids, poses = self._read_space()
        awake *= _SIZE
        rest = ids[awake:], poses[3 * awake :]
        if rest != self._rest:
            self._rest = rest
        elif not all_of_them:
            ids = ids[:awake]
        if ids != self._ids or self._followers is None:
            self._find_followers(ids)
        poses = poses[: 3 * len(ids)]
        angles = memoryview(poses).cast("d")[2::3].tobytes()
        is_none_turned = angles == bytes(len(angles))
        return _PLACE.iter_unpack(poses), None if is_none_turned else [
            *memoryview(angles).cast("d")
        ]

    def _find_followers(self, ids: bytes) -> None:
        """Find what follows each of these bodies.

        Where lives begin and end, Chipmunk puts the last of all bodies into the place of one that
        goes, and a new one behind the last: only those in blocks that have changed are looked up.
        """
        before, followers = self._ids, self._followers
        self._followers = None  # until all are found, for it may be interrupted
        if followers is None:
            before, followers = b"", []
        del followers[len(ids) // _SIZE :]
        for start in range(0, len(ids), _BLOCK):
            block = ids[start : start + _BLOCK]
            if block != before[start : start + _BLOCK]:
                found = map(self._sprites.get, _numbers(block), repeat(_nobody))
                followers[start // _SIZE : (start + _BLOCK) // _SIZE] = found
        self._ids, self._followers = ids, followers


def _numbers(ids: bytes) -> list[int]:
    return memoryview(ids).cast("Q").tolist()


# Stands for the sprite of a body that moves none, so that all can be moved alike.
_nobody: Any = SimpleNamespace(rect=pygame.FRect(), _turning=None, _turn=lambda _: None)


class _MovedApart:
    """Stands for a sprite that is moved in a way of its own: first told how far, then whereto."""

    __slots__ = ("_rotation", "_sprite")

    def __init__(self, sprite: PooledSprite) -> None:
        self._sprite = sprite
        self._rotation = 0.0

    @property
    def rect(self) -> Self:
        return self

    _turning = rect

    def _turn(self, degrees: float) -> None:
        self._rotation = degrees

    def _move(self, place: tuple[float, float]) -> None:
        self._sprite._move_to(*place, self._rotation)

    center = property(None, _move)


def _turn(followers: Iterable[Any], angles: Iterable[float], errors: ErrorCollector) -> None:
    """Turn all that are to be turned; the next thing is to move them."""
    for sprite, turning, angle in zip(followers, map(_turning_of, followers), angles, strict=False):
        is_upright = -_UPRIGHT < angle < _UPRIGHT
        if turning is None and is_upright:
            continue
        try:
            rect = sprite.rect
            if rect is not None:
                to = 0.0 if is_upright else -degrees(angle)
                size = sprite._turn(to)
                if size is not None:
                    rect.size = size
        except BaseException as error:  # an angle that is no number, say
            errors.add(error)


# -- between two steps ---------------------------------------------------------------------------


class Interpolation:
    """Shows sprites between the last two steps, so that they move evenly at any frame rate."""

    def __init__(self, sync: SpriteSync) -> None:
        self._sync = sync
        self._before: dict[int, _Place] = {}
        self._tracks: dict[int, tuple[_Place, _Place]] = {}
        self.fraction = 0.0  # of a step that has passed since, from 0 to 1

    def before_last_step(self) -> None:
        """Take note of where all bodies are."""
        self._before = dict(self._sync.poses())

    def after_last_step(self, seconds: float) -> None:
        """Take note of where they have come to in a step of so many seconds."""
        before, self._before = self._before, {}
        self._tracks = {
            id_: (before[id_], place)
            for id_, place in self._sync.poses()
            if id_ in before and not _is_jump(body_of(id_), before[id_], place, seconds)
        }

    def between(self, poses: Iterable[tuple[int, _Place]]) -> tuple[_Places, list[float]]:
        """Return where the sprites of bodies, and how far they are turned, are to be shown."""
        places: _Places = []
        angles: list[float] = []
        for id_, place in poses:
            was, now = self._tracks.get(id_, (place, place))
            if now != place:  # the game has put it here meanwhile
                was = place
            x, y, angle = (a + (b - a) * self.fraction for a, b in zip(was, place, strict=True))
            places.append((x, y))
            angles.append(angle)
        return places, angles


def _is_jump(body: pymunk.Body, before: _Place, after: _Place, seconds: float) -> bool:
    """Tell whether a callback put the body elsewhere in the midst of a step."""
    away = dist(before[:2], after[:2])
    return away > _FAR and away > _FAR + 2 * body.velocity.length * seconds
