"""Prefabs that leak nothing, as games have them; `live`, if any, is what happens to them."""

# ruff: noqa: S311 - dice of a game; shapes of other people's code

from __future__ import annotations

import collections
import functools
import io
import itertools
import logging
import math
import random
import threading
import unittest.mock
import uuid
import weakref
from dataclasses import dataclass, field
from typing import Any, ClassVar

import blinker
import pygame
import pymunk

import leaky_shapes
from leaky_shapes import Thing
from poolkit import Handle, IPoolableComponent, PooledSprite, Scope, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

world = PhysicsWorld(gravity=(0, 500))
living: list[Any] = []
shapes: list[type] = []


shape = functools.partial(leaky_shapes.shape, into=shapes)
shape_that = functools.partial(leaky_shapes.shape_that, into=shapes)


@shape
class Slotted:
    __slots__ = ("__secret", "empty", "kept")

    def __init__(self) -> None:
        self.kept = 3
        self.__secret = 4

    def live(self) -> None:
        assert self.__secret == self.kept + 1


@shape
class ResetAtSpawn(Thing):
    def spawned(self, target: Any = None) -> None:
        self.health = 3
        self.target = pools.handle(target) if target else None
        self.loot: list[str] = []

    def update(self, dt: float) -> None:
        self.health -= int(dt > 0)
        self.loot.append("x")
        self.rotation += 5
        self.position = (40, 3)
        self.image = pygame.Surface((3, 3))


@shape_that(lambda it: it.hit())
class ResetByHelpers(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.reset()

    def spawned(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._heal()
        self.mood = "calm"

    def _heal(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1
        self.mood = "angry"


class Mover(IPoolableComponent):
    def spawned(self, facing: int = 1) -> None:
        self.facing = facing

    def turn(self) -> None:
        self.facing = -self.facing


class Hop(Mover):
    def spawned(self, facing: int = 1) -> None:
        super().spawned(facing)
        self.height = 0.0

    def update(self, dt: float) -> None:
        self.height += dt


@shape
class WithComponents(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.mover = self.add_component(Hop())
        self.bar = self.add_component(Bar())

    def spawned(self) -> None:
        self.bar.show(0)

    def live(self) -> None:
        self.mover.turn()
        self.mover.update(0.1)
        self.bar.flash()


class Bar(IPoolableComponent):
    """Its sprite calls what resets it."""

    def show(self, width: int) -> None:
        self.width = width
        self.color = "red"

    def flash(self) -> None:
        self.color = "white"
        self.width += 1


@shape_that(lambda it: it.arm())
class ResetIfNeeded(Thing):
    timer: Any = None

    def despawned(self) -> None:
        if self.timer is not None:
            self.timer()
            self.timer = None

    def arm(self) -> None:
        self.timer = self.scope.after(3, self.kill)


@shape_that(lambda it: it.anger())
class ScopedReset(Thing):
    angry = dazed = False

    def spawned(self) -> None:
        self.scope.callback(self.calm)
        self.scope.callback(lambda: setattr(self, "dazed", False))

    def calm(self) -> None:
        self.angry = False

    def anger(self) -> None:
        self.angry = self.dazed = True


@shape
class Scoped(Thing):
    heard: ClassVar[blinker.Signal] = blinker.Signal()

    def spawned(self) -> None:
        self.my_scope: Scope = self.scope
        self.me: Handle[Any] = self.handle()
        self.clock = 0
        self.scope.every(0.5, self.tick)
        self.scope.after(100, self.kill)
        self.scope.start(self.blink())
        self.scope.connect(self.heard, self.hear)

    def tick(self) -> None:
        self.clock += 1

    def hear(self, sender: object) -> None:
        pass

    def blink(self) -> Any:
        while True:
            yield 0.2


@shape_that(lambda it: it.draw_name())
class LazyFont(Thing):
    _font: Any = None
    _label: Any = None

    def draw_name(self) -> None:
        if self._font is None:
            pygame.font.init()
            self._font = pygame.font.Font(None, 12)
        assert self._font.size("orc")


@shape
class Scratch(Thing):
    """What is written before each use."""

    def update(self, dt: float) -> None:
        self.step = 3 * dt
        self.near: list[float] = []
        self.near.append(self.step)
        self.position = (self.step, 0)


@shape
class KeptByComment(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.best = 0  # poolkit: kept - the record of all lives
        self.log: list[str] = []  # poolkit: kept
        self.games = 0

    def score(self) -> None:
        self.best = max(self.best, 7)
        self.log.append("scored")
        self.games += 1  # poolkit: kept

    def train(self) -> None:  # poolkit: kept
        self.strength = 3

    def live(self) -> None:
        self.score()
        self.train()


@shape
class KeptByName(Thing):
    audit_ignore = ("best", "memory.*")

    def __init__(self) -> None:
        super().__init__()
        self.best = 0
        self.memory = Stats()

    def live(self) -> None:
        self.best = 9
        self.memory.strength = 1
        self.memory.wounds.append(1)


@dataclass
class Stats:
    strength: int = 5
    wounds: list[int] = field(default_factory=list)


@shape
class RandomStart(Thing):
    def spawned(self) -> None:
        self.side: float = random.choice((-1, 1))
        self.path = [random.randrange(9) for _ in range(random.randrange(4))]

    def update(self, dt: float) -> None:
        self.side += dt


@shape
class Numbered(Thing):
    numbers: ClassVar[itertools.count[int]] = itertools.count()
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Numbered.made += 1
        self.number = Numbered.made
        self.key = uuid.uuid4()

    def spawned(self) -> None:
        self.life_number = next(self.numbers)


@shape
class Registered(Thing):
    everyone: ClassVar[set[Any]] = set()

    def spawned(self) -> None:
        living.append(self)
        self.everyone.add(self)

    def despawned(self) -> None:
        living.remove(self)
        self.everyone.discard(self)


@shape_that(lambda it: it.look(45))
class CachedTurns(Thing):
    turned: ClassVar[dict[int, pygame.Surface]] = {}

    def look(self, degrees: int) -> None:
        assert self.image is not None
        if degrees not in self.turned:
            self.turned[degrees] = pygame.transform.rotate(self.image, degrees)
        self.image = self.turned[degrees]


@shape
class Bouncing(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 100)
        self.shape = pymunk.Circle(self.body, 8)
        self.add_component(RigidBody(world, self.body, self.shape))
        self.add_component(ResetPooledBodyComponent())

    def jump(self) -> None:
        self.body.velocity = (0, -300)
        self.body.angular_velocity += 1
        self.body.mass = 100
        self.shape.friction = 0

    def live(self) -> None:
        self.jump()
        world.step(0.1)


@shape
class Parts(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.hat = Hat()
        self.add_child(self.hat, (0, -8))
        self.add_child(Hat(), (0, -12), follow_rotation=False)

    def live(self) -> None:
        self.hat.position = (3, 3)
        self.children[1].kill()
        self.hat.tilt = 5


class Hat(PooledSprite):
    def spawned(self) -> None:
        self.tilt = 0


@shape
class SpawnsAnother(Thing):
    def spawned(self) -> None:
        self.bar: PooledSprite | None = pools.spawn(Hat, parent=self)

    def despawned(self) -> None:
        pools.spawn(Hat)

    def live(self) -> None:
        self.bar = None


@shape
class Cycles(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.ring: list[Any] = [self]
        self.ring.append(self.ring)
        self.back = weakref.ref(self)
        self.methods = [self.kill, self.update]
        self.calls = {"later": functools.partial(self.move, by=3)}
        self.fn = lambda: self

    def move(self, by: int) -> None:
        pass


@shape
class Resources(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self.log = logging.getLogger("game")
        self.clock = pygame.Clock()
        self.double: Any = unittest.mock.Mock(spec=PooledSprite)
        self.proxy = weakref.proxy(self)

    def live(self) -> None:
        self.clock.tick()
        self.double.kill()


@shape
class Collections(Thing):
    def spawned(self) -> None:
        self.counts = collections.Counter("aab")
        self.later: dict[str, list[int]] = collections.defaultdict(list)
        self.log = io.StringIO()
        self.turns = itertools.cycle("ab")
        self.big = 10**400

    def update(self, dt: float) -> None:
        self.counts["z"] += int(dt < 1)
        self.later["z"].append(4)
        self.log.write(next(self.turns))


@shape
class Rounds(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.speed = 0.3
        self.count = 3

    def live(self) -> None:
        self.speed = 0.1 + 0.2
        self.count = 3.0  # type: ignore[assignment]  # as games do


@shape
class CachedProperty(Thing):
    @functools.cached_property
    def table(self) -> dict[str, list[float]]:
        return {"radius": [4, math.nan]}

    def live(self) -> None:
        assert self.table["radius"][0] == 4


@shape_that(lambda it: it.hit())
class Setter(Thing):
    def spawned(self) -> None:
        self._current = 0
        self.current = 30

    @property
    def current(self) -> int:
        return self._current

    @current.setter
    def current(self, value: int) -> None:
        self._current = max(0, value)

    def hit(self) -> None:
        self.current -= 1


@shape
class Vectors(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.velocity = pygame.Vector2()
        self.heading = pygame.Vector2(1, 0)

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        self.velocity.update(velocity)
        self.heading.xy = 1, 0  # type: ignore[assignment]

    def update(self, dt: float) -> None:
        self.velocity.y += dt
        self.heading.rotate_ip(dt)


@shape
class Containers(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] = set()
        self.trail: collections.deque[int] = collections.deque(maxlen=3)
        self.tally = [0] * 3

    def spawned(self) -> None:
        self.seen = set()
        self.trail.clear()
        for place in range(3):
            self.tally[place] = 0

    def update(self, dt: float) -> None:
        self.seen |= {int(dt)}
        self.trail.append(3)
        self.tally[0] += 1


@shape_that(lambda it: it.work())
class Busy(Thing):
    is_busy = False

    def work(self) -> None:
        self.is_busy = True
        try:
            pass
        finally:
            self.is_busy = False


@shape
class Equipped(Thing):
    """What only construction calls."""

    def __init__(self) -> None:
        super().__init__()
        self._equip("club")

    def _equip(self, weapon: str) -> None:
        self.weapon = weapon


@shape
class Thrown(Thing):
    """Whoever spawns it says whose it is."""

    def take(self, owner: object) -> None:
        self.owner = owner


def throw(owner: object) -> Thrown:
    thrown = pools.spawn(Thrown)
    thrown.owner = owner
    return thrown


@shape
class Odd(Thing):
    """Compares itself, and answers, in its own way."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        return 1

    def __len__(self) -> int:
        raise RuntimeError

    @property
    def broken(self) -> int:
        raise RuntimeError
