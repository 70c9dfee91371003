"""Which pools are listed, in what order, and which of them are in view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.devtools.inspector.columns import SORTS
from poolkit.devtools.inspector.pool_row import PoolRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.core.pool import PrefabPool
    from poolkit.core.system import PoolingSystem

__all__ = ["Listing"]

_ROUND = 12  # frames in which all rows are read once, if there are few enough
_MOST_A_FRAME = 16  # rows


class Listing:
    """The rows of all pools: filtered, sorted, scrolled.

    Attributes:
        sort: What sorts them, one of `SORTS`.
        reverse: Whether in the order that is not the usual one: figures from the largest down.
        needle: What a name must contain to be listed.
        rows: Those that are listed, in order.
        first: How many of them are above those in view.
        room: How many fit into the view.
    """

    __slots__ = (
        "_all",
        "_pools",
        "_systems",
        "_turn",
        "first",
        "needle",
        "reverse",
        "room",
        "rows",
        "sort",
    )

    def __init__(self, systems: Sequence[PoolingSystem]) -> None:
        """List the pools of `systems`."""
        self._systems = systems
        self._pools: tuple[PrefabPool[Any], ...] = ()
        self._all: dict[PrefabPool[Any], PoolRow] = {}
        self._turn = 0
        self.sort = SORTS[0]
        self.reverse = False
        self.needle = ""
        self.rows: list[PoolRow] = []
        self.first = 0
        self.room = 1

    @property
    def all_rows(self) -> Sequence[PoolRow]:
        """The rows of all pools, whether listed or not."""
        return tuple(self._all.values())

    @property
    def in_view(self) -> Sequence[PoolRow]:
        """The rows to be drawn."""
        return self.rows[self.first : self.first + self.room]

    def follow(self) -> None:
        """Notice pools that came or went; sort and filter by the figures as they are now."""
        pools = tuple(pool for system in self._systems for pool in system.all_pools())
        if pools != self._pools:
            known, self._pools = self._all, pools
            self._all = {pool: known.get(pool) or self._row(pool) for pool in pools}
        self.arrange()

    def refresh(self, frame: int) -> None:
        """Read the figures of some rows: each in its turn, so that no frame has to read all."""
        rows = self.all_rows
        for _ in range(min(_MOST_A_FRAME, 1 + len(rows) // _ROUND) if rows else 0):
            self._turn = (self._turn + 1) % len(rows)
            rows[self._turn].refresh(frame)

    def begin_scene(self) -> None:
        """Let no row flash for what happened before."""
        for row in self.all_rows:
            row.begin_scene()

    def arrange(self) -> None:
        """Filter and sort the rows, and keep the view on them."""
        needle = self.needle.casefold()
        rows = list(self._all.values())
        if needle:
            rows = [row for row in rows if needle in row.name.casefold()]
        if self.sort == "name":
            rows.sort(key=lambda row: row.name.casefold(), reverse=self.reverse)
        elif self.sort != SORTS[0]:
            rows.sort(key=lambda row: getattr(row.reading, self.sort), reverse=not self.reverse)
        elif self.reverse:
            rows.reverse()
        self.rows = rows
        self.scroll(0)

    def sort_by(self, sort: str) -> None:
        """Sort by `sort`; the other way round if they are sorted by that already."""
        self.reverse = sort == self.sort and not self.reverse
        self.sort = sort
        self.arrange()

    def sort_by_next(self, step: int) -> None:
        """Sort by what comes next in `SORTS`, or before."""
        self.sort = SORTS[(SORTS.index(self.sort) + step) % len(SORTS)]
        self.reverse = False
        self.arrange()

    def filter_by(self, needle: str) -> None:
        """List pools only whose names contain `needle`, in capitals or not."""
        self.needle = needle
        self.first = 0
        self.arrange()

    def scroll(self, rows: int) -> None:
        """Move the view down by so many rows, or up; never beyond either end."""
        last = max(0, len(self.rows) - self.room)
        self.first = min(last, max(0, self.first + rows))

    def _row(self, pool: PrefabPool[Any]) -> PoolRow:
        if len(self._systems) == 1:
            return PoolRow(pool, pool.name)
        number = self._systems.index(pool.system) + 1
        return PoolRow(pool, f"{number}: {pool.name}")
