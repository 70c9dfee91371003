"""A monster: health, pictures, a body, and a manner of moving; a component for each."""

from typing import ClassVar

import pymunk

from arena.movers import Mover
from arena.stage import MONSTER, world
from poolkit import DespawnReason, IPoolableComponent, PooledSprite
from poolkit.physics import ResetPooledBodyComponent, RigidBody
from shared.effects import puff, show
from shared.pictures import both_ways, frames

HURT = 3  # the last frame: eyes shut with pain; the dragon spits fire instead


class Health(IPoolableComponent):
    """Hit points: as many as there are at every spawn, death when they are gone."""

    def __init__(self, maximum: float) -> None:
        self.maximum = maximum

    def spawned(self) -> None:
        """Be healthy, whatever the life before came to."""
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


class Animation(IPoolableComponent):
    """Shows one of the sprite's four frames, looking to the side it heads for."""

    def __init__(self, name: str) -> None:
        """Cut the sheet; all sprites of a name share the same frames."""
        self.frames = both_ways(name, 4)

    def spawned(self, facing: int = 1) -> None:
        """Look to the right side from the first frame on."""
        self.show(0, facing)

    def show(self, frame: int, facing: int) -> None:
        """Show a frame, looking right (1) or left (-1)."""
        self.sprite.image = self.frames[facing][frame]


class Monster(PooledSprite):
    """What all monsters are; each kind says below how it differs."""

    art: ClassVar[str]
    moves: ClassVar[type[Mover]]
    mass: ClassVar[float]
    hit_points: ClassVar[float]
    body_size: ClassVar[tuple[float, float]]

    def __init__(self) -> None:
        super().__init__(frames(self.art, 4)[0])
        self.health = self.add_component(Health(self.hit_points))
        self.animation = self.add_component(Animation(self.art))
        self.mover = self.add_component(self.moves())
        # An infinite moment: they never fall over.
        body = pymunk.Body(self.mass, float("inf"))
        self.physics = self.add_component(RigidBody(world, body, self.outline(body)))
        self.add_component(ResetPooledBodyComponent())

    def outline(self, body: pymunk.Body) -> pymunk.Shape:
        """Return the shape: feet where the picture's are, shoulders off which others slide."""
        width, height = self.body_size
        side, bottom = width / 2, self.rect.height / 2
        top = bottom - height
        corners = [(-side + 4, bottom), (side - 4, bottom), (side, bottom - 6), (side, top + 12)]
        corners += [(side / 3, top), (-side / 3, top), (-side, top + 12), (-side, bottom - 6)]
        shape = pymunk.Poly(body, corners)
        shape.friction = 0.2
        shape.elasticity = 0.3
        shape.collision_type = MONSTER
        return shape

    def spawned(self) -> None:
        """Be in no pain."""
        self.dazed = False

    def despawned(self, reason: DespawnReason) -> None:
        """Vanish in a puff; at the end of a level there is nobody to see it."""
        if reason is DespawnReason.DESPAWNED:
            show(puff, self.rect.center, drift=(0, -20))

    def hit(self, damage: float) -> None:
        """Be dazed for a moment and lose health; dead, if none is left."""
        self.dazed = True
        self.animation.show(HURT, self.mover.facing)
        # Bound to this life: one that is over can't wake up the next one.
        self.scope.after(0.35, self.recover)
        self.health.hurt(damage)

    def recover(self) -> None:
        """Come to again."""
        self.dazed = False
