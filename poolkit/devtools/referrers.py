"""What still refers to an instance: the game's variables, attributes and containers by name."""

from __future__ import annotations

import gc
import inspect
import itertools
import sys
from collections import deque
from functools import partial
from types import CellType, CoroutineType, FrameType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.devtools.code import Place, is_module_of_the_game, is_of_the_game
from poolkit.devtools.heap import CONTAINERS, holders, module_of, whole_heap
from poolkit.devtools.leftovers import parts_of
from poolkit.devtools.values import attributes, described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_DEPTH = 8  # steps from what has a name
_MOST_STEPS = 20_000  # on all ways together, so that the answer comes soon
# What leads to an object without a name of its own, as containers do.
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
_UNNAMED = (*CONTAINERS, *_STEPS)


def referrers(instance: object) -> tuple[str, ...]:
    """Return what refers to `instance`, a text for each way to it, the shortest first.

    It names global variables (``monsters.boss``), attributes (``<Player ...>.target``), entries of
    containers (``monsters.orcs[3]``), groups, local variables of running functions, generators and
    closures, and arguments of partials. It leaves out what poolkit keeps, and the instance's own
    components and parts. Where there are very many ways, it returns some.
    """
    with whole_heap():
        frames = list(_frames_of_the_game())
        internal = [frames, *frames, *(variables for _, variables in frames)]
        held = holders([instance], map(id, internal), _MAX_DEPTH, _UNNAMED)
        steps = _ways_to(instance, held | {id(instance): instance}, frames)
        ways = set(itertools.islice(steps, _MOST_STEPS)) - {""}
    return tuple(sorted(ways, key=lambda text: (len(text), text)))


def _ways_to(instance: object, held: Mapping[int, Any], frames: list[Any]) -> Iterator[str]:
    """Yield the ways to an instance from all that has a name; an empty text for each step."""
    for frame, variables in frames:
        place = Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname)
        yield from _ways_from(variables, instance, held, "local variable ", f" at {place}")
    part_ids = set(map(id, parts_of(instance)))
    for key, thing in held.items():
        module = module_of(thing)
        package = getattr(thing if isinstance(thing, type) else type(thing), "__module__", "")
        is_internal = key in part_ids or f"{package}.".startswith("poolkit.")
        if isinstance(thing, pygame.sprite.AbstractGroup) and thing.has_internal(instance):
            yield f"group {described(thing)}"
        elif module is not None and is_module_of_the_game(module):
            yield from _ways_from(thing, instance, held, f"{module}.")
        elif not (isinstance(thing, _UNNAMED) or is_internal):
            owner = thing.__qualname__ if isinstance(thing, type) else described(thing)
            yield from _ways_from(attributes(thing), instance, held, f"{owner}.")


def _ways_from(
    names: Mapping[str, Any],
    instance: object,
    held: Mapping[int, Any],
    before: str,
    after: str = "",
) -> Iterator[str]:
    """Yield the ways to an instance from some names, through what holds it."""
    waiting = [(name, value, {id(value)}) for name, value in names.items() if name[:1] != "@"]
    for way, thing, passed in waiting:  # grows in the loop
        yield f"{before}{way}{after}" if thing is instance else ""
        if thing is not instance and id(thing) in held and isinstance(thing, _UNNAMED):
            steps = _steps_from(thing, held.keys() - passed)
            waiting += [(way + words, value, passed | {id(value)}) for words, value in steps]


def _steps_from(thing: Any, ids: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield what `thing` leads to of some objects, by `id`, with words for the step."""
    if isinstance(thing, dict):
        for key, value in list(thing.items()):
            if id(value) in ids:
                yield f"[{described(key)}]", value
            if id(key) in ids:
                yield " (a key of it)", key
    elif isinstance(thing, list | tuple | deque):
        yield from ((f"[{n}]", value) for n, value in enumerate(thing) if id(value) in ids)
    else:
        words = next(words for kind, words in _STEPS.items() if isinstance(thing, kind))
        words = words.format(getattr(thing, "__name__", ""))
        yield from ((words, value) for value in gc.get_referents(thing) if id(value) in ids)


def _frames_of_the_game() -> Iterator[tuple[FrameType, dict[str, Any]]]:
    """Yield running functions with their local variables."""
    for newest in sys._current_frames().values():
        frame: FrameType | None = newest
        while frame is not None:
            # Elsewhere, in a module or a class, local variables are found as its attributes.
            is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
            if is_function and is_of_the_game(frame.f_code.co_filename):
                variables = frame.f_locals
                yield frame, dict(variables)
                if sys.version_info < (3, 13):  # older ones keep this dict alive with the frame
                    variables.clear()
            frame = frame.f_back
