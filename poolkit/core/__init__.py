"""Prefabs, pools, hooks, scopes, handles and the pooling systems. Knows no pygame."""

from poolkit.core.component import DespawnReason, IPoolableComponent
from poolkit.core.errors import (
    NotManagedError,
    PoolError,
    PoolExhaustedError,
    PrefabError,
    UseAfterDespawnError,
)
from poolkit.core.handle import Handle
from poolkit.core.object_pool import ObjectPool
from poolkit.core.overflow import (
    EXCEED,
    Exceed,
    OverflowPolicy,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.core.plans import CapacityPlans
from poolkit.core.prefab import Prefab
from poolkit.core.prefab_pool import PrefabPool
from poolkit.core.prewarm import Progress
from poolkit.core.record import PoolablePrefabData
from poolkit.core.scope import Scope
from poolkit.core.settings import PoolSettings
from poolkit.core.statistics import PoolReport, PoolStats, SceneReport
from poolkit.core.system import PoolingSystem, PrefabPoolingSystem, pools

__all__ = [
    "EXCEED",
    "CapacityPlans",
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
    "UseAfterDespawnError",
    "pools",
]
