"""The two figures of the README, drawn from what `churn` and `scale` measured.

Everything is labelled where it is, in colours that can be read on white and on black: there is no
legend to look up, and no background.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from benchmarks import churn_ways

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["PLOTS", "draw_churn", "draw_scale"]

INK, FAINT = "#7d8590", "#7d859055"
OURS, OTHER, BAD = "#2f9e6e", "#7d8590", "#d9663d"
WIDTH, DOTS_AN_INCH = 8.4, 160  # inches; pixels an inch
A_FRAME = 1000 / 60  # milliseconds at 60 frames a second
SPREAD = 0.30  # how far the dots of a row lie apart, in rows

COLOURS = {
    churn_ways.BUILT: BAD,
    churn_ways.FROZEN: BAD,
    churn_ways.OFF: BAD,
    churn_ways.POOLKIT: OURS,
}


def draw_churn(results: Mapping[str, Any], file: Path) -> None:
    """Draw every frame of every way as a dot, by how long it took.

    Args:
        results: What `benchmarks.churn.run` returned.
        file: Where to write the PNG.
    """
    plt = _pyplot()
    ways = results["ways"]
    figure, axes = plt.subplots(figsize=(WIDTH, 0.52 * len(ways) + 1.15))
    dice = random.Random(1)  # noqa: S311 - the same picture every time
    for row, (name, figures) in enumerate(ways.items()):
        times = results["frames, ms"][name]
        colour = COLOURS.get(name, OTHER)
        heights = [row + dice.uniform(-SPREAD, SPREAD) for _ in times]
        axes.scatter(times, heights, s=5, color=colour, alpha=0.35, linewidths=0)
        middle, worst = figures["churn"]["median"], figures["churn"]["worst 1 %"]
        axes.plot([middle] * 2, [row - 0.42, row + 0.42], color=colour, linewidth=2)
        axes.plot(worst, row, "D", color=colour, markersize=6)
        label = f"{worst:.3g} ms" if worst < 100 else f"{worst:.0f} ms"  # noqa: PLR2004
        axes.annotate(
            label,
            (1.01, row),
            xycoords=("axes fraction", "data"),
            color=colour,
            va="center",
            fontweight="bold" if name == churn_ways.POOLKIT else "normal",
        )
    axes.set_xscale("log")
    _tidy(axes)
    axes.set_yticks(range(len(ways)), list(ways))
    for label in axes.get_yticklabels():
        label.set_color(COLOURS.get(label.get_text(), OTHER))
        if label.get_text() == churn_ways.POOLKIT:
            label.set_fontweight("bold")
    axes.set_ylim(len(ways) - 0.45, -0.85)
    axes.axvline(A_FRAME, color=INK, linewidth=1, linestyle=(0, (3, 3)))
    axes.annotate(
        "a frame at 60 Hz",
        (A_FRAME, -0.62),
        xytext=(4, 0),
        textcoords="offset points",
        color=INK,
        va="center",
    )
    axes.annotate(
        "\u25c6 worst 1 %",
        (1.01, -0.62),
        xycoords=("axes fraction", "data"),
        color=INK,
        va="center",
    )
    sizes = results["sizes"]
    axes.set_xlabel(
        f"milliseconds a frame: {sizes['a_frame']} of {sizes['active']} physics sprites end, "
        f"{sizes['a_frame']} begin (a dot each; bars: medians)",
        color=INK,
    )
    axes.xaxis.set_major_formatter(_plain)
    _save(figure, file)


def draw_scale(results: Mapping[str, Any], file: Path) -> None:
    """Draw the cost by the number of instances, and by the number of pools.

    Args:
        results: What `benchmarks.scale.run` returned.
        file: Where to write the PNG.
    """
    plt = _pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(WIDTH, 3.1), sharey=True)
    for axes, axis in zip(panels, ("instances in a pool", "pools"), strict=True):
        rows = results[axis]
        sizes = [row["size"] for row in rows]
        lines = {
            name: [row["nanoseconds"][name] / 1000 for row in rows]
            for name in ("poolkit", "written by hand")
        }
        higher = max(lines, key=lambda name: lines[name][-1])
        for name, costs in lines.items():
            colour = OURS if name == "poolkit" else OTHER
            axes.plot(sizes, costs, "o-", color=colour, markersize=4, linewidth=1.8)
            axes.annotate(
                name.removeprefix("written "),
                (sizes[-1], costs[-1]),
                xytext=(7, 3 if name == higher else -3),  # apart, also where the lines meet
                textcoords="offset points",
                va="center",
                color=colour,
                fontweight="bold" if name == "poolkit" else "normal",
            )
        axes.set_xscale("log")
        _tidy(axes)
        axes.grid(axis="y", color=FAINT, linewidth=0.6)
        axes.set_xlabel(axis, color=INK)
        axes.xaxis.set_major_formatter(_short)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("microseconds a spawn and despawn", color=INK)
    _save(figure, file)


PLOTS: dict[str, Callable[[Mapping[str, Any], Path], None]] = {
    "churn": draw_churn,
    "scale": draw_scale,
}


def _pyplot() -> Any:
    import matplotlib as mpl  # noqa: PLC0415 - heavy, and not needed without --plot

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    plt.rcParams.update({"font.size": 9, "font.family": "DejaVu Sans"})
    return plt


def _tidy(axes: Any) -> None:
    axes.patch.set_alpha(0)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(INK)
    axes.tick_params(colors=INK, which="both", left=False)
    axes.tick_params(which="minor", bottom=False)


def _plain(value: float, _place: int) -> str:
    return f"{value:g}"


def _short(value: float, _place: int) -> str:
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"


def _save(figure: Any, file: Path) -> None:
    figure.tight_layout()
    # No date and no version in it: the same figures give the same bytes.
    figure.savefig(
        file, format="png", dpi=DOTS_AN_INCH, transparent=True, metadata={"Software": None}
    )
    figure.clear()
