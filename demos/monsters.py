#!/usr/bin/env python3
"""Orcs, trolls, ogres and dragons, and the pools that they come from and go back to."""

import random
import sys
from collections.abc import Sequence
from itertools import cycle
from typing import ClassVar

import pygame
from pymunk.pygame_util import DrawOptions

from arena.bestiary import Dragon, Ogre, Orc, Troll
from arena.levels import DUNGEON, LAVA, Level
from arena.monster import Monster
from arena.stage import monsters, world
from poolkit import PoolSettings, Prefab, pools
from shared.effects import puff, show
from shared.scene_demo import SIZE, SceneDemo, run
from shared.window import Window

# A prefab says what to spawn. Five of each are built as a level loads; 16 may be alive at once.
settings = PoolSettings(prespawn=5, limit=16)
orc = Prefab(Orc, name="orc", groups=[monsters], settings=settings)
troll = Prefab(Troll, name="troll", groups=[monsters], settings=settings)
ogre = Prefab(Ogre, name="ogre", groups=[monsters], settings=settings)
dragon = Prefab(Dragon, name="dragon", groups=[monsters], settings=settings)
KINDS: tuple[Prefab[Monster], ...] = (orc, troll, ogre, dragon)


def spawn(kind: Prefab[Monster], place: tuple[float, float]) -> None:
    """Spawn one that heads right or left; none where its pool is at the limit."""
    pools.try_spawn(kind, place, facing=random.choice((-1, 1)))


def kill(kind: Prefab[Monster]) -> None:
    """Kill a random one: it goes into its pool, and comes out of it as good as new."""
    alive = list(pools.pool(kind).active)
    if alive:
        random.choice(alive).kill()


def reset() -> None:
    """End every life, and let the pools begin anew: what loading a level (N) does first, too."""
    pools.reset()


SPAWN_KEYS = dict(zip((pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4), KINDS, strict=True))
KILL_KEYS = dict(zip((pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r), KINDS, strict=True))


class MonstersDemo(SceneDemo):
    """The arena, and the shapes that the physics sees in it."""

    keys = (
        ("1 2 3 4", "spawn"),
        ("Q W E R", "kill"),
        ("0", "reset"),
        ("space", "wave"),
        ("N", "next level"),
        ("F1", "shapes"),
    )
    # What the demo presses when it plays itself: every key, some of them often.
    self_play_keys: ClassVar[Sequence[int | None]] = [
        *(*SPAWN_KEYS, *KILL_KEYS, pygame.K_F1, pygame.K_F2, pygame.K_SPACE, pygame.K_F2),
        *(pygame.K_F1, pygame.K_n, *SPAWN_KEYS, pygame.K_p, pygame.K_1, pygame.K_2, pygame.K_q),
        *(pygame.K_3, pygame.K_p, *KILL_KEYS, pygame.K_0, pygame.K_n, pygame.K_SPACE),
        *(*SPAWN_KEYS, *SPAWN_KEYS),
    ]

    def __init__(self, window: Window) -> None:
        """Load the first level; `window` shows how far it is."""
        self.shows_shapes = False
        self.places = cycle((DUNGEON, LAVA))
        super().__init__(window)

    def choose_scene(self) -> Level:
        """Take the levels in turns."""
        self.level = Level(next(self.places), KINDS, spawn)
        return self.level

    def key_pressed(self, key: int) -> None:
        """Spawn, kill, reset, show and hide the shapes; all else is the same in every demo."""
        super().key_pressed(key)
        if key in SPAWN_KEYS:
            place = random.uniform(90, SIZE[0] - 90), random.uniform(60, 300)
            spawn(SPAWN_KEYS[key], place)
            show(puff, place)
        elif key in KILL_KEYS:
            kill(KILL_KEYS[key])
        elif key == pygame.K_0:
            reset()
        elif key == pygame.K_SPACE:
            self.level.drop_wave()
        elif key == pygame.K_F1:
            self.shows_shapes = not self.shows_shapes

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the level, and the shapes in it if they are wanted."""
        self.scenes.draw(surface)
        if self.shows_shapes:
            seen = surface.copy()
            world.space.debug_draw(DrawOptions(seen))
            seen.set_alpha(130)
            surface.blit(seen, (0, 0))
        self.draw_frame(surface)


if __name__ == "__main__":
    sys.exit(run(MonstersDemo, "monsters", __doc__))
