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
from poolkit.core.fields import copiers, copy_for_life
from poolkit.core.hooks import DespawnReason, IPoolableComponent
from poolkit.core.plan import Entering, HookPlan
from poolkit.core.record import Record
from poolkit.core.seams import context_of, silent_subclass, sprites_under_construction
from poolkit.core.states import SPAWNING
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


def _parts_with_hooks(instance: Any) -> list[Any]:
    """Return what may have hooks, in the order of the lines that take it from an instance."""
    if not isinstance(instance, PooledSprite):
        return [instance]
    return instance._all_parts() if instance.children else [*instance.components, instance]


def _lines_in_play(
    instance: Any, components: tuple[Any, ...], names: dict[str, Any]
) -> tuple[list[str], list[str]]:
    """Return the lines by which a life enters groups and spaces, and leaves them."""
    is_body = [isinstance(component, PlayComponent) for component in components]
    bodies = [f"components[{index}]" for index, is_one in enumerate(is_body) if is_one]
    enter, leave = [f"add({body})" for body in bodies], [f"remove({body})" for body in bodies]
    if isinstance(instance, Sprite):
        names["groups"] = groups_of(instance)
        has_children = bool(getattr(instance, "children", ()))
        each_sprite = "for sprite in made._with_parts(): sprite" if has_children else "made"
        enter += ["made.rect.center = 0, 0"] if instance.rect is not None else []
        enter.append(f"{each_sprite}.add(*groups)")
        leave.append(
            "for sprite in made._with_parts(): kill(sprite)" if has_children else "kill(made)"
        )
    return enter, leave


def _lines_of_hooks(plan: HookPlan, enter: list[str]) -> Iterator[str]:
    """Yield the lines that run the hooks, and those by which the life enters play in between.

    The pool's lives run these functions too, which are written as a game would write them.
    """
    is_begun = bool(plan.spawned or plan.fields)
    if plan.awake:
        yield "for hook in plan.awake: hook.bind('awake', components)()"
    yield from enter
    if is_begun:
        yield "run_spawned(record, data, 0, 0, 0.0)"
    if plan.run_despawned:
        yield "errors = plan.run_despawned(record, components, reason)"
        yield "if errors: raise errors.errors[0]"
    if plan.destroyed:
        yield "for hook in plan.destroyed: hook.bind('destroyed', components)()"
    if is_begun or plan.run_despawned:
        yield "if record.resources is not None or record.extras is not None: end()"


class LifeByHand:
    """Lives of a prefab without a pool: inside `building()`, call `live` for one.

    `live` is a function of the very lines that a game would write for this prefab; its fields and
    hooks are run by the functions that the pool's own lives run.
    """

    def __init__(self, instance: Any, data: dict[str, Any], system: PoolingSystem) -> None:
        """Learn from a living `instance` of the prefab, with the data of its spawn."""
        pooled: Any = context_of(system).find(instance)
        prefab = pooled.pool.prefab
        # Hooks find it where they look for the life's record, for timers and handles.
        self._record: Record[Any] = Record(instance, pooled.pool)
        self._record.state, self._record.generation = SPAWNING, 1
        self._twins: dict[type, type] = {}
        self.is_building: bool = False
        factory: Any = prefab.factory
        call: Any = getattr(factory, "func", factory)
        pooled_new: Any = PooledSprite.__new__
        twin, build = None, ["made = factory()"]
        if isinstance(call, type) and call.__new__ is pooled_new:
            twin = self._twin(call)
            arguments = "" if call is factory else "*factory.args, **factory.keywords"
            # As a call of the class, which would look for a `__new__` of Python's.
            build = ["made = new(twin)", f"made.__init__({arguments})"]
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

    def _lines_for(
        self, instance: Any, pooled: Any, data: dict[str, Any], names: dict[str, Any]
    ) -> Iterator[str]:
        """Yield the lines of a life; add what they name."""
        record, parts = self._record, _parts_with_hooks(instance)
        if isinstance(instance, PooledSprite):
            has_children = bool(instance.children)
            source = "made._all_parts()" if has_children else "*made._components, made"
            yield f"parts = {source}"
        elif pooled.components:
            yield "parts = made,"
            yield "made._pool_record = record"
        index_of = {id(part): index for index, part in enumerate(parts)}
        components = tuple([part for part in pooled.components if id(part) in index_of])
        # It enters groups and spaces by lines of its own.
        plan = HookPlan(components, Entering("pass", {}, is_safe=True))
        plan, record.fields = plan.take_fields(components, pooled._known_fields())
        names |= {
            "data": dict(data),
            "first_data": data,
            "copy_for_life": copy_for_life,
            "plan": plan,
        }
        names["run_spawned"] = plan.begin_for(tuple(data), record.label, is_prepared=False)
        yield "record.instance = made"
        indices = [f"parts[{index_of[id(part)]}]" for part in components]
        yield f"components = record.components = {', '.join([*indices, '']) or '()'}"
        enter, leave = _lines_in_play(instance, components, names)
        copied = [name for name, value in data.items() if type(value) in copiers]
        enter += [f"data[{name!r}] = copy_for_life(first_data[{name!r}])" for name in copied]
        yield from _lines_of_hooks(plan, enter)
        yield from leave
        yield "return made"

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
            if sprites_under_construction or not self.is_building:
                return new(cls, *args, **kwargs)
            twin = self._twins.get(cls)
            if twin is None:
                twin = self._twins[cls] = self._twin(cls)
            return _new(twin)

        def begin_plain(rigid: Any, world: Any, body: Any, *others: Any) -> None:
            if sprites_under_construction or not self.is_building:
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
        return silent_subclass(kind, names, _PlainSprite)
