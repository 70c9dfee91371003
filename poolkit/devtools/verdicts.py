"""Does pooling pay for this prefab, on this machine? Measured, and said in a sentence."""

from __future__ import annotations

import gc
import math
import statistics
import sys
import time
import timeit
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.seams import context_of
from poolkit.core.settings import checked_count
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.by_hand import LifeByHand
from poolkit.devtools.frames import CollectorProbe
from poolkit.devtools.leftovers import physics_worlds
from poolkit.devtools.trial import Trial, checked_system

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.system import AnyPrefab
    from poolkit.devtools.trial import SpawnData

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
    prefab: AnyPrefab,
    *,
    data: SpawnData = None,
    rounds: int = 100,
    system: PoolingSystem = pools,
) -> Verdict:
    """Measure whether pooling pays for a prefab, in about a second.

    A life from a pool is compared with one as a game without poolkit would write it: a plain sprite
    that runs the same statements (constructor, parts, `awake`, hooks with the data), joins the same
    groups, and is dropped; its bodies are added to their space and removed. What the garbage
    collector takes for it counts too. Both are timed `rounds` times, in turns, in processor time.

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
    trial, errors = Trial(prefab, system), ErrorCollector()

    def tidy() -> None:
        """End what its hooks began, and the frame."""
        trial.end_lives(1)
        if context_of(system).reuse == "next_update":
            system.update(0.0)
        else:  # or the clock warns of updates that never come
            context_of(system).clock.advance(0.0)
        for world in physics_worlds():
            if not world.space.bodies:  # a space that never steps gets slower with each body
                world.space.step(_BATCH)

    with errors:
        trial.ask_for_data(trial.sample_data, data)
        tried, spawn_data = trial.prefab, trial.data
        instance = system.spawn(tried, **spawn_data)
        by_hand = LifeByHand(instance, spawn_data, system)
        system.despawn(instance)
        with by_hand.building():
            reuse = lambda: system.despawn(system.spawn(tried, **spawn_data))  # noqa: E731
            built, reused = _seconds(by_hand, reuse, rounds, tidy)
            paused = _paused(by_hand, built, tidy)
    trial.close(errors)
    errors.raise_all(f"the verdict on {trial.name}")
    return Verdict(trial.name, built + paused, reused, paused)


def _seconds(
    by_hand: LifeByHand,
    reuse: Callable[[], object],
    rounds: int,
    tidy: Callable[[], None],
) -> tuple[float, float]:
    """Return the seconds of a life built, and of one from a pool.

    They are timed in turns, so that both meet the same machine: each turn gives the ratio of their
    best batches, and the median of these ratios counts.
    """

    def batch(timer: timeit.Timer, lives: int) -> float:
        by_hand.is_building = timer is timers[0]
        seconds = timer.timeit(lives)
        by_hand.is_building = False
        tidy()
        gc.collect(1)  # no way clears up after another
        return seconds / lives

    timers = [timeit.Timer(way, timer=_clock) for way in (by_hand.live, reuse)]
    lives = []
    for timer in timers:
        once = min(batch(timer, 2) for _ in range(5))
        lives.append(max(1, round(_BATCH / max(once, _LEAST))))
    best: list[tuple[float, ...]] = []
    for size in _sizes_of_turns(rounds):
        pairs = [tuple(map(batch, timers, lives)) for _ in range(size)]
        best.append(tuple(map(min, zip(*pairs, strict=True))))
    reused = statistics.median(seconds for _, seconds in best)
    return reused * statistics.median(by_hand / pooled for by_hand, pooled in best), reused


def _sizes_of_turns(rounds: int) -> list[int]:
    turns = math.isqrt(rounds)
    return [rounds // turns + (turn < rounds % turns) for turn in range(turns)]


def _paused(by_hand: LifeByHand, seconds: float, tidy: Callable[[], None]) -> float:
    """Return the seconds that the collector pauses for each life that is built."""
    lives = int(min(5_000, max(50, _WATCHED / seconds)))
    runs = []
    for _ in range(5):
        alive: deque[Any] = deque(maxlen=_AT_ONCE)
        gc.collect()
        by_hand.is_building = True
        with CollectorProbe(_clock) as probe:
            alive.extend(by_hand.live() for _ in range(lives))
            runs.append(sum(pause.seconds for pause in probe.take()))
        by_hand.is_building = False
        tidy()
    return min(runs) / lives


def _microseconds(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:.1f}" if micro >= 0.1 else f"{micro:.2f}"  # noqa: PLR2004 - else 0.0
