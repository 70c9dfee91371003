"""Bodies of pooled sprites: in the space while alive, as good as new at every spawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from physics_kit import STEP, Ball, balls, motion
from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import PoolingSystem


def counts(world: PhysicsWorld) -> tuple[int, int, int]:
    space = world.space
    return len(space.bodies), len(space.shapes), len(space.constraints)


# -- in and out ----------------------------------------------------------------------------------


def test_u06_inactive_sprites_leave_the_physics(system: PoolingSystem, world: PhysicsWorld) -> None:
    prefab = Prefab(balls(world), settings=PoolSettings(prespawn=3))
    system.register(prefab)
    assert counts(world) == (0, 0, 0)
    ball = system.spawn(prefab, (30, 40), rotation=90)
    assert counts(world) == (1, 1, 0)
    assert ball.body.position == (30, 40)
    assert ball.body.angle == pytest.approx(-math.pi / 2)
    ball.kill()
    assert counts(world) == (0, 0, 0)
    assert ball.body.space is None
    system.spawn(prefab)
    system.reset()
    assert counts(world) == (0, 0, 0)


def test_u02_a_body_is_placed_by_its_position_wherever_its_centre_of_gravity_is(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    def lopsided() -> Ball:
        ball = Ball(world)
        ball.body.center_of_gravity = (6, 0)
        return ball

    for rotation in (90, 45, 0):
        prefab = Prefab(lopsided)
        ball = system.spawn(prefab, (30, 40), rotation=rotation)
        assert ball.body.position == pytest.approx((30, 40))
        ball.kill()
        system.spawn(prefab, (5, 6), rotation=rotation + 90)
        assert ball.body.position == pytest.approx((5, 6))


# -- as good as new ------------------------------------------------------------------------------


def test_u07_motion_is_reset_as_the_body_leaves_so_that_spawned_may_set_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    class Launch(IPoolableComponent):
        def __init__(self, order: int) -> None:
            self.execution_order = order

        def spawned(self) -> None:
            body = self.sprite.body
            assert body.space is world.space
            body.velocity = (3, 4)
            body.angular_velocity = 2
            body.force, body.torque = (5, 6), 7

    for order in (-10, 10):

        def launched(order: int = order) -> Ball:
            ball = Ball(world)
            ball.add_component(Launch(order))
            return ball

        prefab = Prefab(launched)
        ball = system.spawn(prefab)
        ball.kill()
        assert motion(ball.body)[2:] == ((0, 0), 0, (0, 0), 0)
        assert system.spawn(prefab) is ball
        assert motion(ball.body)[2:] == ((3, 4), 2, (5, 6), 7)


def test_a_reset_may_be_extended(system: PoolingSystem, world: PhysicsWorld) -> None:
    seen = []

    class Thorough(ResetPooledBodyComponent):
        def reset(self, body: pymunk.Body) -> None:
            super().reset(body)
            body.mass = 2
            seen.append(body.space)

    def heavy() -> Ball:
        ball = Ball(world)
        ball.remove_component(ball.get_component(ResetPooledBodyComponent))
        ball.add_component(Thorough())
        return ball

    ball = system.spawn(heavy)
    ball.body.mass = 50
    ball.body.velocity = (1, 1)
    ball.kill()
    assert (ball.body.mass, ball.body.velocity, seen) == (2, (0, 0), [None])


JOINTS: dict[str, Callable[[pymunk.Body, pymunk.Body], pymunk.Constraint]] = {
    "pivot": lambda a, b: pymunk.PivotJoint(a, b, (15, 0)),
    "spring": lambda a, b: pymunk.DampedSpring(a, b, (0, 0), (0, 0), 10, 100, 5),
    "ratchet": lambda a, b: pymunk.RatchetJoint(a, b, 0, 0.5),
    "gear": lambda a, b: pymunk.GearJoint(a, b, 0, 2),
    "motor": lambda a, b: pymunk.SimpleMotor(a, b, 3),
}


class Chain(PooledSprite):
    """Two bodies and a joint."""

    def __init__(self, world: PhysicsWorld, joint: str) -> None:
        super().__init__()
        self.body, self.tail = pymunk.Body(5, 100), pymunk.Body(3, 50)
        self.tail.position = (30, 0)
        self.joint = JOINTS[joint](self.body, self.tail)
        self.add_component(RigidBody(world, self.body, self.tail, self.joint))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        self.tail.angular_velocity = 5


@pytest.mark.parametrize("joint", JOINTS)
def test_a_second_life_on_a_joint_equals_a_fresh_one(system: PoolingSystem, joint: str) -> None:
    def trace(lives_before: int) -> list[object]:
        world = PhysicsWorld(gravity=(0, 900))
        prefab = Prefab(lambda: Chain(world, joint))
        for _ in range(lives_before):
            chain = system.spawn(prefab, (7, 7), rotation=20)
            for _ in range(30):
                world.step(STEP)
            chain.kill()
            assert counts(world) == (0, 0, 0)
        chain = system.spawn(prefab, (7, 7), rotation=20)
        assert counts(world) == (2, 0, 1)
        steps: list[object] = []
        for _ in range(5):
            world.step(STEP)
            steps.append((motion(chain.body), motion(chain.tail), chain.joint.impulse))
        return steps

    assert trace(lives_before=1) == trace(lives_before=0)


def test_clearing_a_joint_calls_none_of_its_callbacks_and_moves_no_partner(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(1, 1)
    calls = []

    def tied() -> PooledSprite:
        sprite: Any = PooledSprite()
        sprite.body = pymunk.Body(1, 1)
        sprite.joint = pymunk.PivotJoint(sprite.body, post, (0, 0))
        sprite.joint.pre_solve = lambda *_: calls.append("pre")
        sprite.joint.max_force = 1000
        sprite.add_component(RigidBody(world, sprite.body, sprite.joint))
        sprite.add_component(ResetPooledBodyComponent())
        return sprite  # type: ignore[no-any-return]

    world.space.add(post)
    sprite: Any = system.spawn(tied, (10, 0))
    world.step(STEP)
    assert calls == ["pre"]
    post.velocity, post.angular_velocity = (4, 5), 6
    sprite.kill()
    assert (post.velocity, post.angular_velocity, calls) == ((4, 5), 6, ["pre"])
    assert sprite.joint.max_force == 1000
    system.spawn(tied, (10, 0))
    world.step(STEP)
    assert calls == ["pre", "pre"]


# -- adopted, late, removed ----------------------------------------------------------------------


def test_u15_an_adopted_sprite_with_a_body_moves_nothing(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    outside, inside, far = Ball(world), Ball(world), Ball(world)
    outside.body.position, outside.body.angle = (10.1, 20.3), 0.25
    outside.position = (10.1, 20.3)
    outside.rotation = -math.degrees(0.25)
    inside.body.position = inside.position = (30.1, 0)
    world.space.add(inside.body, inside.shape)
    late = Ball(world)
    world.space.add(late.body, late.shape)
    far.position = (500, 500)
    prefab = Prefab(balls(world))
    before = [motion(ball.body) for ball in (outside, inside, late)]
    places = [ball.rect.copy() for ball in (outside, inside, late, far)]
    for ball in (outside, inside, late, far):
        system.adopt(prefab, ball)
    assert [motion(ball.body) for ball in (outside, inside, late)] == before
    assert [ball.rect for ball in (outside, inside, late, far)] == places
    assert counts(world) == (4, 4, 0)
    assert far.body.position == (500, 500)  # it had not been put anywhere yet
    world.step(STEP)
    assert outside.position == pytest.approx((10.1, 20.3), abs=1e-3)
    outside.position = (70, 80)
    assert outside.body.position == (70, 80)
    for ball in (outside, inside, late, far):
        ball.kill()
    assert counts(world) == (0, 0, 0)
    system.spawn(prefab)
    assert counts(world) == (1, 1, 0)


def test_bodies_that_a_constructor_put_into_the_space_wait_for_the_first_life(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    class Eager(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.remove_component(self.rigid)
            world.space.add(self.body, self.shape)
            self.rigid = self.add_component(RigidBody(world, self.body, self.shape))

    system.prespawn(Eager, 2)
    assert counts(world) == (0, 0, 0)
    eager = system.spawn(Eager)
    assert counts(world) == (1, 1, 0)
    eager.kill()
    assert counts(world) == (0, 0, 0)


def test_u13_a_body_added_to_an_active_sprite_enters_where_the_sprite_is(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    sprite = system.spawn(PooledSprite, (40, 50), rotation=90)
    body = pymunk.Body(1, 1)
    rigid = sprite.add_component(RigidBody(world, body, pymunk.Circle(body, 5)))
    assert body.position == (40, 50)
    assert body.angle == pytest.approx(-math.pi / 2)
    assert world.sprite_of(body) is sprite
    sprite.kill()
    assert counts(world) == (0, 0, 0)
    system.spawn(PooledSprite, (1, 2))
    assert body.position == (1, 2)
    sprite.remove_component(rigid)
    assert counts(world) == (0, 0, 0)
    assert world.sprite_of(body) is None
    other = system.spawn(PooledSprite)
    other.add_component(RigidBody(world, body))  # free again
    assert body.space is world.space


# -- children ------------------------------------------------------------------------------------


def _with_turret(world: PhysicsWorld) -> Callable[[], Any]:
    def build() -> Any:
        tank: Any = Ball(world)
        tank.turret = Ball(world)
        tank.add_child(tank.turret, (50, 0))
        return tank

    return build


def test_order6_a_part_with_a_body_follows_its_body(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(_with_turret(world))
    tank = system.spawn(prefab, (100, 100), rotation=90)
    assert tank.turret.body.position == pytest.approx((100, 50))
    assert tank.turret.body.angle == pytest.approx(-math.pi / 2)
    tank.turret.body.velocity = (0, -60)
    world.step(STEP)
    assert tank.turret.position == pytest.approx((100, 49), abs=1e-3)
    tank.body.position = (0, 0)
    world.step(STEP)
    assert tank.turret.position == pytest.approx((100, 48), abs=1e-3)
    tank.turret.kill()
    assert counts(world) == (1, 1, 0)
    assert tank.active
    tank.kill()
    assert counts(world) == (0, 0, 0)
    assert system.spawn(prefab) is tank
    assert counts(world) == (2, 2, 0)


def test_reprs_are_short_and_counted(system: PoolingSystem, world: PhysicsWorld) -> None:
    ball = system.spawn(balls(world))
    assert repr(ball.rigid) == "<RigidBody(bodies=1, shapes=1, joints=0)>"
    assert repr(world) == "<PhysicsWorld(num_bodies=1)>"


def test_a_sprite_with_several_rigid_bodies_follows_the_first(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball = system.spawn(balls(world), (0, 0))
    body = pymunk.Body(1, 1)
    ball.add_component(RigidBody(world, body))
    body.velocity = (600, 0)
    for _ in range(2):
        world.step(STEP)
        assert ball.position == (0, 0)
        for number in range(20):
            system.spawn(Prefab(balls(world)), (number * 50, 500))
    ball.remove_component(ball.rigid)
    world.step(STEP)
    assert ball.position == (30, 0)


@pytest.mark.parametrize("awake_on_first_spawn", [True, False])
def test_u13_a_part_whose_body_is_in_the_space_leaves_it_under_an_inactive_sprite(
    system: PoolingSystem, world: PhysicsWorld, *, awake_on_first_spawn: bool
) -> None:
    made = []

    def build() -> PooledSprite:
        made.append(PooledSprite())
        return made[-1]

    prefab = Prefab(build, awake_on_first_spawn=awake_on_first_spawn)
    system.prespawn(prefab, 1)
    [sprite] = made
    part = Ball(world)
    world.space.add(part.body, part.shape)
    sprite.add_child(part, (5, 0))
    assert counts(world) == (0, 0, 0)
    system.spawn(prefab)
    assert counts(world) == (1, 1, 0)
    assert part.body.position == (5, 0)


def test_what_the_game_removed_from_the_space_is_back_in_the_next_life(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(balls(world))
    ball = system.spawn(prefab)
    world.space.remove(ball.shape)
    ball.kill()
    system.spawn(prefab)
    assert counts(world) == (1, 1, 0)
    world.space.remove(ball.shape, ball.body)
    ball.kill()
    assert counts(world) == (0, 0, 0)
    assert system.spawn(prefab) is ball
    assert counts(world) == (1, 1, 0)


@pytest.mark.parametrize("count", [1, 2])
def test_order4_a_reset_that_raises_leaves_nothing_in_groups_or_space(
    system: PoolingSystem, world: PhysicsWorld, count: int
) -> None:
    group: Any = pygame.sprite.Group()

    class Sore(ResetPooledBodyComponent):
        def reset(self, body: pymunk.Body) -> None:
            raise ZeroDivisionError(body)

    def sore() -> PooledSprite:
        sprite = PooledSprite(None, group)
        for _ in range(count):
            body = pymunk.Body(1, 1)
            sprite.add_component(RigidBody(world, body, pymunk.Circle(body, 1)))
        sprite.add_component(Sore())
        return sprite

    sprite = system.spawn(sore)
    assert counts(world) == (count, count, 0)
    with pytest.raises((ZeroDivisionError, ExceptionGroup)):
        sprite.kill()
    assert counts(world) == (0, 0, 0)
    assert len(group) == 0
    assert system.pool(sore).capacity == 0


def test_x10_a_component_that_has_nothing_to_reset_is_refused(system: PoolingSystem) -> None:
    def bare() -> PooledSprite:
        sprite = PooledSprite()
        sprite.add_component(ResetPooledBodyComponent())
        return sprite

    with pytest.raises(PrefabError, match="no RigidBody"):
        system.spawn(bare)


def test_order6_a_pooled_child_with_a_body_follows_its_body(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab = Prefab(balls(world))
    ship = system.spawn(PooledSprite, (0, 0))
    ball = system.spawn(prefab, (10, 10), parent=ship)
    ship.position = (100, 100)
    world.step(STEP)
    assert ball.position == (10, 10)
    ball.remove_component(ball.rigid)
    ship.position = (105, 100)
    assert ball.position == (15, 10)  # by its parent again
    ship.kill()
    assert not ball.active
