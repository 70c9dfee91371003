"""An overlay that shows the pools and frames of a game while it is played."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.seams import SwarmBase, context_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.bitmap_font import draw_text, fitted, text_width
from poolkit.devtools.frames import A_SAMPLE, KEPT, FrameRecord
from poolkit.devtools.trial import checked_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from poolkit.core.pool import PrefabPool
    from poolkit.devtools.frames import Frame, LifeCounts, Row

_USUAL = 1 / 60  # seconds: where the graph has its line
_SPANS = 0.025, 0.05, 0.1, 0.2, 0.4, 0.8  # seconds that the graph may span
_Piece = tuple[Any, ...]  # words, their color, and perhaps that of a square before them
_Words = tuple[list[_Piece], str]  # what a line has side by side, and at its right end

# Colours of text, with a contrast of 4.5 to the ground at least.
BRIGHT, DIM, QUIET = (238, 242, 248), (158, 170, 190), (124, 136, 158)
REFUSED, LATE, RECYCLED = (255, 118, 108), (255, 164, 84), (190, 160, 255)
GROUND, EDGE = (19, 23, 32), (70, 80, 102)
ACTIVE, CELL, CALM = (88, 196, 232), (72, 100, 128), (80, 146, 176)  # active; inactive; a frame
GENERATIONS = {"young": (126, 214, 116), "middle": (248, 196, 72), "full": (255, 96, 88)}
_GRAPH, _RULE = (12, 15, 22), (38, 45, 60)

EVENTS = {"refused": REFUSED, "late": LATE, "recycled": RECYCLED}  # which are best avoided
FIGURES = {"spawns": "{:.1f}/s", **{event: f"{{}} {event}" for event in EVENTS}}
FIGURES |= {"peak": "peak {}", "idle": "idle {:.0%}", "inactive": "{} inactive"}
SORTS = "first use", "name", "active", *FIGURES

# In pixels of the panel, each of which is two or three of the screen's on a large one.
_WIDTH, _NARROW = 200, 104  # at most and at least
_WIDE, _LOW = 140, 240  # from here on there is room for all words and all lines
_MARGIN, _PAD = 4, 6
_GRAPH_TOP, _LINE, _ROW, _LIVES_ROW = 4, 10, 28, 12
_LEGEND = {"peak": BRIGHT, "late": LATE, f"{KEPT} frames": CALM, "limit": EDGE}
_ICON = 16  # a side of a row's picture
_TEXT = _PAD + _ICON + 5  # where a row's name and cells begin


class Inspector:
    """Shows the pools of a game and how long its frames take, on top of the game's picture.

    Pass it every event, and draw it once a frame, last. It has a bar for each frame, in which the
    garbage collector's part has a color of its own; how many more blocks of memory Python holds
    (about one an object) than when the scene began; and a row for each pool: how many are alive, of
    how many, now and in the last 600 frames, and the figures of `PrefabPool.stats`.

    While shown, it takes the keys that it names, Page Up and Page Down, and leaves the mouse to the
    game. While hidden, it costs nothing.

    Attributes:
        key: The key that shows and hides it.

    Examples:
        >>> inspector = Inspector(PoolingSystem(), key=pygame.K_F5)
        >>> inspector.handle_event(pygame.Event(pygame.KEYDOWN, key=pygame.K_F5))
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
            key: The key that shows and hides it, one of pygame's constants. The next two function
                keys, or F3 and F4, sort and pause.
            shown: Whether it is shown at first.

        Raises:
            TypeError: `system` isn't a pooling system, or `key` isn't a constant of pygame's.
        """
        if not isinstance(key, int):
            message = f"key must be one of pygame's constants, as pygame.K_F2, not {key!r}"
            raise TypeError(message)
        self.key = key
        self._sort_key = key + 1 if pygame.K_F1 <= key <= pygame.K_F10 else pygame.K_F3
        self._pause_key = self._sort_key + 1
        self._system = checked_system(system, "Inspector()")
        self._frame_record = FrameRecord(system)
        self._paused_frames: Sequence[Frame] = ()  # the frames when it was paused,
        self._paused_at = 0  # and which of them is shown
        self._rows: list[Any] = []  # what is listed: rows of pools, or lives of a frame
        self._first_row, self._num_rows = 0, 1  # the first in view, and how many fit
        self._sort = SORTS[0]
        self._shown = False
        self._held_keys: set[object] = set()  # of ours, that are down
        self._scale, self._margin, self._width = 1, _MARGIN, 1
        self._canvas = self._picture = pygame.Surface((1, 1), depth=32)  # in pixels of the panel
        self._drawn_on: object = None  # `None`: draw all of it at once
        self._drawing: Iterator[None] = iter(())
        self.shown = shown

    @property
    def shown(self) -> bool:
        """Whether it is on the screen. Assign it to show or hide it."""
        return self._shown

    @shown.setter
    def shown(self, shown: bool) -> None:
        if shown == self._shown:
            return
        self._shown, self._paused_frames = shown, ()
        if shown:
            self._watching = self._frame_record.watch(self.clear)
        else:
            self._watching.close()
        self.clear()

    def draw(self, surface: pygame.Surface, frame_seconds: float | None = None) -> None:
        """Draw it at the side of `surface`, if it is shown. Call it once a frame, last.

        Args:
            surface: The game's screen, or a part of it (`Surface.subsurface`).
            frame_seconds: How long the work of the previous frame took, if the game measures it, as
                `pygame.Clock.get_rawtime` does; default: the time from one call to the next.
        """
        if not self._shown:
            return
        self._frame_record.add(frame_seconds)
        drawn_on = surface.size, surface.get_abs_parent().size
        if drawn_on != self._drawn_on:
            self._drawn_on = drawn_on
            self._drawing = self._draw_all(surface)
            list(self._drawing)
        elif next(self._drawing, True):  # one part a frame, so that no frame pays for all
            self._drawing = self._draw_all(surface)
        margin = self._margin * self._scale
        left = surface.width - self._picture.width - margin
        clip = surface.get_clip()
        surface.set_clip(None)  # the game may have left one
        surface.blit(self._picture, (left, margin))
        surface.set_clip(clip)

    def clear(self) -> None:
        """Forget frames, collections and memory, for example after a level was loaded.

        It does so by itself when a scene ends. The present frame doesn't count.
        """
        self._frame_record.clear()
        self._rows = []  # lets pools that the game has forgotten be freed
        self._drawn_on = None

    def __repr__(self) -> str:
        count = len(self._system.all_pools())
        return f"<{type(self).__name__}(num_pools={count}, shown={self._shown})>"

    # -- keys ---------------------------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> bool:
        """Take an event of pygame's; return whether it was for the inspector.

        The game ignores those.
        """
        key = event.dict.get("key")
        if event.type == pygame.KEYDOWN and self._take_key(key, event.dict.get("mod", 0)):
            self._held_keys.add(key)
            self._drawn_on = None
            return True
        # A game sees no key come up that it has not seen go down.
        is_ours = event.type == pygame.KEYUP and key in self._held_keys
        self._held_keys -= {key} if is_ours else set()
        return is_ours

    def _take_key(self, key: Any, mod: int) -> bool:
        """Do what a key is for; return whether it is the inspector's."""
        has_modifier = mod & (pygame.KMOD_ALT | pygame.KMOD_META)  # Alt+F4 closes the window
        if has_modifier or not (self._shown or key == self.key):
            return False
        places = (
            self._frames_by_key(10 if mod & pygame.KMOD_SHIFT else 1) if self._paused_frames else {}
        )
        page = max(1, self._num_rows - 1)
        if key == self.key:
            self.shown = not self._shown
        elif key == self._sort_key:
            self._sort = SORTS[(SORTS.index(self._sort) + 1) % len(SORTS)]
        elif key == self._pause_key:
            self._pause()
        elif key in {pygame.K_PAGEUP, pygame.K_PAGEDOWN}:
            self._first_row += page if key == pygame.K_PAGEDOWN else -page
        elif key in places:
            self._paused_at = places[key]
        else:
            return False
        return True

    def _pause(self) -> None:
        """Keep the latest frames, and go to the longest in view; or go on."""
        self._paused_frames = frames = (
            () if self._paused_frames else tuple(self._frame_record.frames)
        )
        seen = range(max(0, len(frames) - self._width), len(frames))
        self._paused_at = max(seen, key=lambda place: frames[place].seconds, default=0)

    def _frames_by_key(self, step: int) -> dict[int, int]:
        """Return the frame that each key goes to while paused: some steps on, or a slow one."""
        here, last = self._paused_at, len(self._paused_frames) - 1
        usual = sorted(frame.seconds for frame in self._paused_frames)[last // 2]
        slow = [n for n, frame in enumerate(self._paused_frames) if frame.seconds > 1.5 * usual]
        return {
            pygame.K_LEFT: max(0, here - step),
            pygame.K_RIGHT: min(last, here + step),
            pygame.K_UP: max((place for place in slow if place < here), default=here),
            pygame.K_DOWN: min((place for place in slow if place > here), default=here),
        }

    # -- drawing ------------------------------------------------------------------------------

    def _fit(self, surface: pygame.Surface) -> None:
        whole = surface.get_abs_parent().size
        self._scale = max(1, round(min(whole[0] / 640, whole[1] / 360)))
        width, height = (max(1, side // self._scale) for side in surface.size)
        is_part = surface.get_parent() is not None and width < _WIDTH + 2 * _MARGIN
        self._margin = 0 if is_part or width < _NARROW + 2 * _MARGIN else _MARGIN
        height -= 2 * self._margin
        bars, lines, foot = (22, 3, 15) if height < _LOW else (30, 4, 35)
        self._words_top = _GRAPH_TOP + bars + 3  # where these begin,
        self._list_top = self._words_top + _LINE * lines  # and the rows
        if not is_part:  # leave room for the game
            width = min(width, _WIDTH, max(_NARROW, width // 3))
            rows = max(
                1, min((height - self._list_top - foot) // _ROW, len(self._frame_record.rows))
            )
            height = min(height, self._list_top + rows * _ROW + foot)
        self._width, self._right, self._foot_top = width - 2 * _PAD, width - _PAD, height - foot
        self._row_height = _LIVES_ROW if self._paused_frames else _ROW
        self._num_rows = max(1, (self._foot_top - self._list_top) // self._row_height)
        if (width, height) != self._canvas.size:
            self._canvas = pygame.Surface((width, max(1, height)), depth=32)
        self._text = partial(draw_text, self._canvas)
        self._canvas.fill(GROUND)
        pygame.draw.rect(self._canvas, EDGE, self._canvas.get_rect(), 1)

    def _draw_all(self, surface: pygame.Surface) -> Iterator[None]:
        self._fit(surface)
        frames = self._paused_frames
        self._rows = rows = list[Any](
            frames[self._paused_at].lives if frames else self._frame_record.rows
        )
        if self._sort == "name":
            rows.sort(key=lambda row: row.name.casefold())
        elif self._sort != SORTS[0] and not self._paused_frames:
            rows.sort(key=lambda row: -row.value(self._sort))
        self._first_row = max(0, min(self._first_row, len(rows) - self._num_rows))
        seen = rows[self._first_row : self._first_row + self._num_rows]
        places = [
            (row, self._list_top + number * self._row_height) for number, row in enumerate(seen)
        ]
        draw_row = self._draw_lives if self._paused_frames else self._draw_pool
        draws: list[Any] = [partial(draw_row, *place) for place in places]
        for draw in (self._draw_graph, self._draw_words, *draws, self._draw_view, self._draw_foot):
            yield
            draw()
        yield
        scale, size = self._scale, self._canvas.size
        if (size[0] * scale, size[1] * scale) != self._picture.size:
            # One pixel off, on purpose: where rows are aligned to 16 bytes on both sides, SDL
            # copies past the cache, which takes 0.40 ms for a large panel instead of 0.07.
            larger = pygame.Surface((size[0] * scale + 1, size[1] * scale), depth=32)
            self._picture = larger.subsurface((1, 0, size[0] * scale, size[1] * scale))
        pygame.transform.scale_by(self._canvas, scale, self._picture)
        for row, top in () if self._paused_frames else places:
            if row.picture:
                center = (_PAD + _ICON / 2) * scale, (top + 3 + _ICON / 2) * scale
                self._picture.blit(row.picture, row.picture.get_rect(center=center))

    def _line(self, x: int, y: int, pieces: Iterable[_Piece], right: str = "") -> None:
        """Write pieces side by side while there is room, and one on the right."""
        for words, color, *squares in pieces:
            if squares and self._width < _WIDE:
                words = words.split()[0]  # noqa: PLW2901 - the square says the rest
            indent = 11 * len(squares)
            if words and x + indent + text_width(words) <= self._right:
                for square in squares:
                    self._canvas.fill(square, (x, y + 1, 7, 5))
                x += indent + 8 + self._text(words, (x + indent, y), color)
        if x + text_width(right) <= self._right:
            self._text(right, (self._right, y), DIM, align=1)

    def _draw_words(self) -> None:
        source = self._paused_frames[self._paused_at] if self._paused_frames else self._frame_record
        counts = zip(source.collections, GENERATIONS.items(), strict=True)
        pieces: list[_Piece] = [
            (f"{count} {name}", DIM if count else QUIET, color) for count, (name, color) in counts
        ]
        pauses = pieces, f"paused {source.seconds_paused * 1000:.1f} ms"
        lines = self._words_of_frame() if self._paused_frames else self._words_of_pools()
        lines.insert(2, pauses)
        for y, line in zip(range(self._words_top, self._list_top, _LINE), lines, strict=False):
            self._line(_PAD, y, *line)

    def _words_of_frame(self) -> list[_Words]:
        """Return what is said of the frame that is looked at while paused."""
        began, ended, late = (sum(row[column] for row in self._rows) for column in (1, 2, 3))
        took = f"{self._paused_frames[self._paused_at].seconds * 1000:.1f} ms", BRIGHT
        lives: list[_Piece] = [(f"{began} began", BRIGHT, ACTIVE), (f"{ended} ended", DIM, CELL)]
        num_later = len(self._paused_frames) - 1 - self._paused_at
        return [([("paused", LATE), took], f"{num_later} frames ago"), (lives, f"{late} late")]

    def _words_of_pools(self) -> list[_Words]:
        times, context = self._frame_record, context_of(self._system)
        milliseconds = [frame.seconds * 1000 for frame in self._graph] or [0.0]
        active, inactive = (
            sum(row.value(figure) for row in times.rows) for figure in ("active", "inactive")
        )
        warning = "disposed" if context.closed else "" if context.pooling else "pooling off"
        alive: list[_Piece] = [(f"{active} active", BRIGHT, ACTIVE), (warning, REFUSED)]
        alive.append((f"{inactive} inactive", DIM, CELL))
        speed = (f"{times.per_second:.0f} fps", BRIGHT), (f"{milliseconds[-1]:.1f} ms", BRIGHT)
        num_pools = len(times.rows)
        blocks, seconds = times.memory
        return [
            ([*speed], f"worst {max(milliseconds):.1f}"),
            (alive, f"{num_pools} pool{'s' * (num_pools != 1)}"),
            ([(f"memory {blocks:+,} blocks", QUIET)], f"in {seconds:.0f} s"),
        ]

    @property
    def _graph(self) -> list[Frame]:
        frames, width = self._paused_frames or self._frame_record.frames, max(1, self._width)
        first = min(
            len(frames) - width, self._paused_at - width // 2 if self._paused_frames else KEPT
        )
        return list(itertools.islice(frames, max(0, first), max(0, first) + width))

    def _draw_graph(self) -> None:
        """Draw a bar for each frame, with the collector's part in its own color."""
        canvas, frames = self._canvas, self._graph
        chosen = self._paused_frames[self._paused_at] if self._paused_frames else None
        area = pygame.Rect(_PAD, _GRAPH_TOP, max(1, self._width), self._words_top - _GRAPH_TOP - 3)
        left, bottom, most = area.right - len(frames), area.bottom, area.height
        lengths = [frame.seconds for frame in frames]
        usual = sorted(lengths)[len(lengths) * 9 // 10] if lengths else 0.0
        span = next((seconds for seconds in _SPANS if seconds >= usual), _SPANS[-1])
        canvas.fill(_GRAPH, area)
        bars = [min(most, 1 + int(most * seconds / span)) for seconds in lengths]
        least = min(bars, default=0)
        canvas.fill(CALM, (left, bottom - least, len(bars), least))
        for x, (bar, frame) in enumerate(zip(bars, frames, strict=True), left):
            if bar > least:
                canvas.fill(CALM, (x, bottom - bar, 1, bar))
            if paused := frame.seconds_paused:
                part = max(2, round(bar * min(1.0, paused / (frame.seconds or paused))))
                canvas.fill(_color_of_pause(frame), (x, bottom - bar, 1, part))
            if frame is chosen:
                canvas.fill(BRIGHT, (x, area.top, 1, most))
        line = bottom - round(most * _USUAL / span)
        canvas.fill(DIM, (area.left, line, area.width, 1))
        long = sorted(((s, x) for x, s in enumerate(lengths, left) if s > span), reverse=True)
        marks = [(x + 3, area.top + 1, f"{s * 1000:.0f}") for s, x in long]
        self._draw_marks(area, [(area.left, line - 3, f"{_USUAL * 1000:.1f} ms"), *marks])

    def _draw_marks(self, area: pygame.Rect, marks: list[tuple[int, int, str]]) -> None:
        """Write milliseconds at places, the first ones where two don't fit."""
        labels: list[pygame.Rect] = []
        for x, y, words in marks:
            label = pygame.Rect(x, y, text_width(words) + 3, 8)
            if area.contains(label) and label.collidelist(labels) < 0:
                self._canvas.fill(_GRAPH, label)
                self._text(words, label.topleft, BRIGHT)
                labels.append(label.inflate(8, 0))

    def _draw_lives(self, lives: LifeCounts, top: int) -> None:
        end = self._right
        end -= self._text(f"+{lives.began} -{lives.ended}", (end, top + 2), BRIGHT, align=1) + 6
        late = f"{lives.late} late" if lives.late else ""
        end -= self._text(late, (end, top + 2), LATE, align=1) + 6
        self._text(fitted(lives.name, max(0, end - _PAD)), (_PAD, top + 2), BRIGHT)

    def _draw_pool(self, row: Row, top: int) -> None:
        if row.pool is None:  # it is gone
            return
        canvas, stats, left, end = self._canvas, row.stats, _TEXT, self._right
        limit, side = row.pool.settings.limit, _ICON * self._scale
        columns = KEPT // A_SAMPLE // (1 if self._width >= _WIDE else 2)
        canvas.fill(_RULE, (_PAD, top, self._width, 1))
        if row.recently("late"):
            canvas.fill(LATE, (_PAD - 3, top + 3, 2, _ROW - 5))
        draw_cells(canvas, (left, top + 13), end - columns - 5 - left, row)
        draw_history(canvas, (end, top + 18), columns, row)
        if limit is not None:
            color = REFUSED if stats.active >= limit else DIM
            words = f" of {limit}" if self._width >= _WIDE else f"/{limit}"
            end -= self._text(words, (end, top + 3), color, align=1)
        end -= self._text(str(stats.active), (end, top + 3), BRIGHT, align=1) + 6
        self._text(fitted(row.name, max(0, end - left)), (left, top + 3), BRIGHT)
        values = {name: row.value(name) for name in sorted(FIGURES, key=self._sort.__ne__)}
        colors = {**EVENTS, self._sort: BRIGHT}
        shown = [name for name, value in values.items() if value or name == self._sort]
        figures = [(FIGURES[name].format(values[name]), colors.get(name, DIM)) for name in shown]
        self._line(left, top + 20, figures)
        if row.picture is None or max(row.picture.size) > side:
            row.picture = thumbnail(row.pool, side)

    def _draw_view(self) -> None:
        room, count = self._num_rows, len(self._rows)
        if count > room:
            x, height = self._canvas.width - 4, room * self._row_height
            thumb = max(8, height * room // count)
            above = (height - thumb) * self._first_row // (count - room)
            self._canvas.fill(DIM, (x, self._list_top + above, 2, thumb))
        elif not count:
            words = (
                "no life began or ended" if self._paused_frames else "no pools yet: spawn something"
            )
            self._text(fitted(words, self._width), (_PAD, self._list_top + 2), DIM)

    def _draw_foot(self) -> None:
        x, y, bottom = _PAD, self._foot_top + 5, self._canvas.height - 10
        self._canvas.fill(_RULE, (x, self._foot_top, self._width, 1))
        if y < bottom:
            self._line(x, y, [(words, DIM, color) for words, color in _LEGEND.items()])
            y += _LINE
        codes = self.key, self._pause_key, self._sort_key
        uses = "hide", "go on" if self._paused_frames else "pause", f"by {self._sort}"
        names = [pygame.key.name(code).title() for code in codes]
        keys = [*zip(names, uses, strict=True)]
        if self._paused_frames:
            keys = [("Left Right", "step"), ("Up Down", "slow ones"), keys[1]]
        for name, meaning in keys:
            width = text_width(name) + 4 + text_width(meaning)
            if x + width > self._right and y < bottom:
                x, y = _PAD, y + _LINE
            if x + width <= self._right:
                x += self._text(name, (x, y), BRIGHT) + 4
                x += self._text(meaning, (x, y), DIM) + 7


def _color_of_pause(frame: Frame) -> tuple[int, int, int]:
    """Return the color of the oldest generation that was collected in a frame."""
    kinds = zip(frame.collections, GENERATIONS.values(), strict=True)
    return [color for count, color in kinds if count][-1]


def draw_cells(canvas: pygame.Surface, place: tuple[int, int], width: int, row: Row) -> None:
    """Draw a pool's instances: active, made late, inactive; and the limit if it is near."""
    (left, top), stats, limit = place, row.stats, row.pool.settings.limit or 0
    num_held = stats.active + stats.inactive
    slots = max(num_held, stats.peak_active, limit if limit <= max(width // 2, 2 * num_held) else 0)
    pitch = min(8.0, width / max(1, slots))
    num_early = stats.active - row.recently("late")
    ends = [round(max(0, count) * pitch) for count in (slots, num_held, stats.active, num_early)]
    for end, color, height in zip(ends, (EDGE, CELL, LATE, ACTIVE), (1, 5, 5, 5), strict=True):
        canvas.fill(color, (left, top + 2 - height // 2, end, height))
    if pitch >= 3:  # noqa: PLR2004 - pixels: two of a cell, and the slit
        for number in range(1, slots + 1):
            canvas.fill(GROUND, (left + round(number * pitch) - 1, top, 1, 5))
    if stats.peak_active > stats.active:
        canvas.fill(BRIGHT, (left + round(stats.peak_active * pitch) - 1, top - 1, 1, 7))


def draw_history(canvas: pygame.Surface, end: tuple[int, int], columns: int, row: Row) -> None:
    """Draw how many were alive in the latest frames, colored where an event happened."""
    (right, bottom), most = end, max(1, row.stats.peak_active)
    steps = list(itertools.pairwise(stats for _, stats in row.history))[-columns:]
    events = [event for event in EVENTS if getattr(row.stats, event)]
    canvas.fill(_RULE, (right - columns, bottom, columns, 1))
    for x, (before, now) in enumerate(steps, right - len(steps)):
        happened = [event for event in events if getattr(now, event) > getattr(before, event)]
        height = -(-7 * now.active // most) + bool(happened)
        color = EVENTS[happened[0]] if happened else CALM
        canvas.fill(color, (x, bottom + 1 - height, 1, height))


def thumbnail(pool: PrefabPool[Any] | SwarmBase, side: int) -> pygame.Surface | None:
    """Return a picture of an active instance that fits a square; inactive ones may refuse."""
    try:
        image = pool._image() if isinstance(pool, SwarmBase) else next(iter(pool.active)).image
        area = image.get_bounding_rect()
        # Copied to one format, as an image may have a palette, a color key, or no alpha.
        copy = pygame.Surface(area.size, pygame.SRCALPHA, 32)
        copy.blit(image, (0, 0), area)
        size = side / max(area.size)
        if size < 1:
            return pygame.transform.smoothscale_by(copy, size)
        return pygame.transform.scale_by(copy, min(3, int(size)))
    except Exception:
        return None  # the game's image may be anything; the overlay goes on
