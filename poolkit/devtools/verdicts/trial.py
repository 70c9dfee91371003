"""One prefab on trial: its lives with new instances, and with instances from a pool."""

from __future__ import annotations

import tracemalloc
from collections import deque
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.settings import PoolSettings
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.collector_probe import CollectorProbe
from poolkit.devtools.verdicts.sentence import Pauses
from poolkit.sprites import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.prefab import Prefab

__all__ = ["Trial"]

_AT_REST = 32
_SAMPLES = 20
_AT_ONCE = 500  # a game's lives last, and so outlive the collector's first looks


class Trial:
    """A prefab in a system, ready to be built, and to be spawned and despawned, many times.

    Attributes:
        name: The prefab's name.
    """

    def __init__(self, prefab: Prefab[Any], system: PoolingSystem, data: dict[str, Any]) -> None:
        """Try one life, which raises what is wrong with it."""
        self.name = prefab.name
        self._system = system
        self._data = data
        self._before = self._alive()
        # Nothing but the pool itself is measured: no limit is reached, nothing trimmed.
        settings = PoolSettings(prespawn=_AT_REST, order=prefab.settings.order)
        self._build = prefab.factory
        self._prefab = prefab.variant(
            factory=_named(prefab), settings=settings, pooling=True, persistent=False
        )
        self._twin = self._prefab  # until it is known what kind of instance it is
        try:
            instance = system.spawn(self._prefab, **data)
            self._twin = prefab.variant(
                factory=_twin_of(instance), settings=settings, pooling=True, persistent=False
            )
            self._images = set(_sheets([instance]))
            self.reuse_twin(1)
        except BaseException:
            self.close()
            raise
        self.tidy()

    def build(self, count: int) -> None:
        """Build so many, and drop each at once."""
        factory = self._build
        for _ in range(count):
            factory()

    def reuse(self, count: int) -> None:
        """Spawn and despawn so many."""
        system, prefab, data = self._system, self._prefab, self._data
        for _ in range(count):
            system.despawn(system.spawn(prefab, **data))

    def reuse_twin(self, count: int) -> None:
        """Spawn and despawn so many of the same kind without hooks, parts and physics."""
        system, twin = self._system, self._twin
        for _ in range(count):
            system.despawn(system.spawn(twin))

    def tidy(self) -> None:
        """End what its hooks have begun, as the puff of dust in which it vanished."""
        for system in {self._system, pools}:
            system.despawn_where(lambda instance: id(instance) not in self._before)

    def close(self) -> None:
        """Destroy everything that was made for the trial."""
        self.tidy()
        for pool in self._system.all_pools():
            if pool.prefab in {self._prefab, self._twin}:
                pool.clear()

    # -- memory -------------------------------------------------------------------------------

    def bytes_built(self) -> float:
        """Return the bytes that a new instance takes."""
        factory = self._build
        built: list[Any] = []

        def work() -> None:
            built.extend(factory() for _ in range(_SAMPLES))

        taken = _bytes_left_by(work)
        sheets = _sheets(built)
        pixels = sum(size for number, size in sheets.items() if number not in self._images)
        return max(0.0, (taken + pixels) / _SAMPLES)

    def bytes_left(self) -> float:
        """Return the bytes of Python's memory that a reuse leaves behind."""

        def work() -> None:
            self.reuse(_AT_REST)
            self.tidy()

        # Twice: what replaces a thing from before, which was not counted, seems to be left.
        return max(0.0, _bytes_left_by(work, work) / _AT_REST)

    def pauses_of_building(self, lives: int) -> Pauses:
        """Build so many, of which a number is alive at once, and watch the collector."""
        factory = self._build
        alive: deque[Any] = deque(maxlen=min(_AT_ONCE, lives))
        with CollectorProbe() as probe:
            for _ in range(lives):
                alive.append(factory())
            return Pauses.of(lives, probe.take())

    def pauses_of_reusing(self, lives: int) -> Pauses:
        """Spawn so many, of which a number is alive at once, and watch the collector."""
        system, prefab, data = self._system, self._prefab, self._data
        at_once = min(_AT_ONCE, lives)
        system.prespawn(prefab, at_once + 1)
        alive: deque[Any] = deque()
        with CollectorProbe() as probe:
            for number in range(lives):
                alive.append(system.spawn(prefab, **data))
                if number >= at_once:
                    system.despawn(alive.popleft())
            pauses = probe.take()
        self.tidy()
        return Pauses.of(lives, pauses)

    def _alive(self) -> set[int]:
        return {
            id(instance)
            for system in (self._system, pools)
            for pool in system.all_pools()
            for instance in pool.active
        }


class _Bare:
    """Any object, with no hooks."""


class _BareSprite(pygame.sprite.Sprite):
    """A plain sprite, with no hooks."""

    def __init__(self, image: pygame.Surface | None) -> None:
        super().__init__()
        self.image = image
        self.rect = pygame.FRect(0, 0, 1, 1) if image is None else image.get_frect()


def _named(prefab: Prefab[Any]) -> Callable[[], object]:
    """Return the prefab's factory, called by the prefab's name: so its variant is in errors."""

    def build() -> object:
        return prefab.factory()

    build.__name__ = prefab.name
    return build


def _twin_of(instance: object) -> Callable[[], object]:
    """Return what builds the simplest instance of the same kind."""
    if not isinstance(instance, pygame.sprite.Sprite):
        return _Bare
    kind = PooledSprite if isinstance(instance, PooledSprite) else _BareSprite
    image = getattr(instance, "image", None)

    def build() -> pygame.sprite.Sprite:
        return kind(image)

    return build


def _sheets(instances: Iterable[object]) -> dict[int, int]:
    """Return the bytes of the surfaces that instances show, by identity."""
    images = [getattr(instance, "image", None) for instance in instances]
    sheets = [image.get_abs_parent() for image in images if isinstance(image, pygame.Surface)]
    return {id(sheet): sheet.get_pitch() * sheet.get_height() for sheet in sheets}


def _bytes_left_by(work: Callable[[], object], settle: Callable[[], object] | None = None) -> int:
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        if settle is not None:
            settle()
        before, _ = tracemalloc.get_traced_memory()
        work()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return after - before
