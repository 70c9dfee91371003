"""The scene of the demo cubes: what flies out of the fountain, and what it costs."""
