"""poolkit: prefab pooling for games made with pygame-ce and pymunk.

Brings the core and the sprites; import `poolkit.physics`, `poolkit.swarms`, `poolkit.scenes`,
`poolkit.content` and `poolkit.devtools` by name.
"""

from poolkit.core.building import Progress
from poolkit.core.ending import Handle
from poolkit.core.errors import (
    NotManagedError,
    PoolError,
    PoolExhaustedError,
    PrefabError,
    UseAfterDespawnError,
)
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.object_pool import ObjectPool
from poolkit.core.pool import PrefabPool
from poolkit.core.prefab import Prefab
from poolkit.core.presets import SettingsPresets
from poolkit.core.record import PoolablePrefabData
from poolkit.core.scope import Scope
from poolkit.core.settings import (
    EXCEED,
    Budget,
    Exceed,
    OverflowPolicy,
    PoolSettings,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.core.statistics import PoolReport, PoolStats, SceneReport
from poolkit.core.system import PoolingSystem, PrefabPoolingSystem, pools
from poolkit.sprites import Animation, PooledGroup, PooledSprite, TextSprite, rotation_cache

__all__ = [
    "EXCEED",
    "Animation",
    "Budget",
    "DespawnReason",
    "Exceed",
    "Handle",
    "IPoolableComponent",
    "NotManagedError",
    "ObjectPool",
    "OverflowPolicy",
    "PoolError",
    "PoolExhaustedError",
    "PoolReport",
    "PoolSettings",
    "PoolStats",
    "PoolablePrefabData",
    "PooledGroup",
    "PooledSprite",
    "PoolingSystem",
    "Prefab",
    "PrefabError",
    "PrefabPool",
    "PrefabPoolingSystem",
    "Progress",
    "RecycleLowest",
    "RecycleOldest",
    "Refuse",
    "SceneReport",
    "Scope",
    "SettingsPresets",
    "TextSprite",
    "UseAfterDespawnError",
    "pools",
    "rotation_cache",
]
__version__ = "0.1.0"
