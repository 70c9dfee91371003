"""A seeded storm with everything that a space can hold.

Bodies with several shapes, sensors, joints between pooled instances, lifts, walls, sleepers; births
and deaths, recycled ones too, and resets that are refused, in every callback, hook and function.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import STEP, Ball
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
from poolkit.physics.snapshot import owner_of
from poolkit.scenes import Scene, SceneManager
from recorder import assert_counts, demand

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

CROWD = 90


class Thing(PooledSprite):
    """A sprite with a body of some kind, whose hooks join in the storm."""

    def __init__(self, tempest: Tempest, kind: int) -> None:
        super().__init__()
        self.tempest, self.kind = tempest, kind
        body_type = (pymunk.Body.DYNAMIC,) * 2 + (pymunk.Body.KINEMATIC, pymunk.Body.STATIC)
        self.body = pymunk.Body(2, 60, body_type[kind])
        self.box = pymunk.Poly.create_box(self.body, (12, 4))
        core, sensor = (pymunk.Circle(self.body, radius) for radius in (5 + kind, 11))
        parts: list[Any] = [core, self.box, sensor]
        for part in parts:
            part.collision_type = kind
            part.friction = part.elasticity = 0.5
        sensor.sensor = True
        if kind == 1:
            tail = pymunk.Body(1, 20)
            tail.position = (14, 0)
            parts += [tail, pymunk.Circle(tail, 3), pymunk.PinJoint(self.body, tail)]
        if kind == 0 and tempest.active:
            other = tempest.dice.choice(tempest.active)  # which may be destroyed before this one
            parts.append(pymunk.SlideJoint(self.body, other.body, (0, 0), (0, 0), 0, 60))
        self.rigid = self.add_component(RigidBody(tempest.world, self.body, *parts))
        self.add_component(ResetPooledBodyComponent())
        count = 2 if kind == 2 else 0  # which touch the body of the whole
        self.limbs = [Ball(tempest.world, kind=kind, radius=4) for _ in range(count)]
        for place, limb in enumerate(self.limbs):
            self.add_child(limb, (5 * place, 3))

    def spawned(self) -> None:
        demand(not self.box.radius, self.box.radius)
        if self.kind % 2:
            self.scope.start(self.linger())
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
        self.tempest.rage(self, 0.05)

    def linger(self) -> Generator[float, None, None]:
        try:
            yield 1e9
        finally:
            self.collected()

    def __del__(self) -> None:
        self.collected()

    def collected(self) -> None:
        """Act in a finalizer, where a scope that is closed as usual finds no life."""
        if self.active:
            self.tempest.act_collected(self)

    def drift(self, body: pymunk.Body, *given: Any) -> None:
        pymunk.Body.update_velocity(body, *given)
        self.tempest.rage(self, 0.02)

    def move(self, body: pymunk.Body, dt: float) -> None:
        pymunk.Body.update_position(body, dt)
        self.tempest.rage(self, 0.02)


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
        self.scenes.push(Scene())
        self.trace: list[object] = []
        self.depth = 0
        self.is_calm = self.is_after_step = False
        self.slept = self.recycled = 0
        floor = pymunk.Segment(self.world.space.static_body, (-500, 220), (700, 220), 5)
        self.world.space.add(floor)
        recycling = PoolSettings(limit=9, overflow=RecycleOldest())
        exceeding = PoolSettings(limit=8, overflow=Exceed())
        policies = [recycling, exceeding, PoolSettings(prespawn=5), PoolSettings()]
        self.prefabs = [
            Prefab(partial(Thing, self, kind), name=f"thing {kind}", settings=policy)
            for kind, policy in enumerate(policies)
        ]
        meetings = dict.fromkeys(["begin", "pre_solve", "post_solve"], self.meet)
        for one, other in combinations_with_replacement(range(4), 2):
            self.world.on_collision(one, other, separate=self.part, **meetings)
        self.world.on_contact(Thing, PooledSprite, self.touch)

    @property
    def active(self) -> list[Thing]:
        return [thing for pool in self.system.all_pools() for thing in pool.active]

    def note(self, what: str, *things: object) -> None:
        self.trace.append((what, *map(repr, things)))

    def meet(self, arbiter: Any, *_: object) -> None:
        if self.dice.random() < 0.03:
            self.note("meet", *(self.world.sprite_of(shape) for shape in arbiter.shapes))
            near = self.world.near((100, 150), 50)
            demand(all(sprite.active for sprite in near), "the dead are near")
            self.note("near", *near)
            self.rage(self.world.sprite_of(arbiter.shapes[0]))

    def touch(self, thing: Thing, other: PooledSprite, _: pymunk.Arbiter) -> object:
        demand(thing.active and other.active, "a contact of the dead")
        fate = self.dice.random()
        if fate < 0.02:
            self.note("touch", thing, other)
            self.rage(other)
        return fate < 0.9

    def part(self, separation: Any, *_: object) -> None:
        self.note("part", *(self.world.sprite_of(shape) for shape in separation.shapes))
        self.rage(self.world.sprite_of(separation.shapes[1]), 0.03)

    def rage(self, thing: Any, probability: float = 1) -> None:
        """Do something terrible."""
        if self.is_calm or self.depth > 2 or self.dice.random() >= probability:
            return
        self.depth += 1
        self.dice.choice(self.acts())(thing)
        self.depth -= 1

    def acts(self) -> list[Callable[[Any], object]]:
        return [
            *[self.kill] * 2,
            *[self.bear] * 4,
            self.tie,
            self.refuse,
            self.call_after_the_step,
            lambda _: self.system.despawn_where(lambda _: self.dice.random() < 0.1),
            lambda _: self.kill(self.dice.choice([*self.active, None])),
            self.move,
        ]

    def kill(self, thing: Any) -> None:
        if thing is not None:
            thing.kill()

    def place(self) -> tuple[float, float]:
        return self.dice.uniform(0, 200), self.dice.uniform(120, 200)

    def bear(self, _: Any) -> None:
        if len(self.active) < CROWD:
            prefab = self.dice.choice(self.prefabs)
            self.system.try_spawn(prefab, self.place(), self.dice.uniform(0, 360))

    def move(self, thing: Any) -> None:
        """Put it elsewhere, as it is."""
        if thing is not None:
            thing.position, thing.rotation = self.place(), self.dice.uniform(0, 360)

    def tie(self, thing: Any) -> None:
        """Join two living instances, where a step is not under way: then pymunk is in order."""
        others = [other for other in self.active if other.body.space is not None]
        if self.world.is_stepping or thing is None or thing.body.space is None or not others:
            return
        other = self.dice.choice(others)
        if other.body is not thing.body and {thing.kind, other.kind} & {0, 1}:
            self.world.space.add(pymunk.PivotJoint(thing.body, other.body, thing.body.position))

    def refuse(self, _: Any) -> None:
        if self.world.is_stepping:
            with pytest.raises(PoolError):
                self.system.reset()
            with pytest.raises(PoolError):
                self.scenes.load(Scene())
            self.note("refused")

    def call_after_the_step(self, thing: Any) -> None:
        if self.world.is_stepping and not self.is_after_step:
            self.world.space.add_post_step_callback(self.rage_late, len(self.trace), thing)

    def rage_late(self, _space: object, _key: object, thing: Any) -> None:
        self.is_after_step = True  # when pymunk takes no more such callbacks
        self.rage(thing)
        self.is_after_step = False

    def act_collected(self, thing: Thing) -> None:
        """Do something terrible while the world is gone."""
        self.is_calm = True  # what touches pymunk itself is the game's own fault
        acts: list[Callable[[], object]] = [
            *[thing.kill] * 3,
            lambda: thing.remove_component(thing.rigid),
            lambda: setattr(thing, "position", self.place()),
            lambda: self.system.spawn(self.dice.choice(self.prefabs)),
            self.system.reset,
        ]
        with contextlib.suppress(PoolError):  # of what enters a world that is gone
            self.dice.choice(acts)()
            thing.kill()

    def drop(self, steps: int) -> str:
        """Let it rage, with no reset at its end; return a digest of everything that happened."""
        self.play(range(steps))
        return self.digest()

    def run(self, steps: int) -> str:
        """Let it rage, with two resets; return a digest of everything that happened."""
        middle = steps // 2 + 1
        self.play(range(middle))
        reports = list(self.system.reset().pools)
        self.check()
        self.play(range(middle, steps))
        reports += self.system.dispose().pools
        self.recycled = sum(report.stats.recycled for report in reports)
        space = self.world.space
        left = space.bodies or space.constraints or len(space.shapes) != 1
        demand(not left, "the dead are in the space")
        return self.digest()

    def digest(self) -> str:
        return hashlib.sha256(repr(self.trace).encode()).hexdigest()

    def play(self, steps: range) -> None:
        for _ in range(0 if steps.start else 40):
            self.bear(None)
        for number in steps:
            if self.own_step:
                self.world.step(STEP)
            else:
                self.world.space.step(STEP)
                self.world.sync()
            self.system.update(STEP)
            self.is_calm = number % 60 > 35
            one = self.dice.choice([*self.active, None])
            if not self.is_calm:
                for _ in range(3):
                    self.bear(None)
                self.rage(one)
            elif number % 60 > 56:
                self.kill(one)
            self.slept += sum(thing.body.is_sleeping for thing in self.active)
            self.check()
            self.trace += [(repr(t), t.body.position, t.position, t.rotation) for t in self.active]

    def check(self) -> None:
        """Raise unless the space holds what belongs to the living, and nothing else."""
        limbs: list[Any] = [limb for thing in self.active for limb in thing.limbs if limb.active]
        rigid = [thing.rigid for thing in (*self.active, *limbs)]
        bodies = {id(body) for component in rigid for body in component.bodies}
        shapes = {id(shape) for component in rigid for shape in component.shapes}
        owned = {
            joint
            for pool in self.system.all_pools()
            for record in pool._records
            for joint in record.instance.rigid.joints
        }
        space = self.world.space
        demand({id(body) for body in space.bodies} == bodies, (len(bodies), len(space.bodies)))
        demand(len(space.shapes) == len(shapes) + 1, (len(shapes), len(space.shapes)))
        for joint in space.constraints:
            demand(joint.a.space and joint.b.space, "a joint of the dead")
        for pool in self.system.all_pools():
            for record in pool.inactive:
                # One that a destroyed thing was built with is its own, as long as anybody holds it.
                for body in record.instance.rigid.bodies:
                    for joint in body.constraints - owned:
                        owners = owner_of(joint.a), owner_of(joint.b)
                        demand(None in owners, "a joint of a former life")
        assert_counts(self.system)
        demand(not (space._add_later or space._remove_later), "something waits")
