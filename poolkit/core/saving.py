"""What a checkpoint puts back of poolkit's own objects; each class says so where it is defined.

Unless it says something else, all slots and attributes of an object are put back, and so is what
they hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

C = TypeVar("C", bound=type)

unsaved: dict[type, frozenset[str]] = {}
"""The attributes, by their classes, that are left as they are."""

followed: dict[type, frozenset[str]] = {}
"""The slots, by their classes, whose values are looked into; of other classes, all."""

shared: set[type] = set()
"""Classes whose objects are left as they are: they never change, or they belong to all lives."""


def saved_without(*names: str) -> Callable[[C], C]:
    """Return a decorator of a class with attributes that aren't put back."""

    def declare(cls: C) -> C:
        unsaved[cls] = frozenset(names)
        return cls

    return declare


def never_saved(cls: C) -> C:
    """Mark a class whose objects are left as they are."""
    shared.add(cls)
    return cls


def followed_by(*names: str) -> Callable[[C], C]:
    """Return a decorator of a class of which only the values of these slots are looked into."""

    def declare(cls: C) -> C:
        followed[cls] = frozenset(names)
        return cls

    return declare
