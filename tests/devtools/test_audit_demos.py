"""The prefabs of this project's own demos leak nothing from one life into the next."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pymunk
import pytest

from arena import stage
from flight.balloon import balloon
from flight.dragon import dragon
from flight.riders import KINDS as RIDERS
from fountain import solids
from monsters import KINDS
from poolkit import pools
from poolkit.devtools import audit
from shared.effects import ember, puff, spark
from shared.loop import open_screen
from shared.scene_demo import WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.monster import Monster
    from poolkit import Prefab

FRAME = 1 / 60


@pytest.fixture(autouse=True)
def _screen() -> Iterator[None]:
    open_screen(WINDOW, "test", headless=True)  # pictures are loaded for it
    yield
    gc.unfreeze()  # loading a scene freezes everything, the other tests' objects too


def fight(monster: Monster) -> None:
    """Fall onto a floor, walk about on it, be hit, and die of it at last."""
    floor = pymunk.Segment(stage.world.space.static_body, (-900, 60), (900, 60), 5)
    floor.collision_type = stage.GROUND
    stage.world.space.add(floor)
    for frame in range(400):
        pools.update(FRAME)
        stage.monsters.update(FRAME)
        stage.world.step(FRAME)
        if frame % 60 == 50:
            monster.hit(15)
        if not monster.active:
            break
    assert monster not in stage.monsters
    stage.world.space.remove(floor)


def seat() -> dict[str, object]:
    """Return what a rider is given: a dragon to ride."""
    return {"parent": pools.spawn(dragon, (300, 300)), "seat": 1}


THROWN = {"velocity": (40, -400), "color": 2}
CASES: list[tuple[Prefab[Any], dict[str, Any]]] = [
    *((kind, {"live": fight}) for kind in KINDS),
    *((kind, {}) for kind in (puff, spark, ember, dragon, balloon)),
    *((kind, {"data": THROWN, "seconds": 6}) for kind in solids.KINDS),
    *((kind, {"data": seat}) for kind in RIDERS),
]


@pytest.mark.parametrize(("kind", "how"), CASES)
def test_n01_the_prefabs_of_the_demos_are_clean(kind: Prefab[Any], how: dict[str, Any]) -> None:
    assert str(audit(kind, **how)).startswith(f"{kind.name}: clean")
