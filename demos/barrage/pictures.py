"""Pictures of light on black, to be added to what is there."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from barrage.stage import SIZE
from shared.pictures import frames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]

ROSE, GOLD, CYAN, VIOLET, GREEN, WHITE = range(6)
COLORS = (
    *((255, 70, 120), (255, 180, 50), (60, 200, 255)),
    *((170, 100, 255), (110, 255, 120), (225, 225, 255)),
)
DIM = tuple(tuple(part * 3 // 5 for part in color) for color in COLORS)  # of what trails behind
ANGLES = 32  # pictures of a dart, all around
# Where the frames of a bullet's shapes begin, among all pictures of bullets.
ORBS, PEARLS, SEEDS, GRAINS, DARTS = (number * len(COLORS) for number in range(5))


def _shine(distance: Numbers, color: tuple[int, ...], core: float) -> Any:
    """Return the light at a distance from the middle, in units of the radius."""
    halo = np.clip(1 - distance, 0, 1)[..., None] ** 2.2
    white = np.clip((core - distance) / (core * 0.6), 0, 1)[..., None]
    rim = np.exp(-(((distance - core) / (core * 0.4)) ** 2))[..., None]
    return np.clip((0.75 * halo + 0.8 * rim) * np.array(color) + white * 235, 0, 255)


def glow(
    size: int,
    color: tuple[int, ...],
    *,
    core: float = 0.42,
    angle: float = 0.0,
    length: float = 1.0,
) -> pygame.Surface:
    """Return a glowing spot on black, stretched by `length` and turned by `angle` degrees."""
    middle = (size - 1) / 2
    x, y = np.meshgrid(np.arange(size) - middle, np.arange(size) - middle, indexing="ij")
    turn = np.radians(-angle)
    along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    distance = np.hypot(along / length, across) / (size / 2 / length)
    surface = pygame.Surface((size, size))
    pygame.surfarray.blit_array(surface, _shine(distance, color, core).astype(np.uint8))
    return surface.convert()


@cache
def bullet_pictures() -> list[pygame.Surface]:
    """Return all pictures of bullets: round ones of each color and size, and darts all around."""
    found = [glow(38, color, core=0.3) for color in COLORS]
    found += [glow(24, color, core=0.27) for color in COLORS]
    found += [glow(10, color, core=0.36) for color in COLORS]
    found += [glow(6, color, core=0.1) for color in DIM]
    for color in COLORS:
        found += [
            glow(30, color, core=0.34, angle=360 * number / ANGLES, length=2.2)
            for number in range(ANGLES)
        ]
    return found


def dart(color: int, velocity: Numbers) -> Numbers:
    """Return the frames of darts that fly so fast."""
    turns = np.arctan2(-velocity[:, 1], velocity[:, 0]) / (2 * np.pi)
    return DARTS + color * ANGLES + np.round(turns * ANGLES).astype(int) % ANGLES


@cache
def dragon_pictures() -> list[pygame.Surface]:
    """Return the dragon, twice as large, looking left."""
    large = [pygame.transform.scale_by(image, 2) for image in frames("dragon", 4)]
    return [pygame.transform.flip(image, flip_x=True, flip_y=False) for image in large]


@cache
def ship_picture() -> pygame.Surface:
    """Return the ship: a dart of steel, with a light where it can be hit."""
    surface = pygame.Surface((44, 30), pygame.SRCALPHA)
    steel, shade, edge, glass = (206, 216, 232), (128, 144, 172), (52, 62, 86), (90, 220, 255)
    hull = [(42, 15), (20, 9), (5, 10), (2, 15), (5, 20), (20, 21)]
    for wing in ([(24, 11), (8, 1), (1, 2), (9, 12)], [(24, 19), (8, 29), (1, 28), (9, 18)]):
        pygame.draw.polygon(surface, shade, wing)
        pygame.draw.polygon(surface, edge, wing, 1)
    pygame.draw.polygon(surface, steel, hull)
    pygame.draw.polygon(surface, shade, [(42, 15), (20, 21), (5, 20), (2, 15)])
    pygame.draw.polygon(surface, edge, hull, 1)
    pygame.draw.ellipse(surface, glass, (22, 11, 11, 6))
    pygame.draw.ellipse(surface, (220, 250, 255), (25, 12, 5, 2))
    return surface


@cache
def sky() -> pygame.Surface:
    """Return the night: darker above, a haze of violet below, with patches of teal."""
    dice = np.random.default_rng(7)
    down = np.linspace(0, 1, SIZE[1])[None, :, None]
    top, low = np.array((7, 8, 24)), np.array((24, 16, 46))
    haze = np.zeros((*SIZE, 1))
    for count, weight in (8, 1.0), (16, 0.5), (32, 0.25):  # coarse and fine
        spots = pygame.Surface((count, count))
        grey = np.repeat(dice.integers(0, 256, (count, count, 1)), 3, axis=2)
        pygame.surfarray.blit_array(spots, grey)
        smooth = pygame.transform.smoothscale(spots, SIZE)
        haze += pygame.surfarray.array3d(smooth)[..., :1] * (weight / 255)
    haze = np.clip(haze - 0.85, 0, 1)
    light = top + (low - top) * down**1.5 + haze * np.array((38, 20, 62)) * (0.4 + 0.6 * down)
    light += haze**2 * np.array((4, 34, 40))
    x, y = np.indices(SIZE)
    light += ((x * 2 + y * 3) % 4 / 4)[..., None]  # dithered, for there to be no bands
    surface = pygame.Surface(SIZE)
    pygame.surfarray.blit_array(surface, light.astype(np.uint8))
    return surface.convert()
