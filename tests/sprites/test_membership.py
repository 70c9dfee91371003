"""The quick ways into and out of pygame's groups mean what pygame's own ways mean."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.sprites.snapshot import SpriteSnapshot
from recorder import Recorder


def new_group(*sprites: Any) -> Any:
    """Return a plain group of pygame's."""
    return pygame.sprite.Group(*sprites)


class Counting(pygame.sprite.Group):  # type: ignore[type-arg]
    """A game's own group, which must see every joining and leaving."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    def add_internal(self, sprite: Any, layer: int | None = None) -> None:
        self.log.append("add")
        super().add_internal(sprite, layer)

    def remove_internal(self, sprite: Any) -> None:
        self.log.append("remove")
        super().remove_internal(sprite)


class OnlyRemoves(pygame.sprite.Group):  # type: ignore[type-arg]
    """Overrides one of the two."""

    def __init__(self) -> None:
        super().__init__()
        self.removed = 0

    def remove_internal(self, sprite: Any) -> None:
        self.removed += 1
        super().remove_internal(sprite)


class Stubborn(PooledSprite):
    """Has ways of its own to note its groups."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((4, 4)))
        self.joined = 0
        self.parted = 0

    def add_internal(self, group: Any) -> None:
        self.joined += 1
        super().add_internal(group)

    def remove_internal(self, group: Any) -> None:
        self.parted += 1
        super().remove_internal(group)


KINDS: list[Any] = [
    pygame.sprite.Group,
    PooledGroup,
    pygame.sprite.RenderUpdates,
    pygame.sprite.LayeredUpdates,
    pygame.sprite.GroupSingle,
    Counting,
    OnlyRemoves,
]
SPRITES: list[Any] = [lambda: PooledSprite(pygame.Surface((4, 4))), Stubborn]


def _facts(group: Any) -> tuple[object, ...]:
    """Return all that a group knows about its sprites, without naming them."""
    return (
        len(group),
        list(group.spritedict.values()),
        list(group.lostsprites),
        getattr(group, "log", None),
        getattr(group, "removed", None),
    )


class Stage:
    """A sprite, its home groups, and what can happen to them: by the plain or the quick ways."""

    def __init__(self, kinds: list[int], sprite_kind: int, others: int, *, quick: bool) -> None:
        self.homes = [KINDS[kind]() for kind in kinds]
        self.groups = [*self.homes, new_group()]
        for group in self.homes:
            for _ in range(others):
                group.add(PooledSprite(pygame.Surface((2, 2))))
        self.sprite = SPRITES[sprite_kind]()
        home = SpriteSnapshot(self.sprite, tuple(self.homes))
        self.go_in = home.enter if quick else home.enter_fully
        self.go_out = home.leave if quick else home.leave_fully
        self.surface, self.background = pygame.Surface((60, 60)), pygame.Surface((60, 60))
        self.is_in = False

    def enter(self, x: int, rotation: float) -> None:
        if not self.is_in:
            self.kill()
            self.go_in(float(x), 2.5, rotation)
        self.is_in = True

    def leave(self) -> None:
        if self.is_in:
            self.go_out()
        self.is_in = False

    def kill(self) -> None:
        pygame.sprite.Sprite.kill(self.sprite)

    def draw(self) -> None:
        for group in self.homes:
            group.draw(self.surface)

    def clear(self) -> None:
        for group in self.homes:
            group.clear(self.surface, self.background)

    def join(self, number: int) -> None:
        self.groups[number % len(self.groups)].add(self.sprite)

    def part(self, number: int) -> None:
        self.groups[number % len(self.groups)].remove(self.sprite)

    def facts(self) -> list[object]:
        sprite = self.sprite
        return [
            *map(_facts, self.groups),
            sorted(self.groups.index(group) for group in sprite.groups()),
            (sprite.rect.topleft, sprite.rect.size, sprite.rotation),
            (getattr(sprite, "joined", None), getattr(sprite, "parted", None)),
        ]


@settings(max_examples=200)
@given(
    kinds=st.lists(st.sampled_from(range(len(KINDS))), max_size=4),
    sprite_kind=st.sampled_from(range(len(SPRITES))),
    others=st.integers(0, 2),
    script=st.lists(
        st.one_of(
            st.tuples(st.just("enter"), st.integers(-50, 50), st.sampled_from([0.0, 90.0, 30.5])),
            st.tuples(st.sampled_from(["leave", "draw", "clear", "kill"])),
            st.tuples(st.sampled_from(["join", "part"]), st.integers(0, 3)),
        ),
        max_size=12,
    ),
)
def test_quick_ways_agree_with_their_plain_twins(
    kinds: list[int],
    sprite_kind: int,
    others: int,
    script: list[tuple[Any, ...]],
) -> None:
    plain, quick = (Stage(kinds, sprite_kind, others, quick=quick) for quick in (False, True))
    for action, *arguments in script:
        for stage in (plain, quick):
            getattr(stage, action)(*arguments)
        assert plain.facts() == quick.facts()


class Unhashable(PooledSprite):
    """Can be in no group at all."""

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]


def test_a_sprite_that_cannot_be_hashed_is_pooled_outside_of_groups(system: PoolingSystem) -> None:
    one = system.spawn(Unhashable, (3, 4))
    child = PooledSprite()
    one.add_child(child, (1, 0))
    assert child.position == (4, 4)
    one.kill()
    assert system.spawn(Unhashable) is one
    system.reset()


class Graveyard(pygame.sprite.Group):  # type: ignore[type-arg]
    """Hands what leaves it on to another group."""

    graves: Any

    def remove_internal(self, sprite: Any) -> None:
        super().remove_internal(sprite)
        self.graves.add(sprite)


def test_u06_an_inactive_sprite_is_in_no_group_even_where_one_hands_it_on(
    system: PoolingSystem,
) -> None:
    for kind in (PooledSprite, Stubborn):
        group, graves = Graveyard(), new_group()
        group.graves = graves
        sprite = system.spawn(kind, groups=[group])
        sprite.kill()
        assert sprite.groups() == []
        assert len(graves) == 0


class Bare:
    """No sprite at all."""


class Plain(pygame.sprite.Sprite):
    """No sprite of poolkit's."""


class StubbornPlain(pygame.sprite.Sprite):
    """One with ways of its own."""

    def add_internal(self, group: Any) -> None:
        super().add_internal(group)


class Nothing(IPoolableComponent):
    """A component without hooks."""


class Family(PooledSprite):
    """Has a part, and a component."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))
        self.add_child(Stubborn(), (1, 1))
        self.add_component(Nothing())


SPRITE_KINDS = [PooledSprite, Stubborn, Family, Plain, StubbornPlain]


@pytest.mark.parametrize("kind", [Recorder, Bare, *SPRITE_KINDS])
@pytest.mark.parametrize("grouped", [True, False])
def test_p01_f11_a_destroyed_instance_is_freed_without_the_collector_whoever_has_a_handle(
    system: PoolingSystem, kind: Any, *, grouped: bool
) -> None:
    prefab = Prefab(kind, groups=[new_group()] if grouped and kind in SPRITE_KINDS else [])
    gc.collect()
    gc.disable()
    try:
        sprite = system.spawn(prefab)
        handle, ghost = system.handle(sprite), weakref.ref(sprite)
        system.despawn(sprite)
        assert system.spawn(prefab) is sprite
        del sprite
        system.reset()
        assert ghost() is None
        assert not handle
    finally:
        gc.enable()
