"""A window with all prefabs of a book side by side: alive, and as their files say now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from poolkit.content import ContentError, PrefabFile
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.bitmap_font import draw_text, fitted, text_width
from poolkit.devtools.code import in_a_line
from poolkit.devtools.inspector import BRIGHT, DIM, EDGE, GROUND, LATE, QUIET, REFUSED
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.scenes import Scene, run
from poolkit.sprites.group import PooledGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SIZE = 1040, 640  # of the window, in pixels
_SCALE = 2  # of letters: all sizes below are in pixels of theirs
_PAD, _LINE = 5, 11
_CAPTION = 2 * _LINE + 3
_LEAST = 84, 74  # of a cell
_WIDTH, _HEIGHT = SIZE[0] // _SCALE - _PAD, SIZE[1] // _SCALE - 2 * _PAD - _LINE  # for all cells
_FLOOR, _BANNER = (27, 33, 46), (58, 22, 28)
_WALL = 12.0  # how thick the walls around bodies are, in pixels of the screen
_RELOAD_INTERVAL = 0.25  # seconds between two looks at the files
_RESPAWN_DELAY = 0.7  # seconds from one life in a pen to the next
_GLOW = 2.5  # seconds that what has changed is shown in another color
_PAGES = {pygame.K_PAGEUP: -1, pygame.K_PAGEDOWN: 1}
_KEYS = (
    ("click", "spawn one more"),
    ("page up, page down", "others"),
    ("f2", "pools"),
    ("esc", "quit"),
)


class Gallery(Scene):
    """Shows the prefabs of a book, one alive in a pen each, with the data that files give them.

    Bodies can't leave their pens. What else leaves is despawned, and an empty pen gets a new life.

    Args:
        load: Returns the book; called when the window is open, so that it can convert pictures. If
            its files can't be used, the window says so and calls it again until they can. What the
            book's system has alive is ended.
        num_frames: After how many it ends; default: never.
    """

    def __init__(self, load: Callable[[], PrefabFile], num_frames: int | None = None) -> None:
        self.page: int = 0  # which is in view
        self.error: ContentError | None = None  # of the files, since they were written last
        self._load = load
        self._num_left = num_frames
        self._book: PrefabFile | None = None
        self._system: PoolingSystem = pools
        self._living = PooledGroup(layers=True)
        self._raised: dict[str, str] = {}  # by hooks; by prefab, or by what was under way
        self._pens: dict[str, pygame.Rect] = {}  # of the prefabs in view
        self._walls: dict[PhysicsWorld, list[pymunk.Shape]] = {}
        self._changed: dict[tuple[str, str], float] = {}  # when a key of a prefab did
        self._values: dict[str, dict[str, str]] = {}
        self._now = self._looked_at = 0.0
        self._respawn_times: dict[str, float] = {}  # when a pen may have its next life
        self._canvas = pygame.Surface((SIZE[0] // _SCALE, SIZE[1] // _SCALE))

    def enter(self) -> None:
        """Load the book, if its files can be used."""
        try:
            book = self._load()
        except ContentError as error:
            self.error = error
            return
        self.error, self._book, self._system = None, book, book._system
        self._system.reset()
        self.scope.callback(self._system.on_spawn(self._show))
        self._values = _values_of(book)

    def exit(self) -> None:
        """End all lives, and take the walls down."""
        self._build_walls({})
        self._system.reset()

    # -- what the player does -----------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> None:
        """Spawn where the player clicks, turn the pages, or end."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            for name, pen in self._pens.items():
                if self._cell(pen).collidepoint(event.pos):
                    self._spawn(name, event.pos)
        elif event.type == pygame.KEYDOWN:
            self.page += _PAGES.get(event.key, 0)
            if event.key == pygame.K_ESCAPE:
                pygame.event.post(pygame.Event(pygame.QUIT))

    # -- what goes on -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: look at the files, and let all that lives go on."""
        self._now += dt
        if self._num_left is not None:
            self._num_left -= 1
            if self._num_left <= 0:
                pygame.event.post(pygame.Event(pygame.QUIT))
        if self._now - self._looked_at >= _RELOAD_INTERVAL:
            self._looked_at = self._now
            if self._book is None:
                self.enter()
            else:
                self._reload(self._book)
        if self._book is not None:
            self._arrange(list(self._book))
            self._play(self._book, dt)

    def _play(self, book: PrefabFile, dt: float) -> None:
        self._try("update", self._system.update, dt)
        self._try("update", self._living.update, dt)
        worlds = {
            part.world: self._pens
            for record in self._system._records.values()
            for part in record.components
            if record.active and isinstance(part, RigidBody)
        }
        self._build_walls(worlds)
        for world in worlds:
            self._try("step", world.step, dt)
        self._sweep()
        for name, pen in self._pens.items():
            active = self._system.pool(book[name]).active
            is_there = any(pen.collidepoint(_center_of(instance, pen)) for instance in active)
            if not is_there and self._respawn_times.get(name, 0.0) <= self._now:
                self._respawn_times[name] = self._now + _RESPAWN_DELAY
                self._spawn(name, pen.center)

    def _reload(self, book: PrefabFile) -> None:
        """Take what was saved, and note what has changed by it."""
        stamps = book._stamps
        try:
            book.reload(respawn=True)
        except ContentError as error:
            self.error = error
            return
        except Exception as error:  # of hooks: the files were taken
            self._raised = {"reload": in_a_line(error)}
        else:
            if book._stamps is stamps:
                return
            self._raised = {}
        self.error, old, self._values = None, self._values, _values_of(book)
        for name, values in self._values.items():
            before = old.get(name, {})
            keys = [key for key in values if before.get(key) != values[key]]
            self._changed |= {(name, key): self._now for key in keys}

    def _show(self, instance: Any) -> None:
        if isinstance(instance, pygame.sprite.Sprite):
            instance.add(self._living)

    def _spawn(self, name: str, place: tuple[int, int]) -> None:
        if self._try(name, self._system.try_spawn, name, place):
            self._raised.pop(name, None)

    def _sweep(self) -> None:
        """Despawn what has left the pens, but for parts of what has not."""
        pens = list(self._pens.values())
        for sprite in list(self._living):
            rect = getattr(sprite, "rect", None)
            is_child = getattr(sprite, "parent", None) is not None
            if rect and not is_child and pygame.Rect(rect.center, (1, 1)).collidelist(pens) < 0:
                self._try("update", self._system.despawn, sprite)

    def _try(self, what: str, call: Any, *arguments: Any, **options: Any) -> Any:
        """Call what may run hooks; what they raise is shown."""
        try:
            return call(*arguments, **options)
        except Exception as error:
            self._raised[what] = in_a_line(error)

    def _build_walls(self, worlds: Mapping[PhysicsWorld, Mapping[str, pygame.Rect]]) -> None:
        """Have walls around all pens in these worlds, and none in others."""
        for world in self._walls.keys() - worlds.keys():
            world.space.remove(*self._walls.pop(world))
        for world, pens in worlds.items():
            if world not in self._walls:
                ground = world.space.static_body
                self._walls[world] = walls = []
                for pen in pens.values():
                    area = pen.inflate(2 * _WALL, 2 * _WALL)
                    ends = [area.topleft, area.topright, area.bottomright, area.bottomleft]
                    for start, end in zip(ends, [*ends[1:], ends[0]], strict=True):
                        walls.append(wall := pymunk.Segment(ground, start, end, _WALL))
                        wall.friction = 0.8
                world.space.add(*walls)

    # -- the picture --------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw all of it."""
        self._canvas.fill(GROUND)
        for name, pen in self._pens.items():
            self._draw_cell(name, pygame.Rect(*(side // _SCALE for side in pen)))
        x, y = _PAD, self._canvas.height - _LINE + 1
        for name, meaning in _KEYS:
            x += draw_text(self._canvas, name, (x, y), BRIGHT) + 4
            x += draw_text(self._canvas, meaning, (x, y), DIM) + 10
        pygame.transform.scale_by(self._canvas, _SCALE, surface)
        for pen in self._pens.values():  # what is larger than its pen is cut off
            surface.set_clip(pen.inflate(-2 * _SCALE, -2 * _SCALE))
            self._try("draw", self._living.draw, surface)
        surface.set_clip(None)
        self._draw_banner(surface)

    def _arrange(self, names: list[str]) -> None:
        """Choose the pens: those of the page in view."""
        most = _WIDTH // _LEAST[0], _HEIGHT // _LEAST[1]
        columns = min(most[0], max(1, round((len(names) * _WIDTH / _HEIGHT * 0.8) ** 0.5)))
        rows = min(most[1], max(1, -(-len(names) // columns)))
        num_shown = columns * rows
        self.page = max(0, min(self.page, (len(names) - 1) // num_shown))
        shown = names[self.page * num_shown :][:num_shown]
        if shown == list(self._pens):
            return
        wide, high = _WIDTH // columns, _HEIGHT // rows
        self._pens = {}
        for number, name in enumerate(shown):
            row, column = divmod(number, columns)
            area = _PAD + column * wide, _PAD + row * high, wide - _PAD, high - _PAD - _CAPTION
            self._pens[name] = pygame.Rect(*(side * _SCALE for side in area))
        self._build_walls({})
        self._try("update", self._system.despawn_all)
        self._respawn_times.clear()

    def _cell(self, pen: pygame.Rect) -> pygame.Rect:
        return pygame.Rect(pen.left, pen.top, pen.width, pen.height + _CAPTION * _SCALE)

    def _is_new(self, name: str, key: str) -> bool:
        """Return whether a key was changed just now."""
        return self._now - self._changed.get((name, key), -_GLOW) < _GLOW

    def _draw_cell(self, name: str, pen: pygame.Rect) -> None:
        canvas, count = self._canvas, self._system.pool(name).active_count
        is_new = any(self._is_new(name, key) for key in self._values[name])
        cell = pen.inflate(0, _CAPTION)
        cell.top = pen.top
        canvas.fill(_FLOOR, cell)
        canvas.fill(GROUND, pen.inflate(-2, -2))
        pygame.draw.rect(canvas, LATE if is_new else EDGE, cell, 1)
        left, right, top = pen.left + 4, pen.right - 4, pen.bottom + 4
        right -= draw_text(canvas, f"{count} alive", (right, top), DIM, align=1) + 6
        color = LATE if is_new else BRIGHT
        draw_text(canvas, fitted(name, max(0, right - left)), (left, top), color)
        if name in self._raised:
            lines = _wrapped(self._raised[name], pen.width - 8)
            for number, line in enumerate(lines[: (pen.height - 4) // _LINE]):
                draw_text(canvas, line, (left, pen.top + 5 + number * _LINE), REFUSED)
        top += _LINE
        for key, value in self._values[name].items():
            head, _, short = key.partition(".")
            words = f"{short} {value}"
            if head == "data" and left + text_width(words) <= pen.right - 4:
                color = LATE if self._is_new(name, key) else QUIET
                left += draw_text(canvas, words, (left, top), color) + 8

    def _draw_banner(self, surface: pygame.Surface) -> None:
        """Draw what is wrong with the files, and what hooks raised, over the foot of the window."""
        raised = self._raised.items()
        texts = [f"{what}: {why}" for what, why in raised if what not in self._pens]
        if self._book is not None and not self._book:
            texts.append("no prefabs in the files")
        head = "these files can't be used; save them mended, and they are"
        if self._book is not None:
            head = "these files can't be used; what they said before is in force:"
        if self.error is not None:
            texts[:0] = [head, *self.error.faults]
        width, most = SIZE[0] // _SCALE - 4 * _PAD, SIZE[1] // _SCALE // _LINE - 5
        lines = [line for text in texts for line in _wrapped(text, width)]
        if len(lines) > most:
            lines[most - 1 :] = [f"... and {len(lines) - most + 1} lines more"]
        banner = pygame.Surface((width + 2 * _PAD, len(lines) * _LINE + 2 * _PAD))
        banner.fill(_BANNER)
        pygame.draw.rect(banner, REFUSED, banner.get_rect(), 1)
        for number, line in enumerate(lines):
            draw_text(
                banner, line, (_PAD, _PAD + 2 + number * _LINE), DIM if line == head else BRIGHT
            )
        if lines:
            banner = pygame.transform.scale_by(banner, _SCALE)
            surface.blit(banner, banner.get_rect(midbottom=surface.get_rect().midbottom))


def show(load: Callable[[], PrefabFile], num_frames: int | None = None) -> None:
    """Show a book in a window, until the player leaves it, or for so many frames.

    Raises:
        ContentError: After so many frames the files still can't be used.
    """
    gallery = Gallery(load, num_frames)
    run(gallery, SIZE, title="poolkit: prefabs")
    if gallery.error is not None and gallery._book is None and num_frames is not None:
        raise gallery.error


def _values_of(book: PrefabFile) -> dict[str, dict[str, str]]:
    """Return what the files say of each prefab, in words, by path."""
    return {name: dict(_flat(recipe.table)) for name, recipe in book._recipes.items()}


def _center_of(instance: Any, pen: pygame.Rect) -> tuple[float, float]:
    rect = getattr(instance, "rect", None)
    return rect.center if rect else pen.center


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a table in words, each with its path; plain ones before tables."""
    for key, value in sorted(table.items(), key=lambda item: isinstance(item[1], dict)):
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{key}.")
        else:
            several = isinstance(value, list)
            yield above + key, ", ".join(map(str, value)) if several else str(value)


def _wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines of at most so many pixels."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer) > width:
            lines.append("    " + word)
        else:
            lines[-1] = longer
    return [fitted(line, width) for line in lines]
