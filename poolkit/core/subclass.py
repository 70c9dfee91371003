"""Makes subclasses of a game's classes of which the game does not hear."""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def unheard_subclass(kind: type, names: dict[str, Any]) -> type:
    """Make a subclass of which neither the game's metaclass nor its `__init_subclass__` hears.

    They may count subclasses, register or forbid them. It passes for `kind`.
    """
    same = {name: getattr(kind, name) for name in ("__module__", "__qualname__", "__doc__")}
    names = {**same, "__class__": property(lambda _: kind), **names}
    meta = type(kind)
    new = ABCMeta.__new__ if issubclass(meta, ABCMeta) else type.__new__
    hook = "__init_subclass__"
    own = vars(kind).get(hook)
    type.__setattr__(kind, hook, classmethod(lambda _: None))
    try:
        return new(meta, kind.__name__, (kind,), names)
    finally:
        if own is None:
            type.__delattr__(kind, hook)
        else:
            type.__setattr__(kind, hook, own)


def extended(kind: Any, own_of: Callable[[Any], dict[str, Any]]) -> Any:
    """Return the class that extends `kind` by its own, and passes for it; copies are of `kind`.

    There is one for each class, which keeps it: it is freed with it.
    """
    found = vars(kind).get(_EXTENDED)
    if found is None:

        def reduce(part: Any, protocol: Any) -> Any:
            maker, given, *state = kind.__reduce_ex__(part, protocol)
            given = tuple(kind if each is found else each for each in given)
            return kind if maker is found else maker, given, *state

        def become(part: Any, other: Any) -> None:
            swap(part, extended(other, own_of))

        passed_for = property(lambda _: kind, become)
        own = {"__slots__": (), "__reduce_ex__": reduce, "__class__": passed_for, **own_of(kind)}
        found = unheard_subclass(kind, own)
        type.__setattr__(kind, _EXTENDED, found)
    return found


def is_extended(kind: type) -> bool:
    """Tell whether `extended` made a class."""
    return getattr(kind, _EXTENDED, None) is kind


_EXTENDED = "_poolkit_extended"

swap: Callable[[Any, type], None] = vars(object)["__class__"].__set__
"""Give an object another class, also one that passes for the class that it extends."""
