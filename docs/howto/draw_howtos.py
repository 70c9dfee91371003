"""Draws the pictures of the how-tos, off-screen, with code like that of their pages.

`python docs/howto/draw_howtos.py` writes them again. A test compares them, pixel by pixel.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pygame
import pymunk

from poolkit import Animation, PooledGroup, PooledSprite, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.swarms import Swarm, Vec2, ring, spread

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parent
ASSETS = FOLDER.parents[1] / "assets"
GROUND, PANEL, TEXT, DIM, MARK = "#10131c", "#1b2030", "#dfe5f0", "#8390aa", "#ffb454"
GAP, LINE = 8, 16  # pixels: between panels, and for a line of text


class Actor(PooledSprite):
    """A sprite with one of the project's pictures."""

    def __init__(self, image: pygame.Surface, layer: int = 0) -> None:
        super().__init__(image)
        self.layer = layer


def sheet(name: str, count: int) -> list[pygame.Surface]:
    """Cut a picture of the assets into frames that stand side by side."""
    image = pygame.image.load(ASSETS / f"{name}.png")
    width, height = image.get_width() // count, image.get_height()
    return [image.subsurface((width * i, 0, width, height)) for i in range(count)]


def write(
    surface: pygame.Surface, text: str, place: tuple[float, float], color: str = TEXT
) -> None:
    """Write a line, centered on a place."""
    image = pygame.font.Font(ASSETS / "letters.ttf", 12).render(text, antialias=False, color=color)
    surface.blit(image, image.get_rect(center=place))


def side_by_side(panels: Iterable[tuple[pygame.Surface, str, str]]) -> pygame.Surface:
    """Put pictures beside each other, each above a line of code, if there is one, and of text."""
    panels = list(panels)
    width, height = panels[0][0].get_size()
    text = height + GAP + LINE * 3 // 4
    below = text + LINE if panels[0][1] else text
    size = ((width + GAP) * len(panels) + GAP, below + LINE)
    whole = pygame.Surface(size)
    whole.fill(GROUND)
    for number, (image, code, said) in enumerate(panels):
        left = GAP + number * (width + GAP)
        whole.blit(image, (left, GAP))
        write(whole, code, (left + width // 2, text), MARK)
        write(whole, said, (left + width // 2, below), DIM)
    return whole


def panel(width: int, height: int) -> pygame.Surface:
    """Return an empty panel."""
    surface = pygame.Surface((width, height))
    surface.fill(PANEL)
    return surface


def parts() -> pygame.Surface:
    """Draw a rider who hangs on a dragon: carried, turned, released."""
    system, actors = PoolingSystem(), PooledGroup[PooledSprite]()
    dragon = Prefab(lambda: Actor(sheet("dragon", 4)[1]), name="dragon", groups=[actors])
    knight = Prefab(lambda: Actor(sheet("knight", 2)[0]), name="knight")
    mount = system.spawn(dragon, (84, 92))
    rider = system.spawn(knight, (76, 52), parent=mount)

    def shot() -> pygame.Surface:
        surface = panel(196, 150)
        actors.draw(surface)
        if rider.parent is not None:
            pygame.draw.line(surface, MARK, mount.position, rider.position)
        for sprite in (mount, rider):
            pygame.draw.circle(surface, MARK, sprite.position, 3)
        return surface

    shots = [shot()]
    mount.rotation = 30
    shots.append(shot())
    mount.release_child(rider)
    rider.add(actors)
    mount.position += (40, 14)
    mount.rotation = 0
    shots.append(shot())
    system.dispose()
    code = ("spawn(knight, parent=dragon)", "dragon.rotation = 30", "dragon.release_child(knight)")
    said = ("hangs at its offset", "turns and moves with it", "lives on, as you saw it last")
    return side_by_side(zip(shots, code, said, strict=True))


def layers() -> pygame.Surface:
    """Draw the same four sprites by three groups."""
    system = PoolingSystem()
    groups: list[tuple[PooledGroup[PooledSprite], str, str]] = [
        (PooledGroup(), "PooledGroup()", "as they joined"),
        (PooledGroup(layers=True), "layers=True", "by sprite.layer: the wizard's is 5"),
        (
            PooledGroup(layers=lambda sprite: sprite.rect.bottom),
            "layers=lambda s: s.rect.bottom",
            "lower on the screen is nearer",
        ),
    ]
    cast = [("wizard", 2, 5, (66, 54)), ("orc", 4, 0, (132, 112))]
    cast += [("troll", 4, 0, (110, 92)), ("ogre", 4, 0, (80, 74))]
    for name, count, layer, place in cast:
        image = sheet(name, count)[0]
        prefab = Prefab(lambda image=image, layer=layer: Actor(image, layer), name=name)  # type: ignore[misc]
        system.spawn(prefab, place, groups=[group for group, *_ in groups])
    shots = []
    for group, code, said in groups:
        surface = panel(208, 150)
        group.draw(surface)
        shots.append((surface, code, said))
    system.dispose()
    return side_by_side(shots)


class Gem(Actor):
    """A gem that slides from here to there."""

    start: pygame.Vector2 = pygame.Vector2()
    end: pygame.Vector2 = pygame.Vector2()

    def slide(self, done: float) -> None:
        """Move to where it is after a part of the time, from 0 to 1."""
        self.position = self.start + (self.end - self.start) * done


def tween() -> pygame.Surface:
    """Draw where a tween has put a sprite after equal times, with and without an ease."""
    system, actors = PoolingSystem(), PooledGroup[PooledSprite]()
    surface = panel(624, 156)
    prefab = Prefab(lambda: Gem(sheet("gem", 48)[0]), name="gem", groups=[actors])
    eases = (None, lambda done: 1 - (1 - done) ** 2)
    code = ("scope.tween(0.5, slide)", "scope.tween(0.5, slide, ease_out)")
    for row, ease in enumerate(eases):
        start, end = pygame.Vector2(60, 56 + 76 * row), pygame.Vector2(560, 56 + 76 * row)
        gem = system.spawn(prefab, start, start=start, end=end)
        gem.scope.tween(0.5, gem.slide, ease)
        write(surface, code[row], (312, 22 + 76 * row), MARK)
        pygame.draw.line(surface, DIM, start, end)
        for _ in range(11):
            actors.draw(surface)
            system.update(0.05)
        gem.kill()
    system.dispose()
    return side_by_side([(surface, "", "one picture each 0.05 seconds, from left to right")])


def animation() -> pygame.Surface:
    """Draw what two animations show as time passes: one plays other frames, one ends its life."""
    system, actors = PoolingSystem(), PooledGroup[PooledSprite]()
    walk, puff = sheet("orc", 4), sheet("puff", 6)

    class Walker(Actor):
        def __init__(self) -> None:
            super().__init__(walk[0])
            self.animation = self.add_component(Animation(walk[:3], fps=10))

    class Blast(Actor):
        def __init__(self) -> None:
            super().__init__(puff[0])
            self.add_component(Animation(puff, fps=10, then="kill"))

    surface = panel(624, 196)
    write(surface, "Animation(WALK, fps=10); after 0.5 seconds play(HIT)", (312, 18), MARK)
    write(surface, 'Animation(BLAST, fps=10, then="kill")', (312, 108), MARK)
    walker = system.spawn(Prefab(Walker, groups=[actors]))
    blast = system.spawn(Prefab(Blast, groups=[actors]))
    shots = 8
    for number in range(shots):
        x = 62 + 72 * number
        if number == shots - 3:
            walker.animation.play([walk[3]])
        walker.position, blast.position = (x, 58), (x, 144)
        actors.draw(surface)
        write(surface, f"{number / 10}", (x, 182), DIM)
        if not blast.active:
            write(surface, "-", (x, 144), DIM)
        system.update(0.1)
    system.dispose()
    return side_by_side([(surface, "", "what they show, by seconds since their spawn")])


class Bullets(Swarm):
    """Bullets that fly straight."""

    velocity: Vec2


def swarms() -> pygame.Surface:
    """Draw a ring, a spread with its angle, and dots that change color as they age."""
    system = PoolingSystem()
    orb = pygame.Surface((6, 6), pygame.SRCALPHA)
    pygame.draw.circle(orb, "#ff8a5c", (3, 3), 3)
    middle, shots = (98, 80), []
    for code, said in (
        ("ring(24, 90)", "evenly, in all directions"),
        ("spread(9, 45, 60, 90)", "60 degrees around 45: up and right"),
        ("colors=['white', 'gold', 'red']", "dots change as they age"),
    ):
        surface = panel(200, 160)
        images, colors = (3, ["white", "gold", "red"]) if "colors" in code else (orb, None)
        swarm = Bullets(images, limit=None, lifetime=0.8, colors=colors, system=system)
        if code.startswith("spread"):
            pygame.draw.line(surface, DIM, middle, (190, 80))
            pygame.draw.line(surface, DIM, middle, (154, 24))
            arc = pygame.Rect(0, 0, 160, 160)
            arc.center = middle
            pygame.draw.arc(surface, MARK, arc, 0, 0.785)
            write(surface, "45", (186, 46), MARK)
        for _ in range(4):
            if code.startswith("ring"):
                swarm.spawn_many(24, position=middle, velocity=ring(24, 90))
            elif code.startswith("spread"):
                swarm.spawn_many(9, position=middle, velocity=spread(9, 45, 60, 90))
            else:
                swarm.spawn_many(60, position=middle, velocity=ring(60, 90))
            swarm.update(0.19)
        swarm.draw(surface)
        shots.append((surface, code, said))
    system.dispose()
    return side_by_side(shots)


def joints() -> pygame.Surface:
    """Draw a rope of links that swings with a crate, and is cut."""
    system, actors = PoolingSystem(), PooledGroup[PooledSprite]()
    world = PhysicsWorld(gravity=(0, 900))
    bead = pygame.Surface((8, 8), pygame.SRCALPHA)
    pygame.draw.circle(bead, "#c9a15c", (4, 4), 4)

    class Link(Actor):
        def __init__(self, image: pygame.Surface = bead, mass: float = 1) -> None:
            super().__init__(image)
            self.body = pymunk.Body(mass, 200 * mass)
            self.add_component(RigidBody(world, self.body))

        def spawned(self, above: pymunk.Body) -> None:
            world.space.add(pymunk.PinJoint(above, self.body))

    hook = world.space.static_body
    hook.position = (60, 16)
    link = Prefab(Link, name="link", groups=[actors])
    crate = Prefab(lambda: Link(sheet("crate", 12)[0], 3), name="crate", groups=[actors])
    rope: list[Link] = []
    for kind, gap in [(link, 12)] * 7 + [(crate, 22)]:
        above = rope[-1].body if rope else hook
        place = above.position + pymunk.Vec2d(gap, 0).rotated(0.35)
        rope.append(system.spawn(kind, place, above=above))

    def shot() -> pygame.Surface:
        surface = panel(200, 170)
        for joint in world.space.constraints:
            pygame.draw.line(surface, DIM, joint.a.position, joint.b.position, 2)
        actors.draw(surface)
        pygame.draw.circle(surface, MARK, hook.position, 4)
        return surface

    def play(seconds: float) -> None:
        for _ in range(round(seconds * 60)):
            world.step(1 / 60)

    shots = [shot()]
    play(0.36)
    shots.append(shot())
    rope[3].kill()
    play(0.12)
    shots.append(shot())
    system.dispose()
    code = ("space.add(PinJoint(above, body))", "world.step(1 / 60)", "rope[3].kill()")
    said = ("in spawned: the bodies are in place", "after 0.36 seconds", "its joints leave with it")
    return side_by_side(zip(shots, code, said, strict=True))


PICTURES = {
    "parts.png": parts,
    "layers.png": layers,
    "tween.png": tween,
    "animation.png": animation,
    "swarms.png": swarms,
    "joints.png": joints,
}


def main() -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        pygame.image.save(draw(), FOLDER / name)
        print(name, (FOLDER / name).stat().st_size)


if __name__ == "__main__":
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.init()
    main()
