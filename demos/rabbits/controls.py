"""What the player wants, said with keys, a mouse or a game pad; and a bot that wants it as well."""

import math
import random

import pygame

from rabbits.dinosaur import Commands
from rabbits.stage import LENGTH, STEP, camera, dinosaurs, enemies

LEFT, RIGHT = (pygame.K_LEFT, pygame.K_a), (pygame.K_RIGHT, pygame.K_d)
JUMP = pygame.K_UP, pygame.K_w, pygame.K_SPACE
THROW = pygame.K_x, pygame.K_j, pygame.K_LCTRL, pygame.K_RCTRL
WISHES = {pygame.K_RETURN: "go on", pygame.K_p: "pause", pygame.K_ESCAPE: "leave"}
JUMP_BUTTON, THROW_BUTTONS, LEAVE_BUTTON, PAUSE_BUTTON = 0, (1, 2, 3, 5), 6, 7  # of a pad
TAPS = dict.fromkeys(JUMP, "jump") | dict.fromkeys(THROW, "throw")
BUTTON_TAPS = {JUMP_BUTTON: "jump"} | dict.fromkeys(THROW_BUTTONS, "throw")


def wish(event: pygame.Event) -> str:
    """Return what an event asks for besides the play; nothing, as a rule."""
    if event.type == pygame.KEYDOWN:
        return WISHES.get(event.key, "")
    if event.type == pygame.JOYBUTTONDOWN:
        return {LEAVE_BUTTON: "leave", PAUSE_BUTTON: "pause"}.get(event.button, "go on")
    if event.type == pygame.WINDOWFOCUSLOST and not pygame.key.get_focused():
        return "away"  # else it came back at once, as when the screen was switched
    if event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
        return "go on"
    return "away" if event.type == pygame.JOYDEVICEREMOVED else ""


class Player:
    """Keyboard, mouse and all pads that are plugged in, whichever is used."""

    patience = 4.0  # milliseconds a frame for what is loading

    def __init__(self) -> None:
        self.clock = pygame.Clock()
        self.pads: dict[int, pygame.joystick.JoystickType] = {}
        self.pointer: tuple[float, float] | None = None  # on the picture; none: not used to aim
        self.taps: set[str] = set()  # what was pressed since the last frame, even if let go again

    def wait(self) -> float:
        """Wait for the next frame; return how many seconds have passed."""
        return min(self.clock.tick(60) / 1000, 0.05)

    def handle_event(self, event: pygame.Event) -> None:
        """See what is plugged in, what is pressed, and what is used to aim."""
        if event.type == pygame.KEYDOWN:
            self.taps.add(TAPS.get(event.key, ""))
        elif event.type == pygame.JOYBUTTONDOWN:
            self.taps.add(BUTTON_TAPS.get(event.button, ""))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self.taps.add("throw")
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self.pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self.pads.pop(event.instance_id, None)
        elif event.type in {pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN}:
            self.pointer = event.pos
        elif event.type == pygame.JOYBUTTONDOWN or getattr(event, "key", None) in THROW:
            self.pointer = None

    def commands(self) -> Commands:
        """Return what the player wants now."""
        keys = pygame.key.get_pressed()
        run = any(keys[key] for key in RIGHT) - float(any(keys[key] for key in LEFT))
        told = Commands(run, any(keys[key] for key in JUMP))
        told.leap, told.throw = "jump" in self.taps, "throw" in self.taps
        told.throw |= any(keys[key] for key in THROW)
        for pad in self.pads.values():
            tilt = pad.get_axis(0) if pad.get_numaxes() else 0.0
            told.run += pad.get_hat(0)[0] if pad.get_numhats() else 0
            told.run += tilt if abs(tilt) > 0.25 else 0
            pressed = {number for number in range(pad.get_numbuttons()) if pad.get_button(number)}
            told.jump |= JUMP_BUTTON in pressed
            told.throw |= not pressed.isdisjoint(THROW_BUTTONS)
        told.run = max(-1.0, min(told.run, 1.0))
        if self.pointer is not None:
            told.aim = self.pointer[0] - camera.offset[0], self.pointer[1] - camera.offset[1]
            told.throw |= pygame.mouse.get_pressed()[0]
        return told


class Bot(Player):
    """Plays by itself, and not badly."""

    patience = math.inf

    def __init__(self) -> None:
        super().__init__()
        self.frame = self.asked_at = 0

    def wait(self) -> float:
        """Wait for nothing. Press a key where nobody asks for commands, as in menus."""
        self.frame += 1
        is_idle = self.frame - self.asked_at > 60
        if is_idle or self.frame % 1201 == 0:
            self.asked_at = self.frame
            key = pygame.K_RETURN if is_idle else pygame.K_ESCAPE
            pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        return STEP

    def commands(self) -> Commands:
        """Keep away from who is near; where there is a wall, over it. Now and then just jump."""
        self.asked_at = self.frame
        [hero] = dinosaurs
        x = hero.position.x
        gap = min((enemy.position.x - x for enemy in enemies), key=abs, default=LENGTH)
        hero.facing = 1 if gap > 0 else -1
        is_cornered = abs(gap) < 70 and not 60 < x < LENGTH - 60
        away = hero.facing * (1 if is_cornered else -1) if abs(gap) < 70 else 0
        jumps = is_cornered or abs(gap) < 30 or random.random() < 0.02
        return Commands(away, jumps, jumps, throw=self.frame % 400 > 60)
