"""What a life costs, from its spawn to its despawn: by poolkit, by hand, barest, and built anew.

A row is a kind of life, and all four do the same work for it, fifty lives a frame, with an update
after each frame, as in a game. The rows with a limit end all lives of a frame first and begin as
many then, and hand nothing out again before the next update.

- *By hand*: a pool as a careful user writes it for this very kind of life (`by_hand`).
- *Barest*: a list of what is at rest, in place. No pool to call, no group, no guard, nothing that
  knows who is alive.
- *Built anew*: a plain `pygame.sprite.Sprite` in its group, dropped when its life is over.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

from benchmarks import by_hand as hand
from benchmarks import games
from benchmarks.by_poolkit import Bare, Bodied, HandHealthy, Health, Healthy, pooled
from benchmarks.measure import ANEW, BAREST, BY_HAND, POOLKIT, left_behind, repeated
from poolkit import RecycleOldest
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from benchmarks.measure import Work
    from benchmarks.report import Bar, Report

A_FRAME, STEP = 50, 1 / 60  # lives a frame; seconds
AT_REST = 2 * A_FRAME
FIRES, ALL_FIRING = 0.108, 9 * A_FRAME  # seconds to a timer that ends a life; all it takes
FEW, MANY = 10, 10_000  # lives a frame, at a limit
LIMIT = "a limit, and {:,} end in the frame"
NONE: Mapping[str, Any] = MappingProxyType({})


# -- how it is played ----------------------------------------------------------------------------


def _ways(  # noqa: PLR0913 - each but the first may be left out
    *played: str,
    kind: Callable[[], Any] = Bare,
    pool: Callable[[], Any] | None = None,
    at_rest: int = AT_REST,
    a_frame: int = 0,
    passing: Mapping[str, Callable[[float], object]] = NONE,
    settings: Mapping[str, Any] = NONE,
    **names: Any,
) -> dict[str, Work]:
    """Return the four ways of playing a kind of life.

    Args:
        played: What poolkit, the pool by hand, the barest one and plain sprites do for a life:
            statements, as for `timeit`, so that no call comes on top.
        kind: Makes the sprites for poolkit.
        pool: Makes the one by hand, after poolkit's: of instances that had no attributes at first,
            CPython 3.11 stores later ones slowly, and a component by hand has none.
        at_rest: How many sprites poolkit and the barest way make beforehand.
        a_frame: How many lives the statements are for, where they are those of a whole frame.
        passing: What lets time pass, by way.
        settings: Those of poolkit's pool.
        names: What else the statements name.
    """
    hand.Plain.everyone.empty()
    system, spawn = pooled(kind, at_rest, **settings)
    theirs = pool() if pool else hand.HandPool(hand.HandSprite, at_rest)
    free = [theirs.kind() for _ in range(at_rest)]
    known = {"P": (320.0, 40.0), "Q": (300.0, 0.0), "Plain": hand.Plain, "ours": system.update}
    known |= {"end": system.despawn, "despawn": theirs.despawn, "pop": free.pop}
    known |= {"push": free.append, **names}
    found: dict[str, Work] = {}
    for way, text in zip((POOLKIT, BY_HAND, BAREST, ANEW), played, strict=True):
        begin = theirs.spawn if way == BY_HAND else spawn
        here = {"spawn": begin, "alive": [], "update": passing.get(way), **known}
        frame = text if a_frame else f"for _ in range({A_FRAME}): {text}"
        updates = ["ours"] * (way == POOLKIT) + ["update"] * (way in passing)
        lines = *frame.split("\n"), *(f"{update}({STEP})" for update in updates)
        found[way] = repeated(here, *lines, at_once=a_frame or A_FRAME)
    return found


TAKEN, GIVEN = "one = pop(); one.rect.center = P", "push(one)"


def _hooked(pool: Any, hook: str, name: str, value: str, data: str = "") -> dict[str, Work]:
    """Return the ways of a life one of whose hooks keeps what it is given."""
    hooks: dict[str, Any] = {}
    exec(f"def {hook}(self, {name}): self.given = {name}", {}, hooks)  # noqa: S102 - our own line
    kind, sprite = (type("Hooked", (base,), hooks) for base in (Bare, hand.HandSprite))
    return _ways(
        f"spawn(P{data}).kill()",
        f"despawn(spawn(P{data}))",
        f"{TAKEN}; one.given = {value}; {GIVEN}",
        f"one = Plain(P); one.given = {value}; one.kill()",
        kind=kind,
        pool=partial(pool, sprite, AT_REST),
    )


# -- what lives ----------------------------------------------------------------------------------


def _timed(*played: str, seconds: float, at_rest: int = AT_REST) -> dict[str, Work]:
    timers = hand.HandTimers()

    class Timed(Bare):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            self.scope.after(seconds, self.kill)

    class HandTimed(hand.HandSprite):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            timers.after(seconds, self, despawn)

    class New(hand.Plain):
        everyone: pygame.sprite.Group[Any] = pygame.sprite.Group()

        def __init__(self, position: Any, velocity: Any) -> None:
            super().__init__(position)
            self.velocity = velocity
            self.left = seconds

        def update(self, dt: float) -> None:
            self.left -= dt
            if self.left <= 0:
                self.kill()

    pool = hand.DataPool(HandTimed, at_rest)
    despawn = pool.despawn
    free = [hand.HandSprite() for _ in range(at_rest)]
    queue = deque[Any]()  # all timers take equally long: no heap, no counter, no function
    now = 0.0

    def start(sprite: Any) -> None:
        queue.append((now + seconds, sprite, sprite.life))

    def advance(dt: float) -> None:
        nonlocal now
        now += dt
        while queue and queue[0][0] <= now:
            _, sprite, life = queue.popleft()
            if sprite.life == life:
                sprite.life += 1
                free.append(sprite)

    return _ways(
        *played,
        kind=Timed,
        pool=lambda: pool,
        at_rest=at_rest,
        passing={BY_HAND: timers.update, BAREST: advance, ANEW: New.everyone.update},
        start=start,
        New=New,
        pop=free.pop,
        push=free.append,
    )


def _bodied(*played: str) -> dict[str, Work]:
    world, space, small, another = PhysicsWorld(), *(pymunk.Space() for _ in range(3))
    spaces = {POOLKIT: world.space, BY_HAND: space, BAREST: small, ANEW: another}
    return _ways(
        *played,
        kind=partial(Bodied, world),
        pool=partial(hand.BodyPool, hand.BodySprite, AT_REST, space=space),
        # A space forgets only in a step whom it held.
        passing={way: inside.step for way, inside in spaces.items()},
        small=small,
        another=another,
        everyone=pygame.sprite.Group(),
        BodySprite=hand.BodySprite,
    )


def _limited(count: int) -> dict[str, Work]:
    def frame(end: str, begin: str) -> str:
        return f"for one in alive: {end}\nalive[:] = [{begin} for _ in range({count})]"

    pool = hand.WaitingPool(hand.HandSprite, 2 * count, limit=count)
    return _ways(
        frame("one.kill()", "spawn(P)"),
        frame("despawn(one)", "spawn(P)"),
        frame("push(one)", "pop()") + "\nfor one in alive: one.rect.center = P",
        frame("one.kill()", "Plain(P)"),
        pool=lambda: pool,
        at_rest=count,
        a_frame=count,
        passing={BY_HAND: pool.update},
        settings={"limit": count},
    )


# -- rows ----------------------------------------------------------------------------------------

NOTHING = f"{TAKEN}; {GIVEN}", "Plain(P).kill()"
HOOKS = "; one.health.spawned(); one.health.despawned()"
ENTERED = "one.body.position = P; one.body.velocity = (0, 0); both = one.body, one.shape"
BUILT = "one.rect.center = P; everyone.add(one); one.body.position = P; both = one.body, one.shape"
ASKED = "two = handle[0] if handle[0].life == handle[1] else None"


def _rows(many: int) -> Iterator[tuple[str, Bar | None, dict[str, Work]]]:
    """Yield each kind of life with its bar and its ways, made only when it is asked for."""
    once = "spawn(P).kill()", "despawn(spawn(P))"
    yield "nothing: a bare sprite", None, _ways(*once, *NOTHING)
    plain = _ways("end(spawn(P))", once[1], *NOTHING, kind=hand.Plain)
    yield "nothing: a plain pygame sprite", None, plain
    component = _ways(
        *once,
        f"{TAKEN}{HOOKS}; {GIVEN}",
        f"one = Plain(P); one.health = Health(){HOOKS}; one.kill()",
        kind=Healthy,
        pool=partial(hand.ComponentPool, HandHealthy, AT_REST),
        Health=Health,
    )
    yield "a component with two hooks", (1.15, 1.0), component
    data = _hooked(hand.DataPool, "spawned", "velocity", "Q", ", velocity=Q")
    yield "spawn data that a hook names", (1.5, 1.2), data
    position = _hooked(hand.PlacePool, "spawned", "position", "P")
    yield "a hook that names position", (1.5, 1.2), position
    reason = _hooked(hand.ReasonPool, "despawned", "reason", "'killed'")
    yield "a hook that names reason", (1.5, 1.2), reason
    fly, new = "spawn(P, velocity=Q)", "New(P, velocity=Q)"
    flies = f"{TAKEN}; one.velocity = Q; start(one)"
    ended = f"{fly}.kill()", f"despawn({fly})", f"{flies}; one.life += 1; {GIVEN}", f"{new}.kill()"
    yield "data, a timer, and ends early", (2.0, 1.5), _timed(*ended, seconds=1.5)
    fired = _timed(fly, fly, flies, new, seconds=FIRES, at_rest=ALL_FIRING)
    yield "data, a timer that ends it", (2.0, 1.5), fired
    pair = _ways(
        "one = spawn(P); spawn(Q, parent=one); one.kill()",
        "one = spawn(P); spawn(Q, parent=one); despawn(one)",
        f"{TAKEN}; two = one.child = pop(); two.rect.center = Q; push(one.child); {GIVEN}",
        "one = Plain(P); two = one.child = Plain(Q); one.child.kill(); one.kill()",
        pool=partial(hand.ParentPool, hand.HandParent, AT_REST),
    )
    yield "a child that ends with it (a pair)", (2.5, 1.5), pair
    groups = _ways(
        "spawn(P, groups=GROUPS).kill()",
        "despawn(spawn(P, groups=GROUPS))",
        f"{TAKEN}; one.add(GROUPS); one.kill(); {GIVEN}",
        "one = Plain(P); one.add(GROUPS); one.kill()",
        pool=partial(hand.GroupsPool, hand.HandSprite, AT_REST),
        GROUPS=[pygame.sprite.Group() for _ in range(2)],
    )
    yield "two more groups", (2.5, 1.5), groups
    handle = _ways(
        "one = spawn(P); handle = one.handle(); one.kill(); handle.get()",
        f"one = spawn(P); handle = (one, one.life); despawn(one); {ASKED}",
        f"{TAKEN}; handle = (one, one.life); one.life += 1; {GIVEN}; {ASKED}",
        "one = Plain(P); one.kill(); two = one if one.alive() else None",
    )
    yield "a handle, taken and asked", (2.5, 1.5), handle
    yield LIMIT.format(FEW), None, _limited(FEW)
    yield LIMIT.format(MANY), None, _limited(many)
    oldest = _ways(
        "spawn(P)",
        "spawn(P)",
        "one = ring[0]; ring.rotate(-1); one.rect.center = P",
        "ring.append(Plain(P)); ring.popleft().kill()",
        pool=partial(hand.OldestPool, hand.HandSprite, AT_REST),
        settings={"limit": AT_REST, "overflow": RecycleOldest()},
        ring=deque(hand.Plain() for _ in range(AT_REST)),
    )
    yield "a limit, where the oldest makes room", None, oldest
    body = _bodied(
        *once,
        f"{TAKEN}; {ENTERED}; small.add(*both); small.remove(*both); {GIVEN}",
        f"one = BodySprite(); {BUILT}; another.add(*both); another.remove(*both); one.kill()",
    )
    yield "a body, a shape and their reset", (1.2, 1.0), body


def run(report: Report) -> None:
    """Measure lives, what a steady state leaves behind, and the README's first program."""
    cycles, to_by_hand = report.size(100_000), {}
    for name, bar, ways in _rows(report.size(MANY)):
        pieces, turns = (report.size(MANY), 5) if name == LIMIT.format(MANY) else (2_000, 21)
        outcome = report.contest(name, ways, turns, pieces=pieces, bar=bar)
        to_by_hand[name] = outcome.ratio(POOLKIT, BY_HAND)[1]
        if "timer" in name or "body" in name:
            blocks, collections = left_behind(ways[POOLKIT], cycles)
            report.hold(f"memory blocks left by {cycles:,} lives: {name}", blocks, (0, 0))
            report.hold(f"collections in {cycles:,} lives: {name}", collections, (0, 0))
    few, many = (to_by_hand[LIMIT.format(count)] for count in (FEW, MANY))
    what = f"that ratio where {MANY:,} end in the frame, to where {FEW} do"
    report.hold(what, many / few, (1.2, 1.0))
    for alive in (100, 1_000):
        program = games.shots(alive, 1.5, timed=True)
        name = f"a frame of the README's first program, {alive:,} alive"
        report.contest(name, program, 5, samples=60, bar=(1.0, 1.0), to=ANEW)
