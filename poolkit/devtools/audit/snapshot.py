"""Everything that can be reached from an instance, as it was at one moment."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from poolkit.devtools.audit.body_access import body_reader
from poolkit.devtools.audit.media_readers import read_array, read_media
from poolkit.devtools.audit.object_readers import read_object, read_reference
from poolkit.devtools.audit.plain_readers import (
    read_atom,
    read_callable,
    read_container,
    read_odd,
)
from poolkit.devtools.audit.reading import Reading, Surroundings, opaque
from poolkit.devtools.kept_names import IgnoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


__all__ = ["DEEPEST", "MOST", "Node", "Snapshot", "take_snapshot"]

DEEPEST = 16  # steps from the instance to what is looked at
MOST = 20_000  # values of one instance

_CONTAINERS = frozenset({dict, list, set, tuple})  # of which there may be thousands
_READERS = (
    read_reference,
    read_media,
    read_array,
    read_container,
    read_callable,
    read_odd,
)


@dataclass(slots=True, eq=False)
class Node:
    """One value as it was, and what it held.

    Attributes:
        source: The value itself, if it is a mutable one: it may have changed since.
        reading: What was read of it.
        parts: What it held, by what is added to its path.
        is_whole: Whether all that it held was looked at: else nothing of it was.
    """

    source: Any
    reading: Reading
    parts: dict[str, Node] = field(default_factory=dict)
    is_whole: bool = False


@dataclass(slots=True, eq=False)
class Snapshot:
    """What was reached.

    Attributes:
        root: The instance.
        nodes: Everything that others might share, by `id`.
        size: How many values were read.
        is_cut: Whether not all was looked at, for there was too much, or too far away.
    """

    root: Node
    nodes: dict[int, Node]
    size: int
    is_cut: bool


def take_snapshot(
    value: object,
    around: Surroundings,
    extra: dict[str, Reading] | None = None,
) -> Snapshot:
    """Walk through an instance, or any value, the nearest first, and read everything once.

    No property is called, and nothing of the game's is compared.

    Args:
        value: The instance.
        around: What readers have to know.
        extra: What is to be kept beside the instance's own parts, by what is added to its path.

    Raises:
        TypeError: An `audit_ignore` is no iterable of names.
    """
    read = _reader(around)
    reading = read(value)
    if extra:
        reading = reading._replace(parts=(*reading.parts, *extra.items()))
    root = Node(value, reading)
    nodes = {id(value): root}
    every = [root]
    waiting = deque([(root, 0)])
    is_cut = False
    while waiting and len(every) < MOST:
        node, depth = waiting.popleft()
        if depth >= DEEPEST:
            is_cut = True
            continue
        node.is_whole = True
        for edge, held in node.reading.parts:
            known = nodes.get(id(held))
            if known is not None:
                node.parts[edge] = known
                continue
            reading = held if type(held) is Reading else read(held)
            part = node.parts[edge] = Node(held, reading)
            every.append(part)
            if reading.parts or reading.is_mutable:
                nodes[id(held)] = part
                waiting.append((part, depth + 1))
    _let_go(every)
    return Snapshot(root, nodes, len(every), is_cut or bool(waiting))


def _reader(around: Surroundings) -> Callable[[object], Reading]:
    """Return a function that reads any value."""
    readers = (read_atom, *body_reader(), *_READERS, read_object)

    def read(value: object) -> Reading:
        for reader in (read_container,) if type(value) in _CONTAINERS else readers:
            try:
                reading = reader(value, around)
            except IgnoreError:
                raise
            except Exception:  # it passes itself off as something else, as mocks do
                break
            if reading is not None:
                return reading
        return opaque(value)

    return read


def _let_go(nodes: Iterable[Node]) -> None:
    """Keep only what may be asked for: the identities of mutable values.

    Methods and weak references must not be kept: who else holds them is asked for later.
    """
    for node in nodes:
        node.reading = node.reading._replace(parts=())
        if not node.reading.is_mutable:
            node.source = None
