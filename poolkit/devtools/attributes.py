"""What is stored in an object of the game's: attributes, slots, and what is in its containers."""

from __future__ import annotations

from functools import cache
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MANY", "NOT_THE_GAMES", "attributes", "package_of", "things_of"]

MANY = 1000
"""Containers of more are not looked through."""

NOT_THE_GAMES = frozenset({"builtins", "poolkit", "pygame"})
"""Packages whose classes have no attributes of the game's."""


def package_of(kind: type) -> str:
    """Return the name of the package that a class is from."""
    return kind.__module__.partition(".")[0]


def attributes(thing: object) -> dict[str, Any]:
    """Return what is stored in an object's attributes and slots; properties are not asked.

    Not in the slots that poolkit and pygame have given it.
    """
    found = dict(getattr(thing, "__dict__", {}))
    kind: Any = type(thing)
    for name, member in _slots_of(kind):
        try:
            found[name] = member.__get__(thing)
        except AttributeError:
            continue
    return found


@cache
def _slots_of(kind: type) -> list[tuple[str, Any]]:
    return [
        (name, member)
        for each in kind.__mro__
        if package_of(each) not in NOT_THE_GAMES
        for name, member in vars(each).items()
        if isinstance(member, MemberDescriptorType)
    ]


def things_of(owner: object) -> Iterator[object]:
    """Yield what is stored in an object's attributes, and what is in containers among them."""
    for value in attributes(owner).values():
        yield value
        if isinstance(value, list | tuple | set | frozenset) and len(value) < MANY:
            yield from value
        elif isinstance(value, dict) and len(value) < MANY:
            yield from value.values()
