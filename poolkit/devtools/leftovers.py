"""What a life that is over has left behind: groups, spaces, timers, subscriptions, references."""

from __future__ import annotations

import functools
import gc
import sys
import types
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.context import step_guards
from poolkit.devtools.code import (
    function_behind,
    is_class_of_the_game,
    is_module_of_the_game,
    place_of,
    short_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.core.clock import Timer
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.system import PoolingSystem
    from poolkit.physics.world import PhysicsWorld


# The pool itself holds these methods.
_HOOKS = frozenset({"awake", "spawned", "despawned", "destroyed", "update"})
_CONTAINERS = (list, dict, set, deque)


class Leftover(NamedTuple):
    """Something of a life that is over.

    Attributes:
        kind: ``"group"``, ``"space"``, ``"timer"``, ``"subscription"``, ``"reference"``.
        thing: The group, shape, timer, method or container itself.
        words: What it is, in a few words.
        sentence: What is wrong, and what to do.
        calls: The place of what it calls, as ``Orc.flee (monsters.py:41)``; else `None`.
    """

    kind: str
    thing: Any
    words: str
    sentence: str
    calls: str | None = None


def parts_of(record: PoolablePrefabData[Any]) -> list[Any]:
    """Return what an instance consists of: itself, its components, the sprites that are parts."""
    found: list[Any] = [record.instance]
    for each in found:
        found += getattr(each, "components", ()) if isinstance(each, pygame.sprite.Sprite) else ()
        if isinstance(each, pygame.sprite.Sprite):
            inner = getattr(each, "children", ())
            found += [c for c in inner if getattr(c, "_pool_data", None) is record]
    return found


# -- groups -----------------------------------------------------------------------------------


def groups_left(record: PoolablePrefabData[Any]) -> list[Leftover]:
    """Return the groups that an instance whose life is over is still in, or a part of it."""
    found = []
    for part in parts_of(record):
        for group in part.groups() if isinstance(part, pygame.sprite.Sprite) else ():
            sentence = (
                "still in it after its despawn; nothing may add an instance whose life is over"
            )
            found.append(Leftover("group", group, type(group).__name__, sentence))
    return found


# -- spaces -----------------------------------------------------------------------------------


def physics_worlds() -> list[PhysicsWorld]:
    """Return every physics world there is; pymunk is loaded by none of this."""
    if "poolkit.physics" not in sys.modules:
        return []
    return [guard for guard in step_guards if hasattr(guard, "space")]  # type: ignore[misc]


def objects_in_spaces(worlds: Iterable[PhysicsWorld]) -> dict[int, Any]:
    """Return what is in the spaces of some worlds, by `id`."""
    spaces = [world.space for world in worlds]
    every = (
        each for space in spaces for each in (*space.bodies, *space.shapes, *space.constraints)
    )
    return {id(each): each for each in every}


def spaces_left(worlds: Iterable[PhysicsWorld], before: Iterable[int]) -> list[Leftover]:
    """Return what is in a space and was not there before a life that is over now."""
    sentence = "still in the physics space after the despawn; hand it to the RigidBody"
    return [
        Leftover("space", each, f"<{type(each).__name__}>", sentence)
        for key, each in objects_in_spaces(worlds).items()
        if key not in before
    ]


# -- timers -----------------------------------------------------------------------------------


def timers_of(systems: Iterable[PoolingSystem]) -> dict[int, Timer]:
    """Return the timers that wait in some systems, the first that is due first, by `id`."""
    return {
        id(timer): timer
        for system in systems
        for _, _, timer in sorted(system._context.clock._heap, key=lambda entry: entry[:2])
        if timer.call is not None
    }


def timers_left(
    record: PoolablePrefabData[Any],
    systems: Iterable[PoolingSystem],
    before: Iterable[int],
    *,
    whoever_set_them: bool,
) -> list[Leftover]:
    """Return the timers that still wait after a life, of those that were not there before it.

    Those that would call the instance; `whoever_set_them`: all, for nobody else is alive.
    """
    owners = set(map(id, parts_of(record)))
    now = record._context.clock.now
    found = []
    for key, timer in timers_of(systems).items():
        if key not in before and (whoever_set_them or _refers_to(timer.call, owners)):
            call = function_behind(timer.call)
            place = place_of(call)
            words = f"<{short_name(call)} in {timer.due - now:.1f} s>"
            sentence = "still waits after the despawn; start it with self.scope"
            found.append(Leftover("timer", call, words, sentence, place.brief if place else None))
    return found


def _refers_to(call: Any, owners: set[int], steps: int = 4) -> bool:
    """Tell whether a call has one of `owners` to work on: itself, filled in, or as a variable."""
    if id(call) in owners:
        return True
    if not steps:
        return False
    held: list[object] = [getattr(call, "__self__", None), getattr(call, "_generator", None)]
    held += (cell.cell_contents for cell in getattr(call, "__closure__", None) or ())
    if isinstance(call, functools.partial):
        held += (call.func, *call.args, *call.keywords.values())
    if isinstance(call, types.GeneratorType) and call.gi_frame is not None:
        held += call.gi_frame.f_locals.values()
    return any(_refers_to(each, owners, steps - 1) for each in held if each is not None)


# -- who else holds it ------------------------------------------------------------------------


def methods_held(record: PoolablePrefabData[Any]) -> dict[int, Any]:
    """Return the methods bound to an instance and its parts that anybody holds, by `id`."""
    owners = parts_of(record)
    found: dict[int, Any] = {}
    for each in gc.get_referrers(*owners):
        if isinstance(each, types.MethodType):
            found[id(each)] = each
    for owner in owners:
        try:
            references = weakref.getweakrefs(owner)
        except TypeError:
            continue
        found |= {id(each): each for each in references if isinstance(each, weakref.WeakMethod)}
    return found


def subscriptions_left(
    record: PoolablePrefabData[Any], before: Iterable[int], own: set[int], told: Iterable[Any]
) -> list[Leftover]:
    """Return the methods of an instance that somebody else holds after its life.

    Args:
        record: Its record.
        before: The methods that were held before the life, by `id`.
        own: The `id` of what the instance has to itself: that may hold them.
        told: Functions that were told already, as timers or collision callbacks.
    """
    found: dict[str, Leftover] = {}
    known = {*before, *map(id, told)}
    receivers = list(methods_held(record).values())
    for receiver in receivers:
        method = receiver if isinstance(receiver, types.MethodType) else receiver()
        if id(receiver) in known or method is None or method.__func__.__name__ in _HOOKS:
            continue
        holding = gc.get_referrers(receiver)
        ours = {*own, id(receivers), id(holding)}
        if all(isinstance(each, types.FrameType) or id(each) in ours for each in holding):
            continue
        name, place = short_name(method.__func__), place_of(method)
        sentence = "still subscribed after the despawn; use self.scope.connect, or disconnect it"
        calls = place.brief if place else None
        found.setdefault(name, Leftover("subscription", receiver, f"<{name}>", sentence, calls))
    return list(found.values())


def holders(record: PoolablePrefabData[Any]) -> dict[int, Any]:
    """Return the containers that hold an instance or a part of it now, by `id`."""
    owners = parts_of(record)
    referring = gc.get_referrers(*owners)
    return {id(e): e for e in referring if isinstance(e, _CONTAINERS) and e is not owners}


def _name_of_holder(holder: Any, held: object, modules: dict[int, str], steps: int) -> str:
    """Return the name by which a module or a class of the game's leads to what is held."""
    key = (
        next((k for k, value in holder.items() if value is held), "")
        if type(holder) is dict
        else ""
    )
    module = modules.get(id(holder))
    if module is not None:
        return f"{module}.{key}"
    for above in gc.get_referrers(holder):
        if isinstance(above, type) and vars(above).get(str(key)) is held:
            return f"{above.__qualname__}.{key}" if is_class_of_the_game(above) else ""
        is_way = isinstance(above, _CONTAINERS) and above is not held
        if is_way and steps and (id(above) in modules or id(above) != id(holder)):
            name = _name_of_holder(above, holder, modules, steps - 1)
            if name:
                return name
    return ""


def references_left(record: PoolablePrefabData[Any], before: Iterable[int]) -> list[Leftover]:
    """Return what of a module or a class holds an instance after its life, and did not before.

    Args:
        record: Its record.
        before: The `holders` before its life, by `id`.
    """
    modules = {
        id(vars(module)): name
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and is_module_of_the_game(name)
    }
    parts = set(map(id, parts_of(record)))
    found = []
    for key, holder in holders(record).items():
        entries = holder.values() if isinstance(holder, dict) else holder
        held = next((each for each in entries if id(each) in parts), None)
        name = "" if key in before else _name_of_holder(holder, held, modules, 3)
        if name:
            sentence = (
                "still holds it after the despawn; take it out in despawned, or keep a handle"
            )
            found.append(Leftover("reference", holder, f"<{name}>", sentence))
    return found


def unshared(sources: Iterable[Any]) -> Iterator[int]:
    """Yield the `id` of some objects, and of the dicts of their attributes."""
    for owner in sources:
        yield id(owner)
        try:
            yield id(object.__getattribute__(owner, "__dict__"))
        except AttributeError:
            continue
