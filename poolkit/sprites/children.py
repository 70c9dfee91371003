"""The children of a sprite: the parts of its prefab, and what was spawned under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PoolError, PrefabError
from poolkit.sprites.components import begin_late
from poolkit.sprites.links import Link, add_root, discard_root

if TYPE_CHECKING:
    from poolkit.sprites.data import PooledSpriteData
    from poolkit.sprites.sprite import PooledSprite

__all__ = ["ChildHolder"]


class ChildHolder:
    """What a pooled sprite does with the sprites that move with it."""

    __slots__ = ()

    _components: tuple[Any, ...]
    _link: Link | None
    _links: tuple[Link, ...]
    _pool_data: PooledSpriteData | None

    @property
    def parent(self) -> PooledSprite | None:
        """The sprite it moves with; `None` if it moves on its own."""
        return None if self._link is None else self._link.parent

    @property
    def children(self) -> tuple[PooledSprite, ...]:
        """The sprites that move with it: parts of its prefab, and what was spawned under it."""
        return tuple(link.child for link in self._links)

    def add_child(
        self,
        sprite: PooledSprite,
        offset: tuple[float, float],
        *,
        follow_rotation: bool = True,
    ) -> None:
        """Make `sprite` a part of this one: it moves, spawns and despawns with it.

        Args:
            sprite: A sprite of its own, managed by no pool. What a pool manages is spawned with
                ``parent=`` instead.
            offset: Where it is, in pixels from this sprite's position, as ``(x, y)``.
            follow_rotation: Whether it turns with this sprite, and around it.

        Raises:
            PoolError: This sprite was destroyed.
            PrefabError: It has a parent or a pool already, or is an ancestor of this sprite.
            TypeError: It is no `PooledSprite`.
        """
        if not isinstance(sprite, ChildHolder):
            message = f"only a PooledSprite can be a child, not {sprite!r}"
            raise TypeError(message)
        self._check_child(sprite)
        x, y = offset
        parent = cast("PooledSprite", self)
        link = Link(
            parent,
            sprite,
            (x, y),
            sprite.rotation,
            follow_rotation=follow_rotation,
            is_part=True,
        )
        self._tie(link)
        link.apply()
        data = self._pool_data
        if data is not None:
            data.part_added(sprite)
            parts = [p for p in sprite._all_parts() if isinstance(p, IPoolableComponent)]
            if data.awoken:
                data.unready += tuple(parts)
            data.find_hooks()
            if data.awoken:
                try:
                    begin_late(parts, data, [])
                except BaseException:
                    if not (data.destroyed or data.detached):
                        data.find_hooks()
                    raise

    def _check_child(self, sprite: PooledSprite) -> None:
        data = self._pool_data
        if data is not None and data.destroyed:
            message = f"{self!r} is destroyed: it takes no child any more"
            raise PoolError(message)
        ancestor: PooledSprite | None = cast("PooledSprite", self)
        while ancestor is not None:
            if ancestor is sprite:
                message = f"{sprite!r} can't be a child of itself, or of its own child {self!r}"
                raise PrefabError(message)
            ancestor = ancestor.parent
        if sprite._link is not None or sprite._pool_data is not None:
            message = (
                f"{sprite!r} has a parent or a pool already: build a part in the constructor, "
                "or spawn an instance with parent=..."
            )
            raise PrefabError(message)

    def remove_child(self, sprite: PooledSprite) -> None:
        """Let an instance that was spawned under this one go its own way, alive.

        It no longer moves with this sprite, nor is it despawned with it.

        Raises:
            LookupError: It is no child of this sprite.
            PoolError: It is a part of this sprite's prefab, which can't live alone.
        """
        link = sprite._link
        if link is None or link.parent is not self:
            message = f"{sprite!r} is no child of {self!r}"
            raise LookupError(message)
        if link.is_part:
            message = f"{sprite!r} is a part of {self!r}: kill() hides it until the next spawn"
            raise PoolError(message)
        if sprite._pool_data is not None:
            sprite._pool_data.unparent()

    def _move_children(self) -> None:
        """Move everything that follows this sprite to where it belongs now."""
        links = [*self._links]
        for link in links:  # grows meanwhile: no recursion, which has a limit
            link.apply()
            links += link.child._links

    def _tie(self, link: Link) -> None:
        self._links += (link,)  # type: ignore[misc]  # a slot of the sprite's
        link.child._link = link
        discard_root(link.child)
        if self._link is None:
            add_root(link.parent)

    def _untie(self, link: Link) -> None:
        self._links = tuple(  # type: ignore[misc]  # a slot of the sprite's
            other for other in self._links if other is not link
        )
        child = link.child
        child._link = None
        if child._links and (child._pool_data is None or child.active):
            add_root(child)
        if not self._links:
            discard_root(link.parent)

    def _with_parts(self) -> list[PooledSprite]:
        """Return this sprite and all its parts, each after the one it is a part of."""
        sprites = []
        waiting = [cast("PooledSprite", self)]
        while waiting:
            sprite = waiting.pop()
            sprites.append(sprite)
            waiting += [link.child for link in reversed(sprite._links) if link.is_part]
        return sprites

    def _all_parts(self) -> list[Any]:
        """Return this sprite, its components, and those of its parts, in order of attachment."""
        return [each for sprite in self._with_parts() for each in (sprite, *sprite._components)]
