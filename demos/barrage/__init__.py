"""The game of the demo bullets: the dragon's bullets are a swarm, the rest are prefabs."""
