"""Columns: what each life of a swarm has, as an array of all of them."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, get_origin, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pygame import Vector2

from poolkit.core.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Array: TypeAlias = NDArray[Any]

Vec2: TypeAlias = NDArray[np.float32]
"""The annotation of a column of pairs, as a velocity; the column is an array of shape (n, 2)."""

if TYPE_CHECKING:
    # The default of a column is one value, and the column an array: no type says both.
    Float: TypeAlias = Any
    Int: TypeAlias = Any
    Bool: TypeAlias = Any
else:
    Float, Int, Bool = float, int, bool

Value: TypeAlias = float | Sequence[float] | Vector2 | Array
"""What one life is given for a column."""

Values: TypeAlias = ArrayLike | Vector2
"""One value for all lives, or one for each."""

REQUIRED: Any = object()
"""The default of a column that has none: each spawn must give a value."""


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type of column."""

    name: str
    dtype: Any
    shape: tuple[int, ...]  # of one value
    casting: Any  # numpy's rule for the values that it takes
    takes: str  # the same in words

    @property
    def is_pair(self) -> bool:
        """Whether a value is two numbers."""
        return self.shape == (2,)


# Floats have 32 bits, as in a `pygame.FRect`: with 64, everything that moves takes twice as long.
_TYPES = {
    "float": ColumnType("float", np.float32, (), "same_kind", "a number"),
    "int": ColumnType("int", np.int64, (), "safe", "a whole number"),
    "bool": ColumnType("bool", np.bool_, (), "safe", "True or False"),
    "Vec2": ColumnType("Vec2", np.float32, (2,), "same_kind", "a pair of numbers"),
}


class Column:
    """A descriptor: reading it gives the array of all rows, assigning to it writes into that."""

    def __init__(self, owner: str, name: str, type_name: str, default: Any = REQUIRED) -> None:
        self.name = name
        self.label: str = f"{owner}.{name}"
        self.type: ColumnType = _TYPES[type_name]
        self.default: Any | Array = default if default is REQUIRED else self.checked(default, 1)

    @overload
    def __get__(self, swarm: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, swarm: Any, owner: Any = None) -> Array: ...
    def __get__(self, swarm: Any, owner: Any = None) -> Array | Self:
        """Return the array of a swarm."""
        return self if swarm is None else swarm._rows.view(self.name)

    def __set__(self, swarm: Any, values: Any) -> None:
        """Write values into the array of a swarm: one for all rows, or one for each."""
        view = swarm._rows.view(self.name)
        if values is not view:  # `swarm.age += 1` has changed the array already
            view[...] = self.checked(values, len(view))

    def checked(self, values: Any, count: int) -> Array:
        """Return one value for all, or `count` values, as an array of the column's type.

        Raises:
            TypeError: The values have the wrong type or shape.
            ValueError: One is NaN, or a pair isn't finite.
        """
        type_ = self.type
        try:
            array = np.asarray(values)
        except (TypeError, ValueError):
            array = np.asarray(None)  # rows of different lengths
        if not (
            np.can_cast(array.dtype, type_.dtype, type_.casting)
            and array.shape in {type_.shape, (count, *type_.shape)}
        ):
            several = "" if count == 1 else f", or {count} of them"
            message = f"{self.label} takes {type_.takes}{several}, not {reprlib.repr(values)}"
            raise TypeError(message)
        with np.errstate(over="ignore"):
            array = array.astype(type_.dtype, copy=False)
        if type_.dtype is not np.float32:
            return array
        if not np.isfinite(array).all() and (type_.is_pair or np.isnan(array).any()):
            message = (
                f"{self.label} must be {'finite' if type_.is_pair else 'a number'}, not "
                f"{reprlib.repr(values)}: look for a division by zero where it is computed"
            )
            raise ValueError(message)
        return array


def declared(cls: type, known: Mapping[str, Column], taken: Collection[str]) -> dict[str, Column]:
    """Return the columns that a class annotates.

    Args:
        cls: The class.
        known: The columns that it inherits.
        taken: Names that a swarm uses itself.

    Raises:
        TypeError: An annotation or a default doesn't fit a column, or a name is in use.
    """
    columns: dict[str, Column] = {}
    annotations = inspect.get_annotations(cls)
    for name, annotation in annotations.items():
        if not _is_class_variable(annotation):
            columns[name] = _declared_column(cls, name, annotation, known.get(name), taken)
    for name, value in vars(cls).items():
        is_method = callable(value) and not name.startswith("_")  # that the class overrides
        if name in annotations or name.startswith("__"):
            continue
        if name in known:
            hint = f", or annotate it: {name}: {known[name].type.name} = ..."
            message = f"{cls.__name__}.{name} hides the column {name}: give it another name{hint}"
            raise TypeError(message)
        if name in taken and not is_method:
            message = f"{cls.__name__}.{name} hides a swarm's own {name}: give it another name"
            raise TypeError(message)
    return columns


def _declared_column(
    cls: type, name: str, annotation: Any, inherited: Column | None, taken: Collection[str]
) -> Column:
    """Return the column that a class annotates so."""
    label, type_name = f"{cls.__name__}.{name}", _type_name_of(annotation)
    if type_name is None:
        message = (
            f"{label} is annotated {annotation!r}, which isn't a column: a column is float, "
            "int, bool or Vec2; annotate other attributes in __init__, or as ClassVar"
        )
        raise TypeError(message)
    if inherited is None and (name in taken or name.startswith("_")):
        message = f"{label} hides a swarm's own {name}: give the column another name"
        raise TypeError(message)
    wanted = "Vec2" if name == "velocity" else inherited.type.name if inherited else type_name
    if type_name != wanted:
        message = f"{label} is annotated {type_name}, but it is a column of {wanted}"
        raise TypeError(message)
    default = vars(cls).get(name, inherited.default if inherited else REQUIRED)
    return Column(cls.__name__, name, type_name, default)


def _is_class_variable(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.split("[")[0].split(".")[-1] == "ClassVar"
    return annotation is ClassVar or get_origin(annotation) is ClassVar


def _type_name_of(annotation: Any) -> str | None:
    """Return what an annotation means; of a string the name counts, imported or not."""
    if annotation is Vec2:
        return "Vec2"
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    name = name.split(".")[-1]
    name = {"Float": "float", "Int": "int", "Bool": "bool"}.get(name, name)
    return name if name in _TYPES else None


def check_names(owner: str, columns: Mapping[str, Column], given: Collection[str]) -> None:
    """Check the names of the values that a spawn gives.

    Raises:
        TypeError: There is no such column, or the value of a column without a default is missing.
    """
    for name in given:
        if name not in columns:
            hint = did_you_mean(name, columns, f"it has {', '.join(columns)}")
            message = f"{owner} has no column {name!r}: {hint}"
            raise TypeError(message)
    for name, column in columns.items():
        if column.default is REQUIRED and name not in given:
            message = (
                f"{column.label} has no default, so a spawn must give it: spawn(..., {name}=...)"
            )
            raise TypeError(message)
