"""`Rewind`: a ring of checkpoints, to run a game backwards."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from poolkit.checkpoints.checkpoint import Checkpoint
from poolkit.core.building import collector_off
from poolkit.core.clock import ROUNDING, checked_dt, checked_seconds
from poolkit.core.settings import checked_count
from poolkit.core.system import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.physics.world import PhysicsWorld


class Rewind:
    """The last seconds of a game, to go back in: a ring of checkpoints, the oldest of which goes.

    Args:
        seconds: How far back it reaches at most.
        every: Take a checkpoint every so many frames. 1 goes back frame by frame; 2 takes half the
            time and memory.
        system: The pooling system.
        worlds: As for `Checkpoint`.
        keep: As for `Checkpoint`.
        warm: As for `Checkpoint`.

    Raises:
        ValueError: `seconds` is negative or not finite, or `every` is less than 1.
        TypeError: `every` isn't a whole number.
    """

    def __init__(
        self,
        seconds: float,
        *,
        every: int = 1,
        system: PoolingSystem = pools,
        worlds: Iterable[PhysicsWorld] = (),
        keep: Iterable[object] = (),
        warm: bool = True,
    ) -> None:
        self._longest = checked_seconds(seconds, "Rewind()")
        self._every = checked_count(every, "every", least=1)
        self._system, self._worlds, self._keep = system, list(worlds), list(keep)
        self._warm = warm
        self._now = 0.0  # seconds of all frames so far
        self._num_frames = 0  # since the last checkpoint
        self._ring: deque[tuple[float, Checkpoint]] = deque()

    @property
    def seconds(self) -> float:
        """How far back it reaches now."""
        return self._now - self._ring[0][0] if self._ring else 0.0

    def frame(self, dt: float) -> None:
        """Note a frame that took `dt` seconds. Call it once a frame, when everything has moved.

        Raises:
            CheckpointError: As `Checkpoint`.
            ValueError: `dt` is negative, not finite, or more than a day.
        """
        self._now += checked_dt(dt, "frame()")
        self._num_frames += 1
        if self._num_frames < self._every and self._ring:
            return
        self._num_frames = 0
        # Or the collector would look through all that is copied before most of it is dropped again.
        with collector_off():
            system, worlds, keep = self._system, self._worlds, self._keep
            checkpoint = Checkpoint(system, worlds=worlds, keep=keep, warm=self._warm)
            if self._ring:
                checkpoint.share_with(self._ring[-1][1])
        self._ring.append((self._now, checkpoint))
        oldest = self._now - self._longest - ROUNDING
        while len(self._ring) > 1 and self._ring[0][0] < oldest:
            self._ring.popleft()

    def back(self, seconds: float) -> float:
        """Go back by `seconds`, or as far as it reaches; return how far it really went.

        It goes to the first checkpoint that is at least so long ago, and forgets those after it:
        what is played from there is another story.

        Raises:
            CheckpointError: As `Checkpoint.restore`.
            ValueError: `seconds` is negative or not finite.
        """
        wanted = self._now - checked_seconds(seconds, "back()") + ROUNDING
        if not self._ring:
            return 0.0
        earlier = [entry for entry in self._ring if entry[0] <= wanted]
        time, checkpoint = earlier[-1] if earlier else self._ring[0]
        try:
            checkpoint.restore()
        finally:
            while self._ring[-1][0] > time:
                self._ring.pop()
        passed, self._now, self._num_frames = self._now - time, time, 0
        return passed

    def clear(self) -> None:
        """Forget everything, as when a level begins."""
        self._ring.clear()
        self._num_frames = 0

    def __repr__(self) -> str:
        """Return ``<Rewind(150 checkpoints, 5.0 s)>``."""
        return f"<Rewind({len(self._ring)} checkpoints, {self.seconds:.1f} s)>"
