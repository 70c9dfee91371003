"""What a method does to the instance it is called on, in the order in which it does it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Path = tuple[str, ...]
"""Attributes from the instance on: ``("health", "current")`` for ``self.health.current``."""

_CHANGE_THEIR_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
_CHANGE_WHAT_THEY_ARE_OF = re.compile(
    r"\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|clear|discard|"
    r"extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|scale_to_length|scroll|"
    r"seek|send|set_\w+|setdefault|sort|subtract|truncate|update|write(lines)?"
)


def is_changing(name: str) -> bool:
    """Return whether what has this name changes what it is called on, or its first argument."""
    either = _CHANGE_WHAT_THEY_ARE_OF.fullmatch(name) or _CHANGE_THEIR_ARGUMENT.fullmatch(name)
    return either is not None


Sure = frozenset[str] | None
"""`None`: in every run. Else under conditions, which all look at these attributes."""

_Change = Literal["set", "changed", "given items", "changed in place", "deleted"]
# To call is to call a method: of what it holds; of its own; by `super()`; of a class by its name.
Kind = _Change | Literal["read", "called", "self", "super", "class"]
_UNSURE: frozenset[str] = frozenset()
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Event(NamedTuple):
    """Something that is done to the instance."""

    path: Path
    kind: Kind
    node: ast.expr | ast.stmt
    sure: Sure = None
    when: Literal["now", "later", "end"] = "now"  # later: by a function that is handed on
    name: str = ""  # of the method or function that is called
    value: ast.expr | None = None  # what is assigned, or the base class

    @property
    def is_change(self) -> bool:
        """Whether it writes or changes something."""
        if self.kind == "called":
            return is_changing(self.name)
        return self.kind not in {"read", "self", "super", "class"}


@dataclass(slots=True)
class Facts:
    """What a function does."""

    events: list[Event] = field(default_factory=list)
    returned: set[str] = field(default_factory=set)  # what it returns is read from these
    balanced: set[Path] = field(default_factory=set)  # what it sets back in a ``finally``


def under(sure: Sure, condition: Sure) -> Sure:
    """Return how sure something is that happens under one more condition."""
    if condition is None:
        return sure
    return condition if sure is None else sure & condition


def covers(sure: Sure, path: Path) -> bool:
    """Return whether a reset of `path` that is so sure can be relied on.

    To reset it only if it needs it, as in ``if self.timer: self.timer = None``, is to reset it.
    """
    return sure is None or path[0] in sure


def facts_of(node: _Function) -> Facts:
    """Read a method: its first argument is the instance."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments:
        return Facts()
    reader = _Reader(arguments[0].arg)
    reader.facts.events = reader.inside(node)
    return reader.facts


class _Reader:
    """Reads one function, statement by statement."""

    def __init__(self, name: str) -> None:
        self.facts = Facts()
        self.stands_for: dict[str, list[Path]] = {name: [()]}
        self.made_of: dict[str, set[str]] = {}
        self.inner: dict[str, _Function] = {}

    # -- statements ---------------------------------------------------------------------------

    def inside(self, function: _Function) -> list[Event]:
        """Return what a function does."""
        if isinstance(function, ast.Lambda):
            return list(self.expression(function.body))
        return self.block(function.body)[0]

    def block(self, body: list[ast.stmt]) -> tuple[list[Event], str]:
        """Return what some statements do, and how they end: by a return, a raise, or not."""
        events: list[Event] = []
        condition: Sure = None
        for statement in body:
            found, end, rest = self.statement(statement)
            events += _under(found, condition)
            if end:
                return events, end
            condition = under(rest, condition)
            if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(statement)):
                condition = _UNSURE  # what a coroutine does after it has waited
        return events, ""

    def statement(  # noqa: C901, PLR0911, PLR0912 - a case for each kind
        self, node: ast.stmt
    ) -> tuple[list[Event], str, Sure]:
        """Return what a statement does, how it ends, and under what condition the next is run."""
        events: list[Event] = []
        match node:
            case ast.If():
                return self._branches(node, node.test, [node.body, node.orelse])
            case ast.Match():
                bodies = [case.body for case in node.cases]
                has_default = getattr(node.cases[-1].pattern, "pattern", node) is None
                return self._branches(node, node.subject, [*bodies, *[[]] * (not has_default)])
            case ast.For() | ast.AsyncFor():
                events += self.expression(node.iter)
                entries = getattr(node.iter, "elts", ())
                self._learn(node.target, *entries, made_of=self._looked_at(node.iter))
                events += self.target(node.target, None, node)
                events += [*self.block(node.body)[0], *self.block(node.orelse)[0]]
            case ast.While():
                events += self.expression(node.test)
                looked = None if isinstance(node.test, ast.Constant) else self._looked_at(node.test)
                events += _under(self.block(node.body)[0], looked)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    events += self.expression(item.context_expr)
                    if item.optional_vars is not None:
                        events += self.target(item.optional_vars, None, node)
                found, end = self.block(node.body)
                return [*events, *found], end, None
            case ast.Try() | ast.TryStar():
                return self._try(node)
            case ast.Return():
                self.facts.returned |= self._looked_at(node.value)
                return list(self.expression(node.value)), "return", None
            case ast.Raise():
                return list(self.expression(node.exc)), "raise", None
            case ast.Break() | ast.Continue():
                return [], "return", None
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.inner[node.name] = node
                if node.decorator_list:
                    events += _at(self._inner_events(node.name), "later")
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                events += self.expression(value)
                targets = getattr(node, "targets", None) or [node.target]  # type: ignore[union-attr]
                for target in targets:
                    events += self.target(target, value, node)
                    self._learn_pairs(target, value, targets)
            case ast.AugAssign():
                events += [*self.expression(node.value), *self._augmented(node)]
            case ast.Delete():
                for target in node.targets:
                    events += self._deleted(target, node)
            case ast.ClassDef() | ast.AnnAssign():
                pass
            case _:
                for child in ast.iter_child_nodes(node):
                    events += self.expression(child) if isinstance(child, ast.expr) else ()
        return events, "", None

    def _branches(
        self, node: ast.stmt, test: ast.expr, bodies: list[list[ast.stmt]]
    ) -> tuple[list[Event], str, Sure]:
        condition = self._looked_at(test)
        events = list(self.expression(test))
        branches = [self.block(body) for body in bodies]
        for found, _ in branches:
            events += _under(found, condition)
        everywhere = [
            {each.path for each in found if (each.kind, each.sure, each.when) == _A_RESET}
            for found, end in branches
            if end != "raise"
        ]
        sure = set.intersection(*everywhere) if everywhere else set()
        events += [Event(path, "set", node) for path in sorted(sure)]
        ends = [end for _, end in branches]
        if all(ends):
            return events, "return" if "return" in ends else "raise", None
        return events, "", condition if "return" in ends else None

    def _try(self, node: ast.Try | ast.TryStar) -> tuple[list[Event], str, Sure]:
        events, end = self.block(node.body)
        looked = frozenset(name for each in node.body for name in self._looked_at(each))
        for handler in node.handlers:
            events += _under(self.block(handler.body)[0], looked)
        events += self.block(node.orelse)[0]
        last, _ = self.block(node.finalbody)
        self.facts.balanced |= {each.path for each in last if each.kind in {"set", "changed"}}
        return [*events, *last], "" if node.handlers else end, None

    # -- what is written ----------------------------------------------------------------------

    def target(
        self, node: ast.expr, value: ast.expr | None, at: ast.stmt | ast.expr
    ) -> Iterator[Event]:
        """Yield what assigning `value` to `node` does."""
        match node:
            case ast.Attribute():
                paths = self.paths(node)
                inside = list(ast.walk(value)) if value is not None else []
                used = [path for each in inside for path in self.paths(each)]
                for path in paths:
                    yield Event(path, "changed" if path in used else "set", at, value=value)
                for path in self.holding(node) if not paths else ():
                    yield Event(path, "changed in place", at)
            case ast.Subscript():
                yield from self.expression(node.slice)
                is_all = isinstance(node.slice, ast.Slice) and node.slice.lower is None
                for path in self.holding(node):
                    yield Event(path, "set" if is_all else "given items", at, value=value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values: list[ast.expr | None] = [None] * len(targets)
                if isinstance(value, ast.Tuple) and len(value.elts) == len(targets):
                    values = list(value.elts)
                for each, part in zip(targets, values, strict=True):
                    yield from self.target(each, part, at)
            case ast.Starred():
                yield from self.target(node.value, None, at)
            case _:
                return

    def _augmented(self, node: ast.AugAssign) -> Iterator[Event]:
        paths = self.paths(node.target)
        if isinstance(node.target, ast.Attribute) and paths:
            for path in paths:
                yield Event(path[:1], "read", node)
                yield Event(path, "changed", node)
        else:
            for path in filter(None, paths or self.holding(node.target)):
                yield Event(path, "changed in place", node)

    def _deleted(self, target: ast.expr, node: ast.stmt) -> Iterator[Event]:
        if isinstance(target, ast.Attribute):
            for path in self.paths(target):
                yield Event(path, "deleted", node)
        elif isinstance(target, ast.Subscript):
            is_all = isinstance(target.slice, ast.Slice)
            for path in self.holding(target):
                yield Event(path, "called" if is_all else "changed in place", node, name="clear")

    # -- expressions --------------------------------------------------------------------------

    def expression(self, node: ast.AST | None) -> Iterator[Event]:
        """Yield what evaluating an expression does."""
        match node:
            case None:
                return
            case ast.Call():
                yield from self._call(node)
            case ast.Attribute():
                for path in filter(None, self.paths(node)):
                    yield Event(path, "read", node)
                yield from self.expression(node.value)
            case ast.Name() if node.id in self.inner:  # handed on
                yield from _at(self._inner_events(node.id), "later")
            case ast.Lambda():
                yield from _at(self.expression(node.body), "later")
            case ast.NamedExpr():
                yield from self.expression(node.value)
                self._learn_pairs(node.target, node.value, [])
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self.expression(child)

    def _call(  # noqa: C901, PLR0912 - a case for each kind
        self, node: ast.Call
    ) -> Iterator[Event]:
        function, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", ""))
        of = self.paths(getattr(function, "value", function))
        if name == "callback" and any(path[-1:] == ("scope",) for path in of):
            for given in node.args[:1]:
                yield from self._at_end(given)
            return
        for argument in (*node.args, *(each.value for each in node.keywords)):
            yield from self.expression(argument)
        if node.args and _CHANGE_THEIR_ARGUMENT.fullmatch(name):
            for path in filter(None, self.paths(node.args[0])):
                yield Event(path, "called", node, name=name)
        match node.func, node.args:
            case _, [thing, ast.Constant(value=str(attribute)), *rest] if name in _BY_NAME:
                for path in self.paths(thing):
                    value = rest[0] if rest else None
                    yield Event((*path, attribute), _BY_NAME[name], node, value=value)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))), _:
                yield Event((), "super", node, name=name)
            case ast.Attribute(value=value), arguments:
                for path in of:
                    if path:
                        yield Event(path, "read", node)
                    yield Event(path, "called" if path else "self", node, name=name)
                if not of:
                    yield from self.expression(value)
                    for path in self.holding(value) if is_changing(name) else ():
                        yield Event(path, "changed in place", node)
                    if arguments and () in self.paths(arguments[0]):
                        yield Event((), "class", node, name=name, value=value)
            case ast.Name(id=inner), _:
                yield from self._inner_events(inner) if inner in self.inner else ()
            case _:
                yield from self.expression(function)

    def _at_end(self, given: ast.expr) -> Iterator[Event]:
        """Yield what is done when the life ends, for a scope was given it."""
        match given:
            case ast.Lambda():
                yield from _at(self.expression(given.body), "end")
            case ast.Name(id=name) if name in self.inner:
                yield from _at(self._inner_events(name), "end")
            case ast.Attribute(value=value, attr=name):
                for path in self.paths(value):
                    yield Event(path, "called" if path else "self", given, name=name, when="end")
            case _:
                yield from self.expression(given)

    def _inner_events(self, name: str) -> list[Event]:
        node = self.inner.pop(name)  # once: it may call itself
        events = self.inside(node)
        self.inner[name] = node
        return events

    # -- names --------------------------------------------------------------------------------

    def paths(self, node: ast.AST) -> list[Path]:
        """Return which attributes of the instance an expression may stand for."""
        match node:
            case ast.Name(id=name):
                return self.stands_for.get(name, [])
            case ast.Attribute(value=value, attr=name):
                return [(*path, name) for path in self.paths(value)]
            case _:
                return []

    def holding(self, node: ast.expr) -> list[Path]:
        """Return the attributes in which something lies, an entry of an entry perhaps."""
        while isinstance(node, ast.Subscript | ast.Attribute):
            node = node.value
            found = self.paths(node)
            if found:
                return [path for path in found if path]
        return []

    def _looked_at(self, node: ast.AST | None) -> frozenset[str]:
        """Return the attributes that an expression looks at, by way of local names too."""
        found: set[str] = set()
        for each in ast.walk(node) if node is not None else ():
            found |= {path[0] for path in self.paths(each) if path}
            if isinstance(each, ast.Name):
                found |= self.made_of.get(each.id, set())
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                found.add(each.value)  # hasattr(self, "font")
        return frozenset(found)

    def _learn(self, name: ast.expr, *values: ast.expr, made_of: Iterable[str] = ()) -> None:
        """Note for which attributes a local name is another word, or of what it is made."""
        if isinstance(name, ast.Name):
            self.stands_for[name.id] = [path for each in values for path in self.paths(each)]
            looked = [each for value in values for each in self._looked_at(value)]
            self.made_of[name.id] = {*made_of, *looked}

    def _learn_pairs(self, target: ast.expr, value: ast.expr, targets: list[ast.expr]) -> None:
        bases = [each.value if isinstance(each, ast.Subscript) else each for each in targets]
        attributes = {path[0] for each in bases for path in self.paths(each) if path}
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for name, part in zip(target.elts, value.elts, strict=False):
                self._learn(name, part, made_of=attributes)
        else:
            self._learn(target, value, made_of=attributes)


_A_RESET = ("set", None, "now")
_BY_NAME: dict[str, Kind] = {"setattr": "set", "__setattr__": "set", "delattr": "deleted"}


def _under(events: Iterable[Event], condition: Sure) -> list[Event]:
    return [event._replace(sure=under(event.sure, condition)) for event in events]


def _at(events: Iterable[Event], when: Literal["later", "end"]) -> list[Event]:
    return [event._replace(when=when) if event.when == "now" else event for event in events]
