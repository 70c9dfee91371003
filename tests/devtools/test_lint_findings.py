"""Leaks that the lint finds: a class each, whose docstring is what the lint says of it."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from poolkit import IPoolableComponent, PooledSprite
from poolkit.devtools.lint import lint
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

    import pygame

world = PhysicsWorld()


class Assigned(IPoolableComponent):
    """Assigned.current is set in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current = 12  # leaks


class AwakeIsOnce(IPoolableComponent):
    """AwakeIsOnce.current is changed in hit(), but reset in neither spawned nor despawned"""

    def awake(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1  # leaks


class Unpacked(IPoolableComponent):
    """
    Unpacked.x is set in move(), but reset in neither spawned nor despawned /
    Unpacked.y is set in move(), but reset in neither spawned nor despawned
    """

    def move(self, place: tuple[float, float]) -> None:
        self.x, (self.y, *_) = place[0], place[1:]  # leaks  # leaks


class SetByName(IPoolableComponent):
    """SetByName.mood is set in anger(), but reset in neither spawned nor despawned"""

    def anger(self) -> None:
        setattr(self, "mood", "angry")  # noqa: B010  # leaks


class Aliased(IPoolableComponent):
    """Aliased.angry is set in anger(), but reset in neither spawned nor despawned"""

    angry = False

    def anger(self) -> None:
        me = self
        me.angry = True  # leaks


class AppendedByAnotherName(IPoolableComponent):
    """
    AppendedByAnotherName.targets is changed by append() in aim(), but reset in neither spawned
    nor despawned
    """

    def __init__(self) -> None:
        self.targets: list[object] = []

    def aim(self, target: object) -> None:
        targets = self.targets
        targets.append(target)  # leaks


class Tallied(IPoolableComponent):
    """Tallied.tally is changed in place in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.tally = [0] * 4

    def hit(self, where: int) -> None:
        self.tally[where] += 1  # leaks


class CountsInAHook(IPoolableComponent):
    """
    CountsInAHook.lives is changed in spawned() from what the life before left, for no hook resets
    it
    """

    lives = 0

    def spawned(self) -> None:
        self.lives += 1  # leaks


class OnlyIfGiven(IPoolableComponent):
    """
    OnlyIfGiven.target is set in spawned() only under a condition: else it is what the life before
    left
    """

    target: object = None

    def spawned(self, target: object = None) -> None:
        if target is not None:
            self.target = target  # leaks


class OneBranch(IPoolableComponent):
    """
    OneBranch.dazed is set in hit(), but reset in despawned only under a condition (line {reset})
    """

    dazed = False

    def hit(self) -> None:
        self.dazed = True  # leaks

    def despawned(self, reason: object) -> None:
        if reason == "kill":
            self.dazed = False  # resets


class EarlyOut(IPoolableComponent):
    """EarlyOut.dazed is set in hit(), but reset in spawned only under a condition (line {reset})"""

    dazed = False

    def hit(self) -> None:
        self.dazed = True  # leaks

    def spawned(self, *, quick: bool = False) -> None:
        if quick:
            return
        self.dazed = False  # resets


class LateReset(IPoolableComponent):
    """LateReset.dazed is set in hit(), but reset in neither spawned nor despawned"""

    dazed = False

    def hit(self) -> None:
        self.dazed = True  # leaks
        self.scope.after(0.3, self.recover)

    def recover(self) -> None:
        self.dazed = False


class InALambda(IPoolableComponent):
    """InALambda.angry is set in spawned(), but reset in neither spawned nor despawned"""

    def spawned(self) -> None:
        self.scope.after(3, lambda: setattr(self, "angry", True))  # leaks


class InAFunction(IPoolableComponent):
    """InAFunction.angry is set in __init__(), but reset in neither spawned nor despawned"""

    def __init__(self, listen: Callable[[object], None]) -> None:
        def anger() -> None:
            self.angry = True  # leaks

        listen(anger)


class BySetter(IPoolableComponent):
    """BySetter._value is set in the setter of value, but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self._value = 3

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        self._value = value  # leaks


def loudly(method: Callable[[Any], None]) -> Callable[[Any], None]:
    """A decorator that hides what it decorates."""

    def wrapper(self: Any) -> None:
        method(self)

    return wrapper


class Decorated(IPoolableComponent):
    """
    Decorated.current is changed in hit(), but reset in neither spawned nor despawned /
    Decorated.mood is set in sulk(), but reset in neither spawned nor despawned
    """

    current = 30

    @loudly
    def hit(self) -> None:
        self.current -= 1  # leaks

    @functools.lru_cache  # noqa: B019
    def sulk(self) -> None:
        self.mood = "bad"  # leaks


class Score:
    """A plain object, with no hooks."""

    def __init__(self) -> None:
        self.kills = 0


class OfAPart(IPoolableComponent):
    """OfAPart.score.kills is changed in kill(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.score = Score()

    def kill(self) -> None:
        self.score.kills += 1  # leaks


class Armour(IPoolableComponent):
    """A component, clean by itself."""

    def __init__(self) -> None:
        self.strength = 10


class OfAComponent(PooledSprite):
    """
    Armour.strength is changed in OfAComponent.hit(), but reset in neither spawned nor despawned
    """

    def __init__(self) -> None:
        super().__init__()
        self.armour = self.add_component(Armour())

    def hit(self) -> None:
        self.armour.strength -= 1  # leaks


class Painted(PooledSprite):
    """Painted.image is changed by set_alpha() in fade(), but reset in neither spawned nor despawned"""  # noqa: E501

    image: pygame.Surface

    def fade(self) -> None:
        self.image.set_alpha(20)  # leaks


class Fast(PooledSprite):
    """Fast.body.velocity is set in jump(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 1)
        self.shape = pymunk.Circle(self.body, 3)
        self.add_component(RigidBody(world, self.body, self.shape))

    def jump(self) -> None:
        self.body.velocity = (0, -300)  # leaks


class Mover(IPoolableComponent):
    """A base class that resets."""

    def __init__(self) -> None:
        self.facing = 1

    def spawned(self) -> None:
        self.facing = 1

    def turn(self) -> None:
        self.facing = -1


class NoSuper(Mover):
    """
    Mover.facing is set in turn(), but NoSuper.spawned overrides Mover.spawned, which resets it,
    without calling it
    """

    def spawned(self) -> None:
        self.speed = 3


class NotAMemo(IPoolableComponent):
    """NotAMemo.target is set in update(), but reset in neither spawned nor despawned"""

    target: object = None

    def update(self) -> None:
        if self.target is None:
            self.target = object()  # leaks


CATALOGUE = [
    value
    for value in list(globals().values())
    if isinstance(value, type)
    and value.__module__ == __name__
    and (" is " in (value.__doc__ or ""))
    and issubclass(value, IPoolableComponent)
]


@pytest.mark.parametrize("cls", CATALOGUE, ids=lambda cls: cls.__name__)
def test_n01_the_lint_finds_what_no_hook_resets(cls: type) -> None:
    source, first = inspect.getsourcelines(cls)
    marked = [first + n for n, line in enumerate(source) for _ in range(line.count("# leaks"))]
    resets = [first + n for n, line in enumerate(source) if "# resets" in line]
    text = " ".join((cls.__doc__ or "").split())
    text = text.replace("{reset}", str(resets[0] if resets else 0))
    report = lint(cls)
    found = [finding for finding in report.findings if cls.__name__ in report.classes]
    assert sorted(finding.problem for finding in found) == sorted(text.split(" / "))
    if marked:
        assert sorted(finding.line for finding in found) == marked
    assert {Path(finding.file) for finding in found} == {Path(__file__)}
    assert not report.ok
