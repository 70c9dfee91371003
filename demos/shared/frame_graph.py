"""A graph of how long frames took, with the garbage collector's pauses in it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from poolkit.devtools import CollectorProbe
from shared.pixel_font import draw_text

if TYPE_CHECKING:
    import pygame

__all__ = ["FrameGraph"]

Color = tuple[int, int, int]

FULL = 0.008  # seconds: what reaches the top of the graph, about half a frame
BAR = 2  # pixels
BAND = 4  # pixels: the strip under the bars that tells what was switched on
CALM, TEXT = (86, 148, 172), (148, 160, 180)
GRID, PEAK = (26, 30, 42), (250, 240, 220)
GENERATIONS = ((126, 210, 110), (244, 184, 66), (238, 78, 70))  # quick, middle, everything


class Bar(NamedTuple):
    """A frame, or the longest of a few."""

    seconds: float
    generation: int  # the oldest one that was collected; -1 for none
    band: Color | None


class FrameGraph:
    """Bars from left to right; where the collector ran, in the colour of the generation."""

    def __init__(self, place: pygame.Rect, full: float = FULL, frames_a_bar: int = 1) -> None:
        """Begin with an empty graph at `place`, whose top means `full` seconds."""
        self.place = place
        self.full = full
        self.frames_a_bar = frames_a_bar
        self.probe = CollectorProbe()
        self.frames: deque[Bar] = deque(maxlen=place.width // BAR)
        self.begin()

    def begin(self) -> None:
        """Forget all, as a level begins; the frame in which it is loaded does not count."""
        self.frames.clear()
        self.in_last_bar = self.frames_a_bar
        self.now = 0.0
        self.collections = [0, 0, 0]
        self.skip()

    def skip(self) -> None:
        """Leave out the frame that is under way: work was done in it that no game does then."""
        self.skips_next = True

    def add(self, seconds: float, band: Color | None = None) -> bool:
        """Add a frame, and the collections since the last one.

        Args:
            seconds: How long it took.
            band: The colour of the strip below it.

        Returns:
            Whether it counts: not if it was to be left out.
        """
        pauses = self.probe.take()
        if self.skips_next:
            self.skips_next = False
            return False
        for pause in pauses:
            self.collections[pause.generation] += 1
        self.now = seconds
        frame = Bar(seconds, max((pause.generation for pause in pauses), default=-1), band)
        if self.in_last_bar < self.frames_a_bar and self.frames:
            last = self.frames.pop()
            longest = max(seconds, last.seconds)
            frame = Bar(longest, max(frame.generation, last.generation), band)
            self.in_last_bar += 1
        else:
            self.in_last_bar = 1
        self.frames.append(frame)
        return True

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the graph, with its words above and below."""
        area = self.place
        surface.fill((14, 16, 24), area)
        for quarter in (1, 2, 3):
            y = area.bottom - area.height * quarter // 4
            surface.fill(GRID, (area.left, y, area.width, 1))
        for number, frame in enumerate(self.frames):
            self.draw_bar(surface, frame, area.left + number * BAR)
        draw_text(surface, f"{self.full * 1000:.0f} ms", (area.left + 5, area.top + 5), TEXT)
        self.draw_peaks(surface)
        worst = max((frame.seconds for frame in self.frames), default=0.0)
        draw_text(surface, f"frame {self.now * 1000:.1f} ms", (area.left, area.top - 16), TEXT)
        worst_text = f"worst {worst * 1000:.1f}"
        draw_text(surface, worst_text, (area.right, area.top - 16), TEXT, align=1)
        x = area.left
        x += draw_text(surface, "collections", (x, area.bottom + 6), TEXT) + 14
        for generation, count in enumerate(self.collections):
            surface.fill(GENERATIONS[generation], (x, area.bottom + 6, 10, 10))
            x += 15
            x += draw_text(surface, str(count), (x, area.bottom + 6), TEXT) + 14

    def draw_bar(self, surface: pygame.Surface, frame: Bar, x: int) -> None:
        """Draw one bar, with its left side at `x`."""
        area, bottom = self.place, self.place.bottom
        if frame.band:
            bottom -= BAND
            surface.fill(frame.band, (x, bottom, BAR, BAND))
        height = round((bottom - area.top) * min(1, frame.seconds / self.full)) or 1
        color = CALM
        if frame.generation >= 0:
            color = GENERATIONS[frame.generation]
            shade = [part // 3 for part in color]
            surface.fill(shade, (x, area.top, BAR, bottom - area.top))
        surface.fill(color, (x, bottom - height, BAR, height))

    def draw_peaks(self, surface: pygame.Surface) -> None:
        """Write at bars that go far beyond the top how long their frames were."""
        free = self.place.left + 50  # the words of the scale are there
        for number, frame in enumerate(self.frames):
            x = self.place.left + number * BAR + 5
            if frame.seconds > self.full * 1.5 and free < x < self.place.right - 30:
                words = f"{frame.seconds * 1000:.0f}"
                free = x + draw_text(surface, words, (x, self.place.top + 4), PEAK) + 6
