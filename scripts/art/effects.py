"""Small animations that are not monsters: the dust puff and the star spark."""

import math

from .pixels import Canvas, dither, mix, ramp, rgb

DUST = ramp("4a4456 7c7488 aaa2b0 d4cdd2 f6f1ec")
GOLD = (rgb("fffbe0"), rgb("ffe27a"), rgb("f4a83c"), rgb("b8582c"))

# Angle in degrees, distance of the drift and size for each lobe of the cloud.
LOBES = (
    (200, 7.2, 4.2),
    (335, 7.0, 4.0),
    (255, 6.6, 4.6),
    (300, 6.8, 4.4),
    (160, 6.0, 3.6),
    (20, 6.2, 3.8),
    (90, 3.0, 4.2),
)
PUFF = ((0.25, 0.62), (0.72, 0.94), (0.84, 1.04), (0.98, 0.88), (1.1, 0.62), (1.2, 0.36))

SPARKS = (
    (
        "...b....",
        "...y....",
        "..bwb...",
        "bywwwyb.",
        "..bwb...",
        "...y....",
        "...b....",
        "........",
    ),
    (
        "...o....",
        "o..y..o.",
        ".y.w.y..",
        "..wwwy..",
        "oywwwwyo",
        "..ywy...",
        ".y.w.y..",
        "o..o..o.",
    ),
    (
        "...b....",
        "...o..o.",
        ".o.y....",
        "...y....",
        "boyywyob",
        "...y....",
        ".o.y.o..",
        "...b....",
    ),
    (
        "...b....",
        "......b.",
        "........",
        "b..o...b",
        "........",
        "........",
        ".b...b..",
        "...b....",
    ),
)


def puff() -> list[Canvas]:
    """Draw a dust cloud that bursts, drifts outwards, hollows out and fades."""
    done = []
    for index, (spread, size) in enumerate(PUFF):
        art = Canvas(24, 24)
        for angle, far, wide in LOBES:
            x = 12 + math.cos(math.radians(angle)) * far * spread
            y = 13 + math.sin(math.radians(angle)) * far * spread - index * 0.5
            art.ball((x, y), (wide * size, wide * size * 0.92), DUST, seam=size < 0.9)
        art.outline(DUST.line)
        if index > 1:
            for x, y in list(art.cells):
                hole = 1 - math.hypot(x - 11.5, y - 12) / (index * 2.4 + 1)
                if hole > dither((x, y)):
                    del art.cells[x, y]
        fade = 255 - max(0, index - 1) * 34
        art.cells = {
            cell: (*mix(color, DUST.light, index * 0.07)[:3], fade)
            for cell, color in art.cells.items()
        }
        done.append(art)
    return done


def spark() -> list[Canvas]:
    """Draw a star that flares and breaks into embers."""
    colors = dict(zip("wyob", GOLD, strict=True))
    done = []
    for rows in SPARKS:
        art = Canvas(8, 8)
        art.stamp((0, 0), rows, colors)
        done.append(art)
    return done
