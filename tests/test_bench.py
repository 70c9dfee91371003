"""The benchmarks run, and say what they measured; how fast is not for a test to judge."""

from __future__ import annotations

from benchmarks import policies, spawn


def test_g14_the_gain_is_measured_against_a_hand_written_pool_and_building_anew() -> None:
    results = spawn.run(pieces=16, rounds=3, cycles=400)
    text = spawn.as_text(results)
    for name, figures in results.items():
        assert name in text
        assert set(figures["nanoseconds"]) >= {"poolkit", "built anew"}
        low, middle, high = figures["poolkit to"]["built anew"]
        assert 0 < low <= middle <= high


def test_g14_each_policys_cost_is_measured_by_size() -> None:
    policies.QUICK_SIZES, before = (10, 20, 30), policies.QUICK_SIZES
    try:
        results = policies.run(rounds=2, cycles=10)
    finally:
        policies.QUICK_SIZES = before
    assert results["sizes"] == [10, 20, 30]
    assert all(len(row) == 3 for row in results["nanoseconds"].values())
    assert "RecycleLowest" in policies.as_text(results)
