"""Phones and Rabbits, step 2: throwing, with a field and kill."""

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
    velocity: pygame.Vector2 = pygame.Vector2()  # a field: a spawn may give it

    def __init__(self):
        super().__init__(PHONE)

    def update(self, dt):
        self.position += self.velocity * dt
        self.rotation -= 500 * dt
        if self.rect.left > 640:
            self.kill()


class Rabbit(PooledSprite):
    def __init__(self):
        super().__init__(RABBIT)

    def update(self, dt):
        self.position -= (60 * dt, 0)


phone = Prefab(Phone, name="phone", groups=[actors, phones], settings=PoolSettings(prespawn=10))
rabbit = Prefab(Rabbit, name="rabbit", groups=[actors, rabbits])

pools.register(phone)  # ten are built, now
dino = pools.spawn(Dino, (60, 180), groups=[actors])
for x in range(400, 640, 40):
    pools.spawn(rabbit, (x, 180))

running = True
while running:
    dt = clock.tick(60) / 1000
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            running = False
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
            dino.throw()
    pools.update(dt)
    actors.update(dt)
    pygame.sprite.groupcollide(phones, rabbits, dokilla=True, dokillb=True)
    screen.fill("#283048")
    actors.draw(screen)
    pygame.display.flip()

print(pools.report())
