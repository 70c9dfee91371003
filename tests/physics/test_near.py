"""`world.near` finds the living sprites near a point, the nearest first."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import pymunk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics_kit import STEP, Ball, balls
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Iterable


class Discs(PooledSprite):
    """Any number of round shapes, each a place beside the sprite and a radius."""

    def __init__(self, world: PhysicsWorld, *discs: tuple[float, float, float]) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 1)
        self.discs = discs
        shapes = [pymunk.Circle(self.body, radius, (x, y)) for x, y, radius in discs]
        for number, shape in enumerate(shapes):
            shape.sensor = number % 2 == 0
        self.add_component(RigidBody(world, self.body, *shapes))

    def distance(self, point: tuple[float, float]) -> float:
        x, y = self.position
        at = [math.dist(point, (x + dx, y + dy)) - radius for dx, dy, radius in self.discs]
        return min(at)


class Rings(Discs): ...


NUMBERS = st.integers(-9, 9)  # few enough for equal distances, and for some that just reach it
SPRITES = st.lists(
    st.tuples(
        st.sampled_from([Discs, Rings]),
        st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(1, 4)), min_size=1, max_size=3),
        st.tuples(NUMBERS, NUMBERS),
        st.sampled_from(["stays", "stays", "moves", "dies", "dies in the step"]),
    ),
    max_size=8,
)


@given(
    sprites=SPRITES,
    point=st.tuples(NUMBERS, NUMBERS),
    radius=st.integers(0, 12),
    kind=st.sampled_from([PooledSprite, Discs, Rings]),
    place=st.sampled_from(["in a step", "outside"]),
)
def test_near_finds_what_a_look_at_all_that_live_finds(
    sprites: list[Any],
    point: tuple[float, float],
    radius: float,
    kind: type[PooledSprite],
    place: str,
) -> None:
    world, system = PhysicsWorld(), PoolingSystem()
    alive: list[Any] = []
    doomed: list[PooledSprite] = []
    for maker, discs, at, fate in sprites:
        sprite: Any = system.spawn(Prefab(partial(maker, world, *discs)), at)
        if fate == "moves":
            sprite.position = (-at[1], at[0])
        if "dies" not in fate:
            alive.append(sprite)
        elif fate == "dies":
            sprite.kill()
        else:
            doomed.append(sprite)

    def look(*_: object) -> None:
        for sprite in doomed:
            sprite.kill()
        found: list[Any] = [*world.near(point, radius, kind)]
        of_kind: list[Any] = [one for one in alive if isinstance(one, kind)]
        expected = [one for one in of_kind if one.distance(point) <= radius]
        # Sorting is stable, and they entered the space in this order.
        assert found == sorted(expected, key=lambda one: one.distance(point))

    if place == "in a step":
        world.space.add_post_step_callback(look, 1)
        world.step(STEP)
    look()


def names(sprites: Iterable[PooledSprite]) -> list[str]:
    return [type(sprite).__name__ for sprite in sprites]


@pytest.mark.parametrize("place", ["begin", "pre_solve", "post_solve", "separate"])
def test_near_works_in_every_callback_of_a_step(
    system: PoolingSystem, world: PhysicsWorld, place: str
) -> None:
    class Blast(Ball): ...

    found: list[list[str]] = []

    def burst(*_: object) -> None:
        system.spawn(blast, (3, 0))  # which enters the space at the end of the step
        one.kill()
        found.append(names(world.near((0, 0), 50)))

    blast = Prefab(partial(Blast, world))
    one, two = system.spawn_many(balls(world), [(0, 0), (12, 0)])
    callbacks: dict[str, Any] = {place: burst}
    world.on_collision(1, 1, **callbacks)
    for _ in range(2):
        world.step(STEP)
        two.body.velocity = (9000, 0)
    assert found
    assert found[0] == (["Ball"] if place != "separate" else [])
    assert "Blast" in names(world.near((0, 0), 50))
