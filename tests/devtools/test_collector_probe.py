"""The collector probe sees the pauses between two looks, and costs nothing while stopped."""

from __future__ import annotations

import gc

import pytest

from poolkit.devtools import CollectorProbe, collector_probe

pytestmark = pytest.mark.usefixtures("no_collector")


def test_n05_a_probe_sees_each_pause_its_generation_and_what_was_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collector_probe, "_clock", iter((1.0, 1.5, 7.0, 7.25)).__next__)
    garbage: list[object] = []
    garbage.append(garbage)
    del garbage
    with CollectorProbe() as probe:
        gc.collect()
        gc.collect(0)
        pauses = probe.take()
    assert [pause.generation for pause in pauses] == [2, 0]
    assert pauses[0].collected >= 1
    assert [pause.seconds for pause in pauses] == [0.5, 0.25]
    assert probe.take() == ()


def test_n05_a_probe_watches_only_between_start_and_stop_and_skips_what_had_begun() -> None:
    before = len(gc.callbacks)
    probe = CollectorProbe()
    probe._watch("stop", {"generation": 1, "collected": 3})
    for change, watching in ((probe.start, 1), (probe.start, 1), (probe.stop, 0), (probe.stop, 0)):
        change()
        assert len(gc.callbacks) == before + watching
        gc.collect()
    assert len(probe.take()) == 2
