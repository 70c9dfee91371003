"""What every monster is built into: one physics world, and the group that is drawn."""

from poolkit import PooledGroup
from poolkit.physics import PhysicsWorld

# Collision types.
GROUND = 1
MONSTER = 2

world = PhysicsWorld(gravity=(0, 1100))
monsters = PooledGroup()
