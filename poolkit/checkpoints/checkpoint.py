"""`Checkpoint`: a running world at one moment, to be put back any number of times."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from poolkit.checkpoints.lives import Lives
from poolkit.checkpoints.values import CheckpointError, UnsavableError, Walk, share_notes
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.core.scope import Connection, Routine
from poolkit.core.seams import context_of
from poolkit.core.system import PoolingSystem, pools

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.clock import Clock
    from poolkit.core.context import SystemContext
    from poolkit.physics.restoring import SavedWorld
    from poolkit.physics.world import PhysicsWorld


class Checkpoint:
    """All lives of a pooling system at one moment, kept in memory, to be put back in place.

    Taking one changes nothing. What follows a `restore` is what followed the checkpoint, bit for
    bit, given the same input; the dice of `random` are part of it.

    What is kept: all that a life, a component, a part, a timer, a tween or a swarm reaches, and all
    that `keep` reaches: attributes, lists, dicts, sets, vectors, rects, colours, closures.
    Surfaces, classes, and objects of other libraries are referred to, not copied.

    Args:
        system: The pooling system.
        worlds: The physics worlds that its lives are in.
        keep: Objects of the game's own that are to go back as well.
        warm: Whether contacts of physics are kept, so that piles stay still. Without, a restore
            begins with none, and the checkpoint takes less memory.

    Raises:
        CheckpointError: Something can't be put back, such as an open file or generator; or it is
            taken inside a hook, a step or an update. Nothing has changed.
        TypeError: `system` or a world isn't one.
    """

    def __init__(
        self,
        system: PoolingSystem = pools,
        *,
        worlds: Iterable[PhysicsWorld] = (),
        keep: Iterable[object] = (),
        warm: bool = True,
    ) -> None:
        if not isinstance(system, PoolingSystem):
            message = f"system must be a PoolingSystem, not {system!r}"
            raise TypeError(message)
        self._context = context = context_of(system)
        _refuse_if_busy(context, "a checkpoint")
        keep = list(keep)
        self._worlds = _saved_worlds(list(worlds), warm=warm)
        walk = Walk(context)
        try:
            self._lives = _walk(walk, self._worlds, keep)
        except UnsavableError as error:
            raise _refusal(context, error, self._worlds, keep) from None
        _check_worlds(walk, self._worlds)
        _refuse_strangers(context, self._worlds)
        self._notes, self._routines, self._clocks = walk.notes, walk.routines, walk.clocks
        self._swarms = _saved_swarms(context)
        self._dice = random.getstate()

    def restore(self) -> None:
        """Put everything back as it was. You can do this any number of times.

        No hook and no listener runs, and nothing is built. Handles of lives that lived then are
        true again; those of lives begun since are false for good.

        Raises:
            CheckpointError: There was a reset since, something that lived then was destroyed, or
                this is called inside a hook, a step or an update. Nothing has changed.
            BaseException: What code of the game raised that had to run: `finally` blocks of
                coroutines, methods of groups and signals. Everything is put back all the same.
        """
        context, errors = self._context, ErrorCollector()
        _refuse_if_busy(context, "restore()")
        for lives in self._lives:
            lives.check()
        _refuse_strangers(context, self._worlds)
        for watcher in context.life_watchers:
            watcher.on_restoring()
        open_now = {clock: list(clock.open) for clock, _ in self._clocks}
        moved = self._stop_routines(open_now, errors)
        self._clear_stage(errors)
        for world in self._worlds:
            errors.call(world.restore)
        for put_back, things, values in self._notes:
            put_back(things, values)
        for lives in self._lives:
            lives.finish()
        _restore_swarms(context, self._swarms)
        self._reconnect(open_now, errors)
        for routine in moved:
            errors.call(routine.begin_again)
        random.setstate(self._dice)
        errors.raise_all("the checkpoint is restored, but calls raised")

    def share_with(self, former: Checkpoint) -> None:
        """Keep once what is as it was in a checkpoint taken before: most of it, in a ring.

        So a ring of hundreds holds few objects for the collector to look through.
        """
        share_notes(self._notes, former._notes)
        for world, before in zip(self._worlds, former._worlds, strict=True):
            world.share_with(before)

    def _clear_stage(self, errors: ErrorCollector) -> None:
        """End what has begun since, and drop what waits."""
        for world in self._worlds:
            world.prepare()
        for lives in self._lives:
            lives.end_others(errors)
        for clock, _ in self._clocks:
            clock.cancel_all()
        for lives in self._lives:
            lives.take_back()

    def _stop_routines(self, open_now: dict[Clock, list[Any]], errors: ErrorCollector) -> list[Any]:
        """Stop coroutines that have run on or begun since; return those that are to begin again.

        This comes first, so what they do as they close is put back like everything else.
        """
        moved = [routine for routine, moment in self._routines if routine.moment != moment]
        as_then = {routine for routine, moment in self._routines if routine.moment == moment}
        for things in open_now.values():
            for thing in things:
                if isinstance(thing, Routine) and thing not in as_then:
                    errors.call(thing.stop)
        return moved

    def _reconnect(self, open_now: dict[Clock, list[Any]], errors: ErrorCollector) -> None:
        """Connect and disconnect what scopes had connected then."""
        for clock, things in self._clocks:
            then, now = dict.fromkeys(things), dict.fromkeys(open_now[clock])
            for thing in now:
                if isinstance(thing, Connection) and thing not in then:
                    errors.call(thing.close, clock)
            for thing in then:
                if isinstance(thing, Connection) and thing not in now:
                    errors.call(thing.open, clock)


def _walk(walk: Walk, worlds: list[SavedWorld], keep: list[object]) -> list[Lives]:
    """Note everything; return the lives of the system, and of pools of objects that were met."""
    lives = [Lives(walk.context)]
    lives[0].note(walk)
    for world in worlds:
        walk.note_alone(*world.parts)
    walk.follow([*walk.context.swarms.values()])
    walk.keep(keep)
    walk.run()
    while walk.pools:
        lives.append(Lives(context_of(walk.pools.pop())))
        lives[-1].note(walk)
        walk.run()
    return lives


def _refusal(
    context: SystemContext, error: UnsavableError, worlds: list[SavedWorld], keep: list[object]
) -> CheckpointError:
    """Return the error that says where the thing is that can't be put back."""
    walk = Walk(context, finds_holders=True)
    try:
        _walk(walk, worlds, keep)
    except UnsavableError as again:
        error = again
    return CheckpointError(
        f"{walk.path_to(error.thing)} is {error.what}, which can't be put back: keep it where no "
        "life and nothing in keep= reaches it"
    )


def _saved_worlds(worlds: list[Any], *, warm: bool) -> list[SavedWorld]:
    if not worlds:
        return []
    from poolkit.physics.restoring import SavedWorld  # noqa: PLC0415 - a game without has no pymunk
    from poolkit.physics.world import PhysicsWorld  # noqa: PLC0415 - as above

    for world in worlds:
        if not isinstance(world, PhysicsWorld):
            message = f"worlds are PhysicsWorlds, not {world!r}"
            raise TypeError(message)
    return [SavedWorld(world, warm=warm) for world in worlds]


def _check_worlds(walk: Walk, worlds: list[SavedWorld]) -> None:
    """Refuse lives with bodies in worlds that aren't kept."""
    known = [world.world for world in worlds]
    for handler in walk.play_handlers:
        if handler.sprite is not None and not any(handler.is_of(world) for world in known):
            message = (
                f"{handler.sprite!r} has a body in a PhysicsWorld that isn't kept: name the world, "
                "as in Checkpoint(worlds=[world])"
            )
            raise CheckpointError(message)


def _refuse_strangers(context: SystemContext, worlds: list[SavedWorld]) -> None:
    """Refuse worlds in which lives of another system have bodies, which would go back alone."""
    for world in worlds:
        stranger = world.stranger(context)
        if stranger is not None:
            message = (
                f"{stranger!r} of another pooling system has a body in the same PhysicsWorld, "
                "which would go back without its life: give each system a world of its own"
            )
            raise CheckpointError(message)


def _saved_swarms(context: SystemContext) -> dict[Any, Any]:
    swarms: list[Any] = list(context.swarms.values())
    if not swarms:
        return {}
    from poolkit.swarms.restoring import save_rows  # noqa: PLC0415 - a game without has no numpy

    return {swarm: save_rows(swarm) for swarm in swarms}


def _restore_swarms(context: SystemContext, saved: dict[Any, Any]) -> None:
    swarms: list[Any] = list(context.swarms.values())
    if swarms:
        from poolkit.swarms.restoring import restore_rows  # noqa: PLC0415 - as above

        for swarm in swarms:
            restore_rows(swarm, saved.get(swarm))


def _refuse_if_busy(context: SystemContext, what: str) -> None:
    if context.clock.is_running:
        message = (
            f"{what} was asked for inside an update: set a flag, and do it in your game loop, "
            "between two frames"
        )
        raise CheckpointError(message)
    try:
        context.refuse_if_busy(what)
    except PoolError as error:
        raise CheckpointError(*error.args) from None
