"""Shapes that leak and shapes that don't, as games have them: what an audit says of each."""

from __future__ import annotations

import re
from typing import Any

import pytest

import clean_shapes
import leaky_shapes
from poolkit import Prefab, pools
from poolkit.devtools import audit

LEAKY, CLEAN = leaky_shapes.shapes, clean_shapes.shapes
# What three seconds of updates and a reading of the source do not show.
NOT_BY_DEFAULT = {"Blinking", "KillCounter", "LateComponent", "ScratchedImage"}
NOT_BY_DEFAULT |= {"AliveInNoGroup", "AddedAfterItsEnd", "LongerJoint", "AnotherKey"}
NOT_BY_DEFAULT |= {"ObjectsInAField"}
NEVER = "never reset in spawned or despawned"
AFTER = "after the despawn"
# What is said of some, with the class as KIND, and where it is as HERE.
SAID = {
    "HealthInAComponent": "health.current: fresh 30, respawned 27: set in Health.hit HERE, "
    f"{NEVER}",
    "Shield": f"shield: fresh 'oak', respawned (missing): set in KIND.splinter HERE, {NEVER}",
    "Levelled": "level: fresh 1, respawned 2: set in KIND.spawned HERE, "
    "from what the life before left there",
    "WrongReset": "alert: fresh False, respawned True: set in KIND.despawned HERE, "
    "from what the life before left there",
    "Hunter": "target: fresh None, respawned <Prey of the pool Prey, inactive>: "
    f"set in KIND.see HERE, {NEVER}",
    "Wounded": f"stats.wounds: fresh [], respawned [1]: changed in KIND.wound HERE, {NEVER}",
    "SharedInventory": "inventory: fresh [], respawned ['club']: changed in KIND.take HERE, "
    "one object that all of them share; build one for each in __init__ or spawned",
    "KillCounter": "kills: fresh 0, respawned 1: the class has it, for all of them: "
    "each life goes on where the last one ended",
    "Script": "script: fresh <generator lines, at line #>, respawned <generator lines, at line #>: "
    f"changed in KIND.update HERE, {NEVER}",
    "ColorCycle": f"colors: fresh <cycle>, respawned <cycle>: changed in KIND.update HERE, {NEVER}",
    "LateComponent": "components: fresh none, respawned Health: changed in KIND.power_up HERE, "
    f"{NEVER}",
    "ScratchedImage": "image: fresh <Surface 8x8, pixels #>, respawned <Surface 8x8, pixels #>: "
    f"changed in KIND.hit HERE, {NEVER}",
    "Kicked": "body.velocity: fresh Vec2d(0.0, 0.0), respawned Vec2d(0.0, -300.0): "
    f"set in KIND.kick HERE, {NEVER}; a ResetPooledBodyComponent does it",
    "LeavesAWall": "space: fresh none, respawned <Segment>: "
    f"still in the physics space {AFTER}; hand it to the RigidBody",
    "TimerElsewhere": "timers: fresh none, respawned <KIND.explode in 30.0 s>: "
    f"calls KIND.explode HERE, still waits {AFTER}; start it with self.scope",
    "Subscribed": "subscriptions: fresh none, respawned <KIND.on_noise>: calls KIND.on_noise HERE, "
    f"still subscribed {AFTER}; use self.scope.connect, or disconnect it",
    "InAModulesList": "references: fresh none, respawned <leaky.listeners>: "
    f"still holds it {AFTER}; take it out in despawned, or keep a handle",
}
SAID |= {
    "Purse": f"coins: fresh <Coins>, respawned <Coins>: set in KIND.earn HERE, {NEVER}",
    "OfASealedClass": f"anger: fresh 0, respawned 2: changed in KIND.rage HERE, {NEVER}",
    "AliveInNoGroup": "groups: fresh PooledGroup, respawned none: alive in no group, so nobody "
    "updates or draws it; kill() it instead of removing it",
    "AddedAfterItsEnd": "groups: fresh none, respawned PooledGroup: still in it after its despawn; "
    "nothing may add an instance whose life is over",
    "LongerJoint": f"joint.distance: fresh 20.0, respawned 35.0: set in KIND.stretch HERE, {NEVER}",
}
SAID["AGlobal"] = SAID["InAModulesList"].replace("listeners", "last_boss")
# It sets what it has anyway: only by playing can one tell.
FALSE_ALARMS = {"Rounds"}


@pytest.fixture(autouse=True)
def _idle() -> None:
    pools.reset()


def test_there_are_many_of_each_and_few_are_missed() -> None:
    assert len(LEAKY) >= 42
    assert len(CLEAN) >= 50
    assert len(NOT_BY_DEFAULT) <= 0.2 * len(LEAKY)
    assert len(FALSE_ALARMS) <= 1


@pytest.mark.parametrize("kind", LEAKY)
def test_a_leak_is_found_where_the_life_shows_it(kind: Any) -> None:
    name = kind.__name__
    homes = [kind.home] if hasattr(kind, "home") else []
    leaks = audit(Prefab(kind, name="it", groups=homes), LEAKY[kind]).leaks
    said = [re.sub(r"(\.py:|line |pixels )[\da-f]+", r"\1#", str(each)) for each in leaks]
    said = [each.replace("(leaky.py:#)", "HERE").replace(name, "KIND") for each in said]
    assert said == [f"it.{SAID[name]}"] if name in SAID else said


@pytest.mark.parametrize("kind", LEAKY)
def test_a_leak_is_found_by_playing_three_seconds_and_reading_the_rest(kind: Any) -> None:
    assert audit(Prefab(kind)).ok == (kind.__name__ in NOT_BY_DEFAULT)


@pytest.mark.parametrize("kind", CLEAN)
def test_nothing_is_said_of_what_leaks_nothing(kind: Any) -> None:
    report = audit(Prefab(kind, name="it"), CLEAN[kind])
    assert str(report).startswith("it: clean (")
    assert report.notes == ()
    is_false = kind.__name__ in FALSE_ALARMS
    assert audit(Prefab(kind)).ok == (not is_false)
