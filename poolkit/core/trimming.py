"""How many of a pool's instances at rest were not needed for a while."""

from __future__ import annotations

from collections import deque

__all__ = ["LowWater"]


class LowWater:
    """The low-water mark of a pool's inactive queue over a sliding window of time."""

    __slots__ = ("_marks",)

    def __init__(self, now: float) -> None:
        """Begin at second `now`, as if nothing had been at rest until then."""
        # Times and levels, both rising: a mark that a later one undercuts says nothing any more.
        self._marks: deque[tuple[float, int]] = deque([(now, 0)])

    def note(self, time: float, level: int) -> None:
        """Note that `level` instances were at rest at second `time`."""
        marks = self._marks
        while marks and marks[-1][1] >= level:
            marks.pop()
        marks.append((time, level))

    def lower(self, by: int) -> None:
        """Note that `by` instances at rest were destroyed: all the while there were fewer."""
        self._marks = deque((time, max(0, level - by)) for time, level in self._marks)

    def since(self, time: float) -> int:
        """Return the fewest that were at rest after second `time`; forget what was before."""
        marks = self._marks
        while marks and marks[0][0] <= time:
            marks.popleft()
        return marks[0][1] if marks else 0
