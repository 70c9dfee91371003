"""The one pooling engine: how lives begin and end, and what holds an instance between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from poolkit.core.component import DespawnReason
from poolkit.core.errors import PoolError, PrefabError, raise_all
from poolkit.core.hooks import name_of
from poolkit.core.record import (
    ALIVE,
    BEGINNING,
    CLOSING,
    ENDING,
    RESTING,
    UNUSUAL,
    PoolablePrefabData,
)
from poolkit.core.stock import Stock

if TYPE_CHECKING:
    from collections.abc import Callable

    from poolkit.core.home import PoolHome
    from poolkit.core.hooks import Hook

__all__ = ["ActiveInstances", "LifeOptions", "Pool", "checked_pose"]

T = TypeVar("T")

ORIGIN = (0.0, 0.0)


class LifeOptions:
    """What a spawn says beyond where: checked once, shared by the lives of a `spawn_many`."""

    __slots__ = ("data", "groups", "parent", "parent_data", "persistent", "reclaimable")

    def __init__(
        self,
        *,
        parent: Any = None,
        groups: Iterable[Any] = (),
        persistent: bool | None = None,
        reclaimable: bool = True,
        **data: Any,
    ) -> None:
        """Take the keyword arguments of `spawn`; whatever it does not name is spawn data."""
        self.parent = parent
        self.parent_data: PoolablePrefabData[Any] | None = None
        self.groups = (groups,) if hasattr(groups, "add_internal") else tuple(groups)
        self.persistent = persistent
        self.reclaimable = reclaimable
        self.data = data


NO_OPTIONS = LifeOptions()


class Pool(Stock[T]):
    """Hands out instances that are as good as new, and takes them back when their life is over.

    `spawn` and `end` each have a quick path for the everyday case, chosen by flags that are set
    when a record or a setting changes. Their plain twins, `_start` and `_end_plainly`, define
    what both do.
    """

    __slots__ = ()

    # -- a life begins ------------------------------------------------------------------------

    def begin(
        self,
        position: tuple[float, float] = ORIGIN,
        rotation: float = 0.0,
        options: dict[str, Any] | None = None,
    ) -> T:
        """Begin a life; see `PoolingSystem.spawn` for everything about it."""
        if not options and self.quick and self._inactive:
            try:
                x, y = position
                # Nothing times what is infinite, or no number, is no number: and that is true.
                bad: object = (x + y + rotation) * 0.0
            except (TypeError, ValueError, OverflowError):
                bad = True
            if not bad:
                # Slots are called by way of a local: CPython 3.11 is twice as fast at that.
                take = self._take
                data = take()
                calls = data.spawn_calls
                if calls is None:
                    return self._prepare_and_start(data, x, y, rotation, NO_OPTIONS)
                data.generation += 1
                data.state = BEGINNING
                self._active[data] = None
                try:
                    enter = data.enter
                    enter(x, y, rotation)
                except BaseException as error:
                    self._fail(data, error, None)
                try:
                    for call in calls:
                        data.running = call
                        call()
                        if not data.state:
                            break
                    else:
                        data.state = UNUSUAL if data.rare else ALIVE
                        return data.instance
                except BaseException as error:
                    self._fail(data, error, call)
                return self._over_already(data)
        return self._begin_plainly(position, rotation, options or {})

    def _begin_plainly(self, position: Any, rotation: Any, given: dict[str, Any]) -> T:
        x, y, rotation = checked_pose(position, rotation)
        self.check_open("spawn")
        options = self._checked(LifeOptions(**given)) if given else NO_OPTIONS
        self.ensure_prespawned()
        data = self._acquire(options, ())
        return self._start(data, x, y, rotation, options)

    def begin_many(
        self,
        positions: Iterable[tuple[float, float]],
        rotation: float,
        given: dict[str, Any],
    ) -> list[T]:
        """Begin a life at each position, in order: all of them or, where refused, none."""
        poses = [checked_pose(position, rotation) for position in positions]
        self.check_open("spawn")
        options = self._checked(LifeOptions(**given)) if given else NO_OPTIONS
        self.ensure_prespawned()
        acquired: list[PoolablePrefabData[T]] = []
        try:
            for _ in poses:
                acquired.append(self._acquire(options, acquired))
        except BaseException as error:
            self._put_back(acquired, error)
            raise
        waiting = iter(acquired)
        begun: list[tuple[PoolablePrefabData[T], int]] = []
        instances: list[T] = []
        try:
            for data, (x, y, angle) in zip(waiting, poses, strict=False):
                life = data.generation + 1
                instances.append(self._start(data, x, y, angle, options))
                begun.append((data, life))
        except BaseException as error:
            self._put_back(list(waiting), error)
            for data, life in begun:
                try:
                    if data.generation == life:  # else a hook has begun another one meanwhile
                        self.end(data, DespawnReason.FAILED)
                except Exception as another:
                    error.add_note(f"then despawning {data.label} raised {another!r}")
            raise
        return instances

    def _checked(self, options: LifeOptions) -> LifeOptions:
        if options.parent is not None:
            parent = self.home.require_part(options.parent)
            if not parent.active:
                message = (
                    f"{self.name} can't be spawned under {parent.label}, whose life is over: "
                    "check parent.active first"
                )
                raise PoolError(message)
            options.parent_data = parent
        return options

    def _acquire(
        self,
        options: LifeOptions,
        reserved: Iterable[PoolablePrefabData[T]],
    ) -> PoolablePrefabData[T]:
        """Return an instance that is ready to begin a life and accepts the data."""
        if self._inactive and self.pooling:
            data = self._take()
            self._prepare(data, options)
            return data
        if self.is_full:
            self._make_room(reserved)
        data = self.make(check=options.data)
        data.is_new = True
        self._totals.late += 1
        try:
            self._totals.late += self.increase_capacity(self._settings.grow_by - 1)
        except BaseException as error:
            self._put_back([data], error)
            raise
        return data

    def _prepare(self, data: PoolablePrefabData[T], options: LifeOptions) -> None:
        """Wake an instance that was taken, if that is due; see that it accepts the data."""
        try:
            if not data.awoken:
                try:
                    self.wake(data)
                except BaseException:
                    data.doom()
                    raise
            if options.data or data.spawn_calls is None:
                data.hooks.check_data(options.data, self.name)
        except BaseException as error:
            self._put_back([data], error)
            raise

    def _prepare_and_start(
        self,
        data: PoolablePrefabData[T],
        x: float,
        y: float,
        rotation: float,
        options: LifeOptions,
    ) -> T:
        self._prepare(data, options)
        return self._start(data, x, y, rotation, options)

    def _put_back(self, acquired: list[PoolablePrefabData[T]], error: BaseException) -> None:
        """Return instances that began no life to where they were taken from, for `error`."""
        put = self._inactive.appendleft
        if self._settings.order == "lifo":
            put = self._inactive.append
        for data in reversed(acquired):
            data.is_new = False
            if data.doomed or not self.pooling:
                try:
                    self.destroy(data)
                except Exception as another:
                    error.add_note(f"then destroying {data.label} raised {another!r}")
            else:
                put(data)

    def _make_room(self, reserved: Iterable[PoolablePrefabData[T]]) -> None:
        """Ask the overflow policy for a victim, and end its life.

        Raises:
            PoolExhaustedError: There is none.
        """
        del reserved  # the seam for policies that recycle: never one of these
        if self._settings.overflow.choose_victim(self) is None:
            raise self.refusal()
        message = f"{self._settings.overflow!r} chose a victim, which pools can't recycle yet"
        raise PoolError(message)

    def _start(
        self,
        data: PoolablePrefabData[T],
        x: float,
        y: float,
        rotation: float,
        options: LifeOptions,
        *,
        in_play: bool = False,
    ) -> T:
        """Begin the life of `data`: the plain twin of the quick path in `begin`.

        `in_play`: it was adopted, so it is not moved and joins nothing.
        """
        groups = self._groups_for(data, options) if not in_play else ()
        self._totals.fresh += data.is_new
        data.is_new = False
        data.generation += 1
        data.running = None
        data.state = BEGINNING
        self._active[data] = None
        if options is not NO_OPTIONS:
            data.reclaimable = options.reclaimable
            data.persistent = options.persistent
            data.rare = True
        try:
            if in_play:
                data.stay()
            else:
                data.enter(x, y, rotation)
                if groups:
                    data.join(groups)
            if options.parent_data is not None:
                self._put_under(options.parent_data, data, options.parent)
        except BaseException as error:
            self._fail(data, error, None)
        offered = {
            **options.data,
            "position": (x, y),
            "rotation": rotation,
            "parent": options.parent,
        }
        try:
            for hook in data.hooks.spawned_hooks:
                if data.active:
                    data.running = hook.call
                    hook.call(**hook.arguments(offered))
        except BaseException as error:
            self._fail(data, error, hook.call)
        if not data.active:
            return self._over_already(data)
        data.state = UNUSUAL if data.rare else ALIVE
        return data.instance

    def _groups_for(self, data: PoolablePrefabData[T], options: LifeOptions) -> tuple[Any, ...]:
        """Return groups to join for this life, having looked at the parent a last time."""
        try:
            self._checked(options)  # it may have died while room was made
            return (*self.groups_now(), *options.groups)
        except BaseException as error:
            self._put_back([data], error)
            raise

    @staticmethod
    def _put_under(
        parent: PoolablePrefabData[Any], data: PoolablePrefabData[T], instance: Any
    ) -> None:
        data.parent, data.parent_instance = parent, instance
        if parent.children is None:
            parent.children = {}
        parent.children[data] = None
        parent.mark_unusual()
        data.follow(instance)

    def groups_now(self) -> tuple[Any, ...]:
        """Return groups that must be asked for at each spawn; a pool of its own has none."""
        return ()

    def _over_already(self, data: PoolablePrefabData[T]) -> T:
        """Return the instance of a life that ended in its own `spawned` hooks."""
        instance = data.instance
        self._release_from_spawn(data)
        self.rest(data)
        return instance

    def _hold_for_spawn(self, data: PoolablePrefabData[T]) -> None:
        """Keep an instance whose life ends while it begins until its spawn has returned."""
        if data.state == BEGINNING:
            data.holds += 1
            self._busy += 1

    def _release_from_spawn(self, data: PoolablePrefabData[T]) -> None:
        data.holds -= 1
        self._busy -= 1

    def _fail(
        self,
        data: PoolablePrefabData[T],
        error: BaseException,
        failed: Callable[..., object] | None,
    ) -> NoReturn:
        """End a life whose beginning raised, in hook `failed` or before: it is destroyed.

        Raises:
            BaseException: `error`, with whatever else went wrong then.
        """
        data.doom()
        if failed is None:
            error.add_note(f"while {data.label} was put into play")
        else:
            error.add_note(f"in {name_of(failed)} of {data.label}")
        errors = [error]
        if data.active:
            due = list(data.despawned_hooks()) if failed is not None else []
            data.state = UNUSUAL  # no spawn waits for it any more
            self._end_plainly(data, DespawnReason.FAILED, due, errors)
        else:
            self._release_from_spawn(data)
            self._rest_or_gather(data, errors)
        raise_all(f"spawning {data.label}", errors)
        raise error

    # -- a life ends --------------------------------------------------------------------------

    def end(
        self,
        data: PoolablePrefabData[T],
        reason: DespawnReason = DespawnReason.DESPAWNED,
    ) -> bool:
        """End the life of `data`; `False` if it is over already.

        Raises:
            BaseException: What its hooks raised, after all of them ran; it is destroyed then.
        """
        calls = data.despawn_calls
        if data.state != ALIVE or calls is None:
            if data.state <= RESTING:
                return False
            errors: list[BaseException] = []
            self._end_plainly(data, reason, data.despawned_hooks(), errors)
            raise_all(f"despawning {data.label}", errors)
            return True
        active = self._active
        if len(active) > self._peak_since:  # noqa: PLR1730 - max() takes five times as long
            self._peak_since = len(active)
        data.state = ENDING
        del active[data]
        try:
            for call in calls:
                call()
        except BaseException as error:
            self._end_after_error(data, error, calls, call)
        if not data.rare:
            data.state = RESTING
            try:
                leave = data.leave
                leave()
            except BaseException as error:
                self._leave_failed(data, error)
            if data.holds or not self.quick:
                self.rest(data)
            else:
                self._inactive.append(data)
            return True
        # A hook took a scope, or cleared the pool: see to that as well.
        errors = []
        self._wind_up(data, errors)
        raise_all(f"despawning {data.label}", errors)
        return True

    def _end_after_error(
        self,
        data: PoolablePrefabData[T],
        error: BaseException,
        calls: tuple[Callable[[], object], ...],
        failed: Callable[[], object],
    ) -> NoReturn:
        """Finish a quick despawn in which `failed` raised: the later hooks run all the same."""
        errors: list[BaseException] = []
        _gather(errors, error, failed, data)
        for call in calls[calls.index(failed) + 1 :]:
            try:
                call()
            except BaseException as another:
                _gather(errors, another, call, data)
        self._wind_up(data, errors)
        raise_all(f"despawning {data.label}", errors)
        raise error

    def _leave_failed(self, data: PoolablePrefabData[T], error: BaseException) -> NoReturn:
        error.add_note(f"while {data.label} left its groups and the physics")
        data.doom()
        errors = [error]
        self._rest_or_gather(data, errors)
        raise_all(f"despawning {data.label}", errors)
        raise error

    def _end_plainly(
        self,
        data: PoolablePrefabData[T],
        reason: DespawnReason,
        due: Iterable[Hook],
        errors: list[BaseException],
    ) -> None:
        """End the life of `data`: the plain twin of the quick path in `end`."""
        self._peak_since = max(self._peak_since, len(self._active))
        self._hold_for_spawn(data)
        data.state = ENDING
        del self._active[data]
        offered = {"reason": reason}
        for hook in due:
            try:
                hook.call(**hook.arguments(offered))
            except BaseException as error:
                _gather(errors, error, hook.call, data)
        self._wind_up(data, errors)

    def _wind_up(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> None:
        """Finish a despawn after its hooks: scope, children, groups and physics, rest."""
        data.state = CLOSING
        data.holds += 1
        for error in data.close_scope():
            error.add_note(f"in the scope of {data.label}")
            errors.append(error)
        others: list[BaseException] = []
        for child in reversed(list(data.children or ())):
            if child.parent is not data:  # another's hooks have ended it meanwhile
                continue
            try:
                child.pool.end(child, DespawnReason.PARENT)
            except BaseException as error:
                others.append(error)
        try:
            data.leave()
        except BaseException as error:
            error.add_note(f"while {data.label} left its groups and the physics")
            errors.append(error)
        data.end_of_life()
        data.holds -= 1
        data.state = RESTING
        if errors:
            data.doom()
        errors += others  # a child that failed is no reason to destroy its parent
        self._rest_or_gather(data, errors)

    def _rest_or_gather(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> None:
        try:
            self.rest(data)
        except BaseException as error:
            errors.append(error)

    def rest(self, data: PoolablePrefabData[T], *, cooled: bool = False) -> None:
        """Put an instance whose life is over to rest, or destroy it: once nothing holds it.

        Args:
            data: The instance's record.
            cooled: Whether it has waited for the next update already, where that is asked for.
        """
        if data.holds or data.destroyed or data.detached:
            self.note_held()
            return
        limit = self._settings.limit
        if (
            data.doomed
            or not self.pooling
            or self.home.closed
            or (limit is not None and len(self._records) > limit)
        ):
            self.destroy(data)
        elif self.home.reuse == "next_update" and not cooled:
            data.holds += 1
            self.home.cooling.append(data)
            self.note_held()
        else:
            self._inactive.append(data)

    def _end_for_good(self, data: PoolablePrefabData[T], errors: list[BaseException]) -> bool:
        try:
            return self.end(data, DespawnReason.DISPOSED)
        except BaseException as error:
            errors.append(error)
            return True

    # -- instances that the game made, or takes away ------------------------------------------

    def take_in(self, instance: T) -> None:
        """Manage an instance that the game built, alive from now on."""
        self.check_open("adopt an instance as")
        if instance is None:
            message = f"None can't be adopted as {self.name}: pass the instance"
            raise PrefabError(message)
        data = self.home.find(instance) or getattr(instance, "_pool_data", None)
        if isinstance(data, PoolablePrefabData):
            over = ", destroyed by now" if data.destroyed else ""
            message = f"{instance!r} is {data.label} already{over}: an instance has one pool"
            raise PrefabError(message)
        self._making += 1
        try:
            data = self.enroll(instance)
            try:
                data.adopt()
                data.find_hooks()
                data.hooks.check_data({}, self.name)
                self.wake(data)
            except BaseException:
                self.withdraw(data)
                data.release()
                raise
            self._records[data] = None
        finally:
            self._making -= 1
        self._totals.created += 1
        data.is_new = True
        self.retune()
        self._start(data, *data.pose(), NO_OPTIONS, in_play=True)

    def let_go(self, data: PoolablePrefabData[T]) -> None:
        """Take an active instance out of pooling for good, alive; no hook runs."""
        self._peak_since = max(self._peak_since, len(self._active))
        self._hold_for_spawn(data)
        data.state = RESTING
        data.detached = True
        del self._active[data]
        self._totals.detached += 1
        self._leave_stock(data)
        self.home.forget(data, retire=False)
        errors = data.close_scope()
        for child in list(data.children or ()):
            child.unparent()
        data.end_of_life()
        data.release()
        raise_all(f"closing the scope of {data.label}", errors)

    # -- looking in ---------------------------------------------------------------------------

    @property
    def active(self) -> ActiveInstances[T]:
        """The active instances, as a live mapping to their `PoolablePrefabData`."""
        return ActiveInstances(self._active, self.home)

    @property
    def records(self) -> Iterable[PoolablePrefabData[T]]:
        """The records of all instances."""
        return self._records.keys()

    @property
    def active_records(self) -> list[PoolablePrefabData[T]]:
        """The records of the active instances, as they are now."""
        return list(self._active)

    def __repr__(self) -> str:
        """Return ``<PrefabPool('orc', active=3, inactive=17)>``."""
        counts = f"active={self.active_count}, inactive={self.inactive_count}"
        return f"<{type(self).__name__}({self.name!r}, {counts})>"


class ActiveInstances(Mapping[T, PoolablePrefabData[T]]):
    """A live view of a pool's active instances, by identity, in the order they were spawned."""

    __slots__ = ("_active", "_home")

    def __init__(self, active: dict[PoolablePrefabData[T], None], home: PoolHome) -> None:
        """Look at `active`, whose instances `home` knows."""
        self._active = active
        self._home = home

    def __getitem__(self, instance: T) -> PoolablePrefabData[T]:
        """Return the record of an active `instance`."""
        data = self._home.find(instance)
        if data is None or data not in self._active or data.instance is not instance:
            raise KeyError(instance)
        return data

    def __iter__(self) -> Iterator[T]:
        """Iterate over the instances that are active now."""
        return iter([data.instance for data in self._active])

    def __len__(self) -> int:
        """Return how many are active."""
        return len(self._active)

    def __repr__(self) -> str:
        """Return ``<ActiveInstances(3)>``."""
        return f"<{type(self).__name__}({len(self)})>"


def _gather(
    errors: list[BaseException],
    error: BaseException,
    hook: Callable[..., object],
    data: PoolablePrefabData[Any],
) -> None:
    error.add_note(f"in {name_of(hook)} of {data.label}")
    errors.append(error)


def checked_pose(position: Any, rotation: Any) -> tuple[float, float, float]:
    """Return ``(x, y, rotation)`` of a position and a rotation that can be used.

    Raises:
        TypeError: They are no numbers, or the position is no pair.
        ValueError: They are not finite, or the position has not two numbers.
    """
    try:
        x, y = position
        good = math.isfinite(x) and math.isfinite(y) and math.isfinite(rotation)
    except ValueError:
        message = f"a position is two numbers (x, y), not {position!r}"
        raise ValueError(message) from None
    except (TypeError, OverflowError):
        message = (
            f"a position is two numbers (x, y) and a rotation one, in degrees; "
            f"not {position!r} and {rotation!r}"
        )
        raise TypeError(message) from None
    if not good:
        message = (
            f"a position and a rotation must be finite, not {position!r} and {rotation!r}: "
            "look for a division by zero where they are computed"
        )
        raise ValueError(message)
    return x, y, rotation
