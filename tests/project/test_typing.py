"""The public API as a type checker sees it: this file is as much for mypy as for pytest."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, assert_type

import pygame
import pymunk

import pages
from poolkit import (
    Animation,
    DespawnReason,
    Handle,
    IPoolableComponent,
    ObjectPool,
    PoolablePrefabData,
    PooledGroup,
    PooledSprite,
    PoolingSystem,
    PoolSettings,
    PoolStats,
    Prefab,
    PrefabPool,
    PrefabPoolingSystem,
    Progress,
    SceneReport,
    Scope,
    pools,
)
from poolkit.physics import PhysicsWorld
from poolkit.sprites.position import Position

ROOT = Path(__file__).parents[2]


class Health(IPoolableComponent):
    """Names the spawn data it wants, which the mixin's own signature allows."""

    def __init__(self, maximum: int) -> None:
        self.maximum = self.current = maximum

    def spawned(self, bonus: int = 0) -> None:
        self.current = self.maximum + bonus

    def despawned(self, reason: DespawnReason) -> None:
        self.why = reason


class Armour(IPoolableComponent["Orc"]):
    """Says on which sprite it is."""

    def spawned(self) -> None:
        assert_type(self.sprite, Orc)
        self.sprite.health.current += 2
        self.scope.start(self.rust())

    def rust(self) -> Generator[float | None]:
        yield 2.0
        yield None


class Shield(Armour):
    """Is on the same."""


class Orc(PooledSprite):
    layer = 5

    def __init__(self) -> None:
        super().__init__()
        self.health = self.add_component(Health(30))

    def spawned(self, target: Orc | None = None) -> None:
        self.target = target.handle() if target else None


class Bullet:
    """Neither a sprite nor a component."""


def test_a_component_is_on_the_sprite_that_its_class_names(system: PoolingSystem) -> None:
    assert_type(Armour().sprite if system.all_pools() else None, Orc | None)
    assert_type(Health(3).sprite if system.all_pools() else None, Any | None)
    orc = system.spawn(Orc)
    armour = orc.add_component(Armour())
    assert armour.sprite.health.current == 32
    assert not hasattr(armour, "__orig_class__")
    assert Armour.__mro__[1:] == IPoolableComponent.__mro__
    assert Shield["Orc"] is Shield  # type: ignore[misc]  # nothing is left to say


ANNOTATED = {  # what the README leaves out
    "(self)": "(self) -> None",
    "(self, dt)": "(self, dt: float) -> None",
    "(self, rage=1.0)": "(self, rage: float = 1.0) -> None",
    "calm_down(self) -> None": "calm_down(self) -> Generator[float, None, None]",
}


def test_the_page_on_type_checkers_and_the_readmes_programs_once_annotated_are_right(
    tmp_path: Path,
) -> None:
    (program,) = pages.programs(ROOT / "docs/howto/type-checking.md")
    (tmp_path / "game.py").write_text(program.text, encoding="utf-8")
    readme = "\n".join(block.text for block in pages.programs(ROOT / "README.md"))
    for bare, annotated in ANNOTATED.items():
        readme = readme.replace(f"{bare}:", f"{annotated}:")
    readme = f"from collections.abc import Generator\n{readme}"
    (tmp_path / "readme.py").write_text(readme, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("game.py", "readme.py")]
    command = [sys.executable, "-m", "mypy", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    wrong = program.text.replace("yield None", "yield 'soon'").replace("hits += 2", "hitz += 2")
    (tmp_path / "game.py").write_text(wrong, encoding="utf-8")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.count("error:") == 2, done.stdout


def build_orc() -> Orc:
    return Orc()


def test_spawn_gives_back_what_the_prefab_makes(system: PoolingSystem) -> None:
    orc = Prefab(Orc, name="orc", groups=[PooledGroup()], settings=PoolSettings(prespawn=1))
    assert_type(orc, Prefab[Orc])
    assert_type(system.spawn(orc), Orc)
    assert_type(system.spawn(orc, (1, 2), 90, bonus=3), Orc)
    assert_type(system.spawn(Orc), Orc)
    assert_type(system.spawn(build_orc), Orc)
    assert_type(system.spawn(Bullet, (3.0, 4.0)), Bullet)
    assert_type(system.spawn(Prefab(functools.partial(Orc))), Orc)
    assert_type(system.try_spawn(orc), Orc | None)
    assert_type(system.try_spawn(Orc, rotation=45.0), Orc | None)
    assert_type(system.spawn_many(orc, [(0, 0), (1, 1)]), list[Orc])
    assert_type(system.spawn_many(Bullet, iter([(0.5, 0.5)])), list[Bullet])
    system.spawn("orc").health.current = 3  # what a name makes is anybody's guess


def test_pools_and_prefabs_are_of_what_they_hold(system: PoolingSystem) -> None:
    orc = system.register(Prefab(Orc))
    assert_type(orc, Prefab[Orc])
    assert_type(orc.variant(persistent=True), Prefab[Orc])
    assert_type(orc.factory, Callable[[], Orc])
    pool = system.pool(orc)
    assert_type(pool, PrefabPool[Orc])
    assert_type(system.pool(Bullet), PrefabPool[Bullet])
    assert_type(system.all_pools(), tuple[PrefabPool[Any], ...])
    grunt = pool.spawn((1, 2))
    assert_type(grunt, Orc)
    assert_type(pool.despawn(grunt), bool)
    for instance, data in pool.active.items():
        assert_type(instance, Orc)
        assert_type(data, PoolablePrefabData[Orc])
    assert_type(pool.inactive, tuple[PoolablePrefabData[Orc], ...])
    assert_type(pool.on_spawn(lambda orc: orc.health), Callable[[], None])
    assert_type(pool.stats, PoolStats)
    assert_type(pool.settings, PoolSettings)


def test_an_object_pool_lends_what_it_creates() -> None:
    pool = ObjectPool(Bullet)
    assert_type(pool, ObjectPool[Bullet])
    assert_type(pool.get(), Bullet)
    assert_type(pool.try_get(), Bullet | None)
    with pool.borrow() as bullet:
        assert_type(bullet, Bullet)


def test_handles_scopes_and_components_are_typed(system: PoolingSystem) -> None:
    grunt = system.spawn(Orc)
    assert_type(system.handle(grunt), Handle[Orc])
    assert_type(grunt.handle(), Handle[Orc])
    assert_type(grunt.handle().get(), Orc | None)
    assert_type(grunt.get_component(Health), Health)
    assert_type(grunt.get_components(Health), tuple[Health, ...])
    assert_type(grunt.health, Health)
    assert_type(grunt.scope, Scope)
    assert_type(
        grunt.scope.tween(1, lambda done: done + 1, lambda done: done), Callable[[], object]
    )
    assert_type(grunt.add_component(Animation([pygame.Surface((1, 1))], 8)).done, bool)
    assert_type(grunt.health.scope, Scope)
    assert_type(system.scope(system.spawn(Bullet)), Scope)
    assert_type(grunt.prefab, Prefab[Any] | None)
    assert_type(grunt.system, PoolingSystem | None)
    assert_type(grunt.position, Position)
    assert_type(grunt.position.x, float)
    assert_type(grunt.position.move_towards((1, 2), 3.5), Position)
    assert_type(grunt.position.distance_to(pygame.Vector2(1, 2)), float)
    grunt.position += pygame.Vector2(2, 4) * 0.5
    assert_type(grunt.handle().despawn(), bool)


class Horde(PooledGroup[Orc]):
    """A group of its own kind."""


def test_groups_and_children_are_of_what_they_are(system: PoolingSystem) -> None:
    orcs: PooledGroup[Orc] = PooledGroup(layers=lambda orc: -orc.health.current)
    grunt = system.spawn(Orc, groups=[orcs])
    assert_type(grunt.add_child(PooledSprite(), (0, -4)), PooledSprite)
    assert repr(orcs) == "<PooledGroup(1 sprites)>"
    assert_type(orcs.copy(), PooledGroup[Orc])
    assert_type(Horde(grunt).sprites(), list[Orc])
    assert_type(PooledGroup(), PooledGroup[Any])
    assert_type(orcs.near((0, 0)), list[Orc])
    assert_type(grunt.offset, Position | None)
    for orc in orcs:
        assert_type(orc, Orc)


def test_contacts_and_looked_up_sprites_are_of_the_classes_named() -> None:
    world, struck = PhysicsWorld(), list[Orc]()

    def strike(orc: Orc, other: PooledSprite, arbiter: pymunk.Arbiter) -> bool:
        struck.append(orc)
        return other is not orc and arbiter.is_first_contact

    assert_type(world.on_contact(Orc, PooledSprite, strike), Callable[[], None])
    body = pymunk.Body()
    assert_type(world.sprite_of(body), PooledSprite | None)
    assert_type(world.sprite_of(body, Orc), Orc | None)
    assert_type(world.near((0, 0), 9), list[PooledSprite])
    assert_type(world.near(pygame.Vector2(), 9, Orc), list[Orc])
    assert not struck


def test_everything_else_answers_with_plain_types(system: PoolingSystem) -> None:
    grunt = system.spawn(Orc)
    found = Orc()
    system.adopt(Orc, found)
    assert_type(system.is_spawned(grunt), bool)
    assert_type(system.despawn(grunt), bool)
    assert_type(system.despawn_where(lambda one: one is found, Orc), int)
    assert_type(system.despawn_all(), int)
    assert_type(system.prespawn(Orc, 2), int)
    for progress in system.prewarm({Orc: 3, Prefab(Bullet): 1}):
        assert_type(progress, Progress)
        assert_type(progress.fraction, float)
    assert_type(system.on_reset(lambda: None), Callable[[], None])
    assert_type(system.report(), SceneReport)
    assert_type(system.reset(), SceneReport)
    assert_type(system.dispose(), SceneReport)


def test_the_static_system_is_typed_like_any_other() -> None:
    orc = Prefab(Orc, name="the orc of test_typing")
    grunt = PrefabPoolingSystem.spawn(orc)
    assert_type(grunt, Orc)
    assert_type(pools.handle(grunt), Handle[Orc])
    assert pools.despawn(grunt)
