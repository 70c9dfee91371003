"""Phones and Rabbits, step 8: audit, profile, recordings, tests."""

import math
import random

import pygame
import pymunk

from pictures import BIG_RABBIT, CHARGER, DINO, HALO, PHONE, RABBIT, SHARD
from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, RecycleOldest, pools
from poolkit.devtools import apply_profile, record_profile
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from poolkit.scenes import Scene, run

GROUND = 320

pygame.font.init()
LARGE, SMALL = pygame.Font(None, 56), pygame.Font(None, 28)

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


class Dino(Thing):
    ready: bool = True
    rapid: bool = False

    def __init__(self):
        # Kinematic: it goes where the player wants, and nothing pushes it.
        super().__init__(DINO, pymunk.Body(body_type=pymunk.Body.KINEMATIC))
        self.hand = self.add_child(PooledSprite(PHONE), (32, -8))

    def update(self, dt):
        keys = pygame.key.get_pressed()
        self.body.velocity = (200 * (keys[pygame.K_RIGHT] - keys[pygame.K_LEFT]), 0)

    def throw(self):
        if self.ready:
            pools.spawn(phone, self.hand.position, velocity=(420, -220))
            self.ready, self.hand.image = False, None
            self.scope.after(0.1 if self.rapid else 0.4, self.reload)

    def reload(self):
        self.ready, self.hand.image = True, PHONE

    def charge(self):
        self.rapid = True
        self.scope.after(5.0, self.calm_down)
        pools.spawn(halo, self.position, parent=self)

    def calm_down(self):
        self.rapid = False


class Halo(PooledSprite):
    def __init__(self):
        super().__init__(HALO)

    def spawned(self):
        self.scope.after(5.0, self.kill)


class Charger(Thing):
    def __init__(self):
        super().__init__(CHARGER, pymunk.Body(2, pymunk.moment_for_circle(2, 0, 10)))

    def spawned(self):
        self.scope.after(8.0, self.kill)


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
    """Where everything comes from: nothing to see."""

    def spawned(self):
        self.scope.every(1.2, self.breed)
        self.scope.every(6.0, self.drop_charger)
        self.send_dino()

    def breed(self):
        pools.spawn(random.choice([rabbit, big_rabbit]), (680, GROUND - 40))

    def drop_charger(self):
        pools.spawn(charger, (random.uniform(100, 300), -20))

    def send_dino(self):
        self.dino = pools.spawn(dino, (60, GROUND - 26)).handle()


dino = Prefab(Dino, name="dino", groups=[actors])
halo = Prefab(Halo, name="halo")  # seen in the groups of the dino that it is spawned under
charger = Prefab(Charger, name="charger", groups=[actors])
phone = Prefab(
    Phone,
    name="phone",
    groups=[actors],
    sample_data={"velocity": (420, -220)},  # for tools that spawn by themselves
)
shard = Prefab(
    Shard,
    name="shard",
    groups=[actors],
    settings=PoolSettings(limit=60, overflow=RecycleOldest()),
)
rabbit = Prefab(Rabbit, name="rabbit", groups=[actors])
big_rabbit = Prefab(BigRabbit, name="big rabbit", groups=[actors])

everything = (dino, halo, charger, phone, shard, rabbit, big_rabbit)


def write(surface, font, words, **place):
    image = font.render(words, antialias=True, color="white")
    surface.blit(image, image.get_rect(**place))


class Title(Scene):
    def __init__(self, words="PHONES AND RABBITS"):
        self.words = words

    def handle_event(self, event):
        if event.type == pygame.KEYDOWN and event.key == pygame.K_RETURN:
            self.manager.load(Level(), progress=draw_bar)

    def draw(self, surface):
        surface.fill("#283048")
        write(surface, LARGE, self.words, midtop=(320, 140))
        write(surface, SMALL, "Return plays", midtop=(320, 200))


class Level(Scene):
    def prewarm(self):  # made behind the loading bar
        return {dino: 1, halo: 1, charger: 1, phone: 12, shard: 60, rabbit: 20, big_rabbit: 10}

    def enter(self):
        self.points, self.lives = 0, 3
        self.warren = pools.spawn(Warren)
        self.contacts = [
            world.on_contact(Phone, Rabbit, self.strike),
            world.on_contact(Dino, Rabbit, self.bite),
            world.on_contact(Dino, Charger, plug_in),
            world.on_contact(Rabbit, Rabbit, jostle),
            world.on_contact(Dino, Phone, jostle),
        ]

    def exit(self):
        for take_off in self.contacts:
            take_off()

    def strike(self, phone, rabbit, arbiter):
        if phone.body.velocity.length > 120:  # not one that lies in the grass
            self.points += 10
            phone.shatter()
            rabbit.struck()

    def bite(self, dino, rabbit, arbiter):
        dino.kill()
        self.lives -= 1
        self.warren.scope.after(1.0, self.warren.send_dino)

    def handle_event(self, event):
        if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
            hero = self.warren.dino.get()  # None while it is dead
            if hero is not None:
                hero.throw()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_p:
            self.pause()

    def pause(self):
        self.manager.push(Pause())

    def update(self, dt):
        pools.update(dt)
        actors.update(dt)
        world.step(dt)
        if self.lives == 0:  # here, and not in `bite`, which runs inside the step
            self.manager.load(Title(f"{self.points} POINTS"))

    def draw(self, surface):
        surface.fill("#283048")
        surface.fill("#3c5a3c", (0, GROUND, 640, 40))
        actors.draw(surface)
        write(surface, SMALL, f"{self.points} points", topleft=(8, 8))
        write(surface, SMALL, f"{self.lives} lives", topright=(632, 8))


class Pause(Scene):
    is_overlay = True  # the level is drawn below it

    def handle_event(self, event):
        if event.type == pygame.KEYDOWN and event.key == pygame.K_p:
            self.manager.pop()

    def draw(self, surface):
        write(surface, LARGE, "PAUSED", midtop=(320, 150))


def plug_in(dino, charger, arbiter):
    charger.kill()
    dino.charge()


def jostle(one, other, arbiter):
    return False  # they pass through each other


def draw_bar(progress):
    screen = pygame.display.get_surface()
    screen.fill("#283048")
    screen.fill("#58b04c", (120, 170, 400 * progress.fraction, 20))
    pygame.display.flip()
    pygame.event.pump()


def main():
    pools.configure(report_at_exit=True)  # prints a report of each scene
    for prefab in everything:
        pools.register(prefab)  # profiles know them by their names
    apply_profile("rabbits.toml")
    recorder = record_profile("rabbits.toml")
    run(Title, (640, 360), title="Phones and Rabbits")
    recorder.stop()


if __name__ == "__main__":
    main()
