"""Lives of a prefab as a game without poolkit would write them, to compare with.

The game's own statements run: constructor, hooks, parts. What poolkit does around them doesn't: its
sprites are plain ones of pygame's, and its bodies are added to their space and removed.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import pygame
from pygame.sprite import Sprite

from poolkit.core.ending import Handle, end
from poolkit.core.errors import ErrorCollector
from poolkit.core.hooks import (
    ALL_DATA,
    BUILT_IN_DATA,
    SPAWN_OPTIONS,
    DespawnReason,
    IPoolableComponent,
    each_of,
    plan_of,
)
from poolkit.core.record import ACTIVE, Record
from poolkit.core.seams import constructions, context_of, copiers, fresh, unheard_subclass
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites.components import PlayComponent
from poolkit.sprites.links import NO_LINKS
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.system import PoolingSystem


_new: Any = object.__new__


class _PlainSprite(PooledSprite):
    """Comes between a game's class and `PooledSprite`, of which it needs none of the work."""

    __slots__ = ()

    # What each pooled sprite has for itself is the class's here, so it costs nothing to build.
    _components: Any = ()
    _children: Any = ()
    _play_handlers = _updates = _home_groups = ()
    _links = NO_LINKS
    _link = _turning = _Sprite__g = None
    _is_driven = False

    add, add_internal, kill = Sprite.add, Sprite.add_internal, Sprite.kill

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return _new(cls)

    def __init__(self, image: Any = None, *groups: Any) -> None:
        super(PooledSprite, self).__init__()
        if hasattr(image, "get_frect"):
            self.image, self.rect = image, image.get_frect()
        else:
            groups = groups if image is None else (image, *groups)
            if type(self).image is PooledSprite.image:  # else it is the game's own
                self.image = None
            self.rect = pygame.FRect(0, 0, 0, 0)
        if groups:
            self.add(*groups)

    def add_component(self, component: Any) -> Any:
        if isinstance(component, IPoolableComponent):
            component.sprite = self
        self._components += (component,)
        return component

    def add_child(self, sprite: Any, offset: Any, **_: object) -> Any:
        sprite.rect.center = self.rect.centerx + offset[0], self.rect.centery + offset[1]
        self._children += (sprite,)
        return sprite

    @property
    def children(self) -> Any:
        return self._children

    def _with_parts(self) -> list[Any]:
        return [self, *(part for child in self.children for part in child._with_parts())]

    def _all_parts(self) -> list[Any]:
        parts = (part for child in self.children for part in child._all_parts())
        return [*self._components, *parts, self]

    def handle(self) -> Any:
        return Handle(self._pool_record, 1)  # type: ignore[arg-type]


class _Bare(PooledSprite):
    """What has no class of the game's."""


class _PlainBody:
    """The bodies, shapes and joints of a sprite, instead of a `RigidBody`'s stages."""

    def __init__(self, body: Any, others: tuple[Any, ...]) -> None:
        self.body, self.parts = body, (body, *others)

    def __getattr__(self, name: str) -> tuple[Any, ...]:
        """Return the `bodies`, `shapes` or `joints`."""
        pymunk = sys.modules["pymunk"]
        kinds = {"bodies": pymunk.Body, "shapes": pymunk.Shape, "joints": pymunk.Constraint}
        return tuple([part for part in self.parts if isinstance(part, kinds[name])])


def _add(rigid: Any) -> None:
    rigid._play_handler.body.position = 0, 0
    rigid.world.space.add(*rigid._play_handler.parts)


def _remove(rigid: Any) -> None:
    rigid.world.space.remove(*rigid._play_handler.parts)


_NO_DATA = SPAWN_OPTIONS | {*BUILT_IN_DATA}


class LifeByHand:
    """Lives of a prefab without a pool: inside `building()`, call `live` for one.

    `live` is a function of the very lines that a game would write for this prefab.
    """

    def __init__(self, instance: Any, data: dict[str, Any], system: PoolingSystem) -> None:
        """Learn from a living `instance` of the prefab, with the data of its spawn."""
        pooled: Any = context_of(system).find(instance)
        prefab = pooled.pool.prefab
        # Hooks find it where they look for the life's record, for timers and handles.
        self._record: Record[Any] = Record(instance, pooled.pool)
        self._record.state, self._record.generation = ACTIVE, 1
        self._twins: dict[type, type] = {}
        self.is_building = False
        factory: Any = prefab.factory
        call: Any = getattr(factory, "func", factory)
        pooled_new: Any = PooledSprite.__new__
        twin, build = None, ["made = factory()"]
        if isinstance(call, type) and call.__new__ is pooled_new:
            twin = self._twin(call)
            given = "" if call is factory else "*factory.args, **factory.keywords"
            # As a call of the class, which would look for a `__new__` of Python's.
            build = ["made = new(twin)", f"made.__init__({given})"]
        names = {
            "factory": factory,
            "twin": twin,
            "new": _new,
            "record": self._record,
            "kill": Sprite.kill,
            "fresh": fresh,
        }
        names |= {"add": _add, "remove": _remove, "end": self._end_what_hooks_began}
        names["reason"] = DespawnReason.DESPAWNED
        lines = [*build, *self._lines_for(instance, pooled, {**(prefab.data or {}), **data}, names)]
        exec("\n    ".join(["def live():", *lines]), names)  # noqa: S102 - see above
        self.live: Any = names["live"]

    @staticmethod
    def _lines_for(
        instance: Any, pooled: Any, data: dict[str, Any], names: dict[str, Any]
    ) -> Iterator[str]:
        """Yield the lines of a life; add what they name."""
        parts = [instance]
        if isinstance(instance, PooledSprite):
            parts = [*instance.components, instance]
            yield "parts = *made._components, made"
            if instance.children:
                parts = instance._all_parts()
                yield "parts = made._all_parts()"
        elif pooled.components:
            yield "parts = made,"
            yield "made._pool_record = record"
        at = {id(part): f"parts[{place}]" for place, part in enumerate(parts)}
        components = tuple([each for each in pooled.components if id(each) in at])
        plan: Any = plan_of(components, {})
        own = [at[id(each)] for each in components]
        bodies = [at[id(each)] for each in components if isinstance(each, PlayComponent)]
        begun, over = plan.having_spawned(own), plan.having_despawned(own)
        if plan.awake or begun or over:
            yield "record.instance = made"
        yield from (f"{own[place]}.awake()" for place in plan.awake)
        yield from (f"add({body})" for body in bodies)
        sprites = "for each in made._with_parts():" if getattr(instance, "children", ()) else ""
        if isinstance(instance, Sprite):
            names["groups"] = groups_of(instance)
            yield "made.rect.center = 0, 0" if instance.rect is not None else "pass"
            yield f"{sprites} each.add(*groups)" if sprites else "made.add(*groups)"
        given = {name: value for name, value in data.items() if name not in _NO_DATA}
        names |= {"position": (0, 0), "rotation": 0.0, "parent": None}
        names |= {"data": given, **{f"data_{name}": value for name, value in given.items()}}
        names |= {name: value for name, value in data.items() if name in BUILT_IN_DATA}
        for hook, share in zip(begun, each_of(plan.deal((*given,), pooled.label)), strict=False):
            wanted = (share,) if isinstance(share, str) else share or ()
            texts = [
                f"{name}={name if name in BUILT_IN_DATA else f'data_{name}'}"
                if type(data.get(name)) not in copiers
                else f"{name}=fresh(data_{name})"
                for name in (given if share is ALL_DATA else wanted)
            ]
            yield f"{hook}.spawned({', '.join(texts)})"
        for hook, share in zip(over, each_of(plan.gets_reason), strict=False):
            yield f"{hook}.despawned({'reason=reason' if share else ''})"
        yield from (f"{hook}.destroyed()" for hook in plan.having_destroyed(own))
        if begun or over:
            yield "if record.life is not None: end()"
        yield from (f"remove({body})" for body in bodies)
        if isinstance(instance, Sprite):
            yield f"{sprites} kill(each)" if sprites else "kill(made)"
        yield "return made"

    def _end_what_hooks_began(self) -> None:
        errors = ErrorCollector()
        self._record.close_scope(errors)
        for child in self._record.children:
            errors.call(end, child)
        errors.raise_all("ending what hooks began")

    # -- sprites and bodies are plain ones ----------------------------------------------------

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """Let its lives be built of plain sprites and bodies; what pools build stays as it is."""
        pooled_sprite: Any = PooledSprite
        new = vars(pooled_sprite)["__new__"]
        body: Any = getattr(sys.modules.get("poolkit.physics"), "RigidBody", None)
        begin = body and body.__init__

        def new_plain(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if constructions or not self.is_building:
                return new(cls, *args, **kwargs)
            twin = self._twins.get(cls)
            if twin is None:
                twin = self._twins[cls] = self._twin(cls)
            return _new(twin)

        def begin_plain(rigid: Any, world: Any, body: Any, *others: Any) -> None:
            if constructions or not self.is_building:
                begin(rigid, world, body, *others)
            else:
                rigid.sprite, rigid.world = None, world
                rigid._play_handler = _PlainBody(body, others)

        try:
            pooled_sprite.__new__ = new_plain  # once for all lives: each time empties caches
            if body:
                body.__init__ = begin_plain
            yield
        finally:
            self.is_building = False
            pooled_sprite.__new__ = new
            if body:
                body.__init__ = begin

    def _twin(self, kind: Any) -> type:
        """Return the subclass of a class of sprites whose instances are plain ones."""
        if kind is PooledSprite:
            kind = _Bare
        names = {"_pool_record": self._record, "_life_record": self._record}
        names |= {"_layer": kind._layer_of_class}
        return unheard_subclass(kind, names, _PlainSprite)
