"""Measures building against reusing, in turns, with the heap and the collector of a game."""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Any

from poolkit.core.errors import PoolError
from poolkit.core.settings import checked_count
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.verdicts.sentence import Spread, Verdict
from poolkit.devtools.verdicts.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poolkit.core.prefab import AnyPrefab

__all__ = ["verdict"]

_BATCH = 0.0005  # seconds that a batch takes: less than a busy machine lets a process run
_MOST = 2_000  # instances a batch
_WATCHED = 0.25  # seconds of lives during which the collector is watched
_LEAST_LIVES, _MOST_LIVES = 50, 5_000
_LEAST_ROUNDS = 3


def verdict(
    prefab: AnyPrefab,
    *,
    data: Mapping[str, Any] | None = None,
    heap: int = 100_000,
    rounds: int = 60,
    system: PoolingSystem | None = None,
    progress: Callable[[float], object] | None = None,
) -> Verdict:
    """Measure whether pooling pays for a prefab, here and now.

    New and reused instances are measured in turns, so that a machine which is busy for a while
    disturbs both alike. It takes about a second; nothing of the game's is changed.

    Args:
        prefab: A `Prefab`, a class or function, or the name of a prefab.
        data: The spawn data that its hooks require.
        heap: How many other objects are alive meanwhile, as in a game: the collector's full passes
            look at all of them.
        rounds: How often each is measured.
        system: Where to spawn; default: a system of its own. Name the game's if the prefab's hooks
            ask it about the instance.
        progress: Called with the share that is done, from 0 to 1.

    Raises:
        PrefabError: `prefab` is none, or its factory fails.
        TypeError: Its hooks require data that is not given, or `rounds` is no whole number.
        ValueError: There are too few rounds.
        PoolError: The system is not as it is in play: strict mode, chaos, or ``pooling=False``.

    Examples:
        >>> class Spark: ...
        >>> verdict(Spark, heap=0, rounds=5).pays
        False
    """
    checked_count(heap, "heap")
    checked_count(rounds, "rounds", least=_LEAST_ROUNDS)
    own = PoolingSystem() if system is None else system
    context = own._context
    if (
        context.life_watchers
        or context.disorder
        or context.reuse != "at_once"
        or not context.pooling
    ):
        message = (
            f"{own!r} is not as it is in play: leave strict mode, chaos and pooling=False, "
            "or let the verdict use a system of its own"
        )
        raise PoolError(message)
    names = pools if system is None and isinstance(prefab, str) else own
    tell = progress or _tell_nobody
    trial = Trial(names._catalogue.resolve(prefab), own, dict(data or {}))
    was_enabled = gc.isenabled()
    others: list[list[object]] = [[] for _ in range(heap)]
    try:
        gc.collect()
        gc.disable()
        return _judged(trial, rounds, len(others), tell)
    finally:
        if was_enabled:
            gc.enable()
        trial.close()
        if system is None:
            own.dispose()


def _judged(trial: Trial, rounds: int, heap: int, tell: Callable[[float], object]) -> Verdict:
    ways = (trial.build, trial.reuse, trial.reuse_twin)
    counts = [_fitting_count(trial, way) for way in ways]
    times: list[list[float]] = [[] for _ in ways]
    for number in range(rounds):
        tell(0.9 * number / rounds)
        for way, count, seconds in zip(ways, counts, times, strict=True):
            seconds.append(_time(way, count) / count)
            trial.tidy()
            gc.collect(1)  # what the batch left: neither side clears up after the other
    built, reused, bare = times
    # What hooks, parts and physics cost: a life that is built anew has them as well.
    life = statistics.median(one - other for one, other in zip(reused, bare, strict=True))
    built = [seconds + max(0.0, life) for seconds in built]
    tell(0.9)
    build_bytes, reuse_bytes = trial.bytes_built(), trial.bytes_left()
    gc.enable()
    build_pauses = trial.pauses_of_building(_fitting_lives(statistics.median(built)))
    tell(0.95)
    gc.collect()
    reuse_pauses = trial.pauses_of_reusing(_fitting_lives(statistics.median(reused)))
    gc.disable()
    built = [seconds + build_pauses.a_life for seconds in built]
    reused = [seconds + reuse_pauses.a_life for seconds in reused]
    result = Verdict(
        trial.name,
        build=Spread.of(built),
        reuse=Spread.of(reused),
        ratio=Spread.of([one / other for one, other in zip(built, reused, strict=True)]),
        build_bytes=build_bytes,
        reuse_bytes=reuse_bytes,
        heap=heap,
        build_pauses=build_pauses,
        reuse_pauses=reuse_pauses,
    )
    tell(1.0)
    return result


def _finest_clock() -> Callable[[], float]:
    # Time that the processor spent on this process is not lengthened by others, but some systems
    # count it in steps that are longer than a batch.
    resolution = time.get_clock_info("process_time").resolution
    return time.process_time if resolution <= _BATCH / 100 else time.perf_counter


_clock = _finest_clock()


def _time(way: Callable[[int], None], count: int) -> float:
    began = _clock()
    way(count)
    return _clock() - began


def _fitting_count(trial: Trial, way: Callable[[int], None]) -> int:
    """Return how many fit into a batch, having warmed up."""
    count = 1
    while True:
        seconds = _time(way, count)
        trial.tidy()
        if seconds >= _BATCH or count >= _MOST:
            return count
        count = min(_MOST, count * 2)


def _fitting_lives(seconds: float) -> int:
    return int(min(_MOST_LIVES, max(_LEAST_LIVES, _WATCHED / seconds)))


def _tell_nobody(_: float) -> None:
    """Show no progress."""
