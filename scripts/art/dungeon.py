"""The dungeon arena: cool blue-grey stone, torchlight, banners and moss."""

from .pixels import Canvas, Cell, Ramp, mix, noise, ramp, rgb
from .scenery import FLOOR, HIGH, WALL, WIDE, Box, block, courses, crack, glow, shade

BACK = ramp("151a26 1d2433 263042 303c50 3c4a60")
STONE = ramp("161b28 36415a 51617c 7488a0 a4b8c8")
PAVE = ramp("141925 34405a 56677f 8094a8 b4c8d2")
PILLAR = ramp("121722 1b2231 2c374b 3a485f 4c5c74")
WOOD = ramp("1c1620 3c2c2c 5c4438 80604a a88462")
CLOTH = ramp("1c1024 321a3a 4a2448 643058 84466c")
MOSS = ramp("16241e 26402c 3c6038 5c8444 88ac58")
IRON = ramp("0e1118 20262f 363f4c 545f6e 7c8a98")
MOON = ramp("182644 8aa4c0 a4bcd2 bcd0e0 d4e4ee")
BONE = ramp("161820 4c4c50 7c7a74 a8a494 ccc8b4")
GOLD = ramp("2c2018 50401e 7c642c a88a40 d0b464")
NIGHT = rgb("0a0d16")
FIRE = rgb("ff9a3c")

LEDGES: tuple[Box, ...] = ((75, 210, 110, 10), (295, 210, 110, 10))
TORCHES: tuple[Cell, ...] = ((56, 138), (240, 112), (424, 138))
PILLARS = (32, 128, 332, 428)

FLAME = (
    "....f....",
    "...ff....",
    "...fyf...",
    "..fyyf.f.",
    "..fywyf..",
    ".ffywyff.",
    ".fywwwyf.",
    ".fywwwyf.",
    "..fywyf..",
    ".kkkkkkk.",
    "..iIJIi..",
    "...kIk...",
    "...wdk...",
    "...dDk...",
    "...dDk...",
    "...kDk...",
    "....k....",
)

SIGIL = (
    "...g.....g...",
    "..gG.....Gg..",
    "..gGg...gGg..",
    "..ggGggGGgg..",
    "...gGGGGGg...",
    "...gkGGGkg...",
    "...gkkGkkg...",
    "...ggGGGgg...",
    "....gGkGg....",
    "....GGGGG....",
    "....GkGkG....",
    "....G.G.G....",
)


def window(art: Canvas, left: int, top: int, *, moon: bool) -> None:
    """Draw a barred, arched window on the night, with or without the moon in it."""
    for y in range(48):
        for x in range(28):
            rise = 14 - (196 - (x - 13.5) ** 2) ** 0.5 if y < 14 else 0
            inner = 11 - max(0.0, 121 - (x - 13.5) ** 2) ** 0.5 + 3 if y < 14 else 3
            if y < rise:
                continue
            cell = (left + x, top + y)
            if y < inner or x < 3 or x > 24 or y > 44:
                tone = PILLAR.shine if y > 44 and x % 9 else PILLAR.light
                art.dot(cell, PILLAR.line if (x * 3 + y) % 8 == 0 and y < 45 else tone)
            else:
                art.dot(cell, mix(rgb("34507c"), rgb("182644"), y / 48))
    for x, y in ((9, 14), (17, 10), (20, 24), (7, 30)):
        art.dot((left + x, top + y), rgb("a8c4e0"))
    if moon:
        art.ball((left + 12.5, top + 18.5), (4.4, 4.4), MOON)
    for x in (9, 14, 19):
        art.rect((left + x, top + 4), (2, 41), IRON.line)
        art.rect((left + x, top + 4), (1, 41), IRON.dark)
    art.rect((left + 3, top + 26), (22, 2), IRON.line)


def pillar(art: Canvas, left: int) -> None:
    """Draw a half column against the back wall, with base and capital."""
    wide = 20
    for y in range(FLOOR):
        drum = y % 34 == 0
        for x in range(wide):
            tone = (3, 4, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 0)[x]
            flute = x in {5, 10, 14}
            art.dot((left + x, y), PILLAR[0] if drum else PILLAR[max(0, tone - flute)])
    for y, grow in ((64, 2), (68, 4), (72, 2), (282, 2), (286, 3), (291, 5)):
        high = 9 if y == 291 else 4
        block(art, (left - grow, y, wide + grow * 2, high), PILLAR)


def banner(art: Canvas, left: int, top: int) -> None:
    """Hang a swallow-tailed banner from a rod."""
    wide, high = 25, 66
    for y in range(high):
        for x in range(wide):
            cut = high - 1 - (9 - abs(x - wide // 2)) if abs(x - wide // 2) < 9 else high - 1
            if y > cut:
                continue
            fold = (2, 3, 3, 2, 2, 1, 1, 2, 3, 2, 2, 1, 2)[(x + y // 24) % 13]
            if x in {0, wide - 1} or y == cut:
                color = CLOTH.line
            elif x in {2, wide - 3} or cut - 4 < y < cut - 1:
                color = GOLD.dark if fold < 3 else GOLD.base
            else:
                color = CLOTH[fold]
            art.dot((left + x, top + y), color)
    art.stamp((left + 6, top + 18), SIGIL, {"g": GOLD.dark, "G": GOLD.base, "k": CLOTH.line})
    art.rect((left - 3, top - 2), (wide + 6, 3), WOOD.line)
    art.rect((left - 2, top - 2), (wide + 4, 1), WOOD.light)
    for x in (left - 4, left + wide + 2):
        art.rect((x, top - 3), (3, 4), GOLD.base)
        art.dot((x, top - 3), GOLD.light)


SKULL = (
    "..lhhhl..",
    ".lhhhhhl.",
    ".hhhhhhl.",
    ".hkkhkkb.",
    ".hkkhkkb.",
    ".bhhkhbb.",
    "..bhhbb..",
    "..kbkbk..",
)

BONES = (
    "............................",
    "..........lh......hl........",
    "..hl.......hhbbbbbh.........",
    "..bhhbb...lh......bhl..hl...",
    "....bbhhl........kbbbhhhb...",
    ".......bh......hbbb...bb....",
)

BARREL = (
    "...bllllllbb...",
    "..bkkkkkkkkkb..",
    ".bhllbblbbbddk.",
    ".iIJJIIIIIIiik.",
    "dhlblbblbbbdbdk",
    "dhlblbblbbdbbdk",
    "hhlblbkbbbdbbdk",
    "hllblbbbbkdbbdk",
    "hllblbblbbdbddk",
    "hllblbblbbdbbdk",
    "hllblbblbbdbbdk",
    "dhlbkbblbbdbkdk",
    "dhlblbblbbdbbdk",
    ".iIJJIIIIIIiik.",
    ".bhllbblbbbdddk",
    "..ddkddkddkddk.",
)


def clutter(art: Canvas) -> None:
    """Leave barrels and bones, dimmed, at the foot of the back wall."""
    dim = BACK.dark
    wood = {"i": IRON.dark, "I": IRON.base, "J": IRON.light}
    wood |= dict(zip("kdblh", WOOD, strict=True))
    bone = dict(zip("kdblh", BONE, strict=True))
    wood = {letter: mix(color, dim, 0.42) for letter, color in wood.items()}
    bone = {letter: mix(color, dim, 0.48) for letter, color in bone.items()}
    for left in (20, 37, 444):
        art.stamp((left, FLOOR - 16), BARREL, wood, seam=BACK.line)
    art.stamp((29, FLOOR - 31), BARREL, wood, seam=BACK.line)
    art.stamp((228, FLOOR - 6), BONES, bone, seam=BACK.line)
    art.stamp((222, FLOOR - 8), SKULL, bone, seam=BACK.line)
    art.stamp((430, FLOOR - 8), SKULL, bone, seam=BACK.line)


def chain(art: Canvas, left: int, bottom: int) -> None:
    """Hang a chain with a shackle from the dark above."""
    for y in range(bottom):
        if y % 6 < 4:
            art.dot((left, y), IRON.base)
            art.dot((left + 2, y), IRON.dark)
            if y % 6 in {0, 3}:
                art.dot((left + 1, y), IRON.light)
        else:
            art.dot((left + 1, y), IRON.light)
    art.ball((left + 1.5, bottom + 3.5), (4.0, 4.0), IRON)
    art.ball((left + 1.5, bottom + 3.5), (2.0, 2.0), Ramp(*([BACK.line] * 5)))


def torch(art: Canvas, center: Cell) -> None:
    """Fix a burning torch in an iron bracket."""
    x, y = center
    colors = {
        "f": rgb("f0702c"),
        "y": rgb("ffc048"),
        "w": rgb("fff4c0"),
        "k": IRON.line,
        "i": IRON.dark,
        "I": IRON.base,
        "J": IRON.shine,
        "d": WOOD.light,
        "D": WOOD.base,
    }
    art.stamp((x - 4, y - 9), FLAME, colors)


def moss(art: Canvas, left: int, right: int, top: int, seed: int) -> None:
    """Let moss grow along an edge and drip from it."""
    for x in range(left, right):
        patch = noise(x // 9, top, seed)
        if patch < 0.52:
            continue
        deep = 1 + int(noise(x, top, seed + 1) ** 2 * 7 * patch)
        for y in range(deep):
            tone = MOSS.light if y == 0 else MOSS.base if y < deep - 1 else MOSS.dark
            art.dot((x, top + y), MOSS.shine if y == 0 and noise(x, 3, seed) > 0.8 else tone)
        if noise(x, top, seed + 2) > 0.72:
            art.dot((x, top - 1), MOSS.base)


def ledge(art: Canvas, box: Box) -> None:
    """Draw a stone shelf with a plank top on posts and braces."""
    left, top, wide, high = box
    for x in (left + 20, left + wide - 28):
        for y in range(top + high, FLOOR):
            for dx in range(8):
                tone = (0, 3, 2, 2, 1, 2, 1, 0)[dx]
                tone = 1 if tone == 2 and noise(x + dx, y // 7, 4) > 0.7 else tone
                art.dot((x + dx, y), mix(WOOD[tone], BACK.dark, 0.45))
        for y in (top + high + 14, FLOOR - 16):
            art.rect((x - 1, y), (10, 4), mix(IRON.dark, BACK.dark, 0.2))
            art.rect((x - 1, y), (10, 1), mix(IRON.light, BACK.dark, 0.3))
        for step in range(18):
            for thick in range(4):
                color = mix(WOOD[(3, 2, 1, 0)[thick]], BACK.dark, 0.35)
                art.dot((x + 8 + step, top + high + 18 - step + thick), color)
                art.dot((x - 1 - step, top + high + 18 - step + thick), color)
    courses(art, (left, top + 3, wide, high - 3), (18, 7), STONE, seed=31)
    for x in range(wide):
        seam = x % 22 == 21
        art.dot((left + x, top), WOOD.base if seam else PAVE.shine)
        art.dot((left + x, top + 1), WOOD.line if seam else PAVE.light)
        art.dot((left + x, top + 2), STONE.line)
    for y in range(high):
        art.dot((left, top + y), STONE.light)
        art.dot((left + wide - 1, top + y), STONE.line)
    art.rect((left, top + high - 1), (wide, 1), STONE.line)
    shade(art, (left, top + high, wide, 10), NIGHT, (0.55, 0.0))
    moss(art, left, left + wide, top + 1, 61 + left)


def floor(art: Canvas) -> None:
    """Lay the flagstones, with a bright worn edge to stand on."""
    courses(art, (0, FLOOR, WIDE, HIGH - FLOOR), (30, 10), PAVE, seed=41)
    for x in range(WIDE):
        chip = noise(x // 3, FLOOR, 8) > 0.85
        art.dot((x, FLOOR), PAVE.light if chip else PAVE.shine)
        art.blend((x, FLOOR + 1), PAVE.light, 0.5)
    shade(art, (0, FLOOR + 6, WIDE, HIGH - FLOOR - 6), NIGHT, (0.0, 0.5))
    moss(art, WALL, WIDE - WALL, FLOOR + 1, 71)


def draw() -> list[Canvas]:
    """Draw the dungeon from the back wall to the floor."""
    art = Canvas(WIDE, HIGH)
    courses(art, (0, 0, WIDE, HIGH), (22, 11), BACK, seed=2)
    window(art, 164, 84, moon=False)
    window(art, 288, 84, moon=True)
    for left in PILLARS:
        pillar(art, left)
    for left in (76, 379):
        banner(art, left, 96)
    for start, seed in (((210, 170), 3), ((96, 250), 5), ((300, 40), 8), ((390, 60), 9)):
        crack(art, start, 34, (BACK.line, BACK.shine), seed)
    for left, bottom in ((216, 60), (262, 84), (112, 40), (361, 52)):
        chain(art, left, bottom)
    shade(art, (0, 0, WIDE, 150), NIGHT, (0.72, 0.0))
    shade(art, (0, 240, WIDE, 60), NIGHT, (0.0, 0.35))
    moss(art, WALL, WIDE - WALL, FLOOR - 3, 51)
    clutter(art)
    for center in TORCHES:
        glow(art, center, (78, 82), FIRE, 0.26)
        glow(art, center, (30, 32), rgb("ffc860"), 0.28)
    for box in LEDGES:
        ledge(art, box)
    for center in TORCHES:
        torch(art, center)
    for left in (0, WIDE - WALL):
        courses(art, (left, 0, WALL, FLOOR), (16, 15), STONE, seed=17 + left)
        shade(art, (left, 0, WALL, 120), NIGHT, (0.6, 0.0))
    for y in range(FLOOR):
        art.dot((WALL - 1, y), STONE.line)
        art.dot((WIDE - WALL, y), STONE.line)
    floor(art)
    return [art]
