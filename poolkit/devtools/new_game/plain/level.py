"""The level: gems fall from the sky, and the wizard catches them."""

import random
from pathlib import Path

import pygame
from poolkit import PooledGroup, PooledSprite, Prefab, pools
from poolkit.content import PrefabFile
from poolkit.scenes import Scene

from gem import GROUND, Gem, gems, move
from sprites import Spark, Wizard

FOLDER = Path(__file__).parent
HINT = "Catch gems with the mouse   F2: pools   Esc: leave"

actors = PooledGroup[PooledSprite]()
groups = {"actors": actors, "gems": gems}
book = PrefabFile(FOLDER / "prefabs.toml", classes=[Gem, Spark, Wizard], groups=groups)


class Level(Scene):
    """What is on the screen until another scene is loaded."""

    def __init__(self) -> None:
        pygame.font.init()
        self.font = pygame.font.Font(FOLDER / "letters.ttf", 24)
        self.night = pygame.image.load(FOLDER / "night.png")
        self.score = 0

    def prewarm(self) -> dict[Prefab[PooledSprite], int]:
        """Say how many of each are built while the level loads."""
        return {book["wizard"]: 1, book["gem"]: 12, book["ruby"]: 6, book["spark"]: 40}

    def enter(self) -> None:
        self.wizard: Wizard = pools.spawn("wizard", (320, GROUND - 19))
        self.scope.every(0.6, self.drop)  # until the level ends

    def drop(self) -> None:
        name = random.choice(["gem", "gem", "gem", "ruby"])
        velocity = random.uniform(-90, 90), random.uniform(0, 90)
        pools.spawn(name, (random.uniform(60, 580), -16), velocity=velocity)

    def handle_event(self, event: pygame.Event) -> None:
        if event.type == pygame.MOUSEMOTION:
            self.wizard.goal = event.pos[0]
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE:
            pygame.event.post(pygame.Event(pygame.QUIT))

    def update(self, dt: float) -> None:
        """Let time pass; then see what the wizard has caught."""
        pools.update(dt)  # timers, animations, and who may be used again
        actors.update(dt)
        move(dt)
        for gem in pygame.sprite.spritecollide(self.wizard, gems, dokill=False):
            self.score += gem.points
            for angle in range(0, 360, 45):
                velocity = pygame.Vector2(90, 0).rotate(angle)
                pools.spawn("spark", gem.position, velocity=velocity)
            gem.kill()  # back into its pool

    def draw(self, surface: pygame.Surface) -> None:
        surface.blit(self.night, (0, 0))
        gems.draw(surface)
        actors.draw(surface)
        for words, top in (f"{self.score:,}", 8), (HINT, 329):
            image = self.font.render(words, antialias=False, color="lavender")
            surface.blit(image, image.get_rect(midtop=(320, top)))
