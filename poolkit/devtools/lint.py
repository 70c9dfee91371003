"""A lint for pooled classes: finds what methods change and no hook resets, by reading the source.

What a method calls is followed where the game's own source can be read. `audit` plays, and finds
more.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pygame.sprite import DirtySprite

from poolkit.core.fields import copiers, fields_of
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.prefab import Prefab
from poolkit.devtools.code import (
    is_class_of_the_game,
    shown_path,
    source_of,
    unwrapped,
    variables_of,
)
from poolkit.devtools.methods import (
    BEFORE_LIVES,
    CONTAINERS,
    VALUES,
    Anatomy,
    Event,
    Method,
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

    It finds what a method changes during a life, of the instance and of objects that it makes, and
    what `spawned`, `despawned`, what they call and what `scope.callback` is given don't reset, or
    only under a condition. It also finds a time, a random number or the mouse's place that the
    constructor takes once for all lives; what looks like a hook but isn't one (`on_spawned`); and
    an own `kill`, which some ends of a life don't call.

    It says nothing of what poolkit restores (fields, image, rect, position, rotation, layer, the
    motion of a body with a `ResetPooledBodyComponent`), what is made when it is first asked for,
    what every method writes before it reads it, and what objects of classes that are not read
    change.

    Declare what is kept on purpose by a comment ``# poolkit: kept``, on a line that changes or
    makes it, or at the head of a method or class; or by the class's ``audit_ignore``, names and
    patterns as in `fnmatch`. Both hold for `audit`, too.

    Args:
        target: A prefab or factory function: the poolable classes it names, and their components.
            A class: it, and the components that its constructor names. A module: its own poolable
            classes, except those that others extend.

    Raises:
        TypeError: It isn't one of these, or ``audit_ignore`` isn't names.
    """
    classes = _classes_of(target)
    try:
        findings = [*leaks_of(classes), *(each for cls in classes for each in _misnamed(cls))]
        gone = [e for cls in classes for e in anatomy_of(cls).methods if e.node is None]
    finally:
        anatomy_of.cache_clear()  # or no class would ever be freed
    told = {(each.file, each.line, each.attribute): each for each in reversed(findings)}
    unread = dict.fromkeys(f"{each.owner.__name__}: not found in {each.file}" for each in gone)
    names = tuple(cls.__name__ for cls in classes)
    return LintReport(tuple(told[key] for key in sorted(told)), names, tuple(unread))


# -- what is looked at ------------------------------------------------------------------------


def _classes_of(target: Any) -> list[type]:
    made: Any = target.factory if isinstance(target, Prefab) else target
    made = made.func if isinstance(made, partial) else made
    if isinstance(made, ModuleType):
        every = [e for e in _poolable(vars(made).values()) if e.__module__ == made.__name__]
        found = [e for e in every if not any(e in each.__mro__[1:] for each in every)]
    elif callable(made):
        found = [made]
        for each in found:  # grows in the loop
            found += [e for e in _poolable(_named_by(each)) if e not in found]
    else:
        kinds = "a prefab, a class, a factory function or a module"
        message = f"lint takes {kinds}, not {target!r}"
        raise TypeError(message)
    classes = [each for each in dict.fromkeys(found) if isinstance(each, type)]
    own = [cls for cls in classes if cls is target or is_class_of_the_game(cls)]
    return sorted(own, key=lambda cls: len(cls.__mro__))


def _poolable(values: Iterable[Any]) -> list[type]:
    return [e for e in values if isinstance(e, type) and issubclass(e, IPoolableComponent)]


def _named_by(made: Any) -> Iterator[Any]:
    """Yield what a function names, or the constructors of a class, but for its own bases."""
    bases = getattr(made, "__mro__", ())
    places = [vars(e).get(name) for e in bases if is_class_of_the_game(e) for name in BEFORE_LIVES]
    for function in filter(None, map(unwrapped, [made, *places])):
        yield from (each for each in variables_of(function).values() if each not in bases)


# -- what lasts beyond a life -----------------------------------------------------------------

_RESTORED = frozenset({"image", "rect", "position", "rotation", "layer"})
_RESTORED_IF_DIRTY = frozenset({"dirty", "visible", "blendmode", "source_rect"})
_READ_BY_PYGAME = frozenset({"image", "rect", "mask", "radius", "special_flags"})
BODY_MOTION = frozenset({"velocity", "angular_velocity", "force", "torque"})
_RESOURCES = frozenset({"Font", "SysFont", "Sound"})
# What can't be read is believed to do what its name says.
_IS_RESET = re.compile(
    r"set|deleted|(cancel|clear|empty|fill|pop|stop|truncate|update|"
    r"(re)?(begin|init|load|prepare|reset|restore|set|set_?up|start)(_\w+)?)\(\)"
)
_OF_THE_MOMENT = re.compile(
    r"time\.(time|monotonic|perf_counter|process_time)(_ns)?|pygame\.time\.get_ticks|"
    r"pygame\.mouse\.get_(pos|rel)|.*\b(datetime|date)\.(now|utcnow|today)|"
    r".*\b(Random|Generator|RandomState)\.\w+"
)
_LIKE_A_HOOK = re.compile(r"(?:on_|do_)?(spawn|despawn|destroy|awake)(?:ed|n)?")


def leaks_of(
    classes: Iterable[type], is_known: Callable[[Event], bool] = lambda _: False
) -> Iterator[LintFinding]:
    """Yield what some classes leak, without the changes that `is_known` says are known."""
    anatomies = [anatomy_of(each) for each in classes]
    for anatomy in anatomies:
        told = set()
        in_hooks = [*_in_hooks(anatomy, anatomies)]
        changes = [e for e in anatomy.in_lives + anatomy.in_hooks if _is_lasting(anatomy, e)]
        for event in changes + [e for e in anatomy.events if _moment_in(e)]:
            path = event.path
            is_scratch = path[0] not in _READ_BY_PYGAME and anatomy.is_scratch(path[0])
            if path in told or anatomy.keeps(path, event.method) or is_scratch or is_known(event):
                continue
            resets = [each for each in in_hooks if _undoes(each, event)]
            # A condition on the attribute itself doesn't count.
            if not any(all(names & {*e.path} for names in e.conditions) for e in resets):
                told.add(path)
                yield _worded(anatomy, event, resets)


def _is_lasting(anatomy: Anatomy, event: Event) -> bool:
    """Return whether an event changes something that the instance has in its next life, too."""
    path, cls = event.path, anatomy.cls
    if not event.is_change or _is_memo(event) or _is_of_a_field(anatomy, event):
        return False
    if event.verb.endswith("()"):
        return any(issubclass(each, VALUES + CONTAINERS) for each in anatomy.kinds(path))
    if len(path) == 1:
        is_dirty = issubclass(cls, DirtySprite) and path[0] in _RESTORED_IF_DIRTY
        is_restored = issubclass(cls, PooledSprite) and (is_dirty or path[0] in _RESTORED)
        is_getter = isinstance(getattr(cls, path[0], None), property | cached_property)
        return not (is_restored or is_getter)
    owners = anatomy.kinds(path[:-1])
    if path[-1] in BODY_MOTION and _is_body(owners):
        named = {name for e in anatomy.methods for name in e.function.__code__.co_names}
        return "RigidBody" in named and "ResetPooledBodyComponent" not in named
    # A part that is poolable has hooks of its own.
    parts = [e for e in owners if is_class_of_the_game(e) and not issubclass(e, IPoolableComponent)]
    built = CONTAINERS if path[-1] == "[]" else VALUES
    return bool(parts) or any(issubclass(each, built) for each in owners)


def _is_of_a_field(anatomy: Anatomy, event: Event) -> bool:
    """Return whether an event changes a field, or a copy that each life has of its value."""
    path = event.path
    if path[0] not in fields_of(anatomy.cls):
        return False
    # To set the field itself needs no copy; to change what is in it needs one at each step.
    num_changed = len(path) if event.verb.endswith("()") else len(path) - 1
    steps = (path[: n + 1] for n in range(num_changed))
    return all(anatomy.kinds(step) <= {*copiers, type(None)} for step in steps)


def _is_body(kinds: Iterable[type]) -> bool:
    return any(each.__module__ == "pymunk.body" for each in kinds)


def _is_memo(event: Event) -> bool:
    """Return whether something is made when it is first asked for, as fonts and memos are."""
    nodes = ast.walk(event.method.node)
    returned = {name for e in nodes if isinstance(e, ast.Return) for name in _names_in(e)}
    targets = (e.id for e in getattr(event.node, "targets", ()) if isinstance(e, ast.Name))
    is_asked_for = not returned.isdisjoint((*event.path, *targets))
    return bool(event.conditions) and (is_asked_for or bool(_RESOURCES & _names_in(event.node)))


def _names_in(node: ast.AST) -> set[str]:
    return {getattr(e, "id", "") or getattr(e, "attr", "") for e in ast.walk(node)} - {""}


def _moment_in(event: Event) -> str:
    """Return the clock or dice that a constructor calls for a value that it keeps."""
    is_kept = event.method.name in BEFORE_LIVES and len(event.path) == 1 and event.verb == "set"
    for node in ast.walk(event.node) if is_kept else ():
        if isinstance(node, ast.Call):
            func: Any = meant_by(node.func, event.method.variables)
            named = getattr(func, "__module__", ""), getattr(func, "__qualname__", "")
            if _OF_THE_MOMENT.fullmatch(".".join(filter(None, named))):
                return ast.unparse(node.func)
    return ""


def _in_hooks(anatomy: Anatomy, every: Iterable[Anatomy]) -> Iterator[Event]:
    """Yield what hooks do to an instance: its own, and those of what has it."""
    yield from anatomy.in_hooks
    for other in every:
        for event in other.in_hooks:
            is_sprite = event.path[:1] == ("sprite",) and issubclass(anatomy.cls, PooledSprite)
            if len(event.path) > 1 and (is_sprite or anatomy.cls in other.kinds(event.path[:1])):
                yield event._replace(path=event.path[1:])


def _undoes(event: Event, change: Event) -> bool:
    """Return whether an event of a hook makes up for a change."""
    is_whole = event.verb in {"set", "deleted", "clear()", "update()"} and not event.path[1:]
    is_other = change.verb == "set" and not change.path[1:] and not is_whole
    is_same = event.path[:1] == change.path[:1] and not is_other
    return (is_same or not event.path) and _IS_RESET.fullmatch(event.verb) is not None


# -- in words ---------------------------------------------------------------------------------


def _worded(anatomy: Anatomy, event: Event, resets: list[Event]) -> LintFinding:
    method, line, moment = event.method, event.node.lineno, _moment_in(event)
    attribute = ".".join(event.path).replace(".[]", "")
    if moment:
        problem = f"is the same in all lives: {method.name}() takes it from {moment}() once"
        return _finding(method, attribute, line, problem, "move it to spawned")
    did = f"changed by {event.verb}" if event.verb.endswith("()") else event.verb
    did = "filled" if event.path[-1] == "[]" != event.verb else did
    but = "reset in neither spawned nor despawned"
    if resets:
        but = f"reset only under a condition (line {resets[0].node.lineno})"
    hint = f"in spawned: self.{attribute} = {_value_at_first(anatomy, attribute)}"
    if _is_body(anatomy.kinds(event.path[:1])):
        hint = "attach a ResetPooledBodyComponent()"
    return _finding(method, attribute, line, f"is {did} in {method.name}(), but {but}", hint)


def _value_at_first(anatomy: Anatomy, name: str) -> str:
    """Return what the constructor assigns, if `spawned` could assign it, too."""
    value: Any = getattr(anatomy.cls, name, ...)
    for event in anatomy.events:
        if event.method.name in BEFORE_LIVES and event.path == (name,) and event.verb == "set":
            local = {*event.method.function.__code__.co_varnames} - {"self"}
            code: Any = getattr(event.node, "value", None)
            is_one = not isinstance(getattr(event.node, "targets", [None])[0], ast.Tuple)
            is_plain = code and is_one and not local & _names_in(code)
            return ast.unparse(code) if is_plain else "..."
    return repr(value) if type(value) in {int, float, bool, str, list, type(None)} else "..."


def _misnamed(cls: type) -> Iterator[LintFinding]:
    """Yield methods that look like a hook but aren't, and a `kill` that not all ends call."""
    anatomy = anatomy_of(cls)
    methods = [each for each in anatomy.methods if each.node and not anatomy.keeps((each.name,))]
    for method in methods if issubclass(cls, IPoolableComponent) else ():
        name, line, like = method.name, method.node.lineno, _LIKE_A_HOOK.fullmatch(method.name)
        hook = f"{like[1]}ed".replace("awakeed", "awake") if like else name
        is_called = f".{name}(" in "".join(source_of(method.file).lines)
        if hook not in anatomy.named and not is_called:
            problem = f"is called by no pool: the hook is named {hook}"
            yield _finding(method, name, line, problem, f"rename it to {hook}")
        elif name == "kill" and issubclass(cls, PooledSprite) and len(method.node.body) > 1:
            problem = "is overridden, but despawn_all, reset and recycling don't call it"
            yield _finding(method, name, line, problem, "move what it does into despawned")


def _finding(method: Method, attribute: str, line: int, problem: str, hint: str) -> LintFinding:
    owner = method.owner.__name__
    problem, hint = f"{owner}.{attribute} {problem}", f"hint: {hint}, or say # poolkit: kept"
    return LintFinding(method.file, line, owner, attribute, problem, hint)
