"""A pooled class taken apart: its methods, who calls whom, its attributes, what it declares."""

from __future__ import annotations

import array
import ast
import builtins
import functools
import io
import itertools
import weakref
from collections import deque
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.code import (
    Function,
    Source,
    is_class_of_the_game,
    kept_names,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.devtools.methods import Event, Facts, Path, facts_of, is_changing, under
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

HOOKS = ("spawned", "despawned")
BEFORE_LIVES = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake"})
_ONCE = BEFORE_LIVES | {"__setstate__", "__del__", "destroyed"}
_SEEN_BY_PYGAME = frozenset({"image", "rect", "mask", "radius", "layer", "dirty", "blendmode"})
_SEEN_BY_PYGAME |= {"source_rect", "visible", "special_flags"}

# -- its methods ------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Method:
    """A function of a class."""

    owner: type
    name: str  # "current.setter" for a property's setter
    node: Function | None  # `None` where it can't be read
    source: Source | None
    names: dict[str, Any]  # what the names in it mean
    code: CodeType
    facts: Facts


class Deed(NamedTuple):
    """An event, in the method that it is written in, as sure as the hook that led to it has it."""

    event: Event
    method: Method
    root: str = ""

    @property
    def says_kept(self) -> bool:
        """Whether a comment says that it is meant: on its line, at its method's, its class's."""
        source, node = self.method.source, self.method.node
        if source is None:
            return False
        class_node = source.class_node(self.method.owner)
        places = [self.event.node, node, class_node]
        return any(source.is_kept(each) for each in places if each is not None)


@functools.lru_cache(maxsize=512)
def anatomy_of(cls: type) -> Anatomy:
    """Return a class taken apart; once, as long as its source stays as it is."""
    return Anatomy(cls)


class Anatomy:
    """A class with all that it inherits of the game's own classes."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.is_sprite = issubclass(cls, PooledSprite)
        self.sources: list[Source] = []  # the files it is written in
        self.unread: list[str] = []  # what could not be read, and why
        own = [each for each in cls.__mro__ if each is cls or is_class_of_the_game(each)]
        # Its methods by name, class by class in the order of look-up.
        self.layers = {each: self._layer(each) for each in own}
        self._ignored = [
            name
            for each in cls.__mro__
            for name in kept_names(vars(each).get("audit_ignore", ()), each.__qualname__)
        ]

    def _layer(self, cls: type) -> dict[str, Method]:
        methods: dict[str, Method] = {}
        functions: dict[str, FunctionType | None] = {}
        for name, value in vars(cls).items():
            if isinstance(value, staticmethod | classmethod):
                continue
            functions[name] = unwrapped(value, name)
            if isinstance(value, property):
                functions[f"{name}.setter"] = unwrapped(value.fset)
        for name, function in functions.items():
            if function is None:
                continue
            source = source_of(function.__code__.co_filename)
            node = source.function(function.__code__) if isinstance(source, Source) else None
            if isinstance(source, Source) and source not in self.sources:
                self.sources.append(source)
            if node is None:
                if name.startswith("__"):  # a dataclass's
                    continue
                why = source if isinstance(source, str) else f"{name} is not in {source.file}"
                self.unread.append(f"{cls.__qualname__}: {why}")
                source = None  # type: ignore[assignment]
            facts = self._facts(node, function)
            names = variables_of(function)
            found = source if isinstance(source, Source) else None
            methods[name] = Method(cls, name, node, found, names, function.__code__, facts)
        self.unread = list(dict.fromkeys(self.unread))
        return methods

    def _facts(self, node: Function | None, function: FunctionType) -> Facts:
        if node is None:  # what a hook without source names, it may well reset
            nowhere = ast.Pass(lineno=0, end_lineno=0)
            return Facts([Event((each,), "set", nowhere) for each in function.__code__.co_names])
        facts = facts_of(node)
        if self.is_sprite:  # self.sprite is the sprite itself
            facts.events = list(map(_without_sprite, facts.events))
        return facts

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        layers = list(self.layers)
        for cls in layers[layers.index(after) + 1 :] if after else layers:
            if name in self.layers[cls]:
                return self.layers[cls][name]
        return None

    def methods(self) -> Iterator[Method]:
        """Yield all methods, overridden ones included."""
        for methods in self.layers.values():
            yield from methods.values()

    def callee(self, event: Event, method: Method) -> Method | None:
        """Return the method that an event calls, if it is one of the instance's own."""
        match event.kind:
            case "self":
                return self.find(event.name)
            case "super":
                return self.find(event.name, after=method.owner)
            case "class":
                base = resolve(event.value, method.names)
                layer = self.layers.get(base, {}) if isinstance(base, type) else {}
                return layer.get(event.name)
            case "set" | "changed" if len(event.path) == 1:
                return self.find(f"{event.path[0]}.setter")
            case _:
                return None

    # -- who calls whom -----------------------------------------------------------------------

    @functools.cached_property
    def used(self) -> list[Method]:
        """The methods that can be called: no hook that is overridden and never called by it."""
        found = [each for each in self.methods() if self.find(each.name) is each]
        for method in found:
            for event in method.facts.events:
                callee = self.callee(event, method)
                if callee is not None and callee not in found:
                    found.append(callee)
        return found

    @functools.cached_property
    def living(self) -> set[Method]:
        """The methods that run while an instance is alive, its hooks not counted."""
        callers: dict[Method, list[Method]] = {method: [] for method in self.used}
        elsewhere = {name for source in self.sources for name, _ in source.calls} | set(HOOKS)
        for method in self.used:
            for event in method.facts.events:
                elsewhere |= {event.path[0]} if event.kind == "read" else set()
                callee = self.callee(event, method)
                if callee is not None:
                    callers[callee].append(method)
        never = {method for method in self.used if method.name in _ONCE}
        for _ in self.used:  # as often as a chain of calls can be long
            for method, by in callers.items():
                is_the_games = method.name in elsewhere or method.name.endswith(".setter")
                if by and never.issuperset(by) and not is_the_games:
                    never.add(method)
        return {each for each in self.used if each not in never and each.name not in HOOKS}

    @functools.cached_property
    def in_hooks(self) -> list[Deed]:
        """What the hooks do with all that they call, and what is done when a life ends."""
        hooks = [(name, self.find(name)) for name in HOOKS]
        deeds = [each for name, hook in hooks if hook for each in self.followed(hook, name)]
        for method in self.used:
            ends = [each for each in method.facts.events if each.when == "end"]
            deeds += self._follow(ends, method, "despawned", None, {})
        return deeds

    def followed(self, method: Method, root: str) -> list[Deed]:
        """Return what a method does, with all that it calls."""
        return list(self._follow(method.facts.events, method, root, None, {}))

    def _follow(
        self,
        events: list[Event],
        method: Method,
        root: str,
        sure: frozenset[str] | None,
        seen: dict[Method, list[Any]],
    ) -> Iterator[Deed]:
        # Once for each certainty: the ways through the calls of a large class are without number.
        before = seen.setdefault(method, [])
        if sure in before or None in before or len(before) > 3:  # noqa: PLR2004 - enough of them
            return
        before.append(sure)
        for event in events:
            if event.when == "later":
                continue
            known = event._replace(sure=under(event.sure, sure))
            callee = self.callee(event, method)
            if callee is None:
                yield Deed(known, method, root)
                continue
            for deed in self._follow(callee.facts.events, callee, root, known.sure, seen):
                is_change = event.kind == "changed" and deed.event.kind == "set"
                made = deed.event._replace(kind="changed") if is_change else deed.event
                yield deed._replace(event=made)

    def in_lives(self) -> Iterator[Deed]:
        """Yield what is done in a life: by living methods, and by what any method leaves behind."""
        for method in self.used:
            for event in method.facts.events:
                is_done = event.when == "later" or (method in self.living and event.when == "now")
                if is_done and self.callee(event, method) is None:
                    yield Deed(event, method)

    # -- attributes ---------------------------------------------------------------------------

    @functools.cached_property
    def attributes(self) -> dict[str, Attribute]:
        """What is known of each attribute from what is assigned to it."""
        found: dict[str, Attribute] = {}
        for cls in self.layers:
            fields = vars(cls).get("__dataclass_fields__", {})
            made = {name: getattr(each, "default_factory", None) for name, each in fields.items()}
            for name, value in vars(cls).items():
                # A dict in a class is a cache that all share; a list is a slip.
                words = str(vars(cls).get("__annotations__", {}).get(name, ""))
                attribute = found.setdefault(name, Attribute())
                attribute.is_shared |= isinstance(value, dict) or "ClassVar" in words
                attribute.classes |= set() if value is None else {type(value)}
            for name, factory in made.items():
                if isinstance(factory, type):
                    found.setdefault(name, Attribute()).classes.add(factory)
        for method in self.methods():
            for event in method.facts.events:
                if len(event.path) == 1 and event.value is not None and event.kind == "set":
                    found.setdefault(event.path[0], Attribute()).learn(event.value, method.names)
        return found

    def attribute(self, name: str) -> Attribute:
        """Return what is known of one attribute."""
        return self.attributes.get(name) or Attribute()

    def value_at_first(self, name: str) -> str:
        """Return what construction assigns, if `spawned` could assign it as well."""
        for method in self.methods():
            for event in method.facts.events if method.name in BEFORE_LIVES else ():
                if event[:2] == ((name,), "set") and event.value is not None:
                    used = {each.id for each in ast.walk(event.value) if isinstance(each, ast.Name)}
                    local = {*method.code.co_varnames, *method.code.co_cellvars} - {"self"}
                    return "..." if used & local else ast.unparse(event.value)
        value = getattr(self.cls, name, ...)
        return repr(value) if isinstance(value, int | float | str | None) else "..."

    @functools.cached_property
    def kept_at_first(self) -> frozenset[str]:
        """Attributes that a comment declares as kept where they are first made."""
        kept: set[str] = set()
        for cls in self.layers:
            for source in self.sources:
                kept |= source.kept_in(cls)
        for method in self.methods():
            for event in method.facts.events if method.name in BEFORE_LIVES else ():
                if event.path and method.source is not None and method.source.is_kept(event.node):
                    kept.add(event.path[0])
        return frozenset(kept)

    def keeps(self, path: Path) -> bool:
        """Return whether an attribute is declared as kept, whoever changes it."""
        return path[0] in self.kept_at_first or any(
            fnmatchcase(name, each) for each in self._ignored for name in (".".join(path), path[0])
        )

    def keeps_all(self, name: str) -> bool:
        """Return whether all that changes an attribute is said to be meant."""
        changes = [
            Deed(event, method)
            for method in self.methods()
            for event in method.facts.events
            if event.path[:1] == (name,) and event.is_change and method.name not in BEFORE_LIVES
        ]
        return self.keeps((name,)) or (bool(changes) and all(e.says_kept for e in changes))

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute has just written it."""
        if name in _SEEN_BY_PYGAME or any(name in source.read for source in self.sources):
            return False
        is_used = False
        for method in self.methods():
            own = [each for each in method.facts.events if each.path[:1] == (name,)]
            if not own or method.name in BEFORE_LIVES:
                continue
            is_first = own[0][:2] == ((name,), "set") and own[0].sure is None
            if not is_first or any(each.when == "later" for each in own):
                return False
            is_used = is_used or len(own) > 1
        return is_used

    @staticmethod
    def is_memo(deed: Deed) -> bool:
        """Return whether a deed makes something when it is first asked for.

        It returns it, or it is one of pygame's fonts or sounds, which nothing changes.
        """
        name, event = deed.event.path[0], deed.event
        if event.sure is None or name not in event.sure:
            return False
        made = resolve(getattr(event.value, "func", None), deed.method.names)
        is_resource = getattr(made, "__name__", "") in {"Font", "SysFont", "Sound"}
        return is_resource or name in deed.method.facts.returned


def _without_sprite(event: Event) -> Event:
    if event.path[:1] != ("sprite",):
        return event
    if event.path == ("sprite",) and event.kind == "called":
        return event._replace(path=(), kind="self")
    return event._replace(path=event.path[1:]) if len(event.path) > 1 else event


# -- what an attribute holds ------------------------------------------------------------------

_CONTAINERS: tuple[type, ...] = (
    list,
    dict,
    set,
    deque,
    bytearray,
    array.array,
    io.StringIO,
    io.BytesIO,
)
_CONTAINERS += (itertools.cycle, weakref.WeakSet, weakref.WeakKeyDictionary)
_CONTAINERS += (weakref.WeakValueDictionary,)
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}
VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)


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


@dataclass(slots=True)
class Attribute:
    """What kind of thing is found in an attribute, as far as the class itself makes it."""

    classes: set[type] = field(default_factory=set)
    is_attached: bool = False  # a component or a child sprite, which has hooks of its own
    is_shared: bool = False  # meant to be shared by all instances

    def learn(self, value: ast.expr, names: dict[str, Any]) -> None:
        """Learn from what is assigned to it."""
        match value:
            case ast.Call(func=ast.Attribute(attr="add_component" | "add_child"), args=[made, *_]):
                self.is_attached = True
                self.learn(made, names)
            case ast.Call(func=func):
                made_by = resolve(func, names)
                if isinstance(made_by, type):
                    self.classes.add(made_by)
                elif str(getattr(made_by, "__module__", "")).partition(".")[0] == "numpy":
                    self.classes.add(array.array)  # which is as good
            case ast.BinOp(op=ast.Mult(), left=left, right=right):  # [0] * 4
                self.classes |= {list} if ast.List in {type(left), type(right)} else set()
            case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
                self.learn(one, names)
                self.learn(other, names)
            case _ if type(value) in _DISPLAYS:
                self.classes.add(_DISPLAYS[type(value)])
            case _:
                pass

    def holds(self, kinds: Any) -> bool:
        """Return whether it is given an instance of one of some classes."""
        return any(issubclass(each, kinds) for each in self.classes)

    @property
    def is_own_container(self) -> bool:
        """Whether it holds a list, a dict, a set, or the like, of the instance's own."""
        return self.holds(_CONTAINERS) and not self.is_shared

    @property
    def is_plain_object(self) -> bool:
        """Whether it holds an object of the game's own that has no hooks, made by the class."""
        sprites = IPoolableComponent | pygame.sprite.Sprite
        own = [e for e in self.classes if is_class_of_the_game(e) and not issubclass(e, sprites)]
        return bool(own) and not (self.is_attached or self.is_shared)

    @property
    def component(self) -> type | None:
        """The class of the component that it holds, if it does."""
        for cls in self.classes if self.is_attached else ():
            if issubclass(cls, IPoolableComponent) and not issubclass(cls, PooledSprite):
                return cls
        return None

    def is_filled_by(self, name: str) -> bool:
        """Return whether a method of this name changes what it holds."""
        is_filled = self.is_own_container and name != "sort"
        return is_changing(name) and (is_filled or self.holds(VALUES))
