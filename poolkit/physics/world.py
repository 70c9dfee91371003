"""The physics world: a pymunk space in which sprites are born and die at any time."""

from __future__ import annotations

import weakref
from math import degrees
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import PoolError, raise_all
from poolkit.core.home import step_guards
from poolkit.core.timers import checked_seconds
from poolkit.physics.body_reader import BodyReader
from poolkit.physics.collisions import Callback, Collisions
from poolkit.physics.ownership import owner_of
from poolkit.sprites.links import follow_all, roots

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import PoolablePrefabData
    from poolkit.physics.rigid_body import RigidBody
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["PhysicsWorld"]

_LONGEST_FRAME = 0.25  # seconds: beyond it the simulation slows down rather than fall behind
_WORLD = "_poolkit_world"


class PhysicsWorld:
    """A pymunk space for pooled sprites, stepped at a fixed rate.

    Sprites may be spawned and despawned at any time, in collision callbacks too. The game sees it
    at once; bodies enter and leave the space when the step is over, in the order asked for, so
    that equal runs give equal results.

    A game may step `space` itself. What callbacks and hooks raise at the end of such a step goes
    to `sys.unraisablehook`, where pymunk's callbacks leave their errors too.

    Args:
        space: The space to use; default: a new one. A space has one world at most.
        gravity: Pixels per second per second, as ``(x, y)``; y points down, as on the screen.
        timestep: Seconds that one step of the simulation takes.

    Attributes:
        space: The pymunk space.
        bodies: Live view of the bodies in the space.
        shapes: Live view of the shapes in the space.
        joints: Live view of the joints in the space.
        timestep: Seconds a step.

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
    ) -> None:
        """Take charge of a space."""
        checked_seconds(timestep, "timestep", zero=False)
        if space is None:
            space = pymunk.Space()
            space.gravity = gravity
        elif not isinstance(space, pymunk.Space):
            message = f"space must be a pymunk.Space, not {space!r}; gravity is given by name"
            raise TypeError(message)
        elif tuple(gravity) != (0, 0):
            space.gravity = gravity
        other = space.__dict__.get(_WORLD)
        if other is not None and other() is not None:
            message = f"{space!r} has a PhysicsWorld already: share that one"
            raise PoolError(message)
        space.__dict__[_WORLD] = weakref.ref(self)
        self.space = space
        # Live views, asked in every despawn.
        self.bodies = space.bodies
        self.shapes = space.shapes
        self.joints = space.constraints
        self.timestep = timestep
        self._owed = 0.0
        self._stepping = False
        self._flushing = False
        self._queue: list[tuple[RigidBody, PoolablePrefabData[Any] | None, bool]] = []
        self._released: list[PoolablePrefabData[Any]] = []
        self._moving: dict[int, RigidBody] = {}
        self._reader = BodyReader(space)
        self._collisions = Collisions(self)
        step_guards.add(self)

    # -- for games ----------------------------------------------------------------------------

    def step(self, dt: float) -> int:
        """Let `dt` seconds pass in fixed steps, then move the sprites to their bodies.

        What is left over is kept for the next call. After a frame of more than a quarter of a
        second the simulation slows down instead of taking ever longer to catch up.

        Returns:
            How many steps were made.

        Raises:
            BaseException: What collision callbacks raised, once the world is consistent.
            PoolError: It is called inside a step.
            ValueError: `dt` is negative or not finite.
        """
        checked_seconds(dt, "step()")
        if self.is_stepping:
            message = "step() was called inside a physics step: call it from your game loop"
            raise PoolError(message)
        timestep = self.timestep
        self._owed = min(self._owed + dt, max(_LONGEST_FRAME, timestep))
        steps = 0
        self._stepping = True
        try:
            self._flush()
            # Sums of frame times round: sixty frames of 1/60 s are sixty steps.
            while self._owed >= timestep * (1 - 1e-9) and not self._collisions.errors:
                self._owed = max(0.0, self._owed - timestep)
                self.space.step(timestep)
                self._flush()
                steps += 1
        finally:
            self._stepping = False
        self.sync()
        self._raise_errors()
        return steps

    def sync(self) -> None:
        """Move all active sprites to their bodies. `step` does it; call it after moving bodies."""
        moving = self._moving
        if self._reader.pays_for(len(moving)):
            for rigid, x, y, angle in self._reader.read(moving):
                if rigid is not None:
                    rigid.sprite._move_to(x, y, -degrees(angle) if angle else 0.0)
        else:
            for rigid in list(moving.values()):
                rigid.move_sprite()
        if roots:
            follow_all()

    def sprite_of(self, shape_or_body: pymunk.Shape | pymunk.Body) -> PooledSprite | None:
        """Return the sprite that a shape or body belongs to, or `None`, in O(1).

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
        if owner is None or owner.world is not self:
            return None
        sprite: PooledSprite | None = getattr(owner, "sprite", None)
        return sprite

    def on_collision(
        self,
        collision_type_a: int | None = None,
        collision_type_b: int | None = None,
        begin: Callback | None = None,
        pre_solve: Callback | None = None,
        post_solve: Callback | None = None,
        separate: Callback | None = None,
        data: Any = None,
    ) -> None:
        """Call back on collisions, as `pymunk.Space.on_collision` does, with lives in mind.

        `begin`, `pre_solve` and `post_solve` are not called once the life of either sprite is
        over. `separate` is called when the step is over, in a fixed order, with a `Separation` in
        the arbiter's place. What any of them raises comes out of `step`, once the world is
        consistent; pymunk alone would print it and go on.
        """
        collisions = self._collisions
        self.space.on_collision(
            collision_type_a,
            collision_type_b,
            begin=collisions.guarded(begin),
            pre_solve=collisions.guarded(pre_solve),
            post_solve=collisions.guarded(post_solve),
            separate=collisions.deferred(separate, (collision_type_a, collision_type_b)),
            data=data,
        )

    @property
    def is_stepping(self) -> bool:
        """Whether a step, or what belongs to its end, is under way; `space.step` included."""
        # pymunk tells by no public name that a space is locked.
        return self._stepping or self._flushing or self.space._locked

    @property
    def is_in_own_step(self) -> bool:
        """Whether `step` itself is under way."""
        return self._stepping

    def __repr__(self) -> str:
        """Return ``<PhysicsWorld(num_bodies=12)>``."""
        return f"<PhysicsWorld(num_bodies={len(self.space.bodies)})>"

    # -- for rigid bodies ---------------------------------------------------------------------

    def insert(self, rigid: RigidBody, objects: Iterable[Any]) -> None:
        """Let those `objects` of a rigid body enter the space that are out of it.

        At once, or when the step is over.
        """
        if self.space._locked or self._stepping or self._flushing or self._queue:
            self._queue.append((rigid, None, True))
            self.flush_later()
        else:
            self.space.add(*objects)
            self.follow(rigid)

    def withdraw(self, rigid: RigidBody, data: PoolablePrefabData[Any] | None) -> None:
        """Let a rigid body leave the space, when no step is under way; hold `data` until then."""
        self.forget(rigid)
        if self.space._locked or self._stepping or self._flushing or self._queue:
            if data is not None:
                data.holds += 1
            self._queue.append((rigid, data, False))
            self.flush_later()
            return
        self._flushing = True  # what callbacks of the removal ask for comes after it
        try:
            self._remove(rigid)
        finally:
            self._flushing = False
        if self._queue or self._collisions.separated:
            self._flush()

    def follow(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body that is in the space from now on."""
        if rigid.leads:
            self._moving[rigid.body_id] = rigid
            self._reader.order = None

    def forget(self, rigid: RigidBody) -> None:
        """Move the sprite of a rigid body no longer."""
        if self._moving.pop(rigid.body_id, None) is not None:
            self._reader.order = None

    def flush_later(self, *, is_removal: bool = False) -> None:
        """See to it that what is queued happens, also where the game steps the space itself.

        `is_removal`: the game removes something; that may be in a callback after a step.
        """
        if self._stepping or self._flushing:
            return
        # pymunk walks over its callbacks after a step, and must not be given one meanwhile. It
        # does so now at most where there are some; what can't be announced then waits for the
        # next despawn or step.
        if not is_removal or not self.space._post_step_callbacks:
            self.space.add_post_step_callback(self._after_foreign_step, self)

    # -- inside -------------------------------------------------------------------------------

    def _after_foreign_step(self, space: pymunk.Space, key: object) -> None:
        del space, key
        self._flush()
        # pymunk is walking over the game's callbacks: raised here, an error would come out of the
        # game's own step, and have the callbacks that ran already called again by the next one.
        self._collisions.report()

    def _flush(self) -> None:
        """Apply what was asked for, deliver separations, then let go of what has left; repeat.

        Only when the separations of an instance are delivered may it be reused: their callbacks
        look at the life that ended.
        """
        if self._flushing:
            return
        self._flushing = True
        try:
            while self._queue or self._collisions.separated or self._released:
                queue, self._queue = self._queue, []
                for rigid, data, entering in queue:
                    if data is not None:
                        self._released.append(data)
                    try:
                        self._apply(rigid, entering=entering)
                    except BaseException as error:
                        self._collisions.errors.append(error)
                self._collisions.deliver()
                released, self._released = self._released, []
                for data in released:
                    data.holds -= 1
                    try:
                        if not data.active:  # else only a part of it has left
                            data.pool.rest(data)
                    except BaseException as error:
                        self._collisions.errors.append(error)
        finally:
            self._flushing = False

    def _apply(self, rigid: RigidBody, *, entering: bool) -> None:
        if not entering:
            self._remove(rigid)
            return
        self.space.add(*rigid.objects_out_of_space())
        if not rigid.is_leaving:
            self.follow(rigid)

    def _remove(self, rigid: RigidBody) -> None:
        objects = rigid.objects_in_space()
        if objects:
            self.space.remove(*objects)
        rigid.has_left()

    def _raise_errors(self) -> None:
        errors, self._collisions.errors = self._collisions.errors, []
        raise_all("collision callbacks raised", errors)
