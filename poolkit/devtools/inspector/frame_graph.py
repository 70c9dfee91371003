"""A graph of frames that moves on by one bar a frame, at the cost of one bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.devtools.inspector.canvas import Canvas
from poolkit.devtools.inspector.palette import (
    BRIGHT,
    CALM,
    GENERATIONS,
    GRAPH,
    LINE,
    QUIET,
    REFUSED,
)
from poolkit.devtools.inspector.pixel_font import text_width

if TYPE_CHECKING:
    from poolkit.devtools.inspector.frame_times import Frame, FrameTimes
    from poolkit.devtools.inspector.palette import Color

__all__ = ["FrameGraph"]

_MARKED = 1.4  # times the top of the graph: a frame as long as that has its length beside it


class FrameGraph:
    """Bars, the latest on the right; the collector's part of each in its generation's colour."""

    __slots__ = ("_canvas", "_height", "_next", "_times", "_top", "_width")

    def __init__(self, times: FrameTimes, size: tuple[int, int], scale: int) -> None:
        """Show `times` in a graph of ``(width, height)`` pixels, one a frame."""
        self._times = times
        self._width, self._height = size
        # A ring: a new bar is drawn over the oldest, and the two halves are shown in turn.
        self._canvas = Canvas(size, scale)
        self._top = 0.0
        self.rescale()

    def rescale(self) -> None:
        """Draw all bars anew if another scale fits the frames better, or they were cleared."""
        top = self._times.top
        if top == self._top and len(self._times):
            return
        self._top = top
        self._next = 0
        self._canvas.fill(GRAPH, (0, 0, self._width, self._height))
        for number in range(self._width):
            self._draw_grid(number)
        for frame in self._times:
            self.add(frame)

    def add(self, frame: Frame) -> None:
        """Add the bar of a frame."""
        x, height, fill = self._next, self._height, self._canvas.fill
        self._next = (x + 1) % self._width
        ground = GRAPH
        if frame.generation > 0:
            ground = _shade(GENERATIONS[frame.generation])
        fill(ground, (x, 0, 1, height))
        self._draw_grid(x)
        bar = max(1, round(height * min(1.0, frame.seconds / self._top)))
        fill(CALM, (x, height - bar, 1, bar))
        if frame.generation >= 0:
            share = frame.paused / frame.seconds if frame.seconds else 1.0
            part = max(1, round(bar * share))
            fill(GENERATIONS[frame.generation], (x, height - bar, 1, part))
        if not frame.pooling:
            fill(REFUSED, (x, height - 2, 1, 2))

    def draw(self, canvas: Canvas, place: tuple[int, int]) -> None:
        """Draw the graph with its top left corner at `place`."""
        left, top = place
        scale, height = canvas.scale, self._height * canvas.scale
        split = self._next * scale
        width = self._width * scale - split
        canvas.blit(self._canvas.surface, place, (split, 0, width, height))
        canvas.blit(
            self._canvas.surface, (left + self._width - self._next, top), (0, 0, split, height)
        )
        canvas.text(f"{self._top * 1000:.0f} ms", (left + 3, top + 3), QUIET)
        self._mark_the_longest(canvas, place)

    def _mark_the_longest(self, canvas: Canvas, place: tuple[int, int]) -> None:
        left, top = place
        first = left + self._width - len(self._times)
        taken = [(left, left + 32)]  # the words of the scale are there
        marked = [
            (frame.seconds, number)
            for number, frame in enumerate(self._times)
            if frame.seconds >= self._top * _MARKED
        ]
        for seconds, number in sorted(marked, reverse=True):
            words = f"{seconds * 1000:.0f}"
            begin = first + number + 3
            end = begin + text_width(words)
            if end <= left + self._width and all(
                end + 4 <= other or begin >= rest for other, rest in taken
            ):
                canvas.text(words, (begin, top + 3), BRIGHT)
                taken.append((begin, end + 4))

    def _draw_grid(self, x: int) -> None:
        self._canvas.fill(LINE, (x, self._height // 2, 1, 1))


def _shade(color: Color) -> Color:
    return color[0] // 3, color[1] // 3, color[2] // 3
