"""A lint for pooled classes: what methods change and no hook resets, found by reading the source.

Nothing is played: the code is parsed, and calls between a class's own methods are followed, by way
of ``super()`` and properties too. `audit` plays, and sees more; the lint says it while you write.
"""

from __future__ import annotations

import array
import ast
import functools
import inspect
import io
import itertools
import re
from collections.abc import MutableMapping, MutableSequence, MutableSet
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.devtools.code import (
    Source,
    is_class_of_the_game,
    shown_path,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.devtools.methods import (
    HOOKS,
    Anatomy,
    Event,
    Path,
    Sure,
    anatomy_of,
    is_changing,
    resolve,
    under,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["LintFinding", "LintReport", "lint"]

# -- the report -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LintFinding:
    """An attribute that one life leaves to the next, or a method that no pool will call.

    Attributes:
        file: The path of the source file.
        line: The line that changes the attribute.
        owner: The name of the class.
        attribute: The attribute: ``current``, or ``stats.kills`` for one of an object it holds.
        problem: What is wrong, in a sentence.
        hint: What to do about it.
        certain: `False` where a hook resets it, but not always.
    """

    file: str
    line: int
    owner: str
    attribute: str
    problem: str
    hint: str
    certain: bool = True

    def __str__(self) -> str:
        """Return ``monsters.py:41: Health.current is set in hit(), but ...``."""
        return f"{shown_path(self.file)}:{self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings about some classes. Its `str` has two lines for each: what is wrong, a hint.

    Attributes:
        findings: What was found, by file and line.
        classes: The names of the classes that were read.
        unread: What could not be read, and why.
    """

    findings: tuple[LintFinding, ...] = ()
    classes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything could be read, and nothing was found."""
        return not self.findings and not self.unread

    def __str__(self) -> str:
        """Return the findings as text, or that there are none."""
        lines: list[str] = []
        for finding in self.findings:
            lines += [str(finding), f"    {finding.hint}"]
        lines += [f"not read: {each}" for each in self.unread]
        if not lines:
            count = len(self.classes)
            return f"{count} {'class' if count == 1 else 'classes'} read, nothing found"
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return ``<LintReport(classes=3, findings=1)>``."""
        unread = f", unread={len(self.unread)}" if self.unread else ""
        return f"<LintReport(classes={len(self.classes)}, findings={len(self.findings)}{unread})>"


def lint(target: Any) -> LintReport:
    """Look for attributes that one life leaves to the next, by reading the source.

    A finding is an attribute that a method changes while an instance lives, and that neither
    `spawned` nor `despawned` resets, nor what they call, nor what `scope.callback` is given; one
    that is reset under a condition alone is a finding too, with ``certain=False``. What
    poolkit restores by itself is none: image, rect, position, rotation, layer, the motion of a
    body with a `ResetPooledBodyComponent`. Nor is what a ``cached_property`` or a method that
    makes a thing when it is first asked for keeps, nor what each method that reads it writes
    first. What other objects do to an instance is not seen, unless their class is looked at too.

    It names as well what looks like a hook and is none (`on_spawned`), and a `kill` of a class's
    own, which only some of the ways to end a life call.

    To keep something from life to life is a good thing at times. A comment ``# poolkit: kept``
    says so: on the line that changes it, where ``__init__`` or the class makes it, at the head of
    the method, or of the class for all it does. So does ``audit_ignore``, an attribute of the
    class: names of attributes, or patterns as `fnmatch` has them. Both hold for `audit` too.

    Args:
        target: A prefab or factory function: the poolable classes it names, and their components.
            A class: it, and the components that its constructor names. A sprite: its class and
            its components'. A module: every poolable class that is defined there, but those which
            others extend and nobody builds.

    Raises:
        TypeError: It is none of these, or ``audit_ignore`` names nothing.

    Examples:
        >>> from poolkit import IPoolableComponent
        >>> class Health(IPoolableComponent):
        ...     def __init__(self) -> None:
        ...         self.current = 30
        ...
        ...     def hit(self, damage: float) -> None:
        ...         self.current -= damage
        >>> report = lint(Health)
        >>> report.ok
        False
        >>> print(report.findings[0].problem)
        Health.current is changed in hit(), but reset in neither spawned nor despawned
        >>> print(report.findings[0].hint)
        hint: in spawned: self.current = 30, or say # poolkit: kept
    """
    classes = _classes_of(target)
    try:
        leaks, unread = leaks_of(classes)
    finally:
        anatomy_of.cache_clear()  # or no class would ever be freed
    findings = {(each.file, each.line, each.attribute): each for each in reversed(leaks)}
    return LintReport(
        tuple(findings[key] for key in sorted(findings)),
        tuple(cls.__name__ for cls in classes),
        unread,
    )


def leaks_of(
    classes: Iterable[type],
    is_known: Callable[[Event], bool] = lambda _: False,
) -> tuple[list[LintFinding], tuple[str, ...]]:
    """Return what some classes leak, and what could not be read.

    Args:
        classes: The classes.
        is_known: Tells of something that a method does whether one need not look at it.
    """
    classes = tuple(classes)
    found = [each for cls in classes for each in _Judge(cls, classes).findings(is_known)]
    unread = dict.fromkeys(each for cls in classes for each in anatomy_of(cls).unread)
    return found, tuple(unread)


# -- what is looked at ------------------------------------------------------------------------


def _classes_of(target: Any) -> list[type]:
    """Return the classes that are meant, bases first.

    Raises:
        TypeError: `target` is nothing that has classes.
    """
    made: Any = target.factory if isinstance(target, Prefab) else target
    made = made.func if isinstance(made, functools.partial) else made
    if isinstance(made, ModuleType):
        source, every = source_of(made.__file__), _defined_in(made)
        named = source.made if isinstance(source, Source) else set()
        # A base that nobody builds is there to be extended.
        bases = {base for cls in every for base in cls.__mro__[1:]}
        found = [
            e for e in every if e.__name__ in named or not (inspect.isabstract(e) or e in bases)
        ]
    elif isinstance(made, pygame.sprite.Sprite):
        found = list(map(type, made._all_parts() if isinstance(made, PooledSprite) else [made]))
    elif callable(made):
        found = list(_named_by(made, set()))
    else:
        kinds = "a prefab, a class, a factory function, a module or a sprite"
        message = f"lint takes {kinds}, not {target!r}"
        raise TypeError(message)
    own = [cls for cls in dict.fromkeys(found) if cls is target or is_class_of_the_game(cls)]
    return sorted(own, key=lambda cls: len(cls.__mro__))


def _defined_in(module: ModuleType | None) -> list[type]:
    """Return the poolable classes that are defined in a module."""
    classes = [each for each in vars(module).values() if isinstance(each, type)] if module else []
    own = [each for each in classes if module and each.__module__ == module.__name__]
    return [each for each in dict.fromkeys(own) if issubclass(each, IPoolableComponent)]


def _named_by(made: Any, seen: set[Any]) -> Iterator[type]:
    """Yield the classes that a class, its constructors, or a function and what it calls name."""
    seen.add(made)
    if isinstance(made, type):
        yield made
        bases = list(filter(is_class_of_the_game, made.__mro__))
        seen.update(bases)
        names = ("__init__", "__post_init__", "awake")
        functions = [unwrapped(vars(base).get(name)) for base in bases for name in names]
    else:
        functions = [unwrapped(made if inspect.isroutine(made) else type(made).__call__)]
    for function in filter(None, functions):
        for value in _meant_in(function.__code__, variables_of(function)):
            is_near = isinstance(value, FunctionType) and value.__module__ == function.__module__
            is_poolable = isinstance(value, type) and issubclass(value, IPoolableComponent)
            if (is_near or is_poolable) and value not in seen:
                yield from _named_by(value, seen)


def _meant_in(code: CodeType, names: dict[str, Any]) -> Iterator[Any]:
    """Yield what the names in a function mean: by its byte code, which is always there."""
    for value in [names.get(name) for name in (*code.co_names, *code.co_freevars)]:
        yield value
        if isinstance(value, ModuleType):
            yield from (getattr(value, each, None) for each in code.co_names)
    for inner in code.co_consts:
        yield from _meant_in(inner, names) if isinstance(inner, CodeType) else ()


# -- what an attribute holds ------------------------------------------------------------------

_VALUES = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
_CONTAINERS = (MutableSequence, MutableMapping, MutableSet, io.IOBase, itertools.cycle)
_DISPLAYS: dict[type, type] = {ast.List: list, ast.ListComp: list, ast.Dict: dict}
_DISPLAYS |= {ast.DictComp: dict, ast.Set: set, ast.SetComp: set}


class _Attribute:
    """What kind of thing is found in an attribute, as far as the class itself makes it.

    Attributes:
        classes: The classes of what is assigned to it.
        is_attached: Whether that is a component or a child sprite, which has hooks of its own.
        is_shared: Whether it is meant to be shared by all instances.
        is_container: Whether it holds a list, a dict, a set, or the like, of the instance's own.
        is_changeable: Whether it holds anything of the instance's own that changes.
        is_body: Whether it holds a body of pymunk's.
        component: The class of the component that it holds, if it does.
    """

    def __init__(self, anatomy: Anatomy, name: str) -> None:
        self.classes: set[type] = set()
        self.is_attached = self.is_shared = False
        for names in map(vars, anatomy.layers):
            # A dict in a class is a cache that all share; a list is a slip.
            words = str(names.get("__annotations__", {}).get(name, ""))
            value = names.get(name)
            self.is_shared |= isinstance(value, dict) or "ClassVar" in words
            self.classes |= set() if value is None else {type(value)}
            made = getattr(names.get("__dataclass_fields__", {}).get(name), "default_factory", None)
            self.classes |= {made} if isinstance(made, type) else set()
        for event in anatomy.changes(name):
            if event.kind == "set" and len(event.path) == 1 and event.value is not None:
                self._learn(event.value, event.method.names)
        self.is_container = self.holds(_CONTAINERS) and not self.is_shared
        with_hooks = (IPoolableComponent, pygame.sprite.Sprite)
        plain = (e for e in self.classes if not issubclass(e, with_hooks))
        is_own = not (self.is_attached or self.is_shared) and any(map(is_class_of_the_game, plain))
        self.is_changeable = is_own or self.is_container or self.holds(_VALUES)
        # By name, for pymunk may not be loaded.
        bases = [base for cls in self.classes for base in cls.__mro__]
        self.is_body = any((e.__module__[:6], e.__name__) == ("pymunk", "Body") for e in bases)
        parts = (e for e in self.classes if self.is_attached and not issubclass(e, PooledSprite))
        self.component = next((e for e in parts if issubclass(e, IPoolableComponent)), None)

    def _learn(self, value: ast.expr, names: dict[str, Any]) -> None:
        match value:
            case ast.Call(func=ast.Attribute(attr="add_component" | "add_child"), args=[made, *_]):
                self.is_attached = True
                self._learn(made, names)
            case ast.Call(func=func):
                made_by = resolve(func, names)
                if isinstance(made_by, type):
                    self.classes.add(made_by)
                elif str(getattr(made_by, "__module__", "")).partition(".")[0] == "numpy":
                    self.classes.add(array.array)  # which is as good
            case ast.BinOp(op=ast.Mult(), left=left, right=right):  # [0] * 4
                self.classes |= {list} if ast.List in {type(left), type(right)} else set()
            case ast.IfExp(body=one, orelse=other) | ast.BoolOp(values=[one, other]):
                self._learn(one, names)
                self._learn(other, names)
            case _ if type(value) in _DISPLAYS:
                self.classes.add(_DISPLAYS[type(value)])
            case _:
                pass

    def holds(self, kinds: Any) -> bool:
        return any(issubclass(each, kinds) for each in self.classes)

    def may_hold(self, kind: type) -> bool:
        known = self.classes
        return self.is_attached if not known else self.holds(kind) or issubclass(kind, (*known,))

    def is_filled_by(self, name: str) -> bool:
        """Return whether a method of this name changes what it holds."""
        return is_changing(name) and (self.is_container or self.holds(_VALUES))


# -- what lasts beyond a life -----------------------------------------------------------------

_NEVER_STATE = frozenset({"sprite", "scope", "audit_ignore"})
_RESTORED_ON_SPRITES = frozenset({"image", "rect", "position", "rotation", "layer", "_layer"})
BODY_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
_RESETTING = frozenset({"set", "deleted", "given items"})
_FILLING = frozenset({"given items", "changed in place", "called"})
_PAINTING = re.compile(r"f?blits?|fill|scroll|set_\w+")
_EMPTYING = re.compile(r"cancel|clear|empty|fill|pop|reset|restart|stop|truncate|update")
_MISNAMED = {
    f"{before}{name}{after}": f"{name}ed"
    for name in ("spawn", "despawn", "destroy")
    for before, after in (("", ""), ("on_", ""), ("on_", "ed"), ("do_", ""))
}
_MISNAMED |= {"on_awake": "awake", "awaken": "awake"}
_KEEP = "or say # poolkit: kept"


def _covers(sure: Sure, path: Path) -> bool:
    """Return whether a reset of `path` that is so sure can be relied on.

    To reset it only if it needs it, as in ``if self.timer: self.timer = None``, is to reset it.
    """
    return sure is None or path[0] in sure


class _Judge:
    """Compares what the methods of a class change with what hooks reset."""

    def __init__(self, cls: type, classes: Iterable[type]) -> None:
        self.anatomy = anatomy_of(cls)
        self.classes = classes
        self.attribute = functools.cache(functools.partial(_Attribute, self.anatomy))

    def findings(self, is_known: Callable[[Event], bool]) -> Iterator[LintFinding]:
        """Yield one finding an attribute: the first change of it that no comment silences."""
        told: set[Path] = set()
        changes = [(event, False) for event in self.anatomy.in_lives]
        for _, event in self.anatomy.in_hooks:
            is_reset = event.kind in _RESETTING and _covers(event.sure, event.path)
            changes += [] if is_reset or event.when != "now" else [(event, True)]
        for event, in_hook in changes:
            path = event.path
            is_read = event.method.node is not None
            if path in told or not is_read or is_known(event) or not self._is_state(event):
                continue
            parts = self._parts_at(path)
            if self.anatomy.keeps(path) or event.says_kept or any(e.keeps(path[1:]) for e in parts):
                continue
            certain, reset = self.reset_of(path, event.kind)
            if not certain:
                told.add(path)
                yield self._worded(event, reset, in_hook=in_hook)
        if issubclass(self.anatomy.cls, IPoolableComponent):
            yield from self._misnamed()

    def _parts_at(self, path: Path) -> list[Anatomy]:
        """Return the game's own classes that what a path of two leads to is an attribute of."""
        classes = self.attribute(path[0]).classes if len(path) > 1 else ()
        return [anatomy_of(each) for each in classes if is_class_of_the_game(each)]

    # -- is it a change of the instance's own state? ------------------------------------------

    def _is_state(self, event: Event) -> bool:  # noqa: PLR0911 - a reason each
        path, kind, name = event.path, event.kind, event.name
        first, attribute = path[0], self.attribute(path[0])
        if self.anatomy.is_sprite and first in _RESTORED_ON_SPRITES:
            is_painted = (path, kind) == (("image",), "called") and _PAINTING.fullmatch(name)
            return bool(is_painted) and not self._replaces_image
        # What is further away than a part of a part is another object's business.
        is_far = len(path) > 2 or first in _NEVER_STATE or first.startswith("__")  # noqa: PLR2004
        if is_far or kind == "read" or path in event.method.undone or self._is_memo(event):
            return False
        if len(path) == 1 and kind != "deleted" and self.anatomy.is_scratch(first):
            return False
        if kind == "called":
            parts = [_Attribute(part, path[-1]) for part in self._parts_at(path)]
            return any(e.is_filled_by(name) for e in ([attribute] if len(path) == 1 else parts))
        if len(path) > 1 and attribute.is_body:
            words = "".join(line for source in self.anatomy.sources for line in source.lines)
            is_reset = "ResetPooledBodyComponent" in words or "RigidBody" not in words
            return path[1] in BODY_MOTION and not is_reset
        if len(path) > 1:
            return attribute.component is not None or attribute.is_changeable
        if kind == "deleted":
            return not any(hasattr(vars(c).get(first), "__get__") for c in self.anatomy.layers)
        return kind not in _FILLING or (attribute.is_changeable and not first.isupper())

    @staticmethod
    def _is_memo(event: Event) -> bool:
        """Return whether something is made when it is first asked for.

        The method returns it, or it is one of pygame's fonts or sounds, which nothing changes.
        """
        if event.sure is None or event.path[0] not in event.sure:
            return False
        made = resolve(getattr(event.value, "func", None), event.method.names)
        is_resource = getattr(made, "__name__", "") in {"Font", "SysFont", "Sound"}
        return is_resource or event.method.is_asked

    @functools.cached_property
    def _replaces_image(self) -> bool:
        events = [*self.anatomy.in_lives, *(event for _, event in self.anatomy.in_hooks)]
        return any((each.path, each.kind) == (("image",), "set") for each in events)

    # -- is it reset? -------------------------------------------------------------------------

    def reset_of(self, path: Path, kind: str) -> tuple[bool, tuple[str, Event] | None]:
        """Return whether a change is reset for certain, else a reset that is made at times."""
        if any(path[0] in source.given for source in self.anatomy.sources):
            return True, None
        perhaps: tuple[str, Event] | None = None
        for root, event in (*self.anatomy.in_hooks, *self._from_others()):
            if self._resets(event, path, kind):
                if _covers(event.sure, path):
                    return True, None
                perhaps = perhaps or (root, event)
        component = self.attribute(path[0]).component if len(path) > 1 else None
        if component is not None:
            around = [*self.classes, self.anatomy.cls]
            return _Judge(component, around).reset_of(path[1:], kind)
        return False, perhaps

    def _from_others(self) -> Iterator[tuple[str, Event]]:
        """Yield what the hooks of other classes, and of its module, do to instances of this one."""
        cls = self.anatomy.cls
        near = _defined_in(inspect.getmodule(cls))
        named = [other for other in near if cls.__name__ in _names_in(other)]
        for other in dict.fromkeys([*self.classes, *named]):
            for root, event in anatomy_of(other).in_hooks if other is not cls else ():
                path = event.path
                if not self._leads_here(anatomy_of(other), path[0]):
                    continue
                method = self.anatomy.find(event.name) if len(path) == 1 else None
                for each in self.anatomy.read(method) if method and event.kind == "called" else ():
                    yield root, each._replace(sure=under(each.sure, event.sure))
                if len(path) > 1:
                    yield root, event._replace(path=path[1:])

    def _leads_here(self, other: Anatomy, name: str) -> bool:
        """Return whether attribute `name` of another class may hold an instance of this one."""
        if name == "sprite":
            return self.anatomy.is_sprite
        return _Attribute(other, name).may_hold(self.anatomy.cls)

    def _resets(self, event: Event, path: Path, kind: str) -> bool:  # noqa: PLR0911 - a reason each
        attribute = self.attribute(path[0])
        if event.kind in {"set", "deleted"}:
            # velocity.xy = 0, 0 for velocity.x += 1, or for velocity += pull
            is_near = len(event.path) == 2 and event.path[0] == path[0]  # noqa: PLR2004
            in_place = len(path) == 1 and kind in {"changed", "called"}
            is_part = attribute.holds(_VALUES) or (in_place and not attribute.is_container)
            return event.path == path[: len(event.path)] or (is_near and is_part)
        if event.kind == "called" and len(path) > 1 and event.path == path[:-1]:
            return True  # self.stats.reset(): what an object does to itself is its business
        if event.path != path:
            return False
        if event.kind == "changed":  # self.pull *= 0
            factor = getattr(event.node, "value", None)
            return isinstance(factor, ast.Constant) and not factor.value
        if event.kind == "given items":
            return kind in _FILLING
        if event.kind != "called":
            return False
        if path == ("image",) and self.anatomy.is_sprite:
            return _PAINTING.fullmatch(event.name) is not None
        if kind == "set":  # another object by now: to stop it is not to reset the attribute
            return event.name == "clear"
        is_adding = event.name == "update" and attribute.holds(set)
        return _EMPTYING.fullmatch(event.name) is not None and not is_adding

    # -- in words -----------------------------------------------------------------------------

    def _worded(
        self, event: Event, reset: tuple[str, Event] | None, *, in_hook: bool
    ) -> LintFinding:
        method, path = event.method, event.path
        component = self.attribute(path[0]).component if len(path) > 1 else None
        owner = (component or method.owner).__name__
        attribute = ".".join(path[1:] if component else path)
        setter = method.name.removesuffix(".setter")
        where = f"{method.name}()" if setter == method.name else f"the setter of {setter}"
        where = f"{method.owner.__name__}.{where}" if component else where
        did = f"changed by {event.name}()" if event.kind == "called" else event.kind
        but, hint = ", but reset in neither spawned nor despawned", self._hint(event)
        if in_hook:
            but = " from what the life before left, for no hook resets it"
        if reset is not None:
            root, other = reset
            but = f", but reset in {root} only under a condition (line {other.line})"
            if in_hook and other.line == event.line:
                but = " only under a condition: else it is what the life before left"
        for hook, by, base in self._forgotten_supers(path, event.kind):
            but = f", but {by}.{hook} overrides {base}.{hook}, which resets it, without calling it"
            hint = f"call super().{hook}() in {by}.{hook}"
        return LintFinding(
            method.source.file if method.source is not None else "",
            event.line,
            owner,
            attribute,
            f"{owner}.{attribute} is {did} in {where}{but}",
            f"hint: {hint}, {_KEEP}",
            certain=reset is None,
        )

    def _hint(self, event: Event) -> str:
        path, attribute = event.path, self.attribute(event.path[0])
        if len(path) > 1 and attribute.is_body:
            return "attach a ResetPooledBodyComponent()"
        if len(path) > 1 and attribute.component is not None:
            return f"in its spawned: self.{path[1]} = ..."
        if path == ("image",):
            return "in spawned: self.image = self.image.copy()"
        name, value = ".".join(path), "..."
        if len(path) == 1:
            value = self._value_at_first(name)
        is_emptied = attribute.is_container and value in {"...", "[]", "{}", "set()"}
        if event.kind in _FILLING and is_emptied:
            return f"in spawned: self.{name}.clear()"
        return f"in spawned: self.{name} = {value}"

    def _value_at_first(self, name: str) -> str:
        """Return what construction assigns, if `spawned` could assign it as well."""
        for event in self.anatomy.made(name):
            if event.kind == "set" and event.value is not None:
                code = event.method.function.__code__
                used = {each.id for each in ast.walk(event.value) if isinstance(each, ast.Name)}
                local = {*code.co_varnames, *code.co_cellvars} - {"self"}
                return "..." if used & local else ast.unparse(event.value)
        value = getattr(self.anatomy.cls, name, ...)
        return repr(value) if isinstance(value, int | float | str | None) else "..."

    def _forgotten_supers(self, path: Path, kind: str) -> Iterator[tuple[str, str, str]]:
        """Yield hooks that reset `path` in a base class, but are overridden: (name, by, in)."""
        for name in HOOKS:
            hook = self.anatomy.find(name)
            called = {id(each.method) for each in self.anatomy.read(hook)} if hook else set()
            for layer in self.anatomy.layers.values():
                method = layer.get(name)
                if hook is None or method is None or id(method) in called:
                    continue
                events = self.anatomy.read(method)
                if any(_covers(e.sure, path) and self._resets(e, path, kind) for e in events):
                    yield name, hook.owner.__name__, method.owner.__name__

    def _misnamed(self) -> Iterator[LintFinding]:
        """Yield what looks like a hook and is none, and a `kill` that not all ends call."""
        anatomy = self.anatomy
        calls = {each for source in anatomy.sources for each in source.calls}
        for method in anatomy.methods():
            name, hook = method.name, _MISNAMED.get(method.name, "")
            source, node = method.source, method.node
            if node is None or source is None or source.is_kept(node):
                continue
            owner, problem, hint = method.owner.__name__, "", ""
            is_called = method in anatomy.callers or (name, False) in calls
            if hook and anatomy.find(hook) is None and not is_called:
                problem = f"{owner}.{name} is called by no pool: the hook is named {hook}"
                hint = f"rename it to {hook}"
            elif name == "kill" and anatomy.is_sprite and _does_more(node):
                problem = f"{owner}.kill is overridden, but despawn_all, reset and recycling end "
                problem += "lives without calling it"
                hint = "move what it does into despawned"
            if problem:
                line, hint = node.lineno, f"hint: {hint}, {_KEEP}"
                yield LintFinding(source.file, line, owner, name, problem, hint, certain=bool(hook))


def _does_more(node: ast.AST) -> bool:
    """Return whether a method does anything but call the one that it overrides."""
    done = [e for e in ast.walk(node) if isinstance(e, ast.Assign | ast.AugAssign | ast.Call)]
    return any("super" not in ast.unparse(each) for each in done)


def _names_in(cls: type) -> set[str]:
    functions = filter(None, (unwrapped(value, name) for name, value in vars(cls).items()))
    return {name for function in functions for name in function.__code__.co_names}
