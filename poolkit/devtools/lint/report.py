"""What the lint found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["LintFinding", "LintReport"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """An attribute that one life leaves to the next.

    Attributes:
        file: The path of the source file.
        line: The line that changes the attribute.
        owner: The name of the class.
        attribute: The attribute: ``current``, or ``stats.kills`` for one of an object it holds.
        problem: What is wrong, in a sentence.
        hint: What to do about it.
        certain: `False` where a hook resets it, but not always.
    """

    file: str
    line: int
    owner: str
    attribute: str
    problem: str
    hint: str
    certain: bool = True

    def __str__(self) -> str:
        """Return ``monsters.py:41: Health.current is set in hit(), but ...``."""
        return f"{_shown(self.file)}:{self.line}: {self.problem}"


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings about some classes. Its `str` has two lines for each: what is wrong, a hint.

    Attributes:
        findings: What was found, by file and line.
        classes: The names of the classes that were read.
        unread: What could not be read, and why.
    """

    findings: tuple[LintFinding, ...] = ()
    classes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether everything could be read, and nothing was found."""
        return not self.findings and not self.unread

    def __str__(self) -> str:
        """Return the findings as text, or that there are none."""
        lines: list[str] = []
        for finding in self.findings:
            lines += [str(finding), f"    {finding.hint}"]
        lines += [f"not read: {each}" for each in self.unread]
        if not lines:
            count = len(self.classes)
            return f"{count} {'class' if count == 1 else 'classes'} read, nothing found"
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return ``<LintReport(classes=3, findings=1)>``."""
        unread = f", unread={len(self.unread)}" if self.unread else ""
        return f"<LintReport(classes={len(self.classes)}, findings={len(self.findings)}{unread})>"


def _shown(file: str) -> str:
    """Return a path as short as a reader needs it: relative where it lies below this folder."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
