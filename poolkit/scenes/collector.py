"""Python's garbage collector, kept out of the way of the game."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def settle() -> None:
    """Collect all garbage now, and let the collector ignore from then on what is in use.

    What was set aside at the last call is looked at again first; cycles among it that died since
    would otherwise never be freed.

    `SceneManager.load` calls it before it makes what the scene wants, and sets that aside without
    a look: to look through 5,000 new physics sprites takes half as long as to make them. A game
    with scenes of its own does it in this order: drop what belongs to the old scene,
    `PoolingSystem.reset`, load and `prewarm`, `settle`, play. What a pool destroys is freed at
    once, without the collector, bodies and shapes included; what the game builds during play
    should be pooled too, or be free of reference cycles.
    `poolkit.devtools.CollectorProbe` tells which pauses are left.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@contextmanager
def collector_off() -> Iterator[None]:
    """Build in peace: nothing that is being made is garbage. Leaves off what was off before."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
