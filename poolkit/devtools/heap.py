"""Asking the garbage collector about all objects, also those that a scene has set aside."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def whole_heap() -> Iterator[None]:
    """Let the collector tell of frozen objects too, as after `poolkit.scenes.settle`.

    Neither `gc.get_referrers` nor `gc.get_objects` knows them. They are frozen again afterwards,
    after a collection, so that no garbage is frozen with them.
    """
    if not gc.get_freeze_count():
        yield
        return
    gc.unfreeze()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
