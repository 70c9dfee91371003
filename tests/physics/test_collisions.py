"""Collision callbacks that know of lives, keep an order, and lose nothing; storms repeat."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from physics_kit import STEP, Ball, balls
from physics_storm import Tempest
from poolkit import PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, Separation

if TYPE_CHECKING:
    from poolkit import PoolingSystem


CALLBACKS = ["begin", "pre_solve", "post_solve", "separate"]


def test_callbacks_are_given_what_pymunk_gives_them(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls: list[tuple[str, Any, Any, Any]] = []

    def noting(name: str) -> Any:
        def note(arbiter: Any, space: pymunk.Space, data: Any) -> None:
            calls.append((name, arbiter, space, data))

        return note

    world.on_collision(1, 2, **{name: noting(name) for name in CALLBACKS}, data="mine")
    one = system.spawn(balls(world), (0, 0))
    two = system.spawn(balls(world, kind=2), (12, 0))
    world.step(STEP)
    assert [name for name, *_ in calls] == ["begin", "pre_solve", "post_solve"]
    one.body.velocity = (-6000, 0)
    world.step(STEP)
    world.step(STEP)
    name, separation, space, data = calls[-1]
    assert (name, space, data) == ("separate", world.space, "mine")
    assert isinstance(separation, Separation)
    assert separation.shapes == (one.shape, two.shape)
    assert separation.bodies == (one.body, two.body)
    assert (separation.is_removal, separation.is_first_contact) == (False, False)
    assert repr(separation) == "<Separation(Circle, Circle)>"


@pytest.mark.parametrize("kinds", [(1, 2), (1, None), (2, None)])
@pytest.mark.parametrize("dies", [0, 1])
def test_a_separation_by_removal_names_its_shapes_as_begin_did(
    system: PoolingSystem, world: PhysicsWorld, kinds: tuple[int | None, int | None], dies: int
) -> None:
    begun: list[Any] = []
    parted: list[Separation] = []
    world.on_collision(
        *kinds,
        begin=lambda arbiter, *_: begun.append(arbiter.shapes),
        separate=lambda arbiter, *_: parted.append(arbiter),
    )
    pair = (
        system.spawn(balls(world), (0, 0)),
        system.spawn(Prefab(balls(world, kind=2)), (12, 0)),
    )
    world.step(STEP)
    pair[dies].kill()
    [separation] = parted  # delivered as soon as the removal is done
    assert [separation.shapes] == begun
    assert separation.is_removal


def test_callbacks_other_than_separate_are_skipped_once_either_life_is_over(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls = []
    prefab, target = Prefab(balls(world)), Prefab(balls(world, kind=2))
    crowd = system.spawn_many(prefab, [(0, 0), (24, 0), (12, 16)])
    hit = system.spawn(target, (12, 3))

    def begin(*_: object) -> None:
        calls.append("begin")
        hit.kill()

    world.on_collision(
        1,
        2,
        begin=begin,
        pre_solve=lambda *_: calls.append("pre_solve"),
        post_solve=lambda *_: calls.append("post_solve"),
        separate=lambda *_: calls.append("separate"),
    )
    world.step(STEP)
    assert calls == ["begin", "separate", "separate", "separate"]
    assert all(ball.active for ball in crowd)


def test_separations_are_delivered_after_the_step_before_anything_is_reused(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab, target = Prefab(balls(world)), Prefab(balls(world, kind=2))
    one, hit = system.spawn(prefab, (0, 0)), system.spawn(target, (12, 0))
    log: list[object] = []

    def separate(separation: Separation, space: pymunk.Space, data: object) -> None:
        del data
        assert not space._locked
        gone = world.sprite_of(separation.shapes[1])
        assert gone is hit
        log.append(hit.active)
        log.append(system.spawn(target, (200, 0)) is hit)

    world.on_collision(1, 2, begin=lambda *_: hit.kill(), separate=separate)
    world.step(STEP)
    assert log == [False, False]
    assert one.active
    assert system.spawn(target, (300, 0)) is hit


def test_an_exception_in_a_separation_outside_of_a_step_waits_for_the_next(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one = system.spawn(balls(world), (0, 0))
    system.spawn(Prefab(balls(world, kind=2)), (12, 0))

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    world.on_collision(1, 2, separate=fail)
    world.step(STEP)
    assert system.despawn(one)
    assert system.pool(one.prefab or "").inactive_count == 1
    with pytest.raises(ZeroDivisionError):
        world.step(STEP)
    assert world.step(STEP) == 2  # the one that was put off as well


def test_callbacks_may_be_left_out_reset_and_replaced(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    calls = []
    world.on_collision(1, 2, begin=lambda *_: calls.append("old"))
    world.on_collision(
        1, 2, begin=pymunk.empty_callback, separate=pymunk.empty_callback, pre_solve=None
    )
    system.spawn(balls(world), (0, 0))
    two = system.spawn(Prefab(balls(world, kind=2)), (12, 0))
    world.step(STEP)
    two.kill()
    assert calls == []


def test_a_despawn_in_pymunks_own_separate_callback_is_safe(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    prefab, target = Prefab(balls(world)), Prefab(balls(world, kind=2))
    one, two = system.spawn(prefab, (0, 0)), system.spawn(target, (12, 0))
    news = []

    def separate(*_: object) -> None:
        two.kill()
        news.append(system.spawn(target, (200, 0)))

    world.space.on_collision(1, 2, separate=separate)
    world.step(STEP)
    one.kill()  # outside of a step: pymunk calls back in the middle of the removal
    assert news[0] is not two
    assert [body.position.x for body in world.space.bodies] == [200]
    assert system.spawn(target) is two
    assert world.step(STEP) == 1


@pytest.fixture(autouse=True)
def _nothing_is_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(args: object) -> None:
        pytest.fail(f"an error was swallowed: {args}")

    monkeypatch.setattr(sys, "unraisablehook", fail)


def test_n04_storms_of_one_seed_repeat_in_one_process_and_those_of_others_differ() -> None:
    first, again, other = (Tempest(seed, own_step=True, sleepy=False) for seed in (1, 1, 2))
    told = first.run(40)
    kept = [object() for _ in range(1000)]  # other addresses
    assert again.run(40) == told != other.run(40)
    assert len(kept) == 1000


def test_n04_a_storm_holds_what_it_claims_to_hold() -> None:
    tempest = Tempest(3, own_step=True, sleepy=True)
    tempest.run(130)
    words = {entry[0] for entry in tempest.trace if isinstance(entry, tuple)}
    assert {"born", "dead", "meet", "part", "refused"} <= words
    assert tempest.slept > 0
    assert tempest.recycled > 0


class Boss(Ball):
    """Has two parts that touch, each with a body."""

    def __init__(self, world: PhysicsWorld) -> None:
        super().__init__(world)
        self.arms = [Ball(world, kind=2), Ball(world, kind=2)]
        for place, arm in enumerate(self.arms):
            self.add_child(arm, (200 + 5 * place, 0))


@pytest.mark.parametrize("whose", ["world", "space"])
@pytest.mark.parametrize("which", ["boss", "arm"])
def test_12_1_a_boss_killed_by_the_separation_of_its_parts_has_one_next_life(
    system: PoolingSystem, world: PhysicsWorld, whose: str, which: str
) -> None:
    prefab = Prefab(lambda: Boss(world), name="boss")

    def separate(arbiter: Any, *_: object) -> None:
        for shape in arbiter.shapes:
            arm = world.sprite_of(shape)
            if arm is not None:
                (boss if which == "boss" else arm).kill()

    where: Any = world if whose == "world" else world.space
    where.on_collision(2, 2, separate=separate)
    boss = system.spawn(prefab, (0, 0))
    world.step(STEP)
    boss.kill()
    pool = system.pool(prefab)
    assert (pool.inactive_count, len(pool._inactive)) == (1, 1)
    one, two = system.spawn(prefab, (0, 0)), system.spawn(prefab, (0, 900))
    assert one is not two
    assert len(world.space.bodies) == 6


@pytest.mark.parametrize("how", ["world.step", "space.step"])
@pytest.mark.parametrize("when", ["in the step", "by a removal"])
def test_12_9_a_separation_may_ask_for_a_post_step_callback(
    system: PoolingSystem, world: PhysicsWorld, how: str, when: str
) -> None:
    called: list[str] = []
    one = system.spawn(balls(world), (0, 0))
    two = system.spawn(Prefab(balls(world, kind=2)), (12, 0))

    def separate(*_: object) -> None:
        called.append("separate")
        world.space.add_post_step_callback(lambda *_: called.append("after"), "key")

    world.on_collision(1, 2, separate=separate)
    world.step(STEP)
    if when == "by a removal":
        two.kill()
    else:
        one.body.velocity = (-6000, 0)
    for _ in range(4):
        world.step(STEP) if how == "world.step" else world.space.step(STEP)
    assert called == ["separate", "after"]


def test_what_the_game_removes_while_it_is_told_of_a_removal_is_removed(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    one = system.spawn(balls(world), (0, 0))
    block = pymunk.Circle(world.space.static_body, 5)
    block.collision_type = 9
    world.space.add(block)
    world.space.on_collision(1, 9, separate=lambda *_: world.space.remove(block))
    world.step(STEP)
    one.kill()
    assert block not in world.space.shapes
