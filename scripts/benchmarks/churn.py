"""A hundred physics sprites a frame come and go, in a heap as large as a game's.

A frame here is 100 despawns, the oldest first, and 100 spawns, with 900 sprites alive: what pools
are for. The physics step and moving the sprites to their bodies come after it, are timed by
themselves and told as well; nothing is drawn. Each way runs in a fresh process, for in one they
would share a heap, and the collector would look through the sprites of all; the processes take
turns, and ratios are of those that ran in the same turn.
"""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any

from benchmarks.churn_ways import BUILT, BY_HAND, FROZEN, OFF, POOLKIT, WAYS, missing
from benchmarks.fresh_process import output_of
from benchmarks.measure import CLOCK_NAME
from benchmarks.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["QUICK", "as_text", "run", "verdicts"]

QUICK = {"rounds": 1, "frames": 60, "objects": 3_000}

ACTIVE, A_FRAME = 900, 100
GENERATIONS = 3


def run(
    *,
    rounds: int = 5,
    frames: int = 600,
    objects: int = 300_000,
    ways: tuple[str, ...] = tuple(WAYS),
) -> dict[str, Any]:
    """Measure, and return the figures as they are printed and written as JSON."""
    sizes = {"frames": frames, "active": ACTIVE, "a_frame": A_FRAME, "objects": objects}
    absent = {name: missing(name) for name in ways if missing(name)}
    present = [name for name in ways if name not in absent]
    turns = [{name: _in_fresh_process(name, sizes) for name in present} for _ in range(rounds)]
    return {
        "sizes": {"rounds": rounds, **sizes},
        "full collection of the heap, ms": _median(turn[present[0]]["heap"] for turn in turns),
        "clock": CLOCK_NAME,
        "not measured": {name: f"{module} is not installed" for name, module in absent.items()},
        "ways": {name: _figures([turn[name] for turn in turns]) for name in present},
        f"to {POOLKIT}": {
            name: _ratios([(turn[name], turn[POOLKIT]) for turn in turns])
            for name in present
            if name != POOLKIT
        },
        "frames, ms": {
            name: [time for turn in turns for time in turn[name]["churn"]] for name in present
        },
    }


def _in_fresh_process(name: str, sizes: dict[str, int]) -> dict[str, Any]:
    printed = output_of("-m", "benchmarks.churn_process", name, json.dumps(sizes))
    found: dict[str, Any] = json.loads(printed)
    return found


def _figures(turns: list[dict[str, Any]]) -> dict[str, Any]:
    pauses = [pause for turn in turns for pause in turn["pauses"]]
    return {
        "churn": _of_each(turns, _churn),
        "churn and step": _of_each(turns, _with_step),
        "collections": [_count(pauses, generation) for generation in range(GENERATIONS)],
        "pauses, ms": [_longest(pauses, generation) for generation in range(GENERATIONS)],
        "share of time collecting": _share(turns),
    }


def _of_each(turns: list[dict[str, Any]], times: Any) -> dict[str, float]:
    """Return the median over the turns of each figure."""
    each = [_summary(times(turn)) for turn in turns]
    return {key: round(_median(figures[key] for figures in each), 4) for key in each[0]}


def _summary(milliseconds: list[float]) -> dict[str, float]:
    times = sorted(milliseconds)
    worst = times[-max(1, len(times) // 100) :]
    return {
        "mean": statistics.fmean(times),
        "median": statistics.median(times),
        "p99": times[min(len(times) - 1, len(times) * 99 // 100)],
        "worst 1 %": statistics.fmean(worst),
    }


def _ratios(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return each figure's ratio in each turn: lowest, median, highest."""
    ratios: dict[str, dict[str, Any]] = {}
    for part, times in {"churn": _churn, "churn and step": _with_step}.items():
        each = [(_summary(times(one)), _summary(times(other))) for one, other in pairs]
        ratios[part] = {}
        for key in each[0][0]:
            found = sorted(one[key] / other[key] for one, other in each)
            three = (found[0], statistics.median(found), found[-1])
            ratios[part][key] = [round(value, 3) for value in three]
    return ratios


def _churn(turn: dict[str, Any]) -> list[float]:
    times: list[float] = turn["churn"]
    return times


def _with_step(turn: dict[str, Any]) -> list[float]:
    return [sum(both) for both in zip(turn["churn"], turn["step"], strict=True)]


def _count(pauses: list[list[float]], generation: int) -> int:
    return sum(number == generation for number, _ in pauses)


def _longest(pauses: list[list[float]], generation: int) -> float:
    return max([0.0, *(time for number, time in pauses if number == generation)])


def _share(turns: list[dict[str, Any]]) -> float:
    collecting: float = sum(time for turn in turns for _, time in turn["pauses"])
    playing: float = sum(turn["wall"] for turn in turns)
    return round(collecting / playing, 4)


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def verdicts(results: dict[str, Any]) -> list[Verdict]:
    """Hold the figures against their bars."""
    ratio = results[f"to {POOLKIT}"][BUILT]["churn"]
    return [
        Verdict(
            what="churn, mean of the worst 1 % of frames, built each time to poolkit",
            figure=ratio["worst 1 %"][1],
            at_least=60,
            aim=120,
        ),
        Verdict(
            what="churn, mean frame, built each time to poolkit",
            figure=ratio["mean"][1],
            at_least=2.5,
            aim=3.5,
        ),
    ]


def as_text(results: dict[str, Any]) -> str:
    """Return the figures as a table."""
    sizes = results["sizes"]
    heading = (
        f"{sizes['a_frame']} physics sprites a frame come and go, {sizes['active']} are alive, "
        f"{sizes['objects']:,} other objects in the heap\n"
        f"({results['full collection of the heap, ms']:.0f} ms to look through); milliseconds of "
        f"{results['clock']} a frame, medians of {sizes['rounds']} x {sizes['frames']} frames"
    )
    lines = [heading]
    for part in ("churn", "churn and step"):
        note = "nothing drawn" if part == "churn" else "sprites moved to their bodies"
        lines += ["", _row(f"{part} ({note})", ("mean", "median", "p99", "worst 1 %"))]
        for name, figures in results["ways"].items():
            lines.append(_row(f"  {name}", [f"{value:.2f}" for value in figures[part].values()]))
    lines += ["", "as many times as long as poolkit: mean, worst 1 % (lowest - highest of turns)"]
    for name, ratios in results[f"to {POOLKIT}"].items():
        mean, worst = ratios["churn"]["mean"], ratios["churn"]["worst 1 %"]
        lines.append(f"  {name:<22} {_three(mean):>24} {_three(worst):>24}")
    lines += ["", _row("collections by generation", ("0", "1", "2", "longest", "share"))]
    for name, figures in results["ways"].items():
        longest, share = max(figures["pauses, ms"]), figures["share of time collecting"]
        counts = [str(count) for count in figures["collections"]]
        lines.append(_row(f"  {name}", [*counts, f"{longest:.1f} ms", f"{share:.0%}"]))
    lines += [f"not measured: {name}, {why}" for name, why in results["not measured"].items()]
    lines.append(
        f"\n{BUILT}: what most games do. {FROZEN}: the same after gc.freeze().\n"
        f"{BY_HAND}: a pool as a careful user writes it. {OFF}: configure(pooling=False).\n"
        "object-pool and pondpond lend and take back; hooks, groups and physics are the game's."
    )
    return "\n".join(lines)


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<46}" + "".join(f"{cell:>10}" for cell in cells)


def _three(values: list[float]) -> str:
    low, middle, high = values
    return f"{middle:.2f} ({low:.2f} - {high:.2f})"
