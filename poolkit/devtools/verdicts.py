"""Does pooling pay for this prefab, on this machine? Measured, and said in a sentence."""

from __future__ import annotations

import gc
import inspect
import timeit
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core import IPoolableComponent, PoolError, PoolingSystem, PoolSettings, Prefab, pools
from poolkit.core.settings import checked_count
from poolkit.devtools.collector_probe import CollectorPause, CollectorProbe
from poolkit.sprites import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Verdict", "verdict"]

_PAYS = 1.5  # times: a smaller gain is no reason to change a game
_PAYS_NOT = 0.8
_BATCH = 0.0005  # seconds that a batch takes: less than a busy machine lets a process run
_MOST = 2_000  # lives a batch
_WATCHED = 0.25  # seconds of lives during which the collector is watched
_LEAST_LIVES, _MOST_LIVES = 50, 5_000
_AT_ONCE = 500  # a game's lives last, and so outlive the collector's first looks
_HOOKS = {"spawned", "despawned"}
_MANY = 10  # times: from here on, tenths say nothing


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
            times = f"{self.times:.0f}" if self.times >= _MANY else f"{self.times:.1f}"
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
    sample = getattr(prefab, "sample_data", None) or {}
    trial = _Trial(prefab, own, {**sample, **(data or {})})
    others: list[list[object]] = [[] for _ in range(heap)]
    try:
        seconds = trial.times(rounds)
        pauses, lives = trial.pauses(seconds["build"])
    finally:
        trial.close()
        if system is None:
            own.dispose()
    paused = sum(pause.seconds for pause in pauses) / lives
    # What is a pool's own does not count for what is written without one, and the other way round.
    constructor = max(0.0, seconds["build"] - seconds["build the barest"])
    hooks = max(0.0, seconds["reuse"] - seconds["reuse the barest"])
    build = seconds["plain"] + constructor + hooks + paused
    return Verdict(prefab.name, build, seconds["reuse"], paused, pauses, len(others))


class _Bare:
    """Any object."""


class _PlainSprite(pygame.sprite.Sprite):
    """A sprite as it is written without poolkit."""

    def __init__(self, image: pygame.Surface | None, *groups: Any) -> None:
        super().__init__(*groups)
        self.image = image
        self.rect: pygame.FRect = pygame.FRect(0, 0, 1, 1) if image is None else image.get_frect()


class _Trial:
    """A prefab beside the barest one of its kind, each built, and reused, many times."""

    def __init__(self, prefab: Prefab[Any], system: PoolingSystem, data: dict[str, Any]) -> None:
        """Try one life, which raises what is wrong with it."""
        self._system = system
        self._data = data
        self._before = {id(instance) for instance in self._alive()}
        self._prefabs: list[Prefab[Any]] = []

        def variant(factory: Callable[[], Any], **changes: Any) -> Prefab[Any]:
            def build() -> Any:
                return factory()

            build.__name__ = prefab.name  # as errors call it
            # Nothing but the pool itself is measured: no limit is reached, nothing trimmed.
            settings = PoolSettings(order=prefab.settings.order)
            changes |= {"settings": settings, "pooling": True, "persistent": False}
            self._prefabs.append(prefab.variant(factory=build, **changes))
            return self._prefabs[-1]

        tried = variant(prefab.factory)
        try:
            instance = system.spawn(tried, **data)
            groups = _groups_of(instance)
            system.despawn(instance)
            built = prefab.factory()
            joined = _groups_of(built)
            _leave(built)
        except BaseException:
            self.close()
            raise
        self._build = prefab.factory
        is_sprite = isinstance(instance, pygame.sprite.Sprite)
        image = getattr(instance, "image", None)
        kind = _silenced(instance, _barest_of(instance))
        components = instance.components if isinstance(instance, PooledSprite) else ()
        parts = [_silenced(each, IPoolableComponent) for each in components if _is_the_games(each)]

        def barest() -> Any:
            bare = kind(image, *joined) if is_sprite else kind()
            for part in parts:
                bare.add_component(part())
            return bare

        def plain() -> None:
            sprite = _PlainSprite(image, *groups)
            sprite.rect.center = 0, 0
            sprite.kill()

        bare = variant(barest, groups=groups)
        hooks = [vars(each)[name] for each in (kind, *parts) for name in _HOOKS & vars(each).keys()]
        named = {name for hook in hooks for name in hook.__signature__.parameters}
        known = named | inspect.signature(system.spawn).parameters.keys()
        less = {name: value for name, value in data.items() if name in known}
        self._ways: dict[str, Callable[[], object]] = {
            "build": lambda: _leave(prefab.factory()),
            "build the barest": lambda: _leave(barest()),
            "reuse": lambda: system.despawn(system.spawn(tried, **data)),
            "reuse the barest": lambda: system.despawn(system.spawn(bare, **less)),
            "plain": plain if is_sprite else _Bare,
        }

    def times(self, rounds: int) -> dict[str, float]:
        """Return the seconds that each way takes: the best of so many times, taken in turns."""
        timers = {name: timeit.Timer(way) for name, way in self._ways.items()}
        counts = {name: self._fitting_count(timer) for name, timer in timers.items()}
        best = dict.fromkeys(timers, float("inf"))
        for _ in range(rounds):
            for name, timer in timers.items():
                seconds = timer.timeit(counts[name]) / counts[name]
                best[name] = min(best[name], seconds)
                self._tidy()
                gc.collect(1)  # what the batch left: no way clears up after another
        return best

    def _fitting_count(self, timer: timeit.Timer) -> int:
        """Return how many fit into a batch, having warmed up."""
        count = 1
        while timer.timeit(count) < _BATCH and count < _MOST:
            self._tidy()
            count *= 2
        self._tidy()
        return count

    def pauses(self, seconds: float) -> tuple[tuple[CollectorPause, ...], int]:
        """Build for a while, a number alive at once; return the collector's pauses, and lives."""
        lives = int(min(_MOST_LIVES, max(_LEAST_LIVES, _WATCHED / seconds)))
        alive: deque[Any] = deque(maxlen=min(_AT_ONCE, lives))
        was_enabled = gc.isenabled()
        gc.collect()
        gc.enable()
        try:
            with CollectorProbe() as probe:
                for _ in range(lives):
                    alive.append(_leave(self._build()))
                return probe.take(), lives
        finally:
            if not was_enabled:
                gc.disable()

    def _alive(self) -> list[Any]:
        every = [pool for each in {self._system, pools} for pool in each.all_pools()]
        return [instance for pool in every for instance in pool.active]

    def _tidy(self) -> None:
        """End what its hooks have begun, as the puff of dust in which it vanished, and the frame.

        For where nothing is reused before the next update, a batch is one frame.
        """
        for system in {self._system, pools}:
            system.despawn_where(lambda instance: id(instance) not in self._before)
        self._system.update(0.0)

    def close(self) -> None:
        """Destroy everything that was made for the trial."""
        self._tidy()
        for prefab in self._prefabs:
            self._system.pool(prefab).clear()


def _barest_of(instance: object) -> type:
    if isinstance(instance, PooledSprite):
        return PooledSprite
    if isinstance(instance, pygame.sprite.Sprite):
        return _PlainSprite
    return IPoolableComponent if isinstance(instance, IPoolableComponent) else _Bare


def _silenced(instance: object, base: type) -> type[Any]:
    """Return a class whose hooks want what those of `instance` want, and do nothing."""
    hooks = {}
    for name in _HOOKS:
        hook = getattr(type(instance), name, None)
        if hook in {None, getattr(IPoolableComponent, name)} or not _is_the_games(instance):
            continue

        def silent(*_: Any, **__: Any) -> None:
            """Do nothing."""

        silent.__signature__ = inspect.signature(hook)  # type: ignore[attr-defined]
        hooks[name] = silent
    return type(type(instance).__name__, (base,), hooks)


def _is_the_games(instance: object) -> bool:
    return not type(instance).__module__.startswith("poolkit.")


def _groups_of(instance: Any) -> list[Any]:
    return instance.groups() if isinstance(instance, pygame.sprite.Sprite) else []


def _leave(instance: Any) -> Any:
    """Take an instance out of what its constructor joined."""
    if isinstance(instance, pygame.sprite.Sprite):
        pygame.sprite.Sprite.kill(instance)
    return instance


def _microseconds(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:.1f}" if micro >= 0.1 else f"{micro:.2f}"  # noqa: PLR2004 - else 0.0
