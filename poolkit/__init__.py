"""poolkit: prefab pooling for games made with pygame-ce and pymunk.

Brings the core and the sprites; import `poolkit.physics`, `poolkit.scenes` and `poolkit.devtools`
by name.
"""

from poolkit.core import (
    DespawnReason,
    Handle,
    IPoolableComponent,
    NotManagedError,
    OverflowPolicy,
    PoolablePrefabData,
    PoolError,
    PoolExhaustedError,
    PoolingSystem,
    PoolReport,
    PoolSettings,
    PoolStats,
    Prefab,
    PrefabError,
    PrefabPool,
    PrefabPoolingSystem,
    Progress,
    Refuse,
    SceneReport,
    Scope,
    UseAfterDespawnError,
    pools,
)
from poolkit.sprites import PooledGroup, PooledSprite

__all__ = [
    "DespawnReason",
    "Handle",
    "IPoolableComponent",
    "NotManagedError",
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
    "Refuse",
    "SceneReport",
    "Scope",
    "UseAfterDespawnError",
    "pools",
]
__version__ = "0.1.0"
