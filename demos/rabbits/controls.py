"""What the player wants, from keyboard, mouse or game pad; and a bot that plays."""

import math
import random

import pygame

from rabbits.dinosaur import Commands
from rabbits.stage import LENGTH, STEP, camera, dinosaurs, enemies
from rabbits.words import KEYS, keys_for

JUMP_BUTTON, THROW_BUTTONS = 0, (1, 2, 3, 5)  # of a pad
BUTTON_TAPS = {JUMP_BUTTON: "jump"} | dict.fromkeys(THROW_BUTTONS, "throw")


class Player:
    """The keyboard, the mouse and all pads that are plugged in."""

    patience = 4.0  # milliseconds a frame for what is loading

    def __init__(self) -> None:
        self.clock = pygame.Clock()
        self.pads: dict[int, pygame.joystick.JoystickType] = {}
        self.pointer: tuple[float, float] | None = None  # on the canvas; `None` if it doesn't aim
        self.taps: set[str] = set()  # pressed since the last frame, even if released

    def wait(self) -> float:
        """Wait for the next frame; return how many seconds have passed."""
        return min(self.clock.tick(60) / 1000, 0.05)

    def handle_event(self, event: pygame.Event) -> None:
        """Note which pads are plugged in, what is pressed, and what aims."""
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self.pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self.pads.pop(event.instance_id, None)
        elif event.type == pygame.JOYBUTTONDOWN:
            self.taps.add(BUTTON_TAPS.get(event.button, ""))
            self.pointer = None
        elif event.type == pygame.KEYDOWN:
            self.taps.update(
                action for action in ("jump", "throw") if event.key in keys_for(action)
            )
            self.pointer = None if event.key in keys_for("throw") else self.pointer
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            self.pointer = event.pos
            if getattr(event, "button", 0) == pygame.BUTTON_LEFT:
                self.taps.add("throw")

    def commands(self) -> Commands:
        """Return what the player wants now."""
        keys = pygame.key.get_pressed()
        held = {action for action in KEYS if any(keys[key] for key in keys_for(action))}
        told = Commands(("right" in held) - float("left" in held), "jump" in held)
        told.leap, told.throw = "jump" in self.taps, "throw" in held | self.taps
        told.steep = "steep" in held
        for pad in self.pads.values():
            self.ask(pad, told)
        told.run = max(-1.0, min(told.run, 1.0))
        if self.pointer is not None:
            told.aim = self.pointer[0] - camera.offset[0], self.pointer[1] - camera.offset[1]
            told.throw |= pygame.mouse.get_pressed()[0]
        return told

    def ask(self, pad: pygame.joystick.JoystickType, told: Commands) -> None:
        """Add what a pad wants to the commands."""
        tilts = [pad.get_axis(number) for number in range(min(2, pad.get_numaxes()))]
        hat = pad.get_hat(0) if pad.get_numhats() else (0, 0)
        told.run += hat[0] + sum(tilt for tilt in tilts[:1] if abs(tilt) > 0.25)
        told.steep |= hat[1] > 0 or any(tilt < -0.5 for tilt in tilts[1:])
        pressed = {number for number in range(pad.get_numbuttons()) if pad.get_button(number)}
        told.jump |= JUMP_BUTTON in pressed
        told.throw |= not pressed.isdisjoint(THROW_BUTTONS)


class Bot(Player):
    """Plays by itself, and not badly."""

    patience = math.inf

    def __init__(self) -> None:
        super().__init__()
        self.frame = self.asked_at = 0

    def wait(self) -> float:
        """Don't wait. Press a key where no commands are asked for, as in menus."""
        self.frame += 1
        is_idle = self.frame - self.asked_at > 120
        if is_idle or self.frame % 1201 == 0:
            self.asked_at = self.frame
            key = pygame.K_RETURN if is_idle else pygame.K_ESCAPE
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        return STEP

    def commands(self) -> Commands:
        """Keep away from the nearest enemy, or jump over it; now and then just jump."""
        self.asked_at = self.frame
        [hero] = dinosaurs
        x = hero.position.x
        foes = [enemy for enemy in enemies if enemy.is_rabbit]
        foe = min(foes, key=lambda enemy: abs(enemy.position.x - x), default=None)
        gap = foe.position.x - x if foe else LENGTH
        side = 1 if gap > 0 else -1
        is_cornered = abs(gap) < 70 and not 60 < x < LENGTH - 60
        away = side * (1 if is_cornered else -1) if abs(gap) < 70 else 0
        jumps = is_cornered or abs(gap) < 30 or random.random() < 0.02
        aim = foe.position + foe.body.velocity * 0.2 if foe else None
        return Commands(away, jumps, jumps, throw=self.frame % 240 > 60, aim=aim)
