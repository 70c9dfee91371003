"""Leaks that the lint finds: a class each, whose docstring is what the lint says of it."""

from __future__ import annotations

import contextlib
import functools
import heapq
import inspect
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from poolkit import IPoolableComponent, PooledSprite
from poolkit.devtools.lint import lint
from poolkit.physics import PhysicsWorld, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

world = PhysicsWorld()


class Assigned(IPoolableComponent):
    """Assigned.current is set in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current = 12  # leaks


class Counted(IPoolableComponent):
    """Counted.hits is changed in update(), but reset in neither spawned nor despawned"""

    hits = 0

    def update(self, dt: float) -> None:
        del dt
        self.hits += 1  # leaks


class ChangedByItself(IPoolableComponent):
    """ChangedByItself.hits is changed in hit(), but reset in neither spawned nor despawned"""

    hits = 0

    def hit(self) -> None:
        self.hits = self.hits + 1  # leaks


class AwakeIsOnce(IPoolableComponent):
    """AwakeIsOnce.current is changed in hit(), but reset in neither spawned nor despawned"""

    def awake(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1  # leaks


class DestroyedIsTooLate(IPoolableComponent):
    """DestroyedIsTooLate.target is set in aim(), but reset in neither spawned nor despawned"""

    target: object = None

    def aim(self, target: object) -> None:
        self.target = target  # leaks

    def destroyed(self) -> None:
        self.target = None


class Unpacked(IPoolableComponent):
    """
    Unpacked.x is set in move(), but reset in neither spawned nor despawned /
    Unpacked.y is set in move(), but reset in neither spawned nor despawned
    """

    def move(self, place: tuple[float, float]) -> None:
        self.x, (self.y, *_) = place[0], place[1:]  # leaks  # leaks


class BoundByFor(IPoolableComponent):
    """BoundByFor.last is set in look(), but reset in neither spawned nor despawned"""

    def look(self, others: list[object]) -> None:
        for self.last in others:  # leaks
            pass


class BoundByWith(IPoolableComponent):
    """BoundByWith.lock is set in look(), but reset in neither spawned nor despawned"""

    def look(self) -> None:
        with contextlib.suppress(ValueError) as self.lock:  # leaks
            pass


class SetByName(IPoolableComponent):
    """SetByName.mood is set in anger(), but reset in neither spawned nor despawned"""

    def anger(self) -> None:
        setattr(self, "mood", "angry")  # noqa: B010  # leaks


class SetPastTheClass(IPoolableComponent):
    """SetPastTheClass.mood is set in anger(), but reset in neither spawned nor despawned"""

    def anger(self) -> None:
        object.__setattr__(self, "mood", "angry")  # leaks


class SetInTheDict(IPoolableComponent):
    """SetInTheDict.mood is set in anger(), but reset in neither spawned nor despawned"""

    def anger(self) -> None:
        self.__dict__["mood"] = "angry"  # leaks


class Deleted(IPoolableComponent):
    """Deleted.shield is deleted in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.shield = 3

    def hit(self) -> None:
        del self.shield  # leaks


class Aliased(IPoolableComponent):
    """Aliased.angry is set in anger(), but reset in neither spawned nor despawned"""

    angry = False

    def anger(self) -> None:
        me = self
        me.angry = True  # leaks


class OddlyNamed(IPoolableComponent):
    """OddlyNamed.angry is set in anger(), but reset in neither spawned nor despawned"""

    def anger(this) -> None:  # noqa: N805
        this.angry = True  # leaks


class Appended(IPoolableComponent):
    """
    Appended.targets is changed by append() in aim(), but reset in neither spawned nor despawned
    """

    def __init__(self) -> None:
        self.targets: list[object] = []

    def aim(self, target: object) -> None:
        self.targets.append(target)  # leaks


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


class Seen(IPoolableComponent):
    """Seen.seen is changed by add() in look(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.seen: set[object] = set()

    def look(self, other: object) -> None:
        self.seen.add(other)  # leaks


class Queued(IPoolableComponent):
    """Queued.jobs is changed by heappush() in plan(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.jobs: list[int] = []

    def plan(self, job: int) -> None:
        heapq.heappush(self.jobs, job)  # leaks


class Bounded(IPoolableComponent):
    """
    Bounded.trail is changed by appendleft() in update(), but reset in neither spawned nor despawned
    """

    def __init__(self) -> None:
        self.trail: deque[int] = deque(maxlen=9)

    def update(self) -> None:
        self.trail.appendleft(1)  # leaks


class Noted(IPoolableComponent):
    """Noted.damage is given items in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.damage: dict[str, int] = {}

    def hit(self, by: str, damage: int) -> None:
        self.damage[by] = damage  # leaks


class Tallied(IPoolableComponent):
    """Tallied.tally is changed in place in hit(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.tally = [0] * 4

    def hit(self, where: int) -> None:
        self.tally[where] += 1  # leaks


class TakenOut(IPoolableComponent):
    """TakenOut.tally is changed in place in lose(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.tally = {"arms": 2}

    def lose(self, what: str) -> None:
        del self.tally[what]  # leaks


class DealtOut(IPoolableComponent):
    """DealtOut.deck is changed by pop() in draw(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        self.deck = list(range(52))

    def draw(self) -> int:
        return self.deck.pop()  # leaks


class SharedByAll(IPoolableComponent):
    """
    SharedByAll.targets is changed by append() in aim(), but reset in neither spawned nor despawned
    """

    targets = []  # type: ignore[var-annotated]  # noqa: RUF012

    def aim(self, target: object) -> None:
        self.targets.append(target)  # leaks


@dataclass
class Data(IPoolableComponent):
    """Data.log is changed by append() in hit(), but reset in neither spawned nor despawned"""

    maximum: int = 30
    log: list[str] = field(default_factory=list)

    def hit(self) -> None:
        self.log.append("hit")  # leaks


class Vector(PooledSprite):
    """Vector.velocity is changed in update(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        super().__init__()
        self.velocity = pygame.Vector2()

    def update(self, dt: float) -> None:
        self.velocity += (0, 900 * dt)  # leaks


class VectorInPlace(PooledSprite):
    """
    VectorInPlace.heading is changed by rotate_ip() in update(), but reset in neither spawned nor
    despawned
    """

    def __init__(self) -> None:
        super().__init__()
        self.heading = pygame.Vector2(1, 0)

    def update(self, dt: float) -> None:
        self.heading.rotate_ip(dt)  # leaks


class VectorPart(PooledSprite):
    """VectorPart.velocity.y is changed in update(), but reset in neither spawned nor despawned"""

    def __init__(self) -> None:
        super().__init__()
        self.velocity = pygame.Vector2()

    def update(self, dt: float) -> None:
        self.velocity.y += 900 * dt  # leaks


class CountsInAHook(IPoolableComponent):
    """
    CountsInAHook.lives is changed in spawned() from what the life before left, for no hook resets
    it
    """

    lives = 0

    def spawned(self) -> None:
        self.lives += 1  # leaks


class FillsInAHook(IPoolableComponent):
    """
    FillsInAHook.parts is changed by append() in spawned() from what the life before left, for no
    hook resets it
    """

    def __init__(self) -> None:
        self.parts: list[str] = []

    def spawned(self) -> None:
        self.parts.append("arm")  # leaks


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


class Coroutine(IPoolableComponent):
    """Coroutine.visible is changed in blink(), but reset in neither spawned nor despawned"""

    visible = True

    def spawned(self) -> None:
        self.scope.start(self.blink())

    def blink(self) -> Generator[float]:
        while True:
            yield 0.5
            self.visible = not self.visible  # leaks


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


class ResetByChange(IPoolableComponent):
    """
    ResetByChange._value is set in the setter of value, but reset in neither spawned nor despawned
    """

    def __init__(self) -> None:
        self._value = 3

    def spawned(self) -> None:
        self.value += 1

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        self._value = value


class Slotted(IPoolableComponent):
    """Slotted.current is changed in hit(), but reset in neither spawned nor despawned"""

    __slots__ = ("current", "sprite")

    def __init__(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1  # leaks


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


@dataclass
class Sheet:
    """A part with a container of its own."""

    buffs: list[str] = field(default_factory=list)


class InAPart(IPoolableComponent):
    """
    InAPart.sheet.buffs is changed by append() in bless(), but reset in neither spawned nor
    despawned
    """

    def __init__(self) -> None:
        self.sheet = Sheet()

    def bless(self) -> None:
        self.sheet.buffs.append("blessed")  # leaks


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


class OfAnInheritedMethod(Assigned):
    """Assigned.current is set in hit(), but reset in neither spawned nor despawned"""


def anger(instance: Any) -> None:
    """A function that is given the instance."""
    instance.angry = True


def calm(instance: Any, mood: str = "calm") -> None:
    """Another."""
    if mood:
        instance.angry = False


class Helped(IPoolableComponent):
    """
    Helped.angry is set in hit(), but reset in spawned only under a condition (line {calm})
    """

    def hit(self) -> None:
        self.angry = True  # leaks

    def spawned(self) -> None:
        calm(self)


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
    text = text.replace("{calm}", str(inspect.getsourcelines(calm)[1] + 3))
    report = lint(cls)
    found = [finding for finding in report.findings if cls.__name__ in report.classes]
    assert sorted(finding.problem for finding in found) == sorted(text.split(" / "))
    if marked:
        assert sorted(finding.line for finding in found) == marked
    assert {Path(finding.file) for finding in found} == {Path(__file__)}
    assert not report.ok


def test_the_catalogue_is_large_enough() -> None:
    assert len(CATALOGUE) >= 40
