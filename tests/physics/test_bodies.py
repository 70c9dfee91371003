"""Bodies and joints are in the space while their sprites are alive, and as new at every spawn."""

from __future__ import annotations

import math

import pymunk
import pytest

from physics_kit import STEP, Ball, Tank, balls, motion
from poolkit import (
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody


def counts(world: PhysicsWorld) -> tuple[int, int, int]:
    space = world.space
    return len(space.bodies), len(space.shapes), len(space.constraints)


def test_nothing_that_a_game_may_look_at_changes_anything(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    def shown(thing: object) -> set[str]:
        return {name for name in dir(thing) if not name.startswith("_")}

    rigid = system.spawn(balls(world)).rigid
    looks = {"world", "body", "bodies", "shapes", "joints"}
    assert shown(rigid) == looks | shown(IPoolableComponent())
    for name in looks - {"world"}:
        with pytest.raises(AttributeError, match="no setter"):
            setattr(rigid, name, ())
    acts = {"step", "sync", "on_contact", "on_collision", "remove"}
    assert shown(world) == {"space", "timestep", "near", "sprite_of", "is_stepping"} | acts


# -- in and out ----------------------------------------------------------------------------------


def test_inactive_sprites_leave_the_physics(system: PoolingSystem, world: PhysicsWorld) -> None:
    prefab = Prefab(balls(world), settings=PoolSettings(prespawn=3))
    system.register(prefab)
    assert counts(world) == (0, 0, 0)
    ball = system.spawn(prefab, (30, 40), rotation=90)
    assert counts(world) == (1, 1, 0)
    assert repr(world) == "<PhysicsWorld(num_bodies=1)>"
    assert repr(ball.rigid) == "<RigidBody(bodies=1, shapes=1, joints=0)>"
    assert ball.body.position == (30, 40)
    assert ball.body.angle == pytest.approx(-math.pi / 2)
    ball.kill()
    assert counts(world) == (0, 0, 0)
    assert ball.body.space is None
    system.spawn(prefab)
    system.reset()
    assert counts(world) == (0, 0, 0)


@pytest.mark.parametrize("rotation", [90, 45, 0])
def test_a_body_is_placed_by_its_position_wherever_its_centre_of_gravity_is(
    system: PoolingSystem, world: PhysicsWorld, rotation: float
) -> None:
    class Lopsided(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.body.center_of_gravity = (6, 0)

    for degrees in (rotation, rotation + 90):
        ball = system.spawn(Lopsided, (30, 40), rotation=degrees)
        assert ball.body.position == pytest.approx((30, 40))
        ball.kill()


# -- as good as new ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-10, 10])
def test_motion_is_reset_as_the_body_leaves_so_that_spawned_may_set_it(
    system: PoolingSystem, world: PhysicsWorld, order: int
) -> None:
    class Launch(IPoolableComponent):
        execution_order = order

        def spawned(self) -> None:
            body = self.sprite.body
            assert body.space is world.space
            body.velocity, body.angular_velocity = (3, 4), 2
            body.force, body.torque = (5, 6), 7

    class Launched(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            self.add_component(Launch())

    ball = system.spawn(Launched)
    ball.kill()
    assert motion(ball.body)[2:] == ((0, 0), 0, (0, 0), 0)
    assert system.spawn(Launched) is ball
    assert motion(ball.body)[2:] == ((3, 4), 2, (5, 6), 7)


def test_a_reset_may_be_extended(system: PoolingSystem, world: PhysicsWorld) -> None:
    seen = []

    class Thorough(ResetPooledBodyComponent):
        def reset(self, body: pymunk.Body) -> None:
            super().reset(body)
            seen.append((body.velocity, body.space))

    ball = system.spawn(balls(world))
    ball.add_component(Thorough())
    ball.body.velocity = (1, 1)
    ball.kill()
    assert seen == [((0, 0), None)]


# -- adopted, late, removed ----------------------------------------------------------------------


def test_an_adopted_body_stays_where_it_is(system: PoolingSystem, world: PhysicsWorld) -> None:
    outside, inside, far = Ball(world), Ball(world), Ball(world)
    outside.body.position = outside.position = (10.1, 20.3)
    outside.body.angle = 0.25
    outside.rotation = -math.degrees(0.25)
    inside.body.position = inside.position = (30.1, 0)
    world.space.add(inside.body, inside.shape)
    far.position = (500, 500)
    outside.body.mass = 8
    before = [motion(ball.body) for ball in (outside, inside)]
    places = [ball.rect.copy() for ball in (outside, inside, far)]
    prefab = Prefab(balls(world))
    for ball in (outside, inside, far):
        system.adopt(prefab, ball)
    assert [motion(ball.body) for ball in (outside, inside)] == before
    assert [ball.rect for ball in (outside, inside, far)] == places
    assert far.body.position == (500, 500)  # it had not been put anywhere yet
    assert counts(world) == (3, 3, 0)
    world.step(STEP)
    assert outside.position == pytest.approx((10.1, 20.3), abs=1e-3)
    outside.body.mass = 9
    system.despawn_all()
    assert counts(world) == (0, 0, 0)
    assert system.spawn(prefab) is outside
    assert counts(world) == (1, 1, 0)
    assert outside.body.mass == 8  # how it was adopted counts as built


@pytest.mark.parametrize("kind", [pymunk.Body.STATIC, pymunk.Body.DYNAMIC])
@pytest.mark.parametrize("interpolate", [False, True])
def test_a_sprite_adopted_with_a_body_at_rest_follows_it(
    system: PoolingSystem, kind: int, *, interpolate: bool
) -> None:
    world = PhysicsWorld(interpolate=interpolate)
    world.space.sleep_time_threshold = 1
    ball = Ball(world)
    ball.body.body_type, ball.body.position = kind, (30, 40)
    world.space.add(ball.body, ball.shape)
    if kind == pymunk.Body.DYNAMIC:
        ball.body.sleep()
    for _ in range(3):
        world.step(STEP)
    system.adopt(Prefab(balls(world)), ball)
    world.step(STEP)
    assert ball.position == (30, 40)


@pytest.mark.parametrize("late", [True, False])
def test_bodies_and_parts_that_are_in_the_space_leave_it_under_an_inactive_sprite(
    system: PoolingSystem, world: PhysicsWorld, *, late: bool
) -> None:
    made = []

    class Eager(Ball):
        def __init__(self) -> None:
            super().__init__(world)
            made.append(self)
            self.remove_component(self.rigid)
            world.space.add(self.body, self.shape)
            self.add_component(RigidBody(world, self.body, self.shape))

    prefab = Prefab(Eager, awake_on_first_spawn=late)
    system.prespawn(prefab, 1)
    assert counts(world) == (0, 0, 0)
    part = Ball(world)
    world.space.add(part.body, part.shape)
    made[0].add_child(part, (5, 0))
    assert counts(world) == (0, 0, 0)
    system.spawn(prefab)
    assert counts(world) == (2, 2, 0)
    assert part.body.position == (5, 0)
    made[0].kill()
    assert counts(world) == (0, 0, 0)


def test_a_body_added_to_an_active_sprite_enters_where_the_sprite_is(
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


def test_a_body_that_is_taken_off_inside_a_step_is_reset_as_it_leaves(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    ball, _ = system.spawn_many(balls(world), [(0, 0), (1, 0)])
    world.on_contact(Ball, Ball, lambda *_: ball.remove_component(ball.rigid))
    ball.body.velocity = (60, 0)
    world.step(STEP)
    assert ball.body.space is None
    assert ball.body.velocity == (0, 0)


# -- children, and more bodies than one ----------------------------------------------------------


def test_a_part_with_a_body_follows_it(system: PoolingSystem, world: PhysicsWorld) -> None:
    prefab = Prefab(lambda: Tank(world))
    tank = system.spawn(prefab, (100, 100), rotation=90)
    assert tank.turret.body.position == pytest.approx((100, 0), abs=1e-9)
    assert tank.turret.body.angle == pytest.approx(-math.pi / 2)
    tank.turret.body.velocity = (0, -60)
    tank.body.position = (0, 0)
    world.step(STEP)
    assert tank.turret.position == pytest.approx((100, -1), abs=1e-3)
    tank.turret.kill()
    assert counts(world) == (2, 2, 0)
    assert tank.active
    tank.kill()
    assert system.spawn(prefab) is tank
    assert counts(world) == (3, 3, 0)


def test_a_child_with_a_body_follows_it(system: PoolingSystem, world: PhysicsWorld) -> None:
    ship = system.spawn(PooledSprite, (0, 0))
    ball = system.spawn(balls(world), (10, 10), parent=ship)
    ship.position = (100, 100)
    world.step(STEP)
    assert ball.position == (10, 10)
    ball.remove_component(ball.rigid)
    ship.position = (105, 100)
    assert ball.position == (15, 10)  # by its parent again
    ship.kill()
    assert not ball.active


def test_the_first_of_two_bodies_is_followed(system: PoolingSystem, world: PhysicsWorld) -> None:
    ball = system.spawn(balls(world), (0, 0))
    body = pymunk.Body(1, 1)
    ball.add_component(RigidBody(world, body))
    body.velocity = (600, 0)
    world.step(STEP)
    assert ball.position == (0, 0)
    ball.remove_component(ball.rigid)
    world.step(STEP)
    assert ball.position == (20, 0)


@pytest.mark.parametrize("which", [0, 1])
def test_a_sprite_that_loses_one_of_two_bodies_still_moves_the_other(
    system: PoolingSystem, world: PhysicsWorld, which: int
) -> None:
    ball = system.spawn(balls(world), (0, 0))
    rigids = [ball.rigid, ball.add_component(RigidBody(world, pymunk.Body(1, 1)))]
    ball.remove_component(rigids.pop(which))
    ball.position = (30, 40)
    world.step(STEP)
    assert (ball.position, rigids[0].body.position) == ((30, 40), (30, 40))


def test_a_component_that_has_nothing_to_reset_is_refused(system: PoolingSystem) -> None:
    def bare() -> PooledSprite:
        sprite = PooledSprite()
        sprite.add_component(ResetPooledBodyComponent())
        return sprite

    with pytest.raises(PrefabError, match="no RigidBody"):
        system.spawn(bare)


# -- moved with their sprite ---------------------------------------------------------------------


class Train(Ball):
    """Two bodies in one component, and one in another."""

    def __init__(self, world: PhysicsWorld) -> None:
        PooledSprite.__init__(self)
        self.body, self.wheel, self.flag = (pymunk.Body(1, 1) for _ in range(3))
        self.wheel.position = (10, 0)
        self.add_component(RigidBody(world, self.body, self.wheel))
        self.add_component(RigidBody(world, self.flag))


def test_all_bodies_move_together_and_keep_their_velocities(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    train = system.spawn(Prefab(lambda: Train(world)), (100, 100))
    train.flag.position = (100, 90)
    train.body.velocity, train.wheel.angular_velocity = (5, 6), 7
    train.position = (0, 0)
    assert (train.body.position, train.wheel.position) == ((0, 0), (10, 0))
    train.rotation = -90  # clockwise on screen: its right is now below
    assert train.body.position == (0, 0)
    assert train.wheel.position == pytest.approx((0, 10))
    assert train.flag.position == pytest.approx((10, 0))
    assert train.wheel.angle == pytest.approx(math.radians(90))
    assert (train.body.velocity, train.wheel.angular_velocity) == ((5, 6), 7)


def test_queries_find_moved_bodies_at_once(system: PoolingSystem, world: PhysicsWorld) -> None:
    wall = system.spawn(balls(world))
    wall.body.body_type = pymunk.Body.STATIC
    wall.position = (300, 0)
    found = world.space.point_query((300, 0), 1, pymunk.ShapeFilter())
    assert [hit.shape for hit in found] == [wall.shape]


@pytest.mark.parametrize("how", ["world.step", "space.step"])
def test_inside_a_step_they_are_moved_when_that_is_over(
    system: PoolingSystem, world: PhysicsWorld, how: str
) -> None:
    one = system.spawn(balls(world), (0, 0))
    two = system.spawn(Prefab(balls(world, kind=2)), (12, 0))
    newcomers: list[Ball] = []

    def begin(*_: object) -> None:
        one.position = (500, 0)
        assert one.body.position == (0, 0)
        newcomers.append(system.spawn(Prefab(balls(world)), (900, 0)))
        newcomers[0].position = (700, 0)  # it is in no space yet
        assert newcomers[0].body.position == (700, 0)
        two.position = (600, 0)
        two.kill()

    world.on_collision(1, 2, begin=begin)
    world.step(STEP) if how == "world.step" else world.space.step(STEP)
    assert one.body.position == (500, 0)
    assert newcomers[0].body.position == (700, 0)
    world.sync()
    assert one.position == (500, 0)
    assert motion(two.body)[2:] == ((0, 0), 0, (0, 0), 0)
    assert system.spawn(two.prefab or "", (3, 3)) is two
    assert two.body.position == (3, 3)


# -- joints --------------------------------------------------------------------------------------


class Tied(PooledSprite):
    """A sprite whose joint leads to the body of another sprite."""

    def __init__(self, world: PhysicsWorld, other: pymunk.Body) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 10)
        self.rope = pymunk.PinJoint(self.body, other, (0, 0), (0, 0))
        self.rope.distance = 5
        self.rope.max_force = 1000
        self.rope.pre_solve = lambda *_: self.pulls.append("pull")
        self.pulls: list[str] = []
        self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 3), self.rope))
        self.add_component(ResetPooledBodyComponent())


def test_clearing_a_joint_calls_none_of_its_callbacks_and_moves_no_partner(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(1, 1)
    world.space.add(post)
    prefab = Prefab(lambda: Tied(world, post))
    tied = system.spawn(prefab, (10, 0))
    world.step(STEP)
    post.velocity, post.angular_velocity = (4, 5), 6
    tied.kill()
    assert (post.velocity, post.angular_velocity) == ((4, 5), 6)
    assert (tied.rope.max_force, tied.pulls) == (1000, ["pull"])
    system.spawn(prefab, (10, 0))
    world.step(STEP)
    assert tied.pulls == ["pull", "pull"]


def test_a_joint_is_in_the_space_only_while_both_its_instances_are(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    world.space.sleep_time_threshold = 0.1  # Chipmunk hangs where a joint leads to no space
    prefab = Prefab(balls(world))
    other = system.spawn(prefab, (0, 0))
    tied = Prefab(lambda: Tied(world, other.body))
    sprite = system.spawn(tied, (50, 0))
    joints = world.space.constraints
    assert sprite.rope in joints
    other.kill()
    assert sprite.rope not in joints
    sprite.kill()
    assert system.spawn(tied, (50, 0)) is sprite
    assert sprite.rope not in joints  # its partner is in no space
    for _ in range(30):
        world.step(STEP)
    assert motion(sprite.body)[2:] == motion(other.body)[2:] == ((0, 0), 0, (0, 0), 0)
    assert system.spawn(prefab, (0, 0)) is other
    assert sprite.rope in joints
    sprite.kill()
    other.kill()
    assert not joints
    system.spawn(prefab, (0, 0))
    assert not joints
    system.pool(prefab).clear()  # its partner is destroyed
    for _ in range(2):
        assert system.spawn(tied, (0, 0)) is sprite
        assert not joints
        for _ in range(30):
            world.step(STEP)
        sprite.kill()


def test_a_joint_between_a_sprite_and_its_part_holds_from_either_side(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    class Pair(Tied):
        def __init__(self) -> None:
            self.part = Ball(world)
            super().__init__(world, self.part.body)
            self.add_child(self.part, (30, 0))

    pair = system.spawn(Pair)
    for _ in range(3):
        assert pair.rope in world.space.constraints
        pair.part.kill()
        assert pair.rope not in world.space.constraints
        pair.kill()
        assert not world.space.bodies
        assert system.spawn(Pair) is pair


def test_a_joint_to_a_body_of_the_games_own_that_is_in_no_space_is_left_to_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(body_type=pymunk.Body.STATIC)
    tied = system.spawn(Prefab(lambda: Tied(world, post)))
    assert tied.rope in world.space.constraints


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("is_held", [False, True])
def test_a_joint_that_a_life_added_is_no_part_of_the_next(
    system: PoolingSystem, world: PhysicsWorld, *, is_held: bool
) -> None:
    prefab = Prefab(balls(world))
    one, two = system.spawn_many(prefab, [(0, 0), (50, 0)])
    rope = pymunk.PinJoint(one.body, two.body)
    called: list[str] = []
    rope.pre_solve = lambda *_: called.append("called")
    world.space.add(rope)
    held = [rope] if is_held else []
    del rope
    one.kill()
    assert len(world.space.constraints) == 0
    assert len(one.body.constraints) == len(two.body.constraints) == len(held)
    assert system.spawn(prefab, (0, 0)) is one
    world.space.add(*held)  # the game holds them, so it may use them again
    world.step(STEP)
    assert called == ["called"] * len(held)
    one.kill()
    assert len(world.space.constraints) == 0
