"""Pools as a careful, skilled user writes them today: each for one kind of life, and nothing else.

They differ in few lines, so one text is written out for each with its own lines in place: what
runs is what one would write, and no call comes on top. The active dict is the guard against ending
a life twice; a sprite's `life` is what timers and handles compare.
"""

# ruff: noqa: D102 - spawn begins a life, despawn ends one or says that it is over, everywhere

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, deque
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pygame
import pymunk

if TYPE_CHECKING:
    from collections.abc import Callable

IMAGE = pygame.Surface((6, 6))
RADIUS = 4.0
MASS, MOMENT = 1.0, pymunk.moment_for_circle(1.0, 0, RADIUS)
ALIKE = pymunk.ShapeFilter(group=1)


class HandSprite(pygame.sprite.Sprite):
    """What these pools hold."""

    def __init__(self) -> None:
        super().__init__()
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect()
        self.life = 0


class Plain(pygame.sprite.Sprite):
    """A sprite that knows nothing of pools, built where it is wanted."""

    everyone: pygame.sprite.Group[Any] = pygame.sprite.Group()

    def __init__(self, position: tuple[float, float] = (0.0, 0.0)) -> None:
        super().__init__(self.everyone)
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect(center=position)


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


def new_body(collision_type: int = 0) -> tuple[pymunk.Body, pymunk.Circle]:
    """Build a body with a shape; with no collision type, it passes through its like."""
    body = pymunk.Body(MASS, MOMENT)
    shape = pymunk.Circle(body, RADIUS)
    shape.collision_type = collision_type
    if not collision_type:
        shape.filter = ALIKE
    shape.elasticity = 1.0
    return body, shape


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


# -- pools ---------------------------------------------------------------------------------------

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
    """An active dict, an inactive queue, a group."""

    active_kind: Any = dict

    def __init__(
        self, kind: Callable[[], Any], count: int, group: Any = None, **known: Any
    ) -> None:
        self.kind = kind
        self.group = pygame.sprite.Group() if group is None else group
        self.active = self.active_kind()
        self.inactive = deque(kind() for _ in range(count))
        self.waiting: list[Any] = []
        for name, value in known.items():
            setattr(self, name, value)  # as written out: to ask for its dict would slow it down

    def update(self, _dt: float) -> None:
        self.inactive.extend(self.waiting)
        self.waiting.clear()


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

# Has a limit, and hands nothing out again before the next update.
WaitingPool = _pool(
    take=f"if len(self.active) >= self.limit:\n    return None\n{_LINES['take']}",
    leave="self.waiting.append(sprite)",
)

# Holds so many and builds no more: the oldest life ends for a new one.
OldestPool = _pool(
    take="""\
if self.inactive:
    sprite = self.inactive.popleft()
else:
    sprite, _ = self.active.popitem(last=False)
    sprite.life += 1
    sprite.kill()"""
)
OldestPool.active_kind = OrderedDict  # finds its first at once, unlike dict

# Resets bodies as they enter the space: inside a step the solver would write over it.
BodyPool = _pool(
    enter="""\
body = sprite.body
pymunk.Body.update_position(body, 0.0)  # clears what the solver keeps of the last life
body.position = position
body.angle = 0.0
body.velocity = (0.0, 0.0)
body.angular_velocity = 0.0
body.force = (0.0, 0.0)
body.torque = 0.0
self.space.add(body, sprite.shape)""",
    leave=f"self.space.remove(sprite.shape, sprite.body)\n{_LINES['leave']}",
)


class Bodies(NamedTuple):
    """How sprites with bodies begin and end, what lets time pass, and where they are."""

    spawn: Callable[..., Any]
    despawn: Callable[[Any], object]
    update: Callable[[float], object]
    step: Callable[[float], object]
    group: Any
    world: Any


def bodies(count: int, collision_type: int = 0) -> Bodies:
    """Return how they are played with by a pool of so many; by none, they are built each time.

    The usual loop moves each sprite to its body.
    """
    kind, space = partial(BodySprite, collision_type), pymunk.Space()
    pool, group = BodyPool(kind, count, space=space), pygame.sprite.Group[Any]()

    def build(position: Any) -> Any:
        sprite = kind()
        sprite.rect.center = sprite.body.position = position
        space.add(sprite.body, sprite.shape)
        group.add(sprite)
        return sprite

    def drop(sprite: Any) -> None:
        sprite.kill()
        space.remove(sprite.shape, sprite.body)

    def step(dt: float) -> None:
        space.step(dt)
        for sprite in shown:
            sprite.rect.center = sprite.body.position

    shown = pool.group if count else group
    begin, end = (pool.spawn, pool.despawn) if count else (build, drop)
    return Bodies(begin, end, float, step, shown, space)
