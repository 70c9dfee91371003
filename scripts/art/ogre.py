"""The ogre: a huge ochre glutton with a bare belly, one horn and tiny eyes."""

from typing import NamedTuple

from .pixels import Canvas, Point, Ramp, ramp, rgb

SKIN = ramp("4c2418 94522e cc8a4c eab878 fce0ac")
FAR = ramp("4c2418 7c4428 aa6c3c cc8a4c eab878")
FUR = ramp("24180f 443020 6c4e34 9c7850 c8a878")
HORN = ramp("3c2c20 7c6444 b89c6c e4d0a0 fff6da")
INK = rgb("180d0c")

COLORS = {
    "o": SKIN.line,
    "d": SKIN.dark,
    "b": SKIN.base,
    "l": SKIN.light,
    "h": SKIN.shine,
    "1": HORN.dark,
    "2": HORN.base,
    "3": HORN.light,
    "4": HORN.shine,
    "k": rgb("2c1a16"),
    "p": rgb("d4786c"),
    "y": rgb("fff2c4"),
    "x": rgb("140a0a"),
    "r": rgb("541a20"),
    "R": rgb("b84a50"),
    "w": rgb("fff4d8"),
    "f": FUR.line,
    "g": FUR.dark,
    "G": FUR.base,
    "m": FUR.light,
    "M": FUR.shine,
}

HEAD = (
    ".........43.....",
    "........442.....",
    "........432.....",
    ".......4332.....",
    ".......3321.....",
    "....bllo321obb..",
    "...bllhlloolllb.",
    "..bllhhllllllbb.",
    ".bbllhllllllllb.",
    "dlbllbooolllooob",
    "ldbblbdyxobbyxob",
    "ldbbbbbddbllbddb",
    ".dddbbppbllhlbpb",
    "..ddbbpbblllldbd",
    "..dwbbbbbdoodbwd",
    "..bwworrrrrrrwwb",
    "..bbbbboooooobbb",
    "..dbbllllllllbbd",
    "...ddbbllllbbdd.",
    ".....dddddddd...",
)

HURT = (
    *HEAD[:9],
    "dlblloblllloblbb",
    "ldbblboobboobbbb",
    "ldbbbobbbllbobbb",
    ".dddbbppbllhlbpb",
    "..ddbbpbblllldbd",
    "..dwborrrrrrrowd",
    "..bwworrwrrwrwwb",
    "..bbbborRRRrrobb",
    "..dbbloorrroobbd",
    "...ddbbllllbbdd.",
    ".....dddddddd...",
)

LOIN = (
    ".mGmmGmMmmGmmGmGG.",
    "gGmGmGGmGmmGGmGmGg",
    ".gGgGmgGmGgGmGgGg.",
    "..g.gGmgGGmgGgG.g.",
    "......gGgGmGg.g...",
    ".......g.gGg......",
    "..........g.......",
)


class Pose(NamedTuple):
    """Where one frame's movable parts go, in cells."""

    lift: int
    near_foot: Point
    far_foot: Point
    near_arm: tuple[Point, Point]
    far_arm: tuple[Point, Point]
    lean: int = 0
    hurt: bool = False


POSES = (
    Pose(0, (12, 36.2), (25.5, 35.8), ((5.5, 23.5), (8.0, 30.0)), ((34.0, 21.5), (34.5, 28.0))),
    Pose(-1, (17, 36.2), (22.5, 34.4), ((4.5, 22.5), (4.5, 29.0)), ((34.5, 21.0), (35.0, 26.0))),
    Pose(-1, (11, 35.8), (28.5, 35.4), ((3.8, 17.0), (4.5, 8.5)), ((35.0, 16.0), (35.8, 8.5)), 1),
    Pose(
        1,
        (11, 36.2),
        (26.5, 36.2),
        ((5.0, 26.0), (13.0, 28.0)),
        ((34.5, 19.0), (35.0, 13.0)),
        -1,
        hurt=True,
    ),
)


def fist(art: Canvas, hand: Point, tones: Ramp, *, low: bool) -> None:
    """Draw a closed hand with its finger creases, held low or raised."""
    art.ball(hand, (3.7, 3.3), tones)
    x, y = int(hand[0]), int(hand[1])
    for dx in (-1, 1):
        art.dot((x + dx, y + (1 if low else -2)), tones.line)
        art.dot((x + dx, y + (2 if low else -1)), tones.line)


def leg(art: Canvas, hip: Point, foot: Point, *, near: bool) -> None:
    """Draw a thick leg with a broad, pale-nailed foot."""
    tones = SKIN if near else FAR
    art.limb([hip, foot], [4.2, 3.2], tones)
    art.ball((foot[0] + 1.5, foot[1] + 0.8), (4.8, 2.2), tones)
    for toe in (2, 4):
        art.dot((int(foot[0]) + toe, int(foot[1]) + 1), HORN.shine)


def draw(pose: Pose) -> Canvas:
    """Draw the ogre in one pose."""
    art = Canvas(40, 40)
    x, y = 18.5 + pose.lean, 24.0 + pose.lift
    art.limb([(x + 9, y - 6), *pose.far_arm], [3.4, 2.6, 3.4], FAR)
    fist(art, pose.far_arm[1], FAR, low=pose.far_arm[1][1] > y - 4)
    leg(art, (x + 5, y + 6), pose.far_foot, near=False)
    leg(art, (x - 5, y + 6), pose.near_foot, near=True)
    art.ball((x, y - 3), (11.0, 8.0), SKIN)
    art.ball((x + 1, y + 1.5), (11.2, 8.2), SKIN, seam=False)
    art.stamp((int(x) - 8, int(y) + 6), LOIN, COLORS, seam=SKIN.line)
    art.dot((int(x) + 4, int(y) + 3), SKIN.line)
    art.dot((int(x) + 4, int(y) + 4), SKIN.dark)
    head = HURT if pose.hurt else HEAD
    art.stamp((12 + pose.lean, 2 + pose.lift), head, COLORS, seam=SKIN.line)
    art.limb([(x - 9, y - 6), *pose.near_arm], [3.8, 2.8, 3.6], SKIN)
    fist(art, pose.near_arm[1], SKIN, low=pose.near_arm[1][1] > y - 4)
    return art


def frames() -> list[Canvas]:
    """Draw stand, step, slam and hurt."""
    done = []
    for pose in POSES:
        art = draw(pose)
        if pose.hurt:
            art.tint(rgb("ffe4d8"), 0.3)
        art.outline(INK)
        done.append(art)
    return done
