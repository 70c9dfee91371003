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

import functools
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import pymunk
from cffi import FFI  # type: ignore[import-untyped]  # by which pymunk calls Chipmunk
from pymunk._chipmunk_cffi import ffi, lib

from poolkit.physics.chipmunk import all_pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_BLOCK = 32 * 1024  # bytes, of which Chipmunk allocates everything small
_WORD = 8
_KNOWN_VERSION = "2.0.1"  # of Munk2D

# -- layout -----------------------------------------------------------------------------------

_layout = FFI()
_layout.cdef("""
    typedef struct { int num, max; uintptr_t *items; } Array;
    typedef struct Bin { uintptr_t item, hash; struct Bin *next; } Bin;
    typedef struct {
        unsigned num, size; void *equal_fn, *default_value; Bin **table, *free_bins; Array *blocks;
    } HashSet;
    typedef struct Node {
        void *shape; double bounds[4]; struct Node *parent, *a, *b;
    } Node;
    typedef struct Pair {
        void *a_prev, *a_leaf; struct Pair *a_next; void *b[3]; unsigned id;
    } Pair;
    typedef struct {
        void *kind, *bounds_fn, *static_index, *dynamic_index, *velocity_fn; HashSet *leaves;
        Node *root, *free_nodes; Pair *free_pairs; Array *blocks; unsigned stamp;
    } Tree;
    typedef struct Contacts { unsigned stamp; struct Contacts *next; unsigned num; } Contacts;
    typedef struct Arbiter {
        double surface[4]; void *data, *shapes[2]; struct Body *body_a, *body_b;
        struct Arbiter *next_a, *prev_a, *next_b, *prev_b;
        int num; uintptr_t contacts; double normal[2];
        void *handlers[4]; unsigned char swapped; unsigned stamp; int state;
        unsigned char processes;
    } Arbiter;
    typedef struct Body {
        void *velocity_fn, *position_fn; double mass[4], center[2], motion[9], transform[6];
        void *user_data; double bias[3]; void *space, *shapes; Arbiter *arbiters;
        void *constraints; struct Body *root, *next; double idle_time;
    } Body;
    typedef struct {
        int iterations; double gravity[2], damping, idle_speed, sleep_time, slop, bias;
        unsigned persistence; void *user_data; unsigned stamp; double dt;
        Array *dynamic_bodies, *static_bodies, *roused_bodies, *sleeping_roots;
        uintptr_t next_shape_id; Tree *static_shapes, *dynamic_shapes; Array *constraints;
        Array *arbiters; Contacts *contacts; HashSet *cached_arbiters; Array *free_arbiters;
        Array *blocks; int num_locks; void *left_alone;
    } Space;
""")
_NULL = _layout.NULL
_ARRAYS = (
    *("dynamic_bodies", "static_bodies", "roused_bodies", "sleeping_roots", "constraints"),
    *("arbiters", "free_arbiters"),
)
_CONTACT = ffi.sizeof("struct cpContact")
_CACHED = 3  # the state of an arbiter whose shapes have parted: its removal calls nothing
_POLY_COUNT, _POLY_PLANES, _PLANE, _INLINE = 200, 208, 32, 6
# Where pymunk keeps the pointer of a part, its bytes, and those before its user data.
_SIZES: dict[type, tuple[str, int, int]] = {
    pymunk.Body: ("_body", _layout.sizeof("Body"), _layout.offsetof("Body", "user_data")),
    pymunk.Circle: ("_shape", 232, 136),
    pymunk.Segment: ("_shape", 328, 136),
    pymunk.Poly: ("_shape", 600, 136),
    pymunk.PinJoint: ("_constraint", 216, 96),
    pymunk.SlideJoint: ("_constraint", 224, 96),
    pymunk.PivotJoint: ("_constraint", 232, 96),
    pymunk.GrooveJoint: ("_constraint", 288, 96),
    pymunk.DampedSpring: ("_constraint", 248, 96),
    pymunk.DampedRotarySpring: ("_constraint", 168, 96),
    pymunk.RotaryLimitJoint: ("_constraint", 144, 96),
    pymunk.RatchetJoint: ("_constraint", 152, 96),
    pymunk.GearJoint: ("_constraint", 152, 96),
    pymunk.SimpleMotor: ("_constraint", 128, 96),
}

_Pointer = Any  # of cffi, or an address


def _address(pointer: _Pointer) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def _copy(pointer: _Pointer, num_bytes: int) -> bytes:
    return bytes(ffi.buffer(ffi.cast("char *", pointer), num_bytes))


def _write(pointer: _Pointer, memory: bytes) -> None:
    ffi.memmove(ffi.cast("char *", pointer), memory, len(memory))


def _head_of(space: pymunk.Space) -> Any:
    return _layout.cast("Space *", space._space)


def _sets_of(head: Any) -> list[Any]:
    return [head.static_shapes.leaves, head.dynamic_shapes.leaves, head.cached_arbiters]


def _words(array: Any) -> list[int]:
    """Return the pointers in an array."""
    words: list[int] = _layout.unpack(array.items, array.num) if array.num else []
    return words


def _bins(table: Iterable[Any]) -> Iterator[Any]:
    """Yield all that is in a table of a hash set. Each may be put elsewhere."""
    for first in table:
        entry = first
        while entry:
            following = entry.next
            yield entry
            entry = following


# -- copies -----------------------------------------------------------------------------------


def _static_body_of(space: pymunk.Space) -> Any:
    """Return the space's own static body; `None`: pymunk makes it when it is first asked for."""
    return vars(space).get("_static_body")


class SpaceMemory:
    """A copy of the memory of a space, between two steps."""

    def __init__(
        self, space: pymunk.Space, bodies: list[Any], shapes: list[Any], joints: list[Any]
    ) -> None:
        self._space, self._head = space, _head_of(space)
        head, sets = self._head, _sets_of(self._head)
        self._places: list[_Pointer] = []
        self._memory: list[bytes] = []  # what to write there
        self._save(head, _layout.offsetof("Space", "left_alone"))
        for tree in (head.static_shapes, head.dynamic_shapes):
            self._save(tree, _layout.sizeof("Tree"))
        self._arrays = [(name, _words(getattr(head, name))) for name in _ARRAYS]
        self._sets = [
            (hash_set.num, hash_set.free_bins, self._table_of(hash_set)) for hash_set in sets
        ]
        self._num_blocks = [blocks.num for blocks in self._block_lists()]
        num_used = {
            _address(block): _layout.sizeof("Contacts") + block.num * _CONTACT
            for block in _contact_blocks(head)
        }
        for blocks in self._block_lists():
            for block in _words(blocks):
                self._save(block, num_used.get(block, _BLOCK))
        self._static = static = _static_body_of(space)
        is_apart = static is not None and static not in bodies
        for part in (*bodies, *shapes, *joints, *([static] if is_apart else ())):
            self._save_part(part)
        self._asleep = [
            (arbiter, _copy(arbiter.contacts, arbiter.num * _CONTACT))
            for arbiter in _arbiters_asleep(head)
        ]

    def _save(self, pointer: _Pointer, num_bytes: int) -> None:
        self._places.append(pointer)
        self._memory.append(_copy(pointer, num_bytes))

    def _save_part(self, part: Any) -> None:
        """Save a part but for its user data: a handle, which may be another one by then."""
        pointer, num_bytes, data = next(
            size for cls, size in _SIZES.items() if isinstance(part, cls)
        )
        address = _address(getattr(part, pointer))
        self._save(address, data)
        self._save(address + data + _WORD, num_bytes - data - _WORD)
        if isinstance(part, pymunk.Poly):
            num_planes = 2 * _layout.cast("int *", address + _POLY_COUNT)[0]
            if num_planes > 2 * _INLINE:  # they are elsewhere
                planes = _layout.cast("uintptr_t *", address + _POLY_PLANES)[0]
                self._save(planes, num_planes * _PLANE)

    def _table_of(self, hash_set: Any) -> bytes:
        return _copy(hash_set.table, hash_set.size * _WORD)

    def _block_lists(self) -> list[Any]:
        head = self._head
        owners = head.static_shapes, head.dynamic_shapes, head, *_sets_of(head)
        return [owner.blocks for owner in owners]

    def share_with(self, former: SpaceMemory) -> None:
        """Keep once what is as it was in a copy made before."""
        for number, (memory, was) in enumerate(zip(self._memory, former._memory, strict=False)):
            if memory == was:
                self._memory[number] = was

    # -- writing it back ----------------------------------------------------------------------

    def prepare(self) -> None:
        """Wake all bodies, and have what leaves the space next call no `separate` callback.

        The contacts of sleeping bodies are in memory of their own, which is freed as they wake.
        """
        for root in _words(self._head.sleeping_roots):
            lib.cpBodyActivate(ffi.cast("cpBody *", root))
        cached = self._head.cached_arbiters
        for entry in _bins(cached.table[0 : cached.size]):
            _layout.cast("Arbiter *", entry.item).state = _CACHED

    def restore(self) -> None:
        """Write everything back, once it is prepared."""
        head, space = self._head, self._space
        spare = self._find_spare_blocks()
        static = None if self._static is not None else _static_body_of(space)
        if static is not None:  # it was made since: it stays
            lib.cpSpaceRemoveBody(space._space, static._body)
        for place, memory in zip(self._places, self._memory, strict=True):
            _write(place, memory)
        for name, words in self._arrays:
            array = getattr(head, name)
            array.num = len(words)
            array.items[0 : len(words)] = words  # there is room: arrays never shrink
        for hash_set, saved in zip(_sets_of(head), self._sets, strict=True):
            _restore_set(hash_set, *saved)
        for arbiter, contacts in self._asleep:
            # They are freed as the body wakes.
            arbiter.contacts = _address(lib.cpContactArrAlloc(max(1, arbiter.num)))
            _write(arbiter.contacts, contacts)
        for add_free in spare:
            add_free()
        if static is not None:
            lib.cpSpaceAddBody(space._space, static._body)

    def _find_spare_blocks(self) -> list[Callable[[], None]]:
        """Return functions that give the blocks that were allocated since back to Chipmunk.

        Or each restore would lose what the space has grown by since, until the space is freed.
        """
        lists = zip(self._block_lists(), self._num_blocks, strict=True)
        of_static, of_dynamic, of_space, *of_sets = (_words(blocks)[num:] for blocks, num in lists)
        head, contacts = self._head, [*map(_address, _contact_blocks(self._head))]
        static, dynamic = head.static_shapes, head.dynamic_shapes
        nodes = [*map(_address, _nodes_of(dynamic))] if of_dynamic else []

        def is_of_nodes(block: int) -> bool:
            return any(block <= node < block + _BLOCK for node in nodes)

        return [
            *(partial(_add_free, static, *_NODES, block) for block in of_static),
            *(
                partial(_add_free, dynamic, *(_NODES if is_of_nodes(block) else _PAIRS), block)
                for block in of_dynamic
            ),
            *(
                partial(_add_contacts if block in contacts else _add_arbiters, head, block)
                for block in of_space
            ),
            *(
                partial(_add_free, hash_set, *_BINS, block)
                for hash_set, blocks in zip(_sets_of(head), of_sets, strict=True)
                for block in blocks
            ),
        ]


# Lists of free things: the owner's field, the kind of thing, and its field for the next one.
_NODES = "free_nodes", "Node", "parent"
_PAIRS = "free_pairs", "Pair", "a_next"
_BINS = "free_bins", "Bin", "next"


def _add_free(owner: Any, free: str, kind: str, following: str, block: int) -> None:
    """Add a block to a list of free things: each says where the next one is."""
    _write(block, bytes(_BLOCK))
    first = _layout.cast(f"{kind} *", block)
    for number in range(_BLOCK // _layout.sizeof(kind)):
        setattr(first[number], following, getattr(owner, free))
        setattr(owner, free, first + number)


def _add_contacts(head: Any, block: int) -> None:
    """Put a block of contacts into the ring as its oldest, to be used next."""
    oldest = _layout.cast("Contacts *", block)
    oldest.stamp, oldest.num = (head.stamp - 1_000) % 2**32, 0
    if head.contacts:
        newest = head.contacts
        oldest.next, newest.next = newest.next, oldest
    else:
        oldest.next = head.contacts = oldest


def _add_arbiters(head: Any, block: int) -> None:
    free = ffi.cast("cpArray *", head.free_arbiters)
    size = _layout.sizeof("Arbiter")
    for address in range(block, block + _BLOCK - size + 1, size):
        lib.cpArrayPush(free, ffi.cast("void *", address))


def _contact_blocks(head: Any) -> Iterator[Any]:
    """Yield the blocks of contacts, which form a ring."""
    block = head.contacts
    while block:
        yield block
        block = block.next if block.next != head.contacts else _NULL


def _nodes_of(tree: Any) -> Iterator[Any]:
    """Yield the nodes of a tree, those that are free included."""
    free, waiting = tree.free_nodes, [tree.root]
    while free:
        yield free
        free = free.parent
    while waiting:
        if node := waiting.pop():
            yield node
            if not node.shape:
                waiting += (node.a, node.b)


def _restore_set(hash_set: Any, num: int, free_bins: Any, table: bytes) -> None:
    hash_set.num, hash_set.free_bins = num, free_bins
    if hash_set.size * _WORD == len(table):
        _write(hash_set.table, table)
        return
    # It has grown since: the bins go into the larger table.
    _write(hash_set.table, bytes(hash_set.size * _WORD))
    for entry in _bins(_layout.from_buffer("Bin *[]", table)):
        place = entry.hash % hash_set.size
        entry.next, hash_set.table[place] = hash_set.table[place], entry


def _arbiters_asleep(head: Any) -> Iterator[Any]:
    """Yield the contacts of sleeping bodies, each once; their memory is freed as they wake."""
    for root in _words(head.sleeping_roots):
        body = _layout.cast("Body *", root)
        while body:
            arbiter = body.arbiters
            while arbiter:
                is_first = arbiter.body_a == body
                if is_first or arbiter.body_a.idle_time == inf:
                    yield arbiter
                arbiter = arbiter.next_a if is_first else arbiter.next_b
            body = body.next


# -- checks -----------------------------------------------------------------------------------


def has_trees(space: pymunk.Space) -> bool:
    """Return whether a space finds its pairs by trees, not by a spatial hash."""
    usual = pymunk.Space()  # kept until its memory is read
    return bool(_head_of(space).dynamic_shapes.kind == _head_of(usual).dynamic_shapes.kind)


@functools.cache
def memory_is_known() -> bool:
    """Check once whether Chipmunk's memory is laid out as expected here."""
    return all_pass(
        "the memory of pymunk %s isn't laid out as expected: checkpoints begin without contacts",
        _numbers_are_found,
        _plays_again,
    )


def _numbers_are_found() -> bool:
    """Check that plain numbers are where they should be, before any pointer is followed."""
    if not pymunk.chipmunk_version.startswith(_KNOWN_VERSION) or ffi.sizeof("void *") != _WORD:
        return False
    space, body = pymunk.Space(), pymunk.Body(3, 5)
    space.iterations, space.gravity, space.damping = 7, (11, 13), 0.75
    space.idle_speed_threshold, space.sleep_time_threshold = 17, 19
    space.collision_slop, space.collision_bias, space.collision_persistence = 0.5, 0.25, 23
    body.position, body.velocity, body.angle = (29, 31), (37, 41), 43
    space.add(body)
    lib.cpSpaceSetTimestamp(space._space, 47)
    lib.cpSpaceSetShapeIDCounter(space._space, 53)
    head, raw = _head_of(space), _layout.cast("Body *", body._body)
    numbers = head.iterations, *head.gravity, head.damping, head.idle_speed, head.sleep_time
    numbers += head.slop, head.bias, head.persistence, head.stamp, head.next_shape_id
    numbers += raw.mass[0], raw.mass[2], *raw.motion[0:4], head.num_locks
    expected = 7, 11, 13, 0.75, 17, 19, 0.5, 0.25, 23, 47, 53, 3, 5, 29, 31, 37, 41, 0
    if numbers != expected:
        return False
    if _words(head.dynamic_bodies) != [_address(body._body)]:
        return False
    offsets = {name: field.offset for name, field in ffi.typeof("struct cpArbiter").fields}
    sizes = ffi.sizeof("struct cpArbiter"), offsets["n"], offsets["state"]
    places = (_layout.offsetof("Arbiter", name) for name in ("normal", "state"))
    return sizes == (_layout.sizeof("Arbiter"), *places)


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
        memory.prepare()
        memory.restore()
    return all(end == ends[0] for end in ends)
