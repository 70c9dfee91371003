"""Reads the game's own objects: attributes, slots, components, and what a class shares."""

from __future__ import annotations

import array
import collections
import dataclasses
import sys
import types
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.record import Handle
from poolkit.core.record import PoolablePrefabData
from poolkit.core.scope import Scope
from poolkit.devtools.audit.media_readers import is_array
from poolkit.devtools.audit.reading import (
    Described,
    Reading,
    Surroundings,
    described,
    full_name,
    opaque,
)
from poolkit.devtools.kept_names import kept_names
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["plain_name", "read_object", "read_reference"]

# What the framework and pygame keep on a game's objects for themselves.
_NOT_THE_GAMES = frozenset({"_pool_data", "_Sprite__g", "audit_ignore", "__dict__", "__weakref__"})
# pygame's own sprites keep these behind properties.
_BEHIND_PROPERTIES = {"_Sprite__image": "image", "_Sprite__rect": "rect"}
_LIBRARIES = frozenset({"poolkit", "pygame", "pymunk", "numpy"})
_SHARED = (
    list,
    dict,
    set,
    array.array,
    bytearray,
    collections.deque,
    pygame.Surface,
    pygame.Vector2,
    pygame.Vector3,
)


def read_reference(value: Any, around: Surroundings) -> Reading | None:
    """Read what only refers to a life: handles, scopes, records, and other instances."""
    if isinstance(value, Handle):
        return Reading("handle", shown=Described("<Handle>"))
    if isinstance(value, Scope):
        return Reading("scope", shown=Described("<Scope>"))
    if isinstance(value, PoolablePrefabData):
        return Reading("record", shown=described(value))
    record = around.find(value)
    if record is None or record is around.own:
        return None
    state = "active" if record.active else "inactive"
    words = Described(f"<{type(value).__name__} of the pool {record.pool.name}, {state}>")
    return Reading("instance", (record.pool.name, record.active), words)


def read_object(value: Any, around: Surroundings) -> Reading | None:
    """Read an object by its attributes; one of a library's by its type alone."""
    kind = type(value)
    if not _is_open(kind):
        return opaque(value)
    parts = dict(_attributes(value))
    if isinstance(value, IPoolableComponent):
        parts.pop("sprite", None)
    parts.update(_shared_by_class(kind, parts))
    edges: dict[str, object] = {}
    for name, part in parts.items():  # slots first: one of a pooled sprite hides pygame's own
        edges.setdefault(f".{plain_name(kind, name)}", part)
    if isinstance(value, PooledSprite):
        edges.update(_parts_of_sprite(value, around))
    if isinstance(value, pygame.sprite.Sprite) and around.find(value) is not None:
        edges[".groups"] = _groups_of(value)
    return Reading(
        full_name(kind),
        shown=described(value),
        parts=tuple(edges.items()),
        is_mutable=True,
        has_attributes=True,
        ignored=_ignored_by(value),
    )


def plain_name(kind: type, name: str) -> str:
    """Return the name of an attribute as it is written inside the class: ``__rage``."""
    if name in _BEHIND_PROPERTIES:
        return _BEHIND_PROPERTIES[name]
    for each in kind.__mro__:
        mangled = f"_{each.__name__.lstrip('_')}__"
        if name.startswith(mangled):
            return f"__{name.removeprefix(mangled)}"
    return name


def _is_open(kind: type) -> bool:
    """Tell whether objects of a class are the game's, and so to be looked into."""
    if issubclass(kind, IPoolableComponent | pygame.sprite.Sprite):
        return True
    if dataclasses.is_dataclass(kind):
        return _root(kind) not in _LIBRARIES
    roots = {_root(each) for each in kind.__mro__}
    if roots & _LIBRARIES:
        return False  # a world, a system, a scene: what the game's instances live in
    return _root(kind) not in sys.stdlib_module_names or kind.__module__ == "__main__"


def _root(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """Yield what an object holds, in its slots and its dict; properties are not called."""
    for kind in type(value).__mro__:
        own = _root(kind) in _LIBRARIES
        for name, slot in vars(kind).items():
            if not isinstance(slot, types.MemberDescriptorType) or name in _NOT_THE_GAMES:
                continue
            if own and name.startswith("_"):
                continue
            try:
                yield name, slot.__get__(value, kind)
            except AttributeError:  # a slot that is empty
                continue
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    for name, part in list(dict.items(attributes)):
        if name not in _NOT_THE_GAMES:
            yield name, part


def _shared_by_class(kind: type, own: dict[str, object]) -> dict[str, object]:
    """Return the mutable things that a class keeps for all its instances."""
    found: dict[str, object] = {}
    for each in kind.__mro__:
        if _root(each) in _LIBRARIES or _root(each) in sys.stdlib_module_names - {"__main__"}:
            continue
        for name, value in vars(each).items():
            if name in own or name in found or name in _NOT_THE_GAMES or name.startswith("__"):
                continue
            if isinstance(value, _SHARED) or is_array(value) or _is_plain_object(value):
                found[name] = value
    return found


def _is_plain_object(value: object) -> bool:
    kind = type(value)
    if isinstance(value, type) or callable(value) or hasattr(kind, "__get__"):
        return False
    return hasattr(kind, "__dict__") and _is_open(kind) and kind.__module__ != "builtins"


def _parts_of_sprite(sprite: PooledSprite, around: Surroundings) -> dict[str, object]:
    """Return what a pooled sprite has besides attributes."""

    def ask(name: str) -> Any:
        return getattr(PooledSprite, name).fget(sprite)  # not what the game may have made of it

    components = ask("components")
    names = tuple(type(each).__name__ for each in components)
    children = ask("children")
    parts = [child for child in children if around.find(child) is around.own]
    edges: dict[str, object] = {
        ".active": ask("active"),  # one that is a part of another may be hidden
        ".rotation": ask("rotation"),
        ".layer": sprite._layer,
        ".components": Reading(
            "components",
            names,
            Described(", ".join(names) or "none"),
            tuple((f"[{place}]", each) for place, each in enumerate(components)),
            is_container=True,
            size=len(names),
        ),
        ".children": parts,
    }
    if len(children) > len(parts):
        edges[".children_spawned"] = len(children) - len(parts)
    return edges


def _groups_of(sprite: pygame.sprite.Sprite) -> Reading:
    groups = sprite.groups()
    words = ", ".join(sorted(type(group).__name__ for group in groups)) or "none"
    return Reading("groups", frozenset(map(id, groups)), Described(words))


def _ignored_by(value: object) -> tuple[str, ...]:
    """Return what an object's class, and those that it inherits from, declare as kept.

    Raises:
        IgnoreError: `audit_ignore` is no iterable of names.
    """
    found: list[str] = []
    for each in (value, *type(value).__mro__):
        try:
            declared = object.__getattribute__(each, "__dict__").get("audit_ignore", ())
        except AttributeError:
            continue
        found += kept_names(declared, type(value).__name__)
    return tuple(dict.fromkeys(found))
