"""How figures are told: tables, bars, and the interpreter they hold for."""

from __future__ import annotations

import platform
import sysconfig
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def interpreter() -> str:
    """Return which Python this is, for the ratio to code by hand differs from one to the next."""
    options = sysconfig.get_config_var("CONFIG_ARGS")
    if options is None:
        built = "not saying how it was built"
    elif "--enable-optimizations" in options:
        built = "built with profile-guided optimisation"
    else:
        built = "built without profile-guided optimisation"
    return f"{platform.python_implementation()} {platform.python_version()}, {built}"


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows with their columns aligned: the first to the left, the rest to the right."""
    rows = list(rows)
    columns = range(max(map(len, rows)))
    wide = [
        max((len(row[place]) for row in rows if place < len(row)), default=0) for place in columns
    ]
    return "\n".join(
        "   ".join(
            cell.rjust(wide[place]) if place else cell.ljust(wide[0])
            for place, cell in enumerate(row)
        ).rstrip()
        for row in rows
    )


def bracketed(quartiles: Sequence[float]) -> str:
    """Return ``1.02 [0.98 - 1.07]`` of a lower quartile, a median and an upper quartile."""
    low, middle, high = quartiles
    return f"{middle:.2f} [{low:.2f} - {high:.2f}]"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One figure and its bar.

    Attributes:
        what: What was measured, in words.
        figure: What came out.
        at_most: The bar, where less is better.
        at_least: The bar, where more is better.
        aim: What it would be good to reach; it decides nothing.
    """

    what: str
    figure: float
    at_most: float | None = None
    at_least: float | None = None
    aim: float | None = None

    @property
    def met(self) -> bool:
        """Whether the bar is reached."""
        if self.at_most is not None:
            return self.figure <= self.at_most
        return self.at_least is not None and self.figure >= self.at_least

    def as_figures(self) -> dict[str, object]:
        """Return it as it is written as JSON."""
        return {**asdict(self), "met": self.met}

    def __str__(self) -> str:
        """Return ``NOT MET  12, at least 60 (aim 120): what was measured``."""
        bar = (
            f"at most {self.at_most:g}" if self.at_least is None else f"at least {self.at_least:g}"
        )
        aim = "" if self.aim is None else f" (aim {self.aim:g})"
        answer = "met" if self.met else "NOT MET"
        return f"{answer:<8} {self.figure:.3g}, {bar}{aim}: {self.what}"
