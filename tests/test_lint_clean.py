"""Classes that the lint must say nothing about: what real code looks like."""

from __future__ import annotations

import contextlib
import functools
from abc import abstractmethod
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import pygame
import pymunk
import pytest

from poolkit import DespawnReason, Handle, IPoolableComponent, PooledSprite, pools
from poolkit.devtools.lint import lint
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

T = TypeVar("T")

world = PhysicsWorld()


class Constructed(IPoolableComponent):
    def __init__(self) -> None:
        self.current = 30
        self._build()

    def _build(self) -> None:
        self.table = [1, 2]
        self.table.append(3)

    def look(self) -> int:
        return self.current


class Awoken(IPoolableComponent):
    def awake(self) -> None:
        self.pictures = self.paint()

    def paint(self) -> list[int]:
        self.seed = 3
        return [self.seed]

    def destroyed(self) -> None:
        self.pictures = []


class ResetAtSpawn(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1


class ResetAtDespawn(IPoolableComponent):
    def despawned(self) -> None:
        self.target: object = None

    def aim(self, target: object) -> None:
        self.target = target


class GivenAtSpawn(IPoolableComponent):
    def spawned(self, velocity: tuple[float, float], target: object = None) -> None:
        self.velocity = velocity
        self.target = pools.handle(target) if target else None

    def aim(self, target: object) -> None:
        self.target = pools.handle(target)
        self.velocity = (0, 0)


class BothBranches(IPoolableComponent):
    target: object

    def spawned(self, target: object = None) -> None:
        if target is None:
            self.target, self.mood = target, "calm"
        elif target == 3:
            self.target = 3
            self.mood = "odd"
        else:
            self.target = target
            self.mood = "angry"

    def aim(self, target: object) -> None:
        self.target = target
        self.mood = "angry"


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


class ResetIfNeeded(IPoolableComponent):
    def __init__(self) -> None:
        self.timer: Callable[[], None] | None = None
        self.targets: list[object] = []
        self.dazed = False

    def despawned(self) -> None:
        if self.timer is not None:
            self.timer()
            self.timer = None
        if self.targets:
            self.targets.clear()
        if not self.dazed:
            return
        self.dazed = False

    def aim(self, target: object) -> None:
        self.targets.append(target)
        self.timer = print
        self.dazed = True


class ResetByHelpers(IPoolableComponent):
    def __init__(self) -> None:
        self.reset()

    def spawned(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._reset_health()
        self.mood = "calm"

    def _reset_health(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1
        self.mood = "angry"


class ResetByConstruction(IPoolableComponent):
    def __init__(self, maximum: int = 30) -> None:
        self.current = maximum

    def spawned(self) -> None:
        self.__init__()  # type: ignore[misc]

    def hit(self) -> None:
        self.current -= 1


class ResetInTheDict(IPoolableComponent):
    def awake(self) -> None:
        self.hits = 0
        self._first = dict(vars(self))

    def spawned(self) -> None:
        vars(self).update(self._first)

    def hit(self) -> None:
        self.hits += 1


class ResetByNames(IPoolableComponent):
    def spawned(self) -> None:
        for name in ("hits", "misses"):
            setattr(self, name, 0)

    def hit(self) -> None:
        self.hits: int
        self.hits += 1


class ResetByOneName(IPoolableComponent):
    hits = 0

    def spawned(self) -> None:
        setattr(self, "hits", 0)  # noqa: B010

    def hit(self) -> None:
        self.hits += 1


class TakenAwayAtDespawn(IPoolableComponent):
    target: object

    def despawned(self) -> None:
        with contextlib.suppress(AttributeError):
            del self.target

    def aim(self, target: object) -> None:
        self.target = target


class Containers(IPoolableComponent):
    def __init__(self) -> None:
        self.targets: list[object] = []
        self.seen: set[object] = set()
        self.damage: dict[str, int] = {}
        self.trail: deque[int] = deque(maxlen=3)
        self.tally = [0] * 3
        self.grid = [[0] * 3 for _ in range(3)]
        self.queue: list[object] = []
        self.states = ["idle"]

    def spawned(self) -> None:
        del self.states[1:]
        self.targets.clear()
        self.seen = set()
        self.damage = dict.fromkeys(("arm", "leg"), 0)
        self.trail.clear()
        for place in range(3):
            self.tally[place] = 0
        self.grid[:] = [[0] * 3 for _ in range(3)]
        while self.queue:
            self.queue.pop()

    def update(self) -> None:
        self.targets.append(1)
        self.seen |= {1}
        self.seen.add(2)
        self.damage["arm"] = 3
        self.trail.append(3)
        self.tally[0] += 1
        self.grid[0] = [1]
        self.queue.append(3)
        self.states.append("busy")

    def despawned(self) -> None:
        del self.grid[:]


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


class Sorted(IPoolableComponent):
    def __init__(self) -> None:
        self.parts = [3, 1]

    def draw(self) -> None:
        self.parts.sort()


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


class Bouncing(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.body = pymunk.Body(1, 1)
        self.shape = pymunk.Circle(self.body, 3)
        self.physics = self.add_component(RigidBody(world, self.body, self.shape))
        self.add_component(ResetPooledBodyComponent())

    def jump(self) -> None:
        self.body.velocity = (0, -300)
        self.body.angular_velocity += 1
        self.body.position = (3, 3)
        self.physics.body.force = (3, 3)
        self.body.apply_impulse_at_local_point((3, 3))

    def grow(self) -> None:
        self.body.mass = 100
        self.body.body_type = pymunk.Body.KINEMATIC
        self.shape.friction = 0
        self.shape.filter = pymunk.ShapeFilter(categories=2)
        self.shape.sensor = True


class Vectors(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.velocity = pygame.Vector2()
        self.heading = pygame.Vector2(1, 0)
        self.box = pygame.FRect(0, 0, 3, 3)
        self.pull = pygame.Vector2()

    def spawned(self, velocity: tuple[float, float] = (0, 0)) -> None:
        self.velocity.update(velocity)
        self.heading.xy = 1, 0  # type: ignore[assignment]
        self.box.topleft = 0, 0
        self.pull *= 0

    def update(self, dt: float) -> None:
        self.velocity.y += dt
        self.velocity += pygame.Vector2(1, 1)
        self.heading.rotate_ip(dt)
        self.box.move_ip(1, 1)
        self.pull += self.velocity


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


class Balanced(IPoolableComponent):
    def __init__(self) -> None:
        self.depth = 0
        self.busy = False

    def dive(self) -> None:
        self.depth += 1
        try:
            pass
        finally:
            self.depth -= 1

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        self.busy = True
        try:
            yield
        finally:
            self.busy = False


class Scoped(IPoolableComponent):
    """What the scope calls at the end of the life resets as a hook does."""

    def __init__(self) -> None:
        self.targets: list[object] = []
        self.angry = False
        self.dazed = False
        self.blind = False

    def spawned(self) -> None:
        self.scope.callback(self.targets.clear)
        self.scope.callback(self.recover)
        self.scope.callback(lambda: setattr(self, "blind", False))

        def calm() -> None:
            self.angry = False

        scope = self.scope
        scope.callback(calm)

    def recover(self) -> None:
        self.dazed = False

    def hit(self) -> None:
        self.targets.append(3)
        self.angry = self.dazed = self.blind = True


class ScopedWhileItLives(IPoolableComponent):
    def hit(self) -> None:
        self.dazed = True
        self.scope.callback(self.recover)

    def recover(self) -> None:
        self.dazed = False


class Coroutine(IPoolableComponent):
    def spawned(self) -> None:
        self.visible = True
        self.scope.start(self.blink())
        self.scope.start(self.count())

    def blink(self) -> Generator[float]:
        while True:
            yield 0.5
            self.visible = not self.visible

    def count(self) -> Generator[float]:
        self.number = 0
        while True:
            yield 0.5
            self.number += 1


class LocalHelper(IPoolableComponent):
    def spawned(self) -> None:
        def calm(mood: str) -> None:
            self.mood = mood

        calm("calm")

    def hit(self) -> None:
        self.mood = "angry"


class Setter(IPoolableComponent):
    def __init__(self, maximum: int = 30) -> None:
        self._current = self.maximum = maximum

    def spawned(self) -> None:
        self.current = self.maximum

    @property
    def current(self) -> int:
        return self._current

    @current.setter
    def current(self, current: int) -> None:
        current = max(0, min(current, self.maximum))
        if current != self._current:
            self._current = current

    def hit(self) -> None:
        self.current -= 1


class Positive:
    """A descriptor that checks."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else getattr(instance, self.name)

    def __set__(self, instance: Any, value: int) -> None:
        setattr(instance, self.name, max(0, value))


class Described(IPoolableComponent):
    current = Positive()

    def spawned(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1


class Slotted(IPoolableComponent):
    __slots__ = ("current", "sprite")

    def spawned(self) -> None:
        self.current = 30

    def hit(self) -> None:
        self.current -= 1


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


class Typed(IPoolableComponent, Generic[T]):
    def spawned(self) -> None:
        self.value: T | None = None

    def take(self, value: T) -> None:
        self.value = value


class TypedInt(Typed[int]):
    pass


def calm(instance: Any) -> None:
    instance.mood = "calm"


class ResetByAFunction(IPoolableComponent):
    def spawned(self) -> None:
        calm(self)

    def hit(self) -> None:
        self.mood = "angry"


def build_body(sprite: Any, radius: float) -> None:
    sprite.body = pymunk.Body(1, 1)
    sprite.add_component(RigidBody(world, sprite.body, pymunk.Circle(sprite.body, radius)))


class BuiltByAFunction(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        build_body(self, 3)


class ResetByAFunctionOfItsName(IPoolableComponent):
    def __init__(self) -> None:
        self.mood = "calm"

    def spawned(self) -> None:
        calm(self)

    def calm(self) -> None:
        self.mood = "calmed down"


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


class Parts(PooledSprite):
    def __init__(self) -> None:
        super().__init__()
        self.mover = self.add_component(Hop())
        self.health = self.add_component(ResetAtSpawn())
        self.bar = self.add_component(Bar())
        self.score = Score()
        self.other = Score()

    def spawned(self) -> None:
        self.score.reset()
        self.other = Score()
        self.bar.show(0)
        self.bar.color = "red"

    def hit(self) -> None:
        self.health.current -= 3
        self.mover.facing = 1
        self.score.kills += 1
        self.other.kills += 1


class Bar(IPoolableComponent):
    """Its sprite resets it, and calls what does."""

    color = "red"

    def show(self, width: int) -> None:
        self.width = width

    def flash(self) -> None:
        self.color = "white"
        self.width += 1


class Marked(PooledSprite):
    """Whoever spawns it sets its owner."""

    def take(self, owner: object) -> None:
        self.owner = owner


def throw(owner: object) -> Marked:
    marked: Marked = pools.spawn(Marked)
    marked.owner = owner
    return marked


class Reasoned(IPoolableComponent):
    def despawned(self, reason: DespawnReason) -> None:
        self.target: object = None
        if reason is DespawnReason.RESET:
            return
        self.sprite.kill()

    def aim(self, target: object) -> None:
        self.target = target


class RequestedSpawner(PooledSprite):
    """What it has spawned has a life of its own."""

    def spawned(self) -> None:
        self.shield: Any = None

    def protect(self) -> None:
        self.shield = pools.spawn(Marked)
        self.shield.strength = 3


class Guarded(IPoolableComponent):
    def __init__(self) -> None:
        self.current = 30

    def spawned(self) -> None:
        try:
            self.current = int("30")
        except ValueError:
            self.current = 0

    def hit(self) -> None:
        self.current -= 1


class KeptByComment(IPoolableComponent):
    def __init__(self) -> None:
        self.lives = 0
        self.log: list[str] = []  # poolkit: kept - the whole match
        self.text = (
            "a"  # poolkit: kept
            "b"
        )

    def spawned(self) -> None:
        self.lives += 1  # counted  # poolkit: kept

    def hit(self) -> None:
        self.log.append("hit")
        self.text = "c"

    def train(self) -> None:  # poolkit: kept
        self.strength = 3
        self.speed = 4


class KeptAltogether(IPoolableComponent):  # poolkit: kept
    def hit(self) -> None:
        self.a = self.b = 3


class KeptByName(IPoolableComponent):
    audit_ignore: ClassVar[object] = ("hits", "*_total")

    def hit(self) -> None:
        self.hits = 3
        self.damage_total = 3


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


class ResetInAPart(IPoolableComponent):
    def __init__(self) -> None:
        self.career = Career()

    def spawned(self) -> None:
        self.career.rivals.clear()

    def meet(self) -> None:
        self.career.rivals.add("b")


class KeptByInheritedName(KeptByName):
    audit_ignore = "mood"

    def anger(self) -> None:
        self.mood = "angry"


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


def test_the_catalogue_is_large_enough() -> None:
    assert len(CLEAN) >= 50
