"""A garden at dusk, and the stone fountain in it that cubes fly from."""

import math

from .pixels import Canvas, Cell, Color, Ramp, mix, noise, ramp, rgb
from .scenery import WIDE, block, courses, glow, moon, shade, sky

HIGH = 250
GROUND = 235  # the top of the paving
RIM = 206  # the top of the basin
MIDDLE = WIDE // 2
BASIN = 100  # half the width of the basin
BOWLS = ((120, 31, 7), (166, 61, 10))  # top, half the width, height of each bowl
NOZZLE = 102

SKY = [rgb(code) for code in ("1a1c3c", "2a2858", "4a3874", "7c4c88", "b46484", "e48c7c", "f8bc84")]
FAR = ramp("201c40 342c58 483c6c 5c4c7c 705c8c")
HEDGE = ramp("0e1c24 16302c 244834 38643c 588c44")
STONE = ramp("1e2038 46486c 74789c a4a8c0 d8d8e0")
PAVE = ramp("22203c 44406c 6a6490 9088ac b8accc")
WATER = ramp("183c68 2468a0 3c9cd0 7cd0f0 e0fcff")
LAMP = rgb("ffc868")
IRON = rgb("16162c")


def evening(art: Canvas) -> None:
    """Paint the evening: a moon, and clouds that catch the last light."""
    sky(art, SKY, 205, stars=110)
    moon(art, (84, 52))
    for left, top, wide in ((300, 74, 120), (150, 98, 90), (392, 118, 84), (16, 124, 100)):
        cloud(art, (left, top), wide)


def cloud(art: Canvas, corner: Cell, wide: int) -> None:
    """Draw a thin cloud, lit from below by the sun that has set."""
    for x in range(wide):
        swell = math.sin(math.pi * x / wide) * (3 + 5 * noise((corner[0] + x) // 9, 1, 4))
        for y in range(-math.floor(swell), math.floor(swell / 2.5) + 1):
            color = rgb("f8a488") if y > swell / 2.5 - 1.6 else rgb("8c5890")
            art.blend((corner[0] + x, corner[1] + y), color, 0.55 if y > 0 else 0.4)


def castle(art: Canvas) -> None:
    """Draw hills, and a castle far away, with lights in its windows."""
    for x in range(WIDE):
        hill = 188 - 16 * math.sin(x / 70 + 1) - 9 * math.sin(x / 23) * 0.6
        for y in range(math.floor(hill), GROUND):
            art.dot((x, y), mix(FAR.light, FAR.dark, min(1.0, (y - hill) / 30)))
    for left, top, wide in (
        (352, 128, 12),
        (364, 146, 40),
        (376, 112, 14),
        (402, 134, 10),
        (412, 152, 20),
        (430, 140, 9),
    ):
        art.rect((left, top), (wide, 190 - top), FAR.base)
        art.rect((left, top), (2, 190 - top), FAR.light)
        for x in range(left, left + wide, 4):
            art.rect((x, top - 2), (2, 2), FAR.base)
        if wide < 16:
            for step in range(wide + 4):
                half = (wide + 4 - step) / 2
                y = top - 3 - step
                art.rect((round(left + wide / 2 - half), y), (round(half * 2), 1), FAR.dark)
        for y in range(top + 7, 182, 13):
            if noise(left, y, 2) > 0.35:
                art.rect((left + wide // 2, y), (2, 3), LAMP)


def hedge(art: Canvas) -> None:
    """Let clipped bushes stand behind the fountain, with flowers in them."""
    for x in range(WIDE):
        top = 208 - 5 * abs(math.sin(x / 21)) - 2 * noise(x // 2, 3, 8)
        for y in range(math.floor(top), GROUND):
            depth = (y - top) / 22
            leaf = noise(x // 2, y // 2, 9) - depth * 0.7
            tone = 4 if leaf > 0.78 else 3 if leaf > 0.5 else 2 if leaf > 0.05 else 1
            art.dot((x, y), HEDGE[tone])
            if noise(x, y, 12) > 0.992:
                art.dot((x, y), rgb("f890b8") if noise(x, y, 3) > 0.5 else rgb("fff0c0"))


def lamp(art: Canvas, x: int) -> None:
    """Set a lamp on a post, and its light around it."""
    glow(art, (x, 158), (58, 58), LAMP, 0.3)
    art.rect((x - 1, 166), (3, GROUND - 166), IRON)
    art.rect((x - 1, 166), (1, GROUND - 166), rgb("4c4c70"))
    art.rect((x - 4, GROUND - 4), (9, 4), IRON)
    art.rect((x - 5, 151), (11, 2), IRON)
    art.rect((x - 3, 149), (7, 2), IRON)
    art.rect((x - 4, 153), (9, 11), LAMP)
    art.rect((x - 2, 155), (5, 7), rgb("fff4d0"))
    for dx in (-4, 0, 4):
        art.rect((x + dx, 153), (1, 11), IRON)
    art.rect((x - 4, 164), (9, 2), IRON)


def bowl(art: Canvas, top: int, half: int, high: int) -> None:
    """Draw a stone bowl that is so full that its water stands above the rim."""
    for x in range(-half, half + 1):
        share = 1 - (x / half) ** 2
        for y in range(math.floor(share * 6) + 1):
            tone = 4 if y > share * 6 - 1 else 3 if noise(x // 3, y, top) > 0.6 else 2
            art.dot((MIDDLE + x, top - y), WATER[tone])
        deep = 4 + math.floor(high * math.sqrt(share))
        for y in range(deep):
            art.dot((MIDDLE + x, top + 1 + y), carved(x / half, y, deep))
    for x in range(-half + 4, half - 3, 5):  # what runs over the rim
        for y in range(2 + math.floor(noise(x, top, 3) * 9)):
            art.blend((MIDDLE + x, top + 1 + y), WATER.shine, 0.75 - y * 0.06)


def carved(across: float, y: int, deep: int) -> Color:
    """Give the colour of round stone: bright on the left, a lit rim, dark below."""
    if y in {0, deep - 1}:
        return STONE.shine if y == 0 else STONE.line
    if y == 3:
        return STONE.dark
    return round_tone(STONE, across + 0.25 * y / deep)


def round_tone(tones: Ramp, across: float) -> Color:
    """Give the tone of a round thing, from -1 at its left side to 1 at its right."""
    return tones[4 if -0.72 < across < -0.5 else 3 if across < -0.1 else 2 if across < 0.5 else 1]


def column(art: Canvas, top: int, bottom: int, half: int) -> None:
    """Draw a piece of the column, with rings at its ends."""
    for y in range(top, bottom):
        grow = max(0, 3 - min(y - top, bottom - 1 - y))
        for x in range(-half - grow, half + grow + 1):
            color = round_tone(STONE, x / (half + grow))
            art.dot((MIDDLE + x, y), mix(color, STONE.dark, 0.5 if y % 17 == 0 else 0.0))
        art.dot((MIDDLE - half - grow - 1, y), STONE.line)
        art.dot((MIDDLE + half + grow + 1, y), STONE.line)


def front() -> list[Canvas]:
    """Draw the wall of the basin: cubes fall behind it."""
    high = GROUND - RIM + 3
    art = Canvas(BASIN * 2 + 12, high)
    courses(art, (4, 6, BASIN * 2 + 4, high - 9), (24, 8), STONE, seed=11)
    for x in range(4, BASIN * 2 + 8):
        across = (x - BASIN - 6) / BASIN
        for y in range(6, high - 3):
            art.blend((x, y), STONE.line, 0.62 * max(0.0, across + 0.35) + 0.012 * y)
    for left in range(0, BASIN * 2 + 12, 20):
        block(art, (left, 0, min(20, BASIN * 2 + 12 - left), 6), STONE, seed=4)
        block(art, (left, high - 4, min(20, BASIN * 2 + 12 - left), 4), STONE, seed=5)
    for x in (BASIN // 2, BASIN + 6, BASIN * 3 // 2 + 12):
        art.ball((x, 16), (5, 5), STONE)
        art.ball((x, 16), (2.4, 2.4), WATER)
    return [art]


def draw() -> list[Canvas]:
    """Draw the garden and the fountain, without the wall of the basin."""
    art = Canvas(WIDE, HIGH)
    evening(art)
    castle(art)
    hedge(art)
    for x in (38, 128, 352, 442):
        lamp(art, x)
    courses(art, (0, GROUND, WIDE, HIGH - GROUND), (28, 8), PAVE, seed=21)
    for x in range(WIDE):
        art.dot((x, GROUND), PAVE.shine if noise(x // 3, 1, 8) < 0.85 else PAVE.light)
    shade(art, (0, GROUND, WIDE, HIGH - GROUND), SKY[0], (0.0, 0.45))
    column(art, NOZZLE, BOWLS[0][0], 4)
    column(art, BOWLS[0][0] + 6, BOWLS[1][0], 7)
    column(art, BOWLS[1][0] + 8, RIM + 12, 11)
    for top, half, high in BOWLS:
        bowl(art, top, half, high)
    for x in range(-BASIN, BASIN + 1):
        for y in range(RIM - 3, RIM + 6):
            wave = noise((x + y * 3) // 5, y, 14)
            art.dot((MIDDLE + x, y), WATER[3 if wave > 0.75 else 2 if wave > 0.3 else 1])
    for center in ((38, 158), (128, 158), (352, 158), (442, 158)):
        glow(art, (center[0], GROUND + 4), (40, 9), LAMP, 0.3)
    return [art]
