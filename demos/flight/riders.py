"""Goblins, wizards and knights: children of a dragon for as long as they or it live."""

import random
from functools import partial

from flight.dragon import Dragon, dragon
from flight.news import tell
from poolkit import DespawnReason, PooledGroup, PooledSprite, PoolSettings, Prefab, pools
from shared.effects import puff, show, spark
from shared.pictures import frames

COLORS = {"goblin": (144, 204, 88), "wizard": (160, 128, 236), "knight": (168, 190, 208)}

riders = PooledGroup()


class Rider(PooledSprite):
    """Sits on a dragon. Nothing here moves it: it follows its parent, around loops as well."""

    def __init__(self, name: str) -> None:
        """Take a picture of it as it sits, and one as it is thrown up."""
        self.name = name
        self.pictures = frames(name, 2)
        super().__init__(self.pictures[0])

    def spawned(self, parent: Dragon, seat: int) -> None:
        """Sit down on a seat of the parent."""
        self.dragon = parent
        self.seat = seat
        self.clock = random.uniform(0, 1)
        self.shown = self.pictures[0]  # upright; `image` is turned as the dragon is

    def despawned(self, reason: DespawnReason) -> None:
        """Say farewell; where the dragon's life ended, this one's did with it."""
        if reason is DespawnReason.PARENT:
            show(puff, self.position, drift=(random.uniform(-90, 10), 50))
        elif reason is DespawnReason.DESPAWNED:
            show(spark, self.position, drift=(-80, 40))

    def update(self, dt: float) -> None:
        """Bob up and down."""
        self.clock += dt
        picture = self.pictures[int(self.clock * 4) % 2]
        if picture is not self.shown:
            self.shown = self.image = picture


# Pictures can be loaded only once the screen is open: `partial` waits for the first one.
settings = PoolSettings(prespawn=12, limit=12)
goblin = Prefab(
    partial(Rider, "goblin"),
    name="goblin",
    groups=[riders],
    settings=settings,
    # For tools that spawn one by themselves, such as the audit: it needs something to sit on.
    sample_data=lambda: {"parent": pools.spawn(dragon), "seat": 1},
)
wizard = goblin.variant(factory=partial(Rider, "wizard"), name="wizard")
knight = goblin.variant(factory=partial(Rider, "knight"), name="knight")
KINDS: tuple[Prefab[Rider], ...] = (goblin, wizard, knight)


def mount(kind: Prefab[Rider], dragon: Dragon, seat: int) -> Rider | None:
    """Spawn a rider on a seat of a dragon, turned as the dragon is; none if its pool is full."""
    place = dragon.seat(seat)
    rider = pools.try_spawn(kind, place, dragon.rotation, parent=dragon, seat=seat)
    if rider:
        tell(f"{rider.name} took a seat", COLORS[rider.name])
        show(spark, place, drift=(-80, -20))
    return rider
