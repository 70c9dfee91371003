"""A little of what `scripts/storm.py` plays for long, and how it tells of a fault."""

from __future__ import annotations

import re

import storm
import storms


def test_n04_order5_f10_12_18_all_storms_end_well_and_alike_in_other_processes_and_under_o() -> (
    None
):
    assert tuple(storms.STORMS) == storm.STORMS
    assert storm.fault_of(0, 1, *storm.STORMS) == ""


def test_a_storm_that_fails_is_told_with_the_way_to_repeat_it() -> None:
    fault = storm.fault_of(3, 1, "drizzle")
    assert fault.count("KeyError: 'drizzle'") == 2
    repeat = r"PYTHONHASHSEED=2 \.venv/bin/python -O tests/support/storms\.py 3 1 drizzle$"
    assert re.search(repeat, fault)
