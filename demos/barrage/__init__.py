"""The game of the demo bullets: a dragon's bullets as a swarm, all else as prefabs."""
