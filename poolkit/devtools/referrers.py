"""What still refers to an instance: the game's variables, attributes and containers by name."""

from __future__ import annotations

import gc
import inspect
import sys
from collections import deque
from functools import partial
from types import CellType, CoroutineType, FrameType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.devtools.code import Place, is_module_of_the_game, is_of_the_game
from poolkit.devtools.heap import module_of, whole_heap
from poolkit.devtools.values import attributes, described
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 8  # steps from what has a name
# What leads on to an object, without a name of its own.
_STEPS: dict[type, str] = {
    set: " (a set)",
    frozenset: " (a set)",
    MethodType: " (its method {})",
    FunctionType: " (the function {})",
    CellType: " (a variable)",
    GeneratorType: " (under way in {})",
    CoroutineType: " (under way in {})",
    partial: " (filled in)",
}


def referrers(instance: object) -> tuple[str, ...]:
    """Say what refers to `instance`, a text for each way to it, the shortest first.

    For an instance that is despawned: who kept it, and should have kept a handle. Named are
    global variables (``monsters.boss``), attributes with their owner (``<Player ...>.target``),
    what is in containers (``monsters.orcs[3]``), groups, local variables of running functions,
    generators and closures, and arguments of partials. Left out is what poolkit keeps, and what
    belongs to the instance itself: its components and parts.

    It asks the garbage collector, which looks at every object there is: fit for a person who
    waits for the answer, not for every frame.
    """
    with whole_heap():
        search = _Search(instance)
        found = dict.fromkeys(search.ways_to(instance, "", _DEPTH))
    return tuple(sorted(found, key=lambda text: (len(text), text)))


class _Search:
    """Walks from an object to those that refer to it, up to those that have a name."""

    def __init__(self, instance: object) -> None:
        parts = instance._all_parts() if isinstance(instance, PooledSprite) else [instance]
        self._within = {id(each) for each in parts}
        self._locals = [(frame, _locals_of(frame)) for frame in _frames_of_the_game()]
        # What the search itself holds: the collector would name it too.
        self._own = {id(self._locals), id(parts), *(id(names) for _, names in self._locals)}

    def ways_to(self, thing: object, rest: str, depth: int) -> Iterator[str]:
        """Yield the ways to `thing`, each followed by `rest`, which leads on to the instance."""
        for frame, names in self._locals:
            for name in _keys_of(names, thing):
                place = Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)
                yield f"local variable {name}{rest} at {place}"
        if not depth:
            return
        referring = gc.get_referrers(thing)
        self._own |= {id(referring), id(thing)}
        for each in referring:
            if id(each) not in self._own:
                yield from self._ways_by(each, thing, rest, depth - 1)
        self._own -= {id(referring), id(thing)}

    def _ways_by(self, each: Any, thing: object, rest: str, depth: int) -> Iterator[str]:
        """Yield the ways to `thing` that lead through `each`, which refers to it."""
        step = next((words for kind, words in _STEPS.items() if isinstance(each, kind)), None)
        if isinstance(each, dict):
            yield from self._ways_by_dict(each, thing, rest, depth)
        elif isinstance(each, list | tuple | deque):
            for index in [i for i, value in enumerate(list(each)) if value is thing]:
                yield from self.ways_to(each, f"[{index}]{rest}", depth)
        elif step is not None:
            words = step.format(getattr(each, "__name__", ""))
            yield from self.ways_to(each, f"{words}{rest}", depth)
        elif not isinstance(each, FrameType):
            yield from self._ways_by_owner(each, thing, rest)

    def _ways_by_dict(
        self, each: dict[Any, Any], thing: object, rest: str, depth: int
    ) -> Iterator[str]:
        module = module_of(each)
        if module is not None:
            names = _keys_of(each, thing) if is_module_of_the_game(module) else ()
            yield from (f"{module}.{name}{rest}" for name in names)
            return
        above = gc.get_referrers(each)
        owners = [
            owner
            for owner in above
            if isinstance(owner, type) or getattr(owner, "__dict__", None) is each
        ]
        groups = [owner for owner in above if _is_group_of(owner, each)]
        self._own |= {id(above), id(owners), id(groups)}
        for owner in owners:
            yield from self._ways_by_owner(owner, thing, rest)
        for group in groups:  # and no further: every sprite in it refers to this dict
            yield from self._ways_by(group, each, rest, depth)
        if not owners and not groups:
            for key in _keys_of(each, thing):
                yield from self.ways_to(each, f"[{key!r}]{rest}", depth)
            if any(key is thing for key in list(each)):
                yield from self.ways_to(each, f" (a key of it){rest}", depth)
        self._own -= {id(above), id(owners), id(groups)}

    def _ways_by_owner(self, owner: Any, thing: object, rest: str) -> Iterator[str]:
        package = getattr(owner if isinstance(owner, type) else type(owner), "__module__", "")
        if isinstance(owner, pygame.sprite.AbstractGroup):
            yield f"group {described(owner)}"
        elif id(owner) not in self._within and package.partition(".")[0] != "poolkit":
            name = owner.__qualname__ if isinstance(owner, type) else described(owner)
            for key in _keys_of(attributes(owner), thing):
                yield f"{name}.{key}{rest}"


def _frames_of_the_game() -> Iterator[FrameType]:
    for newest in sys._current_frames().values():
        frame: FrameType | None = newest
        while frame is not None:
            # Elsewhere, in a module or a class, local variables are found as its attributes.
            is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
            if is_function and is_of_the_game(frame.f_code.co_filename):
                yield frame
            frame = frame.f_back


def _locals_of(frame: FrameType) -> dict[str, Any]:
    names = frame.f_locals
    found = dict(names)
    if sys.version_info < (3, 13):  # before, a frame keeps what it has once told of
        names.clear()
    return found


def _keys_of(names: Any, thing: object) -> list[Any]:
    return [
        key
        for key, value in list(names.items())
        # pytest keeps what it compares in variables that no game can write.
        if value is thing and not str(key).startswith("@")
    ]


def _is_group_of(owner: Any, members: dict[Any, Any]) -> bool:
    """Tell whether `owner` is a group, or its `__dict__`, that keeps its sprites in `members`."""
    if isinstance(owner, pygame.sprite.AbstractGroup):
        owner = vars(owner)
    return isinstance(owner, dict) and owner.get("spritedict") is members
