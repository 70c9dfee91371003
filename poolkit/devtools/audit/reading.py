"""What is read of one value: its kind, what is compared, how it is shown, and what it holds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from poolkit.core.record import PoolablePrefabData

__all__ = [
    "LONGEST",
    "Described",
    "Reader",
    "Reading",
    "Surroundings",
    "brief",
    "described",
    "full_name",
    "opaque",
    "same",
]

LONGEST = 1_000  # entries of one container that are looked at; its length always is
_WIDEST = 72  # characters of a value in a report
_CLOSE = 1e-9  # floats nearer to each other than this are the same value, rounded

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Described(str):
    """Words that stand for a value which can't be shown itself. Its repr has no quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the words."""
        return str(self)


class Reading(NamedTuple):
    """What was read of a value at one moment.

    Attributes:
        kind: Values of different kinds differ, whatever they hold.
        value: What is compared, of immutable values; those of one kind can be compared safely.
        shown: What a report shows: the value itself, or words for it.
        parts: What it holds, each with what is added to its path: ``(".health", health)``.
        is_mutable: Whether sharing it lets one instance change another.
        is_container: Whether its `value` tells which entries it has, or how many.
        size: How many entries it has.
        has_attributes: Whether its parts are attributes, which somebody writes.
        ignored: What it declares as kept between lives; see `audit_ignore`.
    """

    kind: str
    value: Any = None
    shown: object = Described("...")
    parts: tuple[tuple[str, object], ...] = ()
    is_mutable: bool = False
    is_container: bool = False
    size: int = 0
    has_attributes: bool = False
    ignored: tuple[str, ...] = ()


class Surroundings(NamedTuple):
    """What a reader may have to know beside the value.

    Attributes:
        own: The record of the instance that is being looked at.
        find: Returns the record of any instance that a pool manages, or `None`.
    """

    own: PoolablePrefabData[Any]
    find: Callable[[object], PoolablePrefabData[Any] | None]


Reader = Callable[[Any, Surroundings], Reading | None]
"""Returns what it reads of a value, or `None` where it knows nothing of such values."""


def full_name(kind: type) -> str:
    """Return the name of a class with its module, as it tells classes apart."""
    return f"{kind.__module__}.{kind.__qualname__}"


def opaque(value: object) -> Reading:
    """Return the reading of something that can't be looked into: its type alone counts."""
    return Reading(full_name(type(value)), shown=described(value))


def described(value: object) -> Described:
    """Return words for a value: its own, if it has some that are short; else its type's name."""
    kind = type(value)
    if kind.__repr__ is not object.__repr__:
        try:
            return brief(repr(value))
        except Exception:  # noqa: S110 - the game's own repr: anything may be wrong with it
            pass
    return Described(f"<{kind.__name__}>")


def brief(words: str) -> Described:
    """Return words without addresses, which differ from run to run, and not too many."""
    words = _ADDRESS.sub("", " ".join(words.split()))
    if len(words) > _WIDEST:
        words = f"{words[: _WIDEST - 4].rstrip()} ..."
    return Described(words)


def same(one: Any, other: Any) -> bool:
    """Compare what readings hold: NaN equals NaN, and a float its rounded self."""
    if isinstance(one, float | int) and isinstance(other, float | int):
        if one == other:
            return True
        try:
            return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE) or (
                math.isnan(one) and math.isnan(other)
            )
        except OverflowError:  # an integer beyond all floats
            return False
    if isinstance(one, complex | float | int) and isinstance(other, complex | float | int):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and _equal(one, other)


def _equal(one: Any, other: Any) -> bool:
    """Compare two values of one type; decimals that are no numbers may not be asked."""
    if isinstance(one, Decimal) and (one.is_nan() or other.is_nan()):
        return one.is_nan() and bool(other.is_nan())
    return bool(one == other)
