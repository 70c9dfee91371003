"""A long random game that checks itself without asserts; run under ``python -O``.

Prints the figures of each pool and where the bodies are, so that runs can be compared.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

from typing import TYPE_CHECKING, Any

import pymunk

from poolkit import PooledGroup, PooledSprite, PoolError, PoolingSystem, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20
STEPS = 3000


def check(good: object, what: str) -> None:
    """End the process with a message unless `good`: an assert would not be there."""
    if not good:
        raise SystemExit(what)


class Imp(PooledSprite):
    """Counts its hooks; its hooks do what `mischief` says, once."""

    mischief: Callable[[Imp], object] | None = None

    def __init__(self) -> None:
        super().__init__()
        self.balance = 0

    def spawned(self) -> None:
        self.balance += 1
        self.be_bad()

    def despawned(self) -> None:
        self.balance -= 1
        self.be_bad()

    def be_bad(self) -> None:
        act, Imp.mischief = Imp.mischief, None
        if act is not None:
            act(self)


def fail(_imp: Imp) -> None:
    message = "mischief"
    raise RuntimeError(message)


def check_counts(system: PoolingSystem) -> None:
    for pool in system.all_pools():
        stats = pool.stats
        check(stats.created - stats.destroyed == stats.active + stats.inactive, f"{pool}: counts")
        check(stats.active == len(pool.active), f"{pool}: active")
        for sprite in pool.active:
            check(system.is_spawned(sprite), f"{sprite} is not spawned")
            check(getattr(sprite, "balance", 1) == 1, f"{sprite}: hooks out of balance")


def play_plainly(dice: random.Random) -> None:
    system, group = PoolingSystem(), PooledGroup()
    settings = PoolSettings(prespawn=2, limit=12)
    imps = [
        Prefab(Imp, name="imp", groups=[group], settings=settings),
        Prefab(Imp, name="fake", groups=[group], settings=settings, pooling=False),
        Prefab(Imp, name="hero", groups=[group], settings=settings, persistent=True),
    ]
    acts: list[Callable[[Imp], object]] = [
        fail,
        Imp.kill,
        lambda _: system.spawn(imps[0]),
        lambda imp: system.spawn(imps[1], parent=imp),
        lambda imp: imp.scope.after(0.5, imp.kill),
        lambda _: system.reset(),
        lambda _: system.despawn_all(imps[0]),
    ]
    handles: list[Any] = []
    steps: list[Callable[[], object]] = [
        lambda: handles.append(system.spawn(dice.choice(imps), (1, 2), 30.0).handle()),
        lambda: system.spawn_many(dice.choice(imps), [(0, 0)] * 3),
        lambda: system.despawn(dice.choice(handles).get() or system.spawn(imps[0])),
        lambda: dice.choice(handles).despawn(),
        lambda: system.despawn_where(lambda _: dice.random() < 0.5),
        lambda: system.update(dice.random()),
        lambda: setattr(Imp, "mischief", dice.choice(acts)),
        lambda: system.pool(dice.choice(imps)).trim(1),
    ]
    handles.append(system.spawn(imps[0]).handle())
    for turn in range(STEPS):
        # A full pool, or mischief: what counts is the state that is left.
        with contextlib.suppress(PoolError, RuntimeError, ExceptionGroup):
            dice.choice(steps)()
        if turn % 500 == 0:
            Imp.mischief = None
            system.reset()
            check(not [sprite for sprite in group if not sprite.active], "the dead are in a group")
        check_counts(system)
        check(len(group) == sum(pool.active_count for pool in system.all_pools()), "group")
    sys.stdout.write(f"{system.report()}\n")


class Ball(PooledSprite):
    """A ball that ends one of two lives whenever two of them meet."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__()
        body = pymunk.Body(1, 10)
        shape = pymunk.Circle(body, 8)
        shape.collision_type = 1
        self.add_component(RigidBody(world, body, shape))
        self.add_component(ResetPooledBodyComponent())
        self.body = body


def play_with_bodies(dice: random.Random) -> None:
    system, world = PoolingSystem(), PhysicsWorld(gravity=(0, 100))
    ball = Prefab(lambda: Ball(world), name="ball", settings=PoolSettings(prespawn=10))
    met = 0

    def begin(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: Any) -> None:
        nonlocal met
        met += 1
        first, second = (world.sprite_of(shape) for shape in arbiter.shapes)
        if isinstance(first, Ball) and isinstance(second, Ball):
            first.kill()
            system.spawn(ball, (dice.uniform(0, 100), 0))
            if met % 2:
                second.kill()
                system.spawn(ball, (dice.uniform(0, 100), 0))

    world.on_collision(1, 1, begin=begin)
    system.spawn_many(ball, [(dice.uniform(0, 100), dice.uniform(0, 100)) for _ in range(30)])
    for _ in range(300):
        world.step(1 / 60)
        system.update(1 / 60)
        check_counts(system)
        in_space = set(world.space.bodies)
        check(in_space == {one.body for one in system.pool(ball).active}, "bodies and lives differ")
    check(met > 50, "the balls never met")
    for one in system.pool(ball).active:
        x, y = one.body.position
        sys.stdout.write(f"{one} {x.hex()} {y.hex()}\n")
    system.reset()
    check(not world.space.bodies, "bodies are left in the space")
    check(not world.space.shapes, "shapes are left in the space")


if __name__ == "__main__":
    check(not __debug__, "start this with python -O")
    play_plainly(random.Random(SEED))  # noqa: S311 - a game's dice
    play_with_bodies(random.Random(SEED))  # noqa: S311 - a game's dice
