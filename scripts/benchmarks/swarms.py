"""Swarms beside numpy as a careful user writes it, beside pooled sprites, and beside objects.

- *By hand*: arrays of 32 bits, with scratch of their own and nothing else: no handles, no limit, no
  columns to declare. All live equally long, so the oldest end first, and a window slides over them.
- *Pooled sprites*: poolkit's, which move their rects.

A frame begins and ends lives, moves everything and draws it; the flip is left out.
"""

from __future__ import annotations

from itertools import cycle, repeat
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from benchmarks.frames import HEIGHT, STEP, WIDTH
from benchmarks.kinds import IMAGE, Bare, pooled
from benchmarks.measure import BY_HAND, POOLKIT, Work, repeated
from poolkit import PoolingSystem
from poolkit.swarms import Swarm, Vec2

if TYPE_CHECKING:
    from collections.abc import Iterator

POOLED, OBJECTS = "pooled sprites", "objects and fblits"
TARGETS = 100
COLOR = "gold"
_SCREEN = pygame.Surface((WIDTH, HEIGHT))


class Flying(Swarm):
    """What is measured: they fly off and end."""

    velocity: Vec2


class HandArrays:
    """The same by hand, for this very purpose."""

    def __init__(self, room: int, seconds: float, dot: int = 0) -> None:
        self.x, self.y, self.vx, self.vy, self.age = np.zeros((5, room), np.float32)
        self.step, self.left, self.top = np.empty((3, room), np.float32)
        self.column, self.line = np.empty((2, room), np.int32)
        self.inside, self.other = np.empty((2, room), np.bool_)
        self.first = self.end = 0
        self.seconds, self.dot = seconds - 1e-4, dot

    def spawn_many(self, count: int, position: Any, velocity: Any) -> None:
        """Begin so many."""
        lines = self.x, self.y, self.vx, self.vy, self.age
        if self.end + count > len(self.x):
            used = self.end - self.first
            for line in lines:
                line[:used] = line[self.first : self.end]
            self.first, self.end = 0, used
        new = slice(self.end, self.end + count)
        for line, values in zip(lines, (*position.T, *velocity.T, 0.0), strict=True):
            line[new] = values
        self.end += count

    def update(self, dt: float) -> None:
        """Move them; end the oldest."""
        rows = slice(self.first, self.end)
        step = self.step[rows]
        for line, speed in (self.x, self.vx), (self.y, self.vy):
            np.multiply(speed[rows], dt, out=step)
            line[rows] += step
        age = self.age[rows]
        age += dt
        self.first += int(np.count_nonzero(age >= self.seconds))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw images, or dots of one pixel."""
        rows = slice(self.first, self.end)
        if not self.dot:
            left = np.subtract(self.x[rows], 3.0, out=self.left[rows]).tolist()
            top = np.subtract(self.y[rows], 3.0, out=self.top[rows]).tolist()
            surface.fblits(zip(repeat(IMAGE), zip(left, top)))  # noqa: B905 - for speed
            return
        column, line = self.column[rows], self.line[rows]
        inside, other = self.inside[rows], self.other[rows]
        np.copyto(column, self.x[rows], casting="unsafe")
        np.copyto(line, self.y[rows], casting="unsafe")
        np.less(column.view(np.uint32), surface.get_width(), out=inside)
        np.less(line.view(np.uint32), surface.get_height(), out=other)
        inside &= other
        spots = line[inside].astype(np.intp)
        spots *= surface.get_width()
        spots += column[inside]
        pygame.surfarray.pixels2d(surface).T.reshape(-1)[spots] = self.dot

    def hits(self, rect: pygame.FRect) -> Any:
        """Return which images overlap a rect."""
        rows = slice(self.first, self.end)
        x, y, inside, other = self.x[rows], self.y[rows], self.inside[rows], self.other[rows]
        np.greater(x, rect.left - 3.0, out=inside)
        for line, compare, edge in (
            (x, np.less, rect.right + 3.0),
            (y, np.greater, rect.top - 3.0),
            (y, np.less, rect.bottom + 3.0),
        ):
            compare(line, edge, out=other)
            np.logical_and(inside, other, out=inside)
        return inside.nonzero()[0]


class Flier(Bare):
    """The same as a sprite."""

    def spawned(self, velocity: Any) -> None:
        """Fly off."""
        self.velocity = velocity

    def update(self, dt: float) -> None:
        """Fly on."""
        vx, vy = self.velocity
        self.rect.move_ip(vx * dt, vy * dt)


# -- frames ---------------------------------------------------------------------------------------


def _batches(born: int) -> Iterator[tuple[Any, Any]]:
    """Return positions and velocities of those born in a frame, the same for all, over and over."""
    dice = np.random.default_rng(born)
    found = []
    for _ in range(16):
        angles = dice.uniform(0.0, 2 * np.pi, born)
        speeds = dice.uniform(5.0, 90.0, (born, 1))
        places = dice.uniform((100.0, 100.0), (WIDTH - 100.0, HEIGHT - 100.0), (born, 2))
        found.append((places, np.stack([np.cos(angles), np.sin(angles)], axis=1) * speeds))
    return cycle(found)


def _frames(alive: int, born: int, images: Any = IMAGE) -> dict[str, Any]:
    """Return the ways of `alive` that fly, of whom `born` begin and end in a frame."""
    seconds = alive / born * STEP
    dot = 0 if images is IMAGE else _SCREEN.map_rgb(pygame.Color(COLOR))
    room = 2 * alive + 2 * born
    ours = Flying(images, limit=alive + 2 * born, lifetime=seconds, system=PoolingSystem())
    ways: dict[str, Any] = {POOLKIT: ours, BY_HAND: HandArrays(room, seconds, dot)}
    ways[POOLED] = _sprites(alive, born, dot)
    return {name: _played(way, born, alive // born) for name, way in ways.items()}


def _sprites(alive: int, born: int, dot: int) -> Any:
    way = pooled(Flier, alive + 2 * born)
    begun: list[Any] = []

    def spawn_many(_: int, position: Any, velocity: Any) -> None:
        pairs = zip(position.tolist(), velocity.tolist(), strict=True)
        if len(begun) >= alive:
            for one in begun[:born]:
                one.kill()
            del begun[:born]
        begun.extend(way.spawn(place, velocity=speed) for place, speed in pairs)

    def update(dt: float) -> None:
        way.update(dt)
        way.step(dt)

    if dot:
        for record in (way.spawn.args[0],):
            del record
    return SimpleNamespace(spawn_many=spawn_many, update=update, draw=way.group.draw)


def _played(way: Any, born: int, frames: int) -> Work:
    """Return what plays frames; so many have been played, for all to be there."""
    batches = _batches(born)

    def turn_over() -> None:
        position, velocity = next(batches)
        way.spawn_many(born, position=position, velocity=velocity)

    names = {"turn_over": turn_over, "way": way, "screen": _SCREEN, "S": STEP}
    work = repeated(names, "turn_over(); way.update(S); screen.fill('black'); way.draw(screen)")
    work(frames + 2)
    return work
