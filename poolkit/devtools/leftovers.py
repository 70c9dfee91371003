"""Finds what a life left behind: groups, spaces, timers, subscriptions, references.

The audit uses all of it, where nothing else is alive; strict mode looks at groups in every frame.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pygame

from poolkit.core.seams import context_of, worlds
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
    with_dicts,
)
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import Record
    from poolkit.core.system import PoolingSystem
    from poolkit.physics.world import PhysicsWorld


class Leftover(NamedTuple):
    """Something that a life left behind, as the audit reports it."""

    kind: Literal["group", "space", "timer", "subscription", "reference"]
    thing: Any  # the group, shape, timer, method or name itself
    words: str
    sentence: str  # what is wrong, and what to do
    calls: str | None = None  # the place of what it calls: Orc.flee (monsters.py:41)


def parts_of(record: Record[Any]) -> list[Any]:
    """Return an instance after its components, and after the sprites that are its parts."""
    instance = record.instance
    return instance._all_parts() if isinstance(instance, PooledSprite) else [instance]


# -- groups -----------------------------------------------------------------------------------


def groups_of(sprite: Any, homes: Iterable[Any] = ()) -> list[Any]:
    """Return the groups a sprite is in, and those of `homes` that have it without its knowing."""
    found = list(getattr(sprite, "_Sprite__g", ()))  # a class may override `groups`
    found += [each for each in homes if each.has_internal(sprite) and each not in found]
    return found


# -- spaces -----------------------------------------------------------------------------------


def physics_worlds() -> list[PhysicsWorld]:
    """Return every physics world, without loading pymunk."""
    if "poolkit.physics" not in sys.modules:
        return []
    return list(worlds)


def objects_in_spaces(worlds: Iterable[PhysicsWorld]) -> dict[int, Any]:
    """Return what is in the spaces of some worlds, by `id`."""
    spaces = [world.space for world in worlds]
    return {id(e): e for s in spaces for e in (*s.bodies, *s.shapes, *s.constraints)}


# -- subscriptions ----------------------------------------------------------------------------


def subscriptions_left(
    parts: list[Any], before: Iterable[int], own: Iterable[int], told: Iterable[Any]
) -> list[Leftover]:
    """Return the methods of an instance's parts that something else holds after its life.

    Objects in `own`, by `id`, may hold them; methods in `before`, by `id`, and `told` are known.
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


# -- references -------------------------------------------------------------------------------


def references_to(parts: list[Any]) -> list[str]:
    """Return the names in modules and classes by which some objects can be reached."""
    found, _ = holders(parts, with_dicts(parts))
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


# -- everything -------------------------------------------------------------------------------


def traces_of(
    record: Record[Any],
    systems: Iterable[PoolingSystem],
    worlds: Iterable[PhysicsWorld],
) -> dict[Any, Leftover]:
    """Return all that refers to an instance, by key: what is new after a life was left by it."""
    parts = parts_of(record)
    found: dict[Any, Leftover] = {}
    sentence = "still in it after its despawn; nothing may add an instance whose life is over"
    for sprite in [each for each in parts if isinstance(each, pygame.sprite.Sprite)]:
        for group in groups_of(sprite):
            found[id(group)] = Leftover("group", group, type(group).__name__, sentence)
    sentence = "still in the physics space after the despawn; hand it to the RigidBody"
    for key, thing in objects_in_spaces(worlds).items():
        found[key] = Leftover("space", thing, f"<{type(thing).__name__}>", sentence)
    sentence = "still called for all that collides after the despawn; register it once, for all"
    for world in worlds:
        for kinds, handler in world.space._handlers.items():
            for moment in ("begin", "pre_solve", "post_solve", "separate"):
                call = function_behind(getattr(handler, moment))
                left = Leftover("space", call, f"<{short_name(call)}>", sentence, place_of(call))
                known_by = id(world), kinds, moment, left.calls
                found |= {} if call is None else {known_by: left}
    found |= timers_of(record, systems)
    sentence = "still holds it after the despawn; take it out in despawned, or keep a handle"
    names = references_to(parts)
    return found | {e: Leftover("reference", e, f"<{e}>", sentence) for e in names}


def timers_of(record: Record[Any], systems: Iterable[PoolingSystem]) -> dict[Any, Leftover]:
    """Return the timers that would call an instance, in the order in which they are due."""
    owners = set(map(id, parts_of(record)))
    sentence = "still waits after the despawn; start it with self.scope"
    found = {}
    for clock in (context_of(system).clock for system in systems):
        for seconds, timer in clock.waiting():
            if any(id(each) in owners for each in inside_call(timer.call)):
                call = function_behind(timer.call)
                words = f"<{short_name(call)} in {seconds:.1f} s>"
                found[id(timer)] = Leftover("timer", call, words, sentence, place_of(call))
    return found
