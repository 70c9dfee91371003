"""Pooling systems for tests: strict, and closed with a look at what was not returned."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from poolkit.core.errors import ErrorCollector
from poolkit.core.seams import context_of
from poolkit.core.system import PoolingSystem, PrefabPoolingSystem
from poolkit.devtools.strict import (
    Unreturned,
    disable_strict,
    enable_strict,
    is_strict,
    unreturned,
    watch_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def fresh_system(tell: Callable[[Unreturned], object]) -> AbstractContextManager[PoolingSystem]:
    """Lend a new system in strict mode, and dispose of it.

    Then `tell` is called with the instances that were not returned, without persistent ones.
    """
    system = PoolingSystem()
    return _lent(system, system.dispose, tell)


def process_system(tell: Callable[[Unreturned], object]) -> AbstractContextManager[PoolingSystem]:
    """Lend the process's own system: strict, and reset before and afterwards.

    Prefabs, names, settings and earlier persistent lives stay. See `fresh_system` for the rest.
    """
    system = PrefabPoolingSystem
    system.reset()
    was_strict, was_pooling = is_strict(system), context_of(system).pooling
    kept = {system.handle(instance) for pool in system.all_pools() for instance in pool.active}

    def end() -> None:
        system.despawn_where(lambda instance: system.handle(instance) not in kept)
        system.reset()
        if not was_strict:
            disable_strict(system)
        system.configure(pooling=was_pooling)

    return _lent(system, end, tell)


@contextmanager
def _lent(
    system: PoolingSystem, end: Callable[[], object], tell: Callable[[Unreturned], object]
) -> Iterator[PoolingSystem]:
    enable_strict(system)
    yield system
    left, watch = unreturned(system, persistent=False), watch_of(system)
    errors = ErrorCollector()
    if watch is not None:
        errors.call(watch.check)
    errors.call(end)
    errors.raise_all("the pools of this test were not left in order")
    tell(left)
