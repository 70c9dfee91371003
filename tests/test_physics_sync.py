"""All sprites are moved to their bodies, whichever way is taken to do so."""

from __future__ import annotations

import weakref
from math import degrees
from typing import Any

import pygame
import pymunk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from physics_kit import Ball, balls
from poolkit import PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld

MANY = 24  # more than are read one by one

oddities = st.lists(
    st.sampled_from(["plain", "turned body", "turned sprite", "no rect", "other rect", "static"]),
    min_size=MANY,
    max_size=MANY,
)


class Feet(Ball):
    anchor = "midbottom"


def make_odd(sprite: Any, oddity: str) -> None:
    if oddity == "turned body":
        sprite.body.angle = 0.5
    elif oddity == "turned sprite":
        sprite.rotation = 90
    elif oddity == "no rect":
        sprite.rect = None
    elif oddity == "other rect":
        sprite.rect = pygame.FRect(0, 0, 6, 6)
    elif oddity == "static":
        sprite.body.velocity = (0, 0)


@given(oddities=oddities, others=st.integers(0, 3), frames=st.integers(1, 3))
def test_n08_sprites_are_where_their_bodies_are_whatever_is_unusual_about_them(
    oddities: list[str], others: int, frames: int
) -> None:
    system, world = PoolingSystem(), PhysicsWorld()
    ball = Prefab(balls(world), name="ball")
    for number in range(others):  # bodies of the game's own, between ours
        body = pymunk.Body(1, 1)
        body.angle = number
        world.space.add(body)
    sprites = system.spawn_many(ball, [(40 * number, 0) for number in range(MANY)])
    for number, sprite in enumerate(sprites):
        sprite.body.velocity = (number, 30)
    world.step(1 / 60)
    for sprite, oddity in zip(sprites, oddities, strict=True):
        make_odd(sprite, oddity)
    for _ in range(frames):
        world.step(1 / 60)
    for sprite in sprites:
        if sprite.rect is not None:
            x, y = sprite.body.position
            assert sprite.position == pytest.approx((x, y), abs=1e-3)
            assert sprite.rotation == pytest.approx(-degrees(sprite.body.angle))


@pytest.mark.parametrize("count", [3, MANY])
def test_n08_a_sprite_by_another_anchor_follows_its_body_too(count: int) -> None:
    system, world = PoolingSystem(), PhysicsWorld()
    sprites = [
        *system.spawn_many(Prefab(balls(world), name="ball"), [(0, 0)] * count),
        system.spawn(Prefab(lambda: Feet(world), name="feet"), (0, 0)),
    ]
    for sprite in sprites:
        sprite.body.velocity = (0, 60)
    world.step(1 / 60)
    assert [sprite.position for sprite in sprites] == [(0, 1)] * (count + 1)


def test_n08_one_that_is_gone_is_not_moved_and_not_kept_alive() -> None:
    system, world = PoolingSystem(), PhysicsWorld()
    ball = Prefab(balls(world), name="ball")
    sprites = system.spawn_many(ball, [(40 * number, 0) for number in range(MANY)])
    world.step(1 / 60)
    gone = sprites[3]
    gone.kill()
    gone.position = (-5, -5)
    other = system.spawn(ball, (7, 7))
    assert other is gone
    other.body.velocity = (60, 0)
    world.step(1 / 60)
    assert other.position == (8, 7)
    ends = [weakref.ref(sprite) for sprite in sprites]
    system.reset()
    sprites.clear()
    del gone, other
    assert [end for end in ends if end() is not None] == []
    world.step(1 / 60)
