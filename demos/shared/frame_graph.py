"""A graph of how long frames took, with the garbage collector's pauses in it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from poolkit.devtools import CollectorProbe
from shared.pixel_font import draw_text

if TYPE_CHECKING:
    import pygame

__all__ = ["FrameGraph"]

FULL = 0.008  # seconds: what reaches the top of the graph, about half a frame
BAR = 2  # pixels
CALM, TEXT = (86, 148, 172), (148, 160, 180)
GRID, LINE = (26, 30, 42), (62, 72, 92)
GENERATIONS = ((126, 210, 110), (244, 184, 66), (238, 78, 70))  # quick, middle, everything


class FrameGraph:
    """Bars from left to right; where the collector ran, in the colour of the generation."""

    def __init__(self, place: pygame.Rect) -> None:
        """Begin with an empty graph at `place`."""
        self.place = place
        self.probe = CollectorProbe()
        self.frames: deque[tuple[float, int | None]] = deque(maxlen=place.width // BAR)
        self.collections = [0, 0, 0]
        self.skips_next = True

    def begin(self) -> None:
        """Forget all, as a level begins; the frame in which it is loaded does not count."""
        self.skips_next = True
        self.probe.take()
        self.frames.clear()
        self.collections = [0, 0, 0]

    def add(self, seconds: float) -> None:
        """Add a frame, and the collections since the last one."""
        pauses = self.probe.take()
        if self.skips_next:
            self.skips_next = False
            return
        for pause in pauses:
            self.collections[pause.generation] += 1
        generation = max((pause.generation for pause in pauses), default=None)
        self.frames.append((seconds, generation))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the graph, with its words above and below."""
        area = self.place
        surface.fill((14, 16, 24), area)
        for quarter in (1, 2, 3):
            y = area.bottom - area.height * quarter // 4
            surface.fill(GRID, (area.left, y, area.width, 1))
        draw_text(surface, f"{FULL * 1000:.0f} ms", (area.left + 5, area.top + 5), LINE)
        for number, (seconds, generation) in enumerate(self.frames):
            height = min(area.height, max(1, round(area.height * seconds / FULL)))
            x = area.left + number * BAR
            if generation is not None:
                color = GENERATIONS[generation]
                surface.fill([part // 3 for part in color], (x, area.top, BAR, area.height))
                surface.fill(color, (x, area.bottom - height, BAR, height))
            else:
                surface.fill(CALM, (x, area.bottom - height, BAR, height))
        now = self.frames[-1][0] if self.frames else 0.0
        worst = max((seconds for seconds, _ in self.frames), default=0.0)
        draw_text(surface, f"frame {now * 1000:.1f} ms", (area.left, area.top - 16), TEXT)
        worst_text = f"worst {worst * 1000:.1f}"
        draw_text(surface, worst_text, (area.right, area.top - 16), TEXT, align=1)
        x = area.left
        x += draw_text(surface, "collections", (x, area.bottom + 6), TEXT) + 14
        for generation, count in enumerate(self.collections):
            surface.fill(GENERATIONS[generation], (x, area.bottom + 6, 10, 10))
            x += 15
            x += draw_text(surface, str(count), (x, area.bottom + 6), TEXT) + 14
