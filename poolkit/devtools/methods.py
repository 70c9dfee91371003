"""What the methods of a class do to its instances, read from their source: events, in order."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import itertools
import re
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import FunctionType, ModuleType
from typing import Any, Literal, NamedTuple

import pygame

from poolkit.devtools.code import (
    Function,
    Source,
    is_class_of_the_game,
    kept_names,
    source_of,
    unwrapped,
    variables_of,
)

Path = tuple[str, ...]
"""Attributes from the instance on: ``("health", "current")`` for ``self.health.current``."""
Sure = frozenset[str] | None
"""The attributes that the conditions look at; `None`: there are none, it is done in every run."""
Kind = Literal["set", "changed", "filled", "deleted", "called", "super", "read"]
When = Literal["now", "later", "end"]  # later: by a function that is handed on

_HOOKS = ("spawned", "despawned")
BEFORE_LIVES = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake"})
_NOT_IN_LIVES = BEFORE_LIVES | {*_HOOKS, "__setstate__", "__del__", "destroyed"}
_SEEN_BY_PYGAME = frozenset({"image", "rect", "mask", "radius", "layer", "dirty", "blendmode"})
_SEEN_BY_PYGAME |= {"source_rect", "visible", "special_flags"}

_CHANGE_THEIR_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
_CHANGE = re.compile(
    r"\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|clear|discard|"
    r"extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|scale_to_length|scroll|"
    r"seek|send|set_\w+|setdefault|subtract|truncate|update|write(lines)?|"
    + _CHANGE_THEIR_ARGUMENT.pattern
)


def under(sure: Sure, condition: Sure) -> Sure:
    """Return how sure something is that happens under one more condition."""
    return condition if sure is None else sure if condition is None else sure & condition


@dataclass(eq=False)
class Method:
    """A function of a class."""

    owner: type
    name: str  # "current.setter" for a property's setter
    function: FunctionType
    source: Source
    node: Function | None  # `None` where it can't be read

    @functools.cached_property
    def events(self) -> list[Event]:
        """What it does itself; nothing, where it can't be read."""
        return _Reader(self, self.node).events if self.node else []


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names and attributes that some code names."""
    for each in ast.walk(node):
        if isinstance(each, ast.Name | ast.Attribute):
            yield each.id if isinstance(each, ast.Name) else each.attr


class Event(NamedTuple):
    """Something that is done to the instance."""

    path: Path  # empty: to itself, as when a method of its own is called
    kind: Kind
    node: Any  # where it is written
    method: Method  # in which
    sure: Sure = None
    when: When = "now"
    name: str = ""  # of the method or function that is called
    value: ast.expr | None = None  # what is assigned

    @property
    def is_change(self) -> bool:
        """Whether it writes or changes something."""
        is_call = self.kind in {"called", "super"}
        does = _CHANGE.fullmatch(self.name) is not None if is_call else self.kind != "read"
        return bool(self.path) and does


# -- one class --------------------------------------------------------------------------------


class Anatomy:
    """A class taken apart, with all that it inherits of the game's own classes.

    Attributes:
        cls: The class.
        layers: Its methods by name, class by class in the order of look-up.
        methods: All of these, overridden ones included.
        sources: The files it is written in.
    """

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self._kinds: dict[str, set[type]] = {}
        own = [each for each in cls.__mro__ if each is cls or is_class_of_the_game(each)]
        self.layers = {each: {e.name: e for e in _methods_of(each)} for each in own}
        self.methods = [each for methods in self.layers.values() for each in methods.values()]
        self.sources = list(dict.fromkeys(each.source for each in self.methods))
        self._kept = {
            word for e in own for source in self.sources for word in source.kept.get(e.__name__, ())
        }
        self._ignored = kept_names(cls)

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        layers = list(self.layers)
        layers = layers[layers.index(after) + 1 :] if after else layers
        return next((self.layers[cls][name] for cls in layers if name in self.layers[cls]), None)

    @functools.cached_property
    def events(self) -> list[Event]:
        """What its methods do."""
        return [event for method in self.methods for event in method.events]

    def follow(
        self, method: Method | None, sure: Sure = None, seen: set[Any] | None = None
    ) -> Iterator[Event]:
        """Yield what a method does, and all that it calls of the instance's own, in its place."""
        seen = set() if seen is None else seen
        if method is None or (method, sure is None) in seen:
            return
        seen.add((method, sure is None))
        for each in method.events:
            event = each._replace(sure=under(each.sure, sure))
            called = self.called(event)
            yield event
            if called and event.when == "now" and not inspect.isgeneratorfunction(called.function):
                yield from self.follow(called, event.sure, seen)

    def called(self, event: Event) -> Method | None:
        """Return the method of its own that something calls: a setter, too."""
        if event.kind == "super":
            return self.find(event.name, after=event.method.owner)
        if not event.path:
            return self.find(event.name)
        is_set = event.kind == "set" and len(event.path) == 1
        return self.find(f"{event.path[0]}.setter") if is_set else None

    @functools.cached_property
    def in_hooks(self) -> list[Event]:
        """What the hooks do with all that they call, and what is done when a life ends."""
        found = [event for name in _HOOKS for event in self.follow(self.find(name))]
        for end in [event._replace(when="now") for event in self.events if event.when == "end"]:
            found += [end, *self.follow(self.called(end))]
        return [event for event in found if event.when == "now"]

    @functools.cached_property
    def in_lives(self) -> list[Event]:
        """What is done in lives: by no hook and no constructor, nor by what only these call."""
        idle = {e.method for name in _NOT_IN_LIVES for e in self.follow(self.find(name))}
        roots = [self.called(event) for event in self.events if event.when == "later"]
        roots += [e for e in self.methods if e not in idle and self.find(e.name) is e]
        alive = {event.method for each in roots for event in self.follow(each)}
        return [e for e in self.events if e.when == "later" or e.method in alive]

    # -- its attributes -----------------------------------------------------------------------

    def changes(self, name: str) -> list[Event]:
        """Return all that methods do to what is in an attribute."""
        return [each for each in self.events if each.path[:1] == (name,) and each.is_change]

    def kinds(self, name: str) -> set[type]:
        """Return the classes of what it puts into an attribute itself, for its own use."""
        if name not in self._kinds:
            self._kinds[name] = set(_kinds_in(self, name))
        return self._kinds[name]

    def parts(self, path: Path) -> list[Anatomy]:
        """Return the game's own classes that what is on the way to a path is made of."""
        kinds = self.kinds(path[0]) if len(path) > 1 else ()
        return [anatomy_of(each) for each in kinds if is_class_of_the_game(each)]

    def keeps(self, path: Path) -> bool:
        """Return whether an attribute is declared as kept, by a comment or by its name."""
        names = (".".join(path), path[0])
        return path[0] in self._kept or any(fnmatchcase(e, p) for p in self._ignored for e in names)

    def keeps_what(self, method: Method) -> bool:
        """Return whether all that a method does is declared as kept, at its head or its class's."""
        return not self._kept.isdisjoint((method.name, method.owner.__name__))

    def keeps_all(self, name: str) -> bool:
        """Return whether all that changes an attribute is said to be meant."""
        changes = [each for each in self.changes(name) if each.method.name not in BEFORE_LIVES]
        are_kept = bool(changes) and all(self.keeps_what(each.method) for each in changes)
        return are_kept or self.keeps((name,))

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute has just written it."""
        if name in _SEEN_BY_PYGAME:
            return False
        later = (method.events for method in self.methods if method.name not in BEFORE_LIVES)
        uses = [[e for e in events if e.path[:1] == (name,)] for events in later]
        firsts = [(e[0].path, e[0].kind, e[0].sure, e[0].when) for e in uses if e]
        is_written = all(first == ((name,), "set", None, "now") for first in firsts)
        return is_written and any(len(events) > 1 for events in uses)


def _methods_of(cls: type) -> Iterator[Method]:
    for name, value in vars(cls).items():
        setter = value.fset if isinstance(value, property) else None
        found = {name: unwrapped(value), f"{name}.setter": unwrapped(setter)}
        for each, function in found.items() if not isinstance(value, classmethod) else ():
            source = source_of(function.__code__.co_filename if function else None)
            node = source.function(function.__code__) if function else None
            if function and (node or not name.startswith("__")):  # else it is a dataclass's
                yield Method(cls, each, function, source, node)


anatomy_of = functools.lru_cache(maxsize=512)(Anatomy)


# -- what an attribute holds ------------------------------------------------------------------

VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
CONTAINERS = (MutableSequence, MutableMapping, MutableSet, io.IOBase, itertools.cycle)
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}


def _kinds_in(anatomy: Anatomy, name: str) -> Iterator[type]:
    """Yield the classes of what a class itself puts into an attribute, each for its own use."""
    names: Any
    for names in map(vars, anatomy.layers):
        value, words = names.get(name), str(names.get("__annotations__", {}).get(name, ""))
        if isinstance(value, dict) or "ClassVar" in words:
            return  # a dict in a class is a cache that all share; a list is a slip
        made = getattr(names.get("__dataclass_fields__", {}).get(name), "default_factory", None)
        yield from (each for each in (type(value), made) if isinstance(each, type))
    for event in anatomy.changes(name):
        if event.kind == "set" and len(event.path) == 1 and event.value is not None:
            names = variables_of(event.method.function)
            for node in ast.walk(event.value):
                made = _DISPLAYS.get(type(node))
                if isinstance(node, ast.Call):
                    made = _meant_by(node.func, names)
                yield from [made] if isinstance(made, type) else []


def _meant_by(node: ast.expr, names: dict[str, Any]) -> Any:
    """Return what names and dots mean; `None` where that can't be told."""
    first, *dotted = ast.unparse(node).split(".")
    found = names.get(first)
    for each in dotted:  # of modules and classes alone: asking an object may run the game's code
        found = getattr(found, each, None) if isinstance(found, ModuleType | type) else None
    return found


# -- one method -------------------------------------------------------------------------------


class _Reader:
    """Reads a method, node by node, in the order in which they run.

    What is done under a condition is sure where the condition looks at it, as one does to change
    it only if there is need to, and where every branch sets it.
    """

    def __init__(self, method: Method, node: Function) -> None:
        self.events: list[Event] = []
        self._method = method
        self._when: When = "now"
        self._sure: Sure = None
        # What local names are other words for.
        arguments = [*node.args.posonlyargs, *node.args.args][:1]
        self._names: dict[str, Path] = {each.arg: () for each in arguments}
        self._read_all(node.body)

    def _do(
        self, path: Path | None, kind: Kind, node: ast.AST, name: str = "", value: Any = None
    ) -> None:
        if path or (path is not None and name):
            event = Event(path, kind, node, self._method, self._sure, self._when, name, value)
            self.events.append(event)

    def _read_all(self, nodes: Any, when: When = "now", condition: Sure = None) -> None:
        before = self._when, self._sure
        self._when = when if self._when == "now" else self._when
        self._sure = under(self._sure, condition)
        for each in nodes if isinstance(nodes, list) else [nodes]:
            self._read(each)
        self._when, self._sure = before

    def _read(self, node: ast.AST) -> None:  # noqa: C901 - a case for each kind
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._read_all(node.body, "later")
            case ast.Match():
                self._read(node.subject)
                self._read_branches(node.subject, [case.body for case in node.cases] + [[]])
            case ast.If() | ast.IfExp() | ast.While():
                self._read(node.test)
                self._read_branches(node.test, [node.body, node.orelse])
            case ast.ExceptHandler():
                self._read_all(node.body, condition=frozenset())
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.AugAssign() if node.value:
                self._read(node.value)
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._write(target, node, node.value)
            case ast.Attribute(ctx=ast.Load()):
                self._do(self._path(node), "read", node)
                self._read(node.value)
            case ast.Attribute() | ast.Subscript(ctx=ast.Store() | ast.Del()):
                self._write(node, node, None)
            case ast.Call():
                self._call(node)
            case _:
                for each in ast.iter_child_nodes(node):
                    self._read(each)

    def _read_branches(self, test: ast.expr, bodies: list[Any]) -> None:
        found = (self._path(each) for each in ast.walk(test))
        looked = frozenset(path[0] for path in found if path)
        everywhere = set.intersection(*map(_written_in, bodies))
        for body in bodies:
            self._read_all(body, condition=looked | everywhere)

    def _write(self, target: ast.AST, node: ast.AST, value: ast.expr | None) -> None:
        path, is_more = self._path(target), isinstance(node, ast.AugAssign)
        match target:
            case ast.Name(id=name) if not is_more:
                known = None if value is None else self._path(value)
                self._names = {k: p for k, p in self._names.items() if k != name}
                self._names |= {} if known is None else {name: known}
            case ast.Attribute(ctx=ctx) if path:
                used = [self._path(each) for each in ast.walk(value)] if value else []
                kind: Kind = "changed" if is_more or path in used else "set"
                self._do(path, "deleted" if isinstance(ctx, ast.Del) else kind, node, "", value)
            case ast.Subscript(slice=ast.Slice(lower=None), ctx=ctx) if not is_more:
                is_set = isinstance(ctx, ast.Store)
                self._do(self._holding(target), "set" if is_set else "called", node, "clear")
            case ast.Tuple() | ast.List() | ast.Starred():
                for each in ast.iter_child_nodes(target):
                    self._write(each, node, None)
            case _:
                self._do(path or self._holding(target), "filled", node)

    def _call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "callback" and "scope" in names_in(node.func):  # done when the life ends
            for given in node.args[:1]:
                is_method = isinstance(given, ast.Attribute)
                call = ast.Call(given, [], []) if is_method else getattr(given, "body", given)
                self._read_all(call, "end")
            return
        for argument in (*node.args, *node.keywords):
            self._read(argument)
        first = self._path(node.args[0]) if node.args else None
        if _CHANGE_THEIR_ARGUMENT.fullmatch(name):
            self._do(first, "called", node, name)
        match node:
            case ast.Call(
                ast.Name("setattr" | "delattr"), [_, ast.Constant(str(attribute)), *rest]
            ):
                path = None if first is None else (*first, attribute)
                self._do(path, "set" if rest else "deleted", node, "", *rest)
            case ast.Call(ast.Attribute(ast.Call(ast.Name("super")))):
                self._do((), "super", node, name)
            case ast.Call(ast.Attribute(value)):
                path = self._path(value)
                self._read(value)
                self._do(path, "called", node, name)
                if path is None and _CHANGE.fullmatch(name):
                    self._do(self._holding(value), "filled", node)
            case _:
                self._read(node.func)

    def _path(self, node: ast.AST) -> Path | None:
        """Return which attribute of the instance an expression stands for."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        path = self._path(node.value) if isinstance(node, ast.Attribute) else None
        return None if path is None else (*path, node.attr)  # type: ignore[attr-defined]

    def _holding(self, node: ast.AST) -> Path | None:
        """Return the attribute in which something lies, an entry of an entry perhaps."""
        found: Path | None = None
        while isinstance(node, ast.Subscript | ast.Attribute) and found is None:
            node = node.value
            found = self._path(node)
        return found


def _written_in(code: Any) -> set[str]:
    """Return the attributes that some code sets, of whatever."""
    nodes = [e for each in (code if isinstance(code, list) else [code]) for e in ast.walk(each)]
    stored = (e for e in nodes if isinstance(e, ast.Attribute) and isinstance(e.ctx, ast.Store))
    return {each.attr for each in stored}
