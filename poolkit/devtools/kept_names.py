"""What a class declares as kept from life to life: its `audit_ignore`, for audits and the lint."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["IgnoreError", "kept_names"]


class IgnoreError(TypeError):
    """An `audit_ignore` is no names."""


def kept_names(declared: object, owner: str) -> tuple[str, ...]:
    """Return the names and patterns of an `audit_ignore`, which may be one alone.

    Args:
        declared: The `audit_ignore`.
        owner: The name of the class that it stands in.

    Raises:
        IgnoreError: It is no iterable of names.

    Examples:
        >>> kept_names("best_score", "Orc")
        ('best_score',)
    """
    names = (declared,) if isinstance(declared, str) else declared
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        message = (
            f"{owner}.audit_ignore must be names of attributes, as in "
            f"audit_ignore = ('best_score', 'stats.*'); not {declared!r}"
        )
        raise IgnoreError(message)
    return tuple(names)
