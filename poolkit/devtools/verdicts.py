"""Does pooling pay for this prefab, on this machine? Measured, and said in a sentence."""

from __future__ import annotations

import gc
import sys
import time
import timeit
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import DirtySprite, Sprite

from poolkit.core.errors import PoolError
from poolkit.core.hooks import IPoolableComponent
from poolkit.core.seams import context_of
from poolkit.core.settings import PoolSettings, checked_count
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.given import checked_system, meant_prefab, spawn_data
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.prefab import Prefab
    from poolkit.devtools.given import SpawnData

# The processor's time, which other programs don't disturb; on Windows that clock ticks too seldom.
_clock = time.perf_counter if sys.platform == "win32" else time.thread_time
_PAYS = 1.5  # times: a smaller gain isn't worth changing a game
_PAYS_NOT = 0.8
_BATCH = 0.0005  # seconds that a batch takes: less than a busy machine lets a process run
_LEAST = _BATCH / 2_000  # of a life, so that a batch has 2,000 lives at most
_WATCHED = 0.15  # seconds of lives during which the collector is watched
_AT_ONCE = 500  # alive at once, so that they outlive the collector's first passes


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether pooling pays for a prefab; `str()` says it in a sentence.

    Attributes:
        name: The prefab's name.
        build: Seconds that a life costs without poolkit, the collector's share included.
        reuse: Seconds that a life costs with an instance from a pool.
        paused: Seconds of `build` that are the collector's.

    Examples:
        >>> str(Verdict("orc", build=31.4e-6, reuse=2.3e-6))
        'orc: 31.4 µs to build, 2.3 µs to reuse, 14 times; pooling pays'
    """

    name: str
    build: float
    reuse: float
    paused: float = 0.0

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
        build, reuse = _microseconds(self.build), _microseconds(self.reuse)
        if self.pays:
            times = f"{self.times:.0f}" if self.times >= 10 else f"{self.times:.1f}"  # noqa: PLR2004
            cost = f"{build} µs to build, {reuse} µs to reuse, {times} times"
            return f"{self.name}: {cost}; pooling pays"
        judged = "pooling does not pay" if self.pays is False else "too close to call"
        return f"{self.name}: {build} µs against {reuse}; {judged}"


def verdict(
    prefab: Prefab[Any] | Callable[[], Any] | str,
    *,
    data: SpawnData | Callable[[], SpawnData] = None,
    rounds: int = 100,
    system: PoolingSystem = pools,
) -> Verdict:
    """Measure whether pooling pays for a prefab, in about a second.

    A life from a pool is compared with a plain sprite that is built, added to its groups, and
    killed. What the constructor, the hooks and the parts do counts on both sides. Each way is timed
    `rounds` times, in turns, in processor time, and the best time counts.

    Args:
        prefab: A `Prefab`, a class or function, or the name of a prefab.
        data: Spawn data for its hooks, over that of its `sample_data`; or a function that returns
            it, which may spawn the parent.
        rounds: How often to time each way, at least 3 times.
        system: Where to spawn. What its hooks spawn there is despawned.

    Raises:
        PrefabError: `prefab` isn't a prefab, or its factory fails.
        TypeError: Its hooks require data that is not given.
        PoolError: The system is in strict mode, or has ``pooling=False``.

    Examples:
        >>> class Spark: ...
        >>> verdict(Spark, rounds=5).pays
        False
    """
    rounds = checked_count(rounds, "rounds", least=3)
    checked_system(system, "verdict()")
    if context_of(system).life_watchers or not context_of(system).pooling:
        message = (
            f"{system!r} is not as it is in play: leave strict mode and pooling=False, or let the "
            "verdict use another, as system=PoolingSystem()"
        )
        raise PoolError(message)
    prefab = meant_prefab(prefab, system)
    known, before = set(system.all_pools()), _lives(system)
    spared = set(before)

    def tidy() -> None:
        """End what its hooks began, and the frame."""
        system.despawn_where(lambda instance: id(instance) not in spared)
        if context_of(system).reuse == "next_update":
            system.update(0.0)
        else:  # or the clock warns of updates that never come
            context_of(system).clock.advance(0.0)

    try:
        given = {**spawn_data(prefab.sample_data), **spawn_data(data)}
        spared |= _lives(system)  # the data's own lives last until the end
        ways = _ways(prefab, given, system)
        seconds = _seconds(ways, rounds, tidy)
        paused = _paused(ways["build"], seconds["build"])
    finally:
        spared &= before
        tidy()
        for pool in system.all_pools():
            if pool not in known:
                pool.clear()
    # Without the pool's own cost, which a game without poolkit doesn't have.
    constructor = max(0.0, seconds["build"] - seconds["build the barest"])
    hooks = max(0.0, seconds["reuse"] - seconds["reuse the barest"])
    build = seconds["plain"] + constructor + hooks + paused
    return Verdict(prefab.name, build, seconds["reuse"], paused)


def _lives(system: PoolingSystem) -> set[int]:
    return {id(instance) for pool in system.all_pools() for instance in pool.active}


def _ways(
    prefab: Prefab[Any], data: dict[str, Any], system: PoolingSystem
) -> dict[str, Callable[[], object]]:
    """Return what is timed: a life, or a part of one, of the prefab or of the barest sprite."""
    # Nothing but the pool itself is measured: it has no limits.
    settings = PoolSettings(order=prefab.settings.order)
    tried = prefab.variant(settings=settings, persistent=False, pooling=True)
    instance = system.spawn(tried, **data)
    image, is_sprite = getattr(instance, "image", None), isinstance(instance, Sprite)
    groups = groups_of(instance) if is_sprite else []
    system.despawn(instance)
    built = prefab.factory()
    joined = groups_of(built) if is_sprite else []
    _out_of_play(built)

    # Such sprites alone may be in a pygame.sprite.LayeredDirty.
    dirty = (DirtySprite,) if isinstance(instance, DirtySprite) else ()
    plain_kind: Any = type("Plain", (_Plain, *dirty), {})
    pooled_kind: Any = type("Pooled", (PooledSprite, *dirty), {})

    def barest() -> Any:
        if not isinstance(instance, PooledSprite):
            return plain_kind(image, *joined) if is_sprite else _Part()
        bare = pooled_kind(image, *joined)
        for each in instance.components:
            if not type(each).__module__.startswith("poolkit."):
                bare.add_component(_Part())
        return bare

    def plain() -> None:
        sprite = plain_kind(image, *groups)
        sprite.rect.center = 0, 0
        sprite.kill()

    bare = tried.variant(factory=barest, groups=groups)
    return {
        "build": lambda: _out_of_play(prefab.factory()),
        "build the barest": lambda: _out_of_play(barest()),
        "reuse": lambda: system.despawn(system.spawn(tried, **data)),
        "reuse the barest": lambda: system.despawn(system.spawn(bare)),
        "plain": plain if is_sprite else object,
    }


def _seconds(
    ways: dict[str, Callable[[], object]], rounds: int, tidy: Callable[[], None]
) -> dict[str, float]:
    """Return the seconds that each way takes: the best of `rounds`, in turns."""

    def batch(timer: timeit.Timer, lives: int) -> float:
        seconds = timer.timeit(lives)
        tidy()
        gc.collect(1)  # no way clears up after another
        return seconds

    timers = {name: timeit.Timer(way, timer=_clock) for name, way in ways.items()}
    lives = dict.fromkeys(ways, 2)
    for name, timer in timers.items():
        once = min(batch(timer, lives[name]) for _ in range(5)) / lives[name]
        lives[name] = max(1, round(_BATCH / max(once, _LEAST)))
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, timer in timers.items():
            best[name] = min(best[name], batch(timer, lives[name]) / lives[name])
    return best


class _Plain(Sprite):
    """A sprite as it is written without poolkit."""

    def __init__(self, image: pygame.Surface | None, *groups: Any) -> None:
        super().__init__(*groups)
        self.image = image
        self.rect: pygame.FRect = pygame.FRect(0, 0, 1, 1) if image is None else image.get_frect()


class _Part(IPoolableComponent):
    """A component that does nothing."""


def _out_of_play(instance: Any) -> Any:
    """Take an instance out of what its constructor joined."""
    if isinstance(instance, Sprite):
        Sprite.kill(instance)
    return instance


def _paused(build: Callable[[], Any], seconds: float) -> float:
    """Return the seconds that the collector pauses for each instance that is built."""
    lives = int(min(5_000, max(50, _WATCHED / seconds)))
    runs = []
    for _ in range(5):
        alive: deque[Any] = deque(maxlen=_AT_ONCE)
        gc.collect()
        with CollectorProbe() as probe:
            probe._clock = _clock
            alive.extend(build() for _ in range(lives))
            runs.append(sum(pause.seconds for pause in probe.take()))
    return min(runs) / lives


def _microseconds(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:.1f}" if micro >= 0.1 else f"{micro:.2f}"  # noqa: PLR2004 - else 0.0
