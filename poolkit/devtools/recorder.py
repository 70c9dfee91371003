"""Sees which code runs, which attributes are written while an instance lives, and from where."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Self

from poolkit.devtools.code import place_of_caller
from poolkit.devtools.values import plain_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import CodeType, FrameType

    from poolkit.devtools.code import Place

_AUDITING = "poolkit.devtools.audit"


class Recorder:
    """Records, while it is entered, which code runs, and which attributes of objects are written.

    Their classes are given a `__setattr__` and a `__delattr__` that take notes and then do what
    the class's own do. The objects' types stay what they are, slots and properties work on, and
    the classes get back what they had, whatever is raised.

    Attributes:
        played: The byte code of all functions that ran.
        last: Where attributes were written last, by the `id` of their owner and their name.
    """

    def __init__(self, objects: Iterable[object]) -> None:
        """Watch `objects`."""
        self.played: set[CodeType] = set()
        self.last: dict[tuple[int, str], Place] = {}
        self._objects = {id(each): each for each in objects}
        self._restore = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Begin to take notes."""
        kinds = {type(each) for each in self._objects.values()}
        # Asked for before any class is changed: a class may inherit from another of them.
        originals = [
            (kind, name, vars(kind).get(name), getattr(kind, name))
            for kind in kinds
            for name in ("__setattr__", "__delattr__")
        ]
        for kind, name, own, original in originals:
            # A class of C, or a metaclass, may refuse: what it writes is not known then.
            with contextlib.suppress(Exception):
                setattr(kind, name, self._noting(original))
                undo = (delattr, kind, name) if own is None else (setattr, kind, name, own)
                self._restore.callback(*undo)
        self._restore.callback(sys.setprofile, sys.getprofile())
        sys.setprofile(self._note_call)
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the classes back what they had."""
        self._restore.close()

    def _note_call(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self.played.add(frame.f_code)

    def _noting(self, original: Callable[..., None]) -> Callable[..., None]:
        def note_and_write(owner: Any, name: str, *value: Any) -> None:
            original(owner, name, *value)
            if id(owner) in self._objects:
                place = place_of_caller(below=_AUDITING)
                if place is not None:
                    self.last[id(owner), plain_name(name)] = place

        return note_and_write
