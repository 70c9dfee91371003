"""Notes what objects hold, and puts it back in place: save plans, one for each class.

A plan is a function that is chosen, or written, when the first object of a class is met. It notes
the state of some objects of that class at once, and names those that are to be noted next.
"""

from __future__ import annotations

import array
import contextlib
import copy
import enum
import functools
import io
import itertools
import operator
import random
import sys
import types
import weakref
from _thread import LockType, RLock
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.clock import Clock
from poolkit.core.context import SystemContext
from poolkit.core.errors import PoolError
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.object_pool import ObjectPool
from poolkit.core.pool import Pool
from poolkit.core.record import Record
from poolkit.core.saving import followed, shared, unsaved
from poolkit.core.scope import Routine
from poolkit.core.states import ACTIVE
from poolkit.sprites.components import PlayHandler
from poolkit.sprites.saving import note_sprites
from poolkit.sprites.sprite import PooledSprite, record_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

Note = tuple[Callable[[Any, Any], object], list[Any], Any]
"""A function that puts values back, what it puts them into, and the values."""


class CheckpointError(PoolError):
    """Something can't be kept by a checkpoint, or put back; its message says what, and whose."""


class UnsavableError(Exception):
    """An object can't be put back; its holder isn't known yet."""

    def __init__(self, thing: object, what: str) -> None:
        super().__init__(what)
        self.thing = thing
        self.what = what


class Walk:
    """One walk over all that is to be noted.

    Attributes:
        notes: What was noted, in order.
        routines: The coroutines of scopes, each with what tells whether it has run on.
        clocks: The clocks, each with what scopes have open there.
        pools: The pools of objects that were met.
        play_handlers: What enters play with sprites, such as their bodies.
        waiting: What is to be noted next, by its id.
        holders: What holds each object, by the object's id; `None`: nobody asks.
    """

    def __init__(self, context: SystemContext, *, finds_holders: bool = False) -> None:
        self.context = context
        self.notes: list[Note] = []
        self.routines: list[tuple[Routine, tuple[object, object]]] = []
        self.clocks: list[tuple[Clock, list[Any]]] = []
        self.pools: list[ObjectPool[Any]] = []
        self.play_handlers: list[PlayHandler] = []
        self.waiting: dict[int, Any] = {}
        self.holders: dict[int, Any] | None = {} if finds_holders else None
        self._seen: dict[int, Any] = {}  # keeps them alive, so that no id is used again

    def note_alone(self, *roots: Any) -> None:
        """Note pools, records, contexts or parts of bodies, which are only noted by name."""
        for cls, things in _by_class(roots).items():
            if cls not in _plans_of_roots:
                _plans_of_roots[cls] = _attributes_plan(cls)
            plan = _plans_of_roots[cls]
            if plan is not None:
                plan(things, self)

    def note_lives(self, instances: list[Any]) -> None:
        """Note instances that are alive."""
        self._seen.update(zip(map(id, instances), instances, strict=True))
        for cls, things in _by_class(instances).items():
            if cls not in _plans_of_lives:
                is_sprite = issubclass(cls, PooledSprite)
                _plans_of_lives[cls] = _attributes_plan(cls) if is_sprite else plan_of(cls)
            plan = _plans_of_lives[cls]
            if plan is not None:
                self._note(plan, things)

    def keep(self, things: Iterable[object]) -> None:
        """Have objects noted that the game names, whatever library they come from."""
        for thing in things:
            cls = type(thing)
            plan = plan_of(cls) or _attributes_plan(cls)
            is_shared = not shared.isdisjoint(cls.__mro__)
            if cls in leaves and plan is not None and not is_shared and id(thing) not in self._seen:
                self._seen[id(thing)] = thing
                self._note(plan, [thing])
            else:
                self.waiting[id(thing)] = thing

    def path_to(self, thing: Any) -> str:
        """Return where an object was met, as ``orc #0007.path``; holders must have been asked."""
        steps, holders = "", self.holders or {}
        while (holder := holders.get(id(thing))) is not None:
            record = self.context.records.get(id(thing))
            if record is not None:
                return f"{record.label}{steps}"
            state = getattr(holder, "__dict__", {})
            name = next((name for name, value in state.items() if value is thing), None)
            steps = f".{name}{steps}" if name is not None else steps
            thing = holder
        record = self.context.records.get(id(thing))
        return f"{type(thing).__name__ if record is None else record.label}{steps}"

    def run(self) -> None:
        """Note all that waits, and all that it holds.

        Raises:
            UnsavableError: Something can't be put back.
        """
        seen, records = self._seen, self.context.records
        while self.waiting:
            fresh, self.waiting = self.waiting, {}
            for key in fresh.keys() & seen.keys():
                del fresh[key]
            seen.update(fresh)
            for key in fresh.keys() & records.keys():
                if records[key].state is not ACTIVE:
                    del fresh[key]  # it rests: its next life begins as good as new
            for cls, things in _by_class(fresh.values()).items():
                plan = _plans[cls] if cls in _plans else plan_of(cls)
                if plan is not None:
                    self._note(plan, things)

    def _note(self, plan: Plan, things: list[Any]) -> None:
        if self.holders is None:
            plan(things, self)
            return
        for thing in things:
            waiting, self.waiting = self.waiting, {}
            plan([thing], self)
            for key in self.waiting:
                self.holders.setdefault(key, thing)
            self.waiting |= waiting

    def follow(self, values: Collection[Any]) -> None:
        """Have values noted next, as far as they can change or hold what can.

        Thousands of one class, or that were all met before, are told at the speed of C.
        """
        kinds = set(map(type, values))
        if kinds <= leaves or all(map(self._seen.__contains__, map(id, values))):
            return
        if not kinds.isdisjoint(leaves):
            values = [value for value in values if type(value) not in leaves]
        self.waiting.update(zip(map(id, values), values, strict=True))


def share_notes(notes: list[Note], former: list[Note]) -> None:
    """Replace what is as it was in notes taken before by that: copies, or whole notes."""
    for place, (note, before) in enumerate(zip(notes, former, strict=False)):
        put_back, things, states = note
        if put_back is not before[0] or not _are_same(things, before[1]):
            continue
        for number, (state, was) in enumerate(zip(states, before[2], strict=True)):
            if type(state) is type(was) and _is_same_state(state, was):
                states[number] = was
        notes[place] = before if _are_same(states, before[2]) else (put_back, before[1], states)


def _is_same_state(state: Any, was: Any) -> bool:
    """Return whether two copies hold the same objects; of what holds none, whether it is equal."""
    if type(state) is dict:
        return _are_same(state, was) and _are_same(state.values(), was.values())
    if type(state) is tuple or type(state) is list:
        return _are_same(state, was)
    if type(state) not in _UPDATED:
        return False
    # Not by `==`: to pygame, vectors are equal that are nearly so, and 0.0 equals -0.0.
    numbers, before = [*state], [*was]
    return numbers == before and (0 not in numbers or str(numbers) == str(before))


def _are_same(things: Collection[Any], others: Collection[Any]) -> bool:
    return len(things) == len(others) and all(map(operator.is_, things, others))


def _by_class(things: Collection[Any]) -> dict[type, list[Any]]:
    classes = set(map(type, things))
    if len(classes) == 1:  # as thousands often are
        return {classes.pop(): list(things)}
    by_class: dict[type, list[Any]] = {}
    for thing in things:
        cls = type(thing)
        if cls in by_class:
            by_class[cls].append(thing)
        else:
            by_class[cls] = [thing]
    return by_class


Plan = Callable[[list[Any], Walk], object]
"""Notes some objects of one class."""

_plans: dict[type, Plan | None] = {}
_plans_of_roots: dict[type, Plan | None] = {}
_plans_of_lives: dict[type, Plan | None] = {}
# Of objects that need no note; asked for each value, so that most never wait.
leaves: set[type] = {type(None), bool, int, float, complex, str, bytes, pygame.Surface}


def plan_of(cls: type) -> Plan | None:
    """Return the save plan of a class; `None`: its objects are left as they are."""
    plan = _plans[cls] = _find_plan(cls)
    if plan is None:
        leaves.add(cls)
    return plan


def _find_plan(cls: type) -> Plan | None:
    if issubclass(cls, ObjectPool):
        return lambda pools, walk: walk.pools.extend(pools)
    if not shared.isdisjoint(cls.__mro__) or issubclass(cls, _LEAVES):
        return None
    contents = _contents_plan(cls)
    attributes = _attributes_plan(cls) if contents is None or _is_of_game(cls) else None
    if attributes is not None and issubclass(cls, PooledSprite):
        attributes = _plan_of_ours(attributes)
    if contents is None and not (attributes is not None and _is_looked_into(cls)):
        return None
    return _both(contents, attributes) if contents and attributes else contents or attributes


def _contents_plan(cls: type) -> Plan | None:
    """Return the plan for what an object holds besides its attributes; some refuse it."""
    for kind, what in _REFUSED.items():
        if issubclass(cls, kind):
            return functools.partial(_refuse, what)
    if issubclass(cls, Iterator) and cls.__module__ in {"builtins", "itertools"}:
        return functools.partial(_refuse, "an iterator")
    return next((plan for kind, plan in _contents().items() if issubclass(cls, kind)), None)


def _both(first: Plan, second: Plan) -> Plan:
    def note(things: list[Any], walk: Walk) -> None:
        first(things, walk)
        second(things, walk)

    return note


# -- which objects are looked into ------------------------------------------------------------

_LEAVES = (
    *(int, float, complex, str, bytes, range, slice, type, enum.Enum, types.ModuleType),
    *(types.BuiltinFunctionType, types.CodeType, weakref.ReferenceType, pygame.Surface),
    *(Pool, Record, SystemContext),  # each system is kept by a checkpoint of its own
)

_LIBRARIES = {"pygame", "pymunk", "numpy", "_pytest", "pytest"}
_OTHER_ROOMS = ("poolkit.devtools", "poolkit.content", "poolkit.checkpoints")


def _is_looked_into(cls: type) -> bool:
    """Return whether the objects of a class belong to the game or to poolkit.

    Other libraries' objects, and the standard library's, are left as they are.
    """
    kinds = (pygame.sprite.Sprite, pygame.sprite.AbstractGroup, IPoolableComponent)
    return _is_of_game(cls) or issubclass(cls, (*kinds, types.SimpleNamespace))


_HEAP_TYPE = 1 << 9  # a flag of classes that a program has made


def _is_of_game(cls: type) -> bool:
    if cls.__module__ == "builtins":  # as of classes in code that is run by `exec`
        return bool(cls.__flags__ & _HEAP_TYPE)
    return _is_module_of_game(cls.__module__)


@functools.cache
def _is_module_of_game(name: str) -> bool:
    package = name.partition(".")[0]
    if name.startswith(_OTHER_ROOMS) or package in _LIBRARIES:
        return False
    if package in sys.stdlib_module_names and package != "__main__":
        return False
    file = getattr(sys.modules.get(package), "__file__", None) or ""
    is_installed = "site-packages" in file or "dist-packages" in file
    return package == "poolkit" or not is_installed


# -- attributes -------------------------------------------------------------------------------

_MISSING: Any = object()
_FEW = 32
_chained = itertools.chain.from_iterable


def _attributes_plan(cls: type) -> Plan | None:
    """Return the plan for the slots and attributes of a class; `None` if it has neither."""
    skipped = _named_by(unsaved, cls)
    slots = _slots_of(cls, skipped)
    # A game's `__setattr__` or property in the place of a slot isn't called.
    setattr_of_cls: Any = cls.__setattr__
    is_direct = setattr_of_cls is object.__setattr__ and all(
        getattr(cls, name, None) is slot for name, slot in slots.items()
    )
    plans = []
    if slots:
        names = _named_by(followed, cls) & slots.keys() or slots.keys()
        slots = {name: slots[name] for name in sorted(slots, key=lambda name: name not in names)}
        plan = _written_plan if is_direct else _slots_plan
        plans.append(plan(slots, len(names)))
    if cls.__dictoffset__:
        skipped -= _slots_of(cls, frozenset()).keys()
        plans.append(_dict_plan(skipped) if skipped else _note_dicts)
    if issubclass(cls, PooledSprite):
        plans.append(note_sprites)
    return functools.reduce(_both, plans) if plans else None


def _named_by(names: dict[type, frozenset[str]], cls: type) -> frozenset[str]:
    return frozenset[str]().union(*(names.get(base, ()) for base in cls.__mro__))


def _slots_of(cls: type, skipped: frozenset[str]) -> dict[str, Any]:
    slots: dict[str, Any] = {}
    for base in cls.__mro__:
        for name, member in vars(base).items():
            is_slot = isinstance(member, types.MemberDescriptorType) and name != "__dict__"
            if is_slot and name not in skipped:
                slots.setdefault(name, member)
    return slots


def _plan_of_ours(plan: Plan) -> Plan:
    """Return a plan of sprites that leaves those of other systems, and those that rest."""

    def note(sprites: list[Any], walk: Walk) -> None:
        ours = []
        for sprite in sprites:
            record = record_of(sprite)
            if record is None or (record.state is ACTIVE and record.context is walk.context):
                ours.append(sprite)
        if ours:
            plan(ours, walk)

    return note


def _note_dicts(things: list[Any], walk: Walk) -> None:
    states = [thing.__dict__.copy() for thing in things]
    walk.notes.append((_put_back_dicts, things, states))
    # Their values are of many classes.
    walk.follow([value for s in states for value in s.values() if type(value) not in leaves])


def _put_back_dicts(things: list[Any], states: list[dict[str, Any]]) -> None:
    for thing, state in zip(things, states, strict=True):
        attributes = thing.__dict__
        attributes.update(state)
        if len(attributes) != len(state):
            for name in attributes.keys() - state.keys():
                del attributes[name]


def _dict_plan(skipped: frozenset[str]) -> Plan:
    def note(things: list[Any], walk: Walk) -> None:
        states = [
            {name: value for name, value in thing.__dict__.items() if name not in skipped}
            for thing in things
        ]
        walk.notes.append((put_back, things, states))
        walk.follow([*_chained(map(dict.values, states))])

    def put_back(things: list[Any], states: list[dict[str, Any]]) -> None:
        for thing, state in zip(things, states, strict=True):
            attributes = thing.__dict__
            for name in attributes.keys() - state.keys() - skipped:
                del attributes[name]
            attributes.update(state)

    return note


def _written_plan(slots: dict[str, Any], num_followed: int) -> Plan:
    """Write the functions for these slots: half the time of loops over their names."""
    reads = [f"thing.{name}" for name in slots]
    values, leading = ", ".join(reads), ", ".join(reads[:num_followed])
    # Only poolkit's classes name what to look into, and what they have is false if it is empty.
    is_ours = num_followed < len(slots)
    if_any = f" if {' or '.join(reads[:num_followed])}" if is_ours else ""
    source = (
        f"def get(things):\n    return [({values},) for thing in things]\n\n"
        "def put_back(things, states):\n    for thing, state in zip(things, states):\n"
        f"        {values}, = state\n\n"
        f"def lead_on(things):\n    return [value for thing in things{if_any}"
        f" for value in ({leading},){' if value' * is_ours}]\n"
    )
    functions: dict[str, Any] = {}
    exec(source, functions)  # noqa: S102 - of names of slots alone
    get, put_back, lead_on = functions["get"], functions["put_back"], functions["lead_on"]
    careful = _slots_plan(slots, num_followed)

    def note(things: list[Any], walk: Walk) -> None:
        try:
            states = get(things)
        except AttributeError:  # a slot is empty
            careful(things, walk)
            return
        walk.notes.append((put_back, things, states))
        walk.follow(lead_on(things))

    return note


def _slots_plan(slots: dict[str, Any], num_followed: int) -> Plan:
    members = list(slots.values())

    def note(things: list[Any], walk: Walk) -> None:
        states = [[_read(member, thing) for member in members] for thing in things]
        walk.notes.append((put_back, things, states))
        walk.follow([*_chained(state[:num_followed] for state in states)])

    def put_back(things: list[Any], states: list[Any]) -> None:
        for thing, state in zip(things, states, strict=True):
            for member, value in zip(members, state, strict=True):
                if value is not _MISSING:
                    member.__set__(thing, value)
                else:
                    with contextlib.suppress(AttributeError):  # it is empty, as it was
                        member.__delete__(thing)

    return note


def _read(member: Any, thing: object) -> Any:
    try:
        return member.__get__(thing)
    except AttributeError:
        return _MISSING


# -- containers, in place ---------------------------------------------------------------------


def _plan_for(
    copy: Callable[[Any], Any],
    put_back: Callable[[Any, Any], object],
    lead_on: Callable[[Any], tuple[Collection[Any], ...]] | None = None,
) -> Plan:
    """Return a plan of copies: what makes one, puts it back, and what of it is noted next.

    `lead_on` returns collections, each mostly of one class: the keys of a dict, and its values.
    """

    def note(things: list[Any], walk: Walk) -> None:
        copies = list(map(copy, things))
        walk.notes.append((put_back_all, things, copies))
        if lead_on is not None:
            for collections in zip(*map(lead_on, copies), strict=True):
                # A few may be large, and each of one class; many are small.
                are_few = len(collections) < _FEW
                for values in collections if are_few else ([*_chained(collections)],):
                    walk.follow(values)

    def put_back_all(things: list[Any], copies: list[Any]) -> None:
        for thing, value in zip(things, copies, strict=True):
            put_back(thing, value)

    return note


def _put_back_list(thing: Any, values: list[Any]) -> None:
    list.__setitem__(thing, slice(None), values)


def _put_back_mapping(thing: Any, copy: dict[Any, Any]) -> None:
    dict.clear(thing)
    dict.update(thing, copy)


def _put_back_ordered(thing: Any, copy: dict[Any, Any]) -> None:
    OrderedDict.clear(thing)
    OrderedDict.update(thing, copy)


def _put_back_set(thing: Any, values: list[Any]) -> None:
    if list(set.__iter__(thing)) != values:  # else even its order is as it was
        set.clear(thing)
        set.update(thing, values)


def _put_back_deque(thing: Any, values: list[Any]) -> None:
    deque.clear(thing)
    deque.extend(thing, values)  # a pool's own kind of queue extends at the other end


def _put_back_weak(thing: Any, values: Any) -> None:
    thing.clear()
    thing.update(values)


def _put_back_buffer(thing: Any, values: Any) -> None:
    thing[:] = values


def _put_back_array(thing: Any, values: Any) -> None:
    if thing.flags.writeable:
        thing[...] = values


def _keys_and_values(copy: dict[Any, Any]) -> tuple[Collection[Any], ...]:
    return copy, copy.values()


def _note_items(things: list[Any], walk: Walk) -> None:
    """Note what values that never change hold."""
    walk.follow([*_chained(things)])


# -- functions --------------------------------------------------------------------------------


def _note_functions(things: list[Any], walk: Walk) -> None:
    walk.follow([cell for thing in things for cell in thing.__closure__ or ()])


def _read_cell(cell: Any) -> tuple[Any, ...]:
    """Return what a cell holds, in a tuple: it is no copy, which an equal object could replace."""
    try:
        return (cell.cell_contents,)
    except ValueError:  # it is empty
        return ()


def _put_back_cell(cell: Any, contents: tuple[Any, ...]) -> None:
    if contents:
        [cell.cell_contents] = contents
    else:
        del cell.cell_contents


def _note_methods(things: list[Any], walk: Walk) -> None:
    walk.follow([part for thing in things for part in (thing.__self__, thing.__func__)])


def _note_partials(things: list[Any], walk: Walk) -> None:
    for thing in things:
        walk.follow((thing.func, *thing.args, *thing.keywords.values()))


# -- what is put back by the checkpoint itself --------------------------------------------------


def _note_clocks(clocks: list[Clock], walk: Walk) -> None:
    walk.clocks += [(clock, list(clock.open)) for clock in clocks]


def _note_play_handlers(handlers: list[PlayHandler], walk: Walk) -> None:
    walk.play_handlers += handlers


def _note_routines(routines: list[Routine], walk: Walk) -> None:
    for routine in routines:
        if not routine.can_begin_again:
            message = (
                f"the coroutine {routine.name} was started from a generator, which nobody can put "
                "back: start the function that returns it, as in scope.start(self.patrol), so that "
                "a restore begins it again"
            )
            raise CheckpointError(message)
        walk.routines.append((routine, routine.moment))


# -- what can't be put back -------------------------------------------------------------------


def _refuse(what: str, things: list[Any], walk: Walk) -> None:
    del walk
    for thing in things:
        frame = getattr(thing, "gi_frame", what)
        if frame is None:  # a generator that is over
            continue
        if isinstance(frame, types.FrameType):
            what = f"{what} ({thing.__qualname__}, {frame.f_code.co_filename}:{frame.f_lineno})"
        raise UnsavableError(thing, what)


_REFUSED: dict[type, str] = {
    types.GeneratorType: "an open generator",
    types.CoroutineType: "a coroutine",
    types.AsyncGeneratorType: "an open generator",
    io.IOBase: "an open file",
    LockType: "a lock",
    RLock: "a lock",
}


def _contents() -> dict[Any, Plan]:
    """Return the plans for what an object holds besides its attributes; numpy's once it is there.

    The more special kinds come first.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return _CONTENTS
    return {**_CONTENTS, numpy.ndarray: _plan_for(numpy.ndarray.copy, _put_back_array)}


def _values(thing: Any) -> tuple[Collection[Any]]:
    return (thing,)


_UPDATED = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
_CONTENTS: dict[Any, Plan] = {
    Routine: _note_routines,
    Clock: _note_clocks,
    PlayHandler: _note_play_handlers,
    OrderedDict: _plan_for(
        lambda thing: dict(OrderedDict.items(thing)), _put_back_ordered, _keys_and_values
    ),
    dict: _plan_for(dict.copy, _put_back_mapping, _keys_and_values),
    list: _plan_for(list.copy, _put_back_list, _values),
    set: _plan_for(lambda thing: list(set.__iter__(thing)), _put_back_set, _values),
    deque: _plan_for(lambda thing: list(deque.__iter__(thing)), _put_back_deque, _values),
    tuple: _note_items,
    frozenset: _note_items,
    bytearray: _plan_for(bytes, _put_back_buffer),
    array.array: _plan_for(copy.copy, _put_back_buffer),
    weakref.WeakKeyDictionary: _plan_for(dict, _put_back_weak, _keys_and_values),
    weakref.WeakValueDictionary: _plan_for(dict, _put_back_weak, _keys_and_values),
    weakref.WeakSet: _plan_for(list, _put_back_weak, _values),
    random.Random: _plan_for(random.Random.getstate, random.Random.setstate),
    types.FunctionType: _note_functions,
    types.CellType: _plan_for(_read_cell, _put_back_cell, _values),
    types.MethodType: _note_methods,
    functools.partial: _note_partials,
    **{cls: _plan_for(getattr(cls, "copy", cls), cls.update) for cls in _UPDATED},
}
