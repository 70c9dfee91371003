"""What a life leaves behind it in the world: timers, subscriptions, bodies, groups."""

from __future__ import annotations

import functools
import gc
import inspect
import os
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.devtools.audit.reading import Described
from poolkit.devtools.audit.report import Leak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from poolkit.core.clock import Timer
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.audit.setting_aside import SetAside
    from poolkit.devtools.audit.snapshot import Snapshot

__all__ = ["Before", "leak_of_an_ungrouped_life", "leaks_after", "leaks_of_timers"]

_NOTHING = Described("none")
# The pool itself holds these methods.
_HOOKS = frozenset({"awake", "spawned", "despawned", "destroyed", "update"})


class Before(NamedTuple):
    """What there was before a life began.

    Attributes:
        timers: The timers that waited.
        objects: What was in the physics.
        receivers: The bound methods of the instance that somebody held, and weak ones.
    """

    timers: dict[int, Timer]
    objects: dict[int, Any]
    receivers: dict[int, Any]

    @classmethod
    def look(cls, data: PoolablePrefabData[Any], aside: SetAside) -> Before:
        """Look at what there is now."""
        return cls(_timers(aside), aside.objects_in_spaces(), _receivers(data))


def leaks_after(
    data: PoolablePrefabData[Any],
    aside: SetAside,
    before: Before,
    held: tuple[Snapshot, Snapshot],
) -> list[Leak]:
    """Return what is left of a life that is over, in order: groups, physics, timers, receivers.

    Args:
        data: The record of the instance.
        aside: Where it lived.
        before: What there was before it lived.
        held: What the instance holds, and what another instance held.
    """
    name = data.pool.name
    leaks = []
    if isinstance(data.instance, pygame.sprite.Sprite) and data.instance.groups():
        kinds = ", ".join(sorted(type(group).__name__ for group in data.instance.groups()))
        reason = "still in it after its despawn; nothing may add an instance whose life is over"
        leaks.append(Leak(f"{name}.groups", _NOTHING, Described(kinds), "group", reason=reason))
    for key, each in aside.objects_in_spaces().items():
        if key not in before.objects:
            words = Described(f"<{type(each).__name__}>")
            reason = "still in the physics space after the despawn; hand it to the RigidBody"
            leaks.append(Leak(f"{name}.space", _NOTHING, words, "space", reason=reason))
    leaks += leaks_of_timers(data, aside, before)
    calls = [_behind(timer.call) for timer in _left_timers(data, aside, before)]
    told = {id(call) for call in (*calls, *aside.callbacks())}
    own = _unshared(*held)
    names: set[str] = set()
    receivers = list(_receivers(data).values())
    own |= {id(receivers)}
    for receiver in receivers:
        if id(receiver) in told | before.receivers.keys() or not _is_held(receiver, own):
            continue
        function = receiver.__func__ if isinstance(receiver, types.MethodType) else None
        call = function or _function_of(receiver)
        if call is None or call.__name__ in _HOOKS or _name(call) in names:
            continue
        names.add(_name(call))
        words = Described(f"<{_name(call)}>")
        reason = "still subscribed after the despawn; use self.scope.connect, or disconnect it"
        path = f"{name}.subscriptions"
        leaks.append(Leak(path, _NOTHING, words, "subscription", _place(call), "calls", reason))
    return leaks


def leaks_of_timers(data: PoolablePrefabData[Any], aside: SetAside, before: Before) -> list[Leak]:
    """Return the timers of a life that is over which still wait; those of other lives too."""
    leaks = []
    for timer in _left_timers(data, aside, before):
        call = _behind(timer.call)
        words = Described(f"<{_name(call)} in {timer.due - _now(timer):.1f} s>")
        reason = "still waits after the despawn; start it with self.scope"
        path, where = f"{data.pool.name}.timers", _place(call)
        leaks.append(Leak(path, _NOTHING, words, "timer", where, "calls", reason))
    return leaks


def leak_of_an_ungrouped_life(data: PoolablePrefabData[Any]) -> Leak | None:
    """Return a leak if an instance is alive in no group although its prefab names some."""
    groups = (*data.pool.groups, *data.pool.groups_now())
    if not data.active or not groups:
        return None
    if not isinstance(data.instance, pygame.sprite.Sprite) or data.instance.groups():
        return None
    kinds = ", ".join(type(group).__name__ for group in groups)
    reason = "alive in no group, so nobody updates or draws it; kill() it instead of removing it"
    path = f"{data.pool.name}.groups"
    return Leak(path, Described(kinds), _NOTHING, "group", reason=reason)


def _timers(aside: SetAside) -> dict[int, Timer]:
    return {
        id(timer): timer
        for system in aside.systems
        for _, _, timer in sorted(system._context.clock._heap, key=_due)
        if timer.call is not None
    }


def _left_timers(data: PoolablePrefabData[Any], aside: SetAside, before: Before) -> list[Timer]:
    owners = set(map(id, _owners(data)))
    are_alone = not aside.lives()  # else those that live on may have set timers of their own
    return [
        timer
        for key, timer in _timers(aside).items()
        if key not in before.timers and (are_alone or _refers_to(timer.call, owners))
    ]


def _due(entry: tuple[float, int, Timer]) -> tuple[float, int]:
    return entry[0], entry[1]


def _now(timer: Timer) -> float:
    return timer._timers.now if timer._timers is not None else timer.due


def _behind(call: Callable[..., Any] | None) -> Any:
    """Return the game's own function, or generator, for which a scope has set a timer."""
    routine = getattr(call, "__self__", None)
    if hasattr(routine, "_generator"):
        return routine._generator  # type: ignore[union-attr]  # a coroutine that waits
    code = getattr(call, "__code__", None)
    cells = getattr(call, "__closure__", None) or ()
    for name, cell in zip(getattr(code, "co_freevars", ()), cells, strict=False):
        if name == "fn":
            return cell.cell_contents
    return call


def _refers_to(call: object, owners: set[int], steps: int = 4) -> bool:
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


def _name(call: Any) -> str:
    name: str = getattr(call, "__qualname__", None) or type(call).__name__
    return name.rpartition("<locals>.")[2]


def _place(call: Any) -> str | None:
    function = inspect.unwrap(getattr(call, "__func__", call))
    code = getattr(function, "__code__", None) or getattr(call, "gi_code", None)
    if code is None:
        return None
    return f"{_name(call)} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"  # noqa: PTH119 - no path is touched


def _owners(data: PoolablePrefabData[Any]) -> list[Any]:
    parts = getattr(data.instance, "_all_parts", None)
    return [data.instance] if parts is None else list(parts())


def _receivers(data: PoolablePrefabData[Any]) -> dict[int, Any]:
    """Return the methods bound to an instance and its parts that anybody holds now."""
    owners = _owners(data)
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


def _function_of(receiver: Any) -> Any:
    method = receiver()
    return None if method is None else method.__func__


def _unshared(held: Snapshot, others: Snapshot) -> set[int]:
    """Return the `id` of what an instance has to itself, and of the dicts of its attributes."""
    return set(_ids(node.source for key, node in held.nodes.items() if key not in others.nodes))


def _ids(owners: Iterable[Any]) -> Iterator[int]:
    for owner in owners:
        yield id(owner)
        try:
            yield id(object.__getattribute__(owner, "__dict__"))
        except AttributeError:
            continue


def _is_held(receiver: Any, own: set[int]) -> bool:
    """Tell whether anybody but the instance itself holds a method of it."""
    return any(
        not isinstance(holder, types.FrameType) and id(holder) not in own
        for holder in gc.get_referrers(receiver)
    )
