"""What is wrong with content: all of it at once, each with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.errors import PrefabError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 60  # characters of a value in a message


class ContentError(PrefabError):
    """Files of prefabs or levels can't be used; nothing of them was taken.

    Attributes:
        faults: Everything that is wrong, a line each: ``monsters.toml:12: orc.data.hp: …``.
    """

    def __init__(self, faults: Iterable[str]) -> None:
        self.faults: tuple[str, ...] = tuple(faults)
        super().__init__("\n".join(self.faults))


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """Say that a name is not known, and which one is near, or which there are."""
    names = sorted(known)
    listed = f"{what} are {', '.join(names) or 'none'}"
    return f"{name!r} is not known: {did_you_mean(name, names, listed)}"


def misfit(value: object, expected: str, why: str = "") -> str:
    """Say what was expected in the place of a value."""
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 4]} ..."
    return f"expected {expected}, not {shown}" + (f" ({why})" if why else "")
