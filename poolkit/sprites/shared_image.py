"""A surface that many sprites show, and that therefore refuses to be drawn into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from poolkit.core.errors import PoolError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SharedImage"]

_WITH_A_PALETTE = 8  # bits a pixel
_DRAWS_INTO_IT = (
    "blit",
    "blits",
    "fblits",
    "fill",
    "premul_alpha_ip",
    "scroll",
    "set_alpha",
    "set_at",
    "set_colorkey",
    "set_palette",
    "set_palette_at",
)


class SharedImage(pygame.Surface):
    """A surface whose methods that change it raise `PoolError`; what is made from it is plain.

    Functions that draw, as those of `pygame.draw`, can't be kept from it.

    Attributes:
        is_shared: `False` for copies and cuttings, which pygame makes of the same class.
    """

    is_shared = False

    @classmethod
    def like(cls, image: pygame.Surface) -> SharedImage:
        """Return the same pixels, drawn in the same way, as a shared image."""
        shared = cls(image.get_size(), pygame.SRCALPHA if image.get_masks()[3] else 0, image)
        if image.get_bitsize() == _WITH_A_PALETTE:
            shared.set_palette(image.get_palette())
        shared.get_buffer().write(image.get_buffer().raw)
        shared.set_colorkey(image.get_colorkey())
        shared.set_alpha(image.get_alpha())
        shared.is_shared = True
        return shared


def _refusing(name: str) -> Callable[..., Any]:
    method: Callable[..., Any] = getattr(pygame.Surface, name)

    def refuse(self: SharedImage, *args: Any, **kwargs: Any) -> Any:
        if self.is_shared:
            message = (
                f"{name}() on an image that turned sprites share: draw into a copy of it "
                "(sprite.image = sprite.image.copy()), or set rotation_steps = None in the "
                "sprite's class, so that each has its own"
            )
            raise PoolError(message)
        return method(self, *args, **kwargs)

    return refuse


for _name in _DRAWS_INTO_IT:
    setattr(SharedImage, _name, _refusing(_name))
