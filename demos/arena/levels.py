"""The levels: what Tiled's files in ``assets/arena`` hold; each is a scene of poolkit's."""

import random
import sys
from collections.abc import Mapping
from typing import Any

import pygame
import pymunk

from arena.bestiary import KINDS, book
from arena.light import lights
from arena.monster import Monster
from arena.stage import GROUND, MONSTER, monsters, world
from poolkit.content import spawn_objects
from shared.effects import effects, ember, puff, show, spark
from shared.pictures import ASSETS
from shared.scene_demo import SIZE, DemoScene

try:
    import pytmx
except ImportError:
    sys.exit("the demo reads its levels with pytmx: pip install pytmx")

AT_REST = 5  # monsters of a kind, as the play begins


class Level(DemoScene):
    """Monsters in a walled arena."""

    def __init__(self, name: str) -> None:
        """Read the level of that name."""
        self.map = pytmx.load_pygame(str(ASSETS / f"arena/{name.replace(' ', '_')}.tmx"))
        self.name, self.backdrop = name, self.map.properties["backdrop"]
        self.embers: float = self.map.properties["embers"]  # a second
        self.tiles = pygame.Surface(SIZE)
        for x, y, image in self.map.get_layer_by_name("tiles").tiles():
            self.tiles.blit(image, (x * self.map.tilewidth, y * self.map.tileheight))
        self.solids: list[pymunk.Shape] = []

    def prewarm(self) -> Mapping[Any, int]:
        """Have the level's monsters ready and five more of each; and all dragons and effects.

        A dragon takes 30 ms to build, which a frame of the play hasn't got.
        """
        needed = [book["dragon"], puff, spark, *([ember] if self.embers else [])]
        counts = book.counts(self.map.objects)
        return (
            counts
            | {kind: counts.get(kind, 0) + AT_REST for kind in KINDS}
            | {prefab: prefab.settings.prespawn for prefab in needed}
        )

    def enter(self) -> None:
        """Build what is solid, light the lights, and let the first wave drop."""
        space = world.space
        space.gravity = (0, self.map.properties["gravity"])  # pixels per second per second
        for shape in self.map.get_layer_by_name("solids"):
            solid = pymunk.Poly(space.static_body, [tuple(point) for point in shape.as_points])
            solid.friction = 0.8
            solid.collision_type = GROUND
            self.solids.append(solid)
        space.add(*self.solids)
        world.on_collision(MONSTER, MONSTER, post_solve=bump)
        self.light()
        self.drop_wave()

    def exit(self) -> None:
        """Take down what was solid. What was spawned is the pools' to clear away."""
        world.space.remove(*self.solids)
        self.solids.clear()

    def light(self) -> None:
        """Light the torches, and what glows."""
        spawn_objects(self.map.get_layer_by_name("lights"), book)

    def drop_wave(self) -> None:
        """Drop the monsters of the level from above the screen."""
        aside = random.uniform(-40, 40), 0
        spawn_objects(self.map.get_layer_by_name("monsters"), book, offset=aside)

    def update(self, dt: float) -> None:
        """Let everybody move, and bump into each other."""
        if random.random() < self.embers * dt:
            start = random.uniform(0, SIZE[0]), SIZE[1] - 60
            show(ember, start, drift=(random.uniform(-20, 20), random.uniform(-140, -60)))
        for group in (lights, monsters, effects):
            group.update(dt)
        world.step(dt)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the arena, the monsters, and how much those that were hit have left."""
        surface.blit(self.tiles, (0, 0))
        lights.draw(surface, special_flags=pygame.BLEND_RGB_ADD)
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
