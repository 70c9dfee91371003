"""The swarm: a pool whose lives are rows of arrays."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pygame

from poolkit.core.clock import checked_seconds
from poolkit.core.ending import Handle
from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.seams import Crowd, context_of, shared_lives_of
from poolkit.core.settings import (
    Budget,
    Exceed,
    PoolSettings,
    RecycleLowest,
    RecycleOldest,
    Refuse,
    checked_count,
)
from poolkit.core.statistics import Counts, Ledger, PoolReport, PoolStats
from poolkit.core.system import PoolingSystem, pools
from poolkit.swarms.columns import Column, check_names, declared
from poolkit.swarms.pictures import num_bytes, pictures_of
from poolkit.swarms.rows import Rows
from poolkit.swarms.targets import box_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.settings import OverflowPolicy
    from poolkit.swarms.columns import Array
    from poolkit.swarms.targets import Box

_log = logging.getLogger("poolkit")

_FAR = 1e30  # pixels: beyond it a position is looked at closely
_WHOLE = {int, np.int64, np.int32}  # of a single row, as numpy's arrays of rows give it
# What a single spawn takes without a closer look, by the kind of column.
_PLAIN = {"float": {float, int, np.float64, np.float32}, "int": {int, np.int64}, "bool": {bool}}
_ROOM = 262_144  # rows for which there is room from the start, if the limit is not lower
_WORTH_A_WARNING = 5.0  # seconds of waiting for an update that never comes
_ROUNDING = 1e-5  # of a lifetime: the share that sums of frame times in 32 bits may lack


class Swarm(Crowd):
    """Lives as rows of arrays: ten thousand bullets that cost what ten thousand numbers cost.

    A subclass says what each life has: a class attribute that is annotated as `float`, `int`,
    `bool` or `Vec2` is a column. One with a value has that as its default; of others each spawn
    gives the value. Every swarm has the columns `position` (of the image's centre), `age` (seconds)
    and `frame` (which of its images); it moves by `velocity`, if that is declared.

    Read from a swarm, a column is a numpy array of all its rows, to read and to write; what is
    assigned is written into it. A life keeps its row until the next `update`, also when it has
    ended: then the others close up, in the order of their births. So between two updates rows mean
    the same lives, new ones come behind, and `alive` says whose life lasts. Take arrays from the
    swarm again when you need them; kept ones go stale with the next spawn or update.

    Examples:
        >>> from poolkit import PoolingSystem
        >>> from poolkit.swarms import Swarm, Vec2, ring
        >>> class Bullets(Swarm):
        ...     velocity: Vec2
        ...     damage: int = 1
        >>> image = pygame.Surface((4, 4))
        >>> bullets = Bullets(image, limit=100, lifetime=4.0, system=PoolingSystem())
        >>> first = bullets.spawn((8, 8), velocity=(0, 90))
        >>> bullets.spawn_many(3, position=(50, 50), velocity=ring(3, 90), damage=2)
        range(1, 4)
        >>> bullets.update(0.5)
        >>> bullets.position[0].tolist(), first.get()
        ([8.0, 53.0], 0)
        >>> bullets.despawn(bullets.damage == 2), len(bullets)
        (3, 1)
    """

    position = Column("Swarm", "position", "Vec2")
    age = Column("Swarm", "age", "float", 0.0)
    frame = Column("Swarm", "frame", "int", 0)

    _columns: ClassVar[dict[str, Column]] = {
        column.name: column for column in (position, age, frame)
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        known: dict[str, Column] = {}
        for base in reversed(cls.__mro__[1:]):
            known |= vars(base).get("_columns", {})
        found = declared(cls, known, {*dir(Swarm), "name", "settings", "system"})
        for name, column in found.items():
            setattr(cls, name, column)
        cls._columns = {**known, **found}

    def __init__(
        self,
        images: Any,
        *,
        limit: int | None,
        overflow: OverflowPolicy = Refuse(),  # noqa: B008 - it never changes
        budget: Budget | None = None,
        lifetime: float | None = None,
        area: Any = None,
        name: str | None = None,
        colors: Iterable[Any] | None = None,
        system: PoolingSystem = pools,
    ) -> None:
        """Make an empty swarm.

        Args:
            images: What lives look like: a surface, several of which `frame` says which, or dots: a
                size of 1 to 3 pixels, or a size and colors, as ``(2, "gold")``, of which `frame`
                says which.
            limit: The most lives there may be at once; `None`: no limit of its own.
            overflow: What happens at the limit: `Refuse`, `Exceed`, `RecycleOldest`, or
                `RecycleLowest` with the name of a column.
            budget: A limit shared with prefabs and other swarms.
            lifetime: Seconds after which a life ends; `None`: never.
            area: The rect outside of which lives end, once nothing of their image is in it.
            name: What it is called in reports; default: its class's name.
            colors: Colors that dots go through along their lifetime.
            system: The pooling system that it belongs to.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: A value is out of range.
            PoolError: The budget is another system's.
        """
        self.settings = PoolSettings(limit=limit, overflow=overflow, budget=budget)
        self._check_policy(overflow)
        if lifetime is not None:
            checked_seconds(lifetime, "lifetime", least=0.001)
        if not isinstance(system, PoolingSystem):
            message = f"system must be a PoolingSystem, not {system!r}"
            raise TypeError(message)
        if not isinstance(name, str | None):
            message = f"name must be a text, not {name!r}"
            raise TypeError(message)
        self.name = type(self).__name__ if name is None else name
        self.system = system
        self._lifetime = None if lifetime is None else lifetime * (1 - _ROUNDING)
        self._area = None if area is None else _box_of_area(area)
        self._pictures = pictures_of(images, colors, lifetime)
        self._rows = Rows(self._columns, min(_ROOM, 256 if limit is None else 2 * limit + 16))
        self._context = context_of(system)
        self._shared = None if budget is None else shared_lives_of(budget)
        if self._shared is not None:
            self._shared.admit_crowd(self, self._context)
        self._writers: dict[tuple[str, ...], list[Any]] = {}
        self._next_number = self._num_ended = self._num_former = 0
        self._num_despawned = self._most_used = 0
        self._is_busy = False
        self._waits_since: float | None = 0.0  # for the first update
        self._begin_scene()
        self._context.admit_crowd(self)

    def _check_policy(self, overflow: OverflowPolicy) -> None:
        if not isinstance(overflow, Refuse | Exceed | RecycleOldest | RecycleLowest):
            message = (
                "a swarm's overflow is Refuse(), Exceed(), RecycleOldest() or "
                f"RecycleLowest('column'), not {overflow!r}"
            )
            raise TypeError(message)
        if isinstance(overflow, RecycleLowest):
            column = isinstance(overflow.key, str) and self._columns.get(overflow.key)
            if not column or column.kind.is_pair:
                message = f"{overflow!r} must name a column of numbers of {type(self).__name__}"
                raise TypeError(message)

    # -- lives begin --------------------------------------------------------------------------

    def spawn(self, position: Any, **columns: Any) -> Handle[int]:
        """Begin a life.

        Args:
            position: Where, in pixels, as ``(x, y)``: of the image's centre.
            **columns: Values for columns; those without a default must be given.

        Returns:
            A handle to that life.

        Raises:
            TypeError: There is no such column, one is missing, or a value has the wrong kind.
            ValueError: A value is not finite.
            PoolExhaustedError: The swarm is at its limit and its policy refuses.
            PoolError: Its system was disposed of.
        """
        rows = self._rows
        row = rows.end
        try:
            x, y = position
            writers = self._writers[tuple(columns)]
            if -_FAR < x < _FAR and -_FAR < y < _FAR:
                xs, ys = self._places
                xs[row] = x
                ys[row] = y
                for (line, other, plain), value in zip(writers, columns.values()):  # noqa: B905
                    if other is not None:
                        x, y = value
                        if not (-_FAR < x < _FAR and -_FAR < y < _FAR):
                            break
                        line[row] = x
                        other[row] = y
                    elif value.__class__ in plain and -_FAR < value < _FAR:
                        line[row] = value
                    else:
                        break
                else:
                    # All is written; only now lives may end for it, and the row come into use.
                    if row < self._bound or self._ends_oldest():
                        number = rows.numbers[row] = self._next_number
                        self._next_number = number + 1
                        rows.end = row + 1
                        return SwarmHandle(self, number)
        except (IndexError, KeyError, TypeError, ValueError, OverflowError):
            pass  # there is no row left, or what is wrong is said in full
        rows.blank(row, row + 1)
        self.spawn_many(1, position=position, **columns)
        return SwarmHandle(self, int(rows.numbers[rows.end - 1]))

    def try_spawn(self, position: Any, **columns: Any) -> Handle[int] | None:
        """Begin a life as `spawn` does, or return `None` where the policy refuses."""
        try:
            return self.spawn(position, **columns)
        except PoolExhaustedError:
            return None

    def spawn_many(self, count: int, *, position: Any, **columns: Any) -> range:
        """Begin `count` lives: all, or none where the policy refuses.

        Args:
            count: How many.
            position: One for all, or one for each: an array of shape ``(count, 2)``.
            **columns: Values for columns: each is one for all, or one for each life.

        Returns:
            Their rows.

        Raises:
            Exception: As `spawn`.
        """
        checked_count(int(count) if isinstance(count, np.integer) else count, "count")
        columns["position"] = position
        check_names(type(self).__name__, self._columns, columns)
        known = self._columns
        checked = {name: known[name].checked(value, count) for name, value in columns.items()}
        if self._context.closed:
            message = (
                f"can't spawn {self.name}: its pooling system was disposed of; "
                "use another PoolingSystem()"
            )
            raise PoolError(message)
        self._make_way(count)
        rows = self._rows
        if rows.make_room(count):
            self._writers.clear()
            self._expect_update()
        rows.append(checked, count, self._take_numbers(count))
        self._retune()
        if count == 1:
            del columns["position"]
            self._writers[tuple(columns)] = [
                (*(*rows.lines[name], None)[:2], _PLAIN.get(known[name].kind.name))
                for name in columns
            ]
        return range(rows.count - count, rows.count)

    def _take_numbers(self, count: int) -> int:
        """Return the first of `count` new numbers for lives: its budget's, if it has one."""
        if self._shared is not None:
            return self._shared.take_numbers(count)
        number = self._next_number
        self._next_number = number + count
        return number

    def _retune(self) -> None:
        """Work out up to which row a spawn need not ask."""
        rows = self._rows
        self._places = rows.lines["position"]
        self._bound = rows.capacity
        settings = self.settings
        if settings.limit is not None and not isinstance(settings.overflow, Exceed):
            self._bound = min(self._bound, rows.first + self._num_ended + settings.limit)
        if settings.budget is not None or self._context.closed:
            self._bound = 0

    def _ends_oldest(self) -> bool:
        """End the oldest life for a new one, if that is all there is to decide."""
        settings, alive = self.settings, self._rows.window(self._rows.alive)
        if type(settings.overflow) is not RecycleOldest or not self._bound or not len(self):
            return False
        oldest = alive.argmax()
        self._note_ended(1)
        self._ledger.totals.recycled += 1
        alive[oldest] = False
        return True

    # -- room ---------------------------------------------------------------------------------

    def _make_way(self, count: int) -> None:
        """End lives, until `count` more may begin; none where there is no room for all."""
        limit, policy, others = self.settings.limit, self.settings.overflow, self._shared
        # If there are too many, one goes for one.
        own = 0 if limit is None else max(0, count - max(0, limit - len(self)))
        shared = 0 if others is None else max(0, count - own - max(0, others.num_free))
        if not (own or shared) or isinstance(policy, Exceed):
            return
        if isinstance(policy, RecycleLowest):  # it can tell of its own lives alone
            own, shared = own + shared, 0
        is_short = others is not None and shared and own + shared > others.num_reclaimable
        if isinstance(policy, Refuse) or own > len(self) or is_short:
            self._ledger.totals.refused += 1
            where = f"the limit of its {others!r}" if shared else f"its limit of {limit}"
            message = (
                f"{self.name} is at {where}, and {policy!r} makes no room for {count}: raise the "
                "limit, despawn some, or use try_spawn, which answers None instead"
            )
            raise PoolExhaustedError(message)
        if own:
            self._recycle(own)
        if others is not None and shared:
            others.end_oldest(shared)

    def _recycle(self, count: int) -> None:
        """End so many lives that the policy chooses, if there are as many."""
        rows = self._rows
        alive = rows.window(rows.alive)
        if isinstance(self.settings.overflow, RecycleLowest):
            alive[self._lowest(count)] = False
        elif count == 1:
            alive[alive.argmax()] = False
        else:
            alive[alive.nonzero()[0][:count]] = False
        self._ledger.totals.recycled += self._recount()

    def _lowest(self, count: int) -> Array:
        """Return the rows of the lowest priority, the oldest among equals."""
        column: Any = self.settings.overflow.key  # type: ignore[attr-defined]  # it is `RecycleLowest`
        living = self.alive.nonzero()[0]
        values = getattr(self, column)[living]
        if (values != values).any():  # noqa: PLR0124 - only "not a number" differs
            message = f"the {column} of a life of {self.name} is not a number: it has no priority"
            raise PoolError(message)
        bar = np.partition(values, count - 1)[count - 1]
        chosen = values < bar
        equal = (values == bar).nonzero()[0]
        chosen[equal[: count - np.count_nonzero(chosen)]] = True
        found: Array = living[chosen]
        return found

    # -- lives end ----------------------------------------------------------------------------

    def despawn(self, rows: Any) -> int:
        """End the lives of rows; return how many that ended. What is over already stays over.

        Args:
            rows: One row, several, or a mask of all rows.

        Raises:
            IndexError: There is no such row, or the mask has another length.
            TypeError: They are neither rows nor a mask.
        """
        alive = self._rows.window(self._rows.alive)
        if rows.__class__ in _WHOLE:
            row = self._checked_row(rows)
            ended = int(alive[row])
            if ended:
                self._note_ended(1)
                alive[row] = False
            return ended
        chosen = np.asarray(rows)
        if chosen.size and not (chosen.dtype.kind in "iub" and chosen.ndim):
            message = f"despawn() takes rows of {self.name}, or a mask of them, not {rows!r}"
            raise TypeError(message)
        if chosen.dtype == bool:
            if chosen.shape != alive.shape:
                message = (
                    f"the mask has the shape {chosen.shape}, but {self.name} has {len(alive)} rows "
                    "in this frame: make masks of columns taken since the last spawn and update"
                )
                raise IndexError(message)
        elif chosen.size:
            self._checked_row(chosen.min())
            self._checked_row(chosen.max())
        else:
            return 0
        alive[chosen] = False
        return self._recount()

    def clear(self) -> int:
        """End all lives; return how many."""
        self._rows.window(self._rows.alive)[:] = False
        return self._recount()

    def ended(self, rows: Array) -> None:
        """Learn which lives have ended since the last update: their rows still hold all values.

        Called once in each `update`, if there are some, before the others close up. Override it to
        begin what comes after an end, as sparks. Lives that a reset ends are not told.
        """

    def _checked_row(self, row: Any) -> int:
        if 0 <= row < self._rows.count:
            return int(row)
        message = f"{self.name} has no row {row}: it has {self._rows.count} rows in this frame"
        raise IndexError(message)

    def _recount(self) -> int:
        """Count who lives; return how many lives have ended since this was last done."""
        ended = len(self) - int(np.count_nonzero(self._rows.window(self._rows.alive)))
        self._note_ended(ended)
        return ended

    def _note_ended(self, count: int) -> None:
        self._note_peak()
        self._num_ended += count
        self._num_despawned += count
        self._retune()

    # -- frames -------------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass: lives move, age, end if they are too old or out of the area.

        Then `ended` is called, and rows close up. Call it once a frame; a subclass that overrides
        it does its own first, and calls ``super().update(dt)`` last.

        Raises:
            ValueError: `dt` is negative or not finite.
            PoolError: It is called inside `ended`.
        """
        dt = float(checked_seconds(dt, f"{self.name}.update()"))
        if self._is_busy:
            message = f"{self.name}.update() was called inside ended(): call it once a frame"
            raise PoolError(message)
        self._waits_since = None
        rows = self._rows
        for line, speed in zip(rows.lines["position"], rows.lines.get("velocity", ())):  # noqa: B905
            step = rows.window(rows.floats)
            np.multiply(rows.window(speed), dt, out=step)
            place = rows.window(line)
            place += step
        age, alive = rows.window(*rows.lines["age"]), rows.window(rows.alive)
        age += dt
        if self._lifetime is not None:
            alive &= np.less(age, self._lifetime, out=rows.window(rows.masks[0]))
        if self._area is not None:
            alive &= self._pictures.extents.inside(rows, self._area)
        self._recount()
        if self._num_ended:
            self._close_up()
        self._ledger.sample(self._counts)

    def _close_up(self) -> None:
        """Tell which lives have ended, and give up their rows."""
        rows = self._rows
        keep, kept = rows.window(rows.alive), len(self)
        if type(self).ended is not Swarm.ended:
            gone = (~keep).nonzero()[0]
            told = gone[rows.window(rows.numbers)[gone] >= self._untold]
            self._is_busy = True
            try:
                if len(told):
                    told.flags.writeable = False
                    self.ended(told)
            finally:
                self._is_busy = False
                kept = rows.count - len(gone)  # what has ended in there is told next time
                keep = np.ones(rows.count, np.bool_)
                keep[gone] = False
                self._give_up(keep, kept)
        else:
            self._give_up(keep, kept)

    def _give_up(self, keep: Array, kept: int) -> None:
        """Close up the rows of a mask, which are `kept`."""
        self._note_peak()
        living = len(self)
        self._rows.close_up(keep, kept)
        self._num_ended, self._num_former = self._rows.count - living, 0
        self._retune()

    def hits(self, target: Any) -> Any:
        """Return the rows of living images that something hits, in order.

        Args:
            target: A point ``(x, y)``, which hits as `pygame.FRect.collidepoint` says; a rect, as
                `colliderect`; a circle ``((x, y), radius)``, which hits whose distance from its
                center is not more; a sprite, by its rect; or a group.

        Returns:
            An array of rows; for a group, a list of pairs ``(row, sprite)``.

        Raises:
            TypeError: It is none of these.
            ValueError: It is not finite, or a radius is negative.
        """
        if isinstance(target, pygame.sprite.AbstractGroup):
            return [
                (row, sprite) for sprite in target.sprites() for row in self.hits(sprite).tolist()
            ]
        box = box_of(target)
        if box is None:
            return np.empty(0, np.intp)
        are_some_over = self._num_ended > 0
        return self._pictures.extents.hit(self._rows, box, are_some_over=are_some_over)

    def draw(
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] | None = (0, 0),
        special_flags: int = 0,
    ) -> None:
        """Draw the living, the oldest first.

        Dots are written into the pixels of the surface, which may be locked; with flags, or colors
        that are not opaque, they are blits, as images are.

        Args:
            surface: What to draw on.
            offset: Added to every position, in pixels: the negative of where a camera looks.
            special_flags: As for `pygame.Surface.blit`.

        Raises:
            IndexError: A `frame` is of no image.
        """
        if self._waits_since is not None:
            self._expect_update()
        self._pictures.draw(self._rows, surface, offset or (0, 0), special_flags)

    def _expect_update(self) -> None:
        """Say once, in the log, that lives wait for an update which was never called."""
        now = time.monotonic()
        if self._waits_since == 0.0:
            self._waits_since = now
        elif self._waits_since is not None and now - self._waits_since > _WORTH_A_WARNING:
            self._waits_since = None
            _log.warning(
                "%d lives of %s wait, but its update(dt) was never called: call it once a frame",
                len(self),
                self.name,
            )

    # -- looking at it ------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return how many live."""
        return self._rows.count - self._num_ended

    @property
    def alive(self) -> Array:
        """A mask of all rows: whose life lasts. To read; `despawn` ends lives."""
        mask = self._rows.window(self._rows.alive)
        mask.flags.writeable = False
        return mask

    def handle(self, row: int) -> Handle[int]:
        """Return a handle to the life of a row, false if that is over.

        Raises:
            IndexError: There is no such row.
        """
        return SwarmHandle(self, int(self._rows.window(self._rows.numbers)[self._checked_row(row)]))

    @property
    def stats(self) -> PoolStats:
        """A snapshot of its figures, with those of a pool.

        What it has are rows: as many were created as were ever in use at once, and those not in use
        are inactive. None is made late, for nothing is built.
        """
        counts = self._counts
        self._ledger.totals.fresh = counts.existing
        return self._ledger.stats(counts, self._num_despawned + counts.active)

    def __repr__(self) -> str:
        """Return ``<Bullets('bullets', active=300, limit=50000)>``."""
        figures = f"active={len(self)}, limit={self.settings.limit}"
        return f"<{type(self).__name__}({self.name!r}, {figures})>"

    # -- for its system and its budget --------------------------------------------------------

    @property
    def _counts(self) -> Counts:
        self._note_peak()
        used = self._rows.count - self._num_former
        return Counts(self._most_used, len(self), self._most_used - used)

    def _note_peak(self) -> None:
        """Note how many there were at most: they are about to be fewer, or somebody asks."""
        self._ledger.peak = max(self._ledger.peak, len(self))
        self._most_used = max(self._most_used, self._rows.count - self._num_former)

    def _begin_scene(self) -> None:
        """Count from here on; what has ended by now is not told."""
        self._ledger = Ledger(self._context.clock)
        self._num_ended = self._num_former = self._rows.count
        self._most_used = self._num_despawned = 0
        self._untold = self._take_numbers(0)
        self._retune()

    def _end_scene(self) -> None:
        """End all lives, untold: rows stay until the next update, for a loop may be over them."""
        self.clear()
        self._begin_scene()

    def _report(self) -> PoolReport:
        return PoolReport(
            self.name,
            self.stats,
            idle_share=self._ledger.idle_share,
            surface_bytes=num_bytes(self._pictures.surfaces),
            limit=self.settings.limit,
            most_used=self._most_used,
        )

    def _image(self) -> Any:
        self._pictures.make_surfaces()
        return self._pictures.surfaces[0]

    def _reserve(self, count: int) -> None:
        self._rows.reserve(2 * count)
        self._writers.clear()
        self._retune()

    def _oldest(self) -> int | None:
        living = self._rows.window(self._rows.alive)
        row = int(living.argmax()) if len(living) else 0
        return int(self._rows.window(self._rows.numbers)[row]) if len(self) else None

    def _end_oldest(self, count: int, before: float) -> int:
        rows = self._rows
        older = rows.window(rows.numbers) < before
        found = (older & rows.window(rows.alive)).nonzero()[0][:count]
        rows.window(rows.alive)[found] = False
        self._ledger.totals.recycled += len(found)
        return self._recount()

    def _row_of(self, number: int) -> int | None:
        """Return the row of the life of that number, if it lasts."""
        rows = self._rows
        row = bisect_left(rows.numbers_view, number, rows.first, rows.end)
        is_there = row < rows.end and rows.numbers[row] == number and rows.alive[row]
        return row - rows.first if is_there else None


def _box_of_area(area: Any) -> Box | None:
    try:
        return box_of(pygame.FRect(area))
    except TypeError:
        message = f"area is a rect, not {area!r}"
        raise TypeError(message) from None


@dataclass(slots=True, unsafe_hash=True, repr=False)
class SwarmHandle(Handle[int]):
    """Refers to one life of a swarm: false as soon as it is over, wherever its row has gone.

    Handles of the same life are equal and have the same hash.
    """

    _record: Any  # the swarm; the generation is the number of the life

    def get(self) -> int | None:
        """Return the row now, which may be 0, or `None` if that life is over."""
        row: int | None = self._record._row_of(self._generation)
        return row

    def despawn(self) -> bool:
        """End that life; `False`, and nothing happens, if it is over already."""
        row = self.get()
        return row is not None and self._record.despawn(row) == 1

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        return self.get() is not None

    def __repr__(self) -> str:
        """Return ``<Handle(bullets #7)>``, with ``over`` where it is."""
        state = "" if self else ", over"
        return f"<Handle({self._record.name} #{self._generation}{state})>"
