"""How figures are told: as they are found, held against their bars, and as a picture."""

from __future__ import annotations

import platform
import random
import statistics
import sysconfig
from itertools import chain
from typing import TYPE_CHECKING, Any

from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, Contest, worst

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEAD = f"{'median':>36}{'mean':>12}{'worst 1 %':>12}{'collected':>11}   poolkit ÷ it"
MILLI = 1_000  # microseconds
INK, OURS, OTHER = "#7d8590", "#2f9e6e", "#d9663d"  # can be read on white and on black
COLOURED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
missed: list[str] = []
"""What did not reach its bar."""
LEFT_OUT = ("axes.spines.left", "axes.spines.top", "axes.spines.right", "ytick.left")


def begin(name: str) -> None:
    """Say what is measured next, and on what."""
    print(f"\n== {name} ({interpreter()}), microseconds of {CLOCK_NAME}\n{HEAD}")


def tell(contest: Contest) -> None:
    """Tell how a contest went.

    How long poolkit takes by each way: the ratio of all samples, with quartiles; of the means of
    turns; and of their worst hundredths.
    """
    print(f"\n{contest.name}")
    for way, turns in contest.taken.items():
        times, longest = contest.times(way), statistics.median(map(worst, turns))
        row = f"  {way:<22}{statistics.median(times):>12,.2f}{statistics.fmean(times):>12,.2f}"
        row += f"{longest:>12,.2f}{contest.collections[way]:>11}"
        if way != POOLKIT:
            low, middle, high = contest.ratio(POOLKIT, way)
            row += f"   {middle:.3g} [{low:.3g} - {high:.3g}]"
            if len(turns[0]) > 1:
                for what, of in (("mean", statistics.fmean), ("worst", worst)):
                    row += f", {what} {contest.ratio(POOLKIT, way, of)[1]:.3g}"
        print(row, flush=True)
    if contest.most is not None:
        hold(
            f"{contest.name}, {POOLKIT} to {contest.to}",
            contest.ratio(POOLKIT, contest.to)[1],
            contest.most,
        )


def hold(what: str, figure: float, bar: float, *, at_least: bool = False) -> None:
    """Tell whether a figure is as small as it has to be, or as large; note it if it isn't."""
    is_met = figure >= bar if at_least else figure <= bar
    if not is_met:
        missed.append(f"{figure:.3g} ({bar:g}): {what}")
    answer, limit = "met" if is_met else "NOT MET", "least" if at_least else "most"
    print(f"{answer:<8} {figure:.3g}, at {limit} {bar:g}: {what}", flush=True)


def tell_missed() -> None:
    """Tell which bars were missed, all together."""
    print(f"\n{len(missed)} NOT MET{':' if missed else ''}", *missed, sep="\n  ")


def draw(found: Mapping[str, Mapping[str, list[list[float]]]], file: Path) -> None:
    """Draw what the ways of contests took: a dot a sample, a bar for medians; as PNG.

    All is labelled where it is, on no background: there is no legend to look up.
    """
    import matplotlib as mpl  # noqa: PLC0415 - heavy, and not needed without --plot

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    style = {"font.size": 9, **dict.fromkeys(COLOURED, INK), **dict.fromkeys(LEFT_OUT, False)}
    plt.rcParams.update(style)
    rows = {
        (f"{name}: {way}" if len(found) > 1 else way): (way, [*chain.from_iterable(turns)])
        for name, ways in found.items()
        for way, turns in ways.items()
    }
    figure, axes = plt.subplots(figsize=(8.4, 0.3 * len(rows) + 1.0))  # inches
    size = MILLI if max(max(times) for _, times in rows.values()) > MILLI else 1
    dice = random.Random(1)  # noqa: S311 - the same picture every time
    beside: Any = {"xycoords": ("axes fraction", "data"), "va": "center"}
    for row, (way, all_times) in enumerate(rows.values()):
        times = [time / size for time in all_times]
        colour = OURS if way.startswith(POOLKIT) else INK if way.startswith(BY_HAND) else OTHER
        heights = [row + dice.uniform(-0.3, 0.3) for _ in times]
        axes.scatter(times, heights, s=5, color=colour, alpha=0.35, linewidths=0)
        median = statistics.median(times)
        axes.plot([median] * 2, [row - 0.4, row + 0.4], color=colour)
        axes.annotate(f"{median:.3g}, {worst(times):.3g}", (1.01, row), color=colour, **beside)
    axes.annotate("median, worst 1 %", (1.01, -0.9), **beside)
    axes.set_xscale("log")
    if size == MILLI:
        axes.axvline(1000 / 60, color=INK, linewidth=1, linestyle=(0, (3, 3)))
        axes.annotate("a frame at 60 Hz", (1000 / 60, -0.9), va="center")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.4, -1.3)
    axes.set_xlabel(f"{'milli' if size == MILLI else 'micro'}seconds (a dot each; bars: medians)")
    axes.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    figure.tight_layout()
    # No date and no version in it: the same figures give the same bytes.
    figure.savefig(file, format="png", dpi=160, transparent=True, metadata={"Software": None})


def interpreter() -> str:
    """Return which Python this is, for the ratio to code by hand differs from one to the next."""
    options = sysconfig.get_config_var("CONFIG_ARGS")
    built = "not saying how it was built"
    if options is not None:
        how = "with" if "--enable-optimizations" in options else "without"
        built = f"built {how} profile-guided optimisation"
    return f"{platform.python_implementation()} {platform.python_version()}, {built}"
