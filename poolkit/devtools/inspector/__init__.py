"""The inspector: an overlay that shows a game's pools while it is played."""

from poolkit.devtools.inspector.inspector import Inspector

__all__ = ["Inspector"]
