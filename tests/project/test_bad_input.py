"""What each call refuses, and how it says so: nothing is changed by it, and no pool is touched."""

from __future__ import annotations

import math
from copy import copy, deepcopy
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pickle import dumps
from typing import TYPE_CHECKING, Any, cast

import pygame
import pymunk
import pytest

import poolkit
from physics_kit import Ball
from poolkit import (
    IPoolableComponent,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    PoolSettings,
    Prefab,
    RecycleLowest,
    devtools,
    rotation_cache,
)
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.scenes import Scene, SceneManager
from recorder import Recorder, assert_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

NAN, INFINITE, HUGE = math.nan, math.inf, 10**400
IMAGE = pygame.Surface((4, 4))
pygame.font.init()
FONT = pygame.font.Font(None, 12)


class Arrow(Recorder):
    """Needs to be told how fast it is."""

    def spawned(self, velocity: object, target: object = None) -> None:  # type: ignore[override]
        self.seen = velocity, target


class Narrow(IPoolableComponent):
    """Takes no attributes."""

    __slots__ = ()


class Fails(IPoolableComponent):
    """Fails where a life begins."""

    def spawned(self, error: object) -> None:
        raise ValueError(error)


class Pit(Scene):
    """Has a list where a mapping belongs."""

    prewarm: Any = (Arrow,)


class Half:
    """Begins as a scene does, and nothing more."""

    enter = update = draw = print


def component(**members: Any) -> Any:
    """Return a class of components."""
    return type("Made", (IPoolableComponent,), members)


class Anchored(PooledSprite):
    """Has another anchor than its class."""

    def __init__(self) -> None:
        super().__init__(IMAGE)
        self.anchor = "midbottom"  # type: ignore[misc]


def fixed(name: str) -> Any:
    """Return a class of sprites that can't be given this."""
    return type("Fixed", (PooledSprite,), {name: property(repr)})


def waits(_: object) -> Iterator[float]:
    """Wait for a second."""
    yield 1.0


def forgets() -> None:
    """Return nothing."""


class Place:
    """Where the calls are tried: two of each prefab at rest, and some that live."""

    def __init__(self) -> None:
        self.system: Any = PoolingSystem()
        self.system.configure(reuse="at_once")
        self.elsewhere = PoolingSystem()
        self.world: Any = PhysicsWorld()
        self.orc: Any = Prefab(Recorder, name="orc")
        self.arrow: Any = Prefab(Arrow, name="arrow")
        self.other = Prefab(Recorder)
        self.homeless = Prefab(PooledSprite, groups=cast("Any", forgets))
        for prefab in (self.orc, self.arrow, self.homeless):
            self.system.prespawn(prefab, 2)
        self.life: Any = self.system.spawn(self.other)
        self.dead: Any = self.system.spawn(Prefab(Recorder))
        self.system.despawn(self.dead)
        self.gone: Any = self.system.spawn(Recorder)
        self.system.discard(self.gone)
        self.sprite: Any = self.system.spawn(PooledSprite)
        self.group = PooledGroup(self.sprite)
        self.system.prespawn(PooledSprite, 1)
        self.part: Any = PooledSprite(IMAGE)
        self.tank: Any = PooledSprite(IMAGE)
        self.tank.add_child(self.part, (0, 0))
        self.scope: Any = self.system.scope(self.life)
        self.pool: Any = self.system.pool(self.orc)
        self.bat: Any = poolkit.ObjectPool(object)
        self.body, self.stranger, self.lost = (pymunk.Body(1, 1) for _ in range(3))
        self.joint = pymunk.PinJoint(self.body, self.stranger)
        self.space = pymunk.Space()
        self.space.add(self.lost)
        self.scenes: Any = SceneManager(self.system)
        self.plans: Any = poolkit.SettingsPresets(low={}, high={})
        self.pools = self.system.all_pools()

    def figures(self) -> object:
        pools = self.system.all_pools()
        return [(pool.name, pool.stats) for pool in pools if pool in self.pools or pool.capacity]


# In a line: calls, each in a place of its own; what they raise; how it says so.
REFUSED = r"""
system.spawn(5) ; system.try_spawn(5) ; system.pool(5) ; system.prespawn(5) | PrefabError | 5
system.register(5) | PrefabError | 5
system.spawn(Recorder()) ; system.spawn_many(('orc',), [(0, 0)]) | PrefabError | isn't a prefab
system.spawn(lambda: life) ; system.spawn(partial(Arrow)) | PrefabError | make it a Prefab.* once
system.spawn('ork') ; system.despawn_all('orcs') | PrefabError | did you mean 'orc'
system.spawn(orc, pos=(1, 2)) ; system.spawn(orc, xy=(1, 2)) | TypeError | mean 'position'
system.spawn(orc, at=(1, 2)) ; system.spawn_many(orc, [(0, 0)], pos=1) | TypeError | mean 'position'
system.spawn(arrow, angle=90) | TypeError | mean 'rotation'
sprite.active = False | AttributeError | PooledSprite.active can't be set .* call kill\(\)
system.spawn('wyvern') | PrefabError | known are arrow, orc
elsewhere.spawn('orc') | PrefabError | no prefab with a name was registered
Prefab(5) ; Prefab(orc) | PrefabError | class or function
Prefab(Arrow, name='') ; Prefab(Arrow, name=7) | PrefabError | non-empty
Prefab(Arrow, settings={'limit': 1}) | TypeError | PoolSettings
Prefab(Arrow, groups=5) | TypeError | groups
orc.variant(limit=3) | TypeError | unexpected keyword argument 'limit'
orc.name = 'ork' | AttributeError | cannot assign to field .name
del orc.name | AttributeError | cannot delete field
PrefabPoolingSystem() | TypeError | not callable
system.spawn(forgets) | PrefabError | factory of forgets returned None
system.spawn(Prefab(lambda: life, name='same')) | PrefabError | #0001 is already
system.spawn(Narrow) | PoolError | add '_pool_record' to its __slots__
system.spawn(orc, groups=[group]) | PoolError | only sprites
system.spawn(Prefab(Recorder, groups=[group])) | PrefabError | only sprites
system.spawn(PooledSprite, groups=[5]) | TypeError | PooledSprite can't join 5, which isn't a group
system.spawn(PooledSprite, groups=[PooledGroup]) | TypeError | PooledSprite can't join
system.spawn(PooledSprite, groups=[sprite]) | TypeError | PooledSprite can't join
system.spawn(homeless) | TypeError | join None, which isn't a group
bat.get() and ObjectPool(PooledSprite).get() | PrefabError | spawn a Prefab of

settings(prespawn=-1) | ValueError | prespawn
settings(prespawn=1.5) ; settings(prespawn=True) | TypeError | whole number
settings(limit=-1) | ValueError | limit
settings(max_idle=-1) | ValueError | max_idle
settings(max_idle='2') | TypeError | max_idle
settings(prespawn=3, max_idle=2) | ValueError | more than max_idle
settings(prespawn=3, limit=2) | ValueError | more than limit
settings(prespawn_per_update=0) ; settings(prespawn_per_update=NAN) | ValueError | above 0 and
settings(prespawn_per_update=INFINITE) | ValueError | above 0 and finite
settings(prespawn_per_update='2') ; settings(prespawn_per_update=True) | TypeError | per_update
settings(prespawn_delay=-1) | ValueError | prespawn_delay
settings(grow_by=0) | ValueError | grow_by
settings(order='random') ; settings(order=[]) | ValueError | 'fifo' or 'lifo', not
settings(overflow='refuse') | TypeError | policy
settings(overflow=RecycleOldest) | TypeError | such as Refuse\(\), not <class
RecycleLowest(5) | TypeError | key must be a function, not 5
settings(trim_after=0) ; settings(trim_after=NAN) | ValueError | trim_after
settings(trim_after='x') ; settings(trim_after=1j) | TypeError | trim_after takes a number
settings(budget=300) ; Budget(2.5) | TypeError | Budget
Budget(-1) | ValueError | limit of a Budget
pool.settings = None | TypeError | PoolSettings
system.configure(reuse='later') | ValueError | at_once
SettingsPresets(low={5: settings()}).apply('low', system) | PrefabError | 5 isn't a prefab
SettingsPresets(low={orc: 20}) | TypeError | 'low' must map prefabs
SettingsPresets(low=[5]) | TypeError | 'low' must map prefabs
plans.apply('hihg', system) | PoolError | no .*'hihg': did you mean 'high'\?
plans.apply(5, system) | PoolError | no settings preset named 5: there are low, high
SettingsPresets().apply('low', system) | PoolError | 'low': there are none
ObjectPool(Arrow, activate='x') | TypeError | activate must be
ObjectPool(Arrow, deactivate='x') | TypeError | deactivate must be
ObjectPool(Arrow, reactivate='x') | TypeError | reactivate must be
ObjectPool(Arrow, destroy='x') | TypeError | destroy must be
ObjectPool(None) | TypeError | create must be a function
bat.release_lowest(1) | PoolError | has no priorities
pool.update_priority(life) | PoolError | isn't an active instance of orc
system.pool(other).update_priority(life) | PoolError | Recorder has no priorities.*RecycleLowest
pool.on_spawn(None) ; system.on_spawn(5) ; system.on_despawn(None) | TypeError | listener
bat.discard([]) ; bat.detach([]) | NotManagedError | managed by no pool
bat.detach(bat.get() if bat.release(bat.get()) else bat.inactive[0].instance) | PoolError | detached

system.spawn(arrow, velocty=1) | TypeError | (?s)arrow.*did you mean 'velocity'
system.spawn(arrow, x=1) | TypeError | target, velocity
system.spawn_many(arrow, [(0, 0)] * 2, velocity=0, tagret=1) | TypeError | did you mean 'target'
system.try_spawn(arrow, nonsense=1) | TypeError | nonsense
system.spawn(orc, color='green') | TypeError | they name none
system.spawn(arrow) | TypeError | needs velocity=.*Arrow.spawned requires it
system.spawn(arrow, target=None) ; system.adopt(Arrow, Arrow()) | TypeError | needs velocity=
system.spawn(component(spawned=True)) | PrefabError | Made.spawned is True, but .* something else
system.spawn(component(despawned=waits)) | PrefabError | Made.despawned yields or awaits
system.spawn(component(spawned=lambda: 1)) | PrefabError | (?s)can't be called as a hook .*self
system.spawn(component(spawned=lambda _, groups: _)) | PrefabError | groups.* option of spawn\(\)
system.spawn(component(spawned=lambda _, persistent=1: _)) | PrefabError | another name
system.spawn(component(spawned=lambda _, reclaimable: _), reclaimable=1) | PrefabError | reclaimable
system.spawn(component(despawned=lambda _, by: by)) | PoolError | despawned hooks only get reason
system.spawn(orc, parent=dead) ; system.try_spawn(orc, parent=dead) | PoolError | whose life is over
system.spawn(orc, parent=object()) | NotManagedError | object
system.spawn(orc, parent=elsewhere.spawn(PooledSprite)) | NotManagedError | another pooling system
system.prewarm({orc: -1}) ; system.prewarm({orc: 1}, budget_ms=-1) | ValueError | .
system.prewarm({orc: 1}, budget_ms=NAN) ; system.prespawn(orc, -1) | ValueError | .
system.prewarm({orc: '3'}) ; system.prespawn(orc, 1.5) | TypeError | .
system.prewarm({'ork': 1}) | PrefabError | did you mean
pool.increase_capacity('3') ; pool.trim(1.5) | TypeError | .
pool.decrease_capacity(-1) | ValueError | 0 or more
system.spawn(orc, (NAN, 0)) ; elsewhere.spawn(Recorder, (NAN, 0)) | ValueError | finite
system.spawn_many(orc, [(0, 0), (NAN, 0)]) ; pool.spawn((0, INFINITE)) | ValueError | finite
system.spawn(orc, (1, 2, 3)) ; system.try_spawn(orc, 'abc') | ValueError | two numbers
system.spawn_many(orc, [(0, 0), ()]) ; elsewhere.spawn(Recorder, ()) | ValueError | two numbers
pool.spawn(None) ; system.try_spawn(orc, ('a', 'b')) | TypeError | two numbers
system.spawn_many(orc, [(0, 0), (None, 0)]) ; system.spawn(orc, (1j, 0)) | TypeError | two numbers
system.spawn(orc, (HUGE, 0)) ; elsewhere.spawn(Recorder, (HUGE, 0)) | TypeError | two numbers
system.spawn(orc, (0, 0), NAN) ; pool.spawn((0, 0), -INFINITE) | ValueError | .
system.spawn(orc, (0, 0), '90') ; elsewhere.spawn(Recorder, (0, 0), '90') | TypeError | .
system.spawn(orc, (0, 0), None) ; pool.spawn((0, 0), 1j) ; pool.spawn((0, 0), HUGE) | TypeError | .
system.spawn(orc, map([].__getitem__, [0])) | IndexError | list index
system.adopt(orc, life) | PrefabError | which Recorder #0001 is already
system.adopt(orc, gone) | PrefabError | #0001 is already
system.adopt(orc, None) | PrefabError | adopt.. was given None
system.adopt(orc, Recorder) | PrefabError | given the class Recorder: call it, as in Recorder\(\)
system.spawn(Prefab(lambda: Recorder)) | PrefabError | returned the class Recorder: call it
ObjectPool(lambda: Recorder).get() | PrefabError | returned the class Recorder: call it
system.adopt(PooledSprite, elsewhere.spawn(PooledSprite)) | PrefabError | already

system.despawn([]) ; system.discard([]) ; system.handle([]) | NotManagedError | .
system.scope([]) ; system.detach([]) | NotManagedError | .
system.despawn(system.handle(life)) | NotManagedError | is a handle, .* what its get\(\)
system.spawn(orc, parent=system.handle(life)) | NotManagedError | what its get\(\)
system.on_reset(5) | TypeError | a listener is a function
system.despawn(None) | NotManagedError | None isn't an instance
system.despawn(PooledSprite()) | NotManagedError | adopt
pool.despawn(life) | NotManagedError | Recorder #0001 is of another pool than
system.despawn(elsewhere.spawn(PooledSprite)) | NotManagedError | another pooling system
system.detach(dead) | PoolError | not active
system.despawn_after(dead, 1) | PoolError | not alive
system.despawn_after(life, -1) ; system.despawn_after(life, NAN) | ValueError | .
system.despawn_after(life, INFINITE) | ValueError | .
system.despawn_after(life, '1') | TypeError | .
system.update(-0.1) ; system.update(NAN) ; system.update(INFINITE) | ValueError | update
scope.every(1, print); system.update(1e16) ; system.update(86_401) | ValueError | at most a day
scenes.update(1e16) ; scenes.update(NAN) | ValueError | SceneManager.update
system.update(None) | TypeError | update
scope.after(0, partial(system.update, 0)); system.update(0) | PoolError | call it once a frame
scope.after(-1, print) ; scope.every(0, print) ; scope.every(NAN, print) | ValueError | .
scope.after('1', print) ; scope.after(1, None) ; scope.every(1, 5) | TypeError | .
scope.tween(-1, print) ; scope.tween(NAN, print) | ValueError | tween
scope.tween(1, None) ; scope.tween(1, print, 0.5) ; scope.tween('1', print) | TypeError | tween
scope.callback(None) ; scope.start(lambda: None) | TypeError | .
scope.connect(object(), print) | AttributeError | .

class Wrong(PooledSprite): anchor = 'middle' | PrefabError | '.*midbottom
class Wrong(PooledSprite): rotation_steps = 0 | ValueError | Wrong.rotation_steps must be 1 or more
class Wrong(PooledSprite): rotation_steps = -8 | ValueError | .* not -8
class Wrong(PooledSprite): rotation_steps = 2.5 | TypeError | Wrong.rotation_steps must be a whole
class Wrong(PooledSprite): rotation_steps = True | TypeError | .* whole number
class Wrong(PooledSprite): rotation_steps = 'many' | TypeError | .* whole number
class Wrong(PooledSprite): active = True | PrefabError | Wrong.active = True hides .* another name
class Wrong(PooledSprite): handle = None | PrefabError | Wrong.handle = None hides
system.spawn(Anchored) | PrefabError | anchor belongs in the class Anchored
sprite.position.x += 3 | AttributeError | position \+= \(dx, dy\)
sprite.position = 5 ; sprite.position = None | TypeError | position of <.*> is two numbers
sprite.position * (1, 2) | TypeError | multiply
PooledSprite((10, 10)) ; PooledSprite(group, IMAGE) | TypeError | can't join .*, which isn't a group
PooledSprite(3) ; PooledSprite('orc.png') | TypeError | first argument of .* is its image \(or None
system.spawn(fixed('image')) | AttributeError | has no setter
tank.layer | AttributeError | no layer
sprite.layer = 3 | AttributeError | change_la
PooledGroup(tank).change_layer(tank, 3) | PoolError | make it with layers=True
PooledGroup(layers=True).change_layer(tank, 3) | LookupError | is not in <Pooled
group.near(5) ; group.near((1, 2, 3)) ; group.near((0, 0), 'far') | TypeError | near takes a point
group.near((NAN, 0)) ; group.near((0, 0), -1) ; group.near((0, 0), NAN) | ValueError | near
setattr(sprite, 'offset', (0, 0)) | PoolError | hangs on nothing
setattr(sprite.add_child(PooledSprite(), (0, 0)), 'offset', 5) | TypeError | is two numbers
group.despawn_outside(5) ; group.despawn_outside((1, 2)) | TypeError | rect
tank.add_child(pygame.sprite.Sprite(), (0, 0)) | TypeError | only a PooledSprite
tank.add_child(tank, (0, 0)) | PrefabError | this one as a part
part.add_child(tank, (0, 0)) | PrefabError | this one as a part
PooledSprite().add_child(part, (0, 0)) | PrefabError | is a part of another sprite
tank.add_child(sprite, (0, 0)) | PoolError | is of no pool, so it can't carry <Pooled
sprite.add_child(elsewhere.spawn(PooledSprite), (0, 0)) | NotManagedError | another pooling system
sprite.add_child(sprite, (0, 0)) | PrefabError | can't hang on .* hangs on it
sprite.add_child(system.pool(PooledSprite).inactive[0].instance, (0, 0)) | PoolError | must be alive
system.pool(PooledSprite).inactive[0].instance.add_child(sprite, (0, 0)) | PoolError | must be alive
tank.release_child(sprite) | LookupError | no child of
sprite.add_component(Arrow) | TypeError | Arrow\(\.\.\.\)
sprite.add_component(PooledSprite()) | TypeError | add_child
sprite.add_component(Narrow()) | AttributeError | 'sprite' is read-only
sprite.add_component(Arrow()) | TypeError | velocity
sprite.remove_component(Arrow()) | LookupError | not attached
sprite.get_component(Arrow) | LookupError | it has none
part.handle() | NotManagedError | spawn it, or adopt it
part.scope | PoolError | use self.scope in spawned
Recorder().sprite | AttributeError | isn't attached to a sprite
copy(sprite) ; deepcopy(tank) ; dumps(sprite) | TypeError | can't be copied or pickled: spawn
sprite.rotation = NAN | ValueError | rotation of <.*> must be finite
sprite.rotation = INFINITE | ValueError | must be finite, not inf
sprite.rotation = Decimal('NaN') | ValueError | must be finite, not
sprite.rotation = HUGE | OverflowError | too large
sprite.rotation = '90' ; sprite.rotation = 1j | TypeError | must be a number of degrees, not
rotation_cache.forget('arrow') | TypeError | that was drawn into, not 'arrow'
Animation([], 8) ; Animation(IMAGE, 8) ; Animation([IMAGE, 8], 8) | TypeError | one or more surf
Animation([IMAGE], 0) ; Animation([IMAGE], '8') ; Animation([IMAGE], NAN) | ValueError | above 0
Animation([IMAGE], 8, start=1) ; Animation([IMAGE], 8, start='any') | ValueError | "random" or
TextSprite('arial', 'white') | TypeError | a pygame.font.Font, not 'arial'
TextSprite(FONT, 'wite') ; setattr(TextSprite(FONT, 'red'), 'color', 'rde') | ValueError | color
TextSprite(FONT, 'red', anchor='middle') | PrefabError | is no point of a rect
setattr(TextSprite(FONT, 'red'), 'text', 12) | TypeError | is a str, not 12: write text=str
system.spawn(Prefab(partial(TextSprite, FONT, 'red')), text=12) | TypeError | text=str
Animation([IMAGE], 8, then='die') | TypeError | "kill" or a function to call, not 'die'
sprite.add_component(Animation([IMAGE], 8)).play([], 8) | TypeError | one or more surfaces

world.step(NAN) ; world.step(INFINITE) ; world.step(-0.1) | ValueError | step
world.step('soon') | TypeError | seconds
PhysicsWorld(timestep=0) ; PhysicsWorld(timestep=NAN) | ValueError | timestep
PhysicsWorld(world.space) | PoolError | has a PhysicsWorld already
PhysicsWorld(gravity=900) | TypeError | gravity must be two numbers
PhysicsWorld((0, 900)) | TypeError | pass gravity by name
world.sprite_of(sprite) | TypeError | takes a shape or a body
world.near((NAN, 0), 5) ; world.near((0, INFINITE), 5) | ValueError | near takes finite numbers
world.near((0, 0), NAN) ; world.near((0, 0), INFINITE) ; world.near((0, 0), -1) | ValueError | near
world.near(5, 5) ; world.near((1, 2, 3), 5) ; world.near('12', 5) | TypeError | near takes a point
world.near((0, 0), '5') ; world.near((HUGE, 0), 5) | TypeError | near takes a point
world.near((0, 0), 5, int) ; world.near((0, 0), 5, sprite) | TypeError | class of PooledSprites, not
RigidBody(world.space, body) | TypeError | PhysicsWorld first
RigidBody(world, pymunk.Circle(body, 1)) | TypeError | the body that the sprite
RigidBody(world, body, 'circle') | TypeError | bodies, shapes and joints
RigidBody(world, body, pymunk.Circle(stranger, 1)) | PrefabError | is on no body
RigidBody(world, body, pymunk.PinJoint(stranger, pymunk.Body(1, 1))) | PrefabError | is on no body
RigidBody(world, lost) | PrefabError | another world
RigidBody(world, world.space.static_body) | PrefabError | pymunk\.Body\.STATIC
RigidBody(world, body, world.space.static_body) | PrefabError | static_body
[tank.add_component(RigidBody(world, body)) for _ in 'ab'] | PrefabError | belongs to <PooledSprite
[RigidBody(world, body, *more) for more in ([stranger], [])] | PrefabError | to <RigidBody\(bodies=2
[RigidBody(world, one, joint) for one in (body, stranger)] | PrefabError | this PinJoint belongs to
world.on_contact(int, Ball, print) ; world.on_contact(Ball, int, print) | TypeError | two classes
world.on_contact(Ball, 'Ball', print) | TypeError | two classes of PooledSprite
world.on_contact(Ball, Ball, 3) | TypeError | a function of two sprites
world.remove(sprite) | TypeError | shapes, joints and bodies
Ball(world).rigid._play_handler.move_to(NAN, 0, 0) | ValueError | finite numbers
Ball(world).rigid._play_handler.move_to(0, INFINITE, 0) | ValueError | finite numbers
Ball(world).rigid._play_handler.move_to(0, 0, NAN) | ValueError | finite numbers

scenes.load(Scene) ; scenes.load(None) | TypeError | make one, as in load\(Level\(\)\)
scenes.push(Scene) ; scenes.push(None) | TypeError | make one, as in push\(Level\(\)\)
scenes.loading(Scene) ; scenes.loading(None) | TypeError | make one, as in loading\(Level\(\)\)
scenes.load('level 2') ; scenes.push(sprite) | TypeError | which has no prewarm, enter, .*make one
scenes.loading(Half()) | TypeError | which has no prewarm, exit, handle_event: make one
scenes.push(Pit()) | TypeError | the prewarm of Pit must be a mapping
scenes.pop() | PoolError | no scene pushed

audit(Recorder, 3) | TypeError | live must be a function
audit(Recorder, seconds=-1) | ValueError | 0 or more
audit(Recorder, ignore=' ') ; audit(Recorder, ignore=['health', '']) | ValueError | names or paths
audit(Recorder, ignore=[3]) | ValueError | ignore must be names or paths
audit(3, system=elsewhere) ; audit('orc', system=elsewhere) | PrefabError | .
audit(Recorder, system=system) | PoolError | nothing is alive, and there are 1 of Recorder, 1 of
verdict(5, system=system) | PrefabError | not 5
verdict('nobody', system=system) | PrefabError | no prefab named 'nobody'
verdict(forgets, system=system) | PrefabError | returned None
verdict(Arrow, system=system) | TypeError | needs velocity
verdict(Prefab(Fails, sample_data={'error': 5}), system=system) | ValueError | 5
verdict(Prefab(Fails, sample_data={'error': 5}), data={'error': 6}, system=system) | ValueError | 6
verdict(Recorder, rounds=1) | ValueError | rounds must be 3 or more
Inspector(system=None) ; audit(Recorder, system=0) | TypeError | \) takes a PoolingSystem, not
verdict(Recorder, system=5) | TypeError | \) takes a PoolingSystem, not
record_profile('x', Recorder) ; apply_profile('x', 5) | TypeError | profile\(\) takes a Pooling
unreturned(Recorder) ; unreturned('orc') ; unreturned(life) | TypeError | or an ObjectPool, not
apply_profile('x', margin='0.1') | ValueError | margin must be a share of 0 or more
audit(Recorder, data=5, system=elsewhere) ; verdict(Recorder, data='x') | TypeError | be a mapping
audit(Recorder, ignore=3) | ValueError | ignore must be names or paths
audit(None) ; audit(life) ; verdict(None) | PrefabError | Prefab needs a class or function
Inspector(key='F2') | TypeError | as pygame\.K_F2, not 'F2'
enable_strict(bat) ; disable_strict(bat) ; is_strict('x') | TypeError | mode takes a PoolingSystem
apply_profile('x', margin=-0.1) ; apply_profile('x', margin=NAN) | ValueError | margin must be a
apply_profile('x', margin=INFINITE) | ValueError | margin must be a share of 0 or more
"""


NAMES: dict[str, Any] = {
    **vars(poolkit),
    **vars(devtools),
    **{
        str(named.__name__): named
        for named in (Anchored, Arrow, Fails, Half, Narrow, Pit, component, fixed, forgets, waits)
    },
    **{named.__name__: named for named in (Ball, Decimal, PhysicsWorld, RigidBody, Scene)},
    **{named.__name__: named for named in (copy, deepcopy, dumps, partial, Recorder)},
}
NAMES |= {"pygame": pygame, "pymunk": pymunk, "rotation_cache": rotation_cache}
NAMES |= {
    "settings": PoolSettings,
    "IMAGE": IMAGE,
    "FONT": FONT,
    "NAN": NAN,
    "INFINITE": INFINITE,
    "HUGE": HUGE,
}


def rows(table: str) -> list[tuple[str, ...]]:
    """Return the parts of each line; calls that are told apart by semicolons, one by one."""
    lines = [line.split(" | ") for line in table.splitlines() if line]
    return [(call, *told) for calls, *told in lines for call in calls.split(" ; ")]


@pytest.mark.parametrize(("call", "error", "says"), rows(REFUSED))
def test_bad_input_is_refused_with_its_name_and_changes_nothing(
    call: str, error: str, says: str
) -> None:
    place = Place()
    names = NAMES | vars(place)
    before = place.figures()
    with pytest.raises(eval(error, names), match=says):  # noqa: S307 - a name of the table above
        exec(call, names)  # noqa: S102 - a call of the table above
    assert place.figures() == before
    assert_counts(place.system)


class Plain(pygame.sprite.Sprite):
    """A sprite of pygame's own."""

    def __init__(self) -> None:
        super().__init__()
        self.rect = pygame.FRect(0, 0, 4, 4)


@pytest.mark.parametrize("kind", [PooledSprite, Plain])
@pytest.mark.parametrize("number", [Decimal("2.5"), Fraction(5, 2), 2, True])
def test_numbers_of_any_kind_place_and_turn_an_instance(
    system: PoolingSystem, number: Any, kind: Any
) -> None:
    system.prespawn(kind, 1)
    sprite = system.spawn(kind, (number, number), number)
    assert sprite.rect.center == (float(number), float(number))
    assert kind is Plain or sprite.rotation == float(number)
    assert system.pool(kind).stats.created == 1


def test_bad_input_keys_that_raise_or_cannot_be_compared_leave_the_counts_right(
    system: PoolingSystem,
) -> None:
    keys: list[Any] = [1, "two", 3]
    bats: list[Any] = []
    overflow = RecycleLowest(lambda bat: keys[bats.index(bat)])
    bat = Prefab(object, name="bat", settings=PoolSettings(limit=3, overflow=overflow))
    bats += system.spawn_many(bat, [(0, 0)] * 3)
    for _ in range(2):
        with pytest.raises(TypeError, match="not supported between") as told:
            system.spawn(bat)
        assert "RecycleLowest" in told.value.__notes__[0]
    keys[1] = math.nan
    with pytest.raises(PoolError, match="not a number"):
        system.spawn(bat)
    del keys[2]
    keys[1] = 2
    with pytest.raises(IndexError):
        system.spawn(bat)
    stats = system.pool(bat).stats
    assert (stats.active, stats.created, stats.recycled) == (3, 3, 0)
    keys.append(0)
    assert system.spawn(bat) is bats[2]
