"""Reading functions, statement by statement: what they do to the instance, and how certainly."""

from __future__ import annotations

import ast
from typing import NamedTuple

from poolkit.devtools.lint.events import ANYTHING, Call, Certainty, Event, Facts, Kind, Path, Write
from poolkit.devtools.lint.expressions import ExpressionReader, Function

__all__ = ["read_function"]

_TAKING_OUT = frozenset({"pop", "popleft", "popitem"})


class _Exit(NamedTuple):
    """Whether a piece of code leaves the function.

    Attributes:
        always: It leaves, whatever happens.
        raising: ... by an exception.
        perhaps: Where it may leave: the attributes that the conditions for it look at.
    """

    always: bool = False
    raising: bool = False
    perhaps: frozenset[str] | None = None


_GOES_ON = _Exit()


def read_function(node: Function, names: dict[str, Path]) -> Facts:
    """Return what a function does to the instance that `names` stand for in it."""
    reader = _StatementReader(
        lambda inner, outer: read_function(
            inner, {name: path for name, path in outer.items() if name not in _taken(inner)}
        ),
        dict(names),
    )
    if isinstance(node, ast.Lambda):
        reader.lines = (node.lineno, node.end_lineno or node.lineno)
        reader.expression(node.body)
        reader.facts.returned |= reader.reads(node.body)
    else:
        reader.block(node.body)
    return reader.facts


def _taken(node: Function) -> set[str]:
    """Return the names that a function within has another meaning for."""
    parameters = node.args
    every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    every += [extra for extra in (parameters.vararg, parameters.kwarg) if extra is not None]
    return {parameter.arg for parameter in every}


class _StatementReader(ExpressionReader):
    """Follows the flow of one function."""

    def block(self, statements: list[ast.stmt]) -> _Exit:
        """Read statements that follow each other."""
        perhaps: frozenset[str] | None = None
        events = self.facts.events
        for statement in statements:
            since = len(events)
            self.lines = (statement.lineno, statement.end_lineno or statement.lineno)
            left = self._statement(statement)
            if perhaps is not None:
                self.weaken(since, Certainty(always=False, unless_idle=perhaps))
            if left.always:
                return left if perhaps is None else left._replace(raising=False)
            if left.perhaps is not None:
                perhaps = left.perhaps if perhaps is None else perhaps & left.perhaps
        return _Exit(perhaps=perhaps)

    def _statement(self, node: ast.stmt) -> _Exit:  # noqa: C901, PLR0911, PLR0912 - a case each
        match node:
            case ast.Assign():
                self.expression(node.value)
                for target in node.targets:
                    self._store(target, node.value)
                self._come_from(node.targets)
            case ast.AnnAssign() if node.value is not None:
                self.expression(node.value)
                self._store(node.target, node.value)
            case ast.AugAssign():
                self.expression(node.value)
                self._augment(node)
            case ast.Delete():
                for target in node.targets:
                    self._delete(target)
            case ast.If():
                self.expression(node.test)
                return self._branches(
                    self.reads(node.test), [node.body, node.orelse], complete=True
                )
            case ast.Match():
                self.expression(node.subject)
                return self._match(node)
            case ast.For() | ast.AsyncFor():
                return self._for(node)
            case ast.While():
                self.expression(node.test)
                since = len(self.facts.events)
                left = self._loop(node.body, node.orelse)
                self._emptied(since, self.reads(node.test))
                return left
            case ast.Try() | ast.TryStar():
                return self._try(node)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.expression(item.context_expr)
                    if item.optional_vars is not None:
                        self._store(item.optional_vars, None)
                return self.block(node.body)
            case ast.Return():
                self.expression(node.value)
                self.facts.returned |= self.reads(node.value)
                return _Exit(always=True)
            case ast.Raise():
                return _Exit(always=True, raising=True)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.define(node)
            case ast.ClassDef():
                pass  # another class's business
            case _:
                self.expression(node)
        return _GOES_ON

    # -- targets ------------------------------------------------------------------------------

    def _store(self, target: ast.expr, value: ast.expr | None) -> None:
        match target:
            case ast.Name():
                self.bind(target.id, value)
            case ast.Tuple() | ast.List():
                parts = target.elts
                values: list[ast.expr | None] = [None] * len(parts)
                if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(parts):
                    values = list(value.elts)
                for part, each in zip(parts, values, strict=True):
                    self._store(part, each)
            case ast.Starred():
                self._store(target.value, None)
            case ast.Attribute():
                path = self.path_of(target)
                if path is None:
                    self.expression(target.value)
                    return
                changed = self.is_made_of(value, path)
                self.note(path, Kind.CHANGED if changed else Kind.ASSIGNED, value)
            case ast.Subscript():
                self._store_item(target)
            case _:
                self.expression(target)

    def _come_from(self, targets: list[ast.expr]) -> None:
        """Take note that ``image = self.images[name] = ...`` makes `image` one of the images."""
        asked = self.reads(*targets)
        for target in targets:
            if isinstance(target, ast.Name):
                self.origins[target.id] |= asked

    def _store_item(self, target: ast.Subscript) -> None:
        path = self.path_of(target.value)
        self.expression(target.slice)
        if path is None:
            self.expression(target.value)
        elif path[:1] == ("__dict__",):
            key = target.slice
            is_known = isinstance(key, ast.Constant) and isinstance(key.value, str)
            self.note((key.value,) if is_known else ANYTHING, Kind.ASSIGNED)  # type: ignore[attr-defined]
        elif _is_whole(target.slice):
            self.call("part", path, "clear")
        elif path:
            self.note(path, Kind.ITEM)

    def _augment(self, node: ast.AugAssign) -> None:
        target = node.target
        base = target.value if isinstance(target, ast.Subscript) else target
        path = self.path_of(base)
        if not path or isinstance(target, ast.Name):
            return
        if base is not target:
            self.note(path, Kind.MUTATED)
            return
        is_naught = isinstance(node.value, ast.Constant) and node.value.value == 0
        is_reset = is_naught and isinstance(node.op, ast.Mult | ast.BitAnd)
        self.note(path, Kind.ASSIGNED if is_reset else Kind.CHANGED)

    def _delete(self, target: ast.expr) -> None:
        match target:
            case ast.Attribute():
                path = self.path_of(target)
                if path:
                    self.note(path, Kind.DELETED)
            case ast.Subscript():
                path = self.path_of(target.value)
                if path and _is_whole(target.slice):
                    self.call("part", path, "clear")
                elif path:
                    self.note(path, Kind.MUTATED)
            case ast.Tuple() | ast.List():
                for part in target.elts:
                    self._delete(part)
            case _:
                pass

    # -- ways ---------------------------------------------------------------------------------

    def _branches(
        self,
        asked: frozenset[str],
        blocks: list[list[ast.stmt]],
        *,
        complete: bool,
    ) -> _Exit:
        """Read blocks of which one is run, or none unless they are `complete`."""
        events = self.facts.events
        condition = Certainty(always=False, unless_idle=asked)
        spans: list[tuple[int, int]] = []
        exits: list[_Exit] = []
        for block in blocks:
            since = len(events)
            exits.append(self.block(block))
            spans.append((since, len(events)))
        done = [
            {_key(event) for event in events[first:last] if event.certainty.always}
            for first, last in spans
        ]
        for own, (first, last) in enumerate(spans):
            for place in range(first, last):
                event = events[place]
                everywhere = complete and all(
                    _key(event) in done[other] or exits[other].raising
                    for other in range(len(blocks))
                    if other != own
                )
                if not (everywhere and event.certainty.always):
                    events[place] = event._replace(certainty=event.certainty.under(condition))
        if complete and all(left.always for left in exits):
            return _Exit(always=True, raising=all(left.raising for left in exits))
        perhaps = [
            asked | (left.perhaps or frozenset())
            for left in exits
            if (left.always and not left.raising) or left.perhaps is not None
        ]
        return _Exit(perhaps=frozenset.intersection(*perhaps) if perhaps else None)

    def _match(self, node: ast.Match) -> _Exit:
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = getattr(part, "name", None)
                if isinstance(name, str):
                    self.bind(name, None)
        last = node.cases[-1]
        complete = last.guard is None and (
            isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None
        )
        guards = [case.guard for case in node.cases]
        blocks = [case.body for case in node.cases]
        return self._branches(self.reads(node.subject, *guards), blocks, complete=complete)

    def _for(self, node: ast.For | ast.AsyncFor) -> _Exit:
        self._iterate(node.iter)
        # for arm in (self.left, self.right): what is done to the one is done to the other.
        listed = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List) else []
        named = [each for each in listed if self.path_of(each)]
        for each in named[:-1]:
            self._store(node.target, each)
            self._loop(node.body, [])
        self._store(node.target, named[-1] if named else None)
        return self._loop(node.body, node.orelse)

    def _iterate(self, node: ast.expr) -> None:
        since = len(self.facts.events)
        self.expression(node)
        for place in range(since, len(self.facts.events)):
            event = self.facts.events[place]
            if isinstance(event, Call) and event.target in {"self", "local", "super"}:
                self.facts.events[place] = event._replace(how="drain")

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> _Exit:
        # Taken to run at least once: what a hook resets in a loop it means to reset.
        left = self.block(body)
        self.block(orelse)
        if left.always or left.perhaps is not None:
            return _Exit(perhaps=left.perhaps or frozenset())
        return _GOES_ON

    def _emptied(self, since: int, asked: frozenset[str]) -> None:
        """See that ``while self.queue: self.queue.pop()`` empties the queue."""
        for event in self.facts.events[since:]:
            if (
                isinstance(event, Call)
                and event.target == "part"
                and event.path[0] in asked
                and event.name in _TAKING_OUT
            ):
                self.call("part", event.path, "clear")

    def _try(self, node: ast.Try | ast.TryStar) -> _Exit:
        left = self.block(node.body)
        asked = self.reads(*node.body)
        for handler in node.handlers:
            since = len(self.facts.events)
            self.block(handler.body)
            self.weaken(since, Certainty(always=False, unless_idle=asked))
        self.block(node.orelse)
        since = len(self.facts.events)
        self.block(node.finalbody)
        for event in self.facts.events[since:]:
            if isinstance(event, Write):
                self.facts.balanced.add(event.path)
        if left.always and node.handlers:
            return _Exit(perhaps=asked)
        return left


def _is_whole(key: ast.expr) -> bool:
    """Return whether ``[:]`` or ``[...]`` means all items, or ``[1:]`` all but the first ones."""
    if isinstance(key, ast.Slice):
        is_fixed = key.lower is None or isinstance(key.lower, ast.Constant)
        return is_fixed and key.upper is None and key.step is None
    return isinstance(key, ast.Constant) and key.value is ...


def _key(event: Event) -> tuple[object, ...]:
    """Return what two events of different branches have in common if they do the same."""
    if isinstance(event, Write):
        return (event.path, event.kind)
    return (event.target, event.path, event.name)
