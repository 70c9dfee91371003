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
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame
import pymunk

from benchmarks import by_hand as hand
from benchmarks import frame, games
from benchmarks.by_poolkit import Bare, Bodied, HandHealthy, Health, Healthy, pooled
from benchmarks.measure import (
    ANEW,
    BAREST,
    BY_HAND,
    CLOCK_NAME,
    POOLKIT,
    contest,
    left_behind,
    repeated,
)
from benchmarks.report import Report, Verdict, bracketed, table
from poolkit import RecycleOldest
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.measure import Work

QUICK = {"pieces": 100, "turns": 1, "cycles": 200, "many": 100, "frames": 4}

A_FRAME, STEP = 50, 1 / 60  # lives a frame; seconds
AT_REST = 2 * A_FRAME
FIRES, ALL_FIRING = 0.108, 9 * A_FRAME  # seconds to a timer that ends a life; all it takes
FEW, MANY = 10, 10_000  # lives a frame, at a limit
LIMIT = "a limit, and {:,} end in the frame"
FIRST = "the README's first program, {:,} alive"


# -- what lives ----------------------------------------------------------------------------------


class HandParent(hand.HandSprite):
    """A sprite that may have children, for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.parent: Any = None
        self.children: list[Any] = []


def _fly(self: Any, velocity: Any) -> None:
    self.velocity = velocity


def _begin(self: Any, position: Any) -> None:
    self.start = position


def _end(self: Any, reason: Any) -> None:
    self.reason = reason


# -- how it is played ----------------------------------------------------------------------------


class Row(NamedTuple):
    """A kind of life: what is done for it by poolkit, by hand, barest and anew, and with what.

    What is done are statements, as for `timeit`, so that no call comes on top of a life.
    """

    ours: str
    by_hand: str
    barest: str
    anew: str
    bar: tuple[float, float] | None = None  # what poolkit may take of by hand, and its aim
    kind: Callable[[], Any] = Bare
    pool: Callable[..., Any] = hand.HandPool
    sprite: Callable[[], Any] = hand.HandSprite
    at_rest: int = AT_REST
    settings: Mapping[str, Any] = MappingProxyType({})
    around: Callable[[], dict[str, Any]] = dict  # further names, and what passes time
    a_frame: int = 0  # lives, where the statements are those of a whole frame


TAKEN, GIVEN = "one = pop(); one.rect.center = P", "push(one)"


def _life(data: str = "", done: str = "", hooks: Any = None, **more: Any) -> Row:
    """Return a row whose life is spawned, with data or without, has something done, and ends."""
    parts: dict[str, Any] = {
        "ours": f"spawn(P{data}).kill()",
        "by_hand": f"despawn(spawn(P{data}))",
        "barest": f"{TAKEN}{done}; {GIVEN}",
        "anew": f"one = Plain(P){done}; one.kill()",
    }
    if hooks:
        parts |= {"kind": type("Ours", (Bare,), hooks)}
        parts |= {"sprite": type("Theirs", (hand.HandSprite,), hooks)}
    return Row(**parts | more)


def ways(row: Row) -> dict[str, Work]:
    """Return the four ways of playing a row: their pieces are lives."""
    hand.Plain.everyone.empty()
    known: dict[str, Any] = {"P": (320.0, 40.0), "Q": (300.0, 0.0), "Plain": hand.Plain}
    known |= {"GROUPS": [pygame.sprite.Group() for _ in range(2)], "Health": Health, "passing": {}}
    known |= row.around()
    system, spawn = pooled(known.get("kind", row.kind), row.at_rest, **row.settings)
    pool = known.get("pool") or row.pool(row.sprite, row.at_rest)
    free = [row.sprite() for _ in range(row.at_rest)]
    known |= {"end": system.despawn, "despawn": pool.despawn, "pop": free.pop, "push": free.append}
    found: dict[str, Work] = {}
    a_frame = row.a_frame or A_FRAME
    for way, played in zip((POOLKIT, BY_HAND, BAREST, ANEW), row[:4], strict=True):
        names = {**known, "spawn": pool.spawn if way == BY_HAND else spawn, "alive": []}
        names |= {"ours": system.update, "update": known["passing"].get(way)}
        frame = played if row.a_frame else f"for _ in range({a_frame}): {played}"
        passing = ["ours"] * (way == POOLKIT) + ["update"] * (way in known["passing"])
        play = repeated(names, *frame.split("\n"), *(f"{update}({STEP})" for update in passing))
        found[way] = partial(_in_frames, play, a_frame)
    return found


def _in_frames(play: Work, a_frame: int, pieces: int) -> None:
    play(pieces // a_frame)


# -- rows ----------------------------------------------------------------------------------------


def _timers(seconds: float, at_rest: int = AT_REST) -> dict[str, Any]:
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

    passing = {BY_HAND: timers.update, BAREST: advance, ANEW: New.everyone.update}
    known = {"kind": Timed, "pool": pool, "start": start, "New": New, "take": free.pop}
    return {**known, "passing": passing}


def _bodies() -> dict[str, Any]:
    world, space, small, another = PhysicsWorld(), *(pymunk.Space() for _ in range(3))
    spaces = {POOLKIT: world.space, BY_HAND: space, BAREST: small, ANEW: another}
    return {
        "kind": partial(Bodied, world),
        "pool": hand.BodyPool(hand.BodySprite, AT_REST, space=space),
        "small": small,
        "another": another,
        "BodySprite": hand.BodySprite,
        "everyone": pygame.sprite.Group(),
        # A space forgets only in a step whom it held.
        "passing": {way: inside.step for way, inside in spaces.items()},
    }


def _placed(position: tuple[float, float], sprite: Any) -> Any:
    sprite.rect.center = position
    return sprite


def _limited(count: int) -> Row:
    def frame(end: str, begin: str) -> str:
        return f"for one in alive: {end}\nalive[:] = [{begin} for _ in range({count})]"

    def around() -> dict[str, Any]:
        pool = hand.WaitingPool(hand.HandSprite, 2 * count, limit=count)
        return {"pool": pool, "passing": {BY_HAND: pool.update}, "take": _placed}

    return Row(
        frame("one.kill()", "spawn(P)"),
        frame("despawn(one)", "spawn(P)"),
        frame("push(one)", "take(P, pop())"),
        frame("one.kill()", "Plain(P)"),
        at_rest=count,
        settings={"limit": count},
        around=around,
        a_frame=count,
    )


HOOKS = "; one.health.spawned(); one.health.despawned()"
ENTERED = "one.body.position = P; one.body.velocity = (0, 0); both = one.body, one.shape"
BUILT = "one.rect.center = P; everyone.add(one); one.body.position = P; both = one.body, one.shape"
ASKED = "two = handle[0] if handle[0].life == handle[1] else None"
FLYING = {"data": ", velocity=Q", "done": "; one.velocity = Q"}
ROWS = {
    "nothing: a bare sprite": _life(anew="Plain(P).kill()"),
    "nothing: a plain pygame sprite": _life(
        ours="end(spawn(P))", anew="Plain(P).kill()", kind=hand.Plain
    ),
    "a component with two hooks": _life(
        done=HOOKS,
        anew=f"one = Plain(P); one.health = Health(){HOOKS}; one.kill()",
        kind=Healthy,
        pool=hand.ComponentPool,
        sprite=HandHealthy,
        bar=(1.15, 1.0),
    ),
    "spawn data that a hook names": _life(
        **FLYING, hooks={"spawned": _fly}, pool=hand.DataPool, bar=(1.5, 1.2)
    ),
    "a hook that names position": _life(
        done="; one.start = P", hooks={"spawned": _begin}, pool=hand.PlacePool, bar=(1.5, 1.2)
    ),
    "a hook that names reason": _life(
        done="; one.reason = 'killed'",
        hooks={"despawned": _end},
        pool=hand.ReasonPool,
        bar=(1.5, 1.2),
    ),
    "data, a timer, and ends early": _life(
        **FLYING,
        barest=f"{TAKEN}; one.velocity = Q; start(one); one.life += 1; {GIVEN}",
        anew="New(P, velocity=Q).kill()",
        around=partial(_timers, 1.5),
        bar=(2.0, 1.5),
    ),
    "data, a timer that ends it": Row(
        "spawn(P, velocity=Q)",
        "spawn(P, velocity=Q)",
        "one = take(); one.rect.center = P; one.velocity = Q; start(one)",
        "New(P, velocity=Q)",
        at_rest=ALL_FIRING,
        around=partial(_timers, FIRES, ALL_FIRING),
        bar=(2.0, 1.5),
    ),
    "a child that ends with it (a pair)": Row(
        "one = spawn(P); spawn(Q, parent=one); one.kill()",
        "one = spawn(P); spawn(Q, parent=one); despawn(one)",
        f"{TAKEN}; two = one.child = pop(); two.rect.center = Q; push(one.child); {GIVEN}",
        "one = Plain(P); two = one.child = Plain(Q); one.child.kill(); one.kill()",
        pool=hand.ParentPool,
        sprite=HandParent,
        bar=(2.5, 1.5),
    ),
    "two more groups": _life(
        ", groups=GROUPS",
        "; one.add(GROUPS)",
        barest=f"{TAKEN}; one.add(GROUPS); one.kill(); {GIVEN}",
        pool=hand.GroupsPool,
        bar=(2.5, 1.5),
    ),
    "a handle, taken and asked": Row(
        "one = spawn(P); handle = one.handle(); one.kill(); handle.get()",
        f"one = spawn(P); handle = (one, one.life); despawn(one); {ASKED}",
        f"{TAKEN}; handle = (one, one.life); one.life += 1; {GIVEN}; {ASKED}",
        "one = Plain(P); one.kill(); two = one if one.alive() else None",
        bar=(2.5, 1.5),
    ),
    LIMIT.format(FEW): _limited(FEW),
    LIMIT.format(MANY): _limited(MANY),
    "a limit, where the oldest makes room": Row(
        "spawn(P)",
        "spawn(P)",
        "one = ring[0]; ring.rotate(-1); one.rect.center = P",
        "ring.append(Plain(P)); ring.popleft().kill()",
        pool=hand.OldestPool,
        settings={"limit": AT_REST, "overflow": RecycleOldest()},
        around=lambda: {"ring": deque(hand.Plain() for _ in range(AT_REST))},
    ),
    "a body, a shape and their reset": _life(
        barest=f"{TAKEN}; {ENTERED}; small.add(*both); small.remove(*both); {GIVEN}",
        anew=f"one = BodySprite(); {BUILT}; another.add(*both); another.remove(*both); one.kill()",
        sprite=hand.BodySprite,
        around=_bodies,
        bar=(1.2, 1.0),
    ),
}


# -- what a steady state leaves behind -----------------------------------------------------------


def _with_timers() -> Work:
    """Half of the lives end early, half by their timers."""
    early, fired = (ways(ROWS[name])[POOLKIT] for name in ROWS if "a timer" in name)

    def work(pieces: int) -> None:
        early(pieces // 2)
        fired(pieces // 2)

    return work


def _whole_frames() -> Work:
    """Bodies begin and end, the world moves on, all is drawn."""
    return partial(_in_frames, frame.ways(A_FRAME, A_FRAME, 0.0)[POOLKIT], A_FRAME)


def _recycling_in_callbacks() -> Work:
    """Each contact spawns another at the limit: the oldest life ends inside the step."""
    world, limit, contacts = PhysicsWorld(), 10, 0
    anvil = pymunk.Circle(world.space.static_body, 20)
    anvil.collision_type, anvil.sensor = 1, True
    world.space.add(anvil)
    system, spawn = pooled(partial(Bodied, world, 2), limit, limit=limit, overflow=RecycleOldest())

    def strike(*_: Any) -> None:
        nonlocal contacts
        contacts += 1
        spawn((0.0, 0.0))

    world.on_collision(1, 2, begin=strike)
    for _ in range(limit // 2):
        spawn((0.0, 0.0))

    def work(pieces: int) -> None:
        until = contacts + pieces
        while contacts < until:
            before = contacts
            world.step(STEP)
            system.update(STEP)
            if contacts == before:
                message = "a step without a contact: nothing would ever be recycled again"
                raise RuntimeError(message)

    return work


STEADY = {  # what is played, and how much of all cycles: building in a step takes long
    "lives with data and timers": (_with_timers, 1.0),
    "lives with bodies, in whole frames": (_whole_frames, 1.0),
    "lives that others end inside collision callbacks": (_recycling_in_callbacks, 0.1),
}


# -- the benchmark -------------------------------------------------------------------------------


def run(
    *,
    pieces: int = 2_000,
    turns: int = 21,
    cycles: int = 100_000,
    many: int = MANY,
    frames: int = 60,
) -> Report:
    """Measure lives, the README's first program, and what a steady state leaves behind."""
    few, others = max(2, turns // 4), (BY_HAND, BAREST, ANEW)
    rows, programs, steady, verdicts = {}, {}, {}, []
    shown = [["a life that has", POOLKIT, *others, "poolkit takes of by hand", BAREST, ANEW]]
    for name, row in ROWS.items():
        if row.a_frame == MANY:
            outcome = contest(ways(_limited(many)), turns=few, pieces=many)
        else:
            outcome = contest(ways(row), turns=turns, pieces=pieces)
        found = rows[name] = outcome.figures()
        first, *rest = takes = [found[way]["ours takes"] for way in others]
        times = [f"{figures['median']:.2f}" for figures in found.values()]
        shown.append([name, *times, bracketed(first), *(f"{each[1]:.2f}" for each in rest)])
        if row.bar:
            verdicts.append(Verdict(f"{name}: poolkit to by hand", takes[0][1], *row.bar))
    large, small = (rows[LIMIT.format(count)][BY_HAND]["ours takes"][1] for count in (MANY, FEW))
    what = f"that ratio where {MANY:,} end in the frame, to where {FEW} do"
    verdicts.append(Verdict(what, large / small, 1.2, 1.0))
    for alive in (100, 1_000):
        name, program = FIRST.format(alive), games.shots(alive, 1.5, timed=True)
        found = programs[name] = contest(program, turns=few, samples=frames).figures()
        what = f"{name}: a frame of poolkit to one of plain sprites built anew"
        verdicts.append(Verdict(what, found[ANEW]["ours takes"][1], 1.0))
    text = [
        f"microseconds of {CLOCK_NAME} from spawn to despawn, medians of turns; quartiles of",
        f"the ratios in brackets\n\n{table(shown)}\n\n{games.frames_as_text(programs)}\n",
    ]
    for kind, (prepare, part) in STEADY.items():
        name, lives = f"{round(cycles * part):,} {kind}", round(cycles * part)
        left = steady[name] = left_behind(prepare(), lives)
        verdicts += [Verdict(f"{what} of {name}", figure, 0) for what, figure in left.items()]
        blocks, collections = left.values()
        ran = f"ran the garbage collector {collections} times"
        text.append(f"{name} leave {blocks} memory blocks and {ran}")
    figures = {"rows": rows, "programs": programs, "steady": steady}
    return Report(figures, "\n".join(text), verdicts)
