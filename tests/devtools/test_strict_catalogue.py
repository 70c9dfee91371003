"""A catalogue of misuses that strict mode finds, each with what it says."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest
from blinker import Signal

from physics_kit import balls
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    UseAfterDespawnError,
)
from poolkit.devtools import disable_strict, enable_strict
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__)


def place(mark: str) -> str:
    """Return the place in this file that a comment marks."""
    lines = HERE.read_text(encoding="utf-8").splitlines()
    [number] = [i for i, line in enumerate(lines, 1) if line.endswith(f"  # {mark}")]
    return f"{HERE.name}:{number}"


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 10


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))
        self.health = self.add_component(Health())
        self.shield = PooledSprite()
        self.add_child(self.shield, (4, 0))

    def spawned(self) -> None:
        self.mood = "grim"

    @property
    def is_hurt(self) -> bool:
        return self.health.current < 30

    def roar(self) -> str:
        return f"{self.mood} roar"


class Rune:
    """Neither a sprite nor a component, and with slots."""

    __slots__ = ("__weakref__", "power")

    def __init__(self) -> None:
        self.power = 7


orc = Prefab(Orc, name="orc")


@pytest.fixture
def strict(system: PoolingSystem) -> PoolingSystem:
    enable_strict(system)
    return system


@pytest.fixture
def dead(strict: PoolingSystem) -> Orc:
    """Return an orc whose life ended in an earlier frame."""
    dead = strict.spawn(orc, (5, 5))
    dead.kill()  # the despawn
    strict.update(0.1)
    return dead


USES: dict[str, tuple[Callable[[Orc], object], str]] = {
    "reading an attribute": (lambda dead: dead.mood, "'mood' was read"),
    "reading one that it never had": (lambda dead: dead.mana, "'mana' was read"),  # type: ignore[attr-defined]
    "asking whether it has one": (lambda dead: hasattr(dead, "mood"), "'mood' was read"),
    "writing an attribute": (lambda dead: setattr(dead, "mood", "glad"), "'mood' was written"),
    "deleting an attribute": (lambda dead: delattr(dead, "mood"), "'mood' was deleted"),
    "calling a method": (lambda dead: dead.roar(), "'roar' was read"),
    "reading a property": (lambda dead: dead.is_hurt, "'is_hurt' was read"),
    "moving it": (lambda dead: setattr(dead, "position", (1, 2)), "'position' was written"),
    "being put into a group": (
        lambda dead: PooledGroup().add(dead),
        "'add' was called, to join a group",
    ),
    "colliding with it": (lambda dead: pygame.sprite.collide_rect(dead, dead), "'rect' was read"),
}


@pytest.mark.parametrize("use", USES)
def test_n02_using_a_despawned_sprite_raises_and_names_attribute_and_despawn(
    dead: Orc, use: str
) -> None:
    misuse, what = USES[use]
    with pytest.raises(UseAfterDespawnError) as caught:
        misuse(dead)
    message = str(caught.value)
    assert message.startswith(f"orc #0001 was used after its despawn: its {what}, but it was ")
    assert f"despawned at {place_of(message)}{place('the despawn')} in dead. " in message
    assert message.endswith("keep a handle, and use what handle.get() returns")


def place_of(message: str) -> str:
    """Return the folder in front of this file's name: it depends on where the tests are run."""
    return message.partition("despawned at ")[2].partition(HERE.name)[0]


def test_n02_a_component_kept_by_the_game_refuses_too(strict: PoolingSystem) -> None:
    health = strict.spawn(orc).health
    assert strict.despawn_all() == 1  # despawn all
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match=r"^Health of orc #0001 was used") as caught:
        health.current -= 1
    assert "its 'current' was read" in str(caught.value)
    assert place("despawn all") in str(caught.value)


def test_n02_a_part_of_a_despawned_sprite_refuses_too(strict: PoolingSystem) -> None:
    sprite = strict.spawn(orc)
    shield = sprite.shield
    sprite.kill()
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match=r"^PooledSprite of orc #0001 was used"):
        shield.position = (1, 1)


def recycle(system: PoolingSystem) -> Any:
    last = Prefab(Orc, name="last", settings=PoolSettings(limit=1, overflow=RecycleOldest()))
    first = system.spawn(last)
    system.spawn(last)  # the deed
    return first


def with_its_parent(system: PoolingSystem) -> Any:
    parent = system.spawn(orc)
    child = system.spawn(orc, parent=parent)
    parent.kill()  # the deed
    return child


def by_reset(system: PoolingSystem) -> Any:
    sprite = system.spawn(orc)
    system.reset()  # the deed
    return sprite


def by_collision(system: PoolingSystem) -> Any:
    group = PooledGroup()
    system.spawn(orc, groups=[group])
    player = PooledSprite(pygame.Surface((8, 8)))
    return pygame.sprite.spritecollide(player, group, dokill=True)[0]  # the deed


@pytest.mark.parametrize(
    ("end", "how"),
    [
        (recycle, "recycled, to make room for what was spawned at"),
        (with_its_parent, "despawned with what it was spawned under, at"),
        (by_reset, "despawned by the reset at"),
        (by_collision, "despawned at"),
    ],
)
def test_n02_the_message_says_how_the_life_ended_and_where(
    strict: PoolingSystem, end: Callable[[PoolingSystem], Any], how: str
) -> None:
    sprite = end(strict)
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match=f"but it was {how}") as caught:
        sprite.roar()
    line = int(str(caught.value).partition(f"{HERE.name}:")[2].partition(" ")[0])
    assert HERE.read_text(encoding="utf-8").splitlines()[line - 1].endswith("# the deed")


AGAIN: dict[str, Callable[[PoolingSystem, Any], object]] = {
    "by kill": lambda _, sprite: sprite.kill(),
    "by the system": lambda system, sprite: system.despawn(sprite),
    "by the pool": lambda system, sprite: system.all_pools()[0].despawn(sprite),
    "when it is destroyed": lambda system, sprite: (system.reset(), system.despawn(sprite)),
}


@pytest.mark.parametrize("kind", [Orc, Rune])
@pytest.mark.parametrize("again", AGAIN)
def test_n02_a_second_despawn_in_a_later_frame_names_both(
    strict: PoolingSystem, again: str, kind: type[Orc | Rune]
) -> None:
    instance = strict.spawn(kind)
    strict.despawn(instance)  # the first despawn
    assert not strict.despawn(instance)  # in the same frame it is no error
    strict.update(0.1)
    if again == "by kill" and kind is Rune:
        return  # it has none
    with pytest.raises(UseAfterDespawnError, match="#0001 was despawned again, at") as caught:
        AGAIN[again](strict, instance)
    assert place("the first despawn") in str(caught.value)
    assert str(caught.value).count(HERE.name) == 2
    assert "handle.despawn() does nothing then" in str(caught.value)


def only(system: PoolingSystem) -> Any:
    """Return the one active instance."""
    [instance] = system.pool(orc).active
    return instance


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda system: system.spawn(orc), "spawn of orc"),
        (lambda system: system.despawn_all(), "despawn of orc"),
        (lambda system: system.prespawn(orc, 9), "prespawn of orc"),
        (lambda system: system.update(0.1), "update of the pools"),
        (lambda system: system.reset(), "reset() of the pools"),
        (lambda system: system.detach(only(system)), "detach() of orc #0001"),
        (lambda system: system.despawn_after(only(system), 1), "despawn_after() of orc #0001"),
    ],
)
def test_n02_a_call_from_another_thread_raises_there(
    strict: PoolingSystem, call: Callable[[PoolingSystem], object], what: str
) -> None:
    strict.prespawn(orc, 2)
    strict.spawn(orc)
    errors: list[PoolError] = []

    def work() -> None:
        try:
            call(strict)
        except PoolError as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="loader")
    thread.start()
    thread.join()
    [error] = errors
    assert str(error).startswith(f"{what} was called in thread 'loader', but poolkit is for one")
    assert "'MainThread'" in str(error)
    assert strict.pool(orc).active_count == 1
    assert strict.pool(orc).inactive_count == 1
    assert strict.spawn(orc).active  # neither closed nor half reset


# -- what is left behind ----------------------------------------------------------------------


class Clingy(pygame.sprite.Group[Any]):
    """A group that lets nobody go."""

    def remove_internal(self, sprite: Any) -> None:
        pass


def test_n02_a_sprite_that_is_in_a_group_after_its_despawn_raises_in_the_next_update(
    strict: PoolingSystem,
) -> None:
    strict.spawn(Prefab(Orc, name="orc", groups=[Clingy()])).kill()
    words = r"^orc #0001 is still in <Clingy\(2 sprites\)>: but it was despawned at"
    with pytest.raises(PoolError, match=words):
        strict.update(0.1)
    graveyard = PooledGroup()
    sprite = strict.spawn(Orc)
    sprite.kill()  # on its way to the graveyard
    graveyard.add(sprite)
    with pytest.raises(PoolError, match=r"Orc #0001 is still in <PooledGroup\(1 ") as caught:
        strict.update(0.1)
    assert place("on its way to the graveyard") in str(caught.value)


def test_n02_a_body_of_a_rigid_body_that_the_game_put_back_raises(strict: PoolingSystem) -> None:
    world = PhysicsWorld()
    ball = strict.spawn(Prefab(balls(world), name="ball"))
    ball.kill()
    world.space.add(ball.body, ball.shape)
    with pytest.raises(PoolError, match="of ball #0001 is still in its space"):
        strict.update(0.1)


@pytest.mark.parametrize("space", [PhysicsWorld().space, pymunk.Space()])
def test_n02_a_body_that_nobody_else_knows_is_missed_in_its_space(
    strict: PoolingSystem, space: pymunk.Space
) -> None:
    class Mine(PooledSprite):
        def spawned(self, near: pymunk.Body | None = None) -> None:
            self.body = near or pymunk.Body(1, 1)
            if near is None:
                space.add(self.body, pymunk.Circle(self.body, 3))

    class Ship:
        hull = pymunk.Body(1, 1)

    space.add(Ship.hull)
    strict.spawn(Prefab(Mine, name="mine")).kill()
    with pytest.raises(PoolError, match=r"Body\(.* of mine #0001 is still in its space:"):
        strict.update(0.1)
    for _ in range(3):
        strict.spawn(Mine, near=Ship.hull).kill()
        strict.update(0.1)


class Bus:
    """A message bus that keeps what it calls."""

    def __init__(self) -> None:
        self.receivers: list[Callable[[], object]] = []

    def connect(self, receiver: Callable[[], object]) -> None:
        self.receivers.append(receiver)

    def disconnect(self, receiver: Callable[[], object]) -> None:
        self.receivers.remove(receiver)


@pytest.mark.parametrize("bus", [Bus(), Signal("struck")])
def test_n02_a_subscription_that_outlives_the_life_raises(strict: PoolingSystem, bus: Any) -> None:
    class Spy(PooledSprite):
        def spawned(self, bus: Any) -> None:
            bus.connect(self.listen)

        def listen(self, *_: object) -> None: ...

    strict.spawn(Prefab(Spy, name="spy"), bus=bus).kill()
    words = r"spy #0001 is still connected to <.*(Bus|blinker).* by its method 'listen': but"
    with pytest.raises(PoolError, match=words) as caught:
        strict.update(0.1)
    assert "begin it with self.scope" in str(caught.value)


# -- what was moved where nobody looks --------------------------------------------------------


def test_n02_a_rect_written_while_its_sprite_is_at_rest_is_named_at_the_next_spawn(
    strict: PoolingSystem,
) -> None:
    sprite = strict.spawn(orc, (5, 5))
    rect = sprite.rect
    sprite.kill()  # its rect was kept
    strict.update(0.1)
    rect.x += 3
    with pytest.raises(
        UseAfterDespawnError,
        match=r"orc #0001 was used after its despawn: the rect of orc #0001 was written since",
    ) as caught:
        strict.spawn(orc)
    assert place("its rect was kept") in str(caught.value)
    other = strict.spawn(orc)
    shield = other.shield.rect
    other.kill()
    strict.update(0.1)
    shield.center = (9, 9)
    with pytest.raises(
        UseAfterDespawnError, match=r"rect of PooledSprite of orc #0002 was written"
    ):
        strict.spawn(orc)


def test_n02_a_body_moved_while_its_sprite_is_at_rest_is_named_at_the_next_spawn(
    strict: PoolingSystem,
) -> None:
    world = PhysicsWorld()
    prefab = Prefab(balls(world), name="ball")
    ball: Any = strict.spawn(prefab)
    body = ball.body
    for _ in range(2):
        ball.kill()
        strict.update(0.1)
        world.step(1 / 60)
        assert strict.spawn(prefab) is ball
    ball.kill()
    strict.update(0.1)
    body.apply_impulse_at_local_point((5, 0))
    with pytest.raises(UseAfterDespawnError, match="a body of ball #0001 was moved since"):
        strict.spawn(prefab)


@pytest.fixture
def rolling(
    strict: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> tuple[PhysicsWorld, Any, Callable[[], None]]:
    """Return a world, a ball in it, and how a frame passes."""
    caplog.set_level(logging.WARNING, "poolkit")
    world = PhysicsWorld(gravity=(0, 100))
    ball = strict.spawn(Prefab(balls(world), name="ball"), (10, 10))

    def frame() -> None:
        strict.update(1 / 60)
        world.step(1 / 60)

    return world, ball, frame


def test_n02_a_rect_moved_behind_its_bodys_back_is_told_once_a_life(
    strict: PoolingSystem,
    rolling: tuple[PhysicsWorld, Any, Callable[[], None]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    world, ball, frame = rolling
    for _ in range(4):
        frame()
        ball.rect.x += 5
    [message] = caplog.messages
    assert message.startswith("the rect of ball #0001 was moved from (10, 10) to (15, 10)")
    assert "assign sprite.position" in message
    ball.kill()
    frame()
    again = strict.spawn("ball", (10, 10))
    for _ in range(2):
        frame()
        again.rect.x += 5
    frame()
    assert len(caplog.messages) == 2
    disable_strict(strict)
    assert "step" not in vars(world)


def test_n02_moving_position_or_body_or_spawning_elsewhere_is_no_finding(
    strict: PoolingSystem,
    rolling: tuple[PhysicsWorld, Any, Callable[[], None]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    _, ball, frame = rolling
    for turn in range(6):
        frame()
        ball.position += (5, 0)
        frame()
        ball.rotation = turn * 30
        frame()
        ball.body.position = (turn, turn)
        frame()
        if turn % 2:
            ball.kill()
            frame()
            ball = strict.spawn("ball", (turn * 50, 0))
    assert caplog.messages == []
