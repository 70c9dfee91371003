"""A lint for pooled classes: what methods change and no hook resets, found by reading the source.

Nothing is played: the code is parsed, and calls between a class's own methods are followed, by way
of ``super()`` and properties too. `audit` plays, and sees more; the lint says it while you write.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.devtools.code import is_class_of_the_game, shown_path, unwrapped, variables_of
from poolkit.devtools.methods import (
    BEFORE_LIVES,
    CONTAINERS,
    VALUES,
    Event,
    Method,
    Path,
    anatomy_of,
    names_in,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
    """

    file: str
    line: int
    owner: str
    attribute: str
    problem: str
    hint: str

    def __str__(self) -> str:
        """Return ``monsters.py:41: Health.current is set in hit(), but ...``."""
        return f"{shown_path(self.file)}:{self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
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
    that is reset under a condition alone is a finding too. What poolkit restores by itself is
    none: image, rect, position, rotation, layer, the motion of a body with a
    `ResetPooledBodyComponent`. Nor is what a ``cached_property`` or a method that makes a thing
    when it is first asked for keeps, nor what each method that reads it writes first. What other
    objects do to an instance is not seen, unless their class is looked at too.

    It names as well what looks like a hook and is none (`on_spawned`), and a `kill` of a class's
    own, which only some of the ways to end a life call.

    To keep something from life to life is a good thing at times. A comment ``# poolkit: kept``
    says so: on the line that changes it, where ``__init__`` or the class makes it, at the head of
    the method, or of the class for all it does. So does ``audit_ignore``, an attribute of the
    class: names of attributes, or patterns as `fnmatch` has them. Both hold for `audit` too.

    Args:
        target: A prefab or factory function: the poolable classes it names, and their components.
            A class: it, and the components that its constructor names. A module: every poolable
            class that is defined there, but those which others extend.

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
        leaks = [*leaks_of(classes), *(each for cls in classes for each in _misnamed(cls))]
        gone = [e for cls in classes for e in anatomy_of(cls).methods if e.node is None]
        unread = dict.fromkeys(f"{e.owner.__name__}: not found in {e.source.file}" for e in gone)
    finally:
        anatomy_of.cache_clear()  # or no class would ever be freed
    findings = {(each.file, each.line, each.attribute): each for each in reversed(leaks)}
    return LintReport(
        tuple(findings[key] for key in sorted(findings)),
        tuple(cls.__name__ for cls in classes),
        tuple(unread),
    )


def leaks_of(
    classes: Iterable[type], is_known: Callable[[Event], bool] = lambda _: False
) -> list[LintFinding]:
    """Return what some classes leak, but for what `is_known` tells of one need not look at."""
    classes = tuple(classes)
    return [each for cls in classes for each in _Judge(cls, classes).findings(is_known)]


# -- what is looked at ------------------------------------------------------------------------


def _classes_of(target: Any) -> list[type]:
    """Return the classes that are meant, bases first."""
    made: Any = target.factory if isinstance(target, Prefab) else target
    made = made.func if isinstance(made, functools.partial) else made
    if isinstance(made, ModuleType):
        every = [each for each in vars(made).values() if isinstance(each, type)]
        every = [each for each in every if each.__module__ == made.__name__]
        bases = {base for cls in every for base in cls.__mro__[1:]}
        found = [e for e in every if e not in bases and issubclass(e, IPoolableComponent)]
    elif callable(made):
        found = list(_named_by(made))
    else:
        kinds = "a prefab, a class, a factory function or a module"
        message = f"lint takes {kinds}, not {target!r}"
        raise TypeError(message)
    own = [cls for cls in dict.fromkeys(found) if cls is target or is_class_of_the_game(cls)]
    return sorted(own, key=lambda cls: len(cls.__mro__))


def _named_by(made: Any) -> Iterator[type]:
    """Yield the poolable classes that a class, its constructors, or a function names."""
    waiting = [made]
    for each in waiting:  # which grows meanwhile
        functions = [unwrapped(each)]
        if isinstance(each, type):
            yield each
            bases = filter(is_class_of_the_game, each.__mro__)
            functions = [unwrapped(vars(base).get(name)) for base in bases for name in BEFORE_LIVES]
        for function in filter(None, functions):
            for value in variables_of(function).values():
                is_poolable = isinstance(value, type) and issubclass(value, IPoolableComponent)
                is_base = value in getattr(each, "__mro__", ())  # it is read as a part of it
                if is_poolable and not is_base and value not in waiting:
                    waiting.append(value)


# -- what lasts beyond a life -----------------------------------------------------------------

_NEVER_STATE = frozenset({"sprite", "scope", "audit_ignore"})
_RESTORED_ON_SPRITES = frozenset({"image", "rect", "position", "rotation", "layer", "_layer"})
BODY_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
_RESOURCES = frozenset({"Font", "SysFont", "Sound"})
_EMPTYING = re.compile(r"cancel|clear|empty|fill|pop|reset|restart|stop|truncate|update")
_MISNAMED = {
    f"{before}{name}{after}": f"{name}ed"
    for name in ("spawn", "despawn", "destroy")
    for before, after in (("", ""), ("on_", ""), ("on_", "ed"), ("do_", ""))
}
_MISNAMED |= {"on_awake": "awake", "awaken": "awake"}


class _Judge:
    """Compares what the methods of a class change with what hooks reset."""

    def __init__(self, cls: type, classes: Iterable[type]) -> None:
        self.anatomy = anatomy_of(cls)
        self.is_sprite = issubclass(cls, PooledSprite)
        self.others = [anatomy_of(each) for each in classes if each is not cls]

    def findings(self, is_known: Callable[[Event], bool]) -> Iterator[LintFinding]:
        """Yield one finding an attribute: the first change of it that no comment silences."""
        told: set[Path] = set()
        anatomy = self.anatomy
        for event in [*anatomy.in_lives, *anatomy.in_hooks]:
            path, method = event.path, event.method
            if path in told or not (method.node and event.is_change and self._is_state(event)):
                continue
            is_kept = any(part.keeps(path[1:]) for part in anatomy.parts(path))
            if is_kept or anatomy.keeps(path) or anatomy.keeps_what(method) or is_known(event):
                continue
            resets = [each for each in self._resets(path) if self._is_reset(each, event)]
            # To reset it only if it needs it, as in ``if self.timer:``, is to reset it.
            if not any(each.sure is None or path[0] in each.sure for each in resets):
                told.add(path)
                yield self._worded(event, resets)

    # -- is it a change of the instance's own state? ------------------------------------------

    def _is_state(self, event: Event) -> bool:  # noqa: PLR0911 - a reason each
        path, kind, anatomy = event.path, event.kind, self.anatomy
        first, is_whole, kinds = path[0], len(path) == 1, anatomy.kinds(path[0])
        # What is further away than a part of a part is another object's business.
        if len(path) > 2 or first in _NEVER_STATE:  # noqa: PLR2004
            return False
        if self.is_sprite and first in _RESTORED_ON_SPRITES:
            return False
        is_set_by = anatomy.find(f"{first}.setter") is not None
        if is_whole and (is_set_by or _is_memo(event) or anatomy.is_scratch(first)):
            return False
        if kind == "called":
            held = [kinds] if is_whole else [e.kinds(path[-1]) for e in anatomy.parts(path)]
            return any(_is_any(each, VALUES + CONTAINERS) for each in held)
        if self._is_of_body(event):
            named = {name for e in anatomy.methods for name in e.function.__code__.co_names}
            is_lasting = "RigidBody" in named and "ResetPooledBodyComponent" not in named
            return path[1] in BODY_MOTION and is_lasting
        if not is_whole or kind == "filled":
            return _is_any(kinds, VALUES + CONTAINERS) or any(map(is_class_of_the_game, kinds))
        return kind != "deleted" or not hasattr(getattr(anatomy.cls, first, None), "__get__")

    def _is_of_body(self, event: Event) -> bool:
        kinds = self.anatomy.kinds(event.path[0])
        return len(event.path) > 1 and any(each.__module__ == "pymunk.body" for each in kinds)

    # -- is it reset? -------------------------------------------------------------------------

    def _resets(self, path: Path) -> Iterator[Event]:
        """Yield what hooks do: its own, a part's to itself, and those of who holds it."""
        anatomy = self.anatomy
        yield from anatomy.in_hooks
        for part in anatomy.parts(path):
            yield from (event._replace(path=(path[0], *event.path)) for event in part.in_hooks)
        for other in self.others:
            for event in other.in_hooks:
                name = event.path[0] if event.path else ""
                if anatomy.cls in other.kinds(name) or (name == "sprite" and self.is_sprite):
                    called = anatomy.find(event.name) if event.kind == "called" else None
                    yield from anatomy.follow(called, event.sure)
                    yield event._replace(path=event.path[1:])

    def _is_reset(self, event: Event, change: Event) -> bool:
        """Return whether an event of a hook makes up for a change."""
        path, (first, *rest) = event.path, change.path
        if path[:1] != (first,):
            return False
        if event.kind in {"set", "deleted"}:  # velocity.xy = 0, 0 for velocity.x += 1
            is_value = len(path) > 1 and _is_any(self.anatomy.kinds(first), VALUES)
            return is_value or path == change.path[: len(path)]
        if event.kind == "filled" or change.kind == "set":  # another object by now: clear it
            is_given = isinstance(event.node, ast.Assign) and change.kind in {"filled", "called"}
            return path == change.path and (is_given or event.name == "clear")
        if event.kind != "called":
            return False
        if rest and path == (first,):
            return True  # self.stats.reset(): what an object does to itself is its business
        return path == change.path and _EMPTYING.fullmatch(event.name) is not None

    # -- in words -----------------------------------------------------------------------------

    def _worded(self, event: Event, resets: list[Event]) -> LintFinding:
        method, attribute = event.method, ".".join(event.path)
        did = f"changed by {event.name}()" if event.kind == "called" else event.kind
        but = ", but reset in neither spawned nor despawned"
        if resets:
            but = f", but reset only under a condition (line {resets[0].node.lineno})"
        value = self._value_at_first(attribute) if len(event.path) == 1 else "..."
        hint = f"in spawned: self.{attribute} = {value}"
        if self._is_of_body(event):
            hint = "attach a ResetPooledBodyComponent()"
        problem = f"is {did} in {method.name}(){but}"
        return _finding(method, attribute, event.node.lineno, problem, hint)

    def _value_at_first(self, name: str) -> str:
        """Return what construction assigns, if `spawned` could assign it as well."""
        for event in self.anatomy.changes(name):
            if event.method.name in BEFORE_LIVES and event.kind == "set" and event.value:
                code = event.method.function.__code__
                local = {*code.co_varnames, *code.co_cellvars} - {"self"}
                return "..." if local & set(names_in(event.value)) else ast.unparse(event.value)
        value = getattr(self.anatomy.cls, name, ...)
        return repr(value) if type(value) in {int, float, bool, str, list, type(None)} else "..."


def _misnamed(cls: type) -> Iterator[LintFinding]:
    """Yield what looks like a hook and is none, and a `kill` that not all ends call."""
    anatomy = anatomy_of(cls)
    text = "".join(line for source in anatomy.sources for line in source.lines)
    for method in anatomy.methods if issubclass(cls, IPoolableComponent) else ():
        name, node, hook = method.name, method.node, _MISNAMED.get(method.name, "")
        if node is None or anatomy.keeps_what(method):
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


def _is_any(kinds: Iterable[type], bases: tuple[type, ...]) -> bool:
    return any(issubclass(each, bases) for each in kinds)


def _finding(method: Method, attribute: str, line: int, problem: str, hint: str) -> LintFinding:
    owner = method.owner.__name__
    problem, hint = f"{owner}.{attribute} {problem}", f"hint: {hint}, or say # poolkit: kept"
    return LintFinding(method.source.file, line, owner, attribute, problem, hint)


def _is_memo(event: Event) -> bool:
    """Return whether something is made when it is first asked for.

    The method returns it, or it is one of pygame's fonts or sounds, which nothing changes.
    """
    if event.sure is None:
        return False
    nodes = ast.walk(event.method.node or event.node)
    returned = {name for e in nodes if isinstance(e, ast.Return) for name in names_in(e)}
    targets = (e.id for e in getattr(event.node, "targets", ()) if isinstance(e, ast.Name))
    is_resource = not _RESOURCES.isdisjoint(names_in(event.value or event.node))
    return is_resource or not returned.isdisjoint((event.path[-1], *targets))
