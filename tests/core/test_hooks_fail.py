"""An exception in every place where poolkit calls the game, one at a time and in pairs.

Whatever raises, and whenever: the counts are right, what is not alive is in no group and no space,
what failed is never handed out again, and the exception reaches the caller.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

from physics_kit import MEETINGS, STEP
from poolkit import (
    ObjectPool,
    PooledSprite,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
)
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody
from recorder import HOOKS, Noted
from reference_model import errors_in

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator


class PlannedError(Exception):
    """What is raised on purpose."""


class Faults:
    """The places that are to raise, each a number of times, and what came of it."""

    def __init__(
        self, *places: str, times: int = 1, kind: type[BaseException] = PlannedError
    ) -> None:
        self.left = dict.fromkeys(places, times)
        self.raised: list[BaseException] = []
        self.condemned: list[Any] = []
        self._kind = kind

    def at(self, place: str, condemned: Any = None) -> None:
        """Raise if this place is to; `condemned` must not be handed out again then."""
        if self.left.get(place):
            self.left[place] -= 1
            error = self._kind(place)
            self.raised.append(error)
            if condemned is not None:
                self.condemned.append(condemned)
            raise error


class Meddling(pygame.sprite.Group):  # type: ignore[type-arg]
    """A group that fails to take sprites in, or to let them go."""

    faults = Faults()

    def add_internal(self, sprite: Any, layer: Any = None) -> None:
        self.faults.at("group.add, before", sprite.root)
        super().add_internal(sprite, layer)
        self.faults.at("group.add, after", sprite.root)

    def remove_internal(self, sprite: Any) -> None:
        self.faults.at("group.remove, before", sprite.root)
        super().remove_internal(sprite)
        self.faults.at("group.remove, after", sprite.root)


class FaultyReset(ResetPooledBodyComponent):
    """A reset of bodies that fails."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def reset(self, body: pymunk.Body) -> None:
        self.game.faults.at("body reset")
        super().reset(body)


class Part(Noted):
    """A component whose hooks fail."""

    def __init__(self, game: Game, name: str, order: int) -> None:
        super().__init__([], name, order)
        self.game = game

    def note(self, hook: str) -> None:
        self.game.faults.at(f"{self.name}.{hook}", self.sprite.root)


class LatePart(Part):
    """One that is added to a living sprite, and taken off: the sprite outlives its failures."""

    def note(self, hook: str) -> None:
        self.game.faults.at(f"{self.name}.{hook}")


class Hand(PooledSprite):
    """A part of the prefab."""

    def __init__(self, game: Game, root: Orc) -> None:
        self.root = root
        super().__init__()
        self.add(game.meddling)
        self.add_component(Part(game, "hand", 5))


class Bat:
    """What an object pool lends; its pool's functions fail."""

    worth = 0


def bats(faults: Faults) -> ObjectPool[Bat]:
    """Return an object pool of which each function may fail."""

    def create() -> Bat:
        faults.at("create")
        return Bat()

    def key(bat: Bat) -> int:
        faults.at("key")
        return bat.worth

    return ObjectPool(
        create,
        activate=partial(faults.at, "activate"),
        deactivate=partial(faults.at, "deactivate"),
        reactivate=partial(faults.at, "reactivate"),
        destroy=partial(faults.at, "destroy"),
        settings=PoolSettings(limit=2, overflow=RecycleLowest(key)),
    )


class Orc(PooledSprite):
    """A sprite with a body, two components, a part, and a scope full of things."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.root = self
        self.is_of_game = game.builds_itself
        game.built.append(self)
        game.faults.at("factory")
        super().__init__(pygame.Surface((4, 4)))
        self.body = pymunk.Body(1, 10)
        self.shape = pymunk.Circle(self.body, 5)
        self.shape.collision_type = 1
        self.add(game.plain, game.meddling, game.other)
        self.add_component(Part(game, "early", -5))
        self.add_component(Part(game, "late", 5))
        self.add_component(RigidBody(game.world, self.body, self.shape))
        self.add_component(FaultyReset(game))
        self.add_child(Hand(game, self), (3, 0))
        game.faults.at("factory, late")

    def spawned(self) -> None:
        faults = self.game.faults
        self.scope.callback(lambda: faults.at("scope callback", self))
        self.scope.callback(lambda: faults.at("another scope callback", self))
        self.scope.after(0.1, lambda: faults.at("timer"))
        self.scope.every(0.1, lambda: faults.at("repeated timer"))
        self.scope.start(self.work())

    def work(self) -> Generator[float]:
        self.game.faults.at("coroutine, at once", self)
        try:
            yield 0.1
            self.game.faults.at("coroutine, later")
            yield 10
        finally:
            self.game.faults.at("coroutine, at its end")

    def add_internal(self, group: Any) -> None:
        self.game.faults.at("sprite.add", self)
        super().add_internal(group)


class Game:
    """All of poolkit at work in two prefabs, with faults to come."""

    def __init__(self, faults: Faults) -> None:
        self.told: list[BaseException] = []
        self.system = PoolingSystem()
        self.world = PhysicsWorld()
        self.plain = pygame.sprite.Group[Any]()
        self.other = pygame.sprite.Group[Any]()
        self.asked = pygame.sprite.Group[Any]()
        self.meddling = Meddling()
        self.meddling.faults = faults
        self.groups = [self.plain, self.other, self.asked, self.meddling]
        self.built: list[Orc] = []
        self.builds_itself = False
        self.faults = faults
        overflow = RecycleLowest(self._priority)
        settings = PoolSettings(limit=4, overflow=overflow)
        self.orc = Prefab(lambda: Orc(self), name="orc", groups=self._ask, settings=settings)
        self.rider = Prefab(
            lambda: Orc(self),
            name="rider",
            settings=PoolSettings(limit=3, prespawn=1),
            awake_on_first_spawn=True,
        )
        self.bats = bats(faults)
        self.system.on_reset(lambda: faults.at("on_reset"))
        self.system.on_reset(lambda: faults.at("another on_reset"))
        self.world.on_collision(1, 1, **{place: self._meet(place) for place in MEETINGS})

    def _ask(self) -> Iterable[Any]:
        self.faults.at("groups function")
        return [self.asked]

    def _priority(self, _: Orc) -> int:
        self.faults.at("priority")
        return 0

    def _meet(self, place: str) -> Callable[..., None]:
        return lambda *_: self.faults.at(place)

    def _adopt(self) -> None:
        self.builds_itself = True
        try:
            own = Orc(self)
        finally:
            self.builds_itself = False
        self.system.adopt(self.rider, own)

    def _change(self) -> None:
        orc, part = next(iter(self.system.pool(self.orc).active)), LatePart(self, "added", 0)
        orc.add_component(part)
        orc.remove_component(part)

    def steps(self) -> Iterator[Callable[[], object]]:
        """Yield what a game does, call by call."""
        system, orc, rider = self.system, self.orc, self.rider
        yield lambda: system.prespawn(orc, 1)
        yield lambda: system.spawn(orc, (5, 5))
        yield lambda: system.spawn(orc, (6, 6))
        yield lambda: self.world.step(STEP)
        yield lambda: system.spawn(rider, (5, 6), parent=next(iter(system.pool(orc).active)))
        yield self._change
        yield lambda: system.update(0.11)
        yield lambda: system.spawn_many(orc, [(7, 7), (8, 8)])
        yield lambda: self.world.step(STEP)
        yield lambda: system.spawn(orc, (9, 9))
        yield lambda: next(iter(system.pool(orc).active)).kill()
        yield lambda: system.try_spawn(orc, (9, 9))
        yield lambda: self.world.step(STEP)
        yield lambda: system.despawn_all(orc)
        yield self._adopt
        yield lambda: system.pool(orc).trim(1)
        yield lambda: system.spawn(orc, (5, 5))
        yield lambda: system.pool(orc).decrease_capacity(2, include_active=True)
        yield lambda: system.spawn_many(orc, [(5, 5)] * 2)
        yield lambda: system.pool(orc).clear()
        yield lambda: system.spawn_many(orc, [(5, 5)] * 2)
        yield lambda: self.world.step(STEP)
        yield system.reset
        yield lambda: system.spawn(orc, (5, 5))
        yield lambda: self.world.step(STEP)
        yield system.dispose
        # What a separation raised while nothing stepped comes out of the next step.
        yield lambda: self.world.step(STEP)
        bats = self.bats
        yield from [bats.get] * 3
        yield lambda: bats.release(next(iter(bats.active)))
        yield from [bats.get, bats.release_all, bats.get]
        yield lambda: bats.increase_capacity(1)
        yield lambda: bats.trim(0)
        yield from [bats.get, lambda: bats.release_lowest(1), bats.get, bats.get]
        yield from [bats.clear, bats.get]

    def play(self, kind: type[BaseException] = PlannedError) -> None:
        """Do it all, and look after each call."""
        for step in self.steps():
            try:
                step()
            except (PlannedError, kind, BaseExceptionGroup) as error:
                self._hear(error)
            except (StopIteration, PoolExhaustedError):
                pass  # nothing is left to do it with, after what failed before
            late = [fault for fault in self._untold() if str(fault) != "separate"]
            assert late == []
            self.check()
        assert self._untold() == []

    def _hear(self, error: BaseException) -> None:
        """Take note of what an exception says: each fault once."""
        for told in errors_in(error):
            assert any(told is fault for fault in self._untold())
            self.told.append(told)
            where, notes = said_of(str(told)), getattr(told, "__notes__", ())
            assert not where or any(note.startswith(where) for note in notes)
            if told.__context__ is not None:  # Python's own way where a finally raises
                self.told.append(told.__context__)
            for note in notes:
                self.told += [fault for fault in self._untold() if repr(fault) in note]

    def _untold(self) -> list[BaseException]:
        """Return the faults that no exception has told of."""
        return [
            fault for fault in self.faults.raised if not any(fault is told for told in self.told)
        ]

    def check(self) -> None:
        """Check what must be true between any two calls."""
        alive: list[Any] = []
        for pool in (*self.system.all_pools(), self.bats):
            stats = pool.stats
            assert stats.created - stats.destroyed == stats.active + stats.inactive
            assert stats.active == len(pool.active)
            assert pool.capacity == stats.active + stats.inactive
            for one in pool.active:
                assert not any(one is each for each in self.faults.condemned)
            alive += pool.active if pool is not self.bats else ()
        for orc in alive:
            assert orc.active
            assert orc.body in self.world.space.bodies
        known = {id(orc) for orc in alive}
        # What failed to be adopted stays the game's, where it was.
        known |= {id(orc) for orc in self.built if orc.is_of_game and orc.system is None}
        for group in self.groups:
            assert [orc for orc in group if id(orc.root) not in known] == []
        bodies = {id(orc.body) for orc in alive}
        assert [body for body in self.world.space.bodies if id(body) not in bodies] == []
        assert len(self.world.space.shapes) == len(bodies)


PARTS = [f"{part}.{hook}" for part in ("early", "late", "hand") for hook in HOOKS]
SCOPE = ["scope callback", "another scope callback", "timer", "repeated timer"]
SCOPE += ["coroutine, at once", "coroutine, later", "coroutine, at its end"]
GROUPS = ["group.add, before", "group.add, after", "group.remove, before", "group.remove, after"]
GROUPS += ["sprite.add"]
REST = ["factory", "factory, late", "groups function", "priority", "body reset"]
REST += ["on_reset", "another on_reset"]
BATS = ["create", "activate", "deactivate", "reactivate", "destroy", "key"]
OUTSIDE_HOOKS = ["timer", "repeated timer", "coroutine, later", "groups function", "priority"]
PAIRS = [("late.spawned", "early.destroyed"), ("late.despawned", "hand.destroyed")]
PAIRS += combinations(BATS, 2)
LATE = [f"added.{hook}" for hook in HOOKS]
PLACES = [*PARTS, *LATE, *SCOPE, *GROUPS, *REST, *MEETINGS, *BATS]


def said_of(place: str) -> str:
    """Return how the note of what is raised there begins."""
    if place in PARTS:
        return f"in Noted.{place.partition('.')[2]} of "
    return "in the scope of " if "scope" in place else "in a timer of " if "timer" in place else ""


def test_without_faults_the_game_reaches_every_place() -> None:
    reached: set[str] = set()

    class Counting(Faults):
        def at(self, place: str, condemned: Any = None) -> None:
            del condemned
            reached.add(place)

    game = Game(Counting())
    game.play()
    assert reached == set(PLACES)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [PlannedError, KeyboardInterrupt])
def test_an_exception_anywhere_breaks_nothing(place: str, kind: type[BaseException]) -> None:
    faults = Faults(place, kind=kind)
    Game(faults).play(kind)
    assert len(faults.raised) == 1


@pytest.mark.parametrize("places", [*((place,) for place in PLACES), *PAIRS])
@pytest.mark.parametrize("kind", [PlannedError, KeyboardInterrupt])
def test_exceptions_anywhere_break_nothing(
    places: tuple[str, ...], kind: type[BaseException]
) -> None:
    faults = Faults(*places, times=10**9, kind=kind)
    Game(faults).play(kind)
    assert faults.raised


class Rebels(Faults):
    """Places that ask for a reset, or for the end of all pools, instead of raising."""

    game: Game
    call: str
    refusals = 0

    def at(self, place: str, condemned: Any = None) -> None:
        del condemned
        if place in self.left and not self.game.builds_itself:
            with pytest.raises(PoolError, match=rf"{self.call}\(\) was called inside a "):
                getattr(self.game.system, self.call)()
            self.refusals += 1


@pytest.mark.parametrize("place", [each for each in PLACES if each not in OUTSIDE_HOOKS + BATS])
@pytest.mark.parametrize("call", ["reset", "dispose"])
def test_reset_and_dispose_in_whatever_poolkit_calls_are_an_error(place: str, call: str) -> None:
    rebels = Rebels(place)
    rebels.call, rebels.game = call, Game(rebels)
    rebels.game.play()
    assert rebels.refusals
