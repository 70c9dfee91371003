"""Handles, scopes and timers: what belongs to one life can never touch the next."""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from typing import TYPE_CHECKING, Any

import blinker
import pytest

from poolkit import IPoolableComponent, PoolError, PoolingSystem, Scope
from poolkit.core.clock import Clock
from poolkit.core.scope import LifeState
from recorder import Orc, assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def test_p01_handles_are_equal_and_hashed_by_life(system: PoolingSystem) -> None:
    orc, other = system.spawn(Orc), system.spawn(Orc)
    first = system.handle(orc)
    assert first == system.handle(orc)
    assert first != system.handle(other)
    assert first != orc  # type: ignore[comparison-overlap]  # told beforehand, too
    assert len({first, system.handle(orc), system.handle(other)}) == 2
    system.despawn(orc)
    over = system.handle(orc)
    assert not over
    assert over == first
    system.spawn(Orc)
    assert system.handle(orc) != first
    assert repr(first) == "<Handle(Orc #0001, life 1, over)>"
    assert repr(system.handle(orc)) == "<Handle(Orc #0001, life 2)>"


class Bomb(IPoolableComponent):
    """Sets off, at each spawn, one of everything a scope can hold."""

    signal = blinker.Signal()

    def __init__(self) -> None:
        self.log: list[str] = []

    def spawned(self) -> None:
        self.undo = [use() for use in self.uses(self.scope)]

    def uses(self, scope: Scope) -> list[Callable[[], Callable[[], object]]]:
        return [
            lambda: scope.after(1.0, lambda: self.log.append("after")),
            lambda: scope.every(1.0, lambda: self.log.append("every")),
            lambda: scope.start(self.tick()),
            lambda: scope.connect(self.signal, self.hear),
            lambda: scope.callback(lambda: self.log.append("callback")),
        ]

    def tick(self) -> Generator[float | None, None, None]:
        try:
            while True:
                yield 1.0
                self.log.append("tick")
        finally:
            self.log.append("closed")

    def hear(self, _sender: object) -> None:
        self.log.append("heard")


def test_n03_a_scope_refuses_to_be_used_when_its_life_is_over(system: PoolingSystem) -> None:
    bomb = system.spawn(Bomb)
    scope = system.scope(bomb)
    system.despawn(bomb)
    uses: list[Callable[[], object]] = [lambda: system.scope(bomb), lambda: bomb.scope]
    uses += bomb.uses(scope)
    for again in (False, True):
        for use in uses[2 * again :]:
            with pytest.raises(PoolError, match=r"over|not alive"):
                use()
        system.spawn(Bomb)
    system.despawn_all()


def test_n03_what_belongs_to_a_life_works_while_it_lasts_and_never_touches_the_next(
    system: PoolingSystem,
) -> None:
    bomb = system.spawn(Bomb)
    scope = system.scope(bomb)
    assert repr(scope) == "<Scope(Bomb #0001, 5 to undo)>"
    system.update(0.5)
    system.despawn(bomb)
    assert bomb.log == ["callback", "closed"]
    Bomb.signal.send()
    system.update(3)
    assert bomb.log == ["callback", "closed"]
    assert repr(scope) == "<Scope(Bomb #0001, over)>"
    assert system.spawn(Bomb) is bomb
    bomb.log.clear()
    system.update(0.5)  # when the first life's timers would have been due
    assert bomb.log == []
    Bomb.signal.send()
    assert bomb.log == ["heard"]
    system.update(0.5)
    assert sorted(bomb.log[1:]) == ["after", "every", "tick"]
    bomb.log.clear()
    system.update(3)  # all is as often due in a long frame as in short ones
    assert sorted(bomb.log) == ["every"] * 3 + ["tick"] * 3
    bomb.log.clear()
    for take_back in bomb.undo * 2:
        take_back()
    system.update(3)
    Bomb.signal.send()
    system.despawn(bomb)
    assert bomb.log == ["closed"]


class Slotted:
    """A signal as small as can be."""

    __slots__ = ("receivers",)

    def __init__(self) -> None:
        self.receivers: list[Callable[..., Any]] = []

    def connect(self, receiver: Callable[..., Any], /) -> None:
        self.receivers.append(receiver)

    def disconnect(self, receiver: Callable[..., Any], /) -> None:
        self.receivers.remove(receiver)


def test_u08_a_subscription_survives_the_message_bus_going_away_first(
    system: PoolingSystem,
) -> None:
    signal = Slotted()
    orc = system.spawn(Orc)
    system.scope(orc).connect(signal, print)
    assert signal.receivers == [print]
    system.despawn(orc)
    assert signal.receivers == []
    system.scope(system.spawn(Orc)).connect(signal, print)
    signal.receivers.clear()
    system.despawn(orc)
    system.scope(system.spawn(Orc)).connect(signal, print)
    del signal
    system.despawn(orc)
    assert system.pool(Orc).stats.destroyed == 0


def test_a_signal_whose_connecting_ends_the_life_calls_no_later_one(system: PoolingSystem) -> None:
    class Bell(Slotted):
        __slots__ = ()

        def connect(self, receiver: Callable[..., Any], /) -> None:
            super().connect(receiver)
            system.despawn(orc)

    bell, orc = Bell(), system.spawn(Orc)
    undo = system.scope(orc).connect(bell, print)
    assert bell.receivers == []
    assert system.spawn(Orc) is orc
    bell.receivers.append(print)  # the game's own doing, in the next life
    undo()
    system.despawn(orc)
    assert bell.receivers == [print]


def test_a_coroutine_runs_at_once_waits_for_what_it_yields_and_raises_where_it_is(
    system: PoolingSystem,
) -> None:
    log: list[str] = []

    def patrol(*waits: float | None) -> Generator[float | None, None, None]:
        for wait in waits:
            log.append("walks")
            yield wait
        raise RuntimeError(len(waits))

    scope = system.scope(system.spawn(Orc))
    with pytest.raises(RuntimeError, match="0"):
        scope.start(patrol())
    scope.start(patrol(0.5, None))
    system.update(0.4)
    assert log == ["walks"]
    system.update(0.1)
    assert log == ["walks"] * 2
    with pytest.raises(RuntimeError, match="2"):
        system.update(0.0)
    assert system.despawn_all() == 1
    assert system.pool(Orc).stats.destroyed == 0


@pytest.mark.parametrize("wait", [None, 0.5])
def test_n03_a_coroutine_that_ends_its_own_life_is_dropped_at_its_next_yield(
    system: PoolingSystem, wait: float | None
) -> None:
    log: list[str] = []

    def burn(fuse: Orc) -> Generator[float | None, None, None]:
        try:
            yield wait
            system.despawn(fuse)
            log.append("goes on")
            yield wait
            log.append("never")
        finally:
            log.append("closed")

    fuse = system.spawn(Orc)
    system.scope(fuse).start(burn(fuse))
    system.update(0.5)
    assert not system.is_spawned(fuse)
    assert log == ["goes on", "closed"]
    assert system.spawn(Orc) is fuse
    system.update(1)
    assert system.is_spawned(fuse)
    assert_counts(system)


@pytest.mark.parametrize("rubbish", ["soon", -1, float("nan"), object()])
def test_bad_input_a_coroutine_that_yields_rubbish_is_closed(
    system: PoolingSystem, rubbish: Any
) -> None:
    steps = iter([0.1, rubbish])
    strange = (step for step in steps)
    system.scope(system.spawn(Orc)).start(strange)
    with pytest.raises((TypeError, ValueError), match="yield in a coroutine"):
        system.update(0.1)
    assert inspect.getgeneratorstate(strange) == inspect.GEN_CLOSED
    system.update(1)
    assert_counts(system)


@pytest.mark.parametrize("updated", [False, True])
def test_timers_that_are_never_updated_are_reported_once_in_the_log(
    system: PoolingSystem,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    *,
    updated: bool,
) -> None:
    now = [time.monotonic()]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    if updated:
        system.update(0.1)
    for seconds in (0, 6, 0):
        now[0] += seconds
        system.despawn_after(system.spawn(Orc), 1)
    told = [(record.name, record.levelname) for record in caplog.records]
    assert told == [("poolkit", "WARNING")] * (not updated)
    assert ("update(dt) was never called" in caplog.text) is not updated


def test_the_heap_agrees_with_a_plain_list_of_timers() -> None:
    """A long, fixed mixture of starts, cancels and steps, against a list searched each time."""
    timers = Clock()
    fired: list[int] = []
    plain: dict[int, float] = {}
    handles: list[Any] = []
    holder = LifeState(timers, "all of them")
    scope = holder.scope = Scope()
    scope._own = holder
    for turn in range(3000):
        wait = (turn * 37 % 101) / 10
        handles.append(scope.after(wait, functools.partial(fired.append, turn)))
        plain[turn] = timers.now + wait
        if turn % 3 == 0:
            gone = sorted(plain)[turn * 7 % len(plain)]
            for _ in range(2):
                handles[gone]()
            del plain[gone]
        if turn % 401 == 400:  # all of a life, at its end
            holder.cancel_timers()
            plain.clear()
        if turn % 5 == 0:
            fired.clear()
            timers.advance(0.25)
            due = [number for number, at in plain.items() if at <= timers.now + 1e-6]
            assert fired == sorted(due, key=lambda number: (plain[number], number))
            plain = {number: at for number, at in plain.items() if number not in due}
        assert len(timers) == len(plain)


@pytest.mark.parametrize("seconds", [5e-324, 1e-12])
def test_12_15_every_next_to_no_time_does_not_hang_an_update(
    system: PoolingSystem, seconds: float
) -> None:
    calls: list[int] = []
    every = system.scope(system.spawn(Orc)).every
    with contextlib.suppress(ValueError):  # refused, or bounded: both end
        every(seconds, lambda: calls.append(1))
    system.update(1 / 60)
    assert len(calls) < 100_000


def test_u19_after_a_call_by_mistake_the_parentheses_are_told_and_not_that_it_is_over(
    system: PoolingSystem,
) -> None:
    scope = system.scope(life := system.spawn(Orc))
    system.despawn(life)
    with pytest.raises(TypeError, match="leave out the parentheses"):
        scope.after(2, None)  # type: ignore[arg-type]
