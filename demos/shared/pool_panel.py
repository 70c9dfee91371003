"""The panel that shows pools: a row each, a cell an instance or a few, filled while alive."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygame

from poolkit import PoolStats, pools
from shared.pixel_font import draw_text, text_width

if TYPE_CHECKING:
    from poolkit import PoolablePrefabData, Prefab, PrefabPool

__all__ = ["PoolPanel", "Row", "draw_key"]

Color = tuple[int, int, int]

INK, BRIGHT, DIM, FAINT = (12, 14, 20), (236, 240, 246), (148, 160, 180), (58, 66, 84)
WARNING, QUIET = (250, 150, 90), (96, 106, 128)
MOST_CELLS = 40  # in a row; of larger pools, each cell stands for several instances
TALL, SMALL = 62, 44  # pixels: rows with figures below the cells, and without
FLASH = 14  # frames for which a cell that has just changed is lit up


@dataclass(frozen=True)
class Row:
    """How one pool is shown."""

    prefab: Prefab[Any]
    icon: pygame.Surface
    color: Color
    keys: tuple[str, str] | None = None  # what spawns one, what despawns one

    @property
    def is_crowd(self) -> bool:
        """Whether there may be too many for a cell each."""
        return (self.prefab.settings.limit or 0) > MOST_CELLS

    @property
    def height(self) -> int:
        """Pixels that it takes: room for figures below the cells, unless it is a small one."""
        return TALL if self.keys or self.is_crowd else SMALL


class Cells:
    """Which instance has which cell of a row: the same one for as long as it exists."""

    def __init__(self, count: int) -> None:
        """Begin with `count` empty cells."""
        self.records: list[PoolablePrefabData[Any] | None] = [None] * count
        self.were_active = [False] * count
        self.flashes = [0] * count

    def follow(self, records: list[PoolablePrefabData[Any]]) -> None:
        """Give newcomers the first free cells, and notice who came to life or ended it."""
        there = set(records)
        self.records = [record if record in there else None for record in self.records]
        newcomers = [record for record in records if record not in self.records]
        for cell, record in enumerate(self.records):
            if record is None and newcomers:
                self.records[cell] = newcomers.pop(0)
        for cell, record in enumerate(self.records):
            is_active = record is not None and record.active
            if is_active != self.were_active[cell]:
                self.were_active[cell] = is_active
                self.flashes[cell] = FLASH
            else:
                self.flashes[cell] = max(0, self.flashes[cell] - 1)


class PoolPanel:
    """Rows of pools, one below the other."""

    def __init__(self, rows: list[Row], place: pygame.Rect) -> None:
        """Show `rows` at `place`."""
        self.rows = rows
        self.place = place
        self.blocks_at_start = 0
        self.clear()

    def clear(self) -> None:
        """Forget all instances: for when the pools are reset."""
        self.began_with: dict[Prefab[Any], int] = {}
        single = [row for row in self.rows if not row.is_crowd]
        self.cells = {row: Cells(row.prefab.settings.limit or 32) for row in single}

    def begin_level(self) -> None:
        """Count what is new from now on."""
        self.began_with = {pool.prefab: pool.stats.created for pool in pools.all_pools()}
        self.blocks_at_start = sys.getallocatedblocks()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw all rows, and how much memory was taken since the level began."""
        # Looked up among all: pool(prefab) would be a first use, and prespawn.
        found = {pool.prefab: pool for pool in pools.all_pools()}
        y = self.place.top
        for row in self.rows:
            self.draw_row(surface, row, found.get(row.prefab), y)
            y += row.height
        blocks = sys.getallocatedblocks() - self.blocks_at_start
        width = draw_text(surface, "memory blocks", (self.place.left, y + 2), DIM)
        at = (self.place.left + width + 10, y + 2)
        draw_text(surface, f"{blocks:+,}", at, BRIGHT)

    def draw_row(
        self,
        surface: pygame.Surface,
        row: Row,
        pool: PrefabPool[Any] | None,
        y: int,
    ) -> None:
        """Draw one row with its top at `y`; without a pool, nothing has been spawned yet."""
        left, right = self.place.left, self.place.right
        stats = pool.stats if pool else PoolStats()
        surface.blit(row.icon, row.icon.get_rect(midtop=(left + 16, y)))
        x = left + 44
        width = draw_text(surface, row.prefab.name, (x, y + 2), row.color)
        if row.is_crowd:
            each = draw_crowd(surface, row, stats, pygame.Rect(x, y + 18, right - x, 12))
            if each > 1:
                draw_text(surface, f"{each} a cell", (x + width + 12, y + 2), QUIET)
        else:
            self.cells[row].follow(list(pool.records) if pool else [])
            self.draw_cells(surface, row, x, y + 18)
        new = stats.created - self.began_with.get(row.prefab, 0)
        news = f"{new} new", WARNING if new else QUIET
        if row.keys is None:
            draw_text(surface, news[0], (right, y + 2), news[1], align=1)
        if row.height == SMALL:
            return
        is_full = stats.active == row.prefab.settings.limit
        rest = "full" if is_full else f"{stats.inactive} inactive"
        counts = f"{stats.active} active  {rest}"
        draw_text(surface, counts, (x, y + 38), DIM)
        if row.keys:
            draw_text(surface, news[0], (right, y + 38), news[1], align=1)
            for key, at in zip(row.keys, (right - 40, right - 16), strict=True):
                draw_key(surface, key, (at, y - 2))

    def draw_cells(self, surface: pygame.Surface, row: Row, x: int, y: int) -> None:
        """Draw the cells of a row: filled, hollow, or a dot where there is no instance."""
        cells = self.cells[row]
        pitch = (self.place.right - x) // len(cells.records)
        width, height = pitch - 2, 12
        dark: Color = (row.color[0] // 2, row.color[1] // 2, row.color[2] // 2)
        for number, record in enumerate(cells.records):
            box = (x + number * pitch, y, width, height)
            if record is None:
                surface.fill(FAINT, (box[0] + width // 2 - 1, y + height // 2 - 1, 2, 2))
                continue
            is_lit = cells.flashes[number] % 6 > 2
            surface.fill(BRIGHT if is_lit else row.color if record.active else dark, box)
            if not record.active:
                surface.fill(INK, (box[0] + 2, y + 2, width - 4, height - 4))


def draw_crowd(surface: pygame.Surface, row: Row, stats: PoolStats, place: pygame.Rect) -> int:
    """Draw the cells of a large pool; return for how many instances each stands, to fit."""
    instances_a_cell = 1
    while stats.active + stats.inactive > instances_a_cell * MOST_CELLS:
        instances_a_cell *= 2
    pitch = place.width // MOST_CELLS
    active, inactive = stats.active / instances_a_cell, stats.inactive / instances_a_cell
    for number in range(math.ceil(active + inactive)):
        box = pygame.Rect(place.left + number * pitch, place.top, pitch - 1, place.height)
        surface.fill(row.color, box)
        if number >= active:
            surface.fill(INK, box.inflate(-2, -2))
    return instances_a_cell


def draw_key(surface: pygame.Surface, name: str, place: tuple[int, int]) -> int:
    """Draw the cap of a key with its name on it; return its width in pixels."""
    width = text_width(name) + 8
    surface.fill((30, 36, 50), (place[0], place[1], width, 18))
    surface.fill((96, 108, 132), (place[0], place[1], width, 15))
    surface.fill((222, 228, 238), (place[0] + 1, place[1] + 1, width - 2, 13))
    draw_text(surface, name, (place[0] + 4, place[1] + 3), (34, 38, 52))
    return width
