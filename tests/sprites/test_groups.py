"""PooledGroup updates only the living, and says what it holds."""

from __future__ import annotations

from typing import Any, assert_type

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab


def screen() -> pygame.Surface:
    return pygame.Surface((64, 48))


# -- updating ------------------------------------------------------------------------------------


class Acting(PooledSprite):
    """Counts its updates."""

    updates = 0

    def update(self, *_: Any, **__: Any) -> None:
        self.updates += 1


class Play:
    """Pooled and plain sprites in one group, which do to each other in `update` what is written."""

    def __init__(self, reuse: Any, script: dict[int, list[tuple[str, int]]]) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.cast: list[Any] = []
        self.script = {number: list(acts) for number, acts in script.items()}
        self.group = PooledGroup()
        self.system = PoolingSystem()
        self.system.configure(reuse=reuse)
        play = self

        class Actor(PooledSprite):
            def __init__(self) -> None:
                super().__init__()
                play.cast.append(self)

            def update(self, *args: Any, **kwargs: Any) -> None:
                play.updated(self, args, kwargs)

        class Extra(pygame.sprite.Sprite):
            update = Actor.update

        settings = PoolSettings(order="lifo")  # who died last is the first to live again
        self.prefab = Prefab(Actor, groups=[self.group], settings=settings)
        for _ in range(4):
            self.system.spawn(self.prefab)
            self.cast.append(Extra(self.group))

    def updated(self, sprite: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        number = self.cast.index(sprite)
        self.log.append((number, args, kwargs))
        if self.script.get(number):
            self.perform(*self.script[number].pop(0))

    def perform(self, what: str, number: int) -> None:
        sprite = self.cast[number % len(self.cast)]
        is_alive = getattr(sprite, "active", True)
        if what == "kill":
            sprite.kill()
        elif what == "begin":
            self.system.spawn(self.prefab)
        elif what == "swap":
            sprite.kill()
            self.system.spawn(self.prefab)
        elif what == "leave":
            self.group.remove(sprite)
        elif what == "detach":
            if is_alive and isinstance(sprite, PooledSprite):
                self.system.detach(sprite)
        elif is_alive:
            if what == "to the end":
                self.group.remove(sprite)
            self.group.add(sprite)

    def naive_update(self, *args: Any, **kwargs: Any) -> None:
        lives = [
            (sprite, sprite.handle() if getattr(sprite, "system", None) else True)
            for sprite in self.group
        ]
        for sprite, life in lives:
            is_pooled = getattr(sprite, "system", None) is not None
            if sprite in self.group and (life or not is_pooled):
                sprite.update(*args, **kwargs)


ACTS = ["kill", "begin", "swap", "leave", "detach"]


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
@settings(max_examples=150)
@given(data=st.data(), cleared=st.booleans())
def test_update_reaches_whom_the_naive_way_reaches_whoever_comes_and_goes(
    reuse: str,
    data: st.DataObject,
    cleared: bool,  # noqa: FBT001 - one of the cases
) -> None:
    # One that is put back in one life, where another life could have begun, is another matter.
    acts = ACTS if reuse == "at_once" else [*ACTS, "to the end", "join"]
    act = st.tuples(st.sampled_from(acts), st.integers(0, 9))
    script = data.draw(st.dictionaries(st.integers(0, 9), st.lists(act, max_size=3)))
    ours, naive = Play(reuse, script), Play(reuse, script)
    if cleared:
        ours.group.clear(screen(), screen())
    arguments: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((0.1,), {}),
        ((0.1, "more"), {}),
        ((0.1,), {"fast": True}),
    ]
    for args, kwargs in arguments:
        ours.group.update(*args, **kwargs)
        naive.naive_update(*args, **kwargs)
        assert ours.log == naive.log
        for play in (ours, naive):
            play.system.update(0.1)
            assert play.group.lostsprites == []
        if cleared:
            ours.group.draw(screen())
            ours.group.clear(screen(), screen())


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_update_reaches_what_joined_the_group_while_it_was_at_rest(reuse: Any) -> None:
    system = PoolingSystem()
    system.configure(reuse=reuse)
    group = PooledGroup()
    prefab = Prefab(Acting, groups=[group])
    early, late = system.spawn_many(prefab, [(0, 0)] * 2)
    early.kill()
    group.add(early)
    group.remove(late)
    group.add(late)
    group.update()
    system.update(0.1)
    assert system.spawn(prefab) is early
    assert group.sprites() == [early, late]
    before = early.updates
    for _ in range(3):
        group.update()
    assert early.updates >= before + 2  # in its first pass, nobody knows when its life began
    assert late.updates == 4


# -- what it is to a type checker ----------------------------------------------------------------


def test_x01_a_group_says_what_it_holds() -> None:
    orcs: PooledGroup[Acting] = PooledGroup(Acting())
    assert [sprite.updates for sprite in orcs] == [0]
    assert_type(orcs.sprites(), list[Acting])
    assert_type(orcs.copy(), PooledGroup[Acting])
    sorted_ones = PooledGroup[Acting](layers=lambda sprite: -sprite.updates)
    assert type(sorted_ones) is PooledGroup
    for sprite in sorted_ones:
        assert_type(sprite, Acting)
    assert_type(PooledGroup(), PooledGroup[Any])
    assert repr(PooledGroup[Acting]()) == "<PooledGroup(0 sprites)>"

    class Horde(PooledGroup[Acting]):
        """A group of its own kind."""

    assert_type(Horde().sprites(), list[Acting])
