"""A sparse pixel canvas: lit solid shapes, ASCII stamps and outlines for pixel art."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import pygame

Color: TypeAlias = tuple[int, int, int, int]
Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]
Mask: TypeAlias = dict[Cell, int]

# The light stands up and to the left, a little in front of the picture.
LIGHT = (-0.50, -0.68, 0.54)
AROUND: tuple[Cell, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))
BAYER = ((0, 8, 2, 10), (12, 4, 14, 6), (3, 11, 1, 9), (15, 7, 13, 5))


class Ramp(NamedTuple):
    """Five tones of one material, from its contour line to its brightest spot."""

    line: Color
    dark: Color
    base: Color
    light: Color
    shine: Color


def rgb(code: str, alpha: int = 255) -> Color:
    """Turn a six-digit hex code into a colour."""
    return int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16), alpha


def ramp(codes: str) -> Ramp:
    """Build a ramp from five hex codes, darkest first."""
    return Ramp(*(rgb(code) for code in codes.split()))


def mix(first: Color, second: Color, share: float) -> Color:
    """Blend towards the second colour, keeping the first one's alpha."""
    red, green, blue = (
        round(a + (b - a) * share) for a, b in zip(first[:3], second[:3], strict=True)
    )
    return red, green, blue, first[3]


def dither(cell: Cell) -> float:
    """Give the ordered-dither threshold of a cell, from 0 up to 1."""
    return (BAYER[cell[1] % 4][cell[0] % 4] + 0.5) / 16


def noise(x: int, y: int, seed: int = 0) -> float:
    """Give a repeatable pseudo-random number from 0 up to 1 for a place."""
    value = (x * 374761393 + y * 668265263 + seed * 2246822519) & 0xFFFFFFFF
    value = ((value ^ (value >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((value ^ (value >> 16)) & 0xFFFF) / 65536


def lit(u: float, v: float) -> int:
    """Choose a ramp index for a place on a unit ball seen from the front."""
    depth = math.sqrt(max(0.0, 1.0 - u * u - v * v))
    glow = u * LIGHT[0] + v * LIGHT[1] + depth * LIGHT[2]
    if glow < 0.08:
        return 1
    if glow < 0.66:
        return 2
    return 3 if glow < 0.95 else 4


def inside(point: Point, corners: Sequence[Point]) -> bool:
    """Say whether a point lies in a polygon (even-odd rule)."""
    x, y = point
    odd = False
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            odd = not odd
    return odd


def cells_of(low: Point, high: Point) -> Iterable[Cell]:
    """List the cells of the box between two corners."""
    for y in range(math.floor(low[1]), math.ceil(high[1]) + 1):
        for x in range(math.floor(low[0]), math.ceil(high[0]) + 1):
            yield x, y


class Canvas:
    """A picture of set width and height whose unpainted cells are transparent."""

    def __init__(self, width: int, height: int) -> None:
        """Start with nothing painted."""
        self.width = width
        self.height = height
        self.cells: dict[Cell, Color] = {}

    def dot(self, cell: Cell, color: Color) -> None:
        """Paint one cell; cells outside the picture are ignored."""
        if 0 <= cell[0] < self.width and 0 <= cell[1] < self.height:
            self.cells[cell] = color

    def rect(self, corner: Cell, size: Cell, color: Color) -> None:
        """Paint a filled rectangle."""
        for y in range(corner[1], corner[1] + size[1]):
            for x in range(corner[0], corner[0] + size[0]):
                self.dot((x, y), color)

    def line(self, start: Point, end: Point, color: Color) -> None:
        """Paint a one-cell-wide straight line."""
        steps = max(1, math.ceil(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(steps + 1):
            share = step / steps
            x = start[0] + (end[0] - start[0]) * share
            y = start[1] + (end[1] - start[1]) * share
            self.dot((math.floor(x + 0.5), math.floor(y + 0.5)), color)

    def blend(self, cell: Cell, color: Color, share: float) -> None:
        """Tint one painted cell towards a colour."""
        old = self.cells.get(cell)
        if old is not None:
            self.cells[cell] = mix(old, color, max(0.0, min(1.0, share)))

    def put(self, mask: Mask, tones: Ramp, *, seam: bool = True) -> None:
        """Paint a toned mask; a seam draws its contour onto what lies beneath."""
        if seam:
            for x, y in mask:
                for dx, dy in AROUND:
                    cell = (x + dx, y + dy)
                    if cell not in mask and cell in self.cells:
                        self.cells[cell] = tones.line
        for cell, tone in mask.items():
            self.dot(cell, tones[tone])

    def ball(
        self,
        center: Point,
        radii: Point,
        tones: Ramp,
        *,
        seam: bool = True,
        tilt: float = 0.0,
    ) -> None:
        """Paint a lit ellipse, turned clockwise by a tilt in degrees."""
        cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
        reach = max(radii)
        mask: Mask = {}
        low = (center[0] - reach, center[1] - reach)
        for x, y in cells_of(low, (center[0] + reach, center[1] + reach)):
            dx, dy = x + 0.5 - center[0], y + 0.5 - center[1]
            u, v = (dx * cos + dy * sin) / radii[0], (dy * cos - dx * sin) / radii[1]
            if u * u + v * v <= 1:
                mask[x, y] = lit(u * cos - v * sin, u * sin + v * cos)
        self.put(mask, tones, seam=seam)

    def limb(
        self,
        joints: Sequence[Point],
        radii: Sequence[float],
        tones: Ramp,
        *,
        seam: bool = True,
    ) -> None:
        """Paint a lit tube through the joints, with one radius for each joint."""
        reach = max(radii)
        low = (min(x for x, _ in joints) - reach, min(y for _, y in joints) - reach)
        high = (max(x for x, _ in joints) + reach, max(y for _, y in joints) + reach)
        mask: Mask = {}
        for x, y in cells_of(low, high):
            best = (1.0, 0.0, 0.0)
            for index in range(len(joints) - 1):
                (ax, ay), (bx, by) = joints[index], joints[index + 1]
                sx, sy = bx - ax, by - ay
                along = (x + 0.5 - ax) * sx + (y + 0.5 - ay) * sy
                share = max(0.0, min(1.0, along / (sx * sx + sy * sy)))
                wide = radii[index] + (radii[index + 1] - radii[index]) * share
                u, v = (x + 0.5 - ax - sx * share) / wide, (y + 0.5 - ay - sy * share) / wide
                best = min(best, (u * u + v * v, u, v))
            if best[0] < 1:
                mask[x, y] = lit(best[1], best[2])
        self.put(mask, tones, seam=seam)

    def poly(self, corners: Sequence[Point], tones: Ramp, *, seam: bool = True) -> None:
        """Paint a polygon with a light upper-left rim and a dark lower-right rim."""
        low = (min(x for x, _ in corners), min(y for _, y in corners))
        high = (max(x for x, _ in corners), max(y for _, y in corners))
        mask: Mask = {
            cell: 2
            for cell in cells_of(low, high)
            if inside((cell[0] + 0.5, cell[1] + 0.5), corners)
        }
        for x, y in mask:
            if (x, y - 1) not in mask or (x - 1, y) not in mask:
                mask[x, y] = 3
            elif (x, y + 1) not in mask or (x + 1, y) not in mask:
                mask[x, y] = 1
        self.put(mask, tones, seam=seam)

    def stamp(
        self,
        corner: Cell,
        rows: Sequence[str],
        colors: Mapping[str, Color],
        *,
        seam: Color | None = None,
    ) -> None:
        """Paint an ASCII map, whose dots are see-through, at its top-left corner."""
        drawn = {
            (corner[0] + x, corner[1] + y): colors[letter]
            for y, row in enumerate(rows)
            for x, letter in enumerate(row)
            if letter != "."
        }
        if seam is not None:
            for x, y in drawn:
                for dx, dy in AROUND:
                    cell = (x + dx, y + dy)
                    if cell not in drawn and cell in self.cells:
                        self.cells[cell] = seam
        for cell, color in drawn.items():
            self.dot(cell, color)

    def paste(self, other: "Canvas", corner: Cell = (0, 0)) -> None:
        """Paint another picture over this one."""
        for (x, y), color in other.cells.items():
            self.dot((x + corner[0], y + corner[1]), color)

    def outline(self, color: Color) -> None:
        """Draw a contour around everything painted so far."""
        for x, y in list(self.cells):
            for dx, dy in AROUND:
                if (x + dx, y + dy) not in self.cells:
                    self.dot((x + dx, y + dy), color)

    def tint(self, color: Color, share: float) -> None:
        """Push every painted cell towards a colour."""
        for cell, old in self.cells.items():
            self.cells[cell] = mix(old, color, share)


def sheet(frames: Sequence[Canvas], scale: int) -> pygame.Surface:
    """Lay frames side by side and blow them up, keeping hard pixel edges."""
    wide, high = frames[0].width, frames[0].height
    surface = pygame.Surface((wide * len(frames) * scale, high * scale), pygame.SRCALPHA, 32)
    for index, frame in enumerate(frames):
        for (x, y), color in frame.cells.items():
            surface.fill(color, ((index * wide + x) * scale, y * scale, scale, scale))
    return surface
