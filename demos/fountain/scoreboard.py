"""How long frames took with pooling and without it, side by side."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from poolkit.devtools import draw_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pygame

    from poolkit.devtools import CollectorPause


Color = tuple[int, int, int]

POOLING: dict[bool, Color] = {True: (126, 210, 110), False: (255, 96, 88)}
BRIGHT, TEXT = (236, 240, 246), (158, 170, 190)
LATEST = 1200  # frames that count, the latest twenty seconds


class FrameTimes:
    """The latest frames of one kind."""

    def __init__(self) -> None:
        """Begin with none."""
        self.seconds: deque[float] = deque(maxlen=LATEST)
        self.full_collections = 0

    @property
    def mean(self) -> float:
        """The mean of all frames, in seconds."""
        return sum(self.seconds) / len(self.seconds)

    @property
    def p99(self) -> float:
        """The time that 99 frames in 100 keep to, in seconds."""
        return sorted(self.seconds)[(len(self.seconds) - 1) * 99 // 100]

    @property
    def worst(self) -> float:
        """The longest frame, in seconds."""
        return max(self.seconds)


class Scoreboard:
    """A table with two rows: pooling, and no pooling."""

    def __init__(self, place: pygame.Rect) -> None:
        """Show an empty table at `place`."""
        self.place = place
        self.times: dict[bool, FrameTimes] = {}
        self.clear()

    def clear(self, *ways: bool) -> None:
        """Forget the frames with pooling, those without, or all; and the one under way.

        Work is done in that one which no game does then.
        """
        self.times |= {way: FrameTimes() for way in ways or (True, False)}
        self.skips_next = True

    def add(self, seconds: float, pauses: Sequence[CollectorPause], *, is_pooling: bool) -> None:
        """Add a frame and the collections in it."""
        if self.skips_next:
            self.skips_next = False
            return
        times = self.times[is_pooling]
        times.seconds.append(seconds)
        times.full_collections += sum(pause.generation == 2 for pause in pauses)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the table, with a dash where nothing has been measured."""
        left, top, right = self.place.left, self.place.top, self.place.right
        ends = [right - 390, right - 280, right - 160, right]
        for end, name in zip(ends, ("mean ms", "p99 ms", "worst ms", "full pauses"), strict=True):
            draw_text(surface, name, (end, top), TEXT, scale=2, align=1)
        for is_pooling, y in ((True, top + 34), (False, top + 66)):
            title = "pooling" if is_pooling else "without"
            draw_text(surface, title, (left, y), POOLING[is_pooling], scale=2)
            for end, words in zip(ends, self.figures(self.times[is_pooling]), strict=True):
                draw_text(surface, words, (end, y), BRIGHT, scale=2, align=1)

    @staticmethod
    def figures(times: FrameTimes) -> list[str]:
        """Return the figures of one row."""
        if not times.seconds:
            return ["-"] * 4
        figures = [f"{1000 * each:.1f}" for each in (times.mean, times.p99, times.worst)]
        return [*figures, str(times.full_collections)]
