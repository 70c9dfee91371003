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

_log = logging.getLogger("poolkit")
_EXACTLY = 0.01  # pixels: a rect keeps fewer digits than a body
_ROUNDED = 1.0  # pixels, where a rect of whole ones was turned


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
        found = [
            f"the rect of {role} was written"
            for role, rect, before in self._rects
            if tuple(rect) != before
        ]
        for body, motion in self._bodies:
            # As text where they differ: an angle may be no number.
            if (now := _motion(body)) != motion and repr(now) != repr(motion):
                found.append("a body of {} was moved")
        return found


def _motion(body: Any) -> tuple[object, ...]:
    return body.position, body.angle, body.velocity, body.angular_velocity


class RectWatch:
    """Tells of sprites with bodies whose rects the game moves: the next sync undoes that.

    What moves sprites to their bodies does not look at where they are, so it is looked at before
    each step of a world: there `step` is one of ours while somebody watches.
    """

    def __init__(self, context: SystemContext) -> None:
        self._context = context
        # Where the last step of a world has put the sprites of lives: by record, with the life.
        self._put: weakref.WeakKeyDictionary[Any, dict[Any, tuple[int, Sequence[float]]]] = (
            weakref.WeakKeyDictionary()
        )
        self._told: dict[PoolablePrefabData[Any], int] = {}

    def begin(self) -> None:
        """Look at the worlds that there are by now, too."""
        for world in physics_worlds():
            step = vars(world).get("step")
            if not isinstance(step, _WatchedStep):
                step = vars(world)["step"] = _WatchedStep(world)
            step.watches[self] = None

    def end(self) -> None:
        """Look no more."""
        for world in physics_worlds():
            step = vars(world).get("step")
            if isinstance(step, _WatchedStep):
                step.watches.pop(self, None)
                if not step.watches:
                    del vars(world)["step"]

    def forget(self, record: PoolablePrefabData[Any]) -> None:
        """Keep nothing of an instance that is gone."""
        self._told.pop(record, None)

    def _driven(self, world: Any) -> Iterator[tuple[Any, Any, PoolablePrefabData[Any]]]:
        for rigid in world._sync._moving.values():
            sprite = rigid.sprite
            record = sprite._pool_data
            is_ours = record is not None and record.pool._context is self._context and record.active
            if is_ours and sprite.rect is not None:
                yield sprite, rigid.body, record

    def before_step(self, world: Any) -> None:
        """Tell, once a life, of rects that are elsewhere than the last sync has put them."""
        put = self._put.get(world, {})
        for sprite, body, record in self._driven(world):
            life, place = put.get(record, (0, ()))
            if life != record.generation or self._told.get(record) == life:
                continue
            is_rounded = isinstance(sprite.rect, pygame.Rect) and sprite._turning is not None
            allowed = _ROUNDED if is_rounded else _EXACTLY
            here = sprite.position
            if _away(here, place) > allowed and _away(here, body.position) > allowed:
                self._told[record] = life
                _log.warning(
                    "the rect of %s was moved from %s to %s, but its body was not, so the next "
                    "step moves it back: assign sprite.position, which moves its bodies too",
                    record.label,
                    tuple(map(round, place)),
                    tuple(map(round, here)),
                )

    def after_step(self, world: Any) -> None:
        """Note where the sprites have been put."""
        self._put[world] = {
            record: (record.generation, tuple(sprite.position))
            for sprite, _, record in self._driven(world)
        }


def _away(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


class _WatchedStep:
    """Stands for the method `step` of one world."""

    def __init__(self, world: Any) -> None:
        self._world = weakref.ref(world)  # no cycle: a world is freed as ever
        self.watches: dict[RectWatch, None] = {}

    def __call__(self, dt: float) -> int:
        """Do what `PhysicsWorld.step` does, and look before and after."""
        __tracebackhide__ = True
        world: Any = self._world()
        for watch in self.watches:
            watch.before_step(world)
        try:
            steps: int = type(world).step(world, dt)
            return steps
        finally:
            for watch in list(self.watches):
                watch.after_step(world)
