"""Reads the state of any object, part by part: the one reader that all tools share.

Objects of the game's classes are read as they are stored, without calling properties or `__eq__`,
which may run any code. All others are read through the pickle protocol, ``__reduce_ex__`` and
``__getstate__``, by which a library says itself what its state is.

`read` is the entrance for one value; it chooses among three readers, a section each: containers,
what counts as one value, and objects with attributes. What is read is a `Part`, whose `parts` are
the values to read next. `snapshot` does so from an instance on, until nothing is left.
"""

from __future__ import annotations

import contextlib
import copyreg
import dataclasses
import enum
import hashlib
import math
import re
import reprlib
import sys
import types
import warnings
from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.seams import is_instrumented
from poolkit.devtools.code import LIBRARIES, is_class_of_the_game
from poolkit.devtools.heap import CONTAINERS, dict_of
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from poolkit.core.record import Record

    FindRecord = Callable[[object], Record[Any] | None]

# -- what is read of one value ----------------------------------------------------------------

MAX_WIDTH = 72  # characters of a value in a report
# Floats nearer to each other than this are the same value: a body that is put back where it was has
# its angle from a sine and a cosine.
_CLOSE = 1e-9


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
    first_path: str = "?"  # where it was reached first: the same path, or a shorter one
    is_whole: bool = True  # whether its parts were looked at

    def is_like(self, other: Part) -> bool:
        """Return whether nothing differs that is compared."""
        return self.kind == other.kind and _is_same(self.value, other.value)

    def beside(self, other: Part) -> object:
        """Return what a report shows of it; of a picture, what differs from `other`."""
        if not (isinstance(self.value, dict) and isinstance(other.value, dict)):
            return self.shown
        looks = [f"{name} {n}" for name, n in self.value.items() if n != other.value[name]]
        return Described(", ".join([str(self.shown)[:-1], *looks]) + ">")


MISSING = Part("missing", shown=Described("(missing)"))


def _is_same(one: Any, other: Any) -> bool:
    """Compare what was read: NaN equals NaN, and a float its rounded self."""
    if one == other:  # nearly always, and at once
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    with contextlib.suppress(TypeError, OverflowError):  # no numbers, or beyond all floats
        are_close = math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
        return are_close or (math.isnan(one) and math.isnan(other))
    return False


# Shows the beginning of a long `repr`, without making all of it; sets in the same order always.
_brief = reprlib.Repr()
vars(_brief).update({name: MAX_WIDTH // 3 for name in vars(_brief) if name.startswith("max")})
_brief.maxlevel, _brief.maxstring, _brief.maxother = 4, MAX_WIDTH, 10 * MAX_WIDTH


def described(value: Any) -> Described:
    """Return words for a value: its `repr`, shortened, or the name of its type."""
    kind: Any = type(value)
    if kind.__repr__ is not object.__repr__:
        with contextlib.suppress(Exception):  # a repr of the game may raise anything
            words = " ".join(_brief.repr(value).split())
            words = re.sub(r"( instance)? at 0x[0-9a-fA-F]+", "", words)
            return Described(words if len(words) <= MAX_WIDTH else f"{words[: MAX_WIDTH - 4]} ...")
    return Described(f"<{kind.__name__}>")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


# -- plain values, and containers of any ------------------------------------------------------

_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes)
# A container of more plain entries is compared as a whole: a path for each of a map's 100,000 tiles
# would take seconds, and say no more.
_MANY = 1_000


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, (*_PLAIN, enum.Enum))


def _plain_value(value: object) -> Any:
    if type(value) in _PLAIN or isinstance(value, bool | None):
        return value
    # Of a subclass of the game's, whose `__eq__` may be its own.
    base = next((kind for kind in _PLAIN if isinstance(value, kind)), None)
    return base.__getnewargs__(value) if base else value


def _key_in_words(key: object) -> str:
    """Return the words for a key in a path, or for an entry of a set."""
    if isinstance(key, tuple):
        return f"({', '.join(map(_key_in_words, key))})"
    return f"<{type(key).__name__}>" if _is_open(key) else described(key)


def _is_container(value: Any) -> bool:
    # A tuple of a library's class is one value, as pymunk's vectors are.
    is_librarys = isinstance(value, tuple) and type(value) is not tuple
    if is_librarys and not is_class_of_the_game(type(value)):
        return False
    return isinstance(value, (*CONTAINERS, types.MappingProxyType))


def _read_container(value: Any) -> Part:
    entries, compared = _read_entries(value)
    attributes = ((f".{name}", part) for name, part in dict_of(value).items())  # of a subclass
    return Part(
        _full_name(type(value)),
        compared,
        described(value),
        (*entries.items(), *attributes),
        size=len(value),
        source=None if isinstance(value, tuple | frozenset) else value,
    )


def _read_entries(value: Any) -> tuple[dict[str, Any], Any]:
    """Return what is in a container, by steps of paths, and what is compared of the whole."""
    is_dict = isinstance(value, dict | types.MappingProxyType)
    if isinstance(value, set | frozenset):  # in no order, so an entry has no path of its own
        return {}, tuple(sorted(map(_key_in_words, value)))
    values = value.values() if is_dict else value
    if len(value) > _MANY and all(map(_is_plain, values)):
        keys = map(_key_in_words, value) if is_dict else ()
        return {}, (*keys, *map(_plain_value, values))
    entries: dict[str, Any] = {}
    for key, entry in zip(map(_key_in_words, value) if is_dict else count(), values, strict=False):
        step = f"[{key}]"  # different keys may look the same
        entries[f"{step}#{len(entries)}" if step in entries else step] = entry
    return entries, frozenset(entries)


# -- what counts as one value: a picture, a vector, a function ---------------------------------


def _read_opaque(value: Any) -> Part:
    kind = type(value)
    fns = (fn for cls, fn in _OPAQUE.items() if isinstance(value, cls))
    words, state = next(fns, lambda _: (described(value), _pickled(value, 4)))(value)
    is_shown = _is_plain(value) and kind.__module__ == "builtins" and len(words) < MAX_WIDTH
    return Part(
        "number" if isinstance(value, int | float | complex) else _full_name(kind),
        state,
        value if is_shown and words[0] != "<" else words,  # Python shows no number so long
        size=state if isinstance(value, pygame.sprite.AbstractGroup) else None,
        # Don't keep methods: later it is asked who else holds them.
        source=None if state is None or callable(value) or _is_plain(value) else value,
    )


def _read_picture(picture: pygame.Surface) -> tuple[Described, Any]:
    words = Described("<Surface {}x{}>".format(*picture.get_size()))
    pixels = pygame.image.tobytes(picture, "RGBA") + words.encode()
    return words, {
        "pixels": hashlib.blake2b(pixels, digest_size=4).hexdigest(),
        "alpha": picture.get_alpha(),
        "color key": picture.get_colorkey(),
        "clip": tuple(picture.get_clip()),
    }


def _read_generator(generator: types.GeneratorType[Any, Any, Any]) -> tuple[Described, Any]:
    frame: Any = generator.gi_frame  # `None`: it is over
    words = f"<generator {generator.__name__}, at line {frame and frame.f_lineno}>"
    return Described(words), (generator.__qualname__, frame and frame.f_lasti)


# How to read what has a state that isn't pickled: words for it, and what is compared.
_OPAQUE: dict[type, Callable[[Any], tuple[Described, Any]]] = {
    pygame.Surface: _read_picture,
    pygame.mask.Mask: lambda mask: (described(mask), (mask.get_size(), bytes(memoryview(mask)))),
    pygame.sprite.AbstractGroup: lambda group: (described(group), len(group.sprites())),
    types.GeneratorType: _read_generator,
}


def _pickled(value: Any, depth: int) -> Any:
    """Return in tuples of plain values what `value` is pickled as; `None` if it can't be."""
    if _is_plain(value):
        return _plain_value(value)
    if not depth or is_class_of_the_game(type(value)):
        return type(value).__name__
    if isinstance(value, type | types.FunctionType):
        return value.__qualname__, getattr(value, "__code__", None)
    if isinstance(value, dict):
        value = [entry for pair in value.items() for entry in pair]
    elif type(value) not in {list, tuple}:
        value = _reduced(value)
    if value is None or isinstance(value, str):
        return value
    return tuple(_pickled(entry, depth - 1) for entry in value) or None  # an empty dict or none


def _reduced(value: Any) -> list[Any] | str | None:
    """Return what the pickle protocol says of an object; a text names it; `None`: it refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn of copied iterators
            reduce = copyreg.dispatch_table.get(type(value))
            reduced = reduce(value) if reduce else value.__reduce_ex__(4)
    except Exception:  # it may be anything
        return None
    if isinstance(reduced, str):
        return reduced
    args, state, *iterators = (*reduced[1:], None, None)[:4]
    return [args, state, *(list(entries) for entries in iterators if entries is not None)]


# -- the game's own objects, and pymunk's -----------------------------------------------------

# What poolkit and pygame keep on a game's objects for themselves.
_INTERNAL = frozenset(
    {"_pool_record", "_life_record", "_Sprite__g", "audit_ignore", "__dict__", "__weakref__"}
)
# Attributes that sprites show as properties.
_BEHIND_PROPERTIES = {"_Sprite__image": "image", "_Sprite__rect": "rect"}
_BEHIND_PROPERTIES |= {"_layer": "layer", "_components": "components"}


def attributes(thing: object) -> dict[str, Any]:
    """Return an object's slots and attributes, without those that libraries keep there.

    The names are as the class writes them: ``__rage``, and ``image`` of a sprite.
    """
    slots: dict[str, Any] = {}
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            is_open = is_class_of_the_game(kind) or not name.startswith("_")
            if is_open and isinstance(slot, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    slots[name] = slot.__get__(thing, kind)
    named: dict[str, Any] = {}
    for name, value in (slots | dict_of(thing)).items():
        # Slots come first: where a pooled sprite has one, pygame's own value of that name is old.
        if name not in _INTERNAL:
            named.setdefault(plain_name(name), value)
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
    pairs = [pair for entries in value.__getstate__().values() for pair in entries]
    state = {name.strip("_"): part for name, part in pairs}
    bodies = {name for name, part in state.items() if isinstance(part, sys.modules["pymunk"].Body)}
    for name in {"is_sleeping", "hashid", *bodies}:  # of the space, not of the object
        state.pop(name, None)
    if hasattr(value, "constraints"):
        state |= {"shapes": len(value.shapes), "constraints": len(value.constraints)}
    if hasattr(value, "distance"):
        state["distance"] = value.distance
    return state


def _is_open(value: object) -> bool:
    """Return whether to look into an object, as it is the game's, a sprite or a body."""
    kind = type(value)
    if isinstance(value, IPoolableComponent | pygame.sprite.Sprite) or _is_physics(value):
        return True
    # A world, a system or a scene isn't.
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    is_data = dataclasses.is_dataclass(kind) or kind is types.SimpleNamespace
    is_value = isinstance(value, type) or _is_plain(value)
    is_object = not is_value and (is_data or is_class_of_the_game(kind))
    return is_object and packages.isdisjoint(LIBRARIES)


def _read_object(value: Any, root_record: Record[Any] | None, find_record: FindRecord) -> Part:
    record = find_record(value)
    if record is not None and record is not root_record:  # another life, with state of its own
        state = "active" if record.active else "inactive"
        words = f"<{type(value).__name__} of the pool {record.pool.name}, {state}>"
        return Part("instance", (record.pool.name, record.active), Described(words))
    parts = _pickled_physics(value) if _is_physics(value) else attributes(value)
    if isinstance(value, IPoolableComponent):
        parts.pop("sprite", None)
        if type(value).__module__ == "poolkit.physics.rigid_body":
            parts |= {name: getattr(value, name) for name in ("bodies", "shapes", "joints")}
    for name, part in _attributes_of_class(type(value)):
        parts.setdefault(name, part)
    if isinstance(value, PooledSprite):
        parts |= _read_sprite(value, lambda child: find_record(child) is root_record)
    if record is not None and isinstance(value, pygame.sprite.Sprite):
        # A game may have an attribute with the name of pygame's method.
        name, groups = "groups()" if "groups" in parts else "groups", groups_of(value)
        parts[name] = Part("groups", frozenset(map(id, groups)), _names_of_types(groups))
    return Part(
        _full_name(type(value)),
        shown=described(value),
        parts=tuple((f".{name}", part) for name, part in parts.items()),
        has_attributes=True,
        source=value,
    )


def _read_sprite(sprite: PooledSprite, is_part: Callable[[object], bool]) -> dict[str, Any]:
    """Return poolkit's properties of a sprite, even if the game overrides them."""
    parts: dict[str, Any] = {}
    for name in ("active", "rotation", "layer"):
        with contextlib.suppress(AttributeError):  # no layer of its own
            parts[name] = getattr(PooledSprite, name).__get__(sprite)
    parts["components"] = _read_components(sprite._components)
    children: Any = PooledSprite.children
    parts["children"] = list(
        filter(is_part, children.__get__(sprite))
    )  # others have lives of their own
    return parts


def _read_components(components: Iterable[object]) -> Part:
    """Read the components of a sprite, which differ if their classes do."""
    parts = tuple((f"[{index}]", component) for index, component in enumerate(components))
    names = tuple(type(component).__name__ for component in components)
    return Part("components", names, _names_of_types(components), parts)


def _names_of_types(things: Iterable[object]) -> Described:
    return Described(", ".join(sorted(type(thing).__name__ for thing in things)) or "none")


def _attributes_of_class(kind: type) -> Iterator[tuple[str, object]]:
    for base in kind.__mro__:
        for name, value in vars(base).items() if is_class_of_the_game(base) else ():
            if name in _INTERNAL or name.startswith("__") or hasattr(PooledSprite, name):
                continue
            if _is_plain(value):
                yield name, _read_opaque(value)._replace(is_of_class=True)
            elif not callable(value) and not hasattr(type(value), "__get__"):
                yield name, value


def read(value: Any, root_record: Record[Any] | None, find_record: FindRecord) -> Part:
    """Read one value, whatever it is.

    Args:
        value: The value.
        root_record: The record of the instance that it belongs to.
        find_record: Returns the record of an instance, if it has one.
    """
    kind = type(value)
    with contextlib.suppress(Exception):  # of the game's code, as of `__class__`
        # A mock or a proxy lies about its class, and answers any question with another of its kind.
        if value.__class__ is kind or is_instrumented(kind):
            if _is_container(value):
                return _read_container(value)
            if _is_open(value):
                return _read_object(value, root_record, find_record)
            if not kind.__module__.startswith("poolkit."):  # a handle, a scope, a world
                return _read_opaque(value)
    return Part(_full_name(kind), shown=described(value))


# -- everything that an instance reaches ------------------------------------------------------

MOST = 20_000  # values of one instance that are looked at
_MAX_DEPTH = 100  # steps from the instance to a value: paths get longer with each


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
        return [
            part.source
            for path, part in self.parts.items()
            if part.has_attributes and part.first_path == path
        ]


def snapshot(
    value: object,
    root_record: Record[Any],
    find_record: FindRecord,
    handed_in: Mapping[int, object] = types.MappingProxyType({}),
) -> Snapshot:
    """Look into everything that can be reached from an instance once, the nearest first.

    What is in `handed_in`, by `id`, was handed in and is not looked into.
    """
    parts: dict[str, Part] = {}
    first_reached: dict[int, tuple[str, object]] = {}  # what may be shared, kept alive here
    cut = ""
    waiting: deque[tuple[str, object, str | None, int]] = deque([("", value, None, 0)])
    while waiting:
        path, held, parent, depth = waiting.popleft()
        if id(held) in first_reached:
            first_path = first_reached[id(held)][0]
            first = parts[first_path]
            parts[path] = first._replace(parent=parent, first_path=first_path, is_whole=False)
            continue
        if type(held) is Part:
            part = held
        elif id(held) in handed_in:
            part = Part("handed in", shown=described(held))
        else:
            part = read(held, root_record, find_record)
        if part.parts or part.source is not None:
            first_reached[id(held)] = path, held
        is_much = depth >= _MAX_DEPTH or len(parts) + len(waiting) + len(part.parts) > MOST
        is_whole = not (part.parts and is_much)
        if is_whole:
            waiting += [(path + step, entry, path, depth + 1) for step, entry in part.parts]
        elif not cut:
            cut = f"it{path[:MAX_WIDTH]} and what comes after the first {MOST:,} values or "
            cut += f"{_MAX_DEPTH} steps"
        parts[path] = part._replace(parts=(), parent=parent, first_path=path, is_whole=is_whole)
    return Snapshot(parts, cut)


def changeable_values(data: Mapping[str, Any]) -> dict[int, object]:
    """Return what in spawn data can be changed, by `id`: it is the caller's."""
    changeable: dict[int, object] = {}
    waiting = list(data.values())
    for value in waiting:  # grows in the loop
        if id(value) not in changeable and not _is_plain(value):
            if isinstance(value, CONTAINERS):
                waiting += value.values() if isinstance(value, dict) else value
            if not isinstance(value, tuple | frozenset):
                changeable[id(value)] = value
    return changeable
