"""The game's art as code: every picture is drawn from the modules of this package."""
