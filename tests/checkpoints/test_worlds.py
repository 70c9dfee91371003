"""Checkpoints of worlds with bodies: piles, joints, sleep, interpolation; and of swarms."""

# ruff: noqa: S311 - a game's dice
from __future__ import annotations

import gc
import random
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab, RecycleOldest
from poolkit.checkpoints import Checkpoint, CheckpointError, Rewind
from poolkit.physics import (
    PhysicsWorld,
    ResetPooledBodyComponent,
    RigidBody,
    restoring,
    space_memory,
)
from poolkit.swarms import Swarm, Vec2

if TYPE_CHECKING:
    from collections.abc import Iterator


class Box(PooledSprite):
    hits: int = 0

    def __init__(self, game: Quarry) -> None:
        super().__init__(pygame.Surface((16, 16)))
        body = pymunk.Body(1, pymunk.moment_for_box(1, (16, 16)))
        shape = pymunk.Poly.create_box(body, (16, 16))
        shape.friction = 0.6
        self.rigid = self.add_component(RigidBody(game.world, body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        self.scope.after(random.uniform(1, 6), self.kill)


class Chain(PooledSprite):
    def __init__(self, game: Quarry) -> None:
        super().__init__(pygame.Surface((8, 8)))
        a, b = pymunk.Body(1, 20), pymunk.Body(1, 20)
        b.position = 14, 0
        shapes = pymunk.Circle(a, 5), pymunk.Circle(b, 5)
        spring = pymunk.DampedSpring(a, b, (0, 0), (0, 0), 14, 200, 4)
        pivot = pymunk.PivotJoint(a, b, (7, 0), (-7, 0))
        self.rigid = self.add_component(RigidBody(game.world, a, b, *shapes, spring, pivot))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        self.scope.after(random.uniform(1, 4), self.kill)


class Quarry:
    """Boxes and chains that fall, touch, kill each other in contacts, are tied and fall asleep."""

    def __init__(self, seed: int, *, sleepy: bool = False, interpolate: bool = False) -> None:
        random.seed(seed)
        self.system, self.group = PoolingSystem(), PooledGroup[Any]()
        self.world = PhysicsWorld(gravity=(0, 500), interpolate=interpolate)
        space = self.world.space
        if sleepy:
            space.sleep_time_threshold = 0.4
        self.ground = pymunk.Body(body_type=pymunk.Body.STATIC)
        walls = [((-50, 300), (450, 300)), ((-50, 0), (-50, 300)), ((450, 0), (450, 300))]
        space.add(self.ground, *(pymunk.Segment(self.ground, a, b, 5) for a, b in walls))
        settings = PoolSettings(prespawn=10, limit=40, overflow=RecycleOldest())
        options: Any = {"groups": [self.group], "settings": settings}
        self.boxes = Prefab(lambda: Box(self), name="box", **options)
        self.chains = Prefab(lambda: Chain(self), name="chain", **options)
        self.parted: list[int] = []
        self.world.on_contact(Box, Box, self.touch)
        self.world.on_collision(separate=lambda *_: self.parted.append(1))

    def touch(self, one: Box, other: Box, _: object) -> None:
        one.hits += 1
        other.hits += 1
        if one.hits > 30:
            one.kill()
        if random.random() < 0.01:
            self.drop(self.boxes)

    def drop(self, prefab: Any) -> Any:
        return self.system.spawn(prefab, (random.uniform(0, 400), 10))

    def frame(self) -> None:
        self.system.update(1 / 60)
        self.world.step(1 / 60)
        self.group.update(1 / 60)
        chance, sprites = random.random(), list[Any](self.group)
        if chance < 0.15:
            self.drop(self.boxes)
        elif chance < 0.18:
            self.drop(self.chains)
        elif chance < 0.19 and len(sprites) > 4:
            one, other = random.sample(sprites, 2)
            self.world.space.add(pymunk.PinJoint(one.rigid.body, other.rigid.body))
        elif chance < 0.2 and sprites:
            random.choice(sprites).rigid.shapes[0].friction = random.random()
        elif chance < 0.205 and sprites:
            random.choice(sprites).position = random.uniform(0, 400), 50

    def play(self, frames: int) -> list[object]:
        told = []
        for _ in range(frames):
            self.frame()
            told.append(self.digest())
        return told

    def digest(self) -> object:
        lives = []
        prefabs: Any = self.boxes, self.chains
        for prefab in prefabs:
            for sprite, data in self.system.pool(prefab).active.items():
                body = sprite.rigid.body
                pose = *body.position, body.angle, *body.velocity, body.angular_velocity
                lives.append((data.number, data.generation, tuple(sprite.position), *pose))
                lives.append((sprite.rotation, body.is_sleeping, getattr(sprite, "hits", 0)))
        stats = [self.system.pool(prefab).stats for prefab in (self.boxes, self.chains)]
        space = self.world.space
        return lives, stats, len(space.bodies), len(space.constraints), len(self.parted)

    def checkpoint(self, **options: Any) -> Checkpoint:
        return Checkpoint(self.system, worlds=[self.world], keep=[self.parted], **options)


@pytest.fixture(autouse=True)
def dice() -> Iterator[None]:
    state = random.getstate()
    yield
    random.setstate(state)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [{}, {"sleepy": True}, {"interpolate": True}])
def test_piles_move_on_to_the_last_bit(seed: int, options: Any) -> None:
    game = Quarry(seed, **options)
    game.play(150)
    checkpoint = game.checkpoint()
    followed = game.play(90)
    for frames in (0, 1, 30, 200):
        game.play(frames)
        checkpoint.restore()
        assert game.play(90) == followed


def test_taking_a_checkpoint_of_a_world_changes_nothing() -> None:
    plain = Quarry(3, sleepy=True)
    followed = plain.play(150)
    watched = Quarry(3, sleepy=True)
    told = []
    for _ in range(150):
        told += watched.play(1)
        watched.checkpoint()
    assert told == followed


def test_everything_may_fall_asleep_and_wake_between() -> None:
    game = Quarry(4, sleepy=True)
    for _ in range(30):
        game.drop(game.boxes)
    for _ in range(60):
        game.world.step(1 / 60)
    awake = game.checkpoint()
    for _ in range(300):
        game.world.step(1 / 60)
    asleep = game.checkpoint()
    assert any(body.is_sleeping for body in game.world.space.bodies)
    states = {}
    for name, checkpoint in (("awake", awake), ("asleep", asleep)):
        checkpoint.restore()
        states[name] = game.play(60)
    for name, checkpoint in [("asleep", asleep), ("awake", awake)] * 3:
        checkpoint.restore()
        assert game.play(60) == states[name]


def test_the_games_own_bodies_shapes_and_joints_go_back() -> None:
    game = Quarry(5)
    space = game.world.space
    ball: Any = pymunk.Body(1, 20)
    ball.position = 100, 100
    circle = pymunk.Circle(ball, 8)
    ball.note = ["first"]
    space.add(ball, circle)
    joint = pymunk.PinJoint(ball, game.ground, (0, 0), (100, 0))
    space.add(joint)
    checkpoint = game.checkpoint()
    game.play(20)
    space.remove(joint, circle, ball)
    circle.unsafe_set_radius(3)
    ball.note.append("second")
    added = pymunk.Body(2, 2)
    space.add(added, pymunk.Circle(added, 30))
    space.gravity = (0, -9)
    game.play(20)
    checkpoint.restore()
    assert (ball.position, circle.radius) == ((100, 100), 8)
    assert (ball in space.bodies, joint in space.constraints) == (True, True)
    assert added not in space.bodies
    assert ball.note == ["first"]
    assert space.gravity == (0, 500)


def test_memory_stays_flat_however_often_the_world_is_put_back() -> None:
    game = Quarry(6)
    game.play(60)
    checkpoint = game.checkpoint()
    space = game.world.space

    def num_blocks() -> int:
        head = space_memory._head_of(space)
        return int(head.blocks.num + head.dynamic_shapes.blocks.num)

    counts = []
    for _ in range(40):
        game.play(60)
        counts.append(num_blocks())
        checkpoint.restore()
    assert counts[-1] == counts[2]


@pytest.mark.parametrize("why", ["asked for", "unknown memory", "spatial hash"])
def test_cold_checkpoints_put_bodies_back_without_contacts(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Quarry(7)
    if why == "spatial hash":
        game.world.space.use_spatial_hash(20, 100)
    if why == "unknown memory":
        monkeypatch.setattr(restoring, "memory_is_known", lambda: False)
    game.play(120)
    checkpoint = game.checkpoint(warm=why != "asked for")
    then = game.digest()
    ends = []
    for frames in (50, 5, 130):
        game.play(frames)
        checkpoint.restore()
        assert game.digest() == then
        ends.append(game.play(40))
    assert ends[0] == ends[1] == ends[2]


def test_a_cold_checkpoint_puts_a_body_back_that_turns_around_a_point_beside_it() -> None:
    system, world = PoolingSystem(), PhysicsWorld()
    body = pymunk.Body(2, 30)
    body.center_of_gravity, body.angle, body.position = (9, 4), 1.0, (100, 50)
    world.space.add(body)
    checkpoint = Checkpoint(system, worlds=[world], warm=False)
    body.angle, body.position = -2.0, (0, 0)
    checkpoint.restore()
    assert body.angle == 1.0
    assert (body.position - (100, 50)).length < 1e-9


def test_memory_that_is_laid_out_otherwise_is_noticed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert space_memory.memory_is_known()
    space_memory.memory_is_known.cache_clear()
    monkeypatch.setattr(space_memory, "_KNOWN_VERSION", "9.9")
    assert not space_memory.memory_is_known()
    assert "begin without contacts" in caplog.text
    space_memory.memory_is_known.cache_clear()


def test_a_body_in_a_world_that_is_not_kept_is_refused() -> None:
    game = Quarry(8)
    game.drop(game.boxes)
    with pytest.raises(CheckpointError, match=r"worlds=\[world\]"):
        Checkpoint(game.system)
    with pytest.raises(TypeError, match="worlds are PhysicsWorlds"):
        Checkpoint(game.system, worlds=[game.world.space])  # type: ignore[list-item]


def test_it_refuses_inside_a_step() -> None:
    game = Quarry(9)
    errors: list[CheckpointError] = []

    def touch(*_: object) -> None:
        try:
            game.checkpoint()
        except CheckpointError as error:
            errors.append(error)

    game.world.on_contact(Box, Box, touch)
    game.play(120)
    assert errors
    assert "inside a physics step" in str(errors[0])


def test_a_game_with_checkpoints_is_freed() -> None:
    game = Quarry(10)
    game.play(60)
    checkpoint = game.checkpoint()
    game.play(60)
    checkpoint.restore()
    game.system.dispose()
    del game, checkpoint
    gc.collect()


# -- swarms -----------------------------------------------------------------------------------


class Sparks(Swarm):
    velocity: Vec2
    heat: int = 3

    def ended(self, rows: Any) -> None:
        self.num_ended = getattr(self, "num_ended", 0) + len(rows)


class Fire:
    def __init__(self, seed: int) -> None:
        random.seed(seed)
        self.system = PoolingSystem()
        self.sparks = Sparks(
            2, limit=300, lifetime=1.0, overflow=RecycleOldest(), system=self.system
        )
        self.handles: list[Any] = []

    def play(self, frames: int) -> list[object]:
        told: list[object] = []
        for _ in range(frames):
            for _ in range(random.randrange(20)):
                speed = random.uniform(-90, 90), random.uniform(-90, 90)
                self.handles.append(self.sparks.spawn((50, 50), velocity=speed))
            if len(self.sparks) > 5 and random.random() < 0.3:
                self.sparks.despawn(random.sample(range(len(self.sparks)), 3))
            self.system.update(1 / 30)
            self.sparks.update(1 / 30)
            columns = self.sparks.position.tolist(), self.sparks.age.tolist()
            told.append((columns, self.sparks.stats, vars(self.sparks).get("num_ended")))
        return told


@pytest.mark.parametrize("seed", range(3))
def test_swarms_go_on_as_they_did(seed: int) -> None:
    fire = Fire(seed)
    fire.play(40)
    checkpoint = Checkpoint(fire.system)
    then = [handle for handle in fire.handles if handle]
    places = [handle.get() for handle in then]
    followed = fire.play(60)
    for frames in (0, 3, 70):
        fire.handles.clear()
        fire.play(frames)
        checkpoint.restore()
        assert [handle.get() for handle in then] == places
        since = [handle for handle in fire.handles if handle not in then]
        assert not any(since)
        assert fire.play(60) == followed


def test_a_swarm_that_was_made_since_is_empty_again() -> None:
    system = PoolingSystem()
    checkpoint = Checkpoint(system)
    late = Sparks(2, limit=30, system=system)
    late.spawn((0, 0), velocity=(1, 1))
    checkpoint.restore()
    assert len(late) == 0


# -- rewind -----------------------------------------------------------------------------------


def test_rewind_goes_back_frame_by_frame() -> None:
    game = Quarry(11)
    rewind = Rewind(1.0, system=game.system, worlds=[game.world], keep=[game.parted])
    states = []
    for _ in range(90):
        game.frame()
        rewind.frame(1 / 60)
        states.append(game.digest())
    assert rewind.seconds == pytest.approx(1.0)
    for back in range(1, 30):
        assert rewind.back(1 / 60) == pytest.approx(1 / 60)
        assert game.digest() == states[-1 - back]
    assert rewind.back(9.0) == pytest.approx(1.0 - 29 / 60)
    assert game.digest() == states[29]
    assert rewind.back(1.0) == 0.0


def test_rewind_takes_every_second_frame_and_says_how_far_it_went() -> None:
    game = Quarry(12)
    rewind = Rewind(2.0, every=2, system=game.system, worlds=[game.world])
    assert rewind.seconds == 0.0
    assert rewind.back(1.0) == 0.0
    for _ in range(21):
        game.frame()
        rewind.frame(0.1)
    assert repr(rewind) == "<Rewind(11 checkpoints, 2.0 s)>"
    assert rewind.back(0.5) == pytest.approx(0.6)
    assert rewind.seconds == pytest.approx(1.4)
    rewind.clear()
    assert rewind.seconds == 0.0
    with pytest.raises(ValueError, match="every"):
        Rewind(1.0, every=0)


def test_a_world_that_another_system_lives_in_too_is_refused() -> None:
    game = Quarry(13)
    alone = game.checkpoint()
    other = PoolingSystem()
    other.spawn(game.boxes, (100, 100))
    with pytest.raises(CheckpointError, match="another pooling system"):
        game.checkpoint()
    with pytest.raises(CheckpointError, match="another pooling system"):
        alone.restore()
    other.reset()
    alone.restore()


def test_a_ring_keeps_once_what_is_as_it_was_so_the_collector_has_little_to_look_through() -> None:
    def num_objects(*, is_shared: bool) -> int:
        game = Quarry(13)
        game.play(30)
        rewind = Rewind(9.0, system=game.system, worlds=[game.world], keep=[game.parted])
        ring = []
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(20):
            game.frame()
            if is_shared:
                rewind.frame(1 / 60)
            else:
                ring.append(Checkpoint(game.system, worlds=[game.world], keep=[game.parted]))
        return len(gc.get_objects()) - before

    num_objects(is_shared=True)  # what is learnt of classes is learnt once
    assert num_objects(is_shared=True) < num_objects(is_shared=False) / 2


class Drifter(PooledSprite):
    """Moves by less than two vectors may differ by that pygame takes for equal."""

    def __init__(self) -> None:
        super().__init__()
        self.place = pygame.Vector2(1, 0.0)
        path: list[str] = []

        def plan(*steps: str) -> None:
            nonlocal path
            path = [*steps]

        self.plan: Any = plan
        self.path: Any = lambda: path

    def drift(self) -> None:
        self.place.x += 3e-7
        self.place.y = -self.place.y


def test_a_ring_keeps_to_the_last_bit_what_has_changed_by_hardly_anything() -> None:
    system = PoolingSystem()
    drifter = system.spawn(Drifter)
    rewind, places = Rewind(9.0, system=system), list[str]()
    for _ in range(8):
        drifter.drift()
        rewind.frame(1.0)
        places.append(str([*drifter.place]))
    while len(places) > 1:
        places.pop()
        rewind.back(1.0)
        assert str([*drifter.place]) == places[-1]


def test_a_ring_keeps_the_objects_that_functions_hold_not_others_that_were_equal() -> None:
    system = PoolingSystem()
    drifter = system.spawn(Drifter)
    rewind = Rewind(9.0, system=system)
    rewind.frame(1.0)
    former = drifter.path()
    drifter.plan()  # another list, as empty as the former
    present = drifter.path()
    rewind.frame(1.0)
    former.append("stale")
    drifter.plan("late")
    rewind.frame(1.0)
    rewind.back(1.0)
    assert drifter.path() is present
    assert present == []
