"""The catalogue of leaks: each a small prefab that leaks in one way, and what is said of it.

Every class here is a prefab of the name `it`; `live` is what happens to it in its first life.
Lines are written as ``#``: `test_audit.py` looks at the numbers.
"""

from __future__ import annotations

import functools
import io
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import blinker
import pygame
import pymunk
import pytest

from poolkit import IPoolableComponent, PooledGroup, PooledSprite, Prefab, pools
from poolkit.devtools import audit
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

NEVER = "never reset in spawned or despawned"
DIVMOD = "<built-in function divmod>"
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


class Health(IPoolableComponent):
    def __init__(self, maximum: int) -> None:
        self.current = maximum

    def hit(self, damage: int) -> None:
        self.current -= damage


@leaks(f"it.components[0].current: fresh 30, respawned 12: set in Health.hit {HERE}, {NEVER}")
class FieldOfAComponentWithoutAName(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.add_component(Health(30))

    def live(self) -> None:
        self.get_component(Health).hit(18)


@leaks(f"it.shield: fresh 'oak', respawned (missing): set in Deleted.live {HERE}, {NEVER}")
class Deleted(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.shield = "oak"

    def live(self) -> None:
        del self.shield


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


@leaks(f"it.speed: fresh (missing), respawned 9: {NEVER}")
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


@leaks(
    f"it.slots['belt'][1]: fresh None, respawned 'axe': changed in DeepInside.live {HERE}, {NEVER}",
)
class DeepInside(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.slots: dict[str, list[str | None]] = {"belt": [None, None]}

    def live(self) -> None:
        self.slots["belt"][1] = "axe"


@dataclass
class Stats:
    strength: int = 5
    hits: list[int] = field(default_factory=list)


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


# -- what several instances share ------------------------------------------------------------


@leaks(
    f"it.inventory: fresh [], respawned ['club']: changed in ListOfTheClass.live {HERE}, {SHARED}",
)
class ListOfTheClass(Thing):
    inventory: ClassVar[list[str]] = []

    def live(self) -> None:
        self.inventory.append("club")


WAY = (pygame.Vector2(0, 0), pygame.Vector2(9, 0))


ONE_FOR_ALL = Stats()


SHARED_IMAGE = pygame.Surface((2, 2))


# -- pictures --------------------------------------------------------------------------------


# -- functions, generators, references -------------------------------------------------------


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
    f"it.strike: fresh functools.partial({DIVMOD}, 3), respawned functools.partial({DIVMOD}, 8): "
    f"set in PartialWithAnotherArgument.live {HERE}, {NEVER}",
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


# -- components, children, groups ------------------------------------------------------------


@leaks(
    "it.components: fresh none, respawned Health: "
    f"changed in LateComponent.live {HERE}, never taken back in spawned or despawned",
)
class LateComponent(Thing):
    def live(self) -> None:
        self.add_component(Health(3))


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


@leaks(f"it.joint.distance: fresh 20.0, respawned 35.0: set in LongerJoint.live {HERE}, {NEVER}")
class LongerJoint(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.bodies = pymunk.Body(1, 1), pymunk.Body(1, 1)
        self.joint = pymunk.PinJoint(*self.bodies, (0, 0), (20, 0))

    def live(self) -> None:
        self.joint.distance = 35


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
    "it.image: fresh <Surface 8x8, pixels #>, respawned <Surface 8x8, pixels #>: "
    f"changed in DrawsOnItsImage.live {HERE}, {NEVER}",
)
class DrawsOnItsImage(Thing):
    def live(self) -> None:
        assert self.image is not None
        self.image.set_at((1, 1), "red")


@leaks(
    f"it.timers: fresh none, respawned <TimerOfOneThatItSpawned.explode in 30.0 s>: "
    f"calls TimerOfOneThatItSpawned.explode {HERE}, "
    "still waits after the despawn; start it with self.scope",
)
class TimerOfOneThatItSpawned(Thing):
    def live(self) -> None:
        pools.spawn(Director).scope.after(30, self.explode)

    def explode(self) -> None:
        raise NotImplementedError


ROSTER: list[Any] = []


@leaks(
    "it.references: fresh none, respawned <test_audit_catalogue.ROSTER>: "
    "still holds it after the despawn; take it out in despawned, or keep a handle",
)
class InAModulesList(Thing):
    def live(self) -> None:
        ROSTER.append(self)


@leaks(
    "it.kills: fresh 0, respawned 1: the class has it, for all of them: "
    "each life goes on where the last one ended",
)
class CounterOfTheClass(Thing):
    kills = 0

    def live(self) -> None:
        CounterOfTheClass.kills += 1


@leaks(
    "it.log: fresh <StringIO of ''>, respawned <StringIO of 'ouch'>: "
    f"changed in PrivateStream.live {HERE}, {NEVER}",
    f"it.colors: fresh <cycle under way>, respawned <cycle under way>: "
    f"changed in PrivateStream.live {HERE}, {NEVER}",
)
class PrivateStream(Thing):
    def __init__(self) -> None:
        super().__init__()
        self.log = io.StringIO()
        self.colors = itertools.cycle("ab")

    def live(self) -> None:
        self.log.write("ouch")
        next(self.colors)


# --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "messages", "options"), catalogue)
def test_n01_a_leak_is_found_and_named(
    kind: Any, messages: tuple[str, ...], options: dict[str, Any]
) -> None:
    given = {"data": options.pop("data")} if "data" in options else {}
    report = audit(Prefab(kind, name="it", **options), kind.live, **given)
    said = [re.sub(r"(\.py:|line |pixels )[\da-f]+", r"\1#", str(leak)) for leak in report.leaks]
    assert sorted(said) == sorted(messages)
    assert not report.ok
    assert str(report).splitlines()[0] == (
        f"it: {len(messages)} {'leak' if len(messages) == 1 else 'leaks'} between lives"
    )
