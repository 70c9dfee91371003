"""A lint for pooled classes: what methods change and no hook resets, found by reading the source.

Nothing is played: the code is parsed, and calls between a class's own methods are followed, by way
of ``super()`` and properties too. `audit` plays, and sees more; the lint says it while you write.
"""

from __future__ import annotations

from typing import Any

from poolkit.devtools.lint.outside import Outside
from poolkit.devtools.lint.report import LintFinding, LintReport
from poolkit.devtools.lint.source import Library
from poolkit.devtools.lint.targets import classes_of, neighbours
from poolkit.devtools.lint.wording import finding_for

__all__ = ["LintFinding", "LintReport", "lint"]


def lint(target: Any) -> LintReport:
    """Look for attributes that one life leaves to the next, by reading the source.

    A finding is an attribute that a method changes while an instance lives, and that neither
    `spawned` nor `despawned` resets, nor what they call, nor what `scope.callback` is given; one
    that is reset under a condition alone is a finding too, with ``certain=False``. What
    poolkit restores by itself is none: image, rect, position, rotation, layer, the motion of a
    body with a `ResetPooledBodyComponent`. Nor is what a ``cached_property`` or a method that
    makes a thing when it is first asked for keeps. What other objects do to an instance is not
    seen, unless their class is looked at as well.

    To keep something from life to life is a good thing at times. A comment ``# poolkit: kept``
    says so: on the line that changes it, where ``__init__`` or the class makes it, at the head of
    the method, or of the class for all it does. So does ``audit_ignore``, an attribute of the
    class: names of attributes, or patterns as `fnmatch` has them.

    Args:
        target: A prefab or factory function: the poolable classes it names, and their components.
            A class: it, and the components that its constructor names. A sprite: its class and
            its components'. A module: every poolable class that is defined there, but those which
            others extend and nobody builds.

    Raises:
        TypeError: It is none of these, or ``audit_ignore`` names nothing.

    Examples:
        >>> from poolkit import IPoolableComponent
        >>> class Health(IPoolableComponent):
        ...     def __init__(self) -> None:
        ...         self.current = 30
        ...
        ...     def hit(self, damage: float) -> None:
        ...         self.current -= damage
        >>> report = lint(Health)
        >>> report.ok
        False
        >>> print(report.findings[0].problem)
        Health.current is changed in hit(), but reset in neither spawned nor despawned
        >>> print(report.findings[0].hint)
        hint: in spawned: self.current = 30, or say # poolkit: kept
    """
    classes = classes_of(target)
    outside = Outside(neighbours(classes), Library())
    findings: dict[tuple[str, int, str], LintFinding] = {}
    unread: dict[str, None] = {}
    for cls in classes:
        judge = outside.judge_of(cls)
        unread.update(dict.fromkeys(judge.anatomy.unread))
        for leak in judge.leaks():
            finding = finding_for(leak, judge)
            findings.setdefault((finding.file, finding.line, finding.attribute), finding)
    return LintReport(
        tuple(findings[key] for key in sorted(findings)),
        tuple(cls.__name__ for cls in classes),
        tuple(unread),
    )
