"""Ways of churning physics sprites: built each time, and by five kinds of pool.

What enters and leaves play is the same in all of them: a sprite with a body, a circle and a
component with two hooks, in one group and one space. Two pools from PyPI are among them:

- `object-pool` 0.2 lends objects and takes them back under a lock, the last one first. It runs no
  hooks, does not know what it has lent, and takes the same object back twice.
- `pondpond` 1.4 lends a wrapper around each object, and resets it when it is taken back. It does
  not know what it has lent either, and destroys what was lent for more than a minute.

So with both the game itself places, activates and ends its sprites, and guards against ending one
twice; here by the very code of the hand-written pool. Their being safe for threads costs time.
"""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks.rivals import BodySprite, HandPool, PooledBodySprite
from poolkit import PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BUILT", "BY_HAND", "FROZEN", "OFF", "POOLKIT", "WAYS", "Way", "missing", "prepare"]

GRAVITY = (0.0, 900.0)
STEP = 1 / 60  # seconds

BUILT, FROZEN = "built each time", "built, heap frozen"
BY_HAND, POOLKIT, OFF = "written by hand", "poolkit", "poolkit, pooling off"
OBJECT_POOL, POND = "object-pool", "pondpond"

_MODULES = {OBJECT_POOL: "object_pool", POND: "pond"}


@dataclass(frozen=True)
class Way:
    """One way of doing the work.

    Attributes:
        spawn: Begins a life at a position, and returns what `despawn` wants.
        despawn: Ends it.
        step: Lets a sixtieth of a second pass, and moves the sprites to their bodies.
        settle: What is done once, when the level is loaded.
    """

    spawn: Callable[[tuple[float, float]], Any]
    despawn: Callable[[Any], object]
    step: Callable[[], object]
    settle: Callable[[], object] = gc.collect


def missing(name: str) -> str:
    """Return the module that a way needs and that is not installed, or an empty string."""
    module = _MODULES.get(name, "")
    return module if module and find_spec(module) is None else ""


def prepare(name: str, capacity: int) -> Way:
    """Build what a way needs, pools of `capacity` sprites included."""
    return WAYS[name](capacity)


class _Play:
    """A space and a group, and what a game does with them where no pool does it."""

    def __init__(self) -> None:
        self.space = pymunk.Space()
        self.space.gravity = GRAVITY
        self.group: pygame.sprite.Group[BodySprite] = pygame.sprite.Group()

    def build(self) -> BodySprite:
        return BodySprite(self.space)

    def begin(self, sprite: BodySprite, position: tuple[float, float]) -> None:
        sprite.enter(position)
        sprite.active = True
        self.group.add(sprite)
        for component in sprite.components:
            component.spawned()

    @staticmethod
    def end(sprite: BodySprite) -> bool:
        if not sprite.active:
            return False
        sprite.active = False
        for component in reversed(sprite.components):
            component.despawned()
        sprite.kill()
        sprite.leave()
        return True

    def step(self) -> None:
        self.space.step(STEP)
        for sprite in self.group:
            sprite.rect.center = sprite.body.position


def _built(_capacity: int) -> Way:
    play = _Play()
    space, group = play.space, play.group

    def spawn(position: tuple[float, float]) -> BodySprite:
        sprite = BodySprite(space)
        sprite.enter(position)
        group.add(sprite)
        for component in sprite.components:
            component.spawned()
        return sprite

    def despawn(sprite: BodySprite) -> None:
        for component in reversed(sprite.components):
            component.despawned()
        sprite.kill()
        space.remove(sprite.shape, sprite.body)  # it is dropped: there is nothing to reset

    return Way(spawn, despawn, play.step)


def _frozen(capacity: int) -> Way:
    """Build each time, where the game has at least set its heap aside from the collector."""
    way = _built(capacity)

    def settle() -> None:
        gc.collect()
        gc.freeze()

    return Way(way.spawn, way.despawn, way.step, settle)


def _by_hand(capacity: int) -> Way:
    play = _Play()
    pool = HandPool(play.group, [play.build() for _ in range(capacity)])
    return Way(pool.spawn, pool.despawn, play.step)


def _poolkit(capacity: int, *, pooling: bool = True) -> Way:
    world = PhysicsWorld(gravity=GRAVITY)
    group: pygame.sprite.Group[PooledBodySprite] = pygame.sprite.Group()
    system = PoolingSystem()
    system.configure(pooling=pooling)
    prefab = Prefab(
        partial(PooledBodySprite, world),
        groups=[group],
        settings=PoolSettings(prespawn=capacity),
    )
    system.register(prefab)
    return Way(partial(system.spawn, prefab), system.despawn, partial(world.step, STEP))


def _object_pool(capacity: int) -> Way:
    from object_pool import ObjectPool  # noqa: PLC0415 - installed for benchmarks alone

    play = _Play()
    pool = ObjectPool(play.build)
    for sprite in [pool.get() for _ in range(capacity)]:
        pool.put(sprite)

    def spawn(position: tuple[float, float]) -> BodySprite:
        sprite: BodySprite = pool.get()
        play.begin(sprite, position)
        return sprite

    def despawn(sprite: BodySprite) -> None:
        if play.end(sprite):
            pool.put(sprite)

    return Way(spawn, despawn, play.step)


def _pond(capacity: int) -> Way:
    from pond import Pond, PooledObject, PooledObjectFactory  # noqa: PLC0415 - as above

    play = _Play()

    class Factory(PooledObjectFactory):  # type: ignore[misc]  # an untyped class
        def createInstance(self) -> Any:  # noqa: N802 - its name there
            return PooledObject(play.build())

        def destroy(self, pooled_object: Any) -> None:
            """Leave it to the garbage collector."""

        def reset(self, pooled_object: Any, **_: Any) -> Any:
            play.end(pooled_object.use())
            return pooled_object

        def validate(self, pooled_object: Any) -> bool:
            return not pooled_object.use().active

    factory = Factory(pooled_maxsize=capacity)
    loop = asyncio.new_event_loop()  # it would make one, and leave it open
    loop.close()
    # Without -1, a thread destroys half of what lies idle every five minutes.
    pond = Pond(time_between_eviction_runs=-1, loop=loop)
    pond.register(factory)

    def spawn(position: tuple[float, float]) -> Any:
        lent = pond.borrow(factory)
        play.begin(lent.use(), position)
        return lent

    def despawn(lent: Any) -> None:
        if lent.use().active:
            pond.recycle(lent, factory)

    return Way(spawn, despawn, play.step)


WAYS: dict[str, Callable[[int], Way]] = {
    BUILT: _built,
    FROZEN: _frozen,
    OFF: partial(_poolkit, pooling=False),
    OBJECT_POOL: _object_pool,
    POND: _pond,
    BY_HAND: _by_hand,
    POOLKIT: _poolkit,
}
