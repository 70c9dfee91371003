"""What an option adds to a life, as a multiple of the plain life of the same pool without it.

Fifty lives a frame, with an update after each frame. An option that nobody notices must hardly
cost more than nothing; one that does more work, what that work costs.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pygame.sprite import Group, LayeredUpdates

from benchmarks.frames import STEP
from benchmarks.kinds import AT_REST, Bare
from benchmarks.lives import A_FRAME, PLACE
from benchmarks.measure import POOLKIT, Contest, Size, Work, repeated
from poolkit import (
    Budget,
    PooledGroup,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    RecycleOldest,
)
from poolkit.core.seams import LifeWatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAIN = "the plain life"
HARMLESS, NAMED, AT_LIMIT = 1.6, 2.0, 3.0  # bars
LIMIT = 200


class Told(Bare):
    """A sprite that is told something."""

    worth = 0

    def spawned(self, data: Any) -> None:
        """Keep it."""
        self.data = data


class CountingGroup(Group[Any]):
    """A group that notices who comes."""

    came = 0

    def add_internal(self, sprite: Any, layer: Any = None) -> None:
        """Count."""
        self.came += 1
        super().add_internal(sprite, layer)


def _nothing(_: Any) -> None:
    pass


def _watch(system: PoolingSystem, _: Any) -> None:
    system._context.watch_lives(LifeWatcher())  # noqa: SLF001 - as tools do


class Option(NamedTuple):
    """What differs from the plain life: settings, parts of the prefab, the spawn, a call before."""

    name: str
    most: float = HARMLESS
    settings: dict[str, Any] = {}  # noqa: RUF012 - nobody changes these
    prefab: dict[str, Any] = {}  # noqa: RUF012
    spawn: str = ""
    prepare: Callable[[PoolingSystem, Any], object] = lambda _, __: None
    kind: type[Bare] = Bare
    plain_spawn: str = ""


def _options() -> Iterator[Option]:
    """Yield the options that can be set for a life, each with its bar."""
    recycling = {"prespawn": LIMIT, "limit": LIMIT}
    yield Option("a budget that is not reached", settings={"budget": Budget(1_000)})
    for policy in (RecycleLowest(attrgetter("worth")), RecycleOldest()):
        settings = recycling | {"overflow": policy}
        name = f"{type(policy).__name__} at its limit of {LIMIT}"
        yield Option(name, AT_LIMIT, settings, kind=Told, spawn=", data=1", plain_spawn=", data=1")
    yield Option("pools.on_spawn", prepare=lambda system, _: system.on_spawn(_nothing))
    yield Option("pool.on_despawn", prepare=lambda _, pool: pool.on_despawn(_nothing))
    yield Option("a watcher of lives", prepare=_watch)
    one = [PooledGroup()]
    yield Option("groups by a function", NAMED, prefab={"groups": lambda: one})
    yield Option("groups named in the spawn", NAMED, prefab={"groups": ()}, spawn=", groups=GS")
    yield Option("in no group", prefab={"groups": ()})
    yield Option("persistent=True", spawn=", persistent=True")
    yield Option("a persistent prefab", prefab={"persistent": True})
    yield Option("reclaimable=False", spawn=", reclaimable=False")
    yield Option("a LayeredUpdates", 4.0, prefab={"groups": [LayeredUpdates()]})
    yield Option("a group with an add_internal", 2.5, prefab={"groups": [CountingGroup()]})
    yield Option("max_idle", settings={"max_idle": 2 * AT_REST})
    yield Option("trim_after", settings={"trim_after": 60.0})
    data = {"data": {"data": 1}}
    yield Option("data of the prefab", prefab=data, kind=Told, plain_spawn=", data=1")


def _lives(option: Option, spawn: str) -> Work:
    """Return what plays lives with an option."""
    system, group = PoolingSystem(), PooledGroup()
    settings = PoolSettings(**({"prespawn": AT_REST} | option.settings))
    how = {"groups": [group]} | option.prefab
    prefab = system.register(Prefab(option.kind, settings=settings, **how))
    option.prepare(system, system.pool(prefab))
    names = {"spawn": system.spawn, "prefab": prefab, "P": PLACE, "S": STEP, "GS": [group]}
    names["update"] = system.update
    text, is_full = f"spawn(prefab, P{spawn})", option.most == AT_LIMIT
    if is_full:
        repeated(names, text)(LIMIT)
    text = f"for _ in range({A_FRAME}): {text}{'' if is_full else '.kill()'}"
    return repeated(names, text, "update(S)", at_once=A_FRAME)


def options(size: Size) -> Iterator[Contest]:
    """Measure each option beside the plain life."""
    for option in _options():
        plain = _lives(Option(PLAIN, kind=option.kind), option.plain_spawn)
        ways = {POOLKIT: _lives(option, option.spawn), PLAIN: plain}
        yield Contest(option.name, ways, 21, pieces=size(2_000), most=option.most, to=PLAIN)
