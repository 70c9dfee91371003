"""Shows above the arena where each monster is in its pool, and says what a pool does, once."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pygame

from arena.bestiary import KINDS
from arena.monster import Monster
from poolkit import Handle, pools
from shared.letters import draw_caption, outlined

ACTIVE, LATE, RESTING, ABSENT = (126, 210, 110), (255, 168, 62), (122, 134, 158), (54, 60, 76)
LEGEND = {"active": ACTIVE, "inactive": RESTING, "late": LATE, "not built yet": ABSENT}
CELL, LEFT, TOP, SPACE = 11, 14, 4, 236  # pixels
FRAME_MS = 1000 / 60
LINE_SECONDS, MARK_SECONDS, WORDS_SECONDS = 0.5, 1.0, 5.0
WORDS = {
    "late": "late: the pool was empty, so this one was built now",
    "reused": "reused: it rested in its pool, and comes out as good as new",
    "inactive": "inactive: it rests in its pool until its next life",
    "recycled": "recycled: the pool is at its limit, so the oldest made room",
    "reset": "reset: all lives have ended, and the pools are empty",
    "no pooling": "no pooling: each is built now, which takes a dragon most of a frame",
}
Key = tuple[str, int]  # the name of a prefab and the number of an instance


class Line(NamedTuple):
    """A line from a cell to a monster, or to where it died."""

    cell: Key
    monster: Handle[Monster] | None
    place: tuple[float, float]
    color: tuple[int, int, int]
    end: float


class Shelf:
    """A row of cells for each kind of monster: the instances of its pool, in order of birth."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[Line] = []
        self.words: dict[str, float] = {}  # what has been explained, and until when it's shown
        self.late: dict[Key, float] = {}  # the cells that are marked, and until when
        self.cells: dict[int, Key] = {}  # of monsters, by id
        self.spawn_ms = 0.0  # processor time that the last spawns of one key took
        self.before = {kind.name: pools.pool(kind).stats for kind in KINDS}
        self.stops = pools.on_spawn(self.began), pools.on_despawn(self.ended)

    def close(self) -> None:
        """Hear of no more lives."""
        for stop in self.stops:
            stop()

    def explain(self, what: str) -> None:
        """Show the words for what has happened, the first time that it does."""
        self.words.setdefault(what, self.now + WORDS_SECONDS)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure what spawns take."""
        began = time.thread_time()
        yield
        self.spawn_ms = 1000 * (time.thread_time() - began)

    def update(self, dt: float) -> None:
        """Let go of what was shown long enough."""
        self.now += dt
        self.lines = [line for line in self.lines if line.end > self.now]
        self.late = {cell: end for cell, end in self.late.items() if end > self.now}

    def began(self, monster: object) -> None:
        """Connect a monster with its cell; say where it came from."""
        if not (isinstance(monster, Monster) and monster.prefab):
            return
        pool = pools.pool(monster.prefab)
        stats, before = pool.stats, self.before[pool.name]
        self.before[pool.name] = stats
        cell = self.cells[id(monster)] = pool.name, pool.active[monster].number
        if stats.late > before.late:
            self.late[cell] = self.now + MARK_SECONDS
            self.explain("late")
        else:
            self.explain("reused")
        if stats.recycled > before.recycled:
            self.explain("recycled")
        self.connect(monster, ACTIVE, monster.handle())

    def ended(self, monster: object) -> None:
        """Connect the place where a monster died with its cell."""
        if isinstance(monster, Monster):
            self.explain("inactive")
            self.connect(monster, RESTING, None)

    def connect(
        self, monster: Monster, color: tuple[int, int, int], handle: Handle[Monster] | None
    ) -> None:
        """Draw a line from a monster to its cell for a while."""
        end = self.now + LINE_SECONDS
        self.lines.append(Line(self.cells[id(monster)], handle, monster.rect.center, color, end))

    def draw(self, surface: pygame.Surface, *, is_pooling: bool) -> None:
        """Draw the cells of all kinds with what is in them, the lines, the words, the legend."""
        cells: dict[Key, tuple[int, int]] = {}
        surface.fill((84, 84, 96), (0, 0, 960, TOP + 68), pygame.BLEND_RGB_MULT)
        for column, kind in enumerate(KINDS):
            left, pool = LEFT + column * SPACE, pools.pool(kind)
            alive = {record.number for record in pool.active.values()}
            numbers = sorted(alive | {record.number for record in pool.inactive})
            words = f"{kind.name}: {len(alive)} of {len(numbers)}"
            surface.blit(outlined(words, "#ecf0f6", 2), (left, TOP))
            for slot in range(max(len(numbers), pool.settings.limit or 0)):
                cell = pygame.Rect(left + slot * CELL, TOP + 26, CELL - 2, CELL - 2)
                key = (kind.name, numbers[slot]) if slot < len(numbers) else None
                color = ABSENT
                if key:
                    cells[key] = cell.center
                    is_alive = numbers[slot] in alive
                    color = LATE if key in self.late else ACTIVE if is_alive else RESTING
                surface.fill(color, cell)
        for line in self.lines:
            living = line.monster.get() if line.monster else None
            place = living.rect.center if living else line.place
            if line.cell in cells:
                pygame.draw.aaline(surface, line.color, cells[line.cell], place)
        x, y = LEFT, TOP + 42
        for name, color in LEGEND.items():
            surface.fill(color, (x, y + 8, 11, 11))
            image = outlined(name, "#ecf0f6", 2)
            surface.blit(image, (x + 15, y))
            x += 15 + image.width + 16
        if not is_pooling:
            words = f"pooling is off: {self.spawn_ms:.0f} of a frame's {FRAME_MS:.0f} ms to spawn"
            image = outlined(words, "#ff6058" if self.spawn_ms > FRAME_MS / 2 else "#ecf0f6", 2)
            surface.blit(image, (946 - image.width, y))
        shown = [WORDS[what] for what, end in self.words.items() if end > self.now]
        for number, words in enumerate(shown[-3:]):
            draw_caption(surface, words, "#ffe9a8", (480, TOP + 76 + 28 * number))
