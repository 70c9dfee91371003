"""A seeded storm with everything that a space can hold; prints a digest of what happened.

Bodies with several shapes, sensors, joints between pooled instances, lifts, walls, sleepers; births
and deaths, recycled ones too, and resets that are refused, in every callback, hook and function.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from functools import partial

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

from typing import TYPE_CHECKING, Any

import pymunk

from physics_kit import STEP
from poolkit import (
    Exceed,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from poolkit.physics.rigid_body import owner_of
from poolkit.scenes import Scene, SceneManager

if TYPE_CHECKING:
    from collections.abc import Callable

CROWD = 90


class Limb(PooledSprite):
    """A part with a body of its own, which touches that of the whole."""

    def __init__(self, world: PhysicsWorld, kind: int) -> None:
        super().__init__()
        self.kind = kind
        self.body = pymunk.Body(1, 20)
        shape = pymunk.Circle(self.body, 4)
        shape.collision_type = kind
        self.rigid = self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())


class Thing(PooledSprite):
    """A sprite with a body of some kind, whose hooks join in the storm."""

    def __init__(self, tempest: Tempest, kind: int) -> None:
        super().__init__()
        self.tempest, self.kind = tempest, kind
        body_type = (pymunk.Body.DYNAMIC,) * 2 + (pymunk.Body.KINEMATIC, pymunk.Body.STATIC)
        self.body = pymunk.Body(2, 60, body_type[kind])
        self.box = pymunk.Poly.create_box(self.body, (12, 4))
        parts: list[Any] = [
            pymunk.Circle(self.body, 5 + kind),
            self.box,
            pymunk.Circle(self.body, 11),
        ]
        for part in parts:
            part.collision_type = kind
            part.friction = part.elasticity = 0.5
        parts[2].sensor = True
        if kind == 1:
            tail = pymunk.Body(1, 20)
            tail.position = (14, 0)
            parts += [tail, pymunk.Circle(tail, 3), pymunk.PinJoint(self.body, tail)]
        if kind == 0 and tempest.active:
            other = tempest.dice.choice(tempest.active)  # which may be destroyed before this one
            parts.append(pymunk.SlideJoint(self.body, other.body, (0, 0), (0, 0), 0, 60))
        self.rigid = self.add_component(RigidBody(tempest.world, self.body, *parts))
        self.add_component(ResetPooledBodyComponent())
        self.limbs = [Limb(tempest.world, kind) for _ in range(2 if kind == 2 else 0)]
        for place, limb in enumerate(self.limbs):
            self.add_child(limb, (5 * place, 3))

    def spawned(self) -> None:
        if self.box.radius:
            raise RuntimeError(self.box.radius)
        tempest = self.tempest
        tempest.note("born", self)
        dice = tempest.dice
        if self.kind != 3:
            self.body.velocity = (dice.uniform(-90, 90), dice.uniform(-90, 90))
        fate = dice.random()
        if fate < 0.2:
            self.body.velocity_func = self.drift
        elif fate < 0.3:
            self.body.position_func = self.move
        elif fate < 0.4:
            self.rigid.shapes[0].friction = 2
            self.box.unsafe_set_radius(2)
        elif fate < 0.43:
            tempest.rage(self)

    def despawned(self) -> None:
        self.tempest.note("dead", self)
        if self.tempest.dice.random() < 0.05:
            self.tempest.rage(self)

    def drift(self, body: pymunk.Body, gravity: Any, damping: float, dt: float) -> None:
        pymunk.Body.update_velocity(body, gravity, damping, dt)
        if self.tempest.dice.random() < 0.02:
            self.tempest.rage(self)

    def move(self, body: pymunk.Body, dt: float) -> None:
        pymunk.Body.update_position(body, dt)
        if self.tempest.dice.random() < 0.02:
            self.tempest.rage(self)


class Tempest:
    """A hundred things in a box, stepped by the world or by the game itself."""

    def __init__(self, seed: int, *, own_step: bool, sleepy: bool) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - a game's dice
        self.system = PoolingSystem()
        self.world = PhysicsWorld(gravity=(0, 150))
        self.own_step = own_step
        if sleepy:
            self.world.space.sleep_time_threshold = 0.05
            self.world.space.idle_speed_threshold = 150
        self.scenes = SceneManager(self.system)
        self.scenes.scene = Scene()
        self.trace: list[object] = []
        self.depth = 0
        self.is_calm = False
        self.slept = self.recycled = 0
        floor = pymunk.Segment(self.world.space.static_body, (-500, 220), (700, 220), 5)
        self.world.space.add(floor)
        policies = [
            PoolSettings(limit=12, overflow=RecycleOldest()),
            PoolSettings(limit=8, overflow=Exceed()),
            PoolSettings(prespawn=5),
            PoolSettings(),
        ]
        self.prefabs = [
            Prefab(partial(Thing, self, kind), name=f"thing {kind}", settings=policy)
            for kind, policy in enumerate(policies)
        ]
        for one in range(4):
            for other in range(one, 4):
                self.world.on_collision(
                    one,
                    other,
                    begin=self.meet,
                    pre_solve=self.meet,
                    post_solve=self.meet,
                    separate=self.part,
                )

        self.world.on_contact(Thing, PooledSprite, self.touch)

    @property
    def active(self) -> list[Thing]:
        return [thing for pool in self.system.all_pools() for thing in pool.active]

    def note(self, what: str, *things: object) -> None:
        self.trace.append((what, *map(repr, things)))

    def meet(self, arbiter: Any, *_: object) -> None:
        if self.dice.random() < 0.03:
            self.note("meet", *(self.world.sprite_of(shape) for shape in arbiter.shapes))
            self.rage(self.world.sprite_of(arbiter.shapes[0]))

    def touch(self, thing: Thing, other: PooledSprite, _: pymunk.Arbiter) -> object:
        if not (thing.active and other.active):
            message = "a contact of the dead"
            raise RuntimeError(message)
        fate = self.dice.random()
        if fate < 0.02:
            self.note("touch", thing, other)
            self.rage(other)
        return fate < 0.9

    def part(self, separation: Any, *_: object) -> None:
        self.note("part", *(self.world.sprite_of(shape) for shape in separation.shapes))
        if self.dice.random() < 0.03:
            self.rage(self.world.sprite_of(separation.shapes[1]))

    def rage(self, thing: Any) -> None:
        """Do something terrible."""
        if self.is_calm or self.depth > 2:
            return
        self.depth += 1
        try:
            self.dice.choice(self.acts())(thing)
        finally:
            self.depth -= 1

    def acts(self) -> list[Callable[[Any], object]]:
        return [
            self.kill,
            self.kill,
            self.bear,
            self.bear,
            self.tie,
            self.refuse,
            self.call_after_the_step,
            self.bear,
            self.bear,
            lambda _: self.system.despawn_where(lambda _: self.dice.random() < 0.1),
            self.kill_another,
            self.move,
        ]

    def kill(self, thing: Any) -> None:
        if thing is not None:
            thing.kill()

    def kill_another(self, _: Any) -> None:
        self.kill(self.dice.choice([*self.active, None]))

    def bear(self, _: Any) -> None:
        dice = self.dice
        if len(self.active) < CROWD:
            place = (dice.uniform(0, 200), dice.uniform(120, 200))
            self.system.try_spawn(dice.choice(self.prefabs), place, dice.uniform(0, 360))

    def move(self, thing: Any) -> None:
        """Put it elsewhere, as it is."""
        if thing is not None:
            place = (self.dice.uniform(0, 200), self.dice.uniform(120, 200))
            thing.rigid._move_to(*place, self.dice.uniform(0, 360))

    def tie(self, thing: Any) -> None:
        """Join two living instances, where a step is not under way: then pymunk is in order."""
        others = [other for other in self.active if other.body.space is not None]
        if self.world.is_stepping or thing is None or thing.body.space is None or not others:
            return
        other = self.dice.choice(others)
        if other.body is not thing.body and {thing.kind, other.kind} & {0, 1}:
            self.world.space.add(pymunk.PivotJoint(thing.body, other.body, thing.body.position))

    def refuse(self, _: Any) -> None:
        if not self.world.is_stepping:
            return
        calls: tuple[Callable[[], object], ...] = (
            self.system.reset,
            lambda: self.scenes.load(Scene()),
        )
        for call in calls:
            try:
                call()
            except PoolError:
                self.note("refused")
            else:
                message = "a reset inside a step"
                raise RuntimeError(message)

    def call_after_the_step(self, thing: Any) -> None:
        if self.world.is_stepping:
            key = len(self.trace)
            self.world.space.add_post_step_callback(lambda *_: self.rage(thing), key)

    def run(self, steps: int) -> str:
        """Let it rage; return a digest of everything that happened."""
        for _ in range(40):
            self.bear(None)
        for number in range(steps):
            if self.own_step:
                self.world.step(STEP)
            else:
                self.world.space.step(STEP)
                self.world.sync()
            self.system.update(STEP)
            self.is_calm = number % 60 > 35
            if not self.is_calm:
                for _ in range(3):
                    self.bear(None)
                if self.active:
                    self.rage(self.dice.choice(self.active))
            elif number % 60 > 56 and self.active:
                self.kill(self.dice.choice(self.active))
            self.slept += sum(thing.body.is_sleeping for thing in self.active)
            self.check()
            self.trace += [(repr(t), t.body.position, t.position, t.rotation) for t in self.active]
            if number == steps // 2:
                self.system.reset()
                self.check()
        self.recycled = sum(pool.stats.recycled for pool in self.system.all_pools())
        self.system.dispose()
        space = self.world.space
        if space.bodies or space.constraints or len(space.shapes) != 1:
            message = "the dead are in the space"
            raise RuntimeError(message)
        return hashlib.sha256(repr(self.trace).encode()).hexdigest()

    def check(self) -> None:
        """Raise unless the space holds what belongs to the living, and nothing else."""
        limbs: list[Any] = [limb for thing in self.active for limb in thing.limbs if limb.active]
        rigid = [thing.rigid for thing in (*self.active, *limbs)]
        bodies = {id(body) for each in rigid for body in each.bodies}
        shapes = {id(shape) for each in rigid for shape in each.shapes}
        owned = {
            joint
            for pool in self.system.all_pools()
            for record in pool._records
            for joint in record.instance.rigid.joints
        }
        space = self.world.space
        if {id(body) for body in space.bodies} != bodies:
            raise RuntimeError(len(bodies), len(space.bodies))
        if len(space.shapes) != len(shapes) + 1:
            raise RuntimeError(len(shapes), len(space.shapes))
        if any(joint.a.space is None or joint.b.space is None for joint in space.constraints):
            message = "a joint of the dead"
            raise RuntimeError(message)
        for pool in self.system.all_pools():
            for record in pool._inactive:
                joints = {
                    joint for body in record.instance.rigid.bodies for joint in body.constraints
                }
                # One that a destroyed thing was built with is its own, as long as anybody holds it.
                ends = {joint: (owner_of(joint.a), owner_of(joint.b)) for joint in joints - owned}
                if any(None not in owners for owners in ends.values()):
                    message = "a joint of a former life"
                    raise RuntimeError(message)
        if space._add_later or space._remove_later:
            message = "something waits"
            raise RuntimeError(message)
        for pool in self.system.all_pools():
            stats = pool.stats
            if stats.created - stats.destroyed != stats.active + stats.inactive:
                raise RuntimeError(stats)


def main(seed: int, steps: int) -> None:
    """Print a digest of each kind of tempest."""
    for own_step in (True, False):
        for sleepy in (True, False):
            tempest = Tempest(seed, own_step=own_step, sleepy=sleepy)
            digest = tempest.run(steps)
            print(digest, len(tempest.trace), tempest.slept)  # noqa: T201 - its whole purpose


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
