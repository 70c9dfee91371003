"""The garden with the fountain: a scene of poolkit's."""

import math
import random
from collections.abc import Mapping
from typing import Any

import pygame
import pymunk

from fountain.solids import COLORS, KINDS, LIFETIME, RADIUS, solids, world
from poolkit import pools
from shared.pictures import picture
from shared.scene_demo import DemoScene

FRAMES_A_SECOND = 60
MIDDLE, NOZZLE = 480, 196
RIM, GROUND = 412, 470  # the tops of the basin's wall and of the paving
BASIN = 212  # half its width
BOWLS = ((240, 62), (332, 122))  # the height of the rim, half the width


class Garden(DemoScene):
    """A fountain that throws so many solids every frame."""

    name = backdrop = "fountain"

    def __init__(self, rate: int) -> None:
        """Choose how many it throws a frame."""
        self.rate = rate
        self.ground: list[pymunk.Shape] = []

    def prewarm(self) -> Mapping[Any, int]:
        """Have as many ready as will be in the air, so that nothing is built while they fly."""
        in_the_air = self.rate * FRAMES_A_SECOND * LIFETIME
        expected = {kind: in_the_air * share for kind, share in KINDS.items()}
        # The dice are not even: how many there are strays from the mean by about its root.
        return {kind: math.ceil(mean + 4 * math.sqrt(mean)) for kind, mean in expected.items()}

    def enlarge_pools(self) -> None:
        """Make the pools as large as `prewarm` would have made them."""
        for kind, count in self.prewarm().items():
            pool = pools.pool(kind)
            pool.increase_capacity(max(0, min(count, pool.settings.limit or count) - pool.capacity))

    def enter(self) -> None:
        """Build the paving, the basin and the bowls, thicker by the radius of what bounces."""
        lines = []
        for side in (-1, 1):
            edge = MIDDLE + side * BASIN
            lines += [((edge, RIM), (edge, GROUND)), ((edge, GROUND), (edge + side * 900, GROUND))]
            lines += [((MIDDLE, y - 12), (MIDDLE + side * half, y)) for y, half in BOWLS]
        for start, end in lines:
            line = pymunk.Segment(world.space.static_body, start, end, RADIUS)
            line.elasticity = 0.7
            line.friction = 1 if start[1] == end[1] else 0  # water is slippery
            self.ground.append(line)
        world.space.add(*self.ground)
        world.space.iterations = 2  # nothing leans on anything else: more would change nothing

    def exit(self) -> None:
        """Take the ground away. What flies is the pools' to clear away."""
        world.space.remove(*self.ground)
        self.ground.clear()

    def update(self, dt: float) -> None:
        """Throw this frame's solids: random kinds, velocities, colours and directions."""
        for kind in random.choices(list(KINDS), list(KINDS.values()), k=self.rate):
            angle = random.gauss(0, 0.24)
            speed = random.uniform(330, 590)
            velocity = speed * math.sin(angle), -speed * math.cos(angle)
            pools.try_spawn(
                kind, (MIDDLE, NOZZLE), velocity=velocity, color=random.randrange(COLORS)
            )
        solids.update(dt)
        world.step(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the garden, what flies, and the basin that it falls into."""
        background, front = picture("fountain"), picture("fountain_front")
        surface.blit(background, (0, 0))
        solids.draw(surface)
        surface.blit(front, (MIDDLE - front.get_width() // 2, RIM))
        below = RIM + front.get_height() - 4
        surface.blit(background, (0, below), (0, below, 960, 100))
