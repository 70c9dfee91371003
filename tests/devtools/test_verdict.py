"""The verdict: whether pooling pays for a prefab, measured and said in a sentence."""

from __future__ import annotations

import gc
import re
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    PrefabError,
)
from poolkit.devtools import disable_strict, enable_strict
from poolkit.devtools.collector_probe import CollectorPause
from poolkit.devtools.verdicts import Verdict, verdict
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

SENTENCES = {  # by whether pooling pays
    True: r".+: (\d+\.\d+) µs to build, (\d+\.\d+) µs to reuse, [\d.]+ times; pooling pays",
    False: r".+: (\d+\.\d+) µs against (\d+\.\d+); pooling does not pay",
}


def burn(rounds: int = 3000) -> None:
    for _ in range(rounds):
        pass


class Part(IPoolableComponent):
    pass


class Costly(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((16, 16)))
        self.add_component(Part())
        burn()


class Spark:
    pass


@pytest.mark.parametrize(
    ("build", "reuse", "sentence"),
    [
        (31.4, 2.3, "orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays"),
        (6.0, 2.4, "orc: 6.0 µs to build, 2.4 µs to reuse, 2.5 times; pooling pays"),
        (0.6, 0.8, "orc: 0.6 µs against 0.8; pooling does not pay"),
        (0.04, 0.8, "orc: 0.04 µs against 0.8; pooling does not pay"),
        (2.0, 2.05, "orc: 2.0 µs against 2.0; too close to call"),
        (3.0, 2.1, "orc: 3.0 µs against 2.1; too close to call"),
    ],
)
def test_n07_the_verdict_is_a_sentence(build: float, reuse: float, sentence: str) -> None:
    assert str(Verdict("orc", build * 1e-6, reuse * 1e-6)) == sentence


def test_n07_details_tell_of_the_collector() -> None:
    pauses = CollectorPause(0, 0.001, 9), CollectorPause(2, 0.0142, 0)
    whole = Verdict("orc", 31.4e-6, 2.3e-6, 3.04e-6, pauses, 300_000)
    assert whole.details == (
        "  3.0 µs of building are the collector's, which paused 2 times, for 14.2 ms at worst, "
        "at a heap of 300,000 objects"
    )


@pytest.mark.parametrize(("kind", "pays"), [(Costly, True), (Spark, False)])
def test_n07_the_same_prefab_gets_the_same_sentence_in_five_runs(kind: type, *, pays: bool) -> None:
    prefab = Prefab(kind, name="orc", settings=PoolSettings(limit=2))
    for _ in range(5):
        found = verdict(prefab, heap=1000, rounds=5)
        assert re.fullmatch(SENTENCES[pays], str(found))
        assert (found.pays, found.heap, found.name) == (pays, 1000, "orc")


def test_n07_a_sprite_that_joins_its_group_is_compared_with_a_plain_one_and_leaves_none() -> None:
    group: PooledGroup = PooledGroup()
    image = pygame.Surface((8, 8))

    class Joins(PooledSprite):
        def __init__(self) -> None:
            super().__init__(image, group)

    class Plain(pygame.sprite.Sprite):
        def __init__(self) -> None:
            super().__init__()
            self.image = image
            self.rect = image.get_rect()
            self.add(group)

    in_play = Joins()
    for kind in (Joins, Plain):
        found = verdict(kind, heap=0, rounds=7)
        assert found.times < 2  # by hand, it is a few microseconds as well
        assert found.build < 20e-6
        assert group.sprites() == [in_play]


def test_n07_what_hooks_cost_is_on_both_sides() -> None:
    class Busy(IPoolableComponent):
        def __init__(self) -> None:
            burn(1500)

        def spawned(self) -> None:
            burn(4500)

    found = verdict(Busy, heap=0, rounds=7)
    # Four parts of work against three, although building alone is but one.
    assert 1.0 < found.times < 2.0


def test_n07_the_collector_has_work_where_bodies_are_built_and_none_where_they_are_reused() -> None:
    world, group = PhysicsWorld(), PooledGroup()

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            body = pymunk.Body(5, 10)
            self.add_component(RigidBody(world, body, pymunk.Circle(body, 12)))
            self.add_component(ResetPooledBodyComponent())

    found = verdict(Prefab(Orc, name="orc", groups=[group]), heap=10_000, rounds=7)
    assert found.pays
    assert found.pauses
    assert found.paused > 0
    assert not world.space.bodies
    assert len(group) == 0


def test_x08_spawn_data_is_handed_on_and_what_it_costs_to_deal_is_the_pools_alone() -> None:
    class Bullet(IPoolableComponent):
        seen: set[object] = set()  # noqa: RUF012 - a note, no field

        def spawned(self, speed: int) -> None:
            self.seen.add(speed)

    with pytest.raises(TypeError, match="speed"):
        verdict(Bullet, heap=0, rounds=3)
    found = verdict(Bullet, data={"speed": 7, "position": (3, 4)}, heap=0, rounds=5)
    assert found.pays is False
    assert Bullet.seen == {7}


def test_n07_nothing_of_the_game_is_changed(system: PoolingSystem) -> None:
    class Puff:
        pass

    class Ghost(IPoolableComponent):
        def despawned(self) -> None:
            system.spawn(Puff)

    others = system.spawn_many(Puff, [(0, 0)] * 3)
    ghost = Prefab(Ghost, name="ghost")
    alive = system.spawn(ghost)
    enabled = gc.isenabled()
    verdict(ghost, heap=0, rounds=3, system=system)
    assert gc.isenabled() == enabled
    assert list(system.pool(Puff).active) == others
    assert list(system.pool(ghost).active) == [alive]
    assert system.pool(ghost).capacity == 1
    gc.disable()
    try:
        verdict("ghost", heap=0, rounds=3, system=system)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_bad_input_a_system_that_is_not_as_it_is_in_play(system: PoolingSystem) -> None:
    changes: list[Callable[[], object]] = [
        lambda: enable_strict(system),
        lambda: system.configure(pooling=False),
    ]
    for change in changes:
        change()
        with pytest.raises(PoolError, match="is not as it is in play: leave strict mode and"):
            verdict(Spark, heap=0, rounds=3, system=system)
        disable_strict(system)
    system.configure(pooling=True)


@pytest.mark.parametrize(("kind", "pays"), [(Costly, True), (Spark, False)])
def test_p21_where_nothing_is_reused_before_the_next_update_a_batch_is_one_frame(
    system: PoolingSystem, kind: type, *, pays: bool
) -> None:
    system.configure(reuse="next_update")
    assert verdict(kind, heap=0, rounds=5, system=system).pays is pays


def test_n07_what_fails_leaves_nothing_in_the_system(system: PoolingSystem) -> None:
    class Needy(IPoolableComponent):
        def spawned(self, target: object) -> None:
            raise ValueError(target)

    for data in ({}, {"target": 5}):
        with pytest.raises((TypeError, ValueError)):
            verdict(Needy, data=data, heap=0, rounds=3, system=system)
    assert all(pool.capacity == 0 for pool in system.all_pools())


def test_bad_input_what_no_verdict_can_be_given_on() -> None:
    wrong: Any = 5
    for prefab, error, message in (
        (wrong, PrefabError, "not 5"),
        ("nobody", PrefabError, "no prefab named 'nobody'"),
        (Prefab(lambda: None, name="none"), PrefabError, "the factory of none returned None"),
    ):
        with pytest.raises(error, match=message):
            verdict(prefab)
    with pytest.raises(ValueError, match="rounds must be 3 or more"):
        verdict(Spark, rounds=1)
    with pytest.raises(TypeError, match="heap must be a whole number"):
        verdict(Spark, heap=wrong / 2)
