"""Odd leaks: each a small prefab that leaks in one way, and what is said of it.

Every class here is a prefab of the name `it`; `live` is what happens to it in its first life.
Lines are written as ``#``. What games leak every day is in `leaky_shapes`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from poolkit import PooledGroup, PooledSprite, Prefab, pools
from poolkit.devtools import audit
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

NEVER = "never reset in spawned or despawned"
HERE = "(test_audit_catalogue.py:#)"

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


# -- functions, generators, references -------------------------------------------------------


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


# -- what outlives the life ------------------------------------------------------------------


class Director(PooledSprite):
    """Lives as long as the game, and so does its scope."""


director: list[Director] = []


def with_a_director() -> dict[str, Any]:
    director[:] = [pools.spawn(Director)]
    return {}


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
