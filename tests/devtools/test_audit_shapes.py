"""Fifty shapes that leak and fifty that don't, as games have them: what an audit says of each."""

from __future__ import annotations

from typing import Any

import pytest

import clean_shapes
import leaky_shapes
from poolkit import Prefab, pools
from poolkit.devtools import audit, lint

LEAKY, CLEAN = leaky_shapes.shapes, clean_shapes.shapes
# What three seconds of updates and a reading of the source do not show.
NOT_BY_DEFAULT = {"Blinking", "MutableDefault", "KillCounter", "LateComponent", "Kicked"}
NOT_BY_DEFAULT |= {"OwnBody", "StaleSpeed", "Squad"}
# It sets what it has anyway: only by playing can one tell.
FALSE_ALARMS = {"Rounds"}


@pytest.fixture(autouse=True)
def _idle() -> None:
    pools.reset()


def test_n01_there_are_fifty_of_each_and_few_are_missed() -> None:
    assert len(LEAKY) == len(CLEAN) == 50
    assert len(NOT_BY_DEFAULT) <= 0.2 * len(LEAKY)
    assert len(FALSE_ALARMS) <= 1


@pytest.mark.parametrize("kind", LEAKY)
def test_n01_a_leak_is_found_where_the_life_shows_it(kind: Any) -> None:
    assert audit(Prefab(kind), kind.live).leaks


@pytest.mark.parametrize("kind", LEAKY)
def test_n11_a_leak_is_found_by_playing_three_seconds_and_reading_the_rest(kind: Any) -> None:
    assert audit(Prefab(kind)).ok == (kind.__name__ in NOT_BY_DEFAULT)


@pytest.mark.parametrize("kind", CLEAN)
def test_n01_nothing_is_said_of_what_leaks_nothing(kind: Any) -> None:
    report = audit(Prefab(kind, name="it"), getattr(kind, "live", None))
    assert str(report).startswith("it: clean (")
    assert report.notes == ()
    is_false = kind.__name__ in FALSE_ALARMS
    assert audit(Prefab(kind)).ok == lint(kind).ok == (not is_false)
