"""A pooled class taken apart: its methods, who calls whom, its attributes, what it declares."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.code import (
    Source,
    is_class_of_the_game,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.devtools.methods import CHANGING, Event, Facts, Path, facts_of, under
from poolkit.sprites.sprite import PooledSprite

# -- what is declared as kept ----------------------------------------------------------------


class IgnoreError(TypeError):
    """An `audit_ignore` is no names."""


def kept_names(declared: object, owner: str) -> tuple[str, ...]:
    """Return the names and patterns of the `audit_ignore` of a class called `owner`.

    Raises:
        IgnoreError: It is no iterable of names.

    Examples:
        >>> kept_names("best_score", "Orc")
        ('best_score',)
    """
    names = (declared,) if isinstance(declared, str) else declared
    if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
        message = (
            f"{owner}.audit_ignore must be names of attributes, as in "
            f"audit_ignore = ('best_score', 'stats.*'); not {declared!r}"
        )
        raise IgnoreError(message)
    return tuple(names)


# -- its methods ------------------------------------------------------------------------------

DONE = frozenset({"set", "changed", "given items", "changed in place", "deleted"})
HOOKS = ("spawned", "despawned")
_BEFORE_LIVES = frozenset({"__init__", "__new__", "__post_init__", "__attrs_post_init__", "awake"})
_ONCE = _BEFORE_LIVES | {"__setstate__", "__del__", "destroyed"}
_SEEN_BY_PYGAME = frozenset({"image", "rect", "mask", "radius", "layer", "dirty", "blendmode"})
_SEEN_BY_PYGAME |= {"source_rect", "visible", "special_flags"}


@dataclass(eq=False, slots=True)
class Method:
    """A function of a class, or one that is given an instance.

    Attributes:
        owner: The class it is written in.
        name: Its name; ``"current.setter"`` for a property's setter.
        node: Where it is written; `None` where that can't be read.
        source: The file that is in.
        names: What the names in it mean.
        code: Its byte code, where it is known.
        facts: What it does.
    """

    owner: type
    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None
    source: Source | None
    names: dict[str, Any]
    code: CodeType | None
    facts: Facts = field(default_factory=Facts)

    @property
    def is_kept(self) -> bool:
        """Whether a comment at its head says that all it does is meant to last."""
        return self.node is not None and self.source is not None and self.source.is_kept(self.node)


class Deed(NamedTuple):
    """An event, in the method that it is written in, as sure as the hook that led to it has it."""

    event: Event
    method: Method
    root: str = ""


@functools.lru_cache(maxsize=512)
def anatomy_of(cls: type) -> Anatomy:
    """Return a class taken apart; once, as long as its source stays as it is."""
    return Anatomy(cls)


class Anatomy:
    """A class with all that it inherits of the game's own classes.

    Attributes:
        cls: The class.
        layers: Its methods by name, class by class in the order of look-up.
        sources: The files it is written in.
        unread: What could not be read, and why.
        ignored: Its `audit_ignore`.
    """

    def __init__(self, cls: type) -> None:
        """Take `cls` apart."""
        self.cls = cls
        self.is_sprite = issubclass(cls, PooledSprite)
        self.layers: dict[type, dict[str, Method]] = {}
        self.sources: list[Source] = []
        self.unread: list[str] = []
        self._bodies: list[tuple[type, ast.ClassDef, Source]] = []
        self._kept_layers: set[type] = set()
        for each in cls.__mro__:
            if each is cls or is_class_of_the_game(each):
                self.layers[each] = self._layer(each)
        self.ignored = tuple(
            name
            for each in cls.__mro__
            for name in kept_names(vars(each).get("audit_ignore", ()), each.__qualname__)
        )

    def _layer(self, cls: type) -> dict[str, Method]:
        source = source_of_class(cls)
        node = source.class_node(cls) if isinstance(source, Source) else None
        module = dict(vars(inspect.getmodule(cls) or cls))
        methods: dict[str, Method] = {}
        if node is not None and isinstance(source, Source):
            self.sources.append(source)
            self._bodies.append((cls, node, source))
            if source.is_kept(node):
                self._kept_layers.add(cls)
            for child in filter(_is_function, _body(node)):
                name, kinds = child.name, {ast.unparse(each) for each in child.decorator_list}
                function = unwrapped(vars(cls).get(name))
                if kinds & {"staticmethod", "classmethod"}:
                    continue
                if f"{name}.setter" in kinds:
                    name += ".setter"
                    function = unwrapped(getattr(vars(cls).get(child.name), "fset", None))
                methods[name] = self._method(cls, name, child, source, function, module)
        for name, value in vars(cls).items():  # what has another name there, or comes from outside
            if isinstance(value, FunctionType) and name not in methods and name[:2] != "__":
                file = source_of(value.__code__.co_filename)
                other = file.function(value.__code__) if isinstance(file, Source) else None
                methods[name] = self._method(cls, name, other, file, value, module)
        if node is None and any(each.node is None for each in methods.values()):
            where = f"it is not to be found in {source.file}" if isinstance(source, Source) else ""
            self.unread.append(f"{cls.__qualname__}: {where or source}")
        return methods

    def _method(
        self,
        owner: type,
        name: str,
        node: Any,
        source: Source | str,
        function: FunctionType | None,
        names: dict[str, Any],
    ) -> Method:
        code = None if function is None else function.__code__
        facts = Facts()
        if node is None:  # what a hook without source names, it may well reset
            mentioned = () if code is None else code.co_names
            nowhere = ast.Pass(lineno=0, end_lineno=0)
            facts = Facts([Event((each,), "set", nowhere) for each in mentioned])
        elif arguments := [*node.args.posonlyargs, *node.args.args]:
            facts = facts_of(node, arguments[0].arg)
            if self.is_sprite:  # self.sprite is the sprite itself
                facts.events = list(map(_without_sprite, facts.events))
        found = source if isinstance(source, Source) else None
        known = names if function is None else variables_of(function)
        return Method(owner, name, node, found, known, code, facts)

    def find(self, name: str, after: type | None = None) -> Method | None:
        """Return the method of a name: as ``self.name``, or as ``super().name`` in `after`."""
        found = after is None
        for cls, methods in self.layers.items():
            if found and name in methods:
                return methods[name]
            found = found or cls is after
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
                methods = self.layers.get(base, {}) if isinstance(base, type) else {}
                return methods.get(event.name)
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
    def living(self) -> list[Method]:
        """The methods that run while an instance is alive, its hooks not counted."""
        callers: dict[Method, list[Method]] = {method: [] for method in self.used}
        mentioned: set[str] = set()
        for method in self.used:
            for event in method.facts.events:
                if event.kind == "read":
                    mentioned.add(event.path[0])
                callee = self.callee(event, method)
                if callee in callers:
                    callers[callee].append(method)
        called = {name for source in self.sources for name, _ in source.calls}
        never = {method for method in self.used if method.name in _ONCE}
        for _ in self.used:
            more = {
                method
                for method, by in callers.items()
                if by and never.issuperset(by) and method.name not in {*HOOKS, *mentioned, *called}
                if not method.name.endswith(".setter")  # the game's by its very nature
            }
            if more <= never:
                break
            never |= more
        return [each for each in self.used if each not in never and each.name not in HOOKS]

    @functools.cached_property
    def in_hooks(self) -> list[Deed]:
        """What the hooks do with all that they call, and what is done when a life ends."""
        deeds: list[Deed] = []
        for name in HOOKS:
            hook = self.find(name)
            if hook is not None:
                deeds += self.followed(hook, name)
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
        seen: dict[object, list[Any]],
    ) -> Iterator[Deed]:
        # Once for each certainty: the ways through the calls of a large class are without number.
        before = seen.setdefault(method.node or method, [])
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
        living = set(self.living)
        for method in self.used:
            for event in method.facts.events:
                is_done = event.when == "later" or (method in living and event.when == "now")
                if is_done and (not event.path or self.callee(event, method) is None):
                    yield Deed(event, method)

    # -- attributes ---------------------------------------------------------------------------

    @functools.cached_property
    def attributes(self) -> dict[str, Attribute]:
        """What is known of each attribute from what is assigned to it."""
        found: dict[str, Attribute] = {}
        for cls, node, _ in self._bodies:
            names = dict(vars(inspect.getmodule(cls) or cls))
            for statement in _body(node):
                for name in _bound_by(statement):
                    attribute = found.setdefault(name, Attribute())
                    if statement.value is None:
                        continue
                    attribute.learn(statement.value, names)
                    # A dict in a class is a cache that all share; a list is a slip.
                    attribute.is_shared |= isinstance(statement.value, ast.Dict | ast.DictComp)
                    words = ast.unparse(getattr(statement, "annotation", ast.Constant("")))
                    attribute.is_shared |= "ClassVar" in words
        for method in self.methods():
            for event in method.facts.events:
                if len(event.path) == 1 and event.value is not None and event.kind == "set":
                    attribute = found.setdefault(event.path[0], Attribute())
                    attribute.learn(event.value, method.names)
        return found

    def attribute(self, name: str) -> Attribute:
        """Return what is known of one attribute."""
        return self.attributes.get(name) or Attribute()

    def value_at_first(self, name: str) -> str:
        """Return what construction assigns, if `spawned` could assign it as well."""
        for method in self.methods():
            for event in method.facts.events if method.name in _BEFORE_LIVES else ():
                if event[:2] == ((name,), "set") and event.value is not None and method.code:
                    used = {each.id for each in ast.walk(event.value) if isinstance(each, ast.Name)}
                    is_local = used & {*method.code.co_varnames, *method.code.co_cellvars} - {
                        "self"
                    }
                    return "..." if is_local else ast.unparse(event.value)
        for _, node, _ in self._bodies:
            for statement in _body(node):
                if name in _bound_by(statement) and isinstance(statement.value, ast.Constant):
                    return ast.unparse(statement.value)
        return "..."

    @functools.cached_property
    def kept_at_first(self) -> frozenset[str]:
        """Attributes that a comment declares as kept where they are first made."""
        kept = {
            name
            for _, node, source in self._bodies
            for statement in _body(node)
            if source.is_kept(statement)
            for name in _bound_by(statement)
        }
        for method in self.methods():
            for event in method.facts.events if method.name in _BEFORE_LIVES else ():
                if event.path and method.source is not None and method.source.is_kept(event.node):
                    kept.add(event.path[0])
        return frozenset(kept)

    def keeps(self, path: Path) -> bool:
        """Return whether an attribute is declared as kept, whoever changes it."""
        return path[0] in self.kept_at_first or any(
            fnmatchcase(name, each) for each in self.ignored for name in (".".join(path), path[0])
        )

    def says_kept(self, deed: Deed) -> bool:
        """Return whether a comment at a deed says that it is meant."""
        method = deed.method
        if method.is_kept or method.owner in self._kept_layers:
            return True
        return method.source is not None and method.source.is_kept(deed.event.node)

    def keeps_all(self, name: str) -> bool:
        """Return whether all that changes an attribute is said to be meant."""
        if self.keeps((name,)):
            return True
        deeds = [
            Deed(e, m) for m in self.methods() for e in m.facts.events if e.path[:1] == (name,)
        ]
        changes = [each for each in deeds if self.is_change(each.event)]
        later = [each for each in changes if each.method.name not in _BEFORE_LIVES]
        return bool(later) and all(map(self.says_kept, later))

    @staticmethod
    def is_change(event: Event) -> bool:
        """Return whether an event writes or changes something."""
        if event.kind == "called":
            return event.name in CHANGING or event.name.endswith("_ip")
        return event.kind in DONE

    def is_scratch(self, name: str) -> bool:
        """Return whether every method that reads an attribute has just written it."""
        if name in _SEEN_BY_PYGAME or any(name in source.read for source in self.sources):
            return False
        is_used = False
        for method in self.methods():
            own = [each for each in method.facts.events if each.path[:1] == (name,)]
            if not own or method.name in _BEFORE_LIVES:
                continue
            is_first = own[0][:2] == ((name,), "set") and own[0].sure is None
            if not is_first or any(each.when == "later" for each in own):
                return False
            is_used = is_used or len(own) > 1
        return is_used

    def is_memo(self, deed: Deed) -> bool:
        """Return whether a deed makes something when it is first asked for.

        It returns it, or it is one of pygame's fonts or sounds, which nothing changes.
        """
        name, event = deed.event.path[0], deed.event
        if event.sure is None or name not in event.sure:
            return False
        if name in deed.method.facts.returned:
            return True
        made = resolve(getattr(event.value, "func", None), deed.method.names)
        return getattr(made, "__name__", "") in {"Font", "SysFont", "Sound"}


def source_of_class(cls: type) -> Source | str:
    """Return the file that a class is written in; or why it can't be read, in words."""
    functions = [unwrapped(each) for each in vars(cls).values()]
    files = [getattr(inspect.getmodule(cls), "__file__", None)]
    files += [f.__code__.co_filename for f in functions if f and f.__module__ == cls.__module__]
    found: Source | str = "it was not written in a file"
    for file in dict.fromkeys(filter(None, files)):
        found = source_of(file)
        if isinstance(found, Source) and found.class_node(cls) is not None:
            return found
    return found


def _without_sprite(event: Event) -> Event:
    if event.path[:1] != ("sprite",):
        return event
    if event.path == ("sprite",) and event.kind == "called":
        return event._replace(path=(), kind="self")
    return event._replace(path=event.path[1:]) if len(event.path) > 1 else event


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _body(node: ast.AST) -> Iterator[Any]:
    """Yield the statements of a class body, those under conditions too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _body(child)
        else:
            yield child


def _bound_by(statement: ast.AST) -> list[str]:
    match statement:
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


# -- what an attribute holds ------------------------------------------------------------------

_DISPLAYS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
_CONTAINERS = frozenset(
    {"BytesIO", "ChainMap", "Counter", "OrderedDict", "StringIO", "WeakKeyDictionary", "WeakSet"}
    | {"WeakValueDictionary", "array", "bytearray", "cycle", "defaultdict", "deque", "dict"}
    | {"list", "set"}
)
_VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)


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
    """What kind of thing is found in an attribute, as far as the class itself makes it.

    Attributes:
        is_container: A list, a dict, a set, or the like.
        is_set: To update it is to add to it.
        classes: Classes whose instances it is given.
        is_attached: It is a component or a child sprite, which has hooks of its own.
        is_shared: It is meant to be shared by all instances.
    """

    is_container: bool = False
    is_set: bool = False
    classes: set[type] = field(default_factory=set)
    is_attached: bool = False
    is_shared: bool = False

    def learn(self, value: ast.expr, names: dict[str, Any]) -> None:
        """Learn from what is assigned to it."""
        match value:
            case ast.Call(
                func=ast.Attribute(attr="add_component" | "add_child"), args=[attached, *_]
            ):
                self.is_attached = True
                self.learn(attached, names)
            case ast.Call(func=func, keywords=keywords):
                for keyword in keywords:  # of a field in a dataclass
                    func = keyword.value if keyword.arg == "default_factory" else func
                made = resolve(func, names)
                name = getattr(made, "__name__", "")
                is_array = str(getattr(made, "__module__", "")).partition(".")[0] == "numpy"
                self.is_container |= name in _CONTAINERS or is_array
                self.is_set |= name == "set"
                if isinstance(made, type):
                    self.classes.add(made)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):  # [0] * 4
                self.is_container |= isinstance(left, ast.List) or isinstance(right, ast.List)
            case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
                self.learn(one, names)
                self.learn(other, names)
            case _:
                self.is_container |= isinstance(value, _DISPLAYS)
                self.is_set |= isinstance(value, ast.Set | ast.SetComp)

    @property
    def is_value(self) -> bool:
        """Whether it holds a vector, a rect or a colour of the instance's own."""
        return any(issubclass(each, _VALUES) for each in self.classes)

    @property
    def is_body(self) -> bool:
        """Whether it holds a pymunk body that the class made: by name, for it may not be loaded."""
        bases = [base for cls in self.classes for base in cls.__mro__]
        return any((each.__module__[:6], each.__name__) == ("pymunk", "Body") for each in bases)

    @property
    def is_plain_object(self) -> bool:
        """Whether it holds an object of the game's own that has no hooks, made by the class."""
        if self.is_attached or self.is_shared:
            return False
        sprites = IPoolableComponent | pygame.sprite.Sprite
        return any(is_class_of_the_game(e) and not issubclass(e, sprites) for e in self.classes)

    @property
    def component(self) -> type | None:
        """The class of the component that it holds, if it does."""
        for cls in self.classes if self.is_attached else ():
            if issubclass(cls, IPoolableComponent) and not issubclass(cls, PooledSprite):
                return cls
        return None

    def is_filled_by(self, name: str) -> bool:
        """Return whether a method of this name changes what it holds."""
        is_changing = name in CHANGING or name.endswith("_ip")
        is_own = self.is_value or (self.is_container and not self.is_shared and name != "sort")
        return is_changing and is_own
