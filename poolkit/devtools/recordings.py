"""Records a game's run, replays it, and finds where the replay differs.

A recording has what comes from outside: events, frame times, keys and mouse. It also has what came
of it: in each frame how many live and a digest of where they are, and now and then the plain
attributes of each. A replay gives the game the first, and compares the second.
"""

from __future__ import annotations

import inspect
import logging
import math
import random
import struct
import zlib
from contextlib import ExitStack, suppress
from functools import partial
from itertools import chain, pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.errors import PoolError
from poolkit.core.seams import context_of, lives_of
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.polled import PolledAnswers, PolledNotes, asked_first
from poolkit.devtools.tape_file import RecordingError, TapeHead, TapeWriter, encoded, read_tape
from poolkit.devtools.values import attributes
from poolkit.sprites.animation import Animation

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from poolkit.core.context import SystemContext
    from poolkit.devtools.tape_file import Entry

    State = dict[str, Any]  # the plain attributes of all lives

# Bytes of attributes that a frame may have on average: many at first, fewer later.
_ALWAYS, _AT_FIRST, _FADING = 1.0, 1024.0, 60
_MOST = 8  # entries of a list or tuple that counts as plain
_LONGEST = 100  # characters of a text that does
_DIGITS = 3  # decimals of a float that does

_log = logging.getLogger("poolkit")


class ReplayDifference(PoolError):  # noqa: N818 - what it is, not an error of the game's
    """A replay differs from its recording; `frame` is the first that does, from 0."""

    def __init__(self, frame: int, what: str) -> None:
        super().__init__(f"frame {frame}: {what}")
        self.frame = frame


class RecordingTape:
    """Records a game, frame by frame; a context manager. See `record`."""

    is_replay: bool = False  # if not, let `clock.tick` wait

    def __init__(self, path: Path, seed: int, system: PoolingSystem) -> None:
        self.seed = seed
        self._system = system
        self._writer = TapeWriter(path, TapeHead(seed, context_of(system).clock.now))
        self._unwritten: set[str] = set()  # types that the log has named
        self._polled = PolledNotes()
        self._state: State = {}  # when it was last written
        self._allowed = 0.0  # bytes of attributes
        self._number = 0
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._stack.enter_context(asked_first(self._polled.ask))
        random.seed(self.seed)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._write({}, ())  # a swarm may be gone with the function that played
        self._writer.close()

    def frame(self, events: Iterable[pygame.Event], dt: float) -> tuple[list[pygame.Event], float]:
        """Record the events and seconds of a frame, and return them.

        Call it once a frame, before anything else in it. What an event carries that can't be
        written is named in the log `poolkit`.

        Raises:
            RecordingError: The frame is too long to be read again, by far.
            OSError: It can't be written.
        """
        events = list(events)
        entry: Entry = {"t": dt}
        if events:
            entry["e"] = [(event.type, self._data_of(event)) for event in events]
        self._write(entry, _swarms_of(self._system))
        return events, dt

    def _data_of(self, event: pygame.Event) -> dict[str, Any]:
        """Return what an event carries, as far as it can be written."""
        data = {}
        for name, value in event.dict.items():
            try:
                data[name] = encoded(value)
            except TypeError as error:
                if str(error) not in self._unwritten:
                    self._unwritten.add(str(error))
                    _log.warning(
                        "a recording can't write %s of %s, a value of type %s: its replay lacks it",
                        name,
                        pygame.event.event_name(event.type),
                        error,
                    )
        return data

    def _write(self, entry: Entry, swarms: Iterable[Any]) -> None:
        """Write an entry, with all attributes if there is an allowance for them."""
        entry["c"], entry["d"] = digest_of(self._system, swarms)
        if answers := self._polled.take():
            entry["p"] = answers  # in the frame before
        self._allowed += _ALWAYS + _AT_FIRST / (1 + self._number / _FADING)
        self._number += 1
        if is_full := self._allowed >= 0:
            before, self._state = self._state, state_of(self._system, swarms)
            entry["a"] = changes(before, self._state)
        self._allowed -= self._writer.write(entry) * is_full


class ReplayTape:
    """Plays a recording again, and compares; a context manager. See `replay`."""

    is_replay: bool = True

    def __init__(self, path: Path, system: PoolingSystem) -> None:
        self._head, self._num_recorded, self._entries = read_tape(path)
        self.seed: int = self._head.seed
        self._path = path
        self._system = system
        self._frames: Iterator[tuple[list[pygame.Event], float]] | None = self._play()
        self._polled = PolledAnswers()
        self._stack = ExitStack()
        self._num_played = 0
        self._is_used = False
        self._state: State = {}  # as recorded
        self._differs: tuple[int, str] | None = None  # from which frame on, and how

    def __enter__(self) -> Self:
        self._is_used = True
        self._stack.enter_context(asked_first(self._polled.ask))
        random.seed(self.seed)
        _set_clock(context_of(self._system), self._head.now)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        if kind is None or issubclass(kind, SystemExit):
            self._check_complete()

    def __iter__(self) -> Iterator[tuple[list[pygame.Event], float]]:
        return self._frames or iter(())

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
        if self._frames is None:
            message = f"the recording {self._path} is over, and the game did not quit at its QUIT"
            raise RecordingError(message)
        for recorded in self._frames:
            return recorded
        self._frames = None
        return [pygame.Event(pygame.QUIT)], 0.0

    def _play(self) -> Iterator[tuple[list[pygame.Event], float]]:
        for entry, following in pairwise(chain(self._entries, [{}])):
            self._compare(entry)
            if "t" not in entry:
                break
            self._polled.begin(entry)  # the first has what was asked before any frame
            self._polled.begin(following)
            self._num_played += 1
            yield entry.get("e", []), entry["t"]
        if self._differs is not None:
            raise ReplayDifference(*self._differs)

    def _check_complete(self) -> None:
        """Raise if the replay differs, or if frames are left."""
        played, recorded = self._num_played, self._num_recorded
        if self._differs is None and played < recorded:
            why = "" if played else ": it never asked its tape for one"
            self._differs = played, f"the game left after {played} of {recorded} frames{why}"
        if self._differs is not None:
            raise ReplayDifference(*self._differs)

    def _compare(self, entry: Entry) -> None:
        """Raise at the first difference that can be named; note an earlier one that can't be."""
        swarms = _swarms_of(self._system) if "t" in entry else ()
        count, digest = digest_of(self._system, swarms)
        if self._differs is None and (count, digest) != (entry["c"], entry["d"]):
            what = f"{entry['c']} lives were recorded, {count} replayed"
            if count == entry["c"]:
                what = f"some of the {count} lives are not where they were"
            self._differs = self._num_played, what
        if "a" not in entry:
            return
        self._state = changed(self._state, entry["a"])
        named = first_difference(self._state, state_of(self._system, swarms))
        if named is not None:
            frame, _ = self._differs or (self._num_played, "")
            self._differs = None  # this names it
            seen = "" if frame == self._num_played else f" (seen in frame {self._num_played})"
            raise ReplayDifference(frame, named + seen)


def record(
    path: str | os.PathLike[str], *, seed: int | None = None, system: PoolingSystem = pools
) -> RecordingTape | ReplayTape:
    """Record a game's run for `replay`: a context manager, through which all frames go.

    It changes nothing of the run but the seed of `random`. Each frame is written at once, so a
    recording is complete up to a crash. Under ``python -m poolkit replay`` it returns the tape of
    the replay instead::

        with record("crash.rec", seed=7) as tape:
            while running:
                events, dt = tape.frame(pygame.event.get(), clock.tick(60) / 1000)

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

    The tape yields the events and seconds of each frame; its `frame` returns the same, so that one
    loop can record and replay. The lives of `system` are compared::

        with replay("crash.rec") as tape:
            for events, dt in tape:
                game.step(events, dt)

    It begins with the recorded time of the system's clock; if something waits, as timers and
    animations do, it keeps its wait, and the clock its time.

    Raises:
        RecordingError: The file can't be read, isn't a recording, is damaged, or is of another
            version.
        ReplayDifference: Later, at the first frame that differs: it names the frame, the instance
            and the attribute. Or at the end, if the game leaves before the recording does.
    """
    return ReplayTape(Path(path), system)


_replaying: list[ReplayTape] = []  # for games that call `record`, while the shell replays


def play_again(path: str | os.PathLike[str], game: Callable[..., object]) -> None:
    """Replay a recording with a function that plays the game, for the shell.

    It gets the tape if it takes one. Else `record` returns the tape in it.

    Raises:
        RecordingError: It neither takes a tape nor calls `record`; or the file isn't a recording.
        ReplayDifference: The game's state differs from the recorded one, or it left early.
    """
    tape = replay(path)
    if (play := with_tape(game, tape)) is None:
        _play_alone(tape, game)
        return
    with suppress(SystemExit), tape:
        play()


def with_tape(game: Callable[..., object], tape: object) -> Callable[[], object] | None:
    """Return a function that plays the game with a tape; `None` if the game takes none.

    It takes one by the name `tape`, or as what it requires.
    """
    parameters = inspect.signature(game).parameters
    if "tape" in parameters and parameters["tape"].kind is not inspect.Parameter.POSITIONAL_ONLY:
        return partial(game, tape=tape)
    if any(parameter.default is parameter.empty for parameter in parameters.values()):
        return partial(game, tape)
    return None


def _play_alone(tape: ReplayTape, game: Callable[[], object]) -> None:
    _replaying.append(tape)
    try:
        with suppress(SystemExit):
            game()
    finally:
        _replaying.pop()
    if not (tape._is_used or tape._num_played):
        name = getattr(game, "__qualname__", repr(game))
        message = f"{name}() must take the tape, as in def {name}(tape), or call record(...) itself"
        raise RecordingError(message)
    tape._check_complete()


def _set_clock(context: SystemContext, now: float) -> None:
    """Begin at a time of the clock, if nothing waits for one, animations included."""
    queues: dict[float, Iterable[object]] = context.extras.get(Animation, {})
    if not any(chain.from_iterable(queues.values())):
        context.set_clock(now)


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
            where = [number for instance in lives.values() for number in _place_or_none(instance)]
        # Not by their hash, as each NaN has another one.
        packed = struct.pack(f"q{len(where)}d", who, *where)
        digest = zlib.crc32(packed, zlib.crc32(pool.name.encode(), digest))
    for swarm in swarms:
        count += len(swarm)
        digest = zlib.crc32(swarm.position.tobytes(), digest)
    return count, digest & 0xFF


def _swarms_of(system: PoolingSystem) -> list[Any]:
    return [swarm for swarm in context_of(system).swarms.values() if len(swarm)]


def _place_or_none(instance: Any) -> tuple[float, ...]:
    try:  # where the game says it is: a spawn puts the center of plain sprites there
        x, y = getattr(instance.rect, getattr(instance, "anchor", "center"))
        return float(x), float(y)
    except (AttributeError, TypeError, ValueError):
        return ()


def state_of(system: PoolingSystem, swarms: Iterable[Any]) -> State:
    """Return the plain attributes of all lives, with where they are; of a swarm their mean."""
    state: State = {}
    for pool in system.all_pools():
        for record in lives_of(pool):
            life = f"{record.label}\t{record.generation}\t"
            state[life] = True  # it lives
            parts = ((life + name, _plain(value)) for name, value in _parts_of(record.instance))
            state |= {name: value for name, value in parts if value is not None}
    for swarm in swarms:
        mean = swarm.position.mean(axis=0).tolist()
        state[f"{swarm.name}\t\tlives"] = len(swarm)
        state[f"{swarm.name}\t\tmean position"] = _plain(mean)
    return state


def _parts_of(instance: object) -> Iterator[tuple[str, Any]]:
    yield "position", _place_or_none(instance) or None
    yield "rotation", getattr(instance, "rotation", None) or None
    yield from attributes(instance).items()
    for component in getattr(instance, "components", ()):
        for name, value in attributes(component).items():
            yield f"{type(component).__name__}.{name}", value


def _plain(value: object) -> Any:
    """Return a plain value as it is recorded; `None` if it isn't a plain one."""
    kind = type(value)
    if kind is float:
        rounded: float = round(value, _DIGITS)  # type: ignore[call-overload]
        return "nan" if math.isnan(rounded) else rounded  # as NaN differs from itself
    if kind in {int, bool} or (kind is str and len(value) <= _LONGEST):  # type: ignore[arg-type]
        return value
    if kind in {tuple, list, pygame.Vector2}:
        parts = [_plain(entry) for entry in value]  # type: ignore[attr-defined]
        return parts if len(parts) <= _MOST and None not in parts else None
    return None


def changes(before: State, now: State) -> State:
    """Return what is new in a state; `None` is gone."""
    new = {name: value for name, value in now.items() if before.get(name) != value}
    return dict.fromkeys(before.keys() - now.keys()) | new


def changed(before: State, changes: State) -> State:
    """Return the state after some changes."""
    return {name: value for name, value in (before | changes).items() if value is not None}


def first_difference(recorded: State, replayed: State) -> str | None:
    """Return the first difference between two states in words."""
    for name in sorted(recorded.keys() | replayed.keys()):
        was, is_now = recorded.get(name), replayed.get(name)
        if was == is_now:
            continue
        label, _, part = name.rsplit("\t", 2)
        if part:
            return f"{label}.{part}: recorded {was!r}, replayed {is_now!r}"
        if was:
            return f"{label} lived when it was recorded, and does not in the replay"
        return f"{label} lives in the replay, and did not when it was recorded"
    return None
