"""Random games on a swarm, on a plain list of objects and on pooled sprites: they agree.

Numbers are quarters, which floats of 32 bits hold exactly, so that edges can be met exactly.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import partial
from math import inf
from typing import Any

import numpy as np
import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from poolkit import (
    Exceed,
    Handle,
    PooledGroup,
    PooledSprite,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.swarms import Swarm, Vec2
from poolkit.swarms import targets as targets_of_swarms
from recorder import demand
from reference_model import play

Pair = tuple[float, float]
AREA = pygame.Rect(-8, -8, 56, 56)
VIEW = pygame.Rect(0, 0, 40, 40)


def image(size: tuple[int, int], color: str) -> pygame.Surface:
    surface = pygame.Surface(size)
    surface.fill(color)
    return surface


IMAGES = [image((4, 4), "red"), image((7, 3), "green"), image((1, 6), "blue"), image((0, 5), "red")]
CLEAR = pygame.Surface((5, 3), pygame.SRCALPHA)  # not to be seen, but to be hit
# What a refused spawn writes, in the order of its values, before it comes to what is wrong.
JUNK: dict[str, Any] = {"damage": 77, "frame": 3, "heat": 99.0, "is_hot": True}


class Interrupted:
    """A pair during which Ctrl-C comes."""

    def __iter__(self) -> Any:
        raise KeyboardInterrupt


class Bullets(Swarm):
    velocity: Vec2
    damage: int = 1
    heat: float = 0.5
    is_hot: bool = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.told: list[int] = []

    def ended(self, rows: Any) -> None:
        self.told += np.asarray(self.damage)[rows].tolist()


# -- the same in plain Python ---------------------------------------------------------------------


@dataclass(eq=False)
class Life:
    """A life as one writes it first."""

    number: int
    position: Pair
    velocity: Pair
    damage: int = 1
    heat: float = 0.5
    is_hot: bool = False
    frame: int = 0
    age: float = 0.0
    alive: bool = True
    sprite: Any = None

    def rect(self, images: list[pygame.Surface]) -> pygame.FRect:
        return images[self.frame].get_frect(center=self.position)


@dataclass
class Naive:
    """A swarm as a list of objects, which may be pooled sprites as well."""

    images: list[pygame.Surface]
    limit: int | None
    overflow: Any
    lifetime: float | None
    area: pygame.Rect | None
    rows: list[Life] = field(default_factory=list)
    told: list[int] = field(default_factory=list)
    numbers: Any = field(default_factory=itertools.count)
    figures: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("spawned", "despawned", "recycled", "refused", "peak_active", "created"), 0
        )
    )

    @property
    def living(self) -> list[Life]:
        return [life for life in self.rows if life.alive]

    def make_way(self, count: int) -> None:
        short = 0 if self.limit is None else len(self.living) + count - self.limit
        if short <= 0 or isinstance(self.overflow, Exceed):
            return
        if isinstance(self.overflow, Refuse) or short > len(self.living):
            self.figures["refused"] += 1
            raise PoolExhaustedError
        victims = self.living
        if isinstance(self.overflow, RecycleLowest):
            victims = sorted(victims, key=lambda life: getattr(life, str(self.overflow.key)))
        for victim in victims[:short]:
            self.end(victim)
        self.figures["recycled"] += short

    def spawn(self, values: list[dict[str, Any]]) -> list[Life]:
        self.make_way(len(values))
        new = [Life(next(self.numbers), **value) for value in values]
        self.rows += new
        self.figures["spawned"] += len(new)
        self.note()
        return new

    def note(self) -> None:
        figures = self.figures
        figures["peak_active"] = max(figures["peak_active"], len(self.living))
        figures["created"] = max(figures["created"], len(self.rows))

    def end(self, life: Life) -> bool:
        ended, life.alive = life.alive, False
        self.figures["despawned"] += ended
        return ended

    def update(self, dt: float) -> None:
        for life in self.rows:
            life.position = tuple(  # type: ignore[assignment]
                place + speed * dt
                for place, speed in zip(life.position, life.velocity, strict=True)
            )
            life.age += dt
            if self.lifetime is not None and life.age >= self.lifetime:
                self.end(life)
            rect = life.rect(self.images)
            # Not by `colliderect`, for which an image without width is nowhere.
            if self.area is not None and not (
                rect.left < self.area.right
                and rect.right > self.area.left
                and rect.top < self.area.bottom
                and rect.bottom > self.area.top
            ):
                self.end(life)
        self.told += [life.damage for life in self.rows if not life.alive]
        self.rows = self.living

    def hits(self, target: Any) -> list[int]:
        return [
            row
            for row, life in enumerate(self.rows)
            if life.alive and is_hit(life.rect(self.images), target)
        ]

    def draw(self, surface: pygame.Surface, offset: Pair, flags: int) -> None:
        for life in self.living:
            rect = life.rect(self.images).move(offset)
            surface.blit(self.images[life.frame], rect, None, flags)


def is_hit(rect: pygame.FRect, target: Any) -> bool:
    if isinstance(target, pygame.Rect | pygame.FRect):
        return bool(rect.colliderect(target))
    if not isinstance(target[0], tuple):
        return bool(rect.collidepoint(target))
    (x, y), radius = target
    dx = max(rect.left - x, x - rect.right, 0)
    dy = max(rect.top - y, y - rect.bottom, 0)
    return bool(dx * dx + dy * dy <= radius * radius)


# -- and as pooled sprites ------------------------------------------------------------------------


class Bullet(PooledSprite):
    """A life as a pooled sprite."""

    velocity: Pair

    def __init__(self) -> None:
        super().__init__(IMAGES[0])

    def spawned(self, **values: Any) -> None:
        self.frame = values.get("frame", 0)
        self.image = IMAGES[self.frame]
        self.rect = self.image.get_frect(center=self.position)
        self.velocity = values["velocity"]
        self.damage = values.get("damage", 1)
        self.heat = values.get("heat", 0.5)
        self.is_hot = values.get("is_hot", False)
        self.age = values.get("age", 0.0)

    def update(self, dt: float) -> None:
        self.position += (self.velocity[0] * dt, self.velocity[1] * dt)
        self.age += dt


class Sprites:
    """The same game with a pool of prefabs."""

    def __init__(self, limit: int | None, overflow: Any) -> None:
        if isinstance(overflow, RecycleLowest):
            name: Any = overflow.key
            overflow = RecycleLowest(lambda one: getattr(one, name))
        self.system = PoolingSystem()
        self.system.configure(reuse="next_update")
        self.group: PooledGroup[Bullet] = PooledGroup()
        settings = PoolSettings(limit=limit, overflow=overflow)
        self.pool = self.system.pool(Prefab(Bullet, groups=[self.group], settings=settings))

    def spawn(self, values: list[dict[str, Any]]) -> list[Any]:
        if len(values) == 1:
            [one] = values
            found = [self.pool.spawn(one["position"], **{k: one[k] for k in one.keys() - PLACE})]
        else:  # all in one go, for all or none to begin: what they are comes after
            places = [one["position"] for one in values]
            found = self.system.spawn_many(self.pool.prefab, places, velocity=(0, 0))
            for sprite, one in zip(found, values, strict=True):
                sprite.spawned(**{k: one[k] for k in one.keys() - PLACE})
                if isinstance(self.pool.settings.overflow, RecycleLowest):
                    self.pool.update_priority(sprite)  # what it reads was set after the hooks
        return [sprite.handle() for sprite in found]


PLACE = {"position"}

# -- the game -------------------------------------------------------------------------------------

numbers = st.integers(-40, 160).map(lambda n: n / 4)
speeds = st.integers(-8, 8).map(lambda n: n * 4.0)
pairs = st.tuples(numbers, numbers)
small = st.integers(0, 3)
values = st.fixed_dictionaries(
    {"position": pairs, "velocity": st.tuples(speeds, speeds)},
    optional={
        "damage": st.integers(-3, 9),
        "heat": numbers,
        "frame": small,
        "is_hot": st.booleans(),
    },
)
targets = st.one_of(
    pairs,
    st.tuples(pairs, st.integers(0, 40).map(lambda n: n / 4)),
    st.builds(pygame.Rect, *[st.integers(-10, 40)] * 2, *[st.integers(-12, 20)] * 2),
    st.builds(pygame.FRect, numbers, numbers, numbers, numbers),
)
lowest = map(RecycleLowest, ("damage", "heat", "is_hot"))  # of the last, most are equal
policies = [Refuse(), Exceed(), RecycleOldest(), *lowest]


has_lives = precondition(lambda self: bool(self.naive.living))  # else it would teach little


class SwarmGame(RuleBasedStateMachine):
    """A swarm beside a list of objects, and beside pooled sprites."""

    @initialize(
        limit=st.one_of(st.none(), st.integers(0, 7)),
        overflow=st.sampled_from(policies),
        lifetime=st.sampled_from([None, 0.5, 1.0]),
        area=st.sampled_from([None, AREA]),
        images=st.sampled_from(
            [IMAGES[:1], IMAGES[:3], IMAGES, IMAGES[3:], [image((0, 0), "red")], [CLEAR, IMAGES[0]]]
        ),
    )
    def begin(
        self, limit: int | None, overflow: Any, lifetime: Any, area: Any, images: Any
    ) -> None:
        self.system = PoolingSystem()
        how: Any = {"limit": limit, "overflow": overflow, "lifetime": lifetime, "area": area}
        self.swarm = Bullets(images, system=self.system, **how)
        self.naive = Naive(images, **how)
        # What has no width has a place of its own; a sprite with a rect that is empty takes that of
        # its image, so these stay out.
        is_empty = any(0 in image.size for image in images)
        self.sprites = None if is_empty or CLEAR in images else Sprites(limit, overflow)
        self.names: list[str] = []  # of the last life that began alone
        self.handles: list[tuple[Handle[int], Life]] = []

    def image_of(self, one: dict[str, Any]) -> dict[str, Any]:
        return {**one, "frame": one.get("frame", 0) % len(self.naive.images)}

    @rule(
        given=st.lists(values, min_size=1, max_size=4),
        many=st.sampled_from([None, None, int, np.uint8, np.int64]),
    )
    def spawn(self, given: list[dict[str, Any]], many: Any) -> None:
        given = [self.image_of(one) for one in given]
        if not many:
            given = given[:1]
        refused = []
        new: list[Life] = []
        try:
            new = self.naive.spawn(given)
        except PoolExhaustedError:
            refused.append("naive")
        try:
            if many:
                full = [
                    {"damage": 1, "heat": 0.5, "is_hot": False, **one, "age": 0.0} for one in given
                ]
                together = {name: [one[name] for one in full] for name in full[0]}
                rows = self.swarm.spawn_many(many(len(given)), **together)
                demand([*rows] == [self.naive.rows.index(life) for life in new], rows)
                handles = [self.swarm.handle(row) for row in rows]
            else:
                one = dict(sorted(given[0].items()))
                handles = [self.swarm.spawn(**one)]
                self.names = [name for name in one if name in JUNK]
            self.handles += zip(handles, new, strict=True)
        except PoolExhaustedError:
            refused.append("swarm")
        if self.sprites is not None:
            try:
                for life, sprite in zip(new, self.sprites.spawn(given), strict=True):
                    life.sprite = sprite
            except PoolExhaustedError:
                refused.append("sprites")
        demand(len(refused) in {0, 2 + (self.sprites is not None)}, refused)

    @rule(position=pairs, velocity=st.tuples(speeds, speeds), count=st.integers(0, 3))
    def spawn_alike(self, position: Pair, velocity: Pair, count: int) -> None:
        one = {"position": position, "velocity": velocity}
        if self.naive.limit is None:  # else as above
            new = self.naive.spawn([one] * count)
            self.swarm.spawn_many(count, **one)
            if self.sprites is not None and count:
                for life, sprite in zip(new, self.sprites.spawn([one] * count), strict=True):
                    life.sprite = sprite

    @rule(
        wrong=st.sampled_from(
            [
                {"velocty": (1, 2)},
                {"velocity": 3},
                {"velocity": (1, float("nan"))},
                {"velocity": (1, 2), "damage": 1.5},
                {"velocity": (1, 2), "heat": "hot"},
                {"velocity": (1, 2), "is_hot": 1},
                {"velocity": (1, 2), "heat": [1.0, 2.0]},
                {"velocity": (1, Decimal("NaN"))},
                {"velocity": Interrupted()},
                {},
            ]
        ),
        many=st.booleans(),
    )
    def spawn_wrongly(self, wrong: dict[str, Any], many: bool) -> None:  # noqa: FBT001
        spawn = partial(self.swarm.spawn_many, 3) if many else self.swarm.spawn
        with pytest.raises((TypeError, ValueError, InvalidOperation, KeyboardInterrupt)):
            spawn(position=(1, 1), **({name: JUNK[name] for name in self.names} | wrong))
        self.spawn([{"position": (2, 2), "velocity": (0, 0)}], None)  # has nothing of that

    @has_lives
    @rule(choice=st.lists(st.integers(0, 11), max_size=6), how=st.sampled_from(["mask", "list"]))
    def despawn(self, choice: list[int], how: str) -> None:
        count = len(self.naive.rows)
        rows = [row % count for row in choice]
        if how == "mask":
            rows_or_mask: Any = [row in rows for row in range(count)]
        else:
            rows_or_mask = np.uint8(rows[0]) if len(rows) == 1 else rows
        lives = [self.naive.rows[row] for row in dict.fromkeys(rows)]
        demand(self.swarm.despawn(rows_or_mask) == sum(map(self.end, lives)), rows)

    def end(self, life: Life) -> bool:
        ended = self.naive.end(life)
        if life.sprite is not None:
            demand(life.sprite.despawn() == ended, life)
        return ended

    @rule(number=st.integers(0, 30))
    def despawn_by_handle(self, number: int) -> None:
        if self.handles:
            handle, life = self.handles[number % len(self.handles)]
            demand(handle.despawn() == self.end(life), life)

    @rule(dt=st.sampled_from([0.0, 0.25, 0.5]))
    def update(self, dt: float) -> None:
        before = self.naive.living
        self.naive.update(dt)
        self.swarm.update(dt)
        if self.sprites is not None:
            self.sprites.group.update(dt)
            for life in before:
                if not life.alive:
                    life.sprite.despawn()
            self.sprites.system.update(dt)

    @rule(heat=numbers)
    def write(self, heat: float) -> None:
        hot = np.asarray(self.swarm.damage) > 2
        np.asarray(self.swarm.heat)[hot] *= 0.5
        self.swarm.velocity[hot] = (4, -4)
        self.swarm.is_hot = hot  # type: ignore[assignment]
        self.swarm.age += 0.25
        if not self.naive.rows:
            return
        np.asarray(self.swarm.heat)[0] = heat
        for life in self.naive.rows:
            life.age += 0.25
            life.is_hot = life.damage > 2
            if life.is_hot:
                life.heat *= 0.5
                life.velocity = (4, -4)
        self.naive.rows[0].heat = heat
        for life in self.naive.living:
            sprite = life.sprite and life.sprite.get()
            if sprite:
                sprite.heat, sprite.is_hot, sprite.velocity = life.heat, life.is_hot, life.velocity
                if self.sprites and isinstance(self.naive.overflow, RecycleLowest):
                    self.sprites.pool.update_priority(sprite)

    @has_lives
    @rule()
    def clear(self) -> None:
        demand(self.swarm.clear() == sum(map(self.end, self.naive.living)), "cleared")

    @has_lives
    @rule()
    def reset(self) -> None:
        report = self.system.reset()
        demand(report["Bullets"].stats.active == len(self.naive.living), report)
        self.swarm.update(0)  # the ended keep their rows until then, untold
        for life in self.naive.rows:
            life.alive = False
        self.naive.rows.clear()
        self.naive.figures |= dict.fromkeys(self.naive.figures, 0)
        if self.sprites is not None:
            self.sprites.system.reset()

    @has_lives
    @rule(what=targets, at=st.one_of(st.none(), st.integers(0, 9)))
    def hit(self, what: Any, at: int | None) -> None:
        if at is not None:  # aimed at one of them
            place = self.naive.rows[at % len(self.naive.rows)].position
            if isinstance(what, pygame.Rect | pygame.FRect):
                what = what.move_to(center=place)
            else:
                what = (place, what[1]) if isinstance(what[0], tuple) else place
        expected = self.naive.hits(what)
        found = self.swarm.hits(what).tolist()
        demand(found == expected, (what, found, expected))
        if self.sprites is not None:
            hit = [life for life in self.naive.living if is_hit(life.sprite.get().rect, what)]
            demand([self.naive.rows.index(life) for life in hit] == expected, hit)

    @rule(
        offset=st.tuples(numbers, numbers),
        flags=st.sampled_from([0, pygame.BLEND_ADD, pygame.BLEND_MAX]),
        clip=st.sampled_from([VIEW, pygame.Rect(4, 3, 20, 9)]),
        is_part=st.booleans(),
    )
    def draw(self, offset: Pair, flags: int, clip: pygame.Rect, is_part: bool) -> None:  # noqa: FBT001
        pictures = []
        draws: list[Any] = [self.swarm.draw, self.naive.draw]
        if self.sprites is not None:
            draws.append(self.sprites.group.draw)
        for draw in draws:
            surface = pygame.Surface(VIEW.size)
            surface.fill((9, 9, 9))
            surface.set_clip(clip)
            draw(surface.subsurface((5, 2, 30, 30)) if is_part else surface, offset, flags)
            pictures.append(pygame.image.tobytes(surface, "RGB"))
        demand(len(set(pictures)) == 1, "the pictures differ")

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "swarm"):
            return
        swarm, rows = self.swarm, self.naive.rows
        demand(len(swarm) == len(self.naive.living), len(swarm))
        for name in ("position", "velocity", "damage", "heat", "is_hot", "frame", "age", "alive"):
            found = getattr(swarm, name).tolist()
            expected = [getattr(life, name) for life in rows]
            expected = [[*value] if isinstance(value, tuple) else value for value in expected]
            demand(found == expected, (name, found, expected))
        for handle, life in self.handles:
            row = rows.index(life) if life.alive and life in rows else None
            demand(handle.get() == row, (handle, row))
            demand(bool(handle) == (row is not None), handle)
        demand(swarm.told == self.naive.told, swarm.told)
        stats = swarm.stats
        for name, figure in self.naive.figures.items():
            demand(getattr(stats, name) == figure, (name, stats, figure))
        demand(stats.created == stats.active + stats.inactive, stats)
        if self.sprites is not None:
            alive = [life.sprite.get() for life in self.naive.living]
            demand([*self.sprites.group] == alive == [*self.sprites.pool.active], alive)
            for life, sprite in zip(self.naive.living, alive, strict=True):
                demand(tuple(sprite.position) == life.position, life)
            theirs = self.sprites.pool.stats
            for name in ("active", "spawned", "despawned", "recycled", "refused", "peak_active"):
                demand(getattr(stats, name) == getattr(theirs, name), (name, stats, theirs))


def test_a_swarm_agrees_with_plain_objects_and_with_pooled_sprites() -> None:
    play(SwarmGame, 150, 30)


near = st.integers(0, 6).map(float)  # so near each other that edges often meet
sizes = st.integers(-2, 4).map(float)


@settings(max_examples=150)
@given(
    lives=st.lists(st.tuples(near, near, small, st.booleans()), min_size=8, max_size=16),
    rects=st.lists(
        st.one_of(
            st.builds(pygame.FRect, near, near, sizes, sizes),
            st.builds(pygame.Rect, small, small, small, small),
            st.none(),  # it is nowhere yet
        ),
        min_size=4,
        max_size=8,
    ),
)
def test_a_sweep_over_a_group_finds_what_its_sprites_hit_one_by_one(
    lives: list[tuple[float, float, int, bool]], rects: list[Any]
) -> None:
    group: pygame.sprite.Group[Any] = pygame.sprite.Group()
    for rect in rects:
        pygame.sprite.Sprite(group).rect = rect
    for images in (IMAGES[:1], IMAGES[:3], IMAGES, IMAGES[3:]):
        swarm = Bullets(images, limit=None, system=PoolingSystem())
        naive = Naive(images, None, Refuse(), None, None)
        for x, y, frame, _ in lives:
            value: dict[str, Any] = {"position": (x, y), "velocity": (0, 0)}
            value["frame"] = frame % len(images)
            swarm.spawn(**value)
            naive.spawn([value])
        hits_agree(swarm, naive, group)
        for row, (*_, is_over) in enumerate(lives):
            if is_over:
                swarm.despawn(row)
                naive.end(naive.rows[row])
        hits_agree(swarm, naive, group)


def hits_agree(swarm: Swarm, naive: Naive, group: pygame.sprite.Group[Any]) -> None:
    expected = [(row, sprite) for sprite in group if sprite.rect for row in naive.hits(sprite.rect)]
    for query in (0.0, inf):  # what it seems to cost to look for the hits of one sprite
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(targets_of_swarms, "_QUERY", query)
            assert swarm.hits(group) == expected
