"""Reads what the methods of a class do to its instances: follows the code, and notes events."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import itertools
import re
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence, MutableSet
from fnmatch import fnmatchcase
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.code import (
    Function,
    is_class_of_the_game,
    is_of_the_game,
    kept_names,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.devtools.heap import is_held_by_the_game

Path = tuple[str, ...]
"""Attributes from the instance on: ``("stats", "hits")`` for ``self.stats.hits``.

``"[]"`` is an entry of a container; an empty path is the instance with all its attributes.
"""
BEFORE_LIVES = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake")
VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
CONTAINERS = (MutableSequence, MutableMapping, MutableSet, io.IOBase, itertools.cycle)
_DEEPEST = 3  # steps from the instance on
_MOST_CALLS = 12  # in each other
_HOOKS = ("spawned", "despawned")
_NOT_IN_LIVES = (*BEFORE_LIVES, *_HOOKS, "__setstate__", "__del__", "destroyed")
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}
_CHANGES_ITS_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
_IS_CHANGE = re.compile(
    r"set|changed|deleted|(\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|"
    r"clear|discard|extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|"
    r"scale_to_length|scroll|seek|send|set_\w+|setdefault|subtract|truncate|update|"
    rf"write(lines)?|{_CHANGES_ITS_ARGUMENT.pattern})\(\)"
)


class Method:
    """A function of a class, or one of the game that is given an instance or its parts."""

    def __init__(self, owner: type, name: str, function: FunctionType) -> None:
        self.owner, self.name, self.function = owner, name, function
        self.file, self.variables = function.__code__.co_filename, variables_of(function)
        self.node: Any = source_of(self.file).function(function.__code__)  # `None` if unreadable
        self.assigned: dict[str, list[ast.AST]] = {}  # values, by the names of attributes
        for node in ast.walk(self.node or ast.Pass()):
            value: Any = getattr(node, "value", None) if isinstance(node, ast.stmt) else None
            for each in ast.walk(node) if value else ():
                if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
                    self.assigned.setdefault(each.attr, []).append(value)


class Event(NamedTuple):
    """Something that is done to what is at a path."""

    root: Method  # from which the code was followed
    method: Method  # in which it is done
    path: Path = ()
    verb: str = ""  # "set", "changed", "deleted", "read", or what is called, as "append()"
    node: Any = None  # the call, or the statement
    when: str = "now"  # "later": in a function that is handed on; "end": of the life
    conditions: tuple[set[str], ...] = ()  # the attributes that each one around it names

    @property
    def is_change(self) -> bool:
        """Whether it writes or changes something."""
        return bool(self.path) and _IS_CHANGE.fullmatch(self.verb) is not None


class Anatomy:
    """A class, with all that it inherits of the game's own classes."""

    def __init__(self, cls: type) -> None:
        self.cls, self._ignored = cls, kept_names(cls)
        self._classes = [e for e in cls.__mro__ if e is cls or is_class_of_the_game(e)]
        self.methods = [method for each in self._classes for method in _methods_of(each)]
        self.named = {each.name: each for each in reversed(self.methods)}
        self.by_function = {each.function: each for each in self.methods}
        sources = map(source_of, {each.file for each in self.methods})
        kept = (e.kept.get(each.__name__, ()) for e in sources for each in self._classes)
        self._kept = set(itertools.chain.from_iterable(kept))
        self._kinds: dict[Path, set[type]] = {(): {cls}}

    @functools.cached_property
    def events(self) -> list[Event]:
        """What its methods do, with all that they call."""
        roots = [each for each in self.methods if self.named[each.name] is each]
        return [event for each in roots for event in _Follower(self, each).events]

    @functools.cached_property
    def in_hooks(self) -> list[Event]:
        """What the hooks do, and what is done when a life ends."""
        now = [e for e in self.events if e.when == "now" and e.root.name in _HOOKS]
        return [e for e in self.events if e.when == "end"] + now

    @functools.cached_property
    def in_lives(self) -> list[Event]:
        """What all else does, except constructors and what only these and hooks call."""
        before = [e for e in self.events if e.root.name in _NOT_IN_LIVES]
        idle = {each for e in before for each in (e.root, e.method)}
        now = [e for e in self.events if e.when == "now" and e.root not in idle]
        return now + [e for e in self.events if e.when == "later"]

    def kinds(self, path: Path) -> set[type]:
        """Return the classes of what it makes itself at a path."""
        if path not in self._kinds:
            found = self._held(path) if path[1:] else self._made(path[0])
            self._kinds[path] = {each for each in found if isinstance(each, type)}
        return self._kinds[path]

    def _held(self, path: Path) -> Iterable[Any]:
        owners = self.kinds(path[:-1])
        own: set[Any] = {each for each in owners if is_class_of_the_game(each)}
        if path[-1] == "[]":
            return own or owners
        parts = [anatomy_of(each) for each in own if not issubclass(each, IPoolableComponent)]
        return (kind for part in parts for kind in part.kinds(path[-1:]))

    def _made(self, name: str) -> Iterator[Any]:
        for names in map(dict[str, Any], map(vars, self._classes)):
            value, words = names.get(name), str(names.get("__annotations__", {}).get(name, ""))
            if isinstance(value, dict) or "ClassVar" in words:
                return  # a dict in a class is a cache that all share; a list is a slip
            field = names.get("__dataclass_fields__", {}).get(name)
            is_part = isinstance(value, VALUES + CONTAINERS) or is_class_of_the_game(type(value))
            if is_part and is_held_by_the_game(value, (), {*self._classes}):
                return  # the game's own, which its sprites know
            yield from (type(value), getattr(field, "default_factory", None))
        for method in self.methods:
            for node in (e for code in method.assigned.get(name, ()) for e in ast.walk(code)):
                func = node.func if isinstance(node, ast.Call) else None
                yield meant_by(func, method.variables) if func else _DISPLAYS.get(type(node))

    def keeps(self, path: Path, method: Method | None = None) -> bool:
        """Return whether an attribute, or all that a method does, is declared as kept."""
        names = {path[0], *((method.name, method.owner.__name__) if method else ())}
        told = (".".join(path), path[0])
        parts = [e for e in self.kinds(path[:1]) if path[1:] and is_class_of_the_game(e)]
        return (
            not self._kept.isdisjoint(names)
            or any(fnmatchcase(each, pattern) for pattern in self._ignored for each in told)
            or any(anatomy_of(each).keeps(path[1:]) for each in parts)
        )

    def keeps_all(self, name: str) -> bool:
        """Return whether all changes of an attribute are declared as kept."""
        changes = {e.method for e in self._uses.get(name, ()) if e.is_change}
        return all(self.keeps((name,), each) for each in changes or [None])

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute writes it first."""
        uses = self._uses.get(name, [])
        firsts = {each.method: each for each in reversed(uses)}.values()
        are_written = (e.path == (name,) and e.verb == "set" and not e.conditions for e in firsts)
        return all(are_written) and any(each.verb != "set" for each in uses)

    @functools.cached_property
    def _uses(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            if event.path and event.method.name not in BEFORE_LIVES:
                found.setdefault(event.path[0], []).append(event)
        return found


anatomy_of = functools.lru_cache(maxsize=512)(Anatomy)


def _methods_of(cls: type) -> Iterator[Method]:
    for name, value in vars(cls).items():
        setter = value.fset if isinstance(value, property) else None
        found = {name: unwrapped(value), f"{name}.setter": unwrapped(setter)}
        for each, function in found.items() if not isinstance(value, classmethod) else ():
            method = Method(cls, each, function) if function else None
            if method and (method.node or not name.startswith("__")):  # else it is a dataclass's
                yield method


def meant_by(node: ast.AST, names: dict[str, Any]) -> Any:
    """Return the value of names and dots; `None` where it isn't known."""
    if not isinstance(node, ast.Attribute):
        return names.get(getattr(node, "id", ""))
    owner = meant_by(node.value, names)
    if isinstance(owner, ModuleType | type):
        return getattr(owner, node.attr, None)
    # Of other objects only a method of their class, as to ask them may run the game's code.
    found = getattr(type(owner), node.attr, None)
    return MethodType(found, owner) if isinstance(found, FunctionType) else None


class _Follower:
    """Reads a method from top to bottom, and each that it calls where it calls it.

    So what a helper or a part does to what it is given is noted as done to the instance.
    """

    def __init__(self, anatomy: Anatomy, root: Method) -> None:
        self.events: list[Event] = []
        self._anatomy, self._seen = anatomy, set[object]()
        self._paths: dict[str, Path | None] = {}  # what local names stand for
        self._depth = 0
        self._enter(root, {0: ()}, Event(root, root))

    def _enter(self, method: Method, given: dict[Any, Path | None], at: Event) -> None:
        """Read a method that is given what is at some paths, by place or name."""
        code = method.function.__code__
        names = dict(enumerate(code.co_varnames[: code.co_argcount]))
        paths = {names.get(key, key): path for key, path in given.items()}
        is_later = at.when == "now" and inspect.isgeneratorfunction(method.function)
        at = Event(at.root, method, node=method.node, when="later" if is_later else at.when)
        key = method, at.when, *paths.items()
        if method.node and key not in self._seen and self._depth < _MOST_CALLS:
            self._seen.add(key)
            around, self._paths = self._paths, paths
            self._depth += 1
            with contextlib.suppress(RecursionError):  # an expression of hundreds of terms
                for each in ast.iter_child_nodes(method.node):
                    self._read(each, at)
            self._depth -= 1
            self._paths = around

    def _read(self, node: Any, at: Event) -> None:
        """Read some code; `at` is an event that has what is around it."""
        if isinstance(node, ast.stmt):
            at = at._replace(node=node)
        if isinstance(node, Function) and at.when == "now":
            at = at._replace(when="later")
        match node:
            case ast.Call():
                at = self._call(node, at)
            case ast.For():
                names = (each for each in ast.walk(node.target) if isinstance(each, ast.Name))
                self._paths |= dict.fromkeys((each.id for each in names), self._entries(node.iter))
            case ast.Assign(targets, value):
                names = (each for each in targets if isinstance(each, ast.Name))
                self._paths |= dict.fromkeys((each.id for each in names), self._path(value))
            case ast.Attribute() | ast.Subscript():
                self._note(at, self._path(node), self._verb(node, at.node))
            case _:
                pass
        for each in ast.iter_child_nodes(node):
            self._read(each, at._replace(conditions=(*at.conditions, *_conditions(node, each))))

    def _verb(self, node: Any, statement: Any) -> str:
        if not isinstance(node.ctx, ast.Store):
            return "read" if isinstance(node.ctx, ast.Load) else "deleted"
        is_more = isinstance(statement, ast.AugAssign)
        used = statement if is_more else getattr(statement, "value", None) or ast.Pass()
        return "changed" if self._path(node) in map(self._path, ast.walk(used)) else "set"

    def _note(self, at: Event, path: Path | None, verb: str) -> None:
        if path and "__dict__" in path and verb != "read":  # all that it has
            path, verb = path[: path.index("__dict__")], "set"
        if path is not None:
            self.events.append(at._replace(path=path, verb=verb))
        if path and verb == "set" and (setter := self._anatomy.named.get(f"{path[0]}.setter")):
            self._enter(setter, {0: ()}, at)

    def _call(self, node: ast.Call, at: Event) -> Event:
        """Note and follow a call; return what is around its arguments."""
        func, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "callback" and node.args and "scope" in ast.unparse(func):
            at, first = at._replace(when="end"), node.args[0]
            called = (isinstance(first, ast.Call) and first.args) or node.args  # of a partial
            self._call(ast.copy_location(ast.Call(called[0], called[1:], []), node), at)
        if _CHANGES_ITS_ARGUMENT.fullmatch(name) and node.args:
            func = ast.Attribute(node.args[0], name)
        values = [*enumerate(node.args), *((each.arg, each.value) for each in node.keywords)]
        given: dict[Any, Path | None] = {key: self._path(value) for key, value in values}
        path = self._path(func.value) if isinstance(func, ast.Attribute) else None
        if name in {"setattr", "delattr"} and (owner := given.get(0)) is not None:
            steps = [str(e.value) for e in node.args[1:2] if isinstance(e, ast.Constant)]
            verb = "set" if name == "setattr" else "deleted"
            self._note(at, (*owner, *(steps or ["__dict__"])), verb)  # whichever it is
            return at
        called_at = at._replace(node=node)
        self._note(called_at, path or None, f"{name}()")
        found, bound = self._called(func, path, at.method)
        bound |= {k + len(bound) if isinstance(k, int) else k: e for k, e in given.items()}
        if found and {*bound.values()} != {None} and is_of_the_game(found.__code__.co_filename):
            known = self._anatomy.by_function
            if found not in known:
                known[found] = Method(self._anatomy.cls, found.__name__, found)
            self._enter(known[found], bound, at)
        elif () in given.values():  # who knows what is done to it?
            self._note(called_at, (), f"{name}()")
        return at

    def _called(
        self, func: Any, path: Path | None, inside: Method
    ) -> tuple[FunctionType | None, dict[Any, Path | None]]:
        """Return the function that is called, and what it is bound to."""
        found = meant_by(func, inside.variables)
        if found is not None:
            return unwrapped(found), {0: None} if isinstance(found, MethodType) else {}
        owners: Any = self._anatomy.kinds(path) if path is not None else ()
        match func:  # super(...) in the instance's own method: else it is a part's
            case ast.Attribute(ast.Call(ast.Name("super"))) if inside in self._anatomy.methods:
                owners, path = [super(inside.owner, self._anatomy.cls)], ()
            case _:
                pass
        methods = (unwrapped(getattr(each, func.attr, None)) for each in owners)
        return next(filter(None, methods), None), {0: path}

    def _path(self, node: Any) -> Path | None:
        """Return the path that an expression stands for."""
        match node:
            case ast.Name():
                return self._paths.get(node.id)
            case ast.Attribute():
                path, step = self._path(node.value), node.attr
            case ast.Subscript():
                path, step = self._path(node.value), "[]"
            case ast.Call(func=ast.Name("vars"), args=[value]):
                path, step = self._path(value), "__dict__"
            case _:
                return None
        return None if path is None or len(path) >= _DEEPEST else (*path, step)

    def _entries(self, over: Any) -> Path | None:
        """Return the path of a loop's entries, also over ``enumerate(self.all)`` and the like."""
        while isinstance(over, ast.Call):
            over = over.args[0] if over.args else getattr(over.func, "value", None)
        path = self._path(over)
        return (*path, "[]") if path else None


def _conditions(place: Any, below: ast.AST) -> Iterator[set[str]]:
    """Yield what the condition and the other branches name, if `below` is in a branch."""
    branches = [[each] for name in ("cases", "handlers") for each in getattr(place, name, ())]
    if isinstance(place, ast.If | ast.While):
        branches = [place.body, place.orelse]
    for branch in branches:
        if below in branch:
            others = [each for each in ast.iter_child_nodes(place) if each not in branch]
            nodes = (node for each in others for node in ast.walk(each))
            yield {node.attr for node in nodes if isinstance(node, ast.Attribute)}
