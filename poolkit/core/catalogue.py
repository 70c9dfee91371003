"""Which prefab is meant: by itself, by a class or function, or by a name."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from poolkit.core.errors import PrefabError
from poolkit.core.prefab import Prefab, is_plain_factory

__all__ = ["AnyPrefab", "Catalogue"]

AnyPrefab = Prefab[Any] | Callable[[], Any] | str
"""What names a prefab: itself, a class or function (each wrapped once), or a registered name."""


class Catalogue:
    """The prefabs of one pooling system, and the names they are found by."""

    __slots__ = ("_by_factory", "_by_name")

    def __init__(self) -> None:
        """Begin empty."""
        self._by_name: dict[str, Prefab[Any]] = {}
        self._by_factory: dict[object, Prefab[Any]] = {}

    def resolve(self, prefab: AnyPrefab) -> Prefab[Any]:
        """Return the prefab that is meant; its explicit name is known from now on.

        Raises:
            PrefabError: It is no prefab and none can be made of it, the name is unknown, or
                another prefab has its name already.
        """
        if isinstance(prefab, Prefab):
            return self._named(prefab)
        if isinstance(prefab, str):
            return self._by_its_name(prefab)
        if is_plain_factory(prefab):
            known = self._by_factory.get(prefab)
            if known is None:
                known = self._by_factory[prefab] = Prefab(prefab)
            return known
        if callable(prefab):
            message = (
                f"{prefab!r} is a new object each time it is written down, so it can't be looked "
                "up: make it a Prefab(...) once, keep it, and spawn that"
            )
            raise PrefabError(message)
        message = (
            f"{prefab!r} is no prefab: pass a Prefab, a class or function that builds an "
            "instance, or a registered name"
        )
        raise PrefabError(message)

    def _named(self, prefab: Prefab[Any]) -> Prefab[Any]:
        if prefab.is_named:
            other = self._by_name.setdefault(prefab.name, prefab)
            if other is not prefab:
                message = (
                    f"there is another prefab named {prefab.name!r} in this system: "
                    "give one of them another name, or make it once and share it"
                )
                raise PrefabError(message)
        return prefab

    def _by_its_name(self, name: str) -> Prefab[Any]:
        prefab = self._by_name.get(name)
        if prefab is not None:
            return prefab
        close = difflib.get_close_matches(name, self._by_name, n=1)
        if close:
            hint = f"did you mean {close[0]!r}?"
        elif self._by_name:
            hint = f"known are {', '.join(sorted(self._by_name))}"
        else:
            hint = "no prefab with a name was registered yet"
        message = f"there is no prefab named {name!r}: {hint}"
        raise PrefabError(message)
