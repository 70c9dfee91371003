#!/usr/bin/env python3
"""Shoot a castle down, hold Backspace, and time runs backwards: bodies, joints, sparks, sounds."""

import sys

import pygame

from castle.siege import SIZE, Siege
from shared.loop import play

if __name__ == "__main__":
    pygame.mixer.pre_init(44100, -16, 2, 512, allowedchanges=0)  # as its sounds are turned round
    sys.exit(play(Siege, "rewind", __doc__, SIZE))
