"""What it costs to build an instance for a pool, beside its constructor alone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.alive import WithPart
from benchmarks.kinds import Bare, Bodied, Healthy
from benchmarks.measure import POOLKIT, Contest, Size
from poolkit import PooledGroup, PoolingSystem, Prefab
from poolkit.physics import PhysicsWorld

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CONSTRUCTOR = "the constructor"
COUNT = 200


def _contest(name: str, most: float, kind: Callable[[], Any], pieces: int) -> Contest:
    """Return what builds so many in turns; they are dropped between the samples, untimed."""
    kept: list[Any] = []

    def prespawn(count: int) -> None:
        kept.append(system := PoolingSystem())
        system.prespawn(Prefab(kind, name="built", groups=[PooledGroup()]), count)

    def construct(count: int) -> None:
        kept.extend([kind() for _ in range(count)])

    def drop(_: str) -> None:
        kept.clear()

    ways = {POOLKIT: prespawn, CONSTRUCTOR: construct}
    how: dict[str, Any] = {"pieces": pieces, "most": most, "to": CONSTRUCTOR, "between": drop}
    return Contest(f"prespawn: {name}", ways, 21, **how)


def building(size: Size) -> Iterator[Contest]:
    """Measure how long so many are prespawned, and how long their constructor runs."""
    bodied = partial(Bodied, PhysicsWorld())
    yield _contest("a bare sprite", 5.0, Bare, size(COUNT))
    yield _contest("with a component", 4.0, Healthy, size(COUNT))
    yield _contest("with a part that follows", 2.5, WithPart, size(COUNT))
    yield _contest("with a body and a shape", 2.5, bodied, size(COUNT))
