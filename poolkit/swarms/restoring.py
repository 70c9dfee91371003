"""What a checkpoint does to swarms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poolkit.swarms.rows import SavedRows
    from poolkit.swarms.swarm import Swarm


def save_rows(swarm: Swarm) -> SavedRows:
    """Return a copy of the rows of a swarm."""
    return swarm._rows.save()


def restore_rows(swarm: Swarm, saved: SavedRows | None) -> None:
    """Put the rows of a swarm back; `None`: it was made since, so all its lives end."""
    if saved is None:
        swarm._end_scene()
    else:
        swarm._rows.restore(saved)
        swarm._update_fast_path()
