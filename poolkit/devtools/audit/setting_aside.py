"""Sets a game's pools, groups and physics aside while lives are played, and puts them back."""

from __future__ import annotations

import contextlib
import gc
import random
import sys
from typing import TYPE_CHECKING, Any, Self

from poolkit.core.errors import raise_all
from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.audit.body_access import physics_worlds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.record import PoolablePrefabData

__all__ = ["SetAside"]

# What pygame's groups keep their sprites in.
_MEMBERS = frozenset({"spritedict", "lostsprites", "_spritelist", "_spritelayers"})
_SINGLE = "_GroupSingle__sprite"
_MOST_ROUNDS = 8  # of lives that are begun by the ends of others


class SetAside:
    """A context in which pooling systems, physics worlds and groups are as if just made.

    The game's objects stay the same ones, so that hooks which name `pools`, a world or a group
    find them as ever; but what is in them is put away, and put back when the context is left.
    Lives that were begun meanwhile are ended first. The dice are put back too.

    Attributes:
        systems: The system whose prefabs are meant, and the process's own.
        worlds: Every physics world there was.
    """

    def __init__(self, system: PoolingSystem) -> None:
        """Prepare to set aside `system`, and the process's own system."""
        self.systems = (system,) if system is pools else (system, pools)
        self.worlds = physics_worlds()
        self._real_spaces: tuple[Any, ...] = ()
        self._groups: set[int] = set()
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Put everything away.

        Raises:
            PoolError: A hook, a reset or a physics step is under way.
        """
        for system in self.systems:
            system.refuse_if_busy("audit()")
        try:
            self._thaw()
            self._keep_dice()
            for system in self.systems:
                self._put_away_system(system)
            for world in self.worlds:
                self._put_away_world(world)
        except BaseException:
            self._undo.close()
            raise
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End what was begun, and put everything back, whatever is raised meanwhile."""
        errors: list[BaseException] = []
        for system in self.systems:
            try:
                system.dispose()
            except BaseException as another:  # the rest is put back first
                errors.append(another)
        self._undo.close()
        if error is None:
            raise_all("the audit is over, and everything put back, but hooks raised", errors)
            return
        for later in errors:
            error.add_note(f"then ending what the audit had begun raised {later!r}")

    def groups(self, groups: Iterable[Any]) -> None:
        """Put away the sprites of more groups."""
        for group in groups:
            if id(group) not in self._groups and hasattr(group, "add_internal"):
                self._groups.add(id(group))
                self._undo.callback(_put_back_group, group, _emptied(group))

    def lives(self) -> set[PoolablePrefabData[Any]]:
        """Return the records of all lives that last now."""
        return {
            data
            for system in self.systems
            for pool in system.all_pools()
            for data in pool.active_records
        }

    def end_lives(self, spare: set[PoolablePrefabData[Any]]) -> None:
        """End all lives but those of `spare`, and those that their hooks begin."""
        for _ in range(_MOST_ROUNDS):
            lives = self.lives() - spare
            if not lives:
                return
            for data in sorted(lives, key=_birth):
                if data.active:
                    data.pool._end(data)

    def objects_in_spaces(self) -> dict[int, Any]:
        """Return what is in the physics now, by `id`, in no order."""
        return {
            id(each): each
            for space in (*(world.space for world in self.worlds), *self._real_spaces)
            for each in (*space.bodies, *space.shapes, *space.constraints)
        }

    def callbacks(self) -> tuple[object, ...]:
        """Return the collision callbacks that are registered now."""
        if not self.worlds:
            return ()
        from poolkit.devtools.audit.body_readers import (  # noqa: PLC0415 - it imports pymunk
            callbacks_in,
        )

        return tuple(callbacks_in(self.worlds).values())

    def _thaw(self) -> None:
        """Let the collector see what a scene has frozen, for who holds what is asked of it."""
        if gc.get_freeze_count():
            gc.unfreeze()
            self._undo.callback(gc.freeze)
            self._undo.callback(gc.collect)

    def _keep_dice(self) -> None:
        self._undo.callback(random.setstate, random.getstate())
        numpy = sys.modules.get("numpy")
        if numpy is not None and hasattr(numpy, "random"):
            self._undo.callback(numpy.random.set_state, numpy.random.get_state())

    def _put_away_system(self, system: PoolingSystem) -> None:
        kept = vars(system).copy()
        names = system._catalogue
        self._undo.callback(_put_back, system, kept)
        PoolingSystem.__init__(system)
        system._context.clock._warned = True  # a life may well be too short for an update
        system._catalogue._by_name.update(names._by_name)
        system._catalogue._by_factory.update(names._by_factory)

    def _put_away_world(self, world: Any) -> None:
        real = world.space
        inside = {id(each) for each in (*real.bodies, *real.shapes, *real.constraints)}
        self._real_spaces = (*self._real_spaces, real)
        kept = vars(world).copy()
        self._undo.callback(_put_back_world, world, kept, inside)
        from poolkit.devtools.audit.body_readers import (  # noqa: PLC0415 - it imports pymunk
            begin_anew,
        )

        begin_anew(world)


def _birth(data: PoolablePrefabData[Any]) -> tuple[str, int]:
    return data.pool.name, data.number  # the same order each time


def _put_back(owner: object, kept: dict[str, Any]) -> None:
    vars(owner).clear()
    vars(owner).update(kept)


def _put_back_world(world: Any, kept: dict[str, Any], inside: set[int]) -> None:
    # pymunk aborts the process if a body is used again that was in a space which is gone.
    _clear(world.space, set())
    _put_back(world, kept)
    _clear(world.space, inside)


def _clear(space: Any, spared: set[int]) -> None:
    strays = [
        each
        for each in (*space.constraints, *space.shapes, *space.bodies)
        if id(each) not in spared
    ]
    if strays:
        space.remove(*strays)


def _emptied(group: Any) -> dict[str, tuple[Any, Any]]:
    """Empty a group, without a word to its sprites, and return what it had."""
    kept: dict[str, tuple[Any, Any]] = {}
    for name, value in vars(group).items():
        copied = value.copy() if type(value) in {dict, list, set} else None
        kept[name] = value, copied
        if name in _MEMBERS and copied is not None:
            value.clear()
    if _SINGLE in kept:
        vars(group)[_SINGLE] = None
    return kept


def _put_back_group(group: Any, kept: dict[str, tuple[Any, Any]]) -> None:
    vars(group).clear()
    for name, (value, copied) in kept.items():
        # Filled again, not replaced: sprites know these very dicts.
        if copied is not None:
            value.clear()
            value.extend(copied) if isinstance(value, list) else value.update(copied)
        vars(group)[name] = value
