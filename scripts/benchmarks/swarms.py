"""Swarms beside numpy as a careful user writes it, beside pooled sprites, and beside objects.

- *By hand*: 32-bit arrays with scratch arrays, written for this program alone: no handles, no
  limit, no columns to declare. All lives last equally long, so the oldest end first, and a window
  slides over the arrays.
- *Pooled sprites*: the README's first program: spawn data, a timer for each life, moved by rect.
- *Objects and fblits*: particles as tutorials write them, each an object in a list.

A frame begins and ends lives, moves everything and draws it, without the flip.
"""

from __future__ import annotations

import gc
import sys
from itertools import chain, cycle, repeat
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from benchmarks.frames import HEIGHT, STEP, WIDTH
from benchmarks.kinds import IMAGE, pooled
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, Work, repeated
from benchmarks.report import hold
from poolkit import PooledGroup, PooledSprite, PoolingSystem
from poolkit.swarms import Swarm, Vec2

if TYPE_CHECKING:
    from collections.abc import Iterator

POOLED, OBJECTS, BLIT = "pooled sprites", "objects and fblits", "the blits alone"
ONE_BY_ONE = "a query for each sprite"
SINGLY = "a query a sprite"
DOT = 1, "gold"
PIXEL = pygame.Surface((1, 1))
FADING = [pygame.Surface((4, 4)) for _ in range(16)]
PULL = 400.0  # pixels a second, each second
HALF = IMAGE.get_width() / 2
TARGETS = 100
FRAMES = 1_000  # of a steady state
AT_ONCE = 1_000  # spawns


class Falling(Swarm):
    """What is measured: it flies off, falls and ends."""

    velocity: Vec2

    def update(self, dt: float) -> None:
        """Fall."""
        self.velocity[:, 1] += PULL * dt
        super().update(dt)


class Fading(Falling):
    """The same, paler and paler."""

    def update(self, dt: float) -> None:
        """Fall, and fade within a second."""
        super().update(dt)
        self.frame[:] = (self.age * len(FADING)).clip(max=len(FADING) - 1)


class HandArrays:
    """Arrays by hand: images of one size, or dots of one pixel."""

    def __init__(self, room: int, seconds: float, dot: int = 0) -> None:
        self.x, self.y, self.vx, self.vy, self.age = np.zeros((5, room), np.float32)
        self.step, self.left, self.top = np.empty((3, room), np.float32)
        self.column, self.line = np.empty((2, room), np.int32)
        self.inside, self.other = np.empty((2, room), np.bool_)
        self.first = self.end = 0
        self.seconds, self.dot = seconds - 1e-4, dot

    def spawn_many(self, count: int, position: Any, velocity: Any) -> None:
        """Begin so many lives."""
        lines = self.x, self.y, self.vx, self.vy, self.age
        if self.end + count > len(self.x):
            used = self.end - self.first
            for line in lines:
                line[:used] = line[self.first : self.end]
            self.first, self.end = 0, used
        for line, values in zip(lines, (*position.T, *velocity.T, 0.0), strict=True):
            line[self.end : self.end + count] = values
        self.end += count

    def update(self, dt: float) -> None:
        """Move what lives; end the oldest."""
        rows = slice(self.first, self.end)
        step, age = self.step[rows], self.age[rows]
        self.vy[rows] += PULL * dt
        for line, speed in (self.x, self.vx), (self.y, self.vy):
            np.multiply(speed[rows], dt, out=step)
            line[rows] += step
        age += dt
        self.first += int(np.count_nonzero(age >= self.seconds))

    def draw(self, surface: pygame.Surface) -> None:
        """Draw what lives."""
        rows = slice(self.first, self.end)
        if not self.dot:
            left = np.subtract(self.x[rows], HALF, out=self.left[rows]).tolist()
            top = np.subtract(self.y[rows], HALF, out=self.top[rows]).tolist()
            surface.fblits(zip(repeat(IMAGE), zip(left, top)))  # noqa: B905 - of one length
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
        """Return the rows whose images overlap a rect."""
        rows = slice(self.first, self.end)
        x, y, inside, other = self.x[rows], self.y[rows], self.inside[rows], self.other[rows]
        np.greater(x, rect.left - HALF, out=inside)
        for line, compare, edge in (
            (x, np.less, rect.right + HALF),
            (y, np.greater, rect.top - HALF),
            (y, np.less, rect.bottom + HALF),
        ):
            compare(line, edge, out=other)
            np.logical_and(inside, other, out=inside)
        return inside.nonzero()[0]


# -- games ----------------------------------------------------------------------------------------


def _batches(born: int) -> Iterator[tuple[Any, Any]]:
    """Return positions and velocities of those born in a frame, the same for all, over and over."""
    dice = np.random.default_rng(born)
    found = []
    for _ in range(16):
        places = dice.uniform((100.0, 50.0), (WIDTH - 100.0, HEIGHT - 300.0), (born, 2))
        found.append((places, dice.uniform((-90.0, -150.0), (90.0, 50.0), (born, 2))))
    return cycle(found)


def _played(way: Any, alive: int, born: int, *, with_targets: bool = False) -> Work:
    """Return what plays frames, in which all are there from the first on."""
    batches = _batches(born)

    def turn_over() -> None:
        position, velocity = next(batches)
        way.spawn_many(born, position=position, velocity=velocity)

    screen = pygame.Surface((WIDTH, HEIGHT))
    targets = _targets() if with_targets else []
    names = {"turn_over": turn_over, "way": way, "screen": screen, "S": STEP, "targets": targets}
    hit = "for rect in targets: way.despawn(way.hits(rect))"
    draw = "screen.fill('midnightblue'); way.draw(screen)"
    work = repeated(names, "turn_over(); way.update(S)", hit, draw)
    work(alive // born + 2)
    return work


def _targets() -> list[pygame.FRect]:
    dice = np.random.default_rng(1)
    corners = dice.uniform((0.0, 0.0), (WIDTH, HEIGHT), (TARGETS, 2)).tolist()
    return [pygame.FRect(corner, (24.0, 24.0)) for corner in corners]


def _swarm(alive: int, born: int, images: Any = IMAGE, kind: type[Swarm] = Falling) -> Swarm:
    seconds = alive / born * STEP
    return kind(images, limit=alive + 2 * born, lifetime=seconds, system=PoolingSystem())


def _sprites(alive: int, born: int, image: pygame.Surface) -> Any:
    """Return the way of pooled sprites."""

    class Sprite(PooledSprite):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity
            self.scope.after(alive / born * STEP, self.kill)

        def update(self, dt: float) -> None:
            self.velocity.y += PULL * dt
            self.rect.move_ip(self.velocity * dt)

    way = pooled(lambda: Sprite(image), alive + 2 * born)

    def spawn_many(_: int, position: Any, velocity: Any) -> None:
        for place, speed in zip(position.tolist(), velocity.tolist(), strict=True):
            way.spawn(place, velocity=pygame.Vector2(speed))

    def update(dt: float) -> None:
        way.update(dt)
        way.step(dt)

    return SimpleNamespace(spawn_many=spawn_many, update=update, draw=way.group.draw)


class _Particle:
    def __init__(self, position: Any, velocity: Any) -> None:
        self.position, self.velocity = pygame.Vector2(position), pygame.Vector2(velocity)
        self.age = 0.0

    def update(self, dt: float) -> None:
        self.velocity.y += PULL * dt
        self.position += self.velocity * dt
        self.age += dt

    @property
    def image(self) -> pygame.Surface:
        return FADING[min(int(self.age * len(FADING)), len(FADING) - 1)]


class _Particles:
    """Particles as objects in a list."""

    def __init__(self) -> None:
        self.alive: list[_Particle] = []

    def spawn_many(self, _: int, position: Any, velocity: Any) -> None:
        self.alive += map(_Particle, position.tolist(), velocity.tolist())

    def update(self, dt: float) -> None:
        for particle in self.alive:
            particle.update(dt)
        self.alive = [particle for particle in self.alive if particle.age < 1.0]

    def draw(self, surface: pygame.Surface) -> None:
        surface.fblits([(particle.image, particle.position) for particle in self.alive])


def _frames(alive: int, born: int, images: Any = IMAGE) -> dict[str, Work]:
    """Return the ways of so many that fly, of which so many begin and end in a frame."""
    is_dots = images is not IMAGE
    dot = pygame.Surface((1, 1)).map_rgb(pygame.Color(DOT[1])) if is_dots else 0
    ways = {
        POOLKIT: _swarm(alive, born, images),
        BY_HAND: HandArrays(2 * (alive + 2 * born), alive / born * STEP, dot),
        POOLED: _sprites(alive, born, PIXEL if is_dots else IMAGE),
    }
    return {name: _played(way, alive, born) for name, way in ways.items()}


# -- what is measured -----------------------------------------------------------------------------


def swarms(size: Size) -> Iterator[Contest]:
    """Measure whole frames, single spawns, hits, what a steady state leaves, and scale."""
    some, many, half, most = map(size, (20_000, 100_000, 50_000, 200_000))
    for alive, images, bar in (some, IMAGE, 3), (many, DOT, 10):
        what = "images" if images is IMAGE else "dots"
        born = alive // 60
        name = f"{alive:,} moving {what}, {born:,} begin and end in a frame"
        yield (contest := Contest(name, _frames(alive, born, images), 5, 20, most=1.15))
        faster = 1 / contest.ratio(POOLKIT, POOLED)[1]
        hold(f"{POOLED} to {POOLKIT}: {what}", faster, bar, at_least=True)
    yield _spawns()
    yield _hits(half)
    yield from _group_hits(size)
    for num_sprites, num_rows in (300, 1_000), (1_000, 1_000):
        yield _hits_of_group(size(num_sprites), size(num_rows))
    for num_sprites, num_rows in (5, 100), (20, 10_000), (2, 50_000):
        yield _hits_of_group(num_sprites, size(num_rows), SINGLY)
    ways = {
        POOLKIT: _played(_swarm(half, half // 60, FADING, Fading), half, half // 60),
        OBJECTS: _played(_Particles(), half, half // 60),
    }
    name = f"{half:,} particles that fade"
    yield (contest := Contest(name, ways, 3, 10))
    hold(f"{OBJECTS} to {POOLKIT}", 1 / contest.ratio(POOLKIT, OBJECTS)[1], 2.5, at_least=True)
    yield from _at_scale(size)
    yield from _whole(half, most)
    for images in IMAGE, DOT:
        _leaves_nothing(_played(_swarm(size(5_000), 83, images), size(5_000), 83), size(FRAMES))


def _spawns() -> Contest:
    """Return a contest of single spawns, ended in between."""
    swarm = _swarm(AT_ONCE, AT_ONCE)

    class Sprite(PooledSprite):
        def spawned(self, velocity: Any) -> None:
            self.velocity = velocity

    way = pooled(Sprite, AT_ONCE)

    def end_all(name: str) -> None:
        if name == POOLKIT:
            swarm.clear()
            swarm.update(STEP)
        else:
            for sprite in list(way.group):
                sprite.kill()
            way.update(STEP)

    names = {"P": (8.0, 8.0), "Q": (3.0, 4.0)}
    spawn, prefab = way.spawn.func, way.spawn.args[0]
    ways = {
        POOLKIT: repeated({**names, "spawn": swarm.spawn}, "spawn(P, velocity=Q)"),
        POOLED: repeated(
            {**names, "spawn": spawn, "prefab": prefab}, "spawn(prefab, P, velocity=Q)"
        ),
    }
    name = "a spawn of one with data; the swarm's returns a handle"
    return Contest(name, ways, 7, 20, AT_ONCE, most=1.5, to=POOLED, between=end_all)


def _hits(alive: int) -> Contest:
    """Return a contest of rects against images."""
    ours = _swarm(alive, alive // 60)
    theirs = HandArrays(4 * alive, alive / (alive // 60) * STEP)
    for way in ours, theirs:
        _played(way, alive, alive // 60)
    lines = "for rect in rects: hits(rect)"
    ways = {
        name: repeated({"rects": _targets(), "hits": way.hits}, lines)
        for name, way in ((POOLKIT, ours), (BY_HAND, theirs))
    }
    return Contest(f"{TARGETS} targets against {alive:,}", ways, 7, 10, most=1.2)


def _hits_of_group(num_sprites: int, num_rows: int, to: str = BY_HAND) -> Contest:
    """Return a contest of a group against images: one sweep by hand, and a query a sprite."""
    swarm, dice = _swarm(num_rows, 1), np.random.default_rng(1)
    places = dice.uniform((0.0, 0.0), (WIDTH, HEIGHT), (num_rows, 2))
    swarm.spawn_many(num_rows, position=places, velocity=(0, 0))
    group = PooledGroup[PooledSprite]()
    for place in dice.uniform((0.0, 0.0), (WIDTH, HEIGHT), (num_sprites, 2)).tolist():
        group.add(sprite := PooledSprite(pygame.Surface((24, 24))))
        sprite.position = place
    names = {"swarm": swarm, "group": group, "swept": swept}
    x, y = places.T.astype(np.float32)
    names |= {"x": x, "y": y}
    singly = "[(row, sprite) for sprite in group for row in swarm.hits(sprite).tolist()]"
    ways = {
        POOLKIT: repeated(names, "swarm.hits(group)"),
        BY_HAND: repeated(names, "swept(x, y, group.sprites())"),
        SINGLY: repeated(names, singly),
    }
    name = f"hits of {num_sprites} sprites with {num_rows:,} rows"
    return Contest(name, ways, 9, 10, most=1.5 if to == BY_HAND else 1.1, to=to)


def swept(x: Any, y: Any, sprites: list[Any]) -> list[tuple[int, Any]]:
    """Return pairs of rows and the sprites that their images touch: one sweep along the x axis."""
    boxes = np.array([sprite.rect for sprite in sprites], np.float32)
    left, right = boxes[:, 0] - HALF, boxes[:, 0] + boxes[:, 2] + HALF
    top, bottom = boxes[:, 1] - HALF, boxes[:, 1] + boxes[:, 3] + HALF
    order = x.argsort()
    in_order = x[order]
    first = in_order.searchsorted(left, "right")
    nums = (in_order.searchsorted(right) - first).clip(min=0)
    which = np.arange(len(sprites)).repeat(nums)
    rows = order[np.arange(len(which)) + (first - nums.cumsum() + nums).repeat(nums)]
    near = ((y[rows] > top[which]) & (y[rows] < bottom[which])).nonzero()[0]
    pairs = zip(rows[near].tolist(), which[near].tolist(), strict=True)
    return [(row, sprites[number]) for row, number in pairs]


def _group_hits(size: Size) -> Iterator[Contest]:
    """Measure the hits of a group, to one sweep by hand, and to a query for each sprite."""
    sizes = (10, 1_000), (1_000, 1_000), (30, 10_000), (300, 10_000)
    for targets, alive, most in (300, 1_000, 1.5), *((*pair, None) for pair in sizes):
        swarm, group = _swarm(size(alive), 1), pygame.sprite.Group[Any]()
        dice = np.random.default_rng(2)
        centers = dice.uniform((0.0, 0.0), (WIDTH, HEIGHT), (size(alive), 2))
        swarm.spawn_many(size(alive), position=centers, velocity=(0.0, 0.0))
        for corner in dice.uniform((0.0, 0.0), (WIDTH, HEIGHT), (targets, 2)).tolist():
            sprite = pygame.sprite.Sprite(group)
            sprite.rect = pygame.FRect(corner, (24.0, 24.0))
        names = {"hits": swarm.hits, "group": group, "sweep": _swept, "centers": centers}
        one_by_one = "[(row, sprite) for sprite in group for row in hits(sprite).tolist()]"
        ways = {
            POOLKIT: repeated(names, "hits(group)"),
            ONE_BY_ONE: repeated(names, one_by_one),
            BY_HAND: repeated(names, "sweep(centers, group.sprites())"),
        }
        name = f"the hits of {targets:,} sprites in a group, by {alive:,} rows"
        yield (contest := Contest(name, ways, 7, 10, most=most))
        # Those of few sprites are the same queries: a little more is noise.
        hold(f"to {ONE_BY_ONE}", contest.ratio(POOLKIT, ONE_BY_ONE)[1], 1.1)


def _swept(centers: Any, sprites: list[Any]) -> list[tuple[int, Any]]:
    """Return the pairs of rows and sprites as a careful hand finds them, by sorting the rows."""
    rects = chain.from_iterable(sprite.rect for sprite in sprites)
    sides = np.fromiter(rects, float).reshape(-1, 4).T.copy()
    order = centers[:, 0].argsort()
    xs, ys = centers[order].T
    starts = xs.searchsorted(sides[0] - HALF, "right")
    counts = xs.searchsorted(sides[0] + sides[2] + HALF, "left") - starts
    ends = counts.cumsum()
    candidates = np.arange(ends[-1]) + (starts - ends + counts).repeat(counts)
    which = np.arange(len(sprites)).repeat(counts)
    heights = ys[candidates] - sides[1][which]
    is_hit = (heights > -HALF) & (heights < sides[3][which] + HALF)
    keys = which[is_hit] * len(centers) + order[candidates[is_hit]]
    found = np.divmod(np.sort(keys), len(centers))
    return [(row, sprites[one]) for one, row in zip(*(part.tolist() for part in found))]  # noqa: B905


def _at_scale(size: Size) -> Iterator[Contest]:
    """Measure what a life costs in a frame, by how many there are."""
    for what, images in ("images", IMAGE), ("dots", DOT):
        figures = []
        for alive in map(size, (1_000, 10_000, 200_000)):
            born = max(1, alive // 60)
            work = _played(_swarm(alive, born, images), alive, born)
            yield (contest := Contest(f"a life of {alive:,} {what}", {POOLKIT: work}, 5, 10))
            figures.append(min(contest.times(POOLKIT)) / alive)
        hold(f"a life of {what}: the most to the fewest", figures[-1] / figures[0], 1.3)


def _whole(some: int, many: int) -> Iterator[Contest]:
    """Measure what swarms are for, in milliseconds, and what share of it pygame's own blits are."""
    begun = some * 10 // 7  # the targets end about three in ten early
    bullets = _swarm(begun, begun // 60)
    frame = _played(bullets, begun, begun // 60, with_targets=True)
    screen = pygame.Surface((WIDTH, HEIGHT))
    pairs = list(zip(repeat(IMAGE), map(tuple, bullets.position.tolist()), strict=False))
    ways = {POOLKIT: frame, BLIT: repeated({"blit": screen.fblits, "pairs": pairs}, "blit(pairs)")}
    name = f"{some:,} bullets with {TARGETS} targets"
    yield (contest := Contest(name, ways, 5, 10))
    _in_milliseconds(contest, len(bullets), 1 / contest.ratio(POOLKIT, BLIT)[1])
    dots = _swarm(many, many // 60, DOT)
    yield (contest := Contest(f"{many:,} dots", {POOLKIT: _played(dots, many, many // 60)}, 5, 10))
    _in_milliseconds(contest, len(dots))


def _in_milliseconds(contest: Contest, alive: int, share: float = 0.0) -> None:
    took = sorted(contest.times(POOLKIT))[len(contest.times(POOLKIT)) // 2] / 1000
    blits = f", of which {share:.0%} are pygame's own blits" if share else ""
    print(f"         {took:.1f} ms a frame with {alive:,} alive{blits}")
    hold(f"milliseconds: {contest.name}", took, 1000 / 60)


def _leaves_nothing(work: Work, frames: int) -> None:
    """Tell what so many frames leave in memory, and how often the collector ran."""
    found = []
    for _ in range(2):
        gc.collect()
        work(200)  # a collection has emptied Python's own stores of free objects
        before, blocks = _collections(), sys.getallocatedblocks()
        work(frames)
        found.append((sys.getallocatedblocks() - blocks, _collections() - before))
    blocks, collections = min(found)
    hold(f"memory blocks left by {frames:,} frames", max(0, blocks - 1), 0)  # one is the count
    hold(f"collections in {frames:,} frames", collections, 0)


def _collections() -> int:
    return sum(int(generation["collections"]) for generation in gc.get_stats())
