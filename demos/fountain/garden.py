"""The garden with two fountains: a scene of poolkit's."""

import contextlib
import gc
import math
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any

import pygame
import pymunk

from fountain.scoreboard import PauseProbe, Scoreboard
from fountain.solids import COLORS, LIFETIME, RADIUS, TUMBLE, ByHand, Fountain, left, right
from poolkit import PoolingSystem, Prefab, pools
from shared.letters import draw_caption
from shared.loop import STEP
from shared.pictures import picture
from shared.scene_demo import DemoScene

FRAMES_A_SECOND = 60
SEEN = pygame.Rect(162, 70, 636, 420)  # the part of the picture that a half shows
MIDDLE, NOZZLE = 318, 126  # in pixels of that part, as all below
RIM, GROUND = 342, 400  # the tops of the basin's wall and of the paving
BASIN = 212  # half its width
BOWLS = ((170, 62), (262, 122))  # the height of the rim, half the width

others = PoolingSystem()  # the right fountain's, once it pools as well


class Half:
    """A fountain, whether what it throws is pooled, and what it costs."""

    def __init__(self, fountain: Fountain, system: PoolingSystem, place: pygame.Rect) -> None:
        """Take what flies, who hands it out, and where on the screen it is seen."""
        self.fountain, self.system, self.place = fountain, system, place
        self.is_left = self.is_pooling = system is pools
        self.board = Scoreboard(pygame.Rect(place.left, place.bottom, place.width, 220))
        self.probe = PauseProbe()
        self.ground: list[pymunk.Shape] = []
        self.seconds, self.left_over = 0.0, 0  # of this frame

    def enter(self, seed: int) -> None:
        """Build the paving, the basin and the bowls, thicker by the radius of what bounces."""
        self.dice = random.Random(seed)
        space, lines = self.fountain.world.space, []
        for side in (-1, 1):
            edge = MIDDLE + side * BASIN
            lines += [((edge, RIM), (edge, GROUND)), ((edge, GROUND), (edge + side * 900, GROUND))]
            lines += [((MIDDLE, y - 12), (MIDDLE + side * half, y)) for y, half in BOWLS]
        for start, end in lines:
            line = pymunk.Segment(space.static_body, start, end, RADIUS)
            line.elasticity = 0.7
            line.friction = 1 if start[1] == end[1] else 0  # water is slippery
            self.ground.append(line)
        space.add(*self.ground)
        space.iterations = 2  # nothing leans on anything else: more would change nothing

    def exit(self) -> None:
        """Take the ground away. What flies is the pools' to clear away."""
        space = self.fountain.world.space
        space.remove(*self.ground)
        self.ground.clear()
        for solid in self.fountain.by_hand:
            space.remove(solid.body, solid.shape)
        self.fountain.by_hand.empty()

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Measure what is done: processor time, so that a busy machine doesn't blur it.

        There is one collector for both halves. It runs in the turn of the one that builds and
        throws away. The other one leaves nothing to it, as the figures show: what is made there
        and not freed at once is counted.
        """
        if self.is_left:
            gc.disable()
        before, began = gc.get_count()[0] + self.probe.counted, time.thread_time()
        with self.probe:
            yield
        self.seconds += time.thread_time() - began
        self.left_over += gc.get_count()[0] + self.probe.counted - before
        gc.enable()

    def update(self, rate: int) -> None:
        """Throw so many solids: random kinds, velocities, colours and directions; let all fly."""
        dice, fountain, kinds = self.dice, self.fountain, self.fountain.kinds
        self.system.update(STEP)
        for kind in dice.choices(list(kinds), list(kinds.values()), k=rate):
            angle, speed = dice.gauss(0, 0.24), dice.uniform(330, 590)
            velocity = speed * math.sin(angle), -speed * math.cos(angle)
            color, phase = dice.randrange(COLORS), dice.randrange(TUMBLE)
            look: dict[str, Any] = {"velocity": velocity, "color": color, "phase": phase}
            if self.is_pooling:
                self.system.try_spawn(kind, (MIDDLE, NOZZLE), **look)
            else:
                space = fountain.world.space
                fountain.by_hand.add(ByHand(space, kind, (MIDDLE, NOZZLE), **look))
        fountain.solids.update(STEP)
        fountain.by_hand.update(STEP)
        fountain.world.step(STEP)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the garden, what flies, and the basin that it falls into."""
        part = surface.subsurface(self.place)
        background, front = picture("fountain"), picture("fountain_front")
        part.blit(background, (0, 0), SEEN)
        self.fountain.solids.draw(part)
        self.fountain.by_hand.draw(part)
        part.blit(front, (MIDDLE - front.get_width() // 2, RIM))
        below = RIM + front.get_height() - 4
        part.blit(background, (0, below), SEEN.move(0, below))

    def end_frame(self) -> None:
        """Note what the frame took."""
        self.board.add(self.seconds, self.probe.take(), self.left_over)
        self.seconds, self.left_over = 0.0, 0


class Garden(DemoScene):
    """Two fountains that throw the same solids every frame: pooled ones, and new ones."""

    name = backdrop = "fountain"

    def __init__(self, rate: int, halves: tuple[Half, Half]) -> None:
        """Choose how many each throws a frame."""
        self.rate, self.halves = rate, halves

    def prewarm(self) -> Mapping[Prefab[Any], int]:
        """Have as many ready as will be in the air, so that nothing is built while they fly."""
        in_the_air = self.rate * FRAMES_A_SECOND * LIFETIME
        expected = {kind: in_the_air * share for kind, share in left.kinds.items()}
        # The dice are not even: how many there are strays from the mean by about its root.
        return {kind: math.ceil(mean + 4 * math.sqrt(mean)) for kind, mean in expected.items()}

    def enlarge_pools(self) -> None:
        """Make the pools as large as `prewarm` would have made them, where there are any."""
        for half in (half for half in self.halves if half.is_pooling):
            for kind, count in zip(half.fountain.kinds, self.prewarm().values(), strict=True):
                pool = half.system.pool(kind)
                most = pool.settings.limit or count
                pool.increase_capacity(max(0, min(count, most) - pool.capacity))

    def enter(self) -> None:
        """Build both, and throw the same dice for them."""
        for half in self.halves:
            half.enter(seed=7)

    def exit(self) -> None:
        """Take both down."""
        for half in self.halves:
            half.exit()
        others.reset()

    def update(self, _dt: float) -> None:
        """Let both throw, one after the other."""
        for half in self.halves:
            with half.turn():
                half.update(self.rate)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw both."""
        for half in self.halves:
            with half.turn():
                half.draw(surface)
            words = "pooled" if half.is_pooling else "by hand: built, and dropped"
            draw_caption(surface, words, "white", (half.place.centerx, 8))


def two_halves() -> tuple[Half, Half]:
    """Return the two, side by side."""
    place = pygame.Rect(0, 0, *SEEN.size)
    return Half(left, pools, place), Half(right, others, place.move(SEEN.width + 8, 0))
