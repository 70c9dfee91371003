"""Strict mode: using an instance after its despawn raises. On, off, and whether it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poolkit.core.system import PoolingSystem, pools
from poolkit.devtools.spawn_log import SpawnLog
from poolkit.devtools.strict.watch import StrictWatch

if TYPE_CHECKING:
    from poolkit.core.context import SystemContext

__all__ = ["disable_strict", "enable_strict", "is_strict", "watch_of"]


def enable_strict(system: PoolingSystem = pools) -> None:
    """Let misuse raise where it happens: for developing a game, and for its tests.

    An instance that is despawned is not handed out again before the next `update`
    (``reuse="next_update"``), and from that on refuses to be used: reading, writing or deleting
    an attribute or calling a method, its own or its poolable components', raises a
    `UseAfterDespawnError` that names the instance, the attribute, and the line that despawned it.
    It is usable again from its next spawn on; one that is destroyed, never. What only asks about
    it is answered: `isinstance`, `repr`, ``==``, `hash`, `vars`, copying, pickling, debuggers;
    of a sprite also `active`, `alive()`, `groups()`; a group updates it in vain. Its `type` is a
    subclass of its class, which `__subclasses__` lists too.

    These raise as well:

    - despawning in a later frame what is despawned already (in the same frame it is `False`);
    - spawn, despawn, prespawn and update in another thread than the one that calls this;
    - a sprite that is still in a group after its despawn, a body still in a space, a method still
      connected to a signal. They are looked for at the despawn, and again at the next `update`. A
      body that the game handles itself must be an attribute of the sprite or a component, in no
      space when the life began, or made in it and known to nobody else. A signal has `connect`
      and `disconnect`; one that holds methods weakly, as blinker's, is found wherever it is;
      others beside the class (its attributes, its module's, variables around its methods), and
      anywhere when the first life of a class ends. A lambda that a signal holds is not found:
      using the instance in it raises.

    Active sprites that the game took out of all their groups are told of in the log ``poolkit``.

    Left alone: objects whose class can't be swapped (builtin types as `list`, some C types), what
    is destroyed and can't be weakly referenced, components that are no `IPoolableComponent`, for
    several sprites may share them, poolkit's own as `RigidBody`, and the objects of an
    `ObjectPool`, which is in no system.

    Args:
        system: The system whose instances shall refuse. Doing it twice is doing it once.

    Raises:
        TypeError: `system` is no pooling system.

    Examples:
        >>> from poolkit import PooledSprite, PoolingSystem
        >>> class Orc(PooledSprite):
        ...     def spawned(self):
        ...         self.hp = 30
        >>> system = PoolingSystem()
        >>> enable_strict(system)
        >>> orc = system.spawn(Orc)
        >>> orc.kill()
        >>> system.update(0.1)
        >>> orc.hp -= 10  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        poolkit.core.errors.UseAfterDespawnError: Orc #0001 was used after its despawn: ...
    """
    context = _context_of(system)
    if watch_of(context) is not None:
        return
    spawns = SpawnLog()
    watch = StrictWatch(context, spawns)
    system.configure(reuse="next_update")
    context.watch_lives(spawns)
    context.watch_lives(watch)
    context.watch_time(watch)


def disable_strict(system: PoolingSystem = pools) -> None:
    """Let `system` be as before `enable_strict`: nothing refuses, and quick paths are taken.

    Raises:
        TypeError: `system` is no pooling system.
    """
    context = _context_of(system)
    watch = watch_of(context)
    if watch is None:
        return
    watch.end()
    context.unwatch_time(watch)
    context.unwatch_lives(watch)
    context.unwatch_lives(watch.spawns)
    system.configure(reuse=watch.former_reuse)


def is_strict(system: PoolingSystem = pools) -> bool:
    """Return whether `system` is in strict mode."""
    return watch_of(_context_of(system)) is not None


def watch_of(context: SystemContext) -> StrictWatch | None:
    """Return what watches a system in strict mode; `None`: it is not."""
    return next((each for each in context.life_watchers if isinstance(each, StrictWatch)), None)


def _context_of(system: PoolingSystem) -> SystemContext:
    if not isinstance(system, PoolingSystem):
        message = f"strict mode is a pooling system's, not {system!r}'s: pass a PoolingSystem"
        raise TypeError(message)
    return system._context
