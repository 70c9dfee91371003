"""How long the latest frames took, and what of that was the garbage collector's."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolkit.devtools.collector_probe import CollectorPause

__all__ = ["Frame", "FrameTimes"]

_TOPS = (0.004, 0.008, 0.016, 0.033, 0.066, 0.133, 0.266, 0.533)  # seconds: what a graph may span
_ROOM = 1.7  # times the usual frame: above it the lengths of the longest are written


class Frame(NamedTuple):
    """One frame."""

    seconds: float
    paused: float  # seconds of it in which the collector ran
    generation: int  # the oldest one that was collected; -1 for none
    pooling: bool  # whether pools were in use, or switched off to compare


class FrameTimes:
    """The latest frames, and the collections since the scene began.

    Attributes:
        collections: How often each generation was collected.
        seconds_paused: How long that took, by generation.
        latest: The last frame's seconds.
    """

    __slots__ = ("_frames", "_skips", "collections", "latest", "seconds_paused")

    def __init__(self, length: int) -> None:
        """Remember at most `length` frames."""
        self._frames: deque[Frame] = deque(maxlen=length)
        self.clear()

    def clear(self) -> None:
        """Forget all. The frame under way does not count either: it is the one that loads."""
        self._frames.clear()
        self.collections = [0, 0, 0]
        self.seconds_paused = [0.0, 0.0, 0.0]
        self.latest = 0.0
        self.skip()

    def skip(self) -> None:
        """Leave out the frame that is under way: work was done in it that no game does."""
        self._skips = True

    def add(
        self, seconds: float, pauses: Sequence[CollectorPause], *, pooling: bool
    ) -> Frame | None:
        """Add a frame and the collections in it; `None` if it was to be left out."""
        if self._skips:
            self._skips = False
            return None
        paused, generation = 0.0, -1
        for pause in pauses:
            self.collections[pause.generation] += 1
            self.seconds_paused[pause.generation] += pause.seconds
            paused += pause.seconds
            generation = max(generation, pause.generation)
        frame = Frame(seconds, min(paused, seconds), generation, pooling)
        self._frames.append(frame)
        self.latest = seconds
        return frame

    @property
    def worst(self) -> float:
        """The longest of the latest frames, in seconds."""
        return max([frame.seconds for frame in self._frames], default=0.0)

    @property
    def top(self) -> float:
        """How many seconds a graph had best span: so that nine frames in ten leave room above."""
        ordered = sorted([frame.seconds for frame in self._frames])
        usual = ordered[len(ordered) * 9 // 10] if ordered else 0.0
        return next((top for top in _TOPS if top >= usual * _ROOM), _TOPS[-1])

    def __len__(self) -> int:
        """Return how many frames are remembered."""
        return len(self._frames)

    def __iter__(self) -> Iterator[Frame]:
        """Iterate over them, the oldest first."""
        return iter(self._frames)

    def __getitem__(self, number: int) -> Frame:
        """Return a frame by its number, the oldest being 0 and the latest -1."""
        return self._frames[number]
