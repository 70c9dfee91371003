"""Strict mode: who refuses from when on, what it says, what stays sane, and what is as before."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import random
import re
import threading
import weakref
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from blinker import Signal

import recorder
from physics_kit import STEP, balls
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleOldest,
    UseAfterDespawnError,
)
from poolkit.devtools import disable_strict, enable_strict, is_strict
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__)
ROLLING = balls(PhysicsWorld())
place = partial(recorder.place, __file__)


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.current = 30


class Orc(PooledSprite):
    def __init__(self) -> None:
        super().__init__(pygame.Surface((8, 8)))
        self.health = self.add_component(Health())
        self.shield = self.add_child(PooledSprite(), (4, 0))

    def spawned(self) -> None:
        self.hp = 30

    @property
    def is_hurt(self) -> bool:
        return self.health.current < 30

    def roar(self) -> str:
        return f"{self.hp} roars"


class Gem:
    """A plain object with a meaning of equality of its own, whose subclasses are registered."""

    kinds: list[str] = []  # noqa: RUF012 - a game's registry

    def __init_subclass__(cls, *, kind: str) -> None:
        cls.kinds.append(kind)

    def __init__(self) -> None:
        self.colour = "red"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Gem) and self.colour == other.colour

    def __hash__(self) -> int:
        return hash(self.colour)

    def __len__(self) -> int:
        return len(self.colour)


gem = Prefab(Gem, name="gem")
orc = Prefab(Orc, name="orc")


@pytest.fixture
def strict(system: PoolingSystem) -> PoolingSystem:
    enable_strict(system)
    return system


def bury(system: PoolingSystem, prefab: Any) -> Any:
    """Return an instance that refuses by now."""
    instance = system.spawn(prefab)
    system.despawn(instance)  # the burial
    system.update(0.1)
    return instance


# -- from when to when ------------------------------------------------------------------------


@pytest.mark.parametrize("factory", [Orc, ROLLING])
def test_a_destroyed_instance_refuses_for_good_and_is_freed_all_the_same(
    strict: PoolingSystem, factory: Any
) -> None:
    strict.configure(pooling=False)
    sprite = bury(strict, Prefab(factory, name="it"))
    for _ in range(3):
        strict.update(0.1)
        with pytest.raises(UseAfterDespawnError):
            sprite.position  # noqa: B018
    watched = weakref.ref(sprite)
    del sprite
    assert watched() is None


def test_destroyed_hooks_may_use_the_instance_a_last_time(strict: PoolingSystem) -> None:
    seen = []

    class Shade(Orc):
        def destroyed(self) -> None:
            seen.append(self.hp)

    shade = bury(strict, Prefab(Shade, name="shade"))
    strict.reset()
    assert seen == [30]
    with pytest.raises(UseAfterDespawnError, match=r"shade #0001 .*'hp'"):
        shade.hp  # noqa: B018


def test_what_was_detached_or_is_despawned_after_the_disposal_is_no_concern(
    strict: PoolingSystem,
) -> None:
    bury(strict, orc)
    sprite = strict.spawn(orc)
    strict.detach(sprite)
    sprite.kill()
    strict.update(0.1)
    assert sprite.hp == 30
    dead = bury(strict, orc)
    strict.dispose()
    dead.kill()
    assert not strict.despawn(dead)
    with pytest.raises(UseAfterDespawnError):
        dead.hp  # noqa: B018


@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_it_sees_lives_that_are_there_and_off_again_all_is_as_it_was(
    system: PoolingSystem, reuse: Any
) -> None:
    system.configure(reuse=reuse)
    ended, going_on, staying = system.spawn_many(orc, [(0, 0)] * 3)
    ended.kill()
    system.prespawn(orc, 3)
    for _ in range(2):
        enable_strict(system)
    assert is_strict(system)
    assert system._context.life_watchers
    going_on.kill()
    system.update(0.1)
    with pytest.raises(UseAfterDespawnError, match="despawned at a place that was not noted"):
        ended.hp  # noqa: B018
    with pytest.raises(UseAfterDespawnError, match=r"test_strict\.py"):
        going_on.hp  # noqa: B018
    assert staying.hp == 30
    destroyed = bury(system, gem)
    system.pool(gem).clear()
    other = PoolingSystem()
    enable_strict(other)
    elsewhere = bury(other, orc)
    for _ in range(2):
        disable_strict(system)
    assert not is_strict(system)
    assert (type(ended), type(destroyed)) == (Orc, Gem)
    with pytest.raises(UseAfterDespawnError):
        elsewhere.hp  # noqa: B018
    assert not system.despawn(ended)
    assert not system.despawn(destroyed)
    assert system._context.reuse == reuse
    assert not system._context.life_watchers
    assert not system._context.time_watchers


def test_a_despawn_in_a_step_that_the_frame_ends_in_is_looked_at_when_it_is_over(
    strict: PoolingSystem,
) -> None:
    world = PhysicsWorld()
    ball = strict.spawn(Prefab(balls(world), name="ball"), (0, 0))
    strict.spawn(Prefab(balls(world), name="other"), (5, 0))

    def meet(*_: object) -> None:
        ball.kill()
        strict.update(STEP)  # as bad as it gets
        assert ball.body.space is not None

    world.on_collision(1, 1, begin=meet)
    world.step(STEP)
    assert ball.body.space is None
    strict.update(STEP)
    with pytest.raises(UseAfterDespawnError):
        ball.body  # noqa: B018


# -- what stays sane --------------------------------------------------------------------------


def test_class_equality_hash_and_truth_stay_as_they_were(strict: PoolingSystem) -> None:
    first, second = strict.spawn_many(gem, [(0, 0)] * 2)
    kept = {first: "first"}
    strict.despawn_all()
    strict.update(0.1)
    assert isinstance(first, Gem)
    assert first.__class__ is Gem
    assert issubclass(type(first), Gem)
    assert repr(type(first)) == repr(Gem)
    assert first == second
    assert first != Orc
    assert kept[second] == "first"
    with pytest.raises(UseAfterDespawnError, match="'colour' was read"):
        len(first)
    type("Ruby", (Gem,), {}, kind="ruby")
    assert Gem.kinds == ["ruby"]  # the game's registry of subclasses hears of no others
    bury(strict, orc)
    assert "__init_subclass__" not in vars(Orc)


def test_it_can_be_looked_at_copied_and_pickled_as_what_it_was(strict: PoolingSystem) -> None:
    dead = bury(strict, gem)
    assert str(dead) == repr(dead)
    assert repr(dead).startswith("<Gem gem #0001, despawned at ")
    assert repr(dead).endswith(f"{place('the burial')} in bury>")
    assert vars(dead) == {"colour": "red"}
    assert dict(inspect.getmembers(dead))["colour"] == "red"  # as debuggers do
    for twin in (copy.copy(dead), copy.deepcopy(dead), pickle.loads(pickle.dumps(dead))):  # noqa: S301
        assert type(twin) is Gem
        assert twin.colour == "red"
    with pytest.raises(UseAfterDespawnError):
        dead.colour  # noqa: B018 - it still refuses


def test_groups_may_lose_it_and_update_it_in_vain(strict: PoolingSystem) -> None:
    crowd: pygame.sprite.Group[Any] = pygame.sprite.Group()

    class Rival(PooledSprite):
        def update(self) -> None:
            for other in [sprite for sprite in crowd if sprite is not self]:
                other.kill()
                strict.update(0.1)  # as bad as it gets: in the middle of the group's update

    strict.spawn_many(Prefab(Rival, name="rival", groups=[crowd]), [(0, 0)] * 3)
    crowd.update()
    [sprite] = crowd
    sprite.kill()
    strict.update(0.1)
    crowd.remove(sprite)
    assert sprite not in crowd
    assert not sprite.alive()
    assert sprite.groups() == []
    assert not sprite.active
    sprite.remove(crowd)
    with pytest.raises(UseAfterDespawnError, match="'update' was called"):
        sprite.update()  # by the game, from a list of its own


class Registering(type):
    """A metaclass that counts its classes."""

    classes: list[str] = []  # noqa: RUF012 - a game's registry

    def __init__(cls, *arguments: Any) -> None:
        super().__init__(*arguments)
        cls.classes.append(cls.__name__)


class Odd(metaclass=Registering):
    """Answers in ways of its own, has slots, and can't be followed by a weak reference."""

    __slots__ = ("answers",)

    def __init__(self) -> None:
        self.answers = {"name": "odd"}

    def __getattr__(self, name: str) -> str:
        if name == "name":
            return self.answers[name]
        raise AttributeError(name)


def test_odd_classes_refuse_and_are_given_back(strict: PoolingSystem) -> None:
    prefab = Prefab(Odd, name="odd")
    dead = bury(strict, prefab)
    assert isinstance(dead, Odd)
    assert copy.copy(dead).name == "odd"
    for name in ("name", "answers"):
        with pytest.raises(UseAfterDespawnError):
            getattr(dead, name)
    again = strict.spawn(prefab)
    assert type(again) is Odd
    assert again.name == "odd"
    assert Registering.classes == ["Odd"]  # it hears of no subclass
    strict.reset()
    strict.update(0.1)
    assert dead.name == "odd"  # nobody tells when what is destroyed is freed: it refuses no more


def test_what_can_not_be_swapped_is_left_alone(strict: PoolingSystem) -> None:
    dead = bury(strict, Prefab(list, name="list"))
    dead.append(1)
    assert dead == [1]
    with pytest.raises(UseAfterDespawnError, match="list #0001 was despawned again"):
        strict.despawn(dead)


def test_components_that_sprites_may_share_and_rigid_bodies_are_left_alone(
    strict: PoolingSystem,
) -> None:
    class Stats:
        armour = 3

    shared, world = Stats(), PhysicsWorld()
    ball = strict.spawn(Prefab(balls(world), name="ball"))
    ball.add_component(shared)
    rigid = ball.rigid
    ball.kill()
    strict.update(0.1)
    assert shared.armour == 3
    assert rigid.body.space is None
    assert world.sprite_of(rigid.body) is ball


# -- against a naive model --------------------------------------------------------------------


RANG = Signal("rang")


class Guard(Orc):
    """Hears a signal while it lives."""

    def spawned(self) -> None:
        super().spawned()
        self.scope.connect(RANG, self.hear)

    def hear(self, _: object) -> None:
        assert self.active


class StrictGame:
    """In whatever order things happen, what died before the last update refuses, nothing else.

    It does so for a second at least, unless it is destroyed, and limits hold as ever.
    """

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - a game's dice
        self.system = PoolingSystem()
        enable_strict(self.system)
        settings = PoolSettings(limit=4, overflow=RecycleOldest())
        free = Prefab(Guard, name="a", groups=[PooledGroup()])
        self.prefabs = [free, free.variant(name="b", settings=settings)]
        self.alive: dict[int, Guard] = {}
        self.dying: dict[int, Guard] = {}
        self.dead: dict[int, Guard] = {}
        self.now = 0.0
        self.died: dict[Guard, float] = {}
        self.again = 0

    def play(self, steps: int) -> None:
        acts = [self.spawn] * 9 + [self.kill] * 5 + [self.update] * 4 + [self.trim, self.reset]
        for _ in range(steps):
            self.dice.choice(acts)()
            for key, sprite in list(self.alive.items()):
                if not sprite.active:
                    self.dying[key] = self.alive.pop(key)
                    self.died[sprite] = self.now
            self.check()

    def spawn(self) -> None:
        parent = self.dice.choice([None, *self.alive.values()])
        sprite = self.system.try_spawn(self.dice.choice(self.prefabs), parent=parent)
        if sprite is not None:  # else as many as there may be died in this frame
            assert not {id(sprite)} & {*self.alive, *self.dying}
            self.again += self.dead.pop(id(sprite), None) is not None
            self.alive[id(sprite)] = sprite
            assert self.now > self.died.get(sprite, -1) + 0.999
        assert self.system.pool(self.prefabs[1]).active_count <= 4

    def kill(self) -> None:
        if self.alive:
            self.dice.choice([*self.alive.values()]).kill()

    def update(self) -> None:
        RANG.send(None)
        dt = self.dice.choice([0.1, 0.7])
        self.now += dt
        self.system.update(dt)
        self.dead |= self.dying
        self.dying = {}

    def reset(self) -> None:
        self.system.reset()

    def trim(self) -> None:
        self.system.pool(self.prefabs[0]).trim(self.dice.randrange(3))

    def check(self) -> None:
        for sprite in (*self.alive.values(), *self.dying.values()):
            assert type(sprite) is Guard
            assert sprite.hp == 30
        for sprite in self.dead.values():
            with pytest.raises(UseAfterDespawnError):
                sprite.hp  # noqa: B018


def test_only_what_died_before_the_last_update_refuses_whatever_happens() -> None:
    for seed in range(20):
        game = StrictGame(seed)
        game.play(200)
        assert game.again > 5


def test_a_turret_that_keeps_its_target_meets_a_dead_one_in_the_tightest_pool(
    strict: PoolingSystem,
) -> None:
    settings = PoolSettings(prespawn=1, limit=1, overflow=RecycleOldest())
    pool = strict.pool(Prefab(Orc, name="tight", settings=settings))
    target, misses = pool.spawn(), 0
    for _ in range(30):
        pool.spawn()
        assert pool.active_count == 1
        strict.update(1 / 60)
        with pytest.raises(UseAfterDespawnError):
            target.hp -= 1
        misses += 1
    assert (misses, pool.stats.recycled) == (30, 30)
    for _ in range(120):  # as many as die in a second stay, and serve
        pool.spawn()
        strict.update(1 / 60)
    assert pool.capacity <= 62
    disable_strict(strict)
    assert target in {data.instance for data in pool.inactive} | {*pool.active}


def test_where_update_is_never_called_the_dead_are_kept_back_by_number(
    strict: PoolingSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poolkit.devtools.strict._MOST_HELD", 8)
    pool = strict.pool(Prefab(Orc, name="tight", settings=PoolSettings(max_idle=20)))
    seen = []
    for _ in range(50):
        seen.append(pool.spawn())
        seen[-1].kill()
    assert pool.capacity == 9
    assert all(seen[n] not in seen[n + 1 : n + 9] for n in range(40))
    pool.clear()
    assert pool.capacity == 0
    seen[-1].kill()


# -- a catalogue of misuses, each with what it says -------------------------------------------

USES: dict[str, tuple[Callable[[Any], object], str]] = {
    "reading an attribute": (lambda dead: dead.hp, "'hp' was read"),
    "reading one that it never had": (lambda dead: dead.mana, "'mana' was read"),
    "asking whether it has one": (lambda dead: hasattr(dead, "hp"), "'hp' was read"),
    "writing an attribute": (lambda dead: setattr(dead, "hp", 3), "'hp' was written"),
    "deleting an attribute": (lambda dead: delattr(dead, "hp"), "'hp' was deleted"),
    "calling a method": (lambda dead: dead.roar(), "'roar' was read"),
    "reading a property": (lambda dead: dead.is_hurt, "'is_hurt' was read"),
    "moving it": (lambda dead: setattr(dead, "position", (1, 2)), "'position' was written"),
    "joining a group": (lambda dead: PooledGroup().add(dead), "'add' was called, to join a group"),
    "letting it join one": (lambda dead: dead.add(PooledGroup()), "'add' was read"),
    "colliding with it": (lambda dead: pygame.sprite.collide_rect(dead, dead), "'rect' was read"),
}


@pytest.mark.parametrize(("use", "what"), USES.values(), ids=USES)
def test_using_a_despawned_sprite_raises_and_names_attribute_and_despawn(
    strict: PoolingSystem, use: Callable[[Any], object], what: str
) -> None:
    with pytest.raises(UseAfterDespawnError) as caught:
        use(bury(strict, orc))
    message = str(caught.value)
    assert message.startswith(f"orc #0001 was used after its despawn: its {what}, but it was ")
    assert f"{place('the burial')} in bury. " in message
    assert "keep a handle, and use what handle.get() returns" in message


@pytest.mark.parametrize(
    ("part", "name"), [("health", "Health of orc #0001"), ("shield", "PooledSprite of orc #0001")]
)
def test_components_and_parts_that_the_game_kept_refuse_too(
    strict: PoolingSystem, part: str, name: str
) -> None:
    sprite = strict.spawn(orc)
    kept: Any = getattr(sprite, part)
    sprite.kill()
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match=rf"^{name} was used .* its 'own' was written"):
        kept.own = 1


def recycle(system: PoolingSystem) -> Any:
    last = Prefab(Orc, name="last", settings=PoolSettings(limit=1, overflow=RecycleOldest()))
    first = system.spawn(last)
    system.spawn(last)  # the deed
    return first


def with_its_parent(system: PoolingSystem) -> Any:
    parent = system.spawn(orc)
    child = system.spawn(orc, parent=parent)
    parent.kill()  # the deed
    return child


def by_reset(system: PoolingSystem) -> Any:
    sprite = system.spawn(orc)
    system.reset()  # the deed
    return sprite


def by_collision(system: PoolingSystem) -> Any:
    group = PooledGroup()
    system.spawn(orc, groups=[group])
    player = PooledSprite(pygame.Surface((8, 8)))
    return pygame.sprite.spritecollide(player, group, dokill=True)[0]  # the deed


@pytest.mark.parametrize(
    ("end", "why"),
    [(recycle, "recycled"), (with_its_parent, "parent"), (by_reset, "reset"), (by_collision, "")],
)
def test_the_message_says_where_the_life_ended_and_why(
    strict: PoolingSystem, end: Callable[[PoolingSystem], Any], why: str
) -> None:
    sprite = end(strict)
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match=r"but it was despawned at .*\. Where") as caught:
        sprite.roar()
    message = str(caught.value).partition(" Still referred")[0]
    _, line, where = re.split(rf"{HERE.name}:(\d+) in ", message)
    assert HERE.read_text("utf-8").splitlines()[int(line) - 1].endswith("# the deed")
    assert where.partition(". Where")[0] == f"{end.__name__} ({why})".removesuffix(" ()")


AGAIN: dict[str, Callable[[PoolingSystem, Any], object]] = {
    "by kill": lambda _, sprite: sprite.kill(),
    "by the system": lambda system, sprite: system.despawn(sprite),
    "by the pool": lambda system, sprite: system.all_pools()[0].despawn(sprite),
    "when it is destroyed": lambda system, sprite: (system.reset(), system.despawn(sprite)),
}
WAYS = [(orc, way) for way in AGAIN] + [(gem, way) for way in list(AGAIN)[1:]]


@pytest.mark.parametrize(("prefab", "way"), WAYS)
def test_a_second_despawn_in_a_later_frame_names_both(
    strict: PoolingSystem, prefab: Prefab[Any], way: str
) -> None:
    instance = strict.spawn(prefab)
    strict.despawn(instance)  # the first despawn
    assert not strict.despawn(instance)  # in the same frame it is no error
    strict.update(0.1)
    with pytest.raises(UseAfterDespawnError, match="#0001 was despawned again, at") as caught:
        AGAIN[way](strict, instance)
    assert place("the first despawn") in str(caught.value)
    assert str(caught.value).count(HERE.name) == 2
    assert "handle.despawn() does nothing then" in str(caught.value)


def only(system: PoolingSystem) -> Any:
    """Return the one active instance."""
    [instance] = system.pool(orc).active
    return instance


CALLS: dict[str, Callable[[PoolingSystem], object]] = {
    "spawn of orc": lambda system: system.spawn(orc),
    "despawn of orc": lambda system: system.despawn_all(),
    "prespawn of orc": lambda system: system.prespawn(orc, 9),
    "update of the pools": lambda system: system.update(0.1),
    "reset() of the pools": lambda system: system.reset(),
    "detach() of orc #0001": lambda system: system.detach(only(system)),
    "despawn_after() of orc #0001": lambda system: system.despawn_after(only(system), 1),
}


@pytest.mark.parametrize("what", CALLS)
def test_a_call_from_another_thread_raises_there(strict: PoolingSystem, what: str) -> None:
    strict.prespawn(orc, 2)
    strict.spawn(orc)
    errors: list[PoolError] = []

    def work() -> None:
        try:
            CALLS[what](strict)
        except PoolError as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="loader")
    thread.start()
    thread.join()
    [error] = errors
    assert str(error).startswith(f"{what} was called in thread 'loader', but poolkit is for one")
    assert "'MainThread'" in str(error)
    assert strict.pool(orc).active_count == 1
    assert strict.pool(orc).inactive_count == 1
    assert strict.spawn(orc).active  # neither closed nor half reset


# -- what is left behind ----------------------------------------------------------------------


class Clingy(pygame.sprite.Group[Any]):
    """A group that lets nobody go."""

    def remove_internal(self, sprite: Any) -> None:
        pass


def test_a_sprite_that_is_in_a_group_after_its_despawn_raises_in_the_next_update(
    strict: PoolingSystem,
) -> None:
    strict.spawn(Prefab(Orc, name="orc", groups=[Clingy()])).kill()
    words = r"^orc #0001 is still in <Clingy\(1 sprites\)>: but it was despawned at"
    with pytest.raises(PoolError, match=words):
        strict.update(0.1)
    graveyard = PooledGroup()
    sprite = strict.spawn(Orc)
    sprite.kill()  # on its way to the graveyard
    graveyard.add(sprite)
    with pytest.raises(PoolError, match=r"Orc #0001 is still in <PooledGroup\(1 ") as caught:
        strict.update(0.1)
    assert place("on its way to the graveyard") in str(caught.value)


def test_a_body_of_a_rigid_body_that_the_game_put_back_raises(strict: PoolingSystem) -> None:
    world = PhysicsWorld()
    ball = strict.spawn(Prefab(balls(world), name="ball"))
    ball.kill()
    world.space.add(ball.body, ball.shape)
    with pytest.raises(PoolError, match="of ball #0001 is still in its space"):
        strict.update(0.1)


# -- what is told once ----------------------------------------------------------------------------


def test_an_update_that_leaves_components_out_is_told_once_a_class(
    strict: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    class Mover(IPoolableComponent):
        def update(self, dt: float) -> None: ...

    class Walker(PooledSprite):
        def __init__(self) -> None:
            super().__init__()
            self.mover = self.add_component(Mover())

    class Calls(Walker):
        def update(self, dt: float) -> None:
            super().update(dt)

    class CallsItself(Walker):
        def update(self, dt: float) -> None:
            self.mover.update(dt)

    class Forgets(Walker):
        def update(self, dt: float) -> None:
            self.position += (dt, 0)

    class HasABaseThatForgets(Forgets):
        def update(self, dt: float) -> None:
            super().update(dt)

    class HasNone(PooledSprite):
        def update(self, dt: float) -> None: ...

    for kind in (Walker, Calls, CallsItself, HasNone, Mover, Forgets, HasABaseThatForgets) * 2:
        strict.spawn(kind)
    says = "Forgets.update does not call super().update(dt), so these are never updated: Mover"
    assert caplog.messages == [says, says]  # of itself, and of what extends it


def test_an_update_in_milliseconds_is_told_once(
    strict: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    strict.update(1)
    assert caplog.messages == []
    for _ in range(3):
        strict.update(16)
    [message] = caplog.messages
    assert message.startswith("update(16) lets 16 seconds pass in one frame: if these are millisec")


# -- what was moved where nobody looks --------------------------------------------------------


@pytest.mark.parametrize(
    ("factory", "part", "move", "words"),
    [
        (Orc, "rect", lambda rect: rect.move_ip(3, 0), "the rect of it #0001 was written"),
        (Orc, "shield.rect", lambda rect: rect.move_ip(0, 3), "the rect of PooledSprite of it #0"),
        (
            ROLLING,
            "body",
            lambda body: body.apply_impulse_at_local_point((5, 0)),
            "a body of it #0",
        ),
    ],
)
def test_a_rect_written_or_a_body_moved_at_rest_is_named_at_the_next_spawn(
    strict: PoolingSystem, factory: Any, part: str, move: Callable[[Any], object], words: str
) -> None:
    prefab = Prefab(factory, name="it")
    for _ in range(2):  # what is not moved comes back
        sprite = strict.spawn(prefab, (5, 5))
        kept = attrgetter(part)(sprite)
        if factory is ROLLING:
            kept.angle = math.nan  # which is not equal to itself
        sprite.kill()  # it was kept
        strict.update(1.0)
    move(kept)
    with pytest.raises(
        UseAfterDespawnError, match=f"^it #0001 was used .*: {words}.* since it "
    ) as caught:
        strict.spawn(prefab)
    assert place("it was kept") in str(caught.value)


def test_a_rect_moved_behind_its_bodys_back_is_told_once_a_life_and_no_other_move(
    strict: PoolingSystem, caplog: pytest.LogCaptureFixture
) -> None:
    world = PhysicsWorld(gravity=(0, 100))
    prefab = Prefab(balls(world), name="ball")
    ball: Any = strict.spawn(prefab)
    other: Any = PoolingSystem().spawn(prefab, (900, 900))  # whose system isn't strict

    def frame() -> None:
        strict.update(1 / 60)
        world.step(1 / 60)

    for turn in range(6):
        frame()
        ball.position += (5, 0)
        frame()
        ball.rotation = turn * 30
        frame()
        ball.body.position = (turn, turn)
        frame()
        if turn % 2:
            ball.kill()
            frame()
            ball = strict.spawn("ball", (10, 10))
    assert caplog.messages == []
    for lives in (1, 2):
        for _ in range(4):
            frame()
            ball.rect.x += 5
            other.rect.x += 5
        frame()
        assert len(caplog.messages) == lives
        ball.kill()
        strict.update(0.1)
        ball = strict.spawn("ball", (10, 10))
    message = caplog.messages[0]
    assert message.startswith("the rect of ball #0004 was moved from (10, 10) to (15, 10)")
    assert "assign sprite.position" in message
    disable_strict(strict)
    assert "step" not in vars(world)
