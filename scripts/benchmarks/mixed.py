"""What a life costs among others, as in a game: eight kinds in turn, by poolkit and by hand.

One kind alone in a loop flatters: Python learns it by heart. Here each life is of another class,
prefab and pool than the one before it, with an update after each frame of six rounds.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks import lives
from benchmarks.frames import STEP, shots
from benchmarks.kinds import AT_REST, HandTimers, Way, pooled
from benchmarks.lives import PLACE, Life
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, Work, repeated
from poolkit import PoolingSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS, ROUNDS = 8, 6
SECONDS = 0.108  # that a shot flies: nearly seven frames
TIMED = Life("data, a timer that ends it", 2.0, ("spawn(P, velocity=Q)",) * 2)
ONE_OF_EACH = (
    lives.BARE,
    lives.COMPONENT,
    lives.TWO_COMPONENTS,
    lives.DATA,
    lives.POSITION,
    lives.REASON,
    lives.HANDLE,
    TIMED,
)
ALIKE = (
    (lives.BARE, None),
    (lives.COMPONENT, 1.5),
    (lives.DATA, 1.5),
    (lives.POSITION, 1.5),
    (lives.REASON, 1.5),
    (TIMED, 2.0),
    (lives.PARENT, 2.5),
    (lives.GROUPS, 2.0),
    (lives.HANDLE, 1.5),
)


def _kind_of(life: Life, system: PoolingSystem, timers: HandTimers) -> tuple[Way, Way]:
    """Return poolkit's way and that by hand of a kind of its own that lives like this."""
    if life is TIMED:
        ours, _, theirs, _ = shots(AT_REST, SECONDS, system=system, timers=timers)
        return ours, theirs
    kind, hand = (type("Kind", (base,), {}) for base in (life.kind, life.hand))
    return pooled(kind, AT_REST, system), life.pool(hand)


def _in_turn(kinds: tuple[Life, ...]) -> dict[str, Work]:
    """Return the two ways to play a life of each kind, one after the other."""
    system, timers = PoolingSystem(), HandTimers()
    names: dict[str, Any] = {"P": PLACE, "Q": (300.0, 0.0), "S": STEP, "spawn": system.spawn}
    names |= {"update": system.update, "pass_time": timers.update}
    by_poolkit, by_hand = [f"for _ in range({ROUNDS}):"], [f"for _ in range({ROUNDS}):"]
    for number, life in enumerate(kinds):
        ours, theirs = _kind_of(life, system, timers)
        names |= life.names | {f"prefab{number}": ours.spawn.args[0]}
        names |= {f"spawn{number}": theirs.spawn, f"despawn{number}": theirs.despawn}
        text, by_hand_text = life.played[:2]
        by_poolkit.append("    " + text.replace("spawn(", f"spawn(prefab{number}, "))
        by_hand.append("    " + re.sub(r"\b((?:de)?spawn)\(", rf"\g<1>{number}(", by_hand_text))
    by_poolkit.append("update(S)")
    by_hand += ["pass_time(S)"] * (TIMED in kinds)
    written = partial(repeated, names, at_once=KINDS * ROUNDS)
    return {POOLKIT: written(*by_poolkit), BY_HAND: written(*by_hand)}


def mixed(size: Size) -> Iterator[Contest]:
    """Measure eight kinds of lives in turn: one of each make, then eight of the same make."""
    rows: list[tuple[str, float | None, tuple[Life, ...]]]
    rows = [("eight makes in turn", 1.5, ONE_OF_EACH)]
    rows += [(f"eight in turn: {life.name}", most, (life,) * KINDS) for life, most in ALIKE]
    for name, most, kinds in rows:
        yield Contest(name, _in_turn(kinds), 21, pieces=size(48 * 40), most=most)
