"""The siege: what is built, what is fired, what breaks; and the ways back."""

import math
from collections.abc import Iterator
from itertools import pairwise

import pygame
import pymunk

from castle import pictures
from castle.solids import (
    FRAGILE,
    GROUND,
    Ball,
    Rabbit,
    Solid,
    ball,
    beam,
    crate,
    effects,
    flag,
    flash,
    plank,
    rabbit,
    solids,
    stone,
    world,
)
from castle.sounds import Sounds
from castle.strip import draw_strip, draw_time_runs_back
from poolkit import pools
from poolkit.checkpoints import Checkpoint, Rewind
from shared.keycaps import draw_keys
from shared.letters import draw_text
from shared.loop import STEP, Demo
from shared.pictures import picture

SIZE = 480, 270  # pixels
FIELD = pygame.Rect(-60, -600, SIZE[0] + 120, 1000)  # what leaves it is gone
SECONDS = 8.0  # how far back time runs at most
CANNON = pygame.Vector2(62, GROUND - 16)
POWER = 470.0  # pixels a second
STRONGEST = 9_000.0  # what a joint of the bridge bears
FROM, TO = 252, 392  # pixels: where the castle begins and ends
SHOWN = (0.42, 2.2), (0.74, 1.9), (0.24, 2.6), (0.58, 2.2)  # angles in radians, seconds to watch


class Tally:
    """What goes back with the time: the game's own numbers."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.loaded_at = 0.0
        self.angle = 0.42  # radians, upwards
        self.shots: list[float] = []  # when
        self.joints: list[pymunk.Constraint] = []  # of the bridge, those that hold


class Siege(Demo):
    """A castle, a cannon, and time. All its frames are equal: what is played twice is, too."""

    name = "rewind"
    self_play_frames = 600
    is_going_back = False

    def enter(self) -> None:
        """Build the castle; from now on, remember."""
        self.tally, self.sounds = Tally(), Sounds()
        self.held: set[object] = set()
        self.pilot: Iterator[bool] | None = self.show_it()
        floor = pymunk.Segment(world.space.static_body, (-400, GROUND + 20), (900, GROUND + 20), 20)
        floor.friction = 0.9
        world.space.add(floor)
        self.scope.callback(lambda: world.remove(floor))
        undo = world.on_contact(Solid, Solid, self.hit)
        self.scope.callback(undo)
        self.build()
        self.start = Checkpoint(worlds=[world], keep=[self.tally])
        self.rewind = Rewind(SECONDS, worlds=[world], keep=[self.tally])

    # -- the castle ---------------------------------------------------------------------------

    def build(self) -> None:
        """Stack two towers, hang a bridge between them, and let rabbits move in."""
        for left in (FROM, TO - 28):
            for row in range(9):
                kind = crate if 3 <= row < 8 else stone
                for column in range(2):
                    pools.spawn(kind, (left + 7 + 14 * column, GROUND - 7 - 14 * row))
            for side in (left - 7, left + 35):  # what leans on the tower's foot
                pools.spawn(crate, (side, GROUND - 7))
        middle = (FROM + TO) // 2
        for x in (middle - 21, middle + 21):  # a hall below the bridge
            for row in range(3):
                pools.spawn(crate, (x, GROUND - 7 - 14 * row))
        pools.spawn(beam, (middle, GROUND - 45))
        for x in (middle - 14, middle + 14):
            pools.spawn(crate, (x, GROUND - 55))
        self.hang_bridge(FROM + 28, TO - 28, GROUND - 88)
        homes = [(middle, GROUND - 17), (middle, GROUND - 66)]
        homes += [(FROM + 14, GROUND - 143), (TO - 16, GROUND - 143)]
        pools.spawn_many(rabbit, homes)
        top = self.solid_at(TO - 7, GROUND - 119)
        pools.spawn(flag, (TO - 4, GROUND - 138), parent=top)

    def hang_bridge(self, left: float, right: float, y: float) -> None:
        """Chain planks from tower to tower; joints hold them until one pulls too hard."""
        count = round((right - left) / 14)
        step = (right - left) / count
        planks = [pools.spawn(plank, (left + step * (i + 0.5), y)) for i in range(count)]
        ends = [self.solid_at(left - 7, y), *planks, self.solid_at(right + 7, y)]
        for number, (one, other) in enumerate(pairwise(ends)):
            joint = pymunk.PivotJoint(one.body, other.body, (left + step * number, y))
            joint.collide_bodies = False
            world.space.add(joint)
            self.tally.joints.append(joint)

    def solid_at(self, x: float, y: float) -> Solid:
        """Return the block of a tower at a place."""
        return world.near((x, y), 1.0, Solid)[0]

    def hit(self, one: Solid, other: Solid, arbiter: pymunk.Arbiter) -> None:
        """Throw sparks and make a noise where things meet; too hard a blow ends a rabbit."""
        place = arbiter.contact_point_set.points[0].point_a
        relative = one.body.velocity - other.body.velocity
        speed = abs(relative.dot(arbiter.normal))
        if speed < 70:
            return
        flash((place.x, place.y), speed)
        is_shot = isinstance(one, Ball) or isinstance(other, Ball)
        self.sounds.play("clonk" if is_shot else "land", self.tally.seconds)
        for struck in (one, other):
            if isinstance(struck, Rabbit) and speed > FRAGILE:
                self.sounds.play("pop", self.tally.seconds)
                flash((struck.position.x, struck.position.y), 360)
                struck.kill()

    def tear_bridge(self) -> None:
        """Let go of the joints that have pulled too hard."""
        for joint in list(self.tally.joints):
            if joint.impulse > STRONGEST * STEP or not (joint.a.space and joint.b.space):
                self.tally.joints.remove(joint)
                world.remove(joint)

    # -- the cannon ---------------------------------------------------------------------------

    @property
    def direction(self) -> pygame.Vector2:
        """Where the cannon points."""
        return pygame.Vector2(math.cos(self.tally.angle), -math.sin(self.tally.angle))

    def aim(self, angle: float) -> None:
        """Point the cannon upwards by so many radians."""
        self.tally.angle = max(0.02, min(1.35, angle))

    def fire(self) -> None:
        """Fire, if the cannon is loaded."""
        tally = self.tally
        if tally.seconds < tally.loaded_at or self.is_going_back:
            return
        tally.loaded_at = tally.seconds + 0.4
        tally.shots.append(tally.seconds)
        muzzle = CANNON + 26 * self.direction
        pools.spawn(ball, muzzle, velocity=POWER * self.direction)
        flash((muzzle.x, muzzle.y), 300)
        self.sounds.play("explode", tally.seconds)

    # -- a frame ------------------------------------------------------------------------------

    def handle_event(self, event: pygame.Event) -> None:
        """Aim, fire, go back; who touches anything plays from then on."""
        if event.type == pygame.JOYDEVICEADDED:
            self.pad = pygame.joystick.Joystick(event.device_index)
        elif event.type == pygame.KEYDOWN:
            self.key_pressed(event.key)
        elif event.type == pygame.KEYUP:
            self.held.discard(event.key)
        elif event.type == pygame.MOUSEMOTION and (self.pilot is None or any(event.buttons)):
            x, y = event.pos - CANNON
            self.aim(math.atan2(-y, max(x, 1)))
        elif event.type == pygame.MOUSEBUTTONDOWN:
            self.pilot = None
            x, y = event.pos - CANNON
            self.aim(math.atan2(-y, max(x, 1)))
            self.fire()
        elif event.type == pygame.JOYBUTTONDOWN:
            self.pilot = None
            self.fire()
        elif event.type == pygame.JOYAXISMOTION:
            self.axis_moved(event.axis, event.value)

    def key_pressed(self, key: int) -> None:
        """Do what the keys say."""
        self.pilot = None
        self.held.add(key)
        if key == pygame.K_ESCAPE:
            pygame.event.post(pygame.Event(pygame.QUIT))
        elif key == pygame.K_SPACE:
            self.fire()
        elif key == pygame.K_r:
            self.start.restore()
            self.rewind.clear()
            self.sounds.forget()

    def axis_moved(self, axis: int, value: float) -> None:
        """Go back while a trigger of the pad is pulled; aim with its stick."""
        if axis in {2, 5} and value > 0:
            self.pilot = None
            self.held.add("trigger")
        elif axis in {2, 5}:
            self.held.discard("trigger")
        elif axis == 1 and abs(value) > 0.3:
            self.pilot = None
            self.aim(self.tally.angle - value * 0.06)

    def update(self, _: float) -> None:
        """Play a step, or go back as far."""
        going_back = bool(self.held & {pygame.K_BACKSPACE, "trigger"})
        if self.pilot is not None:
            going_back = next(self.pilot)
        self.is_going_back = going_back and self.rewind.seconds > 0
        if going_back:
            self.rewind.back(STEP)
            self.sounds.play_back(self.tally.seconds)
            return
        turn = (pygame.K_UP in self.held) - (pygame.K_DOWN in self.held)
        self.aim(self.tally.angle + turn * STEP)
        self.tally.seconds += STEP
        pools.update(STEP)
        world.step(STEP)
        self.tear_bridge()
        solids.update(STEP)
        effects.update(STEP)
        solids.despawn_outside(FIELD)
        self.rewind.frame(STEP)

    def show_it(self) -> Iterator[bool]:
        """Fire, watch, let the time run back, fire elsewhere; yield whether it runs back."""
        for _ in range(40):
            yield False
        while True:
            for angle, seconds in SHOWN:
                while abs(self.tally.angle - angle) > 0.011:
                    self.aim(self.tally.angle + math.copysign(0.01, angle - self.tally.angle))
                    yield False
                fired_at = self.tally.seconds
                self.fire()
                for _ in range(round(seconds * 60)):
                    yield False
                while self.tally.seconds > fired_at and self.rewind.seconds:
                    yield True
                for _ in range(20):
                    yield False

    # -- what is seen -------------------------------------------------------------------------

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the evening, the castle, the cannon, and the strip of time."""
        surface.blit(picture("rabbits/hill_sky"), (0, 0))
        surface.fill("#1c1026", (0, GROUND + 40, SIZE[0], SIZE[1]))
        surface.blit(picture("rabbits/hill_far"), (-40, GROUND - 126))
        surface.blit(picture("rabbits/hill_near"), (-90, GROUND - 66))
        surface.blit(picture("rabbits/hill_ground"), (-100, GROUND - 4))
        solids.draw(surface)
        turned = pygame.transform.rotate(pictures.barrel(), math.degrees(self.tally.angle))
        surface.blit(turned, turned.get_rect(center=CANNON + 8 * self.direction))
        surface.blit(pictures.wheel(), pictures.wheel().get_rect(midbottom=(CANNON.x - 2, GROUND)))
        effects.draw(surface)
        if self.is_going_back:
            draw_time_runs_back(surface, self.tally.seconds)
        ago = [self.tally.seconds - shot for shot in self.tally.shots]
        draw_strip(surface, self.rewind.seconds, SECONDS, ago, is_going_back=self.is_going_back)
        keys = ("space", "fire"), ("hold backspace", "time runs back"), ("R", "the start")
        draw_keys(surface, keys, SIZE[0] - 10, 8, scale=1)
        if self.pilot is not None:
            draw_text(surface, "it plays itself until you touch it", (10, 10), "#ffe4a8")
