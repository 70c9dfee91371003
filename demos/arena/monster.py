"""A monster: pictures and a body; its health and its gait are components that its file adds."""

import functools
from collections.abc import Mapping, Sequence

import pygame
import pymunk

from arena.gaits import Gait
from arena.stage import MONSTER, world
from poolkit import DespawnReason, IPoolableComponent, PooledSprite
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from shared.effects import puff, show
from shared.pictures import cut_both_ways

shared_frames = functools.lru_cache(maxsize=16)(cut_both_ways)
HURT = 3  # the last frame: eyes shut with pain; the dragon spits fire instead


class Health(IPoolableComponent):
    """Hit points: as many as there are at every spawn, death when they are gone."""

    def __init__(self, maximum: float) -> None:
        self.maximum = maximum

    def spawned(self) -> None:
        """Be healthy at the start of each life."""
        self.current = self.maximum

    def hurt(self, damage: float) -> None:
        """Lose hit points, and the life with the last of them."""
        self.current -= damage
        if self.current <= 0:
            self.sprite.kill()

    @property
    def fraction(self) -> float:
        """The share of the hit points that is left, from 0 to 1."""
        return max(0.0, self.current / self.maximum)


class Monster(PooledSprite):
    """What all monsters are. `size` is that of the body, in pixels."""

    dazed: bool = False  # by a hit; a field, so that no life begins so

    def __init__(self, picture: pygame.Surface, size: tuple[float, float], mass: float) -> None:
        self.frames = self.cut(picture)
        super().__init__(self.frames[1][0])
        self.mass = mass
        body = pymunk.Body(mass, float("inf"))  # an infinite moment: they never fall over
        shape = outline(body, size, self.rect.height / 2)
        self.physics = self.add_component(RigidBody(world, body, shape))
        self.add_component(ResetPooledBodyComponent())

    def cut(self, sheet: pygame.Surface) -> Mapping[int, Sequence[pygame.Surface]]:
        """Return the pictures, by the way it looks; all of a kind share them."""
        return shared_frames(sheet, 4)

    def awake(self) -> None:
        """Find what the file has added."""
        self.health = self.get_component(Health)
        self.gait = self.get_component(Gait)

    def despawned(self, reason: DespawnReason) -> None:
        """Vanish in a puff; at the end of a level there is nobody to see it."""
        if reason is DespawnReason.DESPAWNED:
            show(puff, self.rect.center, drift=(0, -20))

    def show(self, frame: int) -> None:
        """Show a frame, looking to the side it heads for."""
        self.image = self.frames[self.gait.facing][frame]

    def hit(self, damage: float) -> None:
        """Be dazed for a moment and lose health; dead, if none is left."""
        self.dazed = True
        self.show(HURT)
        # Bound to this life: one that is over can't wake up the next one.
        self.scope.after(0.35, self.recover)
        self.health.hurt(damage)

    def recover(self) -> None:
        """Come to again."""
        self.dazed = False


def outline(body: pymunk.Body, size: tuple[float, float], bottom: float) -> pymunk.Shape:
    """Return the shape: feet where the picture's are, shoulders off which others slide."""
    side, top = size[0] / 2, bottom - size[1]
    corners = [(-side + 4, bottom), (side - 4, bottom), (side, bottom - 6), (side, top + 12)]
    corners += [(side / 3, top), (-side / 3, top), (-side, top + 12), (-side, bottom - 6)]
    shape = pymunk.Poly(body, corners)
    shape.friction = 0.2
    shape.elasticity = 0.3
    shape.collision_type = MONSTER
    return shape
