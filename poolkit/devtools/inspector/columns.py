"""The columns of figures, and what the rows can be sorted by."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.devtools.inspector.palette import DIM, LATE, RECYCLED, REFUSED
from poolkit.devtools.inspector.pixel_font import text_width

if TYPE_CHECKING:
    from poolkit.devtools.inspector.palette import Color

__all__ = ["COLUMNS", "SORTS", "Column", "columns_in"]


class Column(NamedTuple):
    """One figure of every row."""

    key: str  # the attribute of a `Reading`
    color: Color  # of a figure that is not 0
    is_event: bool = False  # whether it counts what had better not happen

    def words(self, value: Any) -> str:
        """Write a figure."""
        if self.key == "idle":
            return f"{value:.0%}"
        return _short(value) if value or not self.is_event else _NONE


_NONE = "\N{MIDDLE DOT}"  # so that what did happen stands out


def _short(count: int) -> str:
    """Write a count in four letters, at the most."""
    for least, size, unit in ((1_000_000, 1_000_000, "M"), (10_000, 1000, "k")):
        if count >= least:
            return f"{count // size}{unit}"
    return str(count)


COLUMNS = (
    Column("inactive", DIM),
    Column("peak", DIM),
    Column("late", LATE, is_event=True),
    Column("recycled", RECYCLED, is_event=True),
    Column("refused", REFUSED, is_event=True),
    Column("idle", DIM),
)

SORTS = ("first use", "name", "active", *(column.key for column in COLUMNS))
"""What sorts the rows, in the order in which the key goes through them."""


@functools.lru_cache(maxsize=64)
def columns_in(width: int) -> tuple[tuple[Column, int], ...]:
    """Return the columns that `width` pixels have room for, each with its right end."""
    stretched = max(width, _WIDTH)
    ends = [(column, _ENDS[column.key] * stretched // _WIDTH) for column in COLUMNS]
    return tuple((column, end) for column, end in ends if end <= width)


_WIDTHS = [text_width(column.key) for column in COLUMNS]
_WIDTH = 188  # pixels: what the gaps are chosen for
_GAP = (_WIDTH - sum(_WIDTHS)) / (len(COLUMNS) - 1)
_ENDS = {
    column.key: round(sum(_WIDTHS[: number + 1]) + number * _GAP)
    for number, column in enumerate(COLUMNS)
}
