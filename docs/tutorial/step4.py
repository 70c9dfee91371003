"""Phones and Rabbits, step 4: bodies."""

import math
import random

import pygame
import pymunk

from pictures import DINO, PHONE, RABBIT
from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

GROUND = 320

pygame.init()
screen = pygame.display.set_mode((640, 360))
clock = pygame.time.Clock()
actors = PooledGroup()
world = PhysicsWorld(gravity=(0, 900))  # pixels per second per second; y points down
ground = pymunk.Segment(world.space.static_body, (-200, GROUND + 20), (900, GROUND + 20), 20)
ground.friction = 0.9
world.space.add(ground)


class Thing(PooledSprite):
    """A sprite with a body as large as its picture."""

    def __init__(self, image, body):
        super().__init__(image)
        self.body = body
        box = pymunk.Poly.create_box(body, image.get_size())
        box.friction, box.elasticity = 0.7, 0.3
        self.add_component(RigidBody(world, body, box))
        self.add_component(ResetPooledBodyComponent())


class Dino(PooledSprite):
    def __init__(self):
        super().__init__(DINO)

    def update(self, dt):
        keys = pygame.key.get_pressed()
        self.position += (200 * dt * (keys[pygame.K_RIGHT] - keys[pygame.K_LEFT]), 0)

    def throw(self):
        pools.spawn(phone, self.position + (30, -10), velocity=(420, -220))


class Phone(Thing):
    def __init__(self):
        super().__init__(PHONE, pymunk.Body(1, pymunk.moment_for_box(1, PHONE.get_size())))

    def spawned(self, velocity):
        self.body.velocity = velocity
        self.body.angular_velocity = 12  # radians per second
        self.scope.after(3.0, self.kill)


class Rabbit(Thing):
    def __init__(self):
        super().__init__(RABBIT, pymunk.Body(4, math.inf))  # it never falls over

    def spawned(self):
        self.scope.start(self.hop())

    def hop(self):
        while self.rect.right > 0:
            yield random.uniform(0.7, 1.2)
            self.body.velocity = (random.uniform(-160, -80), random.uniform(-320, -200))
        self.kill()


class Warren(PooledSprite):
    """Where the rabbits come from: nothing to see."""

    def spawned(self):
        self.scope.every(0.8, self.breed)

    def breed(self):
        pools.spawn(rabbit, (660, GROUND - 20))


phone = Prefab(Phone, name="phone", groups=[actors], settings=PoolSettings(prespawn=10))
rabbit = Prefab(Rabbit, name="rabbit", groups=[actors], settings=PoolSettings(prespawn=20))

for prefab in (phone, rabbit):
    pools.register(prefab)
dino = pools.spawn(Dino, (60, GROUND - 26), groups=[actors])
pools.spawn(Warren)

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
    world.step(dt)  # fixed steps; then the sprites are moved to their bodies
    screen.fill("#283048")
    screen.fill("#3c5a3c", (0, GROUND, 640, 40))
    actors.draw(screen)
    pygame.display.flip()

print(pools.report())
