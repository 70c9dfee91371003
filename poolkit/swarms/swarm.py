"""The swarm: a pool whose lives are rows of arrays."""

from __future__ import annotations

import logging
import time
from bisect import bisect_left
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, overload

import numpy as np
import pygame

from poolkit.core.clock import checked_dt, checked_seconds
from poolkit.core.ending import Handle
from poolkit.core.errors import PoolError, PoolExhaustedError
from poolkit.core.saving import saved_without
from poolkit.core.seams import SwarmBase, context_of
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
from poolkit.swarms.renderers import num_bytes, renderer_for
from poolkit.swarms.rows import Rows
from poolkit.swarms.targets import box_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from numpy.typing import ArrayLike
    from pygame.typing import RectLike

    from poolkit.core.settings import OverflowPolicy
    from poolkit.sprites.position import Pair
    from poolkit.swarms.columns import Array, Value, Values
    from poolkit.swarms.targets import Box

if TYPE_CHECKING:
    Target: TypeAlias = Pair | RectLike | tuple[Pair, float] | pygame.sprite.Sprite

_SpriteT = TypeVar("_SpriteT", bound=pygame.sprite.Sprite)
_log = logging.getLogger("poolkit")

_FAR = 1e30  # values beyond it are checked in full
_WHOLE = {int, np.int64, np.int32}  # types of a row number, as numpy's arrays give them
# Types of values that a single spawn takes without a full check, by the type of column.
_SCALARS = {"float": {float, int, np.float64, np.float32}, "int": {int, np.int64}, "bool": {bool}}
_INITIAL_CAPACITY = 262_144  # rows that there is room for at first, unless the limit is lower
_WORTH_A_WARNING = 5.0  # seconds without an update
_ATTEMPTS = 100  # to make room, while hooks take it again
_ROUNDING = 1e-5  # the part of a lifetime by which a sum of frame times in 32 bits may be short


@saved_without(
    "_budget",
    "_context",
    "_fast_limit",
    "_next_birth",
    "_places",
    "_renderer",
    "_rows",
    "_waits_since",
    "_writers",
    "system",
)
class Swarm(SwarmBase):
    """Lives as rows of arrays: ten thousand bullets that cost what ten thousand numbers cost.

    A subclass declares what each life has: a class attribute annotated as `float`, `int`, `bool` or
    `Vec2` is a column; mixins may declare some, too. Its value is the default; without one, each
    spawn must give a value. Every swarm has the columns `position` (of the image's center), `age`
    (in seconds) and `frame` (the number of its image), and moves by `velocity`, if you declare
    that.

    A column is a numpy array of all rows, to read and to write; assigning to it writes into it. A
    life keeps its row until the next `update`, even after its end; then the remaining rows close
    up, in the order of their births. So between two updates a row is always the same life, new
    lives are added at the end, and `alive` tells which rows live. Take arrays from the swarm when
    you need them: the ones you keep go stale at the next spawn or update.

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

    position: Column = Column("Swarm", "position", "Vec2")
    age: Column = Column("Swarm", "age", "float", 0.0)
    frame: Column = Column("Swarm", "frame", "int", 0)

    _columns: ClassVar[dict[str, Column]] = {
        column.name: column for column in (position, age, frame)
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        columns, taken = dict(Swarm._columns), {*dir(Swarm), "name", "settings", "system"}
        for base in reversed(cls.__mro__):
            if issubclass(base, Swarm) and base is not cls:
                members = vars(base)
                columns |= {n: c for n, c in base._columns.items() if members.get(n) is c}
            elif base not in Swarm.__mro__:  # the class itself, or a mixin
                columns |= declared(base, columns, taken)
        for name, column in columns.items():
            if getattr(cls, name, None) is not column:  # a mixin's has only the default there
                setattr(cls, name, column)
        cls._columns = columns

    def __init__(
        self,
        images: pygame.Surface | int | Sequence[Any],
        *,
        limit: int | None,
        overflow: OverflowPolicy = Refuse(),  # noqa: B008 - it never changes
        budget: Budget | None = None,
        lifetime: float | None = None,
        area: RectLike | None = None,
        name: str | None = None,
        colors: Iterable[Any] | None = None,
        system: PoolingSystem = pools,
    ) -> None:
        """Make an empty swarm.

        Args:
            images: A surface; several, chosen by `frame`; or dots: a size of 1 to 3 pixels, or a
                size and one or more colors, chosen by `frame`, as in ``(2, "gold")``.
            limit: How many may live at once; `None`: no limit of its own.
            overflow: What happens at the limit: `Refuse`, `Exceed`, `RecycleOldest`, or
                `RecycleLowest` with the name of a column.
            budget: A limit shared with prefabs and other swarms.
            lifetime: Seconds after which a life ends; `None`: never.
            area: A rect; a life ends when its image is completely outside.
            name: Its name in reports; default: the name of its class.
            colors: Colors that dots take on one after the other during their lifetime.
            system: The pooling system that it belongs to.

        Raises:
            TypeError: A value has the wrong type.
            ValueError: A value is out of range.
            PoolError: The budget is another system's.
        """
        self.settings: PoolSettings = PoolSettings(limit=limit, overflow=overflow, budget=budget)
        self._check_policy(overflow)
        if lifetime is not None:
            checked_seconds(lifetime, "lifetime", least=0.001)
        if not isinstance(system, PoolingSystem):
            message = f"system must be a PoolingSystem, not {system!r}"
            raise TypeError(message)
        if not isinstance(name, str | None):
            message = f"name must be a text, not {name!r}"
            raise TypeError(message)
        self.name: str = type(self).__name__ if name is None else name
        self.system = system
        self._lifetime = None if lifetime is None else lifetime * (1 - _ROUNDING)
        self._area = None if area is None else _box_of_area(area)
        self._renderer = renderer_for(images, colors, lifetime)
        most = self.settings.limit
        # Twice the limit, so that the window over the living can slide that far before rows move;
        # 16 more, for what begins in a frame before the ended give up their rows.
        capacity = 256 if most is None else 2 * most + 16
        self._rows = Rows(self._columns, min(_INITIAL_CAPACITY, capacity))
        self._context = context_of(system)
        self._budget = budget
        if budget is not None:
            budget._add_swarm(self, self._context)
        self._writers: dict[tuple[str, ...], list[Any]] = {}
        self._next_birth = self._num_ended = self._num_former = 0
        self._num_despawned = self._most_used = 0
        self._is_busy = False
        self._waits_since: float | None = 0.0  # for the first update
        self._begin_scene()
        self._context.add_swarm(self)

    def _check_policy(self, overflow: OverflowPolicy) -> None:
        if not isinstance(overflow, Refuse | Exceed | RecycleOldest | RecycleLowest):
            message = (
                "a swarm's overflow is Refuse(), Exceed(), RecycleOldest() or "
                f"RecycleLowest('column'), not {overflow!r}"
            )
            raise TypeError(message)
        if isinstance(overflow, RecycleLowest):
            column = isinstance(overflow.key, str) and self._columns.get(overflow.key)
            if not column or column.type.is_pair:
                message = f"{overflow!r} must name a column of numbers of {type(self).__name__}"
                raise TypeError(message)

    # -- lives begin --------------------------------------------------------------------------

    def spawn(self, position: Pair | Array, **columns: Value) -> Handle[int]:
        """Begin a life.

        Args:
            position: Where, in pixels, as ``(x, y)``: of the image's center.
            **columns: Values for columns; those without a default must be given.

        Returns:
            A handle to that life.

        Raises:
            TypeError: There is no such column, one is missing, or a value has the wrong type.
            ValueError: A value is NaN or, in a pair, infinite.
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
                for (line, other, scalars), value in zip(writers, columns.values()):  # noqa: B905
                    if other is not None:
                        x, y = value  # type: ignore[misc]  # else it raises
                        if not (-_FAR < x < _FAR and -_FAR < y < _FAR):
                            break
                        line[row] = x
                        other[row] = y
                    elif value.__class__ in scalars and -_FAR < value < _FAR:  # type: ignore[operator]
                        line[row] = value
                    else:
                        break
                else:
                    # Only now, when everything is written, may the row be used and another end.
                    if row < self._fast_limit or self._ends_oldest():
                        number = rows.birth_numbers[row] = self._next_birth
                        self._next_birth = number + 1
                        rows.end = row + 1
                        return SwarmHandle(self, number)
        except (IndexError, KeyError, TypeError, ValueError, OverflowError):
            pass  # there is no row left, or `spawn_many` says what is wrong
        except BaseException:  # Ctrl-C, or a value's own
            rows.fill_defaults(rows.end, rows.end + 1)
            raise
        rows.fill_defaults(row, row + 1)
        self.spawn_many(1, position=position, **columns)
        return SwarmHandle(self, int(rows.birth_numbers[rows.end - 1]))

    def try_spawn(self, position: Pair | Array, **columns: Value) -> Handle[int] | None:
        """Begin a life as `spawn` does, or return `None` where the policy refuses."""
        try:
            return self.spawn(position, **columns)
        except PoolExhaustedError:
            return None

    def spawn_many(self, count: int, *, position: Values, **columns: Values) -> range:
        """Begin `count` lives, or none if the policy refuses.

        Args:
            count: How many.
            position: One for all, or one for each: an array of shape ``(count, 2)``.
            **columns: Values for columns: each is one for all, or one for each life.

        Returns:
            Their rows.

        Raises:
            Exception: As `spawn`.
        """
        count = checked_count(count, "count")  # of numpy's bytes a sum would overflow
        columns["position"] = position
        declared_columns = self._columns
        check_names(type(self).__name__, declared_columns, columns)
        checked = {n: declared_columns[n].checked(value, count) for n, value in columns.items()}
        if self._context.closed:
            message = (
                f"can't spawn {self.name}: its pooling system was disposed of; "
                "use another PoolingSystem()"
            )
            raise PoolError(message)
        self._ensure_room(count)
        rows = self._rows
        if rows.append(checked, count, self._next_births(count)):
            self._writers.clear()
            self._expect_update()
        if self._budget is not None:
            self._budget._revoke_leases()  # pools may begin so many fewer
        self._update_fast_path()
        if count == 1:
            del columns["position"]
            self._writers[tuple(columns)] = [
                (*(*rows.lines[name], None)[:2], _SCALARS.get(declared_columns[name].type.name))
                for name in columns
            ]
        return range(rows.count - count, rows.count)

    def _next_births(self, count: int) -> int:
        """Return the first of `count` new birth numbers, which ascend."""
        if self._budget is not None:
            return self._budget._next_births(count)
        number = self._next_birth
        self._next_birth = number + count
        return number

    def _update_fast_path(self) -> None:
        """Work out up to which row a single spawn needs no check of limits."""
        rows, limit = self._rows, self.settings.limit
        self._places = rows.lines["position"]
        if self._budget is not None or self._context.closed:
            self._fast_limit = 0
        elif limit is None or isinstance(self.settings.overflow, Exceed):
            self._fast_limit = rows.capacity
        else:
            self._fast_limit = min(rows.capacity, rows.first + self._num_ended + limit)

    def _ends_oldest(self) -> bool:
        """End the oldest life for a new one, if the policy is as simple as that."""
        if (
            type(self.settings.overflow) is not RecycleOldest
            or not self._fast_limit
            or not len(self)
        ):
            return False
        self._recycle(1)
        return True

    # -- room ---------------------------------------------------------------------------------

    def _ensure_room(self, count: int) -> None:
        """End lives until `count` more may begin, or none if there is no room for all."""
        limit, policy, budget = self.settings.limit, self.settings.overflow, self._budget
        # How many must end, of this swarm and of all that share the budget. Beyond a limit that was
        # lowered, one ends for each that begins.
        num_here = 0 if limit is None else max(0, count - max(0, limit - len(self)))
        num_shared = 0 if budget is None else max(0, count - num_here - max(0, budget._num_free))
        if not (num_here or num_shared) or isinstance(policy, Exceed):
            return
        if isinstance(policy, RecycleLowest):  # only its own lives have the column
            num_here, num_shared = num_here + num_shared, 0
        is_short = budget and num_shared and num_here + num_shared > budget._num_reclaimable
        if isinstance(policy, Refuse) or num_here > len(self) or is_short:
            raise self._refusal(count, is_shared=num_shared > 0)
        if num_here:
            self._recycle(num_here)
        if budget is not None and num_shared:
            self._recycle_shared(budget, num_shared, count)

    def _recycle_shared(self, budget: Budget, num_shared: int, count: int) -> None:
        """End the oldest lives that share the budget, for `count` new ones here."""
        count_before, limit = len(self), self.settings.limit
        num_allowed = budget._count - num_shared
        for _ in range(_ATTEMPTS):  # hooks of those that end may spawn in their places
            budget._end_oldest(budget._count - num_allowed)
            if budget._count <= num_allowed:
                break
        else:  # and those can't end
            raise self._refusal(count, is_shared=True)
        # These hooks may have spawned here.
        if limit is not None and (excess := len(self) - max(limit - count, count_before)) > 0:
            self._recycle(excess)

    def _refusal(self, count: int, *, is_shared: bool) -> PoolExhaustedError:
        """Count a refused spawn, and return the error."""
        self._ledger.totals.refused += 1
        limit, policy = self.settings.limit, self.settings.overflow
        where = f"the limit of its {self._budget!r}" if is_shared else f"its limit of {limit}"
        return PoolExhaustedError(
            f"{self.name} is at {where}, and {policy!r} makes no room for {count}: raise the "
            "limit, despawn some, or use try_spawn, which returns None instead"
        )

    def _recycle(self, count: int) -> None:
        """End `count` lives that the policy chooses; there are as many."""
        alive = self._rows.window(self._rows.alive)
        if isinstance(self.settings.overflow, RecycleLowest):
            chosen: Any = self._lowest(count)
        else:  # a single one is found faster
            chosen = alive.argmax() if count == 1 else alive.nonzero()[0][:count]
        alive[chosen] = False
        self._ledger.totals.recycled += count
        self._count_ended(count)

    def _lowest(self, count: int) -> Array:
        """Return the `count` rows of the lowest priority, the oldest among equals."""
        column: Any = self.settings.overflow.key  # type: ignore[attr-defined]  # it is `RecycleLowest`
        living = self.alive.nonzero()[0]
        values = getattr(self, column)[living]
        if (values != values).any():  # noqa: PLR0124 - only "not a number" differs
            message = f"the {column} of a life of {self.name} is NaN, which is no priority"
            raise PoolError(message)
        highest = np.partition(values, count - 1)[count - 1]  # of those that end
        are_chosen = values < highest
        ties = (values == highest).nonzero()[0]
        are_chosen[ties[: count - np.count_nonzero(are_chosen)]] = True
        chosen: Array = living[are_chosen]
        return chosen

    # -- lives end ----------------------------------------------------------------------------

    def despawn(self, rows: ArrayLike) -> int:
        """End the lives of rows; return how many lives that ended.

        Rows whose life is over already are skipped.

        Args:
            rows: One row, several, or a mask of all rows.

        Raises:
            IndexError: There is no such row, or the mask has the wrong length.
            TypeError: `rows` is neither rows nor a mask.
        """
        alive = self._rows.window(self._rows.alive)
        if rows.__class__ in _WHOLE:
            row = self._checked_row(rows)
            num_ended = int(alive[row])
            if num_ended:
                self._count_ended(1)
                alive[row] = False
            return num_ended
        chosen = np.asarray(rows)
        is_mask = chosen.dtype.kind == "b" and chosen.ndim
        if chosen.size and not (is_mask or chosen.dtype.kind in "iu"):
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
        """End all lives; return how many that were."""
        self._rows.window(self._rows.alive)[:] = False
        return self._recount()

    def ended(self, rows: Array) -> None:
        """Handle the lives that ended since the last update: their rows still hold their values.

        `update` calls this before it closes up the other rows, unless nothing has ended. Override
        it to start what follows an end, sparks for instance. It isn't called for lives that a reset
        ended.
        """

    def _checked_row(self, row: Any) -> int:
        if 0 <= (number := index(row)) < self._rows.count:
            return number
        message = f"{self.name} has no row {row}: it has {self._rows.count} rows in this frame"
        raise IndexError(message)

    def _recount(self) -> int:
        """Count the living; return how many have ended since the last count."""
        num_ended = len(self) - int(np.count_nonzero(self._rows.window(self._rows.alive)))
        self._count_ended(num_ended)
        return num_ended

    def _count_ended(self, count: int) -> None:
        self._update_peaks()
        self._num_ended += count
        self._num_despawned += count
        self._update_fast_path()

    # -- frames -------------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Advance by `dt` seconds: lives move and age, and end if too old or outside of the area.

        Then it calls `ended`, and closes up the rows. Call it once a frame. If you override it, do
        your own work first, and call ``super().update(dt)`` last.

        Raises:
            ValueError: `dt` is negative, not finite, or more than a day.
            PoolError: You call it inside `ended`.
        """
        dt = checked_dt(dt, f"{self.name}.update()")
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
            alive &= self._renderer.extents.inside(rows, self._area)
        self._recount()
        if self._num_ended:
            self._compact()
        self._ledger.sample(self._counts)

    def _compact(self) -> None:
        """Call `ended`, and give up the rows of what has ended."""
        rows, num_ended, keep = self._rows, self._num_ended, self._rows.window(self._rows.alive)
        try:
            if type(self).ended is not Swarm.ended:
                keep = keep.copy()  # what ends inside `ended` is reported next time
                are_unreported = rows.window(rows.birth_numbers) >= self._first_unreported
                unreported = (~keep & are_unreported).nonzero()[0]
                unreported.flags.writeable = False
                self._is_busy = True
                if len(unreported):
                    self.ended(unreported)
        finally:
            self._is_busy = False
            self._update_peaks()
            num_living, num_begun = len(self), rows.count - len(keep)  # they began inside `ended`
            keep = np.append(keep, np.ones(num_begun, np.bool_)) if num_begun else keep
            rows.compact(keep, rows.count - num_ended)
            self._num_ended, self._num_former = rows.count - num_living, 0
            self._update_fast_path()

    @overload
    def hits(self, target: pygame.sprite.AbstractGroup[_SpriteT]) -> list[tuple[int, _SpriteT]]: ...
    @overload
    def hits(self, target: Target) -> Array: ...
    def hits(self, target: Any) -> Any:
        """Return the living rows whose images a target hits, in order.

        Args:
            target: A point ``(x, y)``, as for `pygame.FRect.collidepoint`; a rect, as for
                `colliderect`; a circle ``((x, y), radius)``, which hits images at most `radius`
                away from its center; a sprite, by its rect; or a group.

        Returns:
            An array of rows; for a group, a list of pairs ``(row, sprite)``.

        Raises:
            TypeError: `target` isn't any of these.
            ValueError: A point or circle isn't finite, or a radius is negative.
        """
        extents, has_ended = self._renderer.extents, self._num_ended > 0
        if isinstance(target, pygame.sprite.AbstractGroup):
            sprites: list[pygame.sprite.Sprite] = target.sprites()
            pairs = extents.sweep(self._rows, sprites, has_ended=has_ended)
            if pairs is None:
                return [(row, sprite) for sprite in sprites for row in self.hits(sprite).tolist()]
            rows, columns = pairs
            return [*zip(rows.tolist(), map(sprites.__getitem__, columns.tolist()), strict=True)]
        box = box_of(target)
        if box is None:
            return np.empty(0, np.intp)
        return extents.hit(self._rows, box, has_ended=has_ended)

    def draw(
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] | None = (0, 0),
        special_flags: int = 0,
    ) -> None:
        """Draw the living, the oldest first.

        Images outside of the surface's clip cost next to nothing. Dots are written into the pixels
        of the surface, which may be locked. With flags or translucent colors they are blitted.

        Args:
            surface: The surface to draw on.
            offset: Pixels that are added to every position: the negative position of a camera.
            special_flags: As for `pygame.Surface.blit`.

        Raises:
            IndexError: A value of `frame` isn't the number of an image.
        """
        if self._waits_since is not None:
            self._expect_update()
        shift = (0, 0) if offset is None else offset
        self._renderer.draw(self._rows, surface, shift, special_flags)

    def _expect_update(self) -> None:
        """Log once that lives wait for an update that was never called."""
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
        """A mask of all rows that tells which of them live; read-only."""
        mask = self._rows.window(self._rows.alive)
        mask.flags.writeable = False
        return mask

    def handle(self, row: int) -> Handle[int]:
        """Return a handle to the life of a row; it is false if that is over.

        Raises:
            IndexError: There is no such row.
        """
        return SwarmHandle(
            self, int(self._rows.window(self._rows.birth_numbers)[self._checked_row(row)])
        )

    @property
    def stats(self) -> PoolStats:
        """A snapshot of its figures, with the fields of a pool's.

        Rows are counted: *created* is the most that were in use at once, *inactive* those of them
        that aren't in use now. None is ever made late.
        """
        counts = self._counts
        self._ledger.totals.first_lives = counts.existing
        return self._ledger.stats(counts, self._num_despawned + counts.active)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse: a copy would share the system, the budget and the arrays."""
        message = f"{self!r} can't be copied or pickled: make another {type(self).__name__}"
        raise TypeError(message)

    def __repr__(self) -> str:
        """Return ``<Bullets('bullets', active=300, limit=50000)>``."""
        figures = f"active={len(self)}, limit={self.settings.limit}"
        return f"<{type(self).__name__}({self.name!r}, {figures})>"

    # -- for its system and its budget --------------------------------------------------------

    @property
    def _counts(self) -> Counts:
        self._update_peaks()
        used = self._rows.count - self._num_former
        return Counts(self._most_used, len(self), self._most_used - used)

    def _update_peaks(self) -> None:
        """Update the peaks: called before counts sink, and when somebody asks."""
        count, ledger = self._rows.count, self._ledger
        ledger.peak = max(ledger.peak, count - self._num_ended)
        self._most_used = max(self._most_used, count - self._num_former)

    def _begin_scene(self) -> None:
        """Start counting from 0; `ended` won't get what has ended before."""
        self._ledger = Ledger(self._context.clock)
        self._num_ended = self._num_former = self._rows.count
        self._most_used = self._num_despawned = 0
        self._first_unreported = self._next_births(0)
        self._update_fast_path()

    def _end_scene(self) -> None:
        """End all lives; their rows stay until the next update, as in any other case."""
        self.clear()
        self._begin_scene()

    def _report(self) -> PoolReport:
        return PoolReport(
            self.name,
            self.stats,
            idle_share=self._ledger.idle_share,
            surface_bytes=num_bytes(self._renderer.surfaces),
            limit=self.settings.limit,
            most_used=self._most_used,
        )

    def _image(self) -> Any:
        return self._renderer.surfaces[0]

    def _reserve(self, count: int) -> None:
        self._rows.reserve(2 * count)
        self._writers.clear()
        self._update_fast_path()

    def _oldest(self) -> int | None:
        living = self._rows.window(self._rows.alive)
        row = int(living.argmax()) if len(living) else 0
        return int(self._rows.window(self._rows.birth_numbers)[row]) if len(self) else None

    def _end_oldest(self, count: int, before: float) -> int:
        rows = self._rows
        older = rows.window(rows.birth_numbers) < before  # than the oldest life of all others
        chosen = (older & rows.window(rows.alive)).nonzero()[0][:count]
        rows.window(rows.alive)[chosen] = False
        self._ledger.totals.recycled += len(chosen)
        self._count_ended(len(chosen))
        return len(chosen)

    def _row_of(self, number: int) -> int | None:
        """Return the row of the life with that number, if it lasts."""
        rows = self._rows
        row = bisect_left(rows.birth_view, number, rows.first, rows.end)
        is_there = row < rows.end and rows.birth_numbers[row] == number and rows.alive[row]
        return row - rows.first if is_there else None


def _box_of_area(area: Any) -> Box:
    try:
        box = box_of(pygame.FRect(area))
    except TypeError:
        message = f"area is a rect, not {area!r}"
        raise TypeError(message) from None
    if box is None or not (box.left < box.right and box.top < box.bottom):
        message = f"area must have a width and a height, not {area!r}"
        raise ValueError(message)
    return box


@dataclass(slots=True, unsafe_hash=True, repr=False)
class SwarmHandle(Handle[int]):
    """Refers to one life of a swarm wherever its row is; false once that life is over.

    Handles of the same life are equal and have the same hash.
    """

    _record: Any  # the swarm; the life is its birth number

    def get(self) -> int | None:
        """Return its row now, which may be 0, or `None` if that life is over."""
        row: int | None = self._record._row_of(self._life)
        return row

    def despawn(self) -> bool:
        """End that life; return `False` if it was over already."""
        row = self.get()
        return row is not None and self._record.despawn(row) == 1

    def __bool__(self) -> bool:
        """Return whether that life lasts."""
        return self.get() is not None

    def __repr__(self) -> str:
        """Return ``<Handle(bullets #7)>``, with ``over`` where it is."""
        state = "" if self else ", over"
        return f"<Handle({self._record.name} #{self._life}{state})>"
