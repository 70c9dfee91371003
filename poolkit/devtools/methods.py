"""Reads what the methods of a class do to its instances, without running them.

A method is read from top to bottom, and every function of the game that it calls is read where it
is called. So what a helper or a part does to what it is given counts as done to the instance. Each
thing that is done is an `Event`.

The reader knows neither values nor which branch is taken. Where it can't tell, it reports nothing:
a false alarm costs more trust than a leak that only playing finds.

From top to bottom: what an event is; a class, with the questions that `unplayed` asks of it; and
the walker, which makes the events. Each refinement keeps a clean shape of the tests silent, or
finds a leaky one.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import itertools
import re
from collections.abc import (
    Iterable,
    Iterator,
    MutableMapping,
    MutableSequence,
    MutableSet,
)
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

# -- what is done -----------------------------------------------------------------------------

Path = tuple[str, ...]
"""Attributes from the instance on: ``("stats", "hits")`` for ``self.stats.hits``.

``"[]"`` is an entry of a container; an empty path is the instance with all its attributes.
"""

_MAX_DEPTH = 3  # steps from the instance on; what is farther away is seldom its own
_MAX_CALLS = 12  # calls in each other, so that a web of helpers is not read for seconds
BEFORE_LIVES = ("__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake")
_HOOKS = ("spawned", "despawned")
_NOT_IN_LIVES = (*BEFORE_LIVES, *_HOOKS, "__setstate__", "__del__", "destroyed")
_CHANGES_ITS_ARGUMENT = re.compile(r"heap\w+|insort\w*|next|shuffle")
# Of a call only the name is known, so a method that changes its object is known by its name.
_IS_CHANGE = re.compile(
    r"set|changed|deleted|(\w+_(ip|update)|add|append(left)?|apply_(force|impulse)_at_\w+|blits?|"
    r"clear|discard|extend(left)?|fblits|fill|insert|pop(item|left)?|remove|reverse|rotate|"
    r"scale_to_length|scroll|seek|send|set_\w+|setdefault|subtract|truncate|update|"
    rf"write(lines)?|{_CHANGES_ITS_ARGUMENT.pattern})\(\)"
)


class Method:
    """A function of a class, or one of the game that is given an instance or its parts."""

    def __init__(self, owner: type, name: str, function: FunctionType) -> None:
        self.owner: type = owner
        self.name: str = name
        self.function: FunctionType = function
        self.file: str = function.__code__.co_filename
        self.variables: dict[str, Any] = variables_of(function)
        self.node: Any = source_of(self.file).function(function.__code__)  # `None` if unreadable
        self.assigned: dict[str, list[ast.AST]] = {}  # values, by the names of attributes
        for statement in ast.walk(self.node or ast.Pass()):
            value: Any = getattr(statement, "value", None)
            if isinstance(statement, ast.stmt) and value:
                for node in ast.walk(statement):
                    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                        self.assigned.setdefault(node.attr, []).append(value)


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


# -- a class ----------------------------------------------------------------------------------

VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
CONTAINERS = (MutableSequence, MutableMapping, MutableSet, io.IOBase, itertools.cycle)
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}


class ClassModel:
    """A class, with all that it inherits of the game's own classes."""

    def __init__(self, cls: type) -> None:
        self.cls: type = cls
        self._ignored = kept_names(cls)
        self._classes = [base for base in cls.__mro__ if base is cls or is_class_of_the_game(base)]
        self.methods: list[Method] = [
            method for base in self._classes for method in _methods_of(base)
        ]
        self.by_name: dict[str, Method] = {method.name: method for method in reversed(self.methods)}
        self.by_function: dict[FunctionType, Method] = {
            method.function: method for method in self.methods
        }
        sources = map(source_of, {method.file for method in self.methods})
        kept = (source.kept.get(base.__name__, ()) for source in sources for base in self._classes)
        self._kept = set(itertools.chain.from_iterable(kept))
        self._classes_at: dict[Path, set[type]] = {(): {cls}}

    @functools.cached_property
    def events(self) -> list[Event]:
        """What its methods do, with all that they call."""
        roots = [method for method in self.methods if self.by_name[method.name] is method]
        return [event for root in roots for event in _MethodWalker(self, root).events]

    @functools.cached_property
    def hook_events(self) -> list[Event]:
        """What the hooks do, and what is done when a life ends."""
        at_once = [e for e in self.events if e.when == "now" and e.root.name in _HOOKS]
        return [event for event in self.events if event.when == "end"] + at_once

    @functools.cached_property
    def life_events(self) -> list[Event]:
        """What all else does, except constructors and what only these and hooks call."""
        outside = [event for event in self.events if event.root.name in _NOT_IN_LIVES]
        called = {method for event in outside for method in (event.root, event.method)}
        at_once = [e for e in self.events if e.when == "now" and e.root not in called]
        return at_once + [event for event in self.events if event.when == "later"]

    # -- what is at a path --------------------------------------------------------------------

    def classes_at(self, path: Path) -> set[type]:
        """Return the classes of what it makes itself at a path."""
        if path not in self._classes_at:
            values = self._classes_inside(path) if path[1:] else self._classes_assigned(path[0])
            self._classes_at[path] = {value for value in values if isinstance(value, type)}
        return self._classes_at[path]

    def _classes_inside(self, path: Path) -> Iterable[Any]:
        owners = self.classes_at(path[:-1])
        of_the_game: set[Any] = {owner for owner in owners if is_class_of_the_game(owner)}
        if path[-1] == "[]":
            return of_the_game or owners
        # A component is a model of its own, with hooks that may reset it.
        parts = [model_of(c) for c in of_the_game if not issubclass(c, IPoolableComponent)]
        return (cls for part in parts for cls in part.classes_at(path[-1:]))

    def _classes_assigned(self, name: str) -> Iterator[Any]:
        for members in map(dict[str, Any], map(vars, self._classes)):
            value, annotation = members.get(name), members.get("__annotations__", {}).get(name, "")
            if isinstance(value, dict) or "ClassVar" in str(annotation):
                return  # a dict in a class is a cache that all share; a list is a slip
            field = members.get("__dataclass_fields__", {}).get(name)
            is_part = isinstance(value, VALUES + CONTAINERS) or is_class_of_the_game(type(value))
            if is_part and is_held_by_the_game(value, (), {*self._classes}):
                return  # the game's own, which its sprites know
            yield from (type(value), getattr(field, "default_factory", None))
        for method in self.methods:
            for code in method.assigned.get(name, ()):
                yield from (_class_made_by(node, method) for node in ast.walk(code))

    # -- what is meant to last ----------------------------------------------------------------

    def keeps(self, path: Path, method: Method | None = None) -> bool:
        """Return whether an attribute, or all that a method does, is declared as kept."""
        words = {path[0], *((method.name, method.owner.__name__) if method else ())}
        names = (".".join(path), path[0])
        parts = [c for c in self.classes_at(path[:1]) if path[1:] and is_class_of_the_game(c)]
        return (
            not self._kept.isdisjoint(words)
            or any(fnmatchcase(name, pattern) for pattern in self._ignored for name in names)
            or any(model_of(part).keeps(path[1:]) for part in parts)
        )

    def keeps_all(self, name: str) -> bool:
        """Return whether all changes of an attribute are declared as kept."""
        changes = {event.method for event in self._uses.get(name, ()) if event.is_change}
        return all(self.keeps((name,), method) for method in changes or [None])

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute writes it first."""
        uses = self._uses.get(name, [])
        firsts = {event.method: event for event in reversed(uses)}.values()
        are_written = (e.path == (name,) and e.verb == "set" and not e.conditions for e in firsts)
        return all(are_written) and any(event.verb != "set" for event in uses)

    @functools.cached_property
    def _uses(self) -> dict[str, list[Event]]:
        uses: dict[str, list[Event]] = {}
        for event in self.events:
            if event.path and event.method.name not in BEFORE_LIVES:
                uses.setdefault(event.path[0], []).append(event)
        return uses


def _class_made_by(node: ast.AST, method: Method) -> Any:
    """Return the class of what an expression makes; `None` or something else if it makes none."""
    if isinstance(node, ast.Call):
        return resolve_name(node.func, method.variables)
    return _DISPLAYS.get(type(node))


model_of: functools._lru_cache_wrapper[ClassModel] = functools.lru_cache(maxsize=512)(ClassModel)


def _methods_of(cls: type) -> Iterator[Method]:
    for name, value in vars(cls).items():
        setter = value.fset if isinstance(value, property) else None
        functions = {name: unwrapped(value), f"{name}.setter": unwrapped(setter)}
        for label, function in functions.items() if not isinstance(value, classmethod) else ():
            method = Method(cls, label, function) if function else None
            if method and (method.node or not name.startswith("__")):  # else it is a dataclass's
                yield method


def resolve_name(node: ast.AST, variables: dict[str, Any]) -> Any:
    """Return the value of names and dots; `None` where it isn't known."""
    if not isinstance(node, ast.Attribute):
        return variables.get(getattr(node, "id", ""))
    owner = resolve_name(node.value, variables)
    if isinstance(owner, ModuleType | type):
        return getattr(owner, node.attr, None)
    # Of other objects only a method of their class, as to ask them may run the game's code.
    method = getattr(type(owner), node.attr, None)
    return MethodType(method, owner) if isinstance(method, FunctionType) else None


# -- from top to bottom -----------------------------------------------------------------------


class _MethodWalker:
    """Reads one method, and each that it calls where it calls it.

    It knows what local names stand for (``targets = self.targets``), as paths from the instance on.
    """

    def __init__(self, model: ClassModel, root: Method) -> None:
        self.events: list[Event] = []
        self._model, self._seen = model, set[object]()
        self._paths: dict[str, Path | None] = {}  # what local names stand for
        self._num_calls = 0
        self._enter(root, {0: ()}, Event(root, root))

    def _enter(self, method: Method, arguments: dict[Any, Path | None], at: Event) -> None:
        """Read a method whose arguments, by position or name, are what is at some paths."""
        code = method.function.__code__
        parameters = dict(enumerate(code.co_varnames[: code.co_argcount]))
        paths = {parameters.get(key, key): path for key, path in arguments.items()}
        # The body of a generator runs when somebody goes on with it, maybe in a later frame.
        is_later = at.when == "now" and inspect.isgeneratorfunction(method.function)
        at = Event(at.root, method, node=method.node, when="later" if is_later else at.when)
        # A method may call itself; with other arguments, it does other things.
        key = method, at.when, *paths.items()
        if method.node and key not in self._seen and self._num_calls < _MAX_CALLS:
            self._seen.add(key)
            outer_paths, self._paths = self._paths, paths
            self._num_calls += 1
            with contextlib.suppress(RecursionError):  # an expression of hundreds of terms
                for node in ast.iter_child_nodes(method.node):
                    self._read(node, at)
            self._num_calls -= 1
            self._paths = outer_paths

    def _read(self, node: Any, at: Event) -> None:
        """Read some code; `at` is an event that has what is around it."""
        if isinstance(node, ast.stmt):
            at = at._replace(node=node)
        if isinstance(node, Function) and at.when == "now":
            at = at._replace(when="later")
        match node:
            case ast.Call():
                at = self._read_call(node, at)
            case ast.For():
                entry = self._path_of_entries(node.iter)
                names = (name for name in ast.walk(node.target) if isinstance(name, ast.Name))
                self._paths |= dict.fromkeys((name.id for name in names), entry)
            case ast.Assign(targets, value):
                names = (target for target in targets if isinstance(target, ast.Name))
                self._paths |= dict.fromkeys((name.id for name in names), self._path(value))
            case ast.Attribute() | ast.Subscript():
                self._note(at, self._path(node), self._verb(node, at.node))
            case _:
                pass
        for child in ast.iter_child_nodes(node):
            conditions = (*at.conditions, *_conditions(node, child))
            self._read(child, at._replace(conditions=conditions))

    def _verb(self, node: Any, statement: Any) -> str:
        if not isinstance(node.ctx, ast.Store):
            return "read" if isinstance(node.ctx, ast.Load) else "deleted"
        # ``self.x = self.x + 1`` changes it as ``self.x += 1`` does.
        is_augmented = isinstance(statement, ast.AugAssign)
        used = statement if is_augmented else getattr(statement, "value", None) or ast.Pass()
        return "changed" if self._path(node) in map(self._path, ast.walk(used)) else "set"

    def _note(self, at: Event, path: Path | None, verb: str) -> None:
        if path and "__dict__" in path and verb != "read":  # all that it has
            path, verb = path[: path.index("__dict__")], "set"
        if path is not None:
            self.events.append(at._replace(path=path, verb=verb))
        if path and verb == "set" and (setter := self._model.by_name.get(f"{path[0]}.setter")):
            self._enter(setter, {0: ()}, at)

    # -- calls --------------------------------------------------------------------------------

    def _read_call(self, node: ast.Call, at: Event) -> Event:
        """Note and follow a call; return what is around its arguments."""
        func, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name == "callback" and node.args and "scope" in ast.unparse(func):
            at = at._replace(when="end")
            self._read_call(_call_at_end(node), at)
        if _CHANGES_ITS_ARGUMENT.fullmatch(name) and node.args:
            func = ast.Attribute(node.args[0], name)  # as if it were a method of its argument
        arguments: dict[Any, Path | None] = dict(enumerate(map(self._path, node.args)))
        arguments |= {keyword.arg: self._path(keyword.value) for keyword in node.keywords}
        if name in {"setattr", "delattr"} and (owner := arguments.get(0)) is not None:
            steps = [str(arg.value) for arg in node.args[1:2] if isinstance(arg, ast.Constant)]
            verb = "set" if name == "setattr" else "deleted"
            self._note(at, (*owner, *(steps or ["__dict__"])), verb)  # whichever it is
            return at
        path = self._path(func.value) if isinstance(func, ast.Attribute) else None
        call_at = at._replace(node=node)
        self._note(call_at, path or None, f"{name}()")
        is_followed = self._follow(*self._called(func, path, at.method), arguments, at)
        if not is_followed and () in arguments.values():  # who knows what is done to it?
            self._note(call_at, (), f"{name}()")
        return at

    def _follow(
        self,
        function: FunctionType | None,
        bound: dict[Any, Path | None],
        arguments: dict[Any, Path | None],
        at: Event,
    ) -> bool:
        """Read a function of the game that is called; return whether there was one to read."""
        num_bound = len(bound)
        for key, argument in arguments.items():
            bound[key + num_bound if isinstance(key, int) else key] = argument
        if function is None or not is_of_the_game(function.__code__.co_filename):
            return False
        if {*bound.values()} == {None}:  # it gets nothing of the instance
            return False
        methods = self._model.by_function
        if function not in methods:
            methods[function] = Method(self._model.cls, function.__name__, function)
        self._enter(methods[function], bound, at)
        return True

    def _called(
        self, func: Any, path: Path | None, inside: Method
    ) -> tuple[FunctionType | None, dict[Any, Path | None]]:
        """Return the function that is called, and what it is bound to."""
        value = resolve_name(func, inside.variables)
        if value is not None:
            return unwrapped(value), {0: None} if isinstance(value, MethodType) else {}
        owners: Any = self._model.classes_at(path) if path is not None else ()
        match func:  # super(...) in the instance's own method: else it is a part's
            case ast.Attribute(ast.Call(ast.Name("super"))) if inside in self._model.methods:
                owners, path = [super(inside.owner, self._model.cls)], ()
            case _:
                pass
        methods = (unwrapped(getattr(owner, func.attr, None)) for owner in owners)
        return next(filter(None, methods), None), {0: path}

    # -- paths --------------------------------------------------------------------------------

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
        return None if path is None or len(path) >= _MAX_DEPTH else (*path, step)

    def _path_of_entries(self, iterated: Any) -> Path | None:
        """Return the path of a loop's entries, also over ``enumerate(self.all)`` and the like."""
        while isinstance(iterated, ast.Call):
            is_function = bool(iterated.args)
            iterated = iterated.args[0] if is_function else getattr(iterated.func, "value", None)
        path = self._path(iterated)
        return (*path, "[]") if path else None


def _call_at_end(node: ast.Call) -> ast.Call:
    """Return the call that ``scope.callback(...)`` makes at the end of a life."""
    first = node.args[0]
    called = (isinstance(first, ast.Call) and first.args) or node.args  # of a partial
    return ast.copy_location(ast.Call(called[0], called[1:], []), node)


def _conditions(place: Any, below: ast.AST) -> Iterator[set[str]]:
    """Yield what the condition and the other branches name, if `below` is in a branch."""
    branches = [[part] for name in ("cases", "handlers") for part in getattr(place, name, ())]
    if isinstance(place, ast.If | ast.While):
        branches = [place.body, place.orelse]
    for branch in branches:
        if below in branch:
            other_branches = [child for child in ast.iter_child_nodes(place) if child not in branch]
            nodes = (node for child in other_branches for node in ast.walk(child))
            yield {node.attr for node in nodes if isinstance(node, ast.Attribute)}
