"""The component that gives a sprite bodies, shapes and joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymunk

from poolkit.core.errors import PrefabError
from poolkit.physics.snapshot import OWNER
from poolkit.physics.stages import BodyStages
from poolkit.physics.world import PhysicsWorld
from poolkit.sprites.components import StagedComponent

if TYPE_CHECKING:
    _Parts = tuple[tuple[pymunk.Body, ...], tuple[pymunk.Shape, ...], tuple[pymunk.Constraint, ...]]

_KINDS = (pymunk.Body, pymunk.Shape, pymunk.Constraint)


class RigidBody(StagedComponent):
    """Bodies, shapes and joints of one sprite: in the space while the sprite is alive.

    They enter the space before the `spawned` hooks, so these can set a velocity. They leave it
    after the `despawned` hooks. Inside a physics step both wait for its end.

    When they leave, poolkit restores what the life changed of them, as it was when the instance was
    built and awake: of bodies type, mass, moment, centre of gravity, velocity and position
    functions, and which shapes they carry; of shapes collision type, filter, sensor, elasticity,
    friction, surface velocity, mass and form; of joints every setting and callback. Shapes and
    joints that the game added leave for good. Joints lose their impulses. If one of them no longer
    holds numbers, it can't be restored, and the instance is destroyed.

    A life that changed nothing costs next to nothing here, because the parts notice changes: they
    get a class that extends theirs and passes for it. Ask ``isinstance(shape, pymunk.Circle)`` or
    ``shape.__class__``, not ``type(shape)``. Parts of your own classes are compared after every
    life, in pymunk's settings alone.

    Your hooks, or a `reset` of your own, restore everything else: motion, unless there is a
    `ResetPooledBodyComponent`; attributes that you added; of segments the neighbours and, after
    `unsafe_set_endpoints`, the normal, which pymunk does not give back.

    A joint to a body of another sprite is in the space while both bodies are. If the other sprite
    dies first, the joint comes back as soon as both are alive again.

    Args:
        world: The world they live in.
        body: The body that the sprite follows: its position is the sprite's.
        *others: Shapes, further bodies and joints. The further bodies' poses relative to `body`
            are kept as they are now, and restored at every spawn.

    Attributes:
        world: The world they live in.

    Raises:
        PrefabError: A part belongs to another sprite or is on no body of this one, or a body is the
            space's own static one.
        TypeError: Something is not a world, body, shape or joint.
    """

    __slots__ = ("sprite", "world")

    _stages: BodyStages

    def __init__(
        self,
        world: PhysicsWorld,
        body: pymunk.Body,
        *others: pymunk.Body | pymunk.Shape | pymunk.Constraint,
    ) -> None:
        if not (isinstance(world, PhysicsWorld) and isinstance(body, pymunk.Body)):
            message = (
                "RigidBody takes a PhysicsWorld first, then the body that the sprite follows; "
                f"not {world!r} and {body!r}"
            )
            raise TypeError(message)
        # One body with its shapes: what is built by the thousand needs no sorting.
        carried = tuple(body.shapes)
        if others == carried and body.space is None and OWNER not in body.__dict__:
            parts: _Parts = (body,), carried, ()
        else:
            parts = _sorted_parts(world.space, body, others)
            carried = tuple([shape for each in parts[0] for shape in each.shapes])
        self.sprite = None  # so asking for it before it is attached raises no error
        self.world = world
        self._stages = BodyStages(world._queue, *parts, carried)

    @property
    def body(self) -> pymunk.Body:
        """The body that the sprite follows."""
        return self._stages.body

    @property
    def bodies(self) -> tuple[pymunk.Body, ...]:
        """This body and the further ones."""
        return self._stages.bodies

    @property
    def shapes(self) -> tuple[pymunk.Shape, ...]:
        """The shapes that it was given."""
        return self._stages.shapes

    @property
    def joints(self) -> tuple[pymunk.Constraint, ...]:
        """The joints that it was given."""
        return self._stages.joints

    def __repr__(self) -> str:
        """Return ``<RigidBody(bodies=1, shapes=2, joints=0)>``."""
        return repr(self._stages)


def _sorted_parts(space: pymunk.Space, body: pymunk.Body, others: tuple[object, ...]) -> _Parts:
    """Sort bodies, shapes and joints; refuse what can't come and go with the sprite."""
    every = dict.fromkeys((body, *others))  # each once
    of_kinds: Any = (tuple([part for part in every if isinstance(part, kind)]) for kind in _KINDS)
    bodies, shapes, joints = of_kinds
    part: Any
    for part in every:
        if not isinstance(part, _KINDS):
            message = f"RigidBody holds bodies, shapes and joints, not {part!r}"
            raise TypeError(message)
        kind, owner = type(part).__name__, part.__dict__.get(OWNER)
        on = {part, *(getattr(part, name, None) for name in ("body", "a", "b"))}
        if on.isdisjoint(bodies):
            message = f"{part!r} is on no body of this RigidBody: name that body to it, too"
        elif part is space.static_body and part.space is space:
            message = (
                "the space's own static_body is always in it, so it can't come and go with a "
                "sprite: make a body of your own with body_type=pymunk.Body.STATIC"
            )
        elif owner is not None:
            message = (
                f"this {kind} belongs to {owner.sprite or owner!r} already: "
                f"build a {kind} for each sprite, in its constructor, and list it once"
            )
        elif part in bodies and part.space not in {None, space}:
            message = f"{part!r} is in the space of another world"
        else:
            continue
        raise PrefabError(message)
    return bodies, shapes, joints
