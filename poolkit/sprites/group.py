"""A group that updates the living and draws with one call, in layers and for a camera."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Self

import pygame

from poolkit.core.ending import end_lives
from poolkit.core.errors import ErrorCollector, PoolError
from poolkit.sprites.hanging import still_on, updated_with, with_hanging
from poolkit.sprites.links import follow_all, leading
from poolkit.sprites.membership import mine_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pygame.typing import RectLike
    from typing_extensions import TypeVar  # type checkers bring it; at run time nothing asks for it

    from poolkit.sprites.links import Link
    from poolkit.sprites.sprite import PooledSprite

    _SpriteT = TypeVar("_SpriteT", bound=pygame.sprite.Sprite, default=Any)
else:
    from typing import TypeVar

    _SpriteT = TypeVar("_SpriteT")


class PooledGroup(pygame.sprite.Group[_SpriteT]):
    """A `pygame.sprite.Group` for pooled sprites, and for any others.

    What `image` and `rect` are at the moment of drawing is drawn, also when they were replaced.
    Unlike pygame's, it draws nothing for a sprite that has no image or no rect (yet). As pygame's,
    it may say what it holds: ``orcs: PooledGroup[Orc] = PooledGroup()``.

    Args:
        *sprites: Sprites, groups or iterables of them, to begin with.
        layers: In which order sprites are drawn. `False`: as they joined. `True`: by their
            `layer`, the lowest first, 0 for those without one. A function: by what it returns for
            a sprite, as ``lambda sprite: sprite.rect.bottom`` where what is nearer stands lower
            on the screen. Within a layer, as they joined. A change counts from the next `draw`.
    """

    def __init__(self, *sprites: Any, layers: bool | Callable[[Any], Any] = False) -> None:
        self._layer_of = _layer_of if layers is True else layers or None
        self._is_cleared = False
        # Sprites that the game has built itself and that were not played with yet, by their class.
        self._built: dict[type, weakref.ref[PooledSprite]] = {}
        super().__init__(*sprites)

    def copy(self) -> Self:
        """Return another group of the same sprites, which draws them in the same order."""
        group = super().copy()
        group._layer_of = self._layer_of
        return group

    def change_layer(self, sprite: Any, layer: int) -> None:
        """Set the layer of a sprite that is in this group: it is drawn there from now on.

        Raises:
            LookupError: It is not in this group.
            PoolError: This group has no layers.
        """
        if self._layer_of is None:
            message = f"{self!r} draws sprites as they joined: make it with layers=True"
            raise PoolError(message)
        if sprite not in self.spritedict:
            message = f"{sprite!r} is not in {self!r}"
            raise LookupError(message)
        sprite._layer = layer

    def _note_built(self, sprite: PooledSprite) -> None:
        """Note that a sprite has joined that the game has built itself."""
        self._built[type(sprite)] = weakref.ref(sprite)

    def _look_at_built(self) -> None:
        """Tell of sprites that the game has built instead of spawning them, it seems."""
        built, self._built = self._built, {}
        for reference in built.values():
            sprite = reference()
            if sprite is not None and self in mine_of(sprite):
                sprite._look_for_life()

    # -- updating -----------------------------------------------------------------------------

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Update every sprite that was in the group at the call and has not left it since.

        And right after it what hangs on it, if that has no groups of its own.
        """
        if self._built:
            self._look_at_built()
        members = self.spritedict
        after = updated_with(self) if leading and members else None
        if after or kwargs or len(args) != 1:
            self._update_all(after or {}, args, kwargs)
        else:  # nearly always: handed on directly, it is faster
            (argument,) = args
            for sprite in list(members):
                if sprite in members:
                    sprite.update(argument)
        if leading and members:  # else nothing of it can be out of place
            follow_all()

    def _update_all(
        self, after: dict[int, list[Link]], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Update all members, and after each what hangs on it still."""
        members = self.spritedict
        for sprite in list(members):
            if sprite in members:
                sprite.update(*args, **kwargs)
                for child in still_on(sprite, members, after.get(id(sprite), ())):
                    child.update(*args, **kwargs)

    def despawn_outside(self, area: RectLike) -> int:
        """End what has left `area` wholly, as what has flown off the screen; return how many.

        What a pool manages is despawned, any other sprite killed. A sprite that only touches the
        edge from outside has left; one without a rect has not. What hangs on a member is not
        looked at: it ends with that.

        Args:
            area: A rect, or anything that pygame takes for one.

        Raises:
            TypeError: `area` is no rect.
            BaseException: What hooks raised, when all is done.
        """
        members: Any = self.spritedict
        if leading and members:
            follow_all()
        inside = pygame.FRect(area)
        meets = inside.colliderect
        try:  # a loop in Python, but for the comparing: to ask for all at once takes longer
            outside = [sprite for sprite in members if not meets(sprite.rect)]
        except (TypeError, AttributeError):
            having = [each for each in members if getattr(each, "rect", None) is not None]
            outside = [sprite for sprite in having if not meets(sprite.rect)]
        lives, others = [], []
        for sprite in outside:
            record = getattr(sprite, "_pool_record", None)
            if not sprite.rect and inside.collidepoint(sprite.rect.center):
                continue  # of no size, so it collides with nothing
            if record is None or not record.active:
                others.append(sprite)
            elif record.instance is sprite:  # else it is a part, which has no life to end
                lives.append((record, record.generation))
        errors = ErrorCollector()
        for sprite in others:
            errors.call(sprite.kill)
        count = len(others)
        with errors:
            count += end_lives(lives)
        errors.raise_all(f"despawning what is outside of {area!r}")
        return count

    # -- drawing ------------------------------------------------------------------------------

    def draw(  # type: ignore[override]  # pygame's second parameter is unused there
        self,
        surface: pygame.Surface,
        offset: tuple[float, float] | None = (0, 0),
        special_flags: int = 0,
    ) -> list[pygame.Rect | pygame.FRect]:
        """Draw all sprites, in the order in which they joined, or by layer.

        Args:
            surface: What to draw on.
            offset: Added to every position, in pixels: the negative of where a camera looks.
                `None` is none, for it is the place of a parameter of pygame's that nothing uses.
            special_flags: As for `pygame.Surface.blit`.

        Returns:
            An empty list, as pygame's own group, which keeps no list of dirty rectangles either.
        """
        if self._built:
            self._look_at_built()
        members: Any = self.spritedict
        leaders = follow_all() if leading and members else ()
        sprites = sorted(members, key=self._layer_of) if self._layer_of else members
        has_more = any(self in mine_of(links.sprite) for links in leaders)
        if has_more:
            sprites = with_hanging(sprites, self, self._layer_of)
        images = [sprite.image for sprite in sprites]
        rects = [sprite.rect for sprite in sprites]
        # fblits draws up to the first pair that it can't draw, so None may not be among them. This
        # asks quickly whether there may be one: an empty rect, which is false too, is drawn.
        if not (all(images) and all(rects)):
            sprites = [each for each in sprites if each.image is not None and each.rect is not None]
            images = [sprite.image for sprite in sprites]
            rects = [sprite.rect for sprite in sprites]
        dx, dy = offset or (0, 0)
        if dx or dy:
            rects = [rect.move(dx, dy) for rect in rects]
        # zip hands out one tuple again and again: a thousand new ones would call the collector.
        pairs = zip(images, rects, strict=True)
        self.lostsprites = []
        if not self._is_cleared:
            surface.fblits(pairs, special_flags)
            return []
        # `clear` needs to know what was drawn over, which only blits tells.
        blits: Any = [(image, rect, None, special_flags) for image, rect in pairs]
        drawn: Any = zip(sprites, surface.blits(blits) or (), strict=True)
        members.update(dict.fromkeys(members))
        if has_more:
            drawn = self._without_hanging(drawn)
        members.update(drawn)
        return []

    def _without_hanging(self, drawn: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield what was drawn of members; note that of the rest, which may be gone by `clear`."""
        for sprite, rect in drawn:
            if self in mine_of(sprite):
                yield sprite, rect
            elif rect:
                self.lostsprites.append(rect)

    def clear(
        self,
        surface: pygame.Surface,
        bgd: pygame.Surface | Callable[[pygame.Surface, Any], object],
    ) -> None:
        """Erase what the last `draw` drew, as pygame's group does.

        From its first use on, `draw` keeps the rectangles that this needs. The first time, all of
        the surface is erased.
        """
        if not self._is_cleared:
            self._is_cleared = True
            self.lostsprites.append(surface.get_rect())
        super().clear(surface, bgd)


def _layer_of(sprite: Any) -> int:
    return getattr(sprite, "_layer", 0) or 0  # a plain sprite may have none
