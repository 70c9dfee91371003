"""What the player wants, by keys, mouse or game pad; and a bot that plays instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygame

from barrage.stage import AREA

if TYPE_CHECKING:
    from barrage.ship import Ship
    from barrage.swarms import Bullets

LEFT, RIGHT = (pygame.K_LEFT, pygame.K_a), (pygame.K_RIGHT, pygame.K_d)
UP, DOWN = (pygame.K_UP, pygame.K_w), (pygame.K_DOWN, pygame.K_s)
SHOOT = pygame.K_SPACE, pygame.K_x, pygame.K_z
FOCUS = pygame.K_LSHIFT, pygame.K_RSHIFT
FOCUS_BUTTONS = 4, 5  # of a pad: the shoulders; any other shoots
DEAD = 0.25  # of a stick's way: it may rest a little off


@dataclass
class Wish:
    """What the ship is to do."""

    way: tuple[float, float] = (0.0, 0.0)
    shoot: bool = False
    focus: bool = False
    pointer: tuple[float, float] | None = None  # where the mouse is, if it steers


class Player:
    """Keyboard, mouse and all pads that are plugged in."""

    def __init__(self) -> None:
        pygame.joystick.init()  # from here on pads are announced by events
        self.pads: dict[int, pygame.joystick.JoystickType] = {}
        self.pointer: tuple[float, float] | None = None

    def handle_event(self, event: pygame.Event) -> None:
        """Notice pads that come and go, and whether the mouse steers."""
        if event.type == pygame.JOYDEVICEADDED:
            pad = pygame.joystick.Joystick(event.device_index)
            self.pads[pad.get_instance_id()] = pad
        elif event.type == pygame.JOYDEVICEREMOVED:
            self.pads.pop(event.instance_id, None)
        elif event.type == pygame.MOUSEMOTION:
            self.pointer = event.pos
        elif (
            event.type == pygame.JOYBUTTONDOWN
            or (event.type == pygame.JOYAXISMOTION and abs(event.value) > DEAD)
            or (event.type == pygame.KEYDOWN and event.key in {*LEFT, *RIGHT, *UP, *DOWN})
        ):
            self.pointer = None

    def wish(self, ship: Ship, bullets: Bullets) -> Wish:
        """Return what the player wants now."""
        del ship, bullets
        keys = pygame.key.get_pressed()

        def down(names: tuple[int, ...]) -> bool:
            return any(keys[name] for name in names)

        x, y = float(down(RIGHT) - down(LEFT)), float(down(DOWN) - down(UP))
        shoot, focus = down(SHOOT), down(FOCUS)
        for pad in self.pads.values():
            sticks = [pad.get_axis(axis) for axis in range(min(2, pad.get_numaxes()))]
            tilt = [stick if abs(stick) > DEAD else 0.0 for stick in (*sticks, 0.0, 0.0)]
            hat = pad.get_hat(0) if pad.get_numhats() else (0, 0)
            x, y = x + tilt[0] + hat[0], y + tilt[1] - hat[1]
            pressed = {number for number in range(pad.get_numbuttons()) if pad.get_button(number)}
            focus |= not pressed.isdisjoint(FOCUS_BUTTONS)
            shoot |= bool(pressed.difference(FOCUS_BUTTONS))
        if self.pointer is not None:
            left, _, right = pygame.mouse.get_pressed()
            return Wish((x, y), shoot | left, focus | right, self.pointer)
        return Wish((x, y), shoot, focus)


class Bot(Player):
    """Plays by itself: goes where the fewest bullets are."""

    def wish(self, ship: Ship, bullets: Bullets) -> Wish:
        """Choose the safest of nine places around the ship."""
        here = pygame.Vector2(*ship.position)
        home = pygame.Vector2(240, AREA.centery)
        ways = [pygame.Vector2(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]

        def danger(way: pygame.Vector2) -> float:
            there = here + way * 26
            if not AREA.inflate(-60, -60).collidepoint(there):
                return 99.0
            found = 3.0 * len(bullets.hits((tuple(there), 26)))
            found += len(bullets.hits(((there.x + 24, there.y), 60)))
            return found + (there - home).length() / 900

        best = min(ways, key=danger)
        return Wish((best.x, best.y), shoot=True, focus=danger(best) > 1.5)
