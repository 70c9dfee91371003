"""What a life costs, from its spawn to its despawn: by poolkit, by hand, barest, and built anew.

A row is a kind of life, and all four do the same work for it, fifty lives a frame, with an update
after each frame, as in a game. The rows with a limit end all lives of a frame first and begin as
many then, and hand nothing out again before the next update.

- *By hand*: a pool as a careful user writes it for this very kind of life (`by_hand`).
- *Barest*: a list of what is at rest, in place. No pool to call, no group, no guard, nothing that
  knows who is alive.
- *Built anew*: a plain `pygame.sprite.Sprite` in its group, dropped when its life is over.
"""

# ruff: noqa: D102 - hooks are what poolkit says they are

from __future__ import annotations

from collections import deque
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame
import pymunk

from benchmarks import games
from benchmarks.by_hand import (
    IMAGE,
    BodyPool,
    BodySprite,
    ComponentPool,
    DataPool,
    GroupsPool,
    HandPool,
    HandSprite,
    HandTimers,
    OldestPool,
    ParentPool,
    ReasonPool,
    WaitingPool,
    new_body,
)
from benchmarks.measure import ANEW, BAREST, BY_HAND, CLOCK_NAME, POOLKIT, contest, left_behind
from benchmarks.report import Verdict, bracketed, table
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

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


class Bare(PooledSprite):
    """A sprite that wants nothing of poolkit."""

    def __init__(self) -> None:
        super().__init__(IMAGE)


class Health(IPoolableComponent):
    """A component with the two hooks that most have."""

    current = 0

    def spawned(self) -> None:
        self.current = 30

    def despawned(self) -> None:
        self.current = 0


class Healthy(Bare):
    """A sprite with that component."""

    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health())


class HandHealthy(HandSprite):
    """The same for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.health = Health()
        self.components = [self.health]


class Shot(Bare):
    """A sprite with spawn data."""

    def spawned(self, velocity: Any) -> None:
        self.velocity = velocity


class HandShot(HandSprite):
    """The same for a pool written by hand."""

    def spawned(self, _position: Any, velocity: Any) -> None:
        self.velocity = velocity


class Marker(Bare):
    """A sprite that wants to know where it begins."""

    def spawned(self, position: Any) -> None:
        self.start = position


class HandMarker(HandSprite):
    """The same for a pool written by hand."""

    def spawned(self, position: Any) -> None:
        self.start = position


class Victim(Bare):
    """A sprite that wants to know why it ends."""

    def despawned(self, reason: Any) -> None:
        self.reason = reason


class HandVictim(HandSprite):
    """The same for a pool written by hand."""

    def despawned(self, reason: Any) -> None:
        self.reason = reason


class HandParent(HandSprite):
    """A sprite that may have children, for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.parent: Any = None
        self.children: list[Any] = []


class Bodied(Bare):
    """A sprite with a body and a shape, in a world."""

    def __init__(self, world: PhysicsWorld, collision_type: int = 0) -> None:
        super().__init__()
        self.body, self.shape = new_body(collision_type)
        self.add_component(RigidBody(world, self.body, self.shape))
        self.add_component(ResetPooledBodyComponent())


class Plain(pygame.sprite.Sprite):
    """A sprite that knows nothing of pools, built where it is wanted."""

    everyone: pygame.sprite.Group[Any] = pygame.sprite.Group()

    def __init__(self, position: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__(self.everyone)
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect(center=position)


# -- how it is played ----------------------------------------------------------------------------


class Row(NamedTuple):
    """A kind of life: what is done for it by poolkit, by hand, barest and anew, and with what.

    `played` are statements, as for `timeit`, so that no call comes on top of a life.
    """

    played: tuple[str, str, str, str]
    ours: Callable[[], Any] = Bare
    hand: Callable[[Any, int], Any] = HandPool
    sprite: Callable[[], Any] = HandSprite
    at_rest: int = AT_REST
    settings: Mapping[str, Any] = MappingProxyType({})
    reuse: Mapping[str, Any] = MappingProxyType({})
    around: Callable[[], dict[str, Any]] = dict  # further names, and each way's `update`
    a_frame: int = 0  # lives, where the statements are those of a whole frame
    bar: tuple[float, float] | None = None  # what poolkit may take of by hand, and its aim


WORK = """\
def work(pieces):
    for _ in range(pieces // {a_frame}):
        {frame}
        update({step})
"""
EACH = """\
for _ in range({a_frame}):
            {life}"""


def ways(row: Row) -> dict[str, Work]:
    """Return the four ways of playing a row."""
    around: dict[str, Any] = {
        "P": (320.0, 40.0),
        "Q": (300.0, 0.0),
        "Plain": Plain,
        "Health": Health,
    }
    around |= {"GROUPS": [pygame.sprite.Group() for _ in range(2)], "COUNT": row.a_frame}
    around |= row.around()
    Plain.everyone.empty()
    system, settings = PoolingSystem(), PoolSettings(prespawn=row.at_rest, **row.settings)
    system.configure(**row.reuse)
    prefab: Prefab[Any] = Prefab(
        around.get("ours", row.ours), groups=[PooledGroup()], settings=settings
    )
    system.register(prefab)
    pool = around.get("pool") or row.hand(row.sprite, row.at_rest)
    free = [row.sprite() for _ in range(row.at_rest)]
    names: dict[str, dict[str, Any]] = {
        POOLKIT: {"spawn": partial(system.spawn, prefab), "end": system.despawn},
        BY_HAND: {"spawn": pool.spawn, "despawn": pool.despawn},
        BAREST: {"pop": free.pop, "push": free.append},
        ANEW: {},
    }
    a_frame = row.a_frame or A_FRAME
    found = {}
    for (way, known), played in zip(names.items(), row.played, strict=True):
        passing = [around[f"update {way}"]] if f"update {way}" in around else []
        if way == POOLKIT:
            passing.insert(0, system.update)
        space = {**around, **known, "alive": [], "update": _all_of(passing)}
        frame = played if row.a_frame else EACH.format(a_frame=a_frame, life=played)
        exec(WORK.format(a_frame=a_frame, frame=frame, step=STEP), space)  # noqa: S102 - ours
        found[way] = space["work"]
    return found


def _all_of(updates: list[Callable[[float], object]]) -> Callable[[float], object]:
    if len(updates) == 1:
        return updates[0]

    def update(dt: float) -> None:
        for each in updates:
            each(dt)

    return update


# -- rows ----------------------------------------------------------------------------------------


def _timers(seconds: float, at_rest: int = AT_REST) -> dict[str, Any]:
    timers = HandTimers()

    class Timed(Bare):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            self.scope.after(seconds, self.kill)

    class HandTimed(HandSprite):
        def spawned(self, _position: Any, velocity: Any) -> None:
            self.velocity = velocity
            timers.after(seconds, self, despawn)

    class New(Plain):
        everyone: pygame.sprite.Group[Any] = pygame.sprite.Group()

        def __init__(self, position: Any, velocity: Any) -> None:
            super().__init__(position)
            self.velocity = velocity
            self.left = seconds

        def update(self, dt: float) -> None:
            self.left -= dt
            if self.left <= 0:
                self.kill()

    pool = DataPool(HandTimed, at_rest)
    despawn = pool.despawn
    free = [HandSprite() for _ in range(at_rest)]
    queue = deque[Any]()  # all timers take equally long: no heap, no counter, no function
    now = [0.0]

    def advance(dt: float) -> None:
        now[0] += dt
        while queue and queue[0][0] <= now[0]:
            _, sprite, life = queue.popleft()
            if sprite.life == life:
                sprite.life += 1
                free.append(sprite)

    def start(sprite: Any) -> None:
        queue.append((now[0] + seconds, sprite, sprite.life))

    updates = {BY_HAND: timers.update, BAREST: advance, ANEW: New.everyone.update}
    known = {"ours": Timed, "pool": pool, "start": start, "New": New, "free": free}
    return {**known, **{f"update {way}": update for way, update in updates.items()}}


def _bodies() -> dict[str, Any]:
    world, space, small, another = PhysicsWorld(), pymunk.Space(), pymunk.Space(), pymunk.Space()
    spaces = {POOLKIT: world.space, BY_HAND: space, BAREST: small, ANEW: another}
    known = {
        "ours": partial(Bodied, world),
        "pool": BodyPool(BodySprite, AT_REST, space),
        "small": small,
        "another": another,
        "BodySprite": BodySprite,
        "everyone": pygame.sprite.Group(),
    }
    # A space forgets only in a step whom it held.
    return {**known, **{f"update {way}": inside.step for way, inside in spaces.items()}}


KILLED, DESPAWNED = "spawn(P).kill()", "despawn(spawn(P))"
TAKEN, GIVEN = "one = pop(); one.rect.center = P", "push(one)"
BARE = (KILLED, DESPAWNED, f"{TAKEN}; {GIVEN}", "Plain(P).kill()")
HOOKS = "one.health.spawned(); one.health.despawned()"
RENEWED = "alive[:] = [{} for _ in range(COUNT)]"
ENTERED = "one.body.position = P; one.body.velocity = (0, 0); both = one.body, one.shape"
BUILT = "one.rect.center = P; everyone.add(one); one.body.position = P; both = one.body, one.shape"
ASKED = "two = handle[0] if handle[0].life == handle[1] else None"


def _placed(position: tuple[float, float], sprite: Any) -> Any:
    sprite.rect.center = position
    return sprite


def _limited(count: int) -> Row:
    return Row(
        (
            f"for one in alive: one.kill()\n        {RENEWED.format('spawn(P)')}",
            f"for one in alive: despawn(one)\n        {RENEWED.format('spawn(P)')}",
            f"for one in alive: push(one)\n        {RENEWED.format('take(P, pop())')}",
            f"for one in alive: one.kill()\n        {RENEWED.format('Plain(P)')}",
        ),
        at_rest=count,
        settings={"limit": count},
        around=lambda: {
            "pool": (pool := WaitingPool(HandSprite, 2 * count, count)),
            f"update {BY_HAND}": pool.update,
            "take": _placed,
        },
        reuse={"reuse": "next_update"},
        a_frame=count,
    )


ROWS = {
    "nothing: a bare sprite": Row(BARE),
    "nothing: a plain pygame sprite": Row(("end(spawn(P))", *BARE[1:]), ours=Plain),
    "a component with two hooks": Row(
        (
            KILLED,
            DESPAWNED,
            f"{TAKEN}; {HOOKS}; {GIVEN}",
            f"one = Plain(P); one.health = Health(); {HOOKS}; one.kill()",
        ),
        Healthy,
        ComponentPool,
        HandHealthy,
        bar=(1.15, 1.0),
    ),
    "spawn data that a hook names": Row(
        (
            "spawn(P, velocity=Q).kill()",
            "despawn(spawn(P, velocity=Q))",
            f"{TAKEN}; one.velocity = Q; {GIVEN}",
            "one = Plain(P); one.velocity = Q; one.kill()",
        ),
        Shot,
        DataPool,
        HandShot,
        bar=(1.5, 1.2),
    ),
    "a hook that names position": Row(
        (
            KILLED,
            DESPAWNED,
            f"{TAKEN}; one.start = P; {GIVEN}",
            "one = Plain(P); one.start = P; one.kill()",
        ),
        Marker,
        DataPool,
        HandMarker,
        bar=(1.5, 1.2),
    ),
    "a hook that names reason": Row(
        (
            KILLED,
            DESPAWNED,
            f"{TAKEN}; one.reason = 'killed'; {GIVEN}",
            "one = Plain(P); one.reason = 'killed'; one.kill()",
        ),
        Victim,
        ReasonPool,
        HandVictim,
        bar=(1.5, 1.2),
    ),
    "data, a timer, and ends early": Row(
        (
            "spawn(P, velocity=Q).kill()",
            "despawn(spawn(P, velocity=Q))",
            f"{TAKEN}; one.velocity = Q; start(one); one.life += 1; {GIVEN}",
            "New(P, velocity=Q).kill()",
        ),
        around=partial(_timers, 1.5),
        bar=(2.0, 1.5),
    ),
    "data, a timer that ends it": Row(
        (
            "spawn(P, velocity=Q)",
            "spawn(P, velocity=Q)",
            "one = free.pop(); one.rect.center = P; one.velocity = Q; start(one)",
            "New(P, velocity=Q)",
        ),
        at_rest=ALL_FIRING,
        around=partial(_timers, FIRES, ALL_FIRING),
        bar=(2.0, 1.5),
    ),
    "a child that ends with it (a pair)": Row(
        (
            "one = spawn(P); spawn(Q, parent=one); one.kill()",
            "one = spawn(P); spawn(Q, parent=one); despawn(one)",
            f"{TAKEN}; two = one.child = pop(); two.rect.center = Q; push(one.child); {GIVEN}",
            "one = Plain(P); two = one.child = Plain(Q); one.child.kill(); one.kill()",
        ),
        hand=ParentPool,
        sprite=HandParent,
        bar=(2.5, 1.5),
    ),
    "two more groups": Row(
        (
            "spawn(P, groups=GROUPS).kill()",
            "despawn(spawn(P, groups=GROUPS))",
            f"{TAKEN}; one.add(GROUPS); one.kill(); {GIVEN}",
            "one = Plain(P); one.add(GROUPS); one.kill()",
        ),
        hand=GroupsPool,
        bar=(2.5, 1.5),
    ),
    "a handle, taken and asked": Row(
        (
            "one = spawn(P); handle = one.handle(); one.kill(); handle.get()",
            f"one = spawn(P); handle = (one, one.life); despawn(one); {ASKED}",
            f"{TAKEN}; handle = (one, one.life); one.life += 1; {GIVEN}; {ASKED}",
            "one = Plain(P); one.kill(); two = one if one.alive() else None",
        ),
        bar=(2.5, 1.5),
    ),
    LIMIT.format(FEW): _limited(FEW),
    LIMIT.format(MANY): _limited(MANY),
    "a limit, where the oldest makes room": Row(
        (
            "spawn(P)",
            "spawn(P)",
            "one = ring[0]; ring.rotate(-1); one.rect.center = P",
            "ring.append(Plain(P)); ring.popleft().kill()",
        ),
        hand=OldestPool,
        settings={"limit": AT_REST, "overflow": RecycleOldest()},
        around=lambda: {"ring": deque(Plain() for _ in range(AT_REST))},
    ),
    "a body, a shape and their reset": Row(
        (
            KILLED,
            DESPAWNED,
            f"{TAKEN}; {ENTERED}; small.add(*both); small.remove(*both); {GIVEN}",
            f"one = BodySprite(); {BUILT}; another.add(*both); another.remove(*both); one.kill()",
        ),
        sprite=BodySprite,
        around=_bodies,
        bar=(1.2, 1.0),
    ),
}


# -- what is left behind -------------------------------------------------------------------------


def _with_timers() -> Work:
    """Half of the lives end early, half by their timers."""
    early, fired = (ways(ROWS[name])[POOLKIT] for name in ROWS if "a timer" in name)

    def work(pieces: int) -> None:
        early(pieces // 2)
        fired(pieces // 2)

    return work


def _whole_frames() -> Work:
    """Bodies begin and end, the world moves on, all is drawn."""
    world, group, system = PhysicsWorld(gravity=(0, 900)), PooledGroup(), PoolingSystem()
    screen, settings = pygame.Surface((640, 360)), PoolSettings(prespawn=3 * A_FRAME)
    prefab = Prefab(partial(Bodied, world), groups=[group], settings=settings)
    places = [(12.0 * number, 0.0) for number in range(A_FRAME)]
    alive = deque(system.spawn_many(prefab, places))

    def work(pieces: int) -> None:
        for _ in range(pieces // A_FRAME):
            for place in places:
                alive.popleft().kill()
                alive.append(system.spawn(prefab, place))
            system.update(STEP)
            world.step(STEP)
            group.draw(screen)

    return work


def _recycling_in_callbacks() -> Work:
    """Each contact spawns another at the limit: the oldest life ends inside the step."""
    world, system, limit, at_once = PhysicsWorld(), PoolingSystem(), 10, 5
    anvil = pymunk.Circle(world.space.static_body, 20)
    anvil.collision_type, anvil.sensor = 1, True
    world.space.add(anvil)
    settings = PoolSettings(prespawn=limit, limit=limit, overflow=RecycleOldest())
    prefab = Prefab(partial(Bodied, world, 2), groups=[PooledGroup()], settings=settings)
    contacts = 0

    def strike(*_: Any) -> None:
        nonlocal contacts
        contacts += 1
        system.spawn(prefab, (0.0, 0.0))

    world.on_collision(1, 2, begin=strike)
    system.spawn_many(prefab, [(0.0, 0.0)] * at_once)

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
) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    few = max(2, turns // 4)
    rows = {}
    for name, row in ROWS.items():
        if row.a_frame == MANY:
            rows[name] = contest(ways(_limited(many)), turns=few, pieces=many).figures()
        else:
            rows[name] = contest(ways(row), turns=turns, pieces=pieces).figures()
    return {
        "rows": rows,
        "programs": {
            FIRST.format(alive): contest(
                games.shots(alive, 1.5, timed=True), turns=few, samples=frames
            ).figures()
            for alive in (100, 1_000)
        },
        "steady": {
            f"{round(cycles * part):,} {name}": left_behind(prepare(), round(cycles * part))
            for name, (prepare, part) in STEADY.items()
        },
    }


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    takes = {name: found[BY_HAND]["ours takes"][1] for name, found in results["rows"].items()}
    growth = takes[LIMIT.format(MANY)] / takes[LIMIT.format(FEW)]
    grown = f"that ratio where {MANY:,} end in the frame, to where {FEW} do"
    return [
        *(
            Verdict(
                what=f"{name}: poolkit to by hand",
                figure=takes[name],
                at_most=row.bar[0],
                aim=row.bar[1],
            )
            for name, row in ROWS.items()
            if row.bar
        ),
        Verdict(what=grown, figure=growth, at_most=1.2, aim=1.0),
        *(
            Verdict(
                what=f"{name}: a frame of poolkit to one of plain sprites built anew",
                figure=found[ANEW]["ours takes"][1],
                at_most=1.0,
            )
            for name, found in results["programs"].items()
        ),
        *(
            Verdict(what=f"{what} of {name}", figure=figure, at_most=0)
            for name, left in results["steady"].items()
            for what, figure in left.items()
        ),
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as tables."""
    everyone = (POOLKIT, BY_HAND, BAREST, ANEW)
    rows = [["a life that has", *everyone, "poolkit takes of by hand", BAREST, ANEW]]
    for name, found in results["rows"].items():
        takes = [found[way]["ours takes"] for way in everyone[1:]]
        times = [f"{found[way]['median']:.2f}" for way in everyone]
        rows.append([name, *times, bracketed(takes[0]), *(f"{each[1]:.2f}" for each in takes[1:])])
    return "\n".join(
        [
            f"microseconds of {CLOCK_NAME} from spawn to despawn, medians of turns; quartiles of",
            f"the ratios in brackets\n\n{table(rows)}\n",
            games.frames_as_text(results["programs"]),
            "",
            *(
                f"{name} leave {left['net blocks']} memory blocks "
                f"and ran the garbage collector {left['collections']} times"
                for name, left in results["steady"].items()
            ),
        ]
    )
