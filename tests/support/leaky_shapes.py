"""Prefabs that leak, one of each kind, as games have them; `live` is the game that shows it.

Most are changed by what their `update` does not call: by hits, clicks, pick-ups, other objects.
"""

from __future__ import annotations

import functools
import io
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import blinker
import pygame
import pymunk

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

world = PhysicsWorld()
listeners: list[Any] = []
last_boss: Any = None
bystanders = PooledGroup()
signal = blinker.Signal()
shapes: list[type] = []


def shape_that(live: Callable[[Any], object], into: list[type] = shapes) -> Callable[[type], type]:
    """Say what happens in a life of a shape."""

    def enter(kind: Any) -> type:
        kind.live = live
        return shape(kind, into)

    return enter


def shape(kind: type, into: list[type] = shapes) -> type:
    into.append(kind)
    return kind


class Thing(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))


@shape_that(lambda it: it.hit(2))
class Enemy(Thing):
    """Its health is not refilled."""

    def __init__(self) -> None:
        super().__init__()
        self.health = 3

    def hit(self, damage: int) -> None:
        self.health -= damage


class Health(IPoolableComponent):
    def __init__(self, maximum: int) -> None:
        self.current = self.maximum = maximum

    def hit(self, damage: int) -> None:
        self.current -= damage


@shape_that(lambda it: it.health.hit(3))
class HealthInAComponent(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health(30))


@shape_that(lambda it: it.pick_up("coin"))
class Collector(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.loot: list[str] = []

    def pick_up(self, what: str) -> None:
        self.loot.append(what)


@shape_that(lambda it: it.update(0.1))
class Falling(Thing):
    """A velocity that is changed in place."""

    def __init__(self) -> None:
        super().__init__()
        self.velocity = pygame.Vector2()

    def update(self, dt: float) -> None:
        self.velocity.y += 900 * dt


@shape_that(lambda it: it.see(pools.spawn(Prey)))
class Hunter(Thing):
    """The target of its last life."""

    target: Any = None

    def see(self, other: Any) -> None:
        self.target = other


class Prey(PooledSprite):
    pass


@shape_that(lambda it: it.splinter())
class Shield(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.shield = "oak"

    def splinter(self) -> None:
        del self.shield


@shape_that(lambda it: it.poison())
class Poisoned(Thing):
    """An attribute that first appears in a life."""

    def poison(self) -> None:
        self.poisoned = True

    def update(self, _dt: float) -> None:
        if getattr(self, "poisoned", False):
            self.kill()


@shape_that(lambda _: pools.update(0.11))
class Blinking(Thing):
    visible_now = True

    def spawned(self) -> None:
        self.scope.start(self.blink())

    def blink(self) -> Any:
        while True:
            yield 0.1
            self.visible_now = not self.visible_now


@shape_that(lambda it: it.boost())
class OnlyIfGiven(Thing):
    speed = 1

    def spawned(self, speed: int | None = None) -> None:
        if speed is not None:
            self.speed = speed

    def boost(self) -> None:
        self.speed += 5


@shape_that(lambda it: it.enrage())
class ForgotSuper(Enemy):
    """Its base class would have cleared the rage."""

    def spawned(self) -> None:
        self.health = 3

    def enrage(self) -> None:
        self.rage = 7


@shape_that(lambda _: None)
class Levelled(Thing):
    """Counts in a hook."""

    level = 0

    def spawned(self) -> None:
        self.level += 1


@shape_that(lambda _: None)
class WrongReset(Thing):
    alert = False

    def despawned(self) -> None:
        self.alert = True


@dataclass
class Stats:
    strength: int = 5
    wounds: list[int] = field(default_factory=list)


@shape_that(lambda it: it.wound())
class Wounded(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.stats = Stats()

    def wound(self) -> None:
        self.stats.wounds.append(1)


@shape_that(lambda it: it.take("club"))
class SharedInventory(Thing):
    inventory = []  # type: ignore[var-annotated]  # noqa: RUF012 - the leak

    def take(self, what: str) -> None:
        self.inventory.append(what)


@shape_that(lambda it: it.score())
class KillCounter(Thing):
    """A counter on the class."""

    kills = 0

    def score(self) -> None:
        type(self).kills += 1


@shape_that(lambda it: it.update(0.1))
class ColorCycle(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.colors = itertools.cycle(["red", "blue", "green"])

    def update(self, dt: float) -> None:
        self.color = next(self.colors)
        assert self.color or dt


@shape_that(lambda it: it.say("ouch"))
class Logbook(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.log = io.StringIO()

    def say(self, words: str) -> None:
        self.log.write(words)


@shape_that(lambda _: None)
class InAModulesList(Thing):
    def spawned(self) -> None:
        listeners.append(self)


@shape_that(lambda _: None)
class AGlobal(Thing):
    def spawned(self) -> None:
        global last_boss  # noqa: PLW0603 - the leak
        last_boss = self


@shape_that(lambda _: None)
class InAClassList(Thing):
    everyone: ClassVar[dict[int, Any]] = {}

    def spawned(self) -> None:
        self.everyone[id(self)] = self


@shape_that(lambda _: None)
class Subscribed(Thing):
    def spawned(self) -> None:
        signal.connect(self.on_noise)

    def on_noise(self, _: object) -> None:
        pass


@shape_that(lambda _: None)
class Callback(Thing):
    def spawned(self) -> None:
        listeners.append(self.on_click)

    def on_click(self) -> None:
        pass


class Director(PooledSprite):
    pass


@shape_that(lambda _: None)
class TimerElsewhere(Thing):
    def spawned(self) -> None:
        pools.spawn(Director).scope.after(30, self.explode)

    def explode(self) -> None:
        pass


@shape_that(lambda it: it.power_up())
class LateComponent(Thing):
    def power_up(self) -> None:
        self.add_component(Health(5))


@shape_that(lambda it: it.hit())
class ScratchedImage(Thing):
    """Painted on, not replaced."""

    def hit(self) -> None:
        assert self.image is not None
        self.image.fill("red")


class Ball(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, 10)
        self.add_component(RigidBody(world, self.body, self.shape))


@shape_that(lambda it: it.kick())
class Kicked(Ball):
    def kick(self) -> None:
        self.body.velocity = (0, -300)


@shape_that(lambda _: None)
class LeavesAWall(Ball):
    def __init__(self) -> None:
        super().__init__()
        self.add_component(ResetPooledBodyComponent())

    def spawned(self) -> None:
        world.space.add(pymunk.Segment(world.space.static_body, (0, 0), (9, 9), 1))


@shape_that(lambda it: it.tie())
class Roped(Ball):
    """A joint made in a life stays on the body."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(ResetPooledBodyComponent())

    def tie(self) -> None:
        self.rope = pymunk.PinJoint(self.body, world.space.static_body)


@shape_that(lambda it: it.tire())
class StateMachine(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.act: Any = self.walk

    def walk(self) -> None:
        pass

    def sleep(self) -> None:
        pass

    def tire(self) -> None:
        self.act = self.sleep


@shape_that(lambda it: it.update(0.1))
class Script(Thing):
    """A generator that goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.script = self.lines()

    def lines(self) -> Any:
        yield "hello"
        yield "goodbye"

    def update(self, dt: float) -> None:
        assert next(self.script, dt) is not None


@shape
class StaleSpeed(Thing):
    """A cached property of what a life has changed."""

    def spawned(self) -> None:
        self.level = 1

    @functools.cached_property
    def speed(self) -> int:
        return self.level

    def live(self) -> None:
        self.level = 9
        assert self.speed == 9


@shape
class BySetter(Thing):
    def __init__(self) -> None:
        super().__init__()
        self._anger = 0

    @property
    def anger(self) -> int:
        return self._anger

    @anger.setter
    def anger(self, value: int) -> None:
        self._anger = min(value, 9)

    def live(self) -> None:
        self.anger = 5


@shape
class Clicked(Thing):
    selected = False

    def handle_event(self, event: pygame.Event) -> None:
        if event.type == pygame.MOUSEBUTTONDOWN:
            self.selected = True

    def live(self) -> None:
        self.handle_event(pygame.Event(pygame.MOUSEBUTTONDOWN, pos=(0, 0), button=1))


@shape
class LateAge(Thing):
    """Begins to count in the second second."""

    age = 0.0
    is_old = False

    def update(self, dt: float) -> None:
        self.age += dt
        if self.age > 60:
            self.is_old = True

    def spawned(self) -> None:
        self.age = 0.0

    def live(self) -> None:
        self.age = 61
        self.update(0.1)


# -- odd ones ----------------------------------------------------------------------------------


class Coins(int):
    """A number that shows itself, and compares itself, in its own way: it raises."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = int.__hash__

    def __repr__(self) -> str:
        raise RuntimeError


@shape_that(lambda it: it.earn())
class Purse(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.coins = Coins(3)

    def earn(self) -> None:
        self.coins = Coins(4)


class Sealed(type):
    """Classes that nobody may change."""

    live: Any = None

    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError(name)


@shape
class OfASealedClass(metaclass=Sealed):
    def __init__(self) -> None:
        self.anger = 0

    def live(self) -> None:
        self.anger += 2


@shape_that(lambda it: it.bless(5))
class Blessed(Thing):
    """A variable of the function that it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.bless(1)

    def bless(self, amount: int) -> None:
        self.bonus = lambda: amount


@shape_that(lambda it: it.remove(bystanders))
class AliveInNoGroup(Thing):
    home = bystanders


@shape_that(lambda it: (it.kill(), it.add(bystanders)))
class AddedAfterItsEnd(Thing):
    home = bystanders


@shape_that(lambda it: it.stretch())
class LongerJoint(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.bodies = pymunk.Body(1, 1), pymunk.Body(1, 1)
        self.joint = pymunk.PinJoint(*self.bodies, (0, 0), (20, 0))

    def stretch(self) -> None:
        self.joint.distance = 35
