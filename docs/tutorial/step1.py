"""Phones and Rabbits, step 1: a sprite on the screen."""

import pygame

from pictures import RABBIT
from poolkit import PooledGroup, PooledSprite, Prefab, pools

pygame.init()
screen = pygame.display.set_mode((640, 360))
clock = pygame.time.Clock()
actors = PooledGroup()


class Rabbit(PooledSprite):
    def __init__(self):
        super().__init__(RABBIT)

    def update(self, dt):
        self.position -= (60 * dt, 0)


rabbit = Prefab(Rabbit, name="rabbit", groups=[actors])

for y in (80, 180, 280):
    pools.spawn(rabbit, (620, y))

running = True
while running:
    dt = clock.tick(60) / 1000  # seconds
    for event in pygame.event.get():
        if event.type == pygame.QUIT:
            running = False
    pools.update(dt)
    actors.update(dt)
    screen.fill("#283048")
    actors.draw(screen)
    pygame.display.flip()
