"""The dragon: a crimson flyer with leathery wings, swept horns and a fiery breath."""

from typing import NamedTuple

from .pixels import Canvas, Point, Ramp, ramp, rgb

SCALE = ramp("3a0a1c 7e142a c42a34 ec5a44 ffa070")
FAR = ramp("3a0a1c 5c1024 8c1c2c b02c34 c42a34")
SKIN = ramp("3c0e20 8a2c2c c65a34 e88c48 ffc878")
FAR_SKIN = ramp("340c1c 5c1c26 84342c a44c34 c06a40")
BELLY = ramp("5c2a1c a86430 e4ac58 f8d888 fff4c4")
HORN = ramp("3c2830 7c6460 b8a48c e8dcb8 fffbe8")
INK = rgb("180810")

COLORS = {
    "o": SCALE.line,
    "d": SCALE.dark,
    "b": SCALE.base,
    "l": SCALE.light,
    "h": SCALE.shine,
    "1": HORN.dark,
    "2": HORN.base,
    "3": HORN.light,
    "4": HORN.shine,
    "c": BELLY.base,
    "C": BELLY.light,
    "D": BELLY.dark,
    "y": rgb("ffe85c"),
    "x": rgb("12060c"),
    "w": rgb("fffbe8"),
    "r": rgb("5a0c1c"),
    "R": rgb("f0846c"),
}

HEAD = (
    "43.............",
    ".431.43........",
    "..4321431......",
    "...332o321.....",
    "..dbllbo2lb....",
    ".dbllhhlbllb.b.",
    "ddblloooblhllob",
    ".dbbbyyxobllllb",
    "dddbbbyxobbbbbb",
    ".ddbbbbbbowowow",
    "..ddbbbooCcCcc.",
    "...dddbDccccD..",
)

ROAR = (
    "43.............",
    ".431.43........",
    "..4321431....b.",
    "...332o321.lbob",
    "..dbllbo2llhllb",
    ".dbllhhlbllllbb",
    "ddblloooblbbwow",
    ".dbbbyyxobowrr.",
    "dddbbbyxoorrr..",
    ".ddbbbbborRRR..",
    "..ddbbborrRRw..",
    "...dddbbocccCw.",
    ".....dddDccccb.",
    "........DDDD...",
)

FIRE = (
    ".......e..e..",
    "...e.eeffe..e",
    "....effffee..",
    "..eefffgfffe.",
    ".efffgggggffe",
    "efgggghhggffe",
    "gghhhhhhggffe",
    "ghhhhhhgggfe.",
    "efgggghhggffe",
    ".effgggggffe.",
    "..eefffffffe.",
    "....eefffe.e.",
    "......eee....",
    ".......e..e..",
)

FLAMES = {
    "e": rgb("e03818"),
    "f": rgb("ff8a20"),
    "g": rgb("ffd448"),
    "h": rgb("fffbd8"),
}


class Wing(NamedTuple):
    """One wing stroke: elbow and wrist, then the tips of three fingers."""

    elbow: Point
    wrist: Point
    tips: tuple[Point, Point, Point]


UP = Wing((-5, -10), (-9, -16), ((-20, -11), (-19, -2), (-11, 2)))
MID = Wing((-7, -7), (-15, -9), ((-20, -1), (-16, 5), (-9, 6)))
DOWN = Wing((-5, 7), (-4, 17), ((-11, 21), (-17, 16), (-17, 7)))
FAR_UP = Wing((3, -10), (2, -16), ((-8, -16), (-10, -9), (-6, -2)))
FAR_MID = Wing((2, -9), (-2, -14), ((-13, -11), (-13, -5), (-7, 0)))
FAR_DOWN = Wing((5, 6), (9, 13), ((7, 20), (2, 19), (-2, 12)))


class Pose(NamedTuple):
    """One frame: both wings, the body's rise and the tail tip."""

    near: Wing
    far: Wing
    lift: int
    tail: tuple[Point, Point]
    fire: bool = False


POSES = (
    Pose(UP, FAR_UP, 1, ((10, 32), (5, 29))),
    Pose(MID, FAR_MID, 0, ((9, 30), (5, 32))),
    Pose(DOWN, FAR_DOWN, -2, ((10, 23), (5, 17))),
    Pose(UP, FAR_UP, 1, ((9, 31), (4, 34)), fire=True),
)


def wing(art: Canvas, root: Point, shape: Wing, tones: tuple[Ramp, Ramp]) -> None:
    """Draw a wing: scalloped membrane, finger bones, then the arm and its claw."""
    bone, skin = tones

    def at(offset: Point) -> Point:
        return root[0] + offset[0], root[1] + offset[1]

    elbow, wrist = at(shape.elbow), at(shape.wrist)
    tips = [at(tip) for tip in shape.tips]
    edge: list[Point] = []
    for first, second in zip(tips, [*tips[1:], root], strict=True):
        middle = ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2)
        edge += [
            first,
            (middle[0] * 0.76 + elbow[0] * 0.24, middle[1] * 0.76 + elbow[1] * 0.24),
        ]
    art.poly([root, elbow, wrist, *edge], skin)
    for tip in tips:
        art.line(wrist, tip, skin.dark)
        art.line((wrist[0] - 1, wrist[1]), (tip[0] - 1, tip[1]), skin.light)
    art.limb([root, elbow, wrist], [2.2, 1.6, 1.3], bone)
    art.line((root[0] - 1, root[1] - 2), (elbow[0] - 1, elbow[1]), bone.light)
    for tip in tips:
        art.line(wrist, tip, bone.base)
    art.dot((int(wrist[0]) + 1, int(wrist[1]) - 1), HORN.shine)
    art.dot((int(wrist[0]) + 1, int(wrist[1]) - 2), HORN.light)


def leg(art: Canvas, joints: tuple[Point, Point, Point], tones: Ramp) -> None:
    """Draw a tucked leg ending in two claws."""
    art.limb(joints, [3.0, 1.8, 1.5], tones)
    x, y = int(joints[2][0]), int(joints[2][1])
    for dx in (0, 2):
        art.dot((x + dx, y + 2), HORN.shine)


def draw(pose: Pose) -> Canvas:
    """Draw the dragon in one pose, without its breath."""
    art = Canvas(48, 40)
    up = pose.lift
    back = -9 if pose.fire else 0
    wing(art, (25, 18 + up), pose.far, (FAR, FAR_SKIN))
    leg(art, ((20, 26 + up), (21, 30 + up), (19, 33 + up)), FAR)
    end = pose.tail[1]
    art.poly([(end[0] - 3, end[1] - 3), (end[0] + 3, end[1] - 1), (end[0], end[1] + 3)], SKIN)
    art.limb([(16, 26 + up), *pose.tail], [3.4, 2.0, 0.9], SCALE)
    chest, nape = (27, 22 + up), (34.5 + back, 13 + up)
    for bx, by in ((11, 24), (14, 21), (18, 19), (29, 13), (31, 10)):
        shift = back if bx > 25 else 0
        top = (bx + shift - 1, by + up)
        art.poly([top, (top[0] + 4, top[1] + 3), (top[0], top[1] + 5)], SKIN)
    throat = (32.5 + back / 2, 17.5 + up)
    art.limb([(16, 26 + up), chest, throat, nape], [4.2, 6.0, 3.6, 3.2], SCALE)
    scutes = [(19.0, 29.0 + up), (28.0, 25.5 + up), (throat[0] + 1.5, throat[1] + 1.2)]
    art.limb([*scutes, (nape[0] + 1, nape[1] + 2)], [1.4, 2.4, 1.8, 1.2], BELLY, seam=False)
    for dx, dy in ((20, 29), (23, 28), (26, 27), (29, 25), (31 + back // 3, 22)):
        art.line((dx, dy - 2 + up), (dx + 1, dy + 1 + up), BELLY.dark)
    leg(art, ((17, 27 + up), (14, 31 + up), (15, 34 + up)), SCALE)
    leg(art, ((27, 25 + up), (29, 29 + up), (31, 30 + up)), SCALE)
    head = ROAR if pose.fire else HEAD
    art.stamp((31 + back, 5 + up), head, COLORS, seam=SCALE.line)
    wing(art, (22, 19 + up), pose.near, (SCALE, SKIN))
    return art


def frames() -> list[Canvas]:
    """Draw wings up, wings mid, wings down and the fiery breath."""
    done = []
    for pose in POSES:
        art = draw(pose)
        art.outline(INK)
        if pose.fire:
            art.stamp((35, 7 + pose.lift), FIRE, FLAMES)
        done.append(art)
    return done
