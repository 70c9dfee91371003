"""The game of the demo monsters: the monsters, how they move, and the levels they fight in."""
