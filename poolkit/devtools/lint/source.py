"""Where classes and functions are written: files, syntax trees, and comments that silence."""

from __future__ import annotations

import ast
import inspect
import io
import linecache
import re
import sys
import tokenize
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType

__all__ = ["File", "Library", "functions_of"]

_KEPT = re.compile(r"#\s*poolkit:\s*kept\b")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


class File:
    """One source file.

    Attributes:
        name: Its path, or what stands for it where it was never a file.
        tree: Its syntax tree.
    """

    def __init__(self, name: str, text: str) -> None:
        """Parse it.

        Raises:
            SyntaxError: It is no Python, or not any more.
        """
        self.name = name
        self.tree = ast.parse(text)
        self._kept = _kept_lines(text)
        self._functions: dict[tuple[int, str], FunctionNode] = {}
        self._classes: dict[str, list[ast.ClassDef]] = {}
        self._index(self.tree, "")
        called = (node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        self._called = {
            node.attr
            for node in called
            if isinstance(node, ast.Attribute) and not _is_own(node.value)
        }
        self.words = frozenset(
            getattr(node, "id", getattr(node, "attr", ""))
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Name | ast.Attribute)
        )

    def _index(self, node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                self._classes.setdefault(prefix + child.name, []).append(child)
                self._index(child, f"{prefix}{child.name}.")
            elif isinstance(child, FunctionNode):
                decorators = [decorator.lineno for decorator in child.decorator_list]
                first = min([child.lineno, *decorators])
                self._functions[first, child.name] = child
                self._index(child, f"{prefix}{child.name}.<locals>.")
            else:
                self._index(child, prefix)

    def is_kept(self, first: int, last: int) -> bool:
        """Return whether one of these lines says ``# poolkit: kept``."""
        return any(line in self._kept for line in range(first, last + 1))

    def calls_on_others(self, name: str) -> bool:
        """Return whether a method `name` is called here on anything but ``self``."""
        return name in self._called

    @cached_property
    def given_at_spawn(self) -> frozenset[str]:
        """The attributes that are set here on what a ``spawn`` has just returned."""
        names: set[str] = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_spawn(value):
                    names.add(name)
                case (
                    ast.AnnAssign(target=ast.Name(id=name), value=value)
                    | ast.NamedExpr(target=ast.Name(id=name), value=value)
                    | ast.For(target=ast.Name(id=name), iter=value)
                ) if _is_spawn(value):
                    names.add(name)
        return frozenset(
            node.attr
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and (_is_spawn(node.value) or getattr(node.value, "id", None) in names)
        )

    def function(self, code: Any) -> FunctionNode | None:
        """Return where the function of a code object is written."""
        return self._functions.get((code.co_firstlineno, code.co_name))

    def find_class(self, cls: type) -> ast.ClassDef | None:
        """Return where a class is written; of several of its name, the one with its methods."""
        found = self._classes.get(cls.__qualname__, [])
        lines = [function.__code__.co_firstlineno for function in functions_of(cls)]
        for node in found:
            last = node.end_lineno or node.lineno
            if any(node.lineno <= line <= last for line in lines):
                return node
        return found[-1] if found else None


def _kept_lines(text: str) -> frozenset[int]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return frozenset(
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT and _KEPT.search(token.string)
    )


def _is_own(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id == "self"


def _is_spawn(node: ast.expr | None) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return getattr(node.func, "attr", None) in {"spawn", "try_spawn", "spawn_many"}


def functions_of(cls: type) -> Iterator[FunctionType]:
    """Yield the functions that are written in the body of a class."""
    for value in vars(cls).values():
        for function in unwrapped(value):
            if function.__qualname__.startswith(f"{cls.__qualname__}."):
                yield function


def unwrapped(value: object) -> Iterator[FunctionType]:
    """Yield the functions behind an attribute of a class: a method's, a property's."""
    candidates: list[Any]
    if isinstance(value, property):
        candidates = [value.fget, value.fset, value.fdel]
    else:
        candidates = [getattr(value, "__func__", None) or getattr(value, "func", None) or value]
    for candidate in candidates:
        function = inspect.unwrap(candidate) if callable(candidate) else None
        if inspect.isfunction(function):
            yield function


class Library:
    """The source files that were looked at, each read once."""

    def __init__(self) -> None:
        """Begin with none."""
        self._files: dict[str, File | str] = {}

    def file_of_function(self, function: FunctionType) -> File | str:
        """Return the file that a function is written in, or why it can't be read."""
        return self._file(function.__code__.co_filename, function.__globals__)

    def file_of_class(self, cls: type) -> File | str:
        """Return the file that a class is written in, or why it can't be read."""
        for function in functions_of(cls):
            file = self.file_of_function(function)
            if isinstance(file, File) and file.find_class(cls) is not None:
                return file  # what a decorator has added is written elsewhere
        module = sys.modules.get(cls.__module__)
        name = getattr(module, "__file__", None)
        if name is None:
            return "it was not written in a file"
        return self._file(name, vars(module))

    def _file(self, name: str, module: dict[str, Any]) -> File | str:
        known = self._files.get(name)
        if known is None:
            known = self._files[name] = self._read(name, module)
        return known

    @staticmethod
    def _read(name: str, module: dict[str, Any]) -> File | str:
        linecache.checkcache(name)
        lines = linecache.getlines(name, module)  # also out of zip files, and what a shell keeps
        if not lines:
            return f"there is no source text of {name}"
        try:
            return File(name, "".join(lines))
        except (SyntaxError, ValueError, tokenize.TokenError) as error:
            return f"{name} can't be read: {error}"
