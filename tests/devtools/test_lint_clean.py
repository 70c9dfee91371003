"""Classes that the lint must say nothing about: what real code looks like."""

from __future__ import annotations

import contextlib
import functools
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import pygame
import pytest

from poolkit import Handle, IPoolableComponent, PooledSprite
from poolkit.devtools.lint import lint
from poolkit.physics import PhysicsWorld

T = TypeVar("T")

world = PhysicsWorld()


class RaisingBranch(IPoolableComponent):
    def spawned(self, target: object = None) -> None:
        if target is None:
            message = "no target"
            raise ValueError(message)
        self.target = target

    def aim(self, target: object) -> None:
        self.target = target


class Matched(IPoolableComponent):
    def spawned(self, mood: str = "") -> None:
        match mood:
            case "angry":
                self.speed = 3
            case _:
                self.speed = 1

    def stop(self) -> None:
        self.speed = 0


class TakenAwayAtDespawn(IPoolableComponent):
    target: object

    def despawned(self) -> None:
        with contextlib.suppress(AttributeError):
            del self.target

    def aim(self, target: object) -> None:
        self.target = target


class PartByPart(IPoolableComponent):
    def __init__(self) -> None:
        self.left = Score()
        self.right = Score()

    def spawned(self) -> None:
        for score in (self.left, self.right):
            score.kills = 0

    def strike(self) -> None:
        self.left.kills += 1
        self.right.kills += 1


class ForeignContainers(IPoolableComponent):
    """What is handed in is the game's: a log, a cache of pictures, the score."""

    SHARED: ClassVar[dict[str, int]] = {}
    _cache = {}  # type: ignore[var-annotated]  # noqa: RUF012

    def __init__(self, log: list[str], cache: dict[str, object], game: Any) -> None:
        self.log = log
        self.cache = cache
        self.game = game

    def hit(self, other: Any) -> None:
        self.log.append("hit")
        self.cache["x"] = 3
        self.game.score += 1
        self.SHARED["x"] = 3
        self._cache["x"] = 3
        other.health.current = 0
        other.targets.append(3)
        other.seen["x"] = 3


class SpriteOfPoolkit(PooledSprite):
    """Every spawn restores what poolkit owns."""

    def update(self, dt: float) -> None:
        self.image = pygame.Surface((3, 3))
        self.image.set_alpha(30)
        self.rect.x += dt
        self.rect.move_ip(3, 3)
        self.rect = self.rect.copy()
        self.position = 3, 3
        self.rotation += 3
        self.sprite.rotation += 3
        self.layer = 3


class ComponentOfSprite(IPoolableComponent):
    def update(self, dt: float) -> None:
        self.sprite.image = None
        self.sprite.rect.x += dt
        self.sprite.rotation += 3
        self.sprite.physics.body.velocity = (0, 0)


class Lazy(PooledSprite):
    """What is made when it is first asked for stays as good as it was."""

    def __init__(self) -> None:
        super().__init__()
        self._font: object = None
        self._pictures: dict[str, object] = {}
        self._sounds: dict[str, object] = {}
        self._words: dict[str, object] = {}

    @property
    def font(self) -> object:
        if self._font is None:
            self._font = object()
        return self._font

    @functools.cached_property
    def mask(self) -> object:
        return object()

    def picture(self, name: str) -> object:
        if name not in self._pictures:
            self._pictures[name] = object()
        return self._pictures[name]

    def sound(self, name: str) -> object:
        sound = self._sounds.get(name)
        if sound is None:
            sound = self._sounds[name] = object()
        return sound

    def word(self, name: str) -> object:
        try:
            return self._words[name]
        except KeyError:
            self._words[name] = word = object()
            return word

    def forget(self) -> None:
        del self.mask


class LocalHelper(IPoolableComponent):
    def spawned(self) -> None:
        def calm(mood: str) -> None:
            self.mood = mood

        calm("calm")

    def hit(self) -> None:
        self.mood = "angry"


@dataclass(slots=True)
class Data(IPoolableComponent):
    maximum: int = 30
    log: list[str] = field(default_factory=list)
    current: int = field(init=False, default=30)
    sprite: Any = None

    def spawned(self) -> None:
        self.current = self.maximum
        self.log.clear()

    def hit(self) -> None:
        self.log.append("hit")
        self.current -= 1


class Mover(IPoolableComponent):
    def spawned(self, facing: int = 1) -> None:
        self.facing = facing
        self.clock = pygame.time.get_ticks() / 1000

    def update(self, dt: float) -> None:
        self.clock += dt
        self.move()

    @abstractmethod
    def move(self) -> None: ...


class Hop(Mover):
    def spawned(self, facing: int = 1) -> None:
        super().spawned(facing)
        self.prey: Handle[Any] | None = None

    def move(self) -> None:
        self.clock = 0
        self.facing = -self.facing
        self.prey = None


class OldStyleHop(Mover):
    def spawned(self, facing: int = 1) -> None:
        Mover.spawned(self, facing)
        self.height = 3

    def move(self) -> None:
        self.height += 1


class Crouching:
    """A mixin with no hooks."""

    crouched = False

    def crouch(self) -> None:
        self.crouched = True


class HopAndCrouch(Crouching, Hop):
    def despawned(self) -> None:
        self.crouched = False


class AliasedHook(IPoolableComponent):
    def reset(self) -> None:
        self.current = 30

    spawned = reset

    def hit(self) -> None:
        self.current -= 1


class StaticHook(IPoolableComponent):
    total = 0

    @staticmethod
    def spawned() -> None:
        StaticHook.total = 0

    @classmethod
    def count(cls) -> None:
        cls.total += 1


class Score:
    def __init__(self) -> None:
        self.kills = 0

    def reset(self) -> None:
        self.kills = 0


class Career:
    audit_ignore = "wins"

    def __init__(self) -> None:
        self.wins = 0
        self.titles: list[str] = []  # poolkit: kept
        self.rivals: set[str] = set()


class KeptByAPart(IPoolableComponent):
    def __init__(self) -> None:
        self.career = Career()

    def win(self) -> None:
        self.career.wins += 1
        self.career.titles.append("champion")


CLEAN = [
    value
    for value in list(globals().values())
    if isinstance(value, type)
    and value.__module__ == __name__
    and issubclass(value, IPoolableComponent)
]


@pytest.mark.parametrize("cls", CLEAN, ids=lambda cls: cls.__name__)
def test_n01_the_lint_says_nothing_of_a_clean_class(cls: type) -> None:
    report = lint(cls)
    assert str(report).endswith("nothing found")
    assert report.ok
    assert cls.__name__ in report.classes
