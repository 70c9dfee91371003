"""What a life that is over has left behind: groups, spaces, timers, subscriptions, references.

The audit looks where nothing else is alive; strict mode looks once a frame, in a game that goes on.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame

from poolkit.core.context import step_guards
from poolkit.devtools.code import (
    function_behind,
    inside_call,
    is_class_of_the_game,
    is_module_of_the_game,
    place_of,
    short_name,
)
from poolkit.devtools.heap import (
    CONTAINERS,
    holders,
    methods_of,
    module_of,
    own_dict,
    whole_heap,
    with_dicts,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from poolkit.core.clock import Timer
    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.system import PoolingSystem
    from poolkit.physics.world import PhysicsWorld


class Leftover(NamedTuple):
    """Something of a life that is over, as the audit tells it."""

    kind: str  # "group", "space", "timer", "subscription", "reference"
    thing: Any  # the group, shape, timer, method or name itself
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
    sprites = [each for each in parts_of(record) if isinstance(each, pygame.sprite.Sprite)]
    groups = (group for sprite in sprites for group in groups_of(sprite))
    return [Leftover("group", each, type(each).__name__, sentence) for each in groups]


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
    now = objects_in_spaces(worlds)
    new = [each for key, each in now.items() if key not in before]
    return [Leftover("space", each, f"<{type(each).__name__}>", sentence) for each in new]


_kinds_that_know_others: set[type] = set()


def own_bodies_left(parts: list[Any]) -> list[Any]:
    """Return the bodies in a space, without a `RigidBody`, that only these attributes know."""
    pymunk = sys.modules.get("pymunk")
    if pymunk is None or type(parts[0]) in _kinds_that_know_others:
        return []
    held = (each for part in parts for each in own_dict(part).values())
    bodies = [each for each in held if isinstance(each, pymunk.Body) and _is_unowned(each)]
    for body in bodies:
        with whole_heap():
            in_space = body.space.__dict__.values()
            ours = {id(bodies), *map(id, in_space), *with_dicts([*parts, *body.shapes])}
            others = [each for each in gc.get_referrers(body) if id(each) not in ours]
        kinds = {type(each) for each in others} - {types.FrameType}
        if any(each.__module__ != "_cffi_backend" for each in kinds):
            # A body that it aims at, say. The collector is not asked again for each missile.
            _kinds_that_know_others.add(type(parts[0]))
            return []
    return bodies


def _is_unowned(body: Any) -> bool:
    from poolkit.physics.rigid_body import owner_of  # noqa: PLC0415 - pymunk is there already

    return body.space is not None and owner_of(body) is None


def callbacks_of(worlds: Iterable[PhysicsWorld]) -> dict[str, Any]:
    """Return the collision callbacks of some worlds, the game's own functions, by their kind."""
    return {
        f"{number}{kinds}.{moment}": function_behind(getattr(handler, moment))
        for number, world in enumerate(worlds)
        for kinds, handler in world.space._handlers.items()
        for moment in ("begin", "pre_solve", "post_solve", "separate")
        if getattr(handler, moment) is not None
    }


def callbacks_left(worlds: Iterable[PhysicsWorld], before: dict[str, Any]) -> list[Leftover]:
    """Return the collision callbacks that were registered since."""
    sentence = "still called for all that collides after the despawn; register it once, for all"
    known = {key: place_of(call) for key, call in before.items()}
    new = [e for key, e in callbacks_of(worlds).items() if known.get(key) != place_of(e)]
    return [Leftover("space", e, f"<{short_name(e)}>", sentence, place_of(e)) for e in new]


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
    record: PoolablePrefabData[Any], systems: Iterable[PoolingSystem], before: Iterable[int]
) -> list[Leftover]:
    """Return the timers that would still call an instance, of those that were not there before."""
    owners = set(map(id, parts_of(record)))
    sentence = "still waits after the despawn; start it with self.scope"
    found = []
    for key, timer in timers_of(systems).items():
        if key not in before and any(id(each) in owners for each in inside_call(timer.call)):
            call = function_behind(timer.call)
            words = f"<{short_name(call)} in {timer.due - record.pool._context.clock.now:.1f} s>"
            found.append(Leftover("timer", call, words, sentence, place_of(call)))
    return found


# -- subscriptions ----------------------------------------------------------------------------


def connections(owners: Mapping[int, Any], receivers: list[Any]) -> Iterator[tuple[Any, Any, str]]:
    """Yield each of `owners` (by `id`) with a signal that calls it, and the method's name.

    A signal has `connect` and `disconnect`, and leads to one of `receivers` by a few containers.
    """
    for signal in filter(_is_signal, holders(receivers).values()):
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
            level = [each for each in inside if isinstance(each, CONTAINERS)]


def _is_signal(thing: object) -> bool:
    kind = type(thing)
    return kind is not type and all(
        callable(getattr(kind, name, 0)) for name in ("connect", "disconnect")
    )


def subscriptions_left(
    parts: list[Any], before: Iterable[int], own: Iterable[int], told: Iterable[Any]
) -> list[Leftover]:
    """Return the methods of an instance's parts that somebody else holds after its life.

    Who is in `own`, by `id`, may hold them; those in `before`, by `id`, and `told` are known.
    """
    known = {*before, *map(id, told)}
    receivers = [each for key, each in methods_of(parts).items() if key not in known]
    holding = gc.get_referrers(*receivers) if receivers else []
    ours = {*own, id(receivers)}
    outside = [e for e in holding if id(e) not in ours and not isinstance(e, types.FrameType)]
    held = set(map(id, gc.get_referents(*outside)))
    sentence = "still subscribed after the despawn; use self.scope.connect, or disconnect it"
    found: dict[str, Leftover] = {}
    for receiver in receivers:
        method = receiver() if isinstance(receiver, weakref.WeakMethod) else receiver
        if id(receiver) in held and method is not None:
            name = short_name(method.__func__)
            left = Leftover("subscription", receiver, f"<{name}>", sentence, place_of(method))
            found.setdefault(name, left)
    return list(found.values())


# -- who else holds it ------------------------------------------------------------------------


def references_left(parts: list[Any], before: Iterable[str]) -> list[Leftover]:
    """Return what of a module or a class holds an instance's parts, and did not `before`."""
    sentence = "still holds it after the despawn; take it out in despawned, or keep a handle"
    new = [name for name in references_to(parts) if name not in before]
    return [Leftover("reference", name, f"<{name}>", sentence) for name in new]


def references_to(parts: list[Any]) -> list[str]:
    """Return the names in modules and classes by which some objects can be reached."""
    found = holders(parts, with_dicts(parts))
    held = {*map(id, parts), *(key for key, e in found.items() if isinstance(e, CONTAINERS))}
    names: dict[str, None] = {}
    for owner in found.values():
        module = module_of(owner)
        if module is not None and is_module_of_the_game(module):
            names |= {f"{module}.{key}": None for key, e in owner.items() if id(e) in held}
        elif isinstance(owner, type) and is_class_of_the_game(owner):
            kind = owner.__qualname__
            names |= {f"{kind}.{key}": None for key, e in vars(owner).items() if id(e) in held}
    return list(names)
