"""The internals of pymunk are as poolkit expects them, and it works where they aren't."""

from __future__ import annotations

from typing import Any

import pymunk
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics_storm import Tempest
from poolkit.physics import chipmunk, space_queue
from recorder import raising


def _notes(space: Any, parts: list[Any]) -> list[object]:
    """Return what pymunk noted about some parts, in its order."""
    places = {id(part): place for place, part in enumerate(parts)}
    books = [space._bodies, space._shapes, space._removed_shapes, space._add_later]
    noted: list[object] = [[places[id(part)] for part in book] for book in books]
    noted.append({places[id(body)] for body in space._bodies_to_check})
    noted.append([part.space is space for part in parts])
    noted.append([part.position for part in parts if isinstance(part, pymunk.Body)])
    return noted


def _use(deed: str, space: pymunk.Space, ways: Any, bodies: list[Any], shapes: list[Any]) -> None:
    is_in = bodies[0].space is not None and shapes[0].space is not None
    if deed == "in":
        ways[0](bodies, shapes)
    elif deed == "out":
        ways[1](bodies)
    elif deed == "step":
        space.step(0.1)
    elif deed == "push" and bodies[0].body_type != pymunk.Body.STATIC:
        bodies[0].velocity = (9, 9)
    elif deed == "bare" and is_in:
        space.remove(shapes[0])
        space.add(shapes[0])


@settings(max_examples=60)
@given(
    script=st.lists(
        st.tuples(st.sampled_from(["in", "out", "step", "push", "bare"]), st.integers(0, 5)),
        max_size=40,
    )
)
def test_entries_written_directly_note_what_pymunk_notes(script: list[tuple[str, int]]) -> None:
    traces = []
    for ways_of in (chipmunk.fast_add_remove, chipmunk.public_add_remove):
        space = pymunk.Space()
        ways = ways_of(space)
        trace: list[object] = []
        parts: list[Any] = []
        entries: list[Any] = []
        for number in range(6):
            bodies = [pymunk.Body(1, 9, (0, 0, 2)[number % 3]) for _ in range(1 + number % 2)]
            shapes = [pymunk.Circle(body, 5) for body in bodies for _ in range(1 + number % 2)]
            for body in bodies:
                body.position = (6 * number, 0)
            entries.append((ways, bodies, shapes))
            parts += [*bodies, *shapes]
        for deed, which in script:
            try:
                _use(deed, space, *entries[which])
            except AssertionError as error:
                trace.append(str(error))
            trace.append(_notes(space, parts))
        traces.append(trace)
    assert traces[0] == traces[1]


def test_the_internals_of_pymunk_are_as_expected_and_storms_repeat_if_they_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chipmunk.internals_match()
    # How shapes are numbered differs without them: that is promised only with them.
    for module, name in ((chipmunk, "grow_shape_table"), (space_queue, "restart_ids")):
        monkeypatch.setattr(module, name, lambda _: None)
    usual = Tempest(9, own_step=True, sleepy=False).run(12)
    for module in (chipmunk, space_queue):
        monkeypatch.setattr(module, "internals_match", lambda: False)
    assert Tempest(9, own_step=True, sleepy=False).run(12) == usual


TRIALS = ["_fast_path_matches_pymunk", "_bodies_are_in_order", "_used_space_is_as_fresh"]


@pytest.mark.parametrize("trial", TRIALS)
def test_the_log_says_that_the_internals_of_pymunk_are_not_as_expected(
    trial: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(chipmunk, trial, raising(AttributeError()))
    assert not chipmunk.internals_match.__wrapped__()
    [record] = caplog.records
    assert (record.name, record.levelname) == ("poolkit", "WARNING")
    assert "poolkit uses its slower, public functions" in record.getMessage()
