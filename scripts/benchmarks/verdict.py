"""A figure held against the bar it has to reach."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

__all__ = ["Verdict", "as_text"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One figure and its bar.

    Attributes:
        what: What was measured, in words.
        figure: What came out.
        at_most: The bar, where less is better.
        at_least: The bar, where more is better.
        aim: What it would be good to reach; it decides nothing.
        unit: What the figure is in; none for a ratio.
    """

    what: str
    figure: float
    at_most: float | None = None
    at_least: float | None = None
    aim: float | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        """Refuse a figure with no bar, or with two."""
        if (self.at_most is None) == (self.at_least is None):
            message = f"{self.what!r} needs either at_most or at_least"
            raise ValueError(message)

    @property
    def met(self) -> bool:
        """Whether the bar is reached."""
        if self.at_most is not None:
            return self.figure <= self.at_most
        return self.at_least is not None and self.figure >= self.at_least

    def as_figures(self) -> dict[str, object]:
        """Return it as it is written as JSON."""
        return {**dataclasses.asdict(self), "met": self.met}

    def __str__(self) -> str:
        """Return ``NOT MET   12 ms, at least 60 ms (aim 120): what was measured``."""
        word, bar = (
            ("at most", self.at_most) if self.at_least is None else ("at least", self.at_least)
        )
        unit = f" {self.unit}" if self.unit else ""
        aim = "" if self.aim is None else f" (aim {self.aim:g})"
        shown = f"{self.figure:.3g}" if abs(self.figure) < 100 else f"{self.figure:.0f}"  # noqa: PLR2004 - three digits either way
        answer = "met" if self.met else "NOT MET"
        return f"{answer:<8} {shown}{unit}, {word} {bar:g}{unit}{aim}: {self.what}"


def as_text(verdicts: list[Verdict]) -> str:
    """Return a line for each."""
    return "\n".join(["the bars", *(f"  {verdict}" for verdict in verdicts)])
