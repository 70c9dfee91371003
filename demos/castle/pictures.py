"""What the castle is built of, drawn pixel by pixel: outlines, light from the upper left."""

import functools

import pygame

EDGE = (43, 27, 44)
WOOD = (122, 72, 54), (168, 104, 66), (206, 146, 88), (236, 190, 120)
STONE = (76, 70, 98), (112, 106, 132), (150, 146, 168), (190, 188, 202)
IRON = (38, 36, 54), (66, 66, 92), (108, 112, 142), (176, 184, 206)


def _slab(size: tuple[int, int], tones: tuple[tuple[int, int, int], ...]) -> pygame.Surface:
    """Return a block with a dark edge, lit from the upper left."""
    image = pygame.Surface(size, pygame.SRCALPHA)
    area = image.get_rect()
    image.fill(EDGE)
    image.fill(tones[1], area.inflate(-2, -2))
    image.fill(tones[3], (1, 1, area.width - 2, 1))
    image.fill(tones[2], (1, 2, 1, area.height - 3))
    image.fill(tones[0], (1, area.height - 2, area.width - 2, 1))
    image.fill(tones[0], (area.width - 2, 2, 1, area.height - 3))
    return image


@functools.cache
def crate() -> pygame.Surface:
    """Return a crate: boards, with one across."""
    image = _slab((14, 14), WOOD)
    for y in (5, 9):
        image.fill(WOOD[0], (2, y, 10, 1))
    for step in range(10):
        image.fill(WOOD[2], (2 + step, 10 - step, 2, 2))
        image.set_at((min(12, 4 + step), 11 - step), EDGE)
    for x, y in ((2, 2), (11, 2), (2, 11), (11, 11)):
        image.set_at((x, y), WOOD[3])
    return image


@functools.cache
def stone() -> pygame.Surface:
    """Return a block of stone with some cracks."""
    image = _slab((14, 14), STONE)
    for x, y in ((4, 4), (5, 5), (5, 6), (9, 8), (8, 9), (10, 3), (3, 10), (4, 10)):
        image.set_at((x, y), STONE[0])
    for x, y in ((4, 3), (9, 7), (3, 9)):
        image.set_at((x, y), STONE[2])
    return image


@functools.cache
def plank() -> pygame.Surface:
    """Return a part of the bridge."""
    image = _slab((15, 6), WOOD)
    image.fill(WOOD[0], (3, 3, 6, 1))
    for x in (2, 12):
        image.set_at((x, 2), IRON[3])
    return image


@functools.cache
def beam() -> pygame.Surface:
    """Return a long board, which carries a floor."""
    image = _slab((58, 6), WOOD)
    for x in (6, 22, 40):
        image.fill(WOOD[0], (x, 3, 9, 1))
    return image


@functools.cache
def ball() -> pygame.Surface:
    """Return a cannonball."""
    image = pygame.Surface((10, 10), pygame.SRCALPHA)
    pygame.draw.circle(image, EDGE, (5, 5), 5)
    pygame.draw.circle(image, IRON[1], (5, 5), 4)
    pygame.draw.circle(image, IRON[2], (4, 4), 2)
    image.set_at((3, 3), IRON[3])
    return image


@functools.cache
def barrel() -> pygame.Surface:
    """Return the barrel of the cannon, which points to the right; it turns about its middle."""
    image = pygame.Surface((44, 14), pygame.SRCALPHA)
    for inset, tone in ((0, EDGE), (1, IRON[1])):
        pygame.draw.ellipse(image, tone, (12 + inset, 1 + inset, 14 - 2 * inset, 12 - 2 * inset))
        image.fill(tone, (18 + inset, 2 + inset, 25 - 2 * inset, 10 - 2 * inset))
        image.fill(tone, (39 + inset, 1 + inset, 5 - 2 * inset, 12 - 2 * inset))
    image.fill(IRON[2], (18, 4, 24, 2))
    image.fill(IRON[3], (20, 4, 18, 1))
    image.fill(IRON[0], (18, 9, 24, 1))
    for x in (22, 31):
        image.fill(IRON[0], (x, 3, 2, 8))
    return image


@functools.cache
def wheel() -> pygame.Surface:
    """Return the wheel of the cannon."""
    image = pygame.Surface((20, 20), pygame.SRCALPHA)
    pygame.draw.circle(image, EDGE, (10, 10), 10)
    pygame.draw.circle(image, WOOD[1], (10, 10), 9)
    pygame.draw.circle(image, EDGE, (10, 10), 7)
    for start, end in (
        ((10, 3), (10, 16)),
        ((3, 10), (16, 10)),
        ((5, 5), (14, 14)),
        ((5, 14), (14, 5)),
    ):
        pygame.draw.line(image, WOOD[0], start, end)
    pygame.draw.circle(image, WOOD[2], (10, 10), 3)
    image.set_at((9, 9), WOOD[3])
    return image


@functools.cache
def flags() -> tuple[pygame.Surface, ...]:
    """Return the frames of a flag that waves on its pole."""
    images = []
    for turn in range(4):
        image = pygame.Surface((20, 26), pygame.SRCALPHA)
        image.fill(EDGE, (0, 0, 3, 26))
        image.fill(WOOD[2], (1, 1, 1, 25))
        for x in range(14):
            lift = round(1.3 * ((x + 3 * turn) % 12 < 6)) * (x > 2)
            height = 10 - x // 4
            image.fill(EDGE, (3 + x, 2 + lift + x // 6, 1, height))
            image.fill(
                (214, 64, 82) if lift else (172, 44, 76), (3 + x, 3 + lift + x // 6, 1, height - 2)
            )
        images.append(image)
    return tuple(images)
