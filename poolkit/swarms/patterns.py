"""Velocities that many games need: a ring, and a fan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poolkit.swarms.columns import Vec2


def ring(n: int, speed: float, angle: float = 0.0) -> Vec2:
    """Return `n` velocities, evenly spread over all directions.

    Args:
        n: How many.
        speed: Pixels a second.
        angle: Where the first one goes, in degrees, counter-clockwise on screen; 0: to the right.

    Examples:
        >>> ring(4, 90).round().astype(int).tolist()
        [[90, 0], [0, -90], [-90, 0], [0, 90]]
    """
    return _velocities(np.linspace(angle, angle + 360.0, n, endpoint=False), speed)


def spread(n: int, angle: float, width: float, speed: float) -> Vec2:
    """Return `n` velocities as a fan, from edge to edge.

    Args:
        n: How many; a single one goes down the middle.
        angle: Where the middle of the fan points, in degrees, counter-clockwise on screen.
        width: From edge to edge, in degrees.
        speed: Pixels a second.

    Examples:
        >>> spread(3, 270, 180, 90).round().astype(int).tolist()
        [[-90, 0], [0, 90], [90, 0]]
    """
    edge = width / 2 if n > 1 else 0.0
    return _velocities(np.linspace(angle - edge, angle + edge, n), speed)


def _velocities(degrees: NDArray[np.floating[Any]], speed: float) -> Vec2:
    turned = np.radians(degrees)
    return (np.stack([np.cos(turned), -np.sin(turned)], axis=1) * speed).astype(np.float32)
