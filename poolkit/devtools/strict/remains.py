"""What a life that is over should have left, and has not: groups, spaces, signals."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import ItemsView, KeysView, ValuesView
from functools import cache
from types import FrameType, FunctionType, GeneratorType, MemberDescriptorType, MethodType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.code import is_class_of_the_game
from poolkit.devtools.heap import whole_heap
from poolkit.sprites.membership import flat
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from poolkit.core.record import PoolablePrefabData

_MANY = 1000  # containers of more are not looked through
_GROUPS = "_Sprite__g"  # pygame's, also where a class has another idea of `groups`


class Belongings:
    """What an instance consists of, found once for all its lives until its parts change.

    Attributes:
        named: The instance, the poolable components of the game's own, which know but one sprite,
            and the sprites that are its parts, with theirs; each with its name in messages.
        rigids: Its rigid bodies.
        sprites: Those of `named` that are sprites, each with the groups it joins at every spawn.
    """

    __slots__ = ("_components", "_hooks", "named", "rigids", "sprites")

    def __init__(self, record: PoolablePrefabData[Any]) -> None:
        instance, label = record.instance, record.label
        self._hooks = record.hooks
        self._components = getattr(instance, "_components", None)
        self.named: list[tuple[str, Any]] = [(label, instance)]
        parts = instance._all_parts() if isinstance(instance, PooledSprite) else [instance]
        self.rigids = [part for part in parts if hasattr(part, "objects_in_space")]
        for part in parts[1:]:
            kind: Any = type(part)
            if isinstance(part, PooledSprite):
                self.named.append((f"{kind.__name__}, a part of {label},", part))
            elif _is_component_of_the_game(kind):
                self.named.append((f"{kind.__name__} of {label}", part))
        self.sprites = [
            (name, each, _home_groups(record, each))
            for name, each in self.named
            if isinstance(each, pygame.sprite.Sprite)
        ]

    def are_of(self, record: PoolablePrefabData[Any]) -> bool:
        """Tell whether `record` has the same parts still."""
        components = getattr(record.instance, "_components", None)
        return self._hooks is record.hooks and self._components is components


@cache
def _is_component_of_the_game(kind: type) -> bool:
    """Tell whether a component knows one sprite alone, and poolkit does not use it after a life."""
    return issubclass(kind, IPoolableComponent) and all(
        each is IPoolableComponent or each.__module__.partition(".")[0] != "poolkit"
        for each in kind.__mro__
    )


def _home_groups(record: PoolablePrefabData[Any], sprite: Any) -> tuple[Any, ...]:
    prefabs = record.pool._groups if sprite is record.instance else ()
    return tuple(flat((*prefabs, *getattr(sprite, "_home_groups", ()))))


def groups_left(belongings: Belongings) -> list[str]:
    """Return the groups that sprites are still in, in words."""
    found: list[str] = []
    for name, sprite, homes in belongings.sprites:
        known = list(getattr(sprite, _GROUPS, ()))
        for group in homes:  # one of its own may hold a sprite that does not know of it
            if sprite in group and group not in known:
                known.append(group)
        found += [f"{name} is still in {group!r}" for group in known]
    return found


# -- what is stored in objects of the game's --------------------------------------------------

_NOTHING, _PHYSICS, _SIGNAL, _CONTAINER, _MAPPING = range(5)
_PYMUNKS = frozenset({"pymunk.body", "pymunk.shapes", "pymunk.constraints"})


class _Sorts(dict[type, int]):
    """What the objects of a class are to strict mode, found once a class."""

    def __missing__(self, kind: type) -> int:
        if issubclass(kind, list | tuple | set | frozenset):
            sort = _CONTAINER
        elif issubclass(kind, dict):
            sort = _MAPPING
        elif any(each.__module__ in _PYMUNKS for each in kind.__mro__):
            sort = _PHYSICS
        else:
            is_signal = all(callable(getattr(kind, name, 0)) for name in ("connect", "disconnect"))
            sort = _SIGNAL if is_signal and kind is not type else _NOTHING
        self[kind] = sort
        return sort


_sorts = _Sorts()


def _is_signal(thing: object) -> bool:
    return _sorts[type(thing)] == _SIGNAL


@cache
def _slots_of(kind: type) -> list[MemberDescriptorType]:
    return [
        member
        for each in kind.__mro__
        if is_class_of_the_game(each)
        for member in vars(each).values()
        if isinstance(member, MemberDescriptorType)
    ]


def _values(thing: object) -> Iterable[Any]:
    """Return what is in an object's attributes, and in slots that a game's class gave it."""
    kind: Any = type(thing)
    own = list(getattr(thing, "__dict__", {}).values())
    for member in _slots_of(kind):
        try:
            own.append(member.__get__(thing))
        except AttributeError:  # empty
            continue
    return own


def _inside(value: Any) -> Iterable[Any]:
    """Return what is in a container; nothing, where it is none, or one of very many things."""
    sort = _sorts[type(value)]
    if sort < _CONTAINER or len(value) >= _MANY:
        return ()
    return list(value.values() if sort == _MAPPING else value)


def stored(belongings: Belongings) -> tuple[list[Any], list[Any]]:
    """Return what of pymunk, and which signals, are stored in what an instance consists of."""
    physics: list[Any] = []
    signals: list[Any] = []
    for _, owner in belongings.named:
        for value in _values(owner):
            sort = _sorts[type(value)]
            if sort == _PHYSICS:
                physics.append(value)
            elif sort == _SIGNAL:
                signals.append(value)
            elif sort:
                physics += [each for each in _inside(value) if _sorts[type(each)] == _PHYSICS]
    return physics, signals


# -- spaces -----------------------------------------------------------------------------------


class Bodies:
    """The bodies, shapes and joints that a life began with, but for those of a `RigidBody`."""

    __slots__ = ("_inside", "_outside")

    def __init__(self, physics: Iterable[Any]) -> None:
        """Tell what somebody else has put into a space from what has to leave it, if it enters."""
        found = _unowned(physics) if physics else []
        self._outside = [each for each in found if not _is_in_space(each)]
        self._inside = {id(each): each for each in found if _is_in_space(each)}

    def still_there(self) -> list[Any]:
        """Return what has entered a space in this life, and is in it."""
        return [each for each in self._outside if _is_in_space(each)]

    def made_meanwhile(self, physics: Iterable[Any], belongings: Belongings) -> list[Any]:
        """Return what was made in this life, is in a space, and is known to the instance alone."""
        if not physics:
            return []
        kind: Any = type(belongings.named[0][1])
        known = {*self._inside, *map(id, self._outside)}
        made = [e for e in _unowned(physics) if id(e) not in known and _is_in_space(e)]
        if not made or kind in _kinds_that_know_others:
            return []
        with whole_heap():
            if any(_is_known_to_others(each, belongings, (physics, made)) for each in made):
                # A body that it aims at, say. The collector is not asked again for each missile.
                _kinds_that_know_others.add(kind)
                return []
        return made


_kinds_that_know_others: set[type] = set()


def objects_left(
    label: str, belongings: Belongings, bodies: Bodies | None, physics: list[Any]
) -> list[str]:
    """Return what a life that is over has left in a space, in words."""
    rigids = belongings.rigids
    left: list[Any] = []
    for rigid in rigids:
        if rigid.is_leaving:
            return []  # a step is under way: they leave when it is over
        left += rigid.objects_in_space()
    if bodies is not None:
        left += bodies.still_there()
        left += bodies.made_meanwhile(physics, belongings)
    found = {id(each): each for each in left} if left else {}
    return [f"{each!r} of {label} is still in its space" for each in found.values()]


def _unowned(physics: Iterable[Any]) -> list[Any]:
    pymunk: Any = sys.modules["pymunk"]
    from poolkit.physics.rigid_body import owner_of  # noqa: PLC0415 - pymunk is there already

    found: dict[int, Any] = {}
    for thing in physics:
        body = thing.body if isinstance(thing, pymunk.Shape) else thing
        if owner_of(body.a if isinstance(body, pymunk.Constraint) else body) is None:
            found[id(thing)] = thing
    return list(found.values())


def _is_in_space(thing: Any) -> bool:
    if hasattr(thing, "space"):
        return thing.space is not None
    return any(thing in body.space.constraints for body in (thing.a, thing.b) if body.space)


def _is_known_to_others(thing: Any, belongings: Belongings, ours: tuple[object, ...]) -> bool:
    own = {id(each) for each in ours}
    for _, each in belongings.named:
        own |= {id(each), id(getattr(each, "__dict__", None))}
        own |= {id(value) for value in _values(each)}
    referring = gc.get_referrers(thing)
    own.add(id(referring))
    for each in referring:
        if id(each) in own or _is_the_librarys(each):
            continue
        is_container = isinstance(each, dict | list | set | tuple)
        above = gc.get_referrers(each) if is_container else [each]
        if not all(id(other) in own or _is_the_librarys(other) for other in above):
            return True
    return False


def _is_the_librarys(thing: object) -> bool:
    """Tell whether something is no game's way to an object: code that runs, or a library's."""
    if isinstance(thing, FrameType | GeneratorType | KeysView | ValuesView | ItemsView):
        return True
    packages = {"poolkit", "pymunk", "_cffi_backend"}
    if type(thing).__module__.partition(".")[0] in packages:
        return True
    return isinstance(thing, dict) and any(
        type(owner).__module__.partition(".")[0] in packages
        and getattr(owner, "__dict__", None) is thing
        for owner in gc.get_referrers(thing)
    )


# -- signals ----------------------------------------------------------------------------------


def signals_near(belongings: Belongings, signals: list[Any], *, thoroughly: bool) -> dict[int, Any]:
    """Return the signals that may hold methods of what an instance consists of, by `id`.

    Where a signal holds a method weakly, as blinker's do, it is found whatever the signal. Where it
    holds it strongly, it is found as an attribute of the instance, of its components or their
    classes, as a global of the module that defines one of these, or as a variable that its methods
    use; and, if they are looked for thoroughly, anywhere.

    Args:
        belongings: What the instance consists of.
        signals: Those that are `stored` there.
        thoroughly: Whether to ask the garbage collector, which looks at every object there is.
    """
    found = {id(signal): signal for signal in signals}
    weak: list[Any] = []
    for _, each in belongings.named:
        kind: Any = type(each)
        found |= _signals_beside(kind)
        if weakref.getweakrefcount(each):
            weak += [e for e in weakref.getweakrefs(each) if isinstance(e, weakref.WeakMethod)]
    if weak or thoroughly:
        with whole_heap():
            bound = _bound_methods(belongings) if thoroughly else []
            found |= {id(signal): signal for signal in _signals_over([*weak, *bound])}
    return found


def connected(names: Mapping[int, str], signals: Iterable[Any]) -> dict[int, list[str]]:
    """Return, in words, which methods of some objects signals hold, by the object's `id`.

    Args:
        names: The names of these objects, by `id`.
        signals: Where to look.
    """
    found: dict[int, list[str]] = {}
    for signal in signals:
        for held in _held_by(signal):
            method = held() if isinstance(held, weakref.WeakMethod) else held
            if isinstance(method, MethodType) and id(method.__self__) in names:
                key = id(method.__self__)
                text = (
                    f"{names[key]} is still connected to {signal!r}, "
                    f"by its method {method.__name__!r}"
                )
                if text not in found.setdefault(key, []):
                    found[key].append(text)
    return found


def _held_by(signal: object) -> Iterator[object]:
    for value in _values(signal):
        for held in (value, *_inside(value)):
            yield held
            yield from _inside(held)


def _bound_methods(belongings: Belongings) -> list[Any]:
    own = {id(each) for _, each in belongings.named}
    referring = gc.get_referrers(*(each for _, each in belongings.named))
    return [each for each in referring if isinstance(each, MethodType) and id(each.__self__) in own]


def _signals_over(things: list[Any]) -> list[Any]:
    """Return the signals that hold one of `things`, a few containers up."""
    found: list[Any] = []
    level = things
    for _ in range(4):
        if not level:
            break
        above = gc.get_referrers(*level)
        found += [each for each in above if _is_signal(each)]
        level = [
            each
            for each in above
            if isinstance(each, dict | list | set | tuple)
            and 0 < len(each) < _MANY
            and each is not level
            and each is not things
        ]
    return found


@cache
def _signals_beside(kind: type) -> dict[int, Any]:
    """Return the signals that a class, its module and its methods know; `look_again` forgets."""
    known: list[Any] = []
    for each in filter(is_class_of_the_game, kind.__mro__):
        own = list(vars(each).values())
        known += [*vars(sys.modules.get(each.__module__, object)).values(), *own]
        for value in own:
            for cell in (value.__closure__ or ()) if isinstance(value, FunctionType) else ():
                try:
                    known.append(cell.cell_contents)
                except ValueError:  # not assigned yet
                    continue
    return {id(value): value for value in known if _is_signal(value)}


look_again = _signals_beside.cache_clear
