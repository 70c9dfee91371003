"""Physics bodies for pooled sprites, with pymunk."""

from poolkit.physics.events import Separation
from poolkit.physics.rigid_body import ResetPooledBodyComponent, RigidBody
from poolkit.physics.world import PhysicsWorld

__all__ = ["PhysicsWorld", "ResetPooledBodyComponent", "RigidBody", "Separation"]
