"""A class taken apart: its methods and its bases', and what is known of its attributes."""

from __future__ import annotations

import ast
import sys
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Any

from poolkit.devtools.kept_names import kept_names
from poolkit.devtools.lint.attributes import Attribute, class_body, resolve
from poolkit.devtools.lint.events import Facts, Kind, Write
from poolkit.devtools.lint.source import File, Library, unwrapped
from poolkit.devtools.lint.statements import read_function

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FunctionType

__all__ = ["Anatomy", "Method", "is_framework"]

_FRAMEWORK = frozenset({"poolkit", "pygame", "pymunk", *sys.stdlib_module_names})

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def is_framework(cls: type) -> bool:
    """Return whether a class is not the game's own."""
    return cls.__module__.partition(".")[0] in _FRAMEWORK and cls.__module__ != "__main__"


class Method:
    """One function of a class, or one that is given an instance.

    Attributes:
        owner: The class it is written in; the class under scrutiny for a function.
        name: Its name; ``"current.setter"`` for a property's setter.
        node: Where it is written; `None` where that can't be read.
        file: The file that is in.
        function: The function itself, where there is one.
    """

    def __init__(
        self,
        owner: type,
        name: str,
        node: FunctionNode | None,
        file: File | None,
        function: FunctionType | None,
        place: int = 0,
    ) -> None:
        """Note where it is written, and as which parameter it is given the instance."""
        self.owner = owner
        self.name = name
        self.node = node
        self.file = file
        self.function = function
        self._place = place

    @cached_property
    def facts(self) -> Facts:
        """What it does to the instance; what it may do, by its byte code, where that is all."""
        if self.node is None:
            names = () if self.function is None else self.function.__code__.co_names
            return Facts([Write((name,), Kind.ASSIGNED, (0, 0)) for name in names])
        parameters = [*self.node.args.posonlyargs, *self.node.args.args]
        if len(parameters) <= self._place:
            return Facts()
        return read_function(self.node, {parameters[self._place].arg: ()})

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """What the names in it mean."""
        function = self.function
        if function is None:
            module = sys.modules.get(self.owner.__module__)
            return dict(vars(module)) if module else {}
        names = dict(function.__globals__)
        cells = function.__closure__ or ()
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                names[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
        return names

    @property
    def is_kept(self) -> bool:
        """Whether a comment at its head silences the lint."""
        if self.node is None or self.file is None:
            return False
        return self.file.is_kept(self.node.lineno, max(self.node.lineno, _head_end(self.node)))

    def __repr__(self) -> str:
        """Return ``<Method Health.hit>``."""
        return f"<Method {self.owner.__name__}.{self.name}>"


def _head_end(node: FunctionNode | ast.ClassDef) -> int:
    return node.body[0].lineno - 1


class Anatomy:
    """A class with all that it inherits of the game's own classes.

    Attributes:
        cls: The class.
        layers: Its methods by name, class by class in the order of look-up.
        unread: What could not be read, and why.
        files: The files its parts are written in.
    """

    def __init__(self, cls: type, library: Library) -> None:
        """Take `cls` apart."""
        self.cls = cls
        self.library = library
        self.layers: dict[type, dict[str, Method]] = {}
        self.unread: list[str] = []
        self.files: list[File] = []
        self._kept_layers: set[type] = set()
        self._bodies: list[tuple[type, ast.ClassDef]] = []
        self._functions: dict[tuple[FunctionType, int], Method] = {}
        for each in cls.__mro__:
            if each is cls or not is_framework(each):
                self.layers[each] = self._layer(each)
        self.ignored = tuple(_ignored(cls))

    def _layer(self, cls: type) -> dict[str, Method]:
        file = self.library.file_of_class(cls)
        node = None
        if isinstance(file, File):
            node = file.find_class(cls)
            if node is not None:
                self.files.append(file)
                self._bodies.append((cls, node))
                if file.is_kept(node.lineno, max(node.lineno, _head_end(node))):
                    self._kept_layers.add(cls)
        written = dict(class_body(node, FunctionNode)) if node is not None else {}
        methods: dict[str, Method] = {}
        for name, value in vars(cls).items():
            if isinstance(value, staticmethod | classmethod | type):
                continue
            parts = {name: value}
            if isinstance(value, property):
                parts = {name: value.fget, f"{name}.setter": value.fset}
            for part, function in parts.items():
                method = self._method(cls, part, function, written)
                if method is not None:
                    methods[part] = method
        if node is None and any(
            method.node is None and not name.startswith("__") for name, method in methods.items()
        ):
            reason = file if isinstance(file, str) else f"it is not to be found in {file.name}"
            self.unread.append(f"{cls.__qualname__}: {reason}")
        return methods

    def _method(
        self, cls: type, name: str, value: object, written: dict[str, FunctionNode]
    ) -> Method | None:
        function = next(iter(unwrapped(value)), None)
        file: File | str = "it is no function"
        node = None
        if function is not None:
            file = self.library.file_of_function(function)
            node = file.function(function.__code__) if isinstance(file, File) else None
        own = None if "." in name or isinstance(vars(cls)[name], property) else written.get(name)
        if own is not None and node is not own:
            # A decorator has put something else in its place.
            is_alias = node is not None and node in written.values()
            if not is_alias:
                body = self.library.file_of_class(cls)
                file, node = body, own
        if function is None and node is None:
            return None
        return Method(cls, name, node, file if isinstance(file, File) else None, function)

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        found = after is None
        for cls, methods in self.layers.items():
            if found and name in methods:
                return methods[name]
            found = found or cls is after
        return None

    def methods(self) -> Iterator[Method]:
        """Yield all methods, overridden ones included."""
        for methods in self.layers.values():
            yield from methods.values()

    def function(self, expression: ast.expr, user: Method, place: int) -> Method | None:
        """Return the function that `expression` means in `user`, which gives it the instance."""
        for function in unwrapped(resolve(expression, user.namespace)):
            known = self._functions.get((function, place))
            if known is not None:
                return known
            file = self.library.file_of_function(function)
            if isinstance(file, File):
                node = file.function(function.__code__)
                if node is not None:
                    found = Method(self.cls, function.__name__, node, file, function, place)
                    self._functions[function, place] = found
                    return found
        return None

    def mentions(self, word: str) -> bool:
        """Return whether a name is used anywhere in the files of the class."""
        return any(word in file.words for file in self.files)

    # -- attributes ---------------------------------------------------------------------------

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """What is known of each attribute from what is assigned to it."""
        found: dict[str, Attribute] = {}
        for cls, node in self._bodies:
            module = sys.modules.get(cls.__module__)
            names = dict(vars(module)) if module else {}
            for name, statement in class_body(node, ast.Assign, ast.AnnAssign):
                attribute = found.setdefault(name, Attribute())
                attribute.learn_from_class(statement, names)
        for method in self.methods():
            for event in method.facts.events:
                if isinstance(event, Write) and len(event.path) == 1 and event.value is not None:
                    attribute = found.setdefault(event.path[0], Attribute())
                    attribute.learn(event.value, method.namespace, method.node)
        return found

    def attribute(self, name: str) -> Attribute:
        """Return what is known of one attribute."""
        return self.attributes.get(name) or Attribute()

    @cached_property
    def _kept_names(self) -> frozenset[str]:
        """Attributes that a comment silences where they are first made."""
        kept: set[str] = set()
        for cls, node in self._bodies:
            file = self.library.file_of_class(cls)
            for name, statement in class_body(node, ast.Assign, ast.AnnAssign):
                last = statement.end_lineno or statement.lineno
                if isinstance(file, File) and file.is_kept(statement.lineno, last):
                    kept.add(name)
        for method in self.methods():
            if method.name not in _BEFORE_LIVES or method.file is None:
                continue
            for event in method.facts.events:
                if isinstance(event, Write) and method.file.is_kept(*event.lines):
                    kept.add(event.path[0])
        return frozenset(kept)

    def is_kept(self, method: Method, path: tuple[str, ...], lines: tuple[int, int]) -> bool:
        """Return whether a comment, or `audit_ignore`, says that this is meant to be kept."""
        return (
            method.is_kept
            or method.owner in self._kept_layers
            or (method.file is not None and method.file.is_kept(*lines))
            or self.keeps(path)
        )

    def keeps(self, path: tuple[str, ...]) -> bool:
        """Return whether an attribute is declared as kept, whoever changes it."""
        dotted = ".".join(path)
        return path[0] in self._kept_names or any(
            fnmatchcase(name, each) for each in self.ignored for name in (dotted, path[0])
        )

    def value_at_first(self, name: str) -> tuple[ast.expr | None, set[str]]:
        """Return what construction assigns to an attribute, and the names local to that place."""
        for method in self.methods():
            if method.name in _BEFORE_LIVES and method.node is not None:
                for event in method.facts.events:
                    if isinstance(event, Write) and event[:2] == ((name,), Kind.ASSIGNED):
                        return event.value, _locals_of(method.node)
        for _, node in self._bodies:
            for own, statement in class_body(node, ast.Assign, ast.AnnAssign):
                if own == name and not isinstance(statement.value, ast.Call):
                    return statement.value, set()
        return None, set()


def _locals_of(node: FunctionNode) -> set[str]:
    stored = {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    return stored | {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}


_BEFORE_LIVES = frozenset({"__init__", "__new__", "__post_init__", "awake"})


def _ignored(cls: type) -> Iterator[str]:
    for each in cls.__mro__:
        yield from kept_names(vars(each).get("audit_ignore", ()), each.__qualname__)
