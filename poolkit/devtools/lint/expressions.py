"""Reading expressions: which attributes of the instance they mean, read and change."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from poolkit.devtools.lint.events import (
    ANYTHING,
    CERTAIN,
    Call,
    Certainty,
    Event,
    Facts,
    Kind,
    Path,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["ExpressionReader"]

_TAKE_A_CONTAINER = frozenset(
    {"heappop", "heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"}
)

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class ExpressionReader:
    """Follows what names stand for, and notes what expressions do to the instance."""

    def __init__(
        self,
        read: Callable[[Function, dict[str, Path]], Facts],
        names: dict[str, Path],
    ) -> None:
        """Begin where `names` stand for the instance; `read` reads functions within."""
        self._read = read
        self.names = names
        self.origins: dict[str, frozenset[str]] = {}
        self.facts = Facts()
        self.lines = (0, 0)

    # -- what things mean ---------------------------------------------------------------------

    def path_of(self, node: ast.expr | None) -> Path | None:
        """Return what `node` is, from the instance on: () is the instance; `None` if no part."""
        match node:
            case ast.Name():
                return self.names.get(node.id)
            case ast.Attribute():
                base = self.path_of(node.value)
                return None if base is None else (*base, node.attr)
            case ast.Call(func=ast.Name(id="vars"), args=[only]) if self.path_of(only) == ():
                return ("__dict__",)
            case _:
                return None

    def reads(self, *nodes: ast.AST | None) -> frozenset[str]:
        """Return the attributes of the instance that expressions look at."""
        found: set[str] = set()
        for node in nodes:
            for part in ast.walk(node) if node is not None else ():
                match part:
                    case ast.Attribute():
                        path = self.path_of(part)
                        if path:
                            found.add(path[0])
                    case ast.Name() if part.id in self.names:
                        found.update(self.names[part.id][:1])
                    case ast.Name():
                        found |= self.origins.get(part.id, frozenset())
                    case ast.Constant(value=str(text)):  # hasattr(self, "target")
                        found.add(text)
                    case _:
                        continue
        return frozenset(found)

    def is_made_of(self, value: ast.expr | None, path: Path) -> bool:
        """Return whether `value` is made of what is at `path` now."""
        if value is None:
            return False
        return any(
            self.path_of(part) == path
            for part in ast.walk(value)
            if isinstance(part, ast.Attribute | ast.Name)
        )

    # -- what things do -----------------------------------------------------------------------

    def note(self, path: Path, kind: Kind, value: ast.expr | None = None) -> None:
        """Note a change."""
        self.facts.events.append(Write(path, kind, self.lines, CERTAIN, value))

    def call(
        self,
        target: Literal["self", "super", "part", "local"],
        path: Path,
        name: str,
        how: Literal["call", "start", "drain"] = "call",
    ) -> None:
        """Note a call."""
        self.facts.events.append(Call(target, path, name, self.lines, CERTAIN, how))

    def weaken(self, since: int, condition: Certainty) -> None:
        """Take back that what was noted `since` is certain: it happens under a condition."""
        events = self.facts.events
        for place in range(since, len(events)):
            event = events[place]
            events[place] = event._replace(certainty=event.certainty.under(condition))

    def under(self, condition: Iterable[ast.expr], node: ast.expr) -> None:
        """Read an expression that is evaluated under a condition."""
        since = len(self.facts.events)
        self.expression(node)
        self.weaken(since, Certainty(always=False, unless_idle=self.reads(*condition)))

    def expression(self, node: ast.AST | None) -> None:  # noqa: C901, PLR0912 - a case for each kind
        """Note what evaluating `node` does."""
        match node:
            case None:
                return
            case ast.Lambda():
                self._inner(f"lambda:{node.lineno}:{node.col_offset}", node, stray=True)
            case ast.BoolOp():
                self.expression(node.values[0])
                for place, value in enumerate(node.values[1:], 1):
                    self.under(node.values[:place], value)
            case ast.IfExp():
                self.expression(node.test)
                self.under([node.test], node.body)
                self.under([node.test], node.orelse)
            case ast.NamedExpr():
                self.expression(node.value)
                self.bind(node.target.id, node.value)
            case ast.YieldFrom(value=ast.Call() as call):
                self._note_yield()
                self._calling(call, "drain")
            case ast.Call():
                self._calling(node, "call")
            case ast.Attribute():
                path = self.path_of(node)
                if path:
                    self.facts.mentioned.add(path[0])
                self.expression(node.value)
            case ast.Name():
                if node.id in self.facts.inner:
                    self.facts.stray.add(node.id)
            case _:
                for child in ast.iter_child_nodes(node):
                    self.expression(child)
                if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
                    self._note_yield()

    def _note_yield(self) -> None:
        if self.facts.first_yield is None:
            self.facts.first_yield = len(self.facts.events)

    def bind(self, name: str, value: ast.expr | None) -> None:
        """Let a local name stand for what `value` is."""
        path = self.path_of(value)
        self.origins[name] = self.origins.get(name, frozenset()) | self.reads(value)
        if path is not None:
            self.names[name] = path
        else:
            self.names.pop(name, None)

    def _inner(self, name: str, node: Function, *, stray: bool) -> None:
        self.facts.inner[name] = self._read(node, self.names)
        if stray:
            self.facts.stray.add(name)

    def define(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Take note of a function within the function."""
        self._inner(node.name, node, stray=False)

    # -- calls --------------------------------------------------------------------------------

    def _calling(  # noqa: C901, PLR0912 - a case for each kind
        self, node: ast.Call, how: Literal["call", "start", "drain"]
    ) -> None:
        function, arguments = node.func, node.args
        path = self.path_of(function)
        first = arguments[0] if arguments else None
        match function:
            case ast.Attribute(attr="callback", value=scope) if self._is_scope(scope) and first:
                self.facts.at_end += self._called_later(first)
                return
            case ast.Attribute(attr="start", value=scope) if self._is_scope(scope):
                if isinstance(first, ast.Call):
                    self._calling(first, "start")
                    return
            case ast.Attribute(attr="__setattr__" | "__delattr__") if path is None:
                own = arguments if self.path_of(first) == () else [ast.Name("self"), *arguments]
                self._set_by_name(own)
            case ast.Name(id="setattr" | "delattr") if self.path_of(first) == ():
                self._set_by_name(arguments)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                self._arguments(node)
                self.call("super", (), function.attr, how)
                return
            case ast.Name() if function.id in self.facts.inner:
                self._arguments(node)
                self.call("local", (), function.id, how)
                return
            case _:
                pass
        self._arguments(node)
        if path is not None and path[:1] == ("__dict__",):
            self.note(ANYTHING, Kind.ASSIGNED)
        elif path is not None and len(path) == 1:
            self.call("self", (), path[0], how)
        elif path:
            self.call("part", path[:-1], path[-1])
        elif path is None:
            self._given_away(node)
            if isinstance(function, ast.Attribute):
                self.expression(function.value)

    def _arguments(self, node: ast.Call) -> None:
        for argument in node.args:
            self.expression(argument)
        for keyword in node.keywords:
            self.expression(keyword.value)

    def _given_away(self, node: ast.Call) -> None:
        """Note a call that is given the instance, or one of its containers."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for place, argument in enumerate(node.args):
            path = self.path_of(argument)
            if path == ():
                self.facts.events.append(
                    Call("function", (), name, self.lines, CERTAIN, "call", node.func, place)
                )
            elif path and place == 0 and name in _TAKE_A_CONTAINER:
                self.call("part", path, name)

    def _is_scope(self, node: ast.expr) -> bool:
        path = self.path_of(node)
        return path is not None and path[-1:] == ("scope",)

    def _called_later(self, node: ast.expr) -> list[Event]:
        """Return what calling `node` without arguments would do."""
        path = self.path_of(node)
        if path and len(path) == 1:
            return [Call("self", (), path[0], self.lines)]
        if path:
            return [Call("part", path[:-1], path[-1], self.lines)]
        if isinstance(node, ast.Lambda):
            return list(self._read(node, self.names).events)
        if isinstance(node, ast.Name) and node.id in self.facts.inner:
            return [Call("local", (), node.id, self.lines)]
        return []

    def _set_by_name(self, arguments: list[ast.expr]) -> None:
        match arguments:
            case [_, ast.Constant(value=str(name)), *value]:
                kind = Kind.ASSIGNED if value else Kind.DELETED
                self.note((name,), kind, value[0] if value else None)
            case _:
                self.note(ANYTHING, Kind.ASSIGNED)
