"""Draws the pictures of life.md, the states from the table that the engine keeps.

`python docs/explanation/draw_life.py` writes them again.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from poolkit.core.states import TRANSITIONS

FOLDER = Path(__file__).parent
INK, PAPER, FAINT = "#2b3045", "#fbfaf6", "#a9aebd"
ALIVE, RESTING, ENDING, GONE = "#cdebc5", "#cfe0f7", "#fbdfba", "#e3e3e6"

Point = tuple[float, float]


class Box(NamedTuple):
    """A state: where its middle is, and what it is like."""

    x: float
    y: float
    color: str
    width: float = 132
    height: float = 42


STATES = {
    "INACTIVE": Box(120, 250, RESTING),
    "SPAWNING": Box(190, 85, ALIVE),
    "ACTIVE": Box(430, 85, ALIVE),
    "DESPAWNING": Box(670, 85, ENDING),
    "LEAVING": Box(720, 250, ENDING),
    "DESTROYED": Box(430, 345, GONE),
    "DETACHED": Box(430, 175, GONE),
}
EVERYDAY = {
    ("INACTIVE", "SPAWNING"): "spawn",
    ("SPAWNING", "ACTIVE"): "",
    ("ACTIVE", "DESPAWNING"): "kill",
    ("DESPAWNING", "LEAVING"): "",
    ("LEAVING", "INACTIVE"): "nothing holds it any more",
}
BENDS = {  # pixels to the side
    ("SPAWNING", "DESPAWNING"): -75,
}


def beside(one: Point, two: Point, bend: float) -> Point:
    """Return the point between two others, so many pixels to the right of the way."""
    (x1, y1), (x2, y2) = one, two
    length = math.dist(one, two)
    return (x1 + x2) / 2 - bend * (y2 - y1) / length, (y1 + y2) / 2 + bend * (x2 - x1) / length


def line(start: Point, end: Point, bend: float = 0, *, bold: bool = True) -> str:
    """Draw an arrow."""
    (x1, y1), (x, y), (x2, y2) = start, beside(start, end, bend), end
    stroke = (
        f'stroke="{INK}" stroke-width="2.2"' if bold else f'stroke="{FAINT}" stroke-width="1.4"'
    )
    head = "head" if bold else "faint"
    return (
        f'<path d="M{x1:.0f} {y1:.0f} Q{x:.0f} {y:.0f} {x2:.0f} {y2:.0f}" fill="none" {stroke} '
        f'marker-end="url(#{head})"/>'
    )


def words(
    place: Point, text: str, size: int = 15, *, bold: bool = False, at: str = "middle"
) -> str:
    """Write a line."""
    x, y = place
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="{at}"{weight}>{text}</text>'
    )


def box(place: Box, text: str, *, bold: bool = True) -> str:
    """Draw a box with a text in it."""
    x, y, color, width, height = place
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y - height / 2:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" rx="9" fill="{color}" stroke="{INK}" stroke-width="1.5"/>'
        + words((x, y + 5), text, bold=bold)
    )


def picture(width: int, height: int, title: str, parts: list[str]) -> str:
    """Put parts on paper."""
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="{color}"/></marker>'
        for name, color in (("head", INK), ("faint", FAINT))
    )
    font = f'font-family="Helvetica, Arial, sans-serif" fill="{INK}"'
    size = f'viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} role="img">',
            f"<title>{title}</title><defs>{heads}</defs>",
            f'<rect width="{width}" height="{height}" rx="14" fill="{PAPER}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def border(of: Box, towards: Point) -> Point:
    """Return where a line from the middle of a box leaves it."""
    dx, dy = towards[0] - of.x, towards[1] - of.y
    scale = min(of.width / 2 / abs(dx or 1e-9), of.height / 2 / abs(dy or 1e-9))
    return of.x + dx * scale, of.y + dy * scale


def arrow(start: str, end: str) -> str:
    """Draw a transition."""
    one, two = STATES[start], STATES[end]
    bend = BENDS.get((start, end), 0)
    side = beside((one.x, one.y), (two.x, two.y), bend)
    ends = (border(one, side), border(two, side))
    label = EVERYDAY.get((start, end))
    drawn = line(*ends, bend, bold=label is not None)
    if label:
        x, y = beside(*ends, 0)
        dx, dy = {"INACTIVE": (34, 4)}.get(start, (0, -8))
        drawn += words((x + dx, y + dy), label, 13)
    return drawn


def states() -> str:
    """Draw the states and what may follow each."""
    pairs = [(a.name, b.name) for a, after in TRANSITIONS.items() for b in after]
    pairs.sort(key=lambda pair: (pair in EVERYDAY, pair))
    legend = [
        (ALIVE, "alive"),
        (ENDING, "its life is over"),
        (RESTING, "in its pool"),
        (GONE, "outside"),
    ]
    parts = [arrow(*pair) for pair in pairs]
    parts += [box(place, name) for name, place in STATES.items()]
    for number, (color, text) in enumerate(legend):
        y = 310 + 24 * number
        parts.append(
            f'<rect x="700" y="{y}" width="18" height="14" rx="3" fill="{color}" stroke="{INK}"/>'
        )
        parts.append(words((726, y + 12), text, 14, at="start"))
    return picture(880, 410, "The states of an instance", parts)


SPAWN = (
    ("take one that rests, or make one", "awake, once, where it is made", RESTING),
    ("place it: image, rect, rotation, layer", "its bodies enter the space", ALIVE),
    ("it is active, and in its maps", "handles to this life are true", ALIVE),
    ("it joins its groups", "the prefab's, its own, those of this spawn", ALIVE),
    ("its fields are restored", "to what the spawn gives, or as good as new", ALIVE),
    ("spawned hooks", "components, then parts, the sprite's own last", ALIVE),
)
DESPAWN = (
    ("it is not active any more", "handles to this life are false", ENDING),
    ("despawned hooks", "the other way round", ENDING),
    ("its scope is undone", "timers, coroutines, connections, callbacks", ENDING),
    ("what was spawned under it is despawned", "into its own pool", ENDING),
    ("it leaves groups and space", "bodies come to rest, settings are restored", ENDING),
    ("only then it may be reused", "from the next update on", RESTING),
)


def order() -> str:
    """Draw what a spawn and a despawn do, one thing after the other."""
    parts = []
    for x, title, steps in ((225, "spawn", SPAWN), (655, "kill, despawn", DESPAWN)):
        parts.append(words((x, 38), title, 18, bold=True))
        for number, (what, how, color) in enumerate(steps):
            y = 85 + 72 * number
            parts.append(box(Box(x, y, color, 390, 52), ""))
            parts.append(words((x, y - 3), what, bold=True))
            parts.append(words((x, y + 16), how, 13))
            if number:
                parts.append(line((x, y - 46), (x, y - 27)))
    return picture(880, 490, "What a spawn and a despawn do, in order", parts)


STEP = (
    ("pymunk moves bodies", ("and calls back:", "on_contact,", "on_collision"), ALIVE),
    ("you spawn and kill", ("hooks run at once,", "groups change at once;", "bodies wait"), ALIVE),
    (
        "the step ends",
        ("bodies enter and leave,", "in the order asked for;", "separate callbacks"),
        ENDING,
    ),
    (
        "next step, or done",
        ("what died may be reused", "(from the next update);", "surplus is destroyed"),
        RESTING,
    ),
    ("sprites are moved", ("to their bodies;", "errors of callbacks", "come out of step()"), ALIVE),
)


def step() -> str:
    """Draw what happens inside a physics step."""
    parts = [words((440, 36), "world.step(dt): as many fixed steps as fit into dt", 18, bold=True)]
    for number, (what, how, color) in enumerate(STEP):
        x = 92 + 174 * number
        parts.append(box(Box(x, 128, color, 158, 116), ""))
        parts.append(words((x, 96), what, 12, bold=True))
        parts += [words((x, 120 + 19 * row), text, 12) for row, text in enumerate(how)]
        if number:
            parts.append(line((x - 96, 128), (x - 80, 128)))
    parts.append(line((614, 188), (92, 188), -56, bold=False))
    parts.append(words((353, 234), "as long as there is a whole timestep left", 13))
    return picture(880, 250, "Inside a physics step", parts)


PICTURES = {"states.svg": states, "order.svg": order, "step.svg": step}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
