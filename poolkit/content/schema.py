"""The signature is the schema: what hooks, constructors and fields take from a file.

A `ValueType` for each annotation says it in words, converts values, and describes them to editors.
"""

from __future__ import annotations

import contextlib
import dis
import enum
import inspect
import math
import sys
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import pygame

from poolkit.content.faults import misfit
from poolkit.core.fields import annotations_of, fields_of
from poolkit.core.hooks import IPoolableComponent, functions_of
from poolkit.core.plan import BUILT_IN_DATA, OPTIONS
from poolkit.core.prefab import Prefab
from poolkit.sprites.position import Position
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from poolkit.content.prefab_file import Source

BUDGETS = "budgets"
"""The table of a file that is no prefab."""


@dataclass(frozen=True)
class ValueType:
    """What fits one annotation.

    Attributes:
        words: What is expected, for messages: "a whole number".
        convert: Returns a value of a file as the code wants it; a `ValueError` says what is wrong
            with it, without words that it is not of this type at all.
        schema: The same as JSON schema.
        tiled: The same as a property type of Tiled.
        exact: The type whose values it takes as they are, but for what is not a number.
    """

    words: str
    convert: Callable[[Any, Source], Any]
    schema: Mapping[str, Any] = field(default_factory=dict)
    tiled: str = "string"
    exact: type | None = None


def _check(is_good: object) -> None:
    if not is_good:
        raise ValueError


def _whole(value: Any, _: Source) -> int:
    _check(isinstance(value, int) and not isinstance(value, bool))
    return int(value)


def _number(value: Any, _: Source) -> float:
    _check(isinstance(value, int | float) and not isinstance(value, bool))
    _check(not math.isnan(value))
    return float(value)


def _plain(cls: type) -> Callable[[Any, Source], Any]:
    def convert(value: Any, _: Source) -> Any:
        _check(isinstance(value, cls))
        return value

    return convert


def _color(value: Any, source: Source) -> pygame.Color:
    if isinstance(value, list):
        _check(len(value) in {3, 4})
        value = [_whole(part, source) for part in value]
    else:
        _check(isinstance(value, str))
        if value.startswith("#") and len(value) == len("#AARRGGBB"):
            value = f"#{value[3:]}{value[1:3]}"  # Tiled puts alpha first
    return pygame.Color(value)  # a ValueError names what it can't read


def _list_of(item: ValueType, make: Callable[[Any], Any]) -> ValueType:
    def convert(value: Any, source: Source) -> Any:
        _check(isinstance(value, list))
        return make([item.convert(inner, source) for inner in value])

    return ValueType(f"a list of {item.words}", convert, {"type": "array", "items": item.schema})


def _row_of(items: Sequence[ValueType], make: Callable[[Any], Any] = tuple) -> ValueType:
    def convert(value: Any, source: Source) -> Any:
        _check(isinstance(value, list) and len(value) == len(items))
        return make([item.convert(inner, source) for item, inner in zip(items, value, strict=True)])

    words = [item.words for item in items]
    is_uniform = len(set(words)) == 1
    listed = f"{len(items)}, each {words[0]}" if is_uniform else ", ".join(words) or "nothing"
    size = {"type": "array", "minItems": len(items), "maxItems": len(items)}
    schema = {**size, "prefixItems": [item.schema for item in items]}
    return ValueType(f"a list of {listed}", convert, schema)


def _table_of(item: ValueType) -> ValueType:
    def convert(value: Any, source: Source) -> Any:
        _check(isinstance(value, dict))
        return {name: item.convert(inner, source) for name, inner in value.items()}

    schema = {"type": "object", "additionalProperties": item.schema}
    return ValueType(f"a table of {item.words}", convert, schema)


def _one_of(values: Mapping[Any, Any] | Sequence[Any]) -> ValueType:
    names = list(values)
    objects = list(values.values()) if isinstance(values, Mapping) else names

    def convert(value: Any, _: Source) -> Any:
        for name, thing in zip(names, objects, strict=True):
            if name == value and type(name) is type(value):  # True is 1
                return thing
        raise ValueError

    return ValueType(f"one of {', '.join(map(repr, names))}", convert, {"enum": names})


def _any_of(items: Sequence[ValueType]) -> ValueType | None:
    if len(items) <= 1:
        return items[0] if items else None

    def convert(value: Any, source: Source) -> Any:
        for item in items:
            try:
                return item.convert(value, source)
            except ValueError as error:
                refused = error
        raise refused

    words = " or ".join(item.words for item in items)
    return ValueType(words, convert, {"anyOf": [item.schema for item in items]}, items[0].tiled)


ANYTHING = ValueType("any value", lambda value, _: value)
LIST = ValueType("a list", _plain(list), {"type": "array"})
TABLE = ValueType("a table", _plain(dict), {"type": "object"})
SWITCH = ValueType("true or false", _plain(bool), {"type": "boolean"}, "bool", bool)
_WHOLE = ValueType("a whole number", _whole, {"type": "integer"}, "int", int)
_NUMBER = ValueType("a number", _number, {"type": "number"}, "float", float)
_TEXT = ValueType("a text", _plain(str), {"type": "string"}, exact=str)
_COLOR = {"anyOf": [_TEXT.schema, {"type": "array", "items": _WHOLE.schema}]}
_TYPES: dict[Any, ValueType] = {
    Any: ANYTHING,
    object: ANYTHING,
    bool: SWITCH,
    int: _WHOLE,
    float: _NUMBER,
    str: _TEXT,
    dict: TABLE,
    list: LIST,
    **{cls: replace(_list_of(ANYTHING, cls), words="a list") for cls in (set, tuple)},
    **{
        cls: replace(_row_of([_NUMBER] * 2, cls), words="two numbers, as [3, 4]")
        for cls in (pygame.Vector2, Position)
    },
    **{
        cls: replace(_row_of([_NUMBER] * 4, cls), words="four numbers, as [0, 0, 16, 16]")
        for cls in (pygame.FRect, pygame.Rect)
    },
    pygame.Color: ValueType(
        'a color, as "gold", "#ffd700" or [255, 215, 0]', _color, _COLOR, "color"
    ),
    pygame.Surface: ValueType(
        "the path of a picture", lambda path, source: source.picture(path), _TEXT.schema, "file"
    ),
    Prefab: ValueType(
        "the name of a prefab", lambda name, source: source.prefab(name), _TEXT.schema
    ),
}
_NEVER_LOOKED_UP = (str, typing.ForwardRef, TypeVar)


def type_for(annotation: Any) -> ValueType | None:
    """Return what fits an annotation; `None`: nothing in a file does."""
    if annotation in (inspect.Parameter.empty, None) or isinstance(annotation, _NEVER_LOOKED_UP):
        return ANYTHING
    origin = typing.get_origin(annotation)
    if origin not in {None, Prefab}:
        return _type_of_several(origin, typing.get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return _one_of({value.name: value for value in annotation})
    return _TYPES.get(origin or annotation) if isinstance(annotation, Hashable) else None


def _type_of_several(origin: Any, inner: tuple[Any, ...]) -> ValueType | None:
    if origin is typing.Annotated:
        return type_for(inner[0])
    if origin is Literal:
        return _one_of(inner)
    types_of_items = [type_for(item) for item in inner if item not in (Ellipsis, type(None))]
    items = [item for item in types_of_items if item is not None]
    if origin in {typing.Union, types.UnionType}:
        return _any_of(items)
    if len(items) < len(types_of_items) or not isinstance(origin, type):
        return None
    return _container(origin, items, is_row=origin is tuple and inner[-1:] != (Ellipsis,))


def _container(origin: type, items: list[ValueType], *, is_row: bool) -> ValueType | None:
    if is_row:
        return _row_of(items)
    with contextlib.suppress(TypeError):  # of protocols that aren't for `issubclass`
        for make in (tuple, list, set, frozenset):  # the one it is, or that does for `Iterable`
            if origin is make or (make is not tuple and issubclass(make, origin)):
                return _list_of(items[0], make)
        if issubclass(dict, origin):
            return _table_of(items[-1])
    return None


# -- what may be given by name ----------------------------------------------------------------


class Parameter(NamedTuple):
    """What a file may give by name: a parameter of a hook or a constructor, or a class's field."""

    name: str
    type: ValueType | None  # `None`: it can't come from a file
    default: Any = None  # `inspect.Parameter.empty`: no default; `None` does for ``X | None``
    is_optional: bool = True  # for tools: it may be left out

    def convert(self, value: Any, source: Source) -> Any:
        """Return a value as the code wants it; a `ValueError` says what is wrong with it."""
        if self.type is None:
            message = f"{self.name} can't come from a file: give it in code"
            raise ValueError(message)
        try:
            return self.type.convert(value, source)
        except (ValueError, TypeError, OverflowError) as error:  # the latter two are Python's
            raise ValueError(misfit(value, self.type.words, str(error))) from None


class Accepted(NamedTuple):
    """The parameters that something has, and whether it takes any other name as well."""

    parameters: Mapping[str, Parameter]
    takes_any: bool = False


_by_call: WeakKeyDictionary[Any, Accepted] = WeakKeyDictionary()


def accepted_by(call: Callable[..., Any]) -> Accepted:
    """Return what a class or another callable takes by name."""
    accepted = _by_call.get(call)
    if accepted is None:
        has_init = isinstance(call, type) and call.__init__ is not object.__init__  # type: ignore[misc]
        accepted = _accepted_along(call, "__init__") if has_init else _accepted_by_function(call)
        _by_call[call] = accepted
    return accepted


def _accepted_along(cls: Any, name: str, function: Any = None) -> Accepted:
    """Return what a method takes: its own parameters, and those of bases that it hands `**` to.

    Args:
        cls: The class.
        name: The name of the method.
        function: Where to begin, if it is not what `cls` itself has by that name.
    """
    parameters: dict[str, Parameter] = {}
    methods = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    if function is not None:
        methods = methods[methods.index(function) :]
    passed: set[str] = set()  # names that methods give themselves as they call their base's
    for method in methods:
        if method in {IPoolableComponent.spawned, object.__init__}:
            break
        accepted = _accepted_by_function(method, is_method=True)
        for key, parameter in accepted.parameters.items():
            is_optional = parameter.is_optional or key in passed
            parameters.setdefault(key, parameter._replace(is_optional=is_optional))
        code = getattr(inspect.unwrap(method), "__code__", None)
        if not accepted.takes_any or code is None or name not in code.co_names:
            return Accepted(parameters, accepted.takes_any)
        for constant in code.co_consts:
            passed.update(constant if isinstance(constant, tuple) else [constant])
    return Accepted(parameters, takes_any=True)  # what the last one hands on is for nobody we know


_WITHOUT_NAME = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL}
_IMAGE = (PooledSprite.__init__.__qualname__, "image")  # which may be groups in code


def _accepted_by_function(function: Any, *, is_method: bool = False) -> Accepted:
    try:
        signature = list(inspect.signature(function).parameters.values())[is_method:]
    except (TypeError, ValueError):  # written in C
        return Accepted({}, takes_any=True)
    parameters: dict[str, Parameter] = {}
    takes_any = False
    for parameter in signature:
        name, default = parameter.name, parameter.default
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_any = True
        elif parameter.kind not in _WITHOUT_NAME:
            annotation = _evaluated(parameter.annotation, _globals_of(function))
            if (getattr(function, "__qualname__", ""), name) == _IMAGE:
                annotation = pygame.Surface
            is_optional = default is not parameter.empty
            if not is_optional and type(None) in typing.get_args(annotation):
                default = None  # which no file can say
            parameters[name] = Parameter(name, type_for(annotation), default, is_optional)
    return Accepted(parameters, takes_any)


def _globals_of(function: Any) -> Any:
    return getattr(inspect.unwrap(function), "__globals__", {})


def _evaluated(annotation: Any, names: Any, inner_names: Any = None) -> Any:
    if isinstance(annotation, str):  # from __future__ import annotations
        try:
            # The game's own code, not the file's.
            return eval(annotation, dict(names), inner_names)  # noqa: S307
        except Exception:  # imported for type checkers alone, say
            return inspect.Parameter.empty
    return annotation


def class_made_by(maker: Callable[..., Any]) -> type | None:
    """Return what a class or a factory makes, as far as its annotation says."""
    if not isinstance(maker, type):
        annotation = getattr(maker, "__annotations__", {}).get("return")
        maker = _evaluated(annotation, _globals_of(maker))
    return maker if isinstance(maker, type) else None


_by_component: WeakKeyDictionary[type, tuple[Any, Accepted]] = WeakKeyDictionary()


def accepted_data(classes: Iterable[type]) -> Accepted:
    """Return the spawn data that hooks and fields of classes take together."""
    return _together([_data_of(cls) for cls in classes if issubclass(cls, IPoolableComponent)])


def _data_of(cls: type[IPoolableComponent]) -> Accepted:
    hook, accepted = _by_component.get(cls, (None, None))
    if accepted is None or hook is not cls.spawned:  # a test may replace it
        functions = functions_of(cls, "spawned")  # of its mixins, and its own
        hooks = _together([_accepted_along(cls, "spawned", function) for function in functions])
        fields = _fields_of(cls)
        for name in fields.keys() & hooks.parameters.keys():
            narrow = _both(fields[name], hooks.parameters[name])
            fields[name] = fields[name]._replace(type=narrow.type)
        parameters = {
            name: parameter
            for name, parameter in {**hooks.parameters, **fields}.items()
            if name not in OPTIONS.union(BUILT_IN_DATA)
        }
        accepted = Accepted(parameters, hooks.takes_any)
        _by_component[cls] = cls.spawned, accepted
    return accepted


def _fields_of(cls: type) -> dict[str, Parameter]:
    """Return the fields of a class that a spawn may give."""
    annotated = [(base, annotations_of(base)) for base in cls.__mro__]
    fields = {}
    for name, default in fields_of(cls).items():
        if not name.startswith("_"):
            base, annotations = next(pair for pair in annotated if name in pair[1])
            names = getattr(sys.modules.get(base.__module__), "__dict__", {})
            value_type = type_for(_evaluated(annotations[name], names, dict(vars(base))))
            fields[name] = Parameter(name, value_type, default)
    return fields


def _together(several: Sequence[Accepted]) -> Accepted:
    merged: dict[str, Parameter] = {}
    for accepted in several:
        for name, parameter in accepted.parameters.items():
            merged[name] = _both(merged[name], parameter) if name in merged else parameter
    return Accepted(merged, any(accepted.takes_any for accepted in several))


def _both(one: Parameter, other: Parameter) -> Parameter:
    """Return what suits two of the same name: the one that says more."""
    narrow = other if one.type is ANYTHING else one
    return narrow._replace(is_optional=one.is_optional and other.is_optional)


# -- priorities, as `recycle_lowest` names them -----------------------------------------------


class Priority:
    """Returns what an attribute of an instance is, or that of the component that has it."""

    def __init__(self, path: str) -> None:
        self.path: str = path
        self._get = attrgetter(path)

    def __call__(self, instance: Any) -> Any:
        """Return the priority of an instance."""
        try:
            return self._get(instance)
        except AttributeError:
            for component in getattr(instance, "components", ()):
                with contextlib.suppress(AttributeError):
                    return self._get(component)
            raise


def attributes_of(classes: Iterable[type]) -> set[str]:
    """Return the names of all attributes that classes have, annotate, or set in their methods."""
    names: set[str] = set()
    for cls in classes:
        names.update(dir(cls))
        for base in cls.__mro__:
            names.update(vars(base).get("__annotations__", ()))
            for method in vars(base).values():
                if isinstance(method, types.FunctionType):
                    steps = dis.get_instructions(method)
                    names.update(step.argval for step in steps if step.opname == "STORE_ATTR")
    return names
