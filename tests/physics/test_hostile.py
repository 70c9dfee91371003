"""What hostile testing found: no life lost, no ghost, no world that stays shut."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collision_storm import Storm
from physics_kit import STEP, Ball, balls
from poolkit import PooledSprite, Prefab, PrefabError
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody, chipmunk

if TYPE_CHECKING:
    from poolkit import PoolingSystem


@pytest.fixture
def world() -> PhysicsWorld:
    return PhysicsWorld()


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


class Tied(PooledSprite):
    """Is tied to another instance."""

    def __init__(self, world: PhysicsWorld, other: Ball) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 10)
        self.rope = pymunk.PinJoint(self.body, other.body)
        self.add_component(RigidBody(world, self.body, pymunk.Circle(self.body, 3), self.rope))
        self.add_component(ResetPooledBodyComponent())


def test_12_2_a_joint_to_a_sprite_that_was_destroyed_is_in_no_further_life(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    world.space.sleep_time_threshold = 0.1
    prefab = Prefab(balls(world))
    other = system.spawn(prefab, (0, 0))
    tied = system.spawn(Prefab(lambda: Tied(world, other)), (50, 0))
    assert tied.rope in world.space.constraints
    tied.kill()
    other.kill()
    system.pool(prefab).trim(0)
    for _ in range(2):
        assert system.spawn(tied.prefab or "", (0, 0)) is tied
        assert tied.rope not in world.space.constraints
        for _ in range(30):
            world.step(STEP)
        tied.kill()


def test_a_joint_to_a_body_of_the_games_own_that_is_in_no_space_is_left_to_it(
    system: PoolingSystem, world: PhysicsWorld
) -> None:
    post = pymunk.Body(body_type=pymunk.Body.STATIC)

    def tied() -> Ball:
        ball = Ball(world)
        ball.add_component(
            RigidBody(world, body := pymunk.Body(1, 1), pymunk.PinJoint(body, post, (0, 9)))
        )
        return ball

    system.spawn(tied)
    assert len(world.space.constraints) == 1


@pytest.mark.parametrize("is_held", [False, True])
def test_a_joint_that_a_life_added_is_no_part_of_the_next(
    system: PoolingSystem, world: PhysicsWorld, *, is_held: bool
) -> None:
    prefab = Prefab(balls(world))
    one, two = system.spawn_many(prefab, [(0, 0), (50, 0)])
    rope = pymunk.PinJoint(one.body, two.body)
    world.space.add(rope)
    held = [rope] if is_held else []
    del rope
    gc.disable()
    try:
        one.kill()
        assert len(world.space.constraints) == 0
        assert len(one.body.constraints) == len(two.body.constraints) == len(held)
        assert system.spawn(prefab, (0, 0)) is one
    finally:
        gc.enable()
    world.space.add(*held)  # what the game holds on to, it may use again
    called: list[object] = []
    for joint in held:
        joint.pre_solve = lambda *_: called.append("called")
        world.step(STEP)
        assert called == ["called"]
    one.kill()
    assert len(world.space.constraints) == 0


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


def test_x10_a_component_that_has_nothing_to_reset_is_refused(system: PoolingSystem) -> None:
    def bare() -> PooledSprite:
        sprite = PooledSprite()
        sprite.add_component(ResetPooledBodyComponent())
        return sprite

    with pytest.raises(PrefabError, match="no RigidBody"):
        system.spawn(bare)


# -- interrupted ---------------------------------------------------------------------------------


# -- entries written directly --------------------------------------------------------------------


def _notes(space: Any, parts: list[Any]) -> list[object]:
    """Return what pymunk has noted of some parts, in its order."""
    places = {id(part): place for place, part in enumerate(parts)}
    books = [space._bodies, space._shapes, space._removed_shapes, space._add_later]
    noted: list[object] = [[places[id(each)] for each in book] for book in books]
    noted.append({places[id(each)] for each in space._bodies_to_check})
    noted.append([part.space is space for part in parts])
    noted.append([part.position for part in parts if isinstance(part, pymunk.Body)])
    return noted


def _use(deed: str, space: pymunk.Space, ways: Any, bodies: list[Any], shapes: list[Any]) -> None:
    is_in = bodies[0].space is not None and shapes[0].space is not None
    if deed in {"in", "out"}:
        ways[deed == "out"](space, bodies, shapes)
    elif deed == "step":
        space.step(0.1)
    elif deed == "push" and bodies[0].body_type != pymunk.Body.STATIC:
        bodies[0].velocity = (9, 9)
    elif deed == "bare" and is_in:
        space.remove(shapes[0])
        space.add(shapes[0])


@settings(max_examples=60, deadline=None)
@given(
    script=st.lists(
        st.tuples(st.sampled_from(["in", "out", "step", "push", "bare"]), st.integers(0, 5)),
        max_size=40,
    )
)
def test_entries_written_directly_note_what_pymunk_notes(script: list[tuple[str, int]]) -> None:
    traces = []
    for ways in (chipmunk._DIRECTLY, chipmunk._PLAINLY):
        space = pymunk.Space()
        trace: list[object] = []
        parts: list[Any] = []
        entries: list[Any] = []
        for number in range(6):
            bodies = [pymunk.Body(1, 9, (0, 0, 2)[number % 3]) for _ in range(1 + number % 2)]
            shapes = [pymunk.Circle(body, 5) for body in bodies for _ in range(1 + number % 2)]
            for body in bodies:
                body.position = (6 * number, 0)
            entries.append((ways, bodies, shapes))
            parts += [*bodies, *shapes]
        for deed, which in script:
            try:
                _use(deed, space, *entries[which])
            except AssertionError as error:
                trace.append(str(error))
            trace.append(_notes(space, parts))
        traces.append(trace)
    assert traces[0] == traces[1]


@pytest.mark.parametrize(
    "trial",
    [
        "books_are_known",
        "settings_are_known",
        "bodies_are_read",
        "steps_are_told",
        "contacts_are_told",
    ],
)
def test_pymunk_is_inside_as_it_is_taken_to_be_and_storms_repeat_where_it_is_not(
    trial: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert getattr(chipmunk, trial)()
    usual = Storm(9).run(12)
    monkeypatch.setattr(chipmunk, trial, lambda: False)
    assert Storm(9).run(12) == usual


def test_what_pymunk_does_otherwise_than_expected_is_told_once_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def is_so() -> bool:
        raise AttributeError

    trial = chipmunk._trial("its secrets")(is_so)
    assert not trial()
    assert not trial()
    [record] = caplog.records
    assert (record.name, record.levelname) == ("poolkit", "WARNING")
    assert "its secrets" in record.getMessage()
