"""What a life that is over should have left, and has not: groups, spaces, signals.

Nothing here is asked of the whole heap, so that strict mode can look at every despawn. What can't
be seen that way is said in `enable_strict`.
"""

from __future__ import annotations

import gc
import sys
import weakref
from functools import cache
from types import MethodType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.component import IPoolableComponent
from poolkit.devtools.attributes import MANY, NOT_THE_GAMES, attributes, package_of, things_of
from poolkit.devtools.strict.spaces import Bodies, still_in_spaces
from poolkit.sprites.membership import flat
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.core.record import PoolablePrefabData

__all__ = [
    "belongings",
    "groups_of",
    "home_groups",
    "leftovers",
    "look_again",
]


def belongings(data: PoolablePrefabData[Any]) -> list[tuple[str, Any]]:
    """Return what an instance consists of, each with its name in messages.

    That is the instance, the poolable components of the game's own, which know but one sprite,
    and the sprites that are its parts, with theirs.
    """
    label = data.label
    found: list[tuple[str, Any]] = [(label, data.instance)]
    if isinstance(data.instance, PooledSprite):
        for part in data.instance._all_parts()[1:]:
            kind: Any = type(part)
            if isinstance(part, PooledSprite):
                found.append((f"{kind.__name__}, a part of {label},", part))
            elif _is_component_of_the_game(kind):
                found.append((f"{kind.__name__} of {label}", part))
    return found


def leftovers(
    data: PoolablePrefabData[Any], everything: list[tuple[str, Any]], bodies: Bodies | None
) -> list[str]:
    """Return what the instance of `data`, whose life is over, has not left, in words.

    Args:
        data: Its record.
        everything: What it consists of, as `belongings` says.
        bodies: What its life began with, as `Bodies.of` said; `None` where that was not seen.
    """
    return [
        *_still_in_groups(data, everything),
        *still_in_spaces(data, everything, bodies),
        *_still_connected(everything),
    ]


@cache
def _is_component_of_the_game(kind: type) -> bool:
    """Tell whether a component knows one sprite alone, and poolkit does not use it after a life."""
    return issubclass(kind, IPoolableComponent) and all(
        each is IPoolableComponent or package_of(each) != "poolkit" for each in kind.__mro__
    )


# -- groups -----------------------------------------------------------------------------------


def _still_in_groups(
    data: PoolablePrefabData[Any], everything: list[tuple[str, Any]]
) -> Iterator[str]:
    for name, each in everything:
        if isinstance(each, pygame.sprite.Sprite):
            # A group of its own may hold a sprite that does not know of it.
            home = [group for group in home_groups(data, each) if each in group]
            known = [*groups_of(each), *home]
            for group in {id(group): group for group in known}.values():
                yield f"{name} is still in {group!r}"


def groups_of(sprite: pygame.sprite.Sprite) -> Iterable[Any]:
    """Return the groups that a sprite is in, also where its class has another idea of them."""
    groups: Iterable[Any] = getattr(sprite, "_Sprite__g", ())
    return groups


def home_groups(data: PoolablePrefabData[Any], sprite: pygame.sprite.Sprite) -> tuple[Any, ...]:
    """Return the groups that a sprite joins at every spawn: its prefab's and its constructor's."""
    prefabs = data.pool.groups if sprite is data.instance else ()
    return tuple(flat((*prefabs, *getattr(sprite, "_home_groups", ()))))


# -- signals ----------------------------------------------------------------------------------


def _still_connected(everything: list[tuple[str, Any]]) -> Iterator[str]:
    """Yield the subscriptions to signals that have not ended.

    Where a signal holds a method weakly, as blinker's do, it is seen whatever the signal. Where
    it holds it strongly, the signal is found as an attribute of the instance, of its components
    or their classes, or as a global of the module that defines one of these.
    """
    names = {id(each): name for name, each in everything}
    told = set()
    for method, signal in (*_weakly_held(everything), *_strongly_held(everything)):
        key = id(method.__self__), method.__func__, id(signal)
        if id(method.__self__) in names and key not in told:
            told.add(key)
            yield (
                f"{names[id(method.__self__)]} is still connected to {signal!r}, "
                f"by its method {method.__name__!r}"
            )


def _weakly_held(everything: list[tuple[str, Any]]) -> Iterator[tuple[MethodType, Any]]:
    for _, each in everything:
        try:
            references = weakref.getweakrefs(each)
        except TypeError:
            continue
        for reference in references:
            method = reference() if isinstance(reference, weakref.WeakMethod) else None
            signal = _signal_over(reference) if method is not None else None
            if method is not None and signal is not None:
                yield method, signal


def _signal_over(reference: object) -> Any:
    """Return the signal that holds `reference`, a few containers up; `None`: there is none.

    Asks the garbage collector for it, but only where something does listen weakly.
    """
    level: list[Any] = [reference]
    for _ in range(3):
        above = gc.get_referrers(*level)
        for each in above:
            if _is_signal(each):
                return each
        level = [each for each in above if isinstance(each, dict | list | set | tuple)]
        level = [each for each in level if 0 < len(each) < MANY]
        if not level:
            break
    return None


def _strongly_held(everything: list[tuple[str, Any]]) -> Iterator[tuple[MethodType, Any]]:
    near: dict[int, Any] = {}
    for _, each in everything:
        own = [value for value in attributes(each).values() if _is_signal(value)]
        kind: Any = type(each)
        near.update((id(signal), signal) for signal in (*own, *_signals_beside(kind)))
    for signal in near.values():
        for held in things_of(signal):
            if isinstance(held, MethodType):
                yield held, signal


@cache
def _signals_beside(kind: type) -> list[Any]:
    """Return the signals that a class, or the module that defines it, has; `look_again` forgets."""
    found = []
    for each in kind.__mro__:
        if package_of(each) not in NOT_THE_GAMES:
            names = {**vars(sys.modules.get(each.__module__, object)), **vars(each)}
            found += [value for value in names.values() if _is_signal(value)]
    return found


look_again = _signals_beside.cache_clear


def _is_signal(thing: object) -> bool:
    kind: Any = type(thing)
    return _is_kind_of_signal(kind)


@cache
def _is_kind_of_signal(kind: type) -> bool:
    return kind is not type and all(
        callable(getattr(kind, name, None)) for name in ("connect", "disconnect")
    )
