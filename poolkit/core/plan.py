"""`HookPlan`: how the hooks of a kind of instance are called, in functions that are written once.

For each set of names of spawn data, the plan writes the source of a function that restores the
fields and calls the `spawned` hooks with what they name, as you would by hand. Who gets what is
worked out then, and never during a spawn. The source shows up in tracebacks.
"""

from __future__ import annotations

import copy
import linecache
import traceback
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from poolkit.core.errors import PrefabError, collected, did_you_mean
from poolkit.core.fields import FieldPlace, copy_for_life, copy_given, field_at, fields_of
from poolkit.core.hooks import SPAWN_OPTIONS, Hook, find_hooks, get_hooks
from poolkit.core.life_extras import LifeExtras
from poolkit.core.saving import never_saved
from poolkit.core.states import SPAWNING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poolkit.core.errors import ErrorCollector, Errors
    from poolkit.core.hooks import Components

BUILT_IN_DATA: Final = ("position", "rotation", "parent")
"""What a `spawned` hook may name besides the game's own data."""

OPTIONS: Final = SPAWN_OPTIONS | {"parent"}
"""The options of a spawn that aren't data."""

PREPARED: Final = frozenset({"groups", "parent"})
"""The options that are looked at before anything is taken or made for the life."""

_NOTHING: Final = object()
_MOST_CALLS = 64  # sets of names that a plan remembers


Begin = Callable[..., None]
"""Begins a life with data of certain names: lets the instance enter, and runs the hooks.

It takes ``(record, options, x, y, rotation)``.
"""


Kind = tuple[type, tuple[Any, ...], int]
"""The class of a component, the hooks of that, and the component's order."""


class Entering:
    """How a kind of instances enters play, as source for the function that begins their lives.

    Attributes:
        source: It may use `record`, `x`, `y` and `rotation`.
        names: What else it uses.
        is_safe: Whether it runs none of the game's code, so that the life still lasts after it.
        end: What runs after the hooks.
    """

    __slots__ = ("end", "is_safe", "names", "source")

    def __init__(
        self, source: str, names: dict[str, Any], *, is_safe: bool = False, end: str = ""
    ) -> None:
        self.source: str = source
        self.names: dict[str, Any] = names
        self.is_safe: bool = is_safe
        self.end: str = end


BY_METHOD = Entering("record.enter(x, y, rotation)", {})
"""Instances that `Record.enter` puts into play."""
_IN_PLACE = Entering("record.enter_in_place()", {})


@never_saved
class HookPlan:
    """The hooks of all instances of a kind, in calling order.

    Attributes:
        begins: What a spawn with options of these names calls. Filled when one first spawns so.
        begins_prepared: The same for lives whose `LifeExtras` are made before, because of the
            options in `PREPARED`, or because there is more to each life of the pool.
        run_despawned: Runs the `despawned` hooks of ``(record, components, reason)``, and returns
            what they raised, or `None`. `None`: there are no such hooks.
    """

    __slots__ = (
        *("awake", "begins", "begins_prepared", "declared", "despawned", "destroyed"),
        *("entering", "fields", "in_order", "kinds", "run_despawned", "spawned", "_by_fields"),
    )

    def __init__(self, components: Components = (), entering: Entering = BY_METHOD) -> None:
        self.entering = entering
        self.kinds: tuple[Kind, ...] = _kinds_of(components)
        orders = [order for _, _, order in self.kinds]
        # Sorts components from attachment into spawning order, which all below rely on.
        order = sorted(range(len(orders)), key=orders.__getitem__)
        self.in_order: Callable[[Components], Components] = _pick(order)
        self.declared: tuple[tuple[int, str, Any], ...] = tuple(
            [
                (order.index(place), name, default)
                for place, component in enumerate(components)
                for name, default in fields_of(type(component)).items()
            ]
        )
        components = self.in_order(components)
        for place, name, _ in self.declared:
            if name in OPTIONS or name in BUILT_IN_DATA:
                cls = type(components[place]).__name__
                message = (
                    f"{cls} declares a field {name!r}, which is an option of spawn(), so no spawn "
                    f"could give it: give it another name, or declare it as {name}: ClassVar"
                )
                raise PrefabError(message)
        self.fields: tuple[FieldPlace, ...] = ()
        self._by_fields: dict[tuple[FieldPlace, ...], HookPlan] = {}
        self.awake: tuple[Hook, ...] = find_hooks("awake", components)
        self.spawned: tuple[Hook, ...] = find_hooks("spawned", components)
        self.destroyed: tuple[Hook, ...] = find_hooks("destroyed", components)[::-1]
        self.begins: dict[tuple[str, ...], Begin] = {}
        self.begins_prepared: dict[tuple[str, ...], Begin] = {}
        self.despawned: tuple[Hook, ...] = find_hooks("despawned", components)[::-1]
        for hook in self.despawned:
            if {*hook.required} - {"reason"}:
                message = (
                    f"{hook.label} requires {', '.join(hook.required)}, "
                    "but despawned hooks only get reason"
                )
                raise PrefabError(message)
        self.run_despawned: Callable[..., Errors] | None = (
            _write(_despawned_source(self.despawned), self.despawned) if self.despawned else None
        )

    def is_for(self, components: Components, entering: Entering) -> bool:
        """Return whether it is the plan for components in order of attachment."""
        kinds = self.kinds
        if len(components) != len(kinds) or self.entering is not entering:
            return False
        for component, (cls, hooks, order) in zip(components, kinds):  # noqa: B905 - see above
            if type(component) is not cls or component.execution_order != order:
                return False
            if get_hooks(cls) != hooks:
                return False
        return True

    def take_fields(
        self, components: Components, known: Mapping[tuple[int, str], Any]
    ) -> tuple[HookPlan, tuple[Any, ...]]:
        """Return the plan for the fields of an instance, and what its constructors left in them.

        Args:
            components: In spawning order.
            known: Values that were noted before, by the component's id and the field's name.
        """
        if not self.declared:
            return self, ()
        places: list[FieldPlace] = []
        values: list[Any] = []
        for place, name, default in self.declared:
            component = components[place]
            value = known.get((id(component), name), _NOTHING)
            if value is _NOTHING:
                value = copy_for_life(getattr(component, name, default))
            places.append(field_at(place, name, value))
            values.append(value)
        fields = tuple(places)
        plan = self._by_fields.get(fields)
        if plan is None:  # how a value is copied depends on its type, so plans may differ
            plan = self._by_fields[fields] = copy.copy(self)
            plan.fields, plan.begins, plan.begins_prepared = fields, {}, {}
        return plan, tuple(values)

    @property
    def field_names(self) -> list[str]:
        """The names of the fields that a spawn may give."""
        return [field.name for field in self.fields if not field.name.startswith("_")]

    def begin_for(
        self, names: tuple[str, ...], label: str, *, is_prepared: bool | None = None
    ) -> Begin:
        """Return what begins a life with options of these names, after checking them.

        Raises:
            TypeError: No hook and no field has one of the names, or a hook requires another.
        """
        # Apart, so that a spawn that finds its names among the others has nothing to prepare.
        if is_prepared is None:
            is_prepared = not PREPARED.isdisjoint(names)
        begins = self.begins_prepared if is_prepared else self.begins
        begin = begins.get(names)
        if begin is None:
            if len(begins) >= _MOST_CALLS:  # each order of the same names counts
                del begins[next(iter(begins))]
            begin = self._write_begin(names, label, self.entering, is_prepared=is_prepared)
            begins[names] = begin
        return begin

    def begin_in_place(self, names: tuple[str, ...], label: str) -> Begin:
        """Return what begins the life of an adopted instance, which is in play already."""
        return self._write_begin(names, label, _IN_PLACE, is_prepared=True)

    def _write_begin(
        self, names: tuple[str, ...], label: str, entering: Entering, *, is_prepared: bool
    ) -> Begin:
        self.check(tuple([name for name in names if name not in SPAWN_OPTIONS]), label)
        source = _begin_source(self, names, entering, is_prepared=is_prepared)
        begin: Begin = _write(source, self.spawned, entering)
        return begin

    def check(self, names: tuple[str, ...], label: str) -> None:
        """Refuse data of names that no hook and no field takes; or that lack a required one."""
        fields = {*self.field_names}
        accepted = fields.union(*(hook.accepted for hook in self.spawned))
        takes_any = any(hook.takes_any for hook in self.spawned)
        for name in () if takes_any else names:
            if name not in accepted and name != "parent":
                raise TypeError(_unknown(name, label, sorted(accepted.difference(BUILT_IN_DATA))))
        for hook in self.spawned:
            for name in hook.required:
                if not (name in names or name in BUILT_IN_DATA or self._field(name) is not None):
                    message = f"spawning {label} needs {name}=...: {hook.label} requires it"
                    raise TypeError(message)

    def arguments_of(self, hook: Hook, names: tuple[str, ...]) -> list[str]:
        """Return what a `spawned` hook is called with, by position as far as that goes."""
        built_in = {
            "position": "(x, y)",
            "rotation": "rotation",
            "parent": "data['parent']" if "parent" in names else "None",
        }
        values: dict[str, str] = {}
        for name in names:
            if name not in built_in and (hook.takes_any or name in hook.accepted):
                values[name] = f"data[{name!r}]"
        for name in sorted(hook.accepted):
            place = self._field(name, hook.place)
            if name in built_in:
                values[name] = built_in[name]
            elif place is not None and not (name in names and name.startswith("_")):
                field = self.fields[place]
                # A default of the hook's own comes before a field of another component.
                if name in names or name in hook.required or field.place == hook.place:
                    values[name] = f"c{field.place}.{name}"  # set just before
        arguments = []
        for name in hook.positional:
            if name not in values:
                break
            arguments.append(values.pop(name))
        plain = [f"{name}={value}" for name, value in values.items() if name in hook.accepted]
        rest = [f"{name!r}: {value}" for name, value in values.items() if name not in hook.accepted]
        return [*arguments, *plain, *([f"**{{{', '.join(rest)}}}"] if rest else [])]

    def failed_hook(self, started: int, error: BaseException) -> Hook | None:
        """Return the `spawned` hook that raised, of the component that was started last."""
        hooks = [hook for hook in self.spawned if hook.place == started - 1]
        frames = traceback.walk_tb(error.__traceback__) if len(hooks) > 1 else ()
        names = {frame.f_code.co_qualname for frame, _ in frames}
        raised = [hook for hook in hooks if hook.label in names]
        return next(reversed(raised or hooks), None)

    def _field(self, name: str, component: int | None = None) -> int | None:
        """Return the place of a field of that name among the values of all fields.

        Of several, that of the component, else the first.
        """
        places = [place for place, field in enumerate(self.fields) if field.name == name]
        mine = [place for place in places if self.fields[place].place == component]
        return next(iter(mine or places), None)


def plan_of(
    components: Components, plans: dict[Any, HookPlan], entering: Entering = BY_METHOD
) -> HookPlan:
    """Return the plan for components in order of attachment; `plans` has those made before."""
    key = _kinds_of(components), entering
    plan = plans.get(key)
    if plan is None:
        plan = plans[key] = HookPlan(components, entering)
    return plan


def _kinds_of(components: Components) -> tuple[Kind, ...]:
    # Not the classes alone: a test may replace a method.
    return tuple([(type(one), get_hooks(type(one)), one.execution_order) for one in components])


def _pick(indices: Sequence[int]) -> Callable[[Components], Components]:
    """Return a fast function that picks the items at some places of a tuple, as a tuple."""
    if list(indices) == list(range(len(indices))):
        return tuple  # of a tuple, the same one
    return itemgetter(*indices)


_OPTIONS_MEANT = dict.fromkeys(("pos", "xy", "at"), "position") | {"angle": "rotation"}
"""What other libraries call the place and the rotation of a spawn."""


def _unknown(name: str, label: str, known: list[str]) -> str:
    how = (
        "name its data as parameters, as in def spawned(self, velocity), or declare a field, "
        "in an IPoolableComponent"
    )
    named = f"they name {', '.join(known)}" if known else f"they name none: {how}"
    meant = _OPTIONS_MEANT.get(name)
    guess = f"did you mean {meant!r}?" if meant else did_you_mean(name, known)
    return f"no spawned hook or field of {label} names {name!r} ({named}){guess and '; ' + guess}"


# -- written functions ------------------------------------------------------------------------


def _begin_source(
    plan: HookPlan, names: tuple[str, ...], entering: Entering, *, is_prepared: bool
) -> str:
    """Return the source of the function that begins a life with options of these names."""
    enter, end = entering.source.splitlines(), entering.end.splitlines()
    data = tuple([name for name in names if name not in SPAWN_OPTIONS])
    hooks, is_safe = _lines_of_hooks(plan, data), entering.is_safe
    if is_prepared:
        is_safe = False  # groups of the game's own may do something
        enter += _lines_of_joining(names)
    # A hook that is sure to run says by itself that it is the first.
    lines = [] if is_safe and plan.spawned and not plan.fields else ["record.started = 0"]
    lines += _lines_of_options(names, is_prepared=is_prepared) + enter
    if hooks and not is_safe:
        lines += ["if record.state is not SPAWNING:", "    return"]
    if hooks or not is_safe:  # else nothing has attached a component
        hooks += end
    return _source("begin(record, data, x, y, rotation)", [*lines, *hooks])


def _lines_of_options(names: tuple[str, ...], *, is_prepared: bool) -> list[str]:
    """Return the lines that note the options of a life."""
    options = [name for name in ("persistent", "reclaimable") if name in names]
    lines = [f"extras.{name} = data[{name!r}]" for name in options]
    if is_prepared:
        return ["extras = record.extras", *lines]
    return ["extras = record.extras = LifeExtras()", *lines] if options else []


def _lines_of_joining(names: tuple[str, ...]) -> list[str]:
    """Return the lines by which an instance in play joins its groups, and hangs on its parent."""
    lines = [
        "groups = extras.groups",
        "if groups and record.state is SPAWNING:",
        # Whoever counts references to a group learns if the game still holds it.
        "    extras.groups = ()",
        "    record.join(groups)",
    ]
    if "parent" in names:
        lines += [
            "if extras.parent is not None and record.state is SPAWNING:",
            "    record.set_parent(extras.parent, data['parent'])",
        ]
    return lines


def _lines_of_hooks(plan: HookPlan, names: tuple[str, ...]) -> list[str]:
    """Return the lines that restore the fields and run the `spawned` hooks."""
    if len(plan.spawned) == 1 and not plan.fields:
        [hook] = plan.spawned
        arguments = ", ".join(plan.arguments_of(hook, names))
        call = _called(hook, 0, "spawned", f"record.components[{hook.place}]")
        if not call.endswith(")("):
            return [f"record.started = {hook.place + 1}", f"{call}{arguments})"]
    taken = _taken({hook.place for hook in plan.spawned} | {field.place for field in plan.fields})
    lines = ["components = record.components", *taken] if taken else []
    if plan.fields:
        lines.append("fields = record.fields")
    for place, (index, name, copied, is_simple) in enumerate(plan.fields):
        value = copied.format(f"fields[{place}]")
        if name in names and not name.startswith("_"):
            value = f"data[{name!r}]"
            # Lives that one call begins don't share a list, and the game keeps its own.
            if not is_simple:
                value = f"copy_given({value}, fields[{place}])"
        lines.append(f"c{index}.{name} = {value}")
    for turn, hook in enumerate(plan.spawned):
        call = f"{_called(hook, turn, 'spawned')}{', '.join(plan.arguments_of(hook, names))})"
        lines += ["if record.state is not SPAWNING:", "    return"] if turn else []
        lines.append(f"record.started = {hook.place + 1}")
        lines += _unless_removed(turn, f"record.restart(components, {hook.place + 1})", [call])
    return lines


def _despawned_source(hooks: tuple[Hook, ...]) -> str:
    """Return the source of the function that runs `despawned` hooks, all of them in any case."""
    lines = [*_taken({hook.place for hook in hooks}), "errors = None"]
    for turn, hook in enumerate(hooks):
        if "reason" not in hook.accepted:
            argument = ""
        else:
            argument = "reason" if hook.positional[:1] == ("reason",) else "reason=reason"
        call = [
            "try:",
            f"    {_called(hook, turn, 'despawned')}{argument})",
            "except BaseException as error:",
            f"    errors = note(errors, error, hooks[{turn}], record)",
        ]
        lines += _unless_removed(turn, f"record.has_component(c{hook.place})", call)
    lines.append("return errors")
    return _source("despawned(record, components, reason)", lines)


def _unless_removed(turn: int, test: str, lines: list[str]) -> list[str]:
    """Return lines that run unless a hook before them has removed their component."""
    if not turn:
        return lines
    return [f"if record.components is components or {test}:", *_indented(lines)]


def _called(hook: Hook, turn: int, name: str, component: str = "") -> str:
    """Return how the call of a hook begins."""
    component = component or f"c{hook.place}"
    if hook.function is None:
        return f"{component}.{name}("
    if isinstance(hook.function, FunctionType):  # a mixin's
        return f"hooks[{turn}].function({component}, "
    return f"hooks[{turn}].bind({name!r}, components)("


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _taken(indices: Iterable[int]) -> list[str]:
    """Return the lines that take these components."""
    return [f"c{index} = components[{index}]" for index in sorted(indices)]


def _source(head: str, lines: list[str]) -> str:
    return "\n".join([f"def {head}:", *_indented(lines), ""])


def _write(source: str, hooks: tuple[Hook, ...], entering: Entering = BY_METHOD) -> Any:
    """Return the function of that source, bound to these hooks."""
    names = {"hooks": hooks, "note": _note_error, "SPAWNING": SPAWNING}
    names |= {
        "LifeExtras": LifeExtras,
        "copy_for_life": copy_for_life,
        "copy_given": copy_given,
        **entering.names,
    }
    # A copy for each plan: CPython notes in the code itself which classes it has met there, and
    # lives of eight classes in turn would spoil these notes for each other.
    return FunctionType(_compiled(source).replace(), names)


def write_function(head: str, source: str, names: dict[str, Any]) -> Any:
    """Return a function written with parts of the source of an `Entering`."""
    return FunctionType(_compiled(_source(head, source.splitlines())), names)


WRITTEN = "<written by poolkit"
"""How the file names of written functions begin."""
_num_written = 0
_MOST_WRITTEN = 1024  # sources that are remembered


@lru_cache(maxsize=_MOST_WRITTEN)
def _compiled(source: str) -> CodeType:
    """Compile a function once for all kinds of instances that look alike."""
    global _num_written  # noqa: PLW0603 - each source has a name of its own in tracebacks
    _num_written += 1
    # A game may invent names of data for ever, so what is forgotten leaves its name to another.
    name = f"{WRITTEN} {_num_written % _MOST_WRITTEN}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    module = compile(source, name, "exec")
    return next(one for one in module.co_consts if isinstance(one, CodeType))


def _note_error(errors: Errors, error: BaseException, hook: Hook, record: Any) -> ErrorCollector:
    """Add what a `despawned` hook has raised."""
    return collected(errors, error, f"in {hook.label} of {record.label}")


NO_PLAN = HookPlan()
"""The plan of every record that is new or gone."""
