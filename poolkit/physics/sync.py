"""The sprites that follow their bodies: all moved in one go after the steps of a frame."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import repeat
from math import degrees
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import pygame
import pymunk

from poolkit.physics.chipmunk import body_of, reader_of
from poolkit.sprites.rotation import Turning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from poolkit.physics.rigid_body import RigidBody
    from poolkit.sprites.sprite import PooledSprite

_Place = tuple[float, float, float]
_Pose = tuple["RigidBody | None", float, float, float]  # x, y, radians; `None`: another's body

_ID = 8  # bytes
_FEW = 16  # bodies that are read as quickly one by one
_MANY_CHANGES = 1000  # beyond which finding the order anew is as quick

# What a body may be pushed by within one step, beyond what its velocity explains, before that
# counts as being put somewhere else.
_FAR = 32.0  # pixels
_FAR_ROUND = 1.0  # radians

# Contacts without friction turn bodies as well, by what their numbers are rounded to. Such a body
# is upright: else each of thousands of balls that never roll would be turned in every frame.
_UPRIGHT = 1e-6  # radians

_rect_of = attrgetter("rect")
_turning_of = attrgetter("_turning")


class SpriteSync:
    """Moves the sprites of one space's rigid bodies.

    Attributes:
        interpolation: Shows sprites between two steps, where the game asked for it.
    """

    __slots__ = ("_moving", "_order", "_space", "interpolation", "left")

    def __init__(self, space: pymunk.Space, *, interpolate: bool) -> None:
        self._space = space
        self._moving: dict[int, RigidBody] = {}
        self._order = _BodyOrder(space, self._moving)
        self.left = self._order.note  # told of what has left the space by now
        self.interpolation = _Interpolation(self) if interpolate else None

    def follow(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body, which is in the space, from now on."""
        if rigid.leads:
            self._moving[rigid.body_id] = rigid
        self._order.note(rigid)

    def forget(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body no longer."""
        if self._moving.pop(rigid.body_id, None) is not None and self.interpolation is not None:
            self.interpolation.forget(rigid)

    def give_up(self, rigid: RigidBody) -> None:
        """Keep nothing of a rigid body: it is its sprite's no longer."""
        self.forget(rigid)
        self._order.give_up(rigid.body_id)

    def move_sprites(
        self, errors: list[BaseException], *, all_of_them: bool, anew: bool = False
    ) -> None:
        """Move the sprites to their bodies.

        Args:
            errors: Receives what moving some of them raised; it stops none of the others.
            all_of_them: Also those whose bodies sleep or are static and have not moved since.
            anew: Whether lives have ended whose bodies are in the space still.
        """
        if anew:
            self._order.forget()
        if self.interpolation is not None:
            _move_each(self.interpolation.poses(all_of_them=all_of_them), errors)
        elif self._pays():
            self._order.move_sprites(errors, all_of_them=all_of_them)
        else:
            _move_each(self._one_by_one(), errors)

    def poses(self, *, all_of_them: bool) -> Iterable[_Pose]:
        """Return where bodies are; unless `all_of_them`, without those at rest."""
        if not self._pays():
            self._order.has_rested = False
            return self._one_by_one()
        return self._order.poses(all_of_them=all_of_them)

    @property
    def has_rested(self) -> bool:
        """Whether those at rest had not moved when `poses` last looked."""
        return self._order.has_rested

    def _pays(self) -> bool:
        """Tell whether to read all bodies of the space: for a few of them it takes longer."""
        count = len(self._moving)
        return self._order.is_known and count >= _FEW and count * 8 >= len(self._space.bodies)

    def _one_by_one(self) -> Iterator[_Pose]:
        for rigid in list(self._moving.values()):
            (x, y), angle = rigid.body.position, rigid.body.angle
            yield rigid, x, y, angle


def _move_each(poses: Iterable[_Pose], errors: list[BaseException]) -> None:
    for rigid, x, y, angle in poses:
        if rigid is not None:
            try:
                rigid.sprite._move_to(x, y, _rotation(angle))
            except BaseException as error:
                errors.append(error)


class _Nobody:
    """Stands for the sprite of a body that moves none, so that all can be moved alike."""

    rect = pygame.FRect(0, 0, 0, 0)
    _turning = None

    @staticmethod
    def _turn(_: float) -> None:
        return None


_nobody: Any = _Nobody()


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

    def turn(self, _: object, degrees: float) -> None:
        self._rotation = degrees

    def _move(self, place: tuple[float, float]) -> None:
        self._sprite._move_to(*place, self._rotation)

    center = property(None, _move)


class _BodyOrder:
    """The sprites in Chipmunk's order of their bodies, kept up while bodies come and go.

    See `chipmunk.BodyReader` for that order. What is kept is held against what Chipmunk tells each
    time, and found anew where it differs.

    Attributes:
        has_rested: Whether the bodies at rest, static and sleeping ones, had not moved when they
            were last read: only the game moves them.
        is_known: Whether there is such an order at all.
    """

    __slots__ = (
        "_awake",
        "_changes",
        "_moving",
        "_places",
        "_reader",
        "_rest_at",
        "_rest_ids",
        "_sprites",
        "_upright",
        "has_rested",
        "is_known",
    )

    def __init__(self, space: pymunk.Space, moving: Mapping[int, RigidBody]) -> None:
        self._moving = moving
        self._reader: Any = reader_of(space)
        self.is_known = self._reader is not None
        self.forget()

    def forget(self) -> None:
        """Find the order anew, and move all sprites, the next time."""
        self._changes: list[int] | None = None  # ids that entered, or left if they were there
        self._awake = array("Q")  # ids of the bodies that are awake, in order
        self._places: dict[int, int] = {}  # of each of these in it
        self._sprites: list[Any] = []
        self._rest_ids = b""  # of those at rest
        self._rest_at: object = None  # where they were
        self._upright = -1  # how many turnings had been made when no sprite had one
        self.has_rested = False

    def note(self, rigid: RigidBody) -> None:
        """Take note of bodies that have entered the space, or left it.

        Where that is no change of the order, as for bodies that the game has put there itself, the
        comparison will tell.
        """
        changes = self._changes
        if changes is not None:
            changes += rigid.ids
            if len(changes) > _MANY_CHANGES:
                self.forget()

    def give_up(self, id_: int) -> None:
        """Keep the sprite of a body no longer."""
        place = self._places.get(id_)
        if place is not None:
            self._sprites[place] = _nobody

    # -- the order ----------------------------------------------------------------------------

    def _read(self, *, all_of_them: bool) -> int:
        """Read where bodies are; return how many of them, from the first, there are to look at."""
        reader = self._reader
        reader.read()
        ids: bytes = reader.ids
        changes, self._changes = self._changes, None  # found anew, should this be interrupted
        if changes is not None:
            for change in changes:
                self._leave(change) if change in self._places else self._enter(change)
            changes.clear()
            awake = self._awake.tobytes()
            if not (ids.startswith(awake) and ids[len(awake) :] == self._rest_ids):
                changes = None
        if changes is None:
            self._find(ids)
        else:
            self._changes = changes
        count = len(self._awake)
        rest_at = reader.rest(count)
        self.has_rested = rest_at == self._rest_at
        self._rest_at = rest_at
        return len(ids) // _ID if all_of_them or not self.has_rested else count

    def _enter(self, id_: int) -> None:
        self._places[id_] = len(self._awake)
        self._awake.append(id_)
        self._sprites.append(self._sprite_of(id_))

    def _leave(self, id_: int) -> None:
        awake, sprites = self._awake, self._sprites
        place = self._places.pop(id_)
        last, sprite = awake.pop(), sprites.pop()
        if place < len(awake):
            awake[place], sprites[place] = last, sprite
            self._places[last] = place

    def _find(self, ids: bytes) -> None:
        """Find the order anew."""
        self.forget()
        found = memoryview(ids).cast("Q").tolist()
        count = _count_awake(found)
        for id_ in found[:count]:
            self._enter(id_)
        self._rest_ids = ids[count * _ID :]
        self._changes = []

    def _sprite_of(self, id_: int) -> Any:
        rigid = self._moving.get(id_)
        if rigid is None:
            return _nobody
        sprite = rigid.sprite if rigid.sprite._moves_plainly else _MovedApart(rigid.sprite)
        if sprite._turning is not None:
            self._upright = -1
        return sprite

    # -- the sprites --------------------------------------------------------------------------

    def poses(self, *, all_of_them: bool) -> Iterator[_Pose]:
        """Return where bodies are, one by one."""
        count, reader, moving = self._read(all_of_them=all_of_them), self._reader, self._moving
        ids = memoryview(reader.ids).cast("Q").tolist()
        angles = reader.angles(count) or repeat(0.0)
        for id_, (x, y), angle in zip(ids, reader.places(count), angles, strict=False):
            yield moving.get(id_), x, y, angle

    def move_sprites(self, errors: list[BaseException], *, all_of_them: bool) -> None:
        """Turn the sprites that are turned, and then move all of them."""
        count, reader = self._read(all_of_them=all_of_them), self._reader
        sprites = self._sprites
        if count > len(sprites):
            resting = memoryview(self._rest_ids).cast("Q").tolist()
            sprites = [*sprites, *map(self._sprite_of, resting)]
        angles = reader.angles(count)
        if angles is not None and sum(map(abs, angles)) < _UPRIGHT:  # no number is never less
            angles = None
        if angles is not None or self._has_turned(sprites):
            _turn(sprites, angles or repeat(0.0), errors)
        rects = map(_rect_of, sprites)
        rect: Any
        try:
            for rect, rect.center in zip(rects, reader.places(count), strict=False):  # noqa: B007 - the assignment is the work
                pass
        except Exception:  # one has no rect, or one that takes no such numbers, or moves apart
            _move_as_can_be(sprites, reader.places(count), errors)

    def _has_turned(self, sprites: Iterable[Any]) -> bool:
        """Tell whether one of them was ever turned; while no sprite is, without a look."""
        if self._upright == Turning.made:
            return False
        if any(map(_turning_of, sprites)):
            return True
        self._upright = Turning.made
        return False


def _count_awake(ids: list[int]) -> int:
    """Return how many bodies come before the first that is static, or sleeps."""
    return bisect_left(ids, 1, key=_rests)


def _rests(id_: int) -> bool:
    body = body_of(id_)
    return body.body_type == pymunk.Body.STATIC or body.is_sleeping


def _turn(sprites: Iterable[Any], angles: Iterable[float], errors: list[BaseException]) -> None:
    """Turn all that are to be turned; the next thing is to move them."""
    for sprite, turning, angle in zip(sprites, map(_turning_of, sprites), angles, strict=False):
        if turning is None and -_UPRIGHT < angle < _UPRIGHT:
            continue
        try:
            rect = sprite.rect
            if rect is not None:
                to = _rotation(angle)
                size = sprite._turn(to) if turning is None else turning.turn(sprite, to)
                if size is not None:
                    rect.size = size
        except BaseException as error:  # an angle that is no number, say
            errors.append(error)


def _move_as_can_be(
    sprites: Iterable[Any], places: Iterable[tuple[float, float]], errors: list[BaseException]
) -> None:
    for sprite, place in zip(sprites, places, strict=False):
        try:
            if sprite.rect is not None:
                sprite.rect.center = place
        except BaseException as error:
            errors.append(error)


def _rotation(angle: float) -> float:
    """Return the rotation of a sprite, in degrees, whose body has an angle in radians."""
    return 0.0 if -_UPRIGHT < angle < _UPRIGHT else -degrees(angle)


# -- between two steps ---------------------------------------------------------------------------


class _Interpolation:
    """Shows sprites between the last two steps, so that they move evenly at any frame rate.

    It knows where each body was before the last step and after it.

    Attributes:
        fraction: How much of a step has passed since, from 0 to 1.
    """

    __slots__ = ("_before", "_calm", "_has_rested", "_sync", "_tracks", "fraction")

    def __init__(self, sync: SpriteSync) -> None:
        self._sync = sync
        self._before: dict[RigidBody, _Place] = {}
        self._tracks: dict[RigidBody, tuple[_Place, _Place]] = {}
        self._has_rested = False
        self._calm = 0  # frames with steps since the bodies at rest last changed
        self.fraction = 0.0

    def before_last_step(self) -> None:
        """Take note of where all bodies are."""
        self._before = {
            rigid: (x, y, angle)
            for rigid, x, y, angle in self._sync.poses(all_of_them=True)
            if rigid is not None
        }
        self._has_rested = self._sync.has_rested

    def after_last_step(self, seconds: float) -> None:
        """Take note of where they have come to in a step of so many seconds."""
        before, self._before = self._before, {}
        self._tracks = tracks = {}
        for rigid, x, y, angle in self._sync.poses(all_of_them=True):
            place = before.get(rigid) if rigid is not None else None
            if rigid is None or place is None or place == (x, y, angle):
                continue
            if not _is_jump(rigid, place, (x, y, angle), seconds):
                tracks[rigid] = (place, (x, y, angle))
        self._calm = self._calm + 1 if self._has_rested and self._sync.has_rested else 0

    def forget(self, rigid: RigidBody) -> None:
        """Forget where a body was: its life is over, and the next may begin elsewhere."""
        self._before.pop(rigid, None)
        self._tracks.pop(rigid, None)

    def poses(self, *, all_of_them: bool) -> Iterator[_Pose]:
        """Return where sprites are to be shown; see `SpriteSync.poses`."""
        tracks, fraction = self._tracks, self.fraction
        # One that has just come to rest is still on its way in what is shown.
        poses = self._sync.poses(all_of_them=all_of_them or self._calm <= 1)
        for rigid, x, y, angle in poses:
            track = tracks.get(rigid) if rigid is not None else None
            if track is None or track[1] != (x, y, angle):  # the game has put it here meanwhile
                yield rigid, x, y, angle
                continue
            (old_x, old_y, old_angle), _ = track
            yield (
                rigid,
                old_x + (x - old_x) * fraction,
                old_y + (y - old_y) * fraction,
                old_angle + (angle - old_angle) * fraction,
            )


def _is_jump(rigid: RigidBody, before: _Place, after: _Place, seconds: float) -> bool:
    """Tell whether a callback put the body elsewhere in the midst of a step."""
    x, y, angle = (abs(now - then) for now, then in zip(after, before, strict=True))
    if x < _FAR and y < _FAR and angle < _FAR_ROUND:
        return False
    body = rigid.body
    reach = 2 * body.velocity.length * seconds + _FAR
    turn = 2 * abs(body.angular_velocity) * seconds + _FAR_ROUND
    return x > reach or y > reach or angle > turn
