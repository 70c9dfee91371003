"""Tables for people: in colour where rich is installed, in plain text where it is not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, TextIO

from poolkit.core.statistics import SceneReport, aligned, with_margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poolkit.devtools.profiles.needs import CapacityProfile, SceneNeeds

__all__ = ["print_report"]

_MARGIN = 0.1  # that of apply_profile
_NO_EDGE = 200  # columns


class _Table(NamedTuple):
    """A table with what stands above and below it."""

    title: str
    rows: Sequence[Sequence[str]]  # the first one is of heads
    notes: Sequence[str]


def print_report(report: SceneReport | CapacityProfile, file: TextIO | None = None) -> None:
    """Print a report or a profile as tables.

    Args:
        report: What to print, as from `PoolingSystem.report`.
        file: Where to; default: the standard output.
    """
    out = sys.stdout if file is None else file
    tables = [_of_scene(report)] if isinstance(report, SceneReport) else _of_profile(report)
    try:
        from rich.console import Console  # noqa: PLC0415 - it need not be installed
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415
    except ImportError:
        print("\n\n".join(_in_plain_text(table) for table in tables), file=out)
        return
    # A file has no edge at which columns would have to be cut off.
    width = None if out.isatty() else _NO_EDGE
    console = Console(file=out, width=width, highlight=False, markup=False)
    for title, (heads, *rows), notes in tables:
        table = Table(title=Text(title), title_justify="left")
        for head in heads:
            table.add_column(head, justify="left" if head == heads[0] else "right")
        for cells in rows:
            table.add_row(*cells)
        if (
            console.measure(table, options=console.options.update(width=_NO_EDGE)).maximum
            > console.width
        ):
            # Lines that a narrow terminal breaks can be read; columns that are cut off can't.
            print(_in_plain_text(_Table(title, [heads, *rows], notes)), file=out)
            continue
        console.print(table)
        for note in notes:
            console.print(note, style="yellow", soft_wrap=True)


def _in_plain_text(table: _Table) -> str:
    return "\n".join([table.title, *aligned(table.rows), *table.notes])


def _of_scene(report: SceneReport) -> _Table:
    return _Table(report.title, report.table(), report.advice)


def _of_profile(profile: CapacityProfile) -> list[_Table]:
    tables = [_of_needs(name, needs) for name, needs in sorted(profile.scenes.items())]
    return tables or [_Table("a capacity profile of no scene yet", [["prefab"]], ())]


def _of_needs(name: str, needs: SceneNeeds) -> _Table:
    rows = [["prefab", "peak", "spawns a second", f"prespawned with {_MARGIN:.0%} more"]]
    rows += [
        [pool, str(need.peak), str(need.peak_rate), str(with_margin(need.peak, _MARGIN))]
        for pool, need in sorted(needs.pools.items())
    ]
    times = "once" if needs.runs == 1 else f"{needs.runs} times"
    return _Table(f"{name}, played {times}, {needs.seconds:.1f} s in all", rows, ())
