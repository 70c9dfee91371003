"""A checkpoint puts a running world back in place, and what follows is what followed."""

# ruff: noqa: S311 - a game's dice
from __future__ import annotations

import gc
import inspect
import random
import re
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pygame
import pytest
from pygame import Vector2

from poolkit import (
    Animation,
    Budget,
    IPoolableComponent,
    ObjectPool,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
)
from poolkit.checkpoints import Checkpoint, CheckpointError
from poolkit.core import saving
from poolkit.devtools import disable_strict, enable_strict
from poolkit.scenes import Scene, SceneManager

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

FRAMES = [pygame.Surface((4, 4)), pygame.Surface((6, 6)), pygame.Surface((8, 4))]


class Health(IPoolableComponent):
    def spawned(self) -> None:
        self.hp = 3
        self.log: list[float] = []


class Orc(PooledSprite):
    rage: float = 1.0
    loot: list[str] = []  # noqa: RUF012 - a field, copied for each life

    def __init__(self, game: Jungle) -> None:
        super().__init__(FRAMES[0])
        self.game = game
        self.health = self.add_component(Health())
        self.add_component(Animation(FRAMES, 7))
        self.bar = self.add_child(PooledSprite(FRAMES[1]), (0, -8))

    def spawned(self, velocity: Any = (0, 0)) -> None:
        self.velocity = Vector2(velocity)
        self.scope.every(0.3, self.hit)
        self.scope.tween(2.0, self.fade)
        self.scope.after(random.uniform(0.5, 3), self.kill)
        self.target, self.share = None, 0.0

    def fade(self, share: float) -> None:
        self.share = share

    def hit(self) -> None:
        self.health.hp -= 1
        self.health.log.append(random.random())
        self.loot.append("tooth")
        self.rotation += 13
        if random.random() < 0.3:
            child = self.game.spawn(parent=self)
            self.target = child.handle()

    def update(self, dt: float) -> None:
        super().update(dt)
        self.position += self.velocity * dt


class Jungle:
    """A game of plain sprites: parts, children, timers, tweens, fields, limits, dice."""

    def __init__(self, seed: int = 1, **settings: Any) -> None:
        self.system = PoolingSystem()
        self.group: Any = PooledGroup()
        settings = {"prespawn": 4, "limit": 30, "overflow": RecycleOldest(), **settings}
        self.orc = Prefab(
            lambda: Orc(self), name="orc", groups=[self.group], settings=PoolSettings(**settings)
        )
        random.seed(seed)

    def spawn(self, **options: Any) -> Any:
        velocity = random.uniform(-50, 50), 5
        return self.system.spawn(
            self.orc, (random.uniform(0, 300), 20), velocity=velocity, **options
        )

    def play(self, frames: int) -> list[object]:
        told: list[object] = []
        for _ in range(frames):
            self.system.update(1 / 30)
            self.group.update(1 / 30)
            if random.random() < 0.3:
                self.spawn()
            told.append(self.digest())
        return told

    def digest(self) -> object:
        pool = self.system.pool(self.orc)
        lives = [
            (
                *(data.number, data.generation, tuple(orc.position), orc.rotation, orc.rect.size),
                *(orc.health.hp, [*orc.health.log], [*orc.loot], orc.share),
                *(tuple(orc.bar.position), len(orc.children), bool(orc.target)),
            )
            for orc, data in pool.active.items()
        ]
        order = [orc._pool_record.number for orc in self.group]
        return lives, [data.number for data in pool.inactive], pool.stats, order


@pytest.fixture(autouse=True)
def dice() -> Iterator[None]:
    state = random.getstate()
    yield
    random.setstate(state)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("reuse", ["at_once", "next_update"])
def test_what_follows_a_restore_is_what_followed_the_checkpoint(seed: int, reuse: Any) -> None:
    game = Jungle(seed, order="lifo" if seed % 2 else "fifo")
    game.system.configure(reuse=reuse)
    game.play(50)
    checkpoint = Checkpoint(game.system)
    followed = game.play(60)
    for frames in (0, 1, 40, 150):
        game.play(frames)
        checkpoint.restore()
        assert game.play(60) == followed


def test_taking_a_checkpoint_changes_nothing() -> None:
    plain, watched = Jungle(5), None
    followed = plain.play(80)
    watched = Jungle(5)
    told = []
    for _ in range(80):
        told += watched.play(1)
        Checkpoint(watched.system)
    assert told == followed


def test_earlier_and_later_checkpoints_may_be_restored_in_any_order() -> None:
    game = Jungle(6)
    game.play(20)
    checkpoints, followed = [], []
    for _ in range(4):
        checkpoints.append(Checkpoint(game.system))
        followed.append(game.play(25))
    for place in (2, 0, 3, 1, 1, 3, 0):
        checkpoints[place].restore()
        assert game.play(25) == followed[place]


def test_handles_are_true_again_and_those_of_undone_lives_are_false_for_good() -> None:
    game = Jungle(7)
    game.play(30)
    then = [game.system.handle(orc) for orc in game.group]
    checkpoint = Checkpoint(game.system)
    game.play(120)
    since = {game.system.handle(orc) for orc in game.group}.difference(then)
    checkpoint.restore()
    assert then
    assert all(then)
    for _ in range(150):
        game.play(1)
        assert not any(since)


told: list[str] = []  # no life reaches it


def test_nothing_is_built_and_no_hook_runs() -> None:
    class Spark:
        def __init__(self) -> None:
            told.append("built")

    class Flame(IPoolableComponent):
        def awake(self) -> None:
            told.append("awake")

        def spawned(self) -> None:
            told.append("spawned")

        def despawned(self) -> None:
            told.append("despawned")

    system = PoolingSystem()
    system.on_spawn(lambda _: told.append("on_spawn"))
    system.on_despawn(lambda _: told.append("on_despawn"))
    first = system.spawn(Flame)
    checkpoint = Checkpoint(system)
    second, spark = system.spawn(Flame), system.spawn(Spark)
    system.despawn(first)
    told.clear()
    checkpoint.restore()
    assert told == []
    assert [*system.pool(Flame).active] == [first]
    assert system.pool(Flame).stats.created == 1
    assert system.pool(Spark).capacity == 0
    assert system.spawn(Flame) is second  # it waited until the pool would build one
    assert system.spawn(Spark) is spark
    assert "built" not in told
    assert "awake" not in told
    assert system.pool(Flame).stats.created == 2


def test_lists_vectors_and_closures_are_the_same_objects_as_before(system: PoolingSystem) -> None:
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    class Thing(IPoolableComponent):
        def spawned(self) -> None:
            self.path = [Vector2(1, 2)]
            self.seen = {"orc"}
            self.step = step
            self.scope.every(1.0, step)

    thing = system.spawn(Thing)
    keep = SimpleNamespace(score=1, names={"a": [1]}, pixels=bytearray(b"abc"))
    path, point, names = thing.path, thing.path[0], keep.names
    system.update(1.0)
    checkpoint = Checkpoint(system, keep=[keep])
    point.update(9, 9)
    thing.path = []
    path.append(point)
    thing.seen.add("elf")
    vars(thing)["extra"] = 1
    keep.score, keep.names, keep.pixels[0] = 5, {}, 0
    names["a"].append(2)
    system.update(3.0)
    assert count == 4
    checkpoint.restore()
    assert thing.path is path
    assert path[0] is point
    assert tuple(point) == (1, 2)
    assert thing.seen == {"orc"}
    assert not hasattr(thing, "extra")
    assert (keep.score, keep.names, keep.pixels) == (1, {"a": [1]}, b"abc")
    assert keep.names is names
    assert count == 1
    system.update(1.0)
    assert count == 2


class Slotted:
    __slots__ = ("__hidden", "empty", "value")

    def __init__(self) -> None:
        self.value = [1]
        self.__hidden = 1

    def change(self) -> None:
        self.value.append(2)
        self.__hidden = 2
        self.empty = 3

    def hidden(self) -> int:
        return self.__hidden


def test_slots_are_put_back_and_empty_ones_are_emptied(system: PoolingSystem) -> None:
    one = Slotted()
    checkpoint = Checkpoint(system, keep=[one])
    one.change()
    checkpoint.restore()
    assert (one.value, one.hidden(), hasattr(one, "empty")) == ([1], 1, False)


def test_what_rests_is_left_alone_and_a_killed_part_is_seen_again() -> None:
    game = Jungle(8)
    orc = game.spawn()
    checkpoint = Checkpoint(game.system)
    orc.bar.kill()
    assert not orc.bar.active
    checkpoint.restore()
    assert orc.bar.active
    assert orc.bar.parent is orc


def test_components_that_came_late_are_gone_again_and_removed_ones_are_back() -> None:
    game = Jungle(9)
    orc = game.spawn()
    late = orc.add_component(Health())
    checkpoint = Checkpoint(game.system)
    orc.remove_component(orc.health)
    orc.add_component(Health())
    orc.scope.after(1, orc.kill)
    checkpoint.restore()
    assert orc.components[0] is orc.health
    assert orc.components[-1] is late
    assert len(orc.get_components(Health)) == 2
    assert orc.health.sprite is orc
    orc.kill()
    assert game.spawn() is not None


def test_carried_lives_hang_where_they_hung() -> None:
    game = Jungle(10)
    orc, sword = game.spawn(), game.spawn()
    orc.add_child(sword, (5, 5))
    checkpoint = Checkpoint(game.system)
    orc.release_child(sword)
    game.spawn().add_child(sword, (9, 9))
    orc.kill()
    checkpoint.restore()
    assert sword.parent is orc
    assert sword.offset == (5, 5)
    orc.position += (10, 0)
    assert sword.position == orc.position + Vector2(5, 5)
    orc.kill()
    assert not sword.active


def test_budgets_and_priorities_go_on_as_they_were() -> None:
    def play() -> list[object]:
        system = PoolingSystem()
        random.seed(3)
        budget = Budget(6)
        lowest = RecycleLowest(lambda one: one.value)

        class One(IPoolableComponent):
            def spawned(self) -> None:
                self.value = random.randrange(10)

        class Two(One):
            pass

        settings = PoolSettings(budget=budget, overflow=lowest)
        prefabs = [Prefab(kind, name=kind.__name__, settings=settings) for kind in (One, Two)]
        told: list[object] = []

        def run(count: int) -> list[object]:
            ends: list[object] = []
            for _ in range(count):
                system.spawn(random.choice(prefabs))
                system.update(0.1)
                lives = [[one.value for one in system.pool(each).active] for each in prefabs]
                ends.append((lives, [system.pool(each).stats for each in prefabs]))
            return ends

        run(15)
        checkpoint = Checkpoint(system)
        told = run(20)
        for _ in range(3):
            run(random.randrange(30))
            checkpoint.restore()
            assert run(20) == told
        return told

    assert play() == play()


def test_connections_of_scopes_are_as_they_were(system: PoolingSystem) -> None:
    calls: list[str] = []

    class Library:
        def __init__(self) -> None:
            self.receivers: list[Any] = []

        def connect(self, receiver: Any) -> None:
            self.receivers.append(receiver)

        def disconnect(self, receiver: Any) -> None:
            self.receivers.remove(receiver)

    Library.__module__ = "blinker"  # another library's, which is referred to, not copied
    signal = Library()

    class Ear(IPoolableComponent):
        def spawned(self) -> None:
            self.scope.connect(signal, self.hear)

        def hear(self) -> None:
            calls.append("heard")

    first = system.spawn(Ear)
    checkpoint = Checkpoint(system)
    system.despawn(first)
    system.spawn(Ear)
    system.spawn(Ear)
    checkpoint.restore()
    assert signal.receivers == [first.hear]
    system.despawn(first)
    assert signal.receivers == []


def test_a_coroutine_that_has_not_run_on_goes_on_and_one_that_has_begins_again(
    system: PoolingSystem,
) -> None:
    told: list[object] = []

    class Guard(IPoolableComponent):
        def spawned(self) -> None:
            self.scope.start(self.patrol)

        def patrol(self) -> Generator[float, None, None]:
            for step in range(5):
                told.append(step)
                yield 1.0

    system.spawn(Guard)
    system.update(1.5)
    checkpoint = Checkpoint(system)
    checkpoint.restore()
    system.update(0.5)
    assert told == [0, 1, 2]
    checkpoint.restore()
    told.clear()
    system.update(0.5)
    assert told == [0]
    system.update(1.0)
    assert told == [0, 1]
    system.despawn_all()
    checkpoint.restore()
    told.clear()
    system.update(1.0)
    assert told == [0]


def test_what_cannot_be_put_back_is_refused_by_name(system: PoolingSystem) -> None:
    class Guard(IPoolableComponent):
        def spawned(self, thing: Any = None) -> None:
            self.thing = {"of": [thing]}

        def patrol(self) -> Generator[None, None, None]:
            yield

    guards = Prefab(Guard, name="guard")
    things: dict[str, Any] = {
        "an open generator": Guard().patrol(),
        "an open file": open(__file__),  # noqa: PTH123, SIM115 - left open
        "a lock": threading.Lock(),
        "an iterator": iter([1]),
    }
    for what, thing in things.items():
        guard = system.spawn(guards, thing=thing)
        with pytest.raises(CheckpointError, match=rf"guard #0001.thing.* is {what}"):
            Checkpoint(system)
        system.despawn(guard)
    things["an open file"].close()
    guard = system.spawn(guards)
    guard.scope.start(guard.patrol())
    with pytest.raises(CheckpointError, match=r"guard #0001.patrol \(.*test_checkpoints.py:\d+\)"):
        Checkpoint(system)


def test_after_a_reset_or_the_end_of_an_instance_it_refuses_and_changes_nothing() -> None:
    game = Jungle(11)
    game.play(20)
    checkpoint = Checkpoint(game.system)
    orc = game.system.all_pools()[0].oldest()
    game.system.discard(orc)
    before = game.digest()
    with pytest.raises(CheckpointError, match="destroyed since"):
        checkpoint.restore()
    assert game.digest() == before
    again = Checkpoint(game.system)
    game.system.reset()
    with pytest.raises(CheckpointError, match="a reset has ended"):
        again.restore()


def test_it_refuses_inside_hooks_and_updates(system: PoolingSystem) -> None:
    class Thing(IPoolableComponent):
        def spawned(self, act: Any = None) -> None:
            if act is not None:
                act()

    checkpoint = Checkpoint(system)
    for act in (checkpoint.restore, lambda: Checkpoint(system)):
        with pytest.raises(CheckpointError, match="inside a hook"):
            system.spawn(Thing, act=act)
        thing = system.spawn(Thing)
        thing.scope.after(0.1, act)
        with pytest.raises(CheckpointError, match="inside an update"):
            system.update(0.2)


def test_what_rested_and_was_trimmed_since_is_left_out(system: PoolingSystem) -> None:
    system.prespawn(Health, 5)
    living = system.spawn(Health)
    checkpoint = Checkpoint(system)
    system.pool(Health).trim(1)
    system.despawn(living)
    checkpoint.restore()
    stats = system.pool(Health).stats
    assert (stats.created, stats.active, stats.inactive, stats.destroyed) == (5, 1, 1, 3)


def test_settings_and_listeners_are_as_they_were(system: PoolingSystem) -> None:
    pool = system.pool(Prefab(Health, name="health", settings=PoolSettings(limit=2)))
    told: list[object] = []
    pool.on_spawn(told.append)
    pool.spawn()
    checkpoint = Checkpoint(system)
    pool.settings = PoolSettings(limit=5, overflow=RecycleOldest(), order="lifo")
    pool.spawn()
    checkpoint.restore()
    assert pool.settings.limit == 2
    pool.spawn()
    assert not pool.has_available
    assert len(told) == 3


def test_object_pools_that_are_kept_lend_what_they_lent() -> None:
    pool: Any = ObjectPool(list, deactivate=list.clear)
    lent = pool.get()
    lent.append(1)
    holder = SimpleNamespace(pool=pool, lent=lent)
    checkpoint = Checkpoint(PoolingSystem(), keep=[holder])
    pool.release(lent)
    other = pool.get()
    assert other is lent
    pool.get()
    checkpoint.restore()
    assert lent == [1]
    assert (pool.active_count, pool.capacity) == (1, 1)
    pool.release(lent)
    assert lent == []


def test_the_scope_of_a_kept_scene_goes_back_too() -> None:
    class Level(Scene):
        def enter(self) -> None:
            self.score = 0
            self.scope.every(1.0, self.gain)

        def gain(self) -> None:
            self.score += 1

    system = PoolingSystem()
    manager, level = SceneManager(system), Level()
    manager.load(level)
    manager.update(1.5)
    checkpoint = Checkpoint(system, keep=[level])
    manager.update(3.0)
    assert level.score == 4
    checkpoint.restore()
    assert level.score == 1
    manager.update(0.5)
    assert level.score == 2


def test_strict_mode_watches_on() -> None:
    game = Jungle(12)
    enable_strict(game.system)
    try:
        game.play(30)
        checkpoint = Checkpoint(game.system)
        followed = game.play(40)
        for frames in (60, 5):
            game.play(frames)
            checkpoint.restore()
            assert game.play(40) == followed
    finally:
        disable_strict(game.system)


class EndError(Exception):
    """Raised by a coroutine as it closes."""


def test_what_code_of_the_game_raises_comes_out_once_all_is_restored(system: PoolingSystem) -> None:
    class Guard(IPoolableComponent):
        def spawned(self) -> None:
            self.hp = 1
            self.scope.start(self.patrol)

        def patrol(self) -> Generator[None, None, None]:
            try:
                while True:
                    yield
            finally:
                raise EndError

    guard = system.spawn(Guard)
    checkpoint = Checkpoint(system)
    system.update(0.1)
    guard.hp = 5
    with pytest.raises(EndError):
        checkpoint.restore()
    assert guard.hp == 1
    assert system.is_spawned(guard)


def test_many_checkpoints_take_no_more_memory() -> None:
    import tracemalloc  # noqa: PLC0415 - of this test alone

    game = Jungle(13, limit=8)
    game.play(30)
    checkpoint = Checkpoint(game.system)

    def retry(count: int) -> int:
        for _ in range(count):
            game.play(2)
            Checkpoint(game.system).restore()
            checkpoint.restore()
        gc.collect()  # it also gives up the freed tuples that Python keeps for later ones
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    retry(20)
    before, after = retry(5), retry(60)
    tracemalloc.stop()
    assert after - before < 5_000, after - before


OWN = [cls for cls in (saving.unsaved | saving.followed) if cls.__module__.startswith("poolkit")]


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_what_a_class_says_of_its_state_names_what_it_has(cls: Any) -> None:
    named = saving.unsaved.get(cls, frozenset()) | saving.followed.get(cls, frozenset())
    body = inspect.getsource(cls).partition("class ")[2]
    assert [name for name in named if not re.search(rf"\b{name}\b", body)] == []


def test_what_is_named_is_kept_whatever_library_it_is_of(system: PoolingSystem) -> None:
    class Score:
        points = 0

    Score.__module__ = "pygame.scores"
    score, other = Score(), SimpleNamespace(of=Score())
    score.points = other.of.points = 1
    checkpoint = Checkpoint(system, keep=[score, other])
    score.points = other.of.points = 2
    checkpoint.restore()
    assert (score.points, other.of.points) == (1, 2)
