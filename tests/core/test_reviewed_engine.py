"""What was found when the engine's fast ways were looked at with hostile eyes."""

from __future__ import annotations

import gc
import weakref
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pygame
import pytest

from poolkit import (
    DespawnReason,
    IPoolableComponent,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Bat(IPoolableComponent):
    """Remembers why its lives ended."""

    def __init__(self) -> None:
        self.reasons: list[DespawnReason] = []

    def spawned(self, worth: float) -> None:
        self.worth = worth

    def despawned(self, reason: DespawnReason) -> None:
        self.reasons.append(reason)


def prefab_of(limit: int) -> Prefab[Bat]:
    return Prefab(Bat, name="bat", settings=PoolSettings(limit=limit, overflow=RecycleOldest()))


def test_beyond_a_limit_that_was_lowered_the_oldest_alone_makes_room(system: PoolingSystem) -> None:
    bat = prefab_of(5)
    bats = [system.spawn(bat, worth=n) for n in range(5)]
    pool = system.pool(bat)
    pool.settings = PoolSettings(limit=2, overflow=RecycleOldest())
    for n in range(3):
        assert system.spawn(bat, worth=9) is bats[n]
        assert pool.active_count == 5
    assert pool.stats.recycled == 3


@pytest.mark.parametrize("data", [{}, {"wroth": 1}])
def test_no_life_ends_for_a_spawn_that_its_hooks_refuse(
    system: PoolingSystem, data: dict[str, Any]
) -> None:
    bat = prefab_of(2)
    bats = [system.spawn(bat, worth=n) for n in range(2)]
    with pytest.raises(TypeError):
        system.spawn(bat, **data)
    assert [each.reasons for each in bats] == [[], []]
    assert system.pool(bat).stats.recycled == 0


def test_what_a_position_of_the_games_own_raises_is_raised(system: PoolingSystem) -> None:
    places: list[float] = []

    class Place:
        def __iter__(self) -> Iterator[float]:
            yield places[0]

    bat = prefab_of(2)
    system.prespawn(bat, 1)
    with pytest.raises(IndexError, match="list index out of range"):
        system.spawn(bat, Place(), worth=1)  # type: ignore[call-overload]
    assert system.pool(bat).inactive_count == 1


def test_a_signal_whose_connecting_ends_the_life_calls_no_later_one(system: PoolingSystem) -> None:
    class Bell:
        def __init__(self) -> None:
            self.receivers: list[Any] = []

        def connect(self, receiver: Any) -> None:
            self.receivers.append(receiver)
            system.despawn(bats[-1])

        def disconnect(self, receiver: Any) -> None:
            self.receivers.remove(receiver)

    bell, bat = Bell(), prefab_of(2)
    bats = [system.spawn(bat, worth=1)]
    undo = system.scope(bats[0]).connect(bell, bats[0].awake)
    assert bell.receivers == []
    assert system.spawn(bat, worth=1) is bats[0]
    bell.receivers.append(bats[0].awake)  # the game's own doing, in the next life
    undo()
    system.scope(bats[0]).callback(lambda: None)
    system.despawn(bats[0])
    assert bell.receivers == [bats[0].awake]


def test_what_was_detached_keeps_no_groups_of_the_scene_it_came_from(system: PoolingSystem) -> None:
    group: pygame.sprite.Group[Any] = pygame.sprite.Group()
    gone = weakref.ref(group)
    sprite = system.spawn(Prefab(PooledSprite, groups=[group]))
    system.detach(sprite)
    sprite.kill()
    system.reset()
    del group
    gc.collect()
    assert gone() is None


class Plain(pygame.sprite.Sprite):
    """A sprite of pygame's own."""

    def __init__(self) -> None:
        super().__init__()
        self.rect: pygame.FRect = pygame.FRect(0, 0, 4, 4)


@pytest.mark.parametrize("num_groups", [0, 1])
def test_a_plain_sprite_is_placed_by_numbers_that_pygame_does_not_know(
    system: PoolingSystem, num_groups: int
) -> None:
    groups: list[Any] = [pygame.sprite.Group() for _ in range(num_groups)]
    plain = Prefab(Plain, groups=groups)
    system.prespawn(plain, 1)  # else it is placed in the full way, by floats
    place: Any = Fraction(5, 2), Fraction(1)
    sprite = system.spawn(plain, place)
    assert sprite.rect.center == (2.5, 1)


@pytest.mark.parametrize("what", ["component", "part"])
def test_a_sprite_that_is_adopted_stays_in_its_groups_whatever_awake_adds(
    system: PoolingSystem, what: str
) -> None:
    class Sword(IPoolableComponent):
        pass

    class Orc(PooledSprite):
        def awake(self) -> None:
            if what == "part":
                self.add_child(PooledSprite(), (1, 1))
            else:
                self.add_component(Sword())

    orc = Orc()
    group: pygame.sprite.Group[Any] = pygame.sprite.Group()
    group.add(orc)
    system.adopt(Orc, orc)
    assert orc in group
    orc.kill()
    assert not group
    assert system.spawn(Orc) is orc
    assert orc in group
