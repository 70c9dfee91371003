"""Fifty prefabs that leak nothing, as games have them; `live`, if any, is what happens to them."""

# ruff: noqa: S311 - dice of a game; shapes of other people's code

from __future__ import annotations

import collections
import enum
import functools
import io
import itertools
import logging
import math
import random
import threading
import time
import unittest.mock
import uuid
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import blinker
import pygame
import pymunk

from poolkit import DespawnReason, Handle, IPoolableComponent, PooledSprite, Scope, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

world = PhysicsWorld(gravity=(0, 500))
living: list[Any] = []
shapes: list[type] = []


def shape(kind: type) -> type:
    shapes.append(kind)
    return kind


def shape_that(live: Callable[[Any], object]) -> Callable[[type], type]:
    """Say what happens in a life of a shape."""

    def enter(kind: Any) -> type:
        kind.live = live
        return shape(kind)

    return enter


class Thing(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))


@shape
class Nothing:
    pass


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


@shape
class ResetAtDespawn(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.debuffs: dict[str, int] = {}

    def despawned(self, reason: DespawnReason) -> None:
        self.debuffs.clear()
        self.prey: Any = None
        if reason is DespawnReason.RESET:
            return

    def spawned(self) -> None:
        self.prey = None

    def live(self) -> None:
        self.debuffs["slow"] = 3
        self.prey = 4


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


@shape_that(lambda it: it.grow())
class BothBranches(Thing):
    def spawned(self, strong: bool = False) -> None:  # noqa: FBT001, FBT002
        if strong:
            self.power, self.size = 9, 2
        else:
            self.power = 3
            self.size = 1

    def grow(self) -> None:
        self.power += 1
        self.size += 1


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
class LazyPicture(Thing):
    _overlay: Any = None

    @property
    def overlay(self) -> pygame.Surface:
        if self._overlay is None:
            self._overlay = pygame.Surface((4, 4))
        return self._overlay  # type: ignore[no-any-return]

    def draw(self, screen: pygame.Surface) -> None:
        screen.blit(self.overlay, (0, 0))


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


@dataclass(slots=True)
class Purse:
    gold: float = math.nan


@shape
class Dataclasses(Thing):
    def spawned(self) -> None:
        self.stats = Stats()
        self.purse = Purse()

    def live(self) -> None:
        self.stats.wounds.append(3)
        self.purse.gold = 3


@shape
class RandomStart(Thing):
    def spawned(self) -> None:
        self.side: float = random.choice((-1, 1))
        self.path = [random.randrange(9) for _ in range(random.randrange(4))]

    def update(self, dt: float) -> None:
        self.side += dt


@shape_that(lambda it: it.dice.random())
class RandomBuild(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.hue = random.randrange(1_000_000)
        self.name = "".join(random.choices("abc", k=9))
        self.dice = random.Random()


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
class SerialOfTheClass(Thing):
    """A number for each life, from the class."""

    serial = 0

    def spawned(self) -> None:
        type(self).serial += 1
        self.me = self.serial


@shape
class CountsTheLiving(Thing):
    alive_now = 0

    def spawned(self) -> None:
        type(self).alive_now += 1

    def despawned(self) -> None:
        type(self).alive_now -= 1


@shape
class Timestamped(Thing):
    def spawned(self) -> None:
        self.born = time.perf_counter()


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


@functools.cache
def frames() -> tuple[pygame.Surface, ...]:
    return tuple(pygame.Surface((4, number + 1)) for number in range(4))


@shape
class Animated(PooledSprite):
    def __init__(self) -> None:
        self.frames = frames()
        super().__init__(self.frames[0])
        self.world = world

    def spawned(self) -> None:
        self.clock = 0.0

    def update(self, dt: float) -> None:
        self.clock += dt
        self.image = self.frames[int(self.clock * 8) % 4]


@shape
class OwnPictures(Thing):
    def spawned(self) -> None:
        self.overlay = pygame.Surface((4, 4), pygame.SRCALPHA)
        self.overlay.fill("red")
        self.mask = pygame.mask.from_surface(self.overlay)

    def live(self) -> None:
        self.overlay.set_at((0, 0), "blue")
        self.mask.clear()


class Mood(enum.Enum):
    CALM = enum.auto()
    ANGRY = enum.auto()


@shape
class Enums(Thing):
    def spawned(self) -> None:
        self.mood = Mood.CALM
        self.by_mood = {Mood.CALM: 1, Mood.ANGRY: 2}

    def live(self) -> None:
        self.mood = Mood.ANGRY
        self.by_mood[Mood.CALM] = 9


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
class Jointed(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.arm = pymunk.Body(1, 100), pymunk.Body(1, 100)
        self.arm.position = (20, 0)
        parts = pymunk.Circle(self.body, 8), pymunk.Circle(self.arm, 4)
        joint = pymunk.PinJoint(self.body, self.arm)
        self.add_component(RigidBody(world, self.body, self.arm, *parts, joint))
        self.add_component(ResetPooledBodyComponent())

    def update(self, dt: float) -> None:
        self.body.apply_impulse_at_local_point((100 * dt, 5), (3, 3))


@shape
class Collisions(Thing):
    """The same callback is registered at every spawn, in place of the last."""

    def __init__(self) -> None:
        super().__init__()
        body = pymunk.Body(1, 100)
        self.add_component(RigidBody(world, body, pymunk.Circle(body, 8)))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        world.on_collision(1, 2, begin=touch)


def touch(*_: object) -> None:
    pass


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
class EndsItself(Thing):
    def spawned(self) -> None:
        self.age = 0.0

    def update(self, dt: float) -> None:
        self.age += dt
        if self.age > 1:
            self.kill()


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
class PlainSprite(pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect: pygame.Rect = self.image.get_rect()

    def update(self) -> None:
        self.rect.move_ip(1, 0)


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


@shape
class Handed(Thing):
    """What is handed in is the game's."""

    def hit(self, other: Any, game: Any) -> None:
        other.health.current = 0
        other.targets.append(3)
        game.score += 1


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


class Speed(NamedTuple):
    walk: float
    run: float


@shape
class Tuples(Thing):
    speed = Speed(1, 2)
    table: ClassVar[dict[str, list[int]]] = {"orc": [3, 4]}

    def spawned(self) -> None:
        self.pace = self.speed.walk

    def update(self, dt: float) -> None:
        self.pace = self.speed.run * dt


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


@shape
class Coroutine(Thing):
    def spawned(self) -> None:
        self.number = 0
        self.scope.start(self.count())

    def count(self) -> Any:
        while True:
            yield 0.5
            self.number += 1


@shape
class Descriptor(Thing):
    """Resets through a descriptor of the game's own."""

    def spawned(self) -> None:
        self.power = 3

    def live(self) -> None:
        self.power = 9
