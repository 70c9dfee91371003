"""The record of a pooled sprite: how it is put into play as good as new, and taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poolkit.core.component import IPoolableComponent
from poolkit.core.errors import PrefabError, raise_all, raise_together
from poolkit.core.record import PoolablePrefabData, data_for
from poolkit.sprites.home import Home, enter_quickly
from poolkit.sprites.links import Link, add_root, discard_root
from poolkit.sprites.membership import leave_quickly, put_out
from poolkit.sprites.sprite import PooledSprite
from poolkit.sprites.staged import StagedComponent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poolkit.core.pool import Pool

__all__ = ["PooledSpriteData"]


class PooledSpriteData(PoolablePrefabData[PooledSprite]):
    """The record of a `PooledSprite` with all its parts.

    Its entrance and departure are chosen when its components or parts change: a sprite without
    parts goes straight to its groups. `enter` and `leave` define what they do.

    Attributes:
        unready: Components that came late and have no part in its lives yet; see `begin_late`.
    """

    __slots__ = ("_homes", "_is_adopted", "_links", "_staged", "unready")

    def __init__(self, instance: PooledSprite, pool: Pool[PooledSprite]) -> None:
        """Begin a record that is not alive yet."""
        super().__init__(instance, pool)
        # Tuples: most are empty or hold one, and memory is what large pools wait for.
        self._homes: tuple[Home, ...] = ()
        self._is_adopted = False
        self._links: tuple[Link, ...] = ()
        self._staged: tuple[StagedComponent, ...] = ()
        self.unready: tuple[IPoolableComponent, ...] = ()

    def attach(self) -> None:
        """Remember how the sprite and its parts are, and take them out of their groups."""
        self.adopt()
        self._is_adopted = False
        for home in self._homes:
            self._withdraw(home)

    def adopt(self) -> None:
        """Remember how the sprite and its parts are."""
        self._check_parts()
        self._is_adopted = True
        for sprite in self._sprites():
            self._introduce(sprite)

    def settle(self) -> None:
        """Remember how `awake` left the sprite and its parts, and in which groups.

        They leave these, unless the sprite is being adopted, and so in play.
        """
        self._homes = tuple([home.renewed() for home in self._homes])
        if not self._is_adopted:
            for home in self._homes:
                self._withdraw(home)

    def restore(self) -> None:
        """Undo what the game made of the sprite and its parts since they were built."""
        for home in self._homes:
            home.restore()

    def part_added(self, sprite: PooledSprite) -> None:
        """Make a part that was added late the record's own too; it leaves play unless alive."""
        for part in sprite._with_parts():
            self._introduce(part)
            if self.active:
                self._homes[-1].join()
            else:
                self._withdraw(self._homes[-1])

    def _withdraw(self, home: Home) -> None:
        """Take one sprite out of play, whatever its constructor or the game put it into."""
        for component in home.sprite._components:
            if isinstance(component, StagedComponent):
                component.settle(self)
        home.leave()
        discard_root(home.sprite)

    def _check_parts(self) -> None:
        for part in self._sprites():
            if part._pool_data is not None:
                message = f"{part!r} is managed already, so it can't be a part of {self.label}"
                raise PrefabError(message)

    def _introduce(self, sprite: PooledSprite) -> None:
        groups = (*(sprite._home_groups if sprite._unborn else ()), *sprite.groups())
        sprite._unborn = False
        if sprite is self.instance:
            groups = (*groups, *self.pool.groups)
        self._homes += (Home(sprite, groups),)
        sprite._pool_data = self

    def _sprites(self) -> list[PooledSprite]:
        return self.instance._with_parts()

    def parts(self) -> Iterable[IPoolableComponent]:
        """Return the sprite, its components, and those of its parts."""
        parts = [
            part for part in self.instance._all_parts() if isinstance(part, IPoolableComponent)
        ]
        if not self.unready:
            return parts
        return [part for part in parts if not any(part is each for each in self.unready)]

    def find_hooks(self) -> None:
        """Find the hooks again, and choose how the sprite enters and leaves play."""
        super().find_hooks()
        parts = self.hooks.components
        self._staged = tuple([part for part in parts if isinstance(part, StagedComponent)])
        self._links = tuple([home.sprite._link for home in self._homes[1:] if home.sprite._link])
        home = self._homes[0]
        kind = PooledSpriteData
        self.entrance, self.departure = kind.enter, kind.leave
        self.props = home.props
        if self._links or len(self._staged) > 1:
            return
        if home.is_quick:
            self.entrance = _enter_with_body if self._staged else enter_quickly
        if home.is_direct:
            self.departure = _leave_with_body if self._staged else leave_quickly

    def pose(self) -> tuple[float, float, float]:
        """Return where the sprite is and how far it is turned."""
        sprite = self.instance
        x, y = (0.0, 0.0) if sprite.rect is None else sprite.position
        return x, y, sprite.rotation

    def enter(self, x: float, y: float, rotation: float) -> None:
        """Restore and place the sprite with all its parts, and let its bodies join the physics."""
        root, staged = self._homes[0], self._staged
        root.enter(x, y, rotation)
        # By id, for a game's sprites may compare equal.
        places = {id(root.sprite): (x, y, rotation)}
        for home, link in zip(self._homes[1:], self._links, strict=True):
            home.sprite._hidden = False
            link.forget()
            place = places[id(home.sprite)] = link.place(*places[id(link.parent)])
            home.enter(*place)
            link.look()
        if root.sprite._links:
            add_root(root.sprite)
        for component in staged:
            if component in self._staged:  # else a group has taken it off
                component.enter(*places[id(component.sprite)])

    def stay(self) -> None:
        """Let bodies join the physics where the sprite is."""
        for component in self._staged:
            component.stay()

    def join(self, groups: Iterable[Any]) -> None:
        """Join more groups for this life: all of them, or none where one raises."""
        groups = tuple(groups)
        try:
            self.instance.add(*groups)
        except BaseException:
            put_out(self.instance, groups)
            raise

    def leave(self) -> None:
        """Let its bodies leave the physics, and the sprite and its parts their groups."""
        errors: list[BaseException] = []
        for component in reversed(self._staged):
            try:
                component.leave(self)
            except BaseException as error:
                errors.append(error)
        for home in reversed(self._homes):
            try:
                home.leave()
            except BaseException as error:
                errors.append(error)
        discard_root(self.instance)
        raise_all("leaving play", errors)

    def follow(self, parent: Any) -> None:
        """Begin to move with a parent that is a `PooledSprite`; others have no position."""
        if isinstance(parent, PooledSprite):
            parent._tie(Link.as_they_are(parent, self.instance))

    def unfollow(self) -> None:
        """Stop moving with the parent."""
        link = self.instance._link
        if link is not None:
            link.parent._untie(link)

    def set_free(self) -> None:
        """Let the sprite and its parts go, alive."""
        for home in self._homes:
            home.sprite._pool_data = None
            home.sprite._hidden = False
        if self.instance._links:
            add_root(self.instance)

    def dismantle(self) -> None:
        """Cut the cycles between the sprites, their components, their parts and this record."""
        for home in self._homes:
            sprite = home.sprite
            for component in sprite._components:
                if isinstance(component, StagedComponent):
                    component.dismantle()
                if isinstance(component, IPoolableComponent):
                    del component.sprite
            sprite._components = ()
            sprite._updates = ()
            for link in list(sprite._links):
                sprite._untie(link)
            discard_root(sprite)
        super().dismantle()

    def forget(self) -> None:
        """Let go of the sprite and its parts, also where a handle keeps this record."""
        self._homes = ()
        self._links = ()
        self._staged = ()
        super().forget()


def _enter_with_body(data: PooledSpriteData, x: float, y: float, rotation: float) -> None:
    """Do what `enter` does for a sprite with one body alone."""
    enter_quickly(data, x, y, rotation)
    data._staged[0].enter(x, y, rotation)


def _leave_with_body(data: PooledSpriteData) -> None:
    """Do what `leave` does for a sprite with one body alone."""
    try:
        data._staged[0].leave(data)
    except BaseException as error:
        errors = [error]
        try:
            leave_quickly(data)
        except BaseException as another:
            errors.append(another)
        raise_together("leaving play", errors)
    else:
        leave_quickly(data)


@data_for.register(PooledSprite)
def _pooled(instance: PooledSprite, pool: Pool[Any]) -> PoolablePrefabData[Any]:
    return PooledSpriteData(instance, pool)
