"""Which classes a call of the lint is about."""

from __future__ import annotations

import functools
import inspect
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.devtools.lint.anatomy import is_framework
from poolkit.devtools.lint.source import functions_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["classes_of", "neighbours"]


def classes_of(target: object) -> list[type]:
    """Return the classes that `target` is, holds, or is made of; bases before what extends them.

    Raises:
        TypeError: It is none of what can be looked at.
    """
    if isinstance(target, Prefab):
        target = target.factory
    if isinstance(target, ModuleType):
        found = list(_defined_in(target))
        found = [cls for cls in found if _is_made(cls, found, target)]
    elif isinstance(target, type):
        found = [target, *_parts_of(target, {target})]
    elif isinstance(target, IPoolableComponent | pygame.sprite.Sprite):
        found = list(_of_instance(target))
    elif callable(target):
        found = list(_made_by(target))
    else:
        message = (
            "lint takes a prefab, a class, a factory function, a module or a sprite, "
            f"not {target!r}"
        )
        raise TypeError(message)
    unique = list(dict.fromkeys(found))
    own = [cls for cls in unique if cls is target or not is_framework(cls)]
    return sorted(own, key=lambda cls: len(cls.__mro__))


def neighbours(classes: list[type]) -> list[type]:
    """Return the poolable classes that are defined beside these: they may reset each other."""
    modules = {id(module): module for cls in classes if (module := inspect.getmodule(cls))}
    beside = [cls for module in modules.values() for cls in _defined_in(module)]
    return list(dict.fromkeys([*classes, *beside]))


def _defined_in(module: ModuleType) -> Iterator[type]:
    waiting = list(vars(module).values())
    seen: set[type] = set()  # a class may have itself as an attribute
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, type) and value.__module__ == module.__name__ and value not in seen:
            seen.add(value)
            if issubclass(value, IPoolableComponent):
                yield value
            waiting += [each for each in vars(value).values() if isinstance(each, type)]


def _is_made(cls: type, all_classes: list[type], module: ModuleType) -> bool:
    """Return whether there are instances of the class itself, as far as its module tells."""
    if inspect.isabstract(cls):
        return False
    if not any(issubclass(other, cls) for other in all_classes if other is not cls):
        return True
    return any(
        isinstance(value, Prefab) and value.factory is cls for value in vars(module).values()
    ) or any(
        cls in _named_in(function.__code__, function)
        for value in vars(module).values()
        for function in _functions_in(value)
        if function.__module__ == module.__name__
    )


def _functions_in(value: object) -> Iterator[FunctionType]:
    if isinstance(value, type):
        yield from functions_of(value)
    elif isinstance(value, FunctionType):
        yield value


def _of_instance(instance: Any) -> Iterator[type]:
    yield type(instance)
    for component in getattr(instance, "components", ()):
        yield type(component)
    for child in getattr(instance, "children", ()):
        yield from _of_instance(child)


def _made_by(factory: Callable[..., Any]) -> Iterator[type]:
    """Yield the classes that a factory function names, and those that these name in turn."""
    if isinstance(factory, functools.partial):
        if isinstance(factory.func, type):
            yield factory.func
            yield from _parts_of(factory.func, {factory.func})
            return
        factory = factory.func
    seen: set[type] = set()
    for function in unwrapped(factory if inspect.isroutine(factory) else type(factory).__call__):
        for cls in _reached(function, seen):
            yield cls
            yield from _parts_of(cls, seen)


def _reached(function: FunctionType, seen: set[type]) -> list[type]:
    """Return the poolable classes that a function names, or functions beside it that it names."""
    waiting, known = [function], {function}
    found: list[type] = []
    while waiting:
        each = waiting.pop()
        for value in _named_in(each.__code__, each):
            if isinstance(value, type):
                if issubclass(value, IPoolableComponent) and value not in seen:
                    seen.add(value)
                    found.append(value)
            elif isinstance(value, FunctionType) and value not in known:
                known.add(value)
                if value.__code__.co_filename == function.__code__.co_filename:
                    waiting.append(value)
    return found


def _parts_of(cls: type, seen: set[type]) -> Iterator[type]:
    """Yield the poolable classes that the constructors of a class name."""
    for base in cls.__mro__:
        if is_framework(base):
            continue
        for name in ("__init__", "__post_init__", "awake"):
            for function in unwrapped(vars(base).get(name)):
                for part in _reached(function, seen):
                    if not issubclass(cls, part):
                        yield part
                        yield from _parts_of(part, seen)


def _named_in(code: CodeType, function: FunctionType) -> list[Any]:
    """Return what the names in a function mean: globals, what it encloses, attributes of modules.

    By its byte code, which is there where its source is not.
    """
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    enclosed: dict[str, Any] = {}
    for name, cell in cells:
        try:
            enclosed[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    found: list[Any] = []
    for name in (*code.co_names, *code.co_freevars):
        value = enclosed.get(name, function.__globals__.get(name))
        found.append(value)
        if isinstance(value, ModuleType):
            found += [getattr(value, each, None) for each in code.co_names]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += _named_in(constant, function)
    return found
