#!/usr/bin/env python3
"""Orcs, trolls, ogres and dragons, and the pools that they come from and go back to."""

import random
import sys
from collections.abc import Sequence
from itertools import cycle
from typing import ClassVar

import pygame
from pymunk.pygame_util import DrawOptions

from arena.bestiary import KINDS, book
from arena.levels import Level
from arena.monster import Monster
from arena.shelf import Shelf
from arena.stage import world
from poolkit import Prefab, pools
from poolkit.content import ContentError
from shared.effects import puff, show
from shared.letters import draw_text
from shared.loop import play
from shared.scene_demo import RED, SIZE, WINDOW, SceneDemo

SPAWN_KEYS = dict(zip((pygame.K_1, pygame.K_2, pygame.K_3, pygame.K_4), KINDS, strict=True))
KILL_KEYS = dict(zip((pygame.K_q, pygame.K_w, pygame.K_e, pygame.K_r), KINDS, strict=True))
HELD, AGAIN = 24, 4  # frames until a key that is held spawns on, and from one to the next


def kill(kind: Prefab[Monster]) -> None:
    """Kill a random one: it goes into its pool, and comes out of it as good as new."""
    alive = list(pools.pool(kind).active)
    if alive:
        random.choice(alive).kill()


class MonstersDemo(SceneDemo):
    """The arena, and the shapes that the physics sees in it."""

    keys = (
        ("1 2 3 4", "spawn"),
        ("Q W E R", "kill"),
        ("0", "reset"),
        ("space", "wave"),
        ("N", "next level"),
        ("F1", "shapes"),
        ("F5", "reload"),
    )
    # What the demo presses when it plays itself: every key, some of them often.
    self_play_keys: ClassVar[Sequence[int | None]] = [
        *(*SPAWN_KEYS, *KILL_KEYS, pygame.K_F1, pygame.K_F2, pygame.K_SPACE, pygame.K_F2),
        *(
            pygame.K_F1,
            pygame.K_F5,
            pygame.K_n,
            *SPAWN_KEYS,
            pygame.K_p,
            pygame.K_1,
            pygame.K_2,
            pygame.K_q,
        ),
        *(pygame.K_3, pygame.K_p, *KILL_KEYS, pygame.K_0, pygame.K_n, pygame.K_SPACE),
        *(*SPAWN_KEYS, *SPAWN_KEYS),
    ]

    def __init__(self) -> None:
        self.shows_shapes = False
        self.held = dict.fromkeys(SPAWN_KEYS, 0)  # frames
        self.faults: Sequence[str] = ()
        self.levels = cycle(("dungeon", "lava cave"))
        self.shelf = Shelf()
        super().__init__()

    def choose_scene(self) -> Level:
        """Take the levels in turns."""
        self.level = Level(next(self.levels))
        return self.level

    def key_pressed(self, key: int) -> None:
        """Spawn, kill, reset, reload; all else is the same in every demo."""
        super().key_pressed(key)
        if key in SPAWN_KEYS:
            self.spawn(SPAWN_KEYS[key])
        elif key in KILL_KEYS:
            kill(KILL_KEYS[key])
        elif key == pygame.K_0:
            pools.reset()  # as loading a level does first, too
            self.level.light()
            self.shelf.explain("reset")
        elif key == pygame.K_F5:
            self.reload()
        elif key == pygame.K_SPACE:
            with self.shelf.timed():
                self.level.drop_wave()
        elif key == pygame.K_F1:
            self.shows_shapes = not self.shows_shapes

    def spawn(self, kind: Prefab[Monster]) -> None:
        """Spawn one somewhere in the upper half; at the limit, the oldest is recycled."""
        place = random.uniform(90, SIZE[0] - 90), random.uniform(60, 300)
        with self.shelf.timed():
            pools.spawn(kind, place)
        show(puff, place)

    def reload(self) -> None:
        """Take what has changed in the file of the monsters; a fault in it is shown."""
        self.faults = ()
        try:
            book.reload(respawn=True)
        except ContentError as error:
            self.faults = error.faults

    def switch_pooling(self) -> None:
        """Build and destroy every time, to compare; say so."""
        super().switch_pooling()
        self.shelf.explain("no pooling")

    def step(self, dt: float) -> None:
        """Let the level and what is said about it go on; spawn on while a key is held."""
        self.shelf.update(dt)
        held = pygame.key.get_pressed()
        for key, kind in SPAWN_KEYS.items():
            self.held[key] = self.held[key] + 1 if held[key] else 0
            if self.held[key] > HELD and self.held[key] % AGAIN == 0:
                self.spawn(kind)
        super().step(dt)

    def exit(self) -> None:
        """Let go of what the demo watches."""
        self.shelf.close()
        super().exit()

    def draw_frame(self, surface: pygame.Surface) -> None:
        """Draw the pools of the level, and the shapes in it if they are wanted."""
        if self.shows_shapes:
            seen = surface.copy()
            world.space.debug_draw(DrawOptions(seen))
            seen.set_alpha(130)
            surface.blit(seen, (0, 0))
        self.shelf.draw(surface, is_pooling=self.is_pooling)
        for number, fault in enumerate(self.faults):
            draw_text(surface, fault, (12, 170 + 22 * number), RED, scale=2)
        super().draw_frame(surface)


if __name__ == "__main__":
    sys.exit(play(MonstersDemo, "monsters", __doc__, WINDOW))
