"""Phones and Rabbits: a whole game, to be read from the first chapter to the last.

stage      what all is built into: the physics, the groups, the camera
art        letters and bars; sound: noises and music
tally      the score, and the best one, kept in a file
effects    the simplest pooled sprite: shards, words, puffs and sparks
scenery    sprites with bodies: what one stands on; powerups: what helps, for a while
enemies    rabbits that hop, fly and split: a class, and how each kind differs
phones     what bounces, hurts and breaks: contacts
boss       a rabbit made of parts
dinosaur   the hero
waves      which rabbits come when: a coroutine
controls   keyboard, mouse, game pad, and a bot that plays
hud        what is written over the play
scenes     title, play, pause, game over
game       the window, the loop, the command line
"""
