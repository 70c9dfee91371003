"""What is reset from elsewhere: by a sprite's other components, and by those who spawn it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pygame

from poolkit.devtools.lint.anatomy import Anatomy
from poolkit.devtools.lint.events import Call, Kind, Path, Write
from poolkit.devtools.lint.judging import Judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.devtools.lint.flow import Deed
    from poolkit.devtools.lint.source import Library

__all__ = ["Outside"]


class Outside:
    """The classes that are looked at together.

    Attributes:
        classes: These classes.
    """

    def __init__(self, classes: Iterable[type], library: Library) -> None:
        """Begin with the classes to be looked at."""
        self.classes = tuple(classes)
        self._library = library
        self._judges: dict[type, Judge] = {}

    def judge_of(self, cls: type) -> Judge:
        """Return the judge of one class, which need not be among those looked at."""
        judge = self._judges.get(cls)
        if judge is None:
            judge = self._judges[cls] = Judge(Anatomy(cls, self._library), self)
        return judge

    def resets(self, anatomy: Anatomy, path: Path) -> bool:
        """Return whether another class's hook, or a spawner, sets an attribute of the class."""
        name = path[0]
        if any(name in file.given_at_spawn for file in anatomy.files):
            return True
        for deed, other in self._deeds_of_others(anatomy.cls):
            event = deed.event
            if (
                isinstance(event, Write)
                and event.kind is Kind.ASSIGNED
                and event.path[1:] == (name,)
                and _leads_to(other, event.path[0], anatomy.cls)
            ):
                return True
        return False

    def calls_into(self, judge: Judge) -> Iterator[Deed]:
        """Yield what other classes' hooks have methods of the class do."""
        for deed, other in self._deeds_of_others(judge.anatomy.cls):
            event = deed.event
            if (
                isinstance(event, Call)
                and event.target == "part"
                and len(event.path) == 1
                and _leads_to(other, event.path[0], judge.anatomy.cls)
            ):
                method = judge.anatomy.find(event.name)
                if method is not None:
                    for each in judge.flow.of_method(method):
                        yield each._replace(certainty=each.certainty.under(deed.certainty))

    def _deeds_of_others(self, cls: type) -> Iterator[tuple[Deed, Anatomy]]:
        for other in self.classes:
            if other is not cls:
                judge = self.judge_of(other)
                for deed in judge.flow.of_hooks:
                    yield deed, judge.anatomy


def _leads_to(anatomy: Anatomy, name: str, cls: type) -> bool:
    """Return whether attribute `name` of one class may hold an instance of `cls`."""
    if name == "sprite":
        return issubclass(cls, pygame.sprite.Sprite)
    attribute = anatomy.attribute(name)
    known = attribute.classes | attribute.declared
    if not known:
        return attribute.is_attached
    return any(issubclass(cls, each) or issubclass(each, cls) for each in known)
