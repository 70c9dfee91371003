"""The inspector's colours: few, and each with one meaning."""

from __future__ import annotations

__all__ = [
    "ACTIVE",
    "BRIGHT",
    "CALM",
    "CELL",
    "DIM",
    "EDGE",
    "GENERATIONS",
    "GRAPH",
    "GROUND",
    "LATE",
    "LINE",
    "QUIET",
    "RECYCLED",
    "REFUSED",
    "ROOM",
    "Color",
]

Color = tuple[int, int, int]

# All that is written is one of the first rows, and keeps a contrast of 4.5 to the ground.
BRIGHT: Color = (238, 242, 248)  # what matters
DIM: Color = (158, 170, 190)  # what explains it
QUIET: Color = (124, 136, 158)  # nothing to report
LATE: Color = (255, 164, 84)  # made during play
RECYCLED: Color = (190, 160, 255)  # ended for another life
REFUSED: Color = (255, 118, 108)  # did not get what it asked for

GROUND: Color = (19, 23, 32)
GRAPH: Color = (12, 15, 22)
EDGE: Color = (70, 80, 102)
LINE: Color = (38, 45, 60)
ACTIVE: Color = (88, 196, 232)
CELL: Color = (72, 100, 128)  # an instance at rest
ROOM: Color = (58, 68, 90)  # up to the limit
CALM: Color = (80, 146, 176)  # a frame
GENERATIONS: tuple[Color, Color, Color] = ((126, 214, 116), (248, 196, 72), (255, 96, 88))
