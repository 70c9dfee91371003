"""The errors that poolkit raises, and a collector for the errors of several calls."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class PoolError(Exception):
    """A pool can't do what it was asked; the base of all errors here."""


class NotManagedError(PoolError):
    """The instance is not (or no longer) managed by this pooling system."""


class PoolExhaustedError(PoolError):
    """A pool is at its limit, and its overflow policy makes no room."""

    @property
    def is_passed_on(self) -> bool:
        """Whether it came from a hook or a factory that spawned something else."""
        # Those add a note to every error that passes through them.
        return bool(getattr(self, "__notes__", None))


class UseAfterDespawnError(PoolError):
    """An instance was used although its life is over."""


class PrefabError(PoolError):
    """A prefab, or what its factory made, can't be used."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that suggests the most similar name; `otherwise` if no name is similar."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise


class ErrorCollector:
    """Collects what several calls raise, so that all are made, and raises it at the end."""

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
        """Call `fn`, and keep what it raises, with a note."""
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
        """Raise the error, if there is one; several as a group."""
        if self.errors:
            self.raise_now(message)

    def raise_now(self, message: str) -> NoReturn:
        """Raise the error; several as a group."""
        raise self.take(message)

    def take(self, message: str) -> BaseException:
        """Return the error, several as a group, and keep none.

        An error refers to the frames it came through, so a collector in one of them must not refer
        to the error: only the garbage collector would free them.
        """
        errors, self.errors = self.errors, []
        return errors[0] if len(errors) == 1 else BaseExceptionGroup(message, errors)

    def take_all(self, others: ErrorCollector | None) -> None:
        """Move the errors of another collector here."""
        if others is not None:
            self.errors += others.errors
            others.errors = []


Errors = ErrorCollector | None
"""What calls have raised; `None`, which costs nothing, is nothing."""


def collected(errors: Errors, error: BaseException, note: str = "") -> ErrorCollector:
    """Return the errors with another one."""
    if errors is None:
        errors = ErrorCollector()
    errors.add(error, note)
    return errors
