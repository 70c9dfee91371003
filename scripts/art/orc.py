"""The orc: a stocky green brawler with a topknot, tusks and a spiked club."""

from typing import NamedTuple

from .pixels import Canvas, Point, ramp, rgb

SKIN = ramp("1f3a1c 35702c 55a03a 86c84e c4ea7c")
HIDE = ramp("2a160e 55301a 84502a ad7438 d6a256")
WOOD = ramp("2c1a14 553322 7d5132 a87646 d2a86c")
STEEL = ramp("20242e 4a5264 7e8a9c b4c0cc f0f6fa")
INK = rgb("140f14")

COLORS = {
    "o": SKIN.line,
    "d": SKIN.dark,
    "b": SKIN.base,
    "l": SKIN.light,
    "h": SKIN.shine,
    "k": rgb("2b2030"),
    "K": rgb("55405c"),
    "r": rgb("c2402c"),
    "y": rgb("ffe45c"),
    "x": rgb("1a0e10"),
    "w": rgb("fff6dc"),
    "W": rgb("cbb58e"),
    "m": rgb("4a1420"),
}

HEAD = (
    "....Kkk......",
    "...KkkkK.....",
    "....rrk......",
    "...bllllbb...",
    "d.blhhlllllb.",
    "ldbbooolloooo",
    "bldbbyxoblyxo",
    ".bddbbbblllbb",
    "..ddbbbblhlbb",
    "..ddbwobdodwb",
    "...ddwmmmmmwb",
    "....dWbllbbW.",
    ".....dddbbb..",
)

# The same head hurt: eyes squeezed into chevrons, mouth wide open.
HURT = (
    *HEAD[:5],
    "ldbbxbblbbxbb",
    "bldbbxxllxxbb",
    ".bddxbbllbbxb",
    "..ddbbbblhlbb",
    "..ddbwmmmmwbb",
    "...ddwmmmmwbb",
    "....dWmrrmW..",
    ".....dddbbb..",
)


BELT = (
    ".kkkkWyWkkk",
    "..KKKWWWKK.",
)


class Pose(NamedTuple):
    """Where one frame's movable parts go, in cells."""

    lift: int
    near_foot: Point
    far_foot: Point
    near_hand: Point
    club_hand: Point
    club_tip: Point
    lean: int = 0
    hurt: bool = False


POSES = (
    Pose(0, (8.5, 21), (14.5, 20.8), (6.0, 18.5), (18.0, 17.5), (20.8, 9.5)),
    Pose(-1, (12.5, 21), (7.5, 19.6), (4.5, 17.5), (18.5, 16.5), (21.0, 8.0)),
    Pose(-1, (6.5, 20.5), (15.5, 19.2), (3.5, 14.5), (18.5, 17.0), (21.0, 20.5), 1),
    Pose(1, (8.0, 21), (14.5, 20.8), (3.6, 12.0), (18.8, 15.0), (21.0, 20.6), -1, hurt=True),
)


def boot(art: Canvas, hip: Point, foot: Point) -> None:
    """Draw a short leg in a leather boot."""
    art.limb([hip, foot], [2.2, 1.8], SKIN)
    art.ball((foot[0] + 0.8, foot[1] + 0.4), (2.7, 1.6), HIDE)


def club(art: Canvas, hand: Point, tip: Point) -> None:
    """Draw the studded club with the fist around its handle."""
    art.limb([hand, tip], [0.9, 2.2], WOOD)
    x, y = int(tip[0]), int(tip[1])
    art.dot((x, y - 1), STEEL.shine)
    art.dot((x + 1, y + 1), STEEL.light)
    art.dot((x - 1, y + 1), STEEL.light)
    art.ball(hand, (1.7, 1.7), SKIN)


def draw(pose: Pose) -> Canvas:
    """Draw the orc in one pose."""
    art = Canvas(24, 24)
    x, y = 11.0 + pose.lean, 16.2 + pose.lift
    boot(art, (x + 2, y + 2), pose.far_foot)
    boot(art, (x - 2, y + 2), pose.near_foot)
    art.limb([(x + 3, y - 1), pose.club_hand], [1.7, 1.5], SKIN)
    art.ball((x, y), (5.4, 4.4), HIDE)
    art.stamp((int(x) - 5, int(y) + 1), BELT, COLORS)
    art.line((x + 1, y - 2), (x + 2, y + 0.4), HIDE.line)
    club(art, pose.club_hand, pose.club_tip)
    head = HURT if pose.hurt else HEAD
    art.stamp((6 + pose.lean, 2 + pose.lift), head, COLORS, seam=SKIN.line)
    art.limb([(x - 4, y - 1), pose.near_hand], [1.6, 1.7], SKIN)
    art.ball((x - 4, y - 2), (2.4, 2.0), STEEL)
    art.dot((int(x) - 5, int(y) - 5), STEEL.shine)
    return art


def frames() -> list[Canvas]:
    """Draw stand, step, swing and hurt."""
    done = []
    for pose in POSES:
        art = draw(pose)
        if pose.hurt:
            art.tint(rgb("ffe4d8"), 0.3)
        art.outline(INK)
        done.append(art)
    return done
