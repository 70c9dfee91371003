"""An overlay for any game that shows its pools and its frames while it is played."""

from __future__ import annotations

import functools
import math
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.given import checked_system
from poolkit.devtools.letters import draw_text, fitted, text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poolkit.core.pool import PrefabPool
    from poolkit.devtools.collector_probe import CollectorPause

EVENTS = "late", "recycled", "refused"  # what had better not happen
COLUMNS = "inactive", "peak", *EVENTS, "idle"
SORTS = "first use", "name", "active", *COLUMNS
FLASH = 72  # frames that a late spawn is shown
_AT_ONCE = 40  # pools of which all figures are read
_TOPS = (0.004, 0.008, 0.016, 0.033, 0.066, 0.133, 0.266, 0.533)  # seconds: what a graph may span
_ROOM = 1.7  # times the usual frame: above it the lengths of the longest are written

Color = tuple[int, int, int]
_Piece = tuple[str, Color, Color | None]  # words, their colour, and that of a square before them

# All that is written is one of the first rows, and keeps a contrast of 4.5 to the ground.
BRIGHT: Color = (238, 242, 248)  # what matters
DIM: Color = (158, 170, 190)  # what explains it
QUIET: Color = (124, 136, 158)  # nothing to report
LATE: Color = (255, 164, 84)  # made during play
RECYCLED: Color = (190, 160, 255)  # ended for another life
REFUSED: Color = (255, 118, 108)  # did not get what it asked for

GROUND: Color = (19, 23, 32)
ACTIVE: Color = (88, 196, 232)
CELL: Color = (72, 100, 128)  # an instance at rest
ROOM: Color = (58, 68, 90)  # up to the limit
CALM: Color = (80, 146, 176)  # a frame
GENERATIONS: tuple[Color, Color, Color] = ((126, 214, 116), (248, 196, 72), (255, 96, 88))
_GRAPH: Color = (12, 15, 22)
EDGE: Color = (70, 80, 102)
_LINE: Color = (38, 45, 60)
_OF_EVENTS = dict(zip(EVENTS, (LATE, RECYCLED, REFUSED), strict=True))

# Pixels of the panel's own: the screen's, or two or three of them on a large one.
_WIDTH, _NARROW, _SHARE = 200, 116, 0.4  # at most and at least; and of a screen, between these
_MARGIN, _PAD = 4, 6
GRAPH_WIDTH = _WIDTH - 2 * _PAD  # one a frame
_COUNTS, _TIMES, _BARS, _PAUSES, _MEMORY, _LABELS, _LIST = 6, 17, 28, 55, 65, 77, 88
_BARS_HEIGHT = 25
_FOOT = 16
_ROW = 30
_ICON = 16  # a side of a row's picture
_TEXT = _ICON + 5  # where a row's name and cells begin
_CELL_HEIGHT = 5
_WIDEST_CELL, _NARROWEST_CELL, _HOLLOW_CELL = 8, 2, 5
_EVERY = 6  # frames from one drawing to the next
_BLINK = 12  # frames
_MARKED = 1.4  # times the top of the graph: a frame as long as that has its length beside it


class Inspector:
    """Shows the pools of a game and how long its frames take, on top of the game's own picture.

    Two lines in the game's loop, and nothing else::

        inspector = Inspector()
        while running:
            for event in pygame.event.get():
                if inspector.handle_event(event):
                    continue
                ...
            ...
            inspector.draw(screen)
            pygame.display.flip()

    A row a pool: what is alive of how many it may be, a cell an instance, the figures of
    `PrefabPool.stats` below. What a spawn has to make because none was at rest flashes. Above, a
    bar a frame; the part that the garbage collector took has the colour of the generation that
    it collected. Below that, how many more blocks of memory Python holds (about one an object)
    than when the scene began, or the inspector was shown.

    The key shows and hides it. While it is shown, the next two function keys sort and filter, and
    Page Up, Page Down, Home and End scroll; the mouse is the game's. While hidden it does nothing,
    nor does the collector's probe run.

    Attributes:
        key: The key that shows and hides it.

    Examples:
        >>> inspector = Inspector(PoolingSystem(), key=pygame.K_F5)
        >>> inspector.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_F5))
        True
        >>> inspector.shown
        True
        >>> inspector.draw(pygame.Surface((640, 360)))
        >>> inspector.shown = False
    """

    def __init__(
        self, system: PoolingSystem = pools, *, key: int = pygame.K_F2, shown: bool = False
    ) -> None:
        """Look at a system.

        Args:
            system: The pooling system whose pools are shown.
            key: The key that shows and hides it, one of pygame's constants.
            shown: Whether it is shown to begin with.

        Raises:
            TypeError: `system` is none, or `key` is no constant of pygame's.
        """
        if not isinstance(key, int):
            message = f"key must be one of pygame's constants, as pygame.K_F2, not {key!r}"
            raise TypeError(message)
        self.key = key
        self._sort_key = key + 1 if pygame.K_F1 <= key <= pygame.K_F10 else pygame.K_F3
        self._filter_key = self._sort_key + 1
        self._system = checked_system(system, "Inspector()")
        self._probe = CollectorProbe()
        self._times = FrameTimes()
        self._listing = Listing(system)
        self._held: set[object] = set()  # keys that are ours until they are up
        self._scale = 1
        self._canvas = pygame.Surface((1, 1), depth=32)
        self._picture = self._canvas  # the same in the pixels of the screen
        self._corner = 0, 0
        self._drawn_on: object = None
        self._drawn_at = 0.0
        self._frame = self._due = 0
        self._shown = False
        self.shown = shown

    @property
    def shown(self) -> bool:
        """Whether it is on the screen. Assign it to show or hide it."""
        return self._shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        self._listing.is_editing = False
        if shown:
            self._probe.start()
            self._unhook = self._system.on_reset(self.clear)
        else:
            self._probe.stop()
            self._unhook()
        self.clear()

    def draw(self, surface: pygame.Surface, frame_seconds: float | None = None) -> None:
        """Draw it on the right of `surface`, if it is shown. Call it once a frame, last.

        Args:
            surface: The game's screen, or a part of it (`Surface.subsurface`).
            frame_seconds: How long the work of the latest frame took, if the game measures it;
                otherwise the graph shows the time from one call to the next.
        """
        if not self._shown:
            return
        now = time.perf_counter()
        seconds = now - self._drawn_at if frame_seconds is None else frame_seconds
        self._drawn_at = now
        self._times.add(seconds, self._probe.take(), pooling=self._system._context.pooling)
        self._frame += 1
        drawn_on = surface.get_size(), surface.get_abs_parent().get_size()
        if self._frame >= self._due or drawn_on != self._drawn_on:
            self._drawn_on = drawn_on
            self._listing.read(self._frame)
            self._due = self._frame + _EVERY
            self._fit(surface)
            self._draw_canvas()
            pygame.transform.scale_by(self._canvas, self._scale, self._picture)
            self._draw_pictures()
        clip = surface.get_clip()
        surface.set_clip(None)  # a game may have left one, to draw its world in a part of it
        surface.blit(self._picture, self._corner)
        surface.set_clip(clip)

    def clear(self) -> None:
        """Forget frames, collections and memory, as when a level has been loaded.

        It does so by itself when a scene ends (`PoolingSystem.reset`). The frame under way does
        not count.
        """
        self._probe.take()
        self._times = FrameTimes()
        # What flashes, and pools that the game may have forgotten: they are to be freed.
        self._listing.all, self._listing.rows = [], []
        self._due = 0

    def __repr__(self) -> str:
        """Return ``<Inspector(num_pools=4, shown=True)>``."""
        count = len(self._system.all_pools())
        return f"<{type(self).__name__}(num_pools={count}, shown={self._shown})>"

    def handle_event(self, event: pygame.Event) -> bool:
        """Take one of pygame's events.

        Returns:
            Whether it was the inspector's own, which the game had better ignore.
        """
        kind, key = event.type, event.dict.get("key")
        if kind == pygame.KEYDOWN and self._take_key(event):
            self._held.add(key)
            self._due = 0
            return True
        if kind == pygame.KEYUP and key in self._held:
            # What went down is ours until it is up, also when the panel is hidden meanwhile.
            self._held.discard(key)
            return True
        return self._listing.is_editing and kind in {pygame.TEXTINPUT, pygame.TEXTEDITING}

    def _take_key(self, event: pygame.Event) -> bool:
        listing, key = self._listing, event.key
        letter = event.dict.get("unicode", "")
        others = pygame.KMOD_ALT | pygame.KMOD_META  # Alt+F4 closes the window
        is_alone = not event.dict.get("mod", 0) & others
        is_shown = is_alone and self._shown
        page, end = max(1, listing.room - 1), len(listing.rows)
        moves = {pygame.K_PAGEUP: -page, pygame.K_PAGEDOWN: page}
        moves |= {pygame.K_HOME: -end, pygame.K_END: end}
        if listing.is_editing and letter and letter.isprintable():
            listing.needle += letter  # which may be the key, too
        elif is_alone and key == self.key:
            self.shown = not self._shown
        elif is_shown and key == self._sort_key:
            listing.sort = SORTS[(SORTS.index(listing.sort) + 1) % len(SORTS)]
        elif is_shown and key == self._filter_key:
            listing.is_editing = not listing.is_editing
        elif is_shown and key in moves:
            listing.scroll(moves[key])
        elif not listing.is_editing:
            return False
        elif key == pygame.K_BACKSPACE:
            listing.needle = listing.needle[:-1]
        elif key in {pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_ESCAPE}:
            listing.is_editing = False
            if key == pygame.K_ESCAPE:
                listing.needle = ""
        return True  # while the filter is typed, every key is ours

    # -- size ---------------------------------------------------------------------------------

    @property
    def _inner(self) -> int:
        return self._canvas.get_width() - 2 * _PAD

    def _fit(self, surface: pygame.Surface) -> None:
        whole = surface.get_abs_parent().get_size()
        scale = max(1, round(min(whole[0] / 640, whole[1] / 360)))
        width, height = (max(1, side // scale) for side in surface.get_size())
        is_part = surface.get_parent() is not None and width < _WIDTH + 2 * _MARGIN
        margin = 0 if is_part or width < _NARROW + 2 * _MARGIN else _MARGIN
        height -= 2 * margin
        self._listing.room = max(1, (height - _LIST - _FOOT) // _ROW)
        self._listing.scroll(0)
        if not is_part:
            # On a small screen, the game shall still be seen beside it.
            width = min(width, _WIDTH, max(_NARROW, round(width * _SHARE)))
            rows = min(self._listing.room, max(1, len(self._listing.all)))
            height = min(height, _LIST + rows * _ROW + _FOOT)
        size = width, max(1, height)
        if (size, scale) != (self._canvas.get_size(), self._scale):
            self._canvas, self._scale = pygame.Surface(size, depth=32), scale
            wide, high = size[0] * scale, size[1] * scale
            # One pixel off, on purpose: rows that are aligned to 16 bytes on both sides, SDL
            # copies past the cache: 0.40 ms for a panel on a large screen, instead of 0.07.
            larger = pygame.Surface((wide + 1, high), depth=32)
            self._picture = larger.subsurface((1, 0, wide, high))
        left = surface.get_width() - self._picture.get_width() - margin * scale
        self._corner = left, margin * scale

    # -- drawing ------------------------------------------------------------------------------

    def _draw_canvas(self) -> None:
        """Draw all but the instances' pictures, the totals above the graph, the pools below."""
        canvas, listing = self._canvas, self._listing
        canvas.fill(EDGE)
        canvas.fill(GROUND, canvas.get_rect().inflate(-2, -2))
        self._draw_words()
        self._draw_graph()
        for column, place in columns_in(self._inner).items():
            is_sorted, end = column == listing.sort, _PAD + place
            width = self._text(column, (end, _LABELS), BRIGHT if is_sorted else DIM, 1)
            if is_sorted:
                canvas.fill(BRIGHT, (end - width, _LABELS + 9, width, 1))
        for number, row in enumerate(listing.in_view):
            self._draw_row(row, _LIST + number * _ROW)
        if not listing.rows:
            none = "no pools yet: spawn something"
            words = f"no name contains {listing.needle}" if listing.all else none
            self._text(fitted(words, self._inner), (_PAD, _LIST + 10), DIM)
        hidden = len(listing.rows) - listing.room
        if hidden > 0:
            x, height = canvas.get_width() - 4, canvas.get_height() - _LIST - _FOOT
            thumb = max(8, height * listing.room // len(listing.rows))
            canvas.fill(_LINE, (x, _LIST, 2, height))
            top = _LIST + (height - thumb) * listing.first // hidden
            canvas.fill(DIM, (x, top, 2, thumb))
        self._draw_foot()

    def _text(self, words: str, place: tuple[int, int], color: Color, align: float = 0.0) -> int:
        return draw_text(self._canvas, words, place, color, align=align)

    def _line(self, y: int, pieces: Iterable[_Piece], right: str = "") -> None:
        """Write side by side what there is room for, the first first, and one on the right."""
        x, end = _PAD, _PAD + self._inner
        for words, color, square in pieces:
            indent = 11 if square else 0
            if x + indent + text_width(words) > end:
                return
            if square:
                pygame.draw.rect(self._canvas, square, (x, y + 1, 7, 5), square is CELL)
            x += indent + 8 + self._text(words, (x + indent, y), color)
        if x + text_width(right) <= end:
            self._text(right, (end, y), DIM, 1)

    def _draw_words(self) -> None:
        """Write how many there are of what is listed, how long frames took, and what of memory."""
        listing, times, is_roomy = self._listing, self._times, self._inner >= GRAPH_WIDTH
        active = sum(row.pool.active_count for row in listing.rows)
        inactive = sum(row.pool.inactive_count for row in listing.rows)
        listed, count = len(listing.rows), len(listing.all)
        pools = "1 pool" if count == 1 else f"{count} pools"
        counts: list[_Piece] = [(f"{active} active", BRIGHT, ACTIVE)]
        context = self._system._context
        warning = "disposed" if context.closed else "" if context.pooling else "pooling off"
        counts += [(warning, REFUSED, None)] if warning else []
        counts += [(f"{inactive} inactive", DIM, CELL)]
        self._line(_COUNTS, counts, pools if listed == count else f"{listed} of {pools}")
        latest = times.frames[-1].seconds if times.frames else 0.0
        frame = f"frame {latest * 1000:.1f} ms", BRIGHT, None
        self._line(_TIMES, [frame], f"worst {times.worst * 1000:.1f}")
        names = (" young", " middle", " full") if is_roomy else ("", "", "")
        pauses = [
            (f"{collected}{name}", DIM if collected else QUIET, color)
            for color, collected, name in zip(GENERATIONS, times.collections, names, strict=True)
        ]
        self._line(_PAUSES, pauses, f"paused {times.seconds_paused * 1000:.0f} ms")
        blocks, seconds = times.memory
        since = f" in {seconds:.0f} s" if is_roomy else ""
        self._line(_MEMORY, [(f"memory {blocks:+,} blocks{since}", QUIET, None)])

    def _draw_graph(self) -> None:
        """Draw a bar a frame, the latest on the right, the collector's part in its own colour."""
        canvas, top = self._canvas, self._times.top
        area = pygame.Rect(_PAD, _BARS, max(1, self._inner), _BARS_HEIGHT)
        canvas.fill(_GRAPH, area)
        canvas.fill(_LINE, (_PAD, area.centery, area.width, 1))
        frames = list(self._times.frames)[-area.width :]
        first = area.right - len(frames)
        for x, (seconds, paused, generation, pooling) in enumerate(frames, first):
            bar = max(1, round(area.height * min(1.0, seconds / top)))
            if generation > 0:
                red, green, blue = GENERATIONS[generation]
                canvas.fill((red // 3, green // 3, blue // 3), (x, area.top, 1, area.height))
            canvas.fill(CALM, (x, area.bottom - bar, 1, bar))
            if generation >= 0:
                part = max(1, round(bar * (paused / seconds if seconds else 1.0)))
                canvas.fill(GENERATIONS[generation], (x, area.bottom - bar, 1, part))
            if not pooling:
                canvas.fill(REFUSED, (x, area.bottom - 2, 1, 2))
        self._text(f"{top * 1000:.0f} ms", (_PAD + 3, _BARS + 3), QUIET)
        taken = [pygame.Rect(area.topleft, (32, 1))]  # the words of the scale are there
        lengths = ((each.seconds, x) for x, each in enumerate(frames, first + 3))
        for seconds, left in sorted(lengths, reverse=True):
            if seconds < top * _MARKED:
                break
            words = f"{seconds * 1000:.0f}"
            label = pygame.Rect(left, area.top, text_width(words), 1)
            if label.right <= area.right and label.inflate(8, 0).collidelist(taken) < 0:
                self._text(words, (left, _BARS + 3), BRIGHT)
                taken.append(label)

    def _draw_row(self, row: Row, top: int) -> None:
        canvas, stats, left, end = self._canvas, row.stats, _PAD, _PAD + self._inner
        limit, width = row.pool.settings.limit, self._inner - _TEXT
        canvas.fill(_LINE, (left, top, self._inner, 1))
        left_of_flash = row.lit_until - self._frame
        flashes = left_of_flash > 0 and left_of_flash % _BLINK >= _BLINK // 2
        if flashes:
            canvas.fill(LATE, (left - 3, top + 3, 2, _ROW - 5))
        if limit is not None:
            color = REFUSED if stats.active >= limit else DIM
            end -= self._text(f" of {limit}", (end, top + 3), color, 1)
        end -= self._text(str(stats.active), (end, top + 3), BRIGHT, 1) + 6
        each, _ = ruler(width, stats.active + stats.inactive, limit)
        if each > 1 and end - 60 > left + _TEXT:
            end -= self._text(f"{each} a cell", (end, top + 3), QUIET, 1) + 6
        name = fitted(row.pool.name, max(0, end - left - _TEXT))
        self._text(name, (left + _TEXT, top + 3), BRIGHT)
        draw_cells(canvas, (left + _TEXT, top + 13), width, row, lit=row.lit if flashes else 0)
        for column, place in columns_in(self._inner).items():
            value = row.value(column)
            color = _OF_EVENTS.get(column, DIM) if value else QUIET
            self._text(words_for(column, value), (left + place, top + 20), color, 1)

    def _draw_pictures(self) -> None:
        """Draw what instances look like, in the pixels of the screen."""
        scale, side = self._scale, _ICON * self._scale
        for number, row in enumerate(self._listing.in_view):
            if row.picture is None or max(row.picture.get_size()) > side:
                row.picture = thumbnail(row.pool, side)
            top = (_LIST + number * _ROW + 3) * scale
            place = pygame.Rect(_PAD * scale, top, side, side)
            if row.picture is None:
                self._picture.fill(_LINE, place.inflate(-10 * scale, -10 * scale))
            else:
                self._picture.blit(row.picture, row.picture.get_rect(center=place.center))

    def _draw_foot(self) -> None:
        listing, x, top = self._listing, _PAD, self._canvas.get_height() - _FOOT
        self._canvas.fill(_LINE, (x, top, self._inner, 1))
        if listing.is_editing or listing.needle:
            x += self._text("filter ", (x, top + 5), DIM)
            x += self._text(fitted(listing.needle, self._inner // 2), (x, top + 5), BRIGHT)
            if listing.is_editing:
                self._canvas.fill(ACTIVE, (x + 2, top + 4, 1, 9))
            x += 9
        names = [pygame.key.name(key) for key in (self.key, self._sort_key, self._filter_key)]
        names = [name.upper() if name.startswith("f") else name for name in names]
        keys = zip(names, ("hide", f"sort: {listing.sort}", "filter"), strict=True)
        for key, meaning in (("enter", "keep"), ("esc", "clear")) if listing.is_editing else keys:
            if x + text_width(key) + 4 + text_width(meaning) > _PAD + self._inner:
                break
            x += self._text(key, (x, top + 5), BRIGHT) + 4
            x += self._text(meaning, (x, top + 5), DIM) + 9


# -- what it tells --------------------------------------------------------------------------------


class Row:
    """One pool, as it was read last."""

    def __init__(self, pool: PrefabPool[Any]) -> None:
        self.pool = pool
        self.stats = pool.stats
        self.lit = 0  # how many of the active ones, the latest, were made late,
        self.lit_until = 0  # and the frame in which they cease to flash
        self.picture: pygame.Surface | None = None  # what its instances look like, if known

    def read(self, frame: int) -> None:
        """Read how the pool is; let what was made late since the last time flash."""
        before, self.stats = self.stats, self.pool.stats
        late = self.stats.late - before.late
        if late > 0:
            self.lit = late + (self.lit if frame < self.lit_until else 0)
            self.lit_until = frame + FLASH

    def value(self, column: str) -> float:
        """Return a column's figure."""
        if column == "idle":  # the share of their time that its instances were not needed
            return self.pool._ledger.idle_share
        figure: int = getattr(self.stats, "peak_active" if column == "peak" else column)
        return figure


class Listing:
    """The rows of all pools: filtered, sorted, scrolled."""

    def __init__(self, system: PoolingSystem) -> None:
        self._system = system
        self.sort = SORTS[0]
        self.needle = ""  # what a name must contain to be listed
        self.is_editing = False  # whether that is being typed
        self.room = 1  # how many rows fit into the view
        self.first = 0  # how many are above it
        self.all: list[Row] = []
        self.rows: list[Row] = []  # what is listed of them, in order

    @property
    def in_view(self) -> Sequence[Row]:
        """The rows to be drawn."""
        return self.rows[self.first : self.first + self.room]

    def read(self, frame: int) -> None:
        """Notice pools that came or went, read how they are, and filter and sort them."""
        known = {row.pool: row for row in self.all}
        self.all = [known.get(pool) or Row(pool) for pool in self._system.all_pools()]
        # Of many pools, those in view, and of the others some in their turn.
        turns = max(1, len(self.all) // _AT_ONCE)
        for row in {*self.in_view, *self.all[frame // _EVERY % turns :: turns]}:
            row.read(frame)
        needle = self.needle.casefold()
        self.rows = [row for row in self.all if needle in row.pool.name.casefold()]
        if self.sort == "name":
            self.rows.sort(key=lambda row: row.pool.name.casefold())
        elif self.sort != SORTS[0]:
            self.rows.sort(key=lambda row: -row.value(self.sort))

    def scroll(self, rows: int) -> None:
        """Move the view down by so many rows, or up; never beyond either end."""
        last = max(0, len(self.rows) - self.room)
        self.first = min(last, max(0, self.first + rows))


class Frame(NamedTuple):
    """One frame."""

    seconds: float
    paused: float  # seconds of it in which the collector ran
    generation: int  # the oldest one that was collected; -1 for none
    pooling: bool  # whether pools were in use, or switched off to compare


class FrameTimes:
    """The latest frames, and collections and memory since the scene began.

    The frame under way does not count: it is the one that loads.
    """

    def __init__(self) -> None:
        self.frames: deque[Frame] = deque(maxlen=GRAPH_WIDTH)
        self.collections = [0, 0, 0]  # of each generation,
        self.seconds_paused = 0.0  # and how long they took
        self._skips = True
        self._began = time.perf_counter()
        self._blocks = sys.getallocatedblocks()

    def add(self, seconds: float, pauses: Sequence[CollectorPause], *, pooling: bool) -> None:
        """Add a frame and the collections in it."""
        if self._skips:
            self._skips = False
            return
        for pause in pauses:
            self.collections[pause.generation] += 1
        paused = sum(pause.seconds for pause in pauses)
        oldest = max((pause.generation for pause in pauses), default=-1)
        self.seconds_paused += paused
        self.frames.append(Frame(seconds, min(paused, seconds), oldest, pooling))

    @property
    def memory(self) -> tuple[int, float]:
        """How many more blocks of memory Python has in use than so many seconds ago."""
        return sys.getallocatedblocks() - self._blocks, time.perf_counter() - self._began

    @property
    def worst(self) -> float:
        """The longest of the latest frames, in seconds."""
        return max((frame.seconds for frame in self.frames), default=0.0)

    @property
    def top(self) -> float:
        """How many seconds a graph had best span: so that nine frames in ten leave room above."""
        ordered = sorted(frame.seconds for frame in self.frames)
        usual = ordered[len(ordered) * 9 // 10] if ordered else 0.0
        return next((top for top in _TOPS if top >= usual * _ROOM), _TOPS[-1])


# -- a row's parts --------------------------------------------------------------------------------


def words_for(column: str, value: float) -> str:
    """Write a column's figure, in at most four letters."""
    if column == "idle":
        return f"{value:.0%}"
    if value >= 1_000_000:  # noqa: PLR2004 - a million
        return f"{value // 1_000_000}M"
    if value >= 10_000:  # noqa: PLR2004 - five letters
        return f"{value // 1000}k"
    return str(value) if value or column not in EVENTS else "\N{MIDDLE DOT}"


@functools.lru_cache(maxsize=64)  # asked for each row
def columns_in(width: int) -> dict[str, int]:
    """Return the columns that `width` pixels have room for, and the right end of each."""
    widths = [text_width(column) for column in COLUMNS]
    gap = (max(width, GRAPH_WIDTH) - sum(widths)) / (len(widths) - 1)
    ends = [round(sum(widths[: number + 1]) + number * gap) for number in range(len(widths))]
    return {column: end for column, end in zip(COLUMNS, ends, strict=True) if end <= width}


def ruler(width: int, capacity: int, limit: int | None) -> tuple[int, int]:
    """Return how many instances are a cell, and how many pixels it is from cell to cell.

    A limit that is far away is not shown: the cells would be too small to tell anything.
    """
    most = max(1, width // _NARROWEST_CELL)
    slots = max(1, capacity)
    if limit is not None and limit <= max(most, 2 * capacity):
        slots = max(slots, limit)
    instances = 1
    while slots > instances * most:
        instances *= 2
    pitch = min(_WIDEST_CELL, width // math.ceil(slots / instances))
    return instances, max(_NARROWEST_CELL, pitch)


def draw_cells(
    canvas: pygame.Surface, place: tuple[int, int], width: int, row: Row, lit: int = 0
) -> None:
    """Draw a pool's instances: filled while alive, hollow at rest, dots for room, lit if late."""
    (left, top), stats, limit = place, row.stats, row.pool.settings.limit
    instances, pitch = ruler(width, stats.active + stats.inactive, limit)

    def cells(count: int) -> int:
        return min(width // pitch, math.ceil(count / instances))

    filled, held = cells(stats.active), cells(stats.active + stats.inactive)
    bright = filled - min(filled, cells(lit))
    for number in range(max(held, cells(limit or 0))):
        cell = pygame.Rect(left + number * pitch, top, pitch - 1, _CELL_HEIGHT)
        if number >= held:
            canvas.set_at(cell.center, ROOM)
            continue
        canvas.fill(CELL if number >= filled else LATE if number >= bright else ACTIVE, cell)
        if number >= filled and pitch >= _HOLLOW_CELL:
            canvas.fill(GROUND, cell.inflate(-2, -2))
    peak = cells(stats.peak_active)
    if peak > filled:
        canvas.fill(BRIGHT, (left + peak * pitch - 1, top - 1, 1, _CELL_HEIGHT + 2))


def thumbnail(pool: PrefabPool[Any], side: int) -> pygame.Surface | None:
    """Return a picture of an active instance that fits a square of `side` screen pixels.

    `None` if none is alive, or it has no image. Instances at rest are not looked at: in strict
    mode, they refuse.
    """
    try:
        image = getattr(next(iter(pool.active), None), "image", None)
    except Exception:
        return None  # an image that the game computes: it may fail, the overlay may not
    if not isinstance(image, pygame.Surface) or not all(image.get_size()):
        return None
    area = image.get_bounding_rect() or image.get_rect()
    # A copy of one known format: an image may have a palette, a colour key, or no alpha.
    copy = pygame.Surface(area.size, pygame.SRCALPHA, 32)
    copy.blit(image, (0, 0), area)
    if max(area.size) > side:
        ratio = side / max(area.size)
        size = max(1, round(area.width * ratio)), max(1, round(area.height * ratio))
        return pygame.transform.smoothscale(copy, size)
    return pygame.transform.scale_by(copy, max(1, min(3, side // max(area.size))))
