"""All sprites are moved to their bodies, whichever way is taken to do so."""

from __future__ import annotations

import math
import weakref
from math import degrees
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_kit import Ball, balls
from poolkit import PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

MANY = 24


class Feet(Ball):
    anchor = "midbottom"


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


@pytest.mark.parametrize("count", [3, MANY])
@pytest.mark.parametrize("interpolate", [False, True])
def test_12_16_n08_a_body_whose_angle_is_no_number_stops_no_sprite_but_its_own(
    count: int, *, interpolate: bool
) -> None:
    system, world = PoolingSystem(), PhysicsWorld(interpolate=interpolate)
    ball = Prefab(balls(world), name="ball")
    sprites = system.spawn_many(ball, [(40 * number, 0) for number in range(count)])
    sprites[0].body.angle = math.nan
    for sprite in sprites[1:]:
        sprite.body.velocity = (0, 60)
    for move in (lambda: world.step(1 / 60), world.sync, lambda: world.step(1 / 60)):
        with pytest.raises(ValueError, match="must be finite"):
            move()
    assert [sprite.body.position.y for sprite in sprites[1:]] == [2] * (count - 1)
    assert all(1 <= sprite.position[1] <= 2 for sprite in sprites[1:])


class Crate(Ball):
    """A ball that lies still."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.body.body_type = pymunk.Body.STATIC


def _other_rect(sprite: Any, _: int) -> None:
    if sprite.body.body_type == pymunk.Body.DYNAMIC:
        sprite.rect = pygame.FRect(0, 0, 6, 6)
        sprite.body.activate()  # what rests is looked at when it moves


COME_AND_GO = ["spawn", "spawn", "kill", "kill", "crate", "feet", "post", "stranger", "gone"]
CHANGES: dict[str, Callable[[Any, int], object]] = {
    "turn": lambda sprite, choice: setattr(sprite.body, "angle", choice),
    "move": lambda sprite, choice: setattr(sprite.body, "position", (choice, -9000 - choice)),
    "sleep": lambda sprite, _: setattr(sprite.body, "velocity", (0, 0)),
    "turned by hand": lambda sprite, choice: setattr(sprite, "rotation", choice),
    "no rect": lambda sprite, _: setattr(sprite, "rect", None),
    "other rect": _other_rect,
}


class Post(Feet):
    """A static one by another anchor."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.body.body_type = pymunk.Body.STATIC


class Herd:
    """Sprites whose bodies come and go, fall asleep and turn, with strangers among them."""

    def __init__(self, count: int) -> None:
        self.system, self.world = PoolingSystem(), PhysicsWorld()
        self.world.space.sleep_time_threshold = 0.03
        self.kinds = {
            "spawn": Prefab(balls(self.world), name="ball"),
            "crate": Prefab(lambda: Crate(self.world), name="crate"),
            "feet": Prefab(lambda: Feet(self.world), name="feet"),
            "post": Prefab(lambda: Post(self.world), name="post"),
        }
        places = [(number, 90.0 * number) for number in range(count)]
        self.sprites: list[Any] = list(self.system.spawn_many(self.kinds["spawn"], places))
        self.strangers: list[pymunk.Body] = []

    def act(self, deed: str, choice: int, number: int) -> None:
        """Do something to one of them."""
        sprites, strangers, space = self.sprites, self.strangers, self.world.space
        sprite = sprites[choice % len(sprites)]
        if deed in self.kinds:
            sprites.append(self.system.spawn(self.kinds[deed], (choice, -90.0 * number)))
            if sprites[-1].body.body_type == pymunk.Body.DYNAMIC:
                sprites[-1].body.velocity = (choice, 3)
        elif deed == "kill" and len(sprites) > 1:
            sprites.remove(sprite)
            sprite.kill()
        elif deed == "stranger":
            strangers.append(pymunk.Body(1, 1, choice % 3))
            space.add(strangers[-1])
        elif deed == "gone" and strangers:
            space.remove(strangers.pop(choice % len(strangers)))
        elif deed in CHANGES:
            CHANGES[deed](sprite, choice)

    def check(self) -> None:
        """See that each is where its body is."""
        for each in self.sprites:
            if each.rect is None:
                continue
            assert each.position == pytest.approx(each.body.position, abs=1e-3)
            assert each.rotation == pytest.approx(-degrees(each.body.angle))


@settings(max_examples=150)
@given(
    deeds=st.lists(
        st.tuples(st.sampled_from([*COME_AND_GO, *CHANGES]), st.integers(0, 999)),
        min_size=1,
        max_size=40,
    ),
    count=st.sampled_from([3, MANY]),
    pause=st.integers(1, 6),
)
def test_n08_sprites_are_where_their_bodies_are_whatever_comes_and_goes(
    deeds: list[tuple[str, int]], count: int, pause: int
) -> None:
    herd = Herd(count)
    for number, (deed, choice) in enumerate(deeds):
        herd.act(deed, choice, number)
        if number % pause == 0:
            herd.world.step(1 / 60)
            herd.check()


@pytest.mark.parametrize("count", [2, 40])
def test_n08_what_a_body_is_turned_by_rounding_alone_turns_no_sprite(count: int) -> None:
    world = PhysicsWorld()
    ours = PoolingSystem().spawn_many(Prefab(balls(world)), [(40 * n, 0) for n in range(count)])
    for ball in ours:
        ball.body.angle = 1e-9
    ours[1].body.angle = 1.0
    images = [ball.image for ball in ours]
    world.sync()
    assert [ball.image is image for ball, image in zip(ours, images, strict=True)] == [
        number != 1 for number in range(count)
    ]
    assert (ours[0].rotation, ours[1].rotation) == (0, -degrees(1))
