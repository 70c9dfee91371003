"""The figures of `churn`, `games` and `scale` as pictures.

Everything is labelled where it is, in colours that can be read on white and on black: there is no
legend to look up, and no background.
"""

from __future__ import annotations

import random
import statistics
from typing import TYPE_CHECKING, Any

from benchmarks.measure import BY_HAND, POOLKIT, worst

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INK, FAINT, OURS, OTHER = "#7d8590", "#7d859055", "#2f9e6e", "#d9663d"
WIDTH, DOTS_AN_INCH = 8.4, 160  # inches; pixels an inch


def draw(results: Mapping[str, Any], file: Path) -> None:
    """Draw what a benchmark returned, and write it as PNG."""
    import matplotlib as mpl  # noqa: PLC0415 - heavy, and not needed without --plot

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    plt.rcParams.update({"font.size": 9, "font.family": "DejaVu Sans"})
    figure = _frames(plt, results) if "frames, microseconds" in results else _scale(plt, results)
    figure.tight_layout()
    # No date and no version in it: the same figures give the same bytes.
    nameless = {"Software": None}
    figure.savefig(file, format="png", dpi=DOTS_AN_INCH, transparent=True, metadata=nameless)
    plt.close(figure)


def _frames(plt: Any, results: Mapping[str, Any]) -> Any:
    """Draw every frame as a dot, by how long it took; a bar for medians."""
    games = results["frames, microseconds"]
    rows = [(game, way) for game, ways in games.items() for way in ways]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.3 * len(rows) + 1.0))
    dice = random.Random(1)  # noqa: S311 - the same picture every time
    for row, (game, way) in enumerate(rows):
        times = [time / 1000 for time in games[game][way]]
        colour = OURS if way.startswith(POOLKIT) else INK if way.startswith(BY_HAND) else OTHER
        heights = [row + dice.uniform(-0.3, 0.3) for _ in times]
        axes.scatter(times, heights, s=5, color=colour, alpha=0.35, linewidths=0)
        axes.plot([statistics.median(times)] * 2, [row - 0.4, row + 0.4], color=colour)
        _beside(axes, row, f"{worst(times):.3g} ms", colour)
    _beside(axes, -0.9, "worst 1 %", INK)
    axes.set_xscale("log")
    axes.set_yticks(
        range(len(rows)), [f"{game}: {way}" if game else way for game, way in rows], color=INK
    )
    axes.set_ylim(len(rows) - 0.4, -1.3)
    axes.axvline(1000 / 60, color=INK, linewidth=1, linestyle=(0, (3, 3)))
    axes.annotate("a frame at 60 Hz", (1000 / 60, -0.9), color=INK, va="center")
    axes.set_xlabel("milliseconds a frame (a dot each; bars: medians)", color=INK)
    axes.xaxis.set_major_formatter(lambda value, _place: f"{value:g}")
    _tidy(axes)
    return figure


def _beside(axes: Any, row: float, text: str, colour: str) -> None:
    beside = ("axes fraction", "data")
    axes.annotate(text, (1.01, row), xycoords=beside, color=colour, va="center")


def _scale(plt: Any, results: Mapping[str, Any]) -> Any:
    """Draw what a life costs, by the number of instances and by that of pools."""
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 3.1), sharey=True)
    for axes, axis in zip(panels, ("instances in a pool", "pools"), strict=True):
        sizes = list(results[axis])
        for way, colour in ((POOLKIT, OURS), (BY_HAND, INK)):
            costs = [results[axis][size][way]["median"] for size in sizes]
            axes.plot(sizes, costs, "o-", color=colour, markersize=4)
            axes.annotate(way, (sizes[-1], costs[-1]), (7, 0), color=colour, **_OFF)
        axes.set_xscale("log")
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_xlabel(axis, color=INK)
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:,g}")
        _tidy(axes)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("microseconds from spawn to despawn", color=INK)
    return figure


_OFF = {"textcoords": "offset points", "va": "center"}


def _tidy(axes: Any) -> None:
    axes.patch.set_alpha(0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(INK)
    axes.tick_params(colors=INK, which="both", left=False)
    axes.tick_params(which="minor", bottom=False)
