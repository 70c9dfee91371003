"""Turning sprites: the very pixels of pygame's rotate, made once, shared, bounded in memory."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock, patch

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PooledGroup, PooledSprite, Prefab, rotation_cache
from poolkit.sprites.records import bytes_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit import PoolingSystem

KEY = (255, 0, 255, 255)
KINDS = "alpha", "key", "faint", "palette"


class Exact(PooledSprite):
    """Turned as pygame does it, each time from the upright image."""

    rotation_steps = None


class Eighths(PooledSprite):
    """Turned by 45 degrees at a time."""

    rotation_steps = 8


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Count the calls of pygame's rotate."""
    rotate = Mock(wraps=pygame.transform.rotate)
    monkeypatch.setattr(pygame.transform, "rotate", rotate)
    return rotate


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """Begin with an empty cache, and leave it with the limit it had."""
    limit = rotation_cache.limit
    empty()
    rotation_cache.limit = limit
    yield
    rotation_cache.limit = limit


def empty() -> None:
    """Drop all rotated images, as the next one is made."""
    rotation_cache.limit = 0
    PooledSprite(arrow()).rotation = 1


def arrow(kind: str = "alpha", size: tuple[int, int] = (9, 5)) -> pygame.Surface:
    """Return an image that looks different from every side."""
    if kind == "palette":
        image = pygame.Surface(size, 0, 8)
        image.set_palette([(i, 255 - i, i // 2) for i in range(256)])
    else:
        image = pygame.Surface(size, pygame.SRCALPHA if kind == "alpha" else 0)
    image.fill((200, 30, 60, 120))
    image.fill((20, 230, 60, 255), (size[0] // 2, 0, size[0], size[1] // 2))
    image.set_at((0, 0), KEY)
    if kind == "key":
        image.set_colorkey(KEY)
    if kind == "faint":
        image.set_alpha(99)
    return image


def drawn(image: pygame.Surface | None) -> bytes:
    """Return what `image` looks like on a screen."""
    assert image is not None
    screen = pygame.Surface((32, 32))
    screen.fill((20, 30, 40))
    screen.blit(image, (1, 1))
    return pygame.image.tobytes(screen, "RGB")


def nearest(degrees: float, steps: int | None) -> float:
    """Return by how much an image is turned that is turned in so many steps."""
    if steps is None:
        return degrees % 360
    rate = steps / 360
    return round(degrees % 360 * rate) % steps * 360 / steps


@settings(max_examples=200)
@given(
    steps=st.sampled_from([None, 1, 7, 16, 360, 1000, 3600]),
    changes=st.lists(
        st.floats(-1e6, 1e6)
        | st.integers(-720, 720)
        | st.sampled_from([-1e-20, 1.7e308, "move", *KINDS]),
        min_size=1,
        max_size=12,
    ),
)
def test_a_sprite_shows_pygames_own_pixels_at_the_nearest_step_whatever_was_before(
    steps: int | None, changes: list[Any]
) -> None:
    uprights = {kind: arrow(kind, (4 + number, 8)) for number, kind in enumerate(KINDS)}
    upright = uprights["faint"]
    sprite: Any = type("Stepping", (PooledSprite,), {"rotation_steps": steps})(upright)
    sprite.position = (10.5, 20)
    is_turned = False  # until then the rect is the game's own
    for number, change in enumerate(changes):
        place = sprite.position
        if change in uprights:
            sprite.image = upright = uprights[change]
            continue
        if change == "move":
            sprite.rect.x += number / 8
            continue
        sprite.rotation = change
        expected = pygame.transform.rotate(upright, nearest(change, steps))
        assert (sprite.rotation, sprite.position) == (change, place)
        is_turned = is_turned or nearest(change, steps) != 0
        assert not is_turned or sprite.rect.size == expected.get_size()
        assert drawn(sprite.image) == drawn(expected)
        assert sprite.image.get_alpha() == expected.get_alpha()
        assert sprite.image.get_colorkey() == expected.get_colorkey()
        assert sprite.image.get_masks() == expected.get_masks()
        assert nearest(change, steps) or sprite.image is upright


@pytest.mark.parametrize("grouped", [False, True])
def test_a_hit_box_of_its_own_is_back_in_the_life_after_one_that_turned(
    system: PoolingSystem, *, grouped: bool
) -> None:
    class Small(PooledSprite):
        def __init__(self) -> None:
            super().__init__(arrow())
            self.rect.inflate_ip(-4, -2)

    prefab = Prefab(Small, groups=[PooledGroup()] if grouped else [])
    system.spawn(prefab, (10, 10), rotation=30).kill()
    again = system.spawn(prefab, (20, 20))
    assert (again.rect.size, again.position) == ((5, 3), (20, 20))


def size_of(image: pygame.Surface | None) -> int:
    assert image is not None
    return image.get_pitch() * image.get_height()


@settings(max_examples=80)
@given(
    limit=st.integers(0, 2000),
    shown=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=10, max_size=40),
)
def test_the_least_recently_shown_go_first_when_there_are_too_many_bytes(
    limit: int, shown: list[tuple[int, int]]
) -> None:
    empty()
    rotation_cache.limit = limit
    images = [arrow(size=(9, 5 + number)) for number in range(2)]
    naive: OrderedDict[tuple[int, int], int] = OrderedDict()
    with patch.object(pygame.transform, "rotate", wraps=pygame.transform.rotate) as turns:
        for number, step in shown:
            turns.reset_mock()
            sprite = Eighths(images[number])
            sprite.rotation = step * 45
            if step:
                assert turns.call_count == ((number, step) not in naive)
                naive[number, step] = size_of(sprite.image)
                naive.move_to_end((number, step))
            while sum(naive.values()) > limit:
                naive.popitem(last=False)
            assert rotation_cache.bytes_held == sum(naive.values())
    assert rotation_cache.bytes_held <= limit


def test_a_hit_box_and_an_image_stay_while_the_same_is_shown_dropped_or_not(turns: Mock) -> None:
    sprite = PooledSprite(arrow())
    sprite.rotation = 30
    sprite.rect.inflate_ip(-2, -2)
    shown, box = sprite.image, sprite.rect.copy()
    rotation_cache.limit = 0
    for degrees in (30, 30.4, 390, 29.9):
        sprite.rotation = degrees
    assert sprite.image is shown
    assert sprite.rect == box
    assert turns.call_count == 1
    sprite.rotation = 31
    assert sprite.image is not None
    assert sprite.rect.size == sprite.image.get_size()
    assert turns.call_count == 2
    assert rotation_cache.bytes_held == 0


def test_images_that_are_dropped_are_freed_with_all_that_were_turned_from_them() -> None:
    image, twin = arrow(), arrow()
    sprites = [PooledSprite(twin), PooledSprite(image), Eighths(image)]
    for sprite in sprites:
        sprite.rotation = 45
    held = rotation_cache.bytes_held
    assert held == sum(size_of(sprite.image) for sprite in sprites)
    assert repr(rotation_cache) == f"<RotationCache(num_images=3, bytes_held={held})>"
    del sprite, sprites[1:], image
    assert rotation_cache.bytes_held == size_of(sprites[0].image)
    del sprites, twin
    assert rotation_cache.bytes_held == 0


def test_a_sprite_at_rest_keeps_no_image_that_a_life_put_in(system: PoolingSystem) -> None:
    prefab = Prefab(lambda: PooledSprite(arrow()))
    sprite = system.spawn(prefab, rotation=90)
    sprite.image = arrow(size=(3, 3))
    reference = weakref.ref(sprite.image)
    sprite.rotation = 45
    sprite.kill()
    assert system.spawn(prefab) is sprite
    assert reference() is None


def test_the_bytes_of_a_prefab_count_its_parts_and_each_image_once(system: PoolingSystem) -> None:
    hull, tower = arrow(), arrow(size=(6, 6))

    class Tank(PooledSprite):
        def __init__(self) -> None:
            super().__init__(hull)
            self.tower = self.add_child(PooledSprite(tower), (0, 0))

    prefab = Prefab(Tank)
    tanks = [system.spawn(prefab, rotation=45) for _ in range(3)]
    shown = [hull, tower, tanks[0].image, tanks[0].tower.image]
    assert bytes_shown(system.pool(prefab)) == sum(map(size_of, shown))
    Eighths(tower).rotation = 90  # in other steps: no business of the tanks
    tanks[2].kill()  # at rest it is ready to show them again
    assert bytes_shown(system.pool(prefab)) == sum(map(size_of, shown))
    tanks[0].image = arrow("key")
    assert bytes_shown(system.pool(prefab)) == sum(map(size_of, [*shown, tanks[0].image]))
    assert bytes_shown(system.pool(Prefab(dict))) == 0


@pytest.mark.parametrize("degrees", [0, 45, 77.7])
def test_an_upright_image_that_was_drawn_into_is_turned_again_if_you_say_so(degrees: float) -> None:
    image, twin = arrow(), arrow()
    kinds = [(PooledSprite, round(degrees)), (Eighths, round(degrees / 45) * 45), (Exact, degrees)]
    told = [(kind(image), step) for kind, step in kinds]
    untold = [(kind(twin), step) for kind, step in kinds]

    def turn() -> None:
        for sprite, _ in (*untold, *told):
            sprite.rotation = degrees

    turn()
    image.fill("white")
    shown = told[0][0].image
    turn()
    assert told[0][0].image is shown  # stale, for nothing was told
    rotation_cache.forget(image)
    turn()
    for sprite, step in told:
        assert drawn(sprite.image) == drawn(pygame.transform.rotate(image, step))
    for sprite, step in untold:
        assert drawn(sprite.image) == drawn(pygame.transform.rotate(twin, step))
