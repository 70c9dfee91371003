"""Worlds that are dropped, and programs that end, while lives end in finalizers.

Python runs finalizers in any order: Chipmunk's memory may be freed before the sprites' own have
run. What they end must not be written to it, or the whole process aborts. So each program runs in a
process of its own.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import contextlib, gc, sys
import pymunk
from poolkit import PooledSprite, PoolError, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld, ResetPooledBodyComponent, RigidBody

class Orc(PooledSprite):
    def __init__(self, world):
        super().__init__()
        self.body, arm = pymunk.Body(1, 1), pymunk.Body(1, 1)
        joint = pymunk.PinJoint(self.body, arm)
        self.shape = pymunk.Circle(self.body, 5)
        self.add_component(RigidBody(world, self.body, self.shape, arm, joint))
        self.add_component(ResetPooledBodyComponent())
        self.shape.friction = 1

    def spawned(self):
        self.shape.friction = 2
        self.scope.start(self.play())

    def play(self):
        try:
            yield 60.0
        finally:
            if self.active:  # nobody has ended it
                self.leave()

    def leave(self):
        self.kill()

class Mortal(Orc):
    def __del__(self):
        self.kill()

class Mover(Orc):
    def leave(self):
        self.position = (5, 5)
        self.kill()

class Breeder(Orc):
    def leave(self):
        self.kill()
        self.system.spawn(self.prefab)

class Remover(Orc):
    def leave(self):
        for component in self.components:
            self.remove_component(component)
        self.kill()

class Resetter(Orc):
    def leave(self):
        with contextlib.suppress(PoolError):  # another world makes a step
            self.system.reset()

class Saver(Orc):
    def leave(self):
        saved.append(self)

def play(kind):
    world, system = PhysicsWorld(), PoolingSystem()
    prefab = Prefab(lambda: kind(world), name=kind.__name__)
    for lives in range(2):
        system.despawn_all()
        for place in range(4):
            system.spawn(prefab, (3 * place, 0))
        for _ in range(3):
            system.update(1 / 60)
            world.step(1 / 60)
    return world, system

saved = []
KINDS = [Orc, Mortal, Mover, Breeder, Remover, Resetter, Saver]
"""

ENDINGS = {
    "the program ends": "kept = [play(kind) for kind in KINDS]",
    "the program ends early": "kept = [play(kind) for kind in KINDS]; sys.exit()",
    "worlds are dropped": """
for kind in KINDS * 3:
    play(kind)
    gc.collect()
for sprite in saved:
    sprite.kill()
    sprite.position = (5, 5)
""",
    "worlds are dropped while others live": """
for kind in KINDS * 3:
    kept = play(kind)
gc.collect()
""",
}


@pytest.mark.parametrize("options", [[], ["-O"]], ids=["", "optimised"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_lives_that_end_in_finalizers_do_no_harm_as(ending: str, options: list[str]) -> None:
    command = [sys.executable, *options, "-c", PROGRAM + ENDINGS[ending]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    raised = [line for line in done.stderr.splitlines() if "Error: " in line]
    assert raised  # by those that spawn in a world that is gone
    assert all("can't enter its PhysicsWorld, which is gone" in line for line in raised), raised
