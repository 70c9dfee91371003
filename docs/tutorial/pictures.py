"""The pictures of the tutorial, drawn with shapes; put files of your own in their place."""

import pygame

OUTLINE = "#20222e"


def canvas(width, height):
    return pygame.Surface((width, height), pygame.SRCALPHA)


def draw_dino():
    image = canvas(26, 26)
    for grow, color in ((1, OUTLINE), (0, "#58b04c")):
        for part in ((12, 2, 12, 8), (10, 8, 7, 12), (2, 16, 9, 4), (9, 20, 3, 4), (14, 20, 3, 4)):
            pygame.draw.rect(image, color, pygame.Rect(part).inflate(2 * grow, 2 * grow))
    pygame.draw.rect(image, "#b8e08c", (13, 12, 4, 8))
    pygame.draw.rect(image, OUTLINE, (18, 4, 2, 2))
    pygame.draw.rect(image, "white", (20, 8, 3, 1))
    return pygame.transform.scale_by(image, 2)


def draw_rabbit(scale):
    image = canvas(16, 20)
    for grow, color in ((1, OUTLINE), (0, "#d8d4e0")):
        for part in ((4, 1, 2, 8), (9, 1, 2, 8), (2, 8, 11, 6), (3, 13, 9, 5), (12, 13, 2, 3)):
            pygame.draw.rect(image, color, pygame.Rect(part).inflate(2 * grow, 2 * grow))
    for eye in ((3, 10), (6, 9), (9, 10)):  # three: it is a mutant
        pygame.draw.rect(image, "#e0304c", (*eye, 2, 2))
    pygame.draw.rect(image, "#f098a8", (4, 13, 2, 1))
    return pygame.transform.scale_by(image, scale)


def draw_phone():
    image = canvas(6, 10)
    image.fill(OUTLINE)
    image.fill("#68c8f0", (1, 1, 4, 7))
    image.fill("#d8f4ff", (1, 1, 2, 2))
    return pygame.transform.scale_by(image, 2)


def draw_charger():
    image = canvas(10, 10)
    pygame.draw.circle(image, OUTLINE, (5, 5), 5)
    pygame.draw.circle(image, "#f0c840", (5, 5), 4)
    pygame.draw.polygon(image, OUTLINE, [(6, 1), (3, 5), (5, 5), (4, 9), (7, 4), (5, 4)])
    return pygame.transform.scale_by(image, 2)


def draw_halo():
    image = canvas(72, 72)
    pygame.draw.circle(image, (240, 200, 64, 90), (36, 36), 36)
    pygame.draw.circle(image, (240, 200, 64, 200), (36, 36), 36, 2)
    return image


def draw_shard():
    image = canvas(4, 4)
    image.fill("#68c8f0")
    return image


DINO = draw_dino()
RABBIT, BIG_RABBIT = draw_rabbit(2), draw_rabbit(4)
PHONE = draw_phone()
CHARGER = draw_charger()
HALO = draw_halo()
SHARD = draw_shard()
