"""What strict mode does while it is on: it sees lives end, and looks after their instances."""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING, Any

from poolkit.core.context import LifeWatcher, TimeWatcher
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.devtools.places import place_of_caller
from poolkit.devtools.strict.death import Death
from poolkit.devtools.strict.leftovers import (
    belongings,
    groups_of,
    home_groups,
    leftovers,
)
from poolkit.devtools.strict.refusal import Grave, accept, forget, refuse
from poolkit.devtools.strict.signals import look_again
from poolkit.devtools.strict.spaces import Bodies

if TYPE_CHECKING:
    from poolkit.core.context import SystemContext
    from poolkit.core.hooks import DespawnReason
    from poolkit.core.record import PoolablePrefabData
    from poolkit.devtools.spawn_log import SpawnLog

__all__ = ["StrictWatch"]

_log = logging.getLogger("poolkit")
_FRAMES_TO_LOOK_AGAIN = 60  # for signals that modules have got meanwhile


class StrictWatch(LifeWatcher, TimeWatcher):
    """Strict mode of one system.

    Attributes:
        spawns: Notes where lives begin.
        former_reuse: The system's `reuse` before.
    """

    def __init__(self, context: SystemContext, spawns: SpawnLog) -> None:
        """Begin with the lives that are over by now, whose places are unknown."""
        self.former_reuse = context.reuse
        self._context = context
        self.spawns = spawns
        self._thread = threading.get_ident()
        self._thread_name = threading.current_thread().name
        self._frame = 0
        # How the last life of an instance ended; those that ended in this frame; by record.
        self._deaths: dict[PoolablePrefabData[Any], Death] = {}
        self._fresh: dict[PoolablePrefabData[Any], Death] = {}
        self._refusing: dict[PoolablePrefabData[Any], list[Any]] = {}
        # What is destroyed is kept by nobody: weakly, by id, with what it has to say.
        self._ghosts: dict[int, tuple[weakref.ref[Any], Grave]] = {}
        self._fresh_ghosts: list[int] = []
        self._bodies: dict[PoolablePrefabData[Any], Bodies] = {}
        self._seen_kinds: set[type] = set()
        self._grouped: set[PoolablePrefabData[Any]] = set()
        self._groupless: set[PoolablePrefabData[Any]] = set()
        for pool in context.pools:
            for data in pool._records:
                if data.is_at_rest and data.generation:
                    death = Death(0, data.generation, None, None)
                    self._deaths[data] = self._fresh[data] = death

    def end(self) -> None:
        """Let everything be used again."""
        for objects in self._refusing.values():
            for each in objects:
                accept(each)
        for reference, _ in self._ghosts.values():
            accept(reference())

    # -- lives --------------------------------------------------------------------------------

    def called(self, what: str, name: str) -> None:
        """Refuse calls from another thread."""
        if threading.get_ident() != self._thread:
            thread = threading.current_thread().name
            message = (
                f"{what} of {name} was called in thread {thread!r}, but poolkit is for one thread, "
                f"and this system's is {self._thread_name!r}: put the wish into a queue.Queue, "
                "and fulfil it in your game loop"
            )
            raise PoolError(message)

    def beginning(self, data: PoolablePrefabData[Any]) -> None:
        """Let the instance be used again."""
        self._deaths.pop(data, None)
        self._fresh.pop(data, None)
        for each in self._refusing.pop(data, ()):
            accept(each)
        bodies = Bodies.of(belongings(data))
        if bodies is not None:
            self._bodies[data] = bodies

    def ended(self, data: PoolablePrefabData[Any], reason: DespawnReason) -> None:
        """Note where the life ended, and see what it has left behind."""
        death = Death(self._frame, data.generation, place_of_caller(), reason)
        self._deaths[data] = self._fresh[data] = death
        self._grouped.discard(data)
        self._groupless.discard(data)
        self._check_left(data, death)

    def ended_again(self, data: PoolablePrefabData[Any]) -> None:
        """Refuse to despawn what was despawned in an earlier frame."""
        self.called("despawn", data.pool.name)
        death = self._deaths.get(data)
        if death is not None and death.frame < self._frame:
            raise death.again(data)

    def gone(self, data: PoolablePrefabData[Any]) -> None:
        """Let go of an instance that is destroyed or detached; what is destroyed still refuses."""
        death = self._deaths.get(data)
        self._fresh.pop(data, None)
        self._bodies.pop(data, None)
        self._grouped.discard(data)
        self._groupless.discard(data)
        self._refusing.pop(data, None)
        if data.detached or death is None:
            return
        for name, each in belongings(data):
            self._haunt(each, Grave(name, data, death), is_root=each is data.instance)

    def _haunt(self, instance: Any, grave: Grave, *, is_root: bool) -> None:
        """Remember, weakly, what a destroyed object has to say, where that can be."""
        key = id(instance)
        deaths = self._deaths
        ghosts = self._ghosts

        def vanish(_: object) -> None:
            ghosts.pop(key, None)
            forget(key)
            if is_root:
                deaths.pop(grave.data, None)

        try:
            ghosts[key] = weakref.ref(instance, vanish), grave
        except TypeError:  # kept by nobody and followed by nobody: it is let go
            accept(instance)
            if is_root:
                deaths.pop(grave.data, None)
        else:
            self._fresh_ghosts.append(key)

    # -- time ---------------------------------------------------------------------------------

    def updating(self, dt: float) -> None:
        """Begin the next frame: what died in the one before refuses to be used from now on."""
        del dt
        self.called("update", "the pools")
        self._frame += 1
        if self._frame % _FRAMES_TO_LOOK_AGAIN == 0:
            look_again()
        fresh, self._fresh = self._fresh, {}
        errors = self._leftovers_of(fresh)
        for data, death in fresh.items():
            self._refusing[data] = [
                each for name, each in belongings(data) if refuse(each, Grave(name, data, death))
            ]
            self._bodies.pop(data, None)
        ghosts, self._fresh_ghosts = self._fresh_ghosts, []
        for key in ghosts:
            reference, grave = self._ghosts.get(key, (None, None))
            ghost = reference() if reference is not None else None
            if ghost is not None and grave is not None:
                refuse(ghost, grave)
        self._look_for_groupless()
        ErrorCollector(*errors).raise_all("lives that are over are still in the game")

    def check(self) -> None:
        """See what the lives that ended in this frame have left behind.

        Raises:
            PoolError: Something. Several are raised together.
        """
        ErrorCollector(*self._leftovers_of(self._fresh)).raise_all(
            "lives that are over are still in the game"
        )

    def _leftovers_of(self, deaths: dict[PoolablePrefabData[Any], Death]) -> list[BaseException]:
        errors: list[BaseException] = []
        for data, death in deaths.items():
            try:
                self._check_left(data, death)
            except PoolError as error:
                errors.append(error)
        return errors

    def _check_left(self, data: PoolablePrefabData[Any], death: Death) -> None:
        kind = type(data.instance)
        thoroughly = kind not in self._seen_kinds
        self._seen_kinds.add(kind)
        everything = belongings(data)
        left = leftovers(data, everything, self._bodies.get(data), thoroughly=thoroughly)
        if left:
            message = (
                f"{'; '.join(left)}: but it was {death}. End in despawned() what spawned() begins, "
                "or begin it with self.scope, which ends it"
            )
            raise PoolError(message)

    def _look_for_groupless(self) -> None:
        """Tell, once a life, of active sprites that the game took out of their last group."""
        for pool in self._context.pools:
            for data in list(pool._active):
                sprite = data.instance
                if groups_of(sprite):
                    self._grouped.add(data)
                elif data not in self._groupless and (
                    data in self._grouped or home_groups(data, sprite)
                ):
                    self._groupless.add(data)
                    _log.warning(
                        "%s is active, but in no group any more, so nothing draws or updates it: "
                        "Group.empty() and Group.remove() don't despawn. It was spawned at %s",
                        data.label,
                        self.spawns.places.get(data) or "a place that was not noted",
                    )
