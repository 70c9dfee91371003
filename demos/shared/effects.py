"""Puffs of dust and sparks: sprites of a quarter of a second, for which pools were made."""

from functools import partial

from poolkit import Animation, PooledGroup, PooledSprite, PoolSettings, Prefab, pools
from shared.pictures import frames

effects = PooledGroup()


class Effect(PooledSprite):
    """Plays the last so many frames of a sheet while it drifts, and is gone."""

    drift: tuple[float, float] = (0, 0)  # pixels a second

    def __init__(self, name: str, frames_in_all: int, seconds: float, last: int = 0) -> None:
        images = frames(name, frames_in_all)[-last:]
        super().__init__(images[0])
        self.add_component(Animation(images, fps=len(images) / seconds, then="kill"))

    def update(self, dt: float) -> None:
        """Drift."""
        dx, dy = self.drift
        self.rect.move_ip(dx * dt, dy * dt)


# Pictures can be loaded only once the screen is open: `partial` waits for the first one that is
# built. An ember is a speck that the heat carries up.
few, more = PoolSettings(16, limit=16), PoolSettings(32, limit=32)
make_puff, make_spark = partial(Effect, "puff", 6, 0.45), partial(Effect, "spark", 4, 0.3)
puff = Prefab(make_puff, name="puff", groups=[effects], settings=few)
spark = Prefab(make_spark, name="spark", groups=[effects], settings=more)
ember = Prefab(partial(Effect, "spark", 4, 2.5, 1), name="ember", groups=[effects], settings=more)


def show(
    effect: Prefab[Effect], position: tuple[float, float], drift: tuple[float, float] = (0, 0)
) -> None:
    """Show an effect, or none where there are enough already."""
    pools.try_spawn(effect, position, drift=drift)
