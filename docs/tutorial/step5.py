"""Phones and Rabbits, step 5: contacts by class, and rabbits that split."""

import math
import random

import pygame
import pymunk

from pictures import BIG_RABBIT, DINO, PHONE, RABBIT, SHARD
from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, RecycleOldest, pools
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

GROUND = 320

pygame.init()
screen = pygame.display.set_mode((640, 360))
clock = pygame.time.Clock()
actors = PooledGroup()
world = PhysicsWorld(gravity=(0, 900))
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
        self.body.angular_velocity = 12
        self.scope.after(3.0, self.kill)

    def shatter(self):
        for _ in range(6):
            velocity = (random.uniform(-150, 150), random.uniform(-250, 0))
            pools.spawn(shard, self.position, velocity=velocity)
        self.kill()


class Shard(PooledSprite):
    """A splinter: too small for a body."""

    velocity: pygame.Vector2 = pygame.Vector2()

    def __init__(self):
        super().__init__(SHARD)

    def spawned(self):
        self.scope.after(0.8, self.kill)

    def update(self, dt):
        self.velocity.y += 900 * dt
        self.position += self.velocity * dt


class Rabbit(Thing):
    def __init__(self, image=RABBIT, mass=4):
        super().__init__(image, pymunk.Body(mass, math.inf))

    def spawned(self, velocity=(0, 0)):
        self.body.velocity = velocity
        self.scope.start(self.hop())

    def hop(self):
        while self.rect.right > 0:
            yield random.uniform(0.7, 1.2)
            self.body.velocity = (random.uniform(-160, -80), random.uniform(-320, -200))
        self.kill()

    def struck(self):
        self.kill()


class BigRabbit(Rabbit):
    def __init__(self):
        super().__init__(BIG_RABBIT, mass=12)

    def struck(self):
        x, y = self.position
        for side in (-1, 1):
            pools.spawn(rabbit, (x + 18 * side, y), velocity=(80 * side, -300))
        self.kill()


class Warren(PooledSprite):
    """Where the rabbits come from: nothing to see."""

    def spawned(self):
        self.scope.every(1.2, self.breed)

    def breed(self):
        pools.spawn(random.choice([rabbit, big_rabbit]), (680, GROUND - 40))


def strike(phone, rabbit, arbiter):
    if phone.body.velocity.length > 120:  # not one that lies in the grass
        phone.shatter()
        rabbit.struck()


def jostle(one, other, arbiter):
    return False  # rabbits pass through each other


world.on_contact(Phone, Rabbit, strike)
world.on_contact(Rabbit, Rabbit, jostle)

phone = Prefab(Phone, name="phone", groups=[actors], settings=PoolSettings(prespawn=10))
shard = Prefab(
    Shard,
    name="shard",
    groups=[actors],
    settings=PoolSettings(prespawn=60, limit=60, overflow=RecycleOldest()),
)
rabbit = Prefab(Rabbit, name="rabbit", groups=[actors], settings=PoolSettings(prespawn=20))
big_rabbit = Prefab(BigRabbit, name="big rabbit", groups=[actors])

for prefab in (phone, shard, rabbit, big_rabbit):
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
    world.step(dt)
    screen.fill("#283048")
    screen.fill("#3c5a3c", (0, GROUND, 640, 40))
    actors.draw(screen)
    pygame.display.flip()

print(pools.report())
