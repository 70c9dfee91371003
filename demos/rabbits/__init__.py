"""Phones and Rabbits: a whole game. Read its files in this order.

kept       options, the best games: what a file keeps from game to game
stage      what everything is built into: the physics, the groups, the camera
art        letters and bars; sound: noises and music; words: announcements and lessons
tally      the score, and how hard the game is
effects    the simplest pooled sprites: shards, words, puffs and sparks
scenery    sprites with bodies: what one stands on; powerups: what helps, for a while
enemies    all rabbits: a class, and how each kind differs
phones     what bounces, hurts and breaks: contacts
boss       a rabbit made of parts, and a second one
dinosaur   the hero
waves      the levels, and which rabbits come when: a coroutine
controls   keyboard, mouse, game pad, and a bot that plays
hud        what is drawn over the play
menus      options, keys, the best games
scenes     title, play, pause, the end of the game
window     a window of any size that shows a picture of few pixels
game       the loop, the command line
"""
