"""Turning sprites: the very pixels of pygame's rotate, made once, shared, bounded in memory."""

from __future__ import annotations

import math
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_kit import STEP, balls
from poolkit import PooledGroup, PooledSprite, Prefab
from poolkit.physics import PhysicsWorld
from poolkit.sprites import rotation_cache
from poolkit.sprites.surface_bytes import bytes_shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit import PoolingSystem

KEY = (255, 0, 255, 255)


class Exact(PooledSprite):
    """Turned as pygame does it, every time anew."""

    rotation_steps = None


class Eighths(PooledSprite):
    """Turned by 45 degrees at a time."""

    rotation_steps = 8


class Turns:
    """Counts the calls of pygame's rotate."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        rotate = pygame.transform.rotate

        def counted(surface: pygame.Surface, angle: float) -> pygame.Surface:
            self.count += 1
            return rotate(surface, angle)

        patch.setattr(pygame.transform, "rotate", counted)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    return Turns(monkeypatch)


@pytest.fixture(autouse=True)
def emptied() -> Iterator[None]:
    """Begin with an empty cache, and leave it with the limit it had."""
    limit = rotation_cache.limit
    rotation_cache.limit = 0
    rotation_cache.limit = limit
    yield
    rotation_cache.limit = limit


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


# -- what is shown -------------------------------------------------------------------------------


@settings(max_examples=150)
@given(
    degrees=st.floats(-1e6, 1e6) | st.integers(-720, 720) | st.sampled_from([-1e-20, 1.7e308]),
    steps=st.sampled_from([None, 1, 7, 16, 360, 1000, 3600]),
    kind=st.sampled_from(["alpha", "key", "faint", "palette", "plain"]),
)
def test_a_turned_sprite_shows_pygames_own_pixels_at_the_nearest_step(
    degrees: float, steps: int | None, kind: str
) -> None:
    upright = arrow(kind)
    sprite: Any = type("Stepping", (PooledSprite,), {"rotation_steps": steps})(upright)
    sprite.position = (10.5, 20)
    sprite.rotation = 90
    sprite.rotation = degrees
    assert sprite.rotation == degrees
    nearest = degrees % 360
    if steps is not None:
        rate = steps / 360
        whole = degrees if math.isfinite(degrees * rate) else nearest
        nearest = round(whole * rate) % steps * 360 / steps
    if nearest == 0:
        assert sprite.image is upright
    expected = pygame.transform.rotate(arrow(kind), nearest)
    assert drawn(sprite.image) == drawn(expected)
    assert sprite.image.get_alpha() == expected.get_alpha()
    assert sprite.image.get_colorkey() == expected.get_colorkey()
    assert sprite.image.get_masks() == expected.get_masks()
    assert sprite.rect.size == expected.get_size()
    assert sprite.position == (10.5, 20)


@settings(max_examples=60)
@given(
    changes=st.lists(
        st.tuples(
            st.sampled_from(["turn", "image", "hide", "show", "move"]), st.integers(-400, 400)
        )
    )
)
def test_whole_degrees_are_as_exact_as_turning_anew(changes: list[tuple[str, int]]) -> None:
    images = [arrow(), arrow("key", (4, 8)), arrow("plain")]
    sprites: list[Any] = [PooledSprite(images[0]), Exact(images[0])]
    hidden: dict[Any, Any] = {}
    for what, number in changes:
        for sprite in sprites:
            if what == "turn":
                sprite.rotation = number
            elif what == "image":
                sprite.image = images[number % 3]
            elif what == "hide":
                hidden[sprite], sprite.image = sprite.image, None
            elif what == "show":
                sprite.image = hidden.get(sprite)
            else:
                sprite.rect.x += number / 8
        ours, exact = sprites
        assert (ours.rotation, ours.rect) == (exact.rotation, exact.rect)
        assert (ours.image is None) == (exact.image is None)
        if ours.image is not None:
            assert drawn(ours.image) == drawn(exact.image)


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
    again = system.spawn(prefab, (10, 10))
    again._move_to(20, 20, 0.0)
    assert (again.rect.size, again.position) == ((5, 3), (20, 20))


# -- what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("own_images", [False, True])
def test_all_instances_that_look_the_same_share_one_image_a_step(
    system: PoolingSystem, turns: Turns, *, own_images: bool
) -> None:
    image = arrow()
    prefabs = [Prefab(lambda: PooledSprite(arrow() if own_images else image)) for _ in range(2)]
    crowd = [system.spawn(prefabs[i % 2], (i, i)) for i in range(50)]
    for degrees in range(720):
        for number, sprite in enumerate(crowd):
            sprite.rotation = degrees + number * 360
        assert len({id(sprite.image) for sprite in crowd}) <= (50 if own_images else 1)
        if degrees % 360:
            assert all(sprite.image is crowd[0].image for sprite in crowd)
    assert turns.count == 359


def test_n08_turning_bodies_turn_no_image_in_the_steady_state(
    system: PoolingSystem, turns: Turns
) -> None:
    world = PhysicsWorld()
    crowd = system.spawn_many(Prefab(balls(world)), [(100.0 * i, 0) for i in range(30)])
    for number, ball in enumerate(crowd):
        ball.body.angular_velocity = number - 15.5
    for _ in range(300):
        world.step(STEP)
    assert 0 < turns.count <= 359
    for ball in crowd:
        ball.body.angle %= 6.28
    turns.count = 0
    world.sync()
    assert turns.count == 0
    assert len({round(ball.rotation) for ball in crowd}) > 10
    ball = crowd[7]
    upright = pygame.Surface((20, 20))
    assert drawn(ball.image) == drawn(pygame.transform.rotate(upright, round(ball.rotation)))


def test_a_rotation_that_a_game_made_its_own_is_used_by_the_physics(system: PoolingSystem) -> None:
    inherited: Any = PooledSprite.__dict__["rotation"]

    class Compass(PooledSprite):
        @property
        def rotation(self) -> float:
            return super().rotation

        @rotation.setter
        def rotation(self, degrees: float) -> None:
            self.heading = degrees
            inherited.__set__(self, -degrees)

    sprite = system.spawn(Prefab(Compass), (1, 1))
    for heading in (33, 44, 0):
        sprite._move_to(5, 6, heading)
        assert (sprite.heading, sprite.rotation, sprite.position) == (heading, -heading, (5, 6))


# -- what it holds -------------------------------------------------------------------------------


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
    rotation_cache.limit = 0
    rotation_cache.limit = limit
    images = [arrow(size=(9, 5 + number)) for number in range(2)]
    naive: OrderedDict[tuple[int, int], int] = OrderedDict()
    with pytest.MonkeyPatch.context() as patch:
        turns = Turns(patch)
        for number, step in shown:
            turns.count = 0
            sprite = Eighths(images[number])
            sprite.rotation = step * 45
            if step:
                assert turns.count == ((number, step) not in naive)
                naive[number, step] = size_of(sprite.image)
                naive.move_to_end((number, step))
            while sum(naive.values()) > limit:
                naive.popitem(last=False)
            assert rotation_cache.bytes_held == sum(naive.values())
    assert rotation_cache.bytes_held <= limit


def test_a_hit_box_that_the_game_made_stays_while_the_same_image_is_shown() -> None:
    sprite = PooledSprite(arrow())
    sprite.rotation = 30
    sprite.rect.inflate_ip(-2, -2)
    box = sprite.rect.copy()
    for degrees in (30, 30.4, 390):
        sprite.rotation = degrees
    assert sprite.rect == box
    sprite.rotation = 31
    assert sprite.image is not None
    assert sprite.rect.size == sprite.image.get_size()


def test_a_sprite_goes_on_showing_what_the_cache_has_dropped(turns: Turns) -> None:
    sprite = PooledSprite(arrow())
    sprite.rotation = 30
    shown = sprite.image
    rotation_cache.limit = 0
    for degrees in (30, 30.2, 29.9):
        sprite.rotation = degrees
    assert sprite.image is shown
    assert turns.count == 1
    sprite.rotation = 31
    assert turns.count == 2
    assert rotation_cache.bytes_held == 0


def test_images_that_are_dropped_are_freed_with_all_that_were_turned_from_them() -> None:
    image, twin = (arrow(size=(13, 3)) for _ in range(2))  # like no other test's
    sprites = [PooledSprite(image), Eighths(image), PooledSprite(twin)]
    for sprite in sprites:
        sprite.rotation = 45
    held = rotation_cache.bytes_held
    assert held == size_of(sprites[0].image) + size_of(sprites[1].image)
    assert repr(rotation_cache) == f"<RotationCache(num_images=2, bytes_held={held})>"
    reference = weakref.ref(image)
    del sprite, sprites[:2], image
    assert reference() is None
    assert rotation_cache.bytes_held == size_of(sprites[0].image)  # the twin's
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
    tower = arrow(size=(6, 6))

    class Tank(PooledSprite):
        def __init__(self) -> None:
            super().__init__(arrow())
            self.tower = PooledSprite(tower)
            self.add_child(self.tower, (0, 0))

    tank, other = Prefab(Tank), Prefab(lambda: PooledSprite(arrow(size=(2, 2))))
    tanks = [system.spawn(tank, (0, 0), rotation=45) for _ in range(3)]
    stranger = system.spawn(other, (0, 0), rotation=45)
    turned = size_of(tanks[0].image) + size_of(tanks[0].tower.image)
    expected = turned + size_of(tower) + sum(size_of(upright_of(each)) for each in tanks)
    assert bytes_shown(system.pool(tank)) == expected
    assert bytes_shown(system.pool(other)) == size_of(stranger.image) + size_of(
        upright_of(stranger)
    )
    assert rotation_cache.bytes_held == turned + size_of(stranger.image)
    Eighths(tower).rotation = 90  # in other steps: no business of the tanks
    for each in tanks:
        each.kill()  # at rest they are ready to show them again
    assert bytes_shown(system.pool(tank)) == expected
    tanks[0].image = arrow("key")
    assert bytes_shown(system.pool(tank)) == expected + size_of(tanks[0].image)
    assert bytes_shown(system.pool(Prefab(dict))) == 0


# -- images that change --------------------------------------------------------------------------


@pytest.mark.parametrize("degrees", [0, 45, 77.7])
def test_12_10_an_upright_image_that_was_drawn_into_is_turned_anew_when_told(
    degrees: float,
) -> None:
    image, other = arrow(), arrow()
    told = [PooledSprite(image), PooledSprite(image), Eighths(image), Exact(image)]
    untold = [PooledSprite(other), Exact(other)]

    def turn() -> None:
        for sprite in (*untold, *told):
            sprite.rotation = degrees

    turn()
    shown = [sprite.image for sprite in untold]
    image.fill("white")
    turn()
    if degrees:
        assert told[0].image is shown[0]  # stale, for nothing was told
    rotation_cache.forget(image)
    turn()
    nearest = [round(degrees), round(degrees), round(degrees / 45) * 45, degrees]
    for sprite, step in zip(told, nearest, strict=True):
        assert drawn(sprite.image) == drawn(pygame.transform.rotate(image, step))
    if degrees:  # what looks like the one drawn into is found anew, and looks as it did
        assert drawn(untold[0].image) == drawn(shown[0])
    assert untold[1].image is shown[1]


def upright_of(sprite: PooledSprite) -> Any:
    assert sprite._turning is not None
    return sprite._turning.upright
