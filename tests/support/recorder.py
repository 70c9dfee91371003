"""Plain instances that note which of their hooks ran, and a check that counts are right."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poolkit import IPoolableComponent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkit import PoolingSystem


HOOKS = ("awake", "spawned", "despawned", "destroyed")


class Orc:
    """Something to pool that is told nothing."""


class Noted(IPoolableComponent):
    """Notes its hooks, with its name, in a log that it shares with others.

    What `acts` holds under a hook's name is called in it, with the component.
    """

    def __init__(
        self,
        log: list[str],
        name: str = "c",
        order: int = 0,
        acts: Mapping[str, Callable[[Any], object]] | None = None,
    ) -> None:
        self.log, self.name, self.execution_order = log, name, order
        self.acts: dict[str, Callable[..., object]] = dict(acts or {})

    def awake(self) -> None:
        self.note("awake")

    def spawned(self) -> None:
        self.note("spawned")

    def despawned(self) -> None:
        self.note("despawned")

    def destroyed(self) -> None:
        self.note("destroyed")

    def note(self, hook: str) -> None:
        self.log.append(f"{self.name}.{hook}")
        if hook in self.acts:
            self.acts[hook](self)


class Recorder(Noted):
    """Notes its hooks in a `log` of its own; what is in `acts` is called with nothing."""

    def __init__(self) -> None:
        super().__init__([])

    def note(self, hook: str) -> None:
        self.log.append(hook)
        if hook in self.acts:
            self.acts[hook]()


class Interrupt:
    """Presses Ctrl-C in poolkit, so many moments from now at which Python looks for signals.

    It does so where a function begins, and where one of C's has returned.
    """

    def __init__(self, moments: int) -> None:
        self.left = moments
        self.place = ""

    def __call__(self, frame: Any, event: str, _: object) -> None:
        if event in {"call", "c_return"} and "/poolkit/" in frame.f_code.co_filename:
            self.left -= 1
            if self.left == 0:
                self.place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
                raise KeyboardInterrupt

    def during(self, act: Callable[[], object]) -> bool:
        """Do something; return whether it was interrupted."""
        sys.setprofile(self)
        try:
            act()
        except KeyboardInterrupt:
            pass
        except BaseExceptionGroup as group:
            if group.subgroup((KeyboardInterrupt, Exception)) is None:
                raise
        finally:
            sys.setprofile(None)
        return self.left <= 0


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a function that raises `error`, whatever it is called with."""

    def act(*_: object) -> Any:
        raise error

    return act


def demand(truth: object, what: object = "") -> None:
    """Raise unless `truth`: an assert would be gone under `python -O`."""
    if not truth:
        raise AssertionError(what)


def assert_counts(system: PoolingSystem) -> None:
    """Check what must be true of every pool at every moment."""
    for pool in system.all_pools():
        stats, active = pool.stats, list(pool.active.items())
        demand(stats.created - stats.destroyed == stats.active + stats.inactive, stats)
        demand(stats.active == pool.active_count == len(pool.active) == len(active), stats)
        if pool._is_pooling:  # else the pool only counts as if it had made something
            demand(stats.inactive == pool.inactive_count, stats)
            demand(pool.capacity == stats.active + stats.inactive, stats)
        demand(0 <= stats.reused <= stats.spawned, stats)
        demand(0 <= stats.late <= stats.created, stats)
        demand(stats.active <= stats.peak_active, stats)
        for instance, data in active:
            demand(system.is_spawned(instance) and data.active and data.instance is instance, data)


def place(file: str, mark: str) -> str:
    """Return the place in a file that a comment marks, as a traceback names it."""
    path = Path(file)
    lines = path.read_text(encoding="utf-8").splitlines()
    [number] = [i for i, line in enumerate(lines, 1) if line.endswith(f"  # {mark}")]
    return f"{path.name}:{number}"


def notes_of(error: BaseException) -> str:
    """Return the notes of an exception as one text."""
    return "\n".join(getattr(error, "__notes__", ()))
