"""The errors poolkit raises, all under one base class, and what gathers those of others."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class PoolError(Exception):
    """Something was asked of a pool that it can't do now; the base of all errors here."""


class NotManagedError(PoolError):
    """The instance is not (or no longer) managed by this pooling system."""


class PoolExhaustedError(PoolError):
    """A pool is at its limit and its overflow policy refuses to go on."""

    @property
    def is_passed_on(self) -> bool:
        """Whether it came out of a hook or a factory, which spawned something else."""
        # These add a note to whatever passes through them.
        return bool(getattr(self, "__notes__", None))


class UseAfterDespawnError(PoolError):
    """An instance was used although its life is over."""


class PrefabError(PoolError):
    """A prefab, or what its factory made, can't be used."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the question whether the name most like it was meant; `otherwise`: none is alike."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise


class ErrorCollector:
    """Gathers what several calls raise, so that each is made; then raises all of it."""

    __slots__ = ("errors",)

    def __init__(self, *errors: BaseException) -> None:
        self.errors: list[BaseException] = list(errors)

    def __bool__(self) -> bool:
        return bool(self.errors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> Literal[True]:
        if error is not None:
            self.errors.append(error)
        return True

    def call(self, fn: Callable[..., object], *args: object, note: str = "") -> None:
        """Call `fn`; what it raises is kept, with a note on what was going on."""
        try:
            fn(*args)
        except BaseException as error:
            self.add(error, note)

    def add(self, error: BaseException, note: str = "") -> None:
        """Keep what was raised."""
        if note:
            error.add_note(note)
        self.errors.append(error)

    def raise_all(self, message: str) -> None:
        """Raise what was gathered, if anything was: the single error, or all of them as a group."""
        if self.errors:
            self.raise_now(message)

    def raise_now(self, message: str) -> NoReturn:
        """Do the same where it is known that something was gathered."""
        errors, self.errors = self.errors, []
        error = errors[0] if len(errors) == 1 else BaseExceptionGroup(message, errors)
        try:
            raise error
        finally:
            del error, errors  # or what is raised would hold this frame, which holds it
