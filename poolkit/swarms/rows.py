"""Where the rows of a swarm are: arrays side by side, and a window that slides over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poolkit.swarms.columns import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poolkit.swarms.columns import Array, Column


class Rows:
    """The rows in use are those from `first` to `end`, in the order of their births.

    New rows come at the end, where every row holds the defaults already. Where the oldest are over,
    which is most often so, the window slides past them and nothing moves; it starts over at the
    beginning once it has come to the end. A pair is kept as two lines, so that a coordinate of all
    rows is one piece of memory.

    Attributes:
        alive: Of each row, whether its life lasts.
        numbers: Of each row, the number of its life; they rise.
        lines: By column, its array as lines: one, or the two of pairs.
        masks, floats, pairs: As long: scratch, for all that is worked out at once.
    """

    def __init__(self, columns: Mapping[str, Column], room: int) -> None:
        self.columns = columns
        self.first = self.end = self.capacity = 0
        self._arrays: dict[str, Array] = {}
        self._views: dict[str, Array] = {}
        self._viewed_to = 0
        self._places: Sequence[Array] = ()
        self._placed_at = -1, -1
        self._allocate(room)

    @property
    def count(self) -> int:
        """How many rows are in use."""
        return self.end - self.first

    def view(self, name: str) -> Array:
        """Return the rows in use of a column, to read and to write."""
        if self._viewed_to != self.end:
            self._views.clear()
            self._viewed_to = self.end
        found = self._views.get(name)
        if found is None:
            found = self._views[name] = self._arrays[name].T[self.first : self.end]
        return found

    def places(self) -> Sequence[Array]:
        """Return the two lines of positions in use, and two masks as long: scratch."""
        found = self._places
        if self._placed_at != (self.first, self.end):
            self._placed_at = self.first, self.end
            found = self._places = [*map(self.window, (*self.lines["position"], *self.masks))]
        return found

    def window(self, line: Array) -> Array:
        """Return the rows in use of a line, or of an array as long."""
        return line[self.first : self.end]

    def reserve(self, capacity: int) -> None:
        """Have room for so many rows in all."""
        if capacity > self.capacity:
            self._allocate(capacity)

    def append(self, values: Mapping[str, Array], count: int, number: int) -> None:
        """Begin `count` rows, for which there is room, with these values, numbered from one on."""
        start, end = self.end, self.end + count
        for name, given in values.items():
            self._arrays[name].T[start:end] = given
        self.numbers[start:end] = np.arange(number, number + count)
        self.end = end

    def _allocate(self, capacity: int) -> None:
        """Have room for so many rows; those in use stand first."""
        count, former = self.count, self._arrays
        kinds = {name: each.kind for name, each in self.columns.items()}
        shapes = {name: ((*kind.shape, capacity), kind.dtype) for name, kind in kinds.items()}
        # Columns of the swarm's own: no game's begins with an underscore. `close_up` needs the
        # living until all else has moved.
        shapes |= {"_number": ((capacity,), np.int64), "_alive": ((capacity,), np.bool_)}
        self._arrays = {name: np.zeros(*shape) for name, shape in shapes.items()}
        for name, array in former.items():
            self._arrays[name][..., :count] = array[..., self.first : self.end]
        self.first, self.end, self.capacity = 0, count, capacity
        self.alive, self.numbers = self._arrays["_alive"], self._arrays["_number"]
        self.numbers_view = self.numbers.data
        self.masks = np.empty((2, capacity), np.bool_)
        self.floats = np.empty(capacity, np.float32)
        self.pairs = np.empty((capacity, 2), np.float32)
        self.lines = {name: tuple(np.atleast_2d(self._arrays[name])) for name in self.columns}
        self._views.clear()
        self._placed_at = -1, -1
        self.blank(count, capacity)

    def blank(self, start: int, stop: int) -> None:
        """Let rows that are not in use hold the defaults, of a life that lasts."""
        self.alive[start:stop] = True
        for name, column in self.columns.items():
            if column.default is not REQUIRED:
                self._arrays[name].T[start:stop] = column.default

    def make_room(self, count: int) -> bool:
        """Have room for so many more rows at the end; return whether the arrays had to grow."""
        if self.end + count <= self.capacity:
            return False
        used, end = self.count, self.end
        if 2 * used + count > self.capacity:  # so that it is not full again at once
            self._allocate(max(2 * self.capacity, 2 * (used + count)))
            return True
        for array in self._arrays.values():
            array[..., :used] = array[..., self.first : end]
        self.first, self.end = 0, used
        self._views.clear()
        self.blank(used, end)
        return False

    def close_up(self, keep: Array, kept: int) -> None:
        """Keep the rows of a mask, which are `kept`: those behind one that goes close up."""
        lead = int(keep.argmax()) if kept else len(keep)
        self.first += lead
        self._views.clear()
        if self.count == kept:  # only the oldest go: nothing moves
            return
        gap = lead + int(keep[lead:].argmin())
        start, end = self.first + gap - lead, self.end
        self.end = self.first + kept
        for array in self._arrays.values():
            for line in np.atleast_2d(array):
                line[start : self.end] = line[start:end][keep[gap:]]
        self.blank(self.end, end)
