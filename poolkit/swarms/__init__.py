"""Swarms: lives as arrays, for ten thousand bullets, sparks and flakes, in the words of the pools.

Needs numpy, which the extra `swarms` brings.
"""

try:
    import numpy as np
except ImportError as _error:
    message = "poolkit.swarms needs numpy: pip install numpy, or the extra, as in poolkit[swarms]"
    raise ImportError(message) from _error

from poolkit.swarms.columns import Bool, Float, Int, Vec2
from poolkit.swarms.patterns import ring, spread
from poolkit.swarms.swarm import Swarm

del np

__all__ = ["Bool", "Float", "Int", "Swarm", "Vec2", "ring", "spread"]
