"""A storm of levels in one world, with resets between: each equals the same level played fresh.

Run as a file, with a number and a recording, it replays that level in its own process.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymunk

from physics_kit import Ball, motion
from poolkit import PooledSprite, PoolingSystem, Prefab
from poolkit.devtools import record, replay
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody, Separation
from recorder import demand

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

FRAMES = (1 / 60, 1 / 64, 1 / 32, 1 / 128)  # seconds


class Piece(PooledSprite):
    """A body of some kind, perhaps with a part, that lives for a while."""

    def __init__(self, game: Game, kind: int) -> None:
        super().__init__()
        self.game, self.kind = game, kind
        body_type = (pymunk.Body.DYNAMIC,) * 4 + (pymunk.Body.KINEMATIC, pymunk.Body.STATIC)
        self.body = pymunk.Body(2, 60, body_type[kind])
        box = pymunk.Poly.create_box(self.body, (14, 8))
        shapes: list[pymunk.Shape] = [box, pymunk.Circle(self.body, 6, (3, 0))][kind == 1 :]
        for shape in shapes:
            shape.friction, shape.elasticity, shape.collision_type = 0.6, 0.4, kind
        self.add_component(RigidBody(game.world, self.body, *shapes))
        self.add_component(ResetPooledBodyComponent())
        self.ties: list[pymunk.Constraint] = []
        if kind == 2:
            self.add_child(Ball(game.world, kind=9, radius=4), (0, 15))

    def spawned(self, seconds: float = 0, to: Piece | None = None) -> None:
        dice = self.game.dice
        if self.kind < 4:
            self.body.velocity = (dice.uniform(-200, 200), dice.uniform(-200, 50))
        if seconds:
            self.scope.after(seconds, self.kill)
        if self.kind == 4:
            self.scope.start(self.patrol())
        if to is not None:
            tie = pymunk.DampedSpring(self.body, to.body, (0, 0), (0, 0), 20, 50, 2)
            self.game.world.space.add(tie)
            for end in (self, to):
                end.ties.append(tie)

    def despawned(self) -> None:
        self.game.world.remove(*self.ties)  # perhaps the other end has done so
        self.ties.clear()

    def patrol(self) -> Generator[float, None, None]:
        while True:
            self.body.velocity = (80, -20)
            yield 0.25
            self.body.velocity = (-80, 20)
            yield 0.25


class Game:
    """One world with walls of its own, shared by two systems."""

    def __init__(self) -> None:
        self.systems = PoolingSystem(), PoolingSystem()
        self.world = PhysicsWorld(interpolate=True)
        self.dice = random.Random()  # noqa: S311 - a game's dice
        self.pieces = [Prefab(partial(Piece, self, kind), name=f"{kind}") for kind in range(6)]
        self.kills = 0.0  # how probable they are, in a contact
        self.put(((0, 300), (400, 310)), ((0, 300), (0, -200)), ((400, 310), (400, -200)))
        self.world.on_contact(Piece, Piece, self.touch)

    def put(self, *walls: tuple[Any, Any]) -> list[pymunk.Segment]:
        """Put walls of the game's own into the space."""
        space = self.world.space
        segments = [pymunk.Segment(space.static_body, *wall, 3) for wall in walls]
        for segment in segments:
            segment.friction = 0.8
        space.add(*segments)
        return segments

    def touch(self, one: Piece, other: Piece, _: pymunk.Arbiter) -> None:
        if self.dice.random() < self.kills:
            one.kill()
            self.spawn([1], near=other.position, seconds=0.5)

    def spawn(self, kinds: list[int], near: Any = (200, 50), **data: Any) -> Any:
        system = self.systems[self.dice.random() < 0.2]
        place = near[0] + self.dice.uniform(-150, 150), near[1] + self.dice.uniform(-150, 150)
        prefab = self.pieces[self.dice.choice(kinds)]
        return system.spawn(prefab, place, self.dice.uniform(0, 360), **data)

    @property
    def alive(self) -> list[Any]:
        pools = [system.pool(prefab) for system in self.systems for prefab in self.pieces]
        return [one for pool in pools for one in pool.active]

    def play(self, number: int, tape: Any = None) -> str:
        """Play a level, perhaps through the tape of a recording; return a digest of its end."""
        dice, space = self.dice, self.world.space
        dice.seed(number)
        space.gravity = (0, dice.choice([0, 300, 900]))
        space.sleep_time_threshold = dice.choice([0.2, float("inf"), float("inf")])
        space.damping = dice.choice([1, 0.9])
        self.kills = dice.choice([0, 0, 0.05, 0.5])
        kinds = [*dice.sample(range(6), 3), 0, 1]
        y = dice.uniform(100, 250)
        self.walls = self.put(
            *[((60 * n, y), (60 * n + 40, y + 20)) for n in range(dice.randrange(6))]
        )
        self.take_off = self.world.on_collision(0, 0, separate=self.part)
        for _ in range(dice.choice([3, 20, 60])):
            self.spawn(kinds)
        seconds, hail = dice.choice(FRAMES), dice.choice([0, 1, 1, 12])
        for _ in range(dice.choice([20, 60, 120])):
            if tape is not None:
                tape.frame((), seconds)
            self.frame(seconds, hail, kinds)
        if tape is not None:
            tape.frame((), seconds)  # which compares the end, too
        ends = [(one.kind, one.position, one.rotation, motion(one.body)) for one in self.alive]
        return hashlib.sha256(repr(ends).encode()).hexdigest()

    def frame(self, seconds: float, hail: int, kinds: list[int]) -> None:
        self.world.step(seconds)
        for system in self.systems:
            system.update(seconds)
        for _ in range(hail):  # it takes many numbers of shapes
            self.spawn([1], seconds=self.dice.randrange(1, 20) / 64)
        alive = self.alive
        if alive and self.dice.random() < 0.3:
            one = self.dice.choice(alive)
            if one.kind < 4 and len(alive) < 90:
                self.spawn(kinds, to=one, seconds=self.dice.choice([0, 0.5]))
            else:
                one.kill()

    def part(self, separation: Separation, *_: object) -> None:
        if self.dice.random() < self.kills / 4:
            sprite = self.world.sprite_of(separation.shapes[1])
            if sprite is not None:
                sprite.kill()

    def leave(self) -> None:
        """Leave the level, with its walls before or after its lives, at any time of a step."""
        self.take_off()
        self.world.step(self.dice.random() / 60)
        acts: list[Callable[[], object]]
        acts = [partial(self.world.remove, *self.walls), *(one.reset for one in self.systems)]
        for act in self.dice.sample(acts, len(acts)):
            act()


def storm(dice: random.Random, count: int = 6) -> object:
    """Play levels in random order in one game; each equals the same in a game of its own.

    The last is recorded, and replayed in a process that has played nothing else.
    """
    numbers = [dice.randrange(10**6) for _ in range(count // 2)]
    fresh = {number: Game().play(number) for number in numbers}
    game = Game()
    # The other process, which scripts/storm.py compares, plays them in another order.
    order = random.Random(f"{numbers} {__debug__}").sample(numbers * 2, count)  # noqa: S311
    for number in order:
        demand(game.play(number) == fresh[number], f"level {number} of {order}")
        game.leave()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "level.rec"
        with record(path, seed=1, system=game.systems[0]) as tape:
            end = game.play(numbers[0], tape)
        command = [sys.executable, __file__, str(numbers[0]), str(path)]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    demand(told.stdout.split()[-1:] == [end], f"replaying level {numbers[0]}: {told}")
    return fresh


if __name__ == "__main__":
    only = Game()
    with replay(sys.argv[2], system=only.systems[0]) as recorded:
        print(only.play(int(sys.argv[1]), recorded))  # noqa: T201 - its whole purpose
