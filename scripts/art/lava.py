"""The lava arena: a warm basalt cavern split by glowing seams."""

import math

from .pixels import Canvas, Cell, Color, mix, noise, ramp, rgb
from .scenery import FLOOR, HIGH, WALL, WIDE, Box, glow, shade

BACK = ramp("140a10 22101a 301823 40222a 543034")
ROCK = ramp("160b10 34202a 543640 785058 a47874")
MOLTEN = (rgb("5c1410"), rgb("a8280e"), rgb("e8581a"), rgb("ffa030"), rgb("ffe88c"))
NIGHT = rgb("0c060c")
LEDGES: tuple[Box, ...] = ((50, 230, 90, 10), (195, 180, 90, 10), (340, 230, 90, 10))
LAKE = 274
FALLS = ((160, 16, 60), (311, 22, 84))


def facet(x: int, y: int, size: Cell, seed: int) -> tuple[float, int, int, float]:
    """Find the rock facet a cell is in: edge distance, facet place and slope."""
    col, row = x // size[0], y // size[1]
    near: list[tuple[float, int, int, float]] = []
    for r in range(row - 1, row + 2):
        for c in range(col - 1, col + 2):
            px = (c + 0.15 + noise(c, r, seed) * 0.7) * size[0]
            py = (r + 0.15 + noise(c, r, seed + 1) * 0.7) * size[1]
            dx, dy = x + 0.5 - px, (y + 0.5 - py) * size[0] / size[1]
            near.append((math.hypot(dx, dy), c, r, (dx + dy) / size[0]))
    near.sort()
    first, second = near[0], near[1]
    return second[0] - first[0], first[1], first[2], first[3]


def cavern(art: Canvas) -> None:
    """Paint the far wall of faceted basalt, its seams hotter towards the floor."""
    for y in range(HIGH):
        for x in range(WIDE):
            edge, c, r, slope = facet(x, y, (34, 26), 5)
            body = mix(BACK.base, BACK.dark, noise(c, r, 9))
            if slope < -0.28:
                body = mix(body, BACK.light, 0.6)
            elif slope > 0.3:
                body = mix(body, BACK.line, 0.5)
            if noise(x // 2, y, 3) > 0.93:
                body = mix(body, BACK.light, 0.4)
            art.dot((x, y), body)
            heat = (y / FLOOR) ** 1.2 * (0.4 + noise(x // 40, y // 34, 12))
            if edge < 1.3:
                hot = MOLTEN[1] if heat > 0.62 else MOLTEN[0]
                art.dot((x, y), mix(BACK.line, hot, min(0.85, heat)))
            elif edge < 4.5:
                art.blend((x, y), MOLTEN[0], (4.5 - edge) / 4.5 * heat * 0.55)


def spike(art: Canvas, tip: Cell, wide: int, *, down: bool) -> None:
    """Draw a stalactite or stalagmite with a lit left flank."""
    end = 0 if down else FLOOR
    high = max(1, abs(tip[1] - end))
    for step in range(high):
        y = tip[1] - step if down else tip[1] + step
        half = wide * (step / high) ** 1.4 + 0.6
        half += (noise(step // 5, tip[0], 2) - 0.5) * min(2.0, step / 6)
        for x in range(math.floor(tip[0] - half), math.ceil(tip[0] + half)):
            side = (x + 0.5 - tip[0]) / max(half, 1)
            tone = BACK.light if side < -0.45 else BACK.base if side < 0.1 else BACK.dark
            if side < -0.85 or side > 0.7:
                tone = BACK.line
            elif step % 11 < 2 and noise(x // 3, step // 11, tip[0]) > 0.4:
                tone = mix(tone, BACK.line, 0.5)
            art.dot((x, y), mix(tone, BACK.shine, 0.3))


def lavafall(art: Canvas, left: int, wide: int, top: int) -> None:
    """Pour a dim, distant fall of lava out of a cleft in the far wall."""
    middle = left + wide / 2
    for y in range(-9, 10):
        for x in range(-wide, wide):
            far = math.hypot(x / (wide * 0.62), y / 8) + (noise(x // 3, y // 2, left) - 0.5) * 0.25
            if far < 1:
                warm = MOLTEN[1] if far > 0.8 and y > 0 else NIGHT
                rim = MOLTEN[0] if far > 0.78 and y <= 0 else warm
                art.dot((math.floor(middle) + x, top - 1 + y), rim)
    for y in range(top, LAKE + 4):
        half = wide / 2 * (0.55 + 0.45 * (y - top) / (LAKE - top))
        half += (noise(y // 9, left, 4) - 0.5) * 1.5 + max(0, y - LAKE + 10) * 0.5
        half = min(half, (y - top) * 0.9 + 1.5)
        for x in range(math.floor(middle - half - 2), math.ceil(middle + half + 2)):
            side = (x + 0.5 - middle) / half
            drift = int(noise(x, left, 8) * 40)
            streak = noise(x, (y + drift) // 22, 6)
            if abs(side) > 1:
                art.blend((x, y), BACK.line, 0.7)
                continue
            level = 2.1 - 1.9 * abs(side + 0.15) + (streak - 0.5) * 1.7
            tone = MOLTEN[max(0, min(3, round(level)))]
            art.dot((x, y), mix(tone, BACK.line, 0.3))


def lake(art: Canvas) -> None:
    """Spread a dark red lake of lava along the foot of the far wall."""
    for y in range(LAKE, FLOOR):
        for x in range(WIDE):
            deep = (y - LAKE) / (FLOOR - LAKE)
            long = 6 + int(deep * 12)
            wave = noise((x + int(noise(y // 2, 3, 5) * 30)) // long, y // 2, 19)
            tone = mix(MOLTEN[0], MOLTEN[1], 0.35 - deep * 0.35)
            if wave > 0.84:
                tone = mix(MOLTEN[1], MOLTEN[2], 0.35)
            elif wave < 0.3:
                tone = mix(MOLTEN[0], BACK.line, 0.55)
            art.dot((x, y), MOLTEN[1] if y == LAKE else tone)
    for index in range(16):
        x = int(noise(index, 7, 3) * WIDE)
        half, high = 9 + int(noise(index, 8, 3) * 20), 3 + int(noise(index, 9, 3) * 9)
        for dx in range(-half, half + 1):
            rise = int(high * (1 - (dx / half) ** 2) + noise((x + dx) // 3, index, 2) * 3)
            for dy in range(rise):
                tone = BACK.light if dy == rise - 1 and dx < half // 3 else BACK.dark
                art.dot((x + dx, LAKE + 1 - dy), BACK.line if dy < 2 else tone)


def basalt(art: Canvas, box: Box, seed: int, *, hot: float) -> None:
    """Fill a box with near rock: lit facets and molten seams."""
    left, top, wide, high = box
    for y in range(top, top + high):
        for x in range(left, left + wide):
            edge, c, r, slope = facet(x, y, (17, 12), seed)
            body = mix(ROCK.base, ROCK.dark, noise(c, r, seed))
            if slope < -0.25:
                body = mix(body, ROCK.light, 0.55)
            elif slope > 0.25:
                body = mix(body, ROCK.line, 0.45)
            art.dot((x, y), body)
            if edge < 1.4:
                warm = noise(x // 14, y // 10, seed + 4) < hot
                art.dot((x, y), seam(edge, (x, y)) if warm else ROCK.line)
            elif edge < 3 and noise(x // 14, y // 10, seed + 4) < hot:
                art.blend((x, y), MOLTEN[1], 0.5)


def seam(edge: float, cell: Cell) -> Color:
    """Choose the glow inside a molten seam."""
    if edge < 0.6:
        return MOLTEN[4] if noise(*cell, 31) > 0.6 else MOLTEN[3]
    return MOLTEN[2]


def ledge(art: Canvas, box: Box) -> None:
    """Draw a basalt shelf on a rough stem, lava dripping from its underside."""
    left, top, wide, high = box
    middle = left + wide // 2
    for y in range(top + high, FLOOR):
        deep = y - top - high
        half = max(9.0, wide / 2 - 4 - deep * 1.7) + (noise(y // 6, left, 2) - 0.5) * 4
        if FLOOR - y < 16:
            half += (16 - (FLOOR - y)) * 0.7
        for x in range(math.floor(middle - half), math.ceil(middle + half)):
            side = (x + 0.5 - middle) / half
            column = (x - left) // 6
            tone = ROCK.base if side < -0.35 else ROCK.dark
            if (x - left) % 6 == 0 or side > 0.86:
                tone = ROCK.line
            elif (x - left) % 6 == 1 and side < 0.3:
                tone = mix(tone, ROCK.light, 0.35)
            if noise(column, y // 11, 8) > 0.7:
                tone = mix(tone, ROCK.line, 0.35)
            art.dot((x, y), mix(tone, BACK.dark, 0.5))
    shade(art, (left, top + high, wide, 14), NIGHT, (0.6, 0.0))
    basalt(art, box, 21 + left, hot=0.55)
    for x in range(left, left + wide):
        art.dot((x, top), ROCK.shine if noise(x // 4, top, 3) < 0.8 else ROCK.light)
        art.dot((x, top + 1), mix(ROCK.light, ROCK.base, 0.4))
        art.dot((x, top + high - 1), ROCK.line)
        if noise(x // 3, left, 14) > 0.84:
            long = 2 + int(noise(x // 3, left, 15) * 7) - (x % 3)
            for y in range(long):
                art.dot((x, top + high - 1 + y), MOLTEN[3 if y == 0 else 2 if y < long - 2 else 1])
    art.rect((left, top), (1, high), ROCK.light)
    art.rect((left + wide - 1, top), (1, high), ROCK.line)


def embers(art: Canvas) -> None:
    """Float sparks up through the cavern."""
    for index in range(70):
        x = WALL + 6 + int(noise(index, 1, 77) * (WIDE - WALL * 2 - 12))
        y = 30 + int(noise(index, 2, 77) ** 0.6 * 262)
        tone = MOLTEN[2] if y > 200 else MOLTEN[1]
        art.dot((x, y), tone)
        if index % 3 == 0:
            art.dot((x, y + 1), MOLTEN[0])


def draw() -> list[Canvas]:
    """Draw the cavern from the far wall to the floor."""
    art = Canvas(WIDE, HIGH)
    cavern(art)
    lake(art)
    for left, wide, top in FALLS:
        lavafall(art, left, wide, top)
    for x, y, wide in ((70, 70, 16), (120, 38, 10), (232, 92, 20), (300, 44, 11), (410, 80, 18)):
        spike(art, (x, y), wide, down=True)
    for x, y, wide in (
        (40, 268, 12),
        (168, 276, 12),
        (264, 262, 15),
        (306, 280, 10),
        (448, 258, 14),
    ):
        spike(art, (x, y), wide, down=False)
    shade(art, (0, 0, WIDE, 150), NIGHT, (0.6, 0.0))
    for left, wide, _ in FALLS:
        glow(art, (left + wide // 2, 250), (64, 120), MOLTEN[2], 0.24)
    glow(art, (240, 330), (300, 120), MOLTEN[2], 0.32)
    embers(art)
    for box in LEDGES:
        ledge(art, box)
    for left in (0, WIDE - WALL):
        basalt(art, (left, 0, WALL, FLOOR), 3 + left, hot=0.3)
        shade(art, (left, 0, WALL, 150), NIGHT, (0.7, 0.0))
    for y in range(FLOOR):
        art.dot((WALL - 1, y), ROCK.line)
        art.dot((WIDE - WALL, y), ROCK.line)
    basalt(art, (0, FLOOR, WIDE, HIGH - FLOOR), 14, hot=0.62)
    for x in range(WIDE):
        art.dot((x, FLOOR), ROCK.light if noise(x // 4, 1, 6) > 0.8 else ROCK.shine)
        art.blend((x, FLOOR + 1), ROCK.light, 0.6)
    return [art]
