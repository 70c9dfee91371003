"""Pools as a careful, skilled user writes them today.

Each does what the poolkit program beside it does, and nothing else. The active dict is the guard
against ending a life twice; a sprite's `life` is what timers and handles compare.
"""

# ruff: noqa: D102 - spawn begins a life, despawn ends one or says that it is over, everywhere

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict, deque
from typing import TYPE_CHECKING, Any

import pygame
import pymunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

IMAGE = pygame.Surface((6, 6))
RADIUS = 4.0
MASS, MOMENT = 1.0, pymunk.moment_for_circle(1.0, 0, RADIUS)
ALIKE = pymunk.ShapeFilter(group=1)

Place = tuple[float, float]


class HandSprite(pygame.sprite.Sprite):
    """What these pools hold."""

    def __init__(self) -> None:
        super().__init__()
        self.image = IMAGE
        self.rect: pygame.FRect = IMAGE.get_frect()
        self.life = 0


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


class HandPool:
    """An active dict, an inactive queue, a group."""

    def __init__(self, kind: Callable[[], Any], count: int, group: Any = None) -> None:
        self.kind = kind
        self.group = pygame.sprite.Group() if group is None else group
        self.active: dict[Any, None] = {}
        self.inactive = deque(kind() for _ in range(count))

    def spawn(self, position: Place) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        return sprite

    def despawn(self, sprite: Any) -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        sprite.kill()
        self.inactive.append(sprite)
        return True


class ComponentPool(HandPool):
    """Runs the two hooks of each component."""

    def spawn(self, position: Place) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        for component in sprite.components:
            component.spawned()
        return sprite

    def despawn(self, sprite: Any) -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        for component in reversed(sprite.components):
            component.despawned()
        sprite.kill()
        self.inactive.append(sprite)
        return True


class DataPool(HandPool):
    """Hands position and spawn data on to the sprite."""

    def spawn(self, position: Place, **data: Any) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        sprite.spawned(position, **data)
        return sprite


class ReasonPool(HandPool):
    """Tells the sprite why it ends."""

    def despawn(self, sprite: Any, reason: str = "despawned") -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        sprite.despawned(reason)
        sprite.kill()
        self.inactive.append(sprite)
        return True


class ParentPool(HandPool):
    """Ends a sprite's children with it; a child keeps its offset, to be moved by."""

    def spawn(self, position: Place, parent: Any = None) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        if parent is not None:
            x, y = parent.rect.center
            sprite.parent = parent
            sprite.offset = (position[0] - x, position[1] - y)
            parent.children.append(sprite)
        self.active[sprite] = None
        self.group.add(sprite)
        return sprite

    def despawn(self, sprite: Any) -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        if sprite.children:
            children, sprite.children = sprite.children, []
            for child in children:
                child.parent = None
                self.despawn(child)
        if sprite.parent is not None:
            sprite.parent.children.remove(sprite)
            sprite.parent = None
        sprite.kill()
        self.inactive.append(sprite)
        return True


class GroupsPool(HandPool):
    """Puts a sprite into further groups for a life."""

    def spawn(self, position: Place, groups: Iterable[Any] = ()) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        for group in groups:
            group.add(sprite)
        return sprite


class WaitingPool(HandPool):
    """Has a limit, and hands nothing out again before the next update."""

    def __init__(self, kind: Callable[[], Any], count: int, limit: int) -> None:
        super().__init__(kind, count)
        self.limit = limit
        self.waiting: list[Any] = []

    def spawn(self, position: Place) -> Any:
        if len(self.active) >= self.limit:
            return None
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        return sprite

    def despawn(self, sprite: Any) -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        sprite.kill()
        self.waiting.append(sprite)
        return True

    def update(self, _dt: float) -> None:
        self.inactive.extend(self.waiting)
        self.waiting.clear()


class OldestPool(HandPool):
    """Holds so many and builds no more: the oldest life ends for a new one."""

    def __init__(self, kind: Callable[[], Any], count: int) -> None:
        super().__init__(kind, count)
        self.active: OrderedDict[Any, None] = OrderedDict()  # finds its first at once, unlike dict

    def spawn(self, position: Place) -> Any:
        if self.inactive:
            sprite = self.inactive.popleft()
        else:
            sprite, _ = self.active.popitem(last=False)
            sprite.life += 1
            sprite.kill()
        sprite.rect.center = position
        self.active[sprite] = None
        self.group.add(sprite)
        return sprite


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


class BodyPool(HandPool):
    """Resets bodies as they enter the space: inside a step the solver would write over it."""

    def __init__(self, kind: Callable[[], Any], count: int, space: pymunk.Space) -> None:
        super().__init__(kind, count)
        self.space = space

    def spawn(self, position: Place) -> Any:
        sprite = self.inactive.popleft() if self.inactive else self.kind()
        sprite.rect.center = position
        body = sprite.body
        pymunk.Body.update_position(body, 0.0)  # clears what the solver keeps of the last life
        body.position = position
        body.angle = 0.0
        body.velocity = (0.0, 0.0)
        body.angular_velocity = 0.0
        body.force = (0.0, 0.0)
        body.torque = 0.0
        self.space.add(body, sprite.shape)
        self.active[sprite] = None
        self.group.add(sprite)
        return sprite

    def despawn(self, sprite: Any) -> bool:
        try:
            del self.active[sprite]
        except KeyError:
            return False
        sprite.life += 1
        sprite.kill()
        self.space.remove(sprite.shape, sprite.body)
        self.inactive.append(sprite)
        return True
