"""Sees every pause of Python's garbage collector, and how long it was."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class CollectorPause(NamedTuple):
    """One collection."""

    generation: int  # which was collected: 0 (quick), 1, or 2 (everything)
    seconds: float  # for which the game stood still


class CollectorProbe:
    """Notes the pauses of the garbage collector; a context manager."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began: float | None = None
        self._pauses: list[CollectorPause] = []

    def __enter__(self) -> Self:
        gc.callbacks.append(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        gc.callbacks.remove(self._watch)

    def take(self) -> tuple[CollectorPause, ...]:
        """Return the pauses since the last call: once a frame, those of that frame."""
        pauses = tuple(self._pauses)
        self._pauses.clear()
        return pauses

    def _watch(self, phase: Literal["start", "stop"], info: dict[str, int]) -> None:
        if phase == "start":
            self._began = self._clock()
        elif self._began is not None:
            self._pauses.append(CollectorPause(info["generation"], self._clock() - self._began))
            self._began = None
