"""What sprites that live cost: frames of a thousand that move, are animated, follow others.

By hand they are plain sprites in a plain group, which do the same in an `update` of their own. A
frame lets time pass, updates and draws; nothing is cleared. Few lives begin or end.
"""

# ruff: noqa: D102 - what update and spawned are, poolkit and pygame say

from __future__ import annotations

import itertools
from functools import partial
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
from pygame import Vector2

from benchmarks.frames import HEIGHT, STEP, WIDTH, in_frames, turnover
from benchmarks.kinds import IMAGE, Bare, Way, pooled
from benchmarks.measure import BY_HAND, POOLKIT, Contest, Size, repeated
from poolkit import (
    Animation,
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    Prefab,
    TextSprite,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT, FEW, OTHERS, LONG = 1_000, 300, 20, 60
ALONE, STAR = "without these", "all by the first"
FRAMES = [pygame.Surface((8, 6)) for _ in range(4)]
FPS = 12
SECONDS = 0.8  # that a text floats
TARGET = Vector2(640, 360)
BAR = pygame.Surface((8, 2))
pygame.font.init()
FONT = pygame.font.Font(None, 18)


def _velocity(number: int) -> Vector2:
    return Vector2((number * 7 % 11 - 5) * 3, (number * 5 % 13 - 6) * 3)


# -- by poolkit -----------------------------------------------------------------------------------


class _Mover(Bare):
    def spawned(self, number: int) -> None:
        self.velocity = _velocity(number)


class ByRect(_Mover):
    """Moves its rect."""

    def update(self, dt: float) -> None:
        self.rect.move_ip(self.velocity * dt)


class ByPosition(_Mover):
    """Moves by its position."""

    def update(self, dt: float) -> None:
        self.position += self.velocity * dt


class Missile(_Mover):
    """Turns towards its target as it flies."""

    def update(self, dt: float) -> None:
        wish = (TARGET - self.position) * 0.5
        self.velocity += (wish - self.velocity) * dt
        self.position += self.velocity * dt


class Motion(IPoolableComponent):
    """Moves its sprite."""

    def spawned(self, number: int) -> None:
        self.velocity = _velocity(number)

    def update(self, dt: float) -> None:
        self.sprite.rect.move_ip(self.velocity * dt)


class ByComponent(Bare):
    """Is moved by a component."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(Motion())


class WithPart(ByRect):
    """Carries a bar above itself, as monsters have one for their health."""

    def __init__(self) -> None:
        super().__init__()
        self.add_child(PooledSprite(BAR), (0, -4))


class Animated(Bare):
    """Changes its image."""

    def __init__(self) -> None:
        super().__init__()
        self.add_component(Animation(FRAMES, FPS, start="random"))

    def spawned(self, number: int) -> None:
        """Be one of many."""


class Floating(TextSprite):
    """Floats up, and is gone."""

    def __init__(self) -> None:
        super().__init__(FONT, "white")

    def spawned(self, number: int) -> None:
        self.text = str(number % 300)
        self.scope.after(SECONDS, self.kill)

    def update(self, dt: float) -> None:
        self.rect.move_ip(0, -40 * dt)


# -- by hand --------------------------------------------------------------------------------------


class _Hand(pygame.sprite.Sprite):
    image: pygame.Surface = IMAGE

    def __init__(self, group: Any, position: tuple[float, float], number: int) -> None:
        super().__init__(group)
        self.velocity = _velocity(number)
        self.rect: pygame.FRect = self.image.get_frect(center=position)


class HandByRect(_Hand):
    """Moves its rect."""

    def update(self, dt: float) -> None:
        self.rect.move_ip(self.velocity * dt)


class HandByPlace(_Hand):
    """Keeps where it is as a vector."""

    def __init__(self, group: Any, position: tuple[float, float], number: int) -> None:
        super().__init__(group, position, number)
        self.place = Vector2(position)

    def update(self, dt: float) -> None:
        self.place += self.velocity * dt
        self.rect.center = self.place


class HandMissile(HandByPlace):
    """Turns towards its target as it flies."""

    def update(self, dt: float) -> None:
        wish = (TARGET - self.place) * 0.5
        self.velocity += (wish - self.velocity) * dt
        self.place += self.velocity * dt
        self.rect.center = self.place


class HandMotion:
    """Moves its sprite."""

    def __init__(self, sprite: _Hand) -> None:
        self.sprite = sprite
        self.velocity = sprite.velocity

    def update(self, dt: float) -> None:
        self.sprite.rect.move_ip(self.velocity * dt)


class HandByComponent(_Hand):
    """Is moved by something of its own."""

    def __init__(self, group: Any, position: tuple[float, float], number: int) -> None:
        super().__init__(group, position, number)
        self.motion = HandMotion(self)

    def update(self, dt: float) -> None:
        self.motion.update(dt)


class HandOwners(pygame.sprite.Group[Any]):
    """Draws the bars of its sprites above them all."""

    def __init__(self) -> None:
        super().__init__()
        self.bars: pygame.sprite.Group[Any] = pygame.sprite.Group()

    def draw(self, surface: pygame.Surface) -> Any:  # type: ignore[override]
        super().draw(surface)
        self.bars.draw(surface)


class HandWithPart(_Hand):
    """Moves its bar after itself."""

    def __init__(self, group: HandOwners, position: tuple[float, float], number: int) -> None:
        super().__init__(group, position, number)
        self.bar: Any = pygame.sprite.Sprite(group.bars)
        self.bar.image = BAR
        self.bar.rect = BAR.get_frect()

    def update(self, dt: float) -> None:
        self.rect.move_ip(self.velocity * dt)
        self.bar.rect.midbottom = self.rect.midtop


class HandLayered(HandWithPart):
    """Lies in a layer."""

    depth = 0


class HandAnimated(_Hand):
    """Counts the time, in the simplest way: its images are of one size."""

    def __init__(self, group: Any, position: tuple[float, float], number: int) -> None:
        super().__init__(group, position, number)
        self.time = number % 20 * STEP

    def update(self, dt: float) -> None:
        self.time += dt
        self.image = FRAMES[int(self.time * FPS) % len(FRAMES)]


class HandFloating(pygame.sprite.Sprite):
    """Renders its text, floats up, and is gone."""

    def __init__(self, group: Any, position: tuple[float, float], number: int) -> None:
        super().__init__(group)
        self.image = FONT.render(str(number % 300), True, "white")  # noqa: FBT003 - pygame's way
        self.rect: pygame.FRect = self.image.get_frect(center=position)
        self.left = SECONDS

    def update(self, dt: float) -> None:
        self.rect.move_ip(0, -40 * dt)
        self.left -= dt
        if self.left <= 0:
            self.kill()


# -- frames of them -------------------------------------------------------------------------------

ROWS: tuple[tuple[str, Any, Any, float], ...] = (
    ("move by rect", ByRect, HandByRect, 0.75),
    ("move by position", ByPosition, HandByPlace, 1.4),
    ("home in by position", Missile, HandMissile, 1.9),
    ("are moved by a component", ByComponent, HandByComponent, 1.15),
    ("have a part that follows", WithPart, HandWithPart, 1.5),
    ("are animated", Animated, HandAnimated, 1.0),
    ("are texts that float up", Floating, HandFloating, 1.0),
)


def _by_hand(kind: Any) -> Way:
    group: pygame.sprite.Group[Any]
    group = HandOwners() if kind is HandWithPart else pygame.sprite.Group()
    return SimpleNamespace(
        spawn=partial(kind, group), group=group, update=float, step=group.update, despawn=None
    )


def alive(size: Size) -> Iterator[Contest]:
    """Measure frames of a thousand sprites of each kind."""
    count = size(COUNT)
    for name, ours, theirs, most in ROWS:
        ways = {}
        for way, made in (POOLKIT, pooled(ours, count)), (BY_HAND, _by_hand(theirs)):
            numbers = itertools.count()

            def begin(way: Way = made, numbers: Any = numbers) -> Any:
                number = next(numbers)
                place = 20 + 37 * number % 1200, 20 + 29 * number % 650
                return way.spawn(place, number=number)

            is_brief = ours is Floating
            turn_over = turnover(
                made, begin, count, count * STEP / SECONDS if is_brief else 0, by_itself=is_brief
            )
            ways[way] = in_frames(made, turn_over, clear="pass")
        yield Contest(f"{count:,} {name}", ways, 15, 20, most=most)
    yield _beside_other_groups(size(FEW))
    yield _beside_another_system(count)
    for layers in False, True:
        yield _drawn(count, layers=layers)
    yield _carried(size(LONG))


def _beside_other_groups(count: int) -> Contest:
    """Measure what other groups of the process cost sprites with parts, and these them."""
    ways = {}
    for way, num_others in (POOLKIT, OTHERS), (ALONE, 0):
        game, system = pooled(WithPart, count), PoolingSystem()
        for number in range(count):
            game.spawn((20 + 37 * number % 1200, 20 + 29 * number % 650), number=number)
        others = [PooledGroup() for _ in range(num_others)]
        for number, group in enumerate(others):
            system.spawn(ByRect, (9, 9), groups=[group], number=number)
        names = {"groups": [game.group, *others], "pass_time": game.update, "S": STEP}
        names["screen"] = pygame.Surface((WIDTH, HEIGHT))
        frame = "for group in groups: group.update(S); group.draw(screen)"
        ways[way] = repeated(names, "pass_time(S)", frame)
    name = f"{OTHERS} groups of one beside {count} sprites with a part"
    return Contest(name, ways, 15, 20, most=2.0, to=ALONE)


def _beside_another_system(count: int) -> Contest:
    """Measure what parts that live in another system cost a bare life and its frame."""
    ways = {}
    for way, num_others in (POOLKIT, count), (ALONE, 0):
        game, others = pooled(Bare, 1), pooled(WithPart, num_others)
        for number in range(num_others):
            others.spawn((9, 9), number=number)
        names = {"spawn": game.spawn, "pass_time": game.update, "game": game, "others": others}
        ways[way] = repeated(names, "spawn((9, 9)).kill()", "pass_time(0.01)")
    name = f"a bare life and an update beside {count:,} parts of another system"
    return Contest(name, ways, 15, 20, 200, most=1.1, to=ALONE)


def _drawn(count: int, *, layers: bool) -> Contest:
    """Measure drawing alone, with parts and for a camera, beside one `fblits` by a careful hand."""
    game, hand = pooled(WithPart, count), HandOwners()
    group = PooledGroup[Any](layers=layers)
    sprites = []
    for number in range(count):
        place, layer = (20 + 37 * number % 1200, 20 + 29 * number % 650), number * 7 % 5
        sprite = game.spawn(place, number=number)
        group.add(sprite)
        if layers:
            group.change_layer(sprite, layer)
        sprites.append(HandLayered(hand, place, number))
        sprites[-1].depth = layer
    names = {"group": group, "screen": pygame.Surface((WIDTH, HEIGHT)), "camera": (-5, 3)}
    names |= {"sprites": sprites, "layer_of": attrgetter("depth")}
    order = "sorted(sprites, key=layer_of)" if layers else "sprites"
    ways = {
        POOLKIT: repeated(names, "group.draw(screen, camera)"),
        BY_HAND: repeated(
            names,
            "x, y = camera",
            "pairs = []",
            f"for sprite in {order}:",
            "    pairs.append((sprite.image, sprite.rect.move(x, y)))",
            "    pairs.append((sprite.bar.image, sprite.bar.rect.move(x, y)))",
            "screen.fblits(pairs)",
        ),
    }
    name = f"{count:,} with a part, drawn for a camera" + " in layers" * layers
    return Contest(name, ways, 15, 20, most=1.4)


def _carried(count: int) -> Contest:
    """Measure lives that hang on each other, beside as many that hang on one sprite."""
    ways = {}
    for way, above in (POOLKIT, "one"), (STAR, "root"):
        system = PoolingSystem()
        system.configure(reuse="at_once")
        prefab = Prefab(Bare)
        system.prespawn(prefab, count + 1)
        names = {"spawn": system.spawn, "P": prefab, "N": range(count)}
        ways[way] = repeated(
            names,
            "one = root = spawn(P)",
            f"for _ in N: one = spawn(P, parent={above})",
            "root.kill()",
        )
    return Contest(
        f"{count} lives, each carried by the one before", ways, 15, 40, most=1.25, to=STAR
    )
