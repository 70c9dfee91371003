"""What a checkpoint costs, taken and restored, beside what you would write for the one case."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame
import pymunk
from pygame import Vector2

from benchmarks.kinds import IMAGE
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, Work
from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.checkpoints import Checkpoint
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from poolkit.swarms import Swarm, Vec2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COPIED = "Space.copy() alone"
BUILT = "built anew"
WORLDS, BOXES = 64, 20  # as for training, or for tests


class Orc(PooledSprite):
    """A sprite with a velocity and a number."""

    def __init__(self) -> None:
        super().__init__(IMAGE)
        self.velocity, self.hp = Vector2(), 0

    def spawned(self) -> None:
        """Begin."""
        self.velocity.update(3, 4)
        self.hp = 30


class PlainOrc(pygame.sprite.Sprite):
    """The same without poolkit."""

    def __init__(self, *groups: Any) -> None:
        super().__init__(*groups)
        self.image, self.rect = IMAGE, IMAGE.get_frect()
        self.velocity, self.hp = Vector2(3, 4), 30


def _repeat(act: Callable[[], object]) -> Work:
    def work(pieces: int) -> None:
        for _ in range(pieces):
            act()

    return work


def _sprites_of_pools(count: int) -> Work:
    system, group = PoolingSystem(), PooledGroup[Any]()
    orc = Prefab(Orc, groups=[group])
    for number in range(count):
        system.spawn(orc, (number, number))
    return _repeat(lambda: Checkpoint(system).restore())


def _sprites_by_hand(count: int) -> Work:
    group: Any = pygame.sprite.Group()
    for number in range(count):
        orc: Any = PlainOrc(group)
        orc.rect.center = number, number

    def take_and_restore() -> None:
        saved = [(one, one.image, one.rect.copy(), one.velocity.copy(), one.hp) for one in group]
        state = random.getstate()
        sprites = [one for one, *_ in saved]
        if group.sprites() != sprites:
            group.empty()
            group.add(*sprites)
        for sprite, image, rect, velocity, hp in saved:
            sprite.image, sprite.hp = image, hp
            sprite.rect.update(rect)
            sprite.velocity.update(velocity)
        random.setstate(state)

    return _repeat(take_and_restore)


class Box(PooledSprite):
    """A box in a pile."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(IMAGE)
        body = pymunk.Body(1, pymunk.moment_for_box(1, (16, 16)))
        self.add_component(RigidBody(world, body, pymunk.Poly.create_box(body, (16, 16))))
        self.add_component(ResetPooledBodyComponent())


def _pile(count: int) -> tuple[PoolingSystem, PhysicsWorld]:
    system, world = PoolingSystem(), PhysicsWorld(gravity=(0, 500))
    ground = pymunk.Body(body_type=pymunk.Body.STATIC)
    world.space.add(ground, pymunk.Segment(ground, (-50, 300), (450, 300), 5))
    box = Prefab(lambda: Box(world), name="box")
    for number in range(count):
        system.spawn(box, (number % 20 * 17 + number // 20 % 2 * 5, 290 - number // 20 * 17))
    for _ in range(90):
        world.step(1 / 60)
    return system, world


def _bodies_of_pools(count: int) -> Work:
    system, world = _pile(count)
    return _repeat(lambda: Checkpoint(system, worlds=[world]).restore())


def _bodies_copied(count: int) -> Work:
    _, world = _pile(count)
    return _repeat(world.space.copy)


def _space(count: int) -> pymunk.Space:
    """Return a pile as it begins, without poolkit."""
    space = pymunk.Space()
    space.gravity = 0, 500
    space.add(pymunk.Segment(space.static_body, (-50, 300), (450, 300), 5))
    for number in range(count):
        body = pymunk.Body(1, pymunk.moment_for_box(1, (16, 16)))
        body.position = number % 20 * 17, 290
        space.add(body, pymunk.Poly.create_box(body, (16, 16)))
    return space


def _worlds_restored() -> Work:
    worlds = [_pile(BOXES) for _ in range(WORLDS)]
    starts = [Checkpoint(system, worlds=[world]) for system, world in worlds]

    def reset() -> None:
        for start in starts:
            start.restore()

    return _repeat(reset)


def _worlds_built() -> Work:
    spaces: list[pymunk.Space] = []
    return _repeat(lambda: spaces.__setitem__(slice(None), map(_space, [BOXES] * WORLDS)))


def _worlds_stepped() -> Work:
    worlds = [world for _, world in (_pile(BOXES) for _ in range(WORLDS))]
    return _repeat(lambda: [world.step(1 / 60) for world in worlds])


def _spaces_stepped() -> Work:
    spaces = [_space(BOXES) for _ in range(WORLDS)]

    def step() -> None:
        for space in spaces:
            space.step(1 / 60)

    for _ in range(90):
        step()
    return _repeat(step)


class Sparks(Swarm):
    """Sparks with two columns of their own."""

    velocity: Vec2
    heat: int = 3


def _sparks(count: int) -> tuple[PoolingSystem, Sparks]:
    system = PoolingSystem()
    sparks = Sparks(2, limit=count, system=system)
    places = np.random.default_rng(1).uniform(0, 300, (count, 2))
    sparks.spawn_many(count, position=places, velocity=places)
    return system, sparks


def _rows_of_swarms(count: int) -> Work:
    system, _ = _sparks(count)
    return _repeat(lambda: Checkpoint(system).restore())


def _rows_by_hand(count: int) -> Work:
    _, sparks = _sparks(count)
    names = "position", "velocity", "age", "frame", "heat"

    def take_and_restore() -> None:
        saved = [(name, getattr(sparks, name).copy()) for name in names]
        for name, column in saved:
            getattr(sparks, name)[:] = column

    return _repeat(take_and_restore)


def checkpoints(size: Size) -> Iterator[Contest]:
    """Yield the contests: sprites, a pile, a swarm; and 64 worlds of 20 boxes, as for training."""
    few = max(10, size(1_000))
    ways = {POOLKIT: _sprites_of_pools(few), BY_HAND: _sprites_by_hand(few)}
    name = "a checkpoint taken and restored: 1,000 plain sprites"
    yield Contest(name, ways, turns=15, samples=3, most=4.0)
    few = max(10, size(300))
    ways = {POOLKIT: _bodies_of_pools(few), COPIED: _bodies_copied(few)}
    yield Contest("... 300 boxes in a pile", ways, turns=6, samples=2, most=0.2, to=COPIED)
    few = max(10, size(20_000))
    ways = {POOLKIT: _rows_of_swarms(few), BY_HAND: _rows_by_hand(few)}
    yield Contest("... a swarm of 20,000", ways, turns=15, samples=10, most=12.0)
    ways = {POOLKIT: _worlds_restored(), BUILT: _worlds_built()}
    yield Contest(f"{WORLDS} worlds are put back", ways, turns=6, samples=2, to=BUILT)
    ways = {POOLKIT: _worlds_stepped(), BY_HAND: _spaces_stepped()}
    yield Contest(f"{WORLDS} worlds go a step", ways, turns=15, samples=5)
