"""Reads the state of any object, part by part, and compares it with that of others, path by path.

Objects of the game's classes are read as they are stored, without calling properties or `__eq__`;
all others through the pickle protocol, ``__reduce_ex__`` and ``__getstate__``.
"""

from __future__ import annotations

import contextlib
import copyreg
import dataclasses
import enum
import functools
import hashlib
import math
import random
import re
import reprlib
import sys
import types
import warnings
from collections import deque
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.seams import is_extended
from poolkit.devtools.code import LIBRARIES, is_class_of_the_game, kept_names
from poolkit.devtools.heap import CONTAINERS, dict_of
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from poolkit.core.record import Record

    Find = Callable[[object], Record[Any] | None]

MOST = 20_000  # values of one instance that are looked at
_DEEPEST = 100  # steps from the instance to a value: paths get longer with each
_MANY = 1_000  # entries of a container of plain ones that is compared as a whole
_WIDEST = 72  # characters of a value in a report
_CLOSE = 1e-9  # floats nearer to each other than this are the same value, rounded

# -- what is read of one value ----------------------------------------------------------------


class Described(str):
    """Words for a value that can't be shown itself; the repr has no quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Part(NamedTuple):
    """What was read of a value, at one moment and at one path."""

    kind: str  # values of different kinds differ, whatever they hold
    value: Any = None  # what else is compared: plain values, and a dict of how a picture looks
    shown: object = Described("...")  # what a report shows: the value itself, or words for it
    parts: tuple[tuple[str, object], ...] = ()  # each with its step in the path: ".health"
    size: int | None = None  # of a container
    has_attributes: bool = False  # whether its parts are attributes
    is_of_class: bool = False  # whether a class has it, for all its instances
    source: Any = None  # the value itself if it can be changed, as it may have been since
    parent: str | None = None  # the path of what holds it
    first: str = "?"  # where it was reached first: the same path, or a shorter one
    is_whole: bool = True  # whether its parts were looked at

    def beside(self, other: Part) -> object:
        """Return what a report shows of it; of a picture, what differs from `other`."""
        if not (isinstance(self.value, dict) and isinstance(other.value, dict)):
            return self.shown
        then = other.value
        looks = [f"{name} {now}" for name, now in self.value.items() if now != then[name]]
        return Described(", ".join([str(self.shown)[:-1], *looks]) + ">")


MISSING = Part("missing", shown=Described("(missing)"))


def same(one: Any, other: Any) -> bool:
    """Compare what was read: NaN equals NaN, and a float its rounded self."""
    if one == other:  # nearly always, and at once
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    with contextlib.suppress(TypeError, OverflowError):  # no numbers, or beyond all floats
        are_close = math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
        return are_close or (math.isnan(one) and math.isnan(other))
    return False


# Shows the beginning of a long `repr`, without making all of it; sets in the same order always.
_brief = reprlib.Repr()
vars(_brief).update({name: _WIDEST // 3 for name in vars(_brief) if name.startswith("max")})
_brief.maxlevel, _brief.maxstring, _brief.maxother = 4, _WIDEST, 10 * _WIDEST


def described(value: Any) -> Described:
    """Return words for a value: its `repr`, shortened, or the name of its type."""
    kind: Any = type(value)
    if kind.__repr__ is not object.__repr__:
        with contextlib.suppress(Exception):  # a repr of the game may raise anything
            words = " ".join(_brief.repr(value).split())
            words = re.sub(r"( instance)? at 0x[0-9a-fA-F]+", "", words)
            return Described(words if len(words) <= _WIDEST else f"{words[: _WIDEST - 4]} ...")
    return Described(f"<{kind.__name__}>")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


# -- plain values, and containers of any ------------------------------------------------------

_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (*_PLAIN, enum.Enum))


def _plain_value(value: object) -> Any:
    if type(value) in _PLAIN or isinstance(value, bool | None):
        return value
    base = next((each for each in _PLAIN if isinstance(value, each)), None)
    return base.__getnewargs__(value) if base else value


def _key(key: object) -> str:
    """Return the words for a key in a path, or for an entry of a set."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_key, key))})"
    return f"<{type(key).__name__}>" if _is_open(key) else described(key)


def _read_container(value: Any) -> Part | None:
    kind, is_dict = type(value), isinstance(value, dict | types.MappingProxyType)
    # A tuple of a library's is one value, as pymunk's vectors are.
    is_ours = kind is tuple or not isinstance(value, tuple) or is_class_of_the_game(kind)
    if not is_dict and not (isinstance(value, CONTAINERS) and is_ours):
        return None
    values = value.values() if is_dict else value
    entries: dict[str, Any] = {}
    now: Any = len(value)
    if isinstance(value, set | frozenset):
        now = tuple(sorted(map(_key, value)))
    elif now > _MANY and all(map(_is_plain, values)):
        now = (*(map(_key, value) if is_dict else ()), *map(_plain_value, values))
    else:
        pairs = ((_key(e), entry) for e, entry in value.items()) if is_dict else enumerate(value)
        for key, entry in pairs:
            edge = f"[{key}]"  # different keys may look the same
            entries[f"{edge}#{len(entries)}" if edge in entries else edge] = entry
        now = frozenset(entries)
    return Part(
        _full_name(kind),
        now,
        described(value),
        (*entries.items(), *((f".{name}", part) for name, part in dict_of(value).items())),
        size=len(value),
        source=None if isinstance(value, tuple | frozenset) else value,
    )


# -- what counts as one value: a picture, a vector, a function ---------------------------------


def _read_opaque(value: Any) -> Part:
    kind, words = type(value), described(value)
    state: Any
    frame: Any
    if isinstance(value, pygame.Surface):
        words = Described("<Surface {}x{}>".format(*value.get_size()))
        pixels = pygame.image.tobytes(value, "RGBA") + words.encode()
        state = {
            "pixels": hashlib.blake2b(pixels, digest_size=4).hexdigest(),
            "alpha": value.get_alpha(),
            "colour key": value.get_colorkey(),
            "clip": tuple(value.get_clip()),
        }
    elif isinstance(value, pygame.mask.Mask):
        state = (value.get_size(), bytes(memoryview(value)))  # type: ignore[arg-type]  # it has a buffer
    elif isinstance(value, pygame.sprite.AbstractGroup):
        state = len(value.sprites())
    elif isinstance(value, types.GeneratorType):
        frame = value.gi_frame  # `None`: it is over
        words = Described(f"<generator {value.__name__}, at line {frame and frame.f_lineno}>")
        state = (value.__qualname__, frame and frame.f_lasti)
    else:
        state = _frozen(value, 4)
    is_shown = _is_plain(value) and kind.__module__ == "builtins" and len(words) < _WIDEST
    return Part(
        "number" if isinstance(value, int | float | complex) else _full_name(kind),
        state,
        value if is_shown and words[0] != "<" else words,  # as an infinite number has
        size=state if isinstance(value, pygame.sprite.AbstractGroup) else None,
        # Don't keep methods: later it is asked who else holds them.
        source=None if state is None or callable(value) or _is_plain(value) else value,
    )


def _frozen(value: Any, depth: int) -> Any:
    """Return in tuples of plain values what `value` is pickled as; `None` if it can't be."""
    if _is_plain(value):
        return _plain_value(value)
    if not depth or is_class_of_the_game(type(value)):
        return type(value).__name__
    if isinstance(value, type | types.FunctionType):
        return value.__qualname__, getattr(value, "__code__", None)
    if isinstance(value, dict):
        value = [each for pair in value.items() for each in pair]
    elif type(value) not in {list, tuple}:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # newer Pythons warn of copied iterators
                by_copyreg = copyreg.dispatch_table.get(type(value))
                reduced = by_copyreg(value) if by_copyreg else value.__reduce_ex__(4)
        except Exception:  # it can't be pickled
            return None
        if isinstance(reduced, str):
            return reduced
        args, state, *entries = (*reduced[1:], None, None)[:4]
        value = [args, state, *(list(each) for each in entries if each is not None)]
    return tuple(_frozen(each, depth - 1) for each in value) or None  # an empty dict or none


# -- the game's own objects, and pymunk's -----------------------------------------------------

# What poolkit and pygame keep on a game's objects for themselves.
_NOT_THE_GAMES = frozenset(
    {"_pool_record", "_life_record", "_Sprite__g", "audit_ignore", "__dict__", "__weakref__"}
)
# Attributes that sprites show as properties.
_BEHIND_PROPERTIES = {"_Sprite__image": "image", "_Sprite__rect": "rect"}
_BEHIND_PROPERTIES |= {"_layer": "layer", "_components": "components"}


def attributes(thing: object) -> dict[str, Any]:
    """Return an object's slots and attributes, without those that libraries keep there.

    The names are as the class writes them: ``__rage``, and ``image`` of a sprite.
    """
    found: dict[str, Any] = {}
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            is_open = is_class_of_the_game(kind) or not name.startswith("_")
            if is_open and isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    found[name] = slot.__get__(thing, kind)
    named: dict[str, Any] = {}
    for name, part in (found | dict_of(thing)).items():
        if name not in _NOT_THE_GAMES:  # slots first: one of a pooled sprite hides pygame's own
            named.setdefault(plain_name(name), part)
    return named


def plain_name(name: str) -> str:
    """Return the name of an attribute as the class writes it: ``__rage``."""
    return _BEHIND_PROPERTIES.get(name) or re.sub(r"^_[^\W_]\w*?__(?=\w)", "__", name)


def _is_physics(value: object) -> bool:
    pymunk: Any = sys.modules.get("pymunk")
    kinds = (pymunk.Body, pymunk.Shape, pymunk.Constraint) if pymunk else ()
    return isinstance(value, kinds)


def _pickled_physics(value: Any) -> dict[str, Any]:
    """Return what pymunk pickles of one of its objects, and what it forgets."""
    parts = {name.strip("_"): part for each in value.__getstate__().values() for name, part in each}
    bodies = {name for name, part in parts.items() if isinstance(part, sys.modules["pymunk"].Body)}
    for name in {"is_sleeping", "hashid", *bodies}:
        parts.pop(name, None)
    if hasattr(value, "constraints"):
        parts |= {"shapes": len(value.shapes), "constraints": len(value.constraints)}
    if hasattr(value, "distance"):
        parts["distance"] = value.distance
    return parts


def _is_open(value: object) -> bool:
    """Return whether to look into an object, as it is the game's, a sprite or a body."""
    kind = type(value)
    if isinstance(value, IPoolableComponent | pygame.sprite.Sprite) or _is_physics(value):
        return True
    # A world, a system or a scene isn't.
    packages = {each.__module__.partition(".")[0] for each in kind.__mro__}
    is_data = dataclasses.is_dataclass(kind) or kind is types.SimpleNamespace
    is_value = isinstance(value, type) or _is_plain(value)
    is_ours = not is_value and (is_data or is_class_of_the_game(kind))
    return is_ours and packages.isdisjoint(LIBRARIES)


def _read_object(value: Any, own: Record[Any] | None, find: Find) -> Part:
    kind, record = type(value), find(value)
    if record is not None and record is not own:
        state = "active" if record.active else "inactive"
        words = f"<{kind.__name__} of the pool {record.pool.name}, {state}>"
        return Part("instance", (record.pool.name, record.active), Described(words))
    parts = _pickled_physics(value) if _is_physics(value) else attributes(value)
    if isinstance(value, IPoolableComponent):
        parts.pop("sprite", None)
        if kind.__module__ == "poolkit.physics.rigid_body":
            parts |= {name: getattr(value, name) for name in ("bodies", "shapes", "joints")}
    for name, part in _of_the_class(kind):
        parts.setdefault(name, part)
    if isinstance(value, PooledSprite):  # poolkit's properties, even if the game overrides them
        for name in ("active", "rotation", "layer"):
            with contextlib.suppress(AttributeError):  # no layer of its own
                parts[name] = getattr(PooledSprite, name).__get__(value)
        parts["components"] = _list_of("components", value._components)
        children = PooledSprite.children.__get__(value)
        parts["children"] = [child for child in children if find(child) is own]
    if record is not None and isinstance(value, pygame.sprite.Sprite):
        # A game may have an attribute with the name of pygame's method.
        parts["groups()" if "groups" in parts else "groups"] = _list_of("groups", groups_of(value))
    return Part(
        _full_name(kind),
        shown=described(value),
        parts=tuple((f".{name}", part) for name, part in parts.items()),
        has_attributes=True,
        source=value,
    )


def _list_of(kind: str, things: Iterable[object]) -> Part:
    """Read what a sprite has some of: groups by what they are, components by their classes."""
    names = ", ".join(sorted(type(each).__name__ for each in things)) or "none"
    if kind == "groups":
        return Part(kind, frozenset(map(id, things)), Described(names))
    parts = tuple((f"[{place}]", each) for place, each in enumerate(things))
    return Part(kind, tuple(type(each).__name__ for each in things), Described(names), parts)


def _of_the_class(kind: type) -> Iterator[tuple[str, object]]:
    for each in kind.__mro__:
        for name, value in vars(each).items() if is_class_of_the_game(each) else ():
            if name in _NOT_THE_GAMES or name.startswith("__") or hasattr(PooledSprite, name):
                continue
            if _is_plain(value):
                yield name, _read_opaque(value)._replace(is_of_class=True)
            elif not callable(value) and not hasattr(type(value), "__get__"):
                yield name, value


# -- everything -------------------------------------------------------------------------------


class Snapshot(NamedTuple):
    """Everything that can be reached from an instance, as it was at one moment."""

    parts: dict[str, Part]  # by path from the instance on, the nearest first: ".health.current"
    cut: str  # what was not looked at; empty if all was

    def owner(self, path: str) -> tuple[Part, str]:
        """Return the nearest object with attributes above a path, and the attribute's name."""
        above = self.parts[path].parent or ""
        while above and not self.parts[above].has_attributes:
            path, above = above, self.parts[above].parent or ""
        return self.parts[above], path.removeprefix(f"{above}.")

    def objects(self) -> list[Any]:
        """Return what has attributes in it."""
        every = self.parts.items()
        return [each.source for path, each in every if each.has_attributes and each.first == path]


def handed_in(data: Mapping[str, Any]) -> dict[int, object]:
    """Return what in spawn data can be changed, by `id`: it is the caller's."""
    found: dict[int, object] = {}
    waiting = list(data.values())
    for each in waiting:  # grows in the loop
        if id(each) not in found and not _is_plain(each):
            if isinstance(each, CONTAINERS):
                waiting += each.values() if isinstance(each, dict) else each
            if not isinstance(each, tuple | frozenset):
                found[id(each)] = each
    return found


def snapshot(
    value: object,
    own: Record[Any],
    find: Find,
    given: Mapping[int, object] = types.MappingProxyType({}),
) -> Snapshot:
    """Look into everything that can be reached from an instance once, the nearest first.

    `own` is its record, `find` returns those of other instances. What is in `given`, by `id`, was
    handed in and is not looked into.
    """
    found: dict[str, Part] = {}
    known: dict[int, tuple[str, object]] = {}  # what may be shared, kept alive here
    cut = ""
    waiting: deque[tuple[str, object, str | None, int]] = deque([("", value, None, 0)])
    while waiting:
        path, held, parent, depth = waiting.popleft()
        if id(held) in known:
            first = known[id(held)][0]
            found[path] = found[first]._replace(parent=parent, first=first, is_whole=False)
            continue
        if type(held) is Part:
            part = held
        elif id(held) in given:
            part = Part("handed in", shown=described(held))
        else:
            part = _read(held, own, find)
        if part.parts or part.source is not None:
            known[id(held)] = path, held
        is_much = depth >= _DEEPEST or len(found) + len(waiting) + len(part.parts) > MOST
        is_whole = not (part.parts and is_much)
        if is_whole:
            waiting += [(path + edge, each, path, depth + 1) for edge, each in part.parts]
        else:
            most = f"the first {MOST:,} values or {_DEEPEST} steps"
            cut = cut or f"it{path[:_WIDEST]} and what comes after {most}"
        found[path] = part._replace(parts=(), parent=parent, first=path, is_whole=is_whole)
    return Snapshot(found, cut)


def _read(value: Any, own: Record[Any] | None, find: Find) -> Part:
    kind = type(value)
    with contextlib.suppress(Exception):  # of the game's code, as of `__class__`
        if value.__class__ is kind or is_extended(kind):  # no mock, no proxy
            container = _read_container(value)
            if container is not None:
                return container
            if _is_open(value):
                return _read_object(value, own, find)
            if not kind.__module__.startswith("poolkit."):  # a handle, a scope, a world
                return _read_opaque(value)
    return Part(_full_name(kind), shown=described(value))


# -- what differs -------------------------------------------------------------------------------

_Differs = Literal["changed", "component", "group", "grown", "missing", "new", "shared"]
Kind = _Differs | Literal["reference", "space", "subscription", "timer"]

# Groups, dice and counters, which all lives use together.
_MEANT_TO_BE_SHARED = (pygame.sprite.AbstractGroup, random.Random, Iterator)
# Loaded when it is first needed, and never changed.
_RESOURCES = re.compile(r"pygame\b.*\.(Font|Sound)")
_PICTURES = re.compile(rf"{_RESOURCES.pattern}|pygame\b.*\.(Surface|Mask)")


class Difference(NamedTuple):
    """A path, and what the instances have there."""

    path: str
    fresh: Part
    respawned: Part
    owner: Part  # the nearest object with attributes above it
    attribute: str  # of the owner
    kind: Kind


def compared(
    name: str, fresh: Snapshot, respawned: Snapshot, others: list[Snapshot], ignore: Iterable[str]
) -> tuple[list[Difference], int]:
    """Compare what is at each path, the nearest first; return what differs, and of how many.

    What differs or is ignored is not looked into. `others` are fresh instances, too: where one of
    them is different, the difference is chance.
    """
    found: list[Difference] = []
    # Where all is alike, by path: the patterns to ignore below it, each from some place in the path
    # on; and whether several instances share it.
    looked_into: dict[str | None, tuple[list[tuple[str, int]], bool]] = {
        None: ([(each, 1) for each in ignore], False)
    }
    values = 0
    for path in dict.fromkeys((*fresh.parts, *respawned.parts)):
        one, other, *twins = (each.parts.get(path, MISSING) for each in (fresh, respawned, *others))
        parent = (one if other is MISSING else other).parent
        patterns, is_shared = looked_into.get(parent, ([("*", 0)], False))
        if any(path[at:] == each or fnmatchcase(path[at:], each) for each, at in patterns):
            continue
        values += 1
        can_change = one.source is not None
        is_one = can_change and one.source is other.source is twins[0].source
        if is_shared or is_one or one.is_of_class:
            is_shared = True
            # The lives of others changed the shared thing, too, which says nothing about chance.
            twins = [] if can_change else twins[:1]
        is_told = path != one.first == other.first
        if is_told or not all(_alike(one, twin) for twin in twins):
            continue
        if not _alike(one, other):
            kind = _kind(path, fresh, respawned, is_shared=is_shared)
            if kind is not None:
                owner = (fresh if other is MISSING else respawned).owner(path)
                found.append(Difference(name + path, one, other, *owner, kind))
        elif one.is_whole and other.is_whole:
            kept = [(each, len(path) + 1) for each in kept_names(type(one.source))]
            looked_into[path] = [*patterns, *kept], is_shared
    return found, values


def _alike(one: Part, other: Part) -> bool:
    return one.kind == other.kind and same(one.value, other.value)


def _kind(path: str, fresh: Snapshot, respawned: Snapshot, *, is_shared: bool) -> Kind | None:
    """Return what kind of leak a difference is; `None` if it isn't a leak."""
    before, now = fresh.parts.get(path, MISSING), respawned.parts.get(path, MISSING)
    # A class's default is shared until an instance sets its own.
    is_set = before.is_of_class and not now.is_of_class
    is_meant = is_shared and isinstance(before.source, _MEANT_TO_BE_SHARED)
    kinds: dict[Kind | None, bool] = {
        None: _is_cache(path, fresh, respawned) or is_meant,
        "new": before is MISSING,
        "missing": now is MISSING,
        "shared": is_shared and not is_set,
        "group": before.kind == "groups",
        "component": before.kind == "components",
        "grown": before.kind == now.kind and (before.size or 0) < (now.size or 0),
        "changed": True,
    }
    return next(kind for kind, is_it in kinds.items() if is_it)


def _is_cache(path: str, fresh: Snapshot, respawned: Snapshot) -> bool:
    """Return whether something was made when it was first asked for, for all lives.

    A cached property that would be the same if it were computed now, a font where there was none,
    a dict with more pictures.
    """
    one, other = fresh.parts.get(path, MISSING), respawned.parts.get(path, MISSING)
    if one.kind in {"builtins.NoneType", "missing"}:
        owner, attribute = respawned.owner(path) if path in respawned.parts else fresh.owner(path)
        maker = getattr(type(owner.source), attribute, None)
        if not isinstance(maker, functools.cached_property):
            return _RESOURCES.match(other.kind) is not None
        with contextlib.suppress(Exception):  # it is believed where it can't be computed
            return _alike(_read(maker.func(owner.source), None, lambda _: None), other)
        return True
    inside = {each: part.kind for each, part in respawned.parts.items() if part.parent == path}
    gained = [kind for each, kind in inside.items() if each not in fresh.parts]
    return "dict" in one.kind.lower() and bool(gained) and all(map(_PICTURES.match, gained))
