"""A whole frame of a game like Vampire Survivors, by poolkit and by a careful hand.

300 enemies come from all sides, each with a component that counts its hits, a bar of its health
above it, and an animation. 1,000 bullets fly out; each hurts one enemy. A text floats up from
each that dies, 50 of them at most, and another comes.

- *By hand*: plain sprites in plain groups, lists, and numpy arrays with one sweep for all hits.
  Texts are rendered once, animations and health are plain attributes, bars are blits.
- *poolkit*: as its pages teach it.

Both play the same game, with equal dice and nearly equal figures. The flip is left out.
"""

# ruff: noqa: D102 - what update, spawned and frame are, poolkit and the game say

from __future__ import annotations

import random
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame
from pygame import Vector2

from benchmarks.frames import HEIGHT, STEP, WIDTH
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, repeated
from benchmarks.swarms import swept
from poolkit import (
    Animation,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    TextSprite,
)
from poolkit.swarms import Swarm, Vec2

if TYPE_CHECKING:
    from collections.abc import Iterator

ENEMIES, BULLETS, TEXTS = 300, 1_000, 50
FULL, FPS, SPEED, RISE = 24, 8, 30.0, -40.0  # hits, frames and pixels a second
LASTING = 60 * STEP - 1e-4  # seconds of a bullet
CENTER = Vector2(WIDTH / 2, HEIGHT / 2)
FRAMES = [pygame.Surface((24, 24)) for _ in range(4)]
for _number, _frame in enumerate(FRAMES):
    _frame.fill((90, 120 + 30 * _number, 90))
BARS = [pygame.Surface((left, 3)) for left in range(1, FULL + 1)]
for _frame in BARS:
    _frame.fill("red")
BULLET = pygame.Surface((6, 6))


class Dice:
    """Says where enemies come from, where bullets fly and what a hit is worth: the same for all."""

    def __init__(self) -> None:
        dice = random.Random(1)  # noqa: S311 - the same game every time
        self.places = [Vector2(dice.uniform(330, 360), 0).rotate(dice.uniform(0, 360)) + CENTER]
        for _ in range(996):
            far = Vector2(dice.uniform(80, 360), 0).rotate(dice.uniform(0, 360))
            self.places.append(far + CENTER)
        angles = np.random.default_rng(1).uniform(0, 2 * np.pi, 9_973)
        self.velocities = 360 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        self.num_enemies = self.num_bullets = 0

    def place(self) -> Vector2:
        self.num_enemies += 1
        return self.places[self.num_enemies % len(self.places)]

    def flight(self, count: int) -> Any:
        self.num_bullets += count
        start = self.num_bullets % (len(self.velocities) - BULLETS)
        return self.velocities[start : start + count]


# -- by poolkit -----------------------------------------------------------------------------------


class Health(IPoolableComponent["Enemy"]):
    """Counts hits, and shows on the bar how many are left."""

    left: int = FULL

    def spawned(self) -> None:
        self.sprite.bar.image = BARS[-1]

    def hurt(self) -> bool:
        """Take a hit; return whether it was the last."""
        self.left -= 1
        if not self.left:
            self.sprite.kill()
            return True
        self.sprite.bar.image = BARS[self.left - 1]
        return False


class Enemy(PooledSprite):
    """Walks to the center."""

    velocity: Vector2 = Vector2()

    def __init__(self) -> None:
        super().__init__(FRAMES[0])
        self.bar = self.add_child(PooledSprite(BARS[-1]), (0, -16))
        self.health = self.add_component(Health())
        self.add_component(Animation(FRAMES, FPS, start="random"))

    def spawned(self, position: tuple[float, float]) -> None:
        self.velocity = (CENTER - position).normalize() * SPEED

    def update(self, dt: float) -> None:
        self.rect.move_ip(self.velocity * dt)


class Bullets(Swarm):
    """Fly straight on."""

    velocity: Vec2


class Number(TextSprite):
    """Floats up."""

    def update(self, dt: float) -> None:
        self.rect.move_ip(0, RISE * dt)


class Pooled:
    """The game by poolkit."""

    def __init__(self) -> None:
        self.dice, self.system = Dice(), PoolingSystem()
        self.enemies = PooledGroup[Enemy]()
        self.texts = PooledGroup[Number]()
        settings = PoolSettings(prespawn=TEXTS, limit=TEXTS, overflow=RecycleOldest())
        pygame.font.init()  # others may have quit it since this module was imported
        font = pygame.font.Font(None, 18)
        self.number = Prefab(
            lambda: Number(font, "white"), name="number", groups=[self.texts], settings=settings
        )
        self.enemy = Prefab(
            Enemy, groups=[self.enemies], settings=PoolSettings(prespawn=ENEMIES + 20)
        )
        self.bullets = Bullets(
            BULLET, limit=2 * BULLETS, lifetime=LASTING, system=self.system, area=None
        )
        self.hits = 0

    def frame(self, screen: pygame.Surface, dt: float) -> None:
        system, bullets, hit = self.system, self.bullets, set[int]()
        for _ in range(ENEMIES - len(self.enemies)):
            system.spawn(self.enemy, self.dice.place())
        if count := BULLETS - len(bullets):
            bullets.spawn_many(count, position=CENTER, velocity=self.dice.flight(count))
        system.update(dt)
        self.enemies.update(dt)
        self.texts.update(dt)
        bullets.update(dt)
        for row, enemy in bullets.hits(self.enemies):
            if row not in hit and enemy.active:
                hit.add(row)
                self.hits += 1
                if enemy.health.hurt():
                    system.spawn(self.number, enemy.rect.midtop, text=str(self.hits % 100))
        bullets.despawn(list(hit))
        screen.fill("midnightblue")
        self.enemies.draw(screen)
        bullets.draw(screen)
        self.texts.draw(screen)


# -- by hand --------------------------------------------------------------------------------------


class HandEnemy(pygame.sprite.Sprite):
    """Walks to the center, and is animated."""

    def __init__(self, group: Any, position: Vector2, number: int) -> None:
        super().__init__(group)
        self.image = FRAMES[0]
        self.rect: pygame.FRect = self.image.get_frect(center=position)
        self.velocity = (CENTER - position).normalize() * SPEED
        self.time = number % 30 * STEP
        self.left = FULL

    def update(self, dt: float) -> None:
        self.time += dt
        self.image = FRAMES[int(self.time * FPS) % len(FRAMES)]
        self.rect.move_ip(self.velocity * dt)


class ByHand:
    """The game by a careful hand."""

    def __init__(self) -> None:
        self.dice = Dice()
        self.enemies: pygame.sprite.Group[Any] = pygame.sprite.Group()
        self.texts: deque[tuple[pygame.Surface, Vector2]] = deque(maxlen=TEXTS)
        pygame.font.init()
        font = pygame.font.Font(None, 18)
        self.images = [
            font.render(str(worth), True, "white")  # noqa: FBT003 - pygame's way
            for worth in range(100)
        ]
        self.x, self.y, self.vx, self.vy, self.age = np.zeros((5, 2 * BULLETS), np.float32)
        self.count = self.hits = 0

    def shoot(self, count: int) -> None:
        """Begin so many bullets."""
        rows = slice(self.count, self.count + count)
        self.x[rows], self.y[rows] = CENTER
        self.vx[rows], self.vy[rows] = self.dice.flight(count).T
        self.age[rows] = 0.0
        self.count += count

    def keep(self, kept: Any) -> None:
        """End all bullets but these."""
        for line in self.x, self.y, self.vx, self.vy, self.age:
            line[: len(kept)] = line[kept]
        self.count = len(kept)

    def frame(self, screen: pygame.Surface, dt: float) -> None:
        for _ in range(ENEMIES - len(self.enemies)):
            HandEnemy(self.enemies, self.dice.place(), self.dice.num_enemies)
        if count := BULLETS - self.count:
            self.shoot(count)
        self.enemies.update(dt)
        for _, place in self.texts:
            place.y += RISE * dt
        self.fly(dt)
        self.strike()
        self.draw(screen)

    def fly(self, dt: float) -> None:
        """Move bullets; end those that are too old."""
        rows = slice(0, self.count)
        self.x[rows] += self.vx[rows] * dt
        self.y[rows] += self.vy[rows] * dt
        self.age[rows] += dt
        young = self.age[rows] < LASTING
        if not young.all():
            self.keep(young.nonzero()[0])

    def strike(self) -> None:
        """Let each bullet hurt one enemy."""
        rows, hit = slice(0, self.count), set[int]()
        for row, enemy in swept(self.x[rows], self.y[rows], self.enemies.sprites()):
            if row not in hit and enemy.left:
                hit.add(row)
                self.hits += 1
                enemy.left -= 1
                if not enemy.left:
                    enemy.kill()
                    image = self.images[self.hits % 100]
                    place = Vector2(enemy.rect.midtop) - (image.width / 2, image.height / 2)
                    self.texts.append((image, place))
        if hit:
            kept = np.ones(self.count, np.bool_)
            kept[list(hit)] = False
            self.keep(kept.nonzero()[0])

    def draw(self, screen: pygame.Surface) -> None:
        """Draw all."""
        screen.fill("midnightblue")
        self.enemies.draw(screen)
        bars = []
        for enemy in self.enemies:
            left, top = enemy.rect.topleft
            bars.append((BARS[enemy.left - 1], (left, top - 6)))
        screen.fblits(bars)
        half = BULLET.width / 2
        left = (self.x[: self.count] - half).tolist()
        top = (self.y[: self.count] - half).tolist()
        screen.fblits(zip(repeat(BULLET), zip(left, top)))  # noqa: B905 - of one length
        screen.fblits(list(self.texts))


def survivors(size: Size) -> Iterator[Contest]:
    """Measure frames of the game, once all bullets fly."""
    ways = {}
    for way, game in (POOLKIT, Pooled()), (BY_HAND, ByHand()):
        names = {"frame": game.frame, "screen": pygame.Surface((WIDTH, HEIGHT)), "S": STEP}
        ways[way] = repeated(names, "frame(screen, S)")
        ways[way](size(120))
    name = f"{ENEMIES} enemies with bars, {BULLETS:,} bullets, {TEXTS} texts"
    yield Contest(name, ways, 11, 60, most=0.8)
