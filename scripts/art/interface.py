"""Interface pieces: the frame of a panel."""

from .pixels import Canvas, ramp, rgb

METAL = ramp("12151c 2e3644 566274 8694a6 c6d2dc")
SLATE = (rgb("1d222e", 235), rgb("222836", 235), rgb("181c27", 235))


RIVET = (
    "kkkkkkkkk",
    "kllllllbk",
    "klbkkkbdk",
    "klkhlbkdk",
    "klklbdkdk",
    "klkbddkdk",
    "klbkkkbdk",
    "kbddddddk",
    "kkkkkkkkk",
)


def panel() -> list[Canvas]:
    """Draw a slate tile with a bevelled, riveted metal border."""
    art = Canvas(48, 48)
    last = 47
    for y in range(48):
        for x in range(48):
            near = min(x, y, last - x, last - y)
            corner = min(x, last - x) + min(y, last - y)
            if corner < 3:
                continue
            top_left = x + y < last
            if near == 0 or corner == 3:
                color = METAL.line
            elif near == 1:
                color = METAL.shine if top_left else METAL.base
            elif near in {2, 3}:
                color = METAL.base
            elif near == 4:
                color = METAL.dark if top_left else METAL.light
            elif near == 5:
                color = METAL.line
            else:
                color = SLATE[2] if near == 6 else SLATE[0]
            art.dot((x, y), color)
    letters = dict(zip("kdblh", METAL, strict=True))
    for x, y in ((3, 3), (36, 3), (3, 36), (36, 36)):
        art.stamp((x, y), RIVET, letters)
    return [art]
