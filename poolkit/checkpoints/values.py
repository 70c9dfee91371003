"""Notes what objects hold, and puts it back in place: save plans, one for each class.

A plan is a function that is chosen, or written, when the first object of a class is met. It notes
the state of one object, and names the objects that are to be noted next.
"""

from __future__ import annotations

import array
import contextlib
import enum
import functools
import io
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
from poolkit.core.saving import shared, unsaved
from poolkit.core.scope import Routine
from poolkit.sprites.components import PlayHandler
from poolkit.sprites.sprite import PooledSprite, record_of

if TYPE_CHECKING:
    from collections.abc import Iterable

Note = tuple[Callable[[Any, Any], object], Any, Any]
"""A function that puts a value back, what it puts it into, and the value."""


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
        waiting: What is to be noted next.
        holders: What holds each object, by the object's id; `None`: nobody asks.
    """

    def __init__(self, context: SystemContext, *, finds_holders: bool = False) -> None:
        self.context = context
        self.notes: list[Note] = []
        self.routines: list[tuple[Routine, tuple[object, object]]] = []
        self.clocks: list[tuple[Clock, list[Any]]] = []
        self.pools: list[ObjectPool[Any]] = []
        self.play_handlers: list[PlayHandler] = []
        self.waiting: list[Any] = []
        self.holders: dict[int, Any] | None = {} if finds_holders else None
        self._seen: dict[int, Any] = {}  # keeps them alive, so that no id is used again

    def leave_alone(self, things: Iterable[Any]) -> None:
        """Take objects as noted: somebody else puts them back."""
        self._seen.update((id(thing), thing) for thing in things)

    def note_alone(self, thing: Any) -> None:
        """Note a pool, a record or a context, which is only noted by itself."""
        cls = type(thing)
        if cls not in _plans_of_roots:
            _plans_of_roots[cls] = _attributes_plan(cls)
        plan = _plans_of_roots[cls]
        if plan is not None:
            plan(thing, self)

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
        waiting, seen, records = self.waiting, self._seen, self.context.records
        while waiting:
            thing = waiting.pop()
            key = id(thing)
            if key in seen:
                continue
            seen[key] = thing
            record = records.get(key)
            if record is not None and not record.active:
                continue  # it rests: its next life begins as good as new
            cls = type(thing)
            plan = _plans[cls] if cls in _plans else plan_of(cls)
            if plan is None:
                continue
            num_before = len(waiting)
            plan(thing, self)
            if self.holders is not None:
                for held in waiting[num_before:]:
                    self.holders.setdefault(id(held), thing)


Plan = Callable[[Any, Walk], object]

_plans: dict[type, Plan | None] = {}
_plans_of_roots: dict[type, Plan | None] = {}
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
        return lambda pool, walk: walk.pools.append(pool)
    if not shared.isdisjoint(cls.__mro__) or issubclass(cls, _LEAVES):
        return None
    for kind, what in _REFUSED.items():
        if issubclass(cls, kind):
            return functools.partial(_refuse, what)
    if issubclass(cls, Iterator) and cls.__module__ in {"builtins", "itertools"}:
        return functools.partial(_refuse, "an iterator")
    contents = next((plan for kind, plan in _contents().items() if issubclass(cls, kind)), None)
    attributes = _attributes_plan(cls) if contents is None or _is_of_game(cls) else None
    if contents is None and not (attributes is not None and is_looked_into(cls)):
        return None
    return _both(contents, attributes) if contents and attributes else contents or attributes


def _both(first: Plan, second: Plan) -> Plan:
    def note(thing: Any, walk: Walk) -> None:
        first(thing, walk)
        second(thing, walk)

    return note


# -- which objects are looked into ------------------------------------------------------------

_LEAVES = (
    *(int, float, complex, str, bytes, range, slice, type, enum.Enum, types.ModuleType),
    *(types.BuiltinFunctionType, types.CodeType, weakref.ReferenceType, pygame.Surface),
    *(Pool, Record, SystemContext),  # each system is kept by a checkpoint of its own
)

_LIBRARIES = {"pygame", "pymunk", "numpy", "_pytest", "pytest"}
_OTHER_ROOMS = ("poolkit.devtools", "poolkit.content", "poolkit.checkpoints")


def is_looked_into(cls: type) -> bool:
    """Return whether the objects of a class belong to the game or to poolkit.

    Other libraries' objects, and the standard library's, are left as they are.
    """
    kinds = (pygame.sprite.Sprite, pygame.sprite.AbstractGroup, IPoolableComponent)
    return _is_of_game(cls) or issubclass(cls, (*kinds, types.SimpleNamespace))


def _is_of_game(cls: type) -> bool:
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


def _attributes_plan(cls: type) -> Plan | None:
    """Return the plan for the slots and attributes of a class; `None` if it has neither."""
    skipped = frozenset[str]().union(*(unsaved.get(base, ()) for base in cls.__mro__))
    slots = _slots_of(cls, skipped)
    # A game's `__setattr__` or property in the place of a slot isn't called.
    own_setattr: Any = cls.__setattr__
    is_direct = own_setattr is object.__setattr__ and all(
        getattr(cls, name, None) is slot for name, slot in slots.items()
    )
    plans = []
    if slots:
        plans.append(_written_plan([*slots]) if is_direct else _slots_plan(slots))
    if cls.__dictoffset__:
        plans.append(_dict_plan(skipped) if skipped else _note_dict)
    if issubclass(cls, PooledSprite):
        return _sprite_plan(*plans)
    return functools.reduce(_both, plans) if plans else None


def _slots_of(cls: type, skipped: frozenset[str]) -> dict[str, Any]:
    slots: dict[str, Any] = {}
    for base in cls.__mro__:
        for name, member in vars(base).items():
            is_slot = isinstance(member, types.MemberDescriptorType) and name != "__dict__"
            if is_slot and name not in skipped:
                slots.setdefault(name, member)
    return slots


def _sprite_plan(*plans: Plan) -> Plan:
    """Return the plan of sprites, which leaves those of other systems, and those that rest."""

    def note(sprite: Any, walk: Walk) -> None:
        record = record_of(sprite)
        if record is None or (record.context is walk.context and record.active):
            for plan in plans:
                plan(sprite, walk)

    return note


def _note_dict(thing: Any, walk: Walk) -> None:
    state = thing.__dict__.copy()
    walk.notes.append((_put_back_dict, thing, state))
    walk.waiting += [value for value in state.values() if type(value) not in leaves]


def _put_back_dict(thing: Any, state: dict[str, Any]) -> None:
    attributes = thing.__dict__
    attributes.update(state)
    if len(attributes) != len(state):
        for name in [name for name in attributes if name not in state]:
            del attributes[name]


def _dict_plan(skipped: frozenset[str]) -> Plan:
    def note(thing: Any, walk: Walk) -> None:
        state = {key: value for key, value in thing.__dict__.items() if key not in skipped}
        walk.notes.append((put_back, thing, state))
        walk.waiting += [value for value in state.values() if type(value) not in leaves]

    def put_back(thing: Any, state: dict[str, Any]) -> None:
        attributes = thing.__dict__
        for name in [name for name in attributes if name not in state and name not in skipped]:
            del attributes[name]
        attributes.update(state)

    return note


def _written_plan(names: list[str]) -> Plan:
    """Write the two functions for these slots: half the time of a loop over their names."""
    slots = ", ".join(f"thing.{name}" for name in names)
    source = (
        f"def get(thing):\n    return {slots},\n\ndef put_back(thing, values):\n"
        f"    {slots}, = values\n"
    )
    functions: dict[str, Any] = {}
    exec(source, functions)  # noqa: S102 - of names of slots alone
    get, put_back = functions["get"], functions["put_back"]
    careful = _slots_plan({})

    def note(thing: Any, walk: Walk) -> None:
        try:
            values = get(thing)
        except AttributeError:  # a slot is empty
            note_carefully(thing, walk)
            return
        walk.notes.append((put_back, thing, values))
        walk.waiting += [value for value in values if type(value) not in leaves]

    def note_carefully(thing: Any, walk: Walk) -> None:
        nonlocal careful
        careful = _slots_plan({name: getattr(type(thing), name) for name in names})
        careful(thing, walk)

    return note


def _slots_plan(slots: dict[str, Any]) -> Plan:
    members = list(slots.values())

    def note(thing: Any, walk: Walk) -> None:
        values = []
        for member in members:
            try:
                values.append(member.__get__(thing))
            except AttributeError:
                values.append(_MISSING)
        walk.notes.append((put_back, thing, values))
        walk.waiting += [value for value in values if type(value) not in leaves]

    def put_back(thing: Any, values: list[Any]) -> None:
        for member, value in zip(members, values, strict=True):
            if value is not _MISSING:
                member.__set__(thing, value)
            else:
                with contextlib.suppress(AttributeError):  # it is empty, as it was
                    member.__delete__(thing)

    return note


# -- containers, in place ---------------------------------------------------------------------


def _note_list(thing: Any, walk: Walk) -> None:
    walk.notes.append((_put_back_list, thing, list.copy(thing)))
    walk.waiting += [value for value in thing if type(value) not in leaves]


def _put_back_list(thing: Any, values: list[Any]) -> None:
    list.__setitem__(thing, slice(None), values)


def _note_mapping(thing: Any, walk: Walk) -> None:
    copy = dict(dict.items(thing))
    walk.notes.append((_put_back_mapping, thing, copy))
    walk.waiting += [key for key in copy if type(key) not in leaves]
    walk.waiting += [value for value in copy.values() if type(value) not in leaves]


def _put_back_mapping(thing: Any, copy: dict[Any, Any]) -> None:
    dict.clear(thing)
    dict.update(thing, copy)


def _note_ordered(thing: Any, walk: Walk) -> None:
    copy = dict(OrderedDict.items(thing))
    walk.notes.append((_put_back_ordered, thing, copy))
    walk.waiting += [part for pair in copy.items() for part in pair if type(part) not in leaves]


def _put_back_ordered(thing: Any, copy: dict[Any, Any]) -> None:
    OrderedDict.clear(thing)
    OrderedDict.update(thing, copy)


def _note_set(thing: Any, walk: Walk) -> None:
    walk.notes.append((_put_back_set, thing, list(set.__iter__(thing))))
    walk.waiting += [value for value in thing if type(value) not in leaves]


def _put_back_set(thing: Any, values: list[Any]) -> None:
    if list(set.__iter__(thing)) != values:  # else even its order is as it was
        set.clear(thing)
        set.update(thing, values)


def _note_deque(thing: Any, walk: Walk) -> None:
    values = list(deque.__iter__(thing))
    walk.notes.append((_put_back_deque, thing, values))
    walk.waiting += [value for value in values if type(value) not in leaves]


def _put_back_deque(thing: Any, values: list[Any]) -> None:
    deque.clear(thing)
    deque.extend(thing, values)  # a pool's own kind of queue extends at the other end


def _note_weak_mapping(thing: Any, walk: Walk) -> None:
    walk.notes.append((_put_back_weak_mapping, thing, list(thing.items())))
    walk.waiting += [part for pair in thing.items() for part in pair if type(part) not in leaves]


def _put_back_weak_mapping(thing: Any, items: list[tuple[Any, Any]]) -> None:
    thing.clear()
    thing.update(items)


def _note_weak_set(thing: Any, walk: Walk) -> None:
    walk.notes.append((_put_back_weak_set, thing, list(thing)))
    walk.waiting += thing


def _put_back_weak_set(thing: Any, values: list[Any]) -> None:
    thing.clear()
    thing.update(values)


def _note_items(thing: Any, walk: Walk) -> None:
    """Note what a value that never changes holds."""
    walk.waiting += [value for value in thing if type(value) not in leaves]


def _note_buffer(thing: Any, walk: Walk) -> None:
    walk.notes.append((_put_back_buffer, thing, thing[:]))


def _put_back_buffer(thing: Any, values: Any) -> None:
    thing[:] = values


def _note_numpy(thing: Any, walk: Walk) -> None:
    if thing.flags.writeable:
        walk.notes.append((_put_back_numpy, thing, thing.copy()))


def _put_back_numpy(thing: Any, values: Any) -> None:
    thing[...] = values


def _by_update(cls: Any) -> Plan:
    copy, put_back = cls.copy if hasattr(cls, "copy") else cls, cls.update

    def note(thing: Any, walk: Walk) -> None:
        walk.notes.append((put_back, thing, copy(thing)))

    return note


def _note_dice(thing: Any, walk: Walk) -> None:
    walk.notes.append((random.Random.setstate, thing, thing.getstate()))


# -- functions --------------------------------------------------------------------------------


def _note_function(thing: Any, walk: Walk) -> None:
    walk.waiting += thing.__closure__ or ()


def _note_cell(cell: Any, walk: Walk) -> None:
    try:
        value = cell.cell_contents
    except ValueError:  # it is empty
        value = _MISSING
    walk.notes.append((_put_back_cell, cell, value))
    if type(value) not in leaves:
        walk.waiting.append(value)


def _put_back_cell(cell: Any, value: Any) -> None:
    if value is not _MISSING:
        cell.cell_contents = value
    else:
        del cell.cell_contents


def _note_method(thing: Any, walk: Walk) -> None:
    walk.waiting += (thing.__self__, thing.__func__)


def _note_partial(thing: Any, walk: Walk) -> None:
    walk.waiting += (thing.func, *thing.args, *thing.keywords.values())


def _note_clock(clock: Clock, walk: Walk) -> None:
    walk.clocks.append((clock, list(clock.open)))


def _note_play_handler(handler: PlayHandler, walk: Walk) -> None:
    walk.play_handlers.append(handler)


def _note_routine(routine: Routine, walk: Walk) -> None:
    if not routine.can_begin_again:
        message = (
            f"the coroutine {routine.name} was started from a generator, which nobody can put "
            "back: start the function that returns it, as in scope.start(self.patrol), so that a "
            "restore begins it again"
        )
        raise CheckpointError(message)
    walk.routines.append((routine, routine.moment))


# -- what can't be put back -------------------------------------------------------------------


def _refuse(what: str, thing: Any, walk: Walk) -> None:
    del walk
    if isinstance(thing, types.GeneratorType):
        frame = thing.gi_frame
        if frame is None:  # it is over
            return
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
    arrays: dict[Any, Plan] = {} if numpy is None else {numpy.ndarray: _note_numpy}
    return {**_CONTENTS, **arrays}


_UPDATED = (pygame.Vector2, pygame.Vector3, pygame.Rect, pygame.FRect, pygame.Color)
_CONTENTS: dict[Any, Plan] = {
    Routine: _note_routine,
    Clock: _note_clock,
    PlayHandler: _note_play_handler,
    OrderedDict: _note_ordered,
    dict: _note_mapping,
    list: _note_list,
    set: _note_set,
    deque: _note_deque,
    tuple: _note_items,
    frozenset: _note_items,
    bytearray: _note_buffer,
    array.array: _note_buffer,
    weakref.WeakKeyDictionary: _note_weak_mapping,
    weakref.WeakValueDictionary: _note_weak_mapping,
    weakref.WeakSet: _note_weak_set,
    random.Random: _note_dice,
    types.FunctionType: _note_function,
    types.CellType: _note_cell,
    types.MethodType: _note_method,
    functools.partial: _note_partial,
    **{cls: _by_update(cls) for cls in _UPDATED},
}
