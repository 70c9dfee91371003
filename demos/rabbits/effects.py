"""The simplest pooled sprites: puffs, sparks, shards and words, gone in a moment."""

import random
from collections.abc import Sequence

import pygame

from poolkit import Animation, PooledSprite, PoolSettings, Prefab, RecycleOldest, pools
from rabbits.stage import effects, words
from shared.letters import outlined
from shared.pictures import frames


class Effect(PooledSprite):
    """Shows its pictures while it flies, and is gone."""

    velocity: pygame.Vector2 = pygame.Vector2()  # pixels a second
    spin: float = 0.0  # degrees a second

    rotation_steps = 16  # turned pictures are made once each, and shared: a few are enough

    def __init__(self) -> None:
        """Build what all lives of the instance share."""
        images = frames("rabbits/puff", 6)
        super().__init__(images[0])
        self.animation = self.add_component(Animation(images, fps=15, then="kill"))

    def spawned(self, images: Sequence[pygame.Surface], seconds: float) -> None:
        """Begin a life: what differs from one to the next is spawn data."""
        self.animation.play(images, fps=len(images) / seconds)

    def update(self, dt: float) -> None:
        """Fly; what spins falls, too."""
        if self.spin:
            self.velocity.y += 500 * dt
            self.rotation += self.spin * dt
        self.position += self.velocity * dt


# At the limit, the oldest effect makes room for a new one.
settings = PoolSettings(limit=300, overflow=RecycleOldest())
effect = Prefab(
    Effect,
    name="effect",
    groups=[effects],
    settings=settings,
    # For tools that spawn one by themselves, such as the audit.
    sample_data=lambda: {"images": frames("rabbits/puff", 6), "seconds": 0.4},
)
word = effect.variant(name="word", groups=[words], data={"seconds": 0.75, "velocity": (0, -26)})


def burst(position: tuple[float, float], name: str = "puff", count: int = 6) -> None:
    """Show a cloud of dust, or another picture of so many frames."""
    images = frames(f"rabbits/{name}", count)
    pools.spawn(effect, position, images=images, seconds=0.07 * count)


def scatter(images: Sequence[pygame.Surface], position: tuple[float, float], count: int) -> None:
    """Let `count` pieces fly off in all directions."""
    for number in range(count):
        image, spin = images[number % len(images)], random.uniform(-500, 500)
        velocity = random.uniform(-130, 130), random.uniform(-220, 10)
        pools.spawn(effect, position, images=[image], seconds=0.6, velocity=velocity, spin=spin)


def fall(image: pygame.Surface, position: tuple[float, float]) -> None:
    """Let a dead hero fly up, turn over, and fall out of view."""
    velocity = random.uniform(-60, 60), -300
    pools.spawn(effect, position, images=[image], seconds=2.0, velocity=velocity, spin=260)


def shout(text: str, position: tuple[float, float], color: str = "white") -> None:
    """Let a word rise from a place, or from above the words that are there."""
    image = outlined(text, color)
    place = image.get_frect(center=position)
    while other := place.collideobjects(words.sprites(), key=lambda word: word.rect):
        place.bottom = other.rect.top - 1
    pools.spawn(word, place.center, images=[image])
