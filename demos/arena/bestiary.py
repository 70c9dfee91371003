"""The monsters and the lights, as ``assets/arena/monsters.toml`` says."""

from arena.dragon import Dragon
from arena.gaits import gait
from arena.light import Glow, lights
from arena.monster import Health, Monster
from arena.stage import monsters
from poolkit import Prefab
from poolkit.content import PrefabFile
from shared.pictures import ASSETS

book = PrefabFile(
    ASSETS / "arena/monsters.toml",
    classes=[Monster, Dragon, Health, gait, Glow],
    groups={"monsters": monsters, "lights": lights},
    root=ASSETS,
)
KINDS: tuple[Prefab[Monster], ...] = tuple(
    book[name] for name in ("orc", "troll", "ogre", "dragon")
)
