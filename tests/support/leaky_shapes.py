"""Prefabs that leak, one of each kind, as games have them: `shapes`, of a module made of text.

What follows ``# live:`` is the part of the game that shows the leak. Most are changed by what
their `update` does not call: by hits, clicks, pick-ups, other objects.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

_folder = tempfile.TemporaryDirectory()


def module(name: str, text: str) -> ModuleType:
    """Write a module of this text, and import it."""
    path = Path(_folder.name, f"{name}.py")
    path.write_text(text, encoding="utf-8")
    spec: Any = importlib.util.spec_from_file_location(name, path)
    made = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def written(name: str, text: str) -> dict[Any, Callable[[Any], object]]:
    """Return the classes of a module of this text that say how they live, with that."""
    lives = re.findall(r"^class (\w+).*# live: ?(.*)$", text, re.MULTILINE)
    names = vars(module(name, text))
    return {names[kind]: eval(f"lambda it: {live or None}", names) for kind, live in lives}  # noqa: S307


HEAD = """
import array, collections, enum, functools, io, itertools, logging, math, random, threading, time
import unittest.mock, uuid, weakref
from dataclasses import dataclass, field
from typing import ClassVar
import blinker, pygame, pymunk
from poolkit import IPoolableComponent, PooledGroup, PooledSprite, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

world = PhysicsWorld()

class Thing(PooledSprite):
    def __init__(self):
        super().__init__(pygame.Surface((8, 8)))

class Ball(Thing):
    def __init__(self):
        super().__init__()
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, 10)
        self.add_component(RigidBody(world, self.body, self.shape))

class ResetBall(Ball):
    def __init__(self):
        super().__init__()
        self.add_component(ResetPooledBodyComponent())

@dataclass
class Stats:
    strength: int = 5
    wounds: list[int] = field(default_factory=list)
"""

shapes = written(
    "leaky",
    HEAD
    + '''
listeners = []
last_boss = None
bystanders = PooledGroup()
signal = blinker.Signal()

class Enemy(Thing):  # live: it.hit(2)
    health = 3
    def hit(self, damage):
        self.health -= damage

class Health(IPoolableComponent):
    def __init__(self, maximum):
        self.current = self.maximum = maximum
    def hit(self, damage):
        self.current -= damage

class HealthInAComponent(Thing):  # live: it.health.hit(3)
    def __init__(self):
        super().__init__()
        self.health = self.add_component(Health(30))

class Collector(Thing):  # live: it.pick_up("coin")
    def __init__(self):
        super().__init__()
        self.loot = []
    def pick_up(self, what):
        self.loot.append(what)

class Poisoned(Thing):  # live: it.poison()
    def poison(self):
        self.poisoned = True

class Falling(Thing):  # live: it.update(0.1)
    def __init__(self):
        super().__init__()
        self.velocity = pygame.Vector2()
    def update(self, dt):
        self.velocity.y += 900 * dt

class Prey(PooledSprite):
    pass

class Hunter(Thing):  # live: it.see(pools.spawn(Prey))
    target = None
    def see(self, other):
        self.target = other

class Shield(Thing):  # live: it.splinter()
    def __init__(self):
        super().__init__()
        self.shield = "oak"
    def splinter(self):
        del self.shield

class Blinking(Thing):  # live: pools.update(0.11)
    visible_now = True
    def spawned(self):
        self.scope.start(self.blink())
    def blink(self):
        while True:
            yield 0.1
            self.visible_now = not self.visible_now

class OnlyIfGiven(Thing):  # live: it.boost()
    speed = 1
    def spawned(self, speed=None):
        if speed is not None:
            self.speed = speed
    def boost(self):
        self.speed += 5

class ForgotSuper(Enemy):  # live: it.enrage()
    def spawned(self):
        self.health = 3
    def enrage(self):
        self.rage = 7

class Levelled(Thing):  # live:
    level = 0
    def spawned(self):
        self.level += 1

class WrongReset(Thing):  # live:
    alert = False
    def despawned(self):
        self.alert = True

class Wounded(Thing):  # live: it.wound()
    def __init__(self):
        super().__init__()
        self.stats = Stats()
    def wound(self):
        self.stats.wounds.append(1)

class SharedInventory(Thing):  # live: it.take("club")
    inventory = []
    def take(self, what):
        self.inventory.append(what)

class KillCounter(Thing):  # live: it.score()
    kills = 0
    def score(self):
        type(self).kills += 1

class ColorCycle(Thing):  # live: it.update(0.1)
    def __init__(self):
        super().__init__()
        self.colors = itertools.cycle(["red", "blue", "green"])
    def update(self, dt):
        self.color = next(self.colors)
        assert self.color or dt

class InAModulesList(Thing):  # live:
    def spawned(self):
        listeners.append(self)

class AGlobal(Thing):  # live:
    def spawned(self):
        global last_boss
        last_boss = self

class Subscribed(Thing):  # live:
    def spawned(self):
        signal.connect(self.on_noise)
    def on_noise(self, _):
        pass

class Callback(Thing):  # live:
    def spawned(self):
        listeners.append(self.on_click)
    def on_click(self):
        pass

class Director(PooledSprite):
    pass

class TimerElsewhere(Thing):  # live:
    def spawned(self):
        pools.spawn(Director).scope.after(30, self.explode)
    def explode(self):
        pass

class LateComponent(Thing):  # live: it.power_up()
    def power_up(self):
        self.add_component(Health(5))

class ScratchedImage(Thing):  # live: it.hit()
    def hit(self):
        self.image.fill("red")

class Kicked(Ball):  # live: it.kick()
    def kick(self):
        self.body.velocity = (0, -300)

class LeavesAWall(ResetBall):  # live:
    def spawned(self):
        world.space.add(pymunk.Segment(world.space.static_body, (0, 0), (9, 9), 1))

class Roped(ResetBall):  # live: it.tie()
    def tie(self):
        self.rope = pymunk.PinJoint(self.body, world.space.static_body)

class StateMachine(Thing):  # live: it.tire()
    def __init__(self):
        super().__init__()
        self.act = self.walk
    def walk(self):
        pass
    def sleep(self):
        pass
    def tire(self):
        self.act = self.sleep

class Script(Thing):  # live: it.update(0.1)
    def __init__(self):
        super().__init__()
        self.script = self.lines()
    def lines(self):
        yield "hello"
        yield "goodbye"
    def update(self, dt):
        next(self.script, dt)

class BySetter(Thing):  # live: setattr(it, "anger", 5)
    _anger = 0
    @property
    def anger(self):
        return self._anger
    @anger.setter
    def anger(self, value):
        self._anger = min(value, 9)

class LateAge(Thing):  # live: it.update(61)
    age = 0.0
    is_old = False
    def update(self, dt):
        self.age += dt
        if self.age > 60:
            self.is_old = True
    def spawned(self):
        self.age = 0.0

# -- odd ones

class Coins(int):
    """A number that shows itself, and compares itself, in its own way: it raises."""
    def __eq__(self, other):
        raise RuntimeError
    __hash__ = int.__hash__
    __repr__ = __eq__

class SetByALambda(Thing):  # live: it.update(0.1)
    hp = property(lambda self: self._hp, lambda s, v: setattr(s, "_hp", v))
    def __init__(self):
        super().__init__()
        self.hp = 30
    def update(self, dt):
        self.hp = self.hp - 3

class DefaultsOfItsOwn(Thing):  # live: it.update(0.1)
    def __init__(self, loot=[], bag={"coins": []}):
        super().__init__()
        self.loot, self.bag = loot, bag
    def update(self, dt):
        self.loot.append(1)
        self.bag["coins"].append(1)

class Purse(Thing):  # live: it.earn()
    coins = Coins(3)
    def earn(self):
        self.coins = Coins(4)

class Sealed(type):
    def __setattr__(cls, name, value):
        raise TypeError(name)

class OfASealedClass(metaclass=Sealed):  # live: it.rage()
    anger = 0
    def rage(self):
        self.anger += 2

class AliveInNoGroup(Thing):  # live: it.remove(bystanders)
    home = bystanders
    def __init__(self):
        super().__init__()
        self.groups = [bystanders]  # the name of pygame's method

class AddedAfterItsEnd(Thing):  # live: (it.kill(), it.add(bystanders))
    home = bystanders

class LongerJoint(Thing):  # live: it.stretch()
    def __init__(self):
        super().__init__()
        self.bodies = pymunk.Body(1, 1), pymunk.Body(1, 1)
        self.joint = pymunk.PinJoint(*self.bodies, (0, 0), (20, 0))
    def stretch(self):
        self.joint.distance = 35

# -- helpers, parts and containers, of which a part is forgotten

def dress(orc):
    orc.mood = "calm"
    orc.seen.clear()

def hurt(orc, damage=1):
    orc.hp -= damage

class HelperThatForgets(Thing):  # live: it.hit()
    hp = 30
    def __init__(self):
        super().__init__()
        self.seen, self.loot = [], []
    def spawned(self):
        dress(self)
    def hit(self):
        self.mood = "angry"
        self.seen.append(3)
        self.loot.append(3)

class HurtByAHelper(Thing):  # live: it.hit()
    hp = 30
    def spawned(self):
        self.mood = "calm"
    def hit(self):
        hurt(self, damage=3)

class AnotherKey(Thing):  # live: it.miss()
    def __init__(self):
        super().__init__()
        self.counts = {"hits": 0, "misses": 0}
    def spawned(self):
        self.counts["hits"] = 0
    def miss(self):
        self.counts["misses"] += 1

class Hat(PooledSprite):
    tilt = 0
    def knock(self):
        self.tilt = 5
        self.rotation = 20

class WithAHat(Thing):  # live: it.hat.knock()
    def __init__(self):
        super().__init__()
        self.hat = self.add_child(Hat(), (0, -8))

class TipsItsHat(Thing):  # live: it.tip()
    def __init__(self):
        super().__init__()
        self.hat = self.add_child(Hat(), (0, -8))
    def spawned(self):
        self.hat.image = None
    def tip(self):
        self.hat.visible = False

class FullBoxes(Thing):  # live: it.fill()
    def __init__(self):
        super().__init__()
        self.boxes = [[], []]
    def spawned(self):
        for box in self.boxes:
            assert box is not self
    def fill(self):
        self.boxes[1].append(3)

class Board(Thing):  # live: it.play()
    def __init__(self):
        super().__init__()
        self.grid = [[0, 0], [0, 0]]
        self.tint = pygame.Color("red")
    def play(self):
        self.grid[1][0] = 3
        self.tint.g = 3

class AFieldOfAnObject(Thing):  # live: it.hit()
    stats: Stats = Stats()
    def hit(self):
        self.stats.strength -= 1

class ObjectsInAField(Thing):  # live: it.hit()
    all: list[Stats] = [Stats()]
    def hit(self):
        self.all[0].strength -= 1

class NoField(Thing):  # live: it.hit()
    hits: ClassVar[int] = 0
    def hit(self):
        self.hits += 1

class Freezes(IPoolableComponent):
    ice = 0
    def spawned(self):
        self.cold = True
    def freeze(self):
        self.ice += 1

class AMixin(Freezes, Thing):  # live: it.freeze()
    pass
''',
)
