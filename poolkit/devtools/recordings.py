"""Records a game's run, replays it, and finds where the replay differs.

A recording has what comes from outside: events, frame times, keys and mouse. It also has what came
of it: in each frame how many live and a digest of where they are, and now and then the plain
attributes of each. A replay gives the game the first, and compares the second.
"""

from __future__ import annotations

import contextlib
import inspect
import random
import struct
import zlib
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.errors import PoolError
from poolkit.core.seams import context_of, lives_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.polled import PolledAnswers, PolledNotes
from poolkit.devtools.tape_file import RecordingError, TapeWriter, read_tape
from poolkit.devtools.values import attributes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from poolkit.core.record import Record
    from poolkit.devtools.tape_file import Entry

State = dict[str, dict[str, Any]]
"""The plain attributes of all lives, by their labels."""

# Bytes of attributes that a frame may have on average: many at first, fewer later.
_ALWAYS, _AT_FIRST, _FADING = 1.0, 1024.0, 60
_MOST = 8  # entries of a list or tuple that counts as plain
_LONGEST = 100  # characters of a text that does
_DIGITS = 3  # decimals of a float in a recording


class ReplayDifference(PoolError):  # noqa: N818 - what it is, not an error of the game's
    """A replay differs from its recording; `frame` is the first that does, from 0."""

    def __init__(self, frame: int, what: str) -> None:
        super().__init__(f"frame {frame}: {what}")
        self.frame = frame


class RecordingTape:
    """Records a game, frame by frame; a context manager. See `record`."""

    def __init__(self, path: Path, seed: int, system: PoolingSystem) -> None:
        self.seed = seed
        self._system = system
        self._writer = TapeWriter(path, {"seed": seed})
        self._polled = PolledNotes()
        self._frame: Entry | None = None  # which the game is playing
        self._state: State = {}  # when it was last written
        self._allowed = 0.0  # bytes of attributes
        self._number = 0
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._polled.in_place())
        random.seed(self.seed)
        return self

    def __exit__(self, *_: object) -> None:
        self._end_frame()
        self._writer.write(self._seen(()))  # a swarm may be gone with the function that played
        self._writer.close()
        self._stack.close()

    def frame(self, events: Iterable[pygame.Event], dt: float) -> tuple[list[pygame.Event], float]:
        """Record the events and seconds of a frame, and return them.

        Call it once a frame, before anything else in it.
        """
        self._end_frame()
        events = list(events)
        self._frame = self._seen(_swarms_of(self._system))
        self._frame["t"] = dt
        if noted := [_noted_event(event) for event in events]:
            self._frame["e"] = noted
        return events, dt

    def _seen(self, swarms: Iterable[Any]) -> Entry:
        """Return the state of the game, with all attributes if there is an allowance for them."""
        count, digest = digest_of(self._system, swarms)
        entry: Entry = {"c": count, "d": digest}
        self._allowed += _ALWAYS + _AT_FIRST / (1 + self._number / _FADING)
        if self._allowed >= 0:
            state = state_of(self._system, swarms)
            entry["a"] = _changes(self._state, state)
            self._state = state
        return entry

    def _end_frame(self) -> None:
        """Write the frame that is over, now that its answers of keys and mouse are known."""
        entry, self._frame = self._frame, None
        if entry is None:
            return
        if answers := self._polled.take():
            entry["p"] = answers
        size = self._writer.write(entry)
        self._number += 1
        if "a" in entry:
            self._allowed -= size


class ReplayTape:
    """Plays a recording again, and compares; a context manager. See `replay`."""

    def __init__(self, path: Path, system: PoolingSystem) -> None:
        head, self._entries = read_tape(path)
        self.seed: int = head["seed"]
        self._path = path
        self._system = system
        self._polled = PolledAnswers()
        self._number = -1
        self._is_over = False
        self._state: State = {}  # as recorded
        self._differs: tuple[int, str] | None = None  # from which frame on, and how
        self._stack = contextlib.ExitStack()

    @property
    def has_begun(self) -> bool:
        """Whether a game has asked for frames."""
        return self._number >= 0

    def __enter__(self) -> Self:
        self._stack.enter_context(self._polled.in_place())
        random.seed(self.seed)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        if kind is None and self._differs is not None:
            raise ReplayDifference(*self._differs)

    def __iter__(self) -> Iterator[tuple[list[pygame.Event], float]]:
        while (recorded := self._next()) is not None:
            yield recorded

    def frame(
        self, events: Iterable[pygame.Event] = (), dt: float = 0.0
    ) -> tuple[list[pygame.Event], float]:
        """Return the recorded events and seconds of the next frame, whatever is given.

        After the last frame comes one with a `pygame.QUIT`.

        Raises:
            ReplayDifference: The game's state differs from the recorded one.
            RecordingError: The game didn't quit.
        """
        del events, dt
        if self._is_over:
            message = f"the recording {self._path} is over, and the game did not quit at its QUIT"
            raise RecordingError(message)
        recorded = self._next()
        return ([pygame.Event(pygame.QUIT)], 0.0) if recorded is None else recorded

    def _next(self) -> tuple[list[pygame.Event], float] | None:
        entry = next(self._entries, None)
        self._number += 1
        if entry is not None:
            self._compare(entry)
        if entry is None or entry.get("t") is None:
            self._is_over = True
            if self._differs is not None:
                raise ReplayDifference(*self._differs)
            return None
        self._polled.begin(entry.get("p", {}))
        return [_event_of(kind, given) for kind, given in entry.get("e", ())], entry["t"]

    def _compare(self, entry: Entry) -> None:
        """Raise at the first difference that can be named; note an earlier one that can't be."""
        is_end = entry.get("t") is None
        swarms = () if is_end else _swarms_of(self._system)
        count, digest = digest_of(self._system, swarms)
        if self._differs is None and (count, digest) != (entry["c"], entry["d"]):
            what = f"{entry['c']} lives were recorded, {count} replayed"
            if count == entry["c"]:
                what = f"some of the {count} lives are not where they were"
            self._differs = self._number, what
        if "a" not in entry:
            return
        self._state = _changed(self._state, entry["a"])
        named = first_difference(self._state, state_of(self._system, swarms))
        if named is not None:
            frame, _ = self._differs or (self._number, "")
            self._differs = None  # this names it
            seen = "" if frame == self._number else f" (seen in frame {self._number})"
            raise ReplayDifference(frame, named + seen)


def record(
    path: str | os.PathLike[str], *, seed: int | None = None, system: PoolingSystem = pools
) -> RecordingTape | ReplayTape:
    """Record a game's run for `replay`.

    Use it as a context manager, and pass each frame's events and seconds through the tape::

        with record("crash.rec", seed=7) as tape:
            while running:
                events, dt = tape.frame(pygame.event.get(), clock.tick(60) / 1000)
                ...

    It changes nothing of the run but the seed of `random`. Each frame is written at once, so a
    recording is complete up to a crash. Under ``python -m poolkit replay`` it returns the tape of
    the replay instead.

    Args:
        path: The file to write; one that exists is replaced.
        seed: For `random.seed`; default: a random one, which is recorded too.
        system: The system whose lives are recorded.

    Raises:
        OSError: The file can't be written.
    """
    if _replaying:
        return _replaying[-1]
    chosen = random.SystemRandom().randrange(1 << 32) if seed is None else seed
    return RecordingTape(Path(path), chosen, system)


def replay(path: str | os.PathLike[str], *, system: PoolingSystem = pools) -> ReplayTape:
    """Play a recording again, with the game in the state that it was in then.

    Use it as a context manager; the tape yields the events and seconds of each frame::

        with replay("crash.rec") as tape:
            for events, dt in tape:
                game.step(events, dt)

    The tape's `frame` returns the same, so that one loop can record and replay.

    Args:
        path: The file.
        system: The system whose lives are compared.

    Raises:
        RecordingError: The file can't be read, isn't a recording, or is of another version.
        ReplayDifference: Later, at the first frame that differs: it names the frame, the instance
            and the attribute.
    """
    return ReplayTape(Path(path), system)


_replaying: list[ReplayTape] = []  # for games that call `record`, while the shell replays


def play_again(path: str | os.PathLike[str], game: Callable[..., object]) -> None:
    """Replay a recording with a function that plays the game, for the shell.

    It gets the tape if it takes one; else `record` returns the tape in it.

    Raises:
        RecordingError: It neither takes a tape nor calls `record`; or the file isn't a recording.
        ReplayDifference: The game's state differs from the recorded one.
    """
    tape = replay(path)
    if any(each.default is each.empty for each in inspect.signature(game).parameters.values()):
        with tape:
            game(tape)
        return
    _replaying.append(tape)
    try:
        game()
    finally:
        _replaying.pop()
    if not tape.has_begun:
        name = getattr(game, "__qualname__", repr(game))
        message = (
            f"{name}() has played without the recording: let it take the tape, as in "
            f"def {name}(tape), or call record(...) itself"
        )
        raise RecordingError(message)


# -- the state of a game ----------------------------------------------------------------------

_place_of = attrgetter("rect.topleft")
_life_of = attrgetter("number", "generation")


def digest_of(system: PoolingSystem, swarms: Iterable[Any]) -> tuple[int, int]:
    """Return how many live, and a byte for which they are, in which order, and where."""
    count, digest = 0, 0
    for pool in system.all_pools():
        lives: dict[Any, Any] = lives_of(pool)
        if not lives:
            continue
        count += len(lives)
        who = hash(tuple(map(_life_of, lives)))  # the same in all runs, as of numbers
        try:
            where = list(chain.from_iterable(map(_place_of, lives.values())))
        except (AttributeError, TypeError):  # some aren't sprites, or have no rect now
            where = [number for each in lives.values() for number in _place_or_none(each)]
        # Not by their hash, as each NaN has another one.
        found = struct.pack(f"q{len(where)}d", who, *where)
        digest = zlib.crc32(found, zlib.crc32(pool.name.encode(), digest))
    for swarm in swarms:
        count += len(swarm)
        digest = zlib.crc32(swarm.position.tobytes(), digest)
    return count, digest & 0xFF


def _swarms_of(system: PoolingSystem) -> list[Any]:
    return [swarm for swarm in context_of(system).crowds.values() if len(swarm)]


def _place_or_none(instance: Any) -> tuple[float, ...]:
    try:  # where the game says it is: a spawn puts the centre of plain sprites there
        x, y = getattr(instance.rect, getattr(instance, "anchor", "center"))
        return float(x), float(y)
    except (AttributeError, TypeError, ValueError):
        return ()


def state_of(system: PoolingSystem, swarms: Iterable[Any]) -> State:
    """Return the plain attributes of all lives, with where they are; of a swarm their mean."""
    state: State = {
        f"{record.label}/{record.generation}": dict(_plain_parts(record))
        for pool in system.all_pools()
        for record in lives_of(pool)
    }
    for swarm in swarms:
        mean = [round(float(each), _DIGITS) for each in swarm.position.mean(axis=0)]
        state[f"{swarm.name}/"] = {"lives": len(swarm), "mean position": mean}
    return state


def _plain_parts(record: Record[Any]) -> Iterator[tuple[str, Any]]:
    instance = record.instance
    place = _place_or_none(instance)
    if place:
        yield "position", [round(each, _DIGITS) for each in place]
    rotation = getattr(instance, "rotation", 0.0)
    if isinstance(rotation, float) and rotation:
        yield "rotation", round(rotation, _DIGITS)
    yield from _plain_attributes(instance, "")
    for component in getattr(instance, "components", ()):
        yield from _plain_attributes(component, f"{type(component).__name__}.")


def _plain_attributes(thing: object, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in sorted(attributes(thing).items()):
        plain = _plain(value)
        if plain is not None:
            yield prefix + name, plain


def _plain(value: object, digits: int | None = _DIGITS) -> Any:
    """Return a plain value as it is recorded; `None` if it isn't a plain one."""
    kind = type(value)
    if kind is float:
        return value if digits is None else round(value, digits)  # type: ignore[call-overload]
    if kind in {int, bool} or (kind is str and len(value) <= _LONGEST):  # type: ignore[arg-type]
        return value
    if kind in {tuple, list, pygame.Vector2}:
        parts = [_plain(each, digits) for each in value]  # type: ignore[attr-defined]
        return parts if len(parts) <= _MOST and None not in parts else None
    return None


def _changes(before: State, now: State) -> State:
    """Return what is new in a state; an empty name means that a life is over."""
    gone: State = {label: {"": 0} for label in before.keys() - now.keys()}
    changed = {
        label: {name: value for name, value in parts.items() if old.get(name) != value}
        | dict.fromkeys(old.keys() - parts.keys())
        for label, parts in now.items()
        for old in [before.get(label, {})]
        if parts != old or label not in before
    }
    return dict(sorted(gone.items())) | changed


def _changed(before: State, changes: State) -> State:
    """Return the state after some changes."""
    state = {label: parts for label, parts in before.items() if "" not in changes.get(label, ())}
    for label, parts in changes.items():
        if "" not in parts:
            merged = state.get(label, {}) | parts
            state[label] = {name: value for name, value in merged.items() if value is not None}
    return state


def first_difference(recorded: State, replayed: State) -> str | None:
    """Return the first difference between two states in words."""
    for label in sorted(recorded.keys() | replayed.keys()):
        name = label.rpartition("/")[0]
        if label not in replayed:
            return f"{name} lived when it was recorded, and does not in the replay"
        if label not in recorded:
            return f"{name} lives in the replay, and did not when it was recorded"
        before, now = recorded[label], replayed[label]
        for part in (*before, *(now.keys() - before.keys())):
            if before.get(part) != now.get(part):
                was, is_now = before.get(part), now.get(part)
                return f"{name}.{part}: recorded {was!r}, replayed {is_now!r}"
    return None


def _noted_event(event: pygame.Event) -> tuple[int, dict[str, Any]]:
    given = {name: _plain(value, None) for name, value in event.dict.items()}
    kept = {name for name, value in event.dict.items() if value is None}
    return event.type, {n: value for n, value in given.items() if value is not None or n in kept}


def _event_of(kind: int, given: dict[str, Any]) -> pygame.Event:
    # As pygame has it: a position is a tuple.
    tuples = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return pygame.Event(kind, given | tuples)
