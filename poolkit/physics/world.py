"""The physics world: a pymunk space in which lives begin and end at any time."""

from __future__ import annotations

import sys
import weakref
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pymunk

from poolkit.core.clock import checked_seconds
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.saving import never_saved
from poolkit.core.seams import worlds
from poolkit.physics.chipmunk import callbacks_to, insertion_id
from poolkit.physics.events import MOMENTS, Callback, Events, living_sprite_of
from poolkit.physics.snapshot import owner_of
from poolkit.physics.space_queue import SpaceQueue, queue_of
from poolkit.physics.sync import SpriteSync
from poolkit.sprites.position import checked_circle
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.sprites.position import Pair

_LONGEST_FRAME = 0.25  # seconds: if one takes longer, the simulation slows down
_ALMOST_ONE = 1 - 1e-9  # of a step: frame times are rounded, but sixty of 1/60 s make sixty steps

A = TypeVar("A", bound=PooledSprite)
B = TypeVar("B", bound=PooledSprite)


@never_saved
class PhysicsWorld:
    """A pymunk space for pooled sprites, stepped at a fixed rate.

    Bodies enter and leave the space when a step is over, in the order asked for, so equal runs give
    equal results: also in a used world, after a reset that leaves no life with a body in it. You
    can step `space` yourself, too; then errors in callbacks of pymunk's own go to
    `sys.unraisablehook`, as without poolkit.

    Args:
        space: The space to use; default: a new one. A space has at most one world.
        gravity: Pixels per second per second, as ``(x, y)``; y points down, as on the screen.
        timestep: Seconds of one step of the simulation.
        interpolate: Show sprites between the last two steps, so they move evenly, up to a step
            behind their bodies. A body that you put somewhere else is shown there at once.

    Attributes:
        space: The pymunk space.
        timestep: Seconds of one step.

    Raises:
        PoolError: The space has a world already.
        ValueError: `timestep` is not above 0.
    """

    def __init__(
        self,
        space: pymunk.Space | None = None,
        *,
        gravity: tuple[float, float] = (0, 0),
        timestep: float = 1 / 60,
        interpolate: bool = False,
    ) -> None:
        checked_seconds(timestep, "timestep", least=1e-6)
        space = pymunk.Space() if space is None else space
        if not isinstance(space, pymunk.Space):
            message = f"space must be a pymunk.Space, not {space!r}; pass gravity by name"
            raise TypeError(message)
        try:
            if tuple(gravity) != (0, 0):
                space.gravity = gravity
        except TypeError:
            message = f"gravity must be two numbers (x, y), not {gravity!r}"
            raise TypeError(message) from None
        if queue_of(space) is not None:
            message = f"{space!r} has a PhysicsWorld already: share that one"
            raise PoolError(message)
        self.space = space
        self.timestep = timestep
        self._accumulator = 0.0
        self._events = Events(space)
        self._sync = SpriteSync(space, interpolate=interpolate)
        # It dies before any finalizer of what is collected with the world is called, and refers to
        # nothing that could refer to the world, such as the game's callbacks.
        finalizer = weakref.finalize(self, bool)
        self._queue = SpaceQueue(space, self._events, self._sync, finalizer)
        worlds.add(self)

    def step(self, dt: float) -> int:
        """Let `dt` seconds pass in fixed steps, then move the sprites to their bodies.

        The time that is left over is kept for the next call. If a frame takes more than a quarter
        of a second, the simulation slows down.

        Returns:
            The number of steps. After a step that raised, the next call makes the rest.

        Raises:
            BaseException: What any callback or hook raised in these steps, `KeyboardInterrupt`
                included, once the world is consistent; several errors as a group.
            PoolError: It was called inside a step.
            ValueError: `dt` is negative or not finite.
        """
        checked_seconds(dt, "step()")
        queue, errors = self._queue, self._events.errors
        if queue.is_locked:
            message = "step() was called inside a physics step: call it from your game loop"
            raise PoolError(message)
        timestep, enough = self.timestep, self.timestep * _ALMOST_ONE
        interpolation = self._sync.interpolation
        self._accumulator = min(self._accumulator + dt, max(_LONGEST_FRAME, timestep))
        steps = 0
        try:  # before anything else: Ctrl-C may come anywhere
            queue.is_stepping = True
            with callbacks_to(errors):
                queue.flush()
                while self._accumulator >= enough and not errors.errors:
                    self._accumulator = max(0.0, self._accumulator - timestep)
                    if interpolation is not None and self._accumulator < enough:
                        interpolation.before_last_step()
                    self.space.step(timestep)  # it adds what it raises to `errors`
                    steps += 1
        finally:
            queue.is_stepping = False
        if interpolation is not None:
            if steps:
                interpolation.after_last_step(timestep)
            interpolation.fraction = min(1.0, self._accumulator / timestep)
        self._sync.move_sprites(errors, all_of_them=False)
        if errors.errors:
            errors.raise_now("callbacks of a physics step raised")
        return steps

    def sync(self) -> None:
        """Move all active sprites to their bodies. Call it after moving bodies by hand.

        `step` moves them too, except those whose bodies are static or asleep and haven't moved.

        Raises:
            BaseException: What moving some of them raised; all others were moved.
        """
        errors = ErrorCollector()
        self._sync.move_sprites(errors, all_of_them=True)
        errors.raise_all("sprites could not follow their bodies")

    @overload
    def sprite_of(self, shape_or_body: pymunk.Shape | pymunk.Body) -> PooledSprite | None: ...
    @overload
    def sprite_of(self, shape_or_body: pymunk.Shape | pymunk.Body, kind: type[A]) -> A | None: ...
    def sprite_of(
        self, shape_or_body: pymunk.Shape | pymunk.Body, kind: type[Any] = PooledSprite
    ) -> Any:
        """Return the sprite that a shape or body belongs to, in O(1).

        Returns:
            The sprite; `None` if this world has none, or it isn't a `kind`. For a type checker,
            ``sprite_of(shape, Phone)`` is a ``Phone | None``.

        Raises:
            TypeError: It is neither a shape nor a body.
        """
        if isinstance(shape_or_body, pymunk.Shape):
            owner = owner_of(shape_or_body.body)
        elif isinstance(shape_or_body, pymunk.Body):
            owner = owner_of(shape_or_body)
        else:
            message = f"sprite_of takes a shape or a body, not {shape_or_body!r}"
            raise TypeError(message)
        if owner is None or owner.queue is not self._queue:
            return None
        return owner.sprite if isinstance(owner.sprite, kind) else None

    @overload
    def near(self, point: Pair, radius: float) -> list[PooledSprite]: ...
    @overload
    def near(self, point: Pair, radius: float, kind: type[A]) -> list[A]: ...
    def near(self, point: Pair, radius: float, kind: type[Any] = PooledSprite) -> Any:
        """Return the living sprites of a class near a point, the nearest first.

        A sprite is as near as the nearest of its shapes, sensors included. Inside a shape the
        distance is negative. As in all queries of pymunk, shapes whose filter has an empty mask or
        no categories aren't found, nor are bodies that enter the space when the step is over.

        Args:
            point: ``(x, y)`` in pixels.
            radius: At most so many pixels from the point to the edge of a shape.
            kind: The class, subclasses included.

        Raises:
            TypeError: The point isn't two numbers, or `kind` isn't a class of sprites.
            ValueError: `point` or `radius` is not finite, or `radius` is negative.
        """
        _check_kind(kind, "near takes a class of PooledSprites")
        x, y = checked_circle(point, radius, most=sys.float_info.max)
        # pymunk leaves out what is exactly so far away.
        hits = self.space.point_query((x, y), nextafter(radius, inf), pymunk.ShapeFilter())
        # At equal distances, in the order in which the shapes entered the space.
        hits.sort(key=lambda hit: (hit.distance, insertion_id(hit.shape)))
        sprites = [living_sprite_of(hit.shape) for hit in hits]
        # By id: a game's sprites may compare equal.
        return [*{id(sprite): sprite for sprite in sprites if isinstance(sprite, kind)}.values()]

    def on_contact(
        self, first: type[A], second: type[B], function: Callable[[A, B, pymunk.Arbiter], object]
    ) -> Callable[[], None]:
        """Call ``function(a, b, arbiter)`` whenever sprites of two classes begin to touch.

        `a` is a sprite of the first class, `b` of the second, subclasses included, and both are
        alive. If the function returns `False`, they pass through each other until they part. It is
        called inside the step, whatever collision types the shapes have, after the `begin`
        callbacks of `on_collision` and `space.on_collision`. `step` raises what it raises.

        Returns:
            A function that removes it.

        Raises:
            TypeError: These aren't two classes of pooled sprites and a function.
        """
        for kind in (first, second):
            _check_kind(kind, "on_contact takes two classes of PooledSprites first")
        if not callable(function):
            message = f"on_contact calls a function of two sprites, not {function!r}"
            raise TypeError(message)
        return self._events.add_contact(first, second, function)

    def on_collision(
        self,
        collision_type_a: int | None = None,
        collision_type_b: int | None = None,
        begin: Callback | None = None,
        pre_solve: Callback | None = None,
        post_solve: Callback | None = None,
        separate: Callback | None = None,
        data: Any = None,
    ) -> Callable[[], None]:
        """Call back on collisions as `pymunk.Space.on_collision` does, but only for living sprites.

        `begin`, `pre_solve` and `post_solve` aren't called when the life of either sprite is over.
        `separate` is called when the step is over, in a fixed order, with a `Separation` as its
        arbiter. `step` raises what they raise.

        A later call for the same two types replaces an earlier one, as in pymunk. So does a call of
        `space.on_collision`, whose callbacks are called for ended lives, too.

        Returns:
            A function that takes these callbacks off, except those that were replaced.
        """
        callbacks = dict(zip(MOMENTS, (begin, pre_solve, post_solve, separate), strict=True))
        return self._events.listen((collision_type_a, collision_type_b), callbacks, data)

    def remove(self, *objects: pymunk.Shape | pymunk.Constraint | pymunk.Body) -> None:
        """Remove shapes, joints and bodies of the game's own from the space.

        They leave at once; inside a step, when it is over. What isn't in this space by then is left
        alone, so two lives may both take their joint away. As in pymunk, the shapes and joints of a
        body don't leave with it: list them too.

        Raises:
            TypeError: Something is neither a shape nor a joint nor a body.
        """
        for part in objects:
            if not isinstance(part, (pymunk.Shape, pymunk.Constraint, pymunk.Body)):
                message = f"remove takes shapes, joints and bodies, not {part!r}"
                raise TypeError(message)
        self._queue.run_or_defer(self._queue.remove, objects)

    def _begin_scene(self) -> None:
        """Become as a new world for the next level, if no life with a body is left in this one."""
        if all(owner_of(body) is None for body in self.space.bodies):
            self._accumulator = 0.0
            self._sync.begin_scene()
            self._queue.is_at_start = True

    @property
    def is_stepping(self) -> bool:
        """Whether a step, or the work at its end, is under way; `space.step` included."""
        return self._queue.is_locked

    def __repr__(self) -> str:
        return f"<PhysicsWorld(num_bodies={len(self.space.bodies)})>"


def _check_kind(kind: object, what: str) -> None:
    if not (isinstance(kind, type) and issubclass(kind, PooledSprite)):
        message = f"{what}, not {kind!r}"
        raise TypeError(message)
