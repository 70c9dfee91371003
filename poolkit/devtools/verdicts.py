"""Does pooling pay for this prefab, on this machine? Measured, and said in a sentence."""

from __future__ import annotations

import gc
import time
import timeit
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import Sprite as _Sprite

from poolkit.core import IPoolableComponent, PoolError, PoolingSystem, PoolSettings, Prefab, pools
from poolkit.core.settings import checked_count
from poolkit.devtools.collector_probe import CollectorPause, CollectorProbe
from poolkit.sprites import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_clock = time.perf_counter
_PAYS = 1.5  # times: a smaller gain is no reason to change a game
_PAYS_NOT = 0.8
_BATCH = 0.0005  # seconds that a batch takes: less than a busy machine lets a process run
_MOST = 2_000  # lives a batch
_WATCHED = 0.15  # seconds of lives during which the collector is watched
_LEAST_LIVES, _MOST_LIVES = 50, 5_000
_AT_ONCE = 500  # a game's lives last, and so outlive the collector's first looks


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether pooling pays for a prefab; `str()` says it in a sentence.

    Attributes:
        name: The prefab's name.
        build: Seconds that a life costs without poolkit: built, put into its groups, with what its
            hooks do, killed, and its share of the collector's pauses.
        reuse: Seconds that a life costs with an instance from a pool.
        paused: Seconds of `build` that are the collector's.
        pauses: What the collector did while new instances came and went.
        heap: How many other objects were alive, as they are in a game.

    Examples:
        >>> str(Verdict("orc", build=31.4e-6, reuse=2.3e-6))
        'orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays'
    """

    name: str
    build: float
    reuse: float
    paused: float = 0.0
    pauses: tuple[CollectorPause, ...] = ()
    heap: int = 0

    @property
    def times(self) -> float:
        """How many times as long a life takes without a pool."""
        return self.build / self.reuse

    @property
    def pays(self) -> bool | None:
        """Whether pooling pays; `None`: too close to call."""
        if self.times >= _PAYS:
            return True
        return False if self.times <= _PAYS_NOT else None

    def __str__(self) -> str:
        """Return the sentence."""
        build, reuse = _microseconds(self.build), _microseconds(self.reuse)
        if self.pays:
            times = f"{self.times:.0f}" if self.times >= 10 else f"{self.times:.1f}"  # noqa: PLR2004
            cost = f"{build} µs to build, {reuse} µs to reuse, {times} times"
            return f"{self.name}: {cost}; pooling pays"
        judged = "pooling does not pay" if self.pays is False else "too close to call"
        return f"{self.name}: {build} µs against {reuse}; {judged}"

    @property
    def details(self) -> str:
        """What of it is the collector's, as a line."""
        longest = max((pause.seconds for pause in self.pauses), default=0.0)
        times = "once" if len(self.pauses) == 1 else f"{len(self.pauses)} times"
        return (
            f"  {_microseconds(self.paused)} µs of building are the collector's, which paused "
            f"{times}, for {longest * 1000:.1f} ms at worst, at a heap of {self.heap:,} objects"
        )


def verdict(
    prefab: Prefab[Any] | Callable[[], Any] | str,
    *,
    data: Mapping[str, Any] | None = None,
    heap: int = 100_000,
    rounds: int = 100,
    system: PoolingSystem | None = None,
) -> Verdict:
    """Measure whether pooling pays for a prefab, here and now.

    A life from a pool is compared with what one costs that is written without poolkit: a plain
    sprite, built, added to its groups, and killed. What the class's constructor does, its hooks
    and its parts, is done and counted on both sides. All ways are timed in turns, the best of many
    times each, so that a machine which is busy for a while disturbs none.

    Instances are built out of play: what their constructors join, they leave at once. It takes
    about a second.

    Args:
        prefab: A `Prefab`, a class or function, or the name of a prefab.
        data: Spawn data for its hooks; more than, and instead of, what its `sample_data` says.
        heap: How many other objects are alive meanwhile, as in a game: the collector's full passes
            look at all of them.
        rounds: How often each way is timed.
        system: Where to spawn; default: a system of its own. Name the game's if the prefab's hooks
            ask it about the instance.

    Raises:
        PrefabError: `prefab` is none, or its factory fails.
        TypeError: Its hooks require data that is not given, or `rounds` is no whole number.
        ValueError: There are too few rounds.
        PoolError: The system is not as it is in play: in strict mode, or with ``pooling=False``.

    Examples:
        >>> class Spark: ...
        >>> verdict(Spark, heap=0, rounds=5).pays
        False
    """
    checked_count(heap, "heap")
    checked_count(rounds, "rounds", least=3)
    own = PoolingSystem() if system is None else system
    if own._context.life_watchers or not own._context.pooling:
        message = (
            f"{own!r} is not as it is in play: leave strict mode and pooling=False, or let the "
            "verdict use a system of its own"
        )
        raise PoolError(message)
    if isinstance(prefab, str):
        prefab = (pools if system is None else system).pool(prefab).prefab
    if not isinstance(prefab, Prefab):
        prefab = Prefab(prefab)
    trial = _Trial(own)
    others: list[list[object]] = [[] for _ in range(heap)]
    try:
        ways = trial.ways(prefab, {**(prefab.sample_data or {}), **(data or {})})
        seconds = trial.seconds(ways, rounds)
        pauses, lives = _pauses(prefab.factory, seconds["build"])
    finally:
        trial.close()
        if system is None:
            own.dispose()
    paused = sum(pause.seconds for pause in pauses) / lives
    # What is a pool's own does not count for what is written without one.
    constructor = max(0.0, seconds["build"] - seconds["build the barest"])
    hooks = max(0.0, seconds["reuse"] - seconds["reuse the barest"])
    build = seconds["plain"] + constructor + hooks + paused
    return Verdict(prefab.name, build, seconds["reuse"], paused, pauses, len(others))


class _Trial:
    """A prefab beside the barest one of its kind, each built, and reused, many times."""

    def __init__(self, system: PoolingSystem) -> None:
        self._system = system
        self._both = {system, pools}
        held = [pool.active for each in self._both for pool in each.all_pools()]
        self._before = {id(instance) for active in held for instance in active}
        self._prefabs: list[Prefab[Any]] = []

    def ways(self, prefab: Prefab[Any], data: dict[str, Any]) -> dict[str, Callable[[], object]]:
        """Return what is to be compared, each a life or a part of one."""
        system, tried = self._system, self._alone(prefab, prefab.factory)
        instance = system.spawn(tried, **data)
        image, is_sprite = getattr(instance, "image", None), isinstance(instance, _Sprite)
        groups = instance.groups() if is_sprite else []
        system.despawn(instance)
        joined = _groups_left_by(prefab.factory())
        parts = instance.components if isinstance(instance, PooledSprite) else ()
        games = [each for each in parts if not type(each).__module__.startswith("poolkit.")]

        def barest() -> Any:
            if not isinstance(instance, PooledSprite):
                return _Plain(image, *joined) if is_sprite else _Part()
            bare = PooledSprite(image, *joined)
            for _ in games:
                bare.add_component(_Part())
            return bare

        def plain() -> None:
            sprite = _Plain(image, *groups)
            sprite.rect.center = 0, 0
            sprite.kill()

        bare = self._alone(prefab, barest, groups=groups)
        return {
            "build": lambda: _groups_left_by(prefab.factory()),
            "build the barest": lambda: _groups_left_by(barest()),
            "reuse": lambda: system.despawn(system.spawn(tried, **data)),
            "reuse the barest": lambda: system.despawn(system.spawn(bare)),
            "plain": plain if is_sprite else _Part,
        }

    def seconds(self, ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
        """Return the seconds that each way takes: the best of so many times, taken in turns."""
        timers: dict[str, tuple[timeit.Timer, int]] = {}
        for name, way in ways.items():
            timer = timeit.Timer(way, timer=_clock)
            once = min(timer.repeat(5, 2)) / 2
            self._tidy()
            timers[name] = timer, min(_MOST, max(1, round(_BATCH / once)))
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(rounds):
            for name, (timer, count) in timers.items():
                best[name] = min(best[name], timer.timeit(count) / count)
                self._tidy()
                gc.collect(1)  # what the batch left: no way clears up after another
        return best

    def close(self) -> None:
        """Destroy everything that was made for the trial."""
        self._tidy()
        for prefab in self._prefabs:
            self._system.pool(prefab).clear()

    def _alone(
        self, prefab: Prefab[Any], factory: Callable[[], Any], **changes: Any
    ) -> Prefab[Any]:
        """Return a variant of which nothing but the pool itself is measured: it has no limits."""

        def build() -> Any:
            return factory()

        build.__name__ = prefab.name  # as errors call it
        changes |= {"settings": PoolSettings(order=prefab.settings.order), "pooling": True}
        self._prefabs.append(prefab.variant(factory=build, persistent=False, **changes))
        return self._prefabs[-1]

    def _tidy(self) -> None:
        """End what its hooks have begun, as the puff of dust in which it vanished, and the frame.

        For where nothing is reused before the next update, a batch is one frame.
        """
        for system in self._both:
            system.despawn_where(lambda instance: id(instance) not in self._before)
        self._system.update(0.0)


class _Plain(_Sprite):
    """A sprite as it is written without poolkit."""

    def __init__(self, image: pygame.Surface | None, *groups: Any) -> None:
        super().__init__(*groups)
        self.image = image
        self.rect: pygame.FRect = pygame.FRect(0, 0, 1, 1) if image is None else image.get_frect()


class _Part(IPoolableComponent):
    """A component, or any object, of which there is nothing to say."""


def _pauses(build: Callable[[], Any], seconds: float) -> tuple[tuple[CollectorPause, ...], int]:
    """Build for a while, a number alive at once; return the collector's pauses, and lives.

    Each time it has the same to do, so the shortest are those of a machine that is not busy.
    """
    lives = int(min(_MOST_LIVES, max(_LEAST_LIVES, _WATCHED / seconds)))
    runs, was_enabled = [], gc.isenabled()
    gc.enable()
    try:
        for _ in range(5):
            alive: deque[Any] = deque(maxlen=min(_AT_ONCE, lives))
            gc.collect()
            with CollectorProbe() as probe:
                for _ in range(lives):
                    alive.append(build())
                    _groups_left_by(alive[-1])
                runs.append(probe.take())
    finally:
        if not was_enabled:
            gc.disable()
    return min(runs, key=lambda pauses: sum(pause.seconds for pause in pauses)), lives


def _groups_left_by(instance: Any) -> list[Any]:
    """Take an instance out of what its constructor joined, and return that."""
    if not isinstance(instance, _Sprite):
        return []
    groups = instance.groups()
    _Sprite.kill(instance)
    return groups


def _microseconds(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:.1f}" if micro >= 0.1 else f"{micro:.2f}"  # noqa: PLR2004 - else 0.0
