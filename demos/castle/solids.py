"""What has a body: crates, stones, boards, rabbits, cannonballs. And what flies off them."""

import math
from collections.abc import Callable
from functools import partial

import pygame
import pymunk

from castle import pictures
from poolkit import (
    Animation,
    PooledGroup,
    PooledSprite,
    PoolSettings,
    Prefab,
    RecycleOldest,
    pools,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from shared.pictures import frames

GROUND = 222  # pixels from the top: where all stands
FRAGILE = 130.0  # pixels a second: what hits a rabbit harder ends it

world = PhysicsWorld(gravity=(0, 420))
world.space.iterations = 20
world.space.sleep_time_threshold = 0.6
solids = PooledGroup["Solid"]()


class Solid(PooledSprite):
    """A sprite with a body as large as its picture."""

    def __init__(self, image: pygame.Surface, density: float, *, is_round: bool = False) -> None:
        super().__init__(image)
        width, height = image.get_size()
        mass = width * height * density
        self.body = pymunk.Body(mass, pymunk.moment_for_box(mass, (width, height)))
        shape: pymunk.Shape = pymunk.Poly.create_box(self.body, (width, height), 0.4)
        if is_round:
            shape = pymunk.Circle(self.body, width / 2)
        shape.friction, shape.elasticity = 0.8, 0.05
        self.add_component(RigidBody(world, self.body, shape))
        self.add_component(ResetPooledBodyComponent())


class Ball(Solid):
    """What the cannon fires."""

    velocity: pygame.Vector2 = pygame.Vector2()  # pixels a second

    def __init__(self) -> None:
        super().__init__(pictures.ball(), 0.12, is_round=True)

    def spawned(self) -> None:
        """Fly."""
        self.body.velocity = self.velocity.x, self.velocity.y


class Rabbit(Solid):
    """Lives in the castle. A hard blow is too much for it."""

    def __init__(self) -> None:
        images = frames("rabbits/medium", 4)[:2]
        super().__init__(images[0].subsurface((4, 2, 26, 34)), 0.004)
        self.body.moment = math.inf
        looks = [image.subsurface((4, 2, 26, 34)) for image in images]
        self.add_component(Animation([looks[0]] * 5 + [looks[1]], fps=4))


class Flag(PooledSprite):
    """Waves above the castle, until what it stands on has moved."""

    def __init__(self) -> None:
        super().__init__(pictures.flags()[0])
        self.add_component(Animation(pictures.flags(), fps=8))


def _of(make: Callable[[], Solid], name: str, count: int) -> Prefab[Solid]:
    return Prefab(make, name=name, groups=[solids], settings=PoolSettings(prespawn=count))


crate = _of(lambda: Solid(pictures.crate(), 0.006), "crate", 40)
stone = _of(lambda: Solid(pictures.stone(), 0.011), "stone", 30)
plank = _of(lambda: Solid(pictures.plank(), 0.006), "plank", 10)
beam = _of(lambda: Solid(pictures.beam(), 0.006), "beam", 6)
rabbit = Prefab(Rabbit, name="rabbit", groups=[solids], settings=PoolSettings(prespawn=5))
flag = Prefab(Flag, name="flag")
at_most_eight = PoolSettings(prespawn=8, limit=8, overflow=RecycleOldest())
ball = Prefab(Ball, name="ball", groups=[solids], settings=at_most_eight)


class Effect(PooledSprite):
    """A puff or a spark: drifts through its frames, and is gone."""

    drift: tuple[float, float] = (0, 0)  # pixels a second

    def __init__(self, name: str, count: int, seconds: float) -> None:
        images = [pygame.transform.scale_by(image, 0.5) for image in frames(name, count)]
        super().__init__(images[0])
        self.add_component(Animation(images, fps=count / seconds, then="kill"))

    def update(self, dt: float) -> None:
        """Drift."""
        dx, dy = self.drift
        self.rect.move_ip(dx * dt, dy * dt)


effects = PooledGroup[Effect]()
many = PoolSettings(prespawn=48, limit=48)
puff = Prefab(partial(Effect, "puff", 6, 0.5), name="puff", groups=[effects], settings=many)
spark = Prefab(partial(Effect, "spark", 4, 0.4), name="spark", groups=[effects], settings=many)


def flash(position: tuple[float, float], speed: float) -> None:
    """Throw sparks and dust where something was hit at so many pixels a second."""
    for number in range(min(6, int(speed / 60))):
        angle = math.radians(60 * number + speed)
        drift = math.cos(angle) * speed / 5, math.sin(angle) * speed / 5 - 20
        pools.try_spawn(spark if number % 2 else puff, position, drift=drift)
