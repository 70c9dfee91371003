"""The inspector's panel: where everything is, kept as a picture in which little changes a frame."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pygame

from poolkit.devtools.inspector.canvas import Canvas, scale_for
from poolkit.devtools.inspector.columns import columns_in
from poolkit.devtools.inspector.frame_graph import FrameGraph
from poolkit.devtools.inspector.palette import (
    ACTIVE,
    BRIGHT,
    CELL,
    DIM,
    EDGE,
    GENERATIONS,
    GROUND,
    LINE,
    QUIET,
    REFUSED,
)
from poolkit.devtools.inspector.pixel_font import fitted, text_width
from poolkit.devtools.inspector.pool_row import ROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.core.system import PoolingSystem
    from poolkit.devtools.inspector.frame_times import Frame, FrameTimes
    from poolkit.devtools.inspector.listing import Listing

__all__ = ["GRAPH_WIDTH", "Panel"]

_WIDTH, _MARGIN, _PAD = 200, 4, 6
GRAPH_WIDTH = _WIDTH - 2 * _PAD  # pixels, one a frame
_GRAPH = 30, 28  # top, height
_LEGEND, _LABELS, _LIST = 62, 76, 88
_FOOT = 16  # pixels below the list
_SLOW = 12  # frames from one look at what changes slowly to the next


class Panel:
    """Draws pools and frames on whatever surface it is given.

    Attributes:
        area: Where it was drawn last, in the pixels of the window.
        hints: What the keys do, as ``(key, meaning)``.
        editing: Whether the filter is being typed.
    """

    def __init__(
        self, systems: Sequence[PoolingSystem], listing: Listing, times: FrameTimes
    ) -> None:
        """Show what is listed, and how long frames took."""
        self._systems = systems
        self._listing = listing
        self._times = times
        self.area = pygame.Rect(0, 0, 0, 0)
        self.hints: tuple[tuple[str, str], ...] = ()
        self.editing = False
        self._size = 0, 0  # in pixels of its own
        self._corner = 0, 0
        self._canvas = Canvas((1, 1), 1)
        self._graph = FrameGraph(times, (1, 1), 1)
        self._fitted_to: object = None
        self._stale = True
        self._blocks_before = 0
        self.begin_scene()

    def begin_scene(self) -> None:
        """Count memory from now on."""
        self._blocks_before = sys.getallocatedblocks()
        self._stale = True

    def redraw(self) -> None:
        """Draw everything anew the next time."""
        self._stale = True

    def column_at(self, place: tuple[int, int]) -> str | None:
        """Return the key of the column whose label is at a place in the window."""
        x, y = self._inside(place)
        if not _LABELS - 3 <= y < _LIST - 2:
            return None
        columns = columns_in(self._inner)
        return next((column.key for column, end in columns if x - _PAD <= end + 3), None)

    def is_foot(self, place: tuple[int, int]) -> bool:
        """Tell whether a place in the window is in the line of the keys."""
        return self._inside(place)[1] >= self._size[1] - _FOOT

    def draw(self, surface: pygame.Surface, latest: Frame | None, frame: int) -> None:
        """Draw it on the right of `surface`, or all over it where that is narrow."""
        self._fit(surface)
        if self._stale:
            self._draw_ground()
        if latest is not None:
            self._graph.add(latest)
        if self._stale or frame % _SLOW == 0:
            self._graph.rescale()
            self._draw_slow_figures()
        self._stale = False
        self._graph.draw(self._canvas, (_PAD, _GRAPH[0]))
        for number, row in enumerate(self._listing.in_view):
            row.count()
            row.draw(self._canvas, (_PAD, _LIST + number * ROW, self._inner), frame)
        clip = surface.get_clip()
        surface.set_clip(None)  # a game may have left one, to draw its world in a part of it
        surface.blit(self._canvas.surface, self._corner)
        surface.set_clip(clip)

    # -- size ---------------------------------------------------------------------------------

    @property
    def _inner(self) -> int:
        return self._size[0] - 2 * _PAD

    def _inside(self, place: tuple[int, int]) -> tuple[int, int]:
        scale = self._canvas.scale
        return (place[0] - self.area.left) // scale, (place[1] - self.area.top) // scale

    def _fit(self, surface: pygame.Surface) -> None:
        """Choose size and place for a surface; a part of another one is filled altogether."""
        offset, whole = surface.get_abs_offset(), surface.get_abs_parent().get_size()
        counts = len(self._listing.rows), len(self._listing.all_rows)
        wanted = surface.get_size(), offset, whole, counts
        if wanted == self._fitted_to:
            return
        self._fitted_to = wanted
        scale = scale_for(whole)
        width, height = (side // scale for side in surface.get_size())
        margin = _MARGIN if width >= _WIDTH + 2 * _MARGIN else 0
        tallest = self._height(max(1, height - 2 * margin))
        size = (_WIDTH, tallest) if margin else (max(1, width), max(1, height))
        self._corner = surface.get_width() - (size[0] + margin) * scale, margin * scale
        self.area = pygame.Rect(self._corner, (size[0] * scale, size[1] * scale)).move(offset)
        self._stale = True
        if size == self._size and scale == self._canvas.scale:
            return
        self._size = size
        self._canvas = Canvas(size, scale)
        self._graph = FrameGraph(self._times, (max(1, self._inner), _GRAPH[1]), scale)

    def _height(self, most: int) -> int:
        around = _LIST + _FOOT
        self._listing.room = max(1, (most - around) // ROW)
        self._listing.scroll(0)
        rows = min(self._listing.room, max(1, len(self._listing.all_rows)))
        return min(most, around + rows * ROW)

    # -- what changes slowly ------------------------------------------------------------------

    def _draw_ground(self) -> None:
        width, height = self._size
        fill = self._canvas.fill
        fill(EDGE, (0, 0, width, height))
        fill(GROUND, (1, 1, width - 2, height - 2))
        self._draw_labels()
        self._draw_view()
        self._draw_foot()
        for row in self._listing.all_rows:
            row.forget_drawing()

    def _draw_slow_figures(self) -> None:
        canvas = self._canvas
        canvas.clear((_PAD, 5, self._inner, _GRAPH[0] - 6))
        active = sum(row.reading.active for row in self._listing.all_rows)
        inactive = sum(row.reading.inactive for row in self._listing.all_rows)
        self._draw_counts(active, inactive)
        words = f"frame {self._times.latest * 1000:.1f} ms"
        x = _PAD + canvas.text(words, (_PAD, 19), BRIGHT) + 8
        x += canvas.text(f"worst {self._times.worst * 1000:.1f}", (x, 19), DIM) + 6
        blocks = sys.getallocatedblocks() - self._blocks_before
        self._text_if_it_fits(x, f"{blocks:+,} blocks", 19)
        self._draw_legend()

    def _draw_counts(self, active: int, inactive: int) -> None:
        """Write how many there are and how the systems are; what matters, if there is no room."""
        canvas, right = self._canvas, _PAD + self._inner
        canvas.fill(ACTIVE, (_PAD, 8, 7, 5))
        x = _PAD + 11 + canvas.text(f"{active} active", (_PAD + 11, 7), BRIGHT) + 8
        words, (state, color) = f"{inactive} inactive", self._state()
        is_roomy = x + 11 + text_width(words) + 6 <= right - text_width(state)
        is_warning = color == REFUSED
        if is_roomy or not is_warning:
            canvas.fill(CELL, (x, 8, 7, 5))
            canvas.fill(GROUND, (x + 1, 9, 5, 3))
            canvas.text(words, (x + 11, 7), DIM)
        if is_roomy or is_warning:
            canvas.text(state, (right, 7), color, align=1)

    def _state(self) -> tuple[str, tuple[int, int, int]]:
        """Return what is to be said of the systems, and its colour."""
        contexts = [system._context for system in self._systems]
        if contexts and all(context.closed for context in contexts):
            return "disposed", REFUSED
        if not all(context.pooling for context in contexts):
            return "pooling off", REFUSED
        count = len(self._listing.all_rows)
        return ("1 pool" if count == 1 else f"{count} pools"), DIM

    def _draw_legend(self) -> None:
        canvas, x = self._canvas, _PAD
        canvas.clear((_PAD, _LEGEND - 1, self._inner, 10))
        collections = zip(
            GENERATIONS, self._times.collections, ("young", "middle", "full"), strict=True
        )
        for color, count, name in collections:
            canvas.fill(color, (x, _LEGEND + 1, 5, 5))
            x += 8
            x += canvas.text(f"{count} {name}", (x, _LEGEND), DIM if count else QUIET) + 7
        paused = sum(self._times.seconds_paused)
        self._text_if_it_fits(x, f"paused {paused * 1000:.0f} ms", _LEGEND)

    def _text_if_it_fits(self, left: int, words: str, y: int) -> None:
        """Write what is good to know on the right, if there is room beyond `left`."""
        right = _PAD + self._inner
        if left + text_width(words) <= right:
            self._canvas.text(words, (right, y), QUIET, align=1)

    def _draw_labels(self) -> None:
        canvas, listing = self._canvas, self._listing
        for column, place in columns_in(self._inner):
            is_sorted = column.key == listing.sort
            end = _PAD + place
            color = BRIGHT if is_sorted else DIM
            width = canvas.text(column.key, (end, _LABELS), color, align=1)
            if is_sorted:
                y = _LABELS - 3 if listing.reverse else _LABELS + 10
                canvas.fill(BRIGHT, (end - width, y, width, 1))

    def _draw_view(self) -> None:
        listing, canvas = self._listing, self._canvas
        if not listing.rows:
            none = "no pools yet: spawn something"
            words = f"no name contains {listing.needle}" if listing.all_rows else none
            canvas.text(fitted(words, self._inner), (_PAD, _LIST + 10), DIM)
            return
        hidden = len(listing.rows) - listing.room
        if hidden > 0:
            height = self._size[1] - _LIST - _FOOT
            thumb = max(8, height * listing.room // len(listing.rows))
            top = _LIST + (height - thumb) * listing.first // hidden
            canvas.fill(LINE, (self._size[0] - 4, _LIST, 2, height))
            canvas.fill(DIM, (self._size[0] - 4, top, 2, thumb))

    def _draw_foot(self) -> None:
        canvas, top = self._canvas, self._size[1] - _FOOT
        canvas.fill(LINE, (_PAD, top, self._inner, 1))
        x = _PAD
        if self.editing or self._listing.needle:
            x += canvas.text("filter ", (x, top + 5), DIM)
            needle = fitted(self._listing.needle, self._inner // 2)
            x += canvas.text(needle, (x, top + 5), BRIGHT) + 2
            if self.editing:
                canvas.fill(ACTIVE, (x, top + 4, 1, 9))
                x += 3
            x += 6
        for key, meaning in self.hints:
            words = text_width(key) + 4 + text_width(meaning)
            if x + words > _PAD + self._inner:
                break
            x += canvas.text(key, (x, top + 5), BRIGHT) + 4
            x += canvas.text(meaning, (x, top + 5), DIM) + 9
