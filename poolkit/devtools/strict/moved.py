"""What is moved where nobody looks: behind a life that is over, or behind a body's back."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING, Any

import pygame

from poolkit.devtools.leftovers import physics_worlds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from poolkit.core.context import SystemContext
    from poolkit.core.record import PoolablePrefabData

    Record = PoolablePrefabData[Any]

_log = logging.getLogger("poolkit")
_EXACTLY = 0.01  # pixels: a rect keeps fewer digits than a body
_ROUNDED = 1.0  # pixels, where a rect is one of whole ones


class Rest:
    """Where the rects and bodies of an instance are while it is at rest.

    The instance itself refuses to be moved; who has kept its rect or its body can move these.
    """

    __slots__ = ("_bodies", "_rects")

    def __init__(self, sprites: Iterable[tuple[str, Any]], rigids: Iterable[Any]) -> None:
        self._rects = [
            (role, rect, tuple(rect))
            for role, sprite in sprites
            if isinstance(rect := sprite.rect, pygame.FRect | pygame.Rect)
        ]
        self._bodies = [(body, _motion(body)) for rigid in rigids for body in rigid.bodies]

    def disturbed(self) -> list[str]:
        """Return what has been moved since, in words, with a place for the label in each."""
        written = (role for role, rect, before in self._rects if tuple(rect) != before)
        moved = (body for body, motion in self._bodies if _motion(body) != motion)
        return [
            *(f"the rect of {role} was written" for role in written),
            *("a body of {} was moved" for _ in moved),
        ]


def _motion(body: Any) -> str:
    # As text: an angle may be no number.
    return repr((body.position, body.angle, body.velocity, body.angular_velocity))


def watch_rects(context: SystemContext) -> None:
    """Tell of sprites with bodies whose rects the game moves: the next sync undoes that.

    What moves sprites to their bodies does not look at where they are, so it is looked at before
    each step of a world: of those there are by now, `step` is one of ours from here on.
    """
    for world in physics_worlds():
        step = vars(world).get("step")
        if not isinstance(step, _WatchedStep):
            step = vars(world)["step"] = _WatchedStep(world)
        step.contexts.add(context)


def unwatch_rects(context: SystemContext) -> None:
    """Tell no more of the sprites of a system."""
    for world in physics_worlds():
        step = vars(world).get("step")
        if isinstance(step, _WatchedStep):
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
        # Where the last step has put sprites, in which life; nowhere: that life was told of.
        self._put: dict[Record, tuple[int, Sequence[float]]] = {}

    def __call__(self, dt: float) -> int:
        """Do what `PhysicsWorld.step` does, and look before and after."""
        __tracebackhide__ = True
        world: Any = self._world()
        told = {}
        for sprite, body, record in self._driven(world):
            life, place = self._put.get(record, (0, ()))
            if life != record.generation:
                continue
            allowed = _ROUNDED if isinstance(sprite.rect, pygame.Rect) else _EXACTLY
            places = (place, body.position) if place else ()
            if all(_away(sprite.position, each) > allowed for each in places):
                told[record] = life
            if place and record in told:
                _log.warning(
                    "the rect of %s was moved from %s to %s, but its body was not, so the next "
                    "step moves it back: assign sprite.position, which moves its bodies too",
                    record.label,
                    tuple(map(round, place)),
                    tuple(map(round, sprite.position)),
                )
        try:
            steps: int = type(world).step(world, dt)
            return steps
        finally:
            self._put = {
                record: (life, () if told.get(record) == life else tuple(sprite.position))
                for sprite, _, record in self._driven(world)
                for life in [record.generation]
            }

    def _driven(self, world: Any) -> Iterator[tuple[Any, Any, Record]]:
        for rigid in world._sync._moving.values():
            record = rigid.sprite._pool_data
            is_ours = record is not None and record.pool._context in self.contexts
            if is_ours and record.active and rigid.sprite.rect is not None:
                yield rigid.sprite, rigid.body, record


def _away(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
