"""Strict mode: who refuses from when on, what stays sane meanwhile, and what is as before."""

from __future__ import annotations

import copy
import inspect
import pickle
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from blinker import Signal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from physics_kit import STEP, Ball, balls
from poolkit import (
    ObjectPool,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    UseAfterDespawnError,
)
from poolkit.devtools import disable_strict, enable_strict, is_strict
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Iterator


class Orc(PooledSprite):
    def spawned(self) -> None:
        self.hp = 30


class Gem:
    """A plain object with a meaning of equality of its own."""

    kinds: list[str] = []  # noqa: RUF012 - a game's registry

    def __init_subclass__(cls, *, kind: str) -> None:
        cls.kinds.append(kind)

    def __init__(self) -> None:
        self.colour = "red"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gem) and self.colour == other.colour

    def __hash__(self) -> int:
        return hash(self.colour)

    def __len__(self) -> int:
        return len(self.colour)


gem = Prefab(Gem, name="gem")
orc = Prefab(Orc, name="orc")


@pytest.fixture
def strict(system: PoolingSystem) -> PoolingSystem:
    enable_strict(system)
    return system


def bury(system: PoolingSystem, prefab: Any) -> Any:
    """Return an instance that refuses by now."""
    instance = system.spawn(prefab)
    system.despawn(instance)
    system.update(0.1)
    return instance


# -- from when to when ------------------------------------------------------------------------


def test_n02_an_instance_refuses_from_the_next_update_on_until_its_next_spawn(
    strict: PoolingSystem,
) -> None:
    sprite = strict.spawn(orc)
    sprite.kill()
    assert sprite.hp == 30  # in the frame of the despawn it may still be looked at
    assert strict.spawn(orc) is not sprite  # nor is it handed out again in that frame
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError):
        sprite.hp  # noqa: B018
    again = strict.spawn(orc)
    assert again is sprite
    assert type(again) is Orc
    assert again.hp == 30
    assert again.active


@pytest.mark.parametrize("factory", [Orc, balls(PhysicsWorld())])
def test_n02_a_destroyed_instance_refuses_for_good_and_is_freed_all_the_same(
    strict: PoolingSystem, factory: Any
) -> None:
    strict.configure(pooling=False)
    sprite = bury(strict, Prefab(factory, name="it"))
    for _ in range(3):
        strict.update(0.1)
        with pytest.raises(UseAfterDespawnError):
            sprite.position  # noqa: B018
    watched = weakref.ref(sprite)
    del sprite
    assert watched() is None


def test_n02_destroyed_hooks_may_use_the_instance_a_last_time(strict: PoolingSystem) -> None:
    seen = []

    class Shade(Orc):
        def destroyed(self) -> None:
            seen.append(self.hp)

    shade = bury(strict, Prefab(Shade, name="shade"))
    strict.reset()
    assert seen == [30]
    with pytest.raises(UseAfterDespawnError, match=r"shade #0001 .*'hp'"):
        shade.hp  # noqa: B018


def test_n02_a_detached_instance_never_refuses(strict: PoolingSystem) -> None:
    bury(strict, orc)
    sprite = strict.spawn(orc)
    strict.detach(sprite)
    strict.update(0.1)
    assert sprite.hp == 30
    sprite.kill()
    strict.update(0.1)
    assert sprite.hp == 30


def test_n02_a_despawn_after_the_disposal_is_ignored_as_ever(strict: PoolingSystem) -> None:
    sprite = bury(strict, orc)
    strict.dispose()
    sprite.kill()
    assert not strict.despawn(sprite)
    with pytest.raises(UseAfterDespawnError):
        sprite.hp  # noqa: B018


def test_n02_lives_that_began_or_ended_before_strict_mode_are_seen_too(
    system: PoolingSystem,
) -> None:
    ended, going_on = system.spawn(orc), system.spawn(orc)
    ended.kill()
    system.prespawn(orc, 3)
    enable_strict(system)
    going_on.kill()
    system.update(0.1)
    with pytest.raises(UseAfterDespawnError, match="despawned before strict mode was on"):
        ended.hp  # noqa: B018
    with pytest.raises(UseAfterDespawnError, match=r"test_strict\.py"):
        going_on.hp  # noqa: B018


def test_n02_switching_it_off_lets_everything_be_used_again(strict: PoolingSystem) -> None:
    resting, destroyed = bury(strict, orc), bury(strict, gem)
    strict.pool(gem).clear()
    assert is_strict(strict)
    disable_strict(strict)
    disable_strict(strict)
    assert not is_strict(strict)
    assert type(resting) is Orc
    assert type(destroyed) is Gem
    assert not strict.despawn(resting)
    assert not strict.despawn(destroyed)
    strict.update(0.1)
    assert strict.spawn(orc) is resting


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_n02_off_again_everything_is_as_it_was(system: PoolingSystem, reuse: Any) -> None:
    system.configure(reuse=reuse)
    system.spawn(orc)
    enable_strict(system)
    enable_strict(system)
    assert system._context.reuse == "next_update"
    assert not system.pool(orc)._ends_fast
    disable_strict(system)
    assert system._context.reuse == reuse
    assert system.pool(orc)._ends_fast
    assert not system._context.life_watchers
    assert not system._context.time_watchers


# -- what stays sane --------------------------------------------------------------------------


def test_n02_class_equality_hash_and_truth_stay_as_they_were(strict: PoolingSystem) -> None:
    first, second = strict.spawn_many(gem, [(0, 0)] * 2)
    kept = {first: "first"}
    strict.despawn_all()
    strict.update(0.1)
    assert isinstance(first, Gem)
    assert first.__class__ is Gem
    assert issubclass(type(first), Gem)
    assert repr(type(first)) == repr(Gem)
    assert first == second
    assert first != Orc
    assert kept[second] == "first"
    with pytest.raises(UseAfterDespawnError, match="'colour' was read"):
        len(first)
    assert Gem.kinds == []  # the game's registry of subclasses hears nothing


def test_n02_the_repr_says_what_it_was_and_how_it_ended(strict: PoolingSystem) -> None:
    dead = bury(strict, orc)
    assert repr(dead).startswith("<Orc orc #0001, despawned at ")
    assert "test_strict.py" in str(dead)


def test_n02_it_can_be_looked_at_copied_and_pickled_as_what_it_was(strict: PoolingSystem) -> None:
    dead = bury(strict, gem)
    assert vars(dead) == {"colour": "red"}
    assert dict(inspect.getmembers(dead))["colour"] == "red"  # as debuggers do
    for twin in (copy.copy(dead), copy.deepcopy(dead), pickle.loads(pickle.dumps(dead))):  # noqa: S301
        assert type(twin) is Gem
        assert twin.colour == "red"
    with pytest.raises(UseAfterDespawnError):
        dead.colour  # noqa: B018 - it still refuses


def test_n02_groups_may_lose_it_and_update_it_in_vain(strict: PoolingSystem) -> None:
    crowd: pygame.sprite.Group[Any] = pygame.sprite.Group()

    class Rival(Orc):
        def update(self) -> None:
            for other in [each for each in crowd if each is not self]:
                other.kill()
                strict.update(0.1)  # as bad as it gets: in the middle of the group's update

    strict.spawn_many(Prefab(Rival, name="rival", groups=[crowd]), [(0, 0)] * 3)
    crowd.update()
    [sprite] = crowd
    sprite.kill()
    strict.update(0.1)
    crowd.remove(sprite)
    assert sprite not in crowd
    assert not sprite.alive()
    assert sprite.groups() == []
    assert not sprite.active
    sprite.remove(crowd)
    with pytest.raises(UseAfterDespawnError, match="'update' was called"):
        sprite.update()  # by the game, from a list of its own


class Registering(type):
    """A metaclass that counts its classes."""

    classes: list[str] = []  # noqa: RUF012 - a game's registry

    def __init__(cls, *arguments: Any) -> None:
        super().__init__(*arguments)
        cls.classes.append(cls.__name__)


class Odd(metaclass=Registering):
    """Answers in ways of its own, and has slots."""

    __slots__ = ("__weakref__", "answers")

    def __init__(self) -> None:
        self.answers = {"name": "odd"}

    def __getattr__(self, name: str) -> str:
        if name == "name":
            return self.answers[name]
        raise AttributeError(name)


def test_n02_odd_classes_refuse_and_are_given_back(strict: PoolingSystem) -> None:
    prefab = Prefab(Odd, name="odd")
    dead = bury(strict, prefab)
    assert isinstance(dead, Odd)
    for name in ("name", "answers"):
        with pytest.raises(UseAfterDespawnError):
            getattr(dead, name)
    again = strict.spawn(prefab)
    assert type(again) is Odd
    assert again.name == "odd"
    assert Registering.classes == ["Odd"]  # it hears of no subclass


def test_n02_what_can_not_be_swapped_is_left_alone(strict: PoolingSystem) -> None:
    dead = bury(strict, Prefab(list, name="list"))
    dead.append(1)
    assert dead == [1]
    with pytest.raises(UseAfterDespawnError, match="list #0001 was despawned again"):
        strict.despawn(dead)


def test_n02_components_that_sprites_may_share_and_rigid_bodies_are_left_alone(
    strict: PoolingSystem,
) -> None:
    class Stats:
        armour = 3

    shared = Stats()
    world = PhysicsWorld()

    def build() -> Ball:
        ball = Ball(world)
        ball.add_component(shared)
        return ball

    ball = strict.spawn(Prefab(build, name="ball"))
    rigid = ball.rigid
    ball.kill()
    strict.update(0.1)
    assert shared.armour == 3
    assert rigid.body.space is None
    assert world.sprite_of(rigid.body) is ball


# -- together with the rest -------------------------------------------------------------------


def test_n02_a_despawn_in_a_step_that_the_frame_ends_in_is_looked_at_when_it_is_over(
    strict: PoolingSystem,
) -> None:
    world = PhysicsWorld()
    ball = strict.spawn(Prefab(balls(world), name="ball"), (0, 0))
    strict.spawn(Prefab(balls(world), name="other"), (5, 0))

    def meet(*_: object) -> None:
        ball.kill()

    world.on_collision(1, 1, begin=meet)
    world.step(STEP)
    strict.update(STEP)
    assert strict.spawn("ball") is ball


def test_n02_recycling_children_scopes_and_signals_of_a_clean_game_raise_nothing(
    strict: PoolingSystem,
) -> None:
    rang = Signal("rang")

    class Guard(Orc):
        def spawned(self) -> None:
            super().spawned()
            self.scope.connect(rang, self.hear)

        def hear(self, _: object) -> None:
            self.hp -= 1

    last = PoolSettings(limit=4, overflow=RecycleOldest())
    guard = Prefab(Guard, name="guard", groups=[PooledGroup()], settings=last)
    for turn in range(30):
        sprite = strict.spawn(guard)
        strict.spawn(orc, parent=sprite)
        if turn % 3 == 0:
            sprite.kill()
        rang.send(None)
        strict.update(0.1)
    strict.reset()
    assert not rang.receivers


def test_bad_input_strict_mode_takes_a_pooling_system() -> None:
    pool: Any = ObjectPool(list)
    for call in (enable_strict, disable_strict, is_strict):
        with pytest.raises(TypeError, match="strict mode is a pooling system's, not <ObjectPool"):
            call(pool)


# -- against a naive model --------------------------------------------------------------------


class StrictGame(RuleBasedStateMachine):
    """In whatever order things happen, what died before the last update refuses, nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.system = PoolingSystem()
        enable_strict(self.system)
        settings = PoolSettings(limit=4, overflow=RecycleOldest())
        self.prefabs = [orc.variant(name="a"), orc.variant(name="b", settings=settings)]
        self.alive: dict[int, Orc] = {}
        self.dying: dict[int, Orc] = {}
        self.dead: dict[int, Orc] = {}

    def note(self) -> None:
        for key, sprite in list(self.alive.items()):
            if not sprite.active:
                self.dying[key] = self.alive.pop(key)

    @rule(kind=st.integers(0, 1))
    def spawn(self, kind: int) -> None:
        sprite = self.system.try_spawn(self.prefabs[kind])
        self.note()
        if sprite is None:  # as many as there may be died in this frame
            return
        assert id(sprite) not in self.alive
        assert id(sprite) not in self.dying
        self.dead.pop(id(sprite), None)
        self.alive[id(sprite)] = sprite
        self.note()

    @rule(choice=st.integers(0, 99))
    def kill(self, choice: int) -> None:
        if self.alive:
            list(self.alive.values())[choice % len(self.alive)].kill()
            self.note()

    @rule()
    def update(self) -> None:
        self.system.update(0.1)
        self.dead |= self.dying
        self.dying = {}

    @rule()
    def reset(self) -> None:
        self.system.reset()
        self.note()

    @rule(n=st.integers(0, 2))
    def trim(self, n: int) -> None:
        self.system.pool(self.prefabs[0]).trim(n)

    @invariant()
    def only_the_dead_refuse(self) -> None:
        for sprite in (*self.alive.values(), *self.dying.values()):
            assert type(sprite) is Orc
            assert sprite.hp == 30
        for sprite in self.dead.values():
            with pytest.raises(UseAfterDespawnError):
                sprite.hp  # noqa: B018


def test_n02_only_what_died_before_the_last_update_refuses_whatever_happens() -> None:
    run_state_machine_as_test(
        StrictGame, settings=settings(max_examples=25, stateful_step_count=30)
    )


@pytest.fixture(autouse=True)
def _no_registry() -> Iterator[None]:
    yield
    Gem.kinds.clear()
