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
from poolkit.devtools.heap import own_dict
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from poolkit.core.record import Record

    Find = Callable[[object], Record[Any] | None]

MOST = 20_000  # values of one instance that are looked at
_MOST_ENTRIES = 2_000_000  # of all its containers
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


class Reading(NamedTuple):
    """What was read of a value at one moment."""

    kind: str  # values of different kinds differ, whatever they hold
    value: Any = None  # what else is compared: plain values only
    shown: object = Described("...")  # what a report shows: the value itself, or words for it
    parts: tuple[tuple[str, object], ...] = ()  # each with its step in the path: ".health"
    is_mutable: bool = False  # whether sharing it lets one instance change another
    size: int | None = None  # of a container
    has_attributes: bool = False  # whether its parts are attributes
    is_of_class: bool = False  # whether a class has it, for all its instances
    aspects: tuple[tuple[str, object], ...] = ()  # of a picture, shown where they differ

    def beside(self, other: Reading) -> object:
        """Return what a report shows of it, with the aspects that differ from those of `other`."""
        pairs = zip(self.aspects, other.aspects, strict=False)
        differing = [f"{name} {now}" for (name, now), (_, then) in pairs if now != then]
        words = f"{str(self.shown)[:-1]}, {', '.join(differing)}>"
        return Described(words) if differing else self.shown


def same(one: Any, other: Any) -> bool:
    """Compare what readings hold: NaN equals NaN, and a float its rounded self."""
    if one == other:  # nearly always, and at once
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    with contextlib.suppress(TypeError, OverflowError):  # no numbers, or beyond all floats
        are_close = math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
        return are_close or (math.isnan(one) and math.isnan(other))
    return False


class _Brief(reprlib.Repr):
    """Shows the beginning of a long `repr`, without making all of it."""

    def __init__(self) -> None:
        super().__init__()
        for limit in [name for name in vars(self) if name.startswith("max")]:
            setattr(self, limit, _WIDEST // 3)  # of containers: "0, " is an entry
        self.maxstring = _WIDEST

    def repr_instance(self, x: object, level: int) -> str:
        del level
        return repr(x)  # an error is the caller's

    repr_int = repr_instance


_brief = _Brief()


def described(value: Any) -> Described:
    """Return words for a value: its `repr`, shortened, or the name of its type."""
    kind: Any = type(value)
    if kind.__repr__ is not object.__repr__:
        with contextlib.suppress(Exception):  # a repr of the game may raise anything
            text = repr(value) if kind in _PLAIN and kind is not str else _brief.repr(value)
            if kind in {set, frozenset} and value:  # in the same order in all runs
                inside = text[text.index("{") + 1 : text.rindex("}")]
                text = text.replace(inside, ", ".join(sorted(map(repr, value))))
            words = text
            if " " in text or len(text) > _WIDEST:
                words = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
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
    is_told = _is_plain(key) or not _is_open(type(key))
    return described(key) if is_told else f"<{type(key).__name__}>"


def _read_container(value: Any) -> Reading | None:
    kind = type(value)
    entries: dict[str, Any] = {}
    now: Any
    if isinstance(value, dict | types.MappingProxyType):
        for key, entry in value.items():
            edge = f"[{_key(key)}]"  # different keys may look the same
            entries[f"{edge}#{len(entries)}" if edge in entries else edge] = entry
        now = frozenset(entries)
    elif isinstance(value, set | frozenset):
        now = tuple(sorted(map(_key, value)))
    elif isinstance(value, list | deque | tuple):
        if kind is not tuple and isinstance(value, tuple) and not is_class_of_the_game(kind):
            return None  # a library's is one value, as pymunk's vectors are
        now = len(value)
        is_long = now > _MANY and all(map(_is_plain, value))
        now, several = ((now, *map(_plain_value, value)), ()) if is_long else (now, value)
        entries = {f"[{place}]": entry for place, entry in enumerate(several)}
    else:
        return None
    if len(entries) > _MANY and all(map(_is_plain, entries.values())):
        now, entries = (now, tuple(map(_plain_value, entries.values()))), {}
    return Reading(
        _full_name(kind),
        now,
        described(value),
        (*entries.items(), *((f".{name}", part) for name, part in own_dict(value).items())),
        is_mutable=not isinstance(value, tuple | frozenset),
        size=len(value),
    )


# -- what libraries made ----------------------------------------------------------------------


def _read_physics(value: Any) -> Reading | None:
    """Read an object of pymunk by what it would be pickled as."""
    pymunk: Any = sys.modules.get("pymunk")
    if pymunk is None or not isinstance(value, pymunk.Body | pymunk.Shape | pymunk.Constraint):
        return None
    parts: dict[str, object] = {}
    for name, part in (pair for each in value.__getstate__().values() for pair in each):
        if name not in {"is_sleeping", "_hashid"} and not isinstance(part, pymunk.Body):
            parts[f".{name.strip('_')}"] = part
    if isinstance(value, pymunk.Body):
        parts |= {".shapes": len(value.shapes), ".constraints": len(value.constraints)}
    if hasattr(value, "distance"):  # which pymunk doesn't pickle
        parts[".distance"] = value.distance
    parts |= {f".{name}": own for name, own in vars(value).items() if not name.startswith("_")}
    return Reading(
        _full_name(type(value)),
        shown=Described(f"<{type(value).__name__}>"),
        parts=tuple(parts.items()),
        is_mutable=True,
        has_attributes=True,
    )


def _read_opaque(value: Any) -> Reading:
    """Read what counts as one value: a number, a picture, a vector, a function."""
    kind, words, size = type(value), described(value), None
    looks: dict[str, Any] = {}
    state: Any
    frame: Any
    if isinstance(value, pygame.Surface):
        pixels = hashlib.blake2b(pygame.image.tobytes(value, "RGBA"), digest_size=16).hexdigest()
        looks = {
            "pixels": pixels[:6],
            "alpha": value.get_alpha(),
            "colour key": value.get_colorkey(),
        }
        looks |= {"clip": tuple(value.get_clip())}
        state = (value.get_size(), pixels, *looks.values())
        words = Described("<Surface {}x{}>".format(*value.get_size()))
    elif isinstance(value, pygame.mask.Mask):
        state = (value.get_size(), bytes(memoryview(value)))  # type: ignore[arg-type]  # it has a buffer
    elif isinstance(value, pygame.sprite.AbstractGroup):
        state = size = len(value.sprites())
    elif isinstance(value, types.GeneratorType):
        frame = value.gi_frame  # `None`: it is over
        words = Described(f"<generator {value.__name__}, at line {frame and frame.f_lineno}>")
        state = (value.__qualname__, frame and frame.f_lasti)
    else:
        state = _frozen(value, 4)
    is_long = isinstance(value, str | bytes) and len(value) > _WIDEST
    is_shown = _is_plain(value) and kind.__module__ == "builtins" and not is_long
    return Reading(
        "number" if isinstance(value, int | float | complex) else _full_name(kind),
        state,
        value if is_shown and words[0] != "<" else words,  # as an infinite number has
        # Don't keep methods: later it is asked who else holds them.
        is_mutable=not (state is None or callable(value) or _is_plain(value)),
        size=size,
        aspects=tuple(looks.items()),
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


# -- the game's own objects -------------------------------------------------------------------

# What poolkit and pygame keep on a game's objects for themselves.
_NOT_THE_GAMES = frozenset(
    {"_pool_record", "_life_record", "_Sprite__g", "audit_ignore", "__dict__", "__weakref__"}
)
# Attributes that sprites show as properties.
_BEHIND_PROPERTIES = {"_Sprite__image": "image", "_Sprite__rect": "rect"}
_BEHIND_PROPERTIES |= {"_layer": "layer", "_components": "components"}


def attributes(thing: object) -> dict[str, Any]:
    """Return an object's slots and attributes, without those that libraries keep there."""
    found: dict[str, Any] = {}
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            is_open = is_class_of_the_game(kind) or not name.startswith("_")
            if is_open and isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    found[name] = slot.__get__(thing, kind)
    found |= own_dict(thing)
    return {name: part for name, part in found.items() if name not in _NOT_THE_GAMES}


def plain_name(name: str) -> str:
    """Return the name of an attribute as the class writes it: ``__rage``."""
    return _BEHIND_PROPERTIES.get(name) or re.sub(r"^_[^\W_]\w*?__(?=\w)", "__", name)


def _is_open(kind: type) -> bool:
    """Return whether to look into objects of a class, as they are the game's."""
    if issubclass(kind, IPoolableComponent | pygame.sprite.Sprite):
        return True
    # A world, a system or a scene isn't.
    packages = {each.__module__.partition(".")[0] for each in kind.__mro__}
    is_data = dataclasses.is_dataclass(kind) or kind is types.SimpleNamespace
    return (is_data or is_class_of_the_game(kind)) and packages.isdisjoint(LIBRARIES)


def _read_object(value: Any, own: Record[Any] | None, find: Find) -> Reading:
    kind = type(value)
    stored = attributes(value)
    if isinstance(value, IPoolableComponent):
        stored.pop("sprite", None)
        if kind.__module__ == "poolkit.physics.rigid_body":
            stored |= {name: getattr(value, name) for name in ("bodies", "shapes", "joints")}
    parts: dict[str, object] = {}
    for name, part in stored.items():  # slots first: one of a pooled sprite hides pygame's own
        parts.setdefault(plain_name(name), part)
    for name, part in _of_the_class(kind):
        parts.setdefault(name, part)
    if isinstance(value, PooledSprite):  # poolkit's properties, even if the game overrides them
        for name in ("active", "rotation", "layer"):
            with contextlib.suppress(AttributeError):  # no layer of its own
                parts[name] = getattr(PooledSprite, name).__get__(value)
        names = tuple(type(each).__name__ for each in value._components)
        entries = tuple((f"[{place}]", each) for place, each in enumerate(value._components))
        words = Described(", ".join(names) or "none")
        parts["components"] = Reading("components", names, words, entries, size=len(names))
        children = PooledSprite.children.__get__(value)
        parts["children"] = [child for child in children if find(child) is own]
    if isinstance(value, pygame.sprite.Sprite) and find(value) is not None:
        groups = groups_of(value)
        words = Described(", ".join(sorted(type(group).__name__ for group in groups)) or "none")
        # A game may have an attribute with the name of pygame's method.
        name = "groups()" if "groups" in parts else "groups"
        parts[name] = Reading("groups", frozenset(map(id, groups)), words)
    return Reading(
        _full_name(kind),
        shown=described(value),
        parts=tuple((f".{name}", part) for name, part in parts.items()),
        is_mutable=True,
        has_attributes=True,
    )


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


class Part(NamedTuple):
    """One value as it was, at one path."""

    reading: Reading
    source: Any  # the value itself if it is mutable; it may have changed since
    parent: str | None  # the path of what holds it
    first: str  # where it was reached first: the same path, or a shorter one
    is_whole: bool  # whether its parts were looked at


_UNSEEN = "not looked at"
MISSING = Part(Reading("missing", shown=Described("(missing)")), None, None, "?", is_whole=True)


class Snapshot(NamedTuple):
    """Everything that can be reached from an instance, as it was at one moment."""

    parts: dict[str, Part]  # by path from the instance on, the nearest first: ".health.current"
    cut: str  # what was not looked at; empty if all was

    def owner(self, path: str) -> tuple[Part, str]:
        """Return the nearest object with attributes above a path, and the attribute's name."""
        above = self.parts[path].parent or ""
        while above and not self.parts[above].reading.has_attributes:
            path, above = above, self.parts[above].parent or ""
        return self.parts[above], path.removeprefix(f"{above}.")

    def objects(self) -> list[Any]:
        """Return what has attributes in it."""
        every = (part for path, part in self.parts.items() if part.first == path)
        return [each.source for each in every if each.reading.has_attributes]


def handed_in(data: Mapping[str, Any]) -> dict[int, object]:
    """Return what in spawn data can be changed, by `id`: it is the caller's."""
    found: dict[int, object] = {}
    waiting = list(data.values())
    for each in waiting:  # grows in the loop
        if id(each) not in found and not _is_plain(each):
            is_container = isinstance(each, dict | list | tuple | set | frozenset | deque)
            waiting += (each.values() if isinstance(each, dict) else each) if is_container else ()
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
    cut, entries = "", 0
    waiting: deque[tuple[str, object, str | None, int]] = deque([("", value, None, 0)])
    while waiting:
        path, held, parent, depth = waiting.popleft()
        if id(held) in known:
            first = known[id(held)][0]
            found[path] = found[first]._replace(parent=parent, first=first, is_whole=False)
            continue
        if type(held) is Reading:
            reading = held
        elif id(held) in given:
            reading = Reading("handed in", shown=described(held))
        elif entries < _MOST_ENTRIES or _is_plain(held):
            reading = _read(held, own, find)
        else:
            reading = Reading(_full_name(type(held)), _UNSEEN)
        entries += reading.size or 0
        if reading.parts or reading.is_mutable:
            known[id(held)] = path, held
        is_seen = reading.value is not _UNSEEN
        is_much = not is_seen or len(found) + len(waiting) + len(reading.parts) > MOST
        is_whole = is_seen and not (reading.parts and (is_much or depth >= _DEEPEST))
        if is_much and not is_whole:
            cut = cut or f"it{path} and what else comes after the first {MOST:,} values"
        elif not is_whole:
            cut = cut or f"what is more than {_DEEPEST} steps away, as it{path[:_WIDEST]}..."
        waiting += [(path + edge, e, path, depth + 1) for edge, e in reading.parts if is_whole]
        # Don't keep methods and weak references: later it is asked who else holds them.
        source = held if reading.is_mutable else None
        found[path] = Part(reading._replace(parts=()), source, parent, path, is_whole)
    return Snapshot(found, cut)


def _read(value: Any, own: Record[Any] | None, find: Find) -> Reading:
    kind = type(value)
    with contextlib.suppress(Exception):  # of the game's code, as of `__class__`
        is_mock = value.__class__ is not kind and not is_extended(kind)
        for reader in () if is_mock else (_read_physics, _read_container):
            reading = reader(value)
            if reading is not None:
                return reading
        is_value = isinstance(value, type) or _is_plain(value) or not _is_open(kind)
        if not (is_mock or is_value):
            record = find(value)
            if record is None or record is own:
                return _read_object(value, own, find)
            state = "active" if record.active else "inactive"
            words = f"<{kind.__name__} of the pool {record.pool.name}, {state}>"
            return Reading("instance", (record.pool.name, record.active), Described(words))
        if not (is_mock or kind.__module__.startswith("poolkit.")):  # a handle, a scope, a world
            return _read_opaque(value)
    return Reading(_full_name(kind), shown=described(value))


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
    # The paths to look into, where all is alike, with the patterns to ignore below them, each from
    # some place in the path on; and the paths of what several instances share.
    looked_into: dict[str | None, list[tuple[str, int]]] = {None: [(each, 1) for each in ignore]}
    shared: set[str | None] = set()
    values = 0
    for path in dict.fromkeys((*fresh.parts, *respawned.parts)):
        one, other, *twins = (each.parts.get(path, MISSING) for each in (fresh, respawned, *others))
        parent = (one if other is MISSING else other).parent
        patterns = looked_into.get(parent)
        if patterns is None or any(
            path[at:] == e or fnmatchcase(path[at:], e) for e, at in patterns
        ):
            continue
        values += 1
        is_one = one.reading.is_mutable and one.source is other.source is twins[0].source
        if parent in shared or is_one or one.reading.is_of_class:
            shared.add(path)
            # The lives of others changed the shared thing, too, which says nothing about chance.
            twins = [] if one.reading.is_mutable else twins[:1]
        if not all(_alike(one, twin) for twin in twins):
            continue
        if _alike(one, other):
            if one.is_whole and other.is_whole:
                start = len(path) + 1
                looked_into[path] = [*patterns, *((e, start) for e in kept_names(type(one.source)))]
            continue
        is_told = path != one.first == other.first
        kind = None if is_told else _kind(path, fresh, respawned, is_shared=path in shared)
        if kind is not None:
            owner, attribute = (fresh if other is MISSING else respawned).owner(path)
            found.append(Difference(name + path, one, other, owner, attribute, kind))
    return found, values


def _alike(one: Part, other: Part) -> bool:
    if one.reading.kind != other.reading.kind:
        return False
    values = one.reading.value, other.reading.value
    return any(each is _UNSEEN for each in values) or same(*values)


def _kind(path: str, fresh: Snapshot, respawned: Snapshot, *, is_shared: bool) -> Kind | None:
    one, other = fresh.parts.get(path, MISSING), respawned.parts.get(path, MISSING)
    if _is_cache(path, fresh, respawned):
        return None
    if one is MISSING or other is MISSING:
        return "new" if one is MISSING else "missing"
    before, now = one.reading, other.reading
    # A class's default is shared until an instance sets its own.
    is_set = before.is_of_class and not now.is_of_class
    if is_shared and isinstance(one.source, _MEANT_TO_BE_SHARED):
        return None
    if is_shared and not is_set:
        return "shared"
    if before.kind in {"groups", "components"}:
        return "group" if before.kind == "groups" else "component"
    is_grown = before.kind == now.kind and before.size is not None and before.size < (now.size or 0)
    return "grown" if is_grown else "changed"


def _is_cache(path: str, fresh: Snapshot, respawned: Snapshot) -> bool:
    """Return whether something was made when it was first asked for, for all lives.

    A cached property that would be the same if it were computed now, a font where there was none,
    a dict with more pictures.
    """
    one, other = fresh.parts.get(path, MISSING).reading, respawned.parts.get(path, MISSING).reading
    if one.kind in {"builtins.NoneType", "missing"}:
        owner, attribute = respawned.owner(path) if path in respawned.parts else fresh.owner(path)
        maker = getattr(type(owner.source), attribute, None)
        if not isinstance(maker, functools.cached_property):
            return _RESOURCES.match(other.kind) is not None
        with contextlib.suppress(Exception):  # it is believed where it can't be computed
            now = _read(maker.func(owner.source), None, lambda _: None)
            return now.kind == other.kind and same(now.value, other.value)
        return True
    inside = {e: part for e, part in respawned.parts.items() if part.parent == path}
    gained = [part.reading.kind for each, part in inside.items() if each not in fresh.parts]
    return "dict" in one.kind.lower() and bool(gained) and all(map(_PICTURES.match, gained))
