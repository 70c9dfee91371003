"""Sees every pause of Python's garbage collector, and how long it was."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class CollectorPause:
    """One collection.

    Attributes:
        generation: Which generation was collected: 0 (quick), 1, or 2 (everything).
        seconds: How long the game stood still.
        collected: How many objects were found to be garbage.
    """

    generation: int
    seconds: float
    collected: int


class CollectorProbe:
    """Notes the pauses of the garbage collector; a context manager.

    Examples:
        >>> import gc
        >>> with CollectorProbe() as probe:
        ...     _ = gc.collect()
        ...     [pause] = probe.take()
        >>> pause.generation
        2
    """

    __slots__ = ("_began", "_clock", "_pauses")

    def __init__(self) -> None:
        self._clock: Callable[[], float] = time.perf_counter
        self._began: float | None = None
        self._pauses: list[CollectorPause] = []

    def start(self) -> Self:
        """Begin to watch; return itself."""
        if self._watch not in gc.callbacks:
            gc.callbacks.append(self._watch)
        return self

    def stop(self, *_: object) -> None:
        """Stop watching."""
        if self._watch in gc.callbacks:
            gc.callbacks.remove(self._watch)

    def take(self) -> tuple[CollectorPause, ...]:
        """Return the pauses since the last call: once a frame, those of that frame."""
        pauses = tuple(self._pauses)
        self._pauses.clear()
        return pauses

    __enter__, __exit__ = start, stop

    def _watch(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase == "start":
            self._began = self._clock()
        elif self._began is not None:
            seconds = self._clock() - self._began
            self._pauses.append(CollectorPause(info["generation"], seconds, info["collected"]))
            self._began = None
