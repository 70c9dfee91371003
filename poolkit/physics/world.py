"""The physics world: a pymunk space in which sprites are born and die at any time."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.clock import checked_seconds
from poolkit.core.context import step_guards
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.physics.callback_errors import divert, give_back
from poolkit.physics.collisions import Callback, Collisions
from poolkit.physics.followers import Followers
from poolkit.physics.gate import Gate
from poolkit.physics.ownership import owner_of
from poolkit.physics.post_step import PostStep

if TYPE_CHECKING:
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["PhysicsWorld"]

_LONGEST_FRAME = 0.25  # seconds: beyond it the simulation slows down rather than fall behind
_ROUNDED = 1 - 1e-9  # of a step: sums of frame times round; sixty of 1/60 s are sixty steps
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
        interpolate: Show sprites between the last two steps, by the time that is left over for
            the next one: they move evenly at any frame rate, up to a step behind their bodies,
            which are where the simulation has them. A body that was put somewhere else is shown
            there at once, and not on its way.

    Attributes:
        space: The pymunk space.
        bodies: Live view of the bodies in the space.
        shapes: Live view of the shapes in the space.
        joints: Live view of the joints in the space.
        timestep: Seconds a step.
        gate: For rigid bodies: the way in and out.
        followers: For rigid bodies: those that move a sprite.

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
        """Take charge of a space."""
        checked_seconds(timestep, "timestep", least=1e-6)
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
        self._collisions = Collisions(space)
        self.followers = Followers(space, interpolate=interpolate)
        self.gate = Gate(space, self.followers, self._collisions)
        self._collisions.gate = self.gate
        self._post_step = PostStep(space, self._collisions.errors)
        step_guards.add(self)

    # -- for games ----------------------------------------------------------------------------

    def step(self, dt: float) -> int:
        """Let `dt` seconds pass in fixed steps, then move the sprites to their bodies.

        What is left over is kept for the next call. After a frame of more than a quarter of a
        second the simulation slows down instead of taking ever longer to catch up: at most a
        quarter of a second is made up for, 15 steps at 60 a second; the rest is forgotten.

        Returns:
            How many steps were made. After a step in which something raised no more follow; their
            time is made up for in the next call.

        Raises:
            BaseException: What callbacks of the steps raised, each once, when the world is
                consistent and the sprites are where their bodies are: collision and post-step
                callbacks, those of joints, velocity and position functions, hooks. Several come
                as a group, and a `KeyboardInterrupt` comes out as well.
            PoolError: It is called inside a step.
            ValueError: `dt` is negative or not finite.
        """
        checked_seconds(dt, "step()")
        gate = self.gate
        if gate.is_shut:
            message = "step() was called inside a physics step: call it from your game loop"
            raise PoolError(message)
        timestep, enough = self.timestep, self.timestep * _ROUNDED
        interpolation = self.followers.interpolation
        errors = self._collisions.errors
        self._owed = min(self._owed + dt, max(_LONGEST_FRAME, timestep))
        steps = 0
        gate.stepping = True
        elsewhere = divert(errors)
        try:
            gate.flush()
            while self._owed >= enough and not errors:
                self._owed = max(0.0, self._owed - timestep)
                if interpolation is not None and self._owed < enough:
                    interpolation.before_last_step()
                self._post_step.step(timestep)
                gate.flush()
                steps += 1
        finally:
            gate.stepping = False
            give_back(elsewhere)
        if interpolation is not None:
            if steps:
                interpolation.after_last_step(timestep)
            interpolation.fraction = min(1.0, self._owed / timestep)
        try:
            self.followers.move_sprites(all_of_them=False)
        except BaseException as error:  # of a rotation that is no number, say
            errors.append(error)
        if errors:
            raised = list(errors)
            errors.clear()
            ErrorCollector(*raised).raise_all("callbacks of a physics step raised")
        return steps

    def sync(self) -> None:
        """Move all active sprites to their bodies. Call it after moving bodies by hand.

        `step` does so too, but for sprites whose bodies sleep or are static and have not moved.
        """
        self.followers.move_sprites(all_of_them=True)

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
        return self.gate.is_shut

    def __repr__(self) -> str:
        """Return ``<PhysicsWorld(num_bodies=12)>``."""
        return f"<PhysicsWorld(num_bodies={len(self.space.bodies)})>"
