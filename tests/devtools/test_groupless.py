"""Lives in no group that the game holds: told once, in the log, by prefab and count."""

from __future__ import annotations

import gc
import itertools
import logging
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.devtools import enable_strict, groupless

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import PrefabPool


class Bullet(PooledSprite):
    def spawned(self) -> None:
        self.speed = 3


class Plain(pygame.sprite.Sprite):
    """No sprite of poolkit's."""

    rect = pygame.Rect(0, 0, 2, 2)


class Game:
    """What holds the groups of a game, and makes new ones when it is restarted."""

    def __init__(self, kind: Callable[[], Any] = PooledGroup) -> None:
        self.kind = kind
        self.restart()

    def restart(self) -> None:
        self.bullets = self.kind()


@pytest.fixture
def system(system: PoolingSystem) -> PoolingSystem:
    """Return a system in strict mode, which looks."""
    enable_strict(system)
    return system


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "poolkit")


# -- groups that lives were taken out of ------------------------------------------------------


@pytest.mark.parametrize("count", [1, 900])
def test_an_emptied_group_is_told_once_at_the_first_update_after(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    bullets = PooledGroup()
    system.spawn_many(Prefab(Bullet, name="bullet", groups=[bullets]), [(0, 0)] * count)
    system.update(0.1)
    assert caplog.messages == []
    bullets.empty()
    for _ in range(3):
        system.update(0.1)
    [message] = caplog.messages
    lives = "1 life of bullet is" if count == 1 else f"{count} lives of bullet are"
    assert message.startswith(f"{lives} active, but in no group any more")


def test_a_pool_may_hold_what_is_no_sprite_beside_sprites(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    prefab, group = Prefab(Bullet, name="bullet"), PooledGroup()
    system.spawn(prefab, groups=[group])
    system.adopt(prefab, object())
    system.update(0.1)
    group.empty()
    system.update(0.1)
    assert caplog.messages[0].startswith("1 life of bullet is active, but in no group")


@pytest.mark.parametrize(
    ("num_pools", "num_lives", "lost"),
    [(1, 2000, [1234]), (200, 1, [150]), (64, 4, [0, 5, 10, 15])],
)
def test_every_life_of_very_many_pools_has_its_turn(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    num_pools: int,
    num_lives: int,
    lost: list[int],
) -> None:
    group = PooledGroup()
    prefabs = [Prefab(Bullet, name=f"bullet {n}", groups=[group]) for n in range(num_pools)]
    lives = [one for prefab in prefabs for one in system.spawn_many(prefab, [(0, 0)] * num_lives)]
    system.update(0.1)
    for number in lost:
        caplog.clear()
        lives[number].remove(group)
        group.add(PooledSprite())  # so that the group is no smaller than it should be
        for _ in range(40):
            system.update(0.1)
        [message] = caplog.messages
        assert message.startswith(f"1 life of bullet {number // num_lives} is active")


# -- groups made again ------------------------------------------------------------------------


WAYS_IN: dict[str, Callable[[Game], Prefab[Any]]] = {
    "by its prefab": lambda game: Prefab(Bullet, name="bullet", groups=[game.bullets]),
    "by a function": lambda game: Prefab(Bullet, name="bullet", groups=lambda: [game.bullets]),
    "by its constructor": lambda game: Prefab(lambda: Bullet(None, game.bullets), name="bullet"),
    "as a plain sprite": lambda game: Prefab(Plain, name="bullet", groups=[game.bullets]),
    "as the only one": lambda game: Prefab(Bullet, name="bullet", groups=[game.bullets]),
    "when adopted": lambda _: Prefab(Bullet, name="bullet"),
}


@pytest.mark.parametrize("way", WAYS_IN)
def test_a_group_made_anew_is_told_once_at_the_first_update_after(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    is_alone = way == "as the only one"
    game = Game(pygame.sprite.GroupSingle if is_alone else PooledGroup)
    system.spawn(Prefab(Bullet, name="orc", groups=[game.bullets])).kill()
    prefab = WAYS_IN[way](game)
    for _ in range(1 if is_alone else 11):
        if way == "when adopted":
            system.adopt(prefab, Bullet(None, game.bullets))
        else:
            system.spawn(prefab)
    for _ in range(3):
        system.update(0.1)
    assert caplog.messages == []
    game.restart()
    for _ in range(4):
        system.update(0.1)
        [message] = caplog.messages
    lives = "1 life of bullet is" if is_alone else "11 lives of bullet are"
    assert message.startswith(f"{lives} active, but in no group any more")


def test_the_oldest_lives_of_very_many_are_told_in_the_same_update(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    prefab = Prefab(Bullet, name="bullet")
    system.spawn_many(prefab, [(0, 0)] * 1000, groups=[game.bullets])
    system.update(0.1)
    game.restart()
    system.spawn_many(prefab, [(0, 0)] * 2000, groups=[game.bullets])
    system.update(0.1)
    assert caplog.messages[0].startswith("1000 lives of bullet are")


def test_prefabs_that_are_first_used_later_count_as_prefabs_and_not_as_the_game(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    boss = Prefab(Bullet, name="boss", groups=[game.bullets])
    elf, imp = (Prefab(Bullet, groups=[group]) for group in [PooledGroup()] for _ in range(2))
    system.spawn(Prefab(Bullet, name="orc", groups=[game.bullets]))
    for prefab in (elf, boss, imp):  # the group of elf and imp is nobody else's
        system.update(0.1)
        system.spawn(prefab)
    system.update(0.1)
    assert caplog.messages == []
    game.restart()
    system.update(0.1)
    told = [message.partition(" is")[0] for message in caplog.messages]
    assert told == ["1 life of orc", "1 life of boss"]


# -- where nothing is certain, nothing is told ------------------------------------------------


class Silent(pygame.sprite.Group):  # type: ignore[type-arg]
    """Holds sprites that do not know of it."""

    def __init__(self) -> None:
        super().__init__()
        self.spritedict.update(dict.fromkeys([PooledSprite(), PooledSprite()]))


@pytest.mark.parametrize("kind", [Silent, PooledGroup])
def test_of_groups_whose_references_cannot_be_counted_nothing_is_told(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    kind: Callable[[], Any],
) -> None:
    if kind is PooledGroup:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
        monkeypatch.setattr(groupless, "_UNREFERENCED", groupless._unreferenced())
    game = Game(kind)
    system.spawn(Prefab(Bullet), groups=[game.bullets])
    system.update(0.1)
    game.restart()
    for _ in range(3):
        system.update(0.1)
    assert caplog.messages == []


def test_groups_that_were_told_of_are_freed_as_ever(system: PoolingSystem) -> None:
    game = Game()
    system.spawn(WAYS_IN["by its prefab"](game))
    system.update(0.1)
    number = id(game.bullets)
    gc.collect()  # what other tests have left is not counted
    [watch] = [e for e in system._context.time_watchers if isinstance(e, groupless.GrouplessWatch)]
    game.restart()
    system.update(0.1)
    assert number in groupless._held
    assert len(watch._warned) == 1
    system.reset()
    system.update(0.1)  # strict mode keeps the dead until then
    gc.collect()
    assert number not in groupless._held
    assert len(watch._warned) == 0


HOLDERS: list[Callable[[Any], Any]] = [
    lambda group: [group],
    lambda group: lambda: group,
    lambda group: group.draw,
    weakref.ref,
]
PLACES = 3
place = st.integers(0, PLACES - 1)
STEPS = st.one_of(
    st.tuples(st.just("spawn"), st.integers(0, 1), st.frozensets(place, max_size=2)),
    st.tuples(st.sampled_from(["kill", "part"]), st.integers(0, 9)),
    st.tuples(st.sampled_from(["renew", "drop", "renew", "lend", "empty"]), place),
    st.tuples(st.sampled_from(["give_back", "reset"])),
)


class Restarted:
    """A game that holds groups here and there; it knows what is to be told, without counting.

    Attributes:
        held: The groups, by the places that it draws them from.
        lent: What else holds groups.
        seen: The numbers of groups that it held at an update while lives were in them.
        told: Names of prefabs of which was told.
        complete: Names of prefabs all of whose lives were in groups at some update.
    """

    def __init__(self, homes: list[frozenset[int]]) -> None:
        self.system = PoolingSystem()
        self.system.configure(reuse="at_once")
        context = self.system._context
        context.time_watchers.append(groupless.GrouplessWatch(context))
        self.held: dict[int, Any] = {}
        self.lent: list[Any] = []
        self.numbers = itertools.count()
        self.seen: set[int] = set()
        self.told: set[str] = set()
        self.complete: set[str] = set()
        for number in range(PLACES):
            self.renew(number)
        self.prefabs = [
            Prefab(Bullet, name=f"bullet {n}", groups=[self.held[number] for number in numbers])
            for n, numbers in enumerate(homes)
        ]
        self.begin()

    def begin(self) -> None:
        for number in range(len(self.prefabs)):
            self.spawn(number, frozenset())
            self.spawn(number, frozenset({number}))
        self.system.spawn(Prefab(list))  # what can be in no group is no finding

    def renew(self, number: int) -> None:
        self.held[number] = PooledGroup()
        self.held[number].number = next(self.numbers)

    def drop(self, number: int) -> None:
        self.held.pop(number, None)

    def lend(self, number: int) -> None:
        if number in self.held:
            self.lent.append(HOLDERS[len(self.lent) % len(HOLDERS)](self.held[number]))

    def give_back(self) -> None:
        self.lent.clear()

    def spawn(self, number: int, numbers: frozenset[int]) -> None:
        groups = [self.held[n] for n in sorted(numbers) if n in self.held]
        self.system.spawn(self.prefabs[number], groups=groups)

    def kill(self, number: int) -> None:
        for sprite in self.lives()[number : number + 1]:
            sprite.kill()

    def part(self, number: int) -> None:
        for sprite in self.lives()[number : number + 1]:
            sprite.remove(*sprite.groups()[:1])

    def empty(self, number: int) -> None:
        if number in self.held:
            self.held[number].empty()

    def reset(self) -> None:
        self.system.reset()
        self.told.clear()  # the pools are gone
        self.complete.clear()
        self.begin()

    def lives(self) -> list[Any]:
        return [sprite for pool in self.pools() for sprite in pool.active]

    def pools(self) -> list[PrefabPool[Any]]:
        return [pool for pool in self.system.all_pools() if pool.prefab in self.prefabs]

    def holds(self) -> set[int]:
        """Return the numbers of the groups that are reached from what the game holds."""
        waiting: list[Any] = [self.held, self.lent]
        found: set[int] = set()
        while waiting:
            thing = waiting.pop()
            if isinstance(thing, PooledGroup):
                found.add(thing.number)  # type: ignore[attr-defined]
            elif isinstance(thing, types.FunctionType):
                waiting += [thing.__closure__, thing.__defaults__]
            elif isinstance(thing, weakref.ref):
                waiting.append(thing())
            elif not isinstance(thing, type):
                waiting += gc.get_referents(thing)
        return found

    def expected(self) -> dict[str, int]:
        """Return of which prefabs an update is to tell, and of how many lives."""
        held = self.holds()
        self.seen |= held & {group.number for life in self.lives() for group in life.groups()}
        gone = self.seen - held
        expected = {}
        for pool in self.pools():
            lives = [{group.number for group in life.groups()} for life in pool.active]
            if all(lives) and pool.name not in self.told:
                self.complete.add(pool.name)
            had_groups = bool(pool.prefab.groups) or pool.name in self.complete
            lost = sum(numbers <= gone and bool(numbers or had_groups) for numbers in lives)
            if lost and pool.name not in self.told:
                expected[pool.name] = lost
        self.told.update(expected)
        return expected


class Told(logging.Handler):
    """Notes of which prefabs the log tells, and of how many lives."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        count: Any
        count, _, name, _ = record.args or ()
        self.counts[str(name)] = count


@settings(max_examples=150)
@given(
    homes=st.lists(st.frozensets(place, max_size=2), min_size=2, max_size=2),
    steps=st.lists(st.tuples(STEPS, st.booleans()), min_size=5, max_size=25),
)
def test_just_those_lives_are_told_that_are_in_no_group_which_the_game_still_holds(
    homes: list[frozenset[int]], steps: list[tuple[tuple[Any, ...], bool]]
) -> None:
    told = Told()
    logging.getLogger("poolkit").addHandler(told)
    try:
        game = Restarted(homes)
        for (what, *arguments), is_updated in [(("give_back",), True), *steps]:
            getattr(game, what)(*arguments)
            if is_updated:
                expected = game.expected()
                told.counts.clear()
                game.system.update(0.1)
                assert told.counts == expected
    finally:
        logging.getLogger("poolkit").removeHandler(told)
