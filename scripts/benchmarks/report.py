"""How figures are told: as they are found, held against their bars, for a file, as a picture."""

from __future__ import annotations

import platform
import random
import statistics
import sysconfig
from typing import TYPE_CHECKING, Any

from benchmarks.measure import BY_HAND, CLOCK_NAME, POOLKIT, Contest, contest, worst

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from benchmarks.measure import Work

Bar = tuple[float, float]
"""What a figure may be at most, or must be at least; and what it would be good to reach."""
HEAD = f"{'median':>36}{'mean':>12}{'worst 1 %':>12}{'collected':>11}   poolkit takes of it"
MILLI = 1_000  # microseconds
INK, OURS, OTHER = "#7d8590", "#2f9e6e", "#d9663d"  # can be read on white and on black


class Report:
    """What was found so far, told as it is found.

    Attributes:
        part: Of all sizes, the part that is measured: 1 but where one just tries it.
        contests: Each contest by what it was about.
        verdicts: What each figure that has a bar says to it.
    """

    def __init__(self, part: float = 1.0) -> None:
        self.part = part
        self.contests: dict[str, Contest] = {}
        self.verdicts: list[str] = []

    def size(self, whole: int) -> int:
        """Return the part of it that is measured."""
        return max(1, round(whole * self.part))

    def begin(self, name: str) -> None:
        """Say what is measured next, and on what."""
        print(f"== {name} ({interpreter()}), microseconds of {CLOCK_NAME}\n{HEAD}")

    def judge(self) -> None:
        """Tell which bars were met since the last time."""
        print("", *self.verdicts, "", sep="\n")
        self.verdicts.clear()

    def contest(  # noqa: PLR0913 - each but the first three may be left out
        self,
        name: str,
        ways: Mapping[str, Work],
        turns: int,
        *,
        samples: int = 1,
        bar: Bar | None = None,
        to: str = BY_HAND,
        **how: Any,
    ) -> Contest:
        """Hold a contest, tell how it went, and hold poolkit against its bar, to another way.

        What poolkit takes of each way is the ratio of all samples, with quartiles; of the means of
        turns; and of their worst hundredths.
        """
        how |= {"turns": self.size(turns), "samples": self.size(samples)}
        self.contests[name] = outcome = contest(ways, **how)
        print(f"\n{name}", flush=True)
        for way, turn in outcome.turns.items():
            times = outcome.samples(way)
            longest = statistics.median(map(worst, turn))
            row = f"  {way:<22}{statistics.median(times):>12,.2f}{statistics.fmean(times):>12,.2f}"
            row += f"{longest:>12,.2f}{outcome.collections[way]:>11}"
            if way != POOLKIT:
                low, middle, high = outcome.ratio(POOLKIT, way)
                row += f"   {middle:.3g} [{low:.3g} - {high:.3g}]"
                if len(turn[0]) > 1:
                    mean = outcome.ratio(POOLKIT, way, statistics.fmean)[1]
                    longest = outcome.ratio(POOLKIT, way, worst)[1]
                    row += f", mean {mean:.3g}, worst {longest:.3g}"
            print(row)
        if bar:
            self.hold(f"{name}: poolkit to {to}", outcome.ratio(POOLKIT, to)[1], bar)
        return outcome

    def hold(self, what: str, figure: float, bar: Bar, *, at_least: bool = False) -> None:
        """Hold a figure against its bar; the aim would be good to reach, and decides nothing."""
        most, aim = bar
        is_met = figure >= most if at_least else figure <= most
        answer, limit = "met" if is_met else "NOT MET", "least" if at_least else "most"
        self.verdicts.append(f"{answer:<8} {figure:.3g}, at {limit} {most:g} (aim {aim:g}): {what}")

    def draw(self, file: Path) -> None:
        """Draw every sample as a dot, by how long it took, a bar for medians; as PNG.

        All is labelled where it is, on no background: there is no legend to look up.
        """
        import matplotlib as mpl  # noqa: PLC0415 - heavy, and not needed without --plot

        mpl.use("Agg")
        from matplotlib import pyplot as plt  # noqa: PLC0415

        plt.rcParams.update({"font.size": 9, "font.family": "DejaVu Sans"})
        rows = [(name, way) for name, each in self.contests.items() for way in each.turns]
        figure, axes = plt.subplots(figsize=(8.4, 0.3 * len(rows) + 1.0))  # inches
        longest = max(max(self.contests[name].samples(way)) for name, way in rows)
        unit, size = ("milliseconds", MILLI) if longest > MILLI else ("microseconds", 1)
        dice = random.Random(1)  # noqa: S311 - the same picture every time
        beside: Any = {"xycoords": ("axes fraction", "data"), "va": "center"}
        for row, (name, way) in enumerate(rows):
            times = [time / size for time in self.contests[name].samples(way)]
            colour = OURS if way.startswith(POOLKIT) else INK if way.startswith(BY_HAND) else OTHER
            heights = [row + dice.uniform(-0.3, 0.3) for _ in times]
            axes.scatter(times, heights, s=5, color=colour, alpha=0.35, linewidths=0)
            median = statistics.median(times)
            axes.plot([median] * 2, [row - 0.4, row + 0.4], color=colour)
            told = f"{median:.3g}, {worst(times):.3g}"
            axes.annotate(told, (1.01, row), color=colour, **beside)
        axes.annotate("median, worst 1 %", (1.01, -0.9), color=INK, **beside)
        axes.set_xscale("log")
        if unit == "milliseconds":
            axes.axvline(1000 / 60, color=INK, linewidth=1, linestyle=(0, (3, 3)))
            axes.annotate("a frame at 60 Hz", (1000 / 60, -0.9), color=INK, va="center")
        labels = [f"{name}: {way}" if len(self.contests) > 1 else way for name, way in rows]
        axes.set_yticks(range(len(rows)), labels, color=INK)
        axes.set_ylim(len(rows) - 0.4, -1.3)
        axes.set_xlabel(f"{unit} (a dot each; bars: medians)", color=INK)
        axes.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:g}")
        axes.xaxis.set_minor_formatter(lambda _value, _place: "")
        axes.patch.set_alpha(0)
        for place, spine in axes.spines.items():
            spine.set_visible(place == "bottom")
            spine.set_color(INK)
        axes.tick_params(colors=INK, which="both", left=False)
        axes.tick_params(which="minor", bottom=False)
        figure.tight_layout()
        # No date and no version in it: the same figures give the same bytes.
        nameless = {"Software": None}
        figure.savefig(file, format="png", dpi=160, transparent=True, metadata=nameless)
        plt.close(figure)


def interpreter() -> str:
    """Return which Python this is, for the ratio to code by hand differs from one to the next."""
    options = sysconfig.get_config_var("CONFIG_ARGS")
    built = "not saying how it was built"
    if options is not None:
        how = "with" if "--enable-optimizations" in options else "without"
        built = f"built {how} profile-guided optimisation"
    return f"{platform.python_implementation()} {platform.python_version()}, {built}"
