"""Fields: what a class declares with a type and a default is as good as new in every life."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from poolkit.core.hooks import IPoolableComponent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

copiers: dict[type, Callable[[Any], Any]] = {
    list: lambda values: [copy_for_life(value) for value in values],
    dict: lambda values: {key: copy_for_life(value) for key, value in values.items()},
    set: set,
}
"""How to copy values for each life, by their types; values of other types are shared."""


def copy_for_life(value: Any) -> Any:
    """Return a value of a prefab's data, or of a field, for one life alone."""
    copier = copiers.get(type(value))
    return value if copier is None else copier(value)


def copy_given(value: Any, default: Any) -> Any:
    """Return what a spawn gave for a field, for one life alone.

    Where each life has a copy of the default, what isn't such a value itself is made one, of the
    type of the default: a pair a vector, the name of a colour a colour.
    """
    copier = copiers.get(type(value))
    if copier is None and value is not None:
        copier = copiers.get(type(default))
    return value if copier is None else copier(value)


def _copy_of(value: Any) -> str:
    """Return how a value is copied for each life, as source with a place for the value."""
    if type(value) not in copiers:
        return "{}"
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    is_deep = any(type(part) in copiers for part in parts)
    # As you would by hand, which takes a quarter of the time.
    return "copy_for_life({})" if is_deep or not hasattr(value, "copy") else "{}.copy()"


class FieldPlace(NamedTuple):
    """Where a field of an instance is, and how its value is handed out."""

    place: int  # of its component
    name: str
    copy: str  # how each life gets its value, in the source of a plan: "{}" as it is
    is_simple: bool  # whether what a spawn gives is handed out as it is: a number or a text


def field_at(place: int, name: str, value: Any) -> FieldPlace:
    """Return where a field is that a constructor has left at `value`."""
    return FieldPlace(place, name, _copy_of(value), isinstance(value, _SIMPLE))


_SIMPLE = int | float | str | bytes | Enum
_NO_FIELD = re.compile(r"(\w+\.)*(ClassVar|Final|InitVar|KW_ONLY)\b")
_by_class: WeakKeyDictionary[type, Mapping[str, Any]] = WeakKeyDictionary()


def fields_of(cls: type) -> Mapping[str, Any]:
    """Return the fields of a class and its bases with their defaults.

    Left out: what pygame and poolkit declare themselves, what has no default, constants
    of the class (`ClassVar`, `Final`), methods and properties.
    """
    fields = _by_class.get(cls)
    if fields is None:
        fields = _by_class[cls] = _read_fields(cls) if _is_of_game(cls) else {}
    return fields


def _is_of_game(cls: type) -> bool:
    return cls.__module__.partition(".")[0] not in {"poolkit", "pygame", "builtins"}


def _read_fields(cls: type) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    reserved = {"__slots__", "__match_args__", *dir(IPoolableComponent)}
    for base in reversed(cls.__mro__):
        members = vars(base)
        annotations = annotations_of(base)
        if not _is_of_game(base):
            reserved |= {*annotations, *members}
            continue
        for name in {**annotations, **members}:
            if name in annotations and _is_constant(annotations[name]):
                fields.pop(name, None)
            elif (name in annotations or name in fields) and name not in reserved:
                default = _default_of(name, members)
                if default is not _NOTHING:
                    fields[name] = default
                elif name in members:  # a method or a property takes its place
                    fields.pop(name, None)
    return fields


def _default_of(name: str, members: Mapping[str, Any]) -> Any:
    """Return the default of a field in the class with these members, if it has one."""
    default = members.get(name, _NOTHING)
    declared = members.get("__dataclass_fields__", {}).get(name)
    if declared is not None and (default is _NOTHING or hasattr(type(default), "__get__")):
        if declared.default_factory is not _NOTHING:
            return declared.default_factory()
        default = declared.default  # the class has a slot or nothing in its place
    return _NOTHING if hasattr(type(default), "__get__") else default


_NOTHING = dataclasses.MISSING


def annotations_of(cls: type) -> dict[str, Any]:
    """Return the annotations of a class itself, as it has them: texts or types."""
    if sys.version_info >= (3, 14):  # there, names that can't be resolved yet would raise
        import annotationlib  # noqa: PLC0415

        return annotationlib.get_annotations(cls, format=annotationlib.Format.STRING)
    return inspect.get_annotations(cls)


def _is_constant(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else repr(annotation)
    return _NO_FIELD.match(text.strip("'\"")) is not None
