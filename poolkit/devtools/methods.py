"""Reads from source what the methods of a class do to its instances: events, in order."""

from __future__ import annotations

import ast
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

from poolkit.devtools.code import (
    is_class_of_the_game,
    is_of_the_game,
    kept_names,
    source_of,
    unwrapped,
    variables_of,
)

Path = tuple[str, ...]
"""Up to two attributes from the instance on: ``("stats", "hits")`` for ``self.stats.hits``.

``"[]"`` is an entry of a container; an empty path is the instance with all its attributes.
"""
BEFORE_LIVES = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake")
VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
CONTAINERS = (MutableSequence, MutableMapping, MutableSet, io.IOBase, itertools.cycle)
_HOOKS = ("spawned", "despawned")
_NOT_IN_LIVES = (*BEFORE_LIVES, *_HOOKS, "__setstate__", "__del__", "destroyed")
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}
_CHANGE_THEIR_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
_CHANGE = re.compile(
    r"\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|clear|discard|"
    r"extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|scale_to_length|scroll|"
    r"seek|send|set_\w+|setdefault|subtract|truncate|update|write(lines)?|"
    + _CHANGE_THEIR_ARGUMENT.pattern
)
_SUPER, _NOT_ITS_OWN, _ALL = ("super()",), ("()",), "__dict__"


class Event(NamedTuple):
    """Something that is done to what is at a path."""

    path: Path
    kind: str  # "set", "changed", "deleted", "called", "read"
    node: Any  # where it is written
    method: Method  # in which
    when: str  # "now"; "later": by a function that is handed on; "end": of the life
    conditions: tuple[str, ...]  # around it, each with what is done otherwise
    name: str = ""  # of what is called
    given: tuple[tuple[Any, Path], ...] = ()  # the paths handed to it, by place or name

    @property
    def is_change(self) -> bool:
        """Whether it writes or changes something."""
        does = self.kind != "read" and (self.kind != "called" or _CHANGE.fullmatch(self.name))
        return bool(self.path and does)

    @property
    def is_sure(self) -> bool:
        """Whether it is always done; a condition on the attribute itself doesn't count."""
        return all(not {*self.path}.isdisjoint(re.findall(r"\.(\w+)", e)) for e in self.conditions)


class Method:
    """A function of a class, or one of the game that takes an instance."""

    def __init__(
        self, owner: type, name: str, function: FunctionType, given: Any = ((0, ()),)
    ) -> None:
        self.owner, self.name, self.function, self.given = owner, name, function, given
        self.source = source_of(function.__code__.co_filename)
        self.node: Any = self.source.function(function.__code__)  # `None` if it can't be read

    @functools.cached_property
    def variables(self) -> dict[str, Any]:
        """The values of the names in it."""
        return variables_of(self.function)

    @functools.cached_property
    def events(self) -> list[Event]:
        """What it does itself."""
        return _Reader(self).events if self.node else []


# -- one class --------------------------------------------------------------------------------


class Anatomy:
    """A class, with all that it inherits of the game's own classes.

    Attributes:
        layers: Its methods by name, class by class in the order of look-up.
        methods: All of these, overridden ones included.
        events: What they do.
        in_hooks: What the hooks do with all that they call, and what is done when a life ends.
        in_lives: What all else does, except constructors and what only these and hooks call.
    """

    def __init__(self, cls: type) -> None:
        self.cls = cls
        own = [each for each in cls.__mro__ if each is cls or is_class_of_the_game(each)]
        self.layers = {each: {e.name: e for e in _methods_of(each)} for each in own}
        self.methods = [each for methods in self.layers.values() for each in methods.values()]
        kept = (e.source.kept.get(each.__name__, ()) for each in own for e in self.methods)
        self._kept = set(itertools.chain.from_iterable(kept))
        self._ignored = kept_names(cls)
        self._helpers: dict[object, Method] = {}
        self.events = [event for each in self.methods for event in each.events]
        later, ends = ([e for e in self.events if e.when == when] for when in ("later", "end"))
        at_end = [*map(self.called, ends)]
        idle = self._reached([*map(self.find, _NOT_IN_LIVES), *at_end])
        alive = [each for each in self.methods if each not in idle and self.find(each.name) is each]
        self.in_hooks = ends + self.done_in([*map(self.find, _HOOKS), *at_end])
        self.in_lives = later + self.done_in([*map(self.called, later), *alive])

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        layers = list(self.layers)
        layers = layers[layers.index(after) + 1 :] if after else layers
        return next((self.layers[cls][name] for cls in layers if name in self.layers[cls]), None)

    def done_in(self, roots: Iterable[Method | None]) -> list[Event]:
        """Return what some methods do, with all that they call."""
        return [e for each in self._reached(roots) for e in each.events if e.when == "now"]

    def _reached(self, roots: Iterable[Method | None]) -> list[Method]:
        found = list(dict.fromkeys(filter(None, roots)))
        for method in found:  # grows in the loop
            for called in (self.called(event) for event in method.events if event.when == "now"):
                # A generator's code runs later.
                if called and not inspect.isgeneratorfunction(called.function):
                    found += [called] if called not in found else []
        return found

    def called(self, event: Event) -> Method | None:
        """Return the game's method, setter or function that an event calls."""
        path, name = event.path, event.name
        if event.kind != "called":
            is_set = event.kind == "set" and len(path) == 1
            return self.find(f"{path[0]}.setter") if is_set else None
        if path in {(), _SUPER}:
            return self.find(name, event.method.owner if path else None)
        found = meant_by(event.node.func, event.method.variables)
        # A method of something that it made itself, as in self.brain.begin(self).
        methods = (getattr(kind, name, None) for kind in self.kinds(path[0]))
        bound = [MethodType(e, self) for e in methods if isinstance(e, FunctionType)]
        found = found or (bound[0] if bound else None)
        function, shift = unwrapped(found), isinstance(found, MethodType)
        if not (event.given and function and is_of_the_game(function.__code__.co_filename)):
            return None
        given = tuple((k + shift if isinstance(k, int) else k, e) for k, e in event.given)
        helper = Method(self.cls, function.__name__, function, given)
        return self._helpers.setdefault((function, given), helper)

    # -- its attributes -----------------------------------------------------------------------

    def kinds(self, name: str) -> set[type]:
        """Return the classes of the values that it makes for an attribute itself."""
        found: set[Any] = set()
        names: Any
        for names in map(vars, self.layers):
            value, words = names.get(name), str(names.get("__annotations__", {}).get(name, ""))
            if isinstance(value, dict) or "ClassVar" in words:
                return set()  # a dict in a class is a cache that all share; a list is a slip
            made = names.get("__dataclass_fields__", {}).get(name)
            found |= {type(value), getattr(made, "default_factory", None)}
        for event in self.events:
            value = getattr(event.node, "value", None) if event.path == (name,) else None
            for node in ast.walk(value) if value and event.kind in {"set", "changed"} else ():
                func = node.func if isinstance(node, ast.Call) else None
                made = func and meant_by(func, event.method.variables)
                found.add(made or _DISPLAYS.get(type(node)))
        return {each for each in found if isinstance(each, type)}

    def parts(self, path: Path) -> list[Anatomy]:
        """Return the game's classes of the object that a path of two attributes leads through."""
        kinds = self.kinds(path[0]) if len(path) > 1 else ()
        return [anatomy_of(each) for each in kinds if is_class_of_the_game(each)]

    def keeps(self, path: Path, method: Method | None = None) -> bool:
        """Return whether an attribute, or all that a method does, is declared as kept."""
        names = {path[0], *((method.name, method.owner.__name__) if method else ())}
        is_said = not self._kept.isdisjoint(names)
        told = (".".join(path), path[0])
        return is_said or any(fnmatchcase(e, p) for p in self._ignored for e in told)

    def keeps_all(self, name: str) -> bool:
        """Return whether all changes of an attribute are declared as kept."""
        changes = [e.method for e in self.events if e.path[:1] == (name,) and e.is_change]
        later = [each for each in changes if each.name not in BEFORE_LIVES]
        path = (name,)
        return self.keeps(path) or (bool(later) and all(self.keeps(path, each) for each in later))

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute writes it first."""
        later = [each for each in self.methods if each.name not in BEFORE_LIVES]
        uses = [[e for e in each.events if e.path[:1] == (name,)] for each in later]
        firsts = [e[0] for e in uses if e]
        are_written = (e.path == (name,) and e.kind == "set" and not e.conditions for e in firsts)
        return all(are_written) and any(len(events) > 1 for events in uses)


def meant_by(node: ast.AST, names: dict[str, Any]) -> Any:
    """Return the value of names and dots; `None` where it isn't known."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = meant_by(node.value, names)
    if isinstance(owner, ModuleType | type):
        return getattr(owner, node.attr, None)
    # Of other objects only a method of their class, as to ask them may run the game's code.
    found = getattr(type(owner), node.attr, None)
    return MethodType(found, owner) if isinstance(found, FunctionType) else None


def _methods_of(cls: type) -> Iterator[Method]:
    for name, value in vars(cls).items():
        setter = value.fset if isinstance(value, property) else None
        found = {name: unwrapped(value), f"{name}.setter": unwrapped(setter)}
        for each, function in found.items() if not isinstance(value, classmethod) else ():
            method = Method(cls, each, function) if function else None
            if method and (method.node or not name.startswith("__")):  # else it is a dataclass's
                yield method


anatomy_of = functools.lru_cache(maxsize=512)(Anatomy)

# -- one method -------------------------------------------------------------------------------


class _Reader:
    def __init__(self, method: Method) -> None:
        self.events: list[Event] = []
        self._method, function = method, method.node
        self._above = {e: node for node in ast.walk(function) for e in ast.iter_child_nodes(node)}
        names = dict(enumerate(e.arg for e in (*function.args.posonlyargs, *function.args.args)))
        # Which paths local names stand for.
        self._names: dict[str, Path] = {names.get(k, k): path for k, path in method.given}
        # A comprehension has no line; it is read before what is in it.
        for node in sorted(self._above, key=lambda e: getattr(e, "lineno", 0)):
            self._read(node)

    def _do(self, path: Path | None, kind: str, node: Any, name: str = "", given: Any = ()) -> None:
        if path and path[0] == _ALL:  # of all that it has
            path, kind, name = (), "set", _ALL
        if path or (path is not None and name):
            when, conditions, place = "now", list[str](), node
            while place in self._above:
                place, below = self._above[place], place
                if isinstance(place, ast.FunctionDef | ast.Lambda) and place in self._above:
                    when = "later"
                elif _is_callback(place):  # wins, as it is around the function
                    when = "end"
                conditions += _conditions(place, below)
            how = when, tuple(conditions), name, given
            self.events.append(Event(path, kind, node, self._method, *how))

    def _read(self, node: Any) -> None:
        match node:
            case ast.Call():
                self._call(node)
            case ast.For() | ast.comprehension():
                self._bind(node.target, self._entries(node.iter))
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    self._bind(target, self._path(node.value))
            case ast.Attribute(ctx=ast.Load()):
                self._do(self._path(node), "read", node)
            case ast.Attribute() | ast.Subscript(ctx=ast.Store() | ast.Del()):
                at: Any = node
                path = self._path(node)
                while not isinstance(at, ast.stmt | ast.comprehension):
                    at = self._above[at]
                used = map(self._path, ast.walk(getattr(at, "value", None) or ast.Pass()))
                is_more = isinstance(at, ast.AugAssign) or path in used
                kind = "deleted" if isinstance(node.ctx, ast.Del) else "set"
                self._do(path, "changed" if is_more else kind, at)
            case _:
                pass

    def _bind(self, target: ast.AST, path: Path | None) -> None:
        for each in ast.walk(target):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self._names.pop(each.id, None)
                is_alias = path is not None and (each is target or "[]" in path)
                self._names |= {each.id: path} if path is not None and is_alias else {}

    def _call(self, node: ast.Call) -> None:
        func, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", ""))
        end: Any = node.args[0] if _is_callback(node) else None
        if isinstance(end, ast.Call | ast.Attribute | ast.Name):  # a partial, a method, a function
            called: list[Any] = (isinstance(end, ast.Call) and end.args) or [end]
            call = ast.copy_location(ast.Call(called[0], called[1:], []), node)
            self._above[call] = node
            self._call(call)
        values = [*enumerate(node.args), *((each.arg, each.value) for each in node.keywords)]
        given = tuple((k, path) for k, each in values if (path := self._path(each)) is not None)
        if given and name in {"setattr", "delattr"}:
            named = [str(e.value) for e in node.args[1:2] if isinstance(e, ast.Constant)]
            path = (*given[0][1], *(named or [_ALL]))  # whichever it is
            self._do(path, "set" if name == "setattr" else "deleted", node)
        elif given and _CHANGE_THEIR_ARGUMENT.fullmatch(name):
            self._do(given[0][1], "called", node, name)
        else:
            path = self._path(func.value) if isinstance(func, ast.Attribute) else None
            path = _NOT_ITS_OWN if path is None and given else path
            self._do(path, "called", node, name, given)

    def _path(self, node: Any) -> Path | None:
        """Return the path that an expression stands for."""
        match node:
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.Attribute(value=value, attr=step):
                pass
            case ast.Subscript(value=value, slice=key):
                step = "" if isinstance(key, ast.Slice) and key.lower is None else "[]"
            case ast.Call(func=ast.Name("vars"), args=[value]):
                step = _ALL
            case ast.Call(func=ast.Name("super")):
                return _SUPER
            case _:
                return None
        path = self._path(value)
        is_far = path is not None and len(path) > 1  # its attributes are another object's
        if path is None or (is_far and step not in {"", "[]"}):
            return None
        return path if is_far or not step else (*path, step)

    def _entries(self, node: Any) -> Path | None:
        """Return the path of a loop's entries, which may be over ``enumerate(self.all)``."""
        if isinstance(node, ast.Call):
            inside = map(self._entries, (getattr(node.func, "value", None), *node.args))
            return next(filter(None, inside), None)
        path = self._path(node)
        return (path[0], *path[1:], "[]")[:2] if path else None


def _conditions(place: Any, below: ast.AST) -> Iterator[str]:
    """Yield the condition, with the other branches, if `below` is in one of the branches."""
    branches = [[each] for name in ("cases", "handlers") for each in getattr(place, name, ())]
    if isinstance(place, ast.If | ast.IfExp | ast.While):
        branches = [e if isinstance(e, list) else [e] for e in (place.body, place.orelse)]
    for branch in branches:
        if below in branch:
            others = [each for each in ast.iter_child_nodes(place) if each not in branch]
            yield " ".join(map(ast.unparse, others))


def _is_callback(node: Any) -> bool:
    """Return whether a call is ``scope.callback(...)``, whose argument is called at the end."""
    is_named = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "callback"
    return is_named and bool(node.args) and "scope" in ast.unparse(node.func)
