"""A window of any size that shows a picture of one size, with sharp pixels."""

import math
import os

import pygame


class Window:
    """Shows its `canvas` as large as fits, in the middle."""

    def __init__(
        self, title: str, size: tuple[int, int], *, scale: int = 1, headless: bool = False
    ) -> None:
        """Open it at `scale` times the size of the canvas, or smaller if the screen is.

        Raises:
            pygame.error: There is no display.
        """
        if headless:
            os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
        # What the window system knows the program by: pygame takes the file's name for it.
        os.environ["SDL_VIDEO_X11_WMCLASS"] = os.environ["SDL_VIDEO_WAYLAND_WMCLASS"] = title
        pygame.display.init()
        self.is_headless = pygame.display.get_driver() in {"dummy", "offscreen"}
        if self.is_headless and not headless:
            message = "there is no display"
            raise pygame.error(message)
        wide, high = pygame.display.get_desktop_sizes()[0]
        # The window's own frame, and panels of the desktop, take some of the screen.
        fits = min(wide / size[0], high * 0.9 / size[1]) if not headless else scale
        shown = size[0] * min(scale, fits), size[1] * min(scale, fits)
        self.window = pygame.Window(title, (int(shown[0]), int(shown[1])), resizable=True)
        self.window.minimum_size = size[0] // 2, size[1] // 2
        self.window.get_surface()  # from here on pictures can be converted
        self.canvas = pygame.Surface(size).convert()
        self.enlarged = self.canvas
        self.is_full = False

    def switch_full(self) -> None:
        """Take the whole screen, or give it back; the window returns to where it was."""
        if self.is_full:
            self.window.set_windowed()
        else:
            self.window.set_fullscreen(desktop=True)
        self.is_full = not self.is_full

    @property
    def place(self) -> pygame.Rect:
        """Where in the window the picture is."""
        area, (wide, high) = self.window.get_surface().get_rect(), self.canvas.get_size()
        scale = min(area.width / wide, area.height / high)
        place = pygame.Rect(0, 0, max(1, round(wide * scale)), max(1, round(high * scale)))
        place.center = area.center
        return place.clamp(area)

    def to_canvas(self, position: tuple[int, int]) -> tuple[float, float]:
        """Return which place of the picture is at a place of the window."""
        (x, y), place = position, self.place
        wide, high = self.canvas.get_size()
        return (x - place.left) * wide / place.width, (y - place.top) * high / place.height

    def paint(self) -> pygame.Surface:
        """Draw the canvas, and return the whole window's surface for what goes over it."""
        surface, place = self.window.get_surface(), self.place
        if place.size == self.canvas.get_size() == surface.get_size():  # no need to scale
            surface.blit(self.canvas, (0, 0))
            return surface
        surface.fill("black")
        shown = surface.subsurface(place)
        times = math.ceil(place.width / self.canvas.get_width())
        whole = self.canvas.get_width() * times, self.canvas.get_height() * times
        if place.size == whole:
            pygame.transform.scale(self.canvas, whole, shown)
            return surface
        # Whole squares first, then a little smaller: pixels stay sharp and equally large.
        if self.enlarged.get_size() != whole:
            self.enlarged = pygame.Surface(whole).convert()
        pygame.transform.scale(self.canvas, whole, self.enlarged)
        pygame.transform.smoothscale(self.enlarged, place.size, shown)
        return surface

    def flip(self) -> None:
        """Show what was painted."""
        self.window.flip()
