"""What the fountain throws: cubes, gems and crates, solid bodies seen as they tumble."""

import math
from typing import NamedTuple

from .pixels import LIGHT, Canvas, Color, Ramp, mix, ramp, rgb

Vector = tuple[float, float, float]
Layer = tuple[float, Vector, Vector]  # how deep, the face's normal, the same before it tumbled

SIZE, FRAMES = 16, 12
CUBES = (
    ramp("4a1420 a02838 dc4c4c f88468 ffd0b0"),
    ramp("4a2c10 b06018 ec9c2c ffcc50 fff0a8"),
    ramp("103c24 208048 40b85c 84e07c d8ffb8"),
    ramp("0c3048 1c6490 3c9cd0 7cd0f0 d4f8ff"),
    ramp("241c58 4c3ca8 7c68e0 a89cf8 e4dcff"),
    ramp("481440 983480 d85cac f890cc ffd4ec"),
)
GEMS = (
    ramp("0c3440 148090 2cc4c8 84f0e8 f4ffff"),
    ramp("381048 7828a0 b850dc e094fc fcecff"),
    ramp("481818 b02c48 f05074 ff98a4 fff0f0"),
    ramp("143c10 3c9020 74d038 b8f478 f8fff0"),
)
WOOD = ramp("2c180c 6c4420 a87038 d09c58 f0cc90")
INK = rgb("140c1c")

DIAGONAL = 1 / math.sqrt(3)


class Solid(NamedTuple):
    """A convex body: where its faces are, what it turns around, and after how far it repeats."""

    normals: tuple[Vector, ...]
    reach: float  # cells from the middle to each face
    axis: Vector
    period: float  # degrees


CUBE = Solid(
    ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)),
    4.1,
    (-DIAGONAL, DIAGONAL, DIAGONAL),
    120,
)
GEM = Solid(
    tuple(
        (x * DIAGONAL, y * DIAGONAL, z * DIAGONAL)
        for x in (1, -1)
        for y in (1, -1)
        for z in (1, -1)
    ),
    4.2,
    (0, 1, 0),
    90,
)


def cross(a: Vector, b: Vector) -> Vector:
    """Give the vector that stands on both."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Vector, b: Vector) -> float:
    """Give how far two vectors go the same way."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned(vector: Vector, axis: Vector, degrees: float) -> Vector:
    """Turn a vector around an axis (Rodrigues' formula)."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    across, along = cross(axis, vector), dot(axis, vector) * (1 - cosine)
    x, y, z = (
        v * cosine + c * sine + k * along for v, c, k in zip(vector, across, axis, strict=True)
    )
    return x, y, z


def tilted(vector: Vector) -> Vector:
    """Look at the solid from above and from the side."""
    return turned(turned(vector, (0, 1, 0), 24), (1, 0, 0), 28)


def boards(place: Vector, normal: Vector, reach: float) -> int:
    """Give by how many tones a place on a crate is lighter: the frame is, the brace is darker."""
    u, v = (p / reach for p, n in zip(place, normal, strict=True) if abs(n) < 0.5)
    if max(abs(u), abs(v)) > 0.66:
        return 1
    return 0 if abs(u - v) < 0.3 else -1


def draw(solid: Solid, tones: Ramp, degrees: float, *, wooden: bool = False) -> Canvas:
    """Draw a solid that has tumbled so far: for each cell, the face that is nearest there."""
    art = Canvas(SIZE, SIZE)
    axis = tilted(solid.axis)
    faces = [(turned(tilted(n), axis, degrees), n) for n in solid.normals]
    for y in range(SIZE):
        for x in range(SIZE):
            u, v = x + 0.5 - SIZE / 2, y + 0.5 - SIZE / 2
            # A ray into the picture enters through the nearest face that looks at us, and leaves
            # through the first of those that look away.
            front: list[Layer] = []
            back: list[Layer] = []
            for normal, upright in faces:
                # A face seen edge on would be infinitely deep: as good as one that isn't quite.
                slope = normal[2] if abs(normal[2]) > 0.001 else 0.001
                depth = (solid.reach - normal[0] * u - normal[1] * v) / slope
                (front if slope > 0 else back).append((depth, normal, upright))
            front.sort()
            depth, normal, upright = front[0]
            if depth < max(back)[0]:
                continue
            tone = tone_of(normal)
            if wooden:
                flat = turned((u, v, depth), axis, -degrees)
                place = turned(turned(flat, (1, 0, 0), -28), (0, 1, 0), -24)
                tone = max(0, tone + boards(place, upright, solid.reach))
            elif len(front) > 1 and front[1][0] - depth < 0.9:
                tone = min(4, tone + 1)  # an edge catches the light
            art.dot((x, y), shaded(tones, tone, normal))
    art.outline(INK)
    return art


def tone_of(normal: Vector) -> int:
    """Choose the tone of a face by where it looks."""
    glow = dot(normal, LIGHT)
    return 1 if glow < 0.3 else 2 if glow < 0.66 else 3


def shaded(tones: Ramp, tone: int, normal: Vector) -> Color:
    """Give a tone a little more or less light, so that faces change softly as they turn."""
    return mix(tones[tone], tones[4], max(0.0, dot(normal, LIGHT) - 0.8))


def frames(solid: Solid, tones: Ramp, *, wooden: bool = False) -> list[Canvas]:
    """Draw one period of tumbling."""
    step = solid.period / FRAMES
    return [draw(solid, tones, step * number, wooden=wooden) for number in range(FRAMES)]


def cubes() -> list[Canvas]:
    """Draw cubes, colour after colour."""
    return [art for tones in CUBES for art in frames(CUBE, tones)]


def gems() -> list[Canvas]:
    """Draw gems of eight faces, colour after colour."""
    return [art for tones in GEMS for art in frames(GEM, tones)]


def crate() -> list[Canvas]:
    """Draw a crate of boards."""
    return frames(CUBE, WOOD, wooden=True)
