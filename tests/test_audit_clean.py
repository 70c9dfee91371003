"""Prefabs of many shapes that leak nothing, and of which an audit says nothing at all.

Every class here is a prefab; `live`, where there is one, is what happens to it in its first life.
"""

# ruff: noqa: S311 - a game's dice need no cryptography

from __future__ import annotations

import collections
import enum
import functools
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
import pytest

from poolkit import (
    Handle,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    Prefab,
    Scope,
    pools,
)
from poolkit.devtools import audit
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

world = PhysicsWorld(gravity=(0, 500))
crowd = PooledGroup()
clean: list[Any] = []


def no_leak(**options: Any) -> Callable[[type], type]:
    """Put a prefab among the clean ones."""

    def enter(kind: type) -> type:
        clean.append(pytest.param(kind, options, id=kind.__name__))
        return kind

    return enter


class Thing(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))


@no_leak()
class Nothing:
    pass


@no_leak()
class WithSlots:
    __slots__ = ("__secret", "empty", "kept")

    def __init__(self) -> None:
        self.kept = 3
        self.__secret = 4

    def live(self) -> None:
        assert self.__secret == self.kept + 1


@no_leak()
class WithProperties(Thing):
    asked = 0

    @property
    def costly(self) -> int:
        """Count how often it is asked: an audit never does."""
        type(self).asked += 1
        return type(self).asked

    @property
    def broken(self) -> int:
        raise RuntimeError

    def live(self) -> None:
        assert self.costly == 1


@no_leak()
class WithItsOwnGetattr(Thing):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def __bool__(self) -> bool:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


@no_leak()
class ComparesWithAnError(Thing):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        return 1


class Health(IPoolableComponent):
    def __init__(self, maximum: float) -> None:
        self.maximum = maximum

    def spawned(self) -> None:
        self.current = self.maximum

    def update(self, dt: float) -> None:
        self.current -= dt


@no_leak(groups=[crowd])
class WithComponents(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health(30))
        self.add_component(Timid())


class Timid(IPoolableComponent):
    __slots__ = ("courage", "sprite")

    def spawned(self) -> None:
        self.courage = 1

    def update(self, dt: float) -> None:
        self.courage -= int(dt > 0)


@no_leak()
class WithAPlainComponent(Thing):
    """Components need be no poolable ones."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(Body(2))


class Body(NamedTuple):
    weight: float


@no_leak()
class RandomStart(Thing):
    def spawned(self) -> None:
        self.side: float = random.choice((-1, 1))
        self.lucky = random.random() < 0.02
        self.path = [random.randrange(9) for _ in range(random.randrange(4))]

    def update(self, dt: float) -> None:
        self.side += dt
        self.lucky = random.random() < 0.02


@no_leak()
class RandomBuild(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.hue = random.randrange(1_000_000)
        self.name = "".join(random.choices("abc", k=9))
        self.dice = random.Random()

    def live(self) -> None:
        self.dice.random()


@no_leak()
class Counted(Thing):
    numbers: ClassVar[itertools.count[int]] = itertools.count()
    made = 0

    def __init__(self) -> None:
        super().__init__()
        Counted.made += 1
        self.number = Counted.made
        self.key = uuid.uuid4()
        self.identity = id(self)

    def spawned(self) -> None:
        self.life_number = next(self.numbers)


@no_leak()
class Timestamped(Thing):
    def spawned(self) -> None:
        self.born = time.perf_counter()
        self.tick = pygame.time.get_ticks()


@no_leak()
class Reset(Thing):
    """Everything is changed, and everything reset."""

    def spawned(self) -> None:
        self.loot: list[str] = []
        self.aim = pygame.Vector2(1, 0)
        self.seen: set[int] = set()
        self.trail: collections.deque[int] = collections.deque(maxlen=4)

    def update(self, dt: float) -> None:
        self.loot.append("x")
        self.aim.rotate_ip(90 * dt)
        self.seen.add(len(self.loot))
        self.trail.append(3)
        self.rotation += 5
        self.position = (40, 3)
        self.image = pygame.Surface((3, 3))


@no_leak()
class ClearedInPlace(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.loot: dict[str, int] = {}

    def despawned(self) -> None:
        self.loot.clear()

    def live(self) -> None:
        self.loot["gold"] = 3


@no_leak()
class CachedSurfaces(Thing):
    turned: ClassVar[dict[int, pygame.Surface]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.own_cache: dict[tuple[int, int], tuple[pygame.Surface, ...]] = {}

    def live(self) -> None:
        assert self.image is not None
        for degrees in range(0, 360, 45):
            self.turned[degrees] = pygame.transform.rotate(self.image, degrees)
            self.own_cache[degrees, 1] = (self.turned[degrees],)
            self.image = self.turned[degrees]


@functools.cache
def frames() -> tuple[pygame.Surface, ...]:
    return tuple(pygame.Surface((4, number + 1)) for number in range(4))


@no_leak()
class SharedFlyweights(PooledSprite):
    """Pictures, tables and objects that all of them share, and nobody changes."""

    table: ClassVar[dict[str, list[int]]] = {"orc": [3, 4], "troll": [5]}

    def __init__(self) -> None:
        self.frames = frames()
        super().__init__(self.frames[0])
        self.rules = RULES
        self.groups_of_the_game = crowd
        self.world = world

    def spawned(self) -> None:
        self.clock = 0.0

    def update(self, dt: float) -> None:
        self.clock += dt
        self.image = self.frames[int(self.clock * 8) % 4]


@dataclass(frozen=True)
class Rules:
    speeds: tuple[float, ...] = (1.0, math.inf, math.nan)
    names: dict[str, str] = field(default_factory=dict)


RULES = Rules()


@no_leak()
class Images(Thing):
    """A new picture for each life, which looks like the last one's."""

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


class Powers(enum.Flag):
    FLY = enum.auto()
    SWIM = enum.auto()


@no_leak()
class Enums(Thing):
    def spawned(self) -> None:
        self.mood = Mood.CALM
        self.powers = Powers.FLY | Powers.SWIM
        self.by_mood = {Mood.CALM: 1, Mood.ANGRY: 2}

    def live(self) -> None:
        self.mood = Mood.ANGRY
        self.powers = Powers.FLY
        self.by_mood[Mood.CALM] = 9


@dataclass
class Stats:
    strength: int = 5
    wounds: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Purse:
    gold: float = math.nan


@no_leak()
class Dataclasses(Thing):
    def spawned(self) -> None:
        self.stats = Stats()
        self.purse = Purse()

    def live(self) -> None:
        self.stats.strength = 9
        self.stats.wounds.append(3)
        self.purse.gold = 3


@no_leak()
class Physics(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 100)
        self.arm = pymunk.Body(1, 100)
        self.arm.position = (20, 0)
        shape, hand = pymunk.Circle(self.body, 8), pymunk.Circle(self.arm, 4)
        joint = pymunk.PinJoint(self.body, self.arm)
        self.add_component(RigidBody(world, self.body, shape, self.arm, hand, joint))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        self.body.velocity = (10, 0)

    def update(self, dt: float) -> None:
        self.body.apply_impulse_at_local_point((100 * dt, 5), (3, 3))


@no_leak()
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


@no_leak()
class Children(Thing):
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
    def __init__(self) -> None:
        super().__init__(pygame.Surface((2, 2)))

    def spawned(self) -> None:
        self.tilt = 0


@no_leak()
class SpawnsAnother(Thing):
    def spawned(self) -> None:
        self.bar: PooledSprite | None = pools.spawn(Hat, parent=self)

    def live(self) -> None:
        pools.spawn(Hat)
        self.bar = None


@no_leak()
class ScopedEverything(Thing):
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

    def blink(self) -> Generator[float]:
        while True:
            yield 0.2


@no_leak()
class EndsItself(Thing):
    def spawned(self) -> None:
        self.age = 0.0

    def update(self, dt: float) -> None:
        self.age += dt
        if self.age > 1:
            self.kill()


@no_leak()
class Cycles(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.ring: list[Any] = [self]
        self.ring.append(self.ring)
        self.me = {"me": self}
        self.back = weakref.ref(self)
        self.methods = [self.kill, self.update]
        self.calls = {"later": functools.partial(self.move, by=3)}
        self.fn = lambda: self

    def move(self, by: int) -> None:
        pass


@no_leak()
class Resources(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self.log = logging.getLogger("game")
        self.clock = pygame.Clock()

    def live(self) -> None:
        self.clock.tick()


@no_leak()
class SelfInAClassRegistry(Thing):
    living: ClassVar[set[Any]] = set()
    by_name: ClassVar[dict[int, Any]] = {}

    def spawned(self) -> None:
        self.living.add(self)
        self.by_name[id(self)] = self

    def despawned(self) -> None:
        self.living.discard(self)
        del self.by_name[id(self)]


@no_leak()
class PlainSprite(pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect: pygame.Rect = self.image.get_rect()

    def update(self) -> None:
        self.rect.move_ip(1, 0)


@no_leak()
class DeclaresWhatItKeeps(Thing):
    audit_ignore = ("best", "memory.*", "notes[[]0]", "guesses.fi?st")

    def __init__(self) -> None:
        super().__init__()
        self.best = 0
        self.memory = Stats()
        self.notes = ["a"]
        self.guesses = Guesses()

    def live(self) -> None:
        self.best = 9
        self.memory.strength = 1
        self.memory.wounds.append(1)
        self.notes[0] = "b"
        self.guesses.first = 1
        self.guesses.second = 2


class Guesses:
    audit_ignore = ["second"]  # noqa: RUF012 - any iterable will do
    first = 0
    second = 0


@no_leak()
class DictsAndTheLike(Thing):
    def spawned(self) -> None:
        self.counts = collections.Counter("aab")
        self.later: dict[str, list[int]] = collections.defaultdict(list)
        self.view = memoryview(b"abc")
        self.weak: weakref.WeakSet[Any] = weakref.WeakSet([self])
        self.frozen = frozenset({1, "a", (2, 3)})
        self.big = 10**400

    def live(self) -> None:
        self.counts["z"] = 4
        self.later["z"].append(4)
        self.weak.clear()


@no_leak()
class RoundsTheSame(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.speed = 0.3
        self.count = 3

    def live(self) -> None:
        self.speed = 0.1 + 0.2
        self.count = 3.0  # type: ignore[assignment]  # as games do


@no_leak()
class CachedProperties(Thing):
    @functools.cached_property
    def radius(self) -> float:
        assert self.image is not None
        return self.image.get_width() / 2

    @functools.cached_property
    def table(self) -> dict[str, list[float]]:
        return {"radius": [self.radius, math.nan]}

    def live(self) -> None:
        assert self.table["radius"][0] == 4


@no_leak()
class PassesItselfOff(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.double: Any = unittest.mock.Mock(spec=PooledSprite)
        self.surface: Any = unittest.mock.Mock(spec=pygame.Surface)
        self.proxy = weakref.proxy(self)
        self.dead_proxy = weakref.proxy(Health(3))

    def live(self) -> None:
        self.double.kill()


@no_leak(groups=lambda: [crowd])
class AsksForItsGroups(Thing):
    pass


@no_leak(pooling=False)
class Unpooled(Thing):
    pass


@no_leak(awake_on_first_spawn=True)
class AwakeLate(Thing):
    def awake(self) -> None:
        self.hue = random.randrange(3)

    def spawned(self) -> None:
        self.phase = random.random()


@no_leak(persistent=True)
class Persistent(Thing):
    pass


@no_leak()
class Arrays(Thing):
    def __init__(self) -> None:
        super().__init__()
        numpy = pytest.importorskip("numpy")
        self.grid = numpy.zeros((3, 3))
        self.holes = numpy.array([numpy.nan, 1.0, -0.0])
        self.speed = numpy.float32(2)
        self.names = numpy.array([None, "a"], dtype=object)

    def spawned(self) -> None:
        self.grid[:] = 0

    def live(self) -> None:
        self.grid[1] = 4
        self.holes[2] = 0.0


@pytest.mark.parametrize(("kind", "options"), clean)
def test_n01_a_clean_prefab_is_found_clean(kind: Any, options: dict[str, Any]) -> None:
    report = audit(Prefab(kind, name="it", **options), getattr(kind, "live", None), seconds=1.5)
    assert str(report).startswith("it: clean (")
    assert report.leaks == ()
    assert report.notes == ()


def test_n01_more_than_twenty_shapes_are_looked_at() -> None:
    assert len(clean) > 20
