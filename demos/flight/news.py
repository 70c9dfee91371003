"""What has just happened, the latest last."""

from collections import deque

Color = tuple[int, int, int]

latest: deque[tuple[str, Color]] = deque(maxlen=5)


def tell(words: str, color: Color) -> None:
    """Add a line, in a colour."""
    latest.append((words, color))
