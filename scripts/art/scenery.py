"""Brushes that both arenas share: blocks, slabs, glows and the arena's measures."""

import math
from collections.abc import Sequence

from .pixels import Canvas, Cell, Color, Ramp, dither, mix, noise, ramp, rgb

WIDE, HIGH = 480, 320
WALL, FLOOR = 16, 300
Box = tuple[int, int, int, int]


def speck(color: Color, cell: Cell, amount: float, seed: int = 0) -> Color:
    """Roughen a colour a little, differently in every cell."""
    swing = (noise(cell[0], cell[1], seed) - 0.5) * 2 * amount
    return mix(color, (255, 255, 255, 255) if swing > 0 else (0, 0, 0, 255), abs(swing))


def block(art: Canvas, box: Box, tones: Ramp, *, seed: int = 0) -> None:
    """Draw one stone with a mortar line, a lit rim, a shaded rim and chipped corners."""
    left, top, wide, high = box
    body = mix(tones.base, tones.dark, noise(left, top, seed + 7) * 0.6)
    body = mix(body, tones.light, max(0.0, noise(left, top, seed + 3) - 0.72))
    for y in range(high):
        for x in range(wide):
            cell = (left + x, top + y)
            if x == wide - 1 or y == high - 1:
                color = tones.line
            elif y == 0 or (x == 0 and y < high - 2):
                color = mix(body, tones.light, 0.6)
            elif y == high - 2 or x == wide - 2:
                color = mix(body, tones.dark, 0.7)
            else:
                rough = noise(cell[0] // 2, cell[1], seed)
                color = mix(body, tones.dark, 0.5) if rough > 0.86 else body
                color = mix(body, tones.light, 0.35) if rough < 0.08 else color
            art.dot(cell, color)
    for x, y in ((0, 0), (wide - 2, 0), (0, high - 2), (wide - 2, high - 2)):
        if noise(left + x, top + y, seed + 11) > 0.6:
            art.dot((left + x, top + y), tones.line)


def courses(art: Canvas, area: Box, size: Cell, tones: Ramp, *, seed: int = 0) -> None:
    """Fill an area with staggered rows of stones of uneven length."""
    left, top, wide, high = area
    for row, y in enumerate(range(top, top + high, size[1])):
        x = left - int(noise(row, 5, seed) * size[0])
        while x < left + wide:
            long = size[0] + int((noise(x, y, seed + 1) - 0.5) * size[0] * 0.7)
            start, stop = max(left, x), min(left + wide, x + long)
            if stop - start > 1:
                block(art, (start, y, stop - start, min(size[1], top + high - y)), tones, seed=seed)
            x += long


def glow(art: Canvas, center: Cell, radii: Cell, color: Color, strength: float) -> None:
    """Warm a round area in dithered bands, strongest in the middle."""
    bands = 6
    for y in range(center[1] - radii[1], center[1] + radii[1] + 1):
        for x in range(center[0] - radii[0], center[0] + radii[0] + 1):
            far = math.hypot((x - center[0]) / radii[0], (y - center[1]) / radii[1])
            if far < 1:
                level = math.floor((1 - far) * bands + dither((x, y))) / bands
                art.blend((x, y), color, level * strength)


def shade(art: Canvas, area: Box, color: Color, span: tuple[float, float]) -> None:
    """Darken an area from top share to bottom share in dithered bands."""
    left, top, wide, high = area
    bands = 10
    for y in range(top, top + high):
        share = span[0] + (span[1] - span[0]) * (y - top) / max(1, high - 1)
        for x in range(left, left + wide):
            level = math.floor(share * bands + dither((x, y))) / bands
            art.blend((x, y), color, level)


def crack(art: Canvas, start: Cell, length: int, colors: tuple[Color, Color], seed: int) -> None:
    """Draw a crack that wanders downwards, with a lit lip on its right."""
    x, y = start
    for step in range(length):
        art.blend((x, y), colors[0], 0.9)
        art.blend((x + 1, y), colors[1], 0.4)
        turn = noise(step, seed, 17)
        if turn < 0.7:
            y += 1
        if turn > 0.45:
            x += 1 if noise(step // 4, seed, 23) > 0.5 else -1


def sky(art: Canvas, colors: Sequence[Color], horizon: int, *, stars: int) -> None:
    """Paint the sky in dithered bands down to the horizon, with stars above a height."""
    for y in range(art.height):
        level = min(1.0, y / horizon) * (len(colors) - 1)
        for x in range(art.width):
            art.dot((x, y), colors[min(len(colors) - 1, math.floor(level + dither((x, y))))])
            if y < stars and noise(x, y, 5) > 0.9975 - 0.004 * max(0, 60 - y) / 60:
                art.blend((x, y), rgb("fff4e0"), 0.3 + 0.6 * noise(x, y, 6))


def moon(art: Canvas, center: Cell) -> None:
    """Draw a full moon with its seas, in a faint glow."""
    x, y = center
    glow(art, center, (54, 54), rgb("c8a8e0"), 0.25)
    art.ball(center, (17, 17), ramp("b0a4d0 d8cce4 f0e8f0 fff8ec ffffff"), seam=False)
    for dx, dy, wide in ((-6, -4, 4), (6, 6, 3), (2, -8, 2), (-4, 8, 2)):
        tones = ramp("ccc0dc d0c4e0 d8cce4 d8cce4 d8cce4")
        art.ball((x + dx, y + dy), (wide, wide * 0.8), tones, seam=False)
