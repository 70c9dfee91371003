"""High above the clouds: skies, mountains and seas of clouds that join on to themselves."""

import math
from typing import NamedTuple

from .pixels import Canvas, Color, Ramp, mix, noise, ramp, rgb
from .scenery import HIGH, WIDE, glow, moon, sky

PEAKS, SEA = 130, 64  # how high the strips of mountains and of clouds are


class Mood(NamedTuple):
    """The colours of a time of day."""

    sky: tuple[str, ...]
    stars: int
    rock: Ramp
    cloud: Ramp


NIGHT = Mood(
    ("0c1028", "121a3c", "1a2850", "243864", "304c78", "44648c", "5c80a0"),
    190,
    ramp("141c38 1c2848 28385c 3c5078 8ca4c4"),
    ramp("2c3c64 3c5078 54709c 7894b8 a8c4dc"),
)
DAWN = Mood(
    ("2c3c78", "4c5c9c", "7c7cb4", "b494b8", "e8a8a8", "fcc090", "ffe098"),
    40,
    ramp("3c3060 54407c 785490 a87098 f8c8a8"),
    ramp("a86c94 c48498 e8a49c fcc8a8 fff0d0"),
)

RED = ramp("4c1428 a02c40 dc5048 f88c60 ffd0a0")
CREAM = ramp("5c4840 b89878 ecd4a4 fff0cc ffffff")
WOOD = ramp("2c180c 6c4420 a87038 d09c58 f0cc90")
INK = rgb("140e1c")


def ridge(x: int) -> float:
    """Give how high the mountains are at a column, in cells; it repeats after the width."""
    angle = math.tau * x / WIDE
    rise = 46 + 22 * math.sin(angle * 2 + 1) + 13 * abs(math.sin(angle * 3.5 + 0.4))
    return rise + 9 * abs(math.sin(angle * 9 + 2)) + 4 * abs(math.sin(angle * 20.5))


def air(mood: Mood) -> list[Canvas]:
    """Draw the sky, with a moon, or the sun just above the clouds."""
    art = Canvas(WIDE, HIGH)
    sky(art, [rgb(code) for code in mood.sky], 270, stars=mood.stars)
    if mood is NIGHT:
        moon(art, (392, 60))
    else:
        glow(art, (370, 190), (150, 120), rgb("fff0b0"), 0.5)
        art.ball((370, 190), (21, 21), ramp("fff0c0 fff0c0 fff4d0 fffae4 ffffff"), seam=False)
    return [art]


def peaks(mood: Mood) -> list[Canvas]:
    """Draw a strip of mountains with snow on them."""
    art = Canvas(WIDE, PEAKS)
    rock = mood.rock
    for x in range(WIDE):
        high = ridge(x)
        slope = ridge(x + 2) - ridge(x - 2)
        for y in range(PEAKS):
            depth = y - (PEAKS - high)
            if depth < 0:
                continue
            snow = 13 + 5 * math.sin(x / 3) + 8 * noise(x // 3, 2, 5) - (90 - high) * 0.6
            # Folds run down the slopes; those that look at the light are the bright ones.
            fold = noise((x + y // 2) // 5, y // 11, 7) - 0.5 + slope * 0.16
            color: Color = rock.base if fold > 0 else rock.dark
            if depth < snow:
                color = rock.shine if fold > -0.1 else mix(rock.shine, rock.base, 0.5)
            elif depth < 2:
                color = rock.light
            art.dot((x, y), mix(color, mood.cloud.base, max(0.0, depth / PEAKS - 0.1)))
    return [art]


def sea(mood: Mood) -> list[Canvas]:
    """Draw a strip of clouds, ball on ball, the nearer ones lower."""
    art = Canvas(WIDE, SEA)
    for row in range(4):
        for number in range(24):
            x = number * 20 + row * 7 + 14 * noise(number, row, 3)
            y = 17 + row * 13 + 9 * noise(number, row, 4)
            size = 9 + 8 * noise(number, row, 6)
            for repeat in (-WIDE, 0, WIDE):
                art.ball((x + repeat, y), (size * 1.5, size), mood.cloud, seam=False)
    for x in range(WIDE):
        for y in range(SEA - 14, SEA):
            art.dot((x, y), art.cells.get((x, y), mood.cloud.base))
            art.blend((x, y), mood.cloud.dark, (y - SEA + 14) / 22)
    return [art]


def balloon() -> list[Canvas]:
    """Draw a hot-air balloon in stripes."""
    art = Canvas(44, 64)
    for y in range(46):
        half = 20.5 * math.sqrt(max(0.0, 1 - ((y - 20.5) / 20.5) ** 2))
        if y > 24:
            half = max(6.0, 20.0 - (y - 24) * 0.66)
        for x in range(44):
            across = (x + 0.5 - 22) / max(1.0, half)
            if abs(across) >= 1:
                continue
            gore = math.floor((math.asin(across) / math.pi + 0.5) * 7)
            tones = RED if gore % 2 else CREAM
            light = -0.7 * across - 0.035 * (y - 20)
            tone = 4 if light > 0.85 else 3 if light > 0.25 else 2 if light > -0.5 else 1
            art.dot((x, y), tones[tone])
    for side in (-1, 1):
        art.line((22 + side * 5, 46), (22 + side * 5, 54), INK)
    art.rect((15, 54), (14, 9), WOOD.base)
    for x in range(15, 29):
        for y in range(55, 63):
            art.dot((x, y), WOOD[2 + (x // 2 + y // 2) % 2 if x < 25 else 1])
    art.rect((14, 53), (16, 2), WOOD.light)
    art.rect((20, 48), (4, 3), rgb("ffd84c"))
    art.outline(INK)
    return [art]
