"""A lint for pooled classes: finds what methods change and no hook resets, by reading the source.

Calls of the game's own methods and functions are followed. `audit` plays, and finds more.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pygame.sprite import DirtySprite

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.devtools.code import (
    is_class_of_the_game,
    is_poolkits,
    shown_path,
    unwrapped,
    variables_of,
)
from poolkit.devtools.methods import (
    BEFORE_LIVES,
    CONTAINERS,
    VALUES,
    Event,
    Method,
    Path,
    anatomy_of,
    meant_by,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True, slots=True)
class LintFinding:
    """An attribute that one life leaves to the next, or a method that no pool calls.

    Attributes:
        file: The path of the source file.
        line: The line that changes the attribute.
        owner: The name of the class.
        attribute: The attribute: ``current``, or ``stats.kills`` for one of an object it holds.
        problem: What is wrong, in a sentence.
        hint: What to do about it.
    """

    file: str
    line: int
    owner: str
    attribute: str
    problem: str
    hint: str

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}: {self.problem}"


@dataclass(frozen=True, slots=True, repr=False)
class LintReport:
    """The findings about some classes. Its `str` has two lines for each: what is wrong, a hint.

    Attributes:
        findings: What was found, by file and line.
        classes: The names of the classes that were read.
        unread: What could not be read.
    """

    findings: tuple[LintFinding, ...] = ()
    classes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything could be read, and nothing was found."""
        return not self.findings and not self.unread

    def __str__(self) -> str:
        lines = [f"{finding}\n    {finding.hint}" for finding in self.findings]
        lines += [f"not read: {each}" for each in self.unread]
        count = len(self.classes)
        clean = f"{count} {'class' if count == 1 else 'classes'} read, nothing found"
        return "\n".join(lines) or clean

    def __repr__(self) -> str:
        unread = f", unread={len(self.unread)}" if self.unread else ""
        return f"<LintReport(classes={len(self.classes)}, findings={len(self.findings)}{unread})>"


def lint(target: Any) -> LintReport:
    """Look for attributes that one life leaves to the next, by reading the source.

    It finds what a method changes during a life and what `spawned`, `despawned`, what they call and
    what `scope.callback` is given don't reset, or only under a condition. It also finds a time, a
    random number or the mouse's place that the constructor takes once for all lives; what looks
    like a hook but isn't one (`on_spawned`); and an own `kill`, which some ends of a life don't
    call.

    It says nothing of what poolkit restores (image, rect, position, rotation, layer, the motion of
    a body with a `ResetPooledBodyComponent`), what is made when it is first asked for, what every
    method writes before it reads it, and what objects of classes that are not read change.

    Declare what is kept on purpose by a comment ``# poolkit: kept``, on a line that changes or
    makes it, or at the head of a method or class; or by the class's ``audit_ignore``, names and
    patterns as in `fnmatch`. Both hold for `audit`, too.

    Args:
        target: A prefab or factory function: the poolable classes it names, and their components.
            A class: it, and the components that its constructor names. A module: its own poolable
            classes, except those that others extend.

    Raises:
        TypeError: It isn't one of these, or ``audit_ignore`` isn't names.

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
        leaks = [*leaks_of(classes), *(each for cls in classes for each in _misnamed(cls))]
        gone = [e for cls in classes for e in anatomy_of(cls).methods if e.node is None]
    finally:
        anatomy_of.cache_clear()  # or no class would ever be freed
    findings = {(each.file, each.line, each.attribute): each for each in reversed(leaks)}
    unread = dict.fromkeys(f"{e.owner.__name__}: not found in {e.source.file}" for e in gone)
    names = (cls.__name__ for cls in classes)
    return LintReport(tuple(findings[key] for key in sorted(findings)), tuple(names), tuple(unread))


# -- what is looked at ------------------------------------------------------------------------


def _classes_of(target: Any) -> list[type]:
    made: Any = target.factory if isinstance(target, Prefab) else target
    made = made.func if isinstance(made, functools.partial) else made
    if isinstance(made, ModuleType):
        every = [each for each in vars(made).values() if _is_poolable(each)]
        every = [each for each in every if each.__module__ == made.__name__]
        found = [e for e in every if not any(e in each.__mro__[1:] for each in every)]
    elif callable(made):
        found = [made]
        for each in found:  # grows in the loop
            found += [e for e in _named_by(each) if e not in found]
    else:
        kinds = "a prefab, a class, a factory function or a module"
        message = f"lint takes {kinds}, not {target!r}"
        raise TypeError(message)
    classes = [each for each in dict.fromkeys(found) if isinstance(each, type)]
    own = [cls for cls in classes if cls is target or is_class_of_the_game(cls)]
    return sorted(own, key=lambda cls: len(cls.__mro__))


def _is_poolable(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, IPoolableComponent)


def _named_by(made: Any) -> Iterator[Any]:
    bases = getattr(made, "__mro__", ())  # which are read with it
    places = [vars(e).get(name) for e in bases if is_class_of_the_game(e) for name in BEFORE_LIVES]
    for function in filter(None, map(unwrapped, [made, *places])):
        named = variables_of(function).values()
        yield from (each for each in named if _is_poolable(each) and each not in bases)


# -- what lasts beyond a life -----------------------------------------------------------------

_NEVER_STATE = frozenset({"super()", "()"})
_RESTORED = frozenset({"image", "rect", "position", "rotation", "layer", "_layer"})
_RESTORED_IF_DIRTY = frozenset({"dirty", "visible", "blendmode", "source_rect"})
_SEEN_BY_PYGAME = frozenset({*_RESTORED, *_RESTORED_IF_DIRTY, "mask", "radius", "special_flags"})
BODY_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
_RESOURCES = frozenset({"Font", "SysFont", "Sound"})
_EMPTYING = re.compile(r"cancel|clear|empty|fill|pop|reset|restart|stop|truncate|update")
# Something that can't be read and is handed the instance is believed to do what its name says.
_RESETTING = re.compile(r"(re)?(begin|init|load|prepare|reset|restore|set|set_?up|start)(_\w+)?")
_OF_THE_MOMENT = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time)(_ns)?|pygame\.time\.get_ticks|"
    r"pygame\.mouse\.get_(pos|rel)|(datetime|date)\.(now|utcnow|today)"
)
_MISNAMED = {
    f"{before}{name}{after}": f"{name}ed"
    for name in ("spawn", "despawn", "destroy")
    for before, after in (("", ""), ("on_", ""), ("on_", "ed"), ("do_", ""))
}
_MISNAMED |= {"on_awake": "awake", "awaken": "awake"}


def leaks_of(
    classes: Iterable[type], is_known: Callable[[Event], bool] = lambda _: False
) -> list[LintFinding]:
    """Return what some classes leak, without the changes that `is_known` says are known."""
    classes = tuple(classes)
    return [each for cls in classes for each in _Judge(cls, classes).findings(is_known)]


class _Judge:
    """Compares what the methods of a class change with what hooks reset."""

    def __init__(self, cls: type, classes: Iterable[type]) -> None:
        self.cls, self.anatomy = cls, anatomy_of(cls)
        self.others = [anatomy_of(each) for each in classes if each is not cls]

    def findings(self, is_known: Callable[[Event], bool]) -> Iterator[LintFinding]:
        told: set[Path] = set()
        anatomy = self.anatomy
        changes = [e for e in (*anatomy.in_lives, *anatomy.in_hooks) if self._is_state(e)]
        moments = [e for e in anatomy.events if _moment_in(e) and not anatomy.is_scratch(e.path[0])]
        for event in changes + moments:
            path = event.path
            is_kept = any(part.keeps(path[1:]) for part in anatomy.parts(path))
            is_kept = is_kept or anatomy.keeps(path, event.method) or _restores(self.cls, path[0])
            if path in told or is_kept or is_known(event):
                continue
            resets = [each for each in self._resets(path) if self._is_reset(each, event)]
            if not any(each.is_sure for each in resets):
                told.add(path)
                yield self._worded(event, resets)

    def _is_state(self, event: Event) -> bool:  # noqa: PLR0911 - a reason each
        path, anatomy = event.path, self.anatomy
        if not event.is_change or path[0] in _NEVER_STATE:
            return False
        kinds = anatomy.kinds(path[0])
        is_built = _is_any(kinds, VALUES + CONTAINERS)
        if len(path) == 1:
            is_scratch = path[0] not in _SEEN_BY_PYGAME and anatomy.is_scratch(path[0])
            if is_scratch or _is_memo(event) or anatomy.find(f"{path[0]}.setter"):
                return False
            is_getter = hasattr(getattr(self.cls, path[0], 0), "__get__")
            return is_built if event.kind == "called" else event.kind != "deleted" or not is_getter
        if any(_restores(each, path[1]) for each in kinds):
            return False
        if _is_body(kinds):
            named = {name for e in anatomy.methods for name in e.function.__code__.co_names}
            is_lasting = "RigidBody" in named and "ResetPooledBodyComponent" not in named
            return path[1] in BODY_MOTION and is_lasting
        if path[1] == "[]":
            return is_built and not _is_memo(event)
        if event.kind == "called":
            held = (each.kinds(path[1]) for each in anatomy.parts(path))
            return any(_is_any(each, VALUES + CONTAINERS) for each in held)
        return is_built or any(map(is_class_of_the_game, kinds))

    def _resets(self, path: Path) -> Iterator[Event]:
        """Yield what hooks do: its own, those of its parts, and those of its holders."""
        yield from self.anatomy.in_hooks
        for part in self.anatomy.parts(path):
            yield from (event._replace(path=(path[0], *event.path)) for event in part.in_hooks)
        for other in self.others:
            for event in (each for each in other.in_hooks if each.path):
                is_sprite = event.path[0] == "sprite" and issubclass(self.cls, PooledSprite)
                if is_sprite or self.cls in other.kinds(event.path[0]):
                    is_call = event.kind == "called"
                    yield from self.anatomy.done_in([self.anatomy.find(event.name)] * is_call)
                    yield from [event._replace(path=event.path[1:])] * (len(event.path) > 1)

    def _is_reset(self, event: Event, change: Event) -> bool:
        """Return whether an event of a hook makes up for a change."""
        path, at = event.path, change.path
        is_value = _is_any(self.anatomy.kinds(at[0]), VALUES)
        is_around = path == at[: len(path)]
        if event.kind in {"set", "deleted"}:
            # velocity.xy = 0, 0 resets velocity.x += 1, and d["x"] = 0 resets d.update(...)
            is_inside = path[:1] == at[:1] and len(path) > 1
            is_entry = change.kind == "called" and isinstance(event.node, ast.Assign)
            return is_around or (is_inside and (is_value or is_entry))
        if event.kind != "called" or not path:
            return False
        if any(not each for _, each in event.given) and self.anatomy.called(event) is None:
            return _RESETTING.fullmatch(event.name) is not None
        if is_around and at[len(path) :] not in {(), ("[]",)}:
            return True  # self.stats.reset() is believed to reset its own attributes
        is_another = change.kind == "set" and path == at != (at[0], "[]") and not is_value
        is_emptied = _EMPTYING.fullmatch(event.name) is not None
        return is_around and is_emptied and (not is_another or event.name == "clear")

    # -- in words -----------------------------------------------------------------------------

    def _worded(self, event: Event, resets: list[Event]) -> LintFinding:
        method, line, moment = event.method, event.node.lineno, _moment_in(event)
        attribute = ".".join(event.path).removesuffix(".[]")
        if moment:
            problem = f"is the same in all lives: {method.name}() takes it from {moment}() once"
            return _finding(method, attribute, line, problem, "move it to spawned")
        did = f"changed by {event.name}()" if event.kind == "called" else event.kind
        did = "filled" if event.path[-1] == "[]" != event.kind else did
        but = ", but reset in neither spawned nor despawned"
        if resets:
            but = f", but reset only under a condition (line {resets[0].node.lineno})"
        value = self._value_at_first(attribute) if "." not in attribute else "..."
        hint = f"in spawned: self.{attribute} = {value}"
        if _is_body(self.anatomy.kinds(event.path[0])):
            hint = "attach a ResetPooledBodyComponent()"
        return _finding(method, attribute, line, f"is {did} in {method.name}(){but}", hint)

    def _value_at_first(self, name: str) -> str:
        """Return what the constructor assigns, if `spawned` could assign it, too."""
        for event in self.anatomy.events:
            if event.method.name in BEFORE_LIVES and event.path == (name,) and event.kind == "set":
                code = event.method.function.__code__
                local = {*code.co_varnames, *code.co_cellvars} - {"self"}
                value: Any = getattr(event.node, "value", None)
                return ast.unparse(value) if value and not local & names_in(value) else "..."
        value = getattr(self.cls, name, ...)
        return repr(value) if type(value) in {int, float, bool, str, list, type(None)} else "..."


def _misnamed(cls: type) -> Iterator[LintFinding]:
    """Yield methods that look like a hook but aren't, and a `kill` that not all ends call."""
    anatomy = anatomy_of(cls)
    sources = {method.source for method in anatomy.methods}
    text = "".join(line for e in sources if not is_poolkits(e.file) for line in e.lines)
    for method in anatomy.methods if issubclass(cls, IPoolableComponent) else ():
        name, node, hook = method.name, method.node, _MISNAMED.get(method.name, "")
        if node is None or anatomy.keeps((name,), method):
            continue
        body: Any = node.body if name == "kill" and issubclass(cls, PooledSprite) else []
        done = [e for e in body if not isinstance(getattr(e, "value", 0), ast.Constant)]
        if hook and anatomy.find(hook) is None and f".{name}(" not in text:
            problem = f"is called by no pool: the hook is named {hook}"
            yield _finding(method, name, node.lineno, problem, f"rename it to {hook}")
        elif any("super()" not in ast.unparse(each) for each in done):
            problem = "is overridden, but despawn_all, reset and recycling end lives without "
            problem, hint = f"{problem}calling it", "move what it does into despawned"
            yield _finding(method, name, node.lineno, problem, hint)


def _finding(method: Method, attribute: str, line: int, problem: str, hint: str) -> LintFinding:
    owner = method.owner.__name__
    problem, hint = f"{owner}.{attribute} {problem}", f"hint: {hint}, or say # poolkit: kept"
    return LintFinding(method.source.file, line, owner, attribute, problem, hint)


def _is_any(kinds: Iterable[type], bases: tuple[type, ...]) -> bool:
    return any(issubclass(each, bases) for each in kinds)


def _is_body(kinds: Iterable[type]) -> bool:
    return any(each.__module__ == "pymunk.body" for each in kinds)


def _restores(kind: type, name: str) -> bool:
    """Return whether every spawn restores an attribute of the sprites of a class."""
    is_dirty = issubclass(kind, DirtySprite) and name in _RESTORED_IF_DIRTY
    return issubclass(kind, PooledSprite) and (is_dirty or name in _RESTORED)


def _is_memo(event: Event) -> bool:
    """Return whether something is made when it is first asked for, as fonts and memos are."""
    nodes = ast.walk(event.method.node)
    returned = {name for e in nodes if isinstance(e, ast.Return) for name in names_in(e)}
    targets = (e.id for e in getattr(event.node, "targets", ()) if isinstance(e, ast.Name))
    is_made = not _RESOURCES.isdisjoint(names_in(event.node))
    is_made = is_made or not returned.isdisjoint((event.path[0], *targets))
    return bool(event.conditions) and is_made


def names_in(node: ast.AST) -> set[str]:
    """Return the names and attributes that some code names."""
    names = {getattr(each, "id", getattr(each, "attr", None)) for each in ast.walk(node)}
    return {each for each in names if each}


def _moment_in(event: Event) -> str:
    """Return the clock or dice that a constructor calls for a value that it keeps."""
    is_kept = event.method.name in BEFORE_LIVES and len(event.path) == 1 and event.kind == "set"
    for node in ast.walk(event.node) if is_kept else ():
        func = node.func if isinstance(node, ast.Call) else None
        found = func and meant_by(func, event.method.variables)
        owner, name = getattr(found, "__self__", None), getattr(found, "__name__", "")
        if type(owner).__module__.partition(".")[0] in {"random", "numpy"}:
            return f"random.{name}"
        if _OF_THE_MOMENT.fullmatch(f"{getattr(owner, '__name__', '')}.{name}"):
            return f"{owner.__name__}.{name}"  # type: ignore[union-attr]
    return ""
