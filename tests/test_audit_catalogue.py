"""The catalogue of leaks: each a small prefab that leaks in one way, and what is said of it.

Every class here is a prefab of the name `it`; `live` is what happens to it in its first life.
Lines are written as ``#``: `test_audit.py` looks at the numbers.
"""

# ruff: noqa: S311 - a game's dice need no cryptography

from __future__ import annotations

import array
import enum
import functools
import heapq
import random
import re
import weakref
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import blinker
import pygame
import pymunk
import pytest

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, PoolingSystem, Prefab, pools
from poolkit.devtools import audit
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

NEVER = "never reset in spawned or despawned"
HERE = "(test_audit_catalogue.py:#)"
SHARED = "one object that all of them share; build one for each in __init__ or spawned"

world = PhysicsWorld(gravity=(0, 100))
bystanders = PooledGroup()
catalogue: list[Any] = []


def leaks(*messages: str, **options: Any) -> Callable[[type], type]:
    """Put a prefab into the catalogue, with all that is to be said of it."""

    def enter(kind: type) -> type:
        catalogue.append(pytest.param(kind, messages, options, id=kind.__name__))
        return kind

    return enter


class Thing(PooledSprite):
    """A sprite to be ruined."""

    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))

    def live(self) -> None:
        raise NotImplementedError


# -- fields ----------------------------------------------------------------------------------


@leaks(f"it.courage: fresh 3, respawned 2: set in FieldOfTheSprite.live {HERE}, {NEVER}")
class FieldOfTheSprite(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.courage = 3

    def live(self) -> None:
        self.courage -= 1


class Health(IPoolableComponent):
    def __init__(self, maximum: int) -> None:
        self.current = maximum

    def hit(self, damage: int) -> None:
        self.current -= damage


@leaks(f"it.health.current: fresh 30, respawned 12: set in Health.hit {HERE}, {NEVER}")
class FieldOfAComponent(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health(30))

    def live(self) -> None:
        self.health.hit(18)


@leaks(f"it.components[0].current: fresh 30, respawned 12: set in Health.hit {HERE}, {NEVER}")
class FieldOfAComponentWithoutAName(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.add_component(Health(30))

    def live(self) -> None:
        self.get_component(Health).hit(18)


@leaks(f"it.lives: fresh 3, respawned 2: set in DefaultOfTheClass.live {HERE}, {NEVER}")
class DefaultOfTheClass(Thing):
    lives = 3

    def live(self) -> None:
        self.lives -= 1


@leaks(f"it.rage: fresh (missing), respawned 7: set in FirstSetInALife.live {HERE}, {NEVER}")
class FirstSetInALife(Thing):
    rage: int

    def live(self) -> None:
        self.rage = 7


@leaks(f"it.shield: fresh 'oak', respawned (missing): set in Deleted.live {HERE}, {NEVER}")
class Deleted(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.shield = "oak"

    def live(self) -> None:
        del self.shield


@leaks(f"it.__plan: fresh 'hide', respawned 'attack': set in PrivateField.live {HERE}, {NEVER}")
class PrivateField(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.__plan = "hide"

    def live(self) -> None:
        self.__plan = "attack"
        assert self.__plan


@leaks(f"it.anger: fresh 0, respawned 9: set in FieldInASlot.live {HERE}, {NEVER}")
class FieldInASlot:
    __slots__ = ("anger",)

    def __init__(self) -> None:
        self.anger = 0

    def live(self) -> None:
        self.anger = 9


class Mood(enum.Enum):
    CALM = 1
    ANGRY = 2


@leaks(f"it.mood: fresh Mood.CALM, respawned Mood.ANGRY: set in FieldOfAnEnum.live {HERE}, {NEVER}")
class FieldOfAnEnum(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.mood = Mood.CALM

    def live(self) -> None:
        self.mood = Mood.ANGRY


@leaks(
    f"it.level: fresh 1, respawned 2: set in CountsItsLives.spawned {HERE}, "
    "from what the life before left there",
)
class CountsItsLives(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.level = 0

    def spawned(self) -> None:
        self.level += 1

    def live(self) -> None:
        pass


@leaks(
    f"it.alert: fresh False, respawned True: set in ResetsToTheWrongValue.despawned {HERE}, "
    "never reset in spawned",
)
class ResetsToTheWrongValue(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.alert = False

    def despawned(self) -> None:
        self.alert = True

    def live(self) -> None:
        pass


@leaks(
    f"it.target: fresh None, respawned <Bystander of the pool Bystander, inactive>: "
    f"set in KeepsItsTarget.live {HERE}, {NEVER}",
)
class KeepsItsTarget(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.target: Bystander | None = None

    def live(self) -> None:
        self.target = pools.spawn(Bystander)


class Bystander(PooledSprite):
    pass


@leaks(f"it.speed: fresh nan, respawned 4.0: set in NotANumberAnyMore.live {HERE}, {NEVER}")
class NotANumberAnyMore(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.speed = float("nan")

    def live(self) -> None:
        self.speed = 4.0


@leaks(f"it.speed: fresh 1, respawned 9: {NEVER}")
class CachedForTheLastLife(Thing):
    def spawned(self) -> None:
        self.level = 1

    @functools.cached_property
    def speed(self) -> int:
        return self.level

    def live(self) -> None:
        self.level = 9
        assert self.speed == 9


class Coins(int):
    """A number that shows itself, and compares itself, in its own way: it raises."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = int.__hash__

    def __repr__(self) -> str:
        raise RuntimeError


class Title(str):
    __slots__ = ()


@leaks(
    f"it.purse: fresh <Coins>, respawned <Coins>: set in NumbersOfItsOwn.live {HERE}, {NEVER}",
    f"it.title: fresh 'Sir', respawned 'Lord': set in NumbersOfItsOwn.live {HERE}, {NEVER}",
    f"it.kind: fresh <class 'int'>, respawned <class 'str'>: "
    f"set in NumbersOfItsOwn.live {HERE}, {NEVER}",
)
class NumbersOfItsOwn(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.purse = Coins(3)
        self.title = Title("Sir")
        self.kind: type = int

    def live(self) -> None:
        self.purse = Coins(4)
        self.title = Title("Lord")
        self.kind = str


class Sealed(type):
    """Classes that nobody may change."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError(name)


@leaks(f"it.anger: fresh 0, respawned 2: changed in OfASealedClass.live {HERE}, {NEVER}")
class OfASealedClass(metaclass=Sealed):
    def __init__(self) -> None:
        self.anger = 0

    def live(self) -> None:
        self.anger += 2


# -- what is changed in place ----------------------------------------------------------------


@leaks(f"it.loot: fresh [], respawned ['club']: changed in GrownList.live {HERE}, {NEVER}")
class GrownList(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.loot: list[str] = []

    def live(self) -> None:
        self.loot.append("club")


@leaks(f"it.debts: fresh {{}}, respawned {{'troll': 3}}: changed in GrownDict.live {HERE}, {NEVER}")
class GrownDict(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.debts: dict[str, int] = {}

    def live(self) -> None:
        self.debts["troll"] = 3


@leaks(f"it.seen: fresh set(), respawned {{4}}: changed in GrownSet.live {HERE}, {NEVER}")
class GrownSet(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] = set()

    def live(self) -> None:
        self.seen.add(4)


@leaks(
    "it.trail: fresh deque([], maxlen=9), respawned deque([1, 2], maxlen=9): "
    f"changed in GrownDeque.live {HERE}, {NEVER}",
)
class GrownDeque(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.trail: deque[int] = deque(maxlen=9)

    def live(self) -> None:
        self.trail.extend((1, 2))


@leaks(
    f"it.slots['belt'][1]: fresh None, respawned 'axe': changed in DeepInside.live {HERE}, {NEVER}",
)
class DeepInside(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.slots: dict[str, list[str | None]] = {"belt": [None, None]}

    def live(self) -> None:
        self.slots["belt"][1] = "axe"


@leaks(
    "it.flags: fresh bytearray(b'\\x00\\x00'), respawned bytearray(b'\\x01\\x00'): "
    f"changed in Bytes.live {HERE}, {NEVER}",
    "it.heights: fresh array('i', [1]), respawned array('i', [1, 2]): "
    f"changed in Bytes.live {HERE}, {NEVER}",
)
class Bytes(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.flags = bytearray(2)
        self.heights = array.array("i", [1])

    def live(self) -> None:
        self.flags[0] = 1
        self.heights.append(2)


@leaks(
    f"it.orders: fresh [], respawned [3]: changed in ChangedByAFunction.live {HERE}, {NEVER}",
)
class ChangedByAFunction(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.orders: list[int] = []

    def live(self) -> None:
        heapq.heappush(self.orders, 3)


@leaks(
    "it.aim: fresh Vector2(1, 0), respawned Vector2(0, 1): "
    f"changed in VectorChangedInPlace.live {HERE}, {NEVER}",
)
class VectorChangedInPlace(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.aim = pygame.Vector2(1, 0)

    def live(self) -> None:
        self.aim.update(0, 1)


@dataclass
class Stats:
    strength: int = 5
    hits: list[int] = field(default_factory=list)


@leaks(
    f"it.stats.strength: fresh 5, respawned 6: set in FieldOfADataclass.live {HERE}, {NEVER}",
    f"it.stats.hits: fresh [], respawned [1]: changed in FieldOfADataclass.live {HERE}, {NEVER}",
)
class FieldOfADataclass(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.stats = Stats()

    def live(self) -> None:
        self.stats.strength += 1
        self.stats.hits.append(1)


class Deal(NamedTuple):
    price: int
    wares: list[str]


@leaks(f"it.deal.wares: fresh [], respawned ['eggs']: changed in InATuple.live {HERE}, {NEVER}")
class InATuple(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.deal = Deal(3, [])

    def live(self) -> None:
        self.deal.wares.append("eggs")


class RaisesWhenCompared:
    def __init__(self) -> None:
        self.value = 1

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


@leaks(f"it.odd.value: fresh 1, respawned 2: set in BehindAnEqThatRaises.live {HERE}, {NEVER}")
class BehindAnEqThatRaises(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.odd = RaisesWhenCompared()

    def live(self) -> None:
        self.odd.value = 2


@leaks(f"it.next.depth: fresh 0, respawned 1: set in InACycle.live {HERE}, {NEVER}")
class InACycle(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.next = Ring()
        self.next.back = self.next

    def live(self) -> None:
        self.next.back.back.depth = 1


class Ring:
    back: Ring
    depth = 0


# -- what several instances share ------------------------------------------------------------


@leaks(
    f"it.inventory: fresh [], respawned ['club']: changed in ListOfTheClass.live {HERE}, {SHARED}",
)
class ListOfTheClass(Thing):
    inventory: ClassVar[list[str]] = []

    def live(self) -> None:
        self.inventory.append("club")


@leaks(
    "it.trophies: fresh [1, 1], respawned [1, 1, 1]: "
    f"changed in ListThatGrowsAtEachSpawn.spawned {HERE}, {SHARED}",
)
class ListThatGrowsAtEachSpawn(Thing):
    trophies: ClassVar[list[int]] = []

    def spawned(self) -> None:
        self.trophies.append(1)

    def live(self) -> None:
        pass


@leaks(
    "it.heights: fresh array('d', [0.0, 0.0]), respawned array('d', [3.0, 0.0]): "
    f"changed in ArrayOfTheClass.live {HERE}, {SHARED}",
)
class ArrayOfTheClass(Thing):
    heights = array.array("d", [0, 0])

    def live(self) -> None:
        self.heights[0] += 3


@leaks(
    "it.way[0]: fresh Vector2(0, 0), respawned Vector2(3, 0): "
    f"changed in EntriesThatAllShare.live {HERE}, {SHARED}",
)
class EntriesThatAllShare(Thing):
    def spawned(self) -> None:
        self.way = list(WAY)

    def live(self) -> None:
        self.way[0].x += 3


WAY = (pygame.Vector2(0, 0), pygame.Vector2(9, 0))


@leaks(f"it.items: fresh [], respawned [1]: changed in MutableDefault.live {HERE}, {SHARED}")
class MutableDefault(Thing):
    def __init__(self, items: list[int] = []) -> None:  # noqa: B006 - the leak
        super().__init__()
        self.items = items

    def live(self) -> None:
        self.items.append(1)


ONE_FOR_ALL = Stats()


@leaks(f"it.stats.strength: fresh 5, respawned 4: set in SharedObject.live {HERE}, {SHARED}")
class SharedObject(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.stats = ONE_FOR_ALL

    def live(self) -> None:
        self.stats.strength -= 1


SHARED_IMAGE = pygame.Surface((2, 2))


@leaks(
    "it.image: fresh <Surface 2x2, pixels #>, respawned <Surface 2x2, pixels #>: "
    f"changed in DrawsOnASharedImage.live {HERE}, {SHARED}",
)
class DrawsOnASharedImage(PooledSprite):
    def __init__(self) -> None:
        super().__init__(SHARED_IMAGE)

    def live(self) -> None:
        assert self.image is not None
        self.image.fill("red")


# -- pictures --------------------------------------------------------------------------------


@leaks(
    "it.image: fresh <Surface 8x8, pixels #>, respawned <Surface 8x8, pixels #>: "
    f"changed in DrawsOnItsImage.live {HERE}, {NEVER}",
)
class DrawsOnItsImage(Thing):
    def live(self) -> None:
        assert self.image is not None
        self.image.set_at((1, 1), "red")


@leaks(
    "it.image: fresh <Surface 4x4, pixels #>, respawned <Surface 4x4, pixels #>: "
    f"set in PlainSpriteKeepsItsImage.live {HERE}, {NEVER}",
)
class PlainSpriteKeepsItsImage(pygame.sprite.Sprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect = self.image.get_rect()

    def live(self) -> None:
        self.image = pygame.Surface((4, 4))
        self.image.fill("red")


@leaks(f"it.dirty: fresh 1, respawned 0: set in DirtySprite.live {HERE}, {NEVER}")
class DirtySprite(pygame.sprite.DirtySprite):
    def __init__(self) -> None:
        super().__init__()
        self.image = pygame.Surface((4, 4))
        self.rect = self.image.get_rect()

    def live(self) -> None:
        self.dirty = 0


# -- functions, generators, references -------------------------------------------------------


@leaks(
    "it.act: fresh <method StateMachine.walk>, respawned <method StateMachine.sleep>: "
    f"set in StateMachine.live {HERE}, {NEVER}",
)
class StateMachine(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.act = self.walk

    def walk(self) -> None:
        pass

    def sleep(self) -> None:
        pass

    def live(self) -> None:
        self.act = self.sleep


@leaks(
    "it.path: fresh <generator steps, at line #>, respawned <generator steps, at line #>: "
    f"changed in GeneratorThatWentOn.live {HERE}, {NEVER}",
)
class GeneratorThatWentOn(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.path = self.steps()

    def steps(self) -> Iterator[int]:
        yield 1
        yield 2

    def live(self) -> None:
        next(self.path)


@leaks(
    f"it.strike.args[0]: fresh 3, respawned 8: set in PartialWithAnotherArgument.live {HERE}, "
    f"{NEVER}",
)
class PartialWithAnotherArgument(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.strike = functools.partial(divmod, 3)

    def live(self) -> None:
        self.strike = functools.partial(divmod, 8)


@leaks(f"it.bonus.<amount>: fresh 1, respawned 5: set in LambdaOfALife.live {HERE}, {NEVER}")
class LambdaOfALife(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.bonus = constant(1)

    def live(self) -> None:
        self.bonus = constant(5)


def constant(amount: int) -> Callable[[], int]:
    return lambda: amount


@leaks(
    "it.friend: fresh <weakref to a Stats>, respawned <weakref to nothing any more>: "
    f"set in DeadReference.live {HERE}, {NEVER}",
)
class DeadReference(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.friend = weakref.ref(ONE_FOR_ALL)

    def live(self) -> None:
        self.friend = weakref.ref(Stats())


@leaks(f"it.dice: fresh <Random that has rolled>, respawned <Random that has rolled>: {NEVER}")
class DiceOfItsOwn(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.dice = random.Random(7)

    def live(self) -> None:
        self.dice.random()


# -- components, children, groups ------------------------------------------------------------


@leaks(
    "it.components: fresh none, respawned Health: "
    f"changed in LateComponent.live {HERE}, never taken back in spawned or despawned",
)
class LateComponent(Thing):
    def live(self) -> None:
        self.add_component(Health(3))


@leaks(
    "it.components: fresh Health, respawned none: "
    f"changed in ComponentTakenOff.live {HERE}, never taken back in spawned or despawned",
)
class ComponentTakenOff(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.add_component(Health(3))

    def live(self) -> None:
        self.remove_component(self.components[0])


@leaks(f"it.children[0].sharp: fresh True, respawned False: set in Sword.chip {HERE}, {NEVER}")
class FieldOfAChild(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.add_child(Sword(), (4, 0))

    def live(self) -> None:
        [sword] = self.children
        assert isinstance(sword, Sword)
        sword.chip()


class Sword(PooledSprite):
    sharp = True

    def chip(self) -> None:
        self.sharp = False


@leaks(
    "it.groups: fresh PooledGroup, respawned none: "
    "alive in no group, so nobody updates or draws it; kill() it instead of removing it",
    groups=[bystanders],
)
class AliveInNoGroup(Thing):
    def live(self) -> None:
        self.remove(bystanders)


@leaks(
    "it.groups: fresh none, respawned PooledGroup: "
    "still in it after its despawn; nothing may add an instance whose life is over",
    groups=[bystanders],
)
class AddedAfterItsEnd(Thing):
    def live(self) -> None:
        self.kill()
        self.add(bystanders)


@leaks(
    "it.minions: fresh <Group of 0 sprites>, respawned <Group of 1 sprites>: "
    f"changed in KeepsItsMinions.live {HERE}, {NEVER}",
)
class KeepsItsMinions(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.minions: Any = pygame.sprite.Group()

    def live(self) -> None:
        self.minions.add(pygame.sprite.Sprite())


@leaks(f"it.groups: fresh PooledGroup, respawned none: {NEVER}", groups=[bystanders])
class LeavesItsGroupsLater(Thing):
    is_new = True
    audit_ignore = ("is_new",)

    def spawned(self) -> None:
        if not self.is_new:
            self.remove(bystanders)

    def live(self) -> None:
        self.is_new = False


# -- bodies ----------------------------------------------------------------------------------


class Ball(Thing):
    """One with a body; nothing resets it."""

    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, 10)
        self.add_component(RigidBody(world, self.body, self.shape))


class ResetBall(Ball):
    """One whose motion is reset."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(ResetPooledBodyComponent())


@leaks(
    "it.body.velocity: fresh Vec2d(0.0, 0.0), respawned Vec2d(0.0, 50.0): "
    f"{NEVER}; a ResetPooledBodyComponent does it",
)
class BodyThatWasHit(Ball):
    def live(self) -> None:
        self.body.apply_impulse_at_local_point((0, 100))


@leaks(
    "it.body.angular_velocity: fresh 0.0, respawned 3.0: "
    f"set in BodyThatSpins.live {HERE}, {NEVER}; a ResetPooledBodyComponent does it",
    "it.body.force: fresh Vec2d(0.0, 0.0), respawned Vec2d(0.0, 9.0): "
    f"set in BodyThatSpins.live {HERE}, {NEVER}; a ResetPooledBodyComponent does it",
    "it.body.torque: fresh 0.0, respawned 5.0: "
    f"set in BodyThatSpins.live {HERE}, {NEVER}; a ResetPooledBodyComponent does it",
)
class BodyThatSpins(Ball):
    def live(self) -> None:
        self.body.angular_velocity = 3
        self.body.force = (0, 9)
        self.body.torque = 5


class Loose(Thing):
    """One whose body the game itself adds and removes: nothing of it is restored."""

    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(2, 100)
        self.shape = pymunk.Circle(self.body, 10)

    def spawned(self) -> None:
        world.space.add(self.body, self.shape)

    def despawned(self) -> None:
        world.space.remove(self.body, self.shape)


@leaks(
    f"it.body.mass: fresh 2.0, respawned 7.0: set in HeavierBody.live {HERE}, {NEVER}",
    f"it.body.moment: fresh 100.0, respawned 50.0: set in HeavierBody.live {HERE}, {NEVER}",
)
class HeavierBody(Loose):
    def live(self) -> None:
        self.body.mass = 7
        self.body.moment = 50


@leaks(
    f"it.shape.elasticity: fresh 0.0, respawned 0.9: set in OtherSurface.live {HERE}, {NEVER}",
    f"it.shape.friction: fresh 0.0, respawned 0.5: set in OtherSurface.live {HERE}, {NEVER}",
)
class OtherSurface(Loose):
    def live(self) -> None:
        self.shape.elasticity = 0.9
        self.shape.friction = 0.5


@leaks(
    f"it.shape.collision_type: fresh 0, respawned 4: set in MeetsOthers.live {HERE}, {NEVER}",
    "it.shape.filter: fresh ShapeFilter(group=0, categories=4294967295, mask=4294967295), "
    "respawned ShapeFilter(group=3, categories=4294967295, mask=4294967295): "
    f"set in MeetsOthers.live {HERE}, {NEVER}",
    f"it.shape.sensor: fresh False, respawned True: set in MeetsOthers.live {HERE}, {NEVER}",
)
class MeetsOthers(Loose):
    def live(self) -> None:
        self.shape.collision_type = 4
        self.shape.filter = pymunk.ShapeFilter(group=3)
        self.shape.sensor = True


@leaks(
    "it.body.velocity_func: fresh <function Body.update_velocity>, "
    f"respawned <function weightless>: set in Weightless.live {HERE}, {NEVER}",
)
class Weightless(Loose):
    def live(self) -> None:
        self.body.velocity_func = weightless


def weightless(body: pymunk.Body, _gravity: object, damping: float, dt: float) -> None:
    pymunk.Body.update_velocity(body, (0, 0), damping, dt)


@leaks(f"it.body.shapes: fresh 1, respawned 2: {NEVER}")
class GrownBody(Loose):
    audit_ignore = "hat"

    def live(self) -> None:
        self.hat = pymunk.Circle(self.body, 4)


@leaks(f"it.joint.distance: fresh 20.0, respawned 35.0: set in LongerJoint.live {HERE}, {NEVER}")
class LongerJoint(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.bodies = pymunk.Body(1, 1), pymunk.Body(1, 1)
        self.joint = pymunk.PinJoint(*self.bodies, (0, 0), (20, 0))

    def live(self) -> None:
        self.joint.distance = 35


@leaks(
    "it.body.owner: fresh 'game', respawned 'orc': "
    f"set in BodyWithAnAttribute.live {HERE}, {NEVER}",
)
class BodyWithAnAttribute(ResetBall):
    def __init__(self) -> None:
        super().__init__()
        self.body.owner = "game"

    def live(self) -> None:
        self.body.owner = "orc"


@leaks(
    "it.collisions[7, 7].begin: fresh (missing), respawned <method ListensToCollisions.bump>: "
    + NEVER,
)
class ListensToCollisions(ResetBall):
    def live(self) -> None:
        world.on_collision(7, 7, begin=self.bump)

    def bump(self, *_: object) -> None:
        pass


@leaks(
    "it.space: fresh none, respawned <Segment>: "
    "still in the physics space after the despawn; hand it to the RigidBody",
)
class LeavesAShape(ResetBall):
    def live(self) -> None:
        world.space.add(pymunk.Segment(world.space.static_body, (0, 0), (9, 9), 1))


# -- what outlives the life ------------------------------------------------------------------


class Director(PooledSprite):
    """Lives as long as the game, and so does its scope."""


director: list[Director] = []


def with_a_director() -> dict[str, Any]:
    director[:] = [pools.spawn(Director)]
    return {}


@leaks(
    f"it.timers: fresh none, respawned <TimerOfAnother.explode in 5.0 s>: "
    f"calls TimerOfAnother.explode {HERE}, still waits after the despawn; "
    "start it with self.scope",
    data=with_a_director,
)
class TimerOfAnother(Thing):
    def live(self) -> None:
        director[0].scope.after(5, self.explode)

    def explode(self) -> None:
        pass


@leaks(
    "it.timers: fresh none, respawned <TimerOfOneThatItSpawned.explode in 30.0 s>: "
    f"calls TimerOfOneThatItSpawned.explode {HERE}, "
    "still waits after the despawn; start it with self.scope",
)
class TimerOfOneThatItSpawned(Thing):
    def live(self) -> None:
        pools.spawn(Director).scope.after(30, self.explode)

    def explode(self) -> None:
        raise NotImplementedError


@leaks(
    "it.timers: fresh none, respawned <CoroutineOfAnother.blink in 2.0 s>: "
    f"calls CoroutineOfAnother.blink {HERE}, still waits after the despawn; "
    "start it with self.scope",
    data=with_a_director,
)
class CoroutineOfAnother(Thing):
    def spawned(self) -> None:
        director[0].scope.start(self.blink())

    def blink(self) -> Generator[float]:
        while True:
            yield 2

    def live(self) -> None:
        pass


hourglass = blinker.Signal()
callbacks: list[Callable[[], object]] = []


@leaks(
    "it.subscriptions: fresh none, respawned <KeptByAList.flee>: "
    f"calls KeptByAList.flee {HERE}, still subscribed after the despawn; "
    "use self.scope.connect, or disconnect it",
)
class KeptByAList(Thing):
    def live(self) -> None:
        callbacks.append(self.flee)

    def flee(self) -> None:
        pass


@leaks(
    "it.subscriptions: fresh none, respawned <KeptBySignal.tick>: "
    f"calls KeptBySignal.tick {HERE}, still subscribed after the despawn; "
    "use self.scope.connect, or disconnect it",
)
class KeptBySignal(Thing):
    def spawned(self) -> None:
        hourglass.connect(self.tick)

    def tick(self, _sender: object) -> None:
        pass

    def live(self) -> None:
        pass


# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "messages", "options"), catalogue)
def test_n01_a_leak_is_found_and_named(
    kind: Any, messages: tuple[str, ...], options: dict[str, Any]
) -> None:
    given = {"data": options.pop("data")} if "data" in options else {}
    report = audit(Prefab(kind, name="it", **options), kind.live, **given)
    said = [re.sub(r"(\.py:|line |pixels )[\da-f]+", r"\1#", str(leak)) for leak in report.leaks]
    assert said == list(messages)
    assert not report.ok
    assert str(report).splitlines()[0] == (
        f"it: {len(messages)} {'leak' if len(messages) == 1 else 'leaks'} between lives"
    )


def test_n01_the_catalogue_has_more_than_forty_leaks() -> None:
    assert len(catalogue) > 40
    assert len(PoolingSystem().all_pools()) == 0
