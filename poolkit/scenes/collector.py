"""Python's garbage collector, kept out of the way of the game."""

from __future__ import annotations

import gc

__all__ = ["settle"]


def settle() -> None:
    """Collect all garbage now, and let the collector ignore from then on what is in use.

    Call it when a scene is loaded and before it begins: what it needs is built, so the
    collector's later passes, which stop the game, have only what came after to look at.
    What was set aside at the last call is looked at again first; cycles among it that died since
    would otherwise never be freed.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
