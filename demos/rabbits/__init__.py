"""Phones and Rabbits: a whole game, to be read from the first chapter to the last.

stage      what all is built into: the physics, the groups, the camera
art        pictures and letters; sound: noises and music
tally      the score, and the best one, kept in a file
effects    the simplest pooled sprites: puffs, sparks, shards, words
phones     sprites with bodies, that bounce and break
powerups   what helps, for a while; backdrop: what one stands on
enemies    rabbits that hop, fly and split
boss       a rabbit made of parts
dinosaur   the hero
contacts   what happens when two of them touch
waves      which rabbits come when: a coroutine
controls   keyboard, mouse, game pad, and a bot that plays
hud        what is written over the play
scenes     title, play, pause, game over
game       the window, the loop, the command line
"""
