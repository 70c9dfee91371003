"""Handles, scopes and timers: what belongs to one life can never touch the next."""

from __future__ import annotations

import contextlib
import inspect
import time
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import blinker
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolkit import IPoolableComponent, PoolError, PoolingSystem, Scope
from poolkit.core.clock import Clock
from poolkit.core.errors import ErrorCollector
from poolkit.core.scope import LifeResources
from recorder import Orc, assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def test_handles_are_equal_and_hashed_by_life(system: PoolingSystem) -> None:
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
            lambda: scope.tween(1.0, self.swell, lambda done: done + 1),
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

    def swell(self, size: float) -> None:
        self.log.append({1.5: "half", 2.0: "whole"}[size])

    def hear(self, _sender: object) -> None:
        self.log.append("heard")


def test_a_scope_refuses_to_be_used_when_its_life_is_over(system: PoolingSystem) -> None:
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


def test_what_belongs_to_a_life_works_while_it_lasts_and_never_touches_the_next(
    system: PoolingSystem,
) -> None:
    bomb = system.spawn(Bomb)
    scope = system.scope(bomb)
    assert repr(scope) == "<Scope(Bomb #0001, 6 to undo)>"
    system.update(0.5)
    system.despawn(bomb)
    assert bomb.log == ["half", "callback", "closed"]
    Bomb.signal.send()
    system.update(3)
    assert bomb.log == ["half", "callback", "closed"]
    assert repr(scope) == "<Scope(Bomb #0001, over)>"
    assert system.spawn(Bomb) is bomb
    bomb.log.clear()
    system.update(0.5)  # when the first life's timers would have been due
    assert bomb.log == ["half"]
    Bomb.signal.send()
    assert bomb.log == ["half", "heard"]
    system.update(0.5)
    assert sorted(bomb.log[2:]) == ["after", "every", "tick", "whole"]
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


def test_a_subscription_survives_the_message_bus_going_away_first(
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


def test_a_coroutine_gets_the_seconds_since_it_last_ran_given_by_call_or_function(
    system: PoolingSystem,
) -> None:
    times: list[float] = []

    def patrol() -> Generator[float | None, float, None]:
        times.append((yield None))
        times.append((yield 0.5))
        times.append((yield from rest()))

    def rest() -> Generator[float | None, float, float]:
        return (yield None)

    def wrong() -> Generator[Any, float, None]:
        yield rest()

    scope = system.scope(system.spawn(Orc))
    for way in (patrol, patrol()):
        scope.start(way)
        for dt in (0.25, 1.0, 2.0):
            system.update(dt)
        assert times == [0.25, 0.5, 2.5]  # a wait counts from when it was due
        times.clear()
    with pytest.raises(TypeError, match=r"Orc #0001 yielded .*: write yield from rest\(\), not"):
        scope.start(wrong)


@pytest.mark.parametrize("wait", [None, 0.5])
def test_a_coroutine_that_ends_its_own_life_is_dropped_at_its_next_yield(
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


waits = st.sampled_from([0.0, 0.0002, 0.001, 0.05, 0.05, 0.1, 0.25, 1 / 3, 1.0])
chains = st.fixed_dictionaries(
    {
        # A tween comes last, after waits.
        "kind": st.sampled_from(["after", "every", "coroutine", "tween"]),
        "waits": st.lists(waits, min_size=1, max_size=6),
        "begins": st.integers(0, 8),  # before that frame
        "is_cancelled": st.none() | st.integers(0, 8),
        "raises": st.none() | st.integers(0, 5),  # in that call
        "cancels": st.integers(0, 5),  # in each call
    }
)
frames = st.lists(
    st.sampled_from([0.0, 1e-6, 1 / 144, 1 / 60, 1 / 60, 0.05, 0.1, 1.0, 4.0]),
    min_size=6,
    max_size=12,
)


class NaiveTime:
    """Chains of waits, looked at one by one."""

    def __init__(self, chains: list[dict[str, Any]]) -> None:
        self.chains = chains
        self.log: list[tuple[int, float]] = []
        self.now = self.base = 0.0
        self.waiting: dict[int, tuple[float, int, int]] = {}  # due (below 0: next), number, step
        self.tweens: dict[int, float] = {}  # those that began, and when
        self.numbers = count()

    def wait(self, chain: int, step: int) -> None:
        its = self.chains[chain]
        wait = max(its["waits"][0], 0.001) if its["kind"] == "every" else its["waits"][step]
        due = self.base + wait
        is_next = wait < 0.0005 and due <= self.now + 1e-6
        if its["kind"] == "tween" and step + 1 == len(its["waits"]):
            self.tweens[chain] = self.base
        self.waiting[chain] = -1.0 if is_next else due, next(self.numbers), step

    def advance(self, dt: float) -> None:
        self.now += dt
        started = next(self.numbers)
        while True:
            due = {
                (when if when < 0 else round(when * 2**20), number, chain): (when, step)
                for chain, (when, number, step) in self.waiting.items()
                if round((when - self.now) * 2**20) <= 1 and (when >= 0 or number < started)
            }
            if not due:
                break
            (_, number, chain), (when, step) = min(due.items())
            its = self.chains[chain]
            self.base = self.now if when < 0 else when
            if its["kind"] == "every":
                self.waiting[chain] = when + max(its["waits"][0], 0.001), number, step + 1
            else:
                del self.waiting[chain]
            self.call(chain, 1.0 if chain in self.tweens else step)
            goes_on = step != its["raises"] and step + 1 < len(its["waits"])
            if its["kind"] != "every" and goes_on:
                self.wait(chain, step + 1)
        self.base = self.now
        for chain, began in self.tweens.items():
            wait, passed = self.chains[chain]["waits"][-1], self.now - began
            if chain in self.waiting and 0 < passed < wait:
                self.call(chain, passed / wait)

    def call(self, chain: int, step: float) -> None:
        self.log.append((chain, step))
        if self.chains[chain]["cancels"] != chain:
            self.waiting.pop(self.chains[chain]["cancels"], None)

    def end(self) -> None:
        self.waiting.clear()


class RealTime:
    """The same chains on a clock."""

    def __init__(self, chains: list[dict[str, Any]]) -> None:
        self.chains = chains
        self.log: list[tuple[int, float]] = []
        self.clock = Clock()
        self.holder = LifeResources(self.clock, "all of them")
        self.undo: dict[int, Callable[[], object]] = {}
        self.open_scope()

    def open_scope(self) -> None:
        self.scope = self.holder.scope = Scope()
        self.scope._resources = self.holder

    def call(self, chain: int, step: float) -> None:
        its = self.chains[chain]
        self.log.append((chain, step))
        if its["cancels"] != chain and its["cancels"] in self.undo:
            self.undo[its["cancels"]]()
        if step == its["raises"]:
            raise RuntimeError(chain)

    def call_after(self, chain: int, step: int) -> None:
        self.call(chain, step)
        if step + 1 < len(self.chains[chain]["waits"]):
            self.wait(chain, step + 1)

    def patrol(self, chain: int) -> Generator[float | None, None, None]:
        for step, wait in enumerate(self.chains[chain]["waits"]):
            yield wait or None
            self.call(chain, step)

    def wait(self, chain: int, step: int) -> None:
        its = self.chains[chain]
        if its["kind"] == "tween" and step + 1 == len(its["waits"]):
            self.undo[chain] = self.scope.tween(its["waits"][step], partial(self.call, chain))
        elif its["kind"] in {"after", "tween"}:
            act = partial(self.call_after, chain, step)
            self.undo[chain] = self.scope.after(its["waits"][step], act)
        elif its["kind"] == "coroutine":
            self.undo[chain] = self.scope.start(self.patrol(chain))
        else:
            calls = count()
            each = max(its["waits"][0], 0.001)
            self.undo[chain] = self.scope.every(each, lambda: self.call(chain, next(calls)))

    def advance(self, dt: float) -> None:
        with contextlib.suppress(RuntimeError, ExceptionGroup):
            self.clock.advance(dt)

    def end(self) -> None:
        self.holder.close_scope(ErrorCollector())
        self.open_scope()


@settings(max_examples=400, deadline=None, derandomize=True)
@given(chains=st.lists(chains, min_size=1, max_size=6), frames=frames, end=st.integers(0, 12))
def test_waits_are_what_looking_at_each_of_them_says(
    chains: list[dict[str, Any]], frames: list[float], end: int
) -> None:
    real, naive = RealTime(chains), NaiveTime(chains)
    for number, dt in enumerate(frames):
        if number == end:
            real.end()
            naive.end()
        for chain, its in enumerate(chains):
            if its["begins"] == number:
                real.wait(chain, 0)
                naive.wait(chain, 0)
            if its["is_cancelled"] == number and chain in real.undo:
                real.undo[chain]()
                naive.waiting.pop(chain, None)
        real.advance(dt)
        naive.advance(dt)
        assert real.log == naive.log
        assert len(real.clock) == len(naive.waiting)


exact = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["after", "after", "coroutine", "every"]),
        "waits": st.lists(
            st.sampled_from([0.1, 0.05, 0.05, 0.02, 0.01, 0.25, 0.5, 1 / 3, 1 / 6, 1 / 60]),
            min_size=1,
            max_size=12,
        ),
        "raises": st.none() | st.integers(0, 5),
        "cancels": st.integers(0, 9),
    }
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    chains=st.lists(exact, min_size=2, max_size=8),
    start=st.floats(0, 10_000),
    fps=st.sampled_from([1, 7, 30, 60, 144]),
)
def test_what_is_due_at_one_instant_fires_in_the_order_asked_for_at_any_rate_and_time(
    chains: list[dict[str, Any]], start: float, fps: int
) -> None:
    logs = []
    for second, dt in ((0.0, 0.05), (start, 1 / fps)):
        real = RealTime(chains)
        real.clock.restart(second)
        for chain in range(len(chains)):
            real.wait(chain, 0)
        while real.clock.total < 2:
            real.advance(dt)
        logs.append(real.log)
    num_both = min(map(len, logs))
    assert logs[0][:num_both] == logs[1][:num_both]
    assert num_both


def test_the_clock_begins_again_after_a_reset_that_leaves_no_life_and_nothing_that_waits(
    system: PoolingSystem,
) -> None:
    calls: list[str] = []
    for lasts in (True, False):
        orc = system.spawn(Orc, persistent=lasts)
        system.scope(orc).after(0.1, partial(calls.append, "called"))
        system.update(0.75)
        system.reset()
        assert system._context.clock.now == (0.75 if lasts else 0.0)
        assert system.report().seconds == 0.0
        system.despawn_all()
    scope = system.scope(system.spawn(Orc))
    scope.after(0.1, partial(calls.append, "then"))
    with pytest.raises(PoolError, match="timers wait"):
        system._context.clock.restart()
    scope.after(0.05, lambda: scope.after(0.05, partial(calls.append, "after that")))
    system.update(0.1)
    assert calls == ["called"] * 2 + ["then", "after that"]


def fire_by_coroutine(scope: Scope, fire: Callable[[], object]) -> None:
    def fight() -> Generator[float, None, None]:
        while True:
            fire()
            yield 0.05

    scope.start(fight())


def fire_by_timers(scope: Scope, fire: Callable[[], object]) -> None:
    fire()
    scope.after(0.05, partial(fire_by_timers, scope, fire))


@pytest.mark.parametrize("fight", [fire_by_coroutine, fire_by_timers])
@pytest.mark.parametrize("frames", [1, 7, 30, 60, 144])
def test_a_wait_does_not_drift_with_the_frame_rate(
    system: PoolingSystem, fight: Callable[..., None], frames: int
) -> None:
    shots: list[float] = []
    fight(system.scope(system.spawn(Orc)), lambda: shots.append(0.0))
    for _ in range(60 * frames):
        system.update(1 / frames)
    assert len(shots) == 1 + 1200


@pytest.mark.parametrize("seconds", [5e-324, 1e-12])
def test_a_timer_that_repeats_after_next_to_no_time_does_not_hang_an_update(
    system: PoolingSystem, seconds: float
) -> None:
    calls: list[int] = []
    every = system.scope(system.spawn(Orc)).every
    with contextlib.suppress(ValueError):  # refused, or bounded: both end
        every(seconds, lambda: calls.append(1))
    system.update(1 / 60)
    assert len(calls) < 100_000


def test_after_a_call_by_mistake_the_parentheses_are_told_and_not_that_it_is_over(
    system: PoolingSystem,
) -> None:
    scope = system.scope(life := system.spawn(Orc))
    system.despawn(life)
    with pytest.raises(TypeError, match="leave out the parentheses"):
        scope.after(2, None)  # type: ignore[arg-type]
