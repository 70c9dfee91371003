"""Three small riders, as they sit on a dragon: a goblin, a wizard and a knight."""

from .pixels import Canvas, ramp, rgb

GREEN = ramp("16301c 2c5c28 58983c 90cc58 d0f498")
PURPLE = ramp("201444 402884 6c48c4 a080ec dcc8ff")
STEEL = ramp("1c2438 48587c 8098b4 b8ccd8 f4fcff")
SKIN = ramp("58301c a86840 e8a878 ffd0a0 fff0d8")
RED = ramp("48101c 9c2030 dc4440 f88864 ffd0a8")
INK = rgb("120e1c")

COLORS = {
    **dict(zip("abcde", GREEN, strict=True)),
    **dict(zip("pqrst", PURPLE, strict=True)),
    **dict(zip("ijklm", STEEL, strict=True)),
    **dict(zip("fghno", RED, strict=True)),
    **dict(zip("uvwxy", SKIN, strict=True)),
    "#": INK,
    "W": rgb("fff8e4"),
    "Y": rgb("ffd84c"),
    "B": rgb("8c5c34"),
    "D": rgb("5c3820"),
}

GOBLIN = (
    "..............l.",
    ".............lml",
    ".............kl.",
    "....cdddc....B..",
    "d..cdeeddc..dB..",
    "cdbcddddddbcd.B.",
    ".bccdW#dW#dcb.B.",
    "..bcdd##d##c...B",
    "...bcddddcb....B",
    "...bcWcWcb....cd",
    "....bcccb....cdB",
    "...gnnnngg.ccdbB",
    "..gnnohnnccdcb.B",
    "..gDDYDDghbb..B.",
    "..cbfgggfbc...B.",
    "..dc.....dc.....",
)

WIZARD = (
    "......st........",
    ".....rst........",
    "....qrrs........",
    "....qrYrs...YY..",
    "...qqrrrs..YyyY.",
    "...qrrrYrs.YyYY.",
    "..pqrrrrrs..YY..",
    ".qqrrrsssssr.B..",
    "pqqqqqqqqqqqqB..",
    "...vwx#x#wv..B..",
    "...vwxxxxwv..B..",
    "...WWWuWWW..xx..",
    "..qrWWWWWrrrwB..",
    ".qrrsWWWsrrq.B..",
    ".qrrrsWsrrq..B..",
    ".pqqq.W.qqqp....",
)

KNIGHT = (
    "...no...........",
    "..gnno..........",
    "..gnhn....n.....",
    "...gklml..nnn...",
    "...jklllm.nooh..",
    "..jkkllllmnnnohh",
    "..jkk####lnooh..",
    "..jkkW#W#lnnn...",
    "..jkklllllB.....",
    "...jkkiki.B.....",
    "..ijkjjkkjB.....",
    ".jkllgnnglkll...",
    ".jklgnYYngjkl...",
    "..jkgnYYngiB....",
    "..jkjgnngjkl....",
    "..kl..gg.kl.....",
)


def draw(rows: tuple[str, ...], lift: int) -> Canvas:
    """Draw a rider, `lift` cells above the saddle."""
    art = Canvas(18, 19)
    art.stamp((1, 2 - lift), rows, COLORS)
    art.outline(INK)
    return art


def frames(rows: tuple[str, ...]) -> list[Canvas]:
    """Draw a rider who sits, and one who is thrown up a little by a wingbeat."""
    return [draw(rows, 0), draw(rows, 1)]


def goblin() -> list[Canvas]:
    """Draw the goblin and his spear."""
    return frames(GOBLIN)


def wizard() -> list[Canvas]:
    """Draw the wizard and her shining staff."""
    return frames(WIZARD)


def knight() -> list[Canvas]:
    """Draw the knight and the pennant."""
    return frames(KNIGHT)
