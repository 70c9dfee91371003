"""Four kinds of things that tumble through the air: as prefabs, and made by hand."""

import functools
import math
import random
from functools import partial
from typing import NamedTuple

import pygame
import pymunk

from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from shared.pictures import frames

LIFETIME = 4.0  # seconds
RADIUS = 12  # pixels
TUMBLE = 12  # pictures of a full turn
COLORS = 6  # of cubes; gems have four


class Solid(PooledSprite):
    """Flies, bounces, tumbles in a way of its own, and is despawned after four seconds."""

    step: int = 0  # of its tumble
    held: int = 0  # frames

    def __init__(self, world: PhysicsWorld, name: str, colors: int) -> None:
        """Build what all lives share."""
        self.looks = looks_of(name, colors)
        super().__init__(self.looks[0][0])
        self.plan = plan_turns()
        self.body, shape = make_body()
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float], color: int, phase: int) -> None:
        """Be off at `velocity` pixels per second, with a picture of a turn to begin with."""
        self.body.velocity = velocity
        self.pictures = self.looks[color % len(self.looks)]
        self.phase, self.way = phase, 1 if velocity[0] > 0 else -1
        self.scope.after(LIFETIME, self.kill)  # bound to this life: never ends a later one

    def update(self, _dt: float) -> None:
        """Tumble."""
        self.held -= 1
        if self.held < 0:
            turn, self.held = self.plan[self.step % len(self.plan)]
            self.step += 1
            self.image = self.pictures[(turn * self.way + self.phase) % len(self.pictures)]


class Marble(Solid):
    """A ball of glass; no two are alike, for each paints its own pattern in `awake`.

    That takes a millisecond, pixel by pixel. A pooled one does it once, and keeps its
    pattern from life to life; made by hand, every new one pays for it.
    """

    def awake(self) -> None:
        """Paint the ball."""
        self.looks = paint_looks()
        self.image = self.looks[0][0]


class ByHand(pygame.sprite.Sprite):
    """The same without poolkit, as games make it: built for its one life, and then dropped."""

    __slots__ = ("image", "rect")  # faster than the properties of `Sprite`
    image: pygame.Surface
    rect: pygame.FRect

    def __init__(  # noqa: PLR0913 - what `spawned` takes, and where
        self,
        space: pymunk.Space,
        kind: Prefab[Solid],
        position: tuple[float, float],
        *,
        velocity: tuple[float, float],
        color: int,
        phase: int,
    ) -> None:
        super().__init__()
        looks = paint_looks() if kind.name == "marble" else looks_of(*ART[kind.name])
        self.pictures = looks[color % len(looks)]
        self.plan, self.step, self.held = plan_turns(), 0, 0
        self.phase, self.way = phase, 1 if velocity[0] > 0 else -1
        self.body, self.shape = make_body()
        self.shape.sprite = self  # as games do, to know who was hit
        self.body.position, self.body.velocity = position, velocity
        space.add(self.body, self.shape)
        self.space, self.left = space, LIFETIME
        self.image = self.pictures[0]
        self.rect = self.image.get_frect(center=position)

    def update(self, dt: float) -> None:
        """Be where the body is, and tumble, for four seconds."""
        self.left -= dt
        if self.left < 0:
            self.space.remove(self.body, self.shape)
            self.kill()
        self.rect.center = self.body.position
        self.held -= 1
        if self.held < 0:
            turn, self.held = self.plan[self.step % len(self.plan)]
            self.step += 1
            self.image = self.pictures[(turn * self.way + self.phase) % len(self.pictures)]


Looks = list[tuple[pygame.Surface, ...]]
ART = {"cube": ("cube", COLORS), "gem": ("gem", 4), "crate": ("crate", 1)}


def looks_of(name: str, colors: int) -> Looks:
    """Cut a sheet into a row of pictures for each colour; all of a kind share them."""
    sheet = opaque_frames(name, TUMBLE * colors)
    return [sheet[first : first + TUMBLE] for first in range(0, len(sheet), TUMBLE)]


@functools.cache
def opaque_frames(name: str, count: int) -> tuple[pygame.Surface, ...]:
    """Return frames with a colour that isn't drawn, which is faster than mixing each pixel."""
    pictures = []
    for frame in frames(name, count):
        image = pygame.Surface(frame.get_size()).convert()
        image.fill("magenta")
        image.blit(frame, (0, 0))
        image.set_colorkey("magenta", pygame.RLEACCEL)
        pictures.append(image)
    return tuple(pictures)


class Turn(NamedTuple):
    """A step of a tumble: which picture, and how many frames it is held."""

    number: int
    frames: int


def plan_turns() -> list[Turn]:
    """Return a tumble that is like no other, and slower and slower."""
    return [Turn(turn, 1 + turn * turn // 400 + random.randrange(3)) for turn in range(60)]


def make_body() -> tuple[pymunk.Body, pymunk.Shape]:
    """Return a body with its shape.

    An infinite moment, for the pictures do the turning. A point is enough: the ground is drawn
    closer by the radius instead, and hundreds of points seldom overlap.
    """
    body = pymunk.Body(1, math.inf)
    shape = pymunk.Circle(body, 1)
    shape.elasticity = 0.7
    shape.friction = 0.4
    shape.filter = pymunk.ShapeFilter(group=1)  # they fly through each other
    return body, shape


def paint_looks() -> Looks:
    """Paint a ball that is like no other, in four positions of a turn."""
    hue, seed = random.randrange(360), random.uniform(0, 100)
    return [tuple(paint_marble(hue, seed, turn * math.tau / 4) for turn in range(4))]


def paint_marble(hue: int, seed: float, turn: float) -> pygame.Surface:
    """Return a ball of glass with veins, lit from the upper left, `turn` radians around."""
    small = pygame.Surface((16, 16), pygame.SRCALPHA)
    color = pygame.Color(0)
    for y in range(16):
        for x in range(16):
            u, v = (x - 7.5) / 7, (y - 7.5) / 7
            far = u * u + v * v
            if far > 1.15:
                continue
            depth = math.sqrt(max(0.0, 1 - far))
            around = math.atan2(u, depth) + turn
            vein = math.sin(3 * around + 4 * math.sin(v * 3 + seed) + seed * 7)
            light = 0.55 - 0.35 * u - 0.4 * v + 0.25 * depth
            shade = min(100.0, max(8.0, 52 * light + 16 * vein))
            color.hsla = ((hue + 34 * vein) % 360, 72, shade if far < 0.95 else 10, 100)
            small.set_at((x, y), color)
    small.fill("white", (4, 3, 2, 2))
    return pygame.transform.scale_by(small, 2).convert_alpha()


class Fountain:
    """A world of its own, and a prefab for each kind that flies in it."""

    def __init__(self) -> None:
        self.world = PhysicsWorld(gravity=(0, 900))
        self.world.space.use_spatial_hash(8, 2000)  # for hundreds of things of the same size
        self.solids = PooledGroup()
        self.by_hand = pygame.sprite.Group[ByHand]()
        self.kinds: dict[Prefab[Solid], float] = {  # and its share
            self.make("cube", 500): 0.53,
            self.make("gem", 260): 0.25,
            self.make("crate", 180): 0.17,
            self.make("marble", 80, Marble): 0.05,
        }

    def make(self, name: str, limit: int, kind: type[Solid] = Solid) -> Prefab[Solid]:
        """Return a prefab. Its pictures can be loaded only when it is built: the screen is open."""
        return Prefab(
            partial(kind, self.world, *ART.get(name, ART["crate"])),
            name=name,
            groups=[self.solids],
            settings=PoolSettings(limit=limit),
            # For tools that spawn one by themselves, such as the audit.
            sample_data={"velocity": (40, -400), "color": 2, "phase": 3},
        )


left, right = Fountain(), Fountain()
cube, gem, crate, marble = left.kinds
