"""The same kinds of lives by hand and by poolkit.

Pools by hand are as a careful, skilled user writes them today: each for one kind of life, and
nothing else. They differ in few lines, so one text is written out for each with its own lines in
place: what runs is what one would write, and no call comes on top. The active dict is the guard
against ending a life twice; a sprite's `life` is what timers and handles compare.
"""

# ruff: noqa: D102 - what these methods are, poolkit and the classes say

from __future__ import annotations

import heapq
import itertools
from collections import deque
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

import poolkit
from poolkit import PooledSprite, PoolingSystem
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = pygame.Surface((6, 6))
RADIUS = 4.0
MASS, MOMENT = 1.0, pymunk.moment_for_circle(1.0, 0, RADIUS)
AT_REST = 100  # instances that wait, if nothing else is said
ALIKE = pymunk.ShapeFilter(group=1)

Way = Any
"""A way of having sprites: `spawn` and `despawn`, the `group` of those alive, `update` and `step`
that let time pass, and with bodies the `world` that these are in."""


# -- by hand: sprites and timers ------------------------------------------------------------------


class HandSprite(pygame.sprite.Sprite):
    """What these pools hold."""

    def __init__(self) -> None:
        super().__init__()
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect()
        self.life = 0


class HandParent(HandSprite):
    """A sprite that may have children."""

    def __init__(self) -> None:
        super().__init__()
        self.parent: Any = None
        self.children: list[Any] = []


class BodySprite(HandSprite):
    """A sprite with a body and a shape, which knows its sprite."""

    def __init__(self, collision_type: int = 0) -> None:
        super().__init__()
        self.body, self.shape = new_body(collision_type)
        self.shape.sprite = self


def new_body(collision_type: int) -> tuple[pymunk.Body, pymunk.Circle]:
    """Build a body with a shape; with no collision type, it passes through its like."""
    body = pymunk.Body(MASS, MOMENT)
    shape = pymunk.Circle(body, RADIUS)
    shape.collision_type = collision_type
    if not collision_type:
        shape.filter = ALIKE
    shape.elasticity = 1.0
    return body, shape


class Plain(pygame.sprite.Sprite):
    """A sprite that knows nothing of pools, built where it is wanted."""

    everyone: pygame.sprite.Group[Any] = pygame.sprite.Group()

    def __init__(self, position: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__(self.everyone)
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect(center=position)


class HandTimers:
    """Timers in a heap; one that its life has outlived does nothing when it is due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.heap: list[tuple[float, int, Any, int, Callable[[Any], object]]] = []
        self.numbers = itertools.count()

    def after(self, seconds: float, sprite: Any, function: Callable[[Any], object]) -> None:
        timer = (self.now + seconds, next(self.numbers), sprite, sprite.life, function)
        heapq.heappush(self.heap, timer)

    def update(self, dt: float) -> None:
        self.now += dt
        now, heap = self.now, self.heap
        while heap and heap[0][0] <= now:
            _, _, sprite, life, function = heapq.heappop(heap)
            if sprite.life == life:
                function(sprite)


# -- by hand: pools -------------------------------------------------------------------------------

_TEXT = """\
def spawn(self, position{wants}):
    {take}
    sprite.rect.center = position
    {enter}
    self.active[sprite] = None
    self.group.add(sprite)
    {begin}
    return sprite

def despawn(self, sprite{told}):
    try:
        del self.active[sprite]
    except KeyError:
        return False
    sprite.life += 1
    {end}
    sprite.kill()
    {leave}
    return True
"""
_LINES = {
    "take": "sprite = self.inactive.popleft() if self.inactive else self.kind()",
    "leave": "self.inactive.append(sprite)",
    **dict.fromkeys(("wants", "enter", "begin", "told", "end"), ""),
}


class _Pool:
    """An active dict, an inactive queue, a group; spawn and despawn come from the text."""

    update: Callable[[float], object] = float  # as good as nothing

    def __init__(self, kind: Callable[[], Any], count: int = AT_REST, **known: Any) -> None:
        self.kind = kind
        self.active: dict[Any, None] = {}
        self.inactive = deque(kind() for _ in range(count))
        self.group: pygame.sprite.Group[Any] = pygame.sprite.Group()
        for name, value in known.items():
            setattr(self, name, value)  # as written out: to ask for its dict would slow it down

    def step(self, dt: float) -> None:
        self.group.update(dt)


def _pool(**lines: str) -> Any:
    """Return a class of pools that has these lines in their places."""
    members: dict[str, Any] = {}
    lines = {place: line.replace("\n", "\n    ") for place, line in (_LINES | lines).items()}
    exec(_TEXT.format(**lines), globals(), members)  # noqa: S102 - written above
    return type("HandPool", (_Pool,), members)


HandPool = _pool()
ComponentPool = _pool(  # runs the two hooks of each component
    begin="for component in sprite.components:\n    component.spawned()",
    end="for component in reversed(sprite.components):\n    component.despawned()",
)
FlyingPool = _pool(
    wants=", velocity",
    begin="sprite.health.spawned()\nsprite.thrust.spawned(velocity)",
    end="sprite.health.despawned()",
)
DataPool = _pool(wants=", **data", begin="sprite.spawned(**data)")
PlacePool = _pool(wants=", **data", begin="sprite.spawned(position, **data)")
ReasonPool = _pool(told=", reason='despawned'", end="sprite.despawned(reason)")
GroupsPool = _pool(wants=", groups=()", begin="for group in groups:\n    group.add(sprite)")

# Ends a sprite's children with it; a child keeps its offset, to be moved by.
ParentPool = _pool(
    wants=", parent=None",
    enter="""\
if parent is not None:
    x, y = parent.rect.center
    sprite.parent = parent
    sprite.offset = (position[0] - x, position[1] - y)
    parent.children.append(sprite)""",
    end="""\
if sprite.children:
    children, sprite.children = sprite.children, []
    for child in children:
        child.parent = None
        self.despawn(child)
if sprite.parent is not None:
    sprite.parent.children.remove(sprite)
    sprite.parent = None""",
)

# Has a limit, and lets who was alive wait before it is handed out again.
WaitingPool = _pool(
    take=f"if len(self.active) >= self.limit:\n    return None\n{_LINES['take']}",
    leave="self.waiting.append(sprite)",
)

# Holds so many and builds no more: the oldest life ends for a new one. Its active dict is to be an
# OrderedDict, which finds its first at once.
OldestPool = _pool(
    take="""\
if self.inactive:
    sprite = self.inactive.popleft()
else:
    sprite, _ = self.active.popitem(last=False)
    sprite.life += 1
    sprite.kill()"""
)

# Resets bodies as they enter the space: inside a step the solver would write over it.
_THROW = {"wants": ", velocity=None", "begin": "if velocity: sprite.body.velocity = velocity"}
BodyPool = _pool(
    **_THROW,
    enter="""\
body = sprite.body
pymunk.Body.update_position(body, 0.0)  # clears what the solver keeps of the last life
body.position = position
body.angle = 0.0
body.velocity = (0.0, 0.0)
body.angular_velocity = 0.0
body.force = (0.0, 0.0)
body.torque = 0.0
self.world.add(body, sprite.shape)""",
    leave=f"self.world.remove(sprite.shape, sprite.body)\n{_LINES['leave']}",
)

# Keeps nothing: each body is built for its life, and dropped after it.
NoBodyPool = _pool(
    **_THROW,
    take="sprite = self.kind()",
    enter="sprite.body.position = position\nself.world.add(sprite.body, sprite.shape)",
    leave="self.world.remove(sprite.shape, sprite.body)",
)


def bodies(pool_kind: Any, count: int, kind: Any = BodySprite) -> Way:
    """Return a pool of sprites with bodies, which the usual loop moves."""
    space = pymunk.Space()
    pool = pool_kind(kind, count, world=space)
    group = pool.group

    def step(dt: float) -> None:
        space.step(dt)
        for sprite in group:
            sprite.rect.center = sprite.body.position

    pool.step = step
    return pool


# -- by poolkit -----------------------------------------------------------------------------------


class Bare(PooledSprite):
    """A sprite that wants nothing of poolkit."""

    def __init__(self) -> None:
        super().__init__(IMAGE)


class Health(poolkit.IPoolableComponent):
    """A component with the two hooks that most have."""

    current = 0

    def spawned(self) -> None:
        self.current = 30

    def despawned(self) -> None:
        self.current = 0


class Healthy(Bare):
    """A sprite with that component."""

    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health())


class HandHealthy(HandSprite):
    """The same for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.health = Health()
        self.components = [self.health]


class Thrust(poolkit.IPoolableComponent):
    """A component that wants to be told something."""

    def spawned(self, velocity: Any) -> None:
        self.velocity = velocity


class Flying(Healthy):
    """A sprite with both."""

    def __init__(self) -> None:
        super().__init__()
        self.thrust = self.add_component(Thrust())


class HandFlying(HandHealthy):
    """The same for a pool written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.thrust = Thrust()


class Bodied(Bare):
    """A sprite with a body and a shape, in a world."""

    def __init__(self, world: PhysicsWorld, collision_type: int = 0) -> None:
        super().__init__()
        self.body, shape = new_body(collision_type)
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())


def pooled(kind: Any, count: int = AT_REST, system: Any = None, **settings: Any) -> Way:
    """Return how a kind of sprite is played with, so many of which are built beforehand."""
    system, group = system or PoolingSystem(), poolkit.PooledGroup()
    how = poolkit.PoolSettings(prespawn=count, **settings)
    prefab = system.register(poolkit.Prefab(kind, groups=[group], settings=how))
    spawn, end, update = partial(system.spawn, prefab), PooledSprite.kill, system.update
    return SimpleNamespace(spawn=spawn, despawn=end, group=group, update=update, step=group.update)


def pooled_bodies(count: int, kind: Any = Bodied, system: Any = None) -> Way:
    """Return how sprites with bodies are played with: the world moves them."""
    world = PhysicsWorld()
    way = pooled(partial(kind, world), count, system)
    way.world, way.step = world, world.step
    return way
