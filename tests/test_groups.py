"""PooledGroup: draws what pygame's own group draws, and updates only the living."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab

if TYPE_CHECKING:
    from poolkit import PoolingSystem

SIZE = (64, 48)
CHANGES = ["add", "kill", "move", "image", "rect", "none"]


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


@settings(max_examples=60, deadline=None)
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


def test_draw_shows_images_and_rects_replaced_since_and_nothing_for_none() -> None:
    sprite: Any = PooledSprite(image())
    group = PooledGroup(sprite)
    group.draw(screen())
    sprite.image, sprite.rect = image("blue"), pygame.Rect(20, 20, 7, 5)
    shown = screen()
    group.draw(shown)
    assert shown.get_at((22, 22)) == pygame.Color("blue")
    for attribute in ("image", "rect"):
        kept = getattr(sprite, attribute)
        setattr(sprite, attribute, None)
        empty = screen()
        group.draw(empty)
        assert pixels(empty) == pixels(screen())
        setattr(sprite, attribute, kept)


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


def test_the_first_clear_passes_over_sprites_that_show_nothing() -> None:
    group = PooledGroup(PooledSprite())
    surface = screen()
    group.clear(surface, screen())
    group.draw(surface)
    assert pixels(surface) == pixels(screen())


def test_a_group_that_is_never_drawn_does_not_grow(system: PoolingSystem) -> None:
    group = PooledGroup()
    prefab = Prefab(PooledSprite, groups=[group])
    for _ in range(100):
        system.spawn(prefab).kill()
    assert group.lostsprites == []
    assert group.spritedict == {}


def test_a_pooled_group_takes_sprites_groups_and_lists_as_pygames_does() -> None:
    one, two, three = (PooledSprite() for _ in range(3))
    group = PooledGroup(one, [two], new_group(three))
    assert group.sprites() == [one, two, three]
    assert group.copy().sprites() == [one, two, three]
    assert repr(group) == "<PooledGroup(3 sprites)>"


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


def test_update_skips_what_died_earlier_in_the_pass(system: PoolingSystem) -> None:
    group = PooledGroup()
    prefab = Prefab(Acting, groups=[group])
    one, two, three = system.spawn_many(prefab, [(0, 0)] * 3)
    one.act = two.kill
    group.update(0.1)
    assert [sprite.updates for sprite in (one, two, three)] == [1, 0, 1]


def test_update_skips_what_was_reused_earlier_in_the_pass(system: PoolingSystem) -> None:
    group = PooledGroup()
    prefab = Prefab(Acting, groups=[group], settings=PoolSettings(order="lifo"))
    one, two = system.spawn_many(prefab, [(0, 0)] * 2)

    def swap() -> None:
        two.kill()
        assert system.spawn(prefab) is two

    one.act = swap
    group.update()
    assert two in group
    assert two.updates == 0
    group.update()
    assert two.updates == 1


@pytest.mark.parametrize("mixed", [False, True])
def test_update_reaches_plain_unmanaged_and_foreign_sprites_alike(
    system: PoolingSystem, *, mixed: bool
) -> None:
    calls = []

    class Plain(pygame.sprite.Sprite):
        life = 3  # a game's own

        def update(self, *args: Any, **kwargs: Any) -> None:
            self.life -= 1
            calls.append((self, args, kwargs))

    class Mocked(Plain):
        def __getattr__(self, name: str) -> Any:
            if name == "_pool_data":
                return "no record"
            raise AttributeError(name)

    group = PooledGroup()
    pooled = system.spawn(Prefab(Acting, groups=[group]))
    dies = system.spawn(Prefab(Acting, groups=[group]))
    pooled.act = dies.kill
    if mixed:
        plain, mocked = Plain(), Mocked()
        group.add(plain, mocked, Acting())
    group.update(1, fast=True)
    assert (pooled.updates, dies.updates) == (1, 0)
    if mixed:
        assert calls == [(plain, (1,), {"fast": True}), (mocked, (1,), {"fast": True})]
        plain.life = 3
        group.update()
        assert plain.life == 2


def test_update_goes_on_with_what_was_detached_earlier_in_the_pass(system: PoolingSystem) -> None:
    group = PooledGroup()
    one, two = system.spawn_many(Prefab(Acting, groups=[group]), [(0, 0)] * 2)
    one.act = lambda: system.detach(two)
    group.update()
    assert (one.updates, two.updates) == (1, 1)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["add", "kill", "move", "image", "rect", "none"]), st.integers(0, 5)
        ),
        max_size=25,
    )
)
def test_kept_pairs_draw_what_a_plain_group_draws_after_any_changes(
    steps: list[tuple[str, int]],
) -> None:
    ours, plain = PooledGroup(), new_group()
    images = [image(color, (4 + number, 6)) for number, color in enumerate(["red", "blue", "gold"])]
    sprites = [PooledSprite(images[number % 3]) for number in range(6)]
    for what, number in steps:
        sprite = sprites[number]
        if what == "add":
            sprite.add(ours, plain)
        elif what == "kill":
            sprite.kill()
        elif what == "move":
            sprite.rect.move_ip(7 * number - 9, 5)
        elif what == "image":
            sprite.image = images[(number + 1) % 3]
        elif what == "rect":
            sprite.rect = pygame.FRect(number * 9.5, 11, 4, 4)
        else:
            sprite.image = None if sprite.image else images[0]
        expected, got = screen(), screen()
        for each in plain:
            if each.image is not None:
                expected.blit(each.image, each.rect)
        ours.draw(got)
        assert pixels(got) == pixels(expected)


def test_n05_drawing_builds_nothing_while_images_stay_and_keeps_no_dead_sprite() -> None:
    group = PooledGroup(*(PooledSprite(image()) for _ in range(1000)))
    surface = screen()
    group.draw(surface)
    gc.collect()
    before = [generation["collections"] for generation in gc.get_stats()]
    for _ in range(20):
        group.draw(surface)
    assert [generation["collections"] for generation in gc.get_stats()] == before
    reference = weakref.ref(group.sprites()[0])
    group.empty()
    gc.collect()
    assert reference() is None
