"""What the player wants, said with keys, a mouse or a game pad; and a bot that wants it as well."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pygame

from rabbits.dinosaur import Commands, Dinosaur
from rabbits.stage import LENGTH, STEP, camera, enemies, powerups

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit import PooledSprite

LEFT, RIGHT = (pygame.K_LEFT, pygame.K_a), (pygame.K_RIGHT, pygame.K_d)
JUMP = pygame.K_UP, pygame.K_w, pygame.K_SPACE
THROW = pygame.K_x, pygame.K_j, pygame.K_LCTRL, pygame.K_RCTRL
JUMP_BUTTON, THROW_BUTTONS, PAUSE_BUTTONS = 0, (1, 2, 3, 5), (6, 7)
WISHES = {
    **dict.fromkeys((pygame.K_UP, pygame.K_w), "up"),
    **dict.fromkeys((pygame.K_DOWN, pygame.K_s), "down"),
    **dict.fromkeys((pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE), "choose"),
    **dict.fromkeys((pygame.K_ESCAPE, pygame.K_p), "pause"),
}


def wish(event: pygame.Event) -> str:
    """Return what an event asks for in a menu or beside the play; nothing, as a rule."""
    if event.type == pygame.KEYDOWN:
        return WISHES.get(event.key, "")
    if event.type == pygame.JOYBUTTONDOWN:
        return "pause" if event.button in PAUSE_BUTTONS else "choose"
    if event.type == pygame.JOYHATMOTION and event.value[1]:
        return "up" if event.value[1] > 0 else "down"
    if event.type == pygame.WINDOWFOCUSLOST and not pygame.key.get_focused():
        return "leave"  # else it came back at once, as when the screen was switched
    return "leave" if event.type == pygame.JOYDEVICEREMOVED else ""


class Player:
    """Keyboard, mouse and all pads that are plugged in, whichever is used."""

    patience = 4.0  # milliseconds a frame for what is loading

    def __init__(self, to_canvas: Callable[[tuple[int, int]], tuple[float, float]]) -> None:
        """Take what turns a place in the window into one of the picture."""
        self.to_canvas = to_canvas
        self.pads: dict[int, pygame.joystick.JoystickType] = {}
        self.points = False  # with the mouse
        self.clock = pygame.Clock()

    def wait(self) -> float:
        """Wait for the next frame; return how many seconds have passed."""
        return min(self.clock.tick(60) / 1000, 0.05)

    def handle_event(self, event: pygame.Event) -> None:
        """See what is plugged in, and whether the mouse or something else is used to aim."""
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self.pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self.pads.pop(event.instance_id, None)
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            self.points = True
        elif event.type == pygame.JOYBUTTONDOWN or getattr(event, "key", None) in THROW:
            self.points = False

    def commands(self, dinosaur: Dinosaur) -> Commands:
        """Return what the player wants now."""
        del dinosaur
        keys = pygame.key.get_pressed()
        run = any(keys[key] for key in RIGHT) - float(any(keys[key] for key in LEFT))
        told = Commands(run, any(keys[key] for key in JUMP), any(keys[key] for key in THROW))
        for pad in self.pads.values():
            tilt = pad.get_axis(0) if pad.get_numaxes() else 0.0
            told.run += pad.get_hat(0)[0] if pad.get_numhats() else 0
            told.run += tilt if abs(tilt) > 0.25 else 0
            pressed = {number for number in range(pad.get_numbuttons()) if pad.get_button(number)}
            told.jump |= JUMP_BUTTON in pressed
            told.throw |= not pressed.isdisjoint(THROW_BUTTONS)
        told.run = max(-1.0, min(told.run, 1.0))
        if self.points:
            x, y = self.to_canvas(pygame.mouse.get_pos())
            told.aim = x - camera.offset[0], y - camera.offset[1]
            told.throw |= pygame.mouse.get_pressed()[0]
        return told


class Bot:
    """Plays, and not badly: it keeps away from what is near, and throws at what is not."""

    patience = math.inf

    def __init__(self) -> None:
        """Begin to count."""
        self.frame = self.asked_at = 0

    def wait(self) -> float:
        """Wait for nothing. Press a key where nobody asks for commands, as in menus."""
        self.frame += 1
        if self.frame - self.asked_at > 60:
            self.asked_at = self.frame
            tap(pygame.K_RETURN)
        elif self.frame % 1201 == 0:
            tap(pygame.K_ESCAPE)
        return STEP

    def handle_event(self, event: pygame.Event) -> None:
        """Need no events."""

    def commands(self, dinosaur: Dinosaur) -> Commands:
        """Return what it would do. Now and then it thinks of something else."""
        self.asked_at = self.frame
        told = Commands(jump=random.random() < 0.02, throw=self.frame % 400 > 60)
        x, y = dinosaur.position
        foe, bubble = nearest(enemies.sprites(), x), nearest(powerups.sprites(), x)
        gap = foe.position.x - x if foe else LENGTH
        if foe:
            dinosaur.facing = 1 if gap > 0 else -1
            if abs(gap) < 70:  # away from it; where there is a wall, over it
                is_cornered = not 60 < x < LENGTH - 60
                told.run = dinosaur.facing * (1.0 if is_cornered else -1.0)
                told.jump |= is_cornered or abs(gap) < 30
            elif abs(gap) > 230:
                told.run = 1.0 * dinosaur.facing
        if bubble and abs(gap) > 60:
            told.run = 1.0 if bubble.position.x > x else -1.0
            told.jump = bubble.position.y < y - 30 and self.frame % 30 < 15
        return told


def tap(key: int) -> None:
    """Press a key, as a player would: by way of pygame's events."""
    pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))


def nearest(sprites: list[PooledSprite], x: float) -> PooledSprite | None:
    """Return the sprite nearest to a place."""
    return min(sprites, key=lambda sprite: abs(sprite.position.x - x), default=None)
