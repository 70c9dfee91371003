"""What a life that is over has left behind: groups, spaces, timers, subscriptions, references.

The audit looks where nothing else is alive; strict mode looks once a frame, in a game that goes on.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
import weakref
from collections import deque
from collections.abc import KeysView
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.context import step_guards
from poolkit.devtools.code import (
    function_behind,
    inside_call,
    is_class_of_the_game,
    is_module_of_the_game,
    kind_of,
    place_of,
    short_name,
)
from poolkit.devtools.heap import whole_heap
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from poolkit.core.clock import Timer
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.system import PoolingSystem
    from poolkit.physics.world import PhysicsWorld


_HOOKS = frozenset({"awake", "spawned", "despawned", "destroyed", "update"})  # the pool holds these
_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
_MANY = 1000  # containers of more are not looked through


class Leftover(NamedTuple):
    """Something of a life that is over, as the audit tells it."""

    kind: str  # "group", "space", "timer", "subscription", "reference"
    thing: Any  # the group, shape, timer, method or container itself
    words: str
    sentence: str  # what is wrong, and what to do
    calls: str | None = None  # the place of what it calls: Orc.flee (monsters.py:41)


def parts_of(record: PoolablePrefabData[Any]) -> list[Any]:
    """Return what an instance consists of: itself, its components, the sprites that are parts."""
    instance = record.instance
    return instance._all_parts() if isinstance(instance, PooledSprite) else [instance]


# -- groups -----------------------------------------------------------------------------------


def groups_of(sprite: Any, homes: Iterable[Any] = ()) -> list[Any]:
    """Return the groups a sprite is in; of `homes`, also those that it does not know of."""
    found = list(getattr(sprite, "_Sprite__g", ()))  # whatever a class makes of `groups`
    found += [each for each in homes if each.has_internal(sprite) and each not in found]
    return found


def groups_left(record: PoolablePrefabData[Any]) -> list[Leftover]:
    """Return the groups that an instance whose life is over is still in, or a part of it."""
    sentence = "still in it after its despawn; nothing may add an instance whose life is over"
    return [
        Leftover("group", group, type(group).__name__, sentence)
        for part in parts_of(record)
        if isinstance(part, pygame.sprite.Sprite)
        for group in groups_of(part)
    ]


# -- spaces -----------------------------------------------------------------------------------


def physics_worlds() -> list[PhysicsWorld]:
    """Return every physics world there is; pymunk is loaded by none of this."""
    if "poolkit.physics" not in sys.modules:
        return []
    return [guard for guard in step_guards if hasattr(guard, "space")]  # type: ignore[misc]


def objects_in_spaces(worlds: Iterable[PhysicsWorld]) -> dict[int, Any]:
    """Return what is in the spaces of some worlds, by `id`."""
    spaces = [world.space for world in worlds]
    return {id(e): e for s in spaces for e in (*s.bodies, *s.shapes, *s.constraints)}


def spaces_left(worlds: Iterable[PhysicsWorld], before: Iterable[int]) -> list[Leftover]:
    """Return what is in a space and was not there before a life that is over now."""
    sentence = "still in the physics space after the despawn; hand it to the RigidBody"
    return [
        Leftover("space", each, f"<{type(each).__name__}>", sentence)
        for key, each in objects_in_spaces(worlds).items()
        if key not in before
    ]


@functools.cache
def _is_pymunks(kind: Any) -> bool:
    modules = {"pymunk.body", "pymunk.shapes", "pymunk.constraints"}
    return not modules.isdisjoint(each.__module__ for each in kind.__mro__)


def own_bodies_left(owners: list[Any]) -> list[Any]:
    """Return what is in a space, has no `RigidBody`, and is known to some objects alone.

    Those are bodies, shapes and joints that these objects store, in containers too.
    """
    pymunk: Any = sys.modules.get("pymunk")
    if pymunk is None:
        return []
    stored: list[Any] = []
    for owner in owners:
        own = gc.get_referents(owner) if _has_slots(kind_of(owner)) else vars(owner).values()
        stored += own
        for each in own:
            if type(each) in _SEARCHED and len(each) < _MANY:
                stored += each.values() if isinstance(each, dict) else each
    found = {id(each): each for each in stored if _is_pymunks(kind_of(each))}
    left = [each for each in found.values() if _is_in_space(each) and not _is_owned(each, pymunk)]
    if not left or type(owners[0]) in _kinds_that_know_others:
        return []
    with whole_heap():
        ours = {id(each) for each in (*stored, stored, left, found)} | set(unshared(owners))
        for each in left:
            if _is_known_to_others(each, ours):
                # A body that it aims at, say. The collector is not asked again for each missile.
                _kinds_that_know_others.add(type(owners[0]))
                return []
    return left


_kinds_that_know_others: set[type] = set()
_SEARCHED = frozenset({dict, list, tuple, set})


@functools.cache
def _has_slots(kind: type) -> bool:
    """Tell whether a game's class has slots, or its objects are without a dict."""
    slots = [vars(each).get("__slots__") for each in kind.__mro__ if is_class_of_the_game(each)]
    return any(slots) or not kind.__dictoffset__


def _is_owned(thing: Any, pymunk: Any) -> bool:
    from poolkit.physics.rigid_body import owner_of  # noqa: PLC0415 - pymunk is there already

    body = thing.body if isinstance(thing, pymunk.Shape) else thing
    return owner_of(body.a if isinstance(body, pymunk.Constraint) else body) is not None


def _is_in_space(thing: Any) -> bool:
    if hasattr(thing, "space"):
        return thing.space is not None
    return any(thing in body.space.constraints for body in (thing.a, thing.b) if body.space)


def _is_known_to_others(thing: Any, ours: set[int]) -> bool:
    # Plain loops: the collector would tell of what a generator expression has around it.
    referring = gc.get_referrers(thing)
    for each in referring:
        if id(each) in ours or _is_the_librarys(each):
            continue
        above = gc.get_referrers(each) if isinstance(each, _CONTAINERS) else [each]
        for other in above:
            is_own = id(other) in ours or other is referring
            if not is_own and not _is_the_librarys(other):
                return True
    return False


def _is_the_librarys(thing: object) -> bool:
    """Tell whether something is no game's way to an object: code that runs, or a library's."""
    if isinstance(thing, types.FrameType | types.GeneratorType | KeysView):
        return True
    for owner in gc.get_referrers(thing) if isinstance(thing, dict) else ():
        if getattr(owner, "__dict__", None) is thing and _is_of_a_library(type(owner)):
            return True
    return _is_of_a_library(type(thing))


def _is_of_a_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in {"poolkit", "pymunk", "_cffi_backend"}


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
    now = record.pool._context.clock.now
    found = []
    for key, timer in timers_of(systems).items():
        is_its = whoever_set_them or any(id(each) in owners for each in inside_call(timer.call))
        if key not in before and is_its:
            call = function_behind(timer.call)
            place = place_of(call)
            words = f"<{short_name(call)} in {timer.due - now:.1f} s>"
            sentence = "still waits after the despawn; start it with self.scope"
            found.append(Leftover("timer", call, words, sentence, place.brief if place else None))
    return found


# -- subscriptions ----------------------------------------------------------------------------


class Held(NamedTuple):
    """What is held of some objects; the collector tells, which looks at all there is."""

    methods: dict[int, Any]  # bound to them, hooks left out, by `id`
    containers: dict[int, Any]  # that hold one of them, by `id`

    @classmethod
    def of(cls, owners: list[Any]) -> Held:
        """Ask about `owners`."""
        own = set(map(id, owners))
        found = cls({id(each): each for each in weak_methods(owners)}, {})
        for each in gc.get_referrers(*owners):
            if isinstance(each, _CONTAINERS) and each is not owners:
                found.containers[id(each)] = each
            is_own = isinstance(each, types.MethodType) and id(each.__self__) in own
            if is_own and each.__func__.__name__ not in _HOOKS:
                found.methods[id(each)] = each
        return found


def weak_methods(owners: Iterable[Any]) -> Iterator[Any]:
    """Yield what holds methods of some objects weakly, as signals do: found without a search."""
    for owner in owners:
        yield from (e for e in weakref.getweakrefs(owner) if isinstance(e, weakref.WeakMethod))


def connections(owners: Mapping[int, Any], receivers: list[Any]) -> Iterator[tuple[Any, Any, str]]:
    """Yield each of `owners` (by `id`) with a signal that calls it, and the method's name.

    A signal has `connect` and `disconnect`, and leads to one of `receivers` by a few containers.
    """
    signals: dict[int, Any] = {}
    level: list[Any] = receivers
    for _ in range(4):
        above = gc.get_referrers(*level) if level else []
        signals |= {id(each): each for each in above if _is_signal(each)}
        is_own = {id(level), id(receivers)}
        level = [e for e in above if isinstance(e, _CONTAINERS) and 0 < len(e) < _MANY]
        level = [each for each in level if id(each) not in is_own]
    for signal in signals.values():
        level, told = [signal], set()
        for _ in range(4):
            inside = gc.get_referents(*level)
            for held in inside:
                method = held() if isinstance(held, weakref.WeakMethod) else held
                if isinstance(method, types.MethodType) and id(method.__self__) in owners:
                    known = id(method.__self__), method.__name__
                    if known not in told:
                        yield method.__self__, signal, method.__name__
                    told.add(known)
            level = [each for each in inside if isinstance(each, _CONTAINERS)]


def _is_signal(thing: object) -> bool:
    kind = type(thing)
    return kind is not type and all(
        callable(getattr(kind, name, 0)) for name in ("connect", "disconnect")
    )


def subscriptions_left(
    now: Held, before: Held, own: set[int], told: Iterable[Any]
) -> list[Leftover]:
    """Return the methods of an instance that somebody else holds after its life.

    Who is in `own`, by `id`, may hold them; `told` are those which were told already.
    """
    known = {*before.methods, *map(id, told)}
    receivers = [each for key, each in now.methods.items() if key not in known]
    holding = gc.get_referrers(*receivers) if receivers else []
    ours = {*own, id(receivers), id(now.methods)}
    outside = [e for e in holding if id(e) not in ours and not isinstance(e, types.FrameType)]
    held = set(map(id, gc.get_referents(*outside)))
    sentence = "still subscribed after the despawn; use self.scope.connect, or disconnect it"
    found: dict[str, Leftover] = {}
    for receiver in receivers:
        method = receiver() if isinstance(receiver, weakref.WeakMethod) else receiver
        if id(receiver) in held and method is not None:
            name, place = short_name(method.__func__), place_of(method)
            calls = place.brief if place else None
            left = Leftover("subscription", receiver, f"<{name}>", sentence, calls)
            found.setdefault(name, left)
    return list(found.values())


# -- who else holds it ------------------------------------------------------------------------


def references_left(now: Held, before: Held, parts: list[Any]) -> list[Leftover]:
    """Return what of a module or a class holds an instance after its life, and did not before."""
    modules = {
        id(vars(module)): name
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and is_module_of_the_game(name)
    }
    sentence = "still holds it after the despawn; take it out in despawned, or keep a handle"
    known = {*before.containers, *unshared(parts)}
    new = {key: each for key, each in now.containers.items() if key not in known}
    # The pool keeps a tuple of them.
    level = [e for e in new.values() if type(e) is not tuple or [*map(id, e)] != [*map(id, parts)]]
    held = set(map(id, parts))  # the parts, and what holds one of them, by a few steps
    owners: list[Any] = []  # modules' dicts and classes, up to which there are names
    searched: list[Any] = [now.containers, level, owners]
    for _ in range(4):
        owners += [each for each in level if isinstance(each, type) or id(each) in modules]
        ways = [each for each in level if not any(each is owner for owner in owners)]
        held |= {id(each) for each in ways}
        searched.append(ways)
        above = gc.get_referrers(*ways) if ways else []
        kinds = (*_CONTAINERS, type)
        level = [e for e in above if isinstance(e, kinds) and not any(e is s for s in searched)]
        searched += [above, level]
    names = [
        f"{owner.__qualname__ if isinstance(owner, type) else modules[id(owner)]}.{key}"
        for owner in owners
        if not isinstance(owner, type) or is_class_of_the_game(owner)
        for key, each in (vars(owner) if isinstance(owner, type) else owner).items()
        if id(each) in held
    ]
    return [Leftover("reference", name, f"<{name}>", sentence) for name in dict.fromkeys(names)]


def unshared(sources: Iterable[Any]) -> Iterator[int]:
    """Yield the `id` of some objects, and of the dicts of their attributes."""
    for owner in sources:
        yield id(owner)
        try:
            yield id(object.__getattribute__(owner, "__dict__"))
        except AttributeError:
            continue
