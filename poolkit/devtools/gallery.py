"""A window with all prefabs of a book side by side: alive, and as their files say now."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from poolkit.content import ContentError, PrefabFile
from poolkit.devtools.bitmap_font import draw_text, fitted, text_width
from poolkit.devtools.inspector import ACTIVE, BRIGHT, DIM, EDGE, GROUND, LATE, QUIET, REFUSED
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.sprites.group import PooledGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SIZE = 1040, 640  # of the window, in pixels
_SCALE = 2  # of letters: all sizes below are in pixels of theirs
_PANEL, _PAD, _LINE = 150, 5, 11
_CAPTION = 2 * _LINE + 3
_LEAST = 84, 74  # of a cell
_SMALLEST = _PANEL + _PAD + _LEAST[0], 2 * _PAD + _LINE + _LEAST[1]  # picture: a panel and a cell
_FLOOR, _BANNER = (27, 33, 46), (58, 22, 28)
_WALL = 12.0  # how thick the walls around bodies are, in pixels of the screen
_A_LOOK = 0.25  # seconds between two looks at the files
_A_TRIAL = 60  # frames from one attempt to load a book that can't be used to the next
_A_BREAK = 0.7  # seconds from one life in a pen to the next
_GLOW = 2.5  # seconds that what has changed is shown in another color
_ARROWS = {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0)}
_ARROWS |= {pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1)}
_KEYS = ("arrows, click", "choose"), ("space", "spawn at the mouse"), ("esc", "quit")


class Gallery:
    """Shows the prefabs of a book, one alive in a pen each, and what their files say of them.

    Bodies can't leave their pens. What else leaves is despawned, and an empty pen gets a new life.

    Args:
        book: The prefabs. What their system has alive is ended.
    """

    def __init__(self, book: PrefabFile) -> None:
        self.chosen: str = next(iter(book), "")
        self.faults: tuple[str, ...] = ()  # of the files, since they were written last
        self.running: bool = True
        self._book, self._system = book, book._system
        self._system.reset()
        self._living = PooledGroup(layers=True)
        self._lights = PooledGroup(layers=True)  # drawn by adding them to what is below
        self._unwatch = self._system.on_spawn(self._enter)
        self._raised: dict[str, str] = {}  # by hooks; by prefab, or by what was under way
        self._pens: dict[str, pygame.Rect] = {}  # of the prefabs in view
        self._columns = 1
        self._fitted_to: object = None  # which prefabs, and what size of the window
        self._walls: dict[PhysicsWorld, list[pymunk.Shape]] = {}
        self._changed: dict[tuple[str, str], float] = {}  # when a key of a prefab did
        self._values = self._read()
        self._now = self._looked = 0.0
        self._due: dict[str, float] = {}  # when a pen may have its next life
        self._canvas = pygame.Surface((1, 1))

    def close(self) -> None:
        """End all lives, and take the walls down."""
        self._unwatch()
        self._build_walls({})
        self._system.reset()

    # -- what the player does -----------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> None:
        """Take one of pygame's events."""
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self.chosen = self._name_at(event.pos) or self.chosen
        elif event.type == pygame.KEYDOWN:
            self._take_key(event.key)

    def _take_key(self, key: int) -> None:
        names = list(self._book)
        if key == pygame.K_ESCAPE:
            self.running = False
        elif key == pygame.K_SPACE and self.chosen:
            self._spawn(self.chosen, pygame.mouse.get_pos())
        elif key in _ARROWS and names:
            across, down = _ARROWS[key]
            here = names.index(self.chosen) + across + down * self._columns
            self.chosen = names[here] if 0 <= here < len(names) else self.chosen

    def _name_at(self, place: tuple[int, int]) -> str | None:
        whole = {name: self._cell(pen) for name, pen in self._pens.items()}
        return next((name for name, cell in whole.items() if cell.collidepoint(place)), None)

    # -- what goes on -------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: look at the files, and let all that lives go on."""
        self._now += dt
        if self._now - self._looked >= _A_LOOK:
            self._looked = self._now
            self._reload()
        self._try("update", self._system.update, dt)
        for group in self._living, self._lights:
            self._try("update", group.update, dt)
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
            active = self._system.pool(self._book[name]).active
            is_there = any(pen.collidepoint(_center_of(instance, pen)) for instance in active)
            if not is_there and self._due.get(name, 0.0) <= self._now:
                self._due[name] = self._now + _A_BREAK
                self._spawn(name, pen.center)

    def _reload(self) -> None:
        """Take what was saved, and note what has changed by it."""
        stamps = self._book._stamps
        try:
            self._book.reload(respawn=True)
        except ContentError as error:
            self.faults = error.faults
            return
        except Exception as error:  # of hooks: the files were taken
            self._raised = {"reload": _in_words(error)}
        else:
            if self._book._stamps is stamps:
                return
            self._raised = {}
        self.faults, old, self._values = (), self._values, self._read()
        for name, said in self._values.items():
            before = old.get(name, {})
            keys = [key for key in said if before.get(key) != said[key]]
            self._changed |= {(name, key): self._now for key in keys}
        self._pens = {name: pen for name, pen in self._pens.items() if name in self._book}
        if self.chosen not in self._book:
            self.chosen = next(iter(self._book), "")

    def _read(self) -> dict[str, dict[str, str]]:
        """Return what the files say of each prefab, in words, by path."""
        recipes = self._book._recipes.items()
        return {name: dict(_flat(recipe.table)) for name, recipe in recipes}

    def _enter(self, instance: Any) -> None:
        if isinstance(instance, pygame.sprite.Sprite):
            instance.add(self._lights if _is_light(instance.image) else self._living)

    def _spawn(self, name: str, place: tuple[int, int]) -> None:
        if self._try(name, self._system.try_spawn, self._book[name], place):
            self._raised.pop(name, None)

    def _sweep(self) -> None:
        """Despawn what has left the pens, but for parts of what has not."""
        pens = list(self._pens.values())
        for sprite in (*self._living, *self._lights):
            rect = getattr(sprite, "rect", None)
            is_child = getattr(sprite, "parent", None) is not None
            if rect and not is_child and pygame.Rect(rect.center, (1, 1)).collidelist(pens) < 0:
                self._try("update", self._system.despawn, sprite)

    def _try(self, what: str, call: Any, *arguments: Any, **options: Any) -> Any:
        """Call what may run hooks; what they raise is shown."""
        try:
            return call(*arguments, **options)
        except Exception as error:
            self._raised[what] = _in_words(error)

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
                    for one, other in zip(ends, [*ends[1:], ends[0]], strict=True):
                        walls.append(wall := pymunk.Segment(ground, one, other, _WALL))
                        wall.friction = 0.8
                world.space.add(*walls)

    # -- the picture --------------------------------------------------------------------------

    def draw(self, screen: pygame.Surface) -> None:
        """Draw all of it on a screen."""
        self._fit(screen)
        canvas = self._canvas
        canvas.fill(GROUND)
        for name, pen in self._pens.items():
            self._draw_cell(name, _shrunk(pen))
        self._draw_panel(pygame.Rect(canvas.width - _PANEL, 0, _PANEL, canvas.height))
        self._draw_keys()
        picture = pygame.transform.scale_by(canvas, _SCALE)
        screen.blit(picture, (0, 0))
        for pen in self._pens.values():  # what is larger than its pen is cut off
            screen.set_clip(pen.inflate(-2 * _SCALE, -2 * _SCALE))
            self._try("draw", self._living.draw, screen)
            self._try("draw", self._lights.draw, screen, special_flags=pygame.BLEND_RGB_ADD)
        screen.set_clip(None)
        self._draw_banner(screen)

    def _fit(self, screen: pygame.Surface) -> None:
        """Choose the pens: those of the page that the chosen prefab is on."""
        names = list(self._book)
        size = max(screen.width // _SCALE, _SMALLEST[0]), max(screen.height // _SCALE, _SMALLEST[1])
        if self._canvas.size != size:
            self._canvas = pygame.Surface(size)
        width, height = size[0] - _PANEL - _PAD, size[1] - 2 * _PAD - _LINE
        most = max(1, width // _LEAST[0]), max(1, height // _LEAST[1])
        columns = min(most[0], max(1, round((len(names) * width / height * 0.8) ** 0.5)))
        rows = min(most[1], max(1, -(-len(names) // columns)))
        page = names.index(self.chosen) // (columns * rows) if self.chosen else 0
        shown = names[page * columns * rows :][: columns * rows]
        if self._fitted_to == (shown, size):
            return
        self._columns, self._fitted_to = columns, (shown, size)
        wide, high = width // columns, height // rows
        self._pens = {}
        for number, name in enumerate(shown):
            row, column = divmod(number, columns)
            pen = pygame.Rect(_PAD + column * wide, _PAD + row * high, wide - _PAD, high - _PAD)
            pen.height -= _CAPTION
            self._pens[name] = pygame.Rect(*(side * _SCALE for side in pen))
        self._build_walls({})
        self._try("update", self._system.despawn_all)
        self._due.clear()

    def _cell(self, pen: pygame.Rect) -> pygame.Rect:
        return pygame.Rect(pen.left, pen.top, pen.width, pen.height + _CAPTION * _SCALE)

    def _is_new(self, name: str, key: str) -> bool:
        return self._now - self._changed.get((name, key), -_GLOW) < _GLOW

    def _draw_cell(self, name: str, pen: pygame.Rect) -> None:
        canvas, count = self._canvas, self._system.pool(self._book[name]).active_count
        is_new = any(self._is_new(name, key) for key in self._values[name])
        cell = pen.inflate(0, _CAPTION)
        cell.top = pen.top
        canvas.fill(_FLOOR, cell)
        canvas.fill(GROUND, pen.inflate(-2, -2))
        edge = ACTIVE if name == self.chosen else LATE if is_new else EDGE
        pygame.draw.rect(canvas, edge, cell, 1)
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

    def _draw_panel(self, area: pygame.Rect) -> None:
        """Draw what the files say of the chosen prefab, and what its pool has."""
        canvas, left, right = self._canvas, area.left + _PAD, area.right - _PAD - 2
        pygame.draw.rect(canvas, EDGE, area.inflate(-2, -2 * _PAD).move(-1, 0), 1)
        left, y, last = left + 2, area.top + _PAD + 6, area.bottom - 3 * _LINE
        if not self.chosen:
            draw_text(canvas, "no prefabs in the files", (left, y), DIM)
            return
        stats = self._system.pool(self._book[self.chosen]).stats
        draw_text(canvas, fitted(self.chosen, right - left), (left, y), BRIGHT)
        counts = f"{stats.active} alive, {stats.inactive} inactive, {stats.created} created"
        draw_text(canvas, counts, (left, y + _LINE), DIM)
        y, before = y + 2 * _LINE + 5, ""
        for key, value in self._values[self.chosen].items():
            head, _, short = key.partition(".")
            if short and head != before:
                draw_text(canvas, head, (left, y + 2), QUIET)
                y += _LINE + 2
            if y > last:
                break
            before, indent = head, 8 * bool(short)
            name = fitted(short or head, (right - left) * 2 // 3)
            colors = (LATE, LATE) if self._is_new(self.chosen, key) else (DIM, BRIGHT)
            start = left + indent + draw_text(canvas, name, (left + indent, y), colors[0]) + 6
            draw_text(canvas, fitted(value, max(0, right - start)), (right, y), colors[1], align=1)
            y += _LINE

    def _draw_keys(self) -> None:
        canvas = self._canvas
        x, y = _PAD, canvas.height - _LINE + 1
        for name, meaning in _KEYS:
            x += draw_text(canvas, name, (x, y), BRIGHT) + 4
            x += draw_text(canvas, meaning, (x, y), DIM) + 10

    def _draw_banner(self, screen: pygame.Surface) -> None:
        """Draw what is wrong with the files, and what hooks raised, over the foot of the screen."""
        words = [*self.faults]
        words += [
            f"{what}: {said}" for what, said in self._raised.items() if what not in self._pens
        ]
        head = "these files can't be used; what they said before is in force:"
        _draw_words(screen, head if self.faults else "", words)


def show(load: Callable[[], PrefabFile], frames: int | None = None) -> None:
    """Show a book in a window, until the player leaves it, or for so many frames.

    Args:
        load: Returns the book; called when the window is open, so that it can convert pictures. If
            its files can't be used, the window says so and calls it again until they can.
        frames: How many; default: no end.

    Raises:
        ContentError: After so many frames the files still can't be used.
    """
    pygame.display.init()
    screen = pygame.display.set_mode(SIZE, pygame.RESIZABLE)
    pygame.display.set_caption("poolkit: prefabs")
    book = _wait_for(load, screen, frames)
    if book is None:
        pygame.display.quit()
        return
    gallery = Gallery(book)
    screen = pygame.display.set_mode(SIZE, pygame.RESIZABLE)  # the game may have opened another
    pygame.display.set_caption("poolkit: prefabs")
    clock, before = pygame.Clock(), time.perf_counter()
    try:
        while gallery.running and frames != 0:
            for event in pygame.event.get():
                gallery.handle_event(event)
            gallery.draw(screen)
            pygame.display.flip()
            clock.tick(60)
            now = time.perf_counter()
            gallery.update(min(now - before, 0.1))
            before, frames = now, None if frames is None else frames - 1
    finally:
        gallery.close()
        pygame.display.quit()


def _wait_for(
    load: Callable[[], PrefabFile], screen: pygame.Surface, frames: int | None
) -> PrefabFile | None:
    """Return the book, as soon as its files can be used; `None` if the player leaves before."""
    clock = pygame.Clock()
    for frame in itertools.count():
        if frame % _A_TRIAL == 0 or frame == frames:
            try:
                return load()
            except ContentError as error:
                if frame == frames:
                    pygame.display.quit()
                    raise
                faults = error.faults
        for event in pygame.event.get():
            is_escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
            if is_escape or event.type == pygame.QUIT:
                return None
        screen.fill(GROUND)
        _draw_words(screen, "these files can't be used; save them mended, and they are", faults)
        pygame.display.flip()
        clock.tick(60)
    return None


def _draw_words(screen: pygame.Surface, head: str, words: Sequence[str]) -> None:
    """Draw a banner with all words over the foot of the screen, if there are any."""
    if not words:
        return
    width = max(screen.width // _SCALE, _SMALLEST[0]) - 4 * _PAD
    lines = [line for text in words for line in _wrapped(text, width)]
    most = max(1, screen.height // _SCALE // _LINE - 5)
    if len(lines) > most:
        lines[most - 1 :] = [f"... and {len(lines) - most + 1} lines more"]
    lines = [head, *lines] if head else lines
    banner = pygame.Surface((width + 2 * _PAD, len(lines) * _LINE + 2 * _PAD))
    banner.fill(_BANNER)
    pygame.draw.rect(banner, REFUSED, banner.get_rect(), 1)
    for number, line in enumerate(lines):
        color = DIM if head and not number else BRIGHT
        draw_text(banner, line, (_PAD, _PAD + 2 + number * _LINE), color)
    banner = pygame.transform.scale_by(banner, _SCALE)
    screen.blit(banner, banner.get_rect(midbottom=(screen.width // 2, screen.height)))


def _is_light(image: Any) -> bool:
    """Tell whether an image is one to add to what is below: opaque, with black corners."""
    if not isinstance(image, pygame.Surface) or not all(image.size):
        return False
    if image.get_flags() & (pygame.SRCALPHA | pygame.SRCCOLORKEY):
        return False
    right, bottom = image.width - 1, image.height - 1
    corners = (0, 0), (right, 0), (0, bottom), (right, bottom)
    return all(image.get_at(corner)[:3] == (0, 0, 0) for corner in corners)


def _center_of(instance: Any, pen: pygame.Rect) -> tuple[float, float]:
    rect = getattr(instance, "rect", None)
    return rect.center if rect else pen.center


def _shrunk(area: pygame.Rect) -> pygame.Rect:
    return pygame.Rect(*(side // _SCALE for side in area))


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values of a table in words, each with its path; plain ones before tables."""
    for key, value in sorted(table.items(), key=lambda item: isinstance(item[1], dict)):
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{key}.")
        else:
            several = isinstance(value, list)
            yield above + key, ", ".join(map(str, value)) if several else str(value)


def _in_words(error: BaseException) -> str:
    """Return an exception in a line; of a group, the first that it holds."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


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
