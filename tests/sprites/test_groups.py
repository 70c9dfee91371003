"""PooledGroup: draws what pygame's own group draws, and updates only the living."""

from __future__ import annotations

import gc
import sys
from typing import Any, assert_type

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolingSystem, PoolSettings, Prefab

SIZE = (64, 48)


def new_group(*sprites: Any) -> Any:
    """Return a plain group of pygame's."""
    return pygame.sprite.Group(*sprites)


def image(color: str = "red", size: tuple[int, int] = (7, 5)) -> pygame.Surface:
    surface = pygame.Surface(size, pygame.SRCALPHA)
    surface.fill(color)
    surface.set_at((0, 0), (10, 200, 30, 90))
    return surface


def pixels(surface: pygame.Surface) -> bytes:
    return pygame.image.tobytes(surface, "RGBA")


def screen() -> pygame.Surface:
    surface = pygame.Surface(SIZE)
    surface.fill((20, 30, 40))
    return surface


# -- drawing -------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    places=st.lists(
        st.tuples(
            st.floats(-20, 80, width=32), st.floats(-20, 60, width=32), st.sampled_from("RFN")
        ),
        max_size=8,
    ),
    flags=st.sampled_from([0, pygame.BLEND_ADD, pygame.BLEND_RGBA_MULT]),
    cleared=st.booleans(),
)
def test_draw_gives_the_very_pixels_of_pygames_group(
    places: list[tuple[float, float, str]],
    flags: int,
    cleared: bool,  # noqa: FBT001 - one of the cases
) -> None:
    theirs: Any = new_group()
    ours = PooledGroup()
    for number, (x, y, kind) in enumerate(places):
        sprite: Any = PooledSprite(image(["red", "blue", "white"][number % 3]))
        sprite.rect.topleft = (x, y)
        if kind == "R":
            sprite.rect = pygame.Rect(int(x), int(y), 3, 3)
        if kind == "N":
            sprite.image = None
        else:
            theirs.add(sprite)
        ours.add(sprite)
    if cleared:
        ours.clear(screen(), screen())
    expected, drawn = screen(), screen()
    theirs.draw(expected, None, flags)
    assert ours.draw(drawn, special_flags=flags) == []
    assert pixels(drawn) == pixels(expected)


@pytest.mark.parametrize("cleared", [False, True])
def test_an_offset_moves_the_picture_and_not_the_sprites(*, cleared: bool) -> None:
    sprites = [PooledSprite(image()) for _ in range(3)]
    for number, sprite in enumerate(sprites):
        sprite.position = (10.5 * number, 9)
    group: Any = PooledGroup(sprites)
    moved, expected = screen(), screen()
    if cleared:
        group.clear(moved, screen())
    group.draw(moved, (4, -3))
    assert sprites[0].position == (0, 9)
    for sprite in sprites:
        sprite.rect.move_ip(4, -3)
    new_group(sprites).draw(expected)
    assert pixels(moved) == pixels(expected)
    unmoved = screen()
    group.draw(unmoved, None)
    assert pixels(unmoved) == pixels(expected)


def test_clear_erases_what_was_drawn_the_dead_included(system: PoolingSystem) -> None:
    group = PooledGroup()

    class Orc(PooledSprite):
        def __init__(self) -> None:
            super().__init__(image())

    orc = Prefab(Orc, groups=[group])
    background, surface = screen(), screen()
    one, two = system.spawn_many(orc, [(10.5, 10), (30, 30)])
    bare = system.spawn(orc, (50, 40))
    group.draw(surface, (3, 2))
    group.clear(surface, background)  # its first use: after a draw that kept no rectangles
    assert pixels(surface) == pixels(background)
    for _ in range(3):
        group.draw(surface, (1, 0))
        assert pixels(surface) != pixels(background)
        one.rect.x += 5
        two.kill()
        bare.image = None
        group.clear(surface, background)
        assert pixels(surface) == pixels(background)
        two = system.spawn(orc, (30, 30))
    group.draw(surface)
    erased: list[Any] = []
    group.clear(surface, lambda _, area: erased.append(area))
    assert len(erased) == 2
    assert group.lostsprites == []


# -- updating ------------------------------------------------------------------------------------


class Acting(PooledSprite):
    """Does something in its update, once."""

    def __init__(self) -> None:
        super().__init__()
        self.updates = 0
        self.act: Any = None

    def update(self, *_: Any, **__: Any) -> None:
        self.updates += 1
        if self.act is not None:
            act, self.act = self.act, None
            act()


def test_update_goes_on_with_what_was_detached_earlier_in_the_pass(system: PoolingSystem) -> None:
    group = PooledGroup()
    one, two = system.spawn_many(Prefab(Acting, groups=[group]), [(0, 0)] * 2)
    one.act = lambda: system.detach(two)
    group.update()
    assert (one.updates, two.updates) == (1, 1)


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
            def update(self, *args: Any, **kwargs: Any) -> None:
                play.updated(self, args, kwargs)

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
        elif is_alive:
            if what == "to the end":
                self.group.remove(sprite)
            self.group.add(sprite)

    def naive_update(self, *args: Any, **kwargs: Any) -> None:
        lives = [
            (sprite, sprite.handle() if isinstance(sprite, PooledSprite) else True)
            for sprite in self.group
        ]
        for sprite, life in lives:
            if sprite in self.group and life:
                sprite.update(*args, **kwargs)


ACTS = ["kill", "begin", "swap", "leave"]


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


# -- what it costs -------------------------------------------------------------------------------


def collections() -> list[int]:
    return [generation["collections"] for generation in gc.get_stats()]


@pytest.mark.parametrize("offset", [(0, 0), (3, 1.5)])
@pytest.mark.parametrize("layers", [False, True])
def test_n05_frames_in_which_sprites_come_and_go_call_no_collector(
    system: PoolingSystem, offset: tuple[float, float], *, layers: bool
) -> None:
    group = PooledGroup(layers=layers)
    shown = image()
    prefab = Prefab(lambda: PooledSprite(shown), groups=[group])
    alive = system.spawn_many(prefab, [(number % 60, number % 40) for number in range(1200)])
    surface = screen()

    def frame() -> None:
        for sprite in alive[:20]:
            sprite.kill()
        alive[:20] = [system.spawn(prefab, (number, 5)) for number in range(20)]
        alive[30].image = None if alive[30].image else shown
        group.update(0.1)
        group.draw(surface, offset)

    for _ in range(100):
        frame()
    gc.collect()
    before, blocks = collections(), sys.getallocatedblocks()
    for _ in range(40):
        frame()
    assert collections() == before
    assert sys.getallocatedblocks() - blocks < 200  # of 800 lives


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
