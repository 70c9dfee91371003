"""What a method does to the instance it is called on, in the order in which it does it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


Path = tuple[str, ...]
"""Attributes from the instance on: ``("health", "current")`` for ``self.health.current``."""

_OF_FUNCTIONS = frozenset({"heapify", "heappop", "heappush", "heappushpop", "heapreplace"})
_OF_FUNCTIONS |= {"insort", "insort_left", "insort_right", "next", "shuffle"}
CHANGING = _OF_FUNCTIONS | {"add", "append", "appendleft", "blit", "blits", "clear", "discard"}
CHANGING |= {"apply_force_at_local_point", "apply_force_at_world_point", "difference_update"}
CHANGING |= {"apply_impulse_at_local_point", "apply_impulse_at_world_point", "extend", "extendleft"}
CHANGING |= {"fblits", "fill", "insert", "intersection_update", "pop", "popitem", "popleft"}
CHANGING |= {
    "remove",
    "reverse",
    "rotate",
    "scale_to_length",
    "scroll",
    "seek",
    "send",
    "set_alpha",
}
CHANGING |= {"set_at", "set_colorkey", "set_palette", "set_palette_at", "setdefault", "sort"}
CHANGING |= {"subtract", "symmetric_difference_update", "truncate", "update", "write", "writelines"}
"""Methods that change what they are called on, and functions that change their first argument."""

Sure = frozenset[str] | None
"""`None`: in every run. Else under conditions, which all look at these attributes."""

Kind = Literal[
    "set",
    "changed",
    "given items",
    "changed in place",
    "deleted",
    "read",
    "called",  # a method of what it holds
    "self",  # a method of its own, or of its base classes
    "super",
    "class",  # one of a base class, named
]
_UNSURE: frozenset[str] = frozenset()


class Event(NamedTuple):
    """Something that is done to the instance.

    Attributes:
        path: What it is done to.
        kind: What is done.
        node: The statement or expression that does it.
        sure: Whether every run of the method does it.
        when: Now; later, by a function that is handed on; or when the life ends.
        name: The method or function that is called.
        value: What is assigned, or the base class.
    """

    path: Path
    kind: Kind
    node: ast.expr | ast.stmt
    sure: Sure = None
    when: Literal["now", "later", "end"] = "now"
    name: str = ""
    value: ast.expr | None = None


@dataclass(slots=True)
class Facts:
    """What a function does.

    Attributes:
        events: All of it, in order.
        returned: Attributes that what it returns is read from.
        balanced: What it sets back in a ``finally``.
    """

    events: list[Event] = field(default_factory=list)
    returned: set[str] = field(default_factory=set)
    balanced: set[Path] = field(default_factory=set)


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


def facts_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str) -> Facts:
    """Read a function, to which `name` is the instance."""
    reader = _Reader(name)
    if isinstance(node, ast.Lambda):
        reader.facts.events = list(reader.expression(node.body))
    else:
        reader.facts.events, _ = reader.block(node.body)
    return reader.facts


class _Reader:
    """Reads one function, statement by statement."""

    def __init__(self, name: str) -> None:
        self.facts = Facts()
        self.stands_for: dict[str, list[Path]] = {name: [()]}
        self.made_of: dict[str, set[str]] = {}
        self.inner: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}

    # -- statements ---------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> tuple[list[Event], str]:
        """Return what some statements do, and how they end: by a return, a raise, or not."""
        events: list[Event] = []
        condition: Sure = None
        for statement in body:
            found, end, rest = self.statement(statement)
            events += _conditional(found, condition)
            if end:
                return events, end
            condition = under(rest, condition)
            if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(statement)):
                condition = _UNSURE  # what a coroutine does after it has waited
        return events, ""

    def statement(  # noqa: C901, PLR0911, PLR0912, PLR0915 - a case for each kind
        self, node: ast.stmt
    ) -> tuple[list[Event], str, Sure]:
        """Return what a statement does, how it ends, and under what condition the next is run."""
        events: list[Event] = []
        match node:
            case ast.If():
                branches = [self.block(node.body), self.block(node.orelse)]
                return self._branches(node, self._looked_at(node.test), branches, [node.test])
            case ast.Match():
                branches = [self.block(case.body) for case in node.cases]
                if getattr(node.cases[-1].pattern, "pattern", None) is not None:  # no case _
                    branches.append(([], ""))
                looked = self._looked_at(node.subject)
                return self._branches(node, looked, branches, [node.subject])
            case ast.For() | ast.AsyncFor():
                events += self.expression(node.iter)
                if isinstance(node.target, ast.Name):
                    self._alias_loop(node.target.id, node.iter)
                events += self.target(node.target, None, node)
                events += [*self.block(node.body)[0], *self.block(node.orelse)[0]]
            case ast.While():
                always = isinstance(node.test, ast.Constant)
                events += self.expression(node.test)
                condition = None if always else self._looked_at(node.test)
                events += _conditional(self.block(node.body)[0], condition)
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
            case ast.Assign():
                events += self.expression(node.value)
                for target in node.targets:
                    events += self.target(target, node.value, node)
                self._learn_names(node.targets, node.value)
            case ast.AnnAssign() if node.value is not None:
                events += self.expression(node.value)
                events += self.target(node.target, node.value, node)
                self._learn_names([node.target], node.value)
            case ast.AugAssign():
                events += self.expression(node.value)
                events += self._augmented(node)
            case ast.Delete():
                for target in node.targets:
                    events += self._deleted(target, node)
            case ast.ClassDef() | ast.AnnAssign():
                pass
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        events += self.expression(child)
        return events, "", None

    def _branches(
        self,
        node: ast.stmt,
        looked: set[str],
        branches: list[tuple[list[Event], str]],
        tests: list[ast.expr],
    ) -> tuple[list[Event], str, Sure]:
        condition = frozenset(looked)
        events = [event for test in tests for event in self.expression(test)]
        for found, _ in branches:
            events += _conditional(found, condition)
        kept = [found for found, end in branches if end != "raise"]
        everywhere = [{e.path for e in found if _is_reset(e)} for found in kept]
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
            found, _ = self.block(handler.body)
            events += _conditional(found, looked)
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
                for path in paths:
                    kind: Kind = "changed" if path[-1] in self._own(value, path) else "set"
                    yield Event(path, kind, at, value=value)
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

    def _own(self, value: ast.expr | None, path: Path) -> set[str]:
        """Return the last name of `path` if `value` is made of what is there."""
        for each in ast.walk(value) if value is not None else ():
            if isinstance(each, ast.Attribute) and path in self.paths(each):
                return {path[-1]}
        return set()

    def _augmented(self, node: ast.AugAssign) -> Iterator[Event]:
        match node.target:
            case ast.Attribute() if paths := self.paths(node.target):
                for path in paths:
                    yield Event(path[:1], "read", node)
                    yield Event(path, "changed", node)
            case ast.Name(id=name):
                for path in filter(None, self.stands_for.get(name, [])):
                    yield Event(path, "changed in place", node)
            case ast.Subscript() | ast.Attribute():
                for path in self.holding(node.target):
                    yield Event(path, "changed in place", node)
            case _:
                return

    def _deleted(self, target: ast.expr, node: ast.stmt) -> Iterator[Event]:
        match target:
            case ast.Attribute():
                for path in self.paths(target):
                    yield Event(path, "deleted", node)
            case ast.Subscript():
                for path in self.holding(target):
                    kind: Kind = "called" if isinstance(target.slice, ast.Slice) else "deleted"
                    kind = "changed in place" if kind == "deleted" else kind
                    yield Event(path, kind, node, name="clear" if kind == "called" else "")
            case _:
                return

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
                self._learn_names([node.target], node.value)
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from self.expression(child)

    def _call(self, node: ast.Call) -> Iterator[Event]:
        function = node.func
        if self._is_at_end(function):
            for given in node.args[:1]:
                yield from self._at_end(given)
            return
        for argument in (*node.args, *(each.value for each in node.keywords)):
            yield from self.expression(argument)
        name = getattr(function, "attr", getattr(function, "id", ""))
        if name in _OF_FUNCTIONS and node.args:
            for path in filter(None, self.paths(node.args[0])):
                yield Event(path, "called", node, name=name)
        if name in {"setattr", "__setattr__", "delattr"}:
            yield from self._by_name(node, "deleted" if name == "delattr" else "set")
        elif isinstance(function, ast.Attribute):
            yield from self._method_call(node, function)
        elif isinstance(function, ast.Name) and function.id in self.inner:
            yield from self._inner_events(function.id)
        elif not isinstance(function, ast.Name):
            yield from self.expression(function)

    def _method_call(self, node: ast.Call, function: ast.Attribute) -> Iterator[Event]:
        name, paths = function.attr, self.paths(function.value)
        match function.value:
            case ast.Call(func=ast.Name(id="super")):
                yield Event((), "super", node, name=name)
                return
            case _:
                pass
        for path in paths:
            if path:
                yield Event(path, "read", node)
                yield Event(path, "called", node, name=name)
            else:
                yield Event((), "self", node, name=name)
        if not paths:
            yield from self.expression(function.value)
            for path in self.holding(function.value) if name in CHANGING else ():
                yield Event(path, "changed in place", node)
            if node.args and () in self.paths(node.args[0]):
                yield Event((), "class", node, name=name, value=function.value)

    def _by_name(self, node: ast.Call, kind: Kind) -> Iterator[Event]:
        match node.args:
            case [of, ast.Constant(value=str(name)), *rest]:
                for path in self.paths(of):
                    yield Event((*path, name), kind, node, value=rest[0] if rest else None)
            case _:
                return

    def _is_at_end(self, function: ast.expr) -> bool:
        return (
            isinstance(function, ast.Attribute)
            and function.attr == "callback"
            and any(path[-1:] == ("scope",) for path in self.paths(function.value))
        )

    def _at_end(self, given: ast.expr) -> Iterator[Event]:
        """Yield what is done when the life ends, for a scope was given it."""
        match given:
            case ast.Lambda():
                yield from _at(self.expression(given.body), "end")
            case ast.Name(id=name) if name in self.inner:
                yield from _at(self._inner_events(name), "end")
            case ast.Attribute(value=value, attr=name):
                for path in self.paths(value):
                    kind: Kind = "called" if path else "self"
                    yield Event(path, kind, given, name=name, when="end")
            case _:
                yield from self.expression(given)

    def _inner_events(self, name: str) -> list[Event]:
        node = self.inner.pop(name)  # once: it may call itself
        events, _ = self.block(node.body)
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

    def _looked_at(self, node: ast.AST | None) -> set[str]:
        """Return the attributes that an expression looks at, by way of local names too."""
        found: set[str] = set()
        for each in ast.walk(node) if node is not None else ():
            found |= {path[0] for path in self.paths(each) if path}
            if isinstance(each, ast.Name):
                found |= self.made_of.get(each.id, set())
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                found.add(each.value)  # hasattr(self, "font")
        return found

    def _learn_names(self, targets: list[ast.expr], value: ast.expr) -> None:
        """Note which local names are other words for attributes, or made of them."""
        attributes = {path[0] for target in targets for path in self.paths(_base(target)) if path}
        for target in targets:
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            for name, part in pairs:
                if isinstance(name, ast.Name):
                    self.stands_for[name.id] = self.paths(part)
                    self.made_of[name.id] = self._looked_at(part) | attributes

    def _alias_loop(self, name: str, iterated: ast.expr) -> None:
        entries = getattr(iterated, "elts", [])
        self.stands_for[name] = [path for each in entries for path in self.paths(each)]
        self.made_of[name] = self._looked_at(iterated)


def _conditional(events: Iterable[Event], condition: Iterable[str] | None) -> list[Event]:
    if condition is None:
        return list(events)
    looked = frozenset(condition)
    return [event._replace(sure=under(event.sure, looked)) for event in events]


def _at(events: Iterable[Event], when: Literal["later", "end"]) -> list[Event]:
    return [event._replace(when=when) if event.when == "now" else event for event in events]


def _is_reset(event: Event) -> bool:
    return event.kind == "set" and event.sure is None and event.when == "now"


def _base(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node
