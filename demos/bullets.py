#!/usr/bin/env python3
"""Barrage: a dragon's bullets, up to fifty thousand of them, as a swarm beside prefabs."""

from __future__ import annotations

import random
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from barrage.boss import HEALTH, boss, bosses
from barrage.controls import Bot, Player
from barrage.pictures import COLORS, CYAN, GOLD, ROSE, sky
from barrage.ship import SAFE, ship, ships
from barrage.stage import AREA, FACTORS, SIZE, Stage
from barrage.swarms import Bullets, Shots, Sparks, Stars, Trails, draw_light
from poolkit import pools
from poolkit.devtools import Inspector
from shared.effects import effects, show, spark
from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import STEP, Demo, is_headless, leave, play

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BRIGHT, TEXT, SHADE = (240, 243, 250), (168, 178, 200), (10, 10, 22)
FOOT = pygame.Rect(0, SIZE[1] - 26, SIZE[0], 26)  # where the figures are
HELP = "fly with the arrows, the mouse or a pad   -   Space shoots   -   Shift focuses"
HELP_SECONDS = 9.0
KEYS = [("M", "ten times as many"), ("N", "next pattern"), ("P", "pause"), ("F2", "pools")]


class Barrage(Demo):
    """The game, from the first ship to the last."""

    name = "main"  # in profiles
    self_play_frames = 2400

    def __init__(self, player: Player | None = None) -> None:
        self.player = player or (Bot() if is_headless() else Player())
        self.inspector: Inspector = Inspector()
        self.took: dict[str, float] = {}  # milliseconds, about
        self.owed = 0.0  # seconds that passed and aren't played yet
        self.is_paused = False

    def enter(self) -> None:
        """Begin a new game."""
        self.stage = Stage(np.random.default_rng(random.getrandbits(32)))
        self.stars, self.sparks = Stars(self.stage), Sparks(self.stage)
        self.trails = Trails(self.stage)
        self.bullets, self.shots = Bullets(), Shots()
        field: dict[str, Any] = {
            "stage": self.stage,
            "bullets": self.bullets,
            "sparks": self.sparks,
        }
        self.boss = pools.spawn(boss, **field)
        self.ship = pools.spawn(ship, (200, AREA.centery), shots=self.shots, **field)
        self.boss.target = self.ship.handle()

    # -- a frame ------------------------------------------------------------------------------

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Measure how long a part of a frame takes, smoothly."""
        began = time.perf_counter()
        yield
        took = (time.perf_counter() - began) * 1000
        self.took[what] = self.took.get(what, took) * 0.95 + took * 0.05

    def exit(self) -> None:
        """Say what the pools did."""
        self.inspector.shown = False
        print(pools.report(), flush=True)

    def pause(self) -> None:
        """Stand still until P is pressed: the window has lost the focus."""
        self.is_paused = True

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event to the player, and do what a key says."""
        self.player.handle_event(event)
        key = event.key if event.type == pygame.KEYDOWN else None
        if key == pygame.K_ESCAPE:
            leave()
        elif key == pygame.K_m:
            self.stage.factor = FACTORS[(FACTORS.index(self.stage.factor) + 1) % len(FACTORS)]
            if self.ship.active:
                self.ship.safe = SAFE
            self.stage.say(f"times {self.stage.factor}")
        elif key == pygame.K_n:
            self.boss.next_pattern()
        elif key == pygame.K_p:
            self.is_paused = not self.is_paused
        elif key == pygame.K_RETURN and self.stage.is_over:
            pools.reset()
            self.enter()

    def update(self, dt: float) -> None:
        """Let time pass in equal steps, unless the game is paused."""
        if self.is_paused:
            return
        self.owed = min(self.owed + (STEP if abs(dt - STEP) < STEP / 4 else dt), 3 * STEP)
        while self.owed > STEP / 2:
            self.step(STEP)
            self.owed -= STEP

    def step(self, dt: float) -> None:
        """Let time pass for everything."""
        self.stage.seconds += dt
        with self.timed("update"):
            pools.update(dt)
            if self.ship.active:
                self.ship.steer(self.player.wish(self.ship, self.bullets), dt)
            for group in bosses, effects:
                group.update(dt)
            self.trails.follow(self.bullets)
            for swarm in self.stars, self.bullets, self.shots, self.sparks, self.trails:
                swarm.update(dt)
        with self.timed("hits"):
            ships.update(dt)
            hits = self.shots.hits(self.boss.rect.inflate(-70, -50))
            if len(hits):
                self.boss.hurt(len(hits))
                self.stage.score += len(hits)
                self.sparks.burst(2 * len(hits), self.shots.position[hits], 200)
                show(spark, tuple(self.shots.position[hits[0]].tolist()))
                self.shots.despawn(hits)
        if (
            self.stage.is_over
            and not self.ship.active
            and self.stage.words_until < self.stage.seconds
        ):
            self.stage.say("the dragon wins: Enter begins again", 9.0)

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw it all: the sky, what flies, what glows, and the figures."""
        surface.blit(sky(), (0, 0))
        with self.timed("draw"):
            self.stars.draw(surface)
            self.trails.draw(surface)
            bosses.draw(surface)
            if self.boss.flash:
                bosses.draw(surface, special_flags=pygame.BLEND_RGB_ADD)
            if self.ship.active and (self.ship.safe * 8 % 1 < 0.6 or self.stage.is_show):
                ships.draw(surface)
            effects.draw(surface)
            draw_light(self.shots, surface)
            draw_light(self.bullets, surface)
            self.sparks.draw(surface)
        if self.ship.active:
            self.ship.draw_core(surface)
        self.draw_head(surface)
        self.draw_figures(surface)
        self.inspector.draw(surface)

    def draw_head(self, surface: pygame.Surface) -> None:
        """Draw lives, score, graze and the dragon's health."""
        stage, dragon = self.stage, self.boss
        for left in range(20, 20 + 26 * stage.lives, 26):
            pygame.draw.polygon(surface, COLORS[ROSE], [(left, 16), (left, 32), (left + 20, 24)])
        x = 120 + write(surface, f"graze {stage.graze}", (120, 17), COLORS[CYAN])
        write(surface, f"score {stage.score:,}", (x + 26, 17), BRIGHT)
        if dragon.name:
            bar = pygame.Rect(SIZE[0] - 420, 20, 400, 8)
            surface.fill((54, 40, 66), bar)
            bar.width = round(bar.width * max(0, dragon.health) / HEALTH)
            surface.fill(COLORS[ROSE], bar)
            words = f"{dragon.name}  {max(0.0, dragon.until - dragon.clock):.0f}"
            write(surface, words, (SIZE[0] - 20, 36), BRIGHT, align=1)
        if self.is_paused:
            place = SIZE[0] // 2, SIZE[1] // 4
            write(surface, "paused: P goes on", place, BRIGHT, scale=4, align=0.5)
        if stage.seconds < stage.words_until:
            place = SIZE[0] // 2, SIZE[1] // 3
            write(surface, stage.words, place, BRIGHT, scale=4, align=0.5)
        if stage.seconds < HELP_SECONDS:
            write(surface, HELP, (SIZE[0] // 2, FOOT.top - 34), TEXT, align=0.5)

    def draw_figures(self, surface: pygame.Surface) -> None:
        """Draw how many there are, and what the frame takes."""
        surface.fill((12, 12, 24), FOOT)
        dots = len(self.trails) + len(self.sparks) + len(self.stars)
        top = FOOT.top + 7
        words = f"{len(self.bullets):,} bullets"
        x = 14 + draw_text(surface, words, (14, top), COLORS[GOLD], scale=2) + 18
        took = [f"{name} {self.took.get(name, 0.0):.1f}" for name in ("update", "hits", "draw")]
        words = (
            f"{dots:,} dots   {'   '.join(took)} ms   frame {sum(self.took.values()):.1f} of 16.7"
        )
        draw_text(surface, words, (x, top), TEXT, scale=2)
        draw_keys(surface, KEYS, FOOT.right - 14, FOOT.top + 1)

    def self_play(self, frames: int, frame: int) -> Sequence[int]:
        """Return the keys that are pressed in a frame, when it plays itself."""
        keys = [pygame.K_RETURN] if frame % 120 == 119 else []  # if the last ship is lost
        keys += [pygame.K_n] if frame % 240 == 239 else []
        keys += [pygame.K_m] if frame in {frames - 900, frames - 200} else []
        return [*keys, pygame.K_ESCAPE] if frame == frames - 1 else keys


def write(
    surface: pygame.Surface, words: str, place: tuple[int, int], color: Any = BRIGHT, **how: Any
) -> int:
    """Write words with a shadow, for there may be light behind them; return how wide they are."""
    how = {"scale": 2, **how}
    x, y = place
    for dx, dy in (-1, 0), (1, 0), (0, -1), (0, 1):
        draw_text(surface, words, (x + dx * how["scale"], y + dy * how["scale"]), SHADE, **how)
    return draw_text(surface, words, place, color, **how)


if __name__ == "__main__":
    sys.exit(play(Barrage, "bullets", __doc__, SIZE))
