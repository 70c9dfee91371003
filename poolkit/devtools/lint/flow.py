"""Following calls: what the hooks of a class reset, and what its other methods change."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from poolkit.devtools.lint.events import CERTAIN, Call, Certainty, Event, Facts, Kind, Write
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poolkit.devtools.lint.anatomy import Anatomy, Method

__all__ = ["HOOKS", "Deed", "Flow"]

HOOKS = ("spawned", "despawned")

_ONCE = frozenset(
    {
        "__init__",
        "__new__",
        "__post_init__",
        "__attrs_post_init__",
        "__setstate__",
        "__del__",
        "awake",
        "destroyed",
    }
)
"""Methods that run once for an instance, before its lives or after them."""


_Seen = dict[tuple[int, str], list[Certainty]]

_ENOUGH = 8  # certainties in which a method was followed already


class Deed(NamedTuple):
    """Something that a method does to the instance.

    Attributes:
        event: What.
        method: Where.
        root: The hook that led there, if one did.
        certainty: Whether every run of the root does it.
    """

    event: Event
    method: Method
    root: str
    certainty: Certainty


class Flow:
    """Who calls whom in a class, and what comes of it."""

    def __init__(self, anatomy: Anatomy) -> None:
        """Follow the calls of a class taken apart."""
        self.anatomy = anatomy
        self._is_sprite = issubclass(anatomy.cls, PooledSprite)
        self._kept: list[Facts] = []

    @cached_property
    def of_hooks(self) -> list[Deed]:
        """What its hooks do, and what is done when a life ends."""
        deeds: list[Deed] = []
        seen: _Seen = {}
        for name in HOOKS:
            hook = self.anatomy.find(name)
            if hook is not None:
                deeds += self.of_method(hook)
        for method in self.used:
            for facts in _with_inner(method.facts):
                if not facts.at_end:
                    continue
                at_end = Facts(events=facts.at_end, inner=facts.inner)
                self._kept.append(at_end)  # what was seen is known by its id
                deeds += self._follow(at_end, method, "despawned", CERTAIN, seen)
        return deeds

    def of_method(self, method: Method) -> list[Deed]:
        """Return what a method does, with all that it calls."""
        return list(self._follow(method.facts, method, method.name, CERTAIN, {}))

    @cached_property
    def used(self) -> list[Method]:
        """The methods that can be called: none that is overridden, unless ``super()`` finds it."""
        found: dict[int, Method] = {}
        waiting = [
            method for method in self.anatomy.methods() if self.anatomy.find(method.name) is method
        ]
        while waiting:
            method = waiting.pop(0)
            if id(method) not in found:
                found[id(method)] = method
                waiting += [callee for _, callee in self._callees(method)]
        return list(found.values())

    @cached_property
    def living(self) -> list[Method]:
        """The methods that run while an instance is alive, its hooks not counted."""
        callers: dict[int, list[Method]] = {id(method): [] for method in self.used}
        mentioned: set[str] = set()
        for method in self.used:
            for _, callee in self._callees(method):
                if id(callee) in callers:
                    callers[id(callee)].append(method)
            for facts in _with_inner(method.facts):
                mentioned |= facts.mentioned
        never = {id(method) for method in self.used if method.name in _ONCE}
        grown = True
        while grown:
            grown = False
            for method in self.used:
                called_by = callers[id(method)]
                if (
                    id(method) not in never
                    and called_by
                    and all(id(caller) in never for caller in called_by)
                    and method.name not in HOOKS
                    and method.name not in mentioned
                    and not method.name.endswith(".setter")  # the game's by its very nature
                    and not any(file.calls_on_others(method.name) for file in self.anatomy.files)
                ):
                    never.add(id(method))
                    grown = True
        return [
            method
            for method in self.used
            if id(method) not in never and method.name not in HOOKS and method.node is not None
        ]

    def of_lives(self) -> Iterator[Deed]:
        """Yield what is done in a life: by living methods, and by what any method leaves behind.

        A function within `__init__` is no construction: whoever it is given to calls it later.
        """
        living = {id(method) for method in self.living}
        for method in self.used:
            if id(method) in living:
                yield from self._own_deeds(method, method.facts)
            for name, inner in method.facts.inner.items():
                if id(method) in living or name in method.facts.stray:
                    for facts in _with_inner(inner):
                        yield from self._own_deeds(method, facts)

    def _own_deeds(self, method: Method, facts: Facts) -> Iterator[Deed]:
        for event in facts.events:
            if len(event.path) == 1 and self.anatomy.find(f"{event.path[0]}.setter"):
                continue  # the setter's deed
            yield Deed(_own(event, is_sprite=self._is_sprite), method, "", event.certainty)

    # -- inside -------------------------------------------------------------------------------

    def _callees(self, method: Method) -> Iterator[tuple[Call, Method]]:
        for facts in _with_inner(method.facts):
            for event in [*facts.events, *facts.at_end]:
                if isinstance(event, Call):
                    callee = self._callee(event, method)
                    if callee is not None:
                        yield event, callee
                elif len(event.path) == 1:
                    setter = self.anatomy.find(f"{event.path[0]}.setter")
                    if setter is not None:
                        yield Call("self", (), setter.name, event.lines), setter

    def _callee(self, call: Call, method: Method) -> Method | None:
        if call.target == "self":
            return self.anatomy.find(call.name)
        if call.target == "super":
            return self.anatomy.find(call.name, after=method.owner)
        if call.target == "function" and call.function is not None:
            return self.anatomy.function(call.function, method, call.place)
        if call.target == "part" and self._is_sprite and call.path == ("sprite",):
            return self.anatomy.find(call.name)
        return None

    def _follow(  # noqa: C901, PLR0912 - it is one walk
        self,
        facts: Facts,
        method: Method,
        root: str,
        certainty: Certainty,
        seen: _Seen,
        *,
        how: str = "call",
    ) -> Iterator[Deed]:
        # Once for each certainty: the ways through the calls of a large class are without number.
        before = seen.setdefault((id(facts), how), [])
        if certainty in before or any(each.always for each in before) or len(before) > _ENOUGH:
            return
        before.append(certainty)
        events: Iterable[Event] = facts.events
        if facts.first_yield is not None and how != "drain":
            events = facts.events[: facts.first_yield] if how == "start" else []
        for event in events:
            sure = event.certainty.under(certainty)
            if isinstance(event, Write):
                setter = None
                if len(event.path) == 1:
                    setter = self.anatomy.find(f"{event.path[0]}.setter")
                if setter is None:
                    yield Deed(_own(event, is_sprite=self._is_sprite), method, root, sure)
                    continue
                if event.kind is Kind.ASSIGNED:
                    yield from self._follow(setter.facts, setter, root, sure, seen)
                else:
                    for deed in self._follow(setter.facts, setter, root, sure, seen, how="change"):
                        yield _as_change(deed)
            elif event.target == "local":
                inner = facts.inner.get(event.name)
                if inner is not None:
                    yield from self._follow(inner, method, root, sure, seen, how=event.how)
            else:
                callee = self._callee(event, method)
                if callee is None:
                    yield Deed(_own(event, is_sprite=self._is_sprite), method, root, sure)
                else:
                    yield from self._follow(callee.facts, callee, root, sure, seen, how=event.how)


def _with_inner(facts: Facts) -> Iterator[Facts]:
    yield facts
    for inner in facts.inner.values():
        yield from _with_inner(inner)


def _own(event: Event, *, is_sprite: bool) -> Event:
    """Return an event on ``self.sprite.name`` of a sprite as one on ``self.name``."""
    if is_sprite and event.path[:1] == ("sprite",) and len(event.path) > 1:
        return event._replace(path=event.path[1:])
    return event


def _as_change(deed: Deed) -> Deed:
    event = deed.event
    if isinstance(event, Write) and event.kind is Kind.ASSIGNED:
        return deed._replace(event=event._replace(kind=Kind.CHANGED))
    return deed
