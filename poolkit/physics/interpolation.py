"""Shows sprites between the last two steps, so that they move evenly at any frame rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.physics.body_reader import BodyReader, Pose
    from poolkit.physics.rigid_body import RigidBody

__all__ = ["Interpolation"]

_Place = tuple[float, float, float]

# What a body may be pushed by within one step, beyond what its velocity explains, before that
# counts as being put somewhere else.
_FAR = 32.0  # pixels
_FAR_ROUND = 1.0  # radians


class Interpolation:
    """Knows where each body was before the last step and after it.

    Attributes:
        fraction: How much of a step has passed since, from 0 to 1.
    """

    __slots__ = ("_before", "_calm", "_has_rested", "_reader", "_tracks", "fraction")

    def __init__(self, reader: BodyReader) -> None:
        """Begin with no step made."""
        self._reader = reader
        self._before: dict[RigidBody, _Place] = {}
        self._tracks: dict[RigidBody, tuple[_Place, _Place]] = {}
        self._has_rested = False
        self._calm = 0  # frames with steps since the bodies at rest last changed
        self.fraction = 0.0

    def before_last_step(self) -> None:
        """Take note of where all bodies are."""
        self._before = {
            rigid: (x, y, angle)
            for rigid, x, y, angle in self._reader.poses(all_of_them=True)
            if rigid is not None
        }
        self._has_rested = self._reader.has_rested

    def after_last_step(self, seconds: float) -> None:
        """Take note of where they have come to in a step of so many seconds."""
        before, self._before = self._before, {}
        self._tracks = tracks = {}
        for rigid, x, y, angle in self._reader.poses(all_of_them=True):
            place = before.get(rigid) if rigid is not None else None
            if rigid is None or place is None or place == (x, y, angle):
                continue
            if not _is_jump(rigid, place, (x, y, angle), seconds):
                tracks[rigid] = (place, (x, y, angle))
        self._calm = self._calm + 1 if self._has_rested and self._reader.has_rested else 0

    def forget(self, rigid: RigidBody) -> None:
        """Forget where a body was: its life is over, and the next may begin elsewhere."""
        self._before.pop(rigid, None)
        self._tracks.pop(rigid, None)

    def poses(self, *, all_of_them: bool) -> Iterator[Pose]:
        """Return where sprites are to be shown; see `BodyReader.poses`."""
        tracks, fraction = self._tracks, self.fraction
        # One that has just come to rest is still on its way in what is shown.
        poses: Iterable[Pose] = self._reader.poses(all_of_them=all_of_them or self._calm <= 1)
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
