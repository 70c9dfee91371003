"""Plays mygame: `python main.py`, or `python -m pygbag .` for a page in the browser."""

import asyncio

import pygame
from poolkit.scenes import SceneManager

from level import Level


async def main() -> None:
    """Hand the level its events, its time and the screen, until the window is closed."""
    pygame.init()
    screen = pygame.display.set_mode((640, 360))
    pygame.display.set_caption("mygame")
    clock = pygame.time.Clock()
    scenes = SceneManager()
    for _progress in scenes.loading(Level()):
        await asyncio.sleep(0)  # a browser draws the page here
    running = True
    while running:
        dt = clock.tick(60) / 1000
        for event in pygame.event.get():
            running = running and event.type != pygame.QUIT
            scenes.handle_event(event)
        scenes.update(dt)
        scenes.draw(screen)
        pygame.display.flip()
        await asyncio.sleep(0)


if __name__ == "__main__":
    asyncio.run(main())
