"""The scene of the demo spawner: dragons, those who ride on them, and where they come from."""
