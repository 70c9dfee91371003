"""The spawner: a balloon whose coroutine spawns under random parents, or despawns."""

import math
import random
from collections.abc import Callable, Generator

from flight.dragon import PLACES, dragon, dragons
from flight.news import tell
from flight.riders import COLORS, KINDS, Rider, mount, riders
from poolkit import PooledGroup, PooledSprite, Prefab, pools
from shared.pictures import picture

balloons = PooledGroup()


class Balloon(PooledSprite):
    """Drifts about, from scene to scene, for it is persistent; its coroutine goes on as well."""

    clock: float = 0.0

    def __init__(self) -> None:
        super().__init__(picture("balloon"))

    def spawned(self) -> None:
        """Begin to work."""
        self.stop: Callable[[], object] | None = self.scope.start(self.work())

    def work(self) -> Generator[float]:
        """Spawn or despawn a rider, over and over. The scope ends this with the life."""
        while True:
            yield random.uniform(0.15, 0.45)
            act = random.choices((board, leave, call_dragon, dismiss_dragon), (60, 24, 10, 4))[0]
            act()

    def pause_or_go_on(self) -> None:
        """Stop the coroutine, or start it again."""
        if self.stop:
            self.stop()
            self.stop = None
        else:
            self.stop = self.scope.start(self.work())

    def update(self, dt: float) -> None:
        """Drift."""
        self.clock += dt
        self.position = (
            110 + 40 * math.sin(self.clock * 0.31),
            120 + 24 * math.sin(self.clock * 0.5),
        )


def board() -> None:
    """Spawn a random rider under a random dragon that has a seat left."""
    free = [dragon for dragon in dragons if dragon.free_seats()]
    if free:
        parent = random.choice(free)
        mount(random.choice(KINDS), parent, random.choice(parent.free_seats()))


def leave() -> None:
    """Despawn a random rider; its dragon flies on."""
    if riders:
        rider: Rider = random.choice(riders.sprites())
        tell(f"{rider.name} jumped off", COLORS[rider.name])
        rider.kill()


def call_dragon() -> None:
    """Spawn a dragon at a place where none is, unless there are enough."""
    taken = {dragon.middle for dragon in dragons}
    free = [place for place in PLACES if place not in taken]
    if free:
        pools.spawn(dragon, random.choice(free))
        tell("a dragon came", (240, 190, 110))


def dismiss_dragon() -> None:
    """Despawn a random dragon, and with it all that it carries."""
    if dragons:
        pools.despawn(random.choice(dragons.sprites()))


balloon = Prefab(Balloon, name="balloon", groups=[balloons], persistent=True)
