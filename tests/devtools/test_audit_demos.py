"""The prefabs of the demos' later parts leak nothing from one life into the next.

Monsters and rabbits are audited with the games that they are in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from flight.balloon import balloon
from flight.dragon import dragon
from flight.riders import KINDS as RIDERS
from fountain import solids
from poolkit import pools
from poolkit.devtools import audit
from shared.effects import ember, puff, spark
from shared.loop import open_screen
from shared.scene_demo import WINDOW

if TYPE_CHECKING:
    from poolkit import Prefab


@pytest.fixture(autouse=True)
def _screen() -> None:
    open_screen(WINDOW, "test", headless=True)  # pictures are loaded for it


THROWN = {"velocity": (40, -400), "color": 2}
CASES: list[tuple[Prefab[Any], dict[str, Any]]] = [
    *((kind, {}) for kind in (puff, spark, ember, dragon, balloon)),
    *((kind, {"data": THROWN, "seconds": 6}) for kind in solids.KINDS),
    *((kind, {"data": lambda: {"parent": pools.spawn(dragon), "seat": 1}}) for kind in RIDERS),
]


@pytest.mark.parametrize(("kind", "how"), CASES)
def test_n01_the_prefabs_of_the_demos_are_clean(kind: Prefab[Any], how: dict[str, Any]) -> None:
    assert str(audit(kind, **how)).startswith(f"{kind.name}: clean")
