"""What is known of an attribute from the expressions that are assigned to it."""

from __future__ import annotations

import ast
import builtins
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Attribute", "class_body", "resolve"]

N = TypeVar("N")

_DISPLAYS = {
    ast.List: frozenset({"list"}),
    ast.ListComp: frozenset({"list"}),
    ast.Dict: frozenset({"dict"}),
    ast.DictComp: frozenset({"dict"}),
    ast.Set: frozenset({"set"}),
    ast.SetComp: frozenset({"set"}),
}
_CONTAINERS = {
    "list": "list",
    "dict": "dict",
    "set": "set",
    "bytearray": "list",
    "deque": "list",
    "array": "list",
    "defaultdict": "dict",
    "OrderedDict": "dict",
    "Counter": "dict",
    "ChainMap": "dict",
    "WeakKeyDictionary": "dict",
    "WeakValueDictionary": "dict",
    "WeakSet": "set",
}
_ATTACH = frozenset({"add_component", "add_child"})


def class_body(node: ast.AST, *kinds: Any) -> Iterator[tuple[str, Any]]:
    """Yield the statements of some kinds in a class body, with the names that they bind."""
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.If() | ast.Try() | ast.With() | ast.ExceptHandler():
                yield from class_body(child, *kinds)
            case ast.FunctionDef() | ast.AsyncFunctionDef() if isinstance(child, kinds):
                yield child.name, child
            case ast.Assign() if isinstance(child, kinds):
                for target in child.targets:
                    if isinstance(target, ast.Name):
                        yield target.id, child
            case ast.AnnAssign(target=ast.Name(id=name)) if isinstance(child, kinds):
                yield name, child
            case _:
                continue


def resolve(node: ast.expr | None, names: Mapping[str, Any]) -> Any:
    """Return what an expression of names and dots means; `None` where that can't be told."""
    match node:
        case ast.Name(id=name):
            return names.get(name, getattr(builtins, name, None))
        case ast.Attribute(value=value, attr=name):
            base = resolve(value, names)
            # Nothing but modules and classes: asking an object may run the game's code.
            return getattr(base, name, None) if isinstance(base, ModuleType | type) else None
        case ast.Subscript(value=value):
            return resolve(value, names)
        case ast.Constant(value=str(text)):
            try:
                return resolve(ast.parse(text, mode="eval").body, names)
            except SyntaxError:
                return None
        case _:
            return None


class Attribute:
    """What kind of thing is found in an attribute.

    Attributes:
        containers: ``"list"``, ``"dict"``, ``"set"``: which the class itself makes.
        classes: Classes whose instances the class itself makes for it.
        declared: Classes that it is annotated with.
        is_attached: It is a component or a child sprite, which has hooks of its own.
        is_shared: It is meant to be shared by all instances.
    """

    __slots__ = ("classes", "containers", "declared", "is_attached", "is_shared")

    def __init__(self) -> None:
        """Know nothing yet."""
        self.containers: set[str] = set()
        self.classes: set[type] = set()
        self.declared: set[type] = set()
        self.is_attached = False
        self.is_shared = False

    def learn(  # noqa: C901 - a case for each kind of expression
        self,
        value: ast.expr,
        names: Mapping[str, Any],
        function: ast.FunctionDef | ast.AsyncFunctionDef | None,
    ) -> None:
        """Learn from what is assigned to it in `function`."""
        match value:
            case ast.Call(func=ast.Attribute(attr=attr), args=[attached, *_]) if attr in _ATTACH:
                self.is_attached = True
                self.learn(attached, names, function)
            case ast.Call():
                self._learn_from_call(value, names)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):  # [0] * 4
                for side in (left, right):
                    if isinstance(side, ast.List):
                        self.containers.add("list")
            case ast.IfExp(body=body, orelse=orelse):
                self.learn(body, names, function)
                self.learn(orelse, names, function)
            case ast.BoolOp(values=values):
                for each in values:
                    self.learn(each, names, function)
            case ast.Name(id=name) if function is not None:
                arguments = function.args
                every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                for parameter in every:
                    if parameter.arg == name:
                        self.declare(parameter.annotation, names)
            case _:
                self.containers |= _DISPLAYS.get(type(value), frozenset())

    def _learn_from_call(self, value: ast.Call, names: Mapping[str, Any]) -> None:
        made = resolve(value.func, names)
        name = getattr(made, "__name__", "")
        if name == "field" and getattr(made, "__module__", "") == "dataclasses":
            for keyword in value.keywords:
                if keyword.arg == "default_factory":
                    self._learn_from_call(ast.Call(keyword.value, [], []), names)
        elif name in _CONTAINERS:
            self.containers.add(_CONTAINERS[name])
        elif isinstance(made, type):
            self.classes.add(made)
        elif str(getattr(made, "__module__", "")).partition(".")[0] == "numpy":
            self.containers.add("list")

    def learn_from_class(
        self, statement: ast.Assign | ast.AnnAssign, names: Mapping[str, Any]
    ) -> None:
        """Learn from a statement in the class body."""
        if isinstance(statement, ast.AnnAssign):
            words = ast.unparse(statement.annotation)
            self.is_shared = self.is_shared or "ClassVar" in words
            self.declare(statement.annotation, names)
        if statement.value is not None:
            self.learn(statement.value, names, None)
            # A dict in a class is a cache that all share; a list is a slip.
            self.is_shared = self.is_shared or isinstance(statement.value, ast.Dict | ast.DictComp)

    def declare(self, annotation: ast.expr | None, names: Mapping[str, Any]) -> None:
        """Learn from an annotation."""
        parts = [annotation]
        while parts:
            part = parts.pop()
            if isinstance(part, ast.BinOp):  # Health | None
                parts += [part.left, part.right]
                continue
            found = resolve(part, names)
            if isinstance(found, type):
                self.declared.add(found)
