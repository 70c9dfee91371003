"""The one pooling engine: how lives begin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from poolkit.core.component import DespawnReason
from poolkit.core.errors import PrefabError, raise_together
from poolkit.core.hooks import name_of
from poolkit.core.options import NO_OPTIONS, ORIGIN, LifeOptions, checked_pose
from poolkit.core.record import ALIVE, BEGINNING, UNUSUAL, PoolablePrefabData
from poolkit.core.supplying import Supplier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Pool"]

T = TypeVar("T")


class Pool(Supplier[T]):
    """Hands out instances that are as good as new, and takes them back when their life is over.

    `begin` has a quick path for the everyday case, chosen by flags that are set when a record or
    a setting changes. Its plain twin, `_start`, defines what both do.
    """

    __slots__ = ()

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
                take = self._take
                data = self._inactive.popleft() if take is None else take()
                call = data.first_spawned
                if call is None:
                    return self._prepare_and_start(data, x, y, rotation, NO_OPTIONS)
                data.generation += 1
                data.running = None
                data.state = BEGINNING
                self._active[data] = None
                try:
                    enter = data.entrance
                    enter(data, x, y, rotation)
                except BaseException as error:
                    self._fail(data, error, None)
                if data.first_spawned is not call or not data.state:
                    # A group has ended the life, or attached or taken off a component.
                    return self._run_spawned(data, x, y, rotation, NO_OPTIONS)
                later = data.later_spawned
                try:
                    data.running = call
                    call()
                    if later:
                        _run_later(data, later)
                    if data.state:
                        data.state = UNUSUAL if data.rare else ALIVE
                        return data.instance
                except BaseException as error:
                    self._fail(data, error, data.running)
                return self._over_already(data)
        return self._begin_plainly(position, rotation, options or {})

    def _begin_plainly(self, position: Any, rotation: Any, given: dict[str, Any]) -> T:
        x, y, rotation = checked_pose(position, rotation)
        self.check_open("spawn")
        options = self._checked(LifeOptions(**given)) if given else NO_OPTIONS
        self.ensure_prespawned()
        data = self._acquire(options)
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
        self.check_room(len(poses), options.spared)
        acquired: list[PoolablePrefabData[T]] = []
        try:
            for _ in poses:
                acquired.append(self._acquire(options))  # noqa: PERF401 - kept if one fails
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
            errors = [error]
            for data, life in begun:
                try:
                    if data.generation == life:  # else a hook has begun another one meanwhile
                        self.end(data, DespawnReason.FAILED)
                except BaseException as another:
                    errors.append(another)
            raise_together(f"spawning several {self.name}", errors)
        return instances

    def take_in(self, instance: T) -> None:
        """Manage an instance that the game built, alive from now on."""
        self.check_open("adopt an instance as")
        if instance is None:
            message = f"None can't be adopted as {self.name}: pass the instance"
            raise PrefabError(message)
        data = self._context.find(instance) or getattr(instance, "_pool_data", None)
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
                data.hooks.deal({}, self.name)
                self.wake(data)
            except BaseException:
                self.withdraw(data)
                data.set_free()
                raise
            self._sample_idle()
            self._records[data] = None
        finally:
            self._making -= 1
        self._totals.created += 1
        self._totals.adopted += 1
        data.is_new = True
        self.retune()
        self._start(data, *data.pose(), NO_OPTIONS, in_play=True)

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
        options.apply(data)
        try:
            if self._context.life_watchers:
                self._context.tell_beginning(data)
            if in_play:
                data.stay()
            else:
                data.entrance(data, x, y, rotation)
                if groups:
                    data.join(groups)
            if data.state and options.parent_data is not None:
                self._checked(options)  # a group that it joined may have ended the parent's life
                self._put_under(options.parent_data, data, options.parent)
        except BaseException as error:
            self._fail(data, error, None)
        return self._run_spawned(data, x, y, rotation, options)

    def _run_spawned(
        self,
        data: PoolablePrefabData[T],
        x: float,
        y: float,
        rotation: float,
        options: LifeOptions,
    ) -> T:
        """Run the `spawned` hooks of an instance that is in play."""
        if not data.state:
            return self._over_at_entrance(data)
        given = options.data
        offered: dict[str, Any] | None = None
        hooks, early = data.hooks, data.early  # early: spawned by now, while groups were joined
        try:
            for place, names in hooks.deal(given, self.name):
                component = hooks.components[place]
                call = component.spawned
                if not data.active or (data.hooks is not hooks and not data.has_hook(call)):
                    continue
                if early and any(component is each for each in early):
                    continue
                data.running = call
                if names is None:
                    call(**given)
                    continue
                if offered is None:
                    pose = {"position": (x, y), "rotation": rotation, "parent": options.parent}
                    offered = {**given, **pose}
                call(**{name: offered[name] for name in names})
        except BaseException as error:
            self._fail(data, error, data.running)
        if not data.active:
            return self._over_already(data)
        data.state = UNUSUAL if data.rare else ALIVE
        return data.instance

    def _groups_for(self, data: PoolablePrefabData[T], options: LifeOptions) -> tuple[Any, ...]:
        """Return groups to join for this life, having looked at the parent a last time."""
        try:
            self._checked(options)  # it may have died while room was made
            groups = (*self.groups_now(), *options.groups)
            if groups:
                data.check_groups(groups)
        except BaseException as error:
            error.add_note(f"while the groups of {data.label} were looked at")
            self._put_back([data], error)
            raise
        return groups

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

    def _over_at_entrance(self, data: PoolablePrefabData[T]) -> T:
        """Take out of play again what went on entering it when a group had ended its life."""
        if not data.detached:
            try:
                data.departure(data)
            except BaseException as error:
                self._fail(data, error, None)
        return self._over_already(data)

    def _over_already(self, data: PoolablePrefabData[T]) -> T:
        """Return the instance of a life that ended in its own `spawned` hooks."""
        instance = data.instance
        self._release_from_spawn(data)
        self.rest(data)
        if data.detached:
            data.forget()
        return instance

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
        raise_together(f"spawning {data.label}", errors)

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


def _run_later(data: PoolablePrefabData[Any], later: Iterable[Callable[[], object]]) -> None:
    """Call the `spawned` hooks after the first, as long as the life lasts."""
    for call in later:
        if not data.state:
            return
        data.running = call
        call()
