"""All storms and models of the tests, by name: each is thrown dice, and tells what came of it.

Run as a file, with a seed, a number of rounds and names, it prints that. Asserts hold a storm to
its word where they are not optimised away; under `python -O` it must tell the same.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import random
import sys
from typing import TYPE_CHECKING, Any

from hypothesis import Phase, seed

import checkpoint_storm
import level_storm
from physics_storm import Tempest
from recorder import Interrupt, assert_counts, demand
from reference_model import play, traced_states
from tests.core.test_hooks_fail import PLACES, Faults, Game, PlannedError
from tests.core.test_model import FIGURES, PoolingGame
from tests.core.test_object_pool import ModelledPool
from tests.core.test_policies import ModelledVictims
from tests.core.test_states import Jungle
from tests.swarms.test_rows import SwarmGame
from tests.swarms.test_shared_budget import SharedBudget

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.stateful import RuleBasedStateMachine


def tempest(dice: random.Random) -> object:
    """Everything that a space can hold, stepped by the world or the game, awake or sleepy."""
    own_step, sleepy = dice.random() < 0.5, dice.random() < 0.5
    one = Tempest(dice.randrange(10**6), own_step=own_step, sleepy=sleepy)
    return one.run(40), len(one.trace), one.slept


def dropped(dice: random.Random) -> object:
    """Games that are dropped without a reset, or last until the program ends."""
    told: list[object] = []
    for _ in range(4):
        own_step, sleepy = dice.random() < 0.5, dice.random() < 0.5
        one = Tempest(dice.randrange(10**6), own_step=own_step, sleepy=sleepy)
        told.append(one.drop(dice.randrange(1, 20)))
        if dice.random() < 0.3:
            _kept.append(one)
        del one
        if dice.random() < 0.5:  # else in the middle of the next one
            gc.collect()
    return told


_kept: list[Tempest] = []


def model(dice: random.Random) -> object:
    """Pools of prefabs beside the reference model."""
    with traced_states():
        return _play(PoolingGame, dice, 30, lambda game: game.bare.system.state(FIGURES))


def policies(dice: random.Random) -> object:
    """Object pools, and the choice of victims, beside lists."""
    return (
        _play(ModelledPool, dice, 40, lambda game: game.pool.stats),
        _play(ModelledVictims, dice, 30, lambda game: game.system.pool(game.bat).stats),
    )


def _play(
    machine: type[RuleBasedStateMachine],
    dice: random.Random,
    steps: int,
    tell: Callable[[Any], object],
) -> list[object]:
    told: list[object] = []

    class Telling(machine):  # type: ignore[misc, valid-type]
        def teardown(self) -> None:
            told.append(tell(self))

    play(seed(dice.randrange(10**9))(Telling), 10, steps, phases=[Phase.generate])
    return told


def swarms(dice: random.Random) -> object:
    """Swarms beside lists of objects and pooled sprites, and beside what shares their budget."""
    return (
        _play(SwarmGame, dice, 40, lambda game: (game.swarm.stats, game.swarm.position.tolist())),
        _play(SharedBudget, dice, 40, lambda game: [one.stats for one in game.swarms.values()]),
    )


def jungle(dice: random.Random) -> object:
    """Sprites that do anything to each other keep to the table of states."""
    with traced_states() as seen:
        one = Jungle(dice.randrange(10**6), dice.choice(["at_once", "next_update"]))
        one.play(60)
        with contextlib.suppress(Exception):
            one.system.dispose()
    ways = sorted((before.name if before else "", after.name) for before, after in seen)
    return [pool.stats for pool in one.system.all_pools()], ways


def faults(dice: random.Random) -> object:
    """Exceptions in any few of the places where the game is called break nothing."""
    told: list[object] = []
    for _ in range(10):
        kind = dice.choice([PlannedError, PlannedError, KeyboardInterrupt])
        places = dice.sample(PLACES, dice.randint(1, 4))
        some = Faults(*places, times=dice.choice([1, 2, 5]), kind=kind)
        Game(some).play(kind)
        told.append((len(some.raised), sorted(some.left.items())))
    return told


def ctrl_c(dice: random.Random) -> object:
    """Ctrl-C at any moment: no world is shut, and a reset makes all counts right again."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    for _ in range(10):
        one = Jungle(dice.randrange(10**6), dice.choice(["at_once", "next_update"]))
        one.play(8)
        interrupt = Interrupt(int(2 ** dice.uniform(0, 11)))
        while not interrupt.during(one.frame):
            pass
        try:
            demand_all_open(one)
        except Exception as error:
            message = f"after Ctrl-C at {interrupt.place}"
            raise RuntimeError(message) from error
    sys.unraisablehook = hook
    return "nothing shut"


def demand_all_open(one: Jungle) -> None:
    """Raise if something is shut or wrong after a reset."""
    one.depth = 9  # its hooks do nothing any more
    demand(not one.world.is_stepping, "the world is shut")
    with contextlib.suppress(Exception):  # what a callback raised before comes out of a step
        one.world.step(1 / 60)
    one.system.update(1 / 60)
    one.system.reset()
    for prefab in one.prefabs:
        demand(one.system.spawn(prefab).active, "what is spawned is not active")
        demand(one.system.pool(prefab).active_count == 1, "more than the reset left is alive")
    one.world.step(1 / 60)
    assert_counts(one.system)
    alive = {id(sprite) for sprite in one.alive()}
    shown = {id(sprite.parent or sprite) for sprite in one.group if sprite.system is not None}
    demand(shown == alive, "the group holds the dead, or not all of the living")
    owners = [one.world.sprite_of(body) for body in one.world.space.bodies]
    moved = {id(owner) for owner in owners if owner is not None and owner.system is not None}
    demand(moved == alive, "the space holds the dead, or not all of the living")


def levels(dice: random.Random) -> object:
    """Levels with bodies in a world and systems that others were played in before."""
    return level_storm.storm(dice)


def checkpoints(dice: random.Random) -> object:
    """Levels that are put back to any moment, and go on as they went on."""
    return checkpoint_storm.storm(dice)


STORMS: dict[str, Callable[[random.Random], object]] = {
    storm_fn.__name__: storm_fn
    for storm_fn in (
        tempest,
        dropped,
        model,
        policies,
        swarms,
        jungle,
        faults,
        ctrl_c,
        levels,
        checkpoints,
    )
}


def main(number: str, rounds: str, *names: str) -> None:
    """Play some rounds of each storm; print a digest of what came of it."""
    for name in names:
        dice = random.Random(f"{name} {number}")  # noqa: S311 - a game's dice
        told = repr([STORMS[name](dice) for _ in range(int(rounds))])
        print(name, hashlib.sha256(told.encode()).hexdigest())  # noqa: T201 - its whole purpose


if __name__ == "__main__":
    main(*sys.argv[1:])
