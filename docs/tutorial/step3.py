"""Phones and Rabbits, step 3: timers, and what belongs to one life."""

import random

import pygame

from pictures import DINO, PHONE, RABBIT
from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, pools

pygame.init()
screen = pygame.display.set_mode((640, 360))
clock = pygame.time.Clock()
actors, phones, rabbits = PooledGroup(), PooledGroup(), PooledGroup()


class Dino(PooledSprite):
    def __init__(self):
        super().__init__(DINO)

    def update(self, dt):
        keys = pygame.key.get_pressed()
        self.position += (0, 240 * dt * (keys[pygame.K_DOWN] - keys[pygame.K_UP]))

    def throw(self):
        pools.spawn(phone, self.position + (30, -10), velocity=(400, 0))


class Phone(PooledSprite):
    velocity: pygame.Vector2 = pygame.Vector2()

    def __init__(self):
        super().__init__(PHONE)

    def spawned(self):
        self.scope.after(2.0, self.kill)  # the battery is empty

    def update(self, dt):
        self.position += self.velocity * dt
        self.rotation -= 500 * dt


class Rabbit(PooledSprite):
    speed: float = 0.0

    def __init__(self):
        super().__init__(RABBIT)

    def spawned(self):
        self.scope.start(self.hop())

    def hop(self):
        while self.rect.right > 0:
            yield random.uniform(0.2, 0.6)  # seconds: it sits
            self.speed = random.uniform(100, 200)
            yield 0.3  # it hops
            self.speed = 0
        self.kill()

    def update(self, dt):
        self.position -= (self.speed * dt, 0)


class Warren(PooledSprite):
    """Where the rabbits come from: nothing to see."""

    def spawned(self):
        self.scope.every(0.8, self.breed)

    def breed(self):
        pools.spawn(rabbit, (660, random.uniform(60, 320)))


phone = Prefab(Phone, name="phone", groups=[actors, phones], settings=PoolSettings(prespawn=10))
rabbit = Prefab(Rabbit, name="rabbit", groups=[actors, rabbits])

pools.register(phone)
dino = pools.spawn(Dino, (60, 180), groups=[actors])
pools.spawn(Warren)

running = True
while running:
    dt = clock.tick(60) / 1000
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            running = False
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
            dino.throw()
    pools.update(dt)  # timers and coroutines run in here
    actors.update(dt)
    pygame.sprite.groupcollide(phones, rabbits, dokilla=True, dokillb=True)
    screen.fill("#283048")
    actors.draw(screen)
    pygame.display.flip()

print(pools.report())
