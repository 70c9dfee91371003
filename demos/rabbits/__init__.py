"""Phones and Rabbits: a whole game, to be read from the first chapter to the last.

stage      what all is built into: the physics, the groups, the camera
art        pictures; sound, too, is only loaded and played
effects    the simplest pooled sprites: puffs, sparks, shards, words
tally      the score, and the best one so far, kept in a file
health     a component: hit points, and a flash of white
phones     sprites with bodies, that bounce and break
powerups   what helps, for a while
rabbits    they hop, fly and split
boss       a rabbit made of parts
dinosaur   the hero
contacts   what happens when two of them touch
waves      which rabbits come when: a coroutine
controls   keyboard, mouse, game pad, and a bot that plays
backdrop   the scenery
scenes     title, play, pause, game over
game       the window, the loop, the command line
"""
