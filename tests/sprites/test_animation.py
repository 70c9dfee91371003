"""Animations: what is shown when, beside a naive counter of each sprite's own."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import Animation, PooledSprite, PoolError, PoolingSystem, Prefab
from poolkit.core.clock import ROUNDING
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable


def images(*sizes: tuple[int, int]) -> list[pygame.Surface]:
    return [pygame.Surface(size) for size in sizes]


EVEN = images(*[(8, 4)] * 5)
UNEVEN = images((8, 4), (2, 6), (12, 12), (8, 4))
SINGLE = images((6, 6))
REELS = EVEN, UNEVEN, SINGLE
SPEEDS = 3, 8, 12.5, 60, 5000


class Walker(PooledSprite):
    anchor = "midbottom"

    def __init__(self, frames: list[pygame.Surface] = EVEN, fps: float = 8, **how: Any) -> None:
        super().__init__(frames[0])
        self.animation = self.add_component(Animation(frames, fps, **how))


@dataclass
class Naive:
    """A life, and the counter by hand that says what it shows."""

    sprite: Walker
    loops: bool
    began: float
    reel: list[pygame.Surface]
    fps: float
    start: int = 0

    def place(self, now: float) -> int:
        place = self.start + int((now - self.began + ROUNDING) * self.fps)
        return place % len(self.reel) if self.loops else min(place, len(self.reel) - 1)

    def is_over(self, now: float) -> bool:
        end = self.began + (len(self.reel) - self.start) / self.fps
        return not self.loops and now + ROUNDING >= end


class Stage:
    """Sprites of all kinds that are spawned, moved, turned, told to play others, and killed."""

    def __init__(self) -> None:
        self.system = PoolingSystem()
        self.now = 0.0
        self.naive: list[Naive] = []
        self.over: list[object] = []
        self.prefabs = {
            (reel, speed, loops): self.prefab(REELS[reel], speed, loops=loops)
            for reel in range(len(REELS))
            for speed in range(len(SPEEDS))
            for loops in (True, False)
        }

    def prefab(self, reel: list[pygame.Surface], speed: int, *, loops: bool) -> Prefab[Walker]:
        then = None if loops else lambda: self.over.append(None)
        start = speed % len(reel)
        return Prefab(lambda: Walker(reel, SPEEDS[speed], then=then, start=start))

    def spawn(self, number: int, amount: int) -> None:
        number, speed, loops = number % 3, amount % 5, amount % 2 == 0
        sprite = self.system.spawn(self.prefabs[number, speed, loops], (50, 60), 45 * (amount % 4))
        reel = REELS[number]
        start = speed % len(reel)
        self.naive.append(Naive(sprite, loops, self.now, reel, SPEEDS[speed], start))

    def wait(self, number: int, amount: int) -> None:
        dt = (amount if number % 9 else amount * 100) / 1024
        due = [run.is_over(self.now) for run in self.naive]
        self.over.clear()
        self.now += dt
        self.system.update(dt)
        ended = [run.is_over(self.now) for run in self.naive]
        assert len(self.over) == sum(ended) - sum(due)

    def play(self, number: int, amount: int) -> None:
        for naive in self.naive[-1 - number % 4 :][:1]:
            reel = REELS[amount % 3] if number % 3 else naive.reel  # any, or what it plays
            fps = SPEEDS[amount % 5] if amount % 4 else None
            naive.sprite.animation.play(reel, fps)
            if reel is not naive.reel or naive.is_over(self.now):
                naive.reel, naive.start = reel, 0
            elif fps in {None, naive.fps}:
                continue
            else:
                naive.start = naive.place(self.now)
            naive.began, naive.fps = self.now, fps or naive.fps

    def turn(self, number: int, amount: int) -> None:
        for naive in self.naive[number % 4 :][:1]:
            naive.sprite.rotation = amount
            naive.sprite.position = (amount, number)
            self.check()

    def kill(self, number: int, amount: int) -> None:
        for naive in self.naive[(number + amount) % 4 :][:1]:
            naive.sprite.kill()
            self.naive.remove(naive)

    def check(self) -> None:
        for naive in self.naive:
            sprite, place = naive.sprite, naive.place(self.now)
            position, rotation = sprite.position, sprite.rotation
            assert sprite.animation.done is naive.is_over(self.now)
            if not rotation:
                assert sprite.image is naive.reel[place]
            twin = PooledSprite(naive.reel[place])
            twin.rotation = rotation
            assert sprite.image is not None
            assert twin.image is not None
            assert sprite.image.get_size() == twin.image.get_size()
            assert sprite.rect.size == twin.rect.size
            assert sprite.position == position == sprite.rect.midbottom
        queues = self.system._context.extras.get(Animation, {}).values()
        running = [animation.sprite for queue in queues for bucket in queue for animation in bucket]
        assert {*running} <= {run.sprite for run in self.naive}
        assert len(running) == len({*running})


ACTS = [Stage.spawn, Stage.spawn, Stage.wait, Stage.wait, Stage.wait, Stage.play, Stage.turn]
ACTS += [Stage.kill]


@settings(max_examples=150)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(ACTS), st.integers(0, 40), st.integers(0, 200)),
        min_size=5,
        max_size=40,
    )
)
def test_an_animation_shows_what_a_counter_in_each_sprite_would(
    steps: list[tuple[Callable[..., None], int, int]],
) -> None:
    stage = Stage()
    for act, number, amount in steps:
        act(stage, number, amount)
        stage.check()


def test_a_life_may_begin_at_any_frame(system: PoolingSystem) -> None:
    prefab = Prefab(lambda: Walker(start="random"))
    seen = set()
    for _ in range(60):
        walker = system.spawn(prefab)
        seen.add(EVEN.index(walker.image))
        walker.kill()
    assert seen == {*range(5)}


def test_then_kills_or_calls_when_the_last_frame_has_had_its_time(system: PoolingSystem) -> None:
    spark = system.spawn(Prefab(lambda: Walker(SINGLE, 4, then="kill")))
    walker = system.spawn(Prefab(lambda: Walker(EVEN, 10, loop=False)))
    system.update(0.2)
    assert spark.active
    system.update(0.05)
    assert not spark.active
    system.update(1)
    assert walker.animation.done
    assert walker.image is EVEN[-1]
    walker.animation.play(EVEN)
    assert (walker.image, walker.animation.done) == (EVEN[0], False)


def test_frames_played_in_spawned_are_those_of_that_life(system: PoolingSystem) -> None:
    class Coin(Walker):
        def spawned(self, look: list[pygame.Surface]) -> None:
            self.animation.play(look, 20)

    coin = system.spawn(Coin, look=UNEVEN)
    assert coin.image is UNEVEN[0]
    system.update(0.05)
    assert coin.image is UNEVEN[1]
    assert repr(coin.animation) == "<Animation(4 frames, 20 fps)>"
    coin.kill()
    with pytest.raises(PoolError, match="not alive"):
        coin.animation.play(EVEN)


def test_a_body_is_not_moved_by_the_frames_of_its_sprite(system: PoolingSystem) -> None:
    world = PhysicsWorld()

    class Roller(Walker):
        anchor = "center"

        def __init__(self) -> None:
            super().__init__(UNEVEN, 30)
            self.body = pymunk.Body(1, 10)
            self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 4)))

    roller = system.spawn(Roller, (40, 40), 30)
    roller.body.angular_velocity = 1
    for _ in range(20):
        before = roller.body.position, roller.body.angle
        system.update(1 / 60)
        assert (roller.body.position, roller.body.angle) == before
        world.step(1 / 60)
        assert roller.position == pytest.approx((40, 40))


def test_nobody_keeps_what_was_detached_discarded_or_taken_off(system: PoolingSystem) -> None:
    walkers = [system.spawn(Walker) for _ in range(3)]
    system.detach(walkers[0])
    system.discard(walkers[1])
    walkers[2].remove_component(walkers[2].animation)
    shown = [walker.image for walker in walkers]
    system.update(0.2)
    system.update(0.2)
    assert [walker.image for walker in walkers][1:] == shown[1:]
    gone = [weakref.ref(walker) for walker in walkers]
    system.discard(walkers[2])
    del walkers
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


def test_a_life_that_survives_a_reset_goes_on_and_others_leave_nothing(
    system: PoolingSystem,
) -> None:
    walker = system.spawn(Walker, persistent=True)
    gone = weakref.ref(system.spawn(Walker))
    system.reset()
    assert gone() is None
    system.update(0.125)
    assert walker.image is EVEN[1]


def test_an_image_that_fails_stops_no_other_animation(system: PoolingSystem) -> None:
    class Torn(Walker):
        @property
        def image(self) -> Any:
            return None

        @image.setter
        def image(self, image: pygame.Surface | None) -> None:
            if image is EVEN[1]:
                raise ValueError(image)

    system.spawn(Torn)
    walker = system.spawn(Walker)
    with pytest.raises(ValueError, match="Surface") as caught:
        system.update(0.125)
    assert "in an animation of <Torn" in caught.value.__notes__[0]
    assert walker.image is EVEN[1]
