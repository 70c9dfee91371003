"""The levels: walls and ledges, gravity and mood; each is a scene of poolkit's."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pygame
import pymunk

from arena.light import Glow
from arena.monster import Monster
from arena.stage import GROUND, MONSTER, monsters, world
from poolkit import Prefab
from shared.effects import effects, ember, puff, show, spark
from shared.pictures import picture
from shared.scene_demo import SIZE, DemoScene

WIDTH, HEIGHT = SIZE
FLOOR, WALL = 600, 32  # the top of the floor, the thickness of the walls
SKY = -800  # the walls go on above the screen, for waves drop from there


@dataclass(frozen=True)
class Place:
    """What makes a level different from the others."""

    name: str
    background: str
    gravity: float  # pixels per second per second
    ledges: tuple[tuple[int, int, int, int], ...]  # left, top, right, bottom
    lights: tuple[Glow, ...]
    embers: float = 0.0  # a second


DUNGEON = Place(
    name="dungeon",
    background="arena_dungeon",
    gravity=1100,
    ledges=((150, 420, 370, 440), (590, 420, 810, 440)),
    lights=tuple(
        Glow(center, (190, 190), (66, 38, 14), phase)
        for phase, center in enumerate([(112, 272), (480, 220), (848, 272)])
    ),
)
LAVA = Place(
    name="lava cave",
    background="arena_lava",
    gravity=750,  # the hot air carries
    ledges=((100, 460, 280, 480), (390, 360, 570, 380), (680, 460, 860, 480)),
    lights=(
        Glow((336, 560), (420, 150), (70, 22, 6), 0),
        Glow((644, 560), (460, 150), (70, 22, 6), 2),
    ),
    embers=7,
)


class Level(DemoScene):
    """Four kinds of monsters in a walled arena."""

    def __init__(
        self,
        place: Place,
        kinds: Sequence[Prefab[Monster]],
        spawn: Callable[[Prefab[Monster], tuple[float, float]], object],
    ) -> None:
        """Choose the place, who fights in it, and how they come."""
        self.place = place
        self.kinds = kinds
        self.spawn = spawn
        self.name, self.backdrop = place.name, place.background
        self.walls: list[pymunk.Shape] = []
        self.seconds = 0.0

    def prewarm(self) -> Mapping[Any, int]:
        """Have enough of each ready, so that nothing is built while it is being played."""
        needed = [*self.kinds, puff, spark, *([ember] if self.place.embers else [])]
        return {prefab: prefab.settings.prespawn for prefab in needed}

    def enter(self) -> None:
        """Build the walls, and let the first wave drop."""
        place, space = self.place, world.space
        space.gravity = (0, place.gravity)
        solids = (
            (-100, FLOOR, WIDTH + 100, HEIGHT + 100),
            (-100, SKY, WALL, FLOOR),
            (WIDTH - WALL, SKY, WIDTH + 100, FLOOR),
            *place.ledges,
        )
        for left, top, right, bottom in solids:
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
            wall = pymunk.Poly(space.static_body, corners)
            wall.friction = 0.8
            wall.collision_type = GROUND
            self.walls.append(wall)
        space.add(*self.walls)
        world.on_collision(MONSTER, MONSTER, post_solve=bump)
        self.drop_wave()

    def exit(self) -> None:
        """Take the walls down. The monsters are the pools' to clear away."""
        world.space.remove(*self.walls)
        self.walls.clear()

    def drop_wave(self) -> None:
        """Drop two of each kind from above the screen, one after the other."""
        wave = [*self.kinds, *self.kinds]
        random.shuffle(wave)
        for number, kind in enumerate(wave):
            x = 110 + (WIDTH - 220) * (number + random.random()) / len(wave)
            self.spawn(kind, (x, random.uniform(-260, 40)))

    def update(self, dt: float) -> None:
        """Let everybody move, and bump into each other."""
        self.seconds += dt
        if random.random() < self.place.embers * dt:
            start = random.uniform(WALL, WIDTH - WALL), FLOOR - 20
            show(ember, start, drift=(random.uniform(-20, 20), random.uniform(-140, -60)))
        monsters.update(dt)
        effects.update(dt)
        world.step(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the arena, the monsters, and how much those that were hit have left."""
        surface.blit(picture(self.backdrop), (0, 0))
        for light in self.place.lights:
            light.draw(surface, self.seconds)
        monsters.draw(surface)
        effects.draw(surface)
        for monster in monsters:
            draw_health(surface, monster)


def bump(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: object) -> None:
    """Let two monsters that run into each other feel it, the lighter one more."""
    if not arbiter.is_first_contact:
        return
    pair: list[Any] = [world.sprite_of(shape) for shape in arbiter.shapes]
    both = sum(monster.mass for monster in pair)
    for monster in pair:
        # The heavier takes the smaller share.
        jolt = arbiter.total_impulse.length * (both - monster.mass) / both / monster.mass
        damage = (jolt - 60) * 0.12
        if damage > 0:
            # A despawn inside a physics step is safe: the body leaves when the step is over.
            monster.hit(damage)
            show(spark, arbiter.contact_point_set.points[0].point_a, drift=(0, -40))


def draw_health(surface: pygame.Surface, monster: Monster) -> None:
    """Draw the bar above a monster that is hurt."""
    fraction = monster.health.fraction
    if fraction == 1:
        return
    left, top = int(monster.rect.centerx) - 18, int(monster.rect.top) - 10
    surface.fill((16, 14, 22), (left, top, 36, 6))
    surface.fill((70, 30, 40), (left + 1, top + 1, 34, 4))
    color = (116, 214, 92) if fraction > 0.5 else (240, 190, 70)
    surface.fill(color, (left + 1, top + 1, max(2, round(34 * fraction)), 4))
