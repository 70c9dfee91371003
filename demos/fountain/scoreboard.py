"""How long frames took with pooling and without it, side by side."""

from collections import deque
from collections.abc import Sequence

import pygame

from poolkit.devtools import CollectorPause
from shared.scene_demo import BRIGHT, GREEN, RED, TEXT
from shared.words import draw_text

LATEST = 1200  # frames that count, the latest twenty seconds


class FrameTimes:
    """The latest frames of one kind."""

    def __init__(self) -> None:
        self.seconds: deque[float] = deque(maxlen=LATEST)
        self.full_collections = 0

    def figures(self) -> list[str]:
        """Return the mean, what 99 frames in 100 keep to, and the longest, in milliseconds."""
        times = sorted(self.seconds)
        if not times:
            return ["-"] * 4
        figures = sum(times) / len(times), times[(len(times) - 1) * 99 // 100], times[-1]
        return [*(f"{1000 * each:.1f}" for each in figures), str(self.full_collections)]


class Scoreboard:
    """A table with two rows: pooling, and no pooling."""

    def __init__(self, place: pygame.Rect) -> None:
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
            draw_text(surface, name, (end, top), TEXT, align=1)
        for is_pooling, y in ((True, top + 34), (False, top + 66)):
            title = "pooling" if is_pooling else "without"
            draw_text(surface, title, (left, y), GREEN if is_pooling else RED)
            for end, words in zip(ends, self.times[is_pooling].figures(), strict=True):
                draw_text(surface, words, (end, y), BRIGHT, align=1)
