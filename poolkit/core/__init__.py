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
from poolkit.core.prefab import Prefab
from poolkit.core.prefab_pool import PrefabPool
from poolkit.core.prewarm import Progress
from poolkit.core.record import PoolablePrefabData
from poolkit.core.scope import Scope
from poolkit.core.settings import OverflowPolicy, PoolSettings, Refuse
from poolkit.core.statistics import PoolReport, PoolStats, SceneReport
from poolkit.core.system import PoolingSystem, PrefabPoolingSystem, pools

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
