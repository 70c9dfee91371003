"""Every life keeps to the table of states, whatever hooks, parents and steps do to it."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from physics_kit import STEP, Ball
from poolkit import (
    Exceed,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)
from poolkit.core.states import TRANSITIONS, State
from poolkit.physics import PhysicsWorld
from recorder import HOOKS, Noted, assert_counts
from reference_model import traced_states

if TYPE_CHECKING:
    from collections.abc import Callable


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
