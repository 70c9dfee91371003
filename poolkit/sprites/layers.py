"""The order in which a group draws its sprites, where that is not the order of joining."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Layers"]

_layer_of = attrgetter("_layer")
_UNCHANGING = frozenset([bool, float, int, type(None)])


class Layers:
    """Sorts sprites by layer, those of one layer in the order given.

    The layers are asked for anew each time, so a change of one needs no telling. Sorting is done
    only when they are others than before, and no sprite is kept.
    """

    __slots__ = ("_key", "_keys", "_places")

    def __init__(self, key: Callable[[Any], Any] | None) -> None:
        """Sort by what `key` returns for a sprite; `None`: by its own layer, 0 if it has none."""
        self._key = key
        self._keys: list[Any] | None = None
        self._places: list[int] | None = None

    def sort(self, members: Iterable[Any]) -> list[Any]:
        """Return `members` in the order in which they are to be drawn."""
        sprites = list(members)
        keys = self._keys_of(sprites)
        if keys != self._keys:
            ranks = [0 if key is None else key for key in keys] if self._key is None else keys
            places = sorted(range(len(ranks)), key=ranks.__getitem__)
            is_sorted = places == list(range(len(places)))
            self._places = None if is_sorted else places
            # What can change in place, as a rect can, tells nothing by being the same.
            self._keys = keys if _UNCHANGING.issuperset(map(type, keys)) else None
        if self._places is None:
            return sprites
        return list(map(sprites.__getitem__, self._places))

    def _keys_of(self, sprites: list[Any]) -> list[Any]:
        if self._key is not None:
            return list(map(self._key, sprites))
        try:
            return list(map(_layer_of, sprites))
        except AttributeError:  # plain sprites are in it
            return [getattr(sprite, "_layer", None) for sprite in sprites]

    def like(self) -> Layers:
        """Return another for the same order."""
        return Layers(self._key)
