"""What a life costs, from spawn to despawn: by poolkit, by hand, barest, and built each time.

A row is a kind of life, and all four do the same work for it, fifty lives a frame, with an update
after each frame, as in a game. The rows with a limit end all lives of a frame first and begin as
many then, and hand nothing out again before the next update.

- *By hand*: a pool as a careful user writes it for this very kind of life (`kinds`).
- *Barest*: a list of what is at rest, in place. No pool to call, no group, no guard, nothing that
  knows who is alive.
- *Built each time*: a plain `pygame.sprite.Sprite` in its group, dropped when its life is over.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pymunk
from pygame.sprite import Group

from benchmarks import kinds
from benchmarks.content import from_a_file
from benchmarks.frames import STEP, flights, shots
from benchmarks.kinds import AT_REST, Bare, Bodied, HandHealthy, Health, Healthy, Way, pooled
from benchmarks.measure import ANEW, BY_HAND, POOLKIT, WAYS, Contest, Size, left_behind, repeated
from benchmarks.report import hold
from poolkit import PooledGroup, PoolingSystem, PoolSettings, Prefab, RecycleOldest
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Work

A_FRAME = 50  # lives
FEW, MANY = 10, 10_000  # lives a frame, at a limit
LIMIT = "a limit, and {:,} end in the frame"
PLACE = (320.0, 40.0)
TAKEN = "one = pop(); one.rect.center = P"


def _usual(begin: str = "spawn(P)", barest: str = "", anew: str = "") -> tuple[str, ...]:
    """Return a life by poolkit, by hand, barest and built each time, with these parts."""
    return (
        f"{begin}.kill()",
        f"despawn({begin})",
        f"{TAKEN}; {barest}push(one)",
        f"one = Plain(P); {anew}one.kill()",
    )


def _ways(
    played: tuple[str, ...],
    ours: Way = None,
    theirs: Way = None,
    at_rest: int = AT_REST,
    at_once: int = 0,
    **names: Any,
) -> dict[str, Work]:
    """Return four ways to play a life: `ours`, `theirs` by hand, barest, built each time.

    `played` is what each does for a life: statements, as for `timeit`, so that no call comes on
    top; with more `names` in them. What stands on other lines is done once a frame, and all of it
    where it is for so many lives `at_once`. The barest way has so many `at_rest`.
    """
    # Poolkit's first: of instances that had no attributes at first, CPython 3.11 stores later ones
    # slowly, and a component by hand has none.
    ours = ours or pooled(Bare, at_rest)
    theirs = theirs or kinds.HandPool(kinds.HandSprite, at_rest)
    free = [theirs.kind() for _ in range(at_rest)]
    names |= {"P": PLACE, "Q": (300.0, 0.0), "S": STEP, "Plain": kinds.Plain, "update": ours.update}
    names |= {"despawn": theirs.despawn, "pop": free.pop, "push": free.append}
    names["prefab"] = ours.spawn.args[0]
    found: dict[str, Work] = {}
    for way, text in zip(WAYS, played, strict=True):
        names |= {"spawn": theirs.spawn if way == BY_HAND else ours.spawn.func, "alive": []}
        if way == POOLKIT:  # as games write it: a partial would be one more call
            text = text.replace("spawn(", "spawn(prefab, ")  # noqa: PLW2901
        lines = (text if at_once else f"for _ in range({A_FRAME}): {text}").split("\n")
        lines += ["update(S)"] * (way == POOLKIT)
        found[way] = repeated(names, *lines, at_once=at_once or A_FRAME)
    return found


def _timed(seconds: float, at_rest: int, kill: str, despawn: str, give: str) -> dict[str, Work]:
    """Return the ways of a life with data and a timer, and of what ends it before, if anything."""
    ours, _, theirs, flying = shots(at_rest, seconds)

    class New(flying.spawn):  # type: ignore[misc,name-defined]  # a class
        def update(self, dt: float) -> None:
            self.left -= dt
            if self.left <= 0:
                self.kill()

    # All timers take equally long: in the barest way they need no heap, counter or function.
    advance = """
now[0] += S
while queue and queue[0][0] <= now[0]:
    _, two, life = queue.popleft()
    if two.life == life:
        two.life += 1
        push(two)"""
    played = (
        f"one = spawn(P, velocity=Q){kill}",
        f"one = spawn(P, velocity=Q){despawn}\npass_time(S)",
        f"{TAKEN}; one.velocity = Q; queue.append((now[0] + L, one, one.life)){give}{advance}",
        f"one = New(P, Q){kill}\nage(S)",
    )
    names: dict[str, Any] = {"queue": deque(), "now": [0.0], "L": seconds, "New": New}
    names |= {"pass_time": theirs.update, "age": flying.group.update}
    return _ways(played, ours, theirs, at_rest, **names)


def _limited(count: int) -> dict[str, Work]:
    """Return the ways of a limit, at which all end in a frame and as many begin."""

    def frame(end: str, begin: str, after: str = "") -> str:
        return f"for one in alive: {end}\nalive[:] = [{begin} for _ in range({count})]\n{after}"

    ours, waiting = pooled(Bare, count, limit=count), list[Any]()
    pool = kinds.WaitingPool(kinds.HandSprite, 2 * count, limit=count, waiting=waiting)
    played = (
        frame("one.kill()", "spawn(P)"),
        frame("despawn(one)", "spawn(P)", "ready(waiting); waiting.clear()"),
        frame("push(one)", "pop()", "for one in alive: one.rect.center = P"),
        frame("one.kill()", "Plain(P)"),
    )
    return _ways(played, ours, pool, count, count, ready=pool.inactive.extend, waiting=waiting)


def _bodied() -> dict[str, Work]:
    """Return the ways of a body; a space forgets only in a step what it held."""
    world, theirs = PhysicsWorld(), kinds.bodies(kinds.BodyPool, AT_REST)
    ours = pooled(partial(Bodied, world))
    enter = "one.body.position = P; space.add(one.body, one.shape)"
    leave, step = "space.remove(one.body, one.shape)", "space.step(S)"
    played = (
        "spawn(P).kill()\nworld.step(S)",
        "despawn(spawn(P))\nhand.step(S)",
        f"{TAKEN}; {enter}; one.body.velocity = (0, 0); {leave}; push(one)\n{step}",
        f"one = new(); one.rect.center = P; one.add(group); {enter}; {leave}; one.kill()\n{step}",
    )
    names = {"world": world.space, "hand": theirs.world, "space": pymunk.Space()}
    return _ways(played, ours, theirs, group=Group(), new=kinds.BodySprite, **names)


def _built() -> dict[str, Work]:
    """Return the ways of a body that is built for its life, where nothing waits for it."""
    places = [(x * 40.0, y * 40.0) for x in range(20) for y in range(10)]

    def by_poolkit(_: int) -> None:
        way = pooled(partial(Bodied, PhysicsWorld()), 0)
        for place in places:
            way.spawn(place)

    def by_hand(_: int) -> None:
        space, group = pymunk.Space(), Group[Any]()
        for place in places:
            one = kinds.BodySprite()
            one.rect.center = one.body.position = place
            space.add(one.body, one.shape)
            group.add(one)

    return {POOLKIT: by_poolkit, BY_HAND: by_hand}


class Life(NamedTuple):
    """A kind of life, and who plays it: poolkit's sprite, a pool by hand, and its sprite."""

    name: str
    most: float | None  # of what it takes by hand, where it is played alone
    played: tuple[str, ...]
    kind: Any = Bare
    pool: Any = kinds.HandPool
    hand: Any = kinds.HandSprite
    names: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it


def _hooked(name: str, begin: str, pool: Any, hook: str, given: str) -> Life:
    """Return the life of a sprite whose hook names something."""
    hooks: dict[str, Any] = {}
    exec(f"def {hook}(self, {given}): self.given = {given}", {}, hooks)  # noqa: S102 - our own
    ours, theirs = (type("Hooked", (base,), hooks) for base in (Bare, kinds.HandSprite))
    played = _usual(begin, "one.given = Q; ", "one.given = Q; ")
    return Life(name, 1.5, played, ours, pool, theirs)


def _with_components() -> Iterator[Life]:
    called = "one.health.spawned(); one.health.despawned(); "
    played = _usual(barest=called, anew=f"one.health = Health(); {called}")
    new: dict[str, Any] = {"Health": Health, "Thrust": kinds.Thrust}
    name = "a component with two hooks"
    yield Life(name, 1.2, played, Healthy, kinds.ComponentPool, HandHealthy, new)
    called = "one.health.spawned(); one.thrust.spawned(Q); one.health.despawned(); "
    anew = f"one.health = Health(); one.thrust = Thrust(); {called}"
    played = _usual("spawn(P, velocity=Q)", called, anew)
    name, theirs = "two components that want different things", kinds.HandFlying
    yield Life(name, None, played, kinds.Flying, kinds.FlyingPool, theirs, new)


def _with_options() -> Iterator[Life]:
    played: tuple[str, ...] = (
        "one = spawn(P); spawn(Q, parent=one); one.kill()",
        "one = spawn(P); spawn(Q, parent=one); despawn(one)",
        f"{TAKEN}; two = one.child = pop(); two.rect.center = Q; push(one.child); push(one)",
        "one = Plain(P); two = one.child = Plain(Q); one.child.kill(); one.kill()",
    )
    name, theirs = "a child that ends with it (a pair)", kinds.HandParent
    yield Life(name, 2.5, played, pool=kinds.ParentPool, hand=theirs)
    played = _usual("spawn(P, groups=GS)", "one.add(GS); one.kill(); ", "one.add(GS); ")
    names = {"GS": [Group[Any]() for _ in range(2)]}
    yield Life("two more groups", 2.0, played, pool=kinds.GroupsPool, names=names)
    asked = "two = handle[0] if handle[0].life == handle[1] else None"
    played = (
        "one = spawn(P); handle = one.handle(); one.kill(); handle.get()",
        f"one = spawn(P); handle = (one, one.life); despawn(one); {asked}",
        f"{TAKEN}; handle = (one, one.life); one.life += 1; push(one); {asked}",
        "one = Plain(P); one.kill(); two = one if one.alive() else None",
    )
    yield Life("a handle, taken and asked", 1.5, played)


BARE = Life("nothing: a bare sprite", None, _usual())
COMPONENT, TWO_COMPONENTS = _with_components()
DATA = _hooked(
    "spawn data that a hook names", "spawn(P, data=Q)", kinds.DataPool, "spawned", "data"
)
POSITION = _hooked("a hook that names position", "spawn(P)", kinds.PlacePool, "spawned", "position")
REASON = _hooked("a hook that names reason", "spawn(P)", kinds.ReasonPool, "despawned", "reason")
PARENT, GROUPS, HANDLE = _with_options()


def _alone(life: Life) -> tuple[str, float | None, dict[str, Work]]:
    """Return a row of one kind of life, over and over."""
    ours = pooled(life.kind)
    return life.name, life.most, _ways(life.played, ours, life.pool(life.hand), **life.names)


def _rows(many: int) -> Iterator[tuple[str, float | None, dict[str, Work]]]:
    """Yield each kind of life with its bar and its ways, made only when it is asked for."""
    yield _alone(BARE)
    system, played = PoolingSystem(), ("end(spawn(P))", *_usual()[1:])
    plain = _ways(played, pooled(kinds.Plain, AT_REST, system), end=system.despawn)
    yield "nothing: a plain pygame sprite", None, plain
    yield from map(_alone, (COMPONENT, TWO_COMPONENTS, DATA, POSITION, REASON))
    early = _timed(1.5, AT_REST, "; one.kill()", "; despawn(one)", "; one.life += 1; push(one)")
    yield "data, a timer, and ends early", 2.0, early
    yield "data, a timer that ends it", 2.0, _timed(0.108, 9 * A_FRAME, "", "", "")
    yield from map(_alone, (PARENT, GROUPS, HANDLE))
    yield LIMIT.format(FEW), None, _limited(FEW)
    yield LIMIT.format(MANY), None, _limited(many)
    played = (
        "spawn(P)",
        "spawn(P)",
        "one = ring[0]; ring.rotate(-1); one.rect.center = P",
        "ring.append(Plain(P)); ring.popleft().kill()",
    )
    ring = deque(kinds.Plain() for _ in range(AT_REST))
    ours = pooled(Bare, AT_REST, limit=AT_REST, overflow=RecycleOldest())
    pool = kinds.OldestPool(kinds.HandSprite, AT_REST, active=OrderedDict())
    yield "a limit, where the oldest makes room", None, _ways(played, ours, pool, ring=ring)
    yield "a body, a shape and their reset", 1.2, _bodied()


def lives(size: Size) -> Iterator[Contest]:
    """Measure lives, what a steady state leaves behind, and the README's first program."""
    cycles, to_by_hand = size(100_000), {}
    for name, most, ways in _rows(size(MANY)):
        pieces, turns = (size(MANY), 5) if name == LIMIT.format(MANY) else (2_000, 21)
        yield (contest := Contest(name, ways, turns, pieces=pieces, most=most))
        to_by_hand[name] = contest.ratio(POOLKIT, BY_HAND)[1]
        if "timer" in name or "body" in name:
            blocks, collections = left_behind(ways[POOLKIT], cycles)
            hold(f"memory blocks left by {cycles:,} lives: {name}", blocks, 0)
            hold(f"collections in {cycles:,} lives: {name}", collections, 0)
    yield Contest("a body that is built for its life", _built(), 21, pieces=200, most=2.0)
    yield from_a_file()
    few, many = (to_by_hand[LIMIT.format(count)] for count in (FEW, MANY))
    hold(f"that ratio where {MANY:,} end in the frame, to where {FEW} do", many / few, 1.2)
    for alive in (100, 1_000):
        name = f"a frame of the README's first program, {alive:,} alive"
        yield Contest(name, flights(alive, 1.5, timed=True), 5, 60, most=1.0, to=ANEW)


# -- scale ----------------------------------------------------------------------------------------


def _large_pools(count: int) -> dict[str, Work]:
    """Return the ways of a life in a pool of so many, of which half are alive.

    The rest wait their turn in a queue, so that each spawn takes the one that was touched the
    longest ago: its memory is in no cache.
    """
    ours, theirs = pooled(Healthy, count), kinds.ComponentPool(HandHealthy, count)
    for begin in (ours.spawn, theirs.spawn):
        for _ in range(count // 2):
            begin(PLACE)
    names = {"spawn": ours.spawn.func, "prefab": ours.spawn.args[0], "pool": theirs, "P": PLACE}
    ways = {POOLKIT: "spawn(prefab, P).kill()", BY_HAND: "pool.despawn(pool.spawn(P))"}
    return {way: repeated(names, text) for way, text in ways.items()}


def _many_pools(count: int) -> dict[str, Work]:
    """Return the ways of a life in so many pools, each time in another than the one before."""
    system, group, settings = PoolingSystem(), PooledGroup(), PoolSettings(prespawn=4)
    prefabs = [Prefab(Healthy, groups=[group], settings=settings) for _ in range(count)]
    for prefab in prefabs:
        system.register(prefab)
    alike, keys = Group[Any](), [f"monster {number}" for number in range(count)]
    pools = {key: kinds.ComponentPool(HandHealthy, 4, group=alike) for key in keys}
    turns = {"prefabs": itertools.cycle(prefabs), "monsters": itertools.cycle(keys)}
    names = {"spawn": system.spawn, "pools": pools, "P": PLACE, **turns}
    by_hand = "pool = pools[next(monsters)]; pool.despawn(pool.spawn(P))"
    by_poolkit = "spawn(next(prefabs), P).kill()"
    return {POOLKIT: repeated(names, by_poolkit), BY_HAND: repeated(names, by_hand)}


def scale(size: Size) -> Iterator[Contest]:
    """Measure lives in large pools, and where there are many; and prewarming many.

    No time passes: what ends may begin again at once. Only the largest sizes have bars.
    """
    for axis, prepare, sizes, most in (
        ("instance{} in a pool", _large_pools, (10, 1_000, 10_000, 200_000), 1.3),
        ("pool{}", _many_pools, (1, 100, 1_000, 5_000), 1.5),
    ):
        for whole in sizes:
            bar, count = most if whole == sizes[-1] else None, size(whole)
            name = f"{count:,} {axis.format('s' if count > 1 else '')}"
            yield Contest(name, prepare(count), 7, pieces=20_000, most=bar)
    loaded = size(1_000)

    def load(prespawn: int) -> PoolingSystem:
        system, settings = PoolingSystem(), PoolSettings(prespawn=prespawn)
        prefabs = [system.register(Prefab(Healthy, settings=settings)) for _ in range(loaded)]
        if not prespawn:
            deque(system.prewarm(dict.fromkeys(prefabs, 50)), 0)
        return system

    ways = {POOLKIT: lambda _: load(0), "by register": lambda _: load(50)}
    name = f"{loaded:,} pools are prewarmed, an instance of 50 in each"
    yield Contest(name, ways, 3, pieces=50 * loaded, most=1.3, to="by register")
