"""A report or a profile as a picture, drawn by matplotlib where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from poolkit.core.errors import PoolError
from poolkit.core.statistics import SceneReport, with_margin

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from poolkit.devtools.profiles.needs import CapacityProfile

__all__ = ["save_picture"]

_COLORS = ("#8a94a6", "#3d8bd4", "#e0653f")
_DOTS_AN_INCH = 120


class _Chart(NamedTuple):
    """Bars side by side for each pool."""

    title: str
    names: Sequence[str]
    bars: Mapping[str, Sequence[float]]


def save_picture(report: SceneReport | CapacityProfile, path: str | os.PathLike[str]) -> None:
    """Save a bar chart of a report or a profile, a group of bars a pool.

    Args:
        report: What to draw.
        path: A file whose ending says what kind of picture it is; ``.png``, say.

    Raises:
        PoolError: matplotlib is not installed, the file can't be written, or there is nothing to
            draw.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - it need not be installed
    except ImportError:
        message = "pictures are drawn by matplotlib, which is not installed: pip install matplotlib"
        raise PoolError(message) from None
    charts = _of_scene(report) if isinstance(report, SceneReport) else _of_profile(report)
    charts = [chart for chart in charts if chart.names]
    if not charts:
        message = "there is no pool to draw: record it while something is spawned"
        raise PoolError(message)
    rows = sum(len(chart.names) for chart in charts)
    figure = Figure(figsize=(8, 1.2 * len(charts) + 0.45 * rows), layout="constrained")
    heights = [len(chart.names) + 1 for chart in charts]
    axes = figure.subplots(len(charts), squeeze=False, height_ratios=heights)
    for place, chart in zip(axes.flat, charts, strict=True):
        _draw(place, chart)
    # All charts have bars of the same colours: one legend, where it hides none of them.
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower right", ncols=3)
    try:
        figure.savefig(path, dpi=_DOTS_AN_INCH)
    except (OSError, ValueError) as error:  # ValueError: an ending that stands for no picture
        message = f"the picture can't be saved: {error}"
        raise PoolError(message) from error


def _draw(axes: Any, chart: _Chart) -> None:
    thickness = 0.8 / len(chart.bars)
    for number, (name, values) in enumerate(chart.bars.items()):
        places = [place + number * thickness for place in range(len(values))]
        bars = axes.barh(places, values, thickness, label=name, color=_COLORS[number])
        axes.bar_label(bars, padding=2, fontsize=7, fmt="%g")
    middle = 0.4 - thickness / 2
    # A dollar sign would begin a formula.
    names = [name.replace("$", r"\$") for name in chart.names]
    axes.set_yticks([place + middle for place in range(len(names))], names)
    axes.invert_yaxis()
    axes.xaxis.get_major_locator().set_params(integer=True)  # there is no half an instance
    axes.margins(x=0.08)
    axes.set_title(chart.title.replace("$", r"\$"), loc="left")
    axes.spines[["top", "right"]].set_visible(False)


def _of_scene(report: SceneReport) -> list[_Chart]:
    return [
        _Chart(
            report.title,
            [pool.name for pool in report],
            {
                "prespawned": [pool.prespawned for pool in report],
                "ever used": [pool.stats.peak_active for pool in report],
                "made late": [pool.stats.late for pool in report],
            },
        )
    ]


def _of_profile(profile: CapacityProfile) -> list[_Chart]:
    charts = []
    for scene, needs in sorted(profile.scenes.items()):
        pools = dict(sorted(needs.pools.items()))
        bars = {
            "peak": [need.peak for need in pools.values()],
            "with the margin": [with_margin(need.peak) for need in pools.values()],
            "spawns a second": [need.peak_rate for need in pools.values()],
        }
        charts.append(_Chart(scene, list(pools), bars))
    return charts
