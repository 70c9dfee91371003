"""Sprites whose rects the game moves behind their bodies' backs."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.devtools.leftovers import physics_worlds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poolkit.core.context import SystemContext
    from poolkit.core.record import PoolablePrefabData

    Life = tuple[PoolablePrefabData[Any], int]  # whose, and its number

_log = logging.getLogger("poolkit")
_EXACTLY = 0.01  # pixels: a rect keeps fewer digits than a body
_ROUNDED = 1.0  # pixels, where a rect is one of whole ones


def watch_rects(context: SystemContext) -> None:
    """Tell of sprites with bodies whose rects the game moves: the next sync undoes that.

    What moves sprites to their bodies does not look at where they are, so it is looked at before
    each step of a world: of those there are by now, `step` is one of ours from here on.
    """
    for world in physics_worlds():
        vars(world).setdefault("step", _WatchedStep(world)).contexts.add(context)


def unwatch_rects(context: SystemContext) -> None:
    """Tell no more of the sprites of a system."""
    for world in physics_worlds():
        step = vars(world).get("step")
        if step is not None:
            step.contexts.discard(context)
            if not step.contexts:
                del vars(world)["step"]


class _WatchedStep:
    """Stands for the method `step` of one world.

    Attributes:
        contexts: The systems whose sprites are looked at.
    """

    def __init__(self, world: Any) -> None:
        self.contexts: weakref.WeakSet[SystemContext] = weakref.WeakSet()
        self._world = weakref.ref(world)  # no cycle: a world is freed as ever
        self._put: dict[Life, Sequence[float]] = {}  # where the last step has put sprites
        self._told: set[Life] = set()

    def __call__(self, dt: float) -> int:
        """Do what `PhysicsWorld.step` does, and look before and after."""
        __tracebackhide__ = True
        world: Any = self._world()
        for life, sprite, body in self._driven(world):
            place, here = self._put.get(life), sprite.position
            allowed = _ROUNDED if isinstance(sprite.rect, pygame.Rect) else _EXACTLY
            if place is None or life in self._told:
                continue
            if _away(here, place) > allowed and _away(here, body.position) > allowed:
                self._told.add(life)
                _log.warning(
                    "the rect of %s was moved from %s to %s, but its body was not, so the next "
                    "step moves it back: assign sprite.position, which moves its bodies too",
                    life[0].label,
                    tuple(map(round, place)),
                    tuple(map(round, here)),
                )
        try:
            steps: int = type(world).step(world, dt)
            return steps
        finally:
            self._put = {life: tuple(sprite.position) for life, sprite, _ in self._driven(world)}
            self._told &= self._put.keys()

    def _driven(self, world: Any) -> Iterator[tuple[Life, Any, Any]]:
        for rigid in world._sync._moving.values():
            record = rigid.sprite._pool_data
            is_ours = record is not None and record.pool._context in self.contexts
            if is_ours and record.active and rigid.sprite.rect is not None:
                yield (record, record.generation), rigid.sprite, rigid.body


def _away(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
