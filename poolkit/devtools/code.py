"""Tells the game's own code from a library's, and knows its source and its places."""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import importlib.util
import inspect
import linecache
import os
import re
import sys
import sysconfig
import traceback
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from poolkit.core.plan import WRITTEN

LIBRARIES = frozenset({"poolkit", "pygame", "pymunk", "numpy", "pytest_poolkit"})

# -- whose is it? -----------------------------------------------------------------------------


@functools.cache
def is_of_the_game(file: str) -> bool:
    """Return whether code of `file` belongs neither to poolkit nor to what it is built on."""
    if file.startswith(("<frozen", WRITTEN, *_OWN)):
        return False
    return not file.startswith(_STANDARD) or any(part in file for part in _INSTALLED)


def is_poolkits(file: str) -> bool:
    """Return whether code of `file` is poolkit's own."""
    return file.startswith((_OWN[0], WRITTEN))


def kind_of(thing: object) -> type:
    """Return the class of anything, typed so that a cached function takes it."""
    return type(thing)


def is_class_of_the_game(kind: type) -> bool:
    """Return whether a class is the game's own, or another library's that the game uses."""
    return is_module_of_the_game(kind.__module__)


@functools.cache
def is_module_of_the_game(name: str) -> bool:
    """Return whether a module belongs neither to poolkit nor to what it is built on."""
    package = name.partition(".")[0]
    if package == "__main__":
        return True
    return package not in LIBRARIES and package not in sys.stdlib_module_names


def _folder_of(package: str) -> str:
    spec = importlib.util.find_spec(package)  # which does not import it
    return "" if spec is None or spec.origin is None else str(Path(spec.origin).parent) + os.sep


_OWN = tuple(filter(None, map(_folder_of, ("poolkit", "pygame", "pymunk"))))
_OWN += (str(Path(_OWN[0]).parent / "pytest_poolkit.py"),)
_STANDARD = sysconfig.get_path("stdlib") + os.sep
_INSTALLED = ("site-packages", "dist-packages")

# -- places -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the game's code; its text is ``monsters.py:41 in Orc.hit``."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        text = f"{shown_path(self.file)}:{self.line}"
        return text if self.function == "<module>" else f"{text} in {self.function}"

    @property
    def brief(self) -> str:
        """``Orc.hit (monsters.py:41)``."""
        function = self.function.rpartition("<locals>.")[2]
        return f"{function} ({Path(self.file).name}:{self.line})"


def place_of_caller(below: str = "") -> Place | None:
    """Return the innermost line of the game's code, or `None`, as in a library's thread.

    With `below`, the name of a module, it doesn't look beyond that module, nor at generated code.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if below and frame.f_globals.get("__name__") == below:
            return None
        is_generated = bool(below) and code.co_filename.startswith("<")
        if is_of_the_game(code.co_filename) and not is_generated:
            return _place(code.co_filename, frame.f_lineno, code.co_qualname)
        frame = frame.f_back
    return None


_place = functools.lru_cache(maxsize=4096)(Place)  # strict mode asks twice a life


def place_of(call: Any) -> str | None:
    """Return where a function, method or generator is written; `None` if it is in no file."""
    code = getattr(unwrapped(call) or call, "__code__", None) or getattr(call, "gi_code", None)
    name = getattr(call, "__qualname__", "?")
    return Place(code.co_filename, code.co_firstlineno, name).brief if code else None


def short_name(call: Any) -> str:
    """Return the name of a callable without the function around it: ``Orc.flee``."""
    name: str = getattr(call, "__qualname__", None) or type(call).__name__
    return name.rpartition("<locals>.")[2]


_CALLS: tuple[type, ...] = (types.FunctionType, types.MethodType, types.GeneratorType)
_CALLS += (types.CellType, functools.partial, tuple)


def inside_call(call: Any) -> Iterator[Any]:
    """Yield a callable and what it refers to: arguments, `self`, closures, a generator."""
    level = [call]
    for _ in range(6):  # a coroutine's task, a wrapper, its variables, and what is in these
        yield from level
        calls = (c for c in level if isinstance(c, _CALLS) or hasattr(type(c), "_generator"))
        level = gc.get_referents(*calls)


def function_behind(call: Any) -> Any:
    """Return the game's function, method or generator in a partial, wrapper or coroutine.

    If none has a source, return `call`.
    """
    for inner in inside_call(call):
        code = getattr(inner, "__code__", None) or getattr(inner, "gi_code", None)
        if isinstance(code, types.CodeType) and is_of_the_game(code.co_filename):
            return inner
    return call


@functools.cache
def shown_path(file: str) -> str:
    """Return a path, relative where it lies below the current folder."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else file


def in_a_line(error: BaseException) -> str:
    """Return an exception as a line, with the place in the game's code that it came from.

    Of a group it is the first that it holds.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    words = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    places = [
        f" ({Path(frame.filename).name}:{frame.lineno})"
        for frame in traceback.extract_tb(error.__traceback__)
        if is_of_the_game(frame.filename)
    ]
    return words + "".join(places[-1:])


# -- what is declared as kept ----------------------------------------------------------------


def kept_names(kind: type) -> tuple[str, ...]:
    """Return the names and patterns of the `audit_ignore` of a class, and of its bases."""
    patterns: list[str] = []
    for base in kind.__mro__:
        declared = vars(base).get("audit_ignore", ())
        names = (declared,) if isinstance(declared, str) else declared
        if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
            message = (
                f"{base.__qualname__}.audit_ignore must be names of attributes, as in "
                f"audit_ignore = ('best_score', 'stats.*'); not {declared!r}"
            )
            raise TypeError(message)
        patterns += names
    return tuple(patterns)


# -- source -----------------------------------------------------------------------------------

_KEPT = re.compile(r"(.*)#\s*poolkit:\s*kept\b")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Source:
    """A source file, parsed; empty where it can't be read.

    `kept` has, by the name of each class, the words of lines with a comment ``# poolkit: kept``.
    """

    def __init__(self, file: str, text: str) -> None:
        self.file: str = file
        self.lines: list[str] = text.splitlines(keepends=True)
        self.kept: dict[str, set[str]] = {}
        self._functions: dict[tuple[str, int], Function] = {}
        nodes: list[ast.AST] = []
        with contextlib.suppress(SyntaxError):
            nodes += ast.walk(ast.parse(text))
        for node in nodes:
            if isinstance(node, Function):
                first = min(part.lineno for part in (node, *getattr(node, "decorator_list", ())))
                self._functions[getattr(node, "name", "<lambda>"), first] = node
            elif isinstance(node, ast.ClassDef):
                matches = map(_KEPT.match, self.lines[node.lineno - 1 : node.end_lineno])
                code = [match[1] for match in matches if match]
                words = {word for line in code for word in re.findall(r"\w+", line)}
                self.kept.setdefault(node.name, set()).update(words)

    def function(self, code: types.CodeType) -> Function | None:
        """Return the node of the function with that byte code."""
        return self._functions.get((code.co_name, code.co_firstlineno))


_parsed = functools.lru_cache(maxsize=256)(Source)


def source_of(file: str | None) -> Source:
    """Return a file's present source, parsed once."""
    return _parsed(file or "", "".join(linecache.getlines(file or "")))


def unwrapped(value: Any) -> types.FunctionType | None:
    """Return the function in a method, a property, a partial or a decorator's wrapper."""
    for _ in range(8):
        is_function = isinstance(value, types.FunctionType)
        names = ("__wrapped__",) if is_function else ("__func__", "fget", "func", "__wrapped__")
        inner = next(filter(None, (getattr(value, name, None) for name in names)), None)
        if inner is None or isinstance(value, type):
            return value if is_function else None
        value = inner
    return None


def variables_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the values of the names in a function: builtins, globals, closure variables."""
    with contextlib.suppress(ValueError):  # one of these is not assigned yet
        variables = inspect.getclosurevars(function)
        return {**variables.builtins, **variables.globals, **variables.nonlocals}
    return {}
