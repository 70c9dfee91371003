"""One pool's row: its picture and name, its cells, its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.devtools.inspector.cells import draw_cells, ruler
from poolkit.devtools.inspector.columns import columns_in
from poolkit.devtools.inspector.palette import BRIGHT, DIM, GROUND, LATE, LINE, QUIET, REFUSED
from poolkit.devtools.inspector.pixel_font import fitted, text_width
from poolkit.devtools.inspector.readings import read
from poolkit.devtools.inspector.thumbnails import thumbnail

if TYPE_CHECKING:
    import pygame

    from poolkit.core.pool import PrefabPool
    from poolkit.devtools.inspector.canvas import Canvas

__all__ = ["FLASH", "ROW", "PoolRow"]

ROW = 30  # pixels: the height of a row
ICON = 16  # pixels: a side of its picture
TEXT = ICON + 5  # where name and cells begin
FLASH = 72  # frames that a late spawn is shown
_BLINK = 12  # frames
_READABLE = 6  # frames: figures that change more often can't be read anyway


class PoolRow:
    """One pool, as it was read last.

    Attributes:
        pool: The pool.
        reading: Its figures.
        name: What the row is called.
    """

    __slots__ = (
        "_drawn_cells",
        "_drawn_words",
        "_lit",
        "_lit_until",
        "_picture",
        "_picture_side",
        "_place",
        "name",
        "pool",
        "reading",
    )

    def __init__(self, pool: PrefabPool[Any], name: str) -> None:
        """Begin with the figures as they are."""
        self.pool = pool
        self.name = name
        self.begin_scene()
        self._picture: pygame.Surface | None = None
        self._picture_side = 0
        self._place = 0, 0, 0
        self.forget_drawing()

    def begin_scene(self) -> None:
        """Read all figures; what was made late before this flashes no more."""
        self.reading = read(self.pool)
        self._lit = 0
        self._lit_until = 0

    def forget_drawing(self) -> None:
        """Draw it anew the next time, whether or not it has changed."""
        self._drawn_cells: object = None
        self._drawn_words: object = None

    def refresh(self, frame: int) -> None:
        """Read all figures; let what was made late since the last time flash."""
        before, self.reading = self.reading, read(self.pool)
        late = self.reading.late - before.late
        if late > 0:
            self._lit = late + (self._lit if frame < self._lit_until else 0)
            self._lit_until = frame + FLASH

    def count(self) -> None:
        """Read what changes from frame to frame: how many are alive, and how many there are."""
        active, capacity = self.pool.active_count, self.pool.capacity
        if active != self.reading.active or capacity - active != self.reading.inactive:
            self.reading = self.reading._replace(
                active=active,
                inactive=capacity - active,
                peak=max(self.reading.peak, active),
            )

    def is_flashing(self, frame: int) -> bool:
        """Whether a late spawn is being shown, and is in the bright half of a blink."""
        return frame < self._lit_until and (self._lit_until - frame) % _BLINK >= _BLINK // 2

    def draw(self, canvas: Canvas, place: tuple[int, int, int], frame: int) -> None:
        """Draw the row if anything in it has changed.

        Args:
            canvas: What to draw on.
            place: ``(left, top, width)``.
            frame: The number of the frame, for what flashes.
        """
        if self._picture is None or self._picture_side != ICON * canvas.scale:
            self._picture_side = ICON * canvas.scale
            self._picture = thumbnail(self.pool, self._picture_side)
        if place != self._place:
            self._place = place
            self.forget_drawing()
        left, top, width = place
        flashes, reading = self.is_flashing(frame), self.reading
        cells = reading.active, reading.inactive, reading.peak, reading.limit, flashes
        if cells != self._drawn_cells:
            self._drawn_cells = cells
            self._draw_cells(canvas, place, flashes=flashes)
        words = reading, self._picture
        is_due = self._drawn_words is None or (frame + top // ROW) % _READABLE == 0
        if is_due and words != self._drawn_words:
            self._drawn_words = words
            canvas.clear((left, top, width, 12))
            canvas.fill(LINE, (left, top, width, 1))
            canvas.clear((left, top + 12, TEXT, 8))
            self._draw_picture(canvas, left, top + 3)
            self._draw_name(canvas, left, top + 3, width)
            self._draw_figures(canvas, left, top + 20, width)

    def _draw_cells(self, canvas: Canvas, place: tuple[int, int, int], *, flashes: bool) -> None:
        left, top, width = place
        canvas.clear((left + TEXT - 1, top + 12, width - TEXT + 1, 7))
        draw_cells(
            canvas,
            (left + TEXT, top + 13, width - TEXT),
            self.reading,
            self._lit if flashes else 0,
        )
        canvas.fill(LATE if flashes else GROUND, (left - 3, top + 3, 2, ROW - 5))

    def _draw_figures(self, canvas: Canvas, left: int, top: int, width: int) -> None:
        canvas.clear((left, top, width, 9))
        for column, end in columns_in(width):
            value = getattr(self.reading, column.key)
            color = column.color if value else QUIET
            canvas.text(column.words(value), (left + end, top), color, align=1)

    def _draw_picture(self, canvas: Canvas, left: int, top: int) -> None:
        picture = self._picture
        if picture is None:
            canvas.fill(LINE, (left + 5, top + 5, 6, 6))
            return
        side = ICON * canvas.scale
        spare = side - picture.get_width(), side - picture.get_height()
        corner = left * canvas.scale + spare[0] // 2, top * canvas.scale + spare[1] // 2
        canvas.surface.blit(picture, corner)

    def _draw_name(self, canvas: Canvas, left: int, top: int, width: int) -> None:
        reading = self.reading
        limit = "" if reading.limit is None else f" of {reading.limit}"
        at = left + width
        if limit:
            at -= canvas.text(limit, (at, top), REFUSED if reading.is_full else DIM, align=1)
        canvas.text(str(reading.active), (at, top), BRIGHT, align=1)
        at -= text_width(str(reading.active)) + 6
        each = ruler(width - TEXT, reading.active + reading.inactive, reading.limit).instances
        if each > 1:
            at -= canvas.text(f"{each} a cell", (at, top), QUIET, align=1) + 6
        name = fitted(self.name, max(0, at - left - TEXT))
        canvas.text(name, (left + TEXT, top), BRIGHT)
