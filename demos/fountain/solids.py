"""Four kinds of things that tumble through the air, and a prefab for each."""

import math
import random
from functools import partial

import pygame
import pymunk

from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from shared.pictures import frames

LIFETIME = 5.0  # seconds
RADIUS = 12  # pixels
TUMBLE = 12  # pictures of a full turn
COLORS = 6  # of cubes; gems have four

world = PhysicsWorld(gravity=(0, 900))
world.space.use_spatial_hash(16, 20_000)  # for thousands of things of the same size
solids = PooledGroup()


class Solid(PooledSprite):
    """Flies, bounces, tumbles as far as it moves, and is despawned after five seconds."""

    def __init__(self, name: str, colors: int) -> None:
        """Cut a sheet into a row of pictures for each colour; all of a kind share them."""
        sheet = frames(name, TUMBLE * colors)
        super().__init__(sheet[0])
        self.looks = [sheet[first : first + TUMBLE] for first in range(0, len(sheet), TUMBLE)]
        # An infinite moment, for the pictures do the turning. A point is enough: the ground is
        # drawn closer by the radius instead, and thousands of points seldom overlap.
        self.body = pymunk.Body(1, math.inf)
        shape = pymunk.Circle(self.body, 1)
        shape.elasticity = 0.7
        shape.friction = 0.4
        shape.filter = pymunk.ShapeFilter(group=1)  # they fly through each other
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())

    def spawned(self, velocity: tuple[float, float], color: int) -> None:
        """Be off at `velocity` pixels per second."""
        self.body.velocity = velocity
        self.pictures = self.looks[color % len(self.looks)]
        self.tumble = math.copysign(0.07, velocity[0])  # pictures a pixel
        self.phase = random.randrange(TUMBLE)
        self.scope.after(LIFETIME, self.kill)  # bound to this life: never ends a later one

    def update(self, _dt: float) -> None:
        """Turn as far as it has come: what lies still does not tumble."""
        way = self.rect.x + self.rect.y
        self.image = self.pictures[int(way * self.tumble + self.phase) % len(self.pictures)]


class Marble(Solid):
    """A ball of glass; no two are alike, for each paints its own pattern in `awake`.

    That takes some milliseconds, pixel by pixel. A pooled one does it once, and keeps its
    pattern from life to life; without pooling every spawn pays for it.
    """

    def awake(self) -> None:
        """Paint the ball, in four positions of a turn."""
        hue = random.randrange(360)
        seed = random.uniform(0, 100)
        self.looks = [tuple(paint_marble(hue, seed, turn * math.tau / 4) for turn in range(4))]
        self.image = self.looks[0][0]


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


# Pictures can be loaded only once the screen is open: `partial` waits for the first one.
make_cube, make_gem = partial(Solid, "cube", COLORS), partial(Solid, "gem", 4)
make_crate, make_marble = partial(Solid, "crate", 1), partial(Marble, "crate", 1)
# For tools that spawn one by themselves, such as the audit.
sample = {"velocity": (40, -400), "color": 2}
many, most = PoolSettings(limit=1250), PoolSettings(limit=2500)
cube = Prefab(make_cube, name="cube", groups=[solids], settings=most, sample_data=sample)
gem = cube.variant(factory=make_gem, name="gem", settings=many)
crate = cube.variant(factory=make_crate, name="crate", settings=PoolSettings(limit=850))
marble = cube.variant(factory=make_marble, name="marble", settings=PoolSettings(limit=400))
KINDS: dict[Prefab[Solid], float] = {cube: 0.53, gem: 0.25, crate: 0.17, marble: 0.05}
"""Each kind, and its share."""
