"""The troll: a lanky teal swamp dweller with a great nose, long arms and mossy hair."""

from typing import NamedTuple

from .pixels import Canvas, Point, ramp, rgb

SKIN = ramp("14303c 2a5666 4a8a94 7cbcb8 b8e8d8")
FAR = ramp("14303c 20444f 386c78 4a8a94 7cbcb8")
MOSS = ramp("1c2c10 34501c 5a7c28 8cac3c c4d868")
RAG = ramp("2c1c18 50382c 7c5a40 a88058 ccaa7c")
INK = rgb("0c1218")

COLORS = {
    "o": SKIN.line,
    "d": SKIN.dark,
    "b": SKIN.base,
    "l": SKIN.light,
    "h": SKIN.shine,
    "g": MOSS.dark,
    "G": MOSS.base,
    "m": MOSS.light,
    "M": MOSS.shine,
    "p": rgb("b8707c"),
    "P": rgb("8a4c5e"),
    "y": rgb("ffd84c"),
    "Y": rgb("fff6b0"),
    "x": rgb("101418"),
    "w": rgb("f4f0d8"),
    "r": rgb("48182c"),
    "R": rgb("c05060"),
}

HEAD = (
    "....M.m..M.......",
    "..m.mMGmmG.......",
    "..GmGmmGmmMG.....",
    ".gGmGmGGmGmGm....",
    ".GgGmGlhlGmlG....",
    "dgGgGlhlllllb....",
    "pdgGblloooloo....",
    "dpdGblYyobYyo....",
    ".dPdbbyxdbyxhl...",
    ".gddbbbblllhhhlb.",
    ".gGddbbbdbllllllb",
    "..ggddbbbdobbbllb",
    "..gGddrrrrrrwobbb",
    "...gGdbwblbbb.odd",
    "...gGgddbbbb.....",
    "....g.gddd.......",
)

HURT = (
    *HEAD[:6],
    "pdgGbllollloo....",
    "dpdGblloobol.....",
    ".dPdbboolboohl...",
    ".gddbbbblllhhhlb.",
    ".gGddbbbdbllllllb",
    "..ggddrrrdobbbllb",
    "..gGddrwrrrwobbbb",
    "...gGdrRRrrbb.odd",
    "...gGgdrrrbb.....",
    "....g.gddd.......",
)

RAGS = (
    "lbllblbb.",
    "bblbbdbbd",
    "bdbbbbdbd",
    ".bdb.bbd.",
    ".d.b..d..",
)

TUFT = (
    ".mMm..",
    "mMGmG.",
    "GmGgmG",
    ".gGgG.",
    "..g.g.",
)


class Pose(NamedTuple):
    """Where one frame's movable parts go, in cells."""

    lift: int
    near_leg: tuple[Point, Point]
    far_leg: tuple[Point, Point]
    near_arm: tuple[Point, Point]
    far_arm: tuple[Point, Point]
    lean: int = 0
    hurt: bool = False


POSES = (
    Pose(
        0,
        ((9.5, 24.5), (10.5, 28.8)),
        ((17.0, 24.0), (16.5, 28.6)),
        ((7.0, 21.0), (10.5, 26.0)),
        ((21.0, 20.0), (22.5, 25.0)),
    ),
    Pose(
        -1,
        ((15.5, 24.0), (17.0, 28.8)),
        ((11.5, 25.0), (7.5, 27.6)),
        ((6.0, 19.0), (4.0, 24.5)),
        ((21.0, 20.0), (25.5, 23.0)),
    ),
    Pose(
        -1,
        ((9.0, 23.5), (6.5, 28.0)),
        ((18.5, 22.0), (18.0, 26.8)),
        ((13.5, 21.0), (23.0, 22.5)),
        ((22.0, 18.5), (28.0, 15.5)),
        1,
    ),
    Pose(
        0,
        ((9.5, 25.0), (10.5, 28.8)),
        ((17.5, 24.5), (19.0, 28.6)),
        ((3.5, 18.5), (3.0, 12.0)),
        ((20.5, 21.5), (26.0, 23.0)),
        -2,
        hurt=True,
    ),
)


def claws(art: Canvas, hand: Point) -> None:
    """Set three pale claws on a hand."""
    x, y = int(hand[0]), int(hand[1])
    for dx, dy in ((-1, 2), (1, 2), (2, 1)):
        art.dot((x + dx, y + dy), COLORS["w"])


def draw(pose: Pose) -> Canvas:
    """Draw the troll in one pose."""
    art = Canvas(32, 32)
    x, y = 12.0 + pose.lean, 18.0 + pose.lift
    art.limb([(x + 4, y - 2), *pose.far_arm], [1.6, 1.3, 1.9], FAR)
    claws(art, pose.far_arm[1])
    art.limb([(x + 2, y + 3), *pose.far_leg], [2.0, 1.5, 1.3], FAR)
    foot = pose.far_leg[1]
    art.ball((foot[0] + 1.2, foot[1] + 0.4), (3.0, 1.5), FAR)
    art.limb([(x - 1, y + 3), *pose.near_leg], [2.2, 1.7, 1.4], SKIN)
    foot = pose.near_leg[1]
    art.ball((foot[0] + 1.2, foot[1] + 0.4), (3.2, 1.7), SKIN)
    art.limb([(x + 1.5, y - 3), (x, y + 3)], [4.0, 3.2], SKIN)
    art.stamp((int(x) - 4, int(y) + 2), RAGS, {"d": RAG.dark, "b": RAG.base, "l": RAG.light})
    head = HURT if pose.hurt else HEAD
    art.stamp((9 + pose.lean, 2 + pose.lift), head, COLORS, seam=SKIN.line)
    art.limb([(x - 3, y - 2.5), *pose.near_arm], [1.9, 1.5, 2.1], SKIN)
    claws(art, pose.near_arm[1])
    art.stamp((int(x) - 6, int(y) - 6), TUFT, COLORS)
    return art


def frames() -> list[Canvas]:
    """Draw stand, step, grab and hurt."""
    done = []
    for pose in POSES:
        art = draw(pose)
        if pose.hurt:
            art.tint(rgb("ffe4d8"), 0.3)
        art.outline(INK)
        done.append(art)
    return done
