"""The errors poolkit raises, all under one base class."""

from __future__ import annotations

from typing import NoReturn

__all__ = [
    "NotManagedError",
    "PoolError",
    "PoolExhaustedError",
    "PrefabError",
    "UseAfterDespawnError",
    "raise_all",
    "raise_together",
]


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


def raise_together(message: str, errors: list[BaseException]) -> NoReturn:
    """Raise what was gathered: the single error itself, or all of them as a group.

    Args:
        message: What was going on, for the group's own message.
        errors: The exceptions gathered, in the order they occurred; at least one.

    Raises:
        BaseException: The only error there is.
        BaseExceptionGroup: Several (an `ExceptionGroup` where all are plain exceptions).
    """
    if len(errors) == 1:
        raise errors[0]
    raise BaseExceptionGroup(message, errors)


def raise_all(message: str, errors: list[BaseException]) -> None:
    """Raise what was gathered, if anything was, as `raise_together` does.

    Raises:
        BaseException: Something was.
    """
    if errors:
        raise_together(message, errors)
