"""Every life keeps to the table of states, and is the same whether anyone observes it or not."""

from __future__ import annotations

import contextlib
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_kit import STEP, Ball
from poolkit import (
    Budget,
    Exceed,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.core.seams import LifeWatcher
from poolkit.core.states import TRANSITIONS, State
from poolkit.physics import PhysicsWorld
from recorder import HOOKS, Noted, assert_counts
from reference_model import leaves, traced_states

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import DespawnReason


class Wild(Ball):
    """A ball with a part, whose hooks do what the dice say."""

    def __init__(self, world: PhysicsWorld, act: Callable[[Wild], None]) -> None:
        super().__init__(world)
        self.hat = self.add_child(PooledSprite(pygame.Surface((4, 4))), (0, -8))
        self.add_component(Noted([], acts=dict.fromkeys(HOOKS, lambda _: act(self))))


class Jungle:
    """Sprites with bodies, parts and parents that do anything to each other at any time."""

    def __init__(self, seed: int, reuse: Any) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - a game's dice
        self.system = PoolingSystem()
        self.system.configure(reuse=reuse)
        self.world = PhysicsWorld()
        self.world.on_collision(1, 1, begin=self.meet, separate=self.meet)
        self.group = PooledGroup()
        self.depth = 0
        kinds = (
            PoolSettings(prespawn=4),
            PoolSettings(limit=5, overflow=RecycleOldest()),
            PoolSettings(limit=6, overflow=Exceed(), order="lifo"),
            PoolSettings(max_idle=2, grow_by=2),
        )
        self.prefabs = [
            Prefab(lambda: Wild(self.world, self.act), groups=[self.group], settings=one)
            for one in kinds
        ]

    def alive(self) -> list[Any]:
        return [one for pool in self.system.all_pools() for one in pool.active]

    def meet(self, *_: object) -> None:
        self.act(None)

    def act(self, actor: Any) -> None:
        """Do one of many things, one time in four; hooks that it runs do less and less."""
        if self.depth > 3 or self.dice.random() > 0.25:
            return
        self.depth += 1
        try:
            self.do(actor, self.dice.randrange(14))
        finally:
            self.depth -= 1

    def do(self, actor: Any, what: int) -> None:
        system, dice = self.system, self.dice
        one = actor if actor is not None and dice.random() < 0.5 else None
        one = one or dice.choice(self.alive() or [None])
        if len(self.alive()) > 30:
            one, what = one or self.alive()[0], 13
        prefab = dice.choice(self.prefabs)
        place = (dice.uniform(0, 90), dice.uniform(0, 90))
        if what < 4 or one is None:
            system.try_spawn(prefab, place, reclaimable=dice.random() < 0.8)
            return
        acts: dict[int, Callable[[], object]] = {
            4: lambda: system.try_spawn(prefab, place, parent=dice.choice([one, one.hat])),
            5: lambda: system.spawn_many(prefab, [place, (0, 0)]),
            6: lambda: system.discard(one),
            7: lambda: system.detach(one),
            8: one.hat.kill,
            9: lambda: 1 // 0,
            10: lambda: system.pool(prefab).trim(1),
            11: system.reset,
        }
        acts.get(what, one.kill)()

    def play(self, frames: int) -> None:
        for _ in range(frames):
            self.frame()

    def frame(self) -> None:
        for turn in (
            lambda: self.do(None, self.dice.randrange(14)),
            lambda: self.do(None, 0),
            lambda: self.world.step(STEP),
            lambda: self.system.update(STEP),
        ):
            with contextlib.suppress(Exception):
                turn()


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@pytest.mark.parametrize("seed", range(6))
def test_sprites_parents_failing_hooks_and_steps_keep_to_the_table_of_states(
    seed: int, reuse: str
) -> None:
    with traced_states() as seen:
        jungle = Jungle(seed, reuse)
        jungle.play(60)
        with contextlib.suppress(Exception):
            jungle.system.dispose()
        assert_counts(jungle.system)
    assert len({after for _, after in seen}) == len(State)


def test_tracing_states_sees_what_the_table_forbids(system: PoolingSystem) -> None:
    sprite = system.spawn(PooledSprite)
    record: Any = sprite._pool_record
    with pytest.raises(AssertionError, match="ACTIVE to INACTIVE"), traced_states():
        record.state = State.INACTIVE
    assert set(TRANSITIONS) == set(State)


Note = tuple[object, ...]


class Told(IPoolableComponent):
    """Notes what its hooks are told, by the number of the instance it is attached to."""

    def __init__(self, log: list[Note], number: int) -> None:
        self.log = log
        self.number = number

    def note(self, *told: object) -> None:
        self.log.append((type(self).__name__, self.number, *told))


class Bare(Told):
    def spawned(self) -> None:
        self.note("spawned")

    def despawned(self) -> None:
        self.note("despawned")


class Named(Told):
    def spawned(self, speed: int = 1, *, colour: str | None = None) -> None:
        self.note(speed, colour)


class Placed(Told):
    def spawned(self, position: Any, rotation: float, parent: Any = None) -> None:
        self.note(tuple(position), rotation, getattr(parent, "number", None))

    def despawned(self, reason: DespawnReason) -> None:
        self.note(reason)


class Greedy(Told):
    def spawned(self, **data: object) -> None:
        self.note(*sorted(data.items()))


class Timed(Told):
    """Ends its own lives, or fails, when it is told to."""

    def spawned(self, speed: int = 1) -> None:
        self.sprite.scope.after(speed, self.sprite.kill)
        self.sprite.scope.callback(lambda: self.note("undone"))
        if speed == 3:
            self.sprite.kill()
        if speed == 4:
            raise RuntimeError(self.number)


numbers = st.sampled_from([0, 3, -7.5, 40, 12.25])
bad = st.sampled_from([float("nan"), float("inf"), "x", None, 10**400])
simple = {"position": st.tuples(numbers, numbers), "speed": st.sampled_from([1, 1, 2, 3])}
few_options = st.fixed_dictionaries({}, optional=simple)
family_options = st.fixed_dictionaries({"parent": st.integers(0, 9)}, optional=simple)
options = st.fixed_dictionaries(
    {},
    optional={
        "position": st.tuples(numbers, numbers | bad),
        "rotation": numbers | bad,
        "speed": st.integers(1, 4),
        "colour": st.sampled_from(["red", None]),
        "groups": st.sampled_from([(), (0,), (0, 1), (2,)]),
        "persistent": st.sampled_from([None, True, False]),
        "reclaimable": st.booleans(),
        "parent": st.integers(0, 9),
    },
)
steps = st.tuples(
    st.sampled_from(["spawn"] * 9 + ["kill"] * 6 + ["update"] * 2 + ["discard", "reset", "detach"]),
    st.integers(0, 9),
    few_options | family_options | options,
)


def number_of(sprite: Numbered) -> int:
    return sprite.number % 3


kinds = (Bare, Named, Placed, Greedy, Timed)
scripts = st.fixed_dictionaries(
    {
        "kinds": st.lists(st.sampled_from(kinds), min_size=1, max_size=3, unique=True),
        "settings": st.builds(
            PoolSettings,
            prespawn=st.sampled_from([2, 2, 1, 0]),
            limit=st.sampled_from([None, None, 2, 4]),
            overflow=st.sampled_from(
                [Refuse(), Exceed(), RecycleOldest(), RecycleLowest(number_of)]
            ),
            order=st.sampled_from(["fifo", "lifo"]),
            max_idle=st.sampled_from([None, None, 2]),
        ),
        "budget": st.sampled_from([None, None, 3]),
        "reuse": st.sampled_from(["at_once", "next_update"]),
        "in_groups": st.booleans(),
        "persistent": st.booleans(),
        "steps": st.lists(steps, min_size=15, max_size=30),
    }
)


class Numbered(PooledSprite):
    """Knows as which of its game it was built."""

    number = 0


class Game:
    """Plays a script; the trace of two games can be compared."""

    def __init__(self, script: dict[str, Any], *, is_observed: bool) -> None:
        self.log: list[Note] = []
        self.built: list[Numbered] = []
        self.groups: list[Any] = [PooledGroup(), pygame.sprite.Group(), PooledGroup()]
        self.kinds = script["kinds"]
        self.system = PoolingSystem()
        self.system.configure(reuse=script["reuse"])
        self.prefab = Prefab(
            self.build,
            name="one",
            settings=replace(
                script["settings"], budget=script["budget"] and Budget(script["budget"])
            ),
            groups=self.groups[2:] if script["in_groups"] else (),
            persistent=script["persistent"],
        )
        self.pool = self.system.pool(self.prefab)
        for whose in (self.pool, self.system) if is_observed else ():
            whose.on_spawn(lambda _: None)
            whose.on_despawn(lambda _: None)
        if is_observed:
            self.system._context.watch_lives(LifeWatcher())

    def build(self) -> Numbered:
        sprite = Numbered(pygame.Surface((3, 3)))
        sprite.number = len(self.built)
        self.built.append(sprite)
        for kind in self.kinds:
            sprite.add_component(kind(self.log, sprite.number))
        return sprite

    def do(self, verb: str, number: int, given: dict[str, Any]) -> object:
        one = self.built[number % len(self.built)] if self.built else None
        if verb == "spawn":
            given = dict(given)
            if "groups" in given:
                given["groups"] = [self.groups[at] for at in given["groups"]]
            if "parent" in given:
                given["parent"] = one
            return self.system.spawn(self.prefab, **given).number
        acts: dict[str, Callable[[], object]] = {
            "update": lambda: self.system.update(1.0),
            "reset": lambda: str(self.system.reset()),
            "kill": lambda: self.system.despawn(one),
            "discard": lambda: self.system.discard(one),
            "detach": lambda: self.system.detach(one),
        }
        return acts[verb]()

    def trace(self, verb: str, number: int, given: dict[str, Any]) -> Note:
        """Do it, and return all that can be seen of it."""
        try:
            outcome: object = self.do(verb, number, given)
        except Exception as error:  # noqa: BLE001 - both games must raise the same
            outcome = (type(error).__name__, *leaves(error))
        done, self.log[:] = list(self.log), []
        pool = self.pool
        return (
            outcome,
            done,
            [(one.number, one.position, one.rotation) for one in pool.active],
            [(record.instance.number, record.state) for record in pool.inactive],
            [[one.number for one in group.sprites()] for group in self.groups],
            pool.stats,
            [getattr(sprite.parent, "number", None) for sprite in self.built],
        )


@settings(max_examples=200, derandomize=True)
@given(script=scripts)
def test_lives_are_the_same_with_and_without_listeners_and_watchers(script: dict[str, Any]) -> None:
    bare, observed = Game(script, is_observed=False), Game(script, is_observed=True)
    with traced_states():
        for step in script["steps"]:
            assert bare.trace(*step) == observed.trace(*step), step
