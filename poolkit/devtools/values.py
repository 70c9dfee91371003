"""Reads the state of any object, part by part: attributes, slots, containers, pictures by pixels.

What the game's own classes hold is read as it is stored: no property is called, and nothing of the
game's is compared. Of all else its pickle protocol tells: ``__reduce_ex__``, ``__getstate__``.
"""

from __future__ import annotations

import contextlib
import copyreg
import dataclasses
import enum
import hashlib
import inspect
import math
import random
import re
import sys
import types
import warnings
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.record import Handle, PoolablePrefabData
from poolkit.core.scope import Scope
from poolkit.devtools.code import IgnoreError, is_class_of_the_game, kept_names, short_name
from poolkit.devtools.heap import own_dict
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Find = Callable[[object], PoolablePrefabData[Any] | None]

MOST = 20_000  # values of one instance that are looked at
_MANY = 1_000  # entries of a container of plain ones that is compared as a whole
_FEW = 12  # entries of a container that a report shows as they are
_WIDEST = 72  # characters of a value in a report
_CLOSE = 1e-9  # floats nearer to each other than this are the same value, rounded

# -- what is read of one value ----------------------------------------------------------------


class Described(str):
    """Words that stand for a value which can't be shown itself. Its repr has no quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the words."""
        return str(self)


class Reading(NamedTuple):
    """What was read of a value at one moment."""

    kind: str  # values of different kinds differ, whatever they hold
    value: Any = None  # what is compared besides; it holds plain values alone
    shown: object = Described("...")  # what a report shows: the value itself, or words for it
    parts: tuple[tuple[str, object], ...] = ()  # each with what is added to its path: ".health"
    is_mutable: bool = False  # whether sharing it lets one instance change another
    size: int | None = None  # of a container
    has_attributes: bool = False  # whether its parts are attributes, which somebody writes
    is_of_class: bool = False  # whether a class has it, for all its instances
    ignored: tuple[str, ...] = ()  # its `audit_ignore`


def same(one: Any, other: Any) -> bool:
    """Compare what readings hold: NaN equals NaN, and a float its rounded self."""
    if isinstance(one, float | int) and isinstance(other, float | int):
        is_nan = one != one and other != other  # noqa: PLR0124 - what NaN is known by
        with contextlib.suppress(OverflowError):  # an integer beyond all floats
            return is_nan or math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
        return one == other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def described(value: Any) -> Described:
    """Return words for a value: its own, if it has some that are short; else its type's name."""
    kind: Any = type(value)
    if kind.__repr__ is not object.__repr__:
        with contextlib.suppress(Exception):  # the game's own repr: anything may be wrong with it
            text = repr(value)
            if kind in {set, frozenset} and value:  # in the same order in all runs
                inside = text[text.index("{") + 1 : text.rindex("}")]
                text = text.replace(inside, ", ".join(sorted(map(repr, value))))
            words = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
            return Described(words if len(words) <= _WIDEST else f"{words[: _WIDEST - 4]} ...")
    return Described(f"<{kind.__name__}>")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


# -- plain values, and containers of any ------------------------------------------------------

_NUMBERS = frozenset({int, float, complex, bool})
_PLAIN = (int, float, complex, str, bytes, type(None))
_SAY_ALL = frozenset({"datetime", "decimal", "fractions", "pathlib", "uuid"})  # in their reprs


def _read_atom(value: Any) -> Reading | None:
    """Read what has no parts and can't change."""
    kind = type(value)
    if kind in weakref.ProxyTypes:  # before anybody asks it what it is, and is told another's
        return Reading("proxy", shown=Described("<weak proxy>"))
    if isinstance(value, enum.Enum):
        name = f"{kind.__name__}.{value._name_ or value._value_}"
        return Reading(_full_name(kind), name, Described(name))
    if isinstance(value, type | types.ModuleType):
        return Reading("name", getattr(value, "__qualname__", value.__name__), described(value))
    if not isinstance(value, _PLAIN):
        return None
    plain, name = value, "number" if kind in _NUMBERS else kind.__name__
    of_its_own: Any
    for base, of_its_own in ((int, int.__index__), (float, float.__float__), (str, str.__str__)):
        # Of a class of the game's own, which compares as it likes.
        if kind is not bool and kind is not base and isinstance(value, base):
            plain, name = of_its_own(value), "str" if base is str else "number"
    is_long = isinstance(value, str | bytes) and len(value) > _FEW * 5
    return Reading(name, plain, value if kind in _PLAIN and not is_long else described(value))


def _key(key: object) -> str:
    """Return what stands for a key in a path, and for an entry of a set."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_key, key))})"
    if isinstance(key, float) and key.is_integer():  # equal numbers are one key
        return repr(int(key))
    is_told = isinstance(key, (*_PLAIN, enum.Enum))
    is_told |= type(key).__module__.partition(".")[0] in _SAY_ALL
    return described(key) if is_told else f"<{type(key).__name__}>"


def _read_container(value: Any) -> Reading | None:
    kind = type(value)
    entries: list[tuple[str, Any]] = []
    now: Any
    if isinstance(value, dict | types.MappingProxyType):
        parts: dict[str, Any] = {}
        for key, entry in value.items():
            edge = f"[{_key(key)}]"  # different keys may look the same
            parts[f"{edge}#{len(parts)}" if edge in parts else edge] = entry
        entries, now = list(parts.items()), frozenset(parts)
        flat = [each for pair in value.items() for each in pair]
    elif isinstance(value, set | frozenset):
        flat = list(value)
        now = tuple(sorted(f"{isinstance(each, _PLAIN)}{_key(each)}" for each in flat))
    elif isinstance(value, list | tuple | deque):
        names = getattr(value, "_fields", ()) if isinstance(value, tuple) else ()
        if names and not is_class_of_the_game(kind):
            return None  # a library's: it is one value, as pymunk's vectors are
        flat = list(value)
        edges = [f".{each}" for each in names] or [f"[{place}]" for place in range(len(flat))]
        entries, now = list(zip(edges, flat, strict=True)), len(flat)
    else:
        return None
    if len(entries) > _MANY and all(isinstance(entry, _PLAIN) for _, entry in entries):
        now, entries = (now, tuple(entry for _, entry in entries)), []
    return Reading(
        kind.__name__ if kind.__module__ in {"builtins", "collections"} else _full_name(kind),
        now,
        described(value),
        (*entries, *((f".{key}", part) for key, part in own_dict(value).items())),
        is_mutable=not isinstance(value, tuple | frozenset),
        size=len(value),
    )


# -- what can be called, or goes on when it is used -------------------------------------------


def _read_callable(value: Any) -> Reading | None:
    """Read a function, a method, or what goes on when it is asked; `None`: it is no such thing."""
    if isinstance(value, types.MethodType):
        name = f"{value.__func__.__module__}.{value.__func__.__qualname__}"
        words = Described(f"<method {short_name(value.__func__)}>")
        return Reading("method", name, words, ((".__self__", value.__self__),))
    if isinstance(value, types.FunctionType):
        code = value.__code__
        variables = inspect.getclosurevars(value).nonlocals if value.__closure__ else {}
        parts = tuple((f".<{name}>", each) for name, each in variables.items())
        where = (code.co_filename, code.co_firstlineno, code.co_qualname)
        return Reading("function", where, Described(f"<function {short_name(value)}>"), parts)
    if isinstance(value, types.GeneratorType):
        frame = value.gi_frame
        state = "over" if frame is None else f"at line {frame.f_lineno}"
        words = Described(f"<generator {value.__name__}, {state}>")
        now = (value.__qualname__, -1 if frame is None else frame.f_lasti)
        return Reading("iterator", now, words, is_mutable=True)
    return None


# -- pictures and groups, bodies --------------------------------------------------------------


def _read_media(value: Any) -> Reading | None:
    if isinstance(value, pygame.Surface):
        size = value.get_size()
        try:
            raw = pygame.image.tobytes(value, "RGBA")
        except pygame.error:  # the screen of a display that was closed
            return Reading("Surface", (size,), Described("<Surface that is gone>"))
        pixels = hashlib.blake2b(raw, digest_size=16).hexdigest()
        look = (size, pixels, value.get_alpha(), value.get_colorkey())
        words = Described(f"<Surface {size[0]}x{size[1]}, pixels {pixels[:6]}>")
        return Reading("Surface", look, words, is_mutable=True)
    if isinstance(value, pygame.mask.Mask):
        size = value.get_size()
        words = Described(f"<Mask {size[0]}x{size[1]}, {value.count()} set>")
        bits = bytes(memoryview(value))  # type: ignore[arg-type]  # it has a buffer
        return Reading("Mask", (size, bits), words, is_mutable=True)
    if isinstance(value, pygame.sprite.AbstractGroup):
        count = len(value.sprites())
        words = Described(f"<{type(value).__name__} of {count} sprites>")
        return Reading("group", count, words, is_mutable=True, size=count)
    return None


def _read_physics(value: Any) -> Reading | None:
    """Read what is pymunk's by what it would be pickled as, and a rigid body by what it holds."""
    pymunk: Any = sys.modules.get("pymunk")
    parts: dict[str, object] = {}
    if pymunk is None:
        return None
    if isinstance(value, pymunk.Body | pymunk.Shape | pymunk.Constraint):
        for name, part in (pair for each in value.__getstate__().values() for pair in each):
            if name not in {"is_sleeping", "_hashid"} and not isinstance(part, pymunk.Body):
                parts[name.strip("_")] = part
        if isinstance(value, pymunk.Body):
            parts |= {"shapes": len(value.shapes), "constraints": len(value.constraints)}
        if hasattr(value, "distance"):  # which pymunk forgets
            parts["distance"] = value.distance
        parts |= {name: own for name, own in vars(value).items() if not name.startswith("_")}
        kind, words = f"pymunk {type(value).__name__}", Described(f"<{type(value).__name__}>")
    elif any(each.__module__ == "poolkit.physics.rigid_body" for each in type(value).__mro__):
        parts["body"] = value.body
        for name in ("bodies", "shapes", "joints"):
            parts |= {f"{name}[{n}]": each for n, each in enumerate(getattr(value, name))}
        parts |= own_dict(value)  # a subclass of the game's own has some
        kind, words = "RigidBody", described(value)
    else:
        return None
    edges = tuple((f".{name}", part) for name, part in parts.items())
    return Reading(kind, shown=words, parts=edges, is_mutable=True, has_attributes=True)


# -- the game's own objects -------------------------------------------------------------------

# What the framework and pygame keep on a game's objects for themselves.
_NOT_THE_GAMES = frozenset({"_pool_data", "_Sprite__g", "audit_ignore", "__dict__", "__weakref__"})
# pygame's own sprites keep these behind properties.
_BEHIND_PROPERTIES = {"_Sprite__image": "image", "_Sprite__rect": "rect"}


def attributes(thing: object) -> dict[str, Any]:
    """Return what is stored in an object's slots and attributes; properties are not asked.

    Not what poolkit, pygame and pymunk keep there for themselves.
    """
    found: dict[str, Any] = {}
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            is_open = is_class_of_the_game(kind) or not name.startswith("_")
            if is_open and isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    found[name] = slot.__get__(thing, kind)
    found |= own_dict(thing)
    return {name: part for name, part in found.items() if name not in _NOT_THE_GAMES}


def plain_name(kind: type, name: str) -> str:
    """Return the name of an attribute as it is written inside the class: ``__rage``."""
    for each in kind.__mro__:
        mangled = f"_{each.__name__.lstrip('_')}__"
        if name.startswith(mangled) and name not in _BEHIND_PROPERTIES:
            return f"__{name.removeprefix(mangled)}"
    return _BEHIND_PROPERTIES.get(name, name)


def _is_open(kind: type) -> bool:
    """Tell whether objects of a class are the game's, and so to be looked into."""
    packages = {each.__module__.partition(".")[0] for each in kind.__mro__}
    if issubclass(kind, IPoolableComponent | pygame.sprite.Sprite):
        return True
    if dataclasses.is_dataclass(kind) or kind is types.SimpleNamespace:
        return kind.__module__.partition(".")[0] != "poolkit"
    # A world, a system, a scene are none.
    return is_class_of_the_game(kind) and packages.isdisjoint(
        {"poolkit", "pygame", "pymunk", "numpy"}
    )


def _read_object(value: Any, own: PoolablePrefabData[Any], find: Find) -> Reading | None:
    kind = type(value)
    if not _is_open(kind):
        return None
    stored = attributes(value)
    if isinstance(value, IPoolableComponent):
        stored.pop("sprite", None)
    parts: dict[str, object] = {}
    for name, part in stored.items():  # slots first: one of a pooled sprite hides pygame's own
        parts.setdefault(plain_name(kind, name), part)
    for name, part in _of_the_class(kind):
        parts.setdefault(name, part)
    if isinstance(value, PooledSprite):
        for name in ("active", "rotation", "layer"):
            parts[name] = _asked(value, name)
        components, children = _asked(value, "components"), _asked(value, "children")
        names = tuple(type(each).__name__ for each in components)
        entries = tuple((f"[{place}]", each) for place, each in enumerate(components))
        words = Described(", ".join(names) or "none")
        parts["components"] = Reading("components", names, words, entries, size=len(names))
        parts["children"] = inside = [child for child in children if find(child) is own]
        if len(children) > len(inside):
            parts["children_spawned"] = len(children)
    if isinstance(value, pygame.sprite.Sprite) and find(value) is not None:
        groups = value.groups()
        words = Described(", ".join(sorted(type(group).__name__ for group in groups)) or "none")
        parts["groups"] = Reading("groups", frozenset(map(id, groups)), words)
    declared = (each.get("audit_ignore", ()) for each in (stored, *map(vars, kind.__mro__)))
    return Reading(
        _full_name(kind),
        shown=described(value),
        parts=tuple((f".{name}", part) for name, part in parts.items()),
        is_mutable=True,
        has_attributes=True,
        ignored=tuple(name for each in declared for name in kept_names(each, kind.__name__)),
    )


def _asked(sprite: PooledSprite, name: str) -> Any:
    try:
        return getattr(PooledSprite, name).__get__(sprite)  # not what the game may have made of it
    except AttributeError:  # no layer of its own
        return None


def _of_the_class(kind: type) -> Iterator[tuple[str, object]]:
    """Yield what a class keeps for all its instances: what can change, and plain values."""
    for each in kind.__mro__:
        for name, value in vars(each).items() if is_class_of_the_game(each) else ():
            if name in _NOT_THE_GAMES or name.startswith("__"):
                continue
            atom = None if isinstance(value, type) else _read_atom(value)
            if atom is not None:
                yield name, atom._replace(is_of_class=True)
            elif not callable(value) and not hasattr(type(value), "__get__"):
                yield name, value


# -- what knows how to pickle itself ----------------------------------------------------------


def _read_pickled(value: Any) -> Reading:
    """Read what an object would be pickled as: what it is made of, and its state since."""
    kind = type(value)
    state = _frozen(value, 4)
    words, name = described(value), _full_name(kind)
    if isinstance(value, random.Random):
        words, name = Described(f"<{kind.__name__} that has rolled>"), "random"
    elif hasattr(kind, "__next__"):
        name = "iterator"
    size = len(value) if isinstance(value, bytearray | memoryview) else None
    return Reading(name, state, words, is_mutable=state is not None, size=size)


def _frozen(value: Any, depth: int) -> Any:  # noqa: PLR0911 - one for each kind
    """Return plain values in tuples that tell the state of `value`; `None`: it does not say."""
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, (*_PLAIN, enum.Enum)):
        return value
    if not depth or isinstance(value, random.SystemRandom) or is_class_of_the_game(type(value)):
        return type(value).__name__
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        return value.__qualname__
    if isinstance(value, dict):
        value = [each for pair in value.items() for each in pair]
    elif type(value) not in {list, tuple}:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of iterators, which newer Pythons copy no more
                by_copyreg = copyreg.dispatch_table.get(type(value))
                reduced = by_copyreg(value) if by_copyreg else value.__reduce_ex__(4)
        except Exception:  # it can't be pickled
            return None
        if isinstance(reduced, str):
            return reduced
        args, state, *entries = (*reduced[1:], None, None)[:4]
        value = [args, state, *(list(each) for each in entries if each is not None)]
    return tuple(_frozen(each, depth - 1) for each in value) or None  # an empty dict or none


# -- everything -------------------------------------------------------------------------------


class Part(NamedTuple):
    """One value as it was, at one path."""

    reading: Reading
    source: Any  # itself, if it is a mutable one: it may have changed since
    parent: str | None  # the path of what holds it
    owner: str  # the path of the nearest object with attributes on the way to it
    attribute: str  # of the owner, that leads to it
    first: str  # where it was reached first: the same path, or a shorter one
    is_whole: bool  # whether all that it holds was looked at: else nothing of it was


class Snapshot(NamedTuple):
    """Everything that can be reached from an instance, as it was at one moment."""

    parts: dict[str, Part]  # by path from the instance on, the nearest first: ".health.current"
    cut: str  # what was not looked at; empty: nothing

    def objects(self) -> list[Any]:
        """Return what has attributes in it."""
        every = (part for path, part in self.parts.items() if part.first == path)
        return [each.source for each in every if each.reading.has_attributes]


def snapshot(value: object, own: PoolablePrefabData[Any], find: Find) -> Snapshot:
    """Walk through an instance, or any value, the nearest first, and look into everything once.

    `own` is its record, `find` returns those of other instances.

    Raises:
        TypeError: An `audit_ignore` is no iterable of names.
    """
    found: dict[str, Part] = {}
    known: dict[int, tuple[str, object]] = {}  # what others might share, kept alive meanwhile
    cut = ""
    # Each with its parent's path, its owner's, and the attribute.
    waiting: deque[tuple[str, object, str | None, str, str]] = deque([("", value, None, "", "")])
    while waiting:
        path, held, parent, owner, attribute = waiting.popleft()
        if id(held) in known:
            first = known[id(held)][0]
            found[path] = found[first]._replace(
                parent=parent, owner=owner, attribute=attribute, first=first, is_whole=False
            )
            continue
        reading = held if type(held) is Reading else _read(held, own, find)
        if reading.parts or reading.is_mutable:
            known[id(held)] = path, held
        is_whole = len(found) + len(waiting) + len(reading.parts) <= MOST or not reading.parts
        if not is_whole:
            cut = cut or f"it{path} and what else comes after the first {MOST:,} values"
        for edge, each in reading.parts if is_whole else ():
            is_named = reading.has_attributes and edge[0] == "."
            name = edge[1:] if is_named else attribute
            nearest = path if reading.has_attributes else owner
            waiting.append((path + edge, each, path, nearest, name))
        # Methods and weak references must not be kept: who else holds them is asked for later.
        source = held if reading.is_mutable else None
        reading = reading._replace(parts=())
        found[path] = Part(reading, source, parent, owner, attribute, path, is_whole)
    return Snapshot(found, cut)


def _read(value: Any, own: PoolablePrefabData[Any], find: Find) -> Reading:
    opaque = Reading(_full_name(type(value)), shown=described(value))
    try:
        if value.__class__ is not type(value) and type(value) not in weakref.ProxyTypes:
            return opaque  # it passes itself off as something else, as mocks do
        for reader in (_read_atom, _read_physics, _read_container, _read_callable, _read_media):
            reading = reader(value)
            if reading is not None:
                return reading
        if isinstance(value, Handle | Scope | PoolablePrefabData):
            return Reading(type(value).__name__, shown=Described(f"<{type(value).__name__}>"))
        record = find(value)
        if record is not None and record is not own:
            state = "active" if record.active else "inactive"
            words = f"<{type(value).__name__} of the pool {record.pool.name}, {state}>"
            return Reading("instance", (record.pool.name, record.active), Described(words))
        return _read_object(value, own, find) or _read_pickled(value)
    except IgnoreError:
        raise
    except Exception:  # the game's own code has failed, where it was asked what it is
        return opaque
