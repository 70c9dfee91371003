"""Finds what a life left behind: groups, spaces, timers, subscriptions, references.

The audit asks for all of it, where nothing else is alive; strict mode asks for groups and spaces
after every frame.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pygame

from poolkit.core.groups import flat_groups
from poolkit.core.seams import context_of, home_groups_of, scene_clocks, worlds
from poolkit.devtools.code import (
    function_behind,
    inside_call,
    is_class_of_the_game,
    is_module_of_the_game,
    place_of,
    short_name,
)
from poolkit.devtools.heap import CONTAINERS, holders, methods_of, module_of, with_dicts
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

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


def parts_of(instance: Any) -> list[Any]:
    """Return an instance after its components, and after the sprites that are its parts."""
    return instance._all_parts() if isinstance(instance, PooledSprite) else [instance]


def references_to_life(
    record: Record[Any], systems: Iterable[PoolingSystem], worlds: Iterable[PhysicsWorld]
) -> dict[Any, Leftover]:
    """Return everything that refers to an instance, by key.

    A key that is new after a life is a leak of that life.
    """
    parts = parts_of(record.instance)
    sprites = [part for part in parts if isinstance(part, pygame.sprite.Sprite)]
    leftovers: dict[Any, Leftover] = {}
    sentence = "still in it after its despawn; nothing may add an instance whose life is over"
    for group in (group for sprite in sprites for group in groups_of(sprite)):
        leftovers[id(group)] = Leftover("group", group, type(group).__name__, sentence)
    sentence = "still in the physics space after the despawn; hand it to the RigidBody"
    for key, thing in objects_in_spaces(worlds).items():
        leftovers[key] = Leftover("space", thing, f"<{type(thing).__name__}>", sentence)
    leftovers |= _collision_callbacks(worlds)
    leftovers |= timers_of(record, systems)
    sentence = "still holds it after the despawn; take it out in despawned, or keep a handle"
    return leftovers | {
        name: Leftover("reference", name, f"<{name}>", sentence) for name in _names_of(parts)
    }


# -- groups -----------------------------------------------------------------------------------


def groups_of(sprite: Any) -> list[Any]:
    """Return the groups a sprite is in."""
    return list(getattr(sprite, "_Sprite__g", ()))  # a class may override `groups`


def groups_with(sprite: Any, record: Record[Any]) -> list[Any]:
    """Return the groups a sprite is in, and those that have it without its knowing."""
    groups = groups_of(sprite)
    home_groups = getattr(sprite, "_home_groups", home_groups_of(record.pool))
    return groups + [
        group
        for group in flat_groups(home_groups, "a sprite")
        if group.has_internal(sprite) and group not in groups
    ]


# -- spaces -----------------------------------------------------------------------------------


def physics_worlds() -> list[PhysicsWorld]:
    """Return every physics world, without loading pymunk."""
    return list(worlds) if "poolkit.physics" in sys.modules else []


def objects_in_spaces(worlds: Iterable[PhysicsWorld]) -> dict[int, Any]:
    """Return what is in the spaces of some worlds, by `id`."""
    spaces = [world.space for world in worlds]
    return {
        id(thing): thing
        for space in spaces
        for thing in (*space.bodies, *space.shapes, *space.constraints)
    }


def bodies_in_space(rigid: Any) -> list[Any]:
    """Return the bodies of a `RigidBody` that are in its space."""
    return [body for body in rigid.bodies if body.space is rigid.world.space]


def _collision_callbacks(worlds: Iterable[PhysicsWorld]) -> dict[Any, Leftover]:
    sentence = "still called for all that collides after the despawn; register it once, for all"
    leftovers: dict[Any, Leftover] = {}
    for world in worlds:
        for kinds, handler in world.space._handlers.items():
            for moment in ("begin", "pre_solve", "post_solve", "separate"):
                call = function_behind(getattr(handler, moment))
                if call is not None:
                    place = place_of(call)
                    left = Leftover("space", call, f"<{short_name(call)}>", sentence, place)
                    leftovers[id(world), kinds, moment, place] = left
    return leftovers


# -- timers -----------------------------------------------------------------------------------


def timers_of(record: Record[Any], systems: Iterable[PoolingSystem]) -> dict[Any, Leftover]:
    """Return the timers that would call an instance, in the order in which they are due.

    Those of a scene's own clock are among them.
    """
    owners = set(map(id, parts_of(record.instance)))
    sentence = "still waits after the despawn; start it with self.scope"
    leftovers = {}
    clocks = [context_of(system).clock for system in systems]
    for clock in [*clocks, *scene_clocks]:
        for seconds, timer in clock.waiting():
            if any(id(thing) in owners for thing in inside_call(timer.call)):
                call = function_behind(timer.call)
                words = f"<{short_name(call)} in {seconds:.1f} s>"
                leftovers[id(timer)] = Leftover("timer", call, words, sentence, place_of(call))
    return leftovers


# -- subscriptions and references -------------------------------------------------------------


def subscriptions_left(
    parts: list[Any],
    before: Container[int],
    internal: Iterable[int],
    reported_things: Iterable[Any],
) -> list[Leftover]:
    """Return the methods of an instance's parts that something else holds after its life.

    Args:
        parts: The parts of the instance.
        before: Methods that were held_ids before the life, by `id`.
        internal: Objects that may hold them, by `id`.
        reported_things: Methods that were reported already, as timers.
    """
    reported = set(map(id, reported_things))
    receivers = [
        method
        for key, method in methods_of(parts).items()
        if key not in before and key not in reported
    ]
    referrers = gc.get_referrers(*receivers) if receivers else []
    internal_ids = {*internal, id(receivers)}
    outside = [
        referrer
        for referrer in referrers
        if id(referrer) not in internal_ids and not isinstance(referrer, types.FrameType)
    ]
    held_ids = set(map(id, gc.get_referents(*outside)))
    sentence = "still subscribed after the despawn; use self.scope.connect, or disconnect it"
    leftovers: dict[str, Leftover] = {}
    for receiver in receivers:
        method = receiver() if isinstance(receiver, weakref.WeakMethod) else receiver
        if id(receiver) in held_ids and method is not None:
            name = short_name(method.__func__)
            left = Leftover("subscription", receiver, f"<{name}>", sentence, place_of(method))
            leftovers.setdefault(name, left)
    return list(leftovers.values())


def _names_of(parts: list[Any]) -> list[str]:
    """Return the names in modules and classes by which some objects can be reached."""
    owners = holders(parts, with_dicts(parts))
    held_ids = {*map(id, parts), *(key for key, e in owners.items() if isinstance(e, CONTAINERS))}
    names: dict[str, None] = {}
    for owner in owners.values():
        module = module_of(owner)
        if module is not None and is_module_of_the_game(module):
            prefix, members = module, owner
        elif isinstance(owner, type) and is_class_of_the_game(owner):
            prefix, members = owner.__qualname__, vars(owner)
        else:
            continue
        names |= {f"{prefix}.{key}": None for key, e in members.items() if id(e) in held_ids}
    return list(names)
