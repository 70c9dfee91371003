"""What a life that is over should have left, and has not: groups, spaces, signals."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.attributes import package_of
from poolkit.devtools.strict.signals import still_connected
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
    data: PoolablePrefabData[Any],
    everything: list[tuple[str, Any]],
    bodies: Bodies | None,
    *,
    thoroughly: bool,
) -> list[str]:
    """Return what the instance of `data`, whose life is over, has not left, in words.

    Args:
        data: Its record.
        everything: What it consists of, as `belongings` says.
        bodies: What its life began with, as `Bodies.of` said; `None` where that was not seen.
        thoroughly: Whether to look for signals in the whole heap, which takes its time.
    """
    return [
        *_still_in_groups(data, everything),
        *still_in_spaces(data, everything, bodies),
        *still_connected(everything, thoroughly=thoroughly),
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
    prefabs = data.pool._groups if sprite is data.instance else ()
    return tuple(flat((*prefabs, *getattr(sprite, "_home_groups", ()))))
