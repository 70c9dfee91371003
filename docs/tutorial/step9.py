"""Phones and Rabbits, step 9: prefabs and levels in files."""

import math
import random
from pathlib import Path

import pygame
import pymunk
import pytmx

from pictures import BIG_RABBIT, CHARGER, DINO, HALO, PHONE, RABBIT, SHARD
from poolkit import PooledGroup, PooledSprite, PoolSettings, Prefab, RecycleOldest, pools
from poolkit.content import PrefabFile, spawn_objects
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from poolkit.scenes import Scene, run

HERE = Path(__file__).parent
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
    lasts: float = 8.0

    def __init__(self):
        super().__init__(CHARGER, pymunk.Body(2, pymunk.moment_for_circle(2, 0, 10)))

    def spawned(self):
        self.scope.after(self.lasts, self.kill)


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
    rush: float = 120.0
    jump: float = 260.0

    def __init__(self, image=RABBIT, mass=4):
        super().__init__(image, pymunk.Body(mass, math.inf))

    def spawned(self, velocity: pygame.Vector2 = (0, 0)):
        self.body.velocity = tuple(velocity)
        self.scope.start(self.hop())

    def hop(self):
        while self.rect.right > 0:
            yield random.uniform(0.7, 1.2)
            part = random.uniform(0.7, 1.3)
            self.body.velocity = (-self.rush * part, -self.jump / part)
        self.kill()

    def struck(self):
        self.kill()


class BigRabbit(Rabbit):
    def __init__(self):
        super().__init__(BIG_RABBIT, mass=12)

    def struck(self):
        x, y = self.position
        for side in (-1, 1):
            pools.spawn("rabbit", (x + 18 * side, y), velocity=(80 * side, -300))
        self.kill()


class Warren(PooledSprite):
    """Where rabbits come from: nothing to see."""

    pause: float = 1.2

    def spawned(self):
        self.scope.every(self.pause, self.breed)

    def breed(self):
        pools.spawn(random.choice(["rabbit", "big rabbit"]), self.position)


halo = Prefab(Halo, name="halo")  # seen in the groups of the dino that it is spawned under
phone = Prefab(Phone, name="phone", groups=[actors])
shard = Prefab(
    Shard,
    name="shard",
    groups=[actors],
    settings=PoolSettings(limit=60, overflow=RecycleOldest()),
)
book = PrefabFile(
    HERE / "meadow.toml",
    classes=[Dino, Charger, Rabbit, BigRabbit, Warren],
    groups={"actors": actors},
)


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
    def __init__(self):
        self.objects = pytmx.TiledMap(str(HERE / "meadow.tmx")).get_layer_by_name("Objects")

    def prewarm(self):  # as many as the level names, and what it doesn't
        return {halo: 1, phone: 12, shard: 60} | book.counts(self.objects)

    def enter(self):
        self.points, self.lives = 0, 3
        placed = spawn_objects(self.objects, book)
        self.hero = next(sprite for sprite in placed if isinstance(sprite, Dino)).handle()
        self.start = self.hero.get().position
        # What names no prefab is ours to use: here, ledges to stand on.
        self.ledges = [
            pygame.Rect(ledge.x, ledge.y, ledge.width, ledge.height) for ledge in placed.left
        ]
        ground = world.space.static_body
        self.shapes = [
            pymunk.Poly(
                ground, [ledge.topleft, ledge.topright, ledge.bottomright, ledge.bottomleft]
            )
            for ledge in self.ledges
        ]
        world.space.add(*self.shapes)
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
        world.space.remove(*self.shapes)

    def strike(self, phone, rabbit, arbiter):
        if phone.body.velocity.length > 120:  # not one that lies in the grass
            self.points += 10
            phone.shatter()
            rabbit.struck()

    def bite(self, dino, rabbit, arbiter):
        dino.kill()
        self.lives -= 1
        self.scope.after(1.0, self.send_dino)

    def send_dino(self):
        self.hero = pools.spawn("dino", self.start).handle()

    def handle_event(self, event):
        if event.type == pygame.KEYDOWN and event.key == pygame.K_SPACE:
            hero = self.hero.get()  # None while it is dead
            if hero is not None:
                hero.throw()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_p:
            self.pause()
        elif event.type == pygame.KEYDOWN and event.key == pygame.K_r:
            print(book.reload() or "nothing was saved")

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
        for place in (*self.ledges, (0, GROUND, 640, 40)):
            surface.fill("#3c5a3c", place)
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
    run(Title, (640, 360), title="Phones and Rabbits")


if __name__ == "__main__":
    main()
