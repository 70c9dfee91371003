"""Reads Python's own values: numbers, texts, containers, functions, generators, weak references."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import inspect
import itertools
import operator
import pathlib
import random
import re
import types
import uuid
import weakref
from typing import Any

from poolkit.devtools.audit.reading import (
    LONGEST,
    Described,
    Reading,
    Surroundings,
    brief,
    described,
    full_name,
)

__all__ = ["attributes_beside", "read_atom", "read_callable", "read_container", "read_odd"]

_NUMBERS = frozenset({int, float, complex, bool})
_ATOMS = frozenset(
    {
        str,
        bytes,
        type(None),
        type(Ellipsis),
        type(NotImplemented),
        range,
        slice,
        decimal.Decimal,
        fractions.Fraction,
        dt.date,
        dt.datetime,
        dt.time,
        dt.timedelta,
        uuid.UUID,
        pathlib.PosixPath,
        pathlib.WindowsPath,
        pathlib.PurePosixPath,
        pathlib.PureWindowsPath,
        re.Pattern,
    },
)
_WEAK = (weakref.WeakSet, weakref.WeakValueDictionary, weakref.WeakKeyDictionary)
_FEW = 12  # entries of a container that a report shows as they are


def read_atom(value: Any, _: Surroundings | None = None) -> Reading | None:
    """Read what has no parts and can't change."""
    kind = type(value)
    if kind in _NUMBERS:
        return Reading("number", value, value)
    if kind in weakref.ProxyTypes:  # before anybody asks it what it is, and is told another's
        return Reading("proxy", shown=Described("<weak proxy>"))
    if kind in _ATOMS:
        long = kind in {str, bytes} and len(value) > _FEW * 5
        return Reading(kind.__name__, value, brief(repr(value)) if long else value)
    if isinstance(value, enum.Enum):
        name = f"{kind.__name__}.{value._name_ or value._value_}"
        return Reading(full_name(kind), name, Described(name))
    if isinstance(value, type | types.ModuleType):
        return Reading("name", getattr(value, "__qualname__", value.__name__), described(value))
    return _read_subclass(value)


def _read_subclass(value: Any) -> Reading | None:
    """Read a number or text of a class of the game's own, which may compare as it likes."""
    if isinstance(value, int | float):
        plain = int.__index__(value) if isinstance(value, int) else float.__float__(value)
        return Reading("number", plain, described(value))
    if isinstance(value, str):
        return Reading("str", str.__str__(value), described(value))
    return None


def read_container(value: Any, around: Surroundings) -> Reading | None:
    """Read what holds others."""
    if isinstance(value, dict | types.MappingProxyType):
        return _read_mapping(value, around)
    if isinstance(value, list | tuple | collections.deque):
        return _read_sequence(value, around)
    if isinstance(value, set | frozenset):
        entries = list(value)
        return Reading(
            _kind_of(value),
            tuple(sorted(_token(entry) for entry in entries)),
            _shown(value, entries),
            attributes_beside(value),
            is_mutable=isinstance(value, set),
            is_container=True,
            size=len(entries),
        )
    if isinstance(value, bytearray | array.array | memoryview):
        raw = bytes(value)
        size = len(value)
        return Reading(
            type(value).__name__,
            raw,
            described(value),
            is_mutable=True,
            is_container=True,
            size=size,
        )
    if isinstance(value, _WEAK):
        size = len(list(value))
        words = Described(f"<{type(value).__name__} of {size}>")
        kind = type(value).__name__
        return Reading(kind, size, words, is_mutable=True, is_container=True, size=size)
    return None


def _read_mapping(value: Any, _: Surroundings) -> Reading:
    entries = list(itertools.islice(value.items(), LONGEST))
    parts: dict[str, object] = {}
    for key, entry in entries:
        edge = name = f"[{_key(key)}]"
        number = 1
        while edge in parts:  # different keys that look the same
            number += 1
            edge = f"{name}#{number}"
        parts[edge] = entry
    flat = [each for pair in entries for each in pair]
    return Reading(
        _kind_of(value),
        (len(value), frozenset(parts)),
        _shown(value, flat),
        (*parts.items(), *attributes_beside(value)),
        is_mutable=True,
        is_container=True,
        size=len(value),
    )


def _read_sequence(value: Any, _: Surroundings) -> Reading:
    entries = list(itertools.islice(value, LONGEST))
    names: tuple[str, ...] = getattr(value, "_fields", ()) if isinstance(value, tuple) else ()
    if len(names) == len(entries):
        edges = [f".{name}" for name in names]
    else:
        edges = [f"[{place}]" for place in range(len(entries))]
    return Reading(
        _kind_of(value),
        len(value),
        _shown(value, entries),
        (*zip(edges, entries, strict=True), *attributes_beside(value)),
        is_mutable=not isinstance(value, tuple),
        is_container=True,
        size=len(value),
    )


def read_callable(value: Any, _: Surroundings | None = None) -> Reading | None:
    """Read what can be called: which function it is, of what, with what filled in."""
    if isinstance(value, types.MethodType):
        name = f"{value.__func__.__module__}.{value.__func__.__qualname__}"
        shown = Described(f"<method {_last_name(value.__func__)}>")
        return Reading("method", name, shown, ((".__self__", value.__self__),))
    if isinstance(value, types.FunctionType):
        code = value.__code__
        parts: list[tuple[str, object]] = []
        for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=False):
            try:
                parts.append((f".<{name}>", cell.cell_contents))
            except ValueError:  # a variable that has no value yet
                parts.append((f".<{name}>", None))
        where = (code.co_filename, code.co_firstlineno, code.co_qualname)
        shown = Described(f"<function {_last_name(value)}>")
        return Reading("function", where, shown, tuple(parts))
    if isinstance(value, functools.partial):
        filled = (*value.args, *value.keywords.values())
        return Reading(
            "partial",
            (len(value.args), tuple(sorted(value.keywords))),
            brief(f"<partial of {getattr(value.func, '__name__', 'a callable')}>"),
            (
                (".func", value.func),
                *((f".args[{place}]", entry) for place, entry in enumerate(filled)),
            ),
        )
    if inspect.isroutine(value):
        name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
        return Reading("builtin", name, Described(f"<{name.strip('.')}>"))
    return None


def read_odd(value: Any, around: Surroundings) -> Reading | None:
    """Read what is neither a plain value nor an object with attributes."""
    if isinstance(value, weakref.ref):
        target = value()
        words = "to nothing any more" if target is None else f"to a {type(target).__name__}"
        return Reading("weakref", words, Described(f"<weakref {words}>"))
    if isinstance(value, types.GeneratorType):
        frame = value.gi_frame
        state = "over" if frame is None else f"at line {frame.f_lineno}"
        place = -1 if frame is None else frame.f_lasti
        words = Described(f"<generator {value.__name__}, {state}>")
        return Reading("generator", (value.__qualname__, place), words, is_mutable=True)
    if isinstance(value, types.CoroutineType | types.AsyncGeneratorType):
        return Reading("coroutine", value.__qualname__, described(value))
    return _read_state(value, around)


def _read_state(value: Any, _: Surroundings) -> Reading | None:
    """Read what goes on when it is used: dice, counters, iterators; and plain namespaces."""
    if isinstance(value, random.Random):
        words = Described(f"<{type(value).__name__} that has rolled>")
        state_now = () if isinstance(value, random.SystemRandom) else value.getstate()
        return Reading("random", state_now, words, is_mutable=True)
    if isinstance(value, itertools.count):
        return Reading("count", repr(value), described(value), is_mutable=True)
    if isinstance(value, types.SimpleNamespace):
        return Reading(
            "namespace",
            parts=attributes_beside(value),
            shown=described(value),
            is_mutable=True,
            has_attributes=True,
        )
    if type(value).__module__ == "builtins" and hasattr(type(value), "__length_hint__"):
        left = operator.length_hint(value, -1)
        words = Described(f"<{type(value).__name__} with {left} left>")
        return Reading(type(value).__name__, left, words, is_mutable=True)
    return None


def attributes_beside(value: object) -> tuple[tuple[str, object], ...]:
    """Return the attributes that a subclass of a container has beside its entries."""
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return ()
    return tuple((f".{name}", part) for name, part in dict.items(own))


def _kind_of(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ in {"builtins", "collections"} else full_name(kind)


def _key(key: object) -> str:
    if isinstance(key, enum.Enum):
        return f"{type(key).__name__}.{key._name_}"
    if type(key) in _NUMBERS | _ATOMS or (isinstance(key, tuple) and all(map(_is_plain, key))):
        return brief(repr(key))
    return f"<{type(key).__name__}>"


def _token(entry: object) -> tuple[str, str]:
    """Return what stands for an entry of a set."""
    if type(entry) in _NUMBERS:  # equal ones have equal hashes; NaN equals nothing else
        return "number", "nan" if entry != entry else str(hash(entry))  # noqa: PLR0124
    if _is_plain(entry):
        return type(entry).__name__, repr(entry)
    if isinstance(entry, tuple):
        return "tuple", repr([_token(each) for each in entry])
    return full_name(type(entry)), ""


def _is_plain(entry: object) -> bool:
    return type(entry) in _NUMBERS | _ATOMS or isinstance(entry, enum.Enum)


def _shown(value: Any, entries: list[Any]) -> object:
    """Return a container as a report shows it: a copy, if it is small and plain."""
    if len(entries) <= _FEW and all(map(_is_plain, entries)):
        if type(value) in {list, dict, set, tuple, frozenset}:
            return value.copy() if isinstance(value, list | dict | set) else value
        return described(value)
    size = len(value)
    entry = "entry" if size == 1 else "entries"
    if size <= _FEW:
        kinds = ", ".join(f"<{type(each).__name__}>" for each in entries[:3])
        more = ", ..." if len(entries) > 3 else ""  # noqa: PLR2004 - enough to recognise it
        return Described(f"<{type(value).__name__} of {size} {entry}: {kinds}{more}>")
    return Described(f"<{type(value).__name__} of {size} {entry}>")


def _last_name(function: Any) -> str:
    name: str = function.__qualname__
    return name.rpartition("<locals>.")[2]
