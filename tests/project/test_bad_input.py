"""What each call refuses, and how it says so: nothing is changed by it, and no pool is touched."""

from __future__ import annotations

import copy
import functools
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pygame
import pymunk
import pytest

import poolkit
from physics_kit import Ball
from poolkit import (
    IPoolableComponent,
    NotManagedError,
    PooledGroup,
    PooledSprite,
    PoolError,
    PoolingSystem,
    Prefab,
    PrefabError,
    RecycleLowest,
    RecycleOldest,
    Refuse,
)
from poolkit.physics import PhysicsWorld, RigidBody
from poolkit.scenes import Scene, SceneManager
from poolkit.sprites import rotation_cache
from recorder import Recorder, assert_counts

if TYPE_CHECKING:
    from collections.abc import Callable

api: Any = poolkit  # most of this is what a type checker refuses already
settings: Any = poolkit.PoolSettings
rigid_body: Any = RigidBody
forget: Any = rotation_cache.forget
NAN, INFINITE, HUGE = math.nan, math.inf, 10**400
IMAGE = pygame.Surface((4, 4))


class Arrow(Recorder):
    """Needs to be told how fast it is."""

    def spawned(self, velocity: object, target: object = None) -> None:  # type: ignore[override]
        self.seen = velocity, target


class Narrow(IPoolableComponent):
    """Takes no attributes."""

    __slots__ = ()


def component(**members: Any) -> Any:
    """Return a class of components."""
    return type("Made", (IPoolableComponent,), members)


def forgets() -> None:
    """Return nothing."""


def turned() -> Any:
    """Return a sprite that shows an image of the cache."""
    sprite = PooledSprite(IMAGE)
    sprite.rotation = 45
    return sprite


class Place:
    """Where the calls are tried: two of each prefab at rest, and some that live."""

    def __init__(self) -> None:
        self.system: Any = PoolingSystem()
        self.system.configure(reuse="at_once")
        self.world: Any = PhysicsWorld()
        self.orc: Any = Prefab(Recorder, name="orc")
        self.arrow: Any = Prefab(Arrow, name="arrow")
        self.other = Prefab(Recorder)
        for prefab in (self.orc, self.arrow):
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
        self.bat: Any = api.ObjectPool(object)
        self.body: Any = pymunk.Body(1, 1)
        self.stranger: Any = pymunk.Body(1, 1)
        self.elsewhere, self.lost = pymunk.Space(), pymunk.Body(1, 1)
        self.elsewhere.add(self.lost)
        self.scenes: Any = SceneManager(self.system)
        self.plans: Any = api.CapacityPlans(low={}, high={})
        self.pools = self.system.all_pools()

    def figures(self) -> object:
        return [(pool.name, pool.stats) for pool in self.pools]


Row = tuple["Callable[[Place], object]", type[Exception], str]

PREFABS: list[Row] = [
    *(
        (functools.partial(lambda p, call: getattr(p.system, call)(5), call=call), PrefabError, "5")
        for call in ("spawn", "try_spawn", "pool", "prespawn", "register")
    ),
    (lambda p: p.system.spawn(Recorder()), PrefabError, "is no prefab"),
    (lambda p: p.system.spawn_many(("orc",), [(0, 0)]), PrefabError, "is no prefab"),
    (lambda p: p.system.spawn(lambda: p.life), PrefabError, r"make it a Prefab\(\.\.\.\) once"),
    (lambda p: p.system.spawn(functools.partial(Arrow)), PrefabError, r"make it a Prefab"),
    (lambda p: p.system.spawn("ork"), PrefabError, "did you mean 'orc'"),
    (lambda p: p.system.spawn("wyvern"), PrefabError, "known are arrow, orc"),
    (lambda p: p.system.despawn_all("orcs"), PrefabError, "did you mean 'orc'"),
    (lambda _: PoolingSystem().spawn("orc"), PrefabError, "no prefab with a name was registered"),
    (lambda p: p.system.register(Prefab(Arrow, name="orc")), PrefabError, "another .* named 'orc'"),
    (lambda p: p.system.prespawn(Prefab(Arrow, name="orc")), PrefabError, "another .* named 'orc'"),
    (lambda _: api.Prefab(5), PrefabError, "class or function"),
    (lambda p: api.Prefab(p.orc), PrefabError, "prefab already"),
    (lambda _: api.Prefab(Arrow, name=""), PrefabError, "non-empty"),
    (lambda _: api.Prefab(Arrow, name=7), PrefabError, "non-empty"),
    (lambda _: api.Prefab(Arrow, settings={"limit": 1}), TypeError, "PoolSettings"),
    (lambda _: api.Prefab(Arrow, groups=5), TypeError, "groups"),
    (lambda p: p.orc.variant(limit=3), TypeError, "a prefab has no 'limit'"),
    (lambda p: setattr(p.orc, "name", "ork"), AttributeError, r"variant\(name="),
    (lambda p: delattr(p.orc, "name"), AttributeError, "immutable"),
    (lambda _: api.PrefabPoolingSystem(), TypeError, "static"),
    (lambda p: p.system.spawn(forgets), PrefabError, "factory of forgets returned None"),
    (
        lambda p: p.system.spawn(Prefab(lambda: p.life, name="same")),
        PrefabError,
        "#0001 is already",
    ),
    (lambda p: p.system.spawn(Narrow), PoolError, "add '_pool_data' to its __slots__"),
    (lambda p: p.system.spawn(p.orc, groups=[PooledGroup()]), PoolError, "only sprites"),
    (lambda p: p.system.spawn(Prefab(Recorder, groups=[PooledGroup()])), PrefabError, "only sprit"),
    (lambda p: p.system.spawn(PooledSprite, groups=[5]), TypeError, "PooledSprite can't join"),
    (lambda p: p.system.spawn(PooledSprite, groups=[None]), TypeError, "PooledSprite can't join"),
    (
        lambda p: p.system.spawn(api.Prefab(PooledSprite, name="imp", groups=forgets)),
        TypeError,
        "the groups function of imp returned None",
    ),
    (
        lambda p: p.bat.get() and api.ObjectPool(PooledSprite).get(),
        PrefabError,
        "spawn a Prefab of",
    ),
]

SETTINGS: list[Row] = [
    (lambda _: settings(prespawn=-1), ValueError, "prespawn"),
    (lambda _: settings(prespawn=1.5), TypeError, "whole number"),
    (lambda _: settings(prespawn=True), TypeError, "whole number"),
    (lambda _: settings(limit=-1), ValueError, "limit"),
    (lambda _: settings(max_idle=-1), ValueError, "max_idle"),
    (lambda _: settings(max_idle="2"), TypeError, "max_idle"),
    (lambda _: settings(prespawn=3, max_idle=2), ValueError, "more than max_idle"),
    (lambda _: settings(prespawn=3, limit=2), ValueError, "more than limit"),
    (lambda _: settings(prespawn_per_update=0), ValueError, "prespawn_per_update"),
    (lambda _: settings(prespawn_delay=-1), ValueError, "prespawn_delay"),
    (lambda _: settings(grow_by=0), ValueError, "grow_by"),
    (lambda _: settings(order="random"), ValueError, "fifo"),
    (lambda _: settings(order=[]), TypeError, r"the text 'fifo' or 'lifo', not \[\]"),
    (lambda _: settings(overflow="refuse"), TypeError, "policy"),
    (lambda _: settings(overflow=RecycleOldest), TypeError, "not the class RecycleOldest: .*()"),
    (lambda _: settings(overflow=type("Mine", (Refuse,), {})), TypeError, "not the class Mine"),
    (lambda _: settings(overflow=type("Odd", (), {"choose_victim": 5})()), TypeError, "a policy"),
    (lambda _: api.RecycleLowest(5), TypeError, "key must be a function, not 5"),
    (lambda _: settings(trim_after=0), ValueError, "trim_after"),
    (lambda _: settings(trim_after=NAN), ValueError, "trim_after"),
    (lambda _: settings(trim_after="x"), TypeError, "trim_after must be a number.*not 'x'"),
    (lambda _: settings(trim_after=True), TypeError, "trim_after must be a number.*not True"),
    (lambda _: settings(trim_after=1j), TypeError, "trim_after must be a number"),
    (lambda _: settings(budget=300), TypeError, "Budget"),
    (lambda _: api.Budget(-1), ValueError, "limit of a Budget"),
    (lambda _: api.Budget(2.5), TypeError, "Budget"),
    (lambda p: setattr(p.pool, "settings", None), TypeError, "PoolSettings"),
    (lambda p: p.system.configure(reuse="later"), ValueError, "at_once"),
    (lambda _: api.CapacityPlans(low={5: settings()}), TypeError, "'low' mentions .*is no prefab"),
    (lambda p: api.CapacityPlans(low={p.orc: 20}), TypeError, "plan 'low' gives"),
    (lambda _: api.CapacityPlans(low=[5]), TypeError, "plan 'low' must map prefabs"),
    (lambda p: p.plans.apply("hihg", p.system), PoolError, r"no .*'hihg': did you mean 'high'\?"),
    (lambda p: p.plans.apply(5, p.system), TypeError, "applied by its name, a text, not"),
    (lambda p: api.CapacityPlans().apply("low", p.system), PoolError, "'low': there are none"),
    *(
        (lambda _, name=name: api.ObjectPool(Arrow, **{name: "x"}), TypeError, f"{name} must be")
        for name in ("activate", "deactivate", "reactivate", "destroy")
    ),
    (lambda _: api.ObjectPool(None), TypeError, "create must be a function"),
    (lambda p: p.bat.release_lowest(1), PoolError, "has no priorities"),
    (lambda p: p.pool.update_priority(p.life), PoolError, "no active instance of orc"),
    (
        lambda p: p.system.pool(p.other).update_priority(p.life),
        PoolError,
        "Recorder has no priorities.*RecycleLowest",
    ),
    (lambda p: p.pool.on_spawn(None), TypeError, "listener"),
]

SPAWNS: list[Row] = [
    (lambda p: p.system.spawn(p.arrow, velocty=1), TypeError, "(?s)arrow.*did you mean 'velocity'"),
    (lambda p: p.system.spawn(p.arrow, x=1), TypeError, "target, velocity"),
    (
        lambda p: p.system.spawn_many(p.arrow, [(0, 0)] * 2, velocity=0, tagret=None),
        TypeError,
        "did you mean 'target'",
    ),
    (lambda p: p.system.try_spawn(p.arrow, nonsense=1), TypeError, "nonsense"),
    (lambda p: p.system.spawn(p.orc, color="green"), TypeError, "they name none"),
    (lambda p: p.system.spawn(p.arrow), TypeError, "needs velocity=.*Arrow.spawned requires it"),
    (lambda p: p.system.spawn(p.arrow, target=None), TypeError, "needs velocity="),
    (lambda p: p.system.adopt(Arrow, Arrow()), TypeError, "needs velocity="),
    (
        lambda p: p.system.spawn(component(spawned=lambda _, position, /: position)),
        PoolError,
        "by position only",
    ),
    (
        lambda p: p.system.spawn(component(despawned=lambda _, killer: killer)),
        PoolError,
        "despawned hooks are given reason alone",
    ),
    (lambda p: p.system.spawn(p.orc, parent=p.dead), PoolError, "whose life is over"),
    (lambda p: p.system.try_spawn(p.orc, parent=p.dead), PoolError, "whose life is over"),
    (lambda p: p.system.spawn(p.orc, parent=object()), NotManagedError, "object"),
    (
        lambda p: p.system.spawn(p.orc, parent=PoolingSystem().spawn(PooledSprite)),
        NotManagedError,
        "another pooling system",
    ),
    (lambda p: p.system.prewarm({p.orc: -1}), ValueError, "."),
    (lambda p: p.system.prewarm({p.orc: "3"}), TypeError, "."),
    (lambda p: p.system.prewarm({"ork": 1}), PrefabError, "did you mean"),
    (lambda p: p.system.prewarm({p.orc: 1}, budget_ms=-1), ValueError, "."),
    (lambda p: p.system.prewarm({p.orc: 1}, budget_ms=NAN), ValueError, "."),
    (lambda p: p.system.prespawn(p.orc, -1), ValueError, "."),
    (lambda p: p.system.prespawn(p.orc, 1.5), TypeError, "."),
    (lambda p: p.pool.increase_capacity("3"), TypeError, "."),
    (lambda p: p.pool.decrease_capacity(-1), ValueError, "0 or more"),
    (lambda p: p.pool.trim(1.5), TypeError, "."),
    (lambda p: p.system.adopt(p.orc, p.life), PrefabError, "is Recorder #0001 already"),
    (
        lambda p: p.system.adopt(p.orc, p.gone),
        PrefabError,
        "destroyed by now",
    ),
    (lambda p: p.system.adopt(p.orc, None), PrefabError, "None can't be adopted"),
    (
        lambda p: p.system.adopt(PooledSprite, PoolingSystem().spawn(PooledSprite)),
        PrefabError,
        "already",
    ),
]

LIVES: list[Row] = [
    *(
        (functools.partial(lambda p, call: getattr(p.system, call)([]), call=call), error, ".")
        for call in ("despawn", "discard", "handle", "scope", "detach")
        for error in [NotManagedError]
    ),
    (lambda p: p.system.despawn(None), NotManagedError, "None is no instance"),
    (lambda p: p.system.despawn(PooledSprite()), NotManagedError, "adopt"),
    (lambda p: p.pool.despawn(p.life), NotManagedError, "Recorder #0001 is of another pool than"),
    (
        lambda p: p.system.despawn(PoolingSystem().spawn(PooledSprite)),
        NotManagedError,
        "another pooling system",
    ),
    (lambda p: p.system.detach(p.dead), PoolError, "not active"),
    (lambda p: p.system.despawn_after(p.dead, 1), PoolError, "not alive"),
    (lambda p: p.system.despawn_after(p.life, -1), ValueError, "."),
    (lambda p: p.system.despawn_after(p.life, NAN), ValueError, "."),
    (lambda p: p.system.despawn_after(p.life, INFINITE), ValueError, "."),
    (lambda p: p.system.despawn_after(p.life, "1"), TypeError, "."),
    (lambda p: p.system.update(-0.1), ValueError, "update"),
    (lambda p: p.system.update(NAN), ValueError, "update"),
    (lambda p: p.system.update(INFINITE), ValueError, "update"),
    (lambda p: p.system.update(None), TypeError, "update"),
    (lambda p: p.scope.after(-1, print), ValueError, "."),
    (lambda p: p.scope.after("1", print), TypeError, "."),
    (lambda p: p.scope.after(1, None), TypeError, "."),
    (lambda p: p.scope.every(0, print), ValueError, "."),
    (lambda p: p.scope.every(NAN, print), ValueError, "."),
    (lambda p: p.scope.every(1, 5), TypeError, "."),
    (lambda p: p.scope.callback(None), TypeError, "."),
    (lambda p: p.scope.start(lambda: None), TypeError, "."),
    (lambda p: p.scope.connect(object(), print), AttributeError, "."),
]

SPRITES: list[Row] = [
    (lambda _: type("Wrong", (PooledSprite,), {"anchor": "middle"}), PrefabError, "'.*midbottom"),
    *(
        (
            lambda _, steps=steps: type("Wrong", (PooledSprite,), {"rotation_steps": steps}),
            PrefabError,
            "Wrong.rotation_steps is .* None to turn exactly",
        )
        for steps in (0, -8, 2.5, True, "many")
    ),
    (lambda _: api.PooledSprite(3), TypeError, r"first argument of .* is its image \(or None\)"),
    (lambda _: api.PooledSprite("orc.png"), TypeError, "first argument of PooledSprite"),
    (
        lambda p: p.system.spawn(type("Fixed", (PooledSprite,), {"image": property(repr)})),
        PrefabError,
        "is a property without a setter",
    ),
    (
        lambda p: p.system.spawn(type("Fixed", (PooledSprite,), {"rect": property(repr)})),
        PrefabError,
        "is a property without a setter",
    ),
    (lambda p: p.tank.layer, AttributeError, "no layer"),
    (
        lambda p: setattr(p.sprite, "layer", 3),
        AttributeError,
        "change_la",
    ),
    (lambda p: PooledGroup(p.tank).change_layer(p.tank, 3), PoolError, "make it with layers=True"),
    (lambda p: PooledGroup(layers=True).change_layer(p.tank, 3), LookupError, "is not in <Pooled"),
    (lambda _: api.PooledGroup(layers="y"), TypeError, "layers must be True, False or a function"),
    (lambda _: api.PooledGroup(layers=[0]), TypeError, "layers must be True, False or a function"),
    (lambda p: p.tank.add_child(pygame.sprite.Sprite(), (0, 0)), TypeError, "only a PooledSprite"),
    (lambda p: p.tank.add_child(p.tank, (0, 0)), PrefabError, "child of itself"),
    (lambda p: p.part.add_child(p.tank, (0, 0)), PrefabError, "of its own child"),
    (lambda p: PooledSprite().add_child(p.part, (0, 0)), PrefabError, "has a parent or a pool alr"),
    (lambda p: p.tank.add_child(p.sprite, (0, 0)), PrefabError, "spawn an instance with parent="),
    (lambda p: p.tank.remove_child(p.sprite), LookupError, "no child of"),
    (lambda p: p.sprite.add_component(Arrow), TypeError, r"Arrow\(\.\.\.\)"),
    (lambda p: p.sprite.add_component(PooledSprite()), TypeError, "add_child"),
    (lambda p: p.sprite.add_component(Narrow()), PrefabError, "add 'sprite' to its __slots__"),
    (lambda p: p.sprite.add_component(Arrow()), TypeError, "velocity"),
    (lambda p: p.sprite.remove_component(Arrow()), LookupError, "not attached"),
    (lambda p: p.sprite.get_component(Arrow), LookupError, "it has none"),
    (lambda p: p.part.handle(), NotManagedError, "spawn it, or adopt it"),
    (lambda p: p.part.scope, PoolError, "managed by no pool"),
    (lambda _: Recorder().sprite, AttributeError, "attached to no sprite"),
    (lambda p: copy.copy(p.sprite), TypeError, r"can't be copied or pickled: spawn"),
    (lambda p: copy.deepcopy(p.tank), TypeError, r"can't be copied or pickled: spawn"),
    (lambda p: pickle.dumps(p.sprite), TypeError, r"can't be copied or pickled: spawn"),
    (lambda p: setattr(p.sprite, "rotation", NAN), ValueError, "rotation of <.*> must be finite"),
    (lambda p: setattr(p.sprite, "rotation", INFINITE), ValueError, "must be finite, not inf"),
    (lambda p: setattr(p.sprite, "rotation", HUGE), ValueError, "must be finite, not"),
    (lambda p: setattr(p.sprite, "rotation", Decimal("NaN")), ValueError, "must be finite, not"),
    (lambda p: setattr(p.sprite, "rotation", "90"), TypeError, "must be a number of degrees, not"),
    (lambda p: setattr(p.sprite, "rotation", 1j), TypeError, "must be a number of degrees, not"),
    (lambda _: rotation_cache.forget(turned().image), ValueError, "turned image, which sprites sh"),
    (lambda _: forget("arrow"), TypeError, "that was drawn into, not 'arrow'"),
    (lambda _: setattr(rotation_cache, "limit", -1), ValueError, "limit must be"),
    (lambda _: setattr(rotation_cache, "limit", 1.5), TypeError, "limit must be"),
]

PHYSICS: list[Row] = [
    *((lambda p, dt=dt: p.world.step(dt), ValueError, "step") for dt in (NAN, INFINITE, -0.1)),
    (lambda p: p.world.step("soon"), TypeError, "seconds"),
    (lambda _: PhysicsWorld(timestep=0), ValueError, "timestep"),
    (lambda _: PhysicsWorld(timestep=NAN), ValueError, "timestep"),
    (lambda p: PhysicsWorld(p.world.space), PoolError, "has a PhysicsWorld already"),
    (lambda p: type(p.world)((0, 900)), TypeError, "gravity is given by name"),
    (lambda p: p.world.sprite_of(p.sprite), TypeError, "takes a shape or a body"),
    (lambda p: rigid_body(p.world.space, p.body), TypeError, "PhysicsWorld first"),
    (lambda p: rigid_body(p.world, pymunk.Circle(p.body, 1)), TypeError, "the body that the spri"),
    (lambda p: rigid_body(p.world, p.body, "circle"), TypeError, "bodies, shapes and joints"),
    (lambda p: rigid_body(p.world, p.body, pymunk.Circle(p.stranger, 1)), PrefabError, "hangs on"),
    (
        lambda p: rigid_body(p.world, p.body, pymunk.PinJoint(p.stranger, pymunk.Body(1, 1))),
        PrefabError,
        "holds none",
    ),
    (
        lambda p: rigid_body(p.world, p.lost),
        PrefabError,
        "another world",
    ),
    (
        lambda p: rigid_body(p.world, p.world.space.static_body),
        PrefabError,
        r"pymunk\.Body\.STATIC",
    ),
    (lambda p: rigid_body(p.world, p.body, p.world.space.static_body), PrefabError, "static_body"),
    (
        lambda p: p.tank.add_component(RigidBody(p.world, p.body)) and RigidBody(p.world, p.body),
        PrefabError,
        "belongs to <PooledSprite",
    ),
    (
        lambda p: [RigidBody(p.world, p.body, p.stranger), RigidBody(p.world, p.stranger)],
        PrefabError,
        r"belongs to <RigidBody\(bodies=2",
    ),
    *(
        (lambda p, kinds=kinds: p.world.on_contact(*kinds, print), TypeError, "two classes of Poo")
        for kinds in [(int, Ball), (Ball, int), (Ball, "Ball")]
    ),
    (lambda p: p.world.on_contact(Ball, Ball, 3), TypeError, "a function of two sprites"),
    *(
        (
            lambda p, place=place: Ball(p.world).rigid._move_to(*place),
            ValueError,
            "finite numbers",
        )
        for place in [(NAN, 0, 0), (0, INFINITE, 0), (0, 0, NAN)]
    ),
]

SCENES: list[Row] = [
    *(
        (
            functools.partial(
                lambda p, how, what: getattr(p.scenes, how)(what), how=how, what=what
            ),
            TypeError,
            rf"make one, as in {how}\(Level\(\)\)",
        )
        for how in ("load", "push", "loading")
        for what in (Scene, None)
    ),
    *(
        (
            functools.partial(lambda p, how: getattr(p.scenes, how)(pit()), how=how),
            TypeError,
            "the prewarm of the pit must be a mapping",
        )
        for how in ["push"]
    ),
    (lambda p: p.scenes.pop(), PoolError, "no scene pushed"),
]


def pit() -> Any:
    scene: Any = Scene()
    scene.name, scene.prewarm = "the pit", lambda: [Arrow]
    return scene


ROWS = [*PREFABS, *SETTINGS, *SPAWNS, *LIVES, *SPRITES, *PHYSICS, *SCENES]


@pytest.mark.parametrize(("call", "error", "says"), ROWS)
def test_bad_input_is_refused_with_its_name_and_changes_nothing(
    call: Callable[[Place], object], error: type[Exception], says: str
) -> None:
    place = Place()
    before = place.figures()
    with pytest.raises(error, match=says):
        call(place)
    assert place.figures() == before
    assert_counts(place.system)


PLACES: list[tuple[Any, type[Exception], str]] = [
    ((NAN, 0), ValueError, "finite"),
    ((0, INFINITE), ValueError, "finite"),
    ((1, 2, 3), ValueError, "two numbers"),
    ((1,), ValueError, "two numbers"),
    ((), ValueError, "two numbers"),
    (5, TypeError, "two numbers"),
    (None, TypeError, "two numbers"),
    (("a", "b"), TypeError, "two numbers"),
    ("abc", ValueError, "two numbers"),
    ((None, 0), TypeError, "two numbers"),
    ((HUGE, 0), TypeError, "two numbers"),
    ((1j, 0), TypeError, "two numbers"),
]
TURNS: list[tuple[Any, type[Exception]]] = [
    *((degrees, ValueError) for degrees in (NAN, -INFINITE)),
    *((degrees, TypeError) for degrees in ("90", None, 1j, HUGE)),
]


@pytest.mark.parametrize("prepared", [0, 2])
def test_12_14_bad_input_a_place_or_a_turn_that_is_none_leaves_the_pool_untouched(
    system: PoolingSystem, prepared: int
) -> None:
    pool = system.pool(Recorder)
    pool.prespawn(prepared)
    before = pool.stats
    anything: Any = system
    for place, error, says in PLACES:
        for call in (anything.spawn, anything.try_spawn, pool.spawn):
            arguments = (place,) if call == pool.spawn else (Recorder, place)
            with pytest.raises(error, match=says):
                call(*arguments)
        with pytest.raises(error, match=says):
            system.spawn_many(Recorder, [(0, 0), place])
    for degrees, error in TURNS:
        with pytest.raises(error):
            anything.spawn(Recorder, (0, 0), degrees)
    assert pool.stats == before


@pytest.mark.parametrize("number", [Decimal("2.5"), Fraction(5, 2), 2, True])
def test_12_14_numbers_of_any_kind_place_and_turn_an_instance(
    system: PoolingSystem, number: Any
) -> None:
    prefab = Prefab(lambda: PooledSprite(IMAGE))
    system.prespawn(prefab, 1)
    sprite = system.spawn(prefab, (number, number), number)
    assert sprite.position == (float(number), float(number))
    assert sprite.rotation == float(number)
    assert system.pool(prefab).stats.created == 1


@pytest.mark.parametrize("kind", ["stranger", "dead", "another pool's", "not reclaimable"])
def test_bad_input_a_policy_that_chooses_what_it_may_not_is_told_so(
    system: PoolingSystem, kind: str
) -> None:
    class Wrong:
        victim: Any = None

        def choose_victim(self, pool: Any) -> Any:
            del pool
            return self.victim

    wrong: Any = Wrong()
    prefab = Prefab(Recorder, name="bat", settings=settings(limit=1, overflow=wrong))
    life = system.spawn(prefab, reclaimable=kind != "not reclaimable")
    other = system.spawn(Recorder)
    wrong.victim = {"stranger": Recorder(), "not reclaimable": life}.get(kind, other)
    if kind == "dead":
        system.despawn(other)
    with pytest.raises(PoolError, match=r"Wrong object.* chose .*choose from pool\.reclaimable"):
        system.spawn(prefab)
    assert system.pool(prefab).active_count == 1
    assert system.is_spawned(life)


def test_bad_input_keys_that_raise_or_cannot_be_compared_leave_the_counts_right(
    system: PoolingSystem,
) -> None:
    keys: list[Any] = [1, "two", 3]
    bats: list[Any] = []
    overflow = RecycleLowest(lambda bat: keys[bats.index(bat)])
    bat = Prefab(object, name="bat", settings=settings(limit=3, overflow=overflow))
    bats += system.spawn_many(bat, [(0, 0)] * 3)
    for _ in range(2):
        with pytest.raises(PoolError, match="can't be compared"):
            system.spawn(bat)
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


NO_REPORTS: list[tuple[Callable[[Any], object], str]] = [
    (lambda found: found.clear(), "this is no poolkit scene report"),
    (lambda found: found.update(version=0), "this report has version 0, and only 1 can be"),
    (lambda found: found.update(pools={}), r"\$\.pools must be a list, not \{\}"),
    (lambda found: found["pools"].append(5), r"\$\.pools\[1\] must be an object, not 5"),
    (lambda found: found["pools"][0].pop("name"), r"\$\.pools\[0\]\.name is missing"),
    (lambda found: found["pools"][0].update(x=1), r"\$\.pools\[0\]\.x is not known"),
    (
        lambda found: found["pools"][0]["stats"].update(late="two"),
        r"\$\.pools\[0\]\.stats\.late must be a whole number, not 'two'",
    ),
    (lambda found: found.update(seconds=True), r"\$\.seconds must be a number, not True"),
    (lambda found: found["pools"][0].update(stats=[]), r"\.stats must be an object, not \[\]"),
]


@pytest.mark.parametrize(("change", "message"), NO_REPORTS)
def test_bad_input_json_that_is_no_report(
    system: PoolingSystem, change: Callable[[Any], object], message: str
) -> None:
    system.spawn(Recorder)
    found = json.loads(system.report().to_json())
    change(found)
    with pytest.raises(PoolError, match=message):
        poolkit.SceneReport.from_json(json.dumps(found))
    with pytest.raises(PoolError, match="this is no"):
        poolkit.SceneReport.from_json("{")
