"""Methods of an instance that signals still hold although its life is over."""

from __future__ import annotations

import gc
import sys
import weakref
from functools import cache
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from poolkit.devtools.attributes import MANY, NOT_THE_GAMES, attributes, package_of, things_of
from poolkit.devtools.heap import whole_heap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["look_again", "still_connected"]


def still_connected(everything: list[tuple[str, Any]], *, thoroughly: bool) -> Iterator[str]:
    """Yield the subscriptions to signals that have not ended, in words.

    Where a signal holds a method weakly, as blinker's do, it is seen whatever the signal. Where
    it holds it strongly, the signal is found as an attribute of the instance, of its components
    or their classes, as a global of the module that defines one of these, or as a variable that
    its methods use; and, if they are looked for thoroughly, anywhere.

    Args:
        everything: What the instance consists of, with names.
        thoroughly: Whether to ask the garbage collector, which looks at every object there is.
    """
    names = {id(each): name for name, each in everything}
    signals = {id(signal): signal for signal in _signals_near(everything)}
    weak = [reference for _, each in everything for reference in _weak_methods(each)]
    if weak or thoroughly:
        with whole_heap():
            holding = [*weak, *(_bound_methods(everything) if thoroughly else ())]
            signals |= {id(signal): signal for signal in _signals_over(holding)}
    told = set()
    for signal in signals.values():
        for held in _held_by(signal):
            method = held() if isinstance(held, weakref.WeakMethod) else held
            if isinstance(method, MethodType) and id(method.__self__) in names:
                key = id(method.__self__), method.__func__, id(signal)
                if key not in told:
                    told.add(key)
                    yield (
                        f"{names[id(method.__self__)]} is still connected to {signal!r}, "
                        f"by its method {method.__name__!r}"
                    )


def _weak_methods(instance: Any) -> list[Any]:
    try:
        references = weakref.getweakrefs(instance)
    except TypeError:
        return []
    return [each for each in references if isinstance(each, weakref.WeakMethod)]


def _bound_methods(everything: list[tuple[str, Any]]) -> list[Any]:
    own = {id(each) for _, each in everything}
    referring = gc.get_referrers(*(each for _, each in everything))
    return [each for each in referring if isinstance(each, MethodType) and id(each.__self__) in own]


def _signals_over(things: list[Any]) -> list[Any]:
    """Return the signals that hold one of `things`, a few containers up."""
    found: list[Any] = []
    level = things
    for _ in range(4 if things else 0):
        above = gc.get_referrers(*level)
        found += [each for each in above if _is_signal(each)]
        level = [
            each
            for each in above
            if isinstance(each, dict | list | set | tuple)
            and 0 < len(each) < MANY
            and each is not level
            and each is not things
        ]
        if not level:
            break
    return found


def _held_by(signal: object) -> Iterator[object]:
    for held in things_of(signal):
        yield held
        if isinstance(held, list | tuple | set | frozenset):
            yield from held
        elif isinstance(held, dict):
            yield from held.values()


def _signals_near(everything: list[tuple[str, Any]]) -> Iterator[Any]:
    for _, each in everything:
        yield from (value for value in attributes(each).values() if _is_signal(value))
        kind: Any = type(each)
        yield from _signals_beside(kind)


@cache
def _signals_beside(kind: type) -> list[Any]:
    """Return the signals that a class, its module and its methods know; `look_again` forgets."""
    known: list[Any] = []
    for each in kind.__mro__:
        if package_of(each) not in NOT_THE_GAMES:
            own = list(vars(each).values())
            known += [*vars(sys.modules.get(each.__module__, object)).values(), *own]
            known += _variables_around(own)
    return [value for value in known if _is_signal(value)]


look_again = _signals_beside.cache_clear


def _variables_around(values: Iterable[Any]) -> Iterator[Any]:
    """Yield the values of variables that functions use from a function around them."""
    for value in values:
        for cell in (value.__closure__ or ()) if isinstance(value, FunctionType) else ():
            try:
                yield cell.cell_contents
            except ValueError:  # not assigned yet
                continue


def _is_signal(thing: object) -> bool:
    kind: Any = type(thing)
    return _is_kind_of_signal(kind)


@cache
def _is_kind_of_signal(kind: type) -> bool:
    return kind is not type and all(
        callable(getattr(kind, name, None)) for name in ("connect", "disconnect")
    )
