"""Tools for developing a game: they watch, and cost nothing until they are used."""

from poolkit.devtools.chaos import disable_chaos, enable_chaos
from poolkit.devtools.collector_probe import CollectorPause, CollectorProbe

__all__ = ["CollectorPause", "CollectorProbe", "disable_chaos", "enable_chaos"]
