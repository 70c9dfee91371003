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
from poolkit.core.fields import copiers, copy_for_life, take_fields
from poolkit.core.hooks import SPAWN_OPTIONS, DespawnReason, IPoolableComponent
from poolkit.core.plan import BUILT_IN_DATA, HookPlan
from poolkit.core.record import Record
from poolkit.core.seams import constructions, context_of, unheard_subclass
from poolkit.core.states import ACTIVE
from poolkit.devtools.leftovers import groups_of
from poolkit.sprites.components import PlayComponent
from poolkit.sprites.links import NO_LINKS
from poolkit.sprites.sprite import PooledSprite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poolkit.core.hooks import Hook
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
    _link = _rotation_state = _Sprite__g = None
    _follows_body = False

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


def _call_of(hook: Hook, name: str, names: dict[str, Any]) -> str:
    """Return how the call of a hook begins; a mixin's function gets a name."""
    if hook.function is None:
        return f"c{hook.place}.{name}("
    mixins = f"hook_{len(names)}"
    names[mixins] = hook.function
    return f"{mixins}(c{hook.place}, "


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
        self._record.state, self._record.life = ACTIVE, 1
        self._record.generation = 1
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
        places = {id(part): place for place, part in enumerate(parts)}
        components = tuple([one for one in pooled.components if id(one) in places])
        field_places, values = take_fields(components, pooled._known_fields())
        plan = HookPlan(components, field_places)
        has_life_hooks = plan.spawned or plan.despawned
        if plan.awake or has_life_hooks:
            yield "record.instance = made"
        for number, component in enumerate(components):
            yield f"c{number} = parts[{places[id(component)]}]"
        bodies = [
            f"c{number}"
            for number, component in enumerate(components)
            if isinstance(component, PlayComponent)
        ]
        yield from (_call_of(hook, "awake", names) + ")" for hook in plan.awake)
        yield from (f"add({body})" for body in bodies)
        sprites = "for one in made._with_parts():" if getattr(instance, "children", ()) else ""
        if isinstance(instance, Sprite):
            names["groups"] = groups_of(instance)
            yield "made.rect.center = 0, 0" if instance.rect is not None else "pass"
            yield f"{sprites} one.add(*groups)" if sprites else "made.add(*groups)"
        yield from LifeByHand._lines_for_hooks(plan, values, data, names)
        if has_life_hooks:
            yield "if record.resources is not None or record.extras is not None: end()"
        yield from (f"remove({body})" for body in bodies)
        if isinstance(instance, Sprite):
            yield f"{sprites} kill(one)" if sprites else "kill(made)"
        yield "return made"

    @staticmethod
    def _lines_for_hooks(
        plan: HookPlan, values: tuple[Any, ...], data: dict[str, Any], names: dict[str, Any]
    ) -> Iterator[str]:
        """Yield the lines that restore fields and call hooks; add what they name."""
        names |= {"data": dict(data), "copy_for_life": copy_for_life}
        names |= {"x": 0, "y": 0, "rotation": 0.0}
        for number, (field, value) in enumerate(zip(plan.fields, values, strict=True)):
            names[f"field_{number}"] = data.get(field.name, value)
            copy = "copy_for_life({})" if field.name in data else field.copy
            text = copy.format(f"field_{number}")
            yield f"c{field.place}.{field.name} = {text}"
        given = tuple([name for name in data if name not in _NO_DATA or name == "parent"])
        for number, name in enumerate(given):
            if type(data[name]) in copiers:
                names[f"data_{number}"] = data[name]
                yield f"data[{name!r}] = copy_for_life(data_{number})"
        for hook in plan.spawned:
            yield _call_of(hook, "spawned", names) + f"{', '.join(plan.arguments_of(hook, given))})"
        for hook in plan.despawned:
            reason = "reason=reason" if "reason" in hook.accepted else ""
            yield _call_of(hook, "despawned", names) + f"{reason})"
        yield from (_call_of(hook, "destroyed", names) + ")" for hook in plan.destroyed)

    def _end_what_hooks_began(self) -> None:
        errors = ErrorCollector()
        if self._record.resources is not None:
            errors.take_all(self._record.resources.close_scope(None))
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
