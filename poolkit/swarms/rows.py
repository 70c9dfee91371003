"""Arrays that hold the rows of a swarm, and a window that slides over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from poolkit.swarms.columns import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkit.swarms.columns import Array, Column


SavedRows = tuple[int, int, dict[str, "Array"]]
"""The first and the end of rows, and a copy of each column."""


class Rows:
    """Keeps the rows from `first` to `end` in use, in the order of their births.

    New rows are added at the end, where every row holds the defaults already. If only the oldest
    rows go, as they mostly do, the window slides past them and nothing moves. When it reaches the
    end of the arrays, it moves back to their beginning. A pair is two lines, so that one coordinate
    of all rows is contiguous.

    Attributes:
        alive: Whether each row's life lasts.
        birth_numbers: The number of each row's life, in the order of births: they ascend.
        lines: The arrays of each column as lines: one, or two if it holds pairs.
        masks, floats, pairs: Scratch arrays of the same length.
    """

    def __init__(self, columns: Mapping[str, Column], room: int) -> None:
        self.columns = columns
        self.first: int = 0
        self.end: int = 0
        self.capacity: int = 0
        self._arrays: dict[str, Array] = {}
        self._views: dict[str, Array] = {}
        self._viewed_to = 0
        self._windows: Sequence[Array] = ()
        self._windowed = -1, -1  # the first and the end of these
        self._allocate(room)

    @property
    def count(self) -> int:
        """How many rows are in use."""
        return self.end - self.first

    def view(self, name: str) -> Array:
        """Return a column's rows in use, to read and to write."""
        if self._viewed_to != self.end:
            self._views.clear()
            self._viewed_to = self.end
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = self._arrays[name].T[self.first : self.end]
        return view

    def windows(self) -> Sequence[Array]:
        """Return the two lines of positions in use, and two scratch masks of that length."""
        windows = self._windows
        if self._windowed != (self.first, self.end):
            self._windowed = self.first, self.end
            windows = self._windows = [*map(self.window, (*self.lines["position"], *self.masks))]
        return windows

    def window(self, line: Array) -> Array:
        """Return the rows in use of a line, or of any array of that length."""
        return line[self.first : self.end]

    def reserve(self, capacity: int) -> None:
        """Make room for `capacity` rows in all."""
        if capacity > self.capacity:
            self._allocate(capacity)

    def append(self, values: Mapping[str, Array], count: int, number: int) -> bool:
        """Add `count` rows, whose lives have birth numbers from `number` on.

        Returns:
            Whether the arrays had to grow.
        """
        has_grown = False
        if self.end + count > self.capacity:
            # The values may be views of rows that are about to move.
            values = {name: array.copy() for name, array in values.items()}
            has_grown = self._make_room(count)
        start, end = self.end, self.end + count
        for name, array in values.items():
            self._arrays[name].T[start:end] = array
        self.birth_numbers[start:end] = np.arange(number, number + count)
        self.end = end
        return has_grown

    def _allocate(self, capacity: int) -> None:
        """Take new arrays, and move the rows in use to their beginning."""
        count, former = self.count, self._arrays
        types = {name: column.type for name, column in self.columns.items()}
        shapes = {name: ((*type_.shape, capacity), type_.dtype) for name, type_ in types.items()}
        # The swarm's own columns; those of games never begin with an underscore. The living are
        # last, as `compact` reads them until everything else has moved.
        shapes |= {"_number": ((capacity,), np.int64), "_alive": ((capacity,), np.bool_)}
        self._arrays = {name: np.zeros(*shape) for name, shape in shapes.items()}
        for name, array in former.items():
            self._arrays[name][..., :count] = array[..., self.first : self.end]
        self.first, self.end, self.capacity = 0, count, capacity
        self.alive: Array = self._arrays["_alive"]
        self.birth_numbers: Array = self._arrays["_number"]
        self.birth_view: memoryview[int] = self.birth_numbers.data
        self.masks: Array = np.empty((2, capacity), np.bool_)
        self.floats: Array = np.empty(capacity, np.float32)
        self.pairs: Array = np.empty((capacity, 2), np.float32)
        self.lines: dict[str, tuple[Any, ...]] = {
            name: tuple(np.atleast_2d(self._arrays[name])) for name in self.columns
        }
        self._views.clear()
        self._windowed = -1, -1
        self.fill_defaults(count, capacity)

    def fill_defaults(self, start: int, stop: int) -> None:
        """Fill rows that aren't in use with the defaults of a living row."""
        self.alive[start:stop] = True
        for name, column in self.columns.items():
            if column.default is not REQUIRED:
                self._arrays[name].T[start:stop] = column.default

    def save(self) -> SavedRows:
        """Return a copy of the rows in use, for a checkpoint."""
        used = slice(self.first, self.end)
        copies = {name: array[..., used].copy() for name, array in self._arrays.items()}
        return self.first, self.end, copies

    def restore(self, saved: SavedRows) -> None:
        """Put the rows back that were in use."""
        end_now = self.end
        self.first, self.end, copies = saved
        for name, copy in copies.items():  # there is room: arrays never shrink
            self._arrays[name][..., self.first : self.end] = copy
        self._views.clear()
        self._windowed = -1, -1
        if end_now > self.end:
            self.fill_defaults(self.end, end_now)

    def _make_room(self, count: int) -> bool:
        """Make room for `count` more rows at the end; return whether the arrays had to grow."""
        used, end = self.count, self.end
        if 2 * used + count > self.capacity:  # else they would soon be full again
            self._allocate(max(2 * self.capacity, 2 * (used + count)))
            return True
        for array in self._arrays.values():
            array[..., :used] = array[..., self.first : end]
        self.first, self.end = 0, used
        self._views.clear()
        self.fill_defaults(used, end)
        return False

    def compact(self, keep: Array, num_kept: int) -> None:
        """Keep the `num_kept` rows of a mask, and close the gaps between them."""
        lead = int(keep.argmax()) if num_kept else len(keep)
        self.first += lead
        self._views.clear()
        if self.count == num_kept:  # only the oldest go, so nothing moves
            return
        gap = lead + int(keep[lead:].argmin())
        start, end = self.first + gap - lead, self.end
        self.end = self.first + num_kept
        for array in self._arrays.values():
            for line in np.atleast_2d(array):
                line[start : self.end] = line[start:end][keep[gap:]]
        self.fill_defaults(self.end, end)
