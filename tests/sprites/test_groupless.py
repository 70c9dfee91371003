"""Lives in no group: told once, in the log, by prefab and count."""

from __future__ import annotations

import contextlib
import functools
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

from poolkit import ObjectPool, PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.devtools import disable_strict, enable_strict
from poolkit.sprites import groupless

if TYPE_CHECKING:
    from collections.abc import Callable


class Bullet(PooledSprite):
    def spawned(self) -> None:
        self.speed = 3


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "poolkit")


def remove_all(group: Any) -> None:
    group.remove(*group.sprites())


@pytest.mark.parametrize("lose", [lambda group: group.empty(), remove_all])
@pytest.mark.parametrize("count", [1, 12, 900])
def test_p13_an_emptied_group_is_told_at_the_first_update_after_by_prefab_and_count(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    lose: Callable[[Any], object],
    count: int,
) -> None:
    bullets = PooledGroup()
    system.spawn_many(Prefab(Bullet, name="bullet", groups=[bullets]), [(0, 0)] * count)
    system.update(0.1)
    assert caplog.messages == []
    lose(bullets)
    for _ in range(3):
        system.update(0.1)
    [message] = caplog.messages
    lives = "1 life of bullet is" if count == 1 else f"{count} lives of bullet are"
    assert message.startswith(f"{lives} active, but in no group any more")


def test_p13_a_single_one_among_very_many_is_found_within_some_frames(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    crowd, others = PooledGroup(), PooledGroup()
    prefab = Prefab(Bullet, name="bullet", groups=[crowd])
    sprites = system.spawn_many(prefab, [(0, 0)] * 2000)
    crowd.add(PooledSprite())  # so that the group is no smaller than it should be
    others.add(sprites[5])
    system.update(0.1)
    sprites[1234].remove(crowd)
    frames = 0
    while not caplog.messages and frames < 40:
        system.update(0.1)
        frames += 1
    assert caplog.messages[0].startswith("1 life of bullet is active")


def test_p13_every_one_of_very_many_pools_has_its_turn(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    groups = [PooledGroup() for _ in range(200)]
    for number, group in enumerate(groups):
        system.spawn(Prefab(Bullet, name=f"bullet {number}", groups=[group]))
    groups[150].empty()
    for _ in range(8):
        system.update(0.1)
    [message] = caplog.messages
    assert message.startswith("1 life of bullet 150 is")


def test_p13_who_was_in_no_group_or_has_left_for_another_or_is_dead_is_no_finding(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = PooledGroup(), PooledGroup()
    system.spawn(Prefab(Bullet, name="lonely"))
    moved = system.spawn(Prefab(Bullet, name="moved", groups=[first]))
    system.spawn(Prefab(Bullet, name="dead", groups=[first])).kill()
    system.spawn(Prefab(list, name="list"))
    pool: ObjectPool[list[int]] = ObjectPool(list)
    pool.get()
    for _ in range(3):
        system.update(0.1)
        moved.remove(first)
        moved.add(second)
    assert caplog.messages == []


def test_p13_a_prefab_that_was_told_of_is_freed_as_ever(system: PoolingSystem) -> None:
    bullets = PooledGroup()
    prefab = Prefab(Bullet, name="bullet", groups=[bullets])
    system.spawn(prefab)
    bullets.empty()
    gc.collect()  # what other tests have left is not counted
    before = len(groupless.told)
    system.update(0.1)
    assert len(groupless.told) == before + 1
    system.reset()
    del prefab
    assert len(groupless.told) == before


# -- groups made anew -------------------------------------------------------------------------


class Game:
    """What holds the groups of a game, and makes them anew when it is restarted."""

    bullets: Any

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.bullets = PooledGroup()


class Shell(PooledSprite):
    """Joins its group in the constructor."""

    game: Game

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)), self.game.bullets)


class Plain(pygame.sprite.Sprite):
    """No sprite of poolkit's."""

    rect = pygame.Rect(0, 0, 2, 2)


def by_prefab(system: PoolingSystem, game: Game) -> None:
    system.spawn_many(Prefab(Bullet, name="bullet", groups=[game.bullets]), [(0, 0)] * 11)


def by_prefab_with_others(system: PoolingSystem, game: Game) -> None:
    for name in ("orc", "bullet", "elf"):
        prefab = Prefab(Bullet, name=name, groups=[game.bullets])
        sprites = system.spawn_many(prefab, [(0, 0)] * 11)
        if name != "bullet":
            for sprite in sprites:
                sprite.kill()


def by_function(system: PoolingSystem, game: Game) -> None:
    prefab = Prefab(Bullet, name="bullet", groups=lambda: [game.bullets])
    system.spawn_many(prefab, [(0, 0)] * 11)


def by_spawn(system: PoolingSystem, game: Game) -> None:
    system.spawn_many(Prefab(Bullet, name="bullet"), [(0, 0)] * 11, groups=[game.bullets])


def by_constructor(system: PoolingSystem, game: Game) -> None:
    Shell.game = game
    system.spawn_many(Prefab(Shell, name="bullet"), [(0, 0)] * 11)


def by_hand(system: PoolingSystem, game: Game) -> None:
    for sprite in system.spawn_many(Prefab(Bullet, name="bullet"), [(0, 0)] * 11):
        game.bullets.add(sprite)


def as_plain_sprites(system: PoolingSystem, game: Game) -> None:
    system.spawn_many(Prefab(Plain, name="bullet", groups=[game.bullets]), [(0, 0)] * 11)


def as_adopted(system: PoolingSystem, game: Game) -> None:
    for _ in range(11):
        sprite = Bullet()
        game.bullets.add(sprite)
        system.adopt("bullet" if system.all_pools() else Prefab(Bullet, name="bullet"), sprite)


WAYS_IN = [
    by_prefab,
    by_prefab_with_others,
    by_function,
    by_spawn,
    by_constructor,
    by_hand,
    as_plain_sprites,
    as_adopted,
]


@pytest.mark.parametrize("join", WAYS_IN)
@pytest.mark.parametrize("is_strict", [False, True])
def test_p13_a_group_made_anew_is_told_at_the_first_update_after_by_prefab_and_count(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    join: Callable[[PoolingSystem, Game], None],
    *,
    is_strict: bool,
) -> None:
    if is_strict:
        enable_strict(system)
    game = Game()
    join(system, game)
    for _ in range(3):
        system.update(0.1)
    assert caplog.messages == []
    game.restart()
    system.update(0.1)
    [message] = caplog.messages
    assert message.startswith("11 lives of bullet are active, but in no group any more")
    for _ in range(3):
        system.update(0.1)
    assert len(caplog.messages) == 1
    disable_strict(system)


def test_p13_the_single_group_of_a_player_made_anew_is_told(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    game.bullets = pygame.sprite.GroupSingle()
    system.spawn(Prefab(Bullet, name="player", groups=[game.bullets]))
    system.update(0.1)
    game.bullets = pygame.sprite.GroupSingle()
    system.update(0.1)
    assert caplog.messages[0].startswith("1 life of player is active, but in no group any more")


def test_p13_the_oldest_lives_of_very_many_are_told_in_the_same_update(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    prefab = Prefab(Bullet, name="bullet")
    for count in (1000, 2000):
        system.spawn_many(prefab, [(0, 0)] * count, groups=[game.bullets])
        for _ in range(5):
            system.update(0.1)
        assert caplog.messages == []
        if count == 1000:
            old, game.bullets = game.bullets, PooledGroup()
    del old
    system.update(0.1)
    assert caplog.messages[0].startswith("1000 lives of bullet are")


class Slotted:
    """Has no dict."""

    __slots__ = ("group",)

    group: Any


def in_an_attribute(group: Any) -> Any:
    game = Game()
    game.bullets = group
    return game


def in_a_slot(group: Any) -> Any:
    slotted = Slotted()
    slotted.group = group
    return slotted


def in_a_closure(group: Any) -> Any:
    return lambda: group


def in_a_default(group: Any) -> Any:
    def draw(what: Any = group) -> Any:
        return what

    return draw


def in_a_running_generator(group: Any) -> Any:
    def drawing() -> Any:
        mine = group
        while True:
            yield mine

    drawn = drawing()
    next(drawn)
    return drawn


def in_a_cycle(group: Any) -> Any:
    cycle = [group]
    cycle.append(cycle)
    return cycle


def in_another_group(group: Any) -> Any:
    other = PooledGroup()
    other.below = group  # type: ignore[attr-defined]
    return other


def weakly_by_its_method(group: Any) -> Any:
    return weakref.WeakMethod(group.update)


HOLDERS: list[Callable[[Any], Any]] = [
    in_an_attribute,
    in_a_slot,
    in_a_closure,
    in_a_default,
    in_a_running_generator,
    in_a_cycle,
    in_another_group,
    weakly_by_its_method,
    weakref.ref,
    weakref.proxy,
    lambda group: [group],
    lambda group: {"bullets": group},
    lambda group: {group},
    lambda group: (0, (group,)),
    lambda group: group.draw,
    lambda group: functools.partial(print, group),
    contextlib.closing,
]


@pytest.mark.parametrize("hold", HOLDERS)
@pytest.mark.parametrize("join", [by_prefab_with_others, by_function])
def test_p13_a_group_that_anything_in_the_game_holds_in_any_way_is_never_told(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    join: Callable[[PoolingSystem, Game], None],
    hold: Callable[[Any], Any],
) -> None:
    game = Game()
    join(system, game)
    system.update(0.1)
    holder = hold(game.bullets)
    game.restart()
    for _ in range(3):
        system.update(0.1)
    assert caplog.messages == []
    del holder
    gc.collect()
    system.update(0.1)
    assert len(caplog.messages) == 1


def test_p13_prefabs_that_are_first_used_later_count_as_prefabs_and_not_as_the_game(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    group = PooledGroup()
    system.spawn(Prefab(Bullet, name="orc", groups=[game.bullets]))
    boss = Prefab(Bullet, name="boss", groups=[game.bullets])
    drawn = [Prefab(Bullet, name=name, groups=[group]) for name in ("elf", "imp")]
    del group  # and drawn from these from now on
    system.spawn(drawn[0])
    system.update(0.1)
    system.spawn(boss)
    system.spawn(drawn[1])
    system.update(0.1)
    assert caplog.messages == []
    game.restart()
    system.update(0.1)
    assert [message.partition(" is")[0] for message in caplog.messages] == [
        "1 life of orc",
        "1 life of boss",
    ]


class Foreign:
    """A group that is none of pygame's."""

    __slots__ = ("inside",)

    _spritegroup = True

    def __init__(self) -> None:
        self.inside: set[Any] = set()

    def add_internal(self, sprite: Any) -> None:
        self.inside.add(sprite)

    def remove_internal(self, sprite: Any) -> None:
        self.inside.remove(sprite)

    def has_internal(self, sprite: Any) -> bool:
        return sprite in self.inside


def test_p13_groups_that_prefabs_alone_hold_are_no_finding_however_many_pools_there_are(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(80):
        system.spawn(Prefab(Bullet, name=f"bullet {number}", groups=[PooledGroup()]))
    for _ in range(20):
        system.update(0.1)
    assert caplog.messages == []


def test_p13_groups_that_are_none_of_pygames_are_never_told(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    game = Game()
    game.bullets = Foreign()
    by_spawn(system, game)
    system.update(0.1)
    game.restart()
    system.update(0.1)
    assert caplog.messages == []


class Silent(pygame.sprite.Group):  # type: ignore[type-arg]
    """Takes sprites that do not know of it."""

    def take(self, *sprites: Any) -> None:
        for sprite in sprites:
            self.spritedict[sprite] = None


def test_p13_of_a_group_whose_sprites_do_not_know_of_it_nothing_is_told(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    group = Silent()
    system.spawn(Prefab(Bullet, name="bullet", groups=[group]))
    system.update(0.1)
    group.take(PooledSprite(), PooledSprite())
    for _ in range(3):
        system.update(0.1)
    assert caplog.messages == []


def test_p13_where_references_are_not_counted_exactly_groups_made_anew_are_not_told(
    system: PoolingSystem, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    monkeypatch.setattr(groupless, "_UNREFERENCED", groupless._unreferenced())
    game = Game()
    by_prefab(system, game)
    system.update(0.1)
    game.restart()
    system.update(0.1)
    assert caplog.messages == []


def test_p13_groups_that_were_looked_at_are_freed_as_ever(system: PoolingSystem) -> None:
    game = Game()
    by_prefab(system, game)
    system.update(0.1)
    ghost = weakref.ref(game.bullets)
    number = id(game.bullets)
    assert number in groupless._held
    game.restart()
    system.update(0.1)
    system.reset()
    gc.collect()
    assert ghost() is None
    assert number not in groupless._held


# -- whatever a game does ---------------------------------------------------------------------

PLACES = 3
place = st.integers(0, PLACES - 1)
STEPS = st.one_of(
    st.tuples(st.just("spawn"), st.integers(0, 1), st.frozensets(place, max_size=2)),
    st.tuples(st.sampled_from(["kill", "part"]), st.integers(0, 9)),
    st.tuples(st.sampled_from(["renew", "drop", "renew", "lend", "empty"]), place),
    st.tuples(st.sampled_from(["give_back", "reset"])),
)
LENDERS: list[Callable[[Any], Any]] = [
    in_an_attribute,
    in_a_closure,
    in_a_slot,
    lambda group: group.draw,
]


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
        for number in range(len(self.prefabs)):
            self.spawn(number, frozenset())
            self.spawn(number, frozenset({number}))

    def renew(self, number: int) -> None:
        self.held[number] = PooledGroup()
        self.held[number].number = next(self.numbers)

    def drop(self, number: int) -> None:
        self.held.pop(number, None)

    def lend(self, number: int) -> None:
        if number in self.held:
            self.lent.append(LENDERS[len(self.lent) % len(LENDERS)](self.held[number]))

    def give_back(self) -> None:
        self.lent.clear()

    def spawn(self, number: int, numbers: frozenset[int]) -> None:
        groups = [self.held[each] for each in sorted(numbers) if each in self.held]
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

    def lives(self) -> list[Any]:
        return [sprite for pool in self.system.all_pools() for sprite in pool.active]

    def holds(self) -> set[int]:
        """Return the numbers of the groups that are reached from what the game holds."""
        used = [pool.prefab for pool in self.system.all_pools()]
        unused = [prefab.groups for prefab in self.prefabs if prefab not in used]
        waiting: list[Any] = [self.held, self.lent, unused]
        found: set[int] = set()
        while waiting:
            each = waiting.pop()
            if isinstance(each, PooledGroup):
                found.add(each.number)  # type: ignore[attr-defined]
            elif isinstance(each, types.FunctionType):
                waiting += [each.__closure__, each.__defaults__]
            elif not isinstance(each, type):
                waiting += gc.get_referents(each)
        return found

    def expected(self) -> dict[str, int]:
        """Return of which prefabs an update is to tell, and of how many lives."""
        held = self.holds()
        self.seen |= held & {group.number for life in self.lives() for group in life.groups()}
        gone = self.seen - held
        expected = {}
        for pool in self.system.all_pools():
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

    def __init__(self, told: dict[str, int]) -> None:
        super().__init__()
        self.told = told

    def emit(self, record: logging.LogRecord) -> None:
        count: Any
        count, _, name, _ = record.args or ()
        self.told[str(name)] = count


@settings(max_examples=150)
@given(
    homes=st.lists(st.frozensets(place, max_size=2), min_size=2, max_size=2),
    steps=st.lists(st.tuples(STEPS, st.booleans()), min_size=5, max_size=25),
)
def test_p13_just_those_lives_are_told_that_are_in_no_group_which_the_game_still_holds(
    homes: list[frozenset[int]], steps: list[tuple[tuple[Any, ...], bool]]
) -> None:
    told: dict[str, int] = {}
    handler = Told(told)
    logging.getLogger("poolkit").addHandler(handler)
    try:
        game = Restarted(homes)
        for (what, *arguments), is_updated in [(("give_back",), True), *steps]:
            getattr(game, what)(*arguments)
            if is_updated:
                expected = game.expected()
                game.system.update(0.1)
                assert told == expected
                told.clear()
    finally:
        logging.getLogger("poolkit").removeHandler(handler)
