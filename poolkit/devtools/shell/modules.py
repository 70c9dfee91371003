"""Finds the module that the command line names, and the prefabs it defines."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.core.system import pools
from poolkit.devtools.shell.failure import ShellError, hint_for, in_a_line
from poolkit.devtools.shell.import_guard import LoopStartedError, no_loops

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["named_prefabs"]


def named_prefabs(target: str) -> dict[str, Any]:
    """Return the prefabs that ``MODULE[:PREFAB]`` means, by what to call them.

    Raises:
        ShellError: There is no such module or prefab, or the module can't be imported.
    """
    name, wanted = _split(target)
    _open_screen()
    pools_before, modules_before = set(pools.all_pools()), set(sys.modules)
    module = _import(name)
    prefabs = _prefabs_of(module, _imported_names(module))
    prefabs += [(pool.name, pool.prefab) for pool in pools.all_pools() if pool not in pools_before]
    if not prefabs:
        # A program that only puts together what its own modules define has theirs.
        for other in _own_modules(module, modules_before):
            prefabs += _prefabs_of(other, _imported_names(other))
    if not wanted:
        return {prefab.name: prefab for _, prefab in prefabs} or _refuse(module, name)
    for variable, prefab in prefabs:
        if wanted in {variable, prefab.name}:
            return {prefab.name: prefab}
    factory = getattr(module, wanted, None)
    if isinstance(factory, Prefab) or (callable(factory) and not wanted.startswith("_")):
        return {wanted: factory}
    names = [each for variable, prefab in prefabs for each in (variable, prefab.name)]
    hint = hint_for(wanted, [*names, *_classes_of(module)], "its prefabs and classes")
    message = f"{name} has no prefab {wanted!r}: {hint}"
    raise ShellError(message)


def _split(target: str) -> tuple[str, str]:
    """Return module and prefab; a drive's colon, and that of no prefab, part nothing."""
    file, ending, rest = target.rpartition(".py:")
    if ending:
        return f"{file}.py", rest
    if target.endswith(".py"):
        return target, ""
    name, _, wanted = target.partition(":")
    return name, wanted


def _open_screen() -> None:
    """Open a screen that nobody sees, for modules that convert their images at import."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
    if pygame.display.get_surface() is None:
        pygame.display.init()
        pygame.display.set_mode((640, 360), pygame.HIDDEN)


def _import(name: str) -> ModuleType:
    if not name:
        message = "name a module, as in game.monsters:orc"
        raise ShellError(message)
    folder = os.getcwd()  # noqa: PTH109 - sys.path takes texts
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with no_loops() as windows:
            by_file = name.endswith(".py")
            module = _by_file(Path(name)) if by_file else importlib.import_module(name)
    except (KeyboardInterrupt, ShellError):
        raise
    except BaseException as error:
        raise ShellError(_why_not(name, error)) from error
    if windows:
        note = f"note: importing {name} opens a window ({windows[0]}), for whoever imports it"
        print(note, file=sys.stderr)  # noqa: T201 - how a command speaks
    return module


def _why_not(name: str, error: BaseException) -> str:
    """Return in a line why a module could not be imported."""
    guarded = "put that under if __name__ == '__main__':"
    if isinstance(error, LoopStartedError):
        return f"importing {name} starts its game ({error}): {guarded}"
    if isinstance(error, SystemExit):
        return f"importing {name} ends the program: {guarded}"
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        missing = error.name
        if f"{name}.".startswith(f"{missing}."):  # the module itself, or a package it is in
            hint = hint_for(name.rpartition(".")[2], _neighbours(name), "modules there")
            return f"there is no module {missing}: {hint}"
    return f"{name} can't be imported: {in_a_line(error)}"


def _by_file(path: Path) -> ModuleType:
    if not path.is_file():
        near = hint_for(path.name, (each.name for each in path.parent.glob("*.py")), "files there")
        message = f"there is no file {path}: {near}"
        raise ShellError(message)
    path = path.resolve()
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():  # it is a package's: only so are its imports found
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    if len(names) > 1:
        return importlib.import_module(".".join(names).removesuffix(".__init__"))
    return _by_itself(path)


def _by_itself(path: Path) -> ModuleType:
    # Not in the place of a module that has its name by chance, as one of Python's own.
    name = path.stem if path.stem not in sys.modules else f"_poolkit_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        message = f"{path} is no module"
        raise ShellError(message)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _neighbours(name: str) -> list[str]:
    """Return the names of the modules beside the one that is missing."""
    parent = name.rpartition(".")[0]
    try:
        paths = list(importlib.import_module(parent).__path__) if parent else [sys.path[0]]
    except (ImportError, AttributeError):
        paths = [sys.path[0]]
    return [module.name for module in pkgutil.iter_modules(paths)]


def _prefabs_of(module: ModuleType, but: set[str]) -> list[tuple[str, Prefab[Any]]]:
    """Return the prefabs among a module's variables `but` some, and in containers there."""
    found = []
    for variable, value in list(vars(module).items()):
        if variable not in but:
            found += [
                (variable if prefab is value else prefab.name, prefab) for prefab in _in(value)
            ]
    # Those that have a variable of their own come by it, not by a container.
    found.sort(key=lambda each: getattr(module, each[0], None) is not each[1])
    return list({prefab: (variable, prefab) for variable, prefab in reversed(found)}.values())[::-1]


def _own_modules(module: ModuleType, before: set[str]) -> list[ModuleType]:
    """Return the modules beside and below one that its import has loaded."""
    folder = Path(module.__file__ or "").resolve().parent
    others = [other for name, other in list(sys.modules.items()) if name not in before]
    return [
        other
        for other in others
        if other is not module
        and folder in Path(getattr(other, "__file__", None) or "/").resolve().parents
    ]


def _in(value: object) -> Iterator[Prefab[Any]]:
    if isinstance(value, Prefab):
        yield value
    elif isinstance(value, dict | list | tuple):
        values = value.values() if isinstance(value, dict) else value
        yield from (each for each in values if isinstance(each, Prefab))


def _imported_names(module: ModuleType) -> set[str]:
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _classes_of(module: ModuleType) -> list[str]:
    kinds = (IPoolableComponent, pygame.sprite.Sprite)
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, kinds)
        and value.__module__ == module.__name__
    ]


def _refuse(module: ModuleType, name: str) -> dict[str, Any]:
    classes = _classes_of(module)
    hint = f"; for a class write {name}:{classes[0]}" if classes else ""
    message = f"{name} defines no prefab: it needs a Prefab(...) at its top{hint}"
    raise ShellError(message)
