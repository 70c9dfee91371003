#!/usr/bin/env python3
"""Barrage: a dragon's bullets, up to fifty thousand of them, as a swarm beside prefabs."""

from __future__ import annotations

import random
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pygame

from barrage.boss import HEALTH, boss, bosses
from barrage.controls import Bot, Player
from barrage.pictures import COLORS, CYAN, GOLD, ROSE, sky
from barrage.ship import SAFE, ship, ships
from barrage.stage import AREA, FACTORS, SIZE, STEP, Stage
from barrage.swarms import Bullets, Shots, Sparks, Stars, Trails, draw_light
from poolkit import pools
from poolkit.devtools import Inspector, apply_profile, record_profile
from shared.effects import effects, show, spark
from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import open_window, parse_options, press, save_screenshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.window import Window

BRIGHT, TEXT, SHADE = (240, 243, 250), (168, 178, 200), (10, 10, 22)
FOOT = pygame.Rect(0, SIZE[1] - 26, SIZE[0], 26)  # where the figures are
HELP = "fly with the arrows, the mouse or a pad   -   Space shoots   -   Shift focuses"
HELP_SECONDS = 9.0
KEYS = [("M", "ten times as many"), ("N", "next pattern"), ("F2", "pools")]
SELF_PLAY = 2400  # frames


class Barrage:
    """The game, from the first ship to the last."""

    def __init__(self, window: Window) -> None:
        self.window, self.screen = window, window.canvas
        self.player = Bot() if window.is_headless else Player()
        self.inspector = Inspector()
        self.running = True
        self.took: dict[str, float] = {}  # milliseconds, about
        self.begin()

    def begin(self) -> None:
        """Begin a new game."""
        pools.reset()
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

    def handle_event(self, event: pygame.Event) -> None:
        """Hand an event to the inspector, or to the player and the game."""
        if hasattr(event, "pos"):
            event.pos = self.window.to_canvas(event.pos)
        if self.inspector.handle_event(event):
            return
        self.player.handle_event(event)
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.KEYDOWN:
            self.key_pressed(event.key)

    def key_pressed(self, key: int) -> None:
        """Do what a key says."""
        if key == pygame.K_ESCAPE:
            self.running = False
        elif key == pygame.K_F11:
            self.window.switch_full()
        elif key == pygame.K_m:
            self.stage.factor = FACTORS[(FACTORS.index(self.stage.factor) + 1) % len(FACTORS)]
            if self.ship.active:
                self.ship.safe = SAFE
            self.stage.say(f"times {self.stage.factor}")
        elif key == pygame.K_n:
            self.boss.next_pattern()
        elif key == pygame.K_RETURN and self.stage.is_over:
            self.begin()

    def update(self, dt: float) -> None:
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

    # -- the loop -----------------------------------------------------------------------------

    def play(self, frames: int | None, *, by_itself: bool) -> None:
        """Play, for so many frames at most; by itself as fast as it can."""
        clock, owed, frame = pygame.Clock(), 0.0, 0
        while self.running and frame != frames:
            elapsed = STEP if by_itself else clock.tick(60) / 1000
            for key in self_play(frames or SELF_PLAY, frame) if by_itself else ():
                press(key)
            for event in pygame.event.get():
                self.handle_event(event)
            owed = min(owed + (STEP if abs(elapsed - STEP) < STEP / 4 else elapsed), 3 * STEP)
            while owed > STEP / 2:
                self.update(STEP)
                owed -= STEP
            self.draw(self.screen)
            self.window.paint()
            self.window.flip()
            frame += 1


def write(
    surface: pygame.Surface, words: str, place: tuple[int, int], color: Any = BRIGHT, **how: Any
) -> int:
    """Write words with a shadow, for there may be light behind them; return how wide they are."""
    how = {"scale": 2, **how}
    x, y = place
    for dx, dy in (-1, 0), (1, 0), (0, -1), (0, 1):
        draw_text(surface, words, (x + dx * how["scale"], y + dy * how["scale"]), SHADE, **how)
    return draw_text(surface, words, place, color, **how)


def self_play(frames: int, frame: int) -> Sequence[int]:
    """Return the keys that are pressed in a frame, when it plays itself."""
    keys = [pygame.K_RETURN] if frame % 120 == 119 else []  # if the last ship is lost
    keys += [pygame.K_n] if frame % 240 == 239 else []
    keys += [pygame.K_m] if frame in {frames - 900, frames - 200} else []
    return [*keys, pygame.K_ESCAPE] if frame == frames - 1 else keys


def main(arguments: Sequence[str] | None = None) -> int:
    """Play as the command line says, and return the exit code."""
    options = parse_options("bullets", __doc__, arguments)
    random.seed(options.seed)
    window = open_window("poolkit: bullets", SIZE, headless=options.headless)
    recorder = None
    if options.profile:
        apply_profile(options.profile)
        recorder = record_profile(options.profile)
    game, headless = Barrage(window), window.is_headless
    game.play(options.frames or (SELF_PLAY if headless else None), by_itself=headless)
    game.inspector.shown = False
    if recorder:
        recorder.stop()
        print(recorder.error or f"kept what was needed in {recorder.path}")
    print(pools.report(), flush=True)
    shot = options.screenshot or (Path("screenshots/bullets.png") if headless else None)
    if shot:
        save_screenshot(game.screen, shot)
    pygame.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
