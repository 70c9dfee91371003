"""How long frames took with pooling and without it, side by side."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from shared.pixel_font import draw_text

if TYPE_CHECKING:
    import pygame

__all__ = ["POOLING", "FrameTimes", "Scoreboard"]

Color = tuple[int, int, int]

POOLING: dict[bool, Color] = {True: (126, 210, 110), False: (238, 78, 70)}
BRIGHT, TEXT = (236, 240, 246), (148, 160, 180)
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
    """A table with two columns: pooling, and no pooling."""

    def __init__(self, place: pygame.Rect) -> None:
        """Show an empty table at `place`."""
        self.place = place
        self.clear()

    def clear(self) -> None:
        """Forget all frames: what they did is no longer to be compared."""
        self.times = {True: FrameTimes(), False: FrameTimes()}

    def add(self, seconds: float, full_collections: int, *, is_pooling: bool) -> None:
        """Add a frame and the collections of the whole heap in it."""
        times = self.times[is_pooling]
        times.seconds.append(seconds)
        times.full_collections += full_collections

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the table, with a dash where nothing has been measured."""
        left, top, right = self.place.left, self.place.top, self.place.right
        for number, name in enumerate(("mean ms", "p99 ms", "worst ms", "full collections")):
            draw_text(surface, name, (left, top + 24 + 20 * number), TEXT)
        for is_pooling, x in ((True, right - 84), (False, right)):
            title = "pooling" if is_pooling else "without"
            draw_text(surface, title, (x, top), POOLING[is_pooling], align=1)
            for number, words in enumerate(self.column(self.times[is_pooling])):
                draw_text(surface, words, (x, top + 24 + 20 * number), BRIGHT, align=1)

    def column(self, times: FrameTimes) -> list[str]:
        """Return the figures of one column."""
        if not times.seconds:
            return ["-"] * 4
        figures = [f"{1000 * each:.1f}" for each in (times.mean, times.p99, times.worst)]
        return [*figures, str(times.full_collections)]
