"""How an instance lives where the game does not say: some seconds of updates, and events."""

from __future__ import annotations

import functools
import inspect
import random
from typing import TYPE_CHECKING, Any

import pygame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from poolkit.core.record import PoolablePrefabData
    from poolkit.core.system import PoolingSystem

__all__ = ["play"]

FRAME = 1 / 60  # seconds
_EVENTS_ONE_IN = 6  # frames
_KEYS = (
    pygame.K_SPACE,
    pygame.K_RETURN,
    pygame.K_LEFT,
    pygame.K_RIGHT,
    pygame.K_UP,
    pygame.K_DOWN,
)


def play(
    data: PoolablePrefabData[Any],
    systems: Iterable[PoolingSystem],
    worlds: Iterable[Any],
    seconds: float,
) -> tuple[str, ...]:
    """Let an instance live for some seconds, or until its life is over.

    In each frame its system is updated, then the instance, then the physics. Where it has a
    method `handle_event`, keys and mouse buttons are pressed by chance.

    Returns:
        What could not be done, and why.
    """
    instance = data.instance
    life = data.generation
    update, note = _update_of(instance)
    handle_event = getattr(instance, "handle_event", None)
    for _ in range(round(seconds / FRAME)):
        for system in systems:
            system.update(FRAME)
        if data.active and data.generation == life and update is not None:
            update()
        for world in worlds:
            world.step(FRAME)
        if not data.active or data.generation != life:
            break
        if callable(handle_event) and not random.randrange(_EVENTS_ONE_IN):  # noqa: S311 - dice
            handle_event(_event())
    return (note,) if note else ()


def _update_of(instance: Any) -> tuple[Callable[[], object] | None, str]:
    """Return a call of `update` with what it takes: the seconds of a frame, or nothing."""
    update = getattr(instance, "update", None)
    if not callable(update):
        return None, ""
    # A sprite that does not override it hands the call on to its components.
    handed_on = getattr(instance, "_updates", ()) if _is_handed_on(instance) else ()
    calls = handed_on or (update,)
    for given in ((FRAME,), ()):
        if all(_takes(call, given) for call in calls):
            return functools.partial(update, *given), ""
    name = getattr(update, "__qualname__", "update").rpartition("<locals>.")[2]
    note = f"{name} takes more than the seconds of a frame, so it was not called: pass live="
    return None, note


def _is_handed_on(instance: Any) -> bool:
    return getattr(type(instance).update, "__module__", "").startswith("poolkit.")


def _takes(call: Callable[..., object], given: tuple[float, ...]) -> bool:
    try:
        inspect.signature(call).bind(*given)
    except TypeError:
        return False
    except ValueError:  # a built-in that does not tell
        return True
    return True


def _event() -> pygame.Event:
    kind = random.choice(  # noqa: S311 - dice
        (pygame.KEYDOWN, pygame.KEYUP, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP),
    )
    if kind in {pygame.KEYDOWN, pygame.KEYUP}:
        return pygame.Event(kind, key=random.choice(_KEYS), mod=0, unicode="")  # noqa: S311
    place = random.randrange(640), random.randrange(360)  # noqa: S311
    return pygame.Event(kind, button=1, pos=place)
