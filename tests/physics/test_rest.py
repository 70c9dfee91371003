"""Bodies at rest cost nothing: sprites of static and sleeping bodies are passed over."""

from __future__ import annotations

from typing import Any

import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_kit import STEP
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, RigidBody, chipmunk

KINDS = (pymunk.Body.DYNAMIC, pymunk.Body.KINEMATIC, pymunk.Body.STATIC)


class Stone(PooledSprite):
    """Counts how often it is moved."""

    anchor = "midtop"  # a centred sprite may be moved without this being called

    def __init__(self, world: PhysicsWorld, kind: int) -> None:
        super().__init__()
        self.moves = 0
        self.body = pymunk.Body(1, 1, kind)
        self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 3)))

    def _move_to(self, x: float, y: float, rotation: float) -> None:
        self.moves += 1
        super()._move_to(x, y, rotation)


def stones(world: PhysicsWorld, kind: int) -> Prefab[Stone]:
    return Prefab(lambda: Stone(world, kind))


def moves(crowd: list[Stone]) -> list[int]:
    counts = [stone.moves for stone in crowd]
    for stone in crowd:
        stone.moves = 0
    return counts


@pytest.mark.parametrize("interpolate", [False, True])
def test_n08_static_and_sleeping_bodies_cost_nothing_until_they_move(
    system: PoolingSystem, *, interpolate: bool
) -> None:
    world = PhysicsWorld(interpolate=interpolate)
    world.space.sleep_time_threshold = 0.5
    walls = system.spawn_many(stones(world, KINDS[2]), [(0, 50.0 * n) for n in range(20)])
    sleepers = system.spawn_many(stones(world, KINDS[0]), [(100, 50.0 * n) for n in range(20)])
    awake = system.spawn_many(stones(world, KINDS[0]), [(200, 50.0 * n) for n in range(20)])
    for sleeper in sleepers:
        sleeper.body.sleep()
    for _ in range(4):
        for one in awake:
            one.body.velocity = (60, 0)
        world.step(STEP)
    for crowd in (walls, sleepers, awake):
        moves(crowd)
    newcomers = stones(world, KINDS[0])
    for number in range(5):  # others come and go, which changes nothing for those at rest
        newcomer = system.spawn(newcomers, (900, 0))
        for one in awake:
            one.body.velocity = (60, 0)
        world.step(STEP)
        if number % 2:
            newcomer.kill()
    assert moves(walls) == moves(sleepers) == [0] * 20
    assert moves(awake) == [5] * 20
    walls[3].body.position = (7, 8)
    world.step(STEP)
    assert walls[3].position == (7, 8)
    sleepers[4].body.activate()
    sleepers[4].body.velocity = (60, 0)
    for _ in range(3):
        world.step(STEP)
    assert sleepers[4].position[0] > 100
    moves(walls)
    world.sync()
    assert moves(walls) == [1] * 20


def _do(action: str, stone: Stone, amount: float, world: PhysicsWorld) -> None:
    body = stone.body
    if action == "d":
        stone.kill()
    elif action == "m":
        body.position += (amount, 1)
    elif action == "r" and body.body_type != KINDS[2]:
        body.velocity = (amount * 30, 4)
    elif action == "t":
        body.angle += amount
    elif action == "z" and body.body_type == KINDS[0]:
        body.velocity = (0, 0)
        for _ in range(8):
            world.step(0.02)
    elif action == "w" and stone.components:
        stone.remove_component(stone.components[0])


@settings(max_examples=40)
@given(
    script=st.lists(
        st.tuples(st.sampled_from("sdmrtzw"), st.integers(0, 60), st.floats(-3, 3)), max_size=25
    ),
    interpolate=st.booleans(),
)
def test_n08_passing_over_bodies_at_rest_shows_what_reading_each_shows(
    script: list[tuple[str, int, float]], *, interpolate: bool
) -> None:
    traces = []
    for reader_of in (chipmunk.reader_of, lambda _: None):
        system = PoolingSystem()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("poolkit.physics.sync.reader_of", reader_of)
            world = PhysicsWorld(interpolate=interpolate, timestep=0.02)
            world.space.sleep_time_threshold = 0.1
            prefabs = [stones(world, kind) for kind in KINDS]
            crowd = [system.spawn(prefabs[n % 3], (20.0 * n, 0)) for n in range(18)]
            trace: list[Any] = []
            for action, number, amount in script:
                if action == "s":
                    crowd.append(system.spawn(prefabs[number % 3], (number, 50), amount * 50))
                elif crowd[number % len(crowd)].active:
                    _do(action, crowd[number % len(crowd)], amount, world)
                world.step(0.013)
                trace.append([(s.position, s.rotation, s.active) for s in crowd])
        traces.append(trace)
    assert traces[0] == traces[1]
