"""The part of the audit that reads: what methods change and no hook resets.

It finds what a method changes during a life, of the instance and of objects that it makes, and
what `spawned`, `despawned`, what they call and what `scope.callback` is given don't reset, or only
under a condition. It also finds what a constructor takes once for all lives (a time, a random
number, the mouse's place), what looks like a hook but isn't one (`on_spawned`), and a `kill` of
the game's own, which some ends of a life don't call.

It says nothing of what poolkit restores, what is made when it is first asked for, what every
method writes before it reads it, and what objects of classes that are not read change.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pygame.sprite import DirtySprite

from poolkit.core.fields import copiers, fields_of
from poolkit.core.hooks import IPoolableComponent
from poolkit.devtools.code import is_class_of_the_game, shown_path, source_of
from poolkit.devtools.methods import (
    BEFORE_LIVES,
    CONTAINERS,
    VALUES,
    ClassModel,
    Event,
    Method,
    Path,
    model_of,
    resolve_name,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@dataclass(frozen=True, slots=True)
class UnplayedLeak:
    """An attribute that one life leaves to the next, or a method that no pool calls, as read.

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


def unplayed_leaks(
    classes: Iterable[type], is_known: Callable[[Event], bool] = lambda _: False
) -> list[UnplayedLeak]:
    """Return what some classes leak, without the changes that `is_known` says are known."""
    models = [model_of(cls) for cls in classes]
    leaks = [leak for model in models for leak in _leaks_of(model, models, is_known)]
    leaks += [leak for model in models for leak in _misnamed_hooks(model)]
    by_place = {(leak.file, leak.line, leak.attribute): leak for leak in reversed(leaks)}
    return [by_place[place] for place in sorted(by_place)]


def unread_classes(classes: Iterable[type]) -> list[str]:
    """Return a sentence for each class that has a method whose source can't be found."""
    methods = [method for cls in classes for method in model_of(cls).methods]
    unread = {(m.owner.__name__, m.file): None for m in methods if m.node is None}
    return [f"not read: the methods of {name} are not found in {file}" for name, file in unread]


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


def _leaks_of(
    model: ClassModel, models: Iterable[ClassModel], is_known: Callable[[Event], bool]
) -> Iterator[UnplayedLeak]:
    reported = set()
    hook_events = [*_hook_events(model, models)]
    changes = [e for e in model.life_events + model.hook_events if _is_lasting(model, e)]
    for event in changes + [event for event in model.events if _moment_in(event)]:
        path = event.path
        # pygame reads some attributes before any method writes them.
        is_scratch = path[0] not in _READ_BY_PYGAME and model.is_scratch(path[0])
        if path in reported or model.keeps(path, event.method) or is_scratch or is_known(event):
            continue
        resets = [reset for reset in hook_events if _undoes(reset, event)]
        # A condition on the attribute itself doesn't count: it may need no reset otherwise.
        if not any(all(names & {*reset.path} for names in reset.conditions) for reset in resets):
            reported.add(path)
            yield _described_leak(model, event, resets)


def _is_lasting(model: ClassModel, event: Event) -> bool:
    """Return whether an event changes something that the instance has in its next life, too."""
    if not event.is_change or _is_memo(event) or _is_of_a_field(model, event):
        return False
    if event.verb.endswith("()"):  # only of known classes is known what their methods do
        return _is_any(model.classes_at(event.path), VALUES + CONTAINERS)
    if event.path[1:]:
        return _is_part_lasting(model, event.path)
    [name] = event.path
    restored = _RESTORED if issubclass(model.cls, PooledSprite) else frozenset()
    if restored and issubclass(model.cls, DirtySprite):
        restored |= _RESTORED_IF_DIRTY
    is_getter = isinstance(getattr(model.cls, name, None), property | cached_property)
    return name not in restored and not is_getter


def _is_part_lasting(model: ClassModel, path: Path) -> bool:
    """Return whether an attribute or entry of what an instance holds lasts."""
    owners = model.classes_at(path[:-1])
    if path[-1] in BODY_MOTION and _is_body(owners):
        names = {name for m in model.methods for name in m.function.__code__.co_names}
        return "RigidBody" in names and "ResetPooledBodyComponent" not in names
    if _is_any(owners, CONTAINERS if path[-1] == "[]" else VALUES):
        return True
    # A part that is poolable has hooks of its own.
    of_the_game = filter(is_class_of_the_game, owners)
    return not all(issubclass(owner, IPoolableComponent) for owner in of_the_game)


def _is_any(classes: Iterable[type], bases: tuple[type, ...]) -> bool:
    return any(issubclass(cls, bases) for cls in classes)


def _is_of_a_field(model: ClassModel, event: Event) -> bool:
    """Return whether an event changes a field, or a copy that each life has of its value."""
    path = event.path
    if path[0] not in fields_of(model.cls):
        return False
    # To set the field itself needs no copy; to change what is in it needs one at each step.
    num_copied = len(path) if event.verb.endswith("()") else len(path) - 1
    steps = (path[: length + 1] for length in range(num_copied))
    return all(model.classes_at(step) <= {*copiers, type(None)} for step in steps)


def _is_body(classes: Iterable[type]) -> bool:
    return any(cls.__module__ == "pymunk.body" for cls in classes)


def _is_memo(event: Event) -> bool:
    """Return whether something is made when it is first asked for, as fonts and memos are."""
    nodes = ast.walk(event.method.node)
    returned = {name for node in nodes if isinstance(node, ast.Return) for name in _names_in(node)}
    targets = getattr(event.node, "targets", ())
    names = {*event.path, *(target.id for target in targets if isinstance(target, ast.Name))}
    is_asked_for = not returned.isdisjoint(names)
    return bool(event.conditions) and (is_asked_for or bool(_RESOURCES & _names_in(event.node)))


def _names_in(node: ast.AST) -> set[str]:
    return {getattr(part, "id", "") or getattr(part, "attr", "") for part in ast.walk(node)} - {""}


def _moment_in(event: Event) -> str:
    """Return the clock or dice that a constructor calls for a value that it keeps."""
    is_kept = event.method.name in BEFORE_LIVES and len(event.path) == 1 and event.verb == "set"
    for node in ast.walk(event.node) if is_kept else ():
        if isinstance(node, ast.Call):
            func: Any = resolve_name(node.func, event.method.variables)
            names = getattr(func, "__module__", ""), getattr(func, "__qualname__", "")
            if _OF_THE_MOMENT.fullmatch(".".join(filter(None, names))):
                return ast.unparse(node.func)
    return ""


def _hook_events(model: ClassModel, models: Iterable[ClassModel]) -> Iterator[Event]:
    """Yield what hooks do to an instance: its own, and those of what has it."""
    yield from model.hook_events
    for holder in models:
        for event in holder.hook_events:
            is_sprite = event.path[:1] == ("sprite",) and issubclass(model.cls, PooledSprite)
            is_owner = is_sprite or model.cls in holder.classes_at(event.path[:1])
            if len(event.path) > 1 and is_owner:
                yield event._replace(path=event.path[1:])


def _undoes(event: Event, change: Event) -> bool:
    """Return whether an event of a hook makes up for a change."""
    is_whole = event.verb in {"set", "deleted", "clear()", "update()"} and not event.path[1:]
    is_replaced = change.verb == "set" and not change.path[1:]  # a part of what was is no reset
    is_same = event.path[:1] == change.path[:1] and (is_whole or not is_replaced)
    return (is_same or not event.path) and _IS_RESET.fullmatch(event.verb) is not None


# -- methods that no pool calls ---------------------------------------------------------------

_LIKE_A_HOOK = re.compile(r"^(?:on_|do_)?(spawn|despawn|destroy|awake)(?:ed|n)?$")


def _misnamed_hooks(model: ClassModel) -> Iterator[UnplayedLeak]:
    """Yield methods that look like a hook but aren't, and a `kill` that not all ends call."""
    if not issubclass(model.cls, IPoolableComponent):
        return
    for method in model.methods:
        if method.node is None or model.keeps((method.name,)):
            continue
        name, line = method.name, method.node.lineno
        hook = _LIKE_A_HOOK.sub(r"\1ed", name).replace("awakeed", "awake")
        is_called = f".{name}(" in "".join(source_of(method.file).lines)
        if hook not in model.by_name and not is_called:
            problem = f"is called by no pool: the hook is named {hook}"
            yield _leak(method, name, line, problem, f"rename it to {hook}")
        elif name == "kill" and issubclass(model.cls, PooledSprite) and method.node.body[1:]:
            problem = "is overridden, but despawn_all, reset and recycling don't call it"
            yield _leak(method, name, line, problem, "move what it does into despawned")


# -- in words ---------------------------------------------------------------------------------


def _described_leak(model: ClassModel, event: Event, resets: list[Event]) -> UnplayedLeak:
    method, line, moment = event.method, event.node.lineno, _moment_in(event)
    attribute = ".".join(event.path).replace(".[]", "")
    if moment:
        problem = f"is the same in all lives: {method.name}() takes it from {moment}() once"
        return _leak(method, attribute, line, problem, "move it to spawned")
    did = f"changed by {event.verb}" if event.verb.endswith("()") else event.verb
    did = "filled" if event.path[-1] == "[]" != event.verb else did
    but = "reset in neither spawned nor despawned"
    if resets:
        but = f"reset only under a condition (line {resets[0].node.lineno})"
    hint = f"in spawned: self.{attribute} = {_first_value(model, attribute)}"
    if _is_body(model.classes_at(event.path[:1])):
        hint = "attach a ResetPooledBodyComponent()"
    return _leak(method, attribute, line, f"is {did} in {method.name}(), but {but}", hint)


def _first_value(model: ClassModel, name: str) -> str:
    """Return what the constructor assigns, if `spawned` could assign it, too."""
    value: Any = getattr(model.cls, name, ...)
    for event in model.events:
        if event.method.name in BEFORE_LIVES and event.path == (name,) and event.verb == "set":
            local = {*event.method.function.__code__.co_varnames} - {"self"}
            code: Any = getattr(event.node, "value", None)
            is_one = not isinstance(getattr(event.node, "targets", [None])[0], ast.Tuple)
            return ast.unparse(code) if code and is_one and not local & _names_in(code) else "..."
    return repr(value) if type(value) in {int, float, bool, str, list, type(None)} else "..."


def _leak(method: Method, attribute: str, line: int, problem: str, hint: str) -> UnplayedLeak:
    owner = method.owner.__name__
    problem, hint = f"{owner}.{attribute} {problem}", f"hint: {hint}, or say # poolkit: kept"
    return UnplayedLeak(method.file, line, owner, attribute, problem, hint)
