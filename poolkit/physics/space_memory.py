"""The memory of a Chipmunk space: copied, and written back where it was.

pymunk can't put a space back: `Space.copy` makes another one, which moves differently at once, for
contacts, impulses, and the trees in which Chipmunk looks for pairs are lost. All these are in
memory that Chipmunk allocates in large blocks and frees only with the space. So a copy of the
blocks, and of the bodies, shapes and joints, is all there is to a space, and it can be written back
to the same addresses.

What is not in such blocks: the tables of hash sets and arrays, which grow but never shrink, and the
contacts of sleeping bodies. The layout is that of Munk2D's ``chipmunk_structs.h``, ``cpBBTree.c``,
``cpHashSet.c`` and ``cpSpaceStep.c``; `memory_is_known` checks it once, by its numbers first.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
from array import array
from ctypes import POINTER, Structure, c_double, c_int, c_size_t, c_uint, c_void_p, sizeof
from typing import TYPE_CHECKING, Any, NamedTuple

import pymunk
from pymunk._chipmunk_cffi import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger("poolkit")

_BLOCK = 32 * 1024  # bytes, of which Chipmunk allocates everything small
_WORD = 8
_KNOWN_VERSION = "2.0.1"  # of Munk2D

# -- layout -----------------------------------------------------------------------------------


class _Array(Structure):
    _fields_ = (("num", c_int), ("max", c_int), ("items", c_void_p))


class _HashSet(Structure):
    _fields_ = (
        *(("entries", c_uint), ("size", c_uint), ("equal_fn", c_void_p), ("default", c_void_p)),
        *(("table", c_void_p), ("free_bins", c_void_p), ("blocks", POINTER(_Array))),
    )


class _Tree(Structure):
    _fields_ = (
        *(("kind", c_void_p), ("bounds_fn", c_void_p), ("static_index", c_void_p)),
        *(("dynamic_index", c_void_p), ("velocity_fn", c_void_p), ("leaves", POINTER(_HashSet))),
        *(("root", c_void_p), ("free_nodes", c_void_p), ("free_pairs", c_void_p)),
        *(("blocks", POINTER(_Array)), ("stamp", c_uint)),
    )


_ARRAYS: tuple[str, ...] = (
    "dynamic_bodies",
    "static_bodies",
    "roused_bodies",
    "sleeping_roots",
    "constraints",
)
_ARRAYS += ("arbiters", "free_arbiters")


class _Space(Structure):
    _fields_ = (
        *(("iterations", c_int), ("gravity", c_double * 2), ("damping", c_double)),
        *(("idle_speed", c_double), ("sleep_time", c_double), ("slop", c_double)),
        *(("bias", c_double), ("persistence", c_uint), ("user_data", c_void_p)),
        *(("stamp", c_uint), ("dt", c_double)),
        *((name, POINTER(_Array)) for name in _ARRAYS[:4]),
        *(("next_shape_id", c_size_t), ("static_shapes", POINTER(_Tree))),
        *(("dynamic_shapes", POINTER(_Tree)), ("constraints", POINTER(_Array))),
        *(("arbiters", POINTER(_Array)), ("contacts", c_void_p)),
        *(("cached_arbiters", POINTER(_HashSet)), ("free_arbiters", POINTER(_Array))),
        *(("blocks", POINTER(_Array)), ("num_locks", c_int)),
        ("handlers", c_void_p),  # what follows is left alone
    )


class _Body(Structure):
    _fields_ = (
        *(("velocity_fn", c_void_p), ("position_fn", c_void_p), ("mass", c_double * 4)),
        *(("center", c_double * 2), ("motion", c_double * 9), ("transform", c_double * 6)),
        *(("user_data", c_void_p), ("bias", c_double * 3), ("space", c_void_p)),
        *(("shapes", c_void_p), ("arbiters", c_void_p), ("constraints", c_void_p)),
        *(("root", c_void_p), ("next", c_void_p), ("idle_time", c_double)),
    )


class _Arbiter(Structure):
    _fields_ = (
        *(("surface", c_double * 4), ("data", c_void_p), ("a", c_void_p), ("b", c_void_p)),
        *(("body_a", c_void_p), ("body_b", c_void_p)),
        *(("next_a", c_void_p), ("prev_a", c_void_p), ("next_b", c_void_p), ("prev_b", c_void_p)),
        *(("count", c_int), ("contacts", c_void_p), ("normal", c_double * 2)),
        *(("handlers", c_void_p * 4), ("swapped", ctypes.c_ubyte), ("stamp", c_uint)),
        *(("state", c_int), ("processes", ctypes.c_ubyte)),
    )


class _Bin(Structure):
    _fields_ = (("item", c_void_p), ("hash", c_size_t), ("next", c_void_p))


class _Node(Structure):
    _fields_ = (
        *(("shape", c_void_p), ("bounds", c_double * 4), ("parent", c_void_p)),
        *(("a", c_void_p), ("b", c_void_p)),
    )


class _Contacts(Structure):  # the head of a block of contacts
    _fields_ = (("stamp", c_uint), ("next", c_void_p), ("count", c_uint))


_PAIR, _NEXT_PAIR = 56, 16  # bytes of a pair of leaves, and where the next free one is noted
_CONTACT = 96
_CACHED = 3  # the state of an arbiter whose shapes have parted: its removal calls nothing
_SHAPE, _SHAPE_DATA, _SHAPE_ID = 192, 136, 184
_SHAPES = {pymunk.Circle: 232, pymunk.Segment: 328, pymunk.Poly: 600}
_POLY_COUNT, _POLY_PLANES, _PLANE, _INLINE = 200, 208, 32, 6
_JOINT, _JOINT_DATA = 104, 96
_JOINT_WORDS = {
    pymunk.PinJoint: 14,
    pymunk.SlideJoint: 15,
    pymunk.PivotJoint: 16,
    pymunk.GrooveJoint: 23,
    pymunk.DampedSpring: 18,
    pymunk.DampedRotarySpring: 8,
    pymunk.RotaryLimitJoint: 5,
    pymunk.RatchetJoint: 6,
    pymunk.GearJoint: 6,
    pymunk.SimpleMotor: 3,
}

_copy = ctypes.string_at


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _write(address: int, memory: bytes) -> None:
    ctypes.memmove(address, memory, len(memory))


def _words(structure: _Array) -> array[int]:
    """Return the pointers in an array."""
    return array("Q", _copy(structure.items, structure.num * _WORD))


# -- copies -----------------------------------------------------------------------------------


class _SavedSet(NamedTuple):
    head: bytes
    table: bytes
    blocks: list[tuple[int, bytes]]


def _static_body_of(space: pymunk.Space) -> Any:
    """Return the space's own static body; `None`: pymunk makes it when it is first asked for."""
    return vars(space).get("_static_body")


class SpaceMemory:
    """A copy of the memory of a space, between two steps.

    Attributes:
        num_bytes: How large it is.
    """

    def __init__(
        self, space: pymunk.Space, bodies: list[Any], shapes: list[Any], joints: list[Any]
    ) -> None:
        self._space = space
        self._head = head = _Space.from_address(_address(space._space))
        self._writes: list[tuple[int, bytes]] = [
            (ctypes.addressof(head), _copy(ctypes.addressof(head), _Space.handlers.offset)),
        ]
        trees = head.static_shapes.contents, head.dynamic_shapes.contents
        self._arrays = [(name, _words(getattr(head, name).contents)) for name in _ARRAYS]
        self._sets = [_saved_set(held.contents) for held in self._hash_sets()]
        self._num_blocks = [_words(structure).buffer_info()[1] for structure in self._block_lists()]
        for tree in trees:
            self._save(ctypes.addressof(tree), sizeof(_Tree))
            for block in _words(tree.blocks.contents):
                self._save(block, _BLOCK)
        contacts = list(_contact_blocks(head))
        for block in _words(head.blocks.contents):
            if block in contacts:
                used = sizeof(_Contacts) + _Contacts.from_address(block).count * _CONTACT
                self._save(block, used)
            else:
                self._save(block, _BLOCK)
        self._static = static = _static_body_of(space)
        for body in bodies if static is None or static in bodies else (*bodies, static):
            self._save_part(_address(body._body), sizeof(_Body), _Body.user_data.offset)
        for shape in shapes:
            self._save_shape(shape)
        for joint in joints:
            words = next(words for cls, words in _JOINT_WORDS.items() if isinstance(joint, cls))
            self._save_part(_address(joint._constraint), _JOINT + words * _WORD, _JOINT_DATA)
        self._asleep = [
            (arbiter, contacts.count, _copy(contacts.contacts, contacts.count * _CONTACT))
            for arbiter, contacts in _arbiters_asleep(head)
        ]

    @property
    def num_bytes(self) -> int:
        """How large it is."""
        return sum(len(memory) for _, memory in self._writes)

    def _save(self, address: int, count: int) -> None:
        self._writes.append((address, _copy(address, count)))

    def _save_part(self, address: int, count: int, data: int) -> None:
        """Save a part but for its user data: a handle, which may be another one by then."""
        self._save(address, data)
        self._save(address + data + _WORD, count - data - _WORD)

    def _save_shape(self, shape: Any) -> None:
        address = _address(shape._shape)
        count = next(count for cls, count in _SHAPES.items() if isinstance(shape, cls))
        self._save_part(address, count, _SHAPE_DATA)
        if count == _SHAPES[pymunk.Poly]:
            num_planes = 2 * c_int.from_address(address + _POLY_COUNT).value
            if num_planes > 2 * _INLINE:  # they are elsewhere
                planes = c_size_t.from_address(address + _POLY_PLANES).value
                self._save(planes, num_planes * _PLANE)

    def _hash_sets(self) -> list[Any]:
        head = self._head
        trees = head.static_shapes.contents, head.dynamic_shapes.contents
        return [*(tree.leaves for tree in trees), head.cached_arbiters]

    def _block_lists(self) -> list[_Array]:
        head = self._head
        trees = head.static_shapes.contents, head.dynamic_shapes.contents
        sets = [held.contents.blocks.contents for held in self._hash_sets()]
        return [*(tree.blocks.contents for tree in trees), head.blocks.contents, *sets]

    # -- writing it back ----------------------------------------------------------------------

    def restore(self) -> None:
        """Write everything back; nothing of the space sleeps, as after `wake_all`."""
        head, space = self._head, self._space
        spare = self._find_spare_blocks()
        static = None if self._static is not None else _static_body_of(space)
        if static is not None:  # it was made since: it stays
            lib.cpSpaceRemoveBody(space._space, static._body)
        for address, memory in self._writes:
            _write(address, memory)
        for name, words in self._arrays:
            structure = getattr(head, name).contents
            structure.num = len(words)  # there is room: arrays never shrink
            _write(structure.items, words.tobytes())
        for held, saved in zip(self._hash_sets(), self._sets, strict=True):
            _restore_set(held.contents, saved)
        for address, count, memory in self._asleep:
            contacts = _address(lib.cpContactArrAlloc(max(1, count)))  # freed as its body wakes
            _write(contacts, memory)
            _Arbiter.from_address(address).contacts = contacts
        self._use_spare_blocks(spare)
        if static is not None:
            lib.cpSpaceAddBody(space._space, static._body)

    def _find_spare_blocks(self) -> list[tuple[str, list[int]]]:
        """Return the blocks that were allocated since, by what is in them."""
        head = self._head
        since = [
            list(_words(blocks))[count:]
            for blocks, count in zip(self._block_lists(), self._num_blocks, strict=True)
        ]
        if not any(since):
            return []
        of_static, of_dynamic, of_space, *bins = since
        nodes = _node_blocks(head.dynamic_shapes.contents, of_dynamic)
        contacts = set(_contact_blocks(head))
        return [
            ("static nodes", of_static),
            ("nodes", [block for block in of_dynamic if block in nodes]),
            ("pairs", [block for block in of_dynamic if block not in nodes]),
            ("contacts", [block for block in of_space if block in contacts]),
            ("arbiters", [block for block in of_space if block not in contacts]),
            *((f"bins {place}", blocks) for place, blocks in enumerate(bins)),
        ]

    def _use_spare_blocks(self, spare: list[tuple[str, list[int]]]) -> None:
        """Give the blocks that were allocated since to Chipmunk's lists of free things.

        Or each restore would lose what the space has grown by since, until the space is freed.
        """
        head, sets = self._head, self._hash_sets()
        static, dynamic = head.static_shapes.contents, head.dynamic_shapes.contents
        for what, blocks in spare:
            for block in blocks:
                if what == "contacts":
                    _add_contact_block(head, block)
                elif what == "arbiters":
                    _add_free_arbiters(head.free_arbiters.contents, block)
                elif what == "pairs":
                    dynamic.free_pairs = _chain(block, _PAIR, _NEXT_PAIR, dynamic.free_pairs)
                elif what.startswith("bins"):
                    held = sets[int(what.split()[1])].contents
                    held.free_bins = _chain(block, sizeof(_Bin), _Bin.next.offset, held.free_bins)
                else:
                    tree = static if what == "static nodes" else dynamic
                    nodes = _chain(block, sizeof(_Node), _Node.parent.offset, tree.free_nodes)
                    tree.free_nodes = nodes


def _chain(block: int, size: int, at: int, following: int | None) -> int:
    """Make a list of free things of a block: each says where the next one is."""
    memory = array("Q", bytes(_BLOCK))
    addresses = range(block, block + _BLOCK - size + 1, size)
    for address in addresses:
        memory[(address - block + at) // _WORD] = following or 0
        following = address
    _write(block, memory.tobytes())
    return addresses[-1]


def _add_contact_block(head: _Space, block: int) -> None:
    """Put a block of contacts into the ring as its oldest, to be used next."""
    fresh = _Contacts.from_address(block)
    fresh.stamp, fresh.count = (head.stamp - 1_000) % 2**32, 0
    if head.contacts:
        newest = _Contacts.from_address(head.contacts)
        fresh.next, newest.next = newest.next, block
    else:
        fresh.next = head.contacts = block


def _add_free_arbiters(free: _Array, block: int) -> None:
    addresses = range(block, block + _BLOCK - sizeof(_Arbiter) + 1, sizeof(_Arbiter))
    num_needed = free.num + len(addresses)
    if num_needed > free.max:  # Chipmunk frees the larger array; the smaller one is lost
        room = 2 * num_needed
        items = _address(lib.cpContactArrAlloc(room * _WORD // _CONTACT + 1))
        _write(items, _words(free).tobytes())
        free.items, free.max = items, room
    _write(free.items + free.num * _WORD, array("Q", addresses).tobytes())
    free.num = num_needed


def _contact_blocks(head: _Space) -> Iterator[int]:
    """Yield the addresses of the blocks of contacts, which form a ring."""
    block = head.contacts
    while block:
        yield block
        block = _Contacts.from_address(block).next
        if block == head.contacts:
            return


def _node_blocks(tree: _Tree, blocks: list[int]) -> set[int]:
    """Return which of a tree's blocks hold nodes, not pairs."""
    found: set[int] = set()
    starts = sorted(blocks)
    waiting, free = [tree.root], tree.free_nodes
    while blocks and free:
        found.update(start for start in starts if start <= free < start + _BLOCK)
        free = _Node.from_address(free).parent
    while blocks and waiting:
        address = waiting.pop()
        if address:
            found.update(start for start in starts if start <= address < start + _BLOCK)
            node = _Node.from_address(address)
            if not node.shape:
                waiting += (node.a, node.b)
    return found


def _saved_set(held: _HashSet) -> _SavedSet:
    blocks = [(block, _copy(block, _BLOCK)) for block in _words(held.blocks.contents)]
    head = _copy(ctypes.addressof(held), sizeof(_HashSet))
    return _SavedSet(head, _copy(held.table, held.size * _WORD), blocks)


def _restore_set(held: _HashSet, saved: _SavedSet) -> None:
    for address, memory in saved.blocks:
        _write(address, memory)
    then = _HashSet.from_buffer_copy(saved.head)
    held.entries, held.free_bins = then.entries, then.free_bins
    if held.size == then.size:
        _write(held.table, saved.table)
        return
    # It has grown since: the bins go into the larger table.
    table = array("Q", bytes(held.size * _WORD))
    for first in array("Q", saved.table):
        address = first
        while address:
            entry = _Bin.from_address(address)
            following, place = entry.next, entry.hash % held.size
            entry.next, table[place] = table[place], address
            address = following or 0
    _write(held.table, table.tobytes())


def _arbiters_asleep(head: _Space) -> Iterator[tuple[int, _Arbiter]]:
    """Yield the contacts of sleeping bodies, each once; their memory is freed as they wake."""
    for root in _words(head.sleeping_roots.contents):
        address: int | None = root
        while address:
            body = _Body.from_address(address)
            at = body.arbiters
            while at:
                arbiter = _Arbiter.from_address(at)
                is_first = arbiter.body_a == address
                if is_first or _Body.from_address(arbiter.body_a).idle_time == float("inf"):
                    yield at, arbiter
                at = arbiter.next_a if is_first else arbiter.next_b
            address = body.next


# -- before it is written back ----------------------------------------------------------------


def wake_all(space: pymunk.Space) -> None:
    """Wake all bodies: the contacts of sleeping ones are in memory of their own."""
    head = _Space.from_address(_address(space._space))
    for root in list(_words(head.sleeping_roots.contents)):
        lib.cpBodyActivate(ffi.cast("cpBody *", root))


def silence(space: pymunk.Space) -> None:
    """Have what is removed from a space next call no `separate` callback."""
    head = _Space.from_address(_address(space._space))
    cached = head.cached_arbiters.contents
    for first in array("Q", _copy(cached.table, cached.size * _WORD)):
        address = first
        while address:
            entry = _Bin.from_address(address)
            _Arbiter.from_address(entry.item).state = _CACHED
            address = entry.next or 0


# -- checks -----------------------------------------------------------------------------------


def has_trees(space: pymunk.Space) -> bool:
    """Return whether a space finds its pairs by trees, not by a spatial hash."""
    head = _Space.from_address(_address(space._space))
    kind: int | None = head.dynamic_shapes.contents.kind
    return kind == _kind_of_tree()


@functools.cache
def _kind_of_tree() -> int | None:
    space = pymunk.Space()  # kept until its memory is read
    head = _Space.from_address(_address(space._space))
    kind: int | None = head.dynamic_shapes.contents.kind
    return kind


@functools.cache
def memory_is_known() -> bool:
    """Check once whether Chipmunk's memory is laid out as expected here."""
    with contextlib.suppress(Exception):  # a release may change anything
        if _numbers_are_found() and _plays_again():
            return True
    _log.warning(
        "the memory of pymunk %s isn't laid out as expected: checkpoints begin without contacts",
        pymunk.version,
    )
    return False


def _numbers_are_found() -> bool:
    """Check that plain numbers are where they should be, before any pointer is followed."""
    if not pymunk.chipmunk_version.startswith(_KNOWN_VERSION) or sizeof(c_void_p) != _WORD:
        return False
    space, body = pymunk.Space(), pymunk.Body(3, 5)
    space.iterations, space.gravity, space.damping = 7, (11, 13), 0.75
    space.idle_speed_threshold, space.sleep_time_threshold = 17, 19
    space.collision_slop, space.collision_bias, space.collision_persistence = 0.5, 0.25, 23
    body.position, body.velocity, body.angle = (29, 31), (37, 41), 43
    space.add(body)
    lib.cpSpaceSetTimestamp(space._space, 47)
    lib.cpSpaceSetShapeIDCounter(space._space, 53)
    head = _Space.from_address(_address(space._space))
    numbers = head.iterations, *head.gravity, head.damping, head.idle_speed, head.sleep_time
    numbers += head.slop, head.bias, head.persistence, head.stamp, head.next_shape_id
    expected = 7, 11, 13, 0.75, 17, 19, 0.5, 0.25, 23, 47, 53
    raw = _Body.from_address(_address(body._body))
    mass, motion = list(raw.mass)[::2], list(raw.motion)[:4]
    is_found = numbers == expected and (mass, motion) == ([3, 5], [29, 31, 37, 41])
    arbiter = ffi.typeof("struct cpArbiter")
    offsets = {name: field.offset for name, field in arbiter.fields or ()}
    is_found &= offsets["state"] == _Arbiter.state.offset and offsets["n"] == _Arbiter.normal.offset
    is_found = is_found and ffi.sizeof(arbiter) == sizeof(_Arbiter) and not head.num_locks
    is_found = is_found and list(_words(head.dynamic_bodies.contents)) == [_address(body._body)]
    return bool(is_found)


def _plays_again() -> bool:
    """Check that a pile with a joint, some of it asleep, plays again as it did, to the last bit."""
    space = pymunk.Space()
    space.gravity, space.sleep_time_threshold = (0, 500), 0.3
    ground = pymunk.Body(body_type=pymunk.Body.STATIC)
    shapes: list[Any] = [pymunk.Segment(ground, (-200, 60), (200, 60), 4)]
    bodies: list[Any] = [ground]
    for number in range(14):
        body = pymunk.Body(1, 60)
        body.position = number % 4 * 13 - 20, -14 * (number // 4)
        bodies.append(body)
        kinds = pymunk.Circle(body, 6), pymunk.Poly.create_box(body, (11, 11))
        shapes.append(kinds[number % 2])
        shapes[-1].friction = 0.6
    joints: list[Any] = [pymunk.PinJoint(bodies[1], bodies[2])]
    space.add(*bodies, *shapes, *joints)

    def play(steps: int) -> list[object]:
        for step in range(steps):
            if step == steps // 2:
                bodies[3].apply_impulse_at_local_point((90, -200))
            space.step(1 / 60)
        return [(body.position, body.angle, body.velocity, body.is_sleeping) for body in bodies]

    play(90)
    memory = SpaceMemory(space, bodies, shapes, joints)
    ends = []
    for _ in range(3):
        ends.append(play(60))
        wake_all(space)
        silence(space)
        memory.restore()
    return all(end == ends[0] for end in ends)
