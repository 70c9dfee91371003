"""Dots are the pixels that small images drawn one by one would set, on surfaces of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import PoolingSystem
from poolkit.swarms import Swarm

COLORS = ["red", "#00ff00", (0, 0, 255), pygame.Color(250, 250, 10)]


def swarm_of(images: Any, **options: Any) -> Swarm:
    return Swarm(images, limit=None, system=PoolingSystem(), **options)


def by_hand(
    surface: pygame.Surface,
    size: int,
    rows: list[tuple[float, float, Any]],
    offset: Any,
    flags: int,
) -> None:
    """Draw dots as one does without a swarm: an image each, in order."""
    for x, y, color in rows:
        place = int(x + offset[0] - size // 2), int(y + offset[1] - size // 2)
        if flags:
            image = pygame.Surface((size, size))
            image.fill(color)
            surface.blit(image, place, None, flags)
        else:  # for a blit to 8 bits looks for another color than all else does
            surface.fill(color, (place, (size, size)))


def surface_of(kind: str) -> tuple[pygame.Surface, pygame.Surface]:
    """Return a surface of a kind to draw on, and the whole that it is, or is a part of."""
    if kind in {"8", "16", "24", "32"}:
        whole = pygame.Surface((17, 13), depth=int(kind))
    else:
        whole = pygame.Surface((17, 13), pygame.SRCALPHA, 32)
    if whole.get_bitsize() == 8:
        whole.set_palette([pygame.Color(i, 255 - i, i * 7 % 256) for i in range(256)])
    whole.fill((20, 30, 40))
    if kind == "part":
        return whole.subsurface((3, 2, 9, 8)), whole
    if kind == "clipped":
        whole.set_clip((4, 3, 7, 6))
    return whole, whole


kinds = st.sampled_from(["8", "16", "24", "32", "alpha", "part", "clipped"])
places = st.integers(-20, 80).map(lambda n: n / 4)
rows_of_dots = st.lists(st.tuples(places, places, st.integers(0, 3)), max_size=30)
offsets = st.tuples(places, places).map(lambda pair: (pair[0] - 5, pair[1] - 5))


@settings(max_examples=300)
@given(
    kind=kinds,
    size=st.integers(1, 3),
    rows=rows_of_dots,
    offset=offsets,
    flags=st.sampled_from([0, 0, pygame.BLEND_ADD]),
    gone=st.lists(st.integers(0, 29)),
)
def test_dots_are_what_small_images_would_be(
    kind: str, size: int, rows: Any, offset: Any, **others: Any
) -> None:
    flags = others["flags"]
    swarm = swarm_of((size, COLORS))
    for x, y, frame in rows:
        swarm.spawn((x, y), frame=frame)
    dead = [row for row in others["gone"] if row < len(rows)]
    swarm.despawn(dead)
    expected, whole = surface_of(kind)
    alive = [(x, y, COLORS[c]) for row, (x, y, c) in enumerate(rows) if row not in dead]
    by_hand(expected, size, alive, offset, flags)
    found, all_found = surface_of(kind)
    swarm.draw(found, offset, flags)
    assert pygame.image.tobytes(all_found, "RGBA") == pygame.image.tobytes(whole, "RGBA")


def test_dots_of_one_pixel_are_set_where_they_are_also_on_a_locked_surface() -> None:
    swarm = swarm_of(1)
    swarm.spawn_many(3, position=[(2, 3), (9.75, 0.25), (10, 10)])
    for depth in (8, 16, 24, 32):
        surface = pygame.Surface((10, 10), depth=depth)
        surface.lock()
        swarm.draw(surface)
        surface.unlock()
        assert not surface.get_locked()
        lit = {(x, y) for x in range(10) for y in range(10) if surface.get_at((x, y)).r > 200}
        assert lit == {(2, 3), (9, 0)}


def test_colors_go_along_the_age() -> None:
    swarm = swarm_of(1, colors=["red", "green", "blue"], lifetime=3.0)
    ages = [0, 1.5, 2.75, 99, -3, np.inf, -np.inf]
    swarm.spawn_many(8, position=[(n, 0) for n in range(8)], age=[*ages, 0])
    swarm.age[7] = np.nan
    surface = pygame.Surface((8, 1))
    swarm.draw(surface)
    shown = [surface.get_at((x, 0)) for x in range(8)]
    expected = "red", "green", "blue", "blue", "red", "blue", "red", "red"
    assert shown == [*map(pygame.Color, expected)]


def test_what_is_no_number_or_far_away_is_seen_nowhere() -> None:
    for images in (1, 3, pygame.Surface((2, 2))):
        swarm = swarm_of(images)
        swarm.spawn_many(5, position=(5, 5))
        swarm.position[:] = [(np.nan, 5), (5, np.inf), (-1e30, 5), (3e9, 5), (5, -3e9)]
        surface = pygame.Surface((10, 10))
        before = pygame.image.tobytes(surface, "RGB")
        swarm.draw(surface)
        assert pygame.image.tobytes(surface, "RGB") == before
        assert swarm.hits((5, 5)).tolist() == swarm.hits(surface.get_rect()).tolist() == []


def test_a_swarm_without_lives_and_a_surface_without_pixels_draw_nothing() -> None:
    for images in (2, (2, ["red", "blue"]), pygame.Surface((2, 2)), [pygame.Surface((2, 2))] * 2):
        swarm = swarm_of(images)
        swarm.draw(pygame.Surface((4, 4)))
        swarm.spawn((1, 1))
        swarm.draw(pygame.Surface((0, 0)))
        clipped = pygame.Surface((4, 4))
        clipped.set_clip((9, 9, 0, 0))
        swarm.draw(clipped)


def test_a_frame_that_is_none_is_told() -> None:
    for images in (((1), ["red", "blue"]), [pygame.Surface((2, 2))] * 2):
        swarm = swarm_of(images)
        swarm.spawn((1, 1), frame=2)
        with pytest.raises(IndexError, match="a frame is one of 0 to 1, not 2 to 2"):
            swarm.draw(pygame.Surface((4, 4)))


@pytest.mark.parametrize(
    ("images", "options", "message"),
    [
        (4, {}, "1 to 3 pixels wide, not 4"),
        ("red", {}, "images are a surface, several, or a size"),
        ([], {}, "images are a surface, several, or a size"),
        ([pygame.Surface((1, 1)), 3], {}, "images are a surface, several, or a size"),
        ((2, "nocolor"), {}, "invalid color"),
        (2, {"colors": ["red"]}, "give a lifetime"),
        ((2, "red"), {"colors": ["red"], "lifetime": 1.0}, "or along their age"),
        (pygame.Surface((1, 1)), {"colors": ["red"], "lifetime": 1.0}, "for dots"),
        (True, {}, "images are a surface"),
        (2, {"colors": [], "lifetime": 1.0}, "a color or several"),
        ((2, []), {}, "a color or several"),
    ],
)
def test_bad_input_for_pictures(images: Any, options: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        swarm_of(images, **options)
