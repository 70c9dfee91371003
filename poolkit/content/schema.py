"""The signature is the schema: what a parameter of a hook or a constructor takes from a file.

One `Kind` for each annotation says it in words, takes a value, and describes itself to editors.
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
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

import pygame

from poolkit.core.fields import annotations_of
from poolkit.core.fields import fields_of as declared_by
from poolkit.core.hooks import IPoolableComponent, functions_of
from poolkit.core.plan import BUILT_IN_DATA, OPTIONS
from poolkit.core.prefab import Prefab
from poolkit.sprites.position import Position
from poolkit.sprites.sprite import PooledSprite

BUDGETS = "budgets"
"""The table of a file that is no prefab."""


class Source(Protocol):
    """What a value may refer to: where the file lies, and what else it defines."""

    def picture(self, path: str) -> pygame.Surface:
        """Return a picture; a `ValueError` says what is wrong with it."""

    def prefab(self, name: str) -> Prefab[Any]:
        """Return a prefab; a `ValueError` says which name is near."""


@dataclass(frozen=True)
class Kind:
    """What fits one annotation.

    Attributes:
        words: What is expected, for messages: "a whole number".
        take: Returns the value as the code wants it; a `ValueError` says what is wrong with it,
            without words that it is not of this kind at all.
        schema: The same as JSON schema.
        tiled: The same as a property type of Tiled.
        exact: The type whose values it takes as they are, but for what is not a number.
    """

    words: str
    take: Callable[[Any, Source], Any]
    schema: Mapping[str, Any] = field(default_factory=dict)
    tiled: str = "string"
    exact: type | None = None


def _check(is_good: object) -> None:
    if not is_good:
        raise ValueError


def _take_whole(value: Any, _: Source) -> int:
    _check(isinstance(value, int) and not isinstance(value, bool))
    return int(value)


def _take_number(value: Any, _: Source) -> float:
    _check(isinstance(value, int | float) and not isinstance(value, bool))
    _check(not math.isnan(value))
    return float(value)


def _take_plain(kind: type) -> Callable[[Any, Source], Any]:
    def take(value: Any, _: Source) -> Any:
        _check(isinstance(value, kind))
        return value

    return take


def _take_pair(make: Callable[[Sequence[float]], Any]) -> Callable[[Any, Source], Any]:
    def take(value: Any, source: Source) -> Any:
        _check(isinstance(value, list) and len(value) == 2)  # noqa: PLR2004 - a pair
        return make([_take_number(each, source) for each in value])

    return take


def _take_color(value: Any, source: Source) -> pygame.Color:
    if isinstance(value, list):
        _check(len(value) in {3, 4})
        value = [_take_whole(each, source) for each in value]
    else:
        _check(isinstance(value, str))
        if value.startswith("#") and len(value) == len("#AARRGGBB"):
            value = f"#{value[3:]}{value[1:3]}"  # Tiled puts alpha first
    return pygame.Color(value)  # a ValueError names what it can't read


def _take_picture(value: Any, source: Source) -> pygame.Surface:
    _check(isinstance(value, str))
    return source.picture(value)


def _take_prefab(value: Any, source: Source) -> Prefab[Any]:
    _check(isinstance(value, str))
    return source.prefab(value)


def _take_anything(value: Any, _: Source) -> Any:
    return value


ANYTHING = Kind("any value", _take_anything)
_NUMBERS = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_TEXT: dict[str, Any] = {"type": "string"}
_COLOR = Kind(
    'a color, as "gold", "#ffd700" or [255, 215, 0]',
    _take_color,
    {"anyOf": [_TEXT, {"type": "array", "items": {"type": "integer"}}]},
    "color",
)
_PAIR = "two numbers, as [3, 4]"
_KINDS: dict[Any, Kind] = {
    Any: ANYTHING,
    object: ANYTHING,
    bool: Kind("true or false", _take_plain(bool), {"type": "boolean"}, "bool", bool),
    int: Kind("a whole number", _take_whole, {"type": "integer"}, "int", int),
    float: Kind("a number", _take_number, {"type": "number"}, "float", float),
    str: Kind("a text", _take_plain(str), _TEXT, exact=str),
    dict: Kind("a table", _take_plain(dict), {"type": "object"}),
    list: Kind("a list", _take_plain(list), {"type": "array"}),
    set: Kind("a list", lambda value, _: set(_take_plain(list)(value, _)), {"type": "array"}),
    tuple: Kind("a list", lambda value, _: tuple(_take_plain(list)(value, _)), {"type": "array"}),
    pygame.Color: _COLOR,
    pygame.Vector2: Kind(_PAIR, _take_pair(pygame.Vector2), _NUMBERS),
    Position: Kind(_PAIR, _take_pair(Position), _NUMBERS),
    pygame.Surface: Kind("the path of a picture", _take_picture, _TEXT, "file"),
    Prefab: Kind("the name of a prefab", _take_prefab, _TEXT),
}


_UNKNOWN = (str, typing.ForwardRef, TypeVar)  # names that were never looked up


def kind_of(annotation: Any) -> Kind | None:
    """Return what fits an annotation; `None`: nothing in a file does."""
    if annotation in (inspect.Parameter.empty, None) or isinstance(annotation, _UNKNOWN):
        return ANYTHING
    if typing.get_origin(annotation) is not None:
        return _kind_of_several(typing.get_origin(annotation), typing.get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return _one_of({each.name: each for each in annotation})
    return _KINDS.get(annotation) if isinstance(annotation, Hashable) else None


def _kind_of_several(origin: Any, inner: tuple[Any, ...]) -> Kind | None:
    if origin is typing.Annotated:
        return kind_of(inner[0])
    if origin is Literal:
        return _one_of({each: each for each in inner})
    if origin in {typing.Union, types.UnionType}:
        return _any_of([kind_of(each) for each in inner if each is not type(None)])
    if origin is Prefab:
        return _KINDS[Prefab]
    return _container(origin, inner)


def _one_of(values: dict[Any, Any]) -> Kind:
    def take(value: Any, _: Source) -> Any:
        for key, meant in values.items():
            if key == value and type(key) is type(value):
                return meant
        raise ValueError

    words = f"one of {', '.join(map(repr, values))}"
    return Kind(words, take, {"enum": list(values)}, "string")


def _any_of(several: Sequence[Kind | None]) -> Kind | None:
    kinds = [kind for kind in several if kind is not None]
    if len(kinds) <= 1:
        return kinds[0] if kinds else None

    def take(value: Any, source: Source) -> Any:
        for kind in kinds:
            try:
                return kind.take(value, source)
            except ValueError as error:
                said = error
        raise said

    words = " or ".join(kind.words for kind in kinds)
    return Kind(words, take, {"anyOf": [kind.schema for kind in kinds]}, kinds[0].tiled)


def _container(origin: Any, inner: tuple[Any, ...]) -> Kind | None:
    if not isinstance(origin, type):
        return None
    if origin is tuple and inner[-1:] != (Ellipsis,):
        return _row_of([kind_of(each) for each in inner])
    for make in (tuple, list, set, frozenset):  # the one that it is, or that does for `Iterable`
        if origin is make or (make is not tuple and issubclass(make, origin)):
            return _list_of(kind_of(inner[0]), make)
    return _table_of(kind_of(inner[-1])) if issubclass(dict, origin) else None


def _table_of(kind: Kind | None) -> Kind | None:
    if kind is None:
        return None

    def take(value: Any, source: Source) -> Any:
        _check(isinstance(value, dict))
        return {name: kind.take(each, source) for name, each in value.items()}

    schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(f"a table of {kind.words}", take, schema)


def _row_of(several: Sequence[Kind | None]) -> Kind | None:
    kinds = [kind for kind in several if kind is not None]
    if len(kinds) < len(several):
        return None

    def take(value: Any, source: Source) -> Any:
        _check(isinstance(value, list) and len(value) == len(kinds))
        return tuple(kind.take(each, source) for kind, each in zip(kinds, value, strict=True))

    inside = [kind.words for kind in kinds]
    is_uniform = len(set(inside)) == 1
    words = f"{len(kinds)}, each {inside[0]}" if is_uniform else ", ".join(inside)
    words = f"a list of {words}"
    items = {"type": "array", "minItems": len(kinds), "maxItems": len(kinds)}
    return Kind(words, take, {**items, "prefixItems": [kind.schema for kind in kinds]})


def _list_of(kind: Kind | None, make: Any) -> Kind | None:
    if kind is None:
        return None

    def take(value: Any, source: Source) -> Any:
        _check(isinstance(value, list))
        return make(kind.take(each, source) for each in value)

    return Kind(f"a list of {kind.words}", take, {"type": "array", "items": kind.schema})


# -- signatures -------------------------------------------------------------------------------


class Field(NamedTuple):
    """One thing that a file may say: a parameter of a hook or a constructor, or a class's field."""

    name: str
    kind: Kind | None  # `None`: it can't come from a file
    default: Any  # `Parameter.empty`: no default; `None` does for ``X | None``
    is_optional: bool  # for tools: it may be left out
    is_declared: bool = False  # by a class, which has a value for it in any life


_BY_PLACE = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL}


_known: WeakKeyDictionary[Any, tuple[dict[str, Field], bool]] = WeakKeyDictionary()


def fields_of(call: Callable[..., Any]) -> tuple[dict[str, Field], bool]:
    """Return what a callable takes by name, and whether it takes any other name as well."""
    if call not in _known:
        has_init = isinstance(call, type) and call.__init__ is not object.__init__  # type: ignore[misc]
        _known[call] = _fields_along(call, "__init__") if has_init else _fields_of(call)
    return _known[call]


def _fields_along(kind: Any, name: str, function: Any = None) -> tuple[dict[str, Field], bool]:
    """Return what a method takes: its own parameters, and those of bases that it hands `**` to.

    Args:
        kind: The class.
        name: The name of the method.
        function: Where to begin, if it is not what `kind` itself has by that name.
    """
    fields: dict[str, Field] = {}
    methods = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
    if function is not None:
        methods = methods[methods.index(function) :]
    handed: set[str] = set()  # names that methods say themselves as they call their base's
    for method in methods:
        if method in {IPoolableComponent.spawned, object.__init__}:
            break
        without = BUILT_IN_DATA if name == "spawned" else ()
        own, takes_any = _fields_of(method, is_method=True, without=without)
        for key, one in own.items():
            fields.setdefault(key, one._replace(is_optional=one.is_optional or key in handed))
        code = getattr(inspect.unwrap(method), "__code__", None)
        if not takes_any or code is None or name not in code.co_names:
            return fields, takes_any
        for constant in code.co_consts:
            handed.update(constant if isinstance(constant, tuple) else [constant])
    return fields, True  # what the last one hands on is for nobody that we know


def _fields_of(
    function: Any, *, is_method: bool = False, without: Iterable[str] = ()
) -> tuple[dict[str, Field], bool]:
    try:
        parameters = list(inspect.signature(function).parameters.values())[is_method:]
    except (TypeError, ValueError):  # written in C
        return {}, True
    fields: dict[str, Field] = {}
    takes_any = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_any = True
        elif parameter.kind not in _BY_PLACE and parameter.name not in without:
            annotation = _annotation_of(parameter, function)
            default, has_default = parameter.default, parameter.default is not parameter.empty
            if not has_default and type(None) in typing.get_args(annotation):
                default = None  # which no file can say
            name = parameter.name
            fields[name] = Field(name, kind_of(annotation), default, is_optional=has_default)
    return fields, takes_any


def _annotation_of(parameter: inspect.Parameter, function: Any) -> Any:
    if (getattr(function, "__qualname__", ""), parameter.name) == _IMAGE:
        return pygame.Surface
    return _evaluated(parameter.annotation, _globals_of(function))


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


_IMAGE = (PooledSprite.__init__.__qualname__, "image")  # which may be groups in code


_known_hooks: WeakKeyDictionary[type, tuple[Any, tuple[dict[str, Field], bool]]]
_known_hooks = WeakKeyDictionary()


def _accepted_by(kind: type) -> tuple[dict[str, Field], bool]:
    """Return the spawn data that a class of components takes by its hooks and its fields."""
    hook = kind.spawned  # type: ignore[attr-defined]  # a test may replace it
    if kind not in _known_hooks or _known_hooks[kind][0] is not hook:
        functions = functions_of(kind, "spawned")  # of its mixins, and its own
        several = [_fields_along(kind, "spawned", function) for function in functions]
        merged = _merged([*several, (_declared_fields(kind), False)])
        _known_hooks[kind] = hook, merged
    return _known_hooks[kind][1]


def _declared_fields(kind: type) -> dict[str, Field]:
    """Return the fields of a class that a spawn may give."""
    annotated = [(base, annotations_of(base)) for base in kind.__mro__]
    fields = {}
    for name, default in declared_by(kind).items():
        if not name.startswith("_") and name not in OPTIONS.union(BUILT_IN_DATA):
            base, annotations = next(pair for pair in annotated if name in pair[1])
            names = getattr(sys.modules.get(base.__module__), "__dict__", {})
            annotation = _evaluated(annotations[name], names, dict(vars(base)))
            kind_of_field = kind_of(annotation)
            fields[name] = Field(name, kind_of_field, default, is_optional=True, is_declared=True)
    return fields


def spawn_fields(kinds: Iterable[type]) -> tuple[dict[str, Field], bool]:
    """Return what hooks and fields of classes take, and whether a hook takes any name."""
    return _merged([_accepted_by(kind) for kind in kinds if issubclass(kind, IPoolableComponent)])


def _merged(several: Iterable[tuple[dict[str, Field], bool]]) -> tuple[dict[str, Field], bool]:
    merged: dict[str, Field] = {}
    takes_any = False
    for fields, takes_any_name in several:
        takes_any |= takes_any_name
        for name, one in fields.items():
            merged[name] = _both(merged[name], one) if name in merged else one
    return merged, takes_any


def _both(one: Field, other: Field) -> Field:
    """Return what suits two that name the same: the one that says more."""
    narrow = other if one.kind is ANYTHING else one
    if one.is_declared or other.is_declared:
        declared = one if one.is_declared else other
        return declared._replace(kind=narrow.kind)
    return narrow._replace(is_optional=one.is_optional and other.is_optional)


# -- what an object of a level is, beside its properties --------------------------------------

OwnFn = Callable[[Any, float], Any]
"""Returns what a hook wants of an object and the scale of its level; `None`: it has none."""


def own_data_fns(fields: Mapping[str, Field]) -> dict[str, OwnFn]:
    """Return how hooks get what they name of an object itself: `obj`, `size`, `image`.

    Annotated as something else, such a name is data like any other.
    """
    fns: dict[str, OwnFn | None] = {}
    if "obj" in fields and _is_free(fields["obj"].kind):
        fns["obj"] = lambda one, _: one.source
    if "image" in fields and _is_for_pictures(fields["image"].kind):
        fns["image"] = lambda one, _: one.image
    if "size" in fields:
        fns["size"] = _size_fn(fields["size"].kind)
    return {name: fn for name, fn in fns.items() if fn is not None}


def _is_free(kind: Kind | None) -> bool:
    return kind is None or kind is ANYTHING  # annotated by what no file knows, or not at all


def _is_for_pictures(kind: Kind | None) -> bool:
    return kind is None or kind is ANYTHING or kind.tiled == "file"


def _size_fn(kind: Kind | None) -> OwnFn | None:
    if kind is None or kind is ANYTHING:
        return lambda one, scale: (one.width * scale, one.height * scale)
    nothing: Any = None  # numbers refer to nothing
    for make in (float, round):

        def size(one: Any, scale: float, take: Any = kind.take, make: Any = make) -> Any:
            return take([make(one.width * scale), make(one.height * scale)], nothing)

        try:
            size(_HALF, 1.0)
        except (ValueError, TypeError):
            continue
        return size
    return None


_HALF = types.SimpleNamespace(width=0.5, height=0.5)


# -- priorities, as `recycle_lowest` names them -----------------------------------------------


class Priority:
    """Returns what an attribute of an instance is, or that of the component that has it."""

    def __init__(self, path: str) -> None:
        self.path, self._get = path, attrgetter(path)

    def __call__(self, instance: Any) -> Any:
        """Return the priority of an instance."""
        try:
            return self._get(instance)
        except AttributeError:
            for component in getattr(instance, "components", ()):
                with contextlib.suppress(AttributeError):
                    return self._get(component)
            raise


def attributes_of(kinds: Iterable[type]) -> set[str]:
    """Return the names of all attributes that classes have, annotate, or set in their methods."""
    names: set[str] = set()
    for kind in kinds:
        names.update(dir(kind))
        for base in kind.__mro__:
            names.update(vars(base).get("__annotations__", ()))
            for method in vars(base).values():
                if isinstance(method, types.FunctionType):
                    steps = dis.get_instructions(method)
                    names.update(step.argval for step in steps if step.opname == "STORE_ATTR")
    return names
