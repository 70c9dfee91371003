"""The demo of the spawner: its coroutine, its keys, and children that follow their parents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from demo_fixture import SCENE, hit, pixels, playing
from flight.balloon import balloons
from flight.dragon import PLACES, Dragon, dragon, dragons
from flight.news import latest
from flight.riders import KINDS, Rider, mount, riders
from poolkit import pools
from shared.effects import effects, puff
from spawner import SpawnerDemo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit import Prefab


@pytest.fixture
def demo() -> Iterator[SpawnerDemo]:
    """The flight as it begins, with nobody in the sky but the balloon, which is paused."""
    with playing(SpawnerDemo) as demo:
        demo.scene.balloon.pause_or_go_on()
        pools.despawn_all(dragon)
        for each in effects.sprites():
            each.kill()
        yield demo


def come() -> Dragon:
    """A dragon that has come in, and flies at its place."""
    one = pools.spawn(dragon, PLACES[4])
    one.update(3)
    return one


def sit(kind: Prefab[Rider], parent: Dragon, seat: int) -> Rider:
    rider = mount(kind, parent, seat)
    assert rider
    return rider


def run_on(demo: SpawnerDemo, frames: int) -> None:
    """Let frames pass without drawing them."""
    for _ in range(frames):
        demo.update(1 / 60)


def test_k12_the_coroutine_spawns_under_random_parents_or_despawns(demo: SpawnerDemo) -> None:
    hit(demo, pygame.K_d, pygame.K_d, pygame.K_d, pygame.K_SPACE)
    parents: set[Any] = set()
    kinds: set[Any] = set()
    counts = set()
    for _ in range(1200):
        demo.update(1 / 60)
        parents |= {rider.parent for rider in riders}
        kinds |= {rider.prefab for rider in riders}
        counts.add(len(riders))
        assert all(rider.parent in dragons for rider in riders)
    assert len(parents) > 2
    assert kinds == set(KINDS)
    assert len(counts) > 4
    ends = sum(pools.pool(kind).stats.despawned for kind in KINDS)
    assert ends > 5
    assert sum(pools.pool(kind).stats.reused for kind in KINDS) > 5


def test_k12_children_move_and_turn_with_their_parent(demo: SpawnerDemo) -> None:
    parent = come()
    rider = sit(KINDS[0], parent, 0)
    turns = set()
    for _ in range(600):
        demo.update(1 / 60)
        assert rider.position == pytest.approx(parent.seat(0), abs=0.01)
        assert math.cos(math.radians(rider.rotation - parent.rotation)) == pytest.approx(1)
        turns.add(round(parent.rotation) // 30 % 12)
    assert len(turns) == 12  # it has flown a loop, the rider upside down on it


def test_k12_children_go_back_to_their_own_pools_when_their_parent_dies(
    demo: SpawnerDemo,
) -> None:
    parent, other = come(), pools.spawn(dragon, PLACES[0])
    seated = [sit(kind, parent, seat) for seat, kind in enumerate(KINDS)]
    stays = sit(KINDS[0], other, 1)
    waiting = [pools.pool(kind).inactive_count for kind in KINDS]
    parent.kill()
    assert not any(rider.active or rider.alive() for rider in seated)
    assert stays.active
    assert [pools.pool(kind).inactive_count for kind in KINDS] == [n + 1 for n in waiting]
    assert latest[-1][0] == "a dragon left, riders: 3"
    assert pools.pool(puff).active_count == 4
    hit(demo)
    assert [each.parent for each in riders] == [other]


def test_k12_k_kills_a_random_parent_and_nobody_where_there_is_none(demo: SpawnerDemo) -> None:
    hit(demo, pygame.K_k)
    hit(demo, pygame.K_d, pygame.K_d)
    for parent in dragons:
        sit(KINDS[0], parent, 0)
    for left in (1, 0):
        hit(demo, pygame.K_k)
        assert (len(dragons), len(riders)) == (left, left)


def test_k12_n_clears_the_sky_but_for_the_persistent_spawner_whose_coroutine_goes_on(
    demo: SpawnerDemo,
) -> None:
    there = demo.scene.balloon
    life = there.handle()
    hit(demo, pygame.K_SPACE, pygame.K_d, frames=30)
    old = [*dragons, *riders, *effects]
    night = pixels(demo, SCENE)
    hit(demo, pygame.K_n)
    assert demo.shown.name == "dawn flight"
    assert pixels(demo, SCENE) != night
    assert not any(each.alive() for each in old)
    assert list(balloons) == [there]
    assert life
    for key, goes_on in ((None, True), (pygame.K_SPACE, False)):
        hit(demo, *filter(None, [key]))
        spawned = sum(pools.pool(kind).stats.spawned for kind in KINDS)
        run_on(demo, 600)
        assert (sum(pools.pool(kind).stats.spawned for kind in KINDS) > spawned) is goes_on
