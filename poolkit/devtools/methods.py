"""What the methods of a class do to its instances, read from their source: events, in order.

What a method calls of the instance's own, by `super()` and by setters too, is read in its place.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from poolkit.devtools.code import (
    Function,
    Source,
    is_class_of_the_game,
    kept_names,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str, ...]
"""Attributes from the instance on: ``("health", "current")`` for ``self.health.current``."""

HOOKS = ("spawned", "despawned")
BEFORE_LIVES = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake"})
_ONCE = BEFORE_LIVES | {"__setstate__", "__del__", "destroyed"}
_SEEN_BY_PYGAME = frozenset({"image", "rect", "mask", "radius", "layer", "dirty", "blendmode"})
_SEEN_BY_PYGAME |= {"source_rect", "visible", "special_flags"}

_CHANGE_THEIR_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
_CHANGE_WHAT_THEY_ARE_OF = re.compile(
    r"\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|clear|discard|"
    r"extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|scale_to_length|scroll|"
    r"seek|send|set_\w+|setdefault|subtract|truncate|update|write(lines)?"
)
Kind = Literal["set", "changed", "given items", "changed in place", "deleted", "called", "read"]
When = Literal["now", "later", "end"]  # later: by a function that is handed on
_BY_NAME: dict[str, Kind] = {"setattr": "set", "__setattr__": "set", "delattr": "deleted"}


def is_changing(name: str) -> bool:
    """Return whether what has this name changes what it is called on, or its first argument."""
    either = _CHANGE_WHAT_THEY_ARE_OF.fullmatch(name) or _CHANGE_THEIR_ARGUMENT.fullmatch(name)
    return either is not None


class Condition(frozenset[str]):
    """A condition under which something is done: the attributes that are looked at for it."""

    __slots__ = ()


Sure = Condition | None
"""`None`: it is done in every run."""


def under(sure: Sure, condition: Sure) -> Sure:
    """Return how sure something is that happens under one more condition."""
    if sure is None or condition is None:
        return condition if sure is None else sure
    return Condition(sure & condition)


@dataclass(eq=False, slots=True)
class Method:
    """A function of a class."""

    owner: type
    name: str  # "current.setter" for a property's setter
    function: FunctionType
    source: Source | None  # `None` where it can't be read
    node: Function | None
    undone: set[Path] = field(default_factory=set)  # what it sets back in a ``finally``
    is_asked: bool = False  # it returns something

    @property
    def names(self) -> dict[str, Any]:
        """What the names in it mean."""
        return variables_of(self.function)


class Event(NamedTuple):
    """Something that is done to the instance."""

    path: Path
    kind: Kind
    node: ast.AST
    method: Method  # in which it is written
    sure: Sure = None
    when: When = "now"
    name: str = ""  # of the method or function that is called
    value: ast.expr | None = None  # what is assigned

    @property
    def line(self) -> int:
        """The line it is written in."""
        return getattr(self.node, "lineno", 0)

    @property
    def is_change(self) -> bool:
        """Whether it writes or changes something."""
        return self.kind != "read" and (self.kind != "called" or is_changing(self.name))

    @property
    def says_kept(self) -> bool:
        """Whether a comment says that it is meant: on its line, at its method's, its class's."""
        source, node = self.method.source, self.method.node
        if source is None:
            return False
        places = (self.node, node, source.class_node(self.method.owner))
        return any(source.is_kept(each) for each in places if each is not None)


# -- one class --------------------------------------------------------------------------------


class Anatomy:
    """A class taken apart, with all that it inherits of the game's own classes.

    Attributes:
        cls: The class.
        layers: Its methods by name, class by class in the order of look-up.
        sources: The files it is written in.
        unread: What could not be read, and why.
        callers: The names of the methods that call a method of its own.
    """

    def __init__(self, cls: type) -> None:
        """Find its methods."""
        self.cls = cls
        self.is_sprite = issubclass(cls, PooledSprite)
        self.sources: list[Source] = []
        self.unread: dict[str, None] = {}
        self.callers: dict[Method, set[str]] = {}
        self._read: dict[Method, list[Event]] = {}
        own = [each for each in cls.__mro__ if each is cls or is_class_of_the_game(each)]
        self.layers = {each: {e.name: e for e in self._methods_of(each)} for each in own}
        self._ignored = [
            name
            for each in cls.__mro__
            for name in kept_names(vars(each).get("audit_ignore", ()), each.__qualname__)
        ]

    def _methods_of(self, cls: type) -> Iterator[Method]:
        functions: dict[str, FunctionType | None] = {}
        for name, value in vars(cls).items():
            if not isinstance(value, staticmethod | classmethod):
                functions[name] = unwrapped(value, name)
            if isinstance(value, property):
                functions[f"{name}.setter"] = unwrapped(value.fset)
        for name, function in functions.items():
            if function is None:
                continue
            source = source_of(function.__code__.co_filename)
            node = None if isinstance(source, str) else source.function(function.__code__)
            if node is None and name.startswith("__"):  # a dataclass's
                continue
            if node is None:
                why = source if isinstance(source, str) else f"{name} is not in {source.file}"
                self.unread[f"{cls.__qualname__}: {why}"] = None
            found = None if isinstance(source, str) else source
            if found is not None and found not in self.sources:
                self.sources.append(found)
            yield Method(cls, name, function, found, node)

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        layers = list(self.layers)
        layers = layers[layers.index(after) + 1 :] if after else layers
        return next((self.layers[cls][name] for cls in layers if name in self.layers[cls]), None)

    def methods(self) -> Iterator[Method]:
        """Yield all methods, overridden ones included."""
        for methods in self.layers.values():
            yield from methods.values()

    def read(self, method: Method) -> list[Event]:
        """Return what a method does, with all that it calls."""
        if method not in self._read:
            events: list[Event] = []
            self._read[method] = events
            _Reader(self, method, events, {}).read()
        return self._read[method]

    @functools.cached_property
    def events(self) -> list[Event]:
        """What its methods do themselves, overridden ones included."""
        return [
            each for method in self.methods() for each in self.read(method) if each.method is method
        ]

    @functools.cached_property
    def in_hooks(self) -> list[tuple[str, Event]]:
        """What each hook does with all that it calls, and what is done when a life ends."""
        hooks = [(name, self.find(name)) for name in HOOKS]
        found = [(name, e) for name, hook in hooks if hook for e in self.read(hook)]
        ends = (e for method in self._current for e in self.read(method) if e.when == "end")
        return [pair for pair in found if pair[1].when == "now"] + [("despawned", e) for e in ends]

    @functools.cached_property
    def in_lives(self) -> list[Event]:
        """What is done in lives: by no hook and no constructor, nor by what only these call."""
        named = {name for source in self.sources for name, _ in source.calls}
        for method in self._current:
            named |= {e.path[0] for e in self.read(method) if e.kind == "read"}
        kept = (each for each in self._current if each.name not in _ONCE | set(HOOKS))
        roots = [
            each
            for each in kept
            if self.callers.get(each, set()) <= {each.name}
            or each.name in named
            or each.name.endswith(".setter")
        ]
        return [
            event
            for method in self._current
            for event in self.read(method)
            if event.when == "later" or (event.when == "now" and method in roots)
        ]

    @functools.cached_property
    def _current(self) -> list[Method]:
        return [each for each in self.methods() if self.find(each.name) is each]

    # -- its attributes -----------------------------------------------------------------------

    def changes(self, name: str) -> list[Event]:
        """Return all that methods themselves do to what is in an attribute."""
        return [each for each in self.events if each.path[:1] == (name,) and each.is_change]

    def made(self, name: str) -> list[Event]:
        """Return what is done to an attribute before any life."""
        return [each for each in self.changes(name) if each.method.name in BEFORE_LIVES]

    def keeps(self, path: Path) -> bool:
        """Return whether an attribute is declared as kept, where it is made or by its name."""
        first = [(each.method.source, each.node) for each in self.made(path[0])]
        return (
            any(source is not None and source.is_kept(node) for source, node in first)
            or any(path[0] in source.kept_in(cls) for cls in self.layers for source in self.sources)
            or any(fnmatchcase(e, p) for p in self._ignored for e in (".".join(path), path[0]))
        )

    def keeps_all(self, name: str) -> bool:
        """Return whether all that changes an attribute is said to be meant."""
        changes = [each for each in self.changes(name) if each.method.name not in BEFORE_LIVES]
        return self.keeps((name,)) or (bool(changes) and all(e.says_kept for e in changes))

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute has just written it."""
        if name in _SEEN_BY_PYGAME or any(name in source.read for source in self.sources):
            return False
        by_method: dict[Method, list[Event]] = {}
        for each in self.events:
            if each.path[:1] == (name,) and each.method.name not in BEFORE_LIVES:
                by_method.setdefault(each.method, []).append(each)
        uses = by_method.values()
        is_written = all((e[0].path, e[0].kind, e[0].sure) == ((name,), "set", None) for e in uses)
        is_at_once = all(each.when != "later" for events in uses for each in events)
        return is_written and is_at_once and any(len(events) > 1 for events in uses)


anatomy_of = functools.lru_cache(maxsize=512)(Anatomy)


def resolve(node: ast.AST | None, names: dict[str, Any]) -> Any:
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
        case _:
            return None


# -- one method -------------------------------------------------------------------------------


class _Reader(ast.NodeVisitor):
    """Reads a method, statement by statement, and what it calls of the instance's own.

    To visit a statement returns how it ends, by a return or a raise, if it does.
    """

    def __init__(
        self,
        anatomy: Anatomy,
        method: Method,
        events: list[Event],
        seen: dict[Method, list[Sure]],
    ) -> None:
        self._anatomy = anatomy
        self._method = method
        self._events = events
        self._seen = seen
        self._stands_for: dict[str, list[Path]] = {}  # local names that are other words for these
        self._made_of: dict[str, set[str]] = {}  # ... or were made by looking at these
        self._inner: dict[str, Function] = {}
        self._sure: Sure = None
        self._when: When = "now"
        self._is_change = False  # of a property, whose setter sets something

    def read(self) -> None:
        """Read the method, once for each certainty: the ways through calls are without number."""
        method, before = self._method, self._seen.setdefault(self._method, [])
        if self._sure in before or None in before or len(before) > 3:  # noqa: PLR2004 - enough
            return
        before.append(self._sure)
        if method.node is None:  # what a hook without source names, it may well reset
            for name in method.function.__code__.co_names:
                self._events.append(Event((name,), "set", ast.Pass(), method))
            return
        for argument in [*method.node.args.posonlyargs, *method.node.args.args][:1]:
            self._stands_for[argument.arg] = [()]
            self._run(method.node, self._when)

    def _follow(self, method: Method | None) -> None:
        if method is not None:
            self._anatomy.callers.setdefault(method, set()).add(self._method.name)
            reader = _Reader(self._anatomy, method, self._events, self._seen)
            reader._sure, reader._when = self._sure, self._when
            reader._is_change = self._is_change
            reader.read()

    def _run(self, node: ast.AST, when: When) -> None:
        """Read what is done at some time: a function's body, or an expression."""
        before = self._when
        self._when = when if before == "now" else before
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._block(node.body)
        else:
            self.visit(node.body if isinstance(node, ast.Lambda) else node)
        self._when = before

    def _do(
        self, paths: list[Path], kind: Kind, node: ast.AST, name: str = "", value: Any = None
    ) -> None:
        for path in filter(None, paths):
            is_written = len(path) == 1 and kind in {"set", "changed"}
            setter = self._anatomy.find(f"{path[0]}.setter") if is_written else None
            if setter is not None:
                before, self._is_change = self._is_change, kind == "changed"
                self._follow(setter)
                self._is_change = before
            else:
                done: Kind = "changed" if self._is_change and kind == "set" else kind
                event = Event(path, done, node, self._method, self._sure, self._when, name, value)
                self._events.append(event)

    # -- statements ---------------------------------------------------------------------------

    def _block(self, body: list[ast.stmt], condition: Sure = None) -> str | None:
        before, end = self._sure, None
        self._sure = under(before, condition)
        for statement in body:
            end = self.visit(statement)
            if end is not None:
                break
            if any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(statement)):
                self._sure = Condition()  # what a coroutine does after it has waited
        self._sure = before
        return end

    def visit_If(self, node: ast.If) -> str | None:
        return self._branches(node, node.test, [node.body, node.orelse])

    def visit_Match(self, node: ast.Match) -> str | None:
        has_default = getattr(node.cases[-1].pattern, "pattern", node) is None
        bodies = [case.body for case in node.cases] + [[]] * (not has_default)
        return self._branches(node, node.subject, bodies)

    def _branches(self, node: ast.stmt, test: ast.expr, bodies: list[list[ast.stmt]]) -> str | None:
        self.visit(test)
        before, looked = self._sure, self._looked_at(test)
        ends: list[str | None] = []
        everywhere: list[set[Path]] = []
        for body in bodies:
            self._sure, start = under(before, looked), len(self._events)
            ends.append(self._block(body))
            sets = [e for e in self._events[start:] if (e.kind, e.when) == ("set", "now")]
            if ends[-1] != "raise":
                everywhere.append({each.path for each in sets if each.sure is self._sure})
        self._sure = before
        self._do(sorted(set.intersection(*everywhere)) if everywhere else [], "set", node)
        if all(ends):
            return "return" if "return" in ends else "raise"
        self._sure = under(before, looked) if "return" in ends else before
        return None

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        is_endless = isinstance(node.test, ast.Constant)
        self._block(node.body, None if is_endless else self._looked_at(node.test))

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._learn(node.target, node.iter)
        self.generic_visit(node)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> str | None:
        for item in node.items:
            self.visit(item)
        return self._block(node.body)

    def visit_Try(self, node: ast.Try | ast.TryStar) -> str | None:
        end = self._block(node.body)
        for handler in node.handlers:
            self._block(handler.body, self._looked_at(*node.body))
        self._block(node.orelse)
        start = len(self._events)
        self._block(node.finalbody)
        self._method.undone |= {each.path for each in self._events[start:] if each.is_change}
        return None if node.handlers else end

    def visit_Return(self, node: ast.Return) -> str:
        self._method.is_asked |= node.value is not None
        self.generic_visit(node)
        return "return"

    def visit_Break(self, node: ast.Break | ast.Continue) -> str:
        del node
        return "return"

    def visit_Raise(self, node: ast.Raise) -> str:
        self.generic_visit(node)
        return "raise"

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._inner[node.name] = node
        if node.decorator_list:
            self._call_inner(node.name, "later")

    def visit_ClassDef(self, node: ast.ClassDef) -> None: ...

    visit_AsyncFor, visit_AsyncWith = visit_For, visit_With  # noqa: N815
    visit_TryStar, visit_Continue = visit_Try, visit_Break  # noqa: N815
    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    # -- what is written ----------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> None:
        if node.value is not None:
            self.visit(node.value)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._assign(target, node.value, node)
                self._learn(target, node.value)

    visit_AnnAssign = visit_NamedExpr = visit_Assign  # noqa: N815

    def _assign(self, target: ast.expr, value: ast.expr | None, node: ast.AST) -> None:
        match target:
            case ast.Attribute():
                used = [p for e in ast.walk(value) for p in self._paths(e)] if value else []
                for path in self._paths(target):
                    self._do([path], "changed" if path in used else "set", node, value=value)
                if not self._paths(target):
                    self._do(self._holding(target), "changed in place", node)
            case ast.Subscript():
                self.visit(target.slice)
                is_all = isinstance(target.slice, ast.Slice) and target.slice.lower is None
                self._do(self._holding(target), "set" if is_all else "given items", node)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = getattr(value, "elts", ())
                are_pairs = len(values) == len(targets)
                for number, each in enumerate(targets):
                    self._assign(each, values[number] if are_pairs else None, node)
            case ast.Starred():
                self._assign(target.value, None, node)
            case _:
                pass

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        paths = self._paths(node.target)
        if paths and isinstance(node.target, ast.Attribute):
            self._do(paths, "changed", node)
        else:
            self._do(paths or self._holding(node.target), "changed in place", node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                self._do(self._paths(target), "deleted", node)
            elif isinstance(target, ast.Subscript):
                is_all = isinstance(target.slice, ast.Slice)
                kind: Kind = "called" if is_all else "changed in place"
                self._do(self._holding(target), kind, node, name="clear")

    # -- expressions --------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._do(self._paths(node), "read", node)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self._inner:  # handed on
            self._call_inner(node.id, "later")

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._run(node, "later")

    def visit_Call(self, node: ast.Call) -> None:  # noqa: C901, PLR0912 - a case for each kind
        function, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", ""))
        of = self._paths(function.value) if isinstance(function, ast.Attribute) else []
        if name == "callback" and any(path[-1:] == ("scope",) for path in of):
            for given in node.args[:1]:  # done when the life ends
                is_method = isinstance(given, ast.Attribute)
                self._run(ast.Call(given, [], []) if is_method else given, "end")
            return
        for argument in (*node.args, *node.keywords):
            self.visit(argument)
        firsts = self._paths(node.args[0]) if node.args else []
        if _CHANGE_THEIR_ARGUMENT.fullmatch(name):
            self._do(firsts, "called", node, name)
        match function, node.args:
            case _, [_, ast.Constant(value=str(attribute)), *rest] if name in _BY_NAME:
                value = rest[0] if rest else None
                for path in firsts:
                    self._do([(*path, attribute)], _BY_NAME[name], node, value=value)
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))), _:
                self._follow(self._anatomy.find(name, after=self._method.owner))
            case ast.Attribute(), _ if of:
                self._do(of, "read", node)
                self._do(of, "called", node, name)
                if () in of:
                    self._follow(self._anatomy.find(name))
            case ast.Attribute(value=value), _:
                self.visit(value)
                if is_changing(name):
                    self._do(self._holding(value), "changed in place", node)
                base = resolve(value, self._method.names) if () in firsts else None
                if isinstance(base, type):
                    self._follow(self._anatomy.layers.get(base, {}).get(name))
            case ast.Name(id=inner), _ if inner in self._inner:
                self._call_inner(inner, "now")
            case ast.Name(), _:
                pass
            case _:
                self.visit(function)

    def _call_inner(self, name: str, when: When) -> None:
        node = self._inner.pop(name)  # once: it may call itself
        self._run(node, when)
        self._inner[name] = node

    # -- names --------------------------------------------------------------------------------

    def _paths(self, node: ast.AST) -> list[Path]:
        """Return which attributes of the instance an expression may stand for."""
        match node:
            case ast.Name(id=name):
                return self._stands_for.get(name, [])
            case ast.Attribute(value=value, attr=name):
                is_itself = name == "sprite" and self._anatomy.is_sprite
                return [
                    path if is_itself and not path else (*path, name) for path in self._paths(value)
                ]
            case _:
                return []

    def _holding(self, node: ast.expr) -> list[Path]:
        """Return the attributes in which something lies, an entry of an entry perhaps."""
        found: list[Path] = []
        while isinstance(node, ast.Subscript | ast.Attribute) and not found:
            node = node.value
            found = self._paths(node)
        return found

    def _looked_at(self, *nodes: ast.AST) -> Condition:
        """Return the attributes that are looked at, by way of local names too."""
        found: set[str] = set()
        for each in (inside for node in nodes for inside in ast.walk(node)):
            found |= {path[0] for path in self._paths(each) if path}
            if isinstance(each, ast.Name):
                found |= self._made_of.get(each.id, set())
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                found.add(each.value)  # hasattr(self, "font")
        return Condition(found)

    def _learn(self, target: ast.expr, value: ast.expr) -> None:
        """Note what local names stand for, or are made of, that are assigned `value`."""
        values = getattr(value, "elts", [value])
        if isinstance(target, ast.Name):
            self._stands_for[target.id] = [path for each in values for path in self._paths(each)]
            self._made_of[target.id] = set(self._looked_at(value))
        elif isinstance(target, ast.Tuple) and len(values) == len(target.elts):
            for each, part in zip(target.elts, values, strict=True):
                self._learn(each, part)
